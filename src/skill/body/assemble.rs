//! Assembles a body in this order: input, reason against, repository, steps, cases, limits, report, check,
//! questions.

use std::collections::BTreeMap;

use super::alternatives::Absent;
use super::author::Part;
use super::house::House;
use super::phrases::Phrases;
use super::steps::Plan;
use super::{
    Body, Line, MOST_LINES, MOST_OPEN, OpenQuestion, Origin, Remembered, Section, Shape, UsedPack, author,
    contradiction, heading, house, limits, lines_of, plain, portugal, relevant,
};
use crate::skill::Language;
use crate::skill::fact::{Fact, Facts, Given, Kind};
use crate::skill::name::fold;
use crate::skill::pack::{self, Chosen, LineKind, Searched};
use crate::skill::ranking::stems;
use crate::skill::sentence::{Clause, Sentence};
use crate::skill::subject::Subject;

#[derive(Debug, Clone, Copy)]
pub struct Material<'m> {
    pub sentence: &'m Sentence,
    pub facts: &'m Facts,
    pub packs: &'m [Chosen],
    /// The author's answers by the key of their question.
    pub answers: &'m BTreeMap<String, String>,
    /// Questions a drafter asked, by the same keys.
    pub asked: &'m BTreeMap<String, String>,
    /// The content of files the author named.
    pub given: &'m [Given],
    /// Remembered lines on the subject.
    pub remembered: &'m [Remembered],
}

impl Material<'_> {
    /// The words that decide which lines of a pack apply: the sentence's, without accents, in lowercase.
    pub(super) fn searched(&self) -> Searched {
        Searched::of(&self.sentence.text)
    }

    /// The part before a colon, then the clauses.
    pub(super) fn clauses(&self) -> impl Iterator<Item = &Clause> + use<'_> {
        self.sentence.head.iter().chain(&self.sentence.clauses)
    }

    /// The fixed words in the sentence's language.
    pub(super) fn phrases(&self) -> &'static Phrases {
        Phrases::of(self.sentence.language)
    }

    /// The sentences of the repository's documents.
    pub(super) fn documented(&self) -> impl Iterator<Item = &Fact> {
        self.facts.all.iter().filter(|fact| is_documented(fact))
    }

    /// Whether a line applies: its words, the repository's facts and its programming languages.
    pub(super) fn holds(&self, line: &pack::Line, text: &Searched) -> bool {
        let present = |ids: &pack::OneOrMore| ids.all().iter().any(|id| self.facts.has(id));
        text.mentions(&line.mentions)
            && line.has.as_ref().is_none_or(present)
            && !line.unless.as_ref().is_some_and(present)
            && line.lang.as_ref().is_none_or(|lang| {
                let languages = self.languages(text);
                lang.all().iter().any(|lang| languages.contains(&lang.as_str()))
            })
    }

    /// The programming languages that the sentence names, else those of the repository.
    fn languages(&self, text: &Searched) -> Vec<&str> {
        let all = Language::En.lexicon().section("programming");
        let named = all.filter(|(_, words)| words.split_whitespace().any(|word| text.has(&word.replace('_', " "))));
        let named: Vec<&str> = named.map(|(language, _)| language).collect();
        if named.is_empty() { self.facts.languages().collect() } else { named }
    }

    /// A line's text in the sentence's language, with the repository's own runners; `None` without a translation.
    pub(super) fn text(&self, chosen: &Chosen, text: &str) -> String {
        let tools = chosen.pack.head.tools.iter();
        let said =
            tools.fold(text.to_owned(), |text, tool| text.replace(&format!("{{{tool}}}"), self.facts.runner(tool)));
        let said = self.facts.with_base_branch(&self.facts.as_run_here(&said), &Subject::of(&self.sentence.text));
        self.sentence.bounds.iter().fold(said, |said, bound| bound.replace_ranges(&said))
    }
}

/// Whether a fact is a sentence of a document.
pub(super) fn is_documented(fact: &Fact) -> bool {
    matches!(fact.kind, Kind::Rule | Kind::Statement)
}

/// So many rules of the house answer which ones there are.
const RULED: usize = 3;

/// Kinds of facts that say where the material of office work comes from.
const FORMS: &[Kind] = &[Kind::Columns, Kind::Note, Kind::Template];

/// A line that shares so many words with a question, besides those of the sentence, answers it.
const ANSWERING: usize = 2;

/// The body for this material. The same material gives the same bytes.
pub fn assemble(material: &Material<'_>) -> Body {
    let sentence = material.sentence;
    let phrases = material.phrases();
    let plan = Plan::of(material);
    let here = relevant::here(material, &plan);
    let rules = house::rules(material, &plan);
    let ran = here.iter().any(|line| line.text.contains('`'));
    let form = material.facts.office && material.facts.all.iter().any(|fact| FORMS.contains(&fact.kind));
    let ruled = rules.len() >= RULED;
    let known = [("rules", ruled), ("approval", ruled), ("commands", ran), ("where", form), ("target", form && ruled)];
    let of_file = |fact: &&Fact| rules.iter().any(|rule| rule.fact.file == fact.file);
    let beside = material.documented().filter(of_file).map(|fact| fact.text.as_str());
    let told: Vec<&str> = beside.chain(here.iter().map(|line| line.text.as_str())).collect();
    let procedure = house::procedure(&rules);
    // Without a pack nothing more is asked of a procedure.
    let settled = material.packs.is_empty() && !procedure.is_empty();
    let open = if settled { Vec::new() } else { open(material, &known, &told, &documents(&here, &rules)) };
    let open: Vec<OpenQuestion> = open.into_iter().filter(|question| !is_decided(material, &rules, question)).collect();
    // Request, report and check of a pack are those of its steps.
    let replaced = !procedure.is_empty() && !material.packs.is_empty();
    let asked = if replaced { Material { packs: &[], ..*material } } else { *material };
    let input = input(&asked).into_iter().chain(plan.scope(material));
    let mut sections = vec![
        Section::new("", input.collect()),
        Section::new(format!("## {}", phrases.repository), [author::given(material, Part::Commands), here].concat()),
    ];
    let mut steps = plan.sections(material, &rules);
    if !procedure.is_empty() {
        replace_steps(&mut steps, procedure);
    }
    if let Some(first) = steps.first_mut() {
        first.lines.splice(0..0, author::given(material, Part::Steps));
    }
    sections.extend(steps);
    let (cases, mut points) = limits::limits(material, &plan, &rules);
    let shown: Vec<&str> = lines_of(&sections).map(|line| line.text.as_str()).collect();
    points.retain(|line| !shown.contains(&line.text.as_str()));
    let of_pack = |line: &Line| matches!(line.origin, Origin::Pack { .. });
    let of_house = |line: &Line| matches!(line.origin, Origin::House { .. });
    let overruled = lines_of(&sections).any(of_pack) && points.iter().any(of_house);
    let overrule = if overruled { format!(" ({})", phrases.overrule) } else { String::new() };
    let limits = [author::remembered(material), points, author::given(material, Part::Rules)].concat();
    let asked = open.iter().take(MOST_OPEN).map(|question| {
        let origin = Origin::Open { key: question.key.clone() };
        Line::new(Shape::Point, format!("[FILL IN: {}]", question.ask), origin)
    });
    sections.extend([
        Section::new("", cases),
        Section::new(format!("## {}{overrule}", phrases.limits), limits),
        Section::new("", if replaced { Vec::new() } else { limits::ending(material, &rules) }),
        Section::new(format!("## {}", phrases.open), asked.collect()),
    ]);
    let absent = Absent::of(material.facts, &sentence.text);
    let house: Vec<_> =
        rules.iter().filter(|rule| !rule.is_row()).map(|rule| (rule.fact.text.as_str(), rule.line())).collect();
    contradiction::remove(&mut sections, &house, &absent);
    let texts = material.facts.all.iter().filter(|fact| fact.kind == Kind::Rule).map(|fact| fact.text.as_str());
    if sentence.language == Language::Pt
        && portugal::is_from_portugal(std::iter::once(sentence.text.as_str()).chain(texts))
    {
        portugal::adapt(&mut sections);
    }
    let whole = says_all(sentence, &sections);
    if let Some(first) = sections.first_mut().filter(|_| !whole) {
        first.lines.insert(1, Line::new(Shape::Plain, plain(&sentence.text), Origin::Sentence));
    }
    fit(&mut sections);
    sections.retain(|section| !section.lines.is_empty());
    let packs = used(material.packs, &sections);
    let unknown = pack::unknown(sentence, material.packs);
    Body { sections, packs, open, unknown, columns: phrases.columns.clone(), here: phrases.here.clone() }
}

/// Whether heading and lines of the body and the description's occasion hold every word of the description. A verb may
/// stand in another form: its beginning decides.
fn says_all(sentence: &Sentence, sections: &[Section]) -> bool {
    const BEGINNING: usize = 3;
    let mut said = vec![heading(sentence)];
    said.extend(sentence.occasion.clone());
    said.extend(lines_of(sections).map(|line| line.text.clone()));
    said.extend(sections.iter().map(|section| section.heading.clone()));
    let said = fold(&said.join(" ")).to_lowercase();
    // A skill says "the user" for the author's "my".
    let persons = sentence.language.lexicon().text("say", "persons").split([' ', '=', '\n']);
    // "Help me": what introduces the task is no part of it.
    let introduces = sentence.language.lexicon().set("after_skill").iter().map(AsRef::as_ref);
    let asks = sentence.language.lexicon().text("open", "asked").split([' ', '|', '\n']);
    let passed: Vec<&str> = persons.chain(introduces).chain(asks).collect();
    let words = sentence.text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.map(|word| fold(word).to_lowercase()).filter(|word| !passed.contains(&word.as_str()));
    sentence.text.chars().count() <= LONGEST_SPLIT
        && words.into_iter().all(|word| {
            let base = sentence.language.lexicon().verb(&word).map(|(verb, _)| fold(&verb.base).to_lowercase());
            let begins = |word: &String| said.contains(&word.chars().take(BEGINNING).collect::<String>());
            begins(&word) || base.as_ref().is_some_and(begins)
        })
}

/// A longer description is in the body in full: the frontmatter shortens it.
const LONGEST_SPLIT: usize = 400;

fn input(material: &Material<'_>) -> Vec<Line> {
    let (sentence, phrases) = (material.sentence, material.phrases());
    let of_pack = |chosen: &Chosen| Some((chosen.pack.head.input(sentence.language)?.to_owned(), Origin::pack(chosen)));
    let object = || {
        let names = |object: &String| {
            let first = fold(object.split(' ').next().unwrap_or_default()).to_lowercase();
            !object.is_empty() && !sentence.language.lexicon().set("no_input").contains(first.as_str())
        };
        let plain = |object: &String| names(object) && !object.contains(['{', '}', '(', ')', '[', ']', '`']);
        let whole = |object: &str| {
            let cut = [" y", " e", " and"].iter().find_map(|end| object.strip_suffix(end));
            cut.unwrap_or(object).trim_end_matches(',').to_owned()
        };
        let object = material.clauses().next().map(|clause| whole(&clause.object)).filter(plain);
        (object.unwrap_or_else(|| phrases.request.clone()), Origin::Sentence)
    };
    let (what, origin) = material.packs.iter().find_map(of_pack).unwrap_or_else(object);
    let mut lines = vec![Line::new(Shape::Plain, format!("{}: $ARGUMENTS ({what})", phrases.input), origin)];
    let text = material.searched();
    for chosen in material.packs {
        let holds = |line: &&pack::Line| chosen.asked(&line.verbs) && material.holds(line, &text);
        let reason = chosen.pack.lines.iter().find(|line| line.kind == LineKind::Instead && holds(line));
        if let Some(said) = reason.and_then(|line| line.text(sentence.language)) {
            let text = format!("{}: {}", phrases.first, material.text(chosen, said));
            lines.push(Line::new(Shape::Plain, text, Origin::pack(chosen)));
        }
    }
    lines
}

/// Puts the house's own procedure in the place of the steps of packs and of the sentence.
fn replace_steps(sections: &mut Vec<Section>, procedure: Vec<Line>) {
    let replaced =
        |line: &Line| matches!(line.origin, Origin::Pack { .. } | Origin::Sentence | Origin::Repository { .. });
    let kept: Vec<Line> = lines_of(sections).filter(|line| !replaced(line)).cloned().collect();
    sections.truncate(1);
    if let Some(first) = sections.first_mut() {
        first.heading = first.heading.lines().next().unwrap_or_default().to_owned();
        first.lines = procedure.into_iter().chain(kept).collect();
    }
}

/// The stems of the files of shown facts and rules.
fn documents(here: &[Line], rules: &[House<'_>]) -> Vec<String> {
    let files = here.iter().filter_map(|line| match &line.origin {
        Origin::Repository { file, .. } => Some(file.as_str()),
        _ => None,
    });
    stems(&files.chain(rules.iter().map(|rule| rule.fact.file.as_str())).collect::<Vec<_>>().join(" "))
}

/// Whether a rule takes the place of the step that a question is about.
fn is_decided(material: &Material<'_>, rules: &[House<'_>], question: &OpenQuestion) -> bool {
    material.packs.iter().any(|chosen| {
        let mut asked = chosen.pack.questions.iter().filter(|asked| asked.key == question.key);
        asked.any(|asked| {
            let mut lines = chosen.pack.lines.iter().filter(|line| line.slot.as_ref() == Some(&asked.slot));
            lines.any(|line| rules.iter().any(|rule| rule.decides(line)))
        })
    })
}

/// What packs ask and neither an answer nor what the house `told` settles; without a pack the general questions, but for
/// the `known` ones.
fn open(material: &Material<'_>, known: &[(&str, bool)], told: &[&str], documents: &[String]) -> Vec<OpenQuestion> {
    let sentence = material.sentence;
    let text = material.searched();
    let said = Subject::of(&sentence.text);
    let told: Vec<Subject> = told.iter().map(|line| Subject::of(line).without(&said)).collect();
    let is_told = |ask: &str| {
        let ask = Subject::of(ask);
        told.iter().any(|line| line.shared(&ask) >= ANSWERING)
    };
    let mut open: Vec<OpenQuestion> = Vec::new();
    for chosen in material.packs {
        for question in &chosen.pack.questions {
            // "Where is the refund policy?" is answered by the rules of `policies/refunds.md`.
            let settled = stems(&question.key).iter().any(|key| documents.contains(key))
                || material.answers.contains_key(&question.key)
                || relevant::answered(material.facts, &question.answered_by).is_some();
            if !settled
                && chosen.asked(&question.verbs)
                && text.mentions(&question.mentions)
                && let Some(ask) = question.ask(sentence.language)
                && !is_told(ask)
            {
                open.push(OpenQuestion { key: question.key.clone(), ask: material.text(chosen, ask) });
            }
        }
    }
    if material.packs.is_empty() {
        let settled = |key: &str| material.answers.contains_key(key) || known.contains(&(key, true));
        let general = material.phrases().questions(sentence.archetype).filter(|(key, _)| !settled(key));
        open.extend(general.map(|(key, ask)| OpenQuestion { key: key.to_owned(), ask: ask.to_owned() }));
    }
    open
}

/// Removes lines until the body has at most [`MOST_LINES`]: those of least weight first, from the end.
fn fit(sections: &mut [Section]) {
    let droppable = |line: &Line| {
        let placed = matches!(line.shape, Shape::Step | Shape::Plain | Shape::Code);
        !placed && matches!(line.origin, Origin::Pack { .. } | Origin::Repository { .. })
    };
    let count = lines_of(sections).filter(|line| line.shape != Shape::Code).count();
    let mut surplus = count.saturating_sub(MOST_LINES);
    for weight in 1..=3 {
        for lines in sections.iter_mut().rev().map(|section| &mut section.lines) {
            while surplus > 0
                && let Some(at) = lines.iter().rposition(|line| line.weight == weight && droppable(line))
            {
                lines.remove(at);
                surplus -= 1;
            }
        }
    }
}

fn used(packs: &[Chosen], sections: &[Section]) -> Vec<UsedPack> {
    let of_pack = |line: &&Line, id: &str| matches!(&line.origin, Origin::Pack { id: of } if of == id);
    let lines = |id: &str| lines_of(sections).filter(|line| of_pack(line, id)).count();
    let used = |chosen: &Chosen| {
        let id = chosen.pack.head.id.clone();
        UsedPack { lines: lines(&id), because: chosen.because.clone(), id }
    };
    packs.iter().map(used).collect()
}
