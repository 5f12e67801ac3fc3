//! The kinds of work, the six categories (T2-HEFESTO-01), and what category a sentence is of.

use super::language::Language;
use super::words::Word;

word_enum! {
    /// The kinds of work; they decide the order of a body, not its sentences.
    Archetype {
        /// Deciding whether something is right.
        Validate = "validate",
        Generate = "generate",
        Review = "review",
        /// Finding out whether something works.
        Test = "test",
        /// Delivering something to where it is used.
        Deploy = "deploy",
        /// Changing the format of something.
        Convert = "convert",
        /// Taking data out of something larger.
        Extract = "extract",
        /// Moving something in use to another place or version.
        Migrate = "migrate",
        Document = "document",
        /// Changing something without changing what it does.
        Refactor = "refactor",
        /// Examining data or behaviour.
        Analyse = "analyse",
        /// Watching something and reporting changes.
        Monitor = "monitor",
        /// Using a command-line program.
        WrapCliTool = "wrap-cli-tool",
        Workflow = "workflow",
        General = "general",
    }
}

impl Archetype {
    /// The noun for the work, as a tag; `general` has none.
    pub(super) fn tag(self) -> Option<&'static str> {
        Some(match self {
            Self::Validate => "validation",
            Self::Generate => "generation",
            Self::Review => "review",
            Self::Test => "testing",
            Self::Deploy => "deployment",
            Self::Convert => "conversion",
            Self::Extract => "extraction",
            Self::Migrate => "migration",
            Self::Document => "documentation",
            Self::Refactor => "refactoring",
            Self::Analyse => "analysis",
            Self::Monitor => "monitoring",
            Self::WrapCliTool => "command-line",
            Self::Workflow => "workflow",
            Self::General => return None,
        })
    }
}

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
    first(words, &|phrase| {
        let holds = |category: &Category| lexicons.iter().any(|one| one.set(category.word()).contains(phrase));
        Category::ALL.iter().copied().find(holds)
    })
}

/// The first word (or pair of words) that only a sentence about software has.
fn software(words: &[Word], language: Language) -> Option<String> {
    let lexicons = [language.lexicon(), Language::En.lexicon()];
    first(words, &|phrase| {
        let mut all = Language::En.lexicon().section("programming").flat_map(|(_, words)| words.split_whitespace());
        let programming = all.any(|word| super::language::spaced(word) == phrase);
        (programming || lexicons.iter().any(|one| one.set("software").contains(phrase))).then_some(())
    })
    .map(|(_, word)| word)
}

/// What the first word or pair of words is, with that word.
fn first<T>(words: &[Word], of: &dyn Fn(&str) -> Option<T>) -> Option<(T, String)> {
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
