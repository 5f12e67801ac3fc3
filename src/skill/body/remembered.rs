//! What the project remembers of the subject: rules that a person noted, each with who said it and when.

use serde::{Deserialize, Serialize};

use super::phrases::Phrases;
use super::{Line, Origin, Shape};

/// One thing that is remembered and bears on the request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// Where it is remembered, such as `goal:01jt8m`.
    pub id: String,
    pub text: String,
    /// Who said it; empty for the person who runs hefesto.
    pub who: String,
    /// When, milliseconds since 1970 UTC.
    pub at: i64,
    /// Why it bears on the request, as the end of a sentence that begins with "because".
    pub because: String,
    /// The key of the question it answers; none for a line of its own.
    pub key: Option<String>,
    /// Whether it holds only where that question is asked: it was answered for another request.
    pub if_asked: bool,
}

impl Remembered {
    fn line(&self, phrases: &Phrases) -> Line {
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let who = if self.who.is_empty() { &phrases.you } else { &self.who };
        let day = jiff::Timestamp::from_millisecond(self.at).map(|at| at.strftime(&phrases.date).to_string());
        Line {
            shape: Shape::Point,
            text: format!("{} ({who}, {})", text.trim_end_matches('.'), day.unwrap_or_default()),
            origin: Origin::Memory { id: self.id.clone(), because: self.because.clone() },
            weight: 3,
        }
    }
}

/// The lines of all that is remembered and answers no question, in their order.
pub(super) fn lines(remembered: &[Remembered], phrases: &Phrases) -> Vec<Line> {
    remembered.iter().filter(|one| one.key.is_none()).map(|one| one.line(phrases)).collect()
}
