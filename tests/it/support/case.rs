//! One case: a directory that says what is there, what is run, and what must come of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::stage::{Ran, Stage, copy, snapshot};

/// A case as it lies in `fixtures/`.
pub(crate) struct Case {
    /// `area/case`.
    pub(crate) name: String,
    dir: PathBuf,
    steps: Vec<Step>,
    seen: Vec<String>,
}

enum Step {
    /// `given …`: a command that prepares; it must end with 0 and is not looked at otherwise.
    Given(Vec<String>),
    /// `sh …`: a line of shell that prepares.
    Shell(String),
    /// `env NAME=VALUE` and `unset NAME`.
    Env(String, Option<String>),
    /// `stub NAME=VERSION`: puts another stub on PATH.
    Stub(String),
    /// Anything else: the command the case is about.
    Run(Vec<String>),
    /// `run …`: a line of shell the case is about.
    RunShell(String),
}

/// Reads every case below `fixtures/`.
pub(crate) fn all(fixtures: &Path) -> Vec<Case> {
    let mut found: Vec<PathBuf> = walkdir::WalkDir::new(fixtures)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_name() == "cmd")
        .map(|entry| entry.path().parent().unwrap().to_path_buf())
        .collect();
    found.sort();
    found.iter().map(|dir| Case::read(fixtures, dir)).collect()
}

impl Case {
    fn read(fixtures: &Path, dir: &Path) -> Self {
        let name = dir.strip_prefix(fixtures).unwrap().display().to_string();
        let (mut steps, mut seen) = (Vec::new(), Vec::new());
        for line in fs::read_to_string(dir.join("cmd")).unwrap().lines() {
            let line = line.trim();
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let words = |text: &str| shell_words::split(text).unwrap_or_else(|why| panic!("{name}: {why}: {text}"));
            match word {
                "" | "#" => {}
                "see" => seen.extend(rest.split_whitespace().map(str::to_owned)),
                "given" => steps.push(Step::Given(words(rest))),
                "sh" => steps.push(Step::Shell(rest.to_owned())),
                "run" => steps.push(Step::RunShell(rest.to_owned())),
                "stub" => steps.push(Step::Stub(rest.to_owned())),
                "unset" => steps.push(Step::Env(rest.to_owned(), None)),
                "env" => {
                    let (variable, value) = rest.split_once('=').expect("env NAME=VALUE");
                    steps.push(Step::Env(variable.to_owned(), Some(value.to_owned())));
                }
                _ => steps.push(Step::Run(words(line))),
            }
        }
        Self { name, dir: dir.to_path_buf(), steps, seen }
    }

    /// A file of the case, if it is there.
    pub(crate) fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.dir.join(name)).ok()
    }

    /// Runs the case on a stage of its own and says what is not as promised, or rewrites what is expected.
    pub(crate) fn check(&self, update: bool) -> Result<(), String> {
        let stubs = self.file("stubs").unwrap_or_default();
        let mut stage = Stage::new(&stubs.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>());
        for (from, to) in [("in", stage.project()), ("home", stage.home())] {
            if self.dir.join(from).is_dir() {
                copy(&self.dir.join(from), &to);
            }
        }
        let wanted = |path: &str| {
            let own = path == ".hefesto" || path.starts_with(".hefesto/");
            !own || self.seen.iter().any(|prefix| path.starts_with(prefix.as_str()))
        };
        let mut before = None;
        let mut runs: Vec<Ran> = Vec::new();
        for step in &self.steps {
            match step {
                Step::Env(name, Some(value)) => stage.set(name, value),
                Step::Env(name, None) => stage.unset(name),
                Step::Stub(stub) => stage.stubs(&[stub.as_str()]),
                Step::Given(words) => {
                    let ran = stage.hefesto(words, b"");
                    if ran.exit != Some(0) {
                        return Err(format!("given {words:?}: {ran:?}"));
                    }
                }
                Step::Shell(line) => {
                    let ran = stage.shell(line);
                    if ran.exit != Some(0) {
                        return Err(format!("sh {line}: {ran:?}"));
                    }
                }
                Step::Run(words) => {
                    before.get_or_insert_with(|| snapshot(&stage.project(), &wanted));
                    let mut words = words.clone();
                    if self.dir.join("answers").is_file() {
                        words.splice(0..0, ["--answers".to_owned(), self.dir.join("answers").display().to_string()]);
                    }
                    let input = fs::read(self.dir.join("stdin")).unwrap_or_default();
                    runs.push(stage.hefesto(&words, &input));
                }
                Step::RunShell(line) => {
                    before.get_or_insert_with(|| snapshot(&stage.project(), &wanted));
                    runs.push(stage.shell(line));
                }
            }
        }
        let before = before.ok_or("the case runs nothing")?;
        let after = snapshot(&stage.project(), &wanted);
        let exits: Vec<String> =
            runs.iter().map(|ran| ran.exit.map_or("signal".into(), |exit| exit.to_string())).collect();
        let joined = |of: fn(&Ran) -> &str| runs.iter().map(of).collect::<String>();
        let result = Outcome {
            exits: exits.join(" ") + "\n",
            stdout: joined(|ran| &ran.stdout),
            stderr: joined(|ran| &ran.stderr),
            tree: difference(&before, &after),
        };
        if update {
            self.rewrite(&result, &stage);
        }
        let mut wrong = String::new();
        self.compare(&result, runs.len(), &mut wrong);
        self.compare_json(&runs, &mut wrong);
        self.compare_files(&stage, &mut wrong);
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    fn compare(&self, result: &Outcome, runs: usize, wrong: &mut String) {
        let silent = vec!["0"; runs].join(" ") + "\n";
        let exits = self.file("exit").unwrap_or(silent);
        if exits.trim() != result.exits.trim() {
            let _ = writeln!(wrong, "exit {}, expected {}", result.exits.trim(), exits.trim());
        }
        for (name, is) in [("stdout", &result.stdout), ("stderr", &result.stderr)] {
            let whole = self.file(name);
            let parts = self.file(&format!("{name}.contains"));
            let json = name == "stdout" && self.file("json").is_some();
            if let Some(expected) = &whole
                && expected != is
            {
                let _ = writeln!(wrong, "{name} is\n{is}expected\n{expected}");
            }
            for line in parts.iter().flat_map(|text| text.lines()) {
                match line.strip_prefix("! ") {
                    Some(line) if is.contains(line) => {
                        let _ = writeln!(wrong, "{name} must not hold {line:?}:\n{is}");
                    }
                    None if !is.contains(line) => {
                        let _ = writeln!(wrong, "{name} lacks {line:?}:\n{is}");
                    }
                    _ => {}
                }
            }
            if whole.is_none() && parts.is_none() && !json && !is.is_empty() {
                let _ = writeln!(wrong, "{name} is not empty:\n{is}");
            }
        }
        let tree = self.file("tree").unwrap_or_default();
        if tree != result.tree && !self.dir.join("out").is_dir() {
            let _ = writeln!(wrong, "the tree changed by\n{}expected\n{tree}", result.tree);
        }
    }

    /// `json`: lines `/pointer = VALUE`, `/pointer ~ "part"`, `/pointer absent`, about the last run. Every run with
    /// `--json` must answer one document of the known shape.
    fn compare_json(&self, runs: &[Ran], wrong: &mut String) {
        let Some(wanted) = self.file("json") else { return };
        let mut last = Value::Null;
        for ran in runs {
            match serde_json::from_str::<Value>(&ran.stdout) {
                Ok(answer) => last = answer,
                Err(why) => {
                    let _ = writeln!(wrong, "stdout is not one JSON document: {why}\n{}", ran.stdout);
                    return;
                }
            }
            let exit = ran.exit.unwrap_or_default();
            let ok = last["ok"] == Value::Bool(exit == 0 || exit == 8);
            let error = if last["error"].is_null() { 0 } else { last["error"]["exit"].as_i64().unwrap_or(-1) };
            if last["schema"] != "hefesto/1" || !ok || error != i64::from(exit) || !last["warnings"].is_array() {
                let _ = writeln!(wrong, "the answer does not fit the exit {exit}: {last}");
            }
        }
        for line in wanted.lines().filter(|line| !line.is_empty()) {
            let (pointer, rest) = line.split_once(' ').unwrap_or((line, ""));
            let is = last.pointer(pointer);
            let (operator, value) = rest.split_once(' ').unwrap_or((rest, ""));
            let value: Value = serde_json::from_str(value).unwrap_or_default();
            let fits = match operator {
                "=" => is == Some(&value),
                "~" => is.is_some_and(|is| match (is.as_str(), value.as_str()) {
                    (Some(is), Some(part)) => is.contains(part),
                    (None, Some(part)) => is.to_string().contains(part),
                    _ => false,
                }),
                "absent" => is.is_none_or(Value::is_null),
                _ => false,
            };
            if !fits {
                let _ = writeln!(wrong, "{line}: is {}", is.map_or("absent".into(), Value::to_string));
            }
        }
    }

    /// `files`: lines `PATH: text it holds`, `PATH ! text it must not hold`; and `out/`, the whole tree.
    fn compare_files(&self, stage: &Stage, wrong: &mut String) {
        for line in self.file("files").unwrap_or_default().lines().filter(|line| !line.is_empty()) {
            let (path, text, must) = match (line.split_once(": "), line.split_once(" ! ")) {
                (_, Some((path, text))) if !path.contains(": ") => (path, text, false),
                (Some((path, text)), _) => (path, text, true),
                _ => panic!("{}: files: {line}", self.name),
            };
            let is = match fs::read(stage.project().join(path)) {
                Ok(bytes) => stage.masked(&String::from_utf8_lossy(&bytes)),
                Err(why) => {
                    let _ = writeln!(wrong, "{path}: {why}");
                    continue;
                }
            };
            if is.contains(text) != must {
                let _ = writeln!(wrong, "{line}: does not hold of\n{is}");
            }
        }
        let out = self.dir.join("out");
        if out.is_dir() {
            let (expected, is) = (leaves(&out), leaves(&stage.project()));
            let changes = difference(&expected, &is);
            if !changes.is_empty() {
                let _ = writeln!(wrong, "the tree differs from out/:\n{changes}");
            }
        }
    }

    fn rewrite(&self, result: &Outcome, stage: &Stage) {
        let save = |name: &str, text: &str, silent: bool| {
            let path = self.dir.join(name);
            if silent {
                let _absent = fs::remove_file(path);
            } else {
                fs::write(path, text).unwrap();
            }
        };
        save("exit", &result.exits, result.exits.split_whitespace().all(|exit| exit == "0"));
        for (name, is) in [("stdout", &result.stdout), ("stderr", &result.stderr)] {
            let partly = self.file(&format!("{name}.contains")).is_some();
            let json = name == "stdout" && self.file("json").is_some();
            if self.file(name).is_some() || !(partly || json) {
                save(name, is, is.is_empty());
            }
        }
        let out = self.dir.join("out");
        if out.is_dir() {
            fs::remove_dir_all(&out).unwrap();
            for path in leaves(&stage.project()).keys().filter(|path| !path.ends_with('/')) {
                fs::create_dir_all(out.join(path).parent().unwrap()).unwrap();
                fs::copy(stage.project().join(path), out.join(path)).unwrap();
            }
        } else {
            save("tree", &result.tree, result.tree.is_empty());
        }
    }
}

struct Outcome {
    exits: String,
    stdout: String,
    stderr: String,
    tree: String,
}

/// The files of a tree outside `.hefesto/`; a repository cannot hold an empty directory.
fn leaves(root: &Path) -> BTreeMap<String, Vec<u8>> {
    snapshot(root, &|path| !path.starts_with(".hefesto") && !root.join(path).is_dir())
}

/// What was added (`+`), changed (`~`) and removed (`-`), one path per line.
fn difference(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> String {
    let mut lines = String::new();
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for path in paths {
        if path.ends_with('/') && after.keys().any(|other| other.len() > path.len() && other.starts_with(path.as_str()))
        {
            continue; // an empty directory that is no longer empty
        }
        let mark = match (before.get(path), after.get(path)) {
            (None, Some(_)) => '+',
            (Some(_), None) => '-',
            (old, new) if old != new => '~',
            _ => continue,
        };
        let _ = writeln!(lines, "{mark} {path}");
    }
    lines
}
