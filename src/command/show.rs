//! `show NAME`: one skill; equal copies are shown once.

use serde_json::{Value, json};

use crate::cli;
use crate::client::adapt;
use crate::client::target::{Target, Targets};
use crate::error::{Code, Error, Result};
use crate::project::{Project, copies, inventory};
use crate::report::{Form, Report};
use crate::skill::frontmatter::{self, Document, Item};
use crate::skill::{Tree, printable};
use crate::system::{env::Env, input};
use crate::terminal::ui::{self, Style};
use crate::transaction::{self, objects};

struct Copy {
    target: Target,
    at: String,
    shown: String,
    tree: Tree,
}

/// Runs `hefesto show`. Errors: E-CREATE-004 for an unknown `--cli`, E-SHOW-001 if there is no such skill, E-SHOW-002
/// if copies differ and none is named, E-SHOW-003 if it cannot be read.
pub(super) fn show(env: &mut Env, project: &Project, args: &cli::Show) -> Result<Report> {
    let settings = crate::config::load(env, project)?;
    if let Some(id) = &args.cli {
        crate::client::detect::one(&settings.targets, id)?;
    }
    let copies = match copies::at_version(&args.name) {
        Some((name, version)) => kept(project, &settings.targets, name, version)?,
        None => copies(project, &settings.targets, &args.name)?,
    };
    let of_cli = |copy: &&Copy| args.cli.as_ref().is_none_or(|id| copy.target.id == *id);
    let wanted: Vec<&Copy> = copies.iter().filter(of_cli).collect();
    let Some(first) = wanted.first() else { return Err(not_found(project, &settings.targets, args, &copies)) };
    if let Some(other) = wanted.iter().find(|copy| !same(first, copy)) {
        return Err(ambiguous(&args.name, &wanted, first, other));
    }
    let Some(text) = first.tree.text("SKILL.md") else {
        return Err(Error::new(Code::ShowUnreadable, format!("{}/SKILL.md is missing or not UTF-8", first.shown)));
    };
    let document = frontmatter::read(text.as_bytes());
    if let Err(error) = &document {
        let (at, line, why) = (&first.shown, error.at.line, &error.message);
        let said = format!("{at}/SKILL.md has no readable frontmatter (line {line}: {why}); it is shown as it is.");
        env.warn(Code::ShowMalformed, said);
    }
    let document = document.ok();
    let places: Vec<&str> = wanted.iter().map(|copy| copy.shown.as_str()).collect();
    let body = document.as_ref().map_or(text, |document| document.body());
    let times = project.rooted(&first.at).map(|dir| input::times(&dir, &first.tree)).unwrap_or_default();
    let metadata = metadata(document.as_ref(), &first.tree);
    let file = |(path, blob): (&str, &crate::skill::Blob)| json!({ "path": path, "bytes": blob.bytes.len(), "executable": blob.executable });
    let files: Vec<Value> = first.tree.iter().map(file).collect();
    let origin = origin(project, args.name.split('@').next().unwrap_or_default());
    let data = json!({
        "name": args.name, "places": places, "clis": wanted.iter().map(|copy| &copy.target.id).collect::<Vec<_>>(),
        "metadata": metadata.iter().cloned().map(|(key, value)| (key, Value::String(value))).collect::<serde_json::Map<_,
        _>>(), "body": body, "files": files, "origin": origin, "created": times.created, "modified": times.modified,
    });
    let style = env.style;
    let text = match (args.metadata_only, args.body_only) {
        (true, _) => fields(style, &metadata),
        (_, true) => body.to_owned(),
        _ => {
            let origin_line = origin.map(|origin| format!("  {}\n", printable(&origin))).unwrap_or_default();
            whole(style, &wanted, &metadata, body, &times, document.is_none()) + &origin_line
        }
    };
    let exact = args.body_only && !args.metadata_only;
    Ok(Report::done(data, text).form(if exact { Form::Exact } else { Form::Text }))
}

fn ambiguous(name: &str, wanted: &[&Copy], first: &Copy, other: &Copy) -> Error {
    let ids: Vec<&str> = wanted.iter().map(|copy| copy.target.id.as_str()).collect();
    let (ids, one, two) = (ids.join(", "), &first.shown, &other.shown);
    Error::new(Code::ShowAmbiguous, format!("`{name}` is in {ids} and the copies differ ({one} and {two})"))
        .suggest(format!("Name one: `hefesto show {name} --cli {}`.", first.target.id))
}

fn origin(project: &Project, name: &str) -> Option<String> {
    let versions = copies::history(project, name).ok()?;
    // A skill deleted and made again is another skill.
    let mut present = versions.into_iter().take_while(|one| one.copies.iter().any(|copy| copy.digest.is_some()));
    let came = present.find(|one| ["adopt", "convert"].contains(&one.command.as_str()))?;
    Some(format!("{}ed {}", came.command, came.why?))
}

/// Whether two copies are one text.
fn same(a: &Copy, b: &Copy) -> bool {
    adapt::essence(&a.tree) == adapt::essence(&b.tree)
}

fn copies(project: &Project, targets: &Targets, name: &str) -> Result<Vec<Copy>> {
    let mut copies = Vec::new();
    // An existing folder can be shown, even with an invalid name.
    for target in inventory::holding(project, targets.iter(), name) {
        let at = target.skill_dir(name);
        let tree = transaction::scan(project.roots(), &at).map_err(|error| {
            Error::new(Code::ShowUnreadable, format!("{} cannot be read: {}", project.display(&at), error.message()))
        })?;
        if let Some(tree) = tree {
            copies.push(Copy { target: target.clone(), shown: project.display(&at), at, tree });
        }
    }
    Ok(copies)
}

/// The copies of a stored version, which are not on disk.
fn kept(project: &Project, targets: &Targets, name: &str, version: &str) -> Result<Vec<Copy>> {
    let (found, _) = copies::version_of(project, name, version, None)?;
    let copy = |one: crate::memory::InstalledCopy| {
        let target = targets.get(&one.target)?.clone();
        let tree = objects::read(project.roots(), one.digest.as_deref()?)?;
        Some(Copy { target, shown: format!("{name}@{version}"), at: format!("{}@{version}", one.at), tree })
    };
    Ok(found.copies.into_iter().filter_map(copy).collect())
}

fn not_found(project: &Project, targets: &Targets, args: &cli::Show, copies: &[Copy]) -> Error {
    if let Some(cli) = &args.cli
        && !copies.is_empty()
    {
        let ids: Vec<&str> = copies.iter().map(|copy| copy.target.id.as_str()).collect();
        return Error::new(Code::ShowNotFound, format!("`{}` is not in {cli}; it is in {}", args.name, ids.join(", ")));
    }
    let names = inventory::directories(project, targets.iter());
    let error = Error::new(Code::ShowNotFound, format!("there is no skill {:?}", args.name));
    if let Some(now) = copies::renamed_to(project, &args.name) {
        return error.suggest(format!("It is called `{now}` now: `hefesto show {now}`."));
    }
    match super::help::nearest(&args.name, &names) {
        Some(near) => error.suggest(format!("Did you mean `hefesto show {near}`?")),
        None if names.is_empty() => error.suggest("There are no skills here yet; `hefesto create` makes one."),
        None => error.suggest(format!("Skills here: {}.", names.into_iter().take(10).collect::<Vec<_>>().join(", "))),
    }
}

/// The frontmatter's fields, then the remaining ones of metadata.yaml.
fn metadata(document: Option<&Document>, tree: &Tree) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut add = |fields: &[frontmatter::Field]| {
        for field in fields {
            if !all.iter().any(|(key, _)| *key == field.key) {
                all.push((field.key.clone(), flat(&field.value)));
            }
        }
    };
    if let Some(document) = document {
        add(&document.fields);
    }
    // Fields in the frontmatter's own `metadata` are not repeated.
    let nested = document.and_then(|document| document.fields.iter().find(|field| field.key == "metadata"));
    let nested = match nested.map(|field| &field.value) {
        Some(frontmatter::Value::Map(fields)) => {
            fields.iter().map(|field| (field.key.clone(), flat(&field.value))).collect()
        }
        _ => Vec::new(),
    };
    if let Some(fields) = tree.text("metadata.yaml").and_then(|text| frontmatter::read_yaml(text).ok()) {
        add(&fields);
    }
    all.retain(|field| !nested.contains(field));
    all
}

fn flat(value: &frontmatter::Value) -> String {
    match value {
        frontmatter::Value::List(items) => {
            items.iter().map(|Item { value, .. }| flat(value)).collect::<Vec<_>>().join(", ")
        }
        frontmatter::Value::Map(fields) => {
            fields.iter().map(|field| format!("{}: {}", field.key, flat(&field.value))).collect::<Vec<_>>().join("; ")
        }
        frontmatter::Value::Bool(yes) => yes.to_string(),
        other => other.scalar().unwrap_or_default().to_owned(),
    }
}

fn fields(style: Style, metadata: &[(String, String)]) -> String {
    metadata.iter().map(|(key, value)| format!("{} {}\n", style.dim(&format!("{key}:")), printable(value))).collect()
}

fn whole(
    style: Style,
    copies: &[&Copy],
    metadata: &[(String, String)],
    body: &str,
    times: &input::Times,
    raw: bool,
) -> String {
    let Some(first) = copies.first() else { return String::new() };
    let name = first.at.rsplit('/').next().unwrap_or_default();
    let ids: Vec<&str> = copies.iter().map(|copy| copy.target.id.as_str()).collect();
    let mut text = format!("{}\n", style.head(&format!("Skill: {name} ({})", ids.join(", "))));
    if !raw {
        text.push_str(&format!("\n{}\n{}", style.head("METADATA"), fields(style, metadata)));
    }
    text.push_str(&format!("\n{}\n{}\n", style.head("CONTENT"), printable(body.trim_end())));
    text.push_str(&format!("\n{}\n", style.head("FILES")));
    for copy in copies {
        let (size, files) = (ui::size(copy.tree.size()), ui::count(copy.tree.len(), "file"));
        text.push_str(&format!("  {}/ ({size}, {files})\n", copy.shown));
    }
    let [created, modified] = [&times.created, &times.modified].map(|time| time.as_deref().unwrap_or("unknown"));
    text.push_str(&format!("  created {created}, modified {modified}\n"));
    text
}
