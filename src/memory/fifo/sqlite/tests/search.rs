//! What a search finds.

use super::*;

#[test]
fn whole_words_come_before_parts_and_titles_before_messages() {
    let mut memory = memory();
    add(&mut memory, "part", "Reparsing", &["x"], NOW + MINUTE);
    add(&mut memory, "said", "Other things", &["parsing is what this says, among many other words"], NOW);
    add(&mut memory, "head", "Parsing", &["x"], NOW);
    assert_eq!(found(&memory, "parsing"), ["head", "said", "part"]);
}

#[test]
fn f30_case_and_accents_do_not_matter() {
    let mut memory = memory();
    add(&mut memory, "c", "Ação rápida", &["Café com PAGINATION"], NOW);
    for typed in ["pagination", "PAGINATION", "acao", "AÇÃO", "cafe", "paginat"] {
        assert_eq!(found(&memory, typed), ["c"], "{typed}");
    }
    assert_eq!(found(&memory, "unrelated"), Vec::<String>::new());
}

#[test]
fn f43_nothing_typed_is_a_wildcard() {
    let mut memory = memory();
    add(&mut memory, "percent", "Sales", &["up 50% in Q1"], NOW);
    add(&mut memory, "score", "Names", &["the user_id column"], NOW);
    add(&mut memory, "quote", "Quotes", &["say \"cheese\" now * twice"], NOW);
    add(&mut memory, "plain", "Plain", &["userXid 500 cheese e-mail"], NOW);
    for (typed, ids) in [
        ("%", vec!["percent"]),
        ("50%", vec!["percent"]),
        ("in%", vec![]),
        ("_", vec!["score"]),
        ("r_i", vec!["score"]),
        ("\"", vec!["quote"]),
        ("*", vec!["quote"]),
        ("che*", vec![]),
        ("e-mail", vec!["plain"]),
        ("Xi", vec!["plain"]),
        ("Q1", vec!["percent"]),
        ("NEAR(a b)", vec![]),
        ("a AND", vec![]),
        ("text:cheese", vec![]),
        ("-cheese", vec![]),
        ("\"cheese\" \"now *\"", vec!["quote"]),
        ("quotes cheese", vec!["quote"]), // f17: every term, wherever it stands
        ("sales cheese", vec![]),
        ("'; DROP TABLE messages; --", vec![]),
    ] {
        assert_eq!(found(&memory, typed), ids, "{typed}");
    }
}
