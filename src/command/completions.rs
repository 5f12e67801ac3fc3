//! Shell completions: the script a shell loads, and the candidates it asks for at every Tab.

use std::ffi::{OsStr, OsString};

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::Shells;
use serde_json::json;

use super::{explain, memory};
use crate::error::{Code, Error, Exit, Result};
use crate::project::{inventory, scope::Scope};
use crate::report::{Form, Report};
use crate::system::env::Env;

/// The variable with which the script asks for candidates; its value is the shell.
pub const VARIABLE: &str = "HEFESTO_COMPLETE";

/// `hefesto completions SHELL`. Errors: E-BUG-001 when the script cannot be rendered into memory.
pub(super) fn completions(shell: clap_complete::Shell) -> Result<Report> {
    let bug = || Error::new(Code::Bug, format!("the script for {shell} cannot be rendered"));
    let mut script = Vec::new();
    let known = Shells::builtins();
    let shell_script = known.completer(&shell.to_string()).ok_or_else(bug)?;
    shell_script
        .write_registration(VARIABLE, "hefesto", "hefesto", "hefesto", &mut script)
        .map_err(|error| bug().because(error))?;
    let text = String::from_utf8_lossy(&script).into_owned();
    Ok(Report::done(json!({ "shell": shell.to_string(), "script": text }), text).form(Form::Exact))
}

/// Answers the script of a shell: the words after `--` are the line typed so far. Without candidates it prints nothing.
pub fn complete(env: &mut Env, shell: &str, args: &[OsString]) -> Exit {
    let typed: Vec<OsString> = args.iter().skip_while(|arg| *arg != "--").skip(1).cloned().collect();
    let known = Shells::builtins();
    if let (Some(shell), false) = (known.completer(shell), typed.is_empty()) {
        let mut command = with_candidates(crate::cli::Cli::built(), &Candidates::of(env, &typed));
        let mut answer = Vec::new();
        if shell.write_complete(&mut command, typed, Some(&env.cwd.clone()), &mut answer).is_ok() {
            env.emit(&String::from_utf8_lossy(&answer), Form::Exact);
        }
    }
    Exit::Done
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Target,
    Skill,
    SkillOrPath,
    Run,
    Code,
    Pack,
    Conflict,
}

/// Which kind of value an argument takes, by the command's name and the argument's.
fn kind(command: &str, arg: &str) -> Option<Kind> {
    Some(match (command, arg) {
        (_, "target" | "cli") => Kind::Target,
        (_, "pack" | "no_pack") => Kind::Pack,
        ("show" | "delete" | "update" | "why" | "edit" | "add" | "log" | "diff", "name") => Kind::Skill,
        ("outdated" | "pack" | "status" | "sync", "names") | ("rename", "old") => Kind::Skill,
        ("sync", "from") | ("diff", "a" | "b") => Kind::Target,
        ("sync", "on_conflict") => Kind::Conflict,
        ("validate", "skills") | ("adopt", "what") | ("grade", "skill") | ("restore", "what") => Kind::SkillOrPath,
        ("resume" | "approve" | "undo" | "runs" | "inspect" | "show" | "rollback", "run" | "discard") => Kind::Run,
        ("explain", "code") => Kind::Code,
        _ => return None,
    })
}

struct Candidates(Vec<(Kind, Vec<String>)>);

impl Candidates {
    fn of(env: &mut Env, typed: &[OsString]) -> Self {
        let project = typed.iter().position(|word| word == "-C" || word == "--project");
        let project = project.and_then(|at| typed.get(at + 1)?.to_str()).map(Into::into);
        let global = typed.iter().any(|word| word == "--global");
        let mut all = vec![
            (Kind::Code, explain::ids().map(str::to_owned).collect()),
            (Kind::Pack, crate::skill::pack::Source::built_in().map(|pack| pack.id().to_owned()).collect::<Vec<_>>()),
        ];
        let scope = Scope { project, global, could: true, anywhere: true };
        env.volume = -1;
        let Ok(project) = scope.project(env) else { return Self(all) };
        if let Ok(settings) = crate::config::look(env, &project) {
            let ids = settings.targets.iter().map(|target| target.id.clone());
            let ours = settings.targets.iter().map(|target| format!("ours={}", target.id));
            all.push((Kind::Conflict, ["ask".to_owned(), "cancel".to_owned()].into_iter().chain(ours).collect()));
            all.push((Kind::Target, ids.chain(["all".to_owned()]).collect()));
            let skills = inventory::installed(&project, &settings.targets);
            all.extend([(Kind::SkillOrPath, skills.clone()), (Kind::Skill, skills)]);
        }
        if let Ok(Some(memory)) = memory::looked_into(&project) {
            let runs = memory.runs(50).unwrap_or_default();
            all.push((Kind::Run, runs.iter().map(|run| super::runs::short(&run.run_id).to_owned()).collect()));
        }
        Self(all)
    }

    fn completer(&self, kind: Kind) -> ArgValueCompleter {
        let values = self.0.iter().find(|(known, _)| *known == kind).map(|(_, all)| all.clone()).unwrap_or_default();
        ArgValueCompleter::new(move |current: &OsStr| {
            let typed = current.to_string_lossy();
            // A list is completed after its last comma.
            let done = if kind == Kind::Target { typed.rfind(',').map_or(0, |at| at + 1) } else { 0 };
            let (before, begun) = typed.split_at(done);
            let fits = values.iter().filter(|value| value.to_lowercase().starts_with(&begun.to_lowercase()));
            let mut found: Vec<_> = fits.map(|value| CompletionCandidate::new(format!("{before}{value}"))).collect();
            if kind == Kind::SkillOrPath {
                found.extend(PathCompleter::any().complete(current));
            }
            found
        })
    }
}

fn with_candidates(command: clap::Command, candidates: &Candidates) -> clap::Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|arg| match kind(&name, arg.get_id().as_str()) {
        Some(kind) => arg.add(candidates.completer(kind)),
        None => arg,
    });
    command.mut_subcommands(|command| with_candidates(command, candidates))
}
