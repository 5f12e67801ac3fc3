//! The six categories (T2-HEFESTO-01), and what category a sentence is of.

use super::Archetype;
use super::language::Language;
use super::words::Word;

word_enum! {
    /// The category of a skill.
    Category {
        /// Writing and changing code.
        Development = "development",
        Testing = "testing",
        /// Writing what people read; also of a matter that no other category is about.
        Documentation = "documentation",
        /// Building, shipping and running software.
        Devops = "devops",
        /// Judging what others made or sent.
        Review = "review",
        Security = "security",
    }
}

impl Category {
    /// The category of a sentence whose subject and whose words these are, with its reason, and whether a word names it.
    pub(super) fn of(subject: &[Word], all: &[Word], archetype: Archetype, language: Language) -> (Self, String, bool) {
        let of_word = |word: &str| format!("the word \"{word}\"");
        if let Some((category, word)) = named(subject, language).or_else(|| named(all, language)) {
            return (category, of_word(&word), true);
        }
        let code = all.iter().any(|word| word.text.contains('`'));
        if let Some(word) = software(all, language).or_else(|| code.then(|| "`".to_owned())) {
            return (Self::Development, of_word(&word), false);
        }
        use Archetype::{Analyse, Deploy, Migrate, Review, Test, Validate, WrapCliTool};
        let category = match archetype {
            Analyse | Review | Validate => Self::Review,
            Deploy | Migrate | Test | WrapCliTool => Self::Development,
            _ => Self::Documentation,
        };
        (category, format!("no word about software, and work of the kind {archetype}"), false)
    }
}

/// The category of the first word (or pair of words) that names one, with that word.
fn named(words: &[Word], language: Language) -> Option<(Category, String)> {
    let lexicons = [language.lexicon(), Language::En.lexicon()];
    let of = |phrase: &str| {
        let holds = |category: &Category| lexicons.iter().any(|one| one.set(category.word()).contains(phrase));
        Category::ALL.iter().copied().find(holds)
    };
    first(words, |phrase| of(phrase))
}

/// The first word (or pair of words) that only a sentence about software has.
fn software(words: &[Word], language: Language) -> Option<String> {
    let lexicons = [language.lexicon(), Language::En.lexicon()];
    let programming = |phrase: &str| {
        let mut all = Language::En.lexicon().section("programming").flat_map(|(_, words)| words.split_whitespace());
        all.any(|word| super::language::spaced(word) == phrase)
    };
    let of = |phrase: &str| {
        let known = programming(phrase) || lexicons.iter().any(|one| one.set("software").contains(phrase));
        known.then_some(())
    };
    first(words, of).map(|(_, word)| word)
}

/// What the first word or pair of words is, with that word.
fn first<T>(words: &[Word], of: impl Fn(&str) -> Option<T>) -> Option<(T, String)> {
    let keys: Vec<&str> = words.iter().flat_map(|word| word.parts.iter().map(String::as_str)).collect();
    keys.iter().enumerate().find_map(|(at, key)| {
        let pair = keys.get(at + 1).map(|next| format!("{key} {next}"));
        let pair = pair.and_then(|pair| of(&pair).map(|met| (met, pair)));
        pair.or_else(|| of(key).map(|met| (met, (*key).to_owned())))
    })
}

#[cfg(test)]
mod tests {
    use super::Category::{Development, Documentation, Review, Testing};
    use crate::skill::sentence::read;

    #[test]
    fn a_category_follows_the_matter() {
        for (text, category) in [
            ("Plan the summer party of the choir", Documentation),
            ("Judge the entries of a baking contest", Review),
            ("Calcular el coste de un viaje de estudios", Review),
            ("Escrever convites para a formatura", Documentation),
            ("Write a Python module that reads invoices", Development),
            ("Rename the tables of the database", Development),
            ("Corrigir as consultas SQL lentas", Development),
            ("Write pytest cases for the parser", Testing),
        ] {
            assert_eq!(read(text).category, category, "{text}");
        }
    }
}
