//! How each AI CLI is run non-interactively: program, arguments, environment and output format. Facts only.
//!
//! The prompt always comes on standard input, and no tool is offered. In arguments, variables and files `{system}` is
//! replaced by the system prompt (which needs no escaping anywhere) and `{side}` by a directory beside the one the CLI
//! works in.

/// The output format of a CLI.
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

/// An AI CLI run non-interactively.
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
    /// A CLI that needs neither variables nor files.
    pub(super) const TYPICAL: Self =
        Self { id: "", program: "", args: &[], vars: &[], defaults: &[], files: &[], shape: Shape::Plain };

    /// Whether it takes a separate system prompt; otherwise that is prepended to the prompt.
    pub fn takes_system(&self) -> bool {
        let named = |text: &&str| text.contains("{system}");
        self.args.iter().any(named)
            || self.vars.iter().any(|(_, value)| named(value))
            || self.files.iter().any(|(_, text)| named(text))
    }
}

pub fn headless(id: &str) -> Option<&'static Headless> {
    super::record(id)?.headless.as_ref()
}

#[cfg(test)]
mod tests {
    use crate::client::target::drafters;

    #[test]
    fn a_system_prompt_goes_where_there_is_a_place_for_it() {
        let without: Vec<_> = drafters().filter(|row| !row.takes_system()).map(|row| row.id).collect();
        assert_eq!(without, ["copilot", "cursor"]);
    }
}
