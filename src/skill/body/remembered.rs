//! Remembered lines on the subject: rules a person noted, each with author and date.

use serde::{Deserialize, Serialize};

use super::phrases::Phrases;
use super::{Line, Origin, Shape};

/// A remembered line relevant to the request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// Its id in the memory, such as `goal:01jt8m`.
    pub id: String,
    pub text: String,
    /// Who said it; empty for the person who runs hefesto.
    pub who: String,
    /// When, milliseconds since 1970 UTC.
    pub at: i64,
    /// Why it is relevant, as the end of a sentence after "because".
    pub because: String,
    /// The key of the question it answers; none for a line of its own.
    pub key: Option<String>,
    /// Whether it applies only if that question is asked: it was answered for another request.
    pub if_asked: bool,
}

impl Remembered {
    fn line(&self, phrases: &Phrases) -> Line {
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let who = if self.who.is_empty() { &phrases.you } else { &self.who };
        let day = jiff::Timestamp::from_millisecond(self.at).map(|at| at.strftime(&phrases.date).to_string());
        let text = format!("{} ({who}, {})", text.trim_end_matches('.'), day.unwrap_or_default());
        Line::new(Shape::Point, text, Origin::Memory { id: self.id.clone(), because: self.because.clone() })
    }
}

/// The remembered lines that answer no question, in order.
pub(super) fn lines(remembered: &[Remembered], phrases: &Phrases) -> Vec<Line> {
    remembered.iter().filter(|one| one.key.is_none()).map(|one| one.line(phrases)).collect()
}
