//! tox.ini, setup.cfg, pytest.ini and noxfile.py: environments, and how pytest is run through them.

use super::ini::{self, Entry};
use super::lines::code;
use super::{Fact, Facts, Kind, Risk, Source, purpose, pytest, python};

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let entries = ini::entries(source.text);
    for entry in &entries {
        match entry.section {
            "pytest" | "tool:pytest" => pytest::setting(source, entry.key, &entry.value, entry.line, out),
            "options" if entry.key == "python_requires" => python::language(source, Some(&entry.value), out),
            "options" | "options.extras_require" | "testenv"
                if matches!(entry.key, "install_requires" | "deps" | "test" | "tests" | "dev" | "testing") =>
            {
                entry.value.lines().for_each(|line| python::package(source, line, out));
            }
            "flake8" | "mypy" if matches!(entry.key, "max-line-length" | "strict" | "ignore" | "extend-ignore") => {
                let value = entry.value.replace('\n', ", ");
                let fact = Fact::new(Kind::LintConfig, format!("{}: `{} = {value}`", entry.section, entry.key));
                out.put(source, entry.line, fact.about(entry.section).about("lint style"));
            }
            _ => {}
        }
    }
    environments(source, &entries, out);
}

/// The environments of tox, each with what it runs.
fn environments(source: &Source<'_>, entries: &[Entry<'_>], out: &mut Facts) {
    let list = entries.iter().find(|entry| entry.section == "tox" && matches!(entry.key, "envlist" | "env_list"));
    let names = list.map(|list| expanded(&list.value)).unwrap_or_default();
    for entry in entries.iter().filter(|entry| entry.key == "commands") {
        let Some(environment) = entry.section.strip_prefix("testenv") else { continue };
        let environment = environment.trim_start_matches(':');
        // The unnamed environment is for every Python version; the newest is used.
        let pythons = names.iter().filter(|name| name.starts_with("py"));
        let newest = pythons.max_by_key(|name| (name.len(), (*name).clone()));
        let run = match (environment, newest) {
            ("", Some(newest)) => format!("tox -e {newest}"),
            ("", None) => "tox".to_owned(),
            (one, _) => format!("tox -e {}", expanded(one).last().map_or(one, String::as_str)),
        };
        let commands: Vec<&str> = entry.value.lines().collect();
        let tested = commands.iter().find(|line| line.split_whitespace().any(|word| word == "pytest"));
        if let Some(line) = tested.filter(|line| line.contains("{posargs")) {
            if environment.is_empty() || out.runners.get("pytest").is_none_or(|known| !known.starts_with("tox")) {
                out.run("pytest", format!("{run} --"));
            }
            let text = format!("pytest is run with `{run} -- ARGS` ({})", code(&format!("commands = {line}")));
            let fact = Fact::new(Kind::TestCommand, text).id("tox").about("tox pytest test");
            out.command(source, entry.line, fact, &run);
        } else {
            let kind = purpose::of(environment, &entry.value);
            let fact = Fact::new(kind, format!("`{run}`: {}", code(&commands.join("; ")))).id("tox");
            let fact = fact.about("tox").about(environment).about(&entry.value);
            out.command(source, entry.line, fact.risk(Risk::of_command(&entry.value)), &run);
        }
    }
}

/// `py{311,312}, lint` as its names.
fn expanded(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut depth, mut one) = (0_usize, String::new());
    for c in list.chars().chain([',']) {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' | '\n' | ' ' if depth == 0 => {
                if !one.is_empty() {
                    names.push(std::mem::take(&mut one));
                }
                continue;
            }
            _ => {}
        }
        one.push(c);
    }
    let each = |name: String| -> Vec<String> {
        let Some((before, rest)) = name.split_once('{') else { return vec![name] };
        let Some((inside, after)) = rest.split_once('}') else { return Vec::new() };
        inside.split(',').map(|one| format!("{before}{}{after}", one.trim())).collect()
    };
    names.into_iter().flat_map(each).filter(|name| !name.contains(['{', '}'])).collect()
}

/// The sessions of nox: functions below `@nox.session`.
pub(super) fn nox(source: &Source<'_>, out: &mut Facts) {
    let lines: Vec<&str> = source.text.lines().collect();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("@nox.session")) {
        let after = lines.get(at + 1..).unwrap_or_default();
        let Some(function) = after.iter().take(6).find_map(|line| line.strip_prefix("def ")) else { continue };
        let name = function.split('(').next().unwrap_or_default();
        let named = line.split_once("name=").and_then(|(_, rest)| rest.split(['"', '\'']).nth(1));
        let body: Vec<&str> = after.iter().skip(1).take_while(|line| !line.starts_with('@')).copied().collect();
        let body = body.join("\n");
        let command = format!("nox -s {}", named.unwrap_or(name));
        if body.contains("pytest") && body.contains("posargs") {
            out.run("pytest", format!("{command} --"));
        }
        let kind = purpose::of(name, &body.replace(['"', '(', ',', '\''], " "));
        let about =
            after.iter().find_map(|line| line.trim().strip_prefix("\"\"\"")).filter(|_| body.contains("\"\"\""));
        let about =
            about.map_or(String::new(), |about| format!(" {}", about.trim_end_matches("\"\"\"").trim_end_matches('.')));
        let fact = Fact::new(kind, format!("`{command}`{about}")).id("nox").about("nox").about(name).about(&about);
        out.command(source, at + 1, fact.risk(Risk::of_name(name)), &command);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_environments_are_expanded() {
        assert_eq!(expanded("py{311,312}, lint"), ["py311", "py312", "lint"]);
        assert_eq!(expanded("py310\ndocs"), ["py310", "docs"]);
        assert_eq!(expanded("{broken"), Vec::<String>::new());
    }
}
