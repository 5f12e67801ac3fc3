//! `templates check`: what is wrong with a template, and with the skills it makes.

use serde_json::json;

use super::{Places, find, shown};
use crate::client::target::{Arguments, TABLE, Targets, client};
use crate::error::{Exit, Result};
use crate::project::Project;
use crate::report::Report;
use crate::rules::{self, Finding, Policy, Severity, Subject};
use crate::skill::metadata::{self, Metadata};
use crate::skill::template::{Problem, Template, TemplateError, Values, adapt, problems};
use crate::skill::{Tree, printable, sentence};
use crate::system::{env::Env, input};
use crate::terminal::ui;

/// The sentences a template is tested with: three languages, three kinds of work.
const SAMPLES: &[&str] = &[
    "Validate email addresses in CSV files using regex patterns",
    "Gerar relatórios de vendas em PDF para a diretoria",
    "Revisar consultas SQL en busca de errores",
];

/// Checks one template or all of them.
/// Errors: E-CREATE-008 if there is no such template, E-IO-001 if one cannot be read.
pub(super) fn check(env: &Env, project: &Project, places: &Places, name: Option<&str>) -> Result<Report> {
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
            tree.put("SKILL.md", adapt(&text, target.arguments));
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
