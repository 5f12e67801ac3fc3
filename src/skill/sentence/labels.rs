//! The kind of work, category, tags and synonyms of a sentence.

use super::clauses::Part;
use super::language::Language;
use super::said::Said;
use super::words::Word;
use super::{Archetype, Category};
use crate::skill::name::fold;

const MOST: usize = 8;
const FEWEST: usize = 3;
/// How many words of the description become tags.
const FROM_WORDS: usize = 5;

/// The kind of its verb; if the verb is unspecific ("run", "handle"), the kind of a noun. With the words that decided.
pub(super) fn archetype(said: &Said, main: Option<&Part>, core: &[Word]) -> (Archetype, String) {
    let (lexicon, english) = (said.language.lexicon(), Language::En.lexicon());
    let verb = main.and_then(|part| {
        let (_, met) = part.verb.as_ref()?;
        let meant = english.verb(&said.canonical(met, part)).map(|(verb, _)| verb.archetype());
        let own = met.verb.archetype();
        let kind = meant.filter(|_| own == Archetype::General).unwrap_or(own);
        let of_code = core.iter().any(|word| matches!(word.key(), "code" | "codigo"));
        let refactors = kind == Archetype::Convert && of_code && met.verb.english == "format";
        Some((if refactors { Archetype::Refactor } else { kind }, met))
    });
    let weak = verb.as_ref().is_none_or(|(kind, _)| matches!(kind, Archetype::WrapCliTool | Archetype::General));
    let after = main.map_or(0, |part| part.after_verb().saturating_sub(part.from));
    let noun = core.iter().skip(after).flat_map(|word| &word.parts).find_map(|part| {
        let (kind, _) = lexicon.noun(part).or_else(|| english.noun(part))?;
        Some((*kind, part))
    });
    let word = |word: &str| format!("the word \"{word}\"");
    match (verb, noun) {
        (_, Some((kind, noun))) if weak => (kind, word(noun)),
        _ if weak && core.iter().any(|word| word.text.contains('`')) => {
            (Archetype::WrapCliTool, "a command in backticks".to_owned())
        }
        (Some((Archetype::General, _)), _) | (None, _) if said.parts.parts.len() > 2 => {
            (Archetype::Workflow, "several steps".to_owned())
        }
        (Some((kind, met)), _) => (kind, word(&met.verb.base)),
        (None, _) => (Archetype::General, "no word that names a kind of work".to_owned()),
    }
}

/// The tags, most significant first.
pub(super) fn tags(
    said: &Said,
    main: Option<&Part>,
    core: &[Word],
    archetype: Archetype,
    (category, named): (Category, bool),
) -> Vec<String> {
    let lexicon = said.language.lexicon();
    let (from, to) = main.map_or((0, 0), |part| said.object_words(part.after_verb(), part.to));
    let object: Vec<&str> = said.words.get(from..to).unwrap_or_default().iter().map(Word::key).collect();
    let mut tags: Vec<String> = Vec::new();
    let mut add = |tag: &str, most: usize| {
        if !tag.is_empty() && tags.len() < most && !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    };
    let pair = matches!(object.as_slice(), [one, two] if !lexicon.empty(one) && !lexicon.empty(two));
    if pair {
        add(&object.join("-"), MOST);
    }
    let verbs = said.tasks().flat_map(|part| part.verb.iter().chain(&part.or));
    let verbs = verbs.filter_map(|(at, met)| said.words.get(*at..at + met.length)).flatten();
    let verbs: Vec<&str> = verbs.map(Word::key).collect();
    for word in core {
        let key = word.key();
        let owner = word.text.ends_with("'s") || word.text.ends_with("\u{2019}s");
        let telling = (2..=30).contains(&key.len()) && !key.bytes().any(|b| b.is_ascii_digit()) && !key.ends_with("ly");
        let vague = super::empty(key) || lexicon.set("vague").contains(key) || verbs.contains(&key);
        let held = pair && object.contains(&key);
        if telling && !(vague || owner || held) {
            add(key, FROM_WORDS);
        }
    }
    add(archetype.tag().unwrap_or_default(), MOST);
    if named {
        add(category.word(), MOST);
    }
    let verb = main.and_then(|part| part.verb.as_ref()).map(|(_, met)| fold(&met.verb.base).replace(' ', "-"));
    add(verb.as_deref().unwrap_or_default(), FEWEST);
    add(category.word(), FEWEST);
    neighbours(category).into_iter().for_each(|tag| add(tag, FEWEST));
    tags
}

/// Related words of a category, for descriptions too short for three tags.
fn neighbours(category: Category) -> [&'static str; 3] {
    match category {
        Category::Development => ["automation", "routine", "engineering"],
        Category::Testing => ["quality", "verification", "tests"],
        Category::Documentation => ["docs", "writing", "reference"],
        Category::Devops => ["operations", "delivery", "infrastructure"],
        Category::Review => ["code-quality", "standards", "reviewing"],
        Category::Security => ["protection", "hardening", "risk"],
    }
}

/// A folded word as it is and without each ending that may be one of the plural, so that "invoices" matches "invoice".
pub(crate) fn singular(key: &str, language: Language) -> Vec<String> {
    let ends: &[(&str, &str)] = language.pick([
        &[("ies", "y"), ("es", ""), ("s", "")],
        &[("oes", "ao"), ("aes", "ao"), ("ns", "m"), ("ais", "al"), ("es", ""), ("s", "")],
        &[("ciones", "cion"), ("es", ""), ("s", "")],
    ]);
    let stem = |end: &str| key.strip_suffix(end).filter(|stem| stem.len() > 2);
    let stems = ends.iter().filter_map(|(end, by)| Some(format!("{}{by}", stem(end)?)));
    std::iter::once(key.to_owned()).chain(stems).collect()
}

/// Synonyms for the subjects of these words, at most five, without the words themselves.
pub(super) fn also(core: &[Word], language: Language) -> Vec<String> {
    let lexicon = language.lexicon();
    let keys: Vec<&str> = core.iter().map(Word::key).filter(|key| !lexicon.set("grammar").contains(*key)).collect();
    let mut found: Vec<String> = Vec::new();
    let mut covered = 0;
    for (i, key) in keys.iter().enumerate() {
        if i < covered {
            continue;
        }
        let ones = singular(key, language);
        let next = keys.get(i + 1).map(|next| singular(next, language)).unwrap_or_default();
        let pairs = ones.iter().flat_map(|one| next.iter().map(move |next| format!("{one} {next}")));
        let known = |phrase: &String| Some(lexicon.text("also", phrase)).filter(|list| !list.is_empty());
        let pair = pairs.filter_map(|pair| known(&pair)).next().map(|list| (list, 2));
        let Some((list, width)) = pair.or_else(|| ones.iter().find_map(known).map(|list| (list, 1))) else { continue };
        covered = i + width;
        for word in list.split(", ") {
            let held = |part: &str| {
                keys.iter().any(|key| *key == part || key.strip_suffix('s') == Some(part)) || lexicon.empty(part)
            };
            let said = fold(word).to_ascii_lowercase().split(' ').all(held) || found.iter().any(|one| one == word);
            if !said && found.len() < 5 {
                found.push(word.to_owned());
            }
        }
    }
    found
}
