//! `convert FILE…`: commands, rules, prompts and instructions of AI CLIs become skills; the files stay as they are.

use std::path::Path;

use super::incoming::{self, Batch, IncomingSkill, Origin, Place, Refused};
use crate::cli;
use crate::client::adapt;
use crate::error::Result;
use crate::project::Project;
use crate::report::{Report, Slashed};
use crate::skill::convert::{self, Converted, SourceKind};
use crate::system::rooted::{self, Kind, Rooted};
use crate::system::{env::Env, input};

const MAX_DEPTH: usize = 8;

/// Runs `hefesto convert`. Errors: E-CREATE-004 for an unknown target; those of [`incoming::bring_in`].
pub(super) fn convert(env: &mut Env, project: &Project, args: &cli::Convert, yes: bool) -> Result<Report> {
    let place = Place::open(env, project)?;
    let targets = place.targets(env, args.incoming.target.as_ref())?;
    let (mut read, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
    let (command, done, title) = ("convert", "converted", "converted".to_owned());
    let mut batch = Batch { command, done, title, strict: true, ..Batch::default() };
    for given in &args.files {
        let found = files(env, given);
        if found.is_empty() {
            let why = "the directory has no command, rule, prompt or instruction (.md, .mdc, .toml)";
            batch.refused.push(Refused::new(given, given, why));
        }
        for (shown, path) in found {
            if !seen.insert(path.clone()) {
                continue;
            }
            let text = input::read_text_up_to(Path::new(&path), input::MAX_TEXT).map_err(|error| {
                // The file is named before the reason.
                let why = error.message();
                why.strip_prefix(&path).map_or(why.clone(), |why| format!("it{why}"))
            });
            match text.and_then(|text| convert::convert(&path, &text)) {
                Ok(Converted { name, tree, notes, .. }) => {
                    let (name, origin) = (name.to_string(), Origin::of(Path::new(&path)));
                    read.push((IncomingSkill { name, shown, origin, notes, ..IncomingSkill::default() }, tree));
                }
                Err(why) => {
                    let name = shown.rsplit('/').next().unwrap_or(&shown);
                    batch.refused.push(Refused::new(name, &shown, why));
                }
            }
        }
    }
    let shared = adapt::shared(&targets);
    place.add(&mut batch, &targets, read, |tree, target| adapt::adapted(tree, target, shared));
    incoming::bring_in(env, &place, batch, &args.incoming, yes)
}

/// The files to convert, each as the user would name it and as an absolute path. A directory means all files of a known
/// kind in it.
fn files(env: &Env, given: &str) -> Vec<(String, String)> {
    let path = env.cwd.join(given);
    let shown = given.trim_end_matches('/').to_owned();
    let mut all = Vec::new();
    match rooted::anywhere(&path) {
        Ok(dir) if dir.is_dir() => below(&dir, &shown, 1, &mut all),
        Ok(file) => all.push((shown, file.canonical().unwrap_or(path).slashed())),
        Err(_) => all.push((shown, path.slashed())),
    }
    all
}

fn below(dir: &Rooted, shown: &str, depth: usize, all: &mut Vec<(String, String)>) {
    let mut entries = dir.list().unwrap_or_default();
    entries.sort();
    for (name, kind) in entries {
        let (entry, shown) = (dir.join(&name), format!("{shown}/{}", name.to_string_lossy()));
        match kind {
            Kind::Dir if depth < MAX_DEPTH => below(&entry, &shown, depth + 1, all),
            Kind::File if SourceKind::of(&shown).is_some() => all.push((shown, entry.path().slashed())),
            _ => {}
        }
    }
}
