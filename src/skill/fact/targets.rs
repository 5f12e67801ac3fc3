//! Targets that are called by name: Makefiles, justfiles, Taskfiles.

use serde_json::Value;

use super::effect::{Risk, purpose};
use super::formats::{behind, code, codes, map, parsed, plain, scalar, word};
use super::safe::is_secret_name;
use super::{Fact, Kind, Reading};

/// How many lines of a recipe are read.
const LONGEST: usize = 6;

/// A target of a Makefile.
struct Target<'t> {
    name: &'t str,
    about: &'t str,
    needs: Vec<&'t str>,
    recipe: Vec<String>,
    line: usize,
}

pub(super) fn make(file: &mut Reading<'_>) {
    let variables = variables(file);
    let targets = targets(file.text, &variables);
    let own = |target: &Target<'_>| {
        Risk::of_name(target.name).max(target.recipe.iter().filter_map(|line| Risk::of_command(line)).max())
    };
    for target in &targets {
        // A target includes what its prerequisites do.
        let needed = target.needs.iter().filter_map(|name| targets.iter().find(|one| one.name == *name));
        let risk = needed.map(own).fold(own(target), Ord::max);
        let recipe = target.recipe.join("; ");
        let about = target.about.trim_end_matches('.');
        // "make plan ENV=stage": the comment shows how it is called.
        let command = format!("make {}", target.name);
        let (command, about) = match about.strip_prefix(&command) {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') => (about.to_owned(), ""),
            _ => (command, about),
        };
        let needs = behind(": runs ", &codes(&target.needs));
        let runs = if target.recipe.is_empty() { needs } else { format!(": {}", code(&recipe)) };
        let text = format!("{}{}{runs}", code(&command), behind(" ", about));
        let fact = Fact::new(purpose(target.name, &recipe), text).about(target.name).about(target.about);
        file.command(target.line, fact.about(&recipe).risk(risk), &command);
    }
}

/// The simple variables, by their names; those a person may set (`?=`) are facts.
fn variables<'t>(file: &mut Reading<'t>) -> Vec<(&'t str, &'t str)> {
    let mut known = Vec::new();
    for (number, line) in file.lines().filter(|(_, line)| !line.starts_with(['\t', '#'])) {
        let line = line.trim_start_matches("export ").trim();
        let Some((name, value)) = line.split_once('=') else { continue };
        let may_be_set = name.ends_with('?');
        let name = name.trim_end_matches(['?', ':', '+', ' ']);
        let value = value.split(" #").next().unwrap_or_default().trim();
        let simple = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !simple || value.contains("$(shell") || value.ends_with('\\') {
            continue;
        }
        // The first one counts.
        if let Err(at) = known.binary_search_by_key(&name, |(known, _)| *known) {
            known.insert(at, (name, value));
        }
        if may_be_set && !value.is_empty() && !is_secret_name(name) {
            let text = format!("`make {name}=…` sets {}; else it is {}", code(name), code(value));
            file.put(number, Fact::new(Kind::Variable, text).about(name).about(value));
        }
    }
    known
}

fn targets<'t>(text: &'t str, variables: &[(&str, &str)]) -> Vec<Target<'t>> {
    let (mut all, mut above, mut open) = (Vec::<Target<'t>>::new(), "", false);
    for (number, line) in text.lines().enumerate() {
        if let Some(recipe) = line.strip_prefix('\t') {
            if let Some(last) = all.last_mut().filter(|last| open && last.recipe.len() < LONGEST) {
                let recipe = recipe.trim().trim_start_matches(['@', '-', '+']);
                if !recipe.is_empty() && !recipe.starts_with(['#']) && !recipe.starts_with("echo ") {
                    last.recipe.push(recipe_line(recipe, variables, last.name));
                }
            }
            continue;
        }
        if let Some(comment) = line.strip_prefix('#') {
            above = comment.trim_start_matches('#').trim();
            continue;
        }
        open &= line.trim().is_empty();
        if let Some((names, rest)) = line.split_once(':').filter(|(_, rest)| !rest.starts_with(['=', ':'])) {
            let (needs, about) = rest.split_once("##").map_or((rest, above), |(needs, about)| (needs, about.trim()));
            let needs: Vec<&str> = needs.split(['|', ';', '#']).next().unwrap_or_default().split_whitespace().collect();
            for name in names.split_whitespace().filter(|name| plain(name) && !is_file(name)) {
                all.push(Target { name, about, needs: needs.clone(), recipe: Vec::new(), line: number + 1 });
                open = true;
            }
        }
        above = "";
    }
    all
}

/// Whether a target is a file, which is built, not called.
fn is_file(name: &str) -> bool {
    name.contains('/') || name.rsplit_once('.').is_some_and(|(_, ending)| ending.len() <= 4)
}

/// A recipe's line with variables in place of their names, one level deep.
fn recipe_line(recipe: &str, variables: &[(&str, &str)], target: &str) -> String {
    let mut line = recipe.replace("$@", target).replace("$(MAKE)", "make").replace("$$", "$");
    for (name, value) in variables.iter().filter(|(_, value)| !value.is_empty()) {
        for form in [format!("$({name})"), format!("${{{name}}}")] {
            line = line.replace(&form, value);
        }
    }
    line
}

/// The recipes of a justfile, with their comments, parameters and variables.
pub(super) fn just(file: &mut Reading<'_>) {
    let lines: Vec<&str> = file.text.lines().collect();
    let assigned = lines.iter().filter_map(|line| line.trim_start_matches("export ").split_once(":="));
    let assigned = assigned.map(|(name, value)| (name.trim(), value.trim().trim_matches(['"', '\''])));
    let variables: Vec<(&str, &str)> = assigned.collect();
    let expanded = |line: &&str| {
        let line = line.trim().trim_start_matches(['@', '-']).to_owned();
        variables.iter().fold(line, |line, (name, value)| {
            line.replace(&format!("{{{{{name}}}}}"), value).replace(&format!("{{{{ {name} }}}}"), value)
        })
    };
    let (mut above, mut private) = ("", false);
    for (at, line) in lines.iter().enumerate() {
        if let Some(comment) = line.strip_prefix('#') {
            above = comment.trim_start_matches('!').trim();
            continue;
        }
        if line.starts_with('[') {
            private |= line.contains("private");
            continue;
        }
        let head = line.split_once(':').filter(|(_, rest)| !line.starts_with([' ', '\t']) && !rest.starts_with('='));
        if let Some((head, _)) = head.filter(|_| !private) {
            let body = lines.get(at + 1..).unwrap_or_default().iter().take_while(|line| line.starts_with([' ', '\t']));
            let body: Vec<String> = body.take(LONGEST).map(expanded).collect();
            recipe(file, at + 1, head, above, &body);
        }
        (above, private) = ("", false);
    }
}

fn recipe(file: &mut Reading<'_>, line: usize, head: &str, about: &str, body: &[String]) {
    let mut words = head.trim_start_matches('@').split_whitespace();
    let name = words.next().unwrap_or_default();
    if !plain(name) || name.starts_with('_') || matches!(name, "set" | "alias" | "mod" | "import" | "export") {
        return;
    }
    let needed = words.filter(|word| !word.contains('=') && !word.starts_with('*')).map(str::to_uppercase);
    let command = needed.fold(format!("just {name}"), |command, needed| format!("{command} {needed}"));
    let runs = body.join("; ");
    let script = body.first().is_some_and(|line| line.starts_with("#!"));
    let shown = if runs.is_empty() || script { String::new() } else { format!(": {}", code(&runs)) };
    let text = format!("`{command}`{}{shown}", behind(" ", about.trim_end_matches('.')));
    let risk = Risk::of_name(name).max(Risk::of_command(&body.join("\n")));
    let fact = Fact::new(purpose(name, &runs), text).about(name).about(about).about(&runs);
    file.command(line, fact.risk(risk), &command);
}

/// The tasks of Taskfile.yml, with their descriptions and commands.
pub(super) fn taskfile(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    let variables = map(&root, "vars").filter_map(|(name, value)| Some((format!("{{{{.{name}}}}}"), scalar(value)?)));
    let variables: Vec<(String, String)> = variables.collect();
    for (name, task) in map(&root, "tasks") {
        if !plain(name) || task.get("internal").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let runs = match task.get("cmds").or_else(|| task.get("cmd")).unwrap_or(task) {
            Value::String(one) => one.clone(),
            Value::Array(all) => {
                let each = all.iter().filter_map(|one| one.as_str().or_else(|| word(one, "cmd")));
                each.collect::<Vec<_>>().join("; ")
            }
            _ => String::new(),
        };
        let runs = variables.iter().fold(runs, |runs, (variable, value)| runs.replace(variable, value));
        let about = word(task, "desc").unwrap_or_default().trim_end_matches('.');
        let command = format!("task {name}");
        let shown = if runs.is_empty() { String::new() } else { format!(": {}", code(&runs)) };
        let text = format!("`{command}`{}{shown}", behind(" ", about));
        let fact = Fact::new(purpose(name, &runs), text).about(name).about(about).about(&runs);
        let risk = Risk::of_name(name).max(Risk::of_command(&runs));
        file.command(file.line_of(&["tasks:", &format!("{name}:")]), fact.risk(risk), &command);
    }
}
