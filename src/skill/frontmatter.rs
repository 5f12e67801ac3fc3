//! Reads a SKILL.md: the YAML head with the place of every key and value, and the Markdown body behind it.

mod parse;

use std::fmt;
use std::ops::Range;

use super::position::{Lines, Position};

/// The largest SKILL.md read, in bytes.
pub const MAX_FILE: usize = 1024 * 1024;
/// The largest frontmatter read, in bytes, its delimiters left out.
pub const MAX_HEAD: usize = 64 * 1024;

/// A SKILL.md taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The whole text, without a byte order mark.
    pub text: String,
    /// The top-level keys in the order written.
    pub fields: Vec<Field>,
    /// Where the YAML between the delimiters stands in `text`, in bytes.
    pub head: Range<usize>,
    /// Where the body begins in `text`, in bytes: just behind the closing delimiter's line.
    pub body_start: usize,
    /// The 1-based line the body begins at.
    pub body_line: usize,
    /// Whether the file began with a byte order mark.
    pub bom: bool,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The key as text.
    pub key: String,
    /// Whether the key is text by YAML; a number, a boolean or nothing may stand there too.
    pub text_key: bool,
    /// Where the key stands in the file.
    pub key_at: Position,
    /// The value.
    pub value: Value,
    /// Where the value stands in the file; where the key stands when nothing is written.
    pub value_at: Position,
}

/// A value of a list with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The value.
    pub value: Value,
    /// Where it stands in the file.
    pub at: Position,
}

/// A YAML value by the 1.2 core schema: `yes`, `no`, `on` and `off` are text.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, spelled as in the file: `1.10` stays `1.10`.
    Number(String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Item>),
    /// A map in the order written.
    Map(Vec<Field>),
}

impl Document {
    /// Everything behind the closing delimiter.
    #[must_use]
    pub fn body(&self) -> &str {
        self.text.get(self.body_start..).unwrap_or("")
    }

    /// The YAML between the delimiters.
    #[must_use]
    pub fn head_text(&self) -> &str {
        self.text.get(self.head.clone()).unwrap_or("")
    }

    /// The top-level field of this key.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }
}

impl Value {
    /// A scalar as it would read as text: numbers as spelled, booleans as `true` or `false`; nothing for the rest.
    #[must_use]
    pub fn scalar(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text),
            Self::Bool(true) => Some("true"),
            Self::Bool(false) => Some("false"),
            Self::Null | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// What kind of value it is, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

/// Why a SKILL.md cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// The file is larger than [`MAX_FILE`].
    FileTooLarge,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The first line is not `---`.
    NoFrontmatter,
    /// No later line closes the frontmatter.
    Unclosed,
    /// The frontmatter is larger than [`MAX_HEAD`].
    HeadTooLarge,
    /// The frontmatter is nested too deeply, or has too many values, anchors or aliases.
    Limit,
    /// A key is written twice in one map.
    DuplicateKey,
    /// The frontmatter is not YAML.
    Syntax,
    /// The frontmatter is YAML but no map of keys, or is empty.
    NotAMap,
}

/// A SKILL.md that cannot be read: why, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The kind of defect.
    pub kind: ReadErrorKind,
    /// Where it shows in the file.
    pub at: Position,
    /// What is wrong, in one line.
    pub message: String,
    /// What to do about it.
    pub advice: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.at.line, self.at.column, self.message)
    }
}

impl std::error::Error for ReadError {}

impl ReadError {
    fn new(kind: ReadErrorKind, at: Position, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { kind, at, message: message.into(), advice: advice.into() }
    }
}

/// Reads the bytes of a SKILL.md.
///
/// The first line opens the frontmatter and the first later line that is `---` closes it; both may end in blanks.
/// A byte order mark is taken off and noted. Tags that YAML does not define are refused.
///
/// # Errors
/// The first defect of the file, a key written twice among them.
pub fn read(bytes: &[u8]) -> Result<Document, ReadError> {
    let (document, defects) = examine(bytes)?;
    defects.into_iter().next().map_or(Ok(document), Err)
}

/// Reads the bytes of a SKILL.md as far as they can be read, for a report on all of it: with the defects that leave
/// the rest readable, which are keys written twice.
///
/// # Errors
/// The first defect that keeps the file from being read at all.
pub fn examine(bytes: &[u8]) -> Result<(Document, Vec<ReadError>), ReadError> {
    use ReadErrorKind as Kind;
    if bytes.len() > MAX_FILE {
        let message = format!("The file has {} bytes; at most {MAX_FILE} are read", bytes.len());
        return Err(ReadError::new(Kind::FileTooLarge, Position::START, message, "Move material to references/"));
    }
    let (bytes, bom) = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) => (rest, true),
        None => (bytes, false),
    };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).and_then(|good| std::str::from_utf8(good).ok()).unwrap_or("");
            let at = Lines::new(good).position(good.len());
            return Err(ReadError::new(Kind::NotUtf8, at, "The file is not UTF-8", "Save the file as UTF-8"));
        }
    };
    let lines = Lines::new(text);
    let (head, body_start, body_line) = delimit(text, &lines)?;
    if head.len() > MAX_HEAD {
        let message = format!("The frontmatter has {} bytes; at most {MAX_HEAD} are read", head.len());
        return Err(ReadError::new(Kind::HeadTooLarge, Position::START, message, "Move the text to the body"));
    }
    let (fields, defects) = parse::mapping(text, head.clone(), &lines)?;
    Ok((Document { text: text.to_owned(), fields, head, body_start, body_line, bom }, defects))
}

/// Reads a YAML file that is one map, such as metadata.yaml, under the same limits as a frontmatter.
///
/// # Errors
/// The first defect that keeps the text from being read.
pub fn read_yaml(text: &str) -> Result<Vec<Field>, ReadError> {
    if text.len() > MAX_HEAD {
        let message = format!("The file has {} bytes; at most {MAX_HEAD} are read", text.len());
        return Err(ReadError::new(ReadErrorKind::HeadTooLarge, Position::START, message, "Shorten the file"));
    }
    let (fields, defects) = parse::mapping(text, 0..text.len(), &Lines::new(text))?;
    defects.into_iter().next().map_or(Ok(fields), Err)
}

fn delimit(text: &str, lines: &Lines<'_>) -> Result<(Range<usize>, usize, usize), ReadError> {
    use ReadErrorKind as Kind;
    let mut all = lines.iter();
    let opened = all.next().is_some_and(|(_, line)| is_delimiter(line));
    if !opened {
        let message = if text.trim_start().starts_with("---") {
            "Something stands before the opening `---`; it must be the first line of the file"
        } else {
            "The file does not begin with a line `---`, so it has no frontmatter"
        };
        let advice = "Begin the file with `---`, the keys name and description, and another `---`";
        return Err(ReadError::new(Kind::NoFrontmatter, Position::START, message, advice));
    }
    let head_start = all.next().map_or(text.len(), |(start, _)| start);
    let mut rest = lines.iter().enumerate().skip(1);
    let Some((index, (close, _))) = rest.find(|(_, (_, line))| is_delimiter(line)) else {
        let message = "The frontmatter is never closed: no later line is `---`";
        let advice = "Put `---` on a line of its own behind the last key";
        return Err(ReadError::new(Kind::Unclosed, Position::START, message, advice));
    };
    let body_start = rest.next().map_or(text.len(), |(_, (start, _))| start);
    Ok((head_start..close, body_start, index + 2))
}

fn is_delimiter(line: &str) -> bool {
    line.trim_end_matches([' ', '\t']) == "---"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize) -> Position {
        Position { line, column }
    }

    #[test]
    fn keys_values_and_body_know_their_places() -> Result<(), ReadError> {
        let doc = read("---\nname: a\ndescription: \"á b\"\nmetadata:\n  version: 1.10\n---\n\n# T\n".as_bytes())?;
        assert_eq!(doc.fields.iter().map(|f| f.key.as_str()).collect::<Vec<_>>(), ["name", "description", "metadata"]);
        let description = doc.field("description").map(|f| (f.key_at, f.value_at, f.value.clone()));
        assert_eq!(description, Some((at(3, 1), at(3, 14), Value::Text("á b".into()))));
        let Some(Value::Map(metadata)) = doc.field("metadata").map(|f| &f.value) else { unreachable!() };
        let version = metadata.first().map(|f| (f.key_at, f.value_at, f.value.clone()));
        assert_eq!(version, Some((at(5, 3), at(5, 12), Value::Number("1.10".into()))));
        assert_eq!((doc.body(), doc.body_line, doc.bom), ("\n# T\n", 7, false));
        Ok(())
    }

    #[test]
    fn any_line_end_a_mark_and_trailing_blanks_are_read() -> Result<(), ReadError> {
        for text in [
            "\u{feff}--- \nname: a\nb: c\n---\t\nbody\n",
            "---\r\nname: a\r\nb: c\r\n---\r\nbody\r\n",
            "---\rname: a\rb: c\r---\rbody\r",
        ] {
            let doc = read(text.as_bytes())?;
            assert_eq!(doc.field("name").map(|f| f.value.clone()), Some(Value::Text("a".into())), "{text:?}");
            assert_eq!(doc.field("b").map(|f| (f.key_at, f.value_at)), Some((at(3, 1), at(3, 4))), "{text:?}");
            assert_eq!((doc.body().trim_end(), doc.body_line), ("body", 5), "{text:?}");
            assert_eq!(doc.bom, text.starts_with('\u{feff}'));
        }
        Ok(())
    }

    #[test]
    fn only_a_line_of_its_own_closes() -> Result<(), ReadError> {
        let doc = read(b"---\nname: a---b\ndescription: x --- y\n---\nbody\n---\nmore\n")?;
        assert_eq!(doc.field("name").and_then(|f| f.value.scalar().map(str::to_owned)).as_deref(), Some("a---b"));
        assert_eq!(doc.body(), "body\n---\nmore\n");
        Ok(())
    }

    #[test]
    fn scalars_keep_their_spelling_and_yes_is_text() -> Result<(), ReadError> {
        let doc = read(b"---\na: 0755\nb: yes\nc: 1e3\nd: ~\ne:\nf: .nan\ng: true\nh: \"1.0\"\ni: [1.0, x]\n---\n")?;
        let values: Vec<_> = doc.fields.iter().map(|f| f.value.clone()).collect();
        assert_eq!(values.first().and_then(Value::scalar), Some("0755"));
        assert_eq!(values.get(1), Some(&Value::Text("yes".into())));
        assert_eq!(values.get(2), Some(&Value::Number("1e3".into())));
        assert_eq!(values.get(3..5), Some(&[Value::Null, Value::Null][..]));
        assert_eq!(values.get(5).and_then(Value::scalar), Some(".nan"));
        assert_eq!(values.get(6), Some(&Value::Bool(true)));
        assert_eq!(values.get(7), Some(&Value::Text("1.0".into())));
        assert!(
            matches!(values.get(8), Some(Value::List(items)) if items.first().map(|i| &i.value) == Some(&Value::Number("1.0".into())))
        );
        Ok(())
    }

    #[test]
    fn an_unquoted_colon_is_told_to_be_quoted() {
        let error =
            read(b"---\nname: a\ndescription: Use when: x\n---\nb\n").map_err(|e| (e.kind, e.at.line, e.advice));
        let Err((kind, line, advice)) = error else { unreachable!() };
        assert_eq!((kind, line), (ReadErrorKind::Syntax, 3));
        assert!(advice.contains("description: \"Use when: x\""), "{advice}");
    }

    #[test]
    fn defects_are_named_with_their_place() {
        let cases: [(&[u8], ReadErrorKind, usize); 11] = [
            (b"", ReadErrorKind::NoFrontmatter, 1),
            (b"\n---\nname: a\n---\n", ReadErrorKind::NoFrontmatter, 1),
            (b"---\nname: a\n", ReadErrorKind::Unclosed, 1),
            (b"---\n---\nbody", ReadErrorKind::NotAMap, 1),
            (b"---\n- a\n---\n", ReadErrorKind::NotAMap, 2),
            (b"---\nname: a\nname: b\n---\n", ReadErrorKind::DuplicateKey, 3),
            (b"---\n[a]: 1\n---\n", ReadErrorKind::NotAMap, 2),
            (b"---\na: [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]\n---\n", ReadErrorKind::Limit, 2),
            (b"---\na: !important do it\n---\n", ReadErrorKind::Syntax, 2),
            (b"---\na: \"open\n---\n", ReadErrorKind::Syntax, 2),
            (b"---\nname: a\n\xff: b\n---\n", ReadErrorKind::NotUtf8, 3),
        ];
        for (bytes, kind, line) in cases {
            let error = read(bytes).map_err(|error| (error.kind, error.at.line));
            assert_eq!(error.map(|_| ()), Err((kind, line)), "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn anchors_are_read_and_bounded() -> Result<(), ReadError> {
        let doc = read(b"---\na: &x 1.10\nb: *x\nc: {d: *x}\n---\n")?;
        let b = doc.field("b").map(|f| (f.value_at, f.value.clone()));
        assert_eq!(b, Some((at(3, 4), Value::Number("1.10".into()))), "spelled where it is defined, placed where used");
        let many = format!("---\na: &x 1\nb: [{}]\n---\n", "*x, ".repeat(40));
        assert_eq!(read(many.as_bytes()).map_err(|e| e.kind).err(), Some(ReadErrorKind::Limit));
        let laughs = (1..20)
            .fold("a0: &a0 [x, x]\n".to_owned(), |text, n| format!("{text}a{n}: &a{n} [*a{m}, *a{m}]\n", m = n - 1));
        let laughs = format!("---\n{laughs}---\n");
        assert_eq!(read(laughs.as_bytes()).map_err(|e| e.kind).err(), Some(ReadErrorKind::Limit));
        Ok(())
    }

    #[test]
    fn every_key_written_twice_is_told_and_the_rest_is_read() -> Result<(), ReadError> {
        let (doc, defects) = examine(b"---\na: 1\na: 2\nb: {c: 1, c: 2}\nd: [{e: 1, e: 2}]\n---\n")?;
        assert_eq!(doc.field("a").and_then(|f| f.value.scalar().map(str::to_owned)).as_deref(), Some("1"));
        assert_eq!(defects.iter().map(|one| one.at).collect::<Vec<_>>(), [at(3, 1), at(4, 11), at(5, 12)]);
        assert!(defects.iter().all(|one| one.kind == ReadErrorKind::DuplicateKey));
        Ok(())
    }

    #[test]
    fn keys_that_are_not_text_are_known() -> Result<(), ReadError> {
        let doc = read(b"---\n1: a\n\"2\": b\ntrue: c\nnull: d\ne: f\n---\n")?;
        let keys: Vec<_> = doc.fields.iter().map(|f| (f.key.as_str(), f.text_key)).collect();
        assert_eq!(keys, [("1", false), ("2", true), ("true", false), ("null", false), ("e", true)]);
        Ok(())
    }

    #[test]
    fn large_input_is_refused_before_it_costs_anything() {
        let head = format!("---\na: {}\n---\n", "x".repeat(MAX_HEAD));
        assert_eq!(read(head.as_bytes()).map_err(|e| e.kind).err(), Some(ReadErrorKind::HeadTooLarge));
        let file = vec![b'x'; MAX_FILE + 1];
        assert_eq!(read(&file).map_err(|e| e.kind).err(), Some(ReadErrorKind::FileTooLarge));
        let nodes = format!("---\na: [{}]\n---\n", "1,".repeat(6000));
        assert_eq!(read(nodes.as_bytes()).map_err(|e| e.kind).err(), Some(ReadErrorKind::Limit));
    }

    proptest::proptest! {
        #[test]
        fn no_input_panics(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), text in "(---\n)?[a-z:\"'\\[{ \n\r&*!>|-]{0,60}(---\n)?") {
            let _ = read(&bytes);
            let _ = read(text.as_bytes());
        }

        /// Whatever the line ends, blanks and body: the first line that is `---` closes, and only it.
        #[test]
        fn the_first_whole_line_of_three_hyphens_closes(
            values in proptest::collection::vec("[a-z][a-z -]{0,12}[a-z]|-{1,2}[a-z]|[a-z]-{3}", 1..6),
            end in proptest::sample::select(vec!["\n", "\r\n", "\r"]),
            blanks in "[ \t]{0,3}",
            body in "[a-z\n-]{0,40}",
            mark in proptest::bool::ANY,
        ) {
            let head: String = values.iter().enumerate().map(|(n, value)| format!("k{n}: {value}{end}")).collect();
            let body = body.replace('\n', end);
            let text = format!("---{blanks}{end}{head}---{blanks}{end}{body}");
            let marked = format!("{}{text}", if mark { "\u{feff}" } else { "" });
            let doc = read(marked.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text:?}"));
            let read: Vec<_> = doc.fields.iter().filter_map(|field| field.value.scalar()).collect();
            proptest::prop_assert_eq!(read, values.iter().map(String::as_str).collect::<Vec<_>>());
            proptest::prop_assert_eq!(doc.body(), body);
            proptest::prop_assert_eq!(doc.body_line, values.len() + 3);
            proptest::prop_assert_eq!(doc.bom, mark);
            for (n, field) in doc.fields.iter().enumerate() {
                proptest::prop_assert_eq!((field.key_at, field.value_at), (at(n + 2, 1), at(n + 2, 5)));
            }
        }

        /// What does not begin with a line of three hyphens has no frontmatter, and is not read as if it had.
        #[test]
        fn nothing_but_the_first_line_opens(first in "[ -]{0,5}[a-z]?", rest in "[a-z: \n-]{0,40}") {
            let opens = first.trim_end_matches([' ', '\t']) == "---";
            let error = read(format!("{first}\n{rest}").as_bytes()).err().map(|error| error.kind);
            proptest::prop_assert_eq!(error == Some(ReadErrorKind::NoFrontmatter), !opens);
        }
    }
}
