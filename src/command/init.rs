//! `init`: governance files, MEMORY.md, `.hefesto/` and the target directories; with `--with-commands` hefesto's own
//! command or skill in each AI CLI, through the same transaction as any skill.

use serde_json::{Value, json};

use super::{detect::entered, list};
use crate::client::detect;
use crate::client::target::{Arguments, Selection, Target};
use crate::client::target::{Form, OWN_SKILL as SKILL};
use crate::config::{self, Settings};
use crate::error::{Code, Error, Exit, Result};
use crate::project::open::{self, Governed};
use crate::project::{Project, inventory};
use crate::registry::{CliRow, Op};
use crate::report::{Report, Slashed};
use crate::skill::{Tree, metadata::Metadata, template, yaml::quoted};
use crate::system::env::Env;
use crate::terminal::prompt::{self, Answer, Choices, Question};
use crate::terminal::ui;
use crate::transaction::operation::{self, FileStep, Operation, Step};
use crate::transaction::{self, Change, consent};

/// Errors: ERR-005 if nothing is detected and nobody chooses, E-CREATE-004 for an unknown target id.
pub(super) fn init(env: &mut Env, project: &Project, args: &crate::cli::Init, yes: bool) -> Result<Report> {
    let settings = config::load(env, project)?;
    let governed = open::enter(env, project)?;
    // Named targets are added to the registered ones.
    if !governed.is_new() && !args.force && (args.target.is_none() || args.with_commands) {
        let report = already(env, project, &governed);
        if !args.with_commands {
            return Ok(report);
        }
        let known = governed.registry().map(|known| open::registered(known, &settings.targets));
        let targets = match &args.target {
            Some(Selection::Named(ids)) => detect::named(&settings.targets, ids)?,
            Some(Selection::All) | None => known.unwrap_or_default(),
        };
        return install(env, project, &settings, &targets, yes, report);
    }
    let mut found = detect::here(&settings.targets, &detect::places(env, project));
    let known = governed.registry().map(|registry| open::registered(registry, &settings.targets)).unwrap_or_default();
    let targets = match &args.target {
        Some(Selection::Named(ids)) => detect::named(&settings.targets, ids)?,
        Some(Selection::All) | None if !found.is_empty() => found.iter().map(|found| found.target.clone()).collect(),
        Some(Selection::All) | None if !known.is_empty() => known.clone(),
        Some(Selection::All) | None => choose(env, &settings.targets, yes)?,
    };
    detect::versions(env, &mut found);
    for one in found.iter().filter(|one| targets.contains(&one.target) && one.lacks_binary()) {
        env.note(detect::no_binary(one));
    }
    open::home(project)?;
    let mut changes = open::initialising(env, project, &governed)?;
    if !governed.is_new() {
        changes = open::governance_files(project)?;
    }
    let mut row = |target: &Target| {
        let advice = format!(" Give yourself write permission or leave {} out with `--target`.", target.id);
        entered(env, project, target, &found, &mut changes, &advice)
    };
    let rows: Vec<CliRow> = targets.iter().map(&mut row).collect();
    let made: Vec<String> = changes.iter().filter_map(|change| made(project, change)).collect();
    let pending = open::commit_with(env, project, "init", changes, &[Op::UpsertClis { clis: rows.clone() }])?;
    let data = json!({
        "root": project.root().slashed(), "initialized": true, "created": made,
        "clis": list::displayed(project, &rows), "standards": governed.standards().count,
    });
    let mut report = Report::done(data, render(env, project, &rows, &known, &made));
    if pending {
        report = report.exit(Exit::FinishPending);
    }
    if args.with_commands {
        return install(env, project, &settings, &targets, yes, report);
    }
    if env.prompter.present() && !project.is_user() {
        report.text.push_str("To call hefesto from inside these CLIs: hefesto init --with-commands\n");
    }
    Ok(report)
}

fn already(env: &mut Env, project: &Project, governed: &Governed) -> Report {
    let (at, rows, skills) = governed
        .registry()
        .map(|registry| (registry.initialized.clone(), registry.clis().to_vec(), registry.skills().len()))
        .unwrap_or_default();
    let (clis, known) = (ui::count(rows.len(), "CLI"), ui::count(skills, "skill"));
    let again = "`hefesto init --force` detects again and keeps everything.";
    env.warn(Code::AlreadyInitialised, format!("already initialised on {at}: {clis}, {known}. {again}"));
    let data = json!({ "root": project.root().slashed(), "initialized": true, "created": [], "since": at, "clis": list::displayed(project, &rows), "skills": skills });
    Report::done(data, "")
}

fn made(project: &Project, change: &Change) -> Option<String> {
    match change {
        Change::Write { at, .. } => Some(project.display(at)),
        Change::MakeDir { at } if !project.is_dir(at) => Some(format!("{}/", project.display(at))),
        _ => None,
    }
}

fn choose(env: &mut Env, targets: &crate::client::target::Targets, yes: bool) -> Result<Vec<Target>> {
    let nothing = || Error::new(Code::NoCliDetected, "no AI CLI was detected and no target is named");
    if yes || !env.prompter.present() {
        return Err(nothing());
    }
    let all: Vec<&Target> = targets.iter().collect();
    let ids: Vec<&str> = all.iter().map(|target| target.id.as_str()).collect();
    env.say("No AI CLI was detected. Which ones do you use?");
    let labels: Vec<String> = all.iter().map(|target| format!("{} ({})", target.title, target.id)).collect();
    for _ in 0..3 {
        let question = Question {
            text: "Targets (q: quit)",
            choices: &ids,
            labels: &labels,
            several: true,
            escape: Some("q"),
            flag: "--target LIST",
            ..Question::default()
        };
        match env.ask(&question) {
            Ok(Answer::Given(line)) if line.eq_ignore_ascii_case("q") => return Err(nothing()),
            Ok(Answer::Given(line)) => match prompt::choose_many(&line, &ids) {
                Choices::Picked(picked) => {
                    let target = |index| all.get(index).map(|target: &&Target| (*target).clone());
                    return Ok(picked.into_iter().filter_map(target).collect());
                }
                _ => env.say(&format!("Choose from 1 to {} or: {}", ids.len(), ids.join(", "))),
            },
            Ok(Answer::Signal(signal)) => return Err(transaction::interrupted(signal)),
            Ok(Answer::TimedOut | Answer::NobodyThere | Answer::NotUnderstood) | Err(_) => return Err(nothing()),
        }
    }
    Err(nothing())
}

fn render(env: &Env, project: &Project, rows: &[CliRow], known: &[Target], made: &[String]) -> String {
    let style = env.style;
    let mut text = format!("{} {} is initialised.\n\n", style.tick(), style.path(&project.root().slashed()));
    let rows = rows.iter().map(|row| {
        let new = if known.iter().any(|target| target.id == row.id) { "existing" } else { "NEW" };
        let (version, dir) = (row.version.as_deref().unwrap_or("-"), format!("{}/", project.shown(&row.skills_dir)));
        [row.id.as_str(), row.method.said(), version, row.status.said(), &dir, new].map(str::to_owned)
    });
    text.push_str(&ui::table(style, &[super::detect::HEADINGS, &[""]].concat(), rows));
    if !made.is_empty() {
        text.push_str(&style.fold(&format!("\nMade: {}\n", made.join(", ")), 6));
    }
    text.push_str(&env.spelled("\nNext: hefesto create \"what the skill should do\"\n".into()));
    text
}

/// The description agents choose it by.
const DESCRIPTION: &str = "Creates an Agent Skill with hefesto from one sentence: asks hefesto for the drafting brief, writes \
    the body and hands it in for a person to approve. Use when the user wants a new skill made, forged or installed for \
    one or more AI CLIs.";

/// The body of every form, arguments written `$ARGUMENTS`.
const BODY: &str = include_str!("../../templates/commands/create.md");

/// Installs what is missing for these targets and adds it to the report. An existing file that is not hefesto's is
/// replaced only with a person's consent.
/// Errors: E-TXN-001/-002/-003, E-CREATE-006/-011/-012/-014. What `init` did before is kept.
pub(super) fn install(
    env: &mut Env,
    project: &Project,
    settings: &Settings,
    targets: &[Target],
    yes: bool,
    mut report: Report,
) -> Result<Report> {
    let person = env.prompter.present() && !yes;
    let (mut steps, mut files, mut shown) = (Vec::new(), Vec::new(), Vec::new());
    for target in targets {
        let (at, planned) = match target.own_command() {
            Form::Skill => skill(env, project, target)?,
            Form::Toml(at) => file(env, project, target, at, toml()),
            Form::Markdown(at) => file(env, project, target, at, markdown(target.arguments)),
        };
        let denied = transaction::writable(project.roots(), &at).err();
        let word = match planned {
            None => "present",
            Some(_) if denied.is_some() => {
                let why = denied.map(|denied| denied.to_string()).unwrap_or_default();
                env.warn(Code::CliDirDenied, format!("{at} cannot be written: {why}."));
                "denied"
            }
            Some(one) if one.replaces() && !person => {
                let said = format!("{at} is there and is not what hefesto would write; it was left as it is.");
                env.warn(Code::CommandKept, said);
                "keep"
            }
            Some(Planned::Skill(step)) => {
                steps.push(step);
                "install"
            }
            Some(Planned::File(step)) => {
                files.push(step);
                "install"
            }
        };
        shown.push((target, at, word));
    }
    if !(steps.is_empty() && files.is_empty()) && carry_out(env, project, settings, person, steps, files)? {
        report = report.exit(Exit::FinishPending);
    }
    report.text.push_str("\nCommands:\n");
    for (target, at, word) in &shown {
        let word = if *word == "install" { "installed" } else { word };
        report.text.push_str(&format!("  {} {at}  (in {}: {})\n", word, target.title, target.own_call()));
    }
    report.data["commands"] = shown
        .iter()
        .map(|(target, at, word)| json!({ "id": target.id, "path": at, "action": word }))
        .collect::<Value>();
    Ok(report)
}

/// Makes the changes; returns whether their last step is left to the next command.
fn carry_out(
    env: &mut Env,
    project: &Project,
    settings: &Settings,
    person: bool,
    steps: Vec<Step>,
    files: Vec<FileStep>,
) -> Result<bool> {
    let clis: Vec<String> = steps.iter().map(|step: &Step| step.target.clone()).collect();
    let upsert = Op::UpsertSkill { name: SKILL.into(), clis, at: env.stamp() };
    let ops = if steps.is_empty() { Vec::new() } else { vec![upsert] };
    let operation =
        Operation { command: "init", name: SKILL.into(), steps, files, ops, keep_backup: true, ..Operation::default() };
    let preview = operation.preview(env.err_style(), project);
    let consent = match person {
        true => consent::ask(env, &preview, false, settings.gate_limit())?,
        false => consent::by_flag(env, &preview, "--with-commands"),
    };
    Ok(operation::carry_out(env, project, &consent, &operation)?.pending)
}

enum Planned {
    Skill(Step),
    File(FileStep),
}

impl Planned {
    fn replaces(&self) -> bool {
        match self {
            Self::Skill(step) => step.before.is_some(),
            Self::File(step) => step.before.is_some(),
        }
    }
}

fn skill(env: &Env, project: &Project, target: &Target) -> Result<(String, Option<Planned>)> {
    let at = target.skill_dir(SKILL);
    let before = transaction::scan(project.roots(), &at)?;
    let tree = tree(target, &env.stamp());
    // Only the text counts: the times in metadata.yaml differ.
    if before.as_ref().is_some_and(|before| before.text("SKILL.md") == tree.text("SKILL.md")) {
        return Ok((at, None));
    }
    let step = Step { target: target.id.clone(), at: at.clone(), before, after: Some(tree) };
    Ok((at, Some(Planned::Skill(step))))
}

fn file(env: &Env, project: &Project, target: &Target, at: &str, text: String) -> (String, Option<Planned>) {
    let before = FileStep::now(project, at);
    if before.as_deref() == Some(text.as_bytes()) {
        return (at.to_owned(), None);
    }
    let copy = before.as_ref().map(|_| {
        let name = format!("{at}.backup.{}", env.now().strftime("%Y-%m-%dT%H-%M-%S"));
        inventory::free_name(project, &name)
    });
    let (target, after) = (target.id.clone(), Some(text.into_bytes()));
    (at.to_owned(), Some(Planned::File(FileStep { target, at: at.to_owned(), before, after, copy })))
}

fn tree(target: &Target, at: &str) -> Tree {
    let version = env!("CARGO_PKG_VERSION");
    let tags = ["skill", "create", "forge", "hefesto"].map(str::to_owned).to_vec();
    let metadata = Metadata {
        name: SKILL.into(),
        description: DESCRIPTION.into(),
        author: "hefesto".into(),
        version: version.into(),
        created: at.into(),
        updated: at.into(),
        category: "development".into(),
        tags: tags.clone(),
        platforms: vec![target.id.clone()],
        license: "MIT".into(),
        archetype: "workflow".into(),
        template_used: "commands/create".into(),
        template_version: version.into(),
        dependencies: vec!["hefesto".into()],
        input_hash: blake3::hash(DESCRIPTION.as_bytes()).to_hex().to_string(),
    };
    let text = format!(
        "---\nname: {}\ndescription: {}\nlicense: \"MIT\"\nmetadata:\n  author: \"hefesto\"\n  version: {}\n  category: \
         \"development\"\n  tags: {}\n---\n\n{}",
        quoted(SKILL),
        quoted(DESCRIPTION),
        quoted(version),
        quoted(&tags.join(", ")),
        template::adapt(BODY, target.arguments),
    );
    let mut tree = Tree::new();
    tree.put("SKILL.md", text);
    tree.put("metadata.yaml", metadata.to_yaml());
    tree
}

/// The command in Gemini CLI's format.
fn toml() -> String {
    let body = template::adapt(BODY, Arguments::Braces);
    format!("description = {}\nprompt = '''\n{body}'''\n", quoted(DESCRIPTION))
}

/// The command in the format of Qwen Code and OpenCode.
fn markdown(arguments: Arguments) -> String {
    format!("---\ndescription: {}\n---\n\n{}", quoted(DESCRIPTION), template::adapt(BODY, arguments))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::target::Targets;
    use crate::rules::{self, Subject, finding::Severity, input, secrets};

    #[test]
    fn each_skill_passes_hefestos_own_rules_without_a_warning() {
        for target in Targets::with(Vec::new()).iter() {
            let tree = tree(target, "2026-02-05T10:00:00Z");
            let subject = Subject { directory: SKILL, prefix: "x", tree: &tree, target: Some(target) };
            let found = rules::check(&subject).into_iter().filter(|finding| finding.severity != Severity::Info);
            assert_eq!(found.collect::<Vec<_>>(), Vec::new(), "{}", target.id);
        }
    }

    #[test]
    fn each_command_takes_its_arguments_as_its_cli_writes_them() {
        assert!(
            toml().contains("{{args}}")
                && markdown(Arguments::Braces).contains("{{args}}")
                && markdown(Arguments::Dollar).contains("$ARGUMENTS")
        );
        assert!(!toml().contains("$ARGUMENTS") && !toml().contains("!{") && BODY.matches("$ARGUMENTS").count() == 1);
        assert!(secrets::scan(BODY).is_empty() && input::refuse(BODY, input::Field::Body).is_none());
    }
}
