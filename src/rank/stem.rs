//! Light stemming: the same word in its usual forms, English, Portuguese and Spanish, comes out the same.

/// The shortest stem that an ending is taken from.
const SHORTEST: usize = 4;

/// Endings and what stands in their place, longest first; the first that fits is taken.
const PLURALS: &[(&str, &str)] =
    &[("ciones", "cion"), ("coes", "cao"), ("oes", "ao"), ("ies", "y"), ("ais", "al"), ("ns", "m"), ("s", "")];
const ENDINGS: &[&str] = &[
    "amiento", "izacion", "izacao", "acion", "acao", "ation", "mente", "ment", "ando", "endo", "indo", "iendo",
    "ating", "ated", "ador", "cion", "cao", "sion", "sao", "ion", "ing", "ate", "ada", "ado", "ida", "ido", "ed", "er",
    "or", "ar", "ir", "al", "em", "en", "am", "an", "a", "e", "o", "i",
];

/// Brings a word in lowercase ASCII to its stem.
pub(super) fn stem(word: &mut String) {
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        return;
    }
    if word.ends_with('s') {
        let plural = PLURALS.iter().find_map(|(end, by)| {
            let rest = word.strip_suffix(end).filter(|rest| rest.len() > 2 && !rest.ends_with('s'))?;
            Some((rest.len(), by))
        });
        if let Some((rest, by)) = plural {
            word.truncate(rest);
            word.push_str(by);
        }
    }
    // Most endings are told apart by their last letter.
    let last = word.as_bytes().last();
    let ended = ENDINGS.iter().filter(|end| end.as_bytes().last() == last);
    let rest = ended.filter_map(|end| word.strip_suffix(end)).map(str::len).find(|rest| *rest >= SHORTEST);
    if let Some(rest) = rest {
        word.truncate(rest);
    }
    if let [.., before, last] = word.as_bytes()
        && last == before
        && word.len() > SHORTEST
        && !matches!(last, b's' | b'l')
    {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        let mut word = word.to_owned();
        stem(&mut word);
        word
    }

    #[test]
    fn forms_of_a_word_agree() {
        for forms in [
            &["validate", "validates", "validating", "validated", "validation"][..],
            &["invoice", "invoices"],
            &["migrate", "migration", "migrating", "migrar", "migra"],
            &["translate", "translation"],
            &["deploy", "deploying", "deployment", "deployed"],
            &["relatorio", "relatorios"],
            &["traduzir", "traduza", "traduz"],
            &["factura", "facturas"],
            &["planning", "planned"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stemmed(form)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{forms:?}: {stems:?}");
        }
        assert_ne!(stemmed("contract"), stemmed("contact"));
        assert_eq!(stemmed("k8s"), "k8s");
    }
}
