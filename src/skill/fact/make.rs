//! Makefiles: targets with their comments and recipes, variables expanded one level.

use std::collections::BTreeMap;

use super::lines::{code, plain};
use super::{Fact, Facts, Kind, Risk, Source, purpose, safe};

/// A target of the Makefile.
#[derive(Default)]
struct Target<'t> {
    name: &'t str,
    about: &'t str,
    needs: Vec<&'t str>,
    recipe: Vec<String>,
    line: usize,
}

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let variables = variables(source, out);
    let targets = targets(source.text, &variables);
    let own = |target: &Target<'_>| {
        Risk::of_name(target.name).max(target.recipe.iter().filter_map(|line| Risk::of_command(line)).max())
    };
    for target in &targets {
        // A target includes what its prerequisites do.
        let needed = target.needs.iter().filter_map(|name| targets.iter().find(|one| one.name == *name));
        let risk = needed.map(own).fold(own(target), Ord::max);
        let command = format!("make {}", target.name);
        let recipe = target.recipe.join("; ");
        let about = target.about.trim_end_matches('.');
        // "make plan ENV=stage": the comment shows how it is called.
        let (command, about) = match about.strip_prefix(&command) {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') => (about.to_owned(), String::new()),
            _ if about.is_empty() => (command, String::new()),
            _ => (command, format!(" {about}")),
        };
        let runs = match (target.recipe.is_empty(), target.needs.is_empty()) {
            (false, _) => format!(": {}", code(&recipe)),
            (true, false) => {
                format!(": runs {}", target.needs.iter().map(|name| code(name)).collect::<Vec<_>>().join(", "))
            }
            (true, true) => String::new(),
        };
        let fact = Fact::new(purpose::of(target.name, &recipe), format!("{}{about}{runs}", code(&command)));
        let fact = fact.about(target.name).about(target.about).about(&recipe).risk(risk);
        out.command(source, target.line, fact, &command);
    }
}

/// The simple variables; those a person may set (`?=`) are facts.
fn variables<'t>(source: &Source<'t>, out: &mut Facts) -> BTreeMap<&'t str, &'t str> {
    let mut known = BTreeMap::new();
    for (number, line) in source.text.lines().enumerate().filter(|(_, line)| !line.starts_with(['\t', '#'])) {
        let line = line.trim_start_matches("export ").trim();
        let Some((name, value)) = line.split_once('=') else { continue };
        let may_be_set = name.ends_with('?');
        let name = name.trim_end_matches(['?', ':', '+', ' ']);
        let value = value.split(" #").next().unwrap_or_default().trim();
        let simple = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !simple || value.contains("$(shell") || value.ends_with('\\') {
            continue;
        }
        known.entry(name).or_insert(value);
        if may_be_set && !value.is_empty() && !safe::is_secret_name(name) {
            let fact =
                Fact::new(Kind::Variable, format!("`make {name}=…` sets {}; else it is {}", code(name), code(value)));
            out.put(source, number + 1, fact.about(name).about(value));
        }
    }
    known
}

fn targets<'t>(text: &'t str, variables: &BTreeMap<&str, &str>) -> Vec<Target<'t>> {
    let (mut all, mut above, mut open) = (Vec::<Target<'t>>::new(), "", false);
    for (number, line) in text.lines().enumerate() {
        if let Some(recipe) = line.strip_prefix('\t') {
            let last = all.last_mut().filter(|last| open && last.recipe.len() < 6);
            if let Some(last) = last {
                let recipe = recipe.trim().trim_start_matches(['@', '-', '+']);
                if !recipe.is_empty() && !recipe.starts_with(['#']) && !recipe.starts_with("echo ") {
                    last.recipe.push(expanded(recipe, variables, last.name));
                }
            }
            continue;
        }
        if let Some(comment) = line.strip_prefix('#') {
            above = comment.trim_start_matches('#').trim();
            continue;
        }
        if line.trim().is_empty() {
            above = "";
            continue;
        }
        open = false;
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
fn expanded(recipe: &str, variables: &BTreeMap<&str, &str>, target: &str) -> String {
    let mut line = recipe.replace("$@", target).replace("$(MAKE)", "make").replace("$$", "$");
    for (name, value) in variables.iter().filter(|(_, value)| !value.is_empty()) {
        for form in [format!("$({name})"), format!("${{{name}}}")] {
            line = line.replace(&form, value);
        }
    }
    line
}
