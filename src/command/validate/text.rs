//! What `validate` answers: the skills with their findings, for people and for scripts.

use serde_json::json;

use super::Checked;
use crate::error::Exit;
use crate::finding::Severity;
use crate::report::Report;
use crate::ui::Style;

pub(super) fn report(style: Style, checked: &[Checked]) -> Report {
    let count =
        |severity| checked.iter().flat_map(|one| &one.findings).filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let valid = checked.iter().filter(|one| one.valid).count();
    let mut text = String::new();
    for one in checked {
        let verdict = if one.valid { style.good("VALID") } else { style.bad("INVALID") };
        text.push_str(&format!("{verdict} {}\n", one.path));
        for finding in one.findings.iter().filter(|finding| finding.severity != Severity::Info) {
            text.push_str(&format!("  {}\n", style.finding(finding)));
        }
    }
    if checked.is_empty() {
        text.push_str("No skills to check.\n");
    } else {
        let percent = valid * 100 / checked.len();
        text.push_str(&format!(
            "\n{} checked: {valid} valid, {} invalid ({percent} %); {errors} errors, {warnings} warnings\n",
            checked.len(),
            checked.len() - valid
        ));
    }
    let data = json!({
        "skills": checked.iter().map(|one| json!({
            "name": one.name,
            "path": one.path,
            "verdict": if one.valid { "valid" } else { "invalid" },
            "findings": one.findings,
        })).collect::<Vec<_>>(),
        "summary": { "total": checked.len(), "valid": valid, "invalid": checked.len() - valid, "errors": errors, "warnings": warnings },
        "profile": "default",
    });
    Report::done(data, text).exit(if valid == checked.len() { Exit::Done } else { Exit::Refused })
}
