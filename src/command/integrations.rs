//! `init --with-commands`: hefesto's own command or skill in each AI CLI, through the same transaction as any skill.

use serde_json::{Value, json};

use crate::client::target::{Arguments, Target};
use crate::client::target::{Form, OWN_SKILL as SKILL};
use crate::config::Settings;
use crate::error::{Code, Exit, Result};
use crate::project::{Project, inventory};
use crate::registry::Op;
use crate::report::Report;
use crate::skill::{Tree, metadata::Metadata, template, yaml::quoted};
use crate::system::env::Env;
use crate::transaction::operation::{self, FileStep, Operation, Step};
use crate::transaction::{self, consent};

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
    use crate::rules::finding::Severity;
    use crate::rules::{self, Subject, input, secrets};

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
