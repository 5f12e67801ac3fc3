//! `facts`: what the repository says that a skill can use, with its places. Reads only, works anywhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::cli;
use crate::error::Result;
use crate::project::Project;
use crate::report::{Report, Slashed};
use crate::skill::fact::{Fact, Kind, Risk};
use crate::system::env::Env;
use crate::terminal::ui::Style;

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
