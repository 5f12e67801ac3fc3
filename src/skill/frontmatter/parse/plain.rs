//! Reads a head of plain maps, lists and texts straight from the events of the YAML parser, which is most heads and half
//! the work; what may be anything else, or is wrong, is left to the whole reading.

use granit_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use super::{Field, Item, MAX_DEPTH, Source, Value};

/// How many keys, values, maps and lists are read here, well below what the whole reading allows.
const MAX_NODES: usize = 1_000;
/// The longest word that is taken for something else than text, in bytes: `infinity`.
const LONGEST: usize = 8;

/// The fields of a head; `None` where it holds anything but maps, lists and what is certainly text.
pub(super) fn fields(source: &Source<'_>) -> Option<Vec<Field>> {
    let options = granit_parser::options! { emit_comments: false };
    let mut reader = Reader { events: Parser::new_from_str_with_options(source.yaml, options), source, nodes: 0 };
    let (Event::StreamStart, _) = reader.next()? else { return None };
    let (Event::DocumentStart(false, None), _) = reader.next()? else { return None };
    let (Event::MappingStart(_, 0, None), _) = reader.next()? else { return None };
    let fields = reader.map(1)?;
    let (Event::DocumentEnd, _) = reader.next()? else { return None };
    let (Event::StreamEnd, _) = reader.next()? else { return None };
    Some(fields)
}

struct Reader<'s> {
    events: Parser<'s, StrInput<'s>>,
    source: &'s Source<'s>,
    nodes: usize,
}

impl<'s> Reader<'s> {
    fn next(&mut self) -> Option<(Event<'s>, Span)> {
        self.nodes += 1;
        if self.nodes > MAX_NODES { None } else { self.events.next_event()?.ok() }
    }

    /// The rest of a map, behind its start.
    fn map(&mut self, depth: usize) -> Option<Vec<Field>> {
        let mut fields = Vec::new();
        loop {
            let (event, key_at) = self.next()?;
            if event == Event::MappingEnd {
                return Some(fields);
            }
            let key = text(event)?;
            let (event, value_at) = self.next()?;
            let value = self.value(event, depth)?;
            let [key_at, value_at] = [key_at, value_at].map(|span| span.start.byte_offset());
            let (key_at, value_at) = (self.source.place(key_at?), self.source.place(value_at?));
            fields.push(Field { key, text_key: true, key_at, value, value_at });
        }
    }

    /// The rest of a list, behind its start.
    fn list(&mut self, depth: usize) -> Option<Vec<Item>> {
        let mut items = Vec::new();
        loop {
            let (event, at) = self.next()?;
            if event == Event::SequenceEnd {
                return Some(items);
            }
            let value = self.value(event, depth)?;
            items.push(Item { value, at: self.source.place(at.start.byte_offset()?) });
        }
    }

    fn value(&mut self, event: Event<'s>, depth: usize) -> Option<Value> {
        match event {
            Event::MappingStart(_, 0, None) if depth < MAX_DEPTH => self.map(depth + 1).map(Value::Map),
            Event::SequenceStart(_, 0, None) if depth < MAX_DEPTH => self.list(depth + 1).map(Value::List),
            scalar => text(scalar).map(Value::Text),
        }
    }
}

/// A scalar that is text by the core schema (YAML 1.2 §10.3), whoever reads it.
fn text(event: Event<'_>) -> Option<String> {
    match event {
        Event::Scalar(text, style, 0, None) if style != ScalarStyle::Plain || is_text(&text) => Some(text.into_owned()),
        _ => None,
    }
}

/// Whether something written without quotes can be nothing but text: it begins with a letter and is no such word as
/// `null`, `true` or `inf`.
fn is_text(plain: &str) -> bool {
    const WORDS: [&str; 12] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity"];
    let begins = plain.starts_with(char::is_alphabetic);
    begins && (plain.len() > LONGEST || !WORDS.iter().any(|word| plain.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::whole;
    use super::*;
    use crate::skill::position::Lines;

    /// What the quick reading makes of a head, and what the whole one does.
    fn both(yaml: &str) -> (Option<Vec<Field>>, Option<Vec<Field>>) {
        let text = format!("---\n{yaml}");
        let lines = Lines::new(&text);
        let source = Source::new(&text, 4..text.len(), &lines);
        (fields(&source), whole(&source).ok())
    }

    #[test]
    fn plain_heads_are_read_here_and_others_are_not() {
        for yaml in [
            "name: a\ndescription: \"b: c\"\nmetadata:\n  version: '1.0'\n  tags: [x, y z]\n",
            "description: >-\n  Two\n  lines\nallowed-tools:\n- Read # all\n- Bash(git *)\n",
            "naïve: été\r\nb: |\r\n  c\r\n\r\n",
        ] {
            let (quick, whole) = both(yaml);
            assert!(quick.is_some() && quick == whole, "{yaml}: {quick:?} and {whole:?}");
        }
        for yaml in [
            "",
            "a",
            "- a",
            "a: 1",
            "a: true",
            "a: inf",
            "a:",
            "a: ~",
            "1: a",
            "a: &b c",
            "a: !!str b",
            "? [a]\n: b",
            "a: b\n---\nc: d",
            "%YAML 1.2\n---\na: b",
            "a: b: c",
            "a: \"b",
            "{a: b",
            "<<: {a: b}",
        ] {
            assert_eq!(both(yaml).0, None, "{yaml}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn what_is_read_here_is_what_the_whole_reading_reads(
            yaml in "((|  |    )(- |)([a-z]{1,3}|é b|1|true|yes|NaN|inf|~|<<|\"q\"|'r'|\\? )(: |:|: \\||: >-|)\
                     ([a-zA-Z]{1,4}|n|Null|OFF|x y|\"s: \\\\n\"|'t''u'|\\[v, w: x\\]|\\{y: z\\}|1\\.0|#c|&d e|\\*d|!!str f|é|)\
                     ( #g|)(\n|\r\n|\n\n)){0,4}(---\n|\\.\\.\\.\n|)"
        ) {
            if let (Some(quick), whole) = both(&yaml) {
                prop_assert_eq!(Some(quick), whole);
            }
        }
    }
}
