//! How each AI CLI is run without a person at it: program, arguments, surroundings and the shape of its answer. Facts only.
//!
//! The prompt always comes on standard input, and no tool is offered. In arguments, variables and files `{system}`
//! stands for the system prompt (which needs no escaping anywhere) and `{side}` for a directory beside the one the CLI
//! works in.

/// The shape of what a CLI prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One JSON object: the text in `result`, `is_error` where it failed.
    ResultObject,
    /// A JSON list of messages; the last one of type `result` is as in [`Shape::ResultObject`].
    ResultList,
    /// One JSON object: the text in `response`; where it failed, an object with `error` on standard error.
    ResponseObject,
    /// The text in the file `last.md` of the side directory; JSON lines of events on standard output.
    LastFile,
    /// JSON lines: the text is what the events of type `text` hold together; `error` events where it failed.
    TextEvents,
    Plain,
}

/// One AI CLI run without a person at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headless {
    pub id: &'static str,
    pub program: &'static str,
    pub args: &'static [&'static str],
    pub vars: &'static [(&'static str, &'static str)],
    /// Variables that are set where the user has not.
    pub defaults: &'static [(&'static str, &'static str)],
    /// Files of the side directory and what they hold.
    pub files: &'static [(&'static str, &'static str)],
    pub shape: Shape,
}

impl Headless {
    /// Whether it takes a system prompt of its own; otherwise that stands before the prompt.
    #[must_use]
    pub fn takes_system(&self) -> bool {
        let named = |text: &&str| text.contains("{system}");
        self.args.iter().any(named)
            || self.vars.iter().any(|(_, value)| named(value))
            || self.files.iter().any(|(_, text)| named(text))
    }
}

/// The CLI of this id.
#[must_use]
pub fn headless(id: &str) -> Option<&'static Headless> {
    HEADLESS.iter().find(|row| row.id == id)
}

/// The CLIs that can be asked for a draft, in the order of the target table.
pub const HEADLESS: &[Headless] = &[
    Headless {
        id: "claude",
        program: "claude",
        args: &[
            "-p", "--output-format", "json", "--tools", "", "--safe-mode", "--no-session-persistence",
            "--system-prompt", "{system}",
        ],
        vars: &[],
        // It would try a refused request for minutes.
        defaults: &[("CLAUDE_CODE_MAX_RETRIES", "2")],
        files: &[],
        shape: Shape::ResultObject,
    },
    Headless {
        id: "gemini",
        program: "gemini",
        args: &["-o", "json", "--skip-trust", "-e", "none", "--policy", "{side}/deny-all.toml"],
        vars: &[("GEMINI_SYSTEM_MD", "{side}/system.md")],
        defaults: &[],
        files: &[
            ("deny-all.toml", "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 999\n"),
            ("system.md", "{system}\n"),
        ],
        shape: Shape::ResponseObject,
    },
    Headless {
        id: "codex",
        program: "codex",
        args: &[
            "exec",
            "--json",
            "--ephemeral",
            "--skip-git-repo-check",
            "-s",
            "read-only",
            "--disable",
            "shell_tool",
            "--disable",
            "unified_exec",
            "-c",
            "web_search=disabled",
            "-c",
            "developer_instructions={system}",
            "-o",
            "{side}/last.md",
            "-",
        ],
        vars: &[],
        defaults: &[],
        files: &[],
        shape: Shape::LastFile,
    },
    Headless {
        id: "copilot",
        program: "copilot",
        // An empty list of tools would be all of them; `none` is no tool's name.
        args: &[
            "-s", "--available-tools=none", "--no-custom-instructions", "--disable-builtin-mcps", "--no-ask-user",
            "--no-auto-update", "--no-color",
        ],
        vars: &[],
        defaults: &[],
        files: &[],
        shape: Shape::Plain,
    },
    Headless {
        id: "opencode",
        program: "opencode",
        args: &["run", "--format", "json", "--agent", "hefesto", "--pure", "--title", "hefesto"],
        vars: &[(
            "OPENCODE_CONFIG_CONTENT",
            r#"{"agent":{"hefesto":{"mode":"primary","prompt":"{system}","permission":{"*":"deny"}}}}"#,
        )],
        defaults: &[],
        files: &[],
        shape: Shape::TextEvents,
    },
    Headless {
        id: "cursor",
        program: "cursor-agent",
        args: &["-p", "--output-format", "json", "--mode", "ask", "--trust"],
        vars: &[],
        defaults: &[],
        files: &[],
        shape: Shape::ResultObject,
    },
    Headless {
        id: "qwen",
        program: "qwen",
        args: &[
            "--bare",
            "--chat-recording",
            "false",
            "-o",
            "json",
            "--system-prompt",
            "{system}",
            "--exclude-tools",
            "run_shell_command,edit,write_file,notebook_edit,read_file,get_goal,update_goal",
            "--max-wall-time",
            "170s",
        ],
        vars: &[],
        defaults: &[],
        files: &[],
        shape: Shape::ResultList,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::target::TABLE;

    #[test]
    fn every_cli_of_the_table_can_be_asked_and_by_a_program_it_is_found_by() {
        for row in TABLE.iter().filter(|row| row.id != "agents") {
            let asked = headless(row.id).unwrap();
            assert!(row.binaries.contains(&asked.program), "{}", row.id);
        }
        assert_eq!(HEADLESS.len(), crate::client::target::CORE);
    }

    #[test]
    fn a_system_prompt_goes_where_there_is_a_place_for_it() {
        let without: Vec<_> = HEADLESS.iter().filter(|row| !row.takes_system()).map(|row| row.id).collect();
        assert_eq!(without, ["copilot", "cursor"]);
    }
}
