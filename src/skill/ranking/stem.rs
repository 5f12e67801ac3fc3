//! Light stemming: the same word in its usual forms, English, Portuguese and Spanish, comes out the same.

/// The shortest stem that an ending is taken from.
const SHORTEST: usize = 4;

/// Endings and what stands in their place, longest first; the first that fits is taken.
const PLURALS: &[(&str, &str)] =
    &[("ciones", "cion"), ("coes", "cao"), ("oes", "ao"), ("ies", "y"), ("ais", "al"), ("ns", "m"), ("s", "")];

/// The endings behind this letter, longest first.
fn endings(last: u8) -> &'static [&'static str] {
    match last {
        b'a' => &["ada", "ida", "a"],
        b'd' => &["ated", "ed"],
        b'e' => &["mente", "ate", "e"],
        b'g' => &["ating", "ing"],
        b'i' => &["i"],
        b'l' => &["al"],
        b'm' => &["em", "am"],
        b'n' => &["izacion", "acion", "ation", "cion", "sion", "ion", "en", "an"],
        b'o' => &["amiento", "izacao", "acao", "ando", "endo", "indo", "iendo", "cao", "sao", "ado", "ido", "o"],
        b'r' => &["ador", "er", "or", "ar", "ir"],
        b't' => &["ment"],
        _ => &[],
    }
}

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
    let ended = word.bytes().last().map_or(&[][..], endings).iter();
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
