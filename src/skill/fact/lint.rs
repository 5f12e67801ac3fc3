//! The settings of linters and formatters with their own files.

use serde_json::Value;

use super::lines::{code, line_of, name};
use super::{Fact, Facts, Kind, Source, settings, yaml};

/// Files, the tool that reads them, and the settings kept.
const FILES: &[(&str, &str, &[&str])] = &[
    (".prettierrc .prettierrc.json", "prettier", &["printWidth", "tabWidth", "semi", "singleQuote", "trailingComma"]),
    (".eslintrc.json .eslintrc.yml", "eslint", &["extends"]),
    (".eslintrc.js .eslintrc.cjs eslint.config.js eslint.config.mjs eslint.config.ts", "eslint", &[]),
    ("biome.json", "biome", &[]),
    (".stylelintrc.json", "stylelint", &["extends"]),
    ("ruff.toml", "ruff", &["line-length", "target-version", "select"]),
    (".flake8", "flake8", &["max-line-length", "ignore", "extend-ignore"]),
    ("mypy.ini", "mypy", &["strict", "python_version", "disallow_untyped_defs"]),
    (".rubocop.yml", "rubocop", &["inherit_gem", "inherit_from"]),
    ("rustfmt.toml", "rustfmt", &["max_width", "edition", "imports_granularity", "use_small_heuristics"]),
    ("clippy.toml", "clippy", &["msrv", "cognitive-complexity-threshold", "too-many-arguments-threshold"]),
    (".golangci.yml .golangci.yaml", "golangci-lint", &[]),
    (".editorconfig", "editorconfig", &["max_line_length", "indent_style", "indent_size", "end_of_line"]),
    (".pre-commit-config.yaml", "pre-commit", &[]),
    (
        ".commitlintrc.json commitlint.config.js commitlint.config.cjs commitlint.config.mjs commitlint.config.ts",
        "commitlint",
        &["extends"],
    ),
    ("tsconfig.json", "tsc", &["strict", "target", "noUncheckedIndexedAccess", "module"]),
    (".sqlfluff", "sqlfluff", &["dialect", "max_line_length"]),
    (".markdownlint.json", "markdownlint", &["MD013"]),
    ("deny.toml", "cargo-deny", &[]),
];

pub(super) fn is_config(lower: &str) -> bool {
    FILES.iter().any(|(files, ..)| files.split(' ').any(|file| file == lower))
}

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let file = name(source.path);
    let is = |files: &str| files.split(' ').any(|known| known.eq_ignore_ascii_case(file));
    let Some((_, tool, keys)) = FILES.iter().find(|(files, ..)| is(files)) else { return };
    let fact = Fact::new(Kind::LintConfig, format!("{tool} is configured in {}", code(source.path))).id(*tool);
    out.put(source, 0, fact.about(tool).about("lint style"));
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim().trim_end_matches(',');
        let Some((key, value)) = line.split_once([':', '=']) else { continue };
        let (key, value) = (key.trim_matches(['"', '\'', ' ']), value.trim());
        if keys.contains(&key) && !value.is_empty() && !value.ends_with(['{', '[']) && value.len() < 100 {
            let fact = Fact::new(Kind::LintConfig, format!("{tool}: {}", code(line)));
            out.put(source, number + 1, fact.id(format!("{tool}-{key}")).about(tool).about("lint style").about(key));
        }
    }
    match *tool {
        "pre-commit" => hooks(source, out),
        "golangci-lint" => enabled(source, out),
        "rubocop" => width(source, out),
        "commitlint" => commit_rules(source, out),
        _ => {}
    }
}

fn hooks(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    let hooks = yaml::list(&root, "repos").flat_map(|repo| yaml::list(repo, "hooks"));
    let ids: Vec<String> = hooks.filter_map(|hook| hook.get("id").and_then(Value::as_str)).map(code).collect();
    if !ids.is_empty() {
        let command = "pre-commit run --all-files";
        let fact = Fact::new(Kind::LintCommand, format!("`{command}` runs {}", ids.join(", ")));
        let fact = fact.about("lint pre commit hooks").about(&ids.join(" "));
        out.command(source, line_of(source.text, &["repos:"]), fact, command);
    }
}

/// The rules of commitlint, wherever they stand in the script.
fn commit_rules(source: &Source<'_>, out: &mut Facts) {
    for key in ["type-enum", "scope-enum", "header-max-length", "subject-case", "body-max-line-length"] {
        let Some((line, rule)) = settings::bracketed(source.text, key) else { continue };
        let rule = rule.replace(['\'', '"'], "");
        let fact = Fact::new(Kind::LintConfig, format!("commitlint: {}", code(&rule))).id(format!("commitlint-{key}"));
        out.put(source, line, fact.about("commit commitlint message"));
    }
}

fn enabled(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    let Some(linters) = root.get("linters") else { return };
    let names: Vec<String> = yaml::list(linters, "enable").filter_map(Value::as_str).map(code).collect();
    if !names.is_empty() {
        let fact = Fact::new(Kind::LintConfig, format!("golangci-lint enables {}", names.join(", ")));
        let fact = fact.id("golangci-lint-enable").about("lint golangci");
        out.put(source, line_of(source.text, &["enable:"]), fact);
    }
}

fn width(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    for cop in ["Layout/LineLength", "Metrics/MethodLength"] {
        if let Some(most) = root.get(cop).and_then(|cop| cop.get("Max")).and_then(yaml::scalar) {
            let fact =
                Fact::new(Kind::LintConfig, format!("rubocop: `{cop}: Max: {most}`")).id(format!("rubocop-{cop}"));
            out.put(source, line_of(source.text, &[cop, "Max"]), fact.about("lint style rubocop").about(cop));
        }
    }
}
