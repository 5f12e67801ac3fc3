//! A person's decisions about a skill, for the next one: answers to its questions, and lines written by hand.

use serde::Serialize;

use super::bearing::Request;
use crate::skill::body::Remembered;

/// How many are kept; the oldest are removed.
pub const ANSWERS: usize = 500;

words! {
    AnswerKind {
        /// The answer to a question of a pack or of the body, by its key.
        Answer = "answer",
        /// A line that was added in the editor.
        Edit = "edit",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    pub id: String,
    pub kind: AnswerKind,
    /// The key of the question; `line` for a line written by hand.
    pub key: String,
    pub text: String,
    /// What the skill was asked for.
    pub subject: String,
    pub skill: String,
    #[serde(serialize_with = "crate::memory::json::as_seconds")]
    pub at: i64,
}

/// The key of a line that was written by hand.
pub const LINE: &str = "line";

impl Answer {
    /// Whether it applies to a request: for the same request it is used; for the same subject it is proposed to a
    /// person.
    fn bears(&self, asked: &str, request: &Request, person: bool) -> Option<Remembered> {
        let same = spelled(&self.subject) == spelled(asked);
        let about = match self.kind {
            AnswerKind::Answer => &self.subject,
            AnswerKind::Edit => &self.text,
        };
        let offered = person && request.named_by(about).is_some();
        if !(same || offered) {
            return None;
        }
        let did = match self.kind {
            AnswerKind::Answer => "you answered so",
            AnswerKind::Edit => "you added it",
        };
        Some(Remembered {
            id: format!("answer:{}", self.id),
            text: self.text.clone(),
            who: String::new(),
            at: self.at,
            because: format!("{did} for `{}`", self.skill),
            key: (self.kind == AnswerKind::Answer).then(|| self.key.clone()),
            if_asked: !same,
        })
    }
}

/// The newest answer of each key that is relevant to a request.
pub fn answered(asked: &str, answers: &[Answer], person: bool) -> Vec<Remembered> {
    let request = Request::of(asked);
    let mut newest: Vec<&Answer> = answers.iter().collect();
    newest.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| b.id.cmp(&a.id)));
    let mut found: Vec<Remembered> = Vec::new();
    // Answers for the same request come before those for another one.
    let all: Vec<Remembered> = newest.iter().filter_map(|one| one.bears(asked, &request, person)).collect();
    for one in all.iter().filter(|one| !one.if_asked).chain(all.iter().filter(|one| one.if_asked)) {
        let said = |known: &Remembered| known.key == one.key && (one.key.is_some() || known.text == one.text);
        if !found.iter().any(said) {
            found.push(one.clone());
        }
    }
    found
}

/// A request with normalised case, punctuation and whitespace.
fn spelled(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(id: &str, kind: AnswerKind, key: &str, text: &str, subject: &str, at: i64) -> Answer {
        let (skill, key) = ("extract-tables-pdf".to_owned(), key.to_owned());
        Answer { id: id.into(), kind, key, text: text.into(), subject: subject.into(), skill, at }
    }

    #[test]
    fn the_same_request_is_answered_and_a_like_one_is_offered_to_a_person() {
        let all = [
            answer("a", AnswerKind::Answer, "library", "tabula", "Extract tables from PDF files", 1),
            answer("b", AnswerKind::Answer, "library", "pdfplumber", "extract tables, from PDF files.", 2),
            answer("c", AnswerKind::Edit, LINE, "Sign every PDF", "Extract tables from PDF files", 3),
        ];
        let texts = |asked: &str, person| -> Vec<String> {
            answered(asked, &all, person).into_iter().map(|one| one.text).collect()
        };
        assert_eq!(texts("Extract tables from PDF files", false), ["Sign every PDF", "pdfplumber"]);
        assert_eq!(texts("Merge PDF files", false), [] as [&str; 0]);
        assert_eq!(texts("Merge PDF files", true), ["Sign every PDF", "pdfplumber"]);
        assert_eq!(texts("Review SQL migrations", true), [] as [&str; 0]);
        assert!(answered("Merge PDF files", &all, true).iter().all(|one| one.if_asked));
    }
}
