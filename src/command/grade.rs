//! `grade`: the thirteen-point checklist over one skill. Reads only, works anywhere.

use serde_json::json;

use super::validate::check::{self, Options};
use super::validate::select::Selector;
use crate::cli;
use crate::config;
use crate::error::{Code, Exit, Result};
use crate::project::Project;
use crate::report::Report;
use crate::rules::Profile;
use crate::rules::quality::checklist::{self, Grade, Point, Verdict};
use crate::skill::{Tree, printable, printable_line, template};
use crate::system::env::Env;
use crate::terminal::ui::Style;

/// Runs `hefesto grade`: of several copies, the worst. Errors: E-VALIDATE-001 if the name or path has no skill.
pub(super) fn grade(env: &mut Env, project: &Project, args: &cli::Grade) -> Result<Report> {
    let settings = config::load(env, project)?;
    for refused in &settings.refused {
        env.warn(Code::RuleNotWeighed, refused.clone());
    }
    let selected = Selector::new(env, project, &settings.targets, None)?.of(env, std::slice::from_ref(&args.skill))?;
    let severities = &settings.severities;
    let options =
        Options { profile: Profile::Default, severities, strict: false, keep: true, quotes: None, project: None };
    let checked = check::check_all(env, options, &selected)?.into_iter().zip(&selected);
    let graded = checked.map(|(one, skill)| {
        let text = one.tree.as_ref().and_then(|tree: &Tree| tree.text("SKILL.md")).unwrap_or("");
        let points = checklist::checklist(&one.findings, one.read, text);
        let grade = Grade::of(&points, template::gaps(text));
        (one.name, skill.shown.clone(), points, grade)
    });
    let graded: Vec<_> = graded.collect();
    let differ = graded.iter().any(|(.., grade)| graded.first().is_some_and(|(.., first)| grade != first));
    // The first of equally bad copies.
    let worst = graded.into_iter().rev().max_by_key(|(.., grade)| (grade.critical, grade.warnings + grade.gaps));
    let Some((name, path, points, grade)) = worst else {
        return Ok(Report::done(json!(null), "No skill to grade.\n"));
    };
    let data = json!({
        "name": name, "path": path, "places": selected.iter().map(|skill| &skill.shown).collect::<Vec<_>>(),
        "grade": grade, "points": points,
    });
    let of = if differ { format!(" (the worst of {})", selected.len()) } else { String::new() };
    let mut text = format!("{} {}{of}\n", env.style.head(&printable_line(&path)), verdict(env.style, grade.verdict));
    text.push_str(&point_lines(env.style, &points));
    let Grade { critical, warnings, gaps, .. } = grade;
    text.push_str(&format!("\n{critical} critical, {warnings} to look at, {gaps} to fill in\n"));
    if gaps > 0 && selected.iter().any(|skill| skill.target.is_some()) {
        let name = printable_line(&name);
        text.push_str(&env.spelled(format!("`hefesto edit {name}` opens the places marked [FILL IN: ...].\n")));
    }
    Ok(Report::done(data, text).exit(if grade.verdict == "PASS" { Exit::Done } else { Exit::Refused }))
}

fn verdict(style: Style, word: &str) -> String {
    match word {
        "PASS" => style.good(word),
        "PARTIAL" => style.odd(word),
        _ => style.bad(word),
    }
}

fn point_lines(style: Style, points: &[Point]) -> String {
    let mut text = String::new();
    for point in points {
        let word = match point.verdict {
            Verdict::Pass => style.good("pass"),
            Verdict::Warn => style.odd("look"),
            Verdict::Fail => style.bad("FAIL"),
            Verdict::NotChecked => style.dim("not checked"),
        };
        text.push_str(&format!("  {:>2}. {word}  {}\n", point.number, point.title));
        for reason in &point.reasons {
            text.push_str(&style.fold(&format!("      {}\n", printable(reason)), 8));
        }
    }
    text
}
