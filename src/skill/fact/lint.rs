//! The settings of linters, formatters and test tools of JavaScript, which have their own files.

use super::formats::{code, codes, list, name, parsed, scalar, word};
use super::{Fact, Kind, Reading};

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

pub(super) fn read(file: &mut Reading<'_>) {
    let own = name(file.path);
    let is = |files: &str| files.split(' ').any(|known| known.eq_ignore_ascii_case(own));
    let Some((_, tool, keys)) = FILES.iter().find(|(files, ..)| is(files)) else { return };
    let fact = Fact::new(Kind::LintConfig, format!("{tool} is configured in {}", code(file.path))).id(*tool);
    file.put(0, fact.about(tool).about("lint style"));
    for (number, line) in file.lines() {
        let line = line.trim().trim_end_matches(',');
        let Some((key, value)) = setting(line, &[':', '=']) else { continue };
        if keys.contains(&key) && !value.is_empty() && !value.ends_with(['{', '[']) && value.len() < 100 {
            let fact = Fact::new(Kind::LintConfig, format!("{tool}: {}", code(line)));
            file.put(number, fact.id(format!("{tool}-{key}")).about(tool).about("lint style").about(key));
        }
    }
    match *tool {
        "pre-commit" => hooks(file),
        "golangci-lint" => enabled(file),
        "rubocop" => width(file),
        "commitlint" => commit_rules(file),
        _ => {}
    }
}

/// The key of a line, without quotes, and its value.
fn setting<'t>(line: &'t str, signs: &[char]) -> Option<(&'t str, &'t str)> {
    let (key, value) = line.split_once(signs)?;
    Some((key.trim_matches(['"', '\'', ' ']), value.trim()))
}

fn hooks(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    let hooks = list(&root, "repos").flat_map(|repo| list(repo, "hooks"));
    let ids: Vec<&str> = hooks.filter_map(|hook| word(hook, "id")).collect();
    if !ids.is_empty() {
        let command = "pre-commit run --all-files";
        let fact = Fact::new(Kind::LintCommand, format!("`{command}` runs {}", codes(&ids)));
        let fact = fact.about("lint pre commit hooks").about(&ids.join(" "));
        file.command(file.line_of(&["repos:"]), fact, command);
    }
}

/// The rules of commitlint, wherever they stand in the script.
fn commit_rules(file: &mut Reading<'_>) {
    for key in ["type-enum", "scope-enum", "header-max-length", "subject-case", "body-max-line-length"] {
        let Some((line, rule)) = bracketed(file.text, key) else { continue };
        let rule = rule.replace(['\'', '"'], "");
        let fact = Fact::new(Kind::LintConfig, format!("commitlint: {}", code(&rule))).id(format!("commitlint-{key}"));
        file.put(line, fact.about("commit commitlint message"));
    }
}

fn enabled(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    let linters = root.get("linters").into_iter().flat_map(|linters| list(linters, "enable"));
    let names: Vec<&str> = linters.filter_map(|name| name.as_str()).collect();
    if !names.is_empty() {
        let fact = Fact::new(Kind::LintConfig, format!("golangci-lint enables {}", codes(&names)));
        file.put(file.line_of(&["enable:"]), fact.id("golangci-lint-enable").about("lint golangci"));
    }
}

fn width(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    for cop in ["Layout/LineLength", "Metrics/MethodLength"] {
        if let Some(most) = root.get(cop).and_then(|cop| scalar(cop.get("Max")?)) {
            let fact = Fact::new(Kind::LintConfig, format!("rubocop: `{cop}: Max: {most}`"));
            let fact = fact.id(format!("rubocop-{cop}")).about("lint style rubocop").about(cop);
            file.put(file.line_of(&[cop, "Max"]), fact);
        }
    }
}

/// Settings that change how tests are run or read.
const TESTS: &[&str] = &[
    "testEnvironment", "environment", "testTimeout", "timeout", "expect", "maxWorkers", "workers", "retries", "retry",
    "bail", "randomize", "globals", "preset", "testMatch", "include", "testDir", "setupFiles", "setupFilesAfterEnv",
    "globalSetup", "baseURL", "baseUrl", "fullyParallel", "forbidOnly", "trace", "video", "pool", "isolate",
    "sequence", "command", "reuseExistingServer", "statements", "branches", "lines", "functions", "specPattern",
];

/// Whether a file with this name configures Jest, Vitest, Playwright or Cypress.
pub(super) fn is_of_tests(name: &str) -> bool {
    ["jest.config.", "vitest.config.", "playwright.config.", "cypress.config."].iter().any(|one| name.starts_with(one))
}

/// The one-line settings in the configuration files of Jest, Vitest, Playwright and Cypress.
pub(super) fn javascript(file: &mut Reading<'_>) {
    let tool = name(file.path).split('.').next().unwrap_or_default();
    let fact = |key: &str, said: &str, about: &str| {
        let fact = Fact::new(Kind::TestConfig, format!("{tool}: {}", code(said))).id(format!("{tool}-{key}"));
        fact.about(tool).about("test").about(about)
    };
    for key in ["coverageThreshold", "thresholds"] {
        if let Some((line, value)) = bracketed(file.text, key) {
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            file.put(line, fact(key, &value, "coverage"));
        }
    }
    for (number, line) in file.lines() {
        let Some((key, value)) = setting(line.trim().trim_end_matches(','), &[':']) else { continue };
        let whole = !value.is_empty() && !value.ends_with(['{', '[', '(', '+']) && !value.starts_with("//");
        if TESTS.contains(&key) && whole {
            file.put(number, fact(key, &format!("{key}: {value}"), key));
        }
    }
}

/// A setting in a script, with its whole value in brackets: `'scope-enum': [2, 'always', ['core']]`.
fn bracketed<'t>(text: &'t str, key: &str) -> Option<(usize, &'t str)> {
    let start = text.find(key)?;
    let rest = text.get(start..)?;
    let (mut depth, mut opened) = (0_usize, false);
    for (at, c) in rest.char_indices().take(200) {
        match c {
            '[' | '{' => (depth, opened) = (depth + 1, true),
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if opened && depth == 0 {
            let line = text.get(..start)?.matches('\n').count() + 1;
            return Some((line, rest.get(..=at)?));
        }
    }
    None
}
