//! What `validate` found as data: skill by skill, and in sum.

use serde_json::{Map, Value, json};

use super::work::Checked;
use crate::finding::Severity;
use crate::rules::Profile;
use crate::ui::count;

/// How many of each.
pub(super) struct Summary {
    /// Whose eyes the skills were seen with.
    pub(super) profile: Profile,
    /// Skills.
    pub(super) total: usize,
    /// Skills that are acceptable.
    pub(super) valid: usize,
    /// Skills that are not.
    pub(super) invalid: usize,
    /// Findings that make a skill invalid.
    pub(super) errors: usize,
    /// Findings worth a look.
    pub(super) warnings: usize,
    /// Everything else that was found.
    pub(super) remarks: usize,
    /// What is accepted by a comment.
    pub(super) suppressed: usize,
}

impl Summary {
    /// Counts.
    pub(super) fn of(profile: Profile, checked: &[Checked]) -> Self {
        let of = |severity| {
            checked.iter().flat_map(|one| &one.findings).filter(|finding| finding.severity == severity).count()
        };
        let valid = checked.iter().filter(|one| one.valid).count();
        Self {
            profile,
            total: checked.len(),
            valid,
            invalid: checked.len() - valid,
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            remarks: of(Severity::Info),
            suppressed: checked.iter().map(|one| one.suppressed.len()).sum(),
        }
    }

    /// The last line for people. Remarks that were not shown are counted.
    pub(super) fn line(&self, remarks_shown: bool) -> String {
        if self.total == 0 {
            return "No skills to check. Name one, or a folder of them: `hefesto validate ./skills`.".to_owned();
        }
        let percent = self.valid * 100 / self.total;
        let under = match self.profile {
            Profile::Default => String::new(),
            profile => format!(" (profile {})", profile.name()),
        };
        let mut line = format!(
            "{} checked{under}: {} valid, {} invalid ({percent} %); {}, {}",
            self.total,
            self.valid,
            self.invalid,
            count(self.errors, "error"),
            count(self.warnings, "warning")
        );
        if self.suppressed > 0 {
            line.push_str(&format!(", {} suppressed", self.suppressed));
        }
        if self.remarks > 0 && !remarks_shown {
            line.push_str(&format!("; {} with -v", count(self.remarks, "remark")));
        }
        line
    }
}

/// The `data` of the answer, with what mending has to add.
pub(super) fn data(checked: &[Checked], summary: &Summary, more: Map<String, Value>) -> Value {
    let skills = checked.iter().map(|one| {
        json!({
            "name": one.name,
            "path": one.path,
            "verdict": if one.valid { "valid" } else { "invalid" },
            "findings": one.findings,
            "suppressed": one.suppressed,
        })
    });
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
