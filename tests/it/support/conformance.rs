//! The cases of the conformance suite as they lie in `fixtures/conformance/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

/// One case: a skill's folder and what is true of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// `group/name`.
    #[serde(skip)]
    pub(crate) id: String,
    #[serde(skip)]
    pub(crate) dir: PathBuf,
    /// What the case is about, in one line.
    pub(crate) about: String,
    /// What the expectation rests on.
    pub(crate) clause: String,
    /// Whether the texts decide the verdict; otherwise it is our choice.
    pub(crate) decided: bool,
    /// Why we chose so, where the texts do not decide.
    pub(crate) why: Option<String>,
    pub(crate) verdict: Verdict,
    /// The name of the skill's folder below the case.
    pub(crate) folder: String,
    /// What stands for `{{NAME}}` in the skill's files, in pieces: no file of a repository holds a credential whole.
    #[serde(default)]
    pub(crate) fill: BTreeMap<String, Vec<String>>,
    /// Everything that is to be found.
    #[serde(default, rename = "finding")]
    pub(crate) findings: Vec<Expected>,
}

/// What a validator says of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Valid,
    Invalid,
}

/// One finding that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expected {
    /// The file inside the skill; SKILL.md where it is not said.
    #[serde(default = "skill_md")]
    pub(crate) file: String,
    /// 1-based line.
    pub(crate) line: usize,
    /// 1-based column in Unicode scalar values.
    pub(crate) column: usize,
    pub(crate) rule: String,
    /// `error`, `warning` or `info`.
    pub(crate) severity: String,
}

fn skill_md() -> String {
    "SKILL.md".to_owned()
}

impl Case {
    /// The skill's folder as it lies in the suite.
    pub(crate) fn skill(&self) -> PathBuf {
        self.dir.join(&self.folder)
    }

    /// The skill's folder as it is to be checked: where the case has something to fill in, a copy below this directory.
    pub(crate) fn laid(&self, below: &Path) -> io::Result<PathBuf> {
        if self.fill.is_empty() {
            return Ok(self.skill());
        }
        let skill = below.join(&self.id).join(&self.folder);
        for entry in walkdir::WalkDir::new(self.skill()) {
            let entry = entry?;
            let to = skill.join(entry.path().strip_prefix(self.skill()).map_err(io::Error::other)?);
            if entry.file_type().is_dir() {
                fs::create_dir_all(&to)?;
                continue;
            }
            let mut text = fs::read_to_string(entry.path())?;
            for (name, pieces) in &self.fill {
                text = text.replace(&format!("{{{{{name}}}}}"), &pieces.concat());
            }
            fs::write(&to, text)?;
            fs::set_permissions(&to, entry.metadata()?.permissions())?;
        }
        Ok(skill)
    }
}

/// Every case below a suite's directory, by its id.
pub(crate) fn all(suite: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for entry in walkdir::WalkDir::new(suite).min_depth(3).max_depth(3) {
        let entry = entry?;
        if entry.file_name() == "expect.toml" {
            cases.push(read(suite, entry.path())?);
        }
    }
    cases.sort_by(|a: &Case, b| a.id.cmp(&b.id));
    Ok(cases)
}

fn read(suite: &Path, path: &Path) -> io::Result<Case> {
    let named = |why: &dyn std::fmt::Display| io::Error::other(format!("{}: {why}", path.display()));
    let dir = path.parent().unwrap_or(suite);
    let text = fs::read_to_string(path).map_err(|why| named(&why))?;
    let mut case: Case = toml::from_str(&text).map_err(|why| named(&why))?;
    case.id = dir.strip_prefix(suite).unwrap_or(dir).display().to_string();
    case.dir = dir.to_owned();
    Ok(case)
}
