//! Templates: the text of a skill with variables.
//!
//! `{{NAME}}` is a variable, `{{{{NAME}}}}` the literal `{{NAME}}`. Rendering is one pass: values are never parsed as
//! templates, so user text is unchanged.

mod engine;
mod front;
mod gap;
mod limits;
mod problem;
mod values;

pub use gap::{first_gap_line, gaps, questions, without_gaps};
pub use problem::{Problem, problems, uses};
pub use values::{MEANINGS, Values};

use crate::client::target::Arguments;
use crate::error::{Code, Error};
use crate::skill::sentence::{Language, language_of};

word_enum! {
    Origin {
        BuiltIn = "built-in",
        /// The project's `.hefesto/templates/`.
        Project = "project",
        User = "user",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its name for `--template`.
    pub name: String,
    pub source: String,
    /// Its version, as written to `template_version` in metadata.yaml.
    pub version: String,
    pub origin: Origin,
    /// How many lines of its file precede the text: one if it declares its version.
    pub above: usize,
}

impl Template {
    /// A digest of its text; of a built-in one, of all its languages.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.source.as_bytes());
        if self.origin == Origin::BuiltIn {
            for language in Language::ALL {
                hasher.update(frame(language).as_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Why a template cannot be used (E-CREATE-008).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It uses unknown variables; all of them, sorted.
    #[error("template `{template}` uses the unknown variable{} {}", if .names.len() == 1 { "" } else { "s" }, .names.join(", "))]
    Unknown { template: String, names: Vec<String> },
    /// It cannot be read or rendered.
    #[error("template `{template}`{}: {message}", .line.map_or_else(String::new, |line| format!(", line {line}")))]
    Broken {
        template: String,
        /// 1-based line in the template, where known.
        line: Option<usize>,
        message: String,
    },
    /// It rendered only white space.
    #[error("template `{template}` rendered nothing")]
    Blank { template: String },
}

impl TemplateError {
    /// The same error with its line counted in the file, which has this many lines before the template's text.
    fn below(mut self, above: usize) -> Self {
        if let Self::Broken { line: Some(line), .. } = &mut self {
            *line += above;
        }
        self
    }
}

impl From<TemplateError> for Error {
    fn from(error: TemplateError) -> Self {
        let coded = Self::new(Code::CreateTemplate, error.to_string());
        match error {
            TemplateError::Unknown { .. } => {
                let known = MEANINGS.map(|(name, _)| name).join(", ");
                coded.suggest(format!("Use one of the variables {known}, or write {{{{{{{{NAME}}}}}}}} for a literal."))
            }
            TemplateError::Broken { .. } => coded.suggest("Correct the template, or leave `--template` out."),
            TemplateError::Blank { .. } => coded.suggest("Give the template a body, for example `{{INSTRUCTIONS}}`."),
        }
    }
}

impl Template {
    /// Checks that the template can be read and uses known variables only, before anything is rendered.
    /// Errors: [`TemplateError::Broken`] with the line, or [`TemplateError::Unknown`] with every unknown name.
    pub fn check(&self) -> Result<(), TemplateError> {
        engine::check(&self.name, &front::quoting(&self.source)).map_err(|error| error.below(self.above))
    }

    /// Renders SKILL.md for clients with this argument placeholder.
    ///
    /// A frontmatter that the template begins with is kept, its values quoted; otherwise hefesto's own is put before
    /// the text. The same values give the same bytes. Neither family's placeholder for arguments is left in the
    /// other's copy (T0-HEFESTO-09).
    pub fn render(&self, values: &Values, arguments: Arguments) -> Result<String, TemplateError> {
        if self.origin != Origin::BuiltIn {
            self.check()?;
        }
        let mut engine = engine::Engine::new(&self.name, format!("{}\n{}", values.body, values.known))?;
        let context = values.context(arguments);
        let source = if self.origin == Origin::BuiltIn { frame(values.language) } else { &self.source };
        let source = front::quoting(source);
        let text = engine.render(&self.name, &source, &context).map_err(|error| error.below(self.above))?;
        let written = front::split(&source).and_then(|_| front::split(&text));
        let (head, body) = written.unwrap_or(("", &text));
        if body.trim().is_empty() {
            return Err(TemplateError::Blank { template: self.name.clone() });
        }
        let own = front::frontmatter(values);
        let head = if head.is_empty() { own.as_str() } else { head };
        let body = body.trim_start_matches('\n').trim_end();
        Ok(adapt(&format!("{head}\n{body}\n"), arguments))
    }
}

/// Replaces the placeholder of the other family of clients by this one's. Idempotent.
pub fn adapt(text: &str, arguments: Arguments) -> String {
    replaced(text, arguments.foreign(), arguments.placeholder())
}

/// The text with something in the place of a placeholder; `$ARGUMENTS_FILE` is another one.
fn replaced(text: &str, placeholder: &str, by: &str) -> String {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let mut parts = text.split(placeholder);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        let longer = placeholder.starts_with('$') && goes_on(rest);
        out.extend([if longer { placeholder } else { by }, rest]);
    }
    out
}

/// The text without argument placeholders: a line with only a placeholder is removed, elsewhere it is replaced by
/// words. For a copy that clients of both families read.
pub fn unprompted(text: &str) -> String {
    let placeholder = Arguments::Dollar.placeholder();
    let mut out: Vec<String> = Vec::new();
    let mut gone = false;
    let adapted = adapt(text, Arguments::Dollar);
    for line in adapted.lines() {
        if let Some(explained) = explanation(line, placeholder) {
            gone = false;
            out.push(explained);
            continue;
        }
        let label = line.strip_suffix(placeholder).map(str::trim_end);
        if label.is_some_and(|label| label.is_empty() || (label.ends_with(':') && !label.contains(' '))) {
            gone = true;
            continue;
        }
        // The blank line after a removed line is removed, too.
        if gone && line.is_empty() && out.last().is_none_or(String::is_empty) {
            continue;
        }
        gone = false;
        let words = || language_of(line).pick(["the request", "o pedido", "la petición"]);
        out.push(if line.contains(placeholder) { replaced(line, placeholder, words()) } else { line.to_owned() });
    }
    out.join("\n") + "\n"
}

/// A line such as `Request: $ARGUMENTS (what the user asks for)` without the placeholder: the label and the words.
fn explanation(line: &str, placeholder: &str) -> Option<String> {
    let (label, rest) = line.split_once(placeholder)?;
    let words = rest.trim().strip_prefix('(')?.strip_suffix(')')?;
    label.trim_end().ends_with(':').then(|| format!("{label}{words}"))
}

#[cfg(test)]
mod tests;

/// The names of the built-in templates.
pub const BUILT_IN: &[&str] = &["base"];

/// The built-in template of this name, in English.
pub fn built_in(name: &str) -> Option<Template> {
    (name == "base").then(|| Template {
        name: name.to_owned(),
        source: frame(Language::En).to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        origin: Origin::BuiltIn,
        above: 0,
    })
}

/// The frame around the body.
fn frame(language: Language) -> &'static str {
    language.pick([
        include_str!("../../templates/base/en/SKILL.md"),
        include_str!("../../templates/base/pt/SKILL.md"),
        include_str!("../../templates/base/es/SKILL.md"),
    ])
}
