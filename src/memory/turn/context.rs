//! The assembled context: fragments in a fixed order, each with its source, reason and cost.

use serde::Serialize;

use super::budget::Part;
use super::item::Item;
use super::rank::Score;
use crate::skill::tokens;

/// One line of a fragment, and the reason for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextLine {
    pub id: String,
    pub text: String,
    pub source: String,
    pub why: String,
    pub tokens: usize,
    pub score: Option<Score>,
}

/// One source's part of the context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fragment {
    pub part: Part,
    pub heading: String,
    pub source: String,
    pub version: Option<String>,
    pub why: String,
    /// The text for a drafter, with its heading.
    pub text: String,
    pub tokens: usize,
    pub hash: String,
    pub items: Vec<ContextLine>,
}

/// The head of a fragment: its source and reason.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FragmentHead {
    pub part: Part,
    pub source: String,
    pub version: Option<String>,
    pub why: &'static str,
}

impl FragmentHead {
    pub(super) fn of(part: Part, source: &str, why: &'static str) -> Self {
        Self { part, source: source.to_owned(), version: None, why }
    }

    /// The tokens available for lines.
    pub(super) fn room(&self) -> usize {
        self.part.cap().saturating_sub(tokens::estimate(&self.text()) + 1)
    }

    fn text(&self) -> String {
        let version = self.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        format!("## {}\n(from {}{version}: {})\n", self.part.heading(), self.source, self.why)
    }
}

impl Fragment {
    /// A fragment of these lines; `None` without any.
    pub(super) fn of(about: &FragmentHead, items: Vec<(Item, Option<Score>)>) -> Option<Self> {
        if items.is_empty() {
            return None;
        }
        let mut text = about.text();
        for (item, _) in &items {
            text.push_str(&item.line());
        }
        let line = |(item, score)| {
            let Item { id, text, source, why, tokens, .. } = item;
            ContextLine { id, text, source, why, tokens, score }
        };
        let lines = items.into_iter().map(line).collect();
        let FragmentHead { part, source, version, why } = about.clone();
        Some(Self {
            part,
            heading: part.heading().to_owned(),
            source,
            version,
            why: why.to_owned(),
            tokens: tokens::estimate(&text),
            hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
            text,
            items: lines,
        })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Context {
    pub fragments: Vec<Fragment>,
}

impl Context {
    /// The exact text for a drafter.
    pub fn text(&self) -> String {
        self.fragments.iter().map(|fragment| fragment.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    pub fn tokens(&self) -> usize {
        self.fragments.iter().map(|fragment| fragment.tokens).sum()
    }

    pub fn loaded(&self) -> [usize; 6] {
        Part::LOADED.map(|part| {
            self.fragments.iter().filter(|fragment| fragment.part == part).map(|fragment| fragment.tokens).sum()
        })
    }

    /// BLAKE3 over parts and texts, in hexadecimal. The same context has the same hash in every turn.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("hefesto turn context v1");
        for fragment in &self.fragments {
            for piece in [fragment.part.word(), &fragment.text] {
                hasher.update(&(piece.len() as u64).to_le_bytes());
                hasher.update(piece.as_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::super::item::ItemKind;
    use super::*;

    fn fragment(part: Part, text: &str) -> Fragment {
        let about = FragmentHead::of(part, "memory", "because");
        Fragment::of(&about, vec![(Item::new("a", ItemKind::Fact, text), None)]).unwrap()
    }

    #[test]
    fn a_fragment_says_where_it_is_from_and_costs_what_its_text_costs() {
        let items = vec![(Item::new("a", ItemKind::Custom, "Keep the name short"), None)];
        let about = FragmentHead::of(Part::Identity, "CONSTITUTION.md", "every skill keeps it");
        let about = FragmentHead { version: Some("1.1.0".into()), ..about };
        let made = Fragment::of(&about, items).unwrap();
        let head = "## Identity and rules\n(from CONSTITUTION.md 1.1.0: every skill keeps it)\n";
        assert_eq!(made.text, format!("{head}- Keep the name short\n"));
        assert_eq!(made.tokens, tokens::estimate(&made.text));
        assert!(made.tokens <= Part::Identity.cap() - about.room() + made.items[0].tokens);
        assert_eq!(Fragment::of(&about, Vec::new()), None);
    }

    #[test]
    fn the_hash_is_of_parts_and_texts() {
        let one = Context { fragments: vec![fragment(Part::Episodic, "x"), fragment(Part::Semantic, "y")] };
        assert_eq!(one.hash(), one.clone().hash());
        let other = Context { fragments: vec![fragment(Part::Episodic, "x"), fragment(Part::Semantic, "z")] };
        assert_ne!(one.hash(), other.hash());
        assert_ne!(one.hash(), Context { fragments: vec![fragment(Part::Semantic, "x")] }.hash());
        assert_eq!(one.tokens(), one.loaded().iter().sum::<usize>());
    }
}
