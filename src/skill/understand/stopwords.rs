//! Words that carry no subject: grammar, filler, and the ways people introduce a skill.

/// Articles, prepositions, pronouns and the like in English, Portuguese and Spanish, ASCII spelling, in order.
const GRAMMAR: &[&str] = &[
    "a", "about", "according", "across", "after", "against", "al", "all", "also", "an", "and", "any", "ao", "aos",
    "are", "as", "at", "basado", "baseado", "based", "be", "been", "before", "being", "between", "both", "but", "by",
    "cada", "can", "com", "como", "con", "conforme", "could", "da", "das", "de", "del", "do", "does", "dos", "during",
    "e", "each", "eg", "el", "em", "en", "entre", "essa", "esse", "esta", "estas", "este", "estos", "etc", "every",
    "following", "for", "from", "has", "have", "he", "her", "his", "how", "i", "ie", "if", "in", "into", "is", "it",
    "its", "just", "la", "las", "lo", "los", "mais", "may", "me", "mediante", "meu", "meus", "mi", "minha", "minhas",
    "mis", "more", "most", "must", "my", "na", "nas", "no", "nor", "nos", "not", "o", "of", "on", "only", "onto", "or",
    "os", "other", "ou", "our", "over", "para", "pela", "pelo", "per", "por", "que", "s", "se", "seguindo", "segun",
    "segundo", "sem", "ser", "seu", "seus", "she", "should", "siguiendo", "sin", "so", "sobre", "some", "su", "sua",
    "suas", "such", "sus", "than", "that", "the", "their", "them", "then", "these", "they", "this", "those", "through",
    "to", "todas", "todos", "u", "um", "uma", "umas", "un", "una", "unas", "under", "unos", "uns", "upon", "us",
    "usando", "use", "used", "uses", "using", "very", "via", "vs", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "whose", "why", "will", "with", "within", "without", "would", "y", "you", "your",
];

/// Words that praise or repeat what every skill is, in order.
const FILLER: &[&str] = &[
    "act", "acts", "agent", "ajuda", "allow", "allows", "applies", "apply", "applying", "automatic", "automatically",
    "ayuda", "best", "better", "boa", "boas", "bom", "bons", "buena", "buenas", "common", "comprehensive", "different",
    "easily", "effectively", "efficiently", "enable", "enables", "existing", "good", "great", "habilidad",
    "habilidade", "help", "helper", "helpers", "helping", "helps", "improve", "improved", "incoming", "inline", "many",
    "mejores", "melhores", "need", "new", "nova", "novo", "nueva", "nuevo", "please", "powerful", "proper", "properly",
    "provide", "provides", "quickly", "robust", "safely", "several", "simple", "simply", "skill", "skills", "stuff",
    "thing", "things", "tool", "tools", "useful", "various", "want", "way",
];

/// Words that may stand before "skill" when a sentence introduces one.
pub(crate) const INTRODUCTION: &[&str] = &[
    "please", "create", "make", "build", "write", "generate", "add", "i", "we", "want", "need", "would", "like", "a",
    "an", "new", "me", "us", "this", "the", "my", "our", "agent", "is", "simple", "to", "can", "you", "uma", "um",
    "una", "un", "crie", "criar", "crea", "crear", "quero", "quiero", "preciso", "necesito", "nova", "nueva", "esta",
    "essa", "este", "e", "es", "de",
];

/// What the introduced thing is called.
pub(crate) const SKILL: &[&str] = &["skill", "skills", "habilidade", "habilidad"];

/// Words that lead from "skill" to what it does.
pub(crate) const LEADS: &[&str] = &[
    "to", "that", "which", "for", "para", "que", "helps", "help", "you", "me", "us", "can", "will", "de", "and", "it",
    "should", "be", "used",
];

pub(crate) const HELPED: &[&str] = &["you", "me", "us", "users", "people", "teams", "developers", "agents"];

/// Whether the word only holds others together.
pub(super) fn grammar(key: &str) -> bool {
    within(GRAMMAR, &GRAMMAR_FROM, key)
}

/// Whether the word only praises, or says what every skill is.
pub(super) fn filler(key: &str) -> bool {
    within(FILLER, &FILLER_FROM, key)
}

/// Whether the word says nothing about the subject.
pub(crate) fn empty(key: &str) -> bool {
    grammar(key) || filler(key)
}

/// Where the words of each first letter begin in a list: those of `a` at 0, of `z` at 25, what is behind them at 26.
type From = [usize; 27];

const GRAMMAR_FROM: From = from(GRAMMAR);
const FILLER_FROM: From = from(FILLER);

const fn from(list: &[&str]) -> From {
    let mut found = [list.len(); 27];
    let mut at = list.len();
    while at > 0 {
        at -= 1;
        let mut letter = (list[at].as_bytes()[0] - b'a') as usize + 1;
        // Letters without a word of their own begin where the next one does.
        while letter > 0 {
            letter -= 1;
            found[letter] = at;
        }
    }
    found
}

fn within(list: &[&str], from: &From, key: &str) -> bool {
    let letter = key.bytes().next().map_or(26, |first| usize::from(first.wrapping_sub(b'a')));
    let range = from.get(letter).zip(from.get(letter + 1)).and_then(|(from, to)| list.get(*from..*to));
    range.is_some_and(|some| some.contains(&key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order() {
        for list in [GRAMMAR, FILLER] {
            let wrong: Vec<_> = list.windows(2).filter(|pair| pair[0] >= pair[1]).collect();
            assert!(wrong.is_empty(), "{wrong:?}");
            assert!(list.iter().all(|word| empty(word) && !empty(&format!("{word}q"))));
        }
        for other in ["", "7", "_", "A", "~", "zz", "\u{e9}"] {
            assert!(!empty(other), "{other}");
        }
        assert!(grammar("y") && filler("agent") && empty("the") && !empty("email"));
    }
}
