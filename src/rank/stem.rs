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

/// The stem of a word in lowercase ASCII.
pub(super) fn stem(word: &str) -> String {
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word.to_owned();
    }
    let mut stem = word.to_owned();
    for (end, by) in PLURALS {
        if let Some(rest) = stem.strip_suffix(end).filter(|rest| rest.len() > 2 && !rest.ends_with('s')) {
            stem = format!("{rest}{by}");
            break;
        }
    }
    if let Some(rest) = ENDINGS.iter().find_map(|end| stem.strip_suffix(end).filter(|rest| rest.len() >= SHORTEST)) {
        stem = rest.to_owned();
    }
    let mut letters = stem.chars().rev();
    if let (Some(last), Some(before)) = (letters.next(), letters.next())
        && last == before
        && stem.len() > SHORTEST
        && !matches!(last, 's' | 'l')
    {
        stem.pop();
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::stem;

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
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{forms:?}: {stems:?}");
        }
        assert_ne!(stem("contract"), stem("contact"));
        assert_eq!(stem("k8s"), "k8s");
    }
}
