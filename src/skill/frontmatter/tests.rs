//! What is read from a SKILL.md, at which positions, and what is refused.

use super::*;

fn at(line: usize, column: usize) -> Position {
    Position { line, column }
}

/// Why a text cannot be read.
fn refused(text: &str) -> ReadErrorKind {
    read(text.as_bytes()).unwrap_err().kind
}

/// The value of `a` in this head.
fn value_of_a(head: &str) -> Value {
    read(format!("---\n{head}\n---\n").as_bytes()).unwrap().field("a").unwrap().value.clone()
}

#[test]
fn keys_values_and_body_know_their_places() {
    let doc = read("---\nname: a\ndescription: \"á b\"\nmetadata:\n  version: 1.10\n---\n\n# T\n".as_bytes()).unwrap();
    assert_eq!(doc.fields.iter().map(|f| f.key.as_str()).collect::<Vec<_>>(), ["name", "description", "metadata"]);
    let description = doc.field("description").map(|f| (f.key_at, f.value_at, f.value.clone()));
    assert_eq!(description, Some((at(3, 1), at(3, 14), Value::Text("á b".into()))));
    let Some(Value::Map(metadata)) = doc.field("metadata").map(|f| &f.value) else { unreachable!() };
    let version = metadata.first().map(|f| (f.key_at, f.value_at, f.value.clone()));
    assert_eq!(version, Some((at(5, 3), at(5, 12), Value::Number("1.10".into()))));
    assert_eq!((doc.body(), doc.body_line, doc.bom), ("\n# T\n", 7, false));
}

#[test]
fn scalars_keep_their_spelling_and_yes_is_text() {
    for (written, value) in [
        ("0755", Value::Number("0755".into())),
        ("yes", Value::Text("yes".into())),
        ("1e3", Value::Number("1e3".into())),
        ("~", Value::Null),
        ("", Value::Null),
        (".nan", Value::Number(".nan".into())),
        ("true", Value::Bool(true)),
        ("\"1.0\"", Value::Text("1.0".into())),
    ] {
        assert_eq!(value_of_a(&format!("a: {written}\nb: [x]")), value, "{written}");
    }
    let Value::List(items) = value_of_a("a: [1.0, x]") else { unreachable!() };
    assert_eq!(items[0].value, Value::Number("1.0".into()));
}

#[test]
fn an_unquoted_colon_is_told_to_be_quoted_and_an_open_quote_to_be_closed() {
    let error = read(b"---\nname: a\ndescription: Use when: x\n---\nb\n").unwrap_err();
    assert_eq!((error.kind, error.at.line), (ReadErrorKind::UnquotedColon, 3));
    assert!(error.advice.contains("description: \"Use when: x\""), "{error:?}");
    let error = read(b"---\na: \"b: c\n---\n").unwrap_err();
    assert!(error.advice.starts_with("Close the quote"), "{error:?}");
}

#[test]
fn anchors_are_read_and_bounded() {
    let doc = read(b"---\na: &x 1.10\nb: *x\nc: {d: *x}\n---\n").unwrap();
    let b = doc.field("b").map(|f| (f.value_at, f.value.clone()));
    assert_eq!(b, Some((at(3, 4), Value::Number("1.10".into()))), "spelled where it is defined, placed where used");
    let many = format!("---\na: &x 1\nb: [{}]\n---\n", "*x, ".repeat(40));
    assert_eq!(refused(&many), ReadErrorKind::Limit);
    let laughs =
        (1..20).fold("a0: &a0 [x, x]\n".to_owned(), |text, n| format!("{text}a{n}: &a{n} [*a{m}, *a{m}]\n", m = n - 1));
    assert_eq!(refused(&format!("---\n{laughs}---\n")), ReadErrorKind::Limit);
}

#[test]
fn every_key_written_twice_is_told_and_the_rest_is_read() {
    let (doc, defects) = examine(b"---\na: 1\na: 2\nb: {c: 1, c: 2}\nd: [{e: 1, e: 2}]\n---\n").unwrap();
    assert_eq!(doc.field("a").and_then(|f| f.value.scalar().map(str::to_owned)).as_deref(), Some("1"));
    assert_eq!(defects.iter().map(|one| one.at).collect::<Vec<_>>(), [at(3, 1), at(4, 11), at(5, 12)]);
    assert!(defects.iter().all(|one| one.kind == ReadErrorKind::DuplicateKey));
}

#[test]
fn behind_an_unquoted_colon_the_rest_is_read() {
    let text = b"---\nname: a\ndescription: Use when: it's asked \nmetadata:\n  b: c: d\nlicense: 1\nname: e\n---\nx";
    let (doc, defects) = examine(text).unwrap();
    let found: Vec<_> = defects.iter().map(|one| (one.kind, one.at.line)).collect();
    let colon = ReadErrorKind::UnquotedColon;
    assert_eq!(found, [(colon, 3), (colon, 5), (ReadErrorKind::DuplicateKey, 7)]);
    let value = |key| doc.field(key).map(|f| (f.value_at, f.value.scalar().unwrap_or("").to_owned()));
    assert_eq!(value("description"), Some((at(3, 14), "Use when: it's asked".to_owned())));
    assert_eq!(value("license"), Some((at(6, 10), "1".to_owned())));
    assert_eq!((doc.body(), doc.body_line), ("x", 9));
    assert_eq!(read(text).map_err(|error| error.at.line).err(), Some(3), "to everybody else it is broken");
}

#[test]
fn keys_that_are_not_text_are_known() {
    let doc = read(b"---\n1: a\n\"2\": b\ntrue: c\nnull: d\ne: f\n---\n").unwrap();
    let keys: Vec<_> = doc.fields.iter().map(|f| (f.key.as_str(), f.text_key)).collect();
    assert_eq!(keys, [("1", false), ("2", true), ("true", false), ("null", false), ("e", true)]);
}

#[test]
fn large_input_is_refused_before_it_costs_anything() {
    assert_eq!(refused(&format!("---\na: {}\n---\n", "x".repeat(MAX_HEAD))), ReadErrorKind::HeadTooLarge);
    assert_eq!(refused(&"x".repeat(MAX_FILE + 1)), ReadErrorKind::FileTooLarge);
    assert_eq!(refused(&format!("---\na: [{}]\n---\n", "1,".repeat(6000))), ReadErrorKind::Limit);
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

#[test]
fn numbers_are_those_of_the_core_schema() {
    for number in ["0", "-12", "+3.5", "1.", ".5", "1e3", "1.5E-3", "0o17", "0xBeef", ".inf", "-.INF", ".nan"] {
        assert_eq!(value_of_a(&format!("a: {number}")), Value::Number(number.to_owned()), "{number}");
    }
    for text in ["1_000", "0b11", "0o7_7", "+0x1", "-0o7", "0O7", "0XFF", "1.2.3", "1e", "0x", "2024-01-02", "12:30"] {
        assert_eq!(value_of_a(&format!("a: {text}\nb: [x]")), Value::Text(text.to_owned()), "{text}");
    }
    assert_eq!(value_of_a("a: !!int \"5\""), Value::Number("5".into()));
}

#[test]
fn a_tab_does_not_indent_a_key() {
    for (yaml, line, column) in
        [("m:\n \ta: b\n", 3, 2), ("\tname: x\n description: y\n", 2, 1), ("m:\n\ta: b\n", 3, 1)]
    {
        let error = read(format!("---\n{yaml}---\n").as_bytes()).unwrap_err();
        assert_eq!((error.kind, error.at), (ReadErrorKind::Syntax, Position { line, column }), "{yaml}: {error}");
        assert!(error.advice.contains("not with tabs"), "{error:?}");
    }
    for yaml in ["a: b\t\nc: d\n", "a:\tb\n", "a: |\n  b\n  \tc\n"] {
        assert!(read(format!("---\n{yaml}---\n").as_bytes()).is_ok(), "{yaml}");
    }
}

#[test]
fn a_line_that_quotes_do_not_mend_is_quoted_once() {
    let quotes = "'".repeat(3_000);
    let text = format!("---\na: [b: c: {quotes}: d\nname: x\n---\n");
    let error = read(text.as_bytes()).unwrap_err();
    assert!(error.message.len() < 200, "{error}");
    let (doc, defects) = examine(b"---\na: b: c\nd: e: f\n---\n").unwrap();
    assert_eq!((doc.fields.len(), defects.len()), (2, 2), "two lines are each quoted");
}

#[test]
fn the_name_changes_in_the_head_and_nowhere_else() {
    const TEXT: &str = "---\nname: old\ndescription: \"d: e\"\n---\n# Old\n\nname: old\n";
    let renamed = with_name(TEXT, "new");
    assert_eq!(renamed, TEXT.replacen("name: old", "name: \"new\"", 1));
    assert_eq!(head(&renamed), Some(Head { name: "new".into(), description: "d: e".into() }));
    assert_eq!((with_name("# No head\n", "new").as_str(), head("# No head\n")), ("# No head\n", None));
}
