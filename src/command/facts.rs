//! Commands that only read, anywhere: `facts`, what the repository says that a skill can use; `match`, which installed
//! skill a prompt would select; `grade`, the thirteen-point checklist over one skill.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::validate::check::{self, Options};
use super::validate::select::Selector;
use crate::cli;
use crate::client::discovery::{Installed, Reach};
use crate::config;
use crate::error::{Code, Exit, Result};
use crate::project::Project;
use crate::report::{Report, Slashed};
use crate::rules::Profile;
use crate::rules::quality::checklist::{self, Grade, Point, Verdict};
use crate::skill::fact::{Fact, Kind, Risk};
use crate::skill::ranking::{self, Scored};
use crate::skill::{Tree, printable, printable_line, template};
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

/// Runs `hefesto facts`. A repository without facts is an empty list, not an error.
pub(super) fn facts(env: &mut Env, project: &Project, args: &cli::Facts) -> Result<Report> {
    let found = crate::project::facts::facts(project);
    if env.volume > 0 {
        for unread in &found.unread {
            env.tell(unread);
        }
    }
    let shown: Vec<&Fact> = match &args.sentence {
        Some(sentence) => found.facts.bearing_on(sentence),
        None => found.facts.all.iter().collect(),
    };
    let data = json!({
        "root": project.root().slashed(), "sentence": args.sentence,
        "facts": shown.iter().map(|fact| fact_row(fact)).collect::<Vec<_>>(), "runners": found.facts.runners,
        "unread": found.unread,
    });
    Ok(Report::done(data, fact_text(env.style, &shown, &found.facts.runners, args.sentence.is_some())))
}

/// A fact without what only the choice of facts needs.
fn fact_row(fact: &Fact) -> Value {
    json!(Fact { work: None, section: String::new(), ..fact.clone() })
}

/// By kind; commands that destroy, deploy or publish are listed separately.
fn fact_text(style: Style, shown: &[&Fact], runners: &BTreeMap<String, String>, asked: bool) -> String {
    if shown.is_empty() {
        let about = if asked { " about this sentence" } else { "" };
        return format!("No facts{about} in the known files of this directory.\n");
    }
    let asks = |fact: &&&Fact| fact.risk.is_some_and(Risk::asks);
    let mut text = String::new();
    for kind in Kind::ALL {
        let of: Vec<&&Fact> = shown.iter().filter(|fact| fact.kind == kind && !asks(fact)).collect();
        if !of.is_empty() {
            let _ = writeln!(text, "{}", style.head(kind.word()));
            of.iter().for_each(|fact| fact_line(&mut text, fact, ""));
        }
    }
    if shown.iter().any(|fact| asks(&fact)) {
        let _ = writeln!(text, "{}", style.head("Ask first"));
        for fact in shown.iter().filter(asks) {
            fact_line(&mut text, fact, fact.risk.map_or("", Risk::word));
        }
    }
    if !asked && !runners.is_empty() {
        let _ = writeln!(text, "{}", style.head("How tools are run here"));
        for (tool, how) in runners {
            let _ = writeln!(text, "  {tool}: `{how}`");
        }
    }
    text
}

fn fact_line(text: &mut String, fact: &Fact, risk: &str) {
    let risk = if risk.is_empty() { String::new() } else { format!("{risk}: ") };
    let _ = writeln!(text, "  {risk}{} ({})", fact.text, fact.place());
}

/// Runs `hefesto match`. No match is an empty list, not an error.
/// Errors: E-CREATE-004 for an unknown `--cli`, E-CONFIG-001 for settings that cannot be read.
pub(super) fn match_prompt(env: &mut Env, project: &Project, args: &cli::Match) -> Result<Report> {
    let settings = config::load(env, project)?;
    let targets = match &args.cli {
        Some(id) => vec![crate::client::detect::one(&settings.targets, id)?.clone()],
        None => settings.targets.iter().cloned().collect(),
    };
    let installed = Reach::new(env, project).installed(targets.iter());
    let skills: Vec<(&str, &str)> = installed.iter().map(|one| (one.name.as_str(), one.text.as_str())).collect();
    let ranked = ranking::rank(&args.prompt, &skills).into_iter();
    let ranked: Vec<(Scored, &Installed)> =
        ranked.filter_map(|scored| installed.get(scored.index).map(|skill| (scored, skill))).collect();
    let data = json!({
        "prompt": args.prompt, "cli": args.cli, "considered": installed.len(),
        "skills": ranked.iter().map(|(scored, skill)| match_row(scored, skill)).collect::<Vec<_>>(),
    });
    Ok(Report::done(data, match_text(env.style, &ranked, installed.len())))
}

fn match_row(scored: &Scored, skill: &Installed) -> Value {
    json!({
        "name": skill.name, "description": skill.text, "score": (scored.score * 1000.0).round() / 1000.0,
        "words": scored.words, "clis": skill.clients, "places": skill.places,
    })
}

fn match_text(style: Style, ranked: &[(Scored, &Installed)], considered: usize) -> String {
    if ranked.is_empty() {
        let among = match considered {
            0 => "no skill is installed".to_owned(),
            1 => "the one installed skill shares too few words with the prompt".to_owned(),
            all => format!("none of the {all} installed skills shares enough words with the prompt"),
        };
        return format!("No skill would answer: {among}.\n");
    }
    let rows = ranked.iter().map(|(scored, skill)| {
        let places: Vec<&str> = skill.places.iter().map(|place| place.path.as_str()).collect();
        [format!("{:.2}", scored.score), skill.name.clone(), scored.words.join(", "), places.join(", ")]
    });
    ui::table(style, &["SCORE", "SKILL", "WORDS", "WHERE"], rows)
}

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
