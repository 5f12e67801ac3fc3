//! House rules: binding sentences, and lists under headings that announce rules, in files for contributors and agents.

use std::collections::BTreeSet;

use super::command_text::{commands, of_block, only_command};
use super::document::{first_cells, is_notes, located};
use super::formats::{directory, name};
use super::rule_form::{
    begins_with_verb, binds, continues, denies, describes, first_word, holds, is_conditional, is_fragment,
    is_long_enough, is_measured, is_order, is_ordered, is_routed, is_stated, lists, orders, padded, refers, sets,
};
use super::{Fact, Kind, Reading, work_document};
use crate::skill::Language;
use crate::skill::prose::{Block, BlockKind, blocks};

const FILES: &[&str] = &[
    "agents.md", "claude.md", "gemini.md", "contributing.md", "readme.md", "copilot-instructions.md", "conventions.md",
    "style.md", "styleguide.md", "style-guide.md", "style_guide.md", "guidelines.md", "standards.md", "rules.md",
    "policy.md", "policies.md", "testing.md", "hacking.md", "development.md", "contribuindo.md", "contribuir.md",
    "convencoes.md", "convenciones.md", "estilo.md",
];

/// Words of a heading below which every list item is a rule, but not in a README, which addresses everybody.
const HEADINGS: &[&str] = &[
    "guideline", "constraint", "constraints", "boundaries", "standards", "style", "principles", "requirements",
    "checklist", "don'ts", "do not", "never", "always", "important", "review", "reviews", "commits", "branches",
    "security",
];

/// Such words that say so in a README as well.
const PLAIN_HEADINGS: &[&str] = &[
    "rule", "rules", "convention", "conventions", "guidelines", "policy", "policies", "regras", "convenções", "normas",
    "reglas", "convenciones", "políticas",
];

/// Headings below which nothing is a rule for contributors.
const ELSEWHERE: &[&str] =
    &["license", "licence", "install", "installation", "acknowledgements", "credits", "code of conduct", "faq"];

/// Headings below which the items describe or explain.
const DESCRIBING: &[&str] = &[
    "structure", "layout", "architecture", "overview", "directory", "directories", "folders", "stack", "setup",
    "started", "prerequisites", "usage", "commands", "scripts", "resources", "links", "contact", "support", "contents",
    "help", "features", "funcionalidades", "características", "estrutura", "arquitetura", "estructura", "arquitectura",
    "pré-requisitos", "comandos", "visão geral",
];

/// Headings below which commands only prepare a machine.
const PREPARING: &[&str] = &["setup", "started", "prerequisites", "requirements", "pré-requisitos", "requisitos"];
/// Words at the start of a sentence that forbids: "No officer works on the file of a relative".
const REFUSING: &[&str] = &["no", "nobody", "ningún", "ninguna", "nadie", "nenhum", "nenhuma", "ninguém"];
/// How many rules are taken from one file.
const MOST: usize = 30;
/// The id of a rule that is a numbered step of a document about one work.
pub(crate) const STEP: &str = "step";
/// The paragraphs of a document with so few lines may order something without a binding word.
const BRIEF: usize = 20;

pub(super) fn holds_rules(lower: &str) -> bool {
    FILES.contains(&lower)
}

pub(super) fn read(file: &mut Reading<'_>) {
    let strict = is_readme(file.path);
    let document = work_document::work(file.path).filter(|_| !holds_rules(&name(file.path).to_lowercase()) || strict);
    let form = match document {
        Some(work) => Form::Document(work),
        // Below the root it is for whoever works there.
        None if strict && !directory(file.path).is_empty() => {
            Form::Document(work_document::telling(name(directory(file.path))))
        }
        None if strict => Form::Readme,
        None => Form::Rules,
    };
    take(file, &form);
}

fn is_readme(path: &str) -> bool {
    name(path).eq_ignore_ascii_case("readme.md")
}

/// The rules of a document in a folder without code: also a README's lists, and what has to be done in a case.
pub(super) fn read_document(file: &mut Reading<'_>, work: &str) {
    take(file, &Form::Paper(work.to_owned()));
}

/// What kind of text the rules stand in. A document is about one work, or about all if that is empty.
#[derive(Debug, PartialEq)]
enum Form {
    /// Of a repository with code: it addresses everybody.
    Readme,
    /// For contributors and agents.
    Rules,
    Document(String),
    /// A document of a folder without code.
    Paper(String),
}

impl Form {
    fn work(&self) -> Option<String> {
        let (Self::Document(work) | Self::Paper(work)) = self else { return None };
        Some(work.clone()).filter(|work| !work.is_empty())
    }

    /// Whether a sentence is a rule: of a list or a paragraph, of a `brief` text, behind a rule where a paragraph `goes_on`.
    fn binds(&self, sentence: &str, listed: bool, brief: bool, goes_on: bool) -> bool {
        let plain = !only_command(sentence);
        let item = listed && plain && is_order(sentence) && !is_fragment(sentence);
        let said = !listed && (is_conditional(sentence) || is_ordered(sentence));
        let short = brief && !listed && (goes_on || sets(sentence));
        let ordered = brief && plain && orders(sentence);
        match self {
            Self::Readme => binds(sentence, true) || (goes_on && !listed && continues(sentence)),
            Self::Rules => {
                binds(sentence, false) || item || short || (ordered && !listed) || (listed && lists(sentence))
            }
            // A paragraph of a long document may tell a user what to do.
            Self::Document(_) => binds(sentence, !listed && !brief) || item || said || short || ordered,
            Self::Paper(work) => {
                let measured = (!work.is_empty() || goes_on) && is_measured(sentence);
                let refuses = REFUSING.contains(&first_word(sentence).as_str());
                binds(sentence, !listed) || item || said || ordered || measured || refuses || is_routed(sentence)
            }
        }
    }
}

fn take(file: &mut Reading<'_>, form: &Form) {
    let (strict, paper) = (*form == Form::Readme, matches!(form, Form::Paper(_)));
    let is_document = paper || matches!(form, Form::Document(_));
    if is_document && !work_document::is_short(file.text) {
        return;
    }
    let readme = is_readme(file.path);
    let brief = !readme && file.text.lines().count() <= BRIEF;
    let (mut work, mut kept, mut stated_only, mut lead) = (form.work(), 0, 0, String::new());
    let blocks = blocks(file.text);
    // "API guidelines": a numbered list of rules.
    let of_rules = is_of_rules(file.path);
    // Each sentence of a paper on rules is one.
    let ruling = paper && !readme && of_rules;
    let procedures = if strict || of_rules { BTreeSet::new() } else { procedures(&blocks, paper) };
    for (number, block) in blocks.iter().enumerate() {
        if kept >= MOST {
            break;
        }
        let listed = match block.kind {
            BlockKind::Point(_) | BlockKind::Numbered(_) => true,
            BlockKind::Paragraph => false,
            BlockKind::Code(ref language) => {
                if !names(&block.heading, ELSEWHERE) && !names(&block.heading, PREPARING) {
                    of_block(file, language, block);
                }
                continue;
            }
            BlockKind::Link => continue,
        };
        if number == 0 && !listed && is_title(file.text, block) {
            work = work.map(|work| titled(work, &block.text));
            continue;
        }
        if !listed {
            lead = block.text.strip_suffix(':').unwrap_or_default().to_owned();
        }
        let headed = if strict { names(&block.heading, PLAIN_HEADINGS) } else { announces(&block.heading) };
        let announced = listed && (headed || names(&lead, PLAIN_HEADINGS));
        if names(&block.heading, ELSEWHERE) || (!block.titled && is_dated(&block.heading)) {
            continue;
        }
        commands(file, block);
        if block.titled {
            work = work.map(|work| titled(work, &block.heading));
        }
        let lists_rules = block.titled && is_document || !names(&block.heading, DESCRIBING);
        let stated = listed && lists_rules && states(file.text, block) && !describes(block.text.trim());
        let procedural = procedures.contains(&block.line) && (paper || !names(&block.heading, DESCRIBING));
        let whole = announced || procedural || (!strict && stated);
        let mut goes_on = false;
        let parts = if whole { vec![(block.line, block.text.clone())] } else { located(file.text, block) };
        for (at, (line, sentence)) in parts.iter().enumerate() {
            let sentence = sentence.as_str();
            let said = ruling && !listed && sentence.ends_with('.') && !describes(sentence);
            let bound = whole || said || form.binds(sentence, listed, brief, goes_on);
            goes_on = bound;
            let short = whole && sentence.ends_with('.') && sentence.contains(' ');
            let rule = (is_long_enough(sentence) || short || procedural) && bound;
            let told = !strict || (!listed && !names(&block.heading, DESCRIBING) && !names(&block.heading, PREPARING));
            // A README begins with what the folder is.
            let plain = at == 0 || !(sentence.contains('`') || denies(sentence));
            let introduces = readme && number == 0 && !listed && plain;
            let stated = told && !introduces && !bound && stated_only < MOST && is_stated(sentence);
            if rule || stated {
                // The title says what the document is about, not the rule.
                let heading = if block.titled { "" } else { block.heading.as_str() };
                let kind = if rule { Kind::Rule } else { Kind::Statement };
                let fact = Fact::new(kind, sentence).about(subject(sentence)).about(heading);
                let id = (rule && procedural).then(|| STEP.to_owned());
                // Notes in paragraphs of their own are about different things.
                let own = heading.is_empty() && is_notes(file.text, block);
                let section = if own { format!("¶{}", block.line) } else { heading.to_owned() };
                file.put(*line, Fact { work: work.clone(), id, section, ..fact });
                kept += usize::from(rule);
                stated_only += usize::from(stated);
            }
        }
    }
    if !strict && !paper {
        first_cells(file, work.as_deref());
    }
}

/// Items of so few words are names.
const LISTED: usize = 6;

/// The lines of the numbered items that are steps: those of a `paper` unless they are mere names, and of other documents if
/// most begin with a verb. Others are rules with a number.
fn procedures(blocks: &[Block], paper: bool) -> BTreeSet<usize> {
    let numbered = |block: &Block| matches!(block.kind, BlockKind::Numbered(_));
    let lists = blocks.chunk_by(|one, next| numbered(one) == numbered(next) && one.heading == next.heading);
    let steps = lists.filter(|list| {
        let acts = list.iter().filter(|item| begins_with_verb(&item.text) || item.text.starts_with('`')).count();
        let words: usize = list.iter().map(|item| item.text.split_whitespace().count()).sum();
        // "GOC registration, current": what is asked for.
        let tells = paper && (acts > 0 || words > LISTED * list.len());
        list.first().is_some_and(numbered) && (acts * 2 >= list.len() || tells)
    });
    steps.flatten().map(|item| item.line).collect()
}

/// A line of so few words is no order.
const SHORT_TITLE: usize = 2;

/// Whether the first paragraph of a document without headings is its title: one line without a full stop that orders nothing.
fn is_title(text: &str, block: &Block) -> bool {
    let mut below = text.lines().skip(block.line);
    let alone = below.next().is_some_and(|next| next.trim().is_empty()) && below.any(|line| !line.trim().is_empty());
    let short = block.text.split_whitespace().count() <= SHORT_TITLE;
    alone && !block.text.ends_with(['.', '!', '`', ':']) && (short || !is_order(&block.text))
}

/// Whether what stands below a heading was said on a day: "2025-03-04", "Meeting of 4 March 2025".
fn is_dated(heading: &str) -> bool {
    const MEETINGS: &[&str] = &["meeting", "minutes", "retro", "reunião", "reunión", "ata", "acta"];
    let lower = heading.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let numbers = words.iter().filter(|word| word.parse::<u16>().is_ok()).count();
    words.iter().any(|word| work_document::is_year(word))
        && (numbers == 3 && words.len() == 3 || words.iter().any(|word| MEETINGS.contains(word)))
}

/// What a document is about, by its name and its title.
fn titled(work: String, title: &str) -> String {
    let title = title.to_lowercase();
    if work.contains(&title) { work } else { format!("{work}; {title}") }
}

/// Whether a list item of a document of rules says how something is or has to be done: it is no link, no command alone.
fn states(text: &str, block: &Block) -> bool {
    let item = block.text.trim();
    let written = text.lines().nth(block.line.saturating_sub(1)).unwrap_or_default();
    let link = written.trim_start_matches(['-', '*', '+', ' ']);
    let link = link.starts_with("[") && link.contains("](") || link.starts_with("<http");
    let closed = !item.ends_with([':', '?']);
    let path = |part: &str| part.contains(['/', '.']) && !part.ends_with('.');
    let paths = item.split([',', ' ']).filter(|part| !part.is_empty()).all(path);
    closed && !link && !refers(item) && !paths && !only_command(item)
}

/// How many words of a rule say what it is about; behind them is what has to hold.
const SUBJECT: usize = 7;

/// What a rule is about: its first words, without the verb it begins with. "Log with pino" is no rule about logs.
pub(crate) fn subject(sentence: &str) -> &str {
    let end = sentence.match_indices(' ').nth(SUBJECT - 1).map_or(sentence.len(), |(at, _)| at);
    let sentence = sentence.get(..end).unwrap_or(sentence);
    let (first, rest) = sentence.split_once(' ').unwrap_or((sentence, ""));
    let second = padded(rest).split_whitespace().next().unwrap_or_default().to_owned();
    let orders = Language::ALL.iter().any(|language| {
        let lexicon = language.lexicon();
        lexicon.verb(&first.to_lowercase()).is_some() && lexicon.set("grammar").contains(second.as_str())
    });
    if orders { rest } else { sentence }
}

/// Whether a heading says that rules follow.
pub(super) fn announces(heading: &str) -> bool {
    names(heading, HEADINGS) || names(heading, PLAIN_HEADINGS)
}

/// Whether the name of a document says that it holds rules: `review-rules.md`.
pub(super) fn is_of_rules(path: &str) -> bool {
    names(&name(path).replace(['-', '_', '.'], " "), PLAIN_HEADINGS)
}

fn names(heading: &str, words: &[&str]) -> bool {
    holds(&padded(heading), words)
}

#[cfg(test)]
mod tests {
    use super::super::{Source, tests::found};
    use super::*;

    /// The facts of a document, each with its line.
    fn rules(path: &str, text: &str) -> Vec<String> {
        found(path, text).all.iter().map(|fact| format!("{} {}", fact.line, fact.text)).collect()
    }

    #[test]
    fn no_rule_is_lost_and_what_is_none_is_left_out() {
        for (path, text, wanted) in [
            (
                "CONTRIBUTING.md",
                "# Contributing\n\nThanks for helping. Migrations must be backwards compatible.\n\n## Rules\n\n- Two approvals\n- Tests for every fix\n\n## Setup\n\n1. Run `make setup`.\n2. Never commit `.env`.\n\n```sh\nalways run this\n```\n\nWhat must I do?\n",
                &[
                    "3 Migrations must be backwards compatible.",
                    "8 Tests for every fix",
                    "12 `make setup`",
                    "13 Never commit `.env`.",
                ][..],
            ),
            (
                "README.md",
                "# Shop\n\n## House rules\n\n- A plan needs two approvals.\n- Metric units only.\n\n## Features\n\n- Plans are fast.\n",
                &["5 A plan needs two approvals.", "6 Metric units only."],
            ),
            ("CLAUDE.md", "Nunca altere `db/schema.rb` à mão.\n", &["1 Nunca altere `db/schema.rb` à mão."]),
            // An item that gives values.
            (
                "CONTRIBUTING.md",
                "# Contributing\n\n## Commands\n\n- Exit codes: 0 success, 3 nothing to do.\n- Tests: `x`.\n",
                &["5 Exit codes: 0 success, 3 nothing to do."],
            ),
            ("docs/api.md", "# API rules\n\n- Never a total count.\n", &["3 Never a total count."]),
            // A setting, a check before something, and the label of a command.
            (
                "CONTRIBUTING.md",
                "# Contributing\n\n- `config.load_defaults` is raised in its own pull request.\n\
                 - Run `bin/ci` before asking for a review.\n- Lint: `ruff check .`.\n",
                &[
                    "3 `config.load_defaults` is raised in its own pull request.",
                    "4 `bin/ci`",
                    "4 Run `bin/ci` before asking for a review.",
                    "5 `ruff check .`",
                ],
            ),
        ] {
            assert_eq!(rules(path, text), wanted, "{path}");
        }
    }

    #[test]
    fn steps_of_a_document_about_one_work_are_rules_for_it() {
        let text = "# Restore\n\n1. Announce in #ops; staging is shared.\n2. Over `app`? Never.\n";
        assert_eq!(rules("runbooks/restore.md", text)[0], "3 Announce in #ops; staging is shared.");
        assert!(rules("docs/restore.md", &format!("{text}{}", "\nMore.\n".repeat(80))).is_empty(), "a manual");
        let steps = |text: &str| {
            let all = found("docs/dags.md", text).all.into_iter();
            all.filter(|fact| fact.id.as_deref() == Some(STEP)).count()
        };
        assert_eq!(steps("1. Announce it in #data.\n2. Pause the DAG.\n3. The owner checks the rows.\n"), 3);
        // A numbered list of statements.
        assert_eq!(steps("1. Every DAG sets `catchup=False`.\n2. Tasks are idempotent.\n3. No top-level code.\n"), 0);
    }

    #[test]
    fn titles_notes_and_short_paragraphs_are_told_by_their_lines() {
        let lines = |path: &str, text: &str| found(path, text).all.iter().map(|fact| fact.line).collect::<Vec<_>>();
        let titled = "what everybody here asks about runs\n\noldest day first, never two at once\n";
        assert_eq!(lines("notes.md", titled), [3]);
        let notes =
            "never two days at once\nat most 14 days in one go, oldest first\nask Kirsi\n\nNever clear a run.\n";
        assert_eq!(lines("notes.md", notes)[..2], [1, 2]);
        // A short paragraph that sets something is taken to its end.
        let text = "# API guide\n\nThanks! We are spec-first. The spec is changed before the handler.\n\n- Dates are RFC 3339.\n";
        assert_eq!(lines("docs/api-guide.md", text), [3, 3, 5]);
    }

    #[test]
    fn a_paper_on_rules_may_be_prose() {
        let text = "# Club: rules\n\nA quorum is five of nine members. Votes are recorded by number only.\n";
        let source = Source { path: "club-rules.md", text, beside: &BTreeSet::new() };
        let mut file = Reading::of(&source);
        read_document(&mut file, "club");
        let said: Vec<&str> = file.facts.all.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(said, ["A quorum is five of nine members.", "Votes are recorded by number only."]);
    }
}
