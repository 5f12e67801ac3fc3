//! Merges findings for people: identical copies of a skill, and clients that agree, are reported once.

use std::collections::BTreeMap;

use super::check::Checked;
use crate::client::target::client;
use crate::rules::{Finding, Quote, Severity};

pub(super) struct SkillGroup<'a> {
    /// At least one.
    pub(super) copies: Vec<&'a Checked>,
    /// In the order of the files, including remarks.
    pub(super) findings: Vec<MergedFinding<'a>>,
}

/// A finding about one or several copies of a skill.
pub(super) struct MergedFinding<'a> {
    pub(super) finding: &'a Finding,
    /// The first copy it was found in.
    pub(super) copy: &'a Checked,
    pub(super) quote: Option<&'a Quote>,
    /// The files it is about, as the user would name them.
    pub(super) files: Vec<&'a str>,
    other_clients: Vec<&'a str>,
}

impl MergedFinding<'_> {
    /// The titles of the other clients concerned; `None` if there are none.
    pub(super) fn others(&self) -> Option<String> {
        let titles = self.other_clients.iter().map(|id| client(id).map_or(*id, |client| client.title));
        (!self.other_clients.is_empty()).then(|| titles.collect::<Vec<_>>().join(", "))
    }

    /// Whether it is shown only if remarks are requested.
    pub(super) fn is_remark(&self) -> bool {
        self.finding.severity == Severity::Info
    }
}

/// Groups identical copies of a skill: those with the same name and the same files.
pub(super) fn merge_copies(checked: &[Checked]) -> Vec<SkillGroup<'_>> {
    let mut groups: Vec<Vec<&Checked>> = Vec::new();
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for one in checked {
        let last = groups.len();
        let index = one.digest.as_ref().map_or(last, |digest| *known.entry((&one.name, digest)).or_insert(last));
        match groups.get_mut(index) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.into_iter().map(|copies| SkillGroup { findings: merged(&copies), copies }).collect()
}

pub(super) fn each_copy(checked: &[Checked]) -> Vec<SkillGroup<'_>> {
    checked.iter().map(|one| SkillGroup { copies: vec![one], findings: merged(&[one]) }).collect()
}

/// The findings about a group, each once, in the order of the files.
fn merged<'a>(copies: &[&'a Checked]) -> Vec<MergedFinding<'a>> {
    let mut all: Vec<(&str, MergedFinding<'a>)> = Vec::new();
    for copy in copies {
        for (index, finding) in copy.findings.iter().enumerate() {
            let inside = copy.inside(finding);
            let same = |(path, one): &&mut (&str, MergedFinding<'_>)| *path == inside && alike(one.finding, finding);
            match (all.iter_mut().find(same), finding.client.as_deref()) {
                (Some((_, one)), client) if one.finding.client.as_deref() == client => one.files.push(&finding.file),
                (Some((_, one)), Some(client)) => {
                    if !one.other_clients.contains(&client) {
                        one.other_clients.push(client);
                    }
                }
                _ => {
                    let quote = copy.quotes.get(index).and_then(Option::as_ref);
                    let (files, other_clients) = (vec![finding.file.as_str()], Vec::new());
                    all.push((inside, MergedFinding { finding, copy, quote, files, other_clients }));
                }
            }
        }
    }
    all.sort_by_key(|(path, one)| (*path, one.finding.line, one.finding.column, one.finding.severity));
    all.into_iter().map(|(_, one)| one).collect()
}

/// Whether two findings report the same at the same place, possibly for different clients.
fn alike(one: &Finding, other: &Finding) -> bool {
    let key = |finding: &Finding| (finding.line, finding.column, finding.severity, finding.client.is_some());
    key(one) == key(other)
        && (&one.rule, &one.fix) == (&other.rule, &other.fix)
        && (one.message == other.message || without_client(one) == without_client(other))
}

fn without_client(finding: &Finding) -> String {
    let title = finding.client.as_deref().map(|id| client(id).map_or(id, |client| client.title));
    title.map_or_else(|| finding.message.clone(), |title| finding.message.replacen(title, "", 1))
}
