//! Where hefesto's own command goes in each AI CLI. Facts only.

use super::Target;

/// The name of hefesto's own command as a skill. A skill's name has no dot.
pub const SKILL: &str = "hefesto-create";

/// The form of hefesto's own command in an AI CLI. A command file is better than a skill if the CLI inserts the
/// arguments into its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A skill named [`SKILL`] in its skills directory.
    Skill,
    /// A TOML file with `description` and `prompt`.
    Toml(&'static str),
    /// A Markdown file with a `description` in its frontmatter.
    Markdown(&'static str),
}

impl Target {
    /// The form of hefesto's own command there.
    pub fn own_command(&self) -> Form {
        super::record(&self.id).map_or(Form::Skill, |record| record.command)
    }

    /// How a person invokes it there.
    pub fn own_call(&self) -> String {
        match self.own_command() {
            Form::Skill => self.invoke.replace("NAME", SKILL),
            Form::Toml(_) | Form::Markdown(_) => "/hefesto.create".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::client::target::Targets;

    #[test]
    fn it_is_called_as_each_cli_calls_its_own() {
        let targets = Targets::with(Vec::new());
        let call = |id: &str| targets.get(id).unwrap().own_call();
        assert_eq!(["claude", "codex", "gemini"].map(call), ["/hefesto-create", "$hefesto-create", "/hefesto.create"]);
    }
}
