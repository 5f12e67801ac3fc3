//! Commands written in documents: in sentences that say they are run, and in blocks of code.

use super::effect::purpose_of_typed;
use super::formats::{behind, code};
use super::rule_form::{binds, denies, padded, sentences};
use super::{Fact, Reading, safe};
use crate::rules::refused_lines;
use crate::skill::prose::{Block, code_spans};

/// Languages of blocks that hold command lines.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "fish", "shell", "console", "shell-session", "terminal"];

/// Programs that begin a command line of a block without a language.
const PROGRAMS: &[&str] = &[
    "ansible-playbook", "aws", "az", "bash", "bazel", "bun", "bundle", "cargo", "cmake", "composer", "curl", "dart",
    "dbt", "deno", "docker", "dotnet", "fastlane", "ffmpeg", "flutter", "gcloud", "gh", "git", "go", "gradle", "hatch",
    "helm", "just", "kubectl", "libreoffice", "magick", "make", "mix", "mvn", "node", "nox", "npm", "npx", "ocrmypdf",
    "pandoc", "php", "pnpm", "poetry", "psql", "pytest", "python", "python3", "qpdf", "quarto", "rails", "rake",
    "Rscript", "ruby", "sbt", "sh", "soffice", "sqlite3", "swift", "task", "terraform", "tofu", "tox", "uv", "yarn",
];

/// Programs that run what the repository itself names.
const RUNNERS: &[&str] =
    &["bun", "bundle", "composer", "hatch", "just", "make", "nox", "npm", "pnpm", "poetry", "task", "tox", "yarn"];

/// What only prepares a machine.
const PREPARING: &[&str] = &["cd ", "git clone", "install", " ci", "pip ", "brew ", "apt", "sudo ", "cp .env", "nvm "];

/// Words that say that a command is run.
const RUNNING: &[&str] =
    &["run", "runs", "execute", "executes", "passes", "rode", "roda", "executa", "corre", "ejecute", "ejecuta"];

/// Words between such a word and a command.
const JOINING: &[&str] = &["with", "then", "and", "or", "com", "e", "con", "y", "depois", "luego"];

/// Words that such a sentence begins with.
const STARTING: &[&str] =
    &["run", "execute", "start", "install", "build", "rode", "ejecuta", "ejecute", "instale", "instala"];

/// Whether nothing but a command and a few words on its purpose is said: "Run the tests with `npm test`."
pub(super) fn only_command(item: &str) -> bool {
    let around: Vec<&str> = item.split('`').step_by(2).collect();
    let said = padded(&around.join(" "));
    let words = said.split_whitespace().count();
    let runs = said.split_whitespace().next().is_some_and(|first| STARTING.contains(&first));
    let label = around.first().is_some_and(|before| before.trim_end().ends_with(':'));
    // "Run `bin/ci` before asking for a review."
    let timed =
        ["before", "after", "antes", "depois", "después"].iter().any(|word| said.contains(&format!(" {word} ")));
    code_spans(item).any(|(_, code)| is_command(code))
        && !timed
        && !binds(item, false)
        && (words == 0 || (label || runs) && words <= 6)
}

/// Whether code is a command line: a program's name, then its arguments.
fn is_command(code: &str) -> bool {
    let program = code.split(' ').next().unwrap_or_default();
    let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.' | '/');
    let local = is_local(program);
    (code.contains(' ') || local)
        && program.chars().all(named)
        && program.len() > 1
        && !code.contains(['<', '>', '(', '…', '{', '|', ';', '&'])
        && !code.contains("...")
}

fn is_local(program: &str) -> bool {
    program.starts_with("./") || program.starts_with("bin/")
}

/// Labels of commands: "Lint: `ruff check .`".
const CHECKS: &[&str] =
    &["test", "tests", "lint", "linter", "format", "formatting", "types", "typecheck", "build", "testes", "pruebas"];

/// The commands that a sentence says are run: "Run `bin/rspec` before a pull request".
pub(super) fn commands(file: &mut Reading<'_>, block: &Block) {
    for sentence in sentences(&block.text) {
        let said = padded(sentence);
        let has = |words: &[&str]| words.iter().any(|word| said.contains(&format!(" {word} ")));
        let labelled = has(CHECKS) && sentence.contains(": `");
        let own = |command: &str| {
            let program = command.split(' ').next().unwrap_or_default();
            is_local(program) || RUNNERS.contains(&program)
        };
        let runs = has(RUNNING) || labelled || code_spans(sentence).any(|(_, command)| own(command));
        if !runs || denies(sentence) || has(&["instead"]) || !refused_lines(&block.text).is_empty() {
            continue;
        }
        for (before, command) in code_spans(sentence) {
            let last = padded(before).split_whitespace().last().unwrap_or_default().to_owned();
            let label = before.ends_with(": ") && CHECKS.contains(&last.as_str());
            let run = label || own(command) || RUNNING.iter().chain(JOINING).any(|word| *word == last);
            if is_command(command) && run && !prepares(command) {
                let fact = Fact::new(purpose_of_typed(command), code(command)).about(command);
                file.command(block.line, fact, command);
            }
        }
    }
}

fn prepares(command: &str) -> bool {
    PREPARING.iter().any(|part| command.starts_with(part) || (part.starts_with(' ') && command.ends_with(part)))
        || command.split(' ').any(|word| word == "install")
}

/// A line that is typed in a shell.
pub(super) struct Typed {
    /// Its line in the block, from 0.
    pub(super) line: usize,
    pub(super) command: String,
    /// What stands behind it: "make soak    a quarter of an hour".
    pub(super) about: String,
}

/// The command lines of a block of code: all lines for a shell; without a language, those after a prompt. With `bare`, those
/// that begin with a well-known program as well.
pub(super) fn typed(language: &str, text: &str, bare: bool) -> Vec<Typed> {
    let shell = SHELLS.contains(&language);
    let prompted = text.lines().any(|line| line.trim_start().starts_with("$ "));
    let (mut found, mut begun) = (Vec::new(), String::new());
    if !shell && !language.is_empty() {
        return found;
    }
    for (number, line) in text.lines().map(str::trim).enumerate() {
        let program = line.split(' ').next().unwrap_or_default();
        let known = bare && !prompted && (PROGRAMS.contains(&program) || is_local(program));
        let line = match line.strip_prefix("$ ") {
            Some(typed) => typed,
            None if begun.is_empty() && !known && (prompted || !shell) => continue, // output
            None => line,
        };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        begun.push_str(line.trim_end_matches('\\'));
        if line.ends_with('\\') {
            continue;
        }
        let line = std::mem::take(&mut begun);
        let (command, about) = line.split_once("  ").or_else(|| line.split_once(" # ")).unwrap_or((&line, ""));
        let (command, about) = if bare { (command, about) } else { (line.as_str(), "") };
        let about = about.trim_start_matches(['#', ' ']).to_owned();
        found.push(Typed { line: number, command: safe::one_line(command), about });
    }
    found
}

/// The commands of a block of code of a document.
pub(super) fn of_block(file: &mut Reading<'_>, language: &str, block: &Block) {
    if !refused_lines(&block.text).is_empty() {
        return;
    }
    let fenced =
        file.text.lines().nth(block.line.saturating_sub(1)).is_some_and(|line| line.trim().starts_with(['`', '~']));
    for Typed { line, command, about } in typed(language, &block.text, true) {
        if command.chars().count() > safe::LONGEST || prepares(&command) || command.contains(['<', '`']) {
            continue;
        }
        let text = format!("{}{}", code(&command), behind(" ", &about));
        let fact = Fact::new(purpose_of_typed(&command), text).about(&command).about(&about).about(&block.heading);
        file.command(block.line + line + usize::from(fenced), fact, &command);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_what_is_typed_and_what_it_is_for() {
        let of = |language: &str, text: &str| {
            let found = typed(language, text, true).into_iter();
            found.map(|typed| format!("{} {}|{}", typed.line, typed.command, typed.about)).collect::<Vec<_>>()
        };
        assert_eq!(
            of("", "make soak      a quarter of an hour\nsome output\npython tools/a.py --b\n"),
            ["0 make soak|a quarter of an hour", "2 python tools/a.py --b|"]
        );
        assert_eq!(of("", "$ mine a\nmake b\n"), ["0 mine a|"]);
        assert_eq!(of("sh", "mine a \\\n  b # twice\n"), ["1 mine a b|twice"]);
        assert!(of("rust", "make b\n").is_empty());
    }
}
