//! The description an agent chooses a skill by: what it does in the third person, then when to use it.

mod occasion;
mod phrases;
mod requests;
mod situation;
mod voice;

pub use requests::requests;
pub(crate) use situation::has_trigger;
pub use situation::use_when;

use std::borrow::Cow;

use super::name::names_spelled;
use super::understand::{Fact, Language, Role, Understanding, impersonal, one_line, sentences};

/// The longest description allowed, in Unicode scalar values (S8, T0-HEFESTO-01).
pub const MAX_DESCRIPTION: usize = 1024;

/// How much of the later sentences the description takes in, in scalars: it is what a skill is chosen by, and what
/// binds the work stands in the body.
const MAX_MAIN: usize = 500;

/// A description as a skill tells it: in its frontmatter, and at the top of its body.
#[derive(Debug)]
pub struct Telling<'t> {
    full: &'t str,
    understood: &'t Understanding,
    /// The whole text on one line, its first sentence in the third person.
    main: String,
    /// The frontmatter's description: one line of at most [`MAX_DESCRIPTION`] scalars, main use first.
    pub description: String,
}

/// Makes the frontmatter's description: one line of at most [`MAX_DESCRIPTION`] scalars, main use first.
#[must_use]
pub fn describe(full: &str, understood: &Understanding) -> String {
    Telling::of(full, understood).description
}

/// A text that says when to use the skill keeps its own words; otherwise a sentence is added. Rules ("Never …") are left
/// to the body; what the skill is not for stays, at the end. Angle brackets, which some clients refuse, are replaced by
/// words.
fn described(main: &str, understood: &Understanding) -> String {
    let whole = shorten(main, MAX_DESCRIPTION);
    if has_trigger(&whole) {
        return whole;
    }
    let mut sentences = sentences(main).into_iter();
    let mut kept = sentences.next().unwrap_or_default().to_owned();
    let mut excluded = String::new();
    for sentence in sentences {
        if excludes(sentence) {
            excluded = format!("{excluded} {sentence}");
        } else if !rules(sentence) && kept.chars().count() + sentence.chars().count() < MAX_MAIN {
            kept = format!("{kept} {sentence}");
        }
    }
    let trigger = without_brackets(&situation::trigger(main, understood));
    let trigger = shorten(&format!("{trigger}{excluded}"), MAX_DESCRIPTION / 2);
    let room = MAX_DESCRIPTION.saturating_sub(trigger.chars().count() + 1);
    format!("{} {trigger}", shorten(&kept, room)).trim().to_owned()
}

/// Whether a sentence says what the skill is not for.
fn excludes(sentence: &str) -> bool {
    const BEGINS: &[&str] = &[
        "not for ", "do not use ", "don't use ", "never use for ", "não use ", "não serve ", "não é para ", "no usar ",
        "no sirve ",
    ];
    let lower = sentence.to_lowercase();
    BEGINS.iter().any(|begin| lower.starts_with(begin))
}

/// Whether a sentence binds the work rather than telling what the skill is.
fn rules(sentence: &str) -> bool {
    const BEGINS: &[&str] = &[
        "never", "always", "only", "must", "do not", "don't", "avoid", "nunca", "sempre", "siempre", "somente",
        "apenas", "solo", "não", "no ", "evite", "evita",
    ];
    let lower = sentence.to_lowercase();
    BEGINS.iter().any(|begin| lower.starts_with(begin))
}

/// How many facts the assignment lists before the whole text is easier to read.
const MOST_FACTS: usize = 14;

impl<'t> Telling<'t> {
    /// Reads a description, as it was given, with what was understood of it.
    #[must_use]
    pub fn of(full: &'t str, understood: &'t Understanding) -> Self {
        let main = main_text(full, understood);
        let description = described(&main, understood);
        Self { full, understood, main, description }
    }

    /// What is said of the work, one line each with its role before it, for the top of the body. A later sentence that
    /// the description already holds is not said again, unless it binds the work.
    #[must_use]
    pub fn assignment(&self) -> Vec<String> {
        if !self.overflow().is_empty() {
            return Vec::new();
        }
        let language = self.understood.language;
        let held = |fact: &Fact| self.description.contains(&format!("{}.", fact.text));
        let facts = self.understood.facts.iter().filter(|fact| fact.role != Role::Detail || !held(fact));
        let line = |fact: &Fact| {
            let text = said_after_label(fact, language).replace("!`", "! `");
            format!("{}: {text}", fact.label(language, self.understood.archetype))
        };
        facts.map(line).collect()
    }

    /// The whole text as it was given, where the description was cut or says too much for a list; otherwise nothing.
    #[must_use]
    pub fn overflow(&self) -> String {
        let first = sentences(&self.main).into_iter().next().unwrap_or_default();
        let cut = first.chars().count() >= MAX_DESCRIPTION / 2
            || (has_trigger(&self.main) && self.main.chars().count() > MAX_DESCRIPTION);
        if cut || self.understood.facts.len() > MOST_FACTS { given(self.full) } else { String::new() }
    }

    /// What the skill's body begins with: the description's main text without its trigger, or every word of the full
    /// text, as it was given, when the description had to leave some out.
    #[must_use]
    pub fn overview(&self) -> String {
        let main = &self.main;
        if main.chars().count() < MAX_DESCRIPTION && self.description.starts_with(main) {
            let kept: Vec<&str> = sentences(main).into_iter().filter(|sentence| !has_trigger(sentence)).collect();
            return inert_line(&if kept.is_empty() { main.clone() } else { kept.join(" ") });
        }
        given(self.full)
    }
}

/// "When: errors spike", not "When: when errors spike".
fn said_after_label(fact: &Fact, language: Language) -> &str {
    let own = match language {
        Language::En => "when ",
        Language::Pt => "quando ",
        Language::Es => "cuando ",
    };
    Some(fact.text.as_str())
        .filter(|_| fact.role == Role::Occasion)
        .and_then(|text| text.strip_prefix(own))
        .unwrap_or(&fact.text)
}

/// Every word as it was given, line by line, as paragraphs of Markdown.
fn given(full: &str) -> String {
    full.trim()
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .lines()
        .map(|line| inert_line(line.trim()))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A line of text that is a paragraph in Markdown, whatever it begins with, and starts no shell command.
fn inert_line(line: &str) -> String {
    let quiet = line.replace("!`", "! `");
    let number = quiet.find(|c: char| !c.is_ascii_digit()).unwrap_or(quiet.len());
    let numbered = number > 0 && quiet.get(number..).is_some_and(|rest| rest.starts_with(['.', ')']));
    if numbered {
        let (digits, rest) = quiet.split_at(number);
        return format!("{digits}\\{rest}");
    }
    let marks = quiet.starts_with(['#', '>', '+', '*', '|', '=', '~', '-']) || quiet.starts_with("```");
    if marks { format!("\\{quiet}") } else { quiet }
}

/// The whole text on one line, its first sentence in the third person, with a final mark.
fn main_text(full: &str, understood: &Understanding) -> String {
    let line = names_spelled(&without_brackets(&one_line(full)));
    let mut parts = sentences(&line).into_iter();
    let language = understood.language;
    let first = parts.next().map(|first| voice::third_person(&impersonal(first, language), understood));
    let first = first.unwrap_or_default();
    let plain = |sentence| if has_trigger(sentence) { Cow::Borrowed(sentence) } else { impersonal(sentence, language) };
    let rest: Vec<String> = parts.map(|sentence| plain(sentence).into_owned()).collect();
    let mut text = std::iter::once(first).chain(rest).collect::<Vec<_>>().join(" ");
    if !text.ends_with(['.', '!', '?', '\u{2026}', '\u{3002}', ')']) {
        text.truncate(text.trim_end_matches([',', ';', ':', '-', ' ']).len());
        if !text.is_empty() {
            text.push('.');
        }
    }
    text
}

/// Words in place of angle brackets: arrows, comparisons; tags keep their name.
fn without_brackets(line: &str) -> String {
    let mut text = line.to_owned();
    for (sign, word) in [
        (" -> ", " to "),
        (" => ", " to "),
        ("->", " to "),
        ("=>", " to "),
        (" <= ", " at most "),
        (" >= ", " at least "),
        ("<=", " at most "),
        (">=", " at least "),
        (" < ", " less than "),
        (" > ", " more than "),
    ] {
        text = text.replace(sign, word);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['<', '>']) {
        let (before, from) = rest.split_at(at);
        let after = from.get(1..).unwrap_or_default();
        out.push_str(before);
        if after.starts_with(|c: char| c.is_ascii_digit()) {
            out.push_str(if from.starts_with('<') { "under " } else { "over " });
        }
        rest = after;
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `max` scalars: whole sentences while they fit, else the beginning of the first one up to a word's end.
fn shorten(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut kept = String::new();
    for sentence in sentences(text) {
        let space = usize::from(!kept.is_empty());
        if kept.chars().count() + space + sentence.chars().count() > max {
            break;
        }
        if space > 0 {
            kept.push(' ');
        }
        kept.push_str(sentence);
    }
    if !kept.is_empty() {
        return kept;
    }
    let mut cut: String = text.chars().take(max.saturating_sub(1)).collect();
    if let Some(at) = cut.rfind(' ') {
        cut.truncate(at);
    }
    cut.truncate(cut.trim_end_matches([',', ';', ':', '-', '(', ' ']).len());
    format!("{cut}\u{2026}")
}

#[cfg(test)]
mod tests {
    use super::super::understand::understand;
    use super::*;

    fn described(text: &str) -> String {
        describe(text, &understand(text))
    }

    #[test]
    fn sentences_become_third_person_with_a_trigger() {
        for (text, expected) in [
            (
                "Validate email addresses using regex patterns",
                "Validates email addresses using regex patterns. Use when the user asks to check or verify email addresses, reports \
                 that something wrong got through or something right was refused, or mentions regex patterns. Also when they say \
                 e-mail.",
            ),
            (
                "Database migration skill",
                "Covers database migration. Use when the task involves database migration, or the user wants to leave an old \
                 system or version without losing anything. Also when they say 'schema change'.",
            ),
            (
                "Run `cargo fmt` and fix lints",
                "Runs `cargo fmt` and fixes lints. Use when the user asks to run or repeat `cargo fmt`, or wants the command run or \
                 its error message understood.",
            ),
            (
                "Padroniza code reviews seguindo boas práticas",
                "Padroniza code reviews seguindo boas práticas. Use quando alguém pedir para padronizar ou uniformizar code reviews, \
                 tiver o conteúdo, mas na forma errada ou mencionar boas práticas.",
            ),
            (
                "Validar correos electrónicos con expresiones regulares",
                "Valida correos electrónicos con expresiones regulares. Usar cuando alguien pida validar, comprobar o verificar \
                 correos electrónicos, informe de que algo incorrecto pasó o algo correcto fue rechazado o mencione expresiones \
                 regulares. También cuando digan e-mail o email.",
            ),
            (
                "Write release notes for users. Never name customers. Not for internal changelogs.",
                "Writes release notes for users. Use when the user asks to write, draft or compose release notes, or needs a first \
                 version or a fresh one. Also when they say changelog. Not for internal changelogs.",
            ),
        ] {
            assert_eq!(described(text), expected);
        }
    }

    #[test]
    fn the_main_sentence_stays_grammatical() {
        for (text, expected) in [
            ("Generate database migrations; handle rollback", "Generates database migrations; handles rollback."),
            ("Format Python code with black and lint with ruff", "Formats Python code with black and lints with ruff."),
            ("Use regex to find and replace text", "Uses regex to find and replace text."),
            ("Run build and test pipelines", "Runs build and test pipelines."),
            ("A skill that reviews pull requests", "Reviews pull requests."),
            ("I need to rotate API keys", "Rotates API keys."),
            ("Helps you act as a reviewer of pull requests", "Acts as a reviewer of pull requests."),
            ("A skill that helps me write commit messages", "Writes commit messages."),
            ("Write tests, run them and report coverage", "Writes tests, runs them and reports coverage."),
            ("Convert: a, b", "Converts: a, b."),
            ("Monitor logs and alert on errors", "Monitors logs and alerts on errors."),
            ("Code Review!", "Covers code review."),
            ("Uma skill para padronizar commits", "Padroniza commits."),
            ("-- weird -- leading hyphens --", "Weird -- leading hyphens."),
        ] {
            let found = described(text);
            assert!(found.starts_with(&format!("{expected} Us")), "{text}: {found}");
        }
    }

    #[test]
    fn a_text_that_says_when_keeps_its_own_words() {
        for text in [
            "Reviews pull requests. Use when a branch is ready.",
            "Revisa código. Ideal para times pequenos.",
            "Checks links. USE THIS for docs.",
        ] {
            assert_eq!(described(text), text);
        }
    }

    #[test]
    fn long_texts_are_shortened_at_a_sentence_and_kept_whole_in_the_overview() {
        let text = format!("Validate email addresses. {}", "Mind the édge cases that people forget. ".repeat(49));
        let short = described(&text);
        assert!(short.chars().count() <= MAX_DESCRIPTION && short.contains("forget. Use when"), "{short}");
        assert_eq!(Telling::of(&text, &understand(&text)).overview(), text.trim());
        let one = "palavra ".repeat(249);
        assert!(described(&one).chars().count() <= MAX_DESCRIPTION);
        assert_eq!(
            Telling::of("Review code. Use when asked.", &understand("Review code.")).overview(),
            "Reviews code."
        );
    }

    #[test]
    fn angle_brackets_and_markdown_do_no_harm() {
        let found = described("Convert <div> tags -> JSON when size > 5 and depth <3");
        assert!(found.starts_with("Converts div tags to JSON when size more than 5 and depth under 3. "), "{found}");
        assert!(!found.contains(['<', '>']), "{found}");
        assert_eq!(Telling::of("# not a heading", &understand("# not a heading")).overview().chars().next(), Some('N'));
        assert_eq!(inert_line("1. a !`ls`"), "1\\. a ! `ls`");
        assert_eq!(inert_line("--- x"), "\\--- x");
    }

    proptest::proptest! {
        #[test]
        fn every_description_fits_on_one_line(text in "(\\PC|\n|[a-z. ]{1,9}){0,300}") {
            let found = described(&text);
            assert!(found.chars().count() <= MAX_DESCRIPTION);
            assert!(!found.contains(['<', '>', '\n', '\r']));
            assert!(has_trigger(&found), "{found}");
        }
    }
}
