//! Sentences without the person who wrote them: an installed skill speaks of "the user", and "my" is nobody's.

use std::borrow::Cow;

use super::Language;
use super::introduction::introduction;
use super::verbs::{self, third};
use super::words::{Word, words};
use crate::skill::name::fold;

/// Nouns that English uses in the singular without an article.
const MASS: &[&str] = &[
    "data", "code", "traffic", "feedback", "documentation", "research", "software", "homework", "text", "writing",
    "prose", "music", "content", "infrastructure", "spending", "paperwork", "correspondence", "css", "html", "sql",
    "mail",
];

/// What there is one of where the skill is used, so that "the" says as much as "our".
const UNIQUE: &[&str] = &[
    "company", "team", "organisation", "organization", "department", "office", "school", "class", "project", "repo",
    "repository", "codebase", "app", "application", "product", "pipeline", "website", "site", "changelog", "readme",
    "database", "backend", "frontend", "monorepo", "store", "shop", "firm", "university", "club", "wiki", "api",
    "cluster",
];

/// Words at which a noun phrase ends.
const ENDS: &[&str] = &[
    "to", "in", "on", "at", "for", "from", "with", "into", "using", "by", "of", "and", "or", "when", "if", "before",
    "after", "that", "which", "who", "so", "while", "as", "about", "without", "until", "is", "are", "was", "were",
    "has", "have", "up", "can", "via", "every", "each", "against", "per", "whenever", "but", "then", "during",
    "keeping", "following", "only",
];

/// Verbs that make something for somebody: whom it is for goes without saying.
const MADE_FOR: &[&str] = &[
    "write", "make", "draft", "build", "create", "find", "plan", "suggest", "get", "cook", "generate", "prepare",
    "pick", "choose", "give", "for", "buy", "book", "order", "fetch", "recommend",
];

/// Words after "I" and "we" that stay as they are: auxiliaries, and pasts that do not end in "ed".
const UNCHANGED: &[&str] = &[
    "can", "could", "will", "would", "should", "must", "may", "might", "did", "had", "went", "said", "wrote", "made",
    "spent", "bought", "got", "sent", "read", "took", "found", "saw", "paid", "ate", "kept", "left", "lost", "sold",
    "built", "chose", "gave", "knew", "ran", "told", "thought", "was",
];

/// Adverbs that may stand between a pronoun and its verb.
const BETWEEN: &[&str] =
    &["already", "often", "usually", "always", "never", "also", "just", "really", "still", "actually"];

/// The sentence with its first persons turned or dropped; what only introduces the skill stays as it is.
pub(crate) fn impersonal(sentence: &str, language: Language) -> Cow<'_, str> {
    let lower = |word: &str| key(word).into_owned();
    let said = sentence.split(' ').any(|word| first_person(&lower(word), word, language));
    if !said {
        return Cow::Borrowed(sentence);
    }
    let found = words(sentence);
    let begin = found.get(introduction(&found)).map_or(0, |word: &Word| word.start);
    let (before, rest) = sentence.split_at_checked(begin).unwrap_or(("", sentence));
    let tokens: Vec<&str> = rest.split(' ').collect();
    if tokens.len() < 3 {
        return Cow::Borrowed(sentence);
    }
    let turned = match language {
        Language::En => english(&tokens),
        Language::Pt | Language::Es => romance(&tokens, language),
    };
    Cow::Owned(format!("{before}{}", turned.join(" ")))
}

/// The token as it is compared: lowercase, without the punctuation around it.
fn key(token: &str) -> Cow<'_, str> {
    let bare = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '`');
    if bare.chars().any(char::is_uppercase) { Cow::Owned(bare.to_lowercase()) } else { Cow::Borrowed(bare) }
}

fn first_person(key: &str, token: &str, language: Language) -> bool {
    match language {
        Language::En => {
            matches!(key, "my" | "our" | "me" | "myself" | "ourselves" | "we" | "mine" | "ours")
                || matches!(key.split_once(['\'', '\u{2019}']), Some(("i" | "we", _)))
                || (key == "us" && !token.contains('U'))
                || (key == "i" && token.contains('I'))
        }
        Language::Pt => {
            matches!(key, "me" | "mim" | "nós" | "nos")
                || key.ends_with("-me")
                || ["meu", "minha", "meus", "minhas", "nosso", "nossa", "nossos", "nossas"].contains(&key)
        }
        Language::Es => {
            matches!(key, "me" | "mí" | "mi" | "mis" | "nos")
                || told(key).is_some()
                || ["nuestro", "nuestra", "nuestros", "nuestras"].contains(&key)
        }
    }
}

fn english(tokens: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let word = key(token);
        let tail = token.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}' | '-'));
        let last = out.last().map(|last| key(last).into_owned()).unwrap_or_default();
        let (pronoun, short) = word.split_once(['\'', '\u{2019}']).unwrap_or((&word, ""));
        let who = if matches!(pronoun, "i" | "my" | "me" | "myself" | "mine") { "the user" } else { "the team" };
        let again = out.join(" ").contains(who);
        at += 1;
        if !first_person(&word, token, Language::En) {
            out.push((*token).to_owned());
            continue;
        }
        match pronoun {
            // The phrase itself begins with it: the voice says whose it is.
            "my" | "our" if at == 1 => out.push((*token).to_owned()),
            // Who was named once is "they" after that.
            "i" | "we" if again && short.is_empty() => {
                out.push(format!("they{tail}"));
                if let Some(am) = tokens.get(at).filter(|next| &*key(next) == "am") {
                    out.push(am.replace("am", "are"));
                    at += 1;
                }
            }
            "my" | "our" => match whose(pronoun, tokens.get(at..).unwrap_or_default()) {
                "" => {}
                owner => out.push(owner.to_owned()),
            },
            "me" | "us" if MADE_FOR.contains(&last.as_str()) => {
                if last == "for" {
                    out.pop();
                }
                if let Some(end) = out.last_mut().filter(|_| !tail.is_empty()) {
                    end.push_str(tail);
                }
            }
            "mine" | "ours" => out.push(format!("{who}'s{tail}")),
            "i" | "we" => {
                out.push(format!("{who}{tail}"));
                match short {
                    "m" | "re" => out.push("is".to_owned()),
                    "ve" => out.push("has".to_owned()),
                    "ll" => out.push("will".to_owned()),
                    "d" => out.push("would".to_owned()),
                    _ => at = third_after(tokens, at, &mut out),
                }
            }
            _ => out.push(format!("{who}{tail}")),
        }
    }
    out
}

/// Whose "my" and "our" are before these words: nobody's where the noun can stand alone.
fn whose(own: &str, following: &[&str]) -> &'static str {
    let mut head = "";
    for token in following {
        if ENDS.contains(&&*key(token)) {
            break;
        }
        head = token;
        if token.ends_with([',', '.', ';', ':', '!', '?', ')']) {
            break;
        }
    }
    let head = key(head);
    let owner = following.first().is_some_and(|first| first.contains("'s") || first.contains("\u{2019}s"));
    let plural = head.ends_with('s') && !["ss", "us", "is"].iter().any(|end| head.ends_with(end));
    match own {
        _ if owner => "the",
        _ if plural || MASS.contains(&&*head) => "",
        "our" if UNIQUE.contains(&&*head) => "the",
        "my" if matches!(&*head, "team" | "company") => "the",
        "our" => "the team's",
        _ => "the user's",
    }
}

/// The verb after "I" or "we" in the third person, an adverb before it too; gives what comes next.
fn third_after(tokens: &[&str], mut at: usize, out: &mut Vec<String>) -> usize {
    while let Some(token) = tokens.get(at).filter(|token| BETWEEN.contains(&&*key(token))) {
        out.push((*token).to_owned());
        at += 1;
    }
    let Some(token) = tokens.get(at) else { return at };
    let word = key(token);
    let new = match &*word {
        "am" | "are" => "is".to_owned(),
        "were" => "was".to_owned(),
        "have" => "has".to_owned(),
        "don't" | "don\u{2019}t" => "doesn't".to_owned(),
        "haven't" | "haven\u{2019}t" => "hasn't".to_owned(),
        same if same.ends_with("ed") || UNCHANGED.contains(&same) || !same.bytes().all(|b| b.is_ascii_lowercase()) => {
            same.to_owned()
        }
        base => third(base),
    };
    out.push(if word.is_empty() { (*token).to_owned() } else { token.replacen(&*word, &new, 1) });
    at + 1
}

fn romance(tokens: &[&str], language: Language) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let word = key(token);
        at += 1;
        if !first_person(&word, token, language) {
            out.push((*token).to_owned());
            continue;
        }
        let user = if language == Language::Pt { "o usuário" } else { "al usuario" };
        let tail = token.trim_start_matches(|c: char| c.is_alphanumeric() || c == '-');
        let next = tokens.get(at).map(|next| key(next)).unwrap_or_default();
        match &*word {
            // "me avise quando …": whom it tells comes after the verb.
            "me" | "nos" => {
                // "nos" is also Portuguese for "in the".
                if tells(&fold(&next)) {
                    out.extend([tokens.get(at).copied().unwrap_or_default().to_owned(), user.to_owned()]);
                    at += 1;
                } else if &*word == "nos" && language == Language::Pt {
                    out.push((*token).to_owned());
                }
            }
            "mim" | "mí" => {
                out.pop_if(|last| last.as_str() == "para");
            }
            "nós" => out.push(format!("a equipe{tail}")),
            verb if verb.ends_with("-me") || told(verb).is_some() => {
                let bare = verb.strip_suffix("-me").map(str::to_owned).or_else(|| told(verb)).unwrap_or_default();
                out.push(bare.clone());
                if tells(&bare) {
                    out.push(format!("{user}{tail}"));
                }
            }
            own => owned(&mut out, own, &next, language),
        }
    }
    out
}

/// "avísame", "avisarme": the verb without whom it tells, where it is a verb of that kind.
fn told(word: &str) -> Option<String> {
    let bare = fold(word.strip_suffix("me")?);
    (bare.len() > 3 && bare.len() < word.len() && tells(&bare)).then_some(bare)
}

/// Whether a verb tells somebody something.
fn tells(word: &str) -> bool {
    const TELL: &[&str] = &[
        "avisar", "alertar", "notificar", "lembrar", "recordar", "informar", "advertir", "enviar", "mandar", "mostrar",
    ];
    let known = verbs::romance(word).or_else(|| verbs::command(word));
    TELL.contains(&word) || known.is_some_and(|verb| TELL.contains(&verb.base))
}

/// An article in place of "meu" and "mi", joined to the preposition before it.
fn owned(out: &mut Vec<String>, own: &str, next: &str, language: Language) {
    let many = own.ends_with('s');
    let feminine = match own {
        "mi" | "mis" => feminine(next),
        own => own.trim_end_matches('s').ends_with('a'),
    };
    let article = match (language, many, feminine) {
        (Language::Pt, false, false) => "o",
        (Language::Pt, false, true) => "a",
        (Language::Pt, true, false) => "os",
        (Language::Pt, true, true) => "as",
        (_, false, false) => "el",
        (_, false, true) => "la",
        (_, true, false) => "los",
        (_, true, true) => "las",
    };
    let joined = |before: &str| match (language, before) {
        (Language::Pt, "de") => Some(format!("d{article}")),
        (Language::Pt, "em") => Some(format!("n{article}")),
        (Language::Pt, "por") => Some(format!("pel{article}")),
        (Language::Pt, "a") if !feminine => Some(format!("a{article}")),
        (Language::Es, "de" | "a") if article == "el" => Some(format!("{before}l")),
        _ => None,
    };
    // "da minha equipe", "o meu código": the article is there.
    const HELD: &[&str] = &[
        "o", "os", "as", "do", "da", "dos", "das", "no", "na", "nos", "nas", "ao", "aos", "à", "às", "pelo", "pela",
        "pelos", "pelas", "todos", "todas",
    ];
    let before = out.last().map(|last| key(last).into_owned()).unwrap_or_default();
    let held = HELD.contains(&before.as_str()) || (before == "a" && feminine && !many);
    match joined(&before) {
        _ if language == Language::Pt && held && !before.starts_with("todos") && !before.starts_with("todas") => {}
        Some(both) => {
            out.pop();
            out.push(both);
        }
        None => out.push(article.to_owned()),
    }
}

/// Whether a Spanish noun is feminine, by its ending.
fn feminine(noun: &str) -> bool {
    let one = noun.trim_end_matches("es").trim_end_matches('s');
    let masculine = ["ema", "ama", "oma", "día", "mapa"].iter().any(|end| one.ends_with(end));
    let endings =
        ["a", "ión", "ion", "dad", "tud", "umbre", "tesi", "serie", "clas", "clase", "red", "imagen", "imágen"];
    !masculine && endings.iter().any(|end| one.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_loses_the_person_who_wrote_it() {
        for (language, said, turned) in [
            (Language::En, "Watch my server logs and alert me", "Watch server logs and alert the user"),
            (
                Language::En,
                "Create modules following our naming convention",
                "Create modules following the team's naming convention",
            ),
            (
                Language::En,
                "Answer questions about our company's policy",
                "Answer questions about the company's policy",
            ),
            (
                Language::En,
                "Debug tests in our CI pipeline before I merge",
                "Debug tests in the CI pipeline before the user merges",
            ),
            (Language::En, "Write me a speech, then show it to us", "Write a speech, then show it to the team"),
            (Language::En, "Sell cars in the US", "Sell cars in the US"),
            (Language::En, "I want a skill that sorts my mail", "I want a skill that sorts mail"),
            (Language::Pt, "Revise o código da minha equipe", "Revise o código da equipe"),
            (Language::Pt, "Leia os logs de meu servidor e me avise", "Leia os logs do servidor e avise o usuário"),
            (Language::Pt, "Publica nos servidores", "Publica nos servidores"),
            (Language::Es, "Ordena mis facturas y avísame", "Ordena las facturas y avisa al usuario"),
            (Language::Es, "Revisa el estilo de mi código", "Revisa el estilo del código"),
            (Language::Es, "Mejora nuestra web", "Mejora la web"),
        ] {
            assert_eq!(impersonal(said, language), turned, "{said}");
        }
    }
}
