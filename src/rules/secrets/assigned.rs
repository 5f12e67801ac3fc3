//! Credentials recognised by their context: assigned to a name, after a flag, in a header, in a URL.

use std::ops::Range;

use memchr::memmem;

use super::login;
pub(in crate::rules) use super::names::NAMES;
use super::names::{
    LINKS, MADE_UP, OF_KEYS, OPEN, SHORT_NAMES, SPACED_NAMES, STORES, is_kept_value, is_of_a_key, may_be_uuid,
};
use super::placeholder::{entropy, is_masked, is_random_uuid, is_stand_in, looks_random};
use super::{Place, SecretMatch};
use crate::rules::{Cause, Signal, ahead, before_end, behind};

/// The schemes of an `Authorization` header that carry a credential.
pub(in crate::rules) const SCHEMES: &[&str] = &[
    "bearer ", "basic ", "authorization: token ", "authorization: apikey ", "authorization: sso-key ",
    "authorization: deepl-auth-key ",
];
/// URLs whose tokens only give access to a badge.
const PUBLIC_URLS: &[&str] = &["codecov.io/", "/badge", "badge.svg", "shields.io"];
const MIN_VALUE: usize = 10;
const MAX_VALUE: usize = 1024;
/// Blanks, quotes and signs between a name and its value.
const MAX_GAP: usize = 64;
/// What precedes the password in a `.netrc`, and how far before it, in bytes.
const NETRC: [&str; 2] = ["login ", "machine "];
const LONGEST_LOGIN: usize = 200;
/// The longest type written between a name and its value, in bytes.
const MAX_KIND: usize = 20;
/// The longest credential of a header.
const MAX_CREDENTIAL: usize = 4000;
/// How far back a URL may begin.
const MAX_URL: usize = 240;
/// How far before its value a header's name may be, in bytes.
const MAX_HEADER: usize = 80;
/// The shortest credential of a header, and of one whose header is not named.
const MIN_HEADER: usize = 16;
const MIN_BARE_HEADER: usize = 24;
/// The shortest credential in a sentence without quotes.
const MIN_BARE: usize = 20;
/// The shortest credential that is not remembered.
const MIN_REMEMBERED: usize = 8;

/// The credentials recognised by their context, up to `most`.
pub(super) fn scan(text: &str, signals: &[Signal], place: Place, most: usize) -> Vec<SecretMatch> {
    let mut found = Vec::new();
    let mut context = Context { text, netrc: None };
    // Names inside a value are skipped.
    let mut done = 0;
    for signal in signals {
        if found.len() >= most {
            break;
        }
        match signal.cause {
            // A name that ends a value may have a value of its own.
            Cause::Name if signal.at >= done || signal.end == done => {
                if let Some(value) = named(&mut context, signal) {
                    let refers = text.get(value.clone()).is_some_and(|value| value.starts_with('$'));
                    done = if refers { signal.end } else { value.end };
                    found.extend(generic(text, signal, &value, place));
                }
            }
            Cause::Header => found.extend(header(text, signal, place)),
            Cause::Scheme => found.extend(login::url(text, signal.end)),
            Cause::User => found.extend(login::flag(text, signal)),
            _ => {}
        }
    }
    found
}

/// The context of the names in a text, computed once.
struct Context<'t> {
    text: &'t str,
    /// The offsets of the words of a `.netrc`, once they are needed.
    netrc: Option<[Vec<usize>; 2]>,
}

impl Context<'_> {
    /// Whether a `.netrc` names its login before the password that begins here.
    fn in_netrc(&mut self, at: usize) -> bool {
        let all = |word: &str| memmem::find_iter(self.text.as_bytes(), word).collect();
        let places = self.netrc.get_or_insert_with(|| NETRC.map(all));
        NETRC.iter().zip(places).all(|(word, places)| {
            let near = places.partition_point(|place| place + word.len() <= at).checked_sub(1);
            near.and_then(|near| places.get(near)).is_some_and(|place| place + LONGEST_LOGIN >= at)
        })
    }

    /// The span of the value that begins here.
    fn value(&self, at: usize) -> Option<Range<usize>> {
        let rest = self.text.get(at..)?;
        if let Some(inside) = rest.strip_prefix("\\\"") {
            let most = inside.as_bytes().get(..=MAX_VALUE).unwrap_or(inside.as_bytes());
            let length = memchr::memchr2(b'\\', b'\n', most)?;
            return (length >= MIN_VALUE).then_some(at + 2..at + 2 + length);
        }
        let quote = rest.bytes().next().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
        let Some(quote) = quote else {
            let end = at + before_end(rest, MAX_VALUE + 1, ends_value).0;
            let called = matches!(self.text.as_bytes().get(end), Some(b'(' | b'[' | b'{'));
            return (!called && (MIN_VALUE..=MAX_VALUE).contains(&(end - at))).then_some(at..end);
        };
        let body = rest.as_bytes().get(1..)?;
        let length = memchr::memchr2(quote, b'\n', body.get(..=MAX_VALUE).unwrap_or(body))?;
        (length >= MIN_VALUE).then_some(at + 1..at + 1 + length)
    }
}

fn generic(text: &str, name: &Signal, value: &Range<usize>, place: Place) -> Option<SecretMatch> {
    let real = text.get(value.clone()).is_some_and(|value| {
        looks_random(value) && !is_stand_in(value)
            || is_random_uuid(value) && may_be_uuid(text, name)
            || place == Place::Memory && is_kept_value(value)
    });
    real.then(|| SecretMatch { rule: "assigned-secret", title: "a literal credential", span: value.clone() })
}

/// The value of the name that ends here: `name = value`, `"name": "value"`, `name := value`, `--name value`,
/// `<name>value<`, `| name | value |`, ``name is `value` ``, `name("value")`, `name: type = "value"`, and `password
/// value` as in a `.netrc`.
fn named(context: &mut Context<'_>, name: &Signal) -> Option<Range<usize>> {
    let text = context.text;
    let rest = ahead(text, name.end, MAX_GAP);
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    let sign = after.trim_start_matches([' ', '\t', '"', '\'', '`', ']', ')', '*', '\\']);
    let closed = after.len() - sign.len();
    let quoted = |value: &&str| value.starts_with(['`', '"', '\'']);
    let word = text.get(name.at..name.end)?;
    let is_one_of = |names: &[&str]| names.iter().any(|one| one.eq_ignore_ascii_case(word));
    if is_one_of(SHORT_NAMES)
        && (!sign.starts_with(['=', ':']) || behind(text, name.at, 1).ends_with(|c: char| c.is_ascii_alphanumeric()))
    {
        return None;
    }
    let linked = || LINKS.iter().find_map(|link| sign.strip_prefix(link)).filter(quoted);
    let value_at = if sign.starts_with("::") {
        return None;
    } else if sign.starts_with(['=', ':', '|']) {
        let signs = ['=', ':', '|', '>', '*', ' ', '\t'];
        let value = sign.strip_prefix(":-").unwrap_or_else(|| sign.trim_start_matches(signs));
        of_a_kind(value).or_else(|| value.strip_prefix(['b', 'u', 'r']).filter(quoted)).unwrap_or(value)
    } else if let Some(value) = paired(sign).or_else(|| after.strip_prefix([' ', '(']).filter(quoted)) {
        value
    } else if let Some(value) = linked().or_else(|| said(after)).or_else(|| bare(after)) {
        value
    } else if let Some(value) = after.strip_prefix('>').or_else(|| after.strip_prefix(", ")) {
        value
    } else if closed == 1
        && (is_flag(text, name.at) || context.in_netrc(name.at) || is_one_of(SPACED_NAMES) || is_stored(text, name.at))
    {
        sign
    } else {
        return None;
    };
    let of = word.strip_suffix("key").or_else(|| word.strip_suffix("KEY")).or_else(|| word.strip_suffix("Key"));
    let unknown =
        of.is_some_and(|of| of.len() == 1) && !OF_KEYS.iter().any(|kind| ends_in(behind(text, name.at, 16), kind));
    if unknown && !matches!(of, Some("_" | " ")) {
        return None;
    }
    let value = context.value(name.end + rest.len() - value_at.len())?;
    let url = || behind(text, name.at, MAX_URL).rsplit(char::is_whitespace).next().unwrap_or("");
    let made_up = || {
        let before = behind(text, name.at, 24).trim_end();
        MADE_UP.iter().any(|word| ends_in(before, word))
            || word.eq_ignore_ascii_case("token")
                && OPEN.iter().any(|word| ends_in(before.trim_end_matches(['_', '-']), word))
    };
    let known = !unknown || is_of_a_key(text, name, &value);
    let shown = || PUBLIC_URLS.iter().any(|public| url().contains(public));
    (known && !made_up() && !shown()).then_some(value)
}

/// The value of a pair whose other half is the name: `name: token`, then `value: …` in the next line.
fn paired(behind_name: &str) -> Option<&str> {
    let quotes = ['"', '\''];
    let next = behind_name.trim_start_matches(',').trim_start().trim_start_matches(quotes);
    let value = next.strip_prefix("value")?.trim_start_matches(quotes).trim_start().strip_prefix([':', '='])?;
    Some(value.trim_start_matches([' ', '\t']))
}

/// The value in a sentence: ``password of the admin is `value` ``.
fn said(after: &str) -> Option<&str> {
    let (words, _) = after.split_once('`')?;
    let plain = words.starts_with(' ') && words.chars().all(|c| c.is_alphabetic() || c == ' ');
    let last = words.trim_end().rsplit(' ').next().unwrap_or("");
    (plain && ["is", "es", "é", "ist", "est"].contains(&last)).then(|| after.get(words.len()..)).flatten()
}

/// The value in a sentence without quotes, directly or after "is": only a long one unlike a word.
fn bare(after: &str) -> Option<&str> {
    let value = after.strip_prefix(' ').filter(|value| is_long_and_mixed(value));
    value.or_else(|| {
        let (words, value) =
            [" is ", " es ", " é ", " ist ", " est "].iter().find_map(|link| after.split_once(link))?;
        let plain = words.chars().all(|c| c.is_alphabetic() || c == ' ');
        (plain && is_long_and_mixed(value)).then_some(value)
    })
}

/// Whether a text begins with mixed letters and digits, as a base 64 key does, and not with joined words.
fn is_long_and_mixed(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '/' | '+' | '='));
    let piece = text.get(..end.unwrap_or(text.len())).unwrap_or("");
    let count = |is: fn(&u8) -> bool| piece.bytes().filter(is).count();
    let rows = piece.split(|c: char| !c.is_ascii_lowercase()).map(str::len);
    let in_words: usize = rows.filter(|row| *row >= 4).sum();
    piece.len() >= MIN_BARE
        && 3 * in_words < piece.len()
        && count(u8::is_ascii_digit) >= 3
        && count(u8::is_ascii_lowercase) >= 3
        && count(u8::is_ascii_uppercase) >= 3
}

/// The value after a type: `string = "value"`, as in `token: string = "value"`.
fn of_a_kind(text: &str) -> Option<&str> {
    let (kind, value) = text.split_once(" = ")?;
    let is_kind = |b: u8| b.is_ascii_alphanumeric() || b"_&'<>[]?. ".contains(&b);
    (kind.len() <= MAX_KIND && kind.bytes().all(is_kind) && value.starts_with(['"', '\'', '`'])).then_some(value)
}

/// Whether a command such as `aws configure set name value` stores a value; git's signing key is no secret.
fn is_stored(text: &str, at: usize) -> bool {
    let before = behind(text, at, MAX_HEADER).rsplit('\n').next().unwrap_or("");
    STORES.iter().any(|store| before.contains(store)) && !before.ends_with("user.")
}

fn ends_in(before: &str, word: &str) -> bool {
    let end = before.len().checked_sub(word.len()).and_then(|cut| before.get(cut..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// Whether the name belongs to a flag: `--api-token`.
fn is_flag(text: &str, at: usize) -> bool {
    let mut words = behind(text, at, 40).rsplit(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')));
    words.next().is_some_and(|flag| flag.starts_with("--"))
}

/// Whether an ASCII byte ends a value; white space does too.
fn ends_value(b: u8) -> bool {
    matches!(b, b'"' | b'\'' | b'`' | b',' | b';' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'|' | b'&')
}

/// `Authorization: Bearer value`, `Basic value`.
fn header(text: &str, scheme: &Signal, place: Place) -> Option<SecretMatch> {
    let body = text.as_bytes().get(scheme.end..)?;
    let of_value = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'.' | b'~' | b'-');
    let length = body.iter().take(MAX_CREDENTIAL).take_while(of_value).count();
    let remembered = place == Place::Memory;
    if length < if remembered { MIN_REMEMBERED } else { MIN_HEADER } {
        return None;
    }
    let word = text.get(scheme.at..scheme.end)?.to_ascii_lowercase();
    let line = || behind(text, scheme.at, MAX_HEADER).rsplit('\n').next().unwrap_or("").to_ascii_lowercase();
    let named = word.starts_with("auth") || line().contains("authorization");
    let least = if named { MIN_HEADER } else { MIN_BARE_HEADER };
    (named || word == "bearer ").then_some(())?;
    let value = text.get(scheme.end..scheme.end + length)?;
    let real = length >= least
        && if word == "basic " { login::is_basic(value) } else { entropy(value) >= 3.0 && looks_random(value) }
        && !is_stand_in(value)
        || named && is_random_uuid(value)
        || named && remembered && !is_masked(value, false);
    let span = scheme.end..scheme.end + length;
    real.then_some(SecretMatch { rule: "authorization-header", title: "a credential in a header", span })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::signals;

    fn values(text: &str) -> Vec<&str> {
        let mut context = Context { text, netrc: None };
        let signals = signals::of(text);
        let names = signals.iter().filter(|signal| signal.cause == Cause::Name);
        names.filter_map(|signal| text.get(named(&mut context, signal)?)).collect()
    }

    #[test]
    fn names_are_judged_by_their_ending() {
        for name in ["API_KEY", "githubToken", "db.password", "CLIENT_SECRET_2", "x-api-key", "Access Key", "my_creds"]
        {
            assert_eq!(values(&format!("{name} = 0123456789")), ["0123456789"], "{name}");
        }
        for name in ["tokenizer", "max_tokens", "primary_key", "secretary", "é", ""] {
            assert_eq!(values(&format!("{name} = 0123456789")), Vec::<&str>::new(), "{name}");
        }
    }

    #[test]
    fn a_value_may_stand_in_many_forms() {
        for text in [
            "cfg[\"token\"] = '0123456789'", "**token**: 0123456789", "set `token` to \"0123456789\"",
            "token - `0123456789`", "token = b'0123456789'",
        ] {
            assert_eq!(values(text), ["0123456789"], "{text}");
        }
        for text in [
            "the token 0123456789",
            "password login 0123456789",
            "token: short",
            "bypass: 0123456789",
            "pass 0123456789",
            "the token expires. Say `0123456789`",
        ] {
            assert_eq!(values(text), Vec::<&str>::new(), "{text}");
        }
    }
}
