//! `templates`: the templates skills are made from. Only `new` writes.

use serde_json::{Value, json};

use crate::cli;
use crate::client::target::{Arguments, TABLE, Targets, client};
use crate::error::{Code, Error, Exit, Result};
use crate::project::{Project, open};
use crate::report::{Report, Slashed};
use crate::rules::{self, Finding, Policy, Severity, Subject};
use crate::skill::metadata::{self, Metadata};
use crate::skill::template::{MEANINGS, Origin, Problem, Template, TemplateError, Values, built_in, problems, uses};
use crate::skill::{Name, Tree, printable, sentence};
use crate::system::env::Env;
use crate::system::input::{self, Places};
use crate::terminal::ui;
use crate::transaction::{Change, Was, consent};

/// Runs `hefesto templates …`. Errors: E-CREATE-008 if there is no such template, E-IO-001 if it cannot be read; for
/// `new` E-TEMPLATE-001, ERR-007 and those of the gate and of the transaction.
pub(super) fn templates(env: &mut Env, project: &Project, command: &cli::Templates, yes: bool) -> Result<Report> {
    let places = input::template_places(env, project);
    match command {
        cli::Templates::List => Ok(list(env, project, &places)),
        cli::Templates::Show { name, variables } => show(env, project, &places, name.as_deref(), *variables),
        cli::Templates::New { name } => new(env, project, &places, name, yes),
        cli::Templates::Check { name } => check(env, project, &places, name.as_deref()),
    }
}

/// The first template with this name, in the order of precedence.
fn find(places: &Places, name: &str) -> Result<Template> {
    input::find_template(places, name)?.ok_or_else(|| {
        Error::new(Code::CreateTemplate, format!("there is no template {name:?}"))
            .suggest(format!("Templates: {}.", input::template_names(places).join(", ")))
    })
}

/// The templates that one with this name and origin shadows.
fn shadows(places: &Places, name: &str, origin: Origin) -> Vec<&'static str> {
    let behind = places.iter().skip_while(|(_, one)| *one != origin).skip(1);
    let files = behind.filter(|place| {
        let found = input::find_template(std::slice::from_ref(place), name);
        !matches!(found, Ok(None)) && !matches!(found, Ok(Some(template)) if template.origin == Origin::BuiltIn)
    });
    let also = (origin != Origin::BuiltIn && built_in(name).is_some()).then_some(Origin::BuiltIn);
    files.map(|(_, origin)| *origin).chain(also).map(Origin::word).collect()
}

/// The template's path for display: relative to the project if inside.
fn shown(project: &Project, places: &Places, template: &Template) -> Option<String> {
    let path = input::template_file(places, template)?;
    let path = path.strip_prefix(project.root()).unwrap_or(&path);
    Some(path.slashed())
}

/// Whether the template declares an older hefesto version.
fn outdated(template: &Template) -> bool {
    let ours = built_in("base").map(|base| base.version).unwrap_or_default();
    template.above > 0 && input::older(&template.version, &ours)
}

fn described(project: &Project, places: &Places, template: &Template) -> Value {
    json!({
        "name": template.name, "origin": template.origin, "version": template.version,
        "path": shown(project, places, template), "shadows": shadows(places, &template.name, template.origin),
        "outdated": outdated(template), "problem": null,
    })
}

/// Every template that `--template` finds. One that cannot be read is listed with the reason.
fn list(env: &Env, project: &Project, places: &Places) -> Report {
    let (mut data, mut rows) = (Vec::new(), Vec::new());
    for name in input::template_names(places) {
        match input::find_template(places, &name) {
            Ok(Some(template)) => {
                let shadows = shadows(places, &name, template.origin);
                let path = shown(project, places, &template).unwrap_or_default();
                let mut remarks = Vec::new();
                if !shadows.is_empty() {
                    remarks.push(format!("in place of: {}", shadows.join(", ")));
                }
                if outdated(&template) {
                    remarks.push("written for an older hefesto".to_owned());
                }
                let origin = template.origin.word().to_owned();
                rows.push([name, origin, template.version.clone(), path, remarks.join("; ")]);
                data.push(described(project, places, &template));
            }
            Ok(None) => {} // a directory without a template in it
            Err(error) => {
                let problem = error.message();
                rows.push([name.clone(), "?".into(), String::new(), String::new(), problem.clone()]);
                data.push(json!({
                    "name": name, "origin": "?", "version": "", "path": null, "shadows": [], "outdated": false,
                    "problem": problem,
                }));
            }
        }
    }
    let text = ui::table(env.style, &["TEMPLATE", "FROM", "VERSION", "FILE", "REMARKS"], &rows);
    Report::done(json!({ "templates": data }), text)
}

/// Shows a template, the variables, or which variables a template uses.
/// Errors: E-CREATE-008 if there is no such template, E-IO-001 if it cannot be read.
fn show(env: &Env, project: &Project, places: &Places, name: Option<&str>, variables: bool) -> Result<Report> {
    let template = name.map(|name| find(places, name)).transpose()?;
    let used = |name: &str| template.as_ref().is_some_and(|template| uses(template, name));
    let data = json!({
        "template": template.as_ref().map(|template| described(project, places, template)),
        "source": template.as_ref().map(|template| &template.source),
        "variables": MEANINGS
            .iter()
            .map(|(name, meaning)| json!({ "name": name, "meaning": meaning, "used": used(name) }))
            .collect::<Vec<_>>(),
    });
    let mut text = String::new();
    if let Some(template) = &template {
        let path = shown(project, places, template).map(|path| format!(", {path}")).unwrap_or_default();
        let title = format!("{} ({}, version {}{path})", template.name, template.origin.word(), template.version);
        text.push_str(&format!("{}\n", env.style.head(&printable(&title))));
        if !variables {
            text.push_str(&format!("\n{}\n", printable(template.source.trim_end())));
        }
    }
    if variables {
        let rows = MEANINGS.iter().map(|(name, meaning)| [*name, *meaning, if used(name) { "used" } else { "" }]);
        text.push_str(&ui::table(env.style, &["VARIABLE", "MEANING", ""], rows));
        text.push_str("\n{{NAME}} is the value, {{{{NAME}}}} the literal {{NAME}}; {% if NAME %} and {% for one in NAME %} work.\n");
    }
    Ok(Report::done(data, text))
}

/// Copies the built-in template into `.hefesto/templates/`, with a preview. Errors: ERR-007 for an invalid name,
/// E-TEMPLATE-001 if the project has one of that name, E-PROJECT-001 if the project is not initialised, and those of
/// the gate and of the transaction.
fn new(env: &mut Env, project: &Project, places: &Places, name: &str, yes: bool) -> Result<Report> {
    if Name::parse(name).is_err() {
        let error = Error::new(Code::BadName, format!("{name:?} is no name for a template"));
        return Err(match Name::sanitise(name) {
            Some(better) => error.suggest(format!("Use `hefesto templates new {better}`.")),
            None => error,
        });
    }
    open::enter_initialised(env, project)?;
    let settings = crate::config::load(env, project)?;
    let own: Places = places.iter().filter(|(_, origin)| *origin == Origin::Project).cloned().collect();
    let is_free = |found: &Option<Template>| found.as_ref().is_none_or(|found| found.origin != Origin::Project);
    if !input::find_template(&own, name).is_ok_and(|found| is_free(&found)) {
        let message = format!("the project has a template `{name}` already");
        let look = format!("look at it with `hefesto templates show {name}`, or give another name.");
        let error = Error::new(Code::TemplateExists, message);
        return Err(error.suggest(format!("Edit it in .hefesto/templates/, {look}")));
    }
    let base = built_in("base").ok_or_else(|| Error::new(Code::Bug, "there is no built-in template"))?;
    let text = format!("{{# version: {} #}}\n{}", base.version, base.source);
    let at = format!(".hefesto/templates/{name}.md");
    let (rule, path) = (env.style.rule(&format!("templates new {name}")), env.style.path(&at));
    let what = format!("({}), a copy of the built-in template `{}` in English", ui::size(text.len() as u64), base.name);
    let mut preview = format!("{rule}\n  create {path} {what}\n");
    if built_in(name).is_some() {
        let said = "  it takes the place of the built-in one in this project, whatever the language of a description\n";
        preview.push_str(said);
    }
    let consent = consent::ask(env, &preview, yes, settings.gate_limit())?;
    let changes = vec![Change::Write { at: at.clone(), bytes: text.into_bytes(), was: Was::Absent }];
    open::commit(env, project, "templates new", changes)?;
    let data = json!({ "name": name, "path": at, "from": base.name, "approved_by": consent.by().word() });
    let text = format!(
        "Template {name} is in {at}.\n\nNext:\n  1. edit it; `hefesto templates show {name} --variables` lists what may stand in it\n  2. hefesto templates check {name}\n  3. hefesto create \"...\" --template {name}\n"
    );
    Ok(Report::done(data, text))
}

/// The sentences a template is tested with: three languages, three kinds of work.
const SAMPLES: &[&str] = &[
    "Validate email addresses in CSV files using regex patterns",
    "Gerar relatórios de vendas em PDF para a diretoria",
    "Revisar consultas SQL en busca de errores",
];

/// Checks one template or all of them.
/// Errors: E-CREATE-008 if there is no such template, E-IO-001 if one cannot be read.
fn check(env: &Env, project: &Project, places: &Places, name: Option<&str>) -> Result<Report> {
    let names = name.map_or_else(|| input::template_names(places), |name| vec![name.to_owned()]);
    let (mut data, mut text, mut all) = (Vec::new(), String::new(), true);
    for name in names {
        let template = find(places, &name)?;
        let (problems, findings) = tried(&template);
        let good = problems.is_empty() && findings.iter().all(|finding| finding.severity != Severity::Error);
        all &= good;
        let path = shown(project, places, &template);
        let mark = if good { env.style.tick() } else { env.style.bad("x") };
        let remarks = findings.iter().filter(|finding| finding.severity == Severity::Warning).count();
        let verdict = match (good, remarks) {
            (false, _) => "does not do".to_owned(),
            (true, 0) => "valid skills for every client".to_owned(),
            (true, some) => format!("valid skills for every client, with {}", ui::count(some, "warning")),
        };
        let (origin, version) = (template.origin.word(), printable(&template.version));
        text.push_str(&format!("{mark} {name} ({origin}, version {version}): {verdict}\n"));
        for problem in &problems {
            let file = path.as_deref().unwrap_or(&name);
            let at = match (problem.line, problem.column) {
                (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
                (Some(line), None) => format!("{file}:{line}"),
                _ => file.to_owned(),
            };
            text.push_str(&env.style.fold(&format!("  {}: {}\n", printable(&at), printable(&problem.message)), 4));
        }
        for finding in findings.iter().filter(|finding| finding.severity != Severity::Info) {
            let line = format!("  {} {}: {}\n", finding.severity.word(), finding.rule, printable(&finding.message));
            text.push_str(&env.style.fold(&line, 4));
            text.push_str(&env.style.fold(&format!("    {}\n", printable(&finding.fix)), 6));
        }
        data.push(json!({
            "name": name, "origin": template.origin, "version": template.version, "path": path, "ok": good,
            "problems": problems, "findings": findings,
        }));
    }
    let exit = if all { Exit::Done } else { Exit::Refused };
    Ok(Report::done(json!({ "templates": data }), text).exit(exit))
}

fn failed(error: &TemplateError) -> Problem {
    let line = if let TemplateError::Broken { line, .. } = error { *line } else { None };
    Problem { line, column: None, message: error.to_string() }
}

/// The problems of the template's text, and the findings in the skills it makes, without duplicates; their positions
/// are in the made skill.
fn tried(template: &Template) -> (Vec<Problem>, Vec<Finding>) {
    let own = template.clone();
    let wrong = input::within(&template.name, move || problems(&own)).unwrap_or_else(|error| vec![failed(&error)]);
    if !wrong.is_empty() {
        return (wrong, Vec::new());
    }
    let (mut wrong, mut findings): (Vec<Problem>, Vec<Finding>) = (Vec::new(), Vec::new());
    for (index, sentence) in SAMPLES.iter().enumerate() {
        let values = sample(sentence, index == 0);
        let text = match input::render(template, &values, Arguments::Dollar) {
            Ok(text) => text,
            Err(error) => {
                let problem = failed(&error);
                if !wrong.contains(&problem) {
                    wrong.push(problem);
                }
                continue;
            }
        };
        for target in Targets::with(Vec::new()).iter() {
            let mut tree = Tree::new();
            tree.put("SKILL.md", crate::skill::template::adapt(&text, target.arguments));
            tree.put(metadata::FILE, Metadata::new(&values, template, "2026-01-01T00:00:00Z").to_yaml());
            for path in &values.resources {
                tree.put(path.clone(), "Rules.\n".to_owned());
            }
            let subject = Subject { directory: &values.name, prefix: "", tree: &tree, target: Some(target) };
            let clients: Vec<_> = client(&target.id).into_iter().collect();
            let policy = Policy { clients: &clients, ..Policy::default() };
            for finding in rules::check_for(&subject, &policy).findings {
                if !findings.iter().any(|known| known.rule == finding.rule && known.line == finding.line) {
                    findings.push(finding);
                }
            }
        }
    }
    (wrong, findings)
}

/// The values of a sample; a full one also has a body, a file and a dependency.
fn sample(sentence: &str, full: bool) -> Values {
    let read = sentence::read(sentence);
    let name = read.name.as_ref().map_or_else(|| "sample".to_owned(), ToString::to_string);
    let mut values = Values::new(&name, sentence, &read, &[], "2026-01-01");
    values.input = "Input: $ARGUMENTS (what the request names)".to_owned();
    values.instructions = "## Steps\n\n1. Read the request.".to_owned();
    values.platforms = TABLE.iter().map(|row| row.id.to_owned()).collect();
    if full {
        values.body = "Follow the rules of the team.".to_owned();
        values.resources = vec!["references/rules.md".to_owned()];
        values.dependencies = vec!["ripgrep".to_owned()];
    }
    values
}
