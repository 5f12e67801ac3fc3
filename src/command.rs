//! Which verb: from what was typed to the command that does it.

mod add;
mod adopt;
mod backups;
mod completions;
mod config;
mod convert;
mod delete;
mod detect;
mod diff;
mod edit;
mod explain;
mod facts;
mod grade;
mod help;
mod incoming;
mod init;
mod integrations;
mod list;
mod log;
mod match_prompt;
mod memory;
mod outdated;
mod pack;
mod recover;
mod rename;
mod repair;
mod restore;
mod restore_constitution;
mod runs;
mod schema;
mod show;
mod status;
mod sync;
mod templates;
mod undo;
mod update;
mod validate;
mod version;
mod why;

pub use completions::{VARIABLE as COMPLETION_VARIABLE, complete};
pub use help::usage;

use crate::cli::{Cli, Command, Global};
use crate::create::{self, Request};
use crate::error::{Code, Error, Result};
use crate::project::scope::Scope;
use crate::report::Report;
use crate::system::env::Env;

/// What a command is about: a project, or the user's own skills.
fn scope(global: &Global, command: &Command) -> Result<Scope> {
    let wrong = |what: String, cure: &str| Err(Error::new(Code::Usage, what).suggest(cure));
    if global.user && global.project.is_some() {
        let what = "`-C` names a project and `--global` is about your own skills, which are in none";
        return wrong(what.into(), "Leave one of them out.");
    }
    match command.takes_global() {
        Err(why) if global.user => wrong(format!("`{}` {why}", command.name()), "Leave `--global` out."),
        could => {
            let anywhere = match command {
                Command::Validate(args) => !args.fix,
                Command::Detect(_)
                | Command::Facts(_)
                | Command::Match(_)
                | Command::Why(_)
                | Command::Grade(_)
                | Command::Config => true,
                _ => false,
            };
            Ok(Scope { project: global.project.clone(), global: global.user, could: could.is_ok(), anywhere })
        }
    }
}

/// Runs a command.
pub fn run(env: &mut Env, cli: Cli) -> Result<Report> {
    let global = cli.global;
    let scope = scope(&global, &cli.command)?;
    let project = |env: &mut Env| scope.project(env);
    match cli.command {
        Command::Create(args) => create::create(env, Request { args: *args, yes: global.yes, scope }),
        Command::Init(args) => {
            let project = project(env)?;
            init::init(env, &project, &args, global.yes)
        }
        Command::Detect(args) => {
            let project = project(env)?;
            detect::detect(env, &project, &args)
        }
        Command::Validate(args) => {
            let project = project(env)?;
            validate::validate(env, &project, &args, global.yes)
        }
        Command::Grade(args) => {
            let project = project(env)?;
            grade::grade(env, &project, &args)
        }
        Command::List(args) => {
            let project = project(env)?;
            list::list(env, &project, &args, global.verbose)
        }
        Command::Facts(args) => {
            let project = project(env)?;
            facts::run(env, &project, &args)
        }
        Command::Match(args) => {
            let project = project(env)?;
            match_prompt::run(env, &project, &args)
        }
        Command::Why(args) => {
            let project = project(env)?;
            why::why(env, &project, &args)
        }
        Command::Show(args) => {
            let project = project(env)?;
            show::show(env, &project, &args)
        }
        Command::Status(args) => {
            let project = project(env)?;
            status::status(env, &project, &args)
        }
        Command::Outdated(args) => {
            let project = project(env)?;
            outdated::outdated(env, &project, &args)
        }
        Command::Update(args) => {
            let project = project(env)?;
            update::update(env, &project, &args, global.yes)
        }
        Command::Edit(args) => {
            let project = project(env)?;
            edit::edit(env, &project, &args, global.yes)
        }
        Command::Sync(args) => {
            let project = project(env)?;
            sync::sync(env, &project, &args, global.yes)
        }
        Command::Add(args) => {
            let project = project(env)?;
            add::add(env, &project, &args, global.yes)
        }
        Command::Adopt(args) => {
            let project = project(env)?;
            adopt::adopt(env, &project, &args, global.yes)
        }
        Command::Convert(args) => {
            let project = project(env)?;
            convert::convert(env, &project, &args, global.yes)
        }
        Command::Rename(args) => {
            let project = project(env)?;
            rename::rename(env, &project, &args, global.yes)
        }
        Command::Log(args) => {
            let project = project(env)?;
            log::log(env, &project, &args)
        }
        Command::Diff(args) => {
            let project = project(env)?;
            diff::diff(env, &project, &args)
        }
        Command::Pack(args) => {
            let project = project(env)?;
            pack::pack(env, &project, &args)
        }
        Command::Delete(args) => {
            let project = project(env)?;
            delete::delete(env, &project, &args, global.yes)
        }
        Command::Restore(args) => {
            let project = project(env)?;
            restore::restore(env, &project, &args, global.yes)
        }
        Command::Backups(args) => {
            let project = project(env)?;
            backups::backups(env, &project, &args, global.yes)
        }
        Command::Undo(args) => {
            let project = project(env)?;
            undo::undo(env, &project, &args, global.yes)
        }
        Command::Resume(args) | Command::Approve(args) => create::resume(env, &args, global.yes, scope),
        Command::Runs(args) => {
            let project = project(env)?;
            runs::runs(env, &project, &args)
        }
        Command::Recover => {
            let project = project(env)?;
            recover::recover(env, &project)
        }
        Command::Repair => {
            let project = project(env)?;
            repair::repair(env, &project, global.yes)
        }
        Command::Memory { command } => {
            let project = project(env)?;
            memory::memory(env, &project, &command, global.yes)
        }
        Command::Templates { command } => {
            let project = project(env)?;
            templates::templates(env, &project, &command, global.yes)
        }
        Command::Config => {
            let project = project(env)?;
            config::config(env, &project)
        }
        Command::RestoreConstitution { force } => {
            let project = project(env)?;
            restore_constitution::restore(env, &project, force || global.yes)
        }
        Command::Explain { code } => explain::explain(env.style, code.as_deref()),
        Command::Schema { command } => schema::schema(&command),
        Command::Completions { shell } => completions::completions(shell),
        Command::Man(args) => help::man(&args.command),
        Command::Help { command } => help::help(&command),
    }
}
