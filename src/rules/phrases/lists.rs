//! The words of prompt injection, in lower case and without accents, and the lookup of a word.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct WordLists(u32);

/// Assigns a bit to every list.
macro_rules! lists {
    ($($(#[$doc:meta])* $bit:literal $list:ident $words:literal)*) => {
        impl WordLists {
            $($(#[$doc])* pub(super) const $list: Self = Self(1 << $bit);)*
        }
        const LISTS: &[(WordLists, &str)] = &[$((WordLists::$list, $words)),*];
    };
}

lists! {
    0 DROP "ignore disregard disregards forget override bypass ignorar ignora ignorem desconsidere desconsiderar \
        desconsidera esqueca esquecer olvida olvide olvidar descarta descarte overrule"
    /// Verbs that also have honest uses with instructions of any kind.
    1 STRICT "override overrule bypass"
    /// Objects that only an agent has.
    2 INSTRUCTIONS "instruction instructions prompt prompts directive directives instrucao instrucoes instruccion \
        instrucciones diretrizes directrices indicaciones"
    /// Objects that need a qualifier.
    3 RULES "rules guidelines context commands constraints messages conversation orders training safeguards regras \
        ordens comandos contexto reglas ordenes programming"
    /// Qualifiers: the initial instructions.
    4 FIRST "system original initial sistema antes"
    /// Qualifiers: instructions given earlier.
    5 BEFORE "previous prior above earlier preceding foregoing anterior anteriores previa previas previos acima"
    /// Objects that bind an agent.
    6 BINDING "rules guidelines constraints orders safeguards regras ordens reglas ordenes"
    /// Words after a phrase that is mentioned, not given.
    7 TALKED_OF "attack attacks style injection injections pattern patterns phrase phrases prompts etc"
    /// Qualifiers: all of them, or the agent's own.
    8 ANY "all any every your these those todas todos suas seus tus sus qualquer cualquier"
    9 REVEAL "reveal reveals show print output repeat display leak expose dump tell mostre mostrar revele revelar exiba \
        muestra muestre revela imprima repita"
    /// Words for what only the agent knows.
    10 OWN "system initial hidden original secret internal sistema inicial oculto ocultas"
    11 WHOSE "your you seu suas tu tus the o el me us its"
    12 TELL "tell inform mention reveal notify alert telling informing notifying alerting conte informe avise diga \
        digas informes avises"
    13 USER "user users usuario usuarios"
    /// Words for an agent without rules.
    14 UNBOUND "dan jailbroken unrestricted unfiltered uncensored unbound restrictions limitations filters"
    15 EVERYTHING "everything tudo todo"
    /// Qualifiers: everything an agent knows.
    16 KNOWN "before told know learned"
    /// Possessive prepositions.
    17 OF "do de del"
    /// Words before a verb that make it a statement instead of an order.
    18 SUBJECTS "attackers may might could would never not or t"
    /// Negations after an auxiliary verb: "do not", "don't".
    19 NOT "not t"
    /// What is denied with them.
    20 DENIED "do don should must"
    /// What denies a verb alone.
    21 NEVER "never without nao no sin sem"
}

impl WordLists {
    /// The lists a word is in, whatever its case and its accents.
    pub(super) fn of(word: &str) -> Self {
        let plain = match word.is_ascii() {
            true => word.to_ascii_lowercase(),
            false => word.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect(),
        };
        LOOKUP.get(plain.as_str()).copied().unwrap_or_default()
    }

    pub(super) fn words(self) -> impl Iterator<Item = &'static str> {
        LISTS.iter().find(|(list, _)| *list == self).map_or("", |(_, words)| *words).split(' ')
    }

    pub(super) const fn has(self, lists: Self) -> bool {
        self.0 & lists.0 != 0
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

static LOOKUP: LazyLock<HashMap<&str, WordLists>> = LazyLock::new(|| {
    let mut lookup: HashMap<_, WordLists> = HashMap::new();
    for (list, words) in LISTS {
        for word in words.split(' ') {
            let known = lookup.entry(word).or_default();
            *known = known.and(*list);
        }
    }
    lookup
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_in_its_lists_whatever_its_case_accents_and_width() {
        for (list, words) in LISTS {
            for word in words.split(' ') {
                assert!(WordLists::of(&word.to_uppercase()).has(*list), "{word}");
            }
        }
        let bits: u32 = LISTS.iter().map(|(list, _)| list.0).sum();
        assert_eq!(bits.count_ones() as usize, LISTS.len(), "each list has a bit of its own");
        assert_eq!(WordLists::of("instru\u{e7}\u{f5}es"), WordLists::INSTRUCTIONS);
        assert_eq!(WordLists::of("\u{ff29}gnore"), WordLists::DROP);
        assert_eq!(WordLists::of("ignorex"), WordLists::default());
    }
}
