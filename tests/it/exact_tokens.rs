//! A build with the feature `exact-tokens` counts what others estimate.
#![cfg(feature = "exact-tokens")]

use hefesto::skill::tokens::{above, count, describe, estimate};

#[test]
fn tokens_are_those_of_the_vocabulary() {
    // What o200k_base makes of them: "hello| world", and a word of which it knows no more than the parts.
    assert_eq!(count("hello world"), 2);
    assert_eq!(count("antidisestablishmentarianism"), 6);
    assert_eq!(count(""), 0);
    assert_eq!(describe(2), "2 tokens", "a count is no estimate");
}

#[test]
fn an_estimate_is_near_what_is_counted() {
    let text = include_str!("../../README.md");
    let (counted, estimated) = (count(text), estimate(text));
    assert!(counted.abs_diff(estimated) * 5 < counted, "{counted} and {estimated}");
    assert_eq!(above(counted - 1, &[text]), Some(counted));
    assert_eq!(above(counted, &[text]), None);
}
