//! Redacts credentials in a text to be stored: each is replaced by the name of its rule.

use std::borrow::Cow;

use super::placeholder::{is_stand_in, looks_random};
use super::{Place, SecretMatch, find, signals};

/// The shortest word that is masked because it is beside a credential.
const LEAST_BESIDE: usize = 16;

/// The text with each credential replaced by `[REDACTED:<rule>]`, an armored key whole, and their number.
pub fn redact(text: &str) -> (Cow<'_, str>, usize) {
    let found = find(text, &signals::of(text), Place::Memory, usize::MAX);
    if found.is_empty() {
        return (Cow::Borrowed(text), 0);
    }
    let mut kept = String::with_capacity(text.len());
    let (mut end, mut count) = (0, 0);
    for one in &found {
        let Some(between) = text.get(end..one.span.start) else { continue };
        kept.push_str(between);
        kept.push_str(&format!("[REDACTED:{}]", one.rule));
        end = whole(text, one);
        count += 1;
    }
    kept.push_str(text.get(end..).unwrap_or_default());
    (Cow::Owned(kept), count)
}

/// [`redact`] that also masks every random-looking word beside a credential: it may be the other half.
pub fn redact_beside(text: &str) -> Cow<'_, str> {
    let (known, count) = redact(text);
    if count == 0 {
        return known;
    }
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '+' | '=' | '_' | '-');
    let mut kept = String::with_capacity(known.len());
    let mut rest = known.as_ref();
    while let Some(at) = rest.find(part) {
        let (before, from) = rest.split_at(at);
        let (word, behind) = from.split_at(from.find(|c| !part(c)).unwrap_or(from.len()));
        kept.push_str(before);
        let other = word.len() >= LEAST_BESIDE && looks_random(word) && !is_stand_in(word);
        kept.push_str(if other { "[REDACTED:beside-a-credential]" } else { word });
        rest = behind;
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// The end of a credential. An armored key is recognised by its first line and ends with its last; without a last
/// line it ends with the text.
fn whole(text: &str, found: &SecretMatch) -> usize {
    let value = text.get(found.span.clone()).unwrap_or_default();
    if !value.starts_with("-----BEGIN") {
        return found.span.end;
    }
    let rest = text.get(found.span.end..).unwrap_or_default();
    let Some(last) = rest.find("-----END") else { return text.len() };
    let line = rest.get(last..).unwrap_or_default();
    let after = line.get("-----END".len()..).and_then(|tail| tail.find("-----")).map(|at| "-----END".len() + at + 5);
    found.span.end + last + after.unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::secrets::scan;

    const NOISE: &str = "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV";

    #[test]
    fn a_credential_gives_way_to_the_name_of_its_rule() {
        let key = ["gh", "p_", NOISE].concat();
        let (kept, count) = redact(&key);
        assert_eq!((kept.as_ref(), count), ("[REDACTED:github-token]", 1));
        let text = format!("é {key}, again {key}.");
        assert_eq!(redact(&text).0, "é [REDACTED:github-token], again [REDACTED:github-token].");
        assert!(matches!(redact("nothing to hide"), (Cow::Borrowed("nothing to hide"), 0)));
    }

    #[test]
    fn a_key_in_armour_goes_with_all_its_lines() {
        let armour = ["-----BEGIN PRIV", "ATE KEY-----\nMIIEow", NOISE, "\n", NOISE, "\n-----END PRIV", "ATE KEY-----"];
        let text = format!("before\n{}\nafter", armour.concat());
        assert_eq!(redact(&text).0, "before\n[REDACTED:private-key]\nafter");
        let torn = armour[..5].concat();
        assert_eq!(redact(&torn).0, "[REDACTED:private-key]");
    }

    #[test]
    fn what_looks_random_beside_a_credential_goes_with_it() {
        let (id, other) = (["AK", "IA", "QWERTYUIOPASDFGH"].concat(), ["x9Kp/2mQ", "7vRt+4Lw", NOISE].concat());
        let text = format!("Set up {id} and\n{other}, then run `aws sts get-caller-identity`.");
        let wanted = "Set up [REDACTED:aws-access-key] and\n[REDACTED:beside-a-credential], then run `aws sts \
                      get-caller-identity`.";
        assert_eq!(redact_beside(&text), wanted);
        assert_eq!(redact_beside("the commit a94f1c02b7"), "the commit a94f1c02b7");
    }

    #[test]
    fn every_one_of_many_is_taken_out() {
        let many: String = (0..300).map(|n| format!("{}{n:03}\n", ["gh", "p_", &NOISE[..33]].concat())).collect();
        let (kept, count) = redact(&many);
        assert_eq!(count, 300);
        assert!(!kept.contains(&NOISE[..20]));
    }

    proptest::proptest! {
        #[test]
        fn what_was_redacted_holds_no_credential(before in "[a-z =:\n]{0,20}", after in "[a-z =:\n]{0,20}") {
            let text = format!("{before} {} {after}", ["gh", "p_", NOISE].concat());
            let (kept, _) = redact(&text);
            proptest::prop_assert!(!kept.contains(NOISE));
            proptest::prop_assert!(scan(&kept).is_empty());
        }
    }
}
