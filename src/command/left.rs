//! What an update leaves to the author: the places that they and the newer text changed differently.

use crate::client::adapt;
use crate::memory::{Left, Recipe};
use crate::skill::three_way::{self, Choice};
use crate::skill::{Tree, printable};
use crate::terminal::ui::Style;

/// The author's text with what is new, and the places where theirs stays.
pub(super) fn merged(author: &Tree, old: &Recipe, new: &Recipe, newer_holds: bool) -> (Tree, Vec<Left>) {
    let Some(text) = author.text("SKILL.md") else { return (author.clone(), Vec::new()) };
    let mut text = text.to_owned();
    let mut base = old.text.clone();
    if newer_holds {
        for left in &old.made_from.left {
            reopen(left, &mut base, &mut text);
        }
    }
    let mut kept: Vec<Left> = Vec::new();
    let only = |text: &str| {
        let mut tree = Tree::new();
        tree.put("SKILL.md", text);
        tree
    };
    let [base, newer] = [&base, &new.text].map(|text| adapt::neutral(&only(text)));
    let result = three_way::merge(&base, &only(&text), &newer, &mut |conflict| {
        if newer_holds {
            return Choice::Theirs;
        }
        let (place, yours, newer) = (conflict.place.clone(), conflict.ours.clone(), conflict.theirs.clone());
        kept.push(Left { place, yours, newer });
        Choice::Ours
    });
    let mut tree = author.clone();
    if let Some(text) = result.text("SKILL.md") {
        let before = standing(&old.made_from.left, text);
        let says = |left: &Left| left.newer.as_deref().is_none_or(|newer| new.text.contains(newer.trim_end()));
        kept.extend(before.filter(|left| says(left)).cloned());
        tree.put("SKILL.md", text);
    }
    (tree, kept)
}

/// Makes a place that was left to the author one that only the newer text changes.
fn reopen(left: &Left, base: &mut String, text: &mut String) {
    let yours = left.yours.as_deref().unwrap_or_default();
    match left.newer.as_deref() {
        Some(newer) if base.matches(newer).count() == 1 => *base = base.replace(newer, yours),
        None if text.matches(yours).count() == 1 => *text = text.replace(yours, ""),
        _ => {}
    }
}

/// Those of the places left to the author where their text still stands instead of the newer one.
pub(super) fn standing<'l>(all: &'l [Left], text: &'l str) -> impl Iterator<Item = &'l Left> {
    let has = |side: &Option<String>| side.as_deref().map(|lines| text.contains(lines.trim_end()));
    all.iter().filter(move |left| has(&left.yours) != Some(false) && has(&left.newer) != Some(true))
}

/// The places with both texts, and how to take the newer one.
pub(super) fn shown(style: Style, name: &str, all: &[Left]) -> String {
    let mut text = String::new();
    for left in all {
        text.push_str(&style.fold(&format!("  left to you, as you changed it too: {}\n", printable(&left.place)), 4));
        for (whose, lines) in [("yours, which stays", &left.yours), ("newer", &left.newer)] {
            text.push_str(&format!("    {}\n", style.head(&format!("{whose}:"))));
            for line in lines.as_deref().unwrap_or("(no such lines)").lines() {
                text.push_str(format!("      {}", printable(line)).trim_end());
                text.push('\n');
            }
        }
    }
    if !all.is_empty() {
        text.push_str(&style.fold(&format!("  to take the newer text: {}\n", command(name)), 4));
    }
    text
}

pub(super) fn places(all: &[Left]) -> String {
    all.iter().map(|left| printable(&left.place)).collect::<Vec<_>>().join(", ")
}

pub(super) fn still(name: &str, all: &[Left]) -> String {
    let name = printable(name);
    format!("`{name}` still keeps your text in {}: `hefesto outdated {name}` shows both.\n", places(all))
}

/// What is typed to take the newer text.
pub(super) fn command(name: &str) -> String {
    format!("hefesto update {} --on-conflict newer", printable(name))
}
