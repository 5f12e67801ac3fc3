//! pytest, tox and nox: their settings in pyproject.toml, pytest.ini, tox.ini, setup.cfg and noxfile.py, and how pytest is
//! run through them.

use super::effect::{Risk, purpose};
use super::formats::{Entry, behind, code, entries};
use super::{Fact, Kind, Reading, python};

/// Settings that are quoted literally.
const KEYS: &[&str] = &[
    "testpaths", "asyncio_mode", "timeout", "python_files", "DJANGO_SETTINGS_MODULE", "filterwarnings", "minversion",
    "required_plugins",
];

/// One setting of pytest: its key, its value with the items of a list on lines of their own, the line of the key.
pub(super) fn setting(file: &mut Reading<'_>, key: &str, value: &str, line: usize) {
    let on = matches!(value.trim(), "true" | "True" | "1" | "yes" | "on");
    let mut put = |id: &str, text: &str| {
        file.put(line, Fact::new(Kind::TestConfig, text).id(id).about("pytest test").about(key));
    };
    match key {
        "addopts" => {
            let flat = value.split_whitespace().collect::<Vec<_>>().join(" ");
            put("addopts", &code(&format!("addopts = \"{flat}\"")));
            for flag in ["--strict-markers", "--strict"] {
                if flat.split(' ').any(|word| word == flag) {
                    put("strict-markers", &format!("`{flag}` is set in `addopts`"));
                }
            }
            if flat.contains("--reruns") {
                put("reruns", "`--reruns` is set in `addopts`: a test that fails once is run again");
            }
        }
        "xfail_strict" | "strict_xfail" if on => {
            put("xfail_strict", &format!("`{key} = true`: an expected failure that passes fails the build"));
        }
        "strict" if on => {
            put("xfail_strict", "`strict = true` (pytest 9): an expected failure that passes fails the build");
            put("strict-markers", "`strict = true` (pytest 9): a marker has to be registered");
        }
        "strict_markers" if on => put("strict-markers", "`strict_markers = true`: a marker has to be registered"),
        "markers" => markers(file, value, line),
        _ if KEYS.contains(&key) => {
            put(key, &code(&format!("{key} = {}", value.lines().collect::<Vec<_>>().join(", "))));
        }
        _ => {}
    }
}

/// `name: meaning`, one a line.
fn markers(file: &mut Reading<'_>, value: &str, line: usize) {
    for marker in value.lines().filter(|line| !line.trim().is_empty()) {
        let (name, meaning) = marker.split_once(':').unwrap_or((marker, ""));
        let text = format!("marker {}{}", code(name), behind(": ", meaning.trim()));
        let own = file.line_of(&[marker.trim()]);
        let id = format!("marker-{}", name.trim().split('(').next().unwrap_or_default());
        let fact = Fact::new(Kind::TestConfig, text).id(id).about("pytest test marker").about(marker);
        file.put(if own > 0 { own } else { line }, fact);
    }
}

/// tox.ini, setup.cfg and pytest.ini
pub(super) fn ini(file: &mut Reading<'_>) {
    let entries = entries(file.text);
    for entry in &entries {
        match entry.section {
            "pytest" | "tool:pytest" => setting(file, entry.key, &entry.value, entry.line),
            "options" if entry.key == "python_requires" => python::language(file, Some(&entry.value)),
            "options" | "options.extras_require" | "testenv"
                if matches!(entry.key, "install_requires" | "deps" | "test" | "tests" | "dev" | "testing") =>
            {
                entry.value.lines().for_each(|line| python::package(file, line));
            }
            "flake8" | "mypy" if matches!(entry.key, "max-line-length" | "strict" | "ignore" | "extend-ignore") => {
                let value = entry.value.replace('\n', ", ");
                let fact = Fact::new(Kind::LintConfig, format!("{}: `{} = {value}`", entry.section, entry.key));
                file.put(entry.line, fact.about(entry.section).about("lint style"));
            }
            _ => {}
        }
    }
    environments(file, &entries);
}

/// The environments of tox, each with what it runs.
fn environments(file: &mut Reading<'_>, entries: &[Entry<'_>]) {
    let list = entries.iter().find(|entry| entry.section == "tox" && matches!(entry.key, "envlist" | "env_list"));
    let names = list.map(|list| expanded(&list.value)).unwrap_or_default();
    // The unnamed environment is for every Python version; the newest is used.
    let pythons = names.iter().filter(|name| name.starts_with("py"));
    let newest = pythons.max_by_key(|name| (name.len(), name.as_str()));
    for entry in entries.iter().filter(|entry| entry.key == "commands") {
        let Some(environment) = entry.section.strip_prefix("testenv") else { continue };
        let environment = environment.trim_start_matches(':');
        let run = match (environment, newest) {
            ("", Some(newest)) => format!("tox -e {newest}"),
            ("", None) => "tox".to_owned(),
            (one, _) => format!("tox -e {}", expanded(one).last().map_or(one, String::as_str)),
        };
        let commands: Vec<&str> = entry.value.lines().collect();
        let tested = commands.iter().find(|line| line.split_whitespace().any(|word| word == "pytest"));
        let fact = if let Some(line) = tested.filter(|line| line.contains("{posargs")) {
            if environment.is_empty() || !file.facts.runner("pytest").starts_with("tox") {
                file.facts.run("pytest", format!("{run} --"));
            }
            let text = format!("pytest is run with `{run} -- ARGS` ({})", code(&format!("commands = {line}")));
            Fact::new(Kind::TestCommand, text).id("tox").about("tox pytest test")
        } else {
            let kind = purpose(environment, &entry.value);
            let fact = Fact::new(kind, format!("`{run}`: {}", code(&commands.join("; ")))).id("tox");
            fact.about("tox").about(environment).about(&entry.value).risk(Risk::of_command(&entry.value))
        };
        file.command(entry.line, fact, &run);
    }
}

/// `py{311,312}, lint` as its names.
fn expanded(list: &str) -> Vec<String> {
    let (mut names, mut depth, mut one) = (Vec::new(), 0_usize, String::new());
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

/// noxfile.py: its sessions, functions below `@nox.session`.
pub(super) fn nox(file: &mut Reading<'_>) {
    let lines: Vec<&str> = file.text.lines().collect();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("@nox.session")) {
        let after = lines.get(at + 1..).unwrap_or_default();
        let Some(function) = after.iter().take(6).find_map(|line| line.strip_prefix("def ")) else { continue };
        let name = function.split('(').next().unwrap_or_default();
        let named = line.split_once("name=").and_then(|(_, rest)| rest.split(['"', '\'']).nth(1));
        let body: Vec<&str> = after.iter().skip(1).take_while(|line| !line.starts_with('@')).copied().collect();
        let body = body.join("\n");
        let command = format!("nox -s {}", named.unwrap_or(name));
        if body.contains("pytest") && body.contains("posargs") {
            file.facts.run("pytest", format!("{command} --"));
        }
        let kind = purpose(name, &body.replace(['"', '(', ',', '\''], " "));
        let about =
            after.iter().find_map(|line| line.trim().strip_prefix("\"\"\"")).filter(|_| body.contains("\"\"\""));
        let about = about.map(|about| about.trim_end_matches("\"\"\"").trim_end_matches('.'));
        let about = about.map_or(String::new(), |about| format!(" {about}"));
        let fact = Fact::new(kind, format!("`{command}`{about}")).id("nox").about("nox").about(name).about(&about);
        file.command(at + 1, fact.risk(Risk::of_name(name)), &command);
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
