//! How a rule is told by its form: binding words, orders, prohibitions, short items without a verb.

use super::command_text::only_command;
use crate::skill::Language;

/// Binding words in English, Portuguese and Spanish, each searched as a whole word.
const BINDING: &[&str] = &[
    "must", "must not", "never", "always", "do not", "don't", "only", "required", "not allowed", "forbidden",
    "may not", "cannot be", "no longer than", "at least", "at most", "need", "needs", "before each", "before every",
    "requires", "require", "is the source", "nobody", "no one", "nadie", "ninguém", "jamás", "ningún", "ninguna",
    "nenhum", "nenhuma", "nunca", "sempre", "não", "deve", "devem", "apenas", "somente", "obrigatório", "proibido",
    "siempre", "no se", "debe", "deben", "solo", "sólo", "obligatorio", "prohibido",
];

/// Words at the start of a rule.
const OPENING: &[&str] = &[
    "before", "every", "each", "all", "no", "avoid", "ask", "nothing", "we", "antes", "cada", "todo", "toda", "todos",
    "todas", "sem", "sin",
];

/// Three words, or two with code or a prohibition: "No storyboards."
pub(super) fn is_long_enough(sentence: &str) -> bool {
    let words = sentence.split_whitespace().count();
    words >= 3 || (words == 2 && (sentence.contains('`') || OPENING.contains(&first_word(sentence).as_str())))
}

pub(super) fn first_word(text: &str) -> String {
    padded(text).split_whitespace().next().unwrap_or_default().to_owned()
}

/// Words that say how something is; without one and without a verb a short item is a rule: "British spelling".
const BEING: &[&str] = &[
    "is", "are", "was", "were", "use", "uses", "come", "comes", "go", "goes", "live", "lives", "lie", "lies", "run",
    "runs", "follow", "follows", "é", "são", "está", "estão", "fica", "ficam", "vai", "vão", "usa", "usam", "segue",
    "seguem", "es", "son", "están", "va", "van", "usan", "sigue", "siguen",
];

/// The most words of a rule without a verb, and of the label before a colon: "Maintenance windows: Tuesday".
const FRAGMENT: usize = 6;
const LABEL: usize = 3;

pub(super) fn is_fragment(rule: &str) -> bool {
    let padded = padded(&rule.split('`').step_by(2).collect::<Vec<_>>().join(" "));
    let words: Vec<&str> = padded.split_whitespace().collect();
    let acts = |word: &&str| {
        let known = Language::ALL.iter().find_map(|language| language.lexicon().verb(word).map(|(verb, _)| verb));
        known.is_some_and(|verb| !verb.noun)
    };
    let label = rule.split_once(": ").is_some_and(|(label, _)| label.split_whitespace().count() <= LABEL);
    let article = |word: &str| Language::ALL.iter().any(|language| language.lexicon().set("articles").contains(word));
    let begins = words.first().is_some_and(|word| !article(word));
    label || (begins && words.len() <= FRAGMENT && !words.iter().any(|word| BEING.contains(word) || acts(word)))
}

/// Whether a rule orders or forbids something, rather than saying how something is.
pub(crate) fn is_order(rule: &str) -> bool {
    // "in `web`: Never edit …"
    let rule = rule.strip_prefix("in `").and_then(|rest| rest.split_once("`: ")).map_or(rule, |(_, rule)| rule);
    // "Tratamos de usted": "we" in Portuguese and Spanish.
    let we = ["amos", "emos", "imos"].iter().any(|end| first_word(rule).ends_with(end));
    // "Usa-se o pretérito perfeito", "Se responde de usted".
    let one = padded(rule).split_whitespace().take(2).any(|word| word == "se");
    let said = binds(rule, false) || we || one || padded(rule).contains(" no ");
    said || is_fragment(rule) || rule.split([';', ',', '.', ':']).any(orders)
}

/// Lowercase, with all punctuation but the apostrophe as blanks, and a blank on both sides.
pub(super) fn padded(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

/// Whether a text in the form of [`padded`] has one of these words or phrases.
pub(super) fn holds(padded: &str, words: &[&str]) -> bool {
    padded.split(' ').any(|word| words.contains(&word))
        || words.iter().any(|phrase| phrase.contains(' ') && padded.contains(&format!(" {phrase} ")))
}

/// Whether a sentence is a rule for contributors.
pub(super) fn binds(sentence: &str, strict: bool) -> bool {
    let padded = padded(sentence);
    let offered = padded.contains(" you can ") || padded.contains(" you may ");
    if sentence.ends_with('?') || sentence.ends_with(':') || (strict && offered) {
        return false;
    }
    let first = padded.split_whitespace().next().unwrap_or_default();
    let strong: &[&str] = if strict {
        &[
            "must", "must not", "never", "always", "do not", "nobody", "mandatory", "nunca", "sempre", "siempre",
            "deve", "debe", "obrigatório", "obligatorio",
        ]
    } else {
        BINDING
    };
    holds(&padded, strong) || sentence.contains(", not ") || (!strict && OPENING.contains(&first))
}

/// Whether a list item begins with a verb that is no noun or has an article or code behind it, or allows one thing: "Validate
/// every body with a schema", "Address the reader", "One migration per pull request".
pub(super) fn orders(sentence: &str) -> bool {
    let padded = padded(sentence);
    let mut words = padded.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let coded = sentence.split_whitespace().nth(1).is_some_and(|word| word.starts_with('`'));
    let acts = |language: &Language| {
        let lexicon = language.lexicon();
        let acts = |noun: bool| !noun || coded || lexicon.set("articles").contains(second);
        lexicon.verb(first).is_some_and(|(verb, _)| verb.base == first && acts(verb.noun))
    };
    first == "one" || Language::ALL.iter().any(acts)
}

/// Whether the first word is a verb in any of its forms, or the item is about a case: "Confira o saldo", "If it fails, ask".
pub(super) fn begins_with_verb(item: &str) -> bool {
    let first = first_word(item);
    is_conditional(item) || Language::ALL.iter().any(|language| language.lexicon().verb(&first).is_some())
}

/// Whether a rule says what to do: it begins with a verb, denies nothing, and says of nothing how it is.
pub(crate) fn is_action(rule: &str) -> bool {
    let padded = padded(rule);
    begins_with_verb(rule) && !denies(rule) && !padded.split_whitespace().skip(1).any(|word| BEING.contains(&word))
}

/// Whether a text says that something is not or must not be.
pub(crate) fn denies(text: &str) -> bool {
    const NOT: &[&str] = &["never", "nobody", "not", "don't", "no", "nunca", "ninguém", "não", "nadie", "jamás"];
    holds(&padded(text), NOT)
}

/// Whether a sentence says what to do in a case: "If a parcel is open, ask for a photo."
pub(super) fn is_conditional(sentence: &str) -> bool {
    const CASES: &[&str] = &[
        "if", "when", "after", "before", "once", "se", "quando", "caso", "depois", "antes", "si", "cuando", "después",
        "tras",
    ];
    sentence.contains(',') && sentence.ends_with('.') && CASES.contains(&first_word(sentence).as_str())
}

/// Whether a sentence gives a measure or a name to use: "up to 2 % is accepted", "are marked `late`".
pub(super) fn is_measured(sentence: &str) -> bool {
    sentence.ends_with('.') && sentence.contains(|c: char| c == '`' || c.is_ascii_digit())
}

/// Whether a sentence says who gets or decides something: "Disagreements go to Dr. Lund".
pub(super) fn is_routed(sentence: &str) -> bool {
    const TO: &[&str] =
        &["goes to", "go to", "decides", "decide", "vai para", "vão para", "va a", "van a", "pasa a", "pasan a"];
    sentence.ends_with('.') && holds(&padded(sentence), TO)
}

/// Whether a sentence gives an order of parts: "Order of the note: incidents, stock, staff."
pub(super) fn is_ordered(sentence: &str) -> bool {
    const ORDERS: &[&str] = &["order", "ordem", "orden", "format", "formato"];
    sentence.split_once(": ").is_some_and(|(label, rest)| {
        label.split_whitespace().count() <= FRAGMENT && holds(&padded(label), ORDERS) && !rest.trim().is_empty()
    })
}

/// Whether an item describes or refers.
pub(super) fn refers(item: &str) -> bool {
    ["this", "see", "este", "esta", "veja", "véase"].contains(&first_word(item).as_str())
}

/// Whether a sentence of a short paragraph sets something: it gives a measure or a name, and is no more than a command.
pub(super) fn sets(sentence: &str) -> bool {
    is_measured(sentence) && !describes(sentence) && !only_command(sentence) && !refers(sentence)
}

/// Whether a sentence behind a rule says more of it: "But when more than 4 % are bad, the file goes back."
pub(super) fn continues(sentence: &str) -> bool {
    const JOINING: &[&str] = &["but", "it", "only", "so", "they", "mas", "ela", "ele", "pero", "solo", "sólo", "só"];
    JOINING.contains(&first_word(sentence).as_str()) || is_measured(sentence)
}

/// Whether a labelled item gives values: "Exit codes: 0 success, 1 failure." One with code lists commands.
pub(super) fn lists(sentence: &str) -> bool {
    is_measured(sentence) && is_fragment(sentence) && !sentence.contains('`')
}

/// Whether a sentence that orders nothing says how something is done.
pub(super) fn is_stated(sentence: &str) -> bool {
    const LEAST: usize = 4;
    sentence.split_whitespace().count() >= LEAST
        && !sentence.ends_with([':', '?', '!'])
        && !sentence.contains("://")
        && !describes(sentence)
        && !only_command(sentence)
        && !refers(sentence)
}

/// Whether an item begins with a path or a command and says what it is: "`src/api`: the routes".
pub(super) fn describes(item: &str) -> bool {
    let (head, rest) = match item.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
        Some((code, rest)) => (code, rest),
        None => item.split_once(' ').unwrap_or((item, "")),
    };
    let coded = item.starts_with('`');
    let ends = head.ends_with(':') || rest.starts_with(':');
    let dash = rest.trim_start().starts_with(['–', '—', '-', '→']);
    let path = head.contains('/') || (coded && is_file(head));
    (path || coded) && (ends || dash || (path && coded && !binds(item, false)))
}

/// Whether a name ends like that of a file: `prices.csv`, but not `config.load_defaults`.
fn is_file(name: &str) -> bool {
    const LONGEST: usize = 4;
    let ending = name.trim_end_matches(':').rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| (1..=LONGEST).contains(&ending.len()) && ending.chars().all(char::is_alphanumeric))
}

/// Abbreviations before a name or a number.
const SHORTENED: &[&str] = &[
    "Prof", "Dr", "Enf", "Eng", "Arq", "Mr", "Mrs", "Ms", "St", "Dra", "Sr", "Sra", "Profa", "art", "arts", "Art",
    "Arts", "p", "pp", "cf", "fig", "Fig", "vol", "núm", "pág", "ext", "tel", "Tel", "approx", "aprox",
];

/// The sentences of a paragraph. A full stop inside of a word, a code span or a number ends none.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let (mut all, mut start, mut code) = (Vec::new(), 0, false);
    let bytes = text.as_bytes();
    for (at, c) in text.char_indices() {
        code ^= c == '`';
        let next = bytes.get(at + 1).copied();
        let after = text.get(at + 1..).unwrap_or_default().trim_start().chars().next();
        let before = text.get(start..at).unwrap_or_default();
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let ends = matches!(c, '.' | '!' | '?')
            && !code
            && !(c == '.' && (SHORTENED.contains(&word) || is_initial(word)))
            && next.is_none_or(|next| next == b' ')
            && after.is_none_or(|c| !c.is_lowercase());
        if ends {
            all.extend(text.get(start..=at).map(str::trim));
            start = at + 1;
        }
    }
    all.extend(text.get(start..).map(str::trim));
    all.retain(|sentence| !sentence.is_empty());
    all
}

/// Whether a word is the initial of a name: "D. Lurdes".
fn is_initial(word: &str) -> bool {
    word.len() == 1 && word.starts_with(|c: char| c.is_ascii_uppercase() && c != 'I')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_told_from_what_is_so() {
        for (rule, is) in [
            ("Never edit it by hand.", true),
            ("A plan for prod needs two approvals.", true),
            ("Minimum iOS is 16, so no `@Observable`.", true),
            ("Present tense, address the reader as \"you\".", true),
            ("Run `make proto` after a change.", true),
            ("We write as \"we\".", true),
            ("Tratamos de usted.", true),
            ("Usa-se o pretérito perfeito.", true),
            ("Table-driven tests with `t.Run`.", true),
            ("Maintenance windows: Tuesday and Thursday, 22:00 to 02:00.", true),
            ("Sem `DROP` sem aprovação.", true),
            ("Icons are 24x24 SVG.", false),
            ("Blade files are indented with 4 spaces.", false),
            ("The dashboard refreshes at 06:00.", false),
            ("El README está en español.", false),
        ] {
            assert_eq!(is_order(rule), is, "{rule}");
        }
    }

    #[test]
    fn sentences_end_at_full_stops_and_not_behind_initials_and_titles() {
        for (text, wanted) in [
            ("Ask D. Lurdes first. Go on.", ["Ask D. Lurdes first.", "Go on."]),
            ("Ask Prof. Lund (art. 5) first. Go on.", ["Ask Prof. Lund (art. 5) first.", "Go on."]),
            ("Use v1.2 of `a. B`. Never x.y it! ok", ["Use v1.2 of `a. B`.", "Never x.y it! ok"]),
        ] {
            assert_eq!(sentences(text), wanted);
        }
        assert!(is_routed("A walk-away goes to the General Counsel the same day.") && !is_routed("The van is red."));
    }
}
