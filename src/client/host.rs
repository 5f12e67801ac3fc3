//! Detects who runs hefesto, a person, a CI job or an AI CLI, by environment variables.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// A person, or a script of theirs.
    Person,
    /// A job of a CI system (`CI` is set).
    Ci,
    /// An AI CLI: its id in the target table if it has a record there, its own name otherwise.
    Agent(&'static str),
}

/// The variable an AI CLI sets for the programs it starts, and the CLI. A fork of another CLI may set both its own
/// variable and the other's: its row comes first.
const AGENTS: &[(&str, &str)] = &[
    ("KILO", "kilo"),
    ("QWEN_CODE", "qwen"),
    ("CLAUDECODE", "claude"),
    ("GEMINI_CLI", "gemini"),
    ("CODEX_CI", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("COPILOT_CLI", "copilot"),
    ("CURSOR_AGENT", "cursor"),
    ("CRUSH", "crush"),
    ("AUGMENT_AGENT", "auggie"),
    ("OPENCODE", "opencode"),
    ("AI_AGENT", "agent"),
    ("AGENT", "agent"),
];

impl Host {
    /// Reads it from the variables; empty, `0` or `false` counts as unset. An AI CLI in a CI job counts as the
    /// AI CLI.
    pub fn of<'v>(var: impl Fn(&str) -> Option<&'v str>) -> Self {
        let set = |name: &str| var(name).is_some_and(|value| !matches!(value, "" | "0" | "false"));
        match AGENTS.iter().find(|(name, _)| set(name)) {
            Some((_, agent)) => Self::Agent(agent),
            None if set("CI") => Self::Ci,
            None => Self::Person,
        }
    }

    /// The actor in the short-term memory (STM-1): `user`, `ci`, `agent`.
    pub fn actor(self) -> &'static str {
        match self {
            Self::Person => "user",
            Self::Ci => "ci",
            Self::Agent(_) => "agent",
        }
    }

    /// The embodiment in the short-term memory (STM-10): `cli`, `ci`, or the AI CLI's id.
    pub fn embodiment(self) -> &'static str {
        match self {
            Self::Person => "cli",
            Self::Ci => "ci",
            Self::Agent(id) => id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(vars: &[(&'static str, &'static str)]) -> Host {
        Host::of(|name| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    #[test]
    fn each_agent_is_known_by_its_variable() {
        for (vars, id) in [
            (&[("CLAUDECODE", "1"), ("AI_AGENT", "claude-code_2-1-330_agent")][..], "claude"),
            (&[("GEMINI_CLI", "1")], "gemini"),
            (&[("CODEX_CI", "1"), ("NO_COLOR", "1")], "codex"),
            (&[("COPILOT_CLI", "1")], "copilot"),
            (&[("OPENCODE", "1"), ("AGENT", "1")], "opencode"),
            (&[("KILO", "1"), ("OPENCODE", "1"), ("AGENT", "1")], "kilo"),
            (&[("QWEN_CODE", "1")], "qwen"),
            (&[("CURSOR_AGENT", "1")], "cursor"),
            (&[("AI_AGENT", "something-new")], "agent"),
            (&[("CI", "true"), ("CLAUDECODE", "1")], "claude"),
        ] {
            assert_eq!(host(vars), Host::Agent(id), "{vars:?}");
        }
    }

    #[test]
    fn without_an_agent_it_is_a_ci_job_or_a_person() {
        assert_eq!(host(&[("CI", "true")]), Host::Ci);
        for vars in [&[][..], &[("CI", "false")], &[("CI", "")], &[("CLAUDECODE", "0")], &[("AGENTS", "1")]] {
            assert_eq!(host(vars), Host::Person, "{vars:?}");
        }
        assert_eq!((Host::Person.actor(), Host::Person.embodiment()), ("user", "cli"));
        assert_eq!((Host::Agent("qwen").actor(), Host::Agent("qwen").embodiment()), ("agent", "qwen"));
    }
}
