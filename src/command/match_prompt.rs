//! `match`: which installed skill a prompt would select, by its words. Reads only, works anywhere.

use serde_json::{Value, json};

use crate::cli;
use crate::client::discovery::{Installed, Reach};
use crate::config;
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::report::Report;
use crate::skill::ranking::{self, Scored};
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

/// Runs `hefesto match`. No match is an empty list, not an error.
/// Errors: E-USAGE-001 for an empty prompt, E-CREATE-004 for an unknown `--cli`, E-CONFIG-001 for settings that cannot be read.
pub(super) fn match_prompt(env: &mut Env, project: &Project, args: &cli::Match) -> Result<Report> {
    if args.prompt.trim().is_empty() {
        let error = Error::new(Code::Usage, "the prompt is empty").usage("hefesto match PROMPT");
        return Err(error.suggest("Give the prompt in quotes: `hefesto match \"is this CSV file clean?\"`."));
    }
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
