//! Finds commands and files of the project that a body refers to and that do not exist any more: make targets, scripts
//! of package.json, files. Only if the project is known.

use std::collections::BTreeSet;
use std::fmt;

use crate::rules::{FindingCollector, Id, Page, Position, Subject};
use crate::skill::Tree;

const MOST: usize = 20;

const SHELLS: &[&str] = &["bash", "sh", "shell", "zsh", "console"];

const RUNNERS: &[&str] = &["bash", "sh", "zsh", "python", "python3", "node", "ruby", "perl", "source"];

/// The folders of a skill, named in a body without a prefix.
const FOLDERS: &[&str] = &["scripts/", "references/", "assets/"];

/// Words before a path that an agent shall open.
const OPENING: &[&str] = &["run", "read", "see", "open", "execute", "follow", "leia", "veja", "lee", "ejecuta"];

/// Options that make a command use another directory.
const ELSEWHERE: &[&str] =
    &["-C", "-f", "-w", "-F", "--directory", "--file", "--workspace", "--prefix", "--filter", "--cwd"];

/// The project that a skill is installed in.
pub struct Surroundings<'p> {
    /// The targets of its Makefile, if all of them are listed there.
    make: Option<BTreeSet<String>>,
    scripts: Option<BTreeSet<String>>,
    /// Whether a path relative to its root exists.
    exists: &'p (dyn Fn(&str) -> bool + Sync),
}

impl fmt::Debug for Surroundings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("make", &self.make).field("scripts", &self.scripts).finish_non_exhaustive()
    }
}

impl<'p> Surroundings<'p> {
    /// Reads the texts of the Makefile and of package.json in the project's root, if any.
    pub fn of(makefile: Option<&str>, package: Option<&str>, exists: &'p (dyn Fn(&str) -> bool + Sync)) -> Self {
        Self { make: makefile.and_then(targets), scripts: package.and_then(scripts), exists }
    }
}

/// The targets of a Makefile; none if others may be included.
fn targets(text: &str) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with(['\t', '#', ' '])) {
        let word = line.split_whitespace().next().unwrap_or_default();
        if ["include", "-include", "sinclude", "define", "$(eval"].contains(&word) || word.starts_with("$(") {
            return None;
        }
        let Some((names, rest)) = line.split_once(':') else { continue };
        if rest.starts_with('=') || names.contains('=') {
            continue;
        }
        if names.contains(['%', '$']) {
            return None;
        }
        all.extend(names.split_whitespace().map(str::to_owned));
    }
    Some(all)
}

fn scripts(text: &str) -> Option<BTreeSet<String>> {
    let package: serde_json::Value = serde_json::from_str(text).ok()?;
    if package.get("workspaces").is_some() {
        return None;
    }
    let scripts = package.get("scripts").and_then(serde_json::Value::as_object);
    Some(scripts.map(|scripts| scripts.keys().cloned().collect()).unwrap_or_default())
}

/// Reports what the body refers to and does not exist.
pub(super) fn check(
    subject: &Subject<'_>,
    page: &Page<'_>,
    around: &Surroundings<'_>,
    report: &mut FindingCollector<'_>,
) {
    let mut seen = BTreeSet::new();
    let mut fence: Option<bool> = None;
    for (number, line) in page.body_lines() {
        let bare = line.trim_start();
        if let Some(opened) = bare.strip_prefix("```").or_else(|| bare.strip_prefix("~~~")) {
            fence = match fence {
                None => Some(SHELLS.contains(&opened.trim().to_ascii_lowercase().as_str())),
                Some(_) => None,
            };
            continue;
        }
        let mut gone: Vec<(usize, String)> = Vec::new();
        match fence {
            Some(true) => {
                let command = bare.strip_prefix("$ ").unwrap_or(bare);
                gone.extend(
                    missing(command, false, subject.tree, around).map(|what| (line.len() - command.len(), what)),
                );
            }
            Some(false) => {}
            None => {
                for (at, span) in spans(line) {
                    let before = line.get(..at).unwrap_or_default().trim_end_matches(['`', ' ']);
                    let asked = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                    let asked = OPENING.contains(&asked.to_lowercase().as_str());
                    let found =
                        missing(span, true, subject.tree, around).or_else(|| named(span, asked, subject.tree, around));
                    gone.extend(found.map(|what| (at, what)));
                }
            }
        }
        for (at, what) in gone {
            if seen.len() < MOST && seen.insert(what.clone()) {
                let column = line.get(..at).map_or(1, |before| before.chars().count() + 1);
                report.add(Id::Stale.at(Position { line: number, column }, what));
            }
        }
    }
}

fn spans(line: &str) -> Vec<(usize, &str)> {
    let (mut all, mut from) = (Vec::new(), 0);
    while let Some(open) = line.get(from..).and_then(|rest| rest.find('`')).map(|at| from + at + 1) {
        let Some(length) = line.get(open..).and_then(|rest| rest.find('`')) else { break };
        all.extend(line.get(open..open + length).filter(|span| !span.is_empty()).map(|span| (open, span)));
        from = open + length + 1;
    }
    all
}

/// The missing target, script or file of a command. `alone`: it is a whole span, where prose may look like a command.
fn missing(command: &str, alone: bool, tree: &Tree, around: &Surroundings<'_>) -> Option<String> {
    // A later command may run in another directory.
    let words: Vec<&str> = command.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
    if words
        .iter()
        .any(|word| ELSEWHERE.iter().any(|option| word.starts_with(option)) || ["cd", "pushd"].contains(word))
    {
        return None;
    }
    match words[..] {
        ["make", target, ..] if (!alone || words.len() == 2) && is_word(target) => {
            let known = around.make.as_ref()?;
            (!known.contains(target)).then(|| format!("The Makefile of the project has no target `{target}`"))
        }
        ["npm" | "pnpm" | "yarn" | "bun", "run", script, ..] | ["npm" | "pnpm" | "yarn", script @ "test", ..]
            if is_word(script) =>
        {
            let known = around.scripts.as_ref()?;
            (!known.contains(script)).then(|| format!("package.json of the project has no script `{script}`"))
        }
        [runner, file, ..] if RUNNERS.contains(&runner) => absent(file, tree, around),
        [file, ..] if file.starts_with("./") => absent(file, tree, around),
        _ => None,
    }
}

/// The file in a span, if it is in one of the skill's folders or the agent is told to open it.
fn named(span: &str, asked: bool, tree: &Tree, around: &Surroundings<'_>) -> Option<String> {
    let own = FOLDERS.iter().any(|folder| span.starts_with(folder));
    let is_file = span.rsplit('/').next().is_some_and(|name| name.find('.').is_some_and(|at| at > 0));
    if (own || asked) && is_file { absent(span, tree, around) } else { None }
}

/// A path that is neither in the skill nor in the project, although the folder it begins with is.
fn absent(path: &str, tree: &Tree, around: &Surroundings<'_>) -> Option<String> {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let plain = path.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
    let first = path.split_once('/').map(|(first, _)| first)?;
    if !plain || path.contains("..") || first.is_empty() || path.contains("path/to") {
        return None;
    }
    let in_skill = |path: &str| {
        tree.get(path).is_some()
            || tree.iter().any(|(one, _)| one.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
    };
    let known = in_skill(first) || (around.exists)(first);
    (known && !in_skill(path) && !(around.exists)(path))
        .then(|| format!("`{path}` is neither in the skill nor in the project"))
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._:-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_known_only_where_all_of_them_are_told() {
        let known = |text: &str| targets(text).map(|all| all.into_iter().collect::<Vec<_>>().join(" "));
        assert_eq!(known("X := 1\n.PHONY: a\na: b\n\tcc x:y\nb c:\n").as_deref(), Some(".PHONY a b c"));
        for text in ["include x.mk\na:\n", "%.o: %.c\n", "$(X): y\n", "-include y\n"] {
            assert_eq!(known(text), None, "{text}");
        }
        assert_eq!(scripts("{\"workspaces\":[\"a\"],\"scripts\":{}}"), None);
        assert_eq!(scripts("{}"), Some(BTreeSet::new()));
    }

    #[test]
    fn spans_are_told_with_their_places() {
        assert_eq!(spans("a `b c` and `d`"), [(3, "b c"), (13, "d")]);
        assert_eq!(spans("`open"), []);
    }
}
