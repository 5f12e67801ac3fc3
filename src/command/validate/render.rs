//! The findings of `validate` as data: merged for people, where identical copies of a skill, and clients that agree,
//! are reported once; as JSON; and counted for the summary line.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::check::Checked;
use crate::client::target::client;
use crate::rules::{Finding, Profile, Quote, Severity, Suppressed};
use crate::terminal::ui::count;

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

/// The advice if no skill is installed and none was named.
const NAME_ONE: &str = "Name one, or a folder of them: `hefesto validate ./skills`.";

pub(super) struct Summary {
    pub(super) profile: Profile,
    /// Whether a warning makes a skill invalid.
    pub(super) strict: bool,
    pub(super) total: usize,
    pub(super) valid: usize,
    pub(super) invalid: usize,
    /// Findings that make a skill invalid.
    pub(super) errors: usize,
    pub(super) warnings: usize,
    /// All other findings.
    pub(super) remarks: usize,
    /// Findings accepted by a comment.
    pub(super) suppressed: usize,
    /// Whether the current directory is a skill.
    pub(super) here: bool,
}

impl Summary {
    /// Counts the findings in JSON and SARIF: one for each client and each copy.
    pub(super) fn of(profile: Profile, checked: &[Checked]) -> Self {
        let severities = checked.iter().flat_map(|one| &one.findings).map(|finding| finding.severity);
        Self::counted(profile, checked, &severities.collect::<Vec<_>>())
    }

    /// Counts the findings in the text, where equal ones are merged.
    pub(super) fn shown(profile: Profile, checked: &[Checked], groups: &[SkillGroup<'_>]) -> Self {
        let severities = groups.iter().flat_map(|one| &one.findings).map(|one| one.finding.severity);
        Self::counted(profile, checked, &severities.collect::<Vec<_>>())
    }

    fn counted(profile: Profile, checked: &[Checked], severities: &[Severity]) -> Self {
        let of = |severity| severities.iter().filter(|one| **one == severity).count();
        let valid = checked.iter().filter(|one| one.valid).count();
        Self {
            profile,
            strict: false,
            total: checked.len(),
            valid,
            invalid: checked.len() - valid,
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            remarks: of(Severity::Info),
            suppressed: checked.iter().map(|one| one.suppressed.len()).sum(),
            here: false,
        }
    }

    /// The summary line. Remarks that were not shown are counted.
    pub(super) fn line(&self, remarks_shown: bool) -> String {
        if self.total == 0 {
            let name = if self.here { "This folder is one: `hefesto validate .`." } else { NAME_ONE };
            return format!("No skills to check. {name}");
        }
        let percent = self.valid * 100 / self.total;
        let strict = (self.strict && self.warnings > 0).then(|| "--strict: warnings count".to_owned());
        let profile = (self.profile != Profile::Default).then(|| format!("profile {}", self.profile.name()));
        let under: Vec<String> = profile.into_iter().chain(strict).collect();
        let under = if under.is_empty() { String::new() } else { format!(" ({})", under.join("; ")) };
        let Self { total, valid, invalid, .. } = self;
        let found = format!("{}, {}", count(self.errors, "error"), count(self.warnings, "warning"));
        let mut line = format!("{total} checked{under}: {valid} valid, {invalid} invalid ({percent} %); {found}");
        if self.suppressed > 0 {
            line.push_str(&format!(", {} suppressed", self.suppressed));
        }
        if self.remarks > 0 && !remarks_shown {
            line.push_str(&format!("; {} with -v", count(self.remarks, "remark")));
        }
        line
    }
}

pub(super) fn skill(name: &str, path: &str, valid: bool, findings: &[Finding], suppressed: &[Suppressed]) -> Value {
    let verdict = if valid { "valid" } else { "invalid" };
    json!({ "name": name, "path": path, "verdict": verdict, "findings": findings, "suppressed": suppressed })
}

/// The `data` of the answer; `more` is what `--fix` adds.
pub(super) fn data(checked: &[Checked], summary: &Summary, more: Map<String, Value>) -> Value {
    let skills = checked.iter().map(|one| skill(&one.name, &one.path, one.valid, &one.findings, &one.suppressed));
    let mut data = json!({
        "skills": skills.collect::<Vec<_>>(),
        "summary": {
            "total": summary.total, "valid": summary.valid, "invalid": summary.invalid,
            "errors": summary.errors, "warnings": summary.warnings, "suppressed": summary.suppressed,
        },
        "profile": summary.profile.name(),
    });
    if let Some(data) = data.as_object_mut() {
        data.extend(more);
    }
    data
}
