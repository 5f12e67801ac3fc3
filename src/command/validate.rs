//! `validate`: the rules over one skill, many, or every installed one. Reads only.

mod alike;
mod fit;
pub(super) mod place;
pub(super) mod work;

use serde_json::{Value, json};

use crate::cli;
use crate::config;
use crate::env::Env;
use crate::error::{Code, Exit, Result, Warning};
use crate::finding::Severity;
use crate::project::Project;
use crate::report::Report;
use crate::rules::Profile;
use crate::ui::{Style, count};

use place::{Place, Places};
use work::{Ask, Judged};

/// Runs `hefesto validate`.
///
/// # Errors
/// E-VALIDATE-001 where a name or path holds no skill.
pub(super) fn validate(env: &mut Env, project: &Project, args: &cli::Validate) -> Result<Report> {
    let settings = config::load(env, project)?;
    for refused in &settings.refused {
        env.note(Warning::new(Code::RuleNotWeighed, refused.clone()));
    }
    let profile = args.profile.as_deref().and_then(Profile::named).unwrap_or_default();
    let mut places = Places::new(env, project, &settings.targets, args.cli.as_deref())?.of(env, &args.skills)?;
    if let Profile::Client(client) = profile {
        for place in places.iter_mut().filter(|place| place.target.is_none()) {
            place.target = settings.targets.get(client.id).cloned();
        }
    }
    let ask = Ask { profile, severities: &settings.severities };
    let judged = work::check_all(env, ask, &places, args.fit);
    let checked: Vec<(Place, Judged)> = places.into_iter().zip(judged).collect();
    let mut report = report(env.style, profile, args.strict, &checked);
    if args.fit {
        let (data, text) = fit::fits(env.style, project, &settings.targets, profile, &checked);
        report.data["fit"] = data;
        report.text.push_str(&text);
    }
    Ok(report)
}

fn report(style: Style, profile: Profile, strict: bool, checked: &[(Place, Judged)]) -> Report {
    let findings = || checked.iter().flat_map(|(_, one)| &one.checked.findings);
    let of = |severity| findings().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let suppressed: usize = checked.iter().map(|(_, one)| one.checked.suppressed.len()).sum();
    let valid = checked.iter().filter(|(_, one)| one.valid(strict)).count();
    let mut text = String::new();
    for (place, one) in checked {
        let verdict = if one.valid(strict) { style.good("VALID") } else { style.bad("INVALID") };
        text.push_str(&format!("{verdict} {}\n", crate::skill::printable(&place.shown)));
        let shown = one.checked.findings.iter().filter(|finding| finding.severity != Severity::Info);
        for (finding, others) in alike::alike(shown) {
            text.push_str(&format!("  {}\n", style.finding(finding)));
            if !others.is_empty() {
                text.push_str(&format!("    likewise: {}\n", others.join(", ")));
            }
        }
    }
    if checked.is_empty() {
        text.push_str("No skills to check.\n");
    } else {
        let percent = valid * 100 / checked.len();
        let accepted = if suppressed == 0 { String::new() } else { format!(", {suppressed} suppressed") };
        let under = if profile == Profile::Default { String::new() } else { format!(" (profile {})", profile.name()) };
        text.push_str(&format!(
            "\n{} checked{under}: {valid} valid, {} invalid ({percent} %); {}, {}{accepted}\n",
            checked.len(),
            checked.len() - valid,
            count(errors, "error"),
            count(warnings, "warning"),
        ));
    }
    let skill = |(place, one): &(Place, Judged)| -> Value {
        json!({
            "name": one.name,
            "path": place.shown,
            "verdict": if one.valid(strict) { "valid" } else { "invalid" },
            "findings": one.checked.findings,
            "suppressed": one.checked.suppressed,
        })
    };
    let data = json!({
        "skills": checked.iter().map(skill).collect::<Vec<_>>(),
        "summary": {
            "total": checked.len(), "valid": valid, "invalid": checked.len() - valid, "errors": errors,
            "warnings": warnings, "suppressed": suppressed,
        },
        "profile": profile.name(),
    });
    Report::done(data, text).exit(if valid == checked.len() { Exit::Done } else { Exit::Refused })
}
