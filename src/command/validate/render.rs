//! What `validate` found as people are told it: of copies, and of clients that agree, once.

use std::collections::BTreeMap;

use super::work::Checked;
use crate::client::target::client;
use crate::rules::Quote;
use crate::rules::finding::{Finding, Severity};

/// Copies of a skill and what is said of them.
pub(super) struct Told<'a> {
    /// Side by side, at least one.
    pub(super) copies: Vec<&'a Checked>,
    /// Each fact once, in the order of the files, remarks among them.
    pub(super) said: Vec<Said<'a>>,
}

/// A finding about one or several copies of a skill.
pub(super) struct Said<'a> {
    pub(super) finding: &'a Finding,
    /// The first copy it was found in.
    pub(super) copy: &'a Checked,
    pub(super) quote: Option<&'a Quote>,
    /// The files it is about, as the user would name them.
    pub(super) files: Vec<&'a str>,
    /// The other clients that the same is true of, by their ids.
    likewise: Vec<&'a str>,
}

impl Said<'_> {
    /// The other clients that the same is true of, as people call them; nothing where there is none.
    pub(super) fn others(&self) -> Option<String> {
        let titles = self.likewise.iter().map(|id| client(id).map_or(*id, |client| client.title));
        (!self.likewise.is_empty()).then(|| titles.collect::<Vec<_>>().join(", "))
    }

    /// Whether it is told only where remarks are asked for.
    pub(super) fn is_remark(&self) -> bool {
        self.finding.severity == Severity::Info
    }
}

/// What was found, identical copies as one.
pub(super) fn of_copies(checked: &[Checked]) -> Vec<Told<'_>> {
    groups(checked).into_iter().map(|copies| Told { said: said(&copies), copies }).collect()
}

/// What was found, every copy by itself.
pub(super) fn of_each(checked: &[Checked]) -> Vec<Told<'_>> {
    checked.iter().map(|one| Told { copies: vec![one], said: said(&[one]) }).collect()
}

/// Copies of a skill, of which one has the same name and the same files as the other, side by side.
fn groups(checked: &[Checked]) -> Vec<Vec<&Checked>> {
    let mut groups: Vec<Vec<&Checked>> = Vec::new();
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for one in checked {
        let Some(digest) = &one.digest else {
            groups.push(vec![one]);
            continue;
        };
        let index = *known.entry((&one.name, digest)).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// The findings about a group, each once, in the order of the files.
fn said<'a>(copies: &[&'a Checked]) -> Vec<Said<'a>> {
    let mut all: Vec<(&str, Said<'a>)> = Vec::new();
    for copy in copies {
        for (index, finding) in copy.findings.iter().enumerate() {
            let inside = copy.inside(finding);
            let here = |(path, said): &&mut (&str, Said<'_>)| *path == inside && alike(said.finding, finding);
            match (all.iter_mut().find(here), finding.client.as_deref()) {
                (Some((_, said)), client) if said.finding.client.as_deref() == client => said.files.push(&finding.file),
                (Some((_, said)), Some(client)) => {
                    if !said.likewise.contains(&client) {
                        said.likewise.push(client);
                    }
                }
                _ => {
                    let quote = copy.quotes.get(index).and_then(Option::as_ref);
                    let (files, likewise) = (vec![finding.file.as_str()], Vec::new());
                    all.push((inside, Said { finding, copy, quote, files, likewise }));
                }
            }
        }
    }
    all.sort_by(|(one, a), (other, b)| {
        let place = |said: &Said<'_>| (said.finding.line, said.finding.column, said.finding.severity);
        (one, place(a)).cmp(&(other, place(b)))
    });
    all.into_iter().map(|(_, said)| said).collect()
}

/// Whether two findings at one place say the same, if perhaps of two clients.
fn alike(one: &Finding, other: &Finding) -> bool {
    let of = |finding: &Finding| (finding.line, finding.column, finding.severity);
    of(one) == of(other)
        && (&one.rule, &one.fix) == (&other.rule, &other.fix)
        && one.client.is_some() == other.client.is_some()
        && (one.message == other.message || neutral(one) == neutral(other))
}

/// What a finding says, but for the client it says it of.
fn neutral(finding: &Finding) -> String {
    let name = finding.client.as_deref().map(|id| client(id).map_or(id, |client| client.title));
    name.map_or_else(|| finding.message.clone(), |name| finding.message.replacen(name, "", 1))
}
