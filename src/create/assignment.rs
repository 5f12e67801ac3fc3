//! The assignment: everything the writer of a skill needs to know, for a drafter and for `--brief`.

use super::{Draft, compose::Understood, draft::SkillRequest};
use crate::client::drafting::{Assignment, Line, Origin, whole};
use crate::client::target::{Target, client};
use crate::memory::context::InstalledSkill;
use crate::skill::body::{self, Shape};
use crate::skill::fact::{Fact, Kind};
use crate::skill::ranking;

/// How many neighbouring skills are listed, and how many characters of each description.
const MOST_NEIGHBOURS: usize = 6;
const MOST_DESCRIBED: usize = 200;
/// How many lines of repository facts are listed.
const MOST_FACTS: usize = 20;
/// How many hand-written lines of the author the drafter must keep.
const MOST_NOTES: usize = 40;

/// The assignment for a skill. `first` is the draft assembled without a drafter.
pub(super) fn assignment(
    understood: &Understood,
    first: &Draft,
    wanted: &SkillRequest,
    installed: &[InstalledSkill],
) -> Assignment {
    let sentence = &understood.sentence;
    let parts = sentence.head.iter().chain(&sentence.clauses).map(|clause| clause.text.clone());
    let resources = first.resources.iter().filter(|resource| !resource.path.starts_with("evals/"));
    let list = |target: &Target| Some((target.title.clone(), client(&target.id)?.budget?.least_room()));
    Assignment {
        name: first.name.clone(),
        sentence: wanted.description.clone(),
        language: sentence.language,
        parts: parts.chain(sentence.rules.iter().cloned()).collect(),
        lines: lines(understood, wanted),
        open: understood.body.open.iter().map(|question| question.ask.clone()).collect(),
        resources: resources.map(|resource| resource.path.clone()).collect(),
        sources: wanted.attachments.cited(),
        neighbours: neighbours(&first.name, &wanted.description, installed),
        targets: first.targets.iter().map(|target| target.title.clone()).collect(),
        lists: first.targets.iter().filter_map(list).collect(),
    }
}

fn lines(understood: &Understood, wanted: &SkillRequest) -> Vec<Line> {
    let mut lines = notes(wanted);
    lines.extend(understood.body.lines().filter_map(|line| assembled(understood, wanted, line)));
    let bearing = wanted.facts.bearing_on(&understood.sentence.text).into_iter().filter(|fact| fact.kind != Kind::Rule);
    for fact in bearing {
        let place = fact.place();
        let told = lines.iter().filter(|line| line.origin == Origin::Repository);
        if told.clone().count() < MOST_FACTS && !told.into_iter().any(|line| line.place == place) {
            lines.push(Line { origin: Origin::Repository, text: with_risk(fact), place });
        }
    }
    let tools = understood.packs.iter().flat_map(|chosen| &chosen.pack.head.tools);
    for (tool, runner) in tools.filter_map(|tool| Some((tool, wanted.facts.runners.get(tool)?))) {
        if runner != tool {
            let text = format!("`{tool}` is run as `{runner}` here");
            lines.push(Line { origin: Origin::Repository, text, place: String::new() });
        }
    }
    let told = wanted.background.iter().cloned();
    lines.extend(told.map(|(text, place)| Line { origin: Origin::Memory, text, place }));
    lines
}

fn with_risk(fact: &Fact) -> String {
    if fact.risk.is_some() { format!("{} (ask first)", fact.text) } else { fact.text.clone() }
}

/// A line of the assembled body with its origin. The sentence's own lines are the task; open questions are separate.
fn assembled(understood: &Understood, wanted: &SkillRequest, line: &body::Line) -> Option<Line> {
    if line.text.contains("$ARGUMENTS") {
        return None;
    }
    let (origin, place) = match &line.origin {
        body::Origin::Sentence if line.shape == Shape::Point => (Origin::Author, String::new()),
        body::Origin::Sentence | body::Origin::Open { .. } => return None,
        body::Origin::Answer { key, said } => {
            let place = understood.question(key, &wanted.attachments.asked);
            return Some(Line { origin: Origin::Author, text: said.clone(), place });
        }
        body::Origin::Given { file, line: 0 } => (Origin::House, file.clone()),
        body::Origin::Given { file, line } | body::Origin::House { file, line } => {
            (Origin::House, format!("{file}:{line}"))
        }
        body::Origin::Repository { file, line } => (Origin::Repository, format!("{file}:{line}")),
        body::Origin::Pack { id } => (Origin::Pack, id.clone()),
        body::Origin::Memory { .. } => (Origin::House, "noted in this project".to_owned()),
    };
    let text = line.text.replace(&format!(" ({place})"), "");
    let text = if line.shape == Shape::Code { format!("`{text}`") } else { text };
    Some(Line { origin, text, place })
}

/// The lines of a text that the author wrote by hand.
fn notes(wanted: &SkillRequest) -> Vec<Line> {
    let text = wanted.body.as_deref().filter(|body| whole(body).is_none()).unwrap_or_default();
    let lines = text.lines().map(|line| line.trim().trim_start_matches(['#', '-', '*', '>', ' ']));
    let content = lines.filter(|line| line.contains(char::is_alphanumeric) && !line.starts_with("```"));
    let line = |text: &str| Line { origin: Origin::Author, text: text.to_owned(), place: String::new() };
    content.take(MOST_NOTES).map(line).collect()
}

/// The installed skills with the most similar words.
fn neighbours(name: &str, sentence: &str, installed: &[InstalledSkill]) -> Vec<(String, String)> {
    let others: Vec<&InstalledSkill> = installed.iter().filter(|skill| skill.name != name).collect();
    let described: Vec<(&str, &str)> =
        others.iter().map(|skill| (skill.name.as_str(), skill.description.as_str())).collect();
    let nearest = ranking::rank(sentence, &described).into_iter().take(MOST_NEIGHBOURS);
    let named = nearest.filter_map(|scored| described.get(scored.index)).map(|(name, description)| {
        let short: String = description.chars().take(MOST_DESCRIBED).collect();
        ((*name).to_owned(), short)
    });
    named.collect()
}
