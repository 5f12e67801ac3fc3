//! What `validate` found as data: skill by skill, and in sum.

use serde_json::{Map, Value, json};

use super::Checked;
use crate::finding::Severity;
use crate::ui::count;

/// How many of each.
pub(super) struct Summary {
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
}

impl Summary {
    /// Counts.
    pub(super) fn of(checked: &[Checked]) -> Self {
        let of = |severity| {
            checked.iter().flat_map(|one| &one.findings).filter(|finding| finding.severity == severity).count()
        };
        let valid = checked.iter().filter(|one| one.valid).count();
        Self {
            total: checked.len(),
            valid,
            invalid: checked.len() - valid,
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            remarks: of(Severity::Info),
        }
    }

    /// The last line for people. Remarks that were not shown are counted.
    pub(super) fn line(&self, remarks_shown: bool) -> String {
        if self.total == 0 {
            return "No skills to check.".to_owned();
        }
        let percent = self.valid * 100 / self.total;
        let mut line = format!(
            "{} checked: {} valid, {} invalid ({percent} %); {}, {}",
            self.total,
            self.valid,
            self.invalid,
            count(self.errors, "error"),
            count(self.warnings, "warning")
        );
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
        })
    });
    let mut data = json!({
        "skills": skills.collect::<Vec<_>>(),
        "summary": {
            "total": summary.total, "valid": summary.valid, "invalid": summary.invalid,
            "errors": summary.errors, "warnings": summary.warnings,
        },
        "profile": "default",
    });
    if let Some(data) = data.as_object_mut() {
        data.extend(more);
    }
    data
}
