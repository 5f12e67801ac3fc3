//! Facts: commands, settings, rules and names in a repository's files that a skill can use. Text in, facts out.

mod base_branch;
mod cargo;
mod ci;
mod command_text;
mod deployment;
pub mod directories;
mod document;
mod effect;
mod formats;
mod given;
pub mod history;
mod jvm;
mod lint;
mod localized;
mod manifests;
mod mobile;
mod node;
pub mod office;
mod openapi;
mod owners;
mod packages;
mod placeholder;
mod pytest;
mod python;
mod relevant;
mod rule_form;
mod rules;
mod runners;
mod safe;
mod settings;
mod source;
mod targets;
mod work_document;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use document::ROW;
pub use effect::Risk;
pub use given::{Given, given};
pub(crate) use rule_form::{denies, is_action, is_order, sentences};
pub(crate) use rules::{STEP, subject as rule_subject};
use source::Reading;
pub use source::{Source, is_known, read};

word_enum! {
    /// What a fact is about.
    Kind {
        Language = "lang",
        Framework = "framework",
        PackageManager = "package.manager",
        /// A package that only a sentence with its name is about.
        Dependency = "dependency",
        TestCommand = "test.command",
        TestConfig = "test.config",
        TestPlugin = "test.plugin",
        TestDirectory = "test.directory",
        BuildCommand = "build.command",
        LintCommand = "lint.command",
        LintConfig = "lint.config",
        RunCommand = "run.command",
        DbCommand = "db.command",
        ReleaseCommand = "release.command",
        DeployCommand = "deploy.command",
        /// Any other command.
        Command = "command",
        Variable = "variable",
        /// A key of an application's settings, with its value.
        Setting = "setting",
        CiJob = "ci.job",
        CiTest = "ci.test",
        CiRelease = "ci.release",
        CiDeploy = "ci.deploy",
        Migrations = "migrations",
        Translations = "translations",
        ApiAuth = "api.auth",
        ApiEndpoint = "api.endpoint",
        ApiStatus = "api.status",
        Container = "container",
        Service = "service",
        Owners = "owners",
        IssueTemplate = "gh.issue-template",
        PrTemplate = "gh.pr-template",
        Labels = "gh.labels",
        /// A form that texts of a kind start from.
        Template = "template",
        /// The columns of a table.
        Columns = "columns",
        Subjects = "vcs.subjects",
        Tags = "vcs.tags",
        /// A file by its name: settings, targets.
        File = "file",
        /// A sentence that says what must, must not or may be done.
        Rule = "rule",
        /// Any other sentence of a document for contributors; it holds for a task that the document is about.
        Statement = "statement",
        /// A numbered step in a file the user named.
        Step = "step",
        /// Any other list item of such a file.
        Note = "note",
    }
}

/// Whether the file at this path is a document about one kind of work.
pub fn is_work_document(path: &str) -> bool {
    work_document::work(document::as_markdown(path).as_deref().unwrap_or(path)).is_some()
}

/// A fact stated by a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub kind: Kind,
    /// The id domain packs refer to: a setting (`xfail_strict`), a plugin (`pytest-xdist`), a language
    /// (`lang-python`).
    pub id: Option<String>,
    /// One line of Markdown, without file and line.
    pub text: String,
    /// The command alone, ready to be typed at the root of the repository.
    pub command: Option<String>,
    /// Relative to the root of the repository, with `/`.
    pub file: String,
    /// 1-based; 0 if the fact is about the whole file or directory.
    pub line: usize,
    pub risk: Option<Risk>,
    /// Lowercase words it is about.
    pub words: Vec<String>,
    /// The work that its document is about, by its name and title: `i18n; translations`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
    /// The heading that a rule stands below; empty for the title of its document, and for no rule.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section: String,
}

impl Fact {
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self {
            kind,
            id: None,
            text: text.into(),
            command: None,
            file: String::new(),
            line: 0,
            risk: None,
            words: Vec::new(),
            work: None,
            section: String::new(),
        }
    }

    pub fn id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// Sets its command, and the risk derived from it.
    pub fn command(self, command: impl Into<String>) -> Self {
        let command = command.into();
        let risk = self.risk.max(Risk::of_command(&command));
        Self { risk, command: Some(command), ..self }
    }

    pub fn at(self, file: impl Into<String>, line: usize) -> Self {
        Self { file: file.into(), line, ..self }
    }

    /// Raises its risk to at least this.
    pub fn risk(self, risk: Option<Risk>) -> Self {
        Self { risk: self.risk.max(risk), ..self }
    }

    /// Adds the words of a text.
    pub fn about(mut self, text: &str) -> Self {
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 1) {
            let word = word.to_lowercase();
            if !self.words.contains(&word) {
                self.words.push(word);
            }
        }
        self
    }

    /// File and line, as appended to the fact in a skill: `Makefile:2`.
    pub fn place(&self) -> String {
        if self.line == 0 { self.file.clone() } else { format!("{}:{}", self.file, self.line) }
    }
}

/// The facts of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    pub all: Vec<Fact>,
    /// How a tool is run in this repository: `pytest` -> `tox -e py312 --`. A tool without an entry is run by its own
    /// name.
    pub runners: BTreeMap<String, String>,
    /// Whether they are of a folder of documents without code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub office: bool,
}

impl Facts {
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a fact with this id is known; `jest` also matches `node.jest`.
    pub fn has(&self, id: &str) -> bool {
        self.get(id).is_some()
    }

    /// The first fact of this id.
    pub fn get(&self, id: &str) -> Option<&Fact> {
        let named = |known: &str| known == id || known.rsplit_once('.').is_some_and(|(_, last)| last == id);
        self.all.iter().find(|fact| fact.id.as_deref().is_some_and(named))
    }

    /// Whether the repository uses the framework, the service or the programming language of this id.
    pub(crate) fn uses(&self, id: &str) -> bool {
        let tools = self.of(Kind::Framework).chain(self.of(Kind::Service));
        self.languages().any(|language| language == id) || tools.into_iter().any(|fact| fact.id.as_deref() == Some(id))
    }

    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Fact> {
        self.all.iter().filter(move |fact| fact.kind == kind)
    }

    /// The facts that a pack's `wants` names: a kind (`ci.test`), the first part of one (`ci`), or a kind and a word
    /// that the fact is about (`rule.test`).
    pub fn wanted(&self, want: &str) -> impl Iterator<Item = &Fact> {
        self.all.iter().filter(move |fact| {
            let word = fact.kind.word();
            let part = |rest: &str| rest.starts_with('.');
            word == want
                || word.strip_prefix(want).is_some_and(part)
                || want.strip_prefix(word).and_then(|rest| rest.strip_prefix('.')).is_some_and(|about| {
                    fact.words.iter().any(|word| word == about || word.strip_suffix('s') == Some(about))
                })
        })
    }

    /// How a tool is run in this repository; by its own name if nothing else is known.
    pub fn runner<'a>(&'a self, tool: &'a str) -> &'a str {
        self.runners.get(tool).map_or(tool, String::as_str)
    }

    /// The programming languages, the one of the root first: `python`, `ruby`. JavaScript includes TypeScript, and Java
    /// includes Kotlin.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        let named = self.of(Kind::Language).filter_map(|fact| fact.id.as_deref()?.strip_prefix("lang-"));
        let alike = |name| match name {
            "typescript" => Some("javascript"),
            "kotlin" => Some("java"),
            _ => None,
        };
        named.flat_map(move |name| [Some(name), alike(name)]).flatten()
    }

    /// The facts that are safe to show: without duplicates, on one line, without credentials, hidden characters, or
    /// instructions to an agent.
    pub fn safe(self) -> Self {
        Self { all: safe::facts(self.all), runners: safe::runners(self.runners), office: self.office }
    }
}

#[cfg(test)]
mod tests;
