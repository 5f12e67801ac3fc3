//! Dispatches a parsed command line to the command that runs it.

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
mod skills;
mod status;
mod sync;
mod templates;
mod undo;
mod update;
mod validate;
mod why;

pub use completions::{VARIABLE as COMPLETION_VARIABLE, complete};
pub use help::usage;

use crate::cli::{Cli, Command};
use crate::create::{self, Request};
use crate::error::{Code, Error, Result};
use crate::project::{Project, scope::Scope};
use crate::report::Report;
use crate::system::env::Env;

fn scope(Cli { global, command, verb }: &Cli) -> Result<Scope> {
    let wrong = |what: String, cure: &str| Err(Error::new(Code::Usage, what).suggest(cure));
    if global.user && global.project.is_some() {
        let what = "`-C` names a project and `--global` is about your own skills, which are in none";
        return wrong(what.into(), "Leave one of them out.");
    }
    match command.takes_global() {
        Err(why) if global.user => wrong(format!("`{verb}` {why}"), "Leave `--global` out."),
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

pub fn run(env: &mut Env, cli: Cli) -> Result<Report> {
    let scope = scope(&cli)?;
    let global = cli.global;
    let yes = global.yes;
    let in_project = |env: &mut Env, verb: &dyn Fn(&mut Env, &Project) -> Result<Report>| {
        let project = scope.project(env)?;
        verb(env, &project)
    };
    match cli.command {
        Command::Create(args) => create::create(env, Request { args: *args, yes, scope }),
        Command::Init(args) => in_project(env, &|env, project| init::init(env, project, &args, yes)),
        Command::Detect(args) => in_project(env, &|env, project| detect::detect(env, project, &args)),
        Command::Validate(args) => in_project(env, &|env, project| validate::validate(env, project, &args, yes)),
        Command::Grade(args) => in_project(env, &|env, project| grade::grade(env, project, &args)),
        Command::List(args) => in_project(env, &|env, project| list::list(env, project, &args, global.verbose)),
        Command::Facts(args) => in_project(env, &|env, project| facts::facts(env, project, &args)),
        Command::Match(args) => in_project(env, &|env, project| match_prompt::match_prompt(env, project, &args)),
        Command::Why(args) => in_project(env, &|env, project| why::why(env, project, &args)),
        Command::Show(args) => in_project(env, &|env, project| show::show(env, project, &args)),
        Command::Status(args) => in_project(env, &|env, project| status::status(env, project, &args)),
        Command::Outdated(args) => in_project(env, &|env, project| outdated::outdated(env, project, &args)),
        Command::Update(args) => in_project(env, &|env, project| update::update(env, project, &args, yes)),
        Command::Edit(args) => in_project(env, &|env, project| edit::edit(env, project, &args, yes)),
        Command::Sync(args) => in_project(env, &|env, project| sync::sync(env, project, &args, yes)),
        Command::Add(args) => in_project(env, &|env, project| add::add(env, project, &args, yes)),
        Command::Adopt(args) => in_project(env, &|env, project| adopt::adopt(env, project, &args, yes)),
        Command::Convert(args) => in_project(env, &|env, project| convert::convert(env, project, &args, yes)),
        Command::Rename(args) => in_project(env, &|env, project| rename::rename(env, project, &args, yes)),
        Command::Log(args) => in_project(env, &|env, project| log::log(env, project, &args)),
        Command::Diff(args) => in_project(env, &|env, project| diff::diff(env, project, &args)),
        Command::Pack(args) => in_project(env, &|env, project| pack::pack(env, project, &args)),
        Command::Delete(args) => in_project(env, &|env, project| delete::delete(env, project, &args, yes)),
        Command::Restore(args) => in_project(env, &|env, project| restore::restore(env, project, &args, yes)),
        Command::Backups(args) => in_project(env, &|env, project| backups::backups(env, project, &args, yes)),
        Command::Undo(args) => in_project(env, &|env, project| undo::undo(env, project, &args, yes)),
        Command::Resume(args) | Command::Approve(args) => create::resume(env, &args, yes, scope),
        Command::Runs(args) => in_project(env, &|env, project| runs::runs(env, project, &args)),
        Command::Recover => in_project(env, &|env, project| recover::recover(env, project)),
        Command::Repair => in_project(env, &|env, project| repair::repair(env, project, yes)),
        Command::Memory { command } => in_project(env, &|env, project| memory::memory(env, project, &command, yes)),
        Command::Templates { command } => {
            in_project(env, &|env, project| templates::templates(env, project, &command, yes))
        }
        Command::Config => in_project(env, &|env, project| config::config(env, project)),
        Command::RestoreConstitution { force } => {
            in_project(env, &|env, project| restore_constitution::restore_constitution(env, project, force || yes))
        }
        Command::Explain { code } => explain::explain(env.style, code.as_deref()),
        Command::Schema { command } => schema::schema(&command),
        Command::Completions { shell } => completions::completions(shell),
        Command::Man(args) => help::man(&args.command),
        Command::Help { command } => help::help(&command),
    }
}
