//! The JSON of `validate`, and the summary line.

use serde_json::{Map, Value, json};

use super::{check::Checked, render::SkillGroup};
use crate::rules::{Finding, Profile, Severity, Suppressed};
use crate::terminal::ui::count;

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
