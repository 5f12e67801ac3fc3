//! Domain packs: commands, numbers, limits and traps of one domain, as data in `templates/domains/*.toml`.

mod builtin;
mod choose;
mod plain;
mod searched;
mod unknown;

use std::borrow::Cow;

use serde::Deserialize;

use builtin::{BUILT_IN, BuiltIn};
pub(crate) use builtin::{is_common, named_in};
#[cfg(test)]
pub(crate) use choose::of_sentence;
pub(crate) use choose::serves;
pub use choose::{Choice, Chosen, choose, words};
pub(crate) use searched::Searched;
pub use unknown::unknown;

use super::Language;
use super::fact::Risk;

/// The head of a pack: decides whether it applies to a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    pub id: String,
    pub title: String,
    /// The day on which every line was last compared with its source, `YYYY-MM-DD`.
    pub reviewed: String,
    /// Groups of words: one of each must be in the same clause.
    #[serde(default)]
    pub topic: Vec<Vec<String>>,
    /// Or: the id of a fact of the repository, together with one of `topic_repo_words` in the sentence.
    pub topic_repo: Option<String>,
    #[serde(default)]
    pub topic_repo_words: Vec<String>,
    /// Words that exclude the pack.
    #[serde(default)]
    pub not: Vec<String>,
    /// Other phrases people use for this work; at most six.
    #[serde(default)]
    pub words: Vec<String>,
    #[serde(default)]
    pub words_pt: Vec<String>,
    #[serde(default)]
    pub words_es: Vec<String>,
    /// What a request contains, and what an empty one means.
    pub input: String,
    pub input_pt: Option<String>,
    pub input_es: Option<String>,
    /// Kinds of repository facts that belong to this domain.
    #[serde(default)]
    pub wants: Vec<String>,
    /// The programs that its commands use.
    #[serde(default)]
    pub tools: Vec<String>,
}

/// The text of a pack.
#[derive(Debug, Clone)]
pub struct Source(Text);

#[derive(Debug, Clone)]
enum Text {
    BuiltIn(&'static BuiltIn),
    Own { id: String, text: String },
}

impl Source {
    /// The packs that come with hefesto, by id.
    pub fn built_in() -> impl Iterator<Item = Self> {
        BUILT_IN.iter().map(|pack| Self(Text::BuiltIn(pack)))
    }

    /// A pack of the user's or the project's own.
    pub fn own(id: String, text: String) -> Self {
        Self(Text::Own { id, text })
    }

    pub fn id(&self) -> &str {
        match &self.0 {
            Text::BuiltIn(pack) => pack.id,
            Text::Own { id, .. } => id,
        }
    }

    fn is_built_in(&self) -> bool {
        matches!(self.0, Text::BuiltIn(_))
    }

    /// The text before the first table, and the rest.
    fn parts(&self) -> (Cow<'_, str>, Cow<'_, str>) {
        match &self.0 {
            Text::BuiltIn(pack) => (pack.head().into(), pack.lines().into()),
            Text::Own { text, .. } => {
                let (head, lines) = text.split_at(head_length(text));
                (head.into(), lines.into())
            }
        }
    }

    fn head(&self) -> Cow<'_, str> {
        match &self.0 {
            Text::BuiltIn(pack) => pack.head().into(),
            Text::Own { text, .. } => text.get(..head_length(text)).unwrap_or(text).into(),
        }
    }

    /// A digest of what it gives to a body; sources and the day of the last review are no part of it.
    pub fn digest(&self) -> String {
        let (head, lines) = self.parts();
        let unsaid = |line: &str| ["reviewed", "source"].iter().any(|key| line.starts_with(key));
        let mut hasher = blake3::Hasher::new();
        for line in head.lines().chain(lines.lines()).filter(|line| !unsaid(line)) {
            hasher.update(line.as_bytes());
            hasher.update(b"\n");
        }
        hasher.finalize().to_hex().to_string()
    }
}

fn head_length(text: &str) -> usize {
    text.find("\n[[").map_or(text.len(), |at| at + 1)
}

/// A pack with its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    pub head: Head,
    pub lines: Vec<Line>,
    pub questions: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    #[serde(default)]
    line: Vec<Line>,
    #[serde(default)]
    question: Vec<Question>,
}

impl Tables {
    /// The tables of a text in plain forms.
    fn plain(text: &str) -> Option<Self> {
        let mut all = Self { line: Vec::new(), question: Vec::new() };
        let mut rest = text.trim_start_matches('\n');
        while let Some((header, below)) = rest.split_once('\n') {
            rest = match header {
                "[[line]]" => push(&mut all.line, below)?,
                "[[question]]" => push(&mut all.question, below)?,
                _ => return None,
            };
        }
        Some(all)
    }
}

/// Reads the table that a text begins with, and gives the text behind it.
fn push<'t, T: Deserialize<'t>>(all: &mut Vec<T>, text: &'t str) -> Option<&'t str> {
    let (table, rest) = plain::table(text)?;
    all.push(table);
    Some(rest)
}

/// The kind of a line, which decides its place in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// A reason not to do the task at all.
    Instead,
    Step,
    /// What to show before anything is changed.
    Plan,
    Limit,
    Trap,
    /// A row of the table: sign, meaning, remedy.
    Case,
    /// What to report at the end.
    Result,
    /// The criterion for being done.
    Check,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub kind: LineKind,
    #[serde(default)]
    pub text: String,
    pub pt: Option<String>,
    pub es: Option<String>,
    #[serde(default)]
    pub source: String,
    /// The name of a step; the first step of a slot whose conditions are met is used.
    pub slot: Option<String>,
    /// The step under which a limit or trap is listed.
    pub at: Option<String>,
    /// English base verbs; "any" for every verb.
    #[serde(default)]
    pub verbs: Vec<String>,
    /// One of these words must be in the sentence.
    #[serde(default)]
    pub mentions: Vec<String>,
    /// Ids of repository facts that must be present, or absent.
    pub has: Option<OneOrMore>,
    pub unless: Option<OneOrMore>,
    /// The programming languages, one of which the sentence or the repository names.
    pub lang: Option<OneOrMore>,
    /// Slots of prerequisite steps.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Words of a repository rule that decides what this line decides; the line gives way to that rule.
    #[serde(default)]
    pub decides: Vec<String>,
    /// What a step does beyond reading and writing the working copy.
    pub risk: Option<Risk>,
    /// A block of code under the step.
    pub code: Option<String>,
    /// 3 to 1; the lowest are removed first when there are too many lines.
    #[serde(default = "two")]
    pub weight: u8,
    #[serde(default)]
    pub sign: String,
    #[serde(default)]
    pub means: String,
    #[serde(default, rename = "do")]
    pub remedy: String,
    pub sign_pt: Option<String>,
    pub means_pt: Option<String>,
    pub do_pt: Option<String>,
    pub sign_es: Option<String>,
    pub means_es: Option<String>,
    pub do_es: Option<String>,
}

fn two() -> u8 {
    2
}

/// One word or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    /// The words.
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::More(more) => more,
        }
    }
}

/// A question only the author can answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub key: String,
    pub ask: String,
    pub ask_pt: Option<String>,
    pub ask_es: Option<String>,
    /// The step under which the answer is placed.
    pub slot: String,
    pub verbs: Vec<String>,
    #[serde(default)]
    pub mentions: Vec<String>,
    /// Words of a repository rule that answers it.
    #[serde(default)]
    pub answered_by: Vec<String>,
}

/// Why packs cannot be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackError {
    /// There is no pack of this id; the nearest ones.
    Unknown { id: String, nearest: Vec<String> },
    /// A pack cannot be read.
    Broken {
        id: String,
        /// 1-based line in the pack, where known.
        line: Option<usize>,
        message: String,
    },
}

impl PackError {
    /// The parser's error in a part of a pack that has so many lines above it.
    fn broken(source: &Source, (part, above): (&str, usize), error: &toml::de::Error) -> Self {
        let before = error.span().and_then(|span| part.get(..span.start));
        let line = before.map(|before| above + before.matches('\n').count() + 1);
        Self::Broken { id: source.id().to_owned(), line, message: error.message().replace('\n', "; ") }
    }
}

impl Head {
    /// Reads the head, before the first line of the pack.
    /// Errors: [`PackError::Broken`] with the line.
    pub fn read(source: &Source) -> Result<Self, PackError> {
        let head = source.head();
        let plain = plain::table(&head).filter(|(_, rest)| rest.is_empty()).map(|(head, _)| head);
        plain.map_or_else(|| toml::from_str(&head).map_err(|error| PackError::broken(source, (&head, 0), &error)), Ok)
    }

    /// The phrases people use for it in this language; English names are used in other languages, too.
    pub fn words(&self, language: Language) -> impl Iterator<Item = &str> {
        let own: &[String] = language.pick([&[], &self.words_pt, &self.words_es]);
        let plain = |part: &str| part.chars().all(char::is_lowercase);
        let said = move |word: &&String| language == Language::En || !word.split([' ', '-']).any(plain);
        own.iter().chain(self.words.iter().filter(said)).map(String::as_str)
    }

    /// What a request contains, in this language.
    pub fn input(&self, language: Language) -> Option<&str> {
        by_language(language, &self.input, self.input_pt.as_deref(), self.input_es.as_deref())
    }
}

impl Pack {
    /// Reads a whole pack.
    /// Errors: [`PackError::Broken`] with the line.
    pub fn read(source: &Source) -> Result<Self, PackError> {
        Self::with(Head::read(source)?, source)
    }

    /// The pack with this head.
    fn with(head: Head, source: &Source) -> Result<Self, PackError> {
        let (above, lines) = source.parts();
        let broken = |error| PackError::broken(source, (&lines, above.matches('\n').count()), &error);
        let parsed = || toml::from_str(&lines).map_err(broken);
        let tables = Tables::plain(&lines).map_or_else(parsed, Ok)?;
        Ok(Self { head, lines: tables.line, questions: tables.question })
    }
}

impl Line {
    /// The text in this language; `None` without a translation.
    pub fn text(&self, language: Language) -> Option<&str> {
        by_language(language, &self.text, self.pt.as_deref(), self.es.as_deref())
    }

    /// Whether a rule decides what this line decides; its words may be in the plural.
    pub(crate) fn is_decided_by(&self, rule: &Searched) -> bool {
        self.decides.iter().any(|term| rule.has(term) || rule.has(&format!("{term}s")))
    }

    /// Sign, meaning and remedy of a case in this language.
    pub fn case(&self, language: Language) -> Option<[&str; 3]> {
        Some([
            by_language(language, &self.sign, self.sign_pt.as_deref(), self.sign_es.as_deref())?,
            by_language(language, &self.means, self.means_pt.as_deref(), self.means_es.as_deref())?,
            by_language(language, &self.remedy, self.do_pt.as_deref(), self.do_es.as_deref())?,
        ])
    }
}

impl Question {
    pub fn ask(&self, language: Language) -> Option<&str> {
        by_language(language, &self.ask, self.ask_pt.as_deref(), self.ask_es.as_deref())
    }
}

fn by_language<'t>(language: Language, en: &'t str, pt: Option<&'t str>, es: Option<&'t str>) -> Option<&'t str> {
    language.pick([Some(en).filter(|text| !text.is_empty()), pt, es])
}
