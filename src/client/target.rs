//! The targets: the names, skills directories and detection marks of AI CLIs.

mod client;
mod reads;
mod switches;
mod table;

use std::fmt;
use std::str::FromStr;

pub use client::{API, Beyond, Budget, Client, Effect, Limit, NameForm, ReservedNames, client};
pub use reads::{Plugins, Reads, SystemPath, Twice, UserDir, reads, user_dirs};
pub use switches::{Asked, Said, SettingsFile, Switch, Switches, decided};
pub use table::{READERS, Reader, TABLE, clients, drafters, record};

/// The placeholder of a client for the arguments of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    Dollar,
    Braces,
}

impl Arguments {
    /// The placeholder in a skill's text (T0-HEFESTO-09).
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Dollar => "$ARGUMENTS",
            Self::Braces => "{{args}}",
        }
    }

    /// The placeholder of the other family, which must not be in this client's copy.
    pub fn foreign(self) -> &'static str {
        match self {
            Self::Dollar => "{{args}}",
            Self::Braces => "$ARGUMENTS",
        }
    }
}

word_enum! {
    /// Where the copies of a skill go.
    Layout {
        Native = "native",
        /// The shared directory, and the own ones of clients that do not read it.
        Shared = "shared",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The id used in flags, MEMORY.md and JSON.
    pub id: String,
    pub title: String,
    /// Names searched for on PATH, first match counts.
    pub binaries: Vec<String>,
    /// Configuration directories below the home directory.
    pub home_dirs: Vec<String>,
    /// Directories or files in the project by which the client is detected. A bare `.github` does not count.
    pub project_marks: Vec<String>,
    pub skills_dir: String,
    /// Other project directories this client reads skills from.
    pub also_reads: Vec<String>,
    pub arguments: Arguments,
    /// How a person invokes a skill there, with `NAME` for the skill's name.
    pub invoke: String,
}

impl Target {
    /// The path of a skill with this name, relative to the project root, with `/` between components.
    pub fn skill_dir(&self, name: &str) -> String {
        format!("{}/{name}", self.skills_dir)
    }
}

/// The id of the directory that many clients share.
pub const SHARED: &str = "agents";

/// All targets known to this project: the table and the configured ones, in order.
#[derive(Debug, Clone)]
pub struct Targets(Vec<Target>);

impl Targets {
    /// The built-in table followed by the configured targets; a configured id replaces a built-in one.
    pub fn with(custom: Vec<Target>) -> Self {
        let mut all: Vec<Target> = TABLE.iter().map(|record| record.target()).collect();
        for target in custom {
            match all.iter_mut().find(|known| known.id == target.id) {
                Some(known) => *known = target,
                None => all.push(target),
            }
        }
        Self(all)
    }

    /// The same for the user's own skills: each client's user directory, and the others of the table it reads. `same`
    /// tells whether a client's directory is the one at that path in the table, which it is not if a variable moves one
    /// of the two. A target with an unknown client keeps its own path below the home directory.
    pub fn of_user(mut self, same: impl Fn(&UserDir) -> bool) -> Self {
        let own: Vec<String> = user_dirs().map(|dir| dir.home.to_owned()).collect();
        for target in &mut self.0 {
            let Some(known) = reads(target) else { continue };
            let Some(dir) = known.own_user_dir() else { continue };
            dir.home.clone_into(&mut target.skills_dir);
            let others = known.user.iter().filter(|other| other.home != dir.home && same(other));
            target.also_reads = others.map(|other| other.home.to_owned()).filter(|dir| own.contains(dir)).collect();
        }
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = &Target> {
        self.0.iter()
    }

    pub fn get(&self, id: &str) -> Option<&Target> {
        self.0.iter().find(|target| target.id == id)
    }

    /// The target for this id: the shared directory for a client that is served through it.
    pub fn meant(&self, id: &str) -> Option<&Target> {
        self.get(id).or_else(|| READERS.iter().any(|reader| reader.id == id).then(|| self.get(SHARED)).flatten())
    }

    pub fn nearest(&self, typed: &str) -> Option<&str> {
        let all = self.0.iter().map(|target| (strsim::jaro_winkler(typed, &target.id), target.id.as_str()));
        let best = all.filter(|(score, _)| *score > 0.75).max_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, id)| id)
    }

    pub fn ids(&self) -> String {
        self.0.iter().map(|target| target.id.as_str()).collect::<Vec<_>>().join(", ")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    All,
    /// These ids in order, without duplicates. Not yet checked against the table.
    Named(Vec<String>),
}

impl FromStr for Selection {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut named: Vec<String> = Vec::new();
        for id in text.split(',').map(|id| id.trim().to_ascii_lowercase()).filter(|id| !id.is_empty()) {
            if id == "all" {
                return Ok(Self::All);
            }
            if !named.contains(&id) {
                named.push(id);
            }
        }
        Ok(Self::Named(named))
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Named(ids) => f.write_str(&ids.join(",")),
        }
    }
}

/// The name of hefesto's own command as a skill. A skill's name has no dot.
pub const OWN_SKILL: &str = "hefesto-create";

/// The form of hefesto's own command in an AI CLI. A command file is better than a skill if the CLI inserts the
/// arguments into its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A skill named [`OWN_SKILL`] in its skills directory.
    Skill,
    /// A TOML file with `description` and `prompt`.
    Toml(&'static str),
    /// A Markdown file with a `description` in its frontmatter.
    Markdown(&'static str),
}

impl Target {
    pub fn own_command(&self) -> Form {
        record(&self.id).map_or(Form::Skill, |record| record.command)
    }

    pub fn own_call(&self) -> String {
        match self.own_command() {
            Form::Skill => self.invoke.replace("NAME", OWN_SKILL),
            Form::Toml(_) | Form::Markdown(_) => "/hefesto.create".to_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One JSON object: the text in `result`, `is_error` if it failed.
    ResultObject,
    /// A JSON list of messages; the last one of type `result` is as in [`Shape::ResultObject`].
    ResultList,
    /// One JSON object: the text in `response`; if it failed, an object with `error` on standard error.
    ResponseObject,
    /// The text in the file `last.md` of the side directory; JSON lines of events on standard output.
    LastFile,
    /// JSON lines: the text is joined from the events of type `text`; `error` events if it failed.
    TextEvents,
    Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headless {
    pub id: &'static str,
    pub program: &'static str,
    pub args: &'static [&'static str],
    pub vars: &'static [(&'static str, &'static str)],
    /// Variables that are set unless the user has set them.
    pub defaults: &'static [(&'static str, &'static str)],
    /// Files of the side directory and their contents.
    pub files: &'static [(&'static str, &'static str)],
    pub shape: Shape,
}

impl Headless {
    const fn typical(id: &'static str, program: &'static str) -> Self {
        Self { id, program, args: &[], vars: &[], defaults: &[], files: &[], shape: Shape::Plain }
    }

    /// Whether it takes a separate system prompt; otherwise that is prepended to the prompt.
    pub fn takes_system(&self) -> bool {
        let named = |text: &&str| text.contains("{system}");
        self.args.iter().any(named)
            || self.vars.iter().any(|(_, value)| named(value))
            || self.files.iter().any(|(_, text)| named(text))
    }
}

pub fn headless(id: &str) -> Option<&'static Headless> {
    record(id)?.headless.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: &str = "claude, gemini, codex, copilot, opencode, cursor, qwen, kiro, junie, grok, continue, qoder, trae, \
                       openhands, agents";

    #[test]
    fn the_clis_come_first_and_the_shared_directory_last() {
        let targets = Targets::with(Vec::new());
        assert_eq!(targets.ids(), IDS);
        assert_eq!(targets.meant("zed").map(|t| t.id.as_str()), Some("agents"));
        assert_eq!(targets.get("copilot").map(|t| t.skill_dir("x")).as_deref(), Some(".github/skills/x"));
    }

    #[test]
    fn the_users_own_skills_have_directories_of_their_own() {
        let at_home = Targets::with(Vec::new()).of_user(|_| true);
        let row = |id: &str| at_home.get(id).map(|target| (target.skills_dir.as_str(), target.also_reads.join(" ")));
        assert_eq!(row("claude"), Some((".claude/skills", String::new())));
        assert_eq!(row("copilot"), Some((".copilot/skills", ".agents/skills".into())));
        assert_eq!(row("opencode"), Some((".config/opencode/skills", ".claude/skills .agents/skills".into())));
        assert_eq!(row("codex"), Some((".codex/skills", ".agents/skills".into())));
        let elsewhere = Targets::with(Vec::new()).of_user(|dir| dir.home != ".claude/skills");
        let opencode = elsewhere.get("opencode").map(|target| target.also_reads.clone());
        assert_eq!(opencode, Some(vec![".agents/skills".to_owned()]));
    }

    #[test]
    fn only_gemini_and_qwen_write_braces() {
        let braces: Vec<_> = TABLE.iter().filter(|row| row.arguments == Arguments::Braces).map(|row| row.id).collect();
        assert_eq!(braces, ["gemini", "qwen"]);
    }

    #[test]
    fn a_selection_is_a_list_without_repeats() {
        assert_eq!("claude, gemini,claude".parse(), Ok(Selection::Named(vec!["claude".into(), "gemini".into()])));
        assert_eq!("ALL".parse(), Ok(Selection::All));
    }

    #[test]
    fn it_is_called_as_each_cli_calls_its_own() {
        let targets = Targets::with(Vec::new());
        let call = |id: &str| targets.get(id).unwrap().own_call();
        assert_eq!(["claude", "codex", "gemini"].map(call), ["/hefesto-create", "$hefesto-create", "/hefesto.create"]);
    }

    #[test]
    fn a_system_prompt_goes_where_there_is_a_place_for_it() {
        let without: Vec<_> = drafters().filter(|row| !row.takes_system()).map(|row| row.id).collect();
        assert_eq!(without, ["copilot", "cursor"]);
    }
}
