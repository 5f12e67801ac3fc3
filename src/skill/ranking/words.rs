//! A text as weighted stems for comparison.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::stem::{listed, looked_up, stem};
use crate::skill::name::fold;
use crate::skill::sentence::{Language, Verb, WordSet, empty};

/// The weights of a common word, a verb, and a verb that is often a noun; any other word weighs 1.
const EVERYDAY: f64 = 0.2;
const VERB: f64 = 0.5;
const VERB_OR_NOUN: f64 = 0.75;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term<'t> {
    pub(crate) written: &'t str,
    /// Its stems: in the language of the text, and in English, whose words are used in other languages.
    pub(crate) keys: Vec<String>,
    /// Its weight: 0 for grammar, 1 for the name of a thing.
    pub(crate) weight: f64,
}

impl Term<'_> {
    /// Whether it may be a noun.
    pub(crate) fn names(&self) -> bool {
        self.weight > VERB
    }

    /// Whether it is a common word.
    pub(crate) fn everyday(&self) -> bool {
        self.weight <= EVERYDAY
    }
}

/// The words of a text, grammar included, each with its weight.
pub(crate) fn weighted<'t>(text: &'t str, languages: &[Language]) -> Vec<Term<'t>> {
    let mut all = terms(text, languages);
    all.iter_mut().for_each(|term| term.weight = weight(term.written, &bare(term.written), languages));
    all
}

/// The words of a text, grammar included, without weights.
pub(crate) fn terms<'t>(text: &'t str, languages: &[Language]) -> Vec<Term<'t>> {
    let term = |written: &'t str| {
        let mut keys: Vec<String> = Vec::with_capacity(languages.len());
        for language in languages {
            let key = stem(written, *language);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        Term { written, keys, weight: 1.0 }
    };
    written(text).into_iter().map(term).collect()
}

/// The words of a text as written, in the letters of the three languages.
pub(super) fn written(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    each_word(text, |word| {
        let spelled = |folded: &str| folded.is_ascii() && !folded.contains(' ') && !folded.is_empty();
        if word.is_ascii() || spelled(&fold(word)) {
            all.push(word);
        }
    });
    all
}

/// The stems of the significant words in order, with the English stems beside them if the text is in another language.
pub fn stems(text: &str) -> Vec<String> {
    let mut found = terms(text, languages(text));
    found.retain(|term| !empty(&bare(term.written)));
    found.into_iter().flat_map(|term| term.keys).collect()
}

/// Without accents and capitals.
fn bare(word: &str) -> Cow<'_, str> {
    match word {
        _ if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) => Cow::Borrowed(word),
        _ if word.is_ascii() => Cow::Owned(word.to_ascii_lowercase()),
        _ => Cow::Owned(fold(word).to_lowercase()),
    }
}

fn weight(written: &str, folded: &str, languages: &[Language]) -> f64 {
    if empty(folded) || folded.len() < 2 || folded.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0.0;
    }
    let is_common =
        |language: &Language| looked_up(written, *language).iter().any(|key| everyday(*language).contains(key));
    if languages.iter().any(is_common) {
        return EVERYDAY;
    }
    let verbs = languages.iter().filter_map(|language| verb_of(folded, *language));
    match verbs.map(|verb| verb.noun).max() {
        None => 1.0,
        Some(true) => VERB_OR_NOUN,
        Some(false) => VERB,
    }
}

/// The common words of a language, in all inflections.
fn everyday(language: Language) -> &'static WordSet {
    fn of(language: Language) -> WordSet {
        language.lexicon().set("everyday").iter().map(|word| listed(word, language)).collect()
    }
    static ALL: [LazyLock<WordSet>; 3] =
        [LazyLock::new(|| of(Language::En)), LazyLock::new(|| of(Language::Pt)), LazyLock::new(|| of(Language::Es))];
    LazyLock::force(language.pick(ALL.each_ref()))
}

/// The verb of a word, also with a pronoun at its end: "preparame", "faz-me".
fn verb_of(folded: &str, language: Language) -> Option<&'static Verb> {
    const PRONOUNS: [&str; 6] = ["me", "nos", "los", "las", "lo", "la"];
    let of = |word: &str| language.lexicon().verb(word).map(|(verb, _)| verb);
    let held = || PRONOUNS.iter().find_map(|end| of(folded.strip_suffix(end)?.trim_end_matches('-')));
    of(folded).or_else(|| if language == Language::En { None } else { held() })
}

/// Whether a prompt asks for knowledge: it begins as a question does, and names nothing of the speaker's own.
pub(super) fn asks(words: &[Term<'_>], languages: &[Language]) -> bool {
    let is = |key: &str, word: &Term<'_>| {
        languages.iter().any(|language| language.lexicon().set(key).contains(bare(word.written).as_ref()))
    };
    let begins = words.iter().find(|word| word.written.len() > 1).is_some_and(|word| is("asks", word));
    begins && !words.iter().any(|word| is("own", word))
}

/// In which languages a text is read: its own and English.
pub(crate) fn languages(text: &str) -> &'static [Language] {
    match counted(text) {
        (Language::Pt, ..) => &[Language::Pt, Language::En],
        (Language::Es, ..) => &[Language::Es, Language::En],
        (Language::En, ..) => &[Language::En],
    }
}

/// In which languages a prompt is read: as any text, but in all three if it is too short to tell.
pub(crate) fn languages_of_prompt(text: &str) -> &'static [Language] {
    match counted(text) {
        (_, 0, 0) => &[Language::En, Language::Pt, Language::Es],
        (_, english, other) if english < 2 && other > 0 && other <= english + 1 => {
            &[Language::En, Language::Pt, Language::Es]
        }
        _ => languages(text),
    }
}

/// The language whose grammar the text uses most, with the counts for English and for it, or for the better of the
/// other two.
fn counted(text: &str) -> (Language, usize, usize) {
    let lower = text.to_lowercase();
    let (mut english, mut portuguese, mut spanish) = (0, 0, 0);
    let known = Language::ALL.map(|language| {
        let lexicon = language.lexicon();
        (["grammar", "words"].map(|key| lexicon.set(key)), lexicon.text("detect", "endings"))
    });
    each_word(&lower, |word| {
        let folded = bare(word);
        // "do", "as" and "no" are words of several languages and do not count.
        let [en, pt, es] = known.map(|(sets, endings)| {
            let listed = sets.iter().any(|set| set.contains(folded.as_ref()));
            let ends = || endings.split_whitespace().any(|end| word.ends_with(end));
            usize::from(listed) + usize::from(!word.is_ascii() && ends())
        });
        if en == 0 || pt + es == 0 {
            english += en;
            portuguese += pt;
            spanish += es;
        }
    });
    let letters = |language: Language| {
        let own = language.lexicon().text("detect", "letters");
        if lower.chars().any(|c| !c.is_ascii() && own.contains(c)) { 2 } else { 0 }
    };
    portuguese += letters(Language::Pt);
    spanish += letters(Language::Es);
    let (language, other) = if spanish > portuguese { (Language::Es, spanish) } else { (Language::Pt, portuguese) };
    (if other > english { language } else { Language::En }, english, other)
}

/// Runs of letters and digits, with trailing `+` or `#`; `componentDidMount` gives itself and its parts, `it's` gives
/// `it`.
fn each_word<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '+' | '#' | '\'' | '\u{2019}');
    for run in text.split(|c: char| !inside(c)) {
        if !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_lowercase()) {
            each(run);
            continue;
        }
        let run = run.trim_start_matches(['+', '#', '\'', '\u{2019}']);
        let (word, end) = run.split_once(['\'', '\u{2019}']).unwrap_or((run, ""));
        let word = if matches!(end, "s" | "t" | "re" | "ve" | "d" | "ll" | "m" | "") { word } else { run };
        if !word.contains(char::is_alphanumeric) {
            continue;
        }
        each(word);
        if word.chars().skip(1).all(|c| !c.is_uppercase()) {
            continue;
        }
        let parts = humps(word);
        if parts.len() > 1 && word.chars().count() > 6 {
            parts.into_iter().filter(|part| part.chars().count() > 2).for_each(&mut each);
        }
    }
}

/// `componentDidMount`: `component`, `Did`, `Mount`.
fn humps(word: &str) -> Vec<&str> {
    let (mut parts, mut from, mut before) = (Vec::new(), 0, ' ');
    for (at, c) in word.char_indices() {
        if c.is_uppercase() && before.is_lowercase() {
            parts.extend(word.get(from..at));
            from = at;
        }
        before = c;
    }
    parts.extend(word.get(from..));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammar_says_nothing_and_the_name_of_a_thing_most() {
        let of = |text| weighted(text, &[Language::En]).iter().map(|term| term.weight).collect::<Vec<_>>();
        assert_eq!(of("is the weekly deploy of Terraform ok?"), [0.0, 0.0, EVERYDAY, VERB, 0.0, 1.0, EVERYDAY]);
    }

    #[test]
    fn names_in_code_are_themselves_and_their_parts() {
        let written: Vec<&str> =
            terms("my_table's componentDidMount, C++", &[Language::En]).into_iter().map(|term| term.written).collect();
        assert_eq!(written, ["my", "table", "componentDidMount", "component", "Did", "Mount", "C++"]);
    }

    #[test]
    fn a_text_is_read_in_its_own_language() {
        for (text, wanted) in [
            ("is this migration safe to run?", Language::En),
            ("preciso da tradução deste manual até sexta", Language::Pt),
            ("¿puedes leer mi contrato antes de que lo firme?", Language::Es),
            ("plans, versions and tokens", Language::En),
        ] {
            assert_eq!(languages(text).first(), Some(&wanted), "{text}");
        }
    }
}
