//! Reads the TOML of packs that keep to its plain forms, quicker than a whole parser: a key in small letters at the beginning
//! of each line, texts, lists of texts, and numbers of one digit. The rest is left to the parser, which also says what is
//! wrong.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};

/// The value of a key.
enum Value<'t> {
    Text(Cow<'t, str>),
    List(Vec<Self>),
    Number(u8),
}

/// The table that the text begins with, and the text from the header of the next one on.
pub(super) fn table<'t, T: Deserialize<'t>>(text: &'t str) -> Option<(T, &'t str)> {
    let mut fields = Vec::new();
    let mut rest = text.trim_start_matches('\n');
    while !rest.is_empty() && !rest.starts_with("[[") {
        let (key, after) = rest.split_once(' ').filter(|(key, _)| key.bytes().all(in_key))?;
        let (value, after) = value(after.strip_prefix("= ")?)?;
        fields.push((key, value));
        rest = if after.is_empty() { after } else { after.strip_prefix('\n')?.trim_start_matches('\n') };
    }
    Some((T::deserialize(MapDeserializer::new(fields.into_iter())).ok()?, rest))
}

fn in_key(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte == b'_'
}

/// The value at the beginning of a text, and what follows it.
fn value(text: &str) -> Option<(Value<'_>, &str)> {
    if let Some(inside) = text.strip_prefix("'''") {
        let (content, rest) = inside.split_once("'''").filter(|(_, rest)| !rest.starts_with('\''))?;
        return Some((Value::Text(content.strip_prefix('\n').unwrap_or(content).into()), rest));
    }
    match text.as_bytes().first()? {
        b'\'' => {
            let (content, rest) = text.get(1..)?.split_once('\'').filter(|(content, _)| is_line(content))?;
            Some((Value::Text(content.into()), rest))
        }
        b'"' if !text.starts_with("\"\"\"") => quoted(text.get(1..)?),
        b'[' => list(text.get(1..)?),
        digit if digit.is_ascii_digit() => Some((Value::Number(digit - b'0'), text.get(1..)?)),
        _ => None,
    }
}

/// Whether a text may stand between quotes: it has no line break and no other control character.
fn is_line(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'\t' || !byte.is_ascii_control())
}

/// The text up to the closing quote.
fn quoted(text: &str) -> Option<(Value<'_>, &str)> {
    let mut said = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_at_checked(rest.find(['"', '\\'])?).filter(|(part, _)| is_line(part))?;
        if let Some(behind) = after.strip_prefix('"') {
            let whole = if said.is_empty() { part.into() } else { Cow::from(said + part) };
            return Some((Value::Text(whole), behind));
        }
        said.push_str(part);
        said.push(match after.as_bytes().get(1)? {
            b'"' => '"',
            b'\\' => '\\',
            b'n' => '\n',
            b't' => '\t',
            _ => return None,
        });
        rest = after.get(2..)?;
    }
}

/// The list up to the closing bracket.
fn list(text: &str) -> Option<(Value<'_>, &str)> {
    let mut all = Vec::new();
    let mut rest = text.trim_start_matches([' ', '\n']);
    while !rest.starts_with(']') {
        let (one, after) = value(rest)?;
        all.push(one);
        let after = after.trim_start_matches([' ', '\n']);
        rest = match after.strip_prefix(',') {
            Some(behind) => behind.trim_start_matches([' ', '\n']),
            None => after,
        };
        if after.len() == rest.len() && !rest.starts_with(']') {
            return None;
        }
    }
    Some((Value::List(all), rest.get(1..)?))
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Self::Text(Cow::Owned(text)) => visitor.visit_string(text),
            Self::List(all) => visitor.visit_seq(SeqDeserializer::new(all.into_iter())),
            Self::Number(number) => visitor.visit_u8(number),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Text(text) => text.into_deserializer().deserialize_enum(name, variants, visitor),
            other => other.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'t> IntoDeserializer<'t, Error> for Value<'t> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::pack::{Head, Source, Tables};

    #[test]
    fn a_built_in_pack_is_plain_and_reads_as_the_parser_reads_it() {
        for source in Source::built_in() {
            let (head, lines) = source.parts();
            let (plain, rest) = table::<Head>(&head).unwrap_or_else(|| panic!("{}", source.id()));
            assert_eq!((plain, rest), (toml::from_str(&head).unwrap(), ""));
            let (line, question) = Tables::plain(&lines).map(|all| (all.line, all.question)).unwrap();
            let parsed: Tables = toml::from_str(&lines).unwrap();
            assert_eq!((line, question), (parsed.line, parsed.question), "{}", source.id());
        }
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Keys {
        id: Option<String>,
        title: Option<String>,
        words: Option<Vec<String>>,
        tools: Option<Vec<String>>,
    }

    #[test]
    fn each_plain_form_reads_as_the_parser_reads_it_and_no_other_is_read() {
        for text in [
            r#"id = "say \"no\", C:\\x,\ttab,\nline""#,
            r"id = 'as \n written'",
            "id = '''\nof\n\nlines\n'''\ntitle = \"behind\"\n",
            "words = [\"a\", 'b',\n  \"c\",\n]\n\ntools = []\n",
        ] {
            let (plain, rest) = table::<Keys>(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((plain, rest), (toml::from_str(text).unwrap(), ""), "{text}");
        }
        for text in [
            r#"id = "\u00e9""#, "id = true", "id.a = 'b'", "id = 'a' # why", "# why", "id = '''a''''",
            "words = ['a' 'b']", "words = ['a'", "id = 'a\nb'", "id = \"a", "no = 'key'",
        ] {
            assert!(table::<Keys>(text).is_none(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_read_is_what_the_parser_reads(text in r#"((id|title|words|tools) = ("[a\\"nt]{0,4}"|'[b" ]{0,3}'|\[("c"|, |\n|'d'){0,4}\]|5|true)( ?# e)?\n){0,3}"#) {
            if let Some((plain, _)) = table::<Keys>(&text) {
                proptest::prop_assert_eq!(plain, toml::from_str(&text).unwrap());
            }
        }
    }
}
