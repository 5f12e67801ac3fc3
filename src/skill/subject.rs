//! The subject of a text: the stems of its significant words. Two texts have the same subject if they share enough of
//! them.

use std::sync::LazyLock;

use super::ranking::stems;
use super::sentence::Sentence;

/// Words in most tasks and rules.
const EVERYWHERE: &str = "find write make check run use add create get list show set update fix keep new every file files code change project work command commands version name time review";
/// The least share of the shorter text's significant words that must be in the other one.
const ENOUGH: f64 = 0.25;

/// The significant words of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    stems: Vec<String>,
}

impl Subject {
    pub fn of(text: &str) -> Self {
        static STEMS: LazyLock<Vec<String>> = LazyLock::new(|| stems(EVERYWHERE));
        let mut telling = stems(text);
        telling.retain(|stem| !STEMS.contains(stem));
        telling.sort();
        telling.dedup();
        Self { stems: telling }
    }

    /// The subject of a request. Verbs do not count if there are other words.
    pub fn of_request(sentence: &Sentence) -> Self {
        let whole = Self::of(&sentence.text);
        let clauses = sentence.head.iter().chain(&sentence.clauses);
        let verbs: Vec<&str> =
            clauses.flat_map(|clause| [clause.verb.as_deref().unwrap_or_default(), &clause.written]).collect();
        let verbs = stems(&verbs.join(" "));
        let rest: Vec<String> = whole.stems.iter().filter(|stem| !verbs.contains(stem)).cloned().collect();
        if rest.is_empty() { whole } else { Self { stems: rest } }
    }

    /// Its words that the other subject does not have.
    #[must_use]
    pub fn without(mut self, other: &Self) -> Self {
        self.stems.retain(|stem| !other.has(stem));
        self
    }

    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }

    pub fn has(&self, stem: &str) -> bool {
        self.stems.binary_search_by(|one| one.as_str().cmp(stem)).is_ok()
    }

    /// How many of its words a text has, without numbers.
    pub fn shared_with(&self, text: &str) -> usize {
        self.shared(&Self::of(text))
    }

    /// How many of its words another subject has, without numbers.
    pub(crate) fn shared(&self, other: &Self) -> usize {
        other.stems.iter().filter(|stem| self.has(stem) && stem.contains(char::is_alphabetic)).count()
    }

    /// The words of a text that name this subject, as written, without duplicates. Empty if the text is about something
    /// else.
    pub fn named_by<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut named: Vec<(&str, String)> = Vec::new();
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            let stem = stems(word).pop().unwrap_or_default();
            if self.has(&stem) && !named.iter().any(|(_, known)| *known == stem) {
                named.push((word, stem));
            }
        }
        let shorter = self.stems.len().min(Self::of(text).stems.len());
        #[expect(clippy::cast_precision_loss, reason = "a text has few words")]
        let share = named.len() as f64 / shorter.max(1) as f64;
        if share < ENOUGH {
            named.clear();
        }
        named.into_iter().map(|(word, _)| word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::sentence;

    #[test]
    fn nouns_decide_and_everyday_words_and_verbs_do_not() {
        let about = |request: &str| Subject::of_request(&sentence::read(request));
        let tables = about("Extract tables from PDF files");
        assert_eq!(tables.named_by("Use pdfplumber for every PDF"), ["PDF"]);
        assert_eq!(tables.named_by("Extract the release notes of all files"), [] as [&str; 0]);
        assert_eq!(about("Review SQL migrations").named_by("Use pdfplumber for every PDF"), [] as [&str; 0]);
        let long = about("Extract tables, figures, captions, footnotes and headings from PDF reports");
        assert!(long.named_by("Sign reports before lunch, dinner, breakfast and supper").is_empty(), "one of many");
    }
}
