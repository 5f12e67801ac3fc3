//! The target table: one row per AI CLI, facts only.

use super::{Arguments, Target};

/// How many of the table's rows are AI CLIs (the last row is the shared directory).
pub const CORE: usize = 7;

/// A row as it stands in the program.
#[derive(Debug)]
pub struct Row {
    /// See [`Target::id`].
    pub id: &'static str,
    /// See [`Target::title`].
    pub title: &'static str,
    /// See [`Target::binaries`].
    pub binaries: &'static [&'static str],
    /// See [`Target::home_dirs`].
    pub home_dirs: &'static [&'static str],
    /// See [`Target::project_marks`].
    pub project_marks: &'static [&'static str],
    /// See [`Target::skills_dir`].
    pub skills_dir: &'static str,
    /// See [`Target::also_reads`].
    pub also_reads: &'static [&'static str],
    /// See [`Target::arguments`].
    pub arguments: Arguments,
    /// See [`Target::invoke`].
    pub invoke: &'static str,
}

impl Row {
    /// The row as a value that configured targets share.
    #[must_use]
    pub fn target(&self) -> Target {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        Target {
            id: self.id.into(),
            title: self.title.into(),
            binaries: owned(self.binaries),
            home_dirs: owned(self.home_dirs),
            project_marks: owned(self.project_marks),
            skills_dir: self.skills_dir.into(),
            also_reads: owned(self.also_reads),
            arguments: self.arguments,
            invoke: self.invoke.into(),
        }
    }
}

/// The table, in order of priority. `agents` is the directory many clients share; it is never detected.
pub const TABLE: &[Row] = &[
    Row {
        id: "claude",
        title: "Claude Code",
        binaries: &["claude"],
        home_dirs: &[".claude"],
        project_marks: &[".claude"],
        skills_dir: ".claude/skills",
        also_reads: &[],
        arguments: Arguments::Dollar,
        invoke: "/NAME",
    },
    Row {
        id: "gemini",
        title: "Gemini CLI",
        binaries: &["gemini"],
        home_dirs: &[".gemini"],
        project_marks: &[".gemini"],
        skills_dir: ".gemini/skills",
        also_reads: &[".agents/skills"],
        arguments: Arguments::Braces,
        invoke: "/NAME",
    },
    Row {
        id: "codex",
        title: "OpenAI Codex CLI",
        binaries: &["codex"],
        home_dirs: &[".codex"],
        project_marks: &[".codex"],
        skills_dir: ".codex/skills",
        also_reads: &[".agents/skills"],
        arguments: Arguments::Dollar,
        invoke: "$NAME",
    },
    Row {
        id: "copilot",
        title: "GitHub Copilot",
        binaries: &["copilot", "github-copilot"],
        home_dirs: &[".copilot"],
        project_marks: &[".github/copilot-instructions.md", ".github/agents", ".github/skills"],
        skills_dir: ".github/skills",
        also_reads: &[".agents/skills", ".claude/skills"],
        arguments: Arguments::Dollar,
        invoke: "/NAME",
    },
    Row {
        id: "opencode",
        title: "OpenCode",
        binaries: &["opencode"],
        home_dirs: &[".config/opencode", ".opencode"],
        project_marks: &[".opencode"],
        skills_dir: ".opencode/skills",
        also_reads: &[".claude/skills", ".agents/skills"],
        arguments: Arguments::Dollar,
        invoke: "/NAME",
    },
    Row {
        id: "cursor",
        title: "Cursor",
        binaries: &["cursor-agent", "cursor"],
        home_dirs: &[".cursor"],
        project_marks: &[".cursor"],
        skills_dir: ".cursor/skills",
        also_reads: &[".claude/skills", ".codex/skills", ".agents/skills"],
        arguments: Arguments::Dollar,
        invoke: "/NAME",
    },
    Row {
        id: "qwen",
        title: "Qwen Code",
        binaries: &["qwen"],
        home_dirs: &[".qwen"],
        project_marks: &[".qwen"],
        skills_dir: ".qwen/skills",
        also_reads: &[".agents/skills"],
        arguments: Arguments::Braces,
        invoke: "/NAME",
    },
    Row {
        id: "agents",
        title: "the shared .agents directory",
        binaries: &[],
        home_dirs: &[],
        project_marks: &[],
        skills_dir: ".agents/skills",
        also_reads: &[],
        arguments: Arguments::Dollar,
        invoke: "by description",
    },
];
