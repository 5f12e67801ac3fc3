//! The packs that come with hefesto: the files of `templates/domains/`, compressed by `build.rs`.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use flate2::{Decompress, FlushDecompress};
use foldhash::HashSet;

use super::searched::Searched;
use crate::skill::line_index::LineIndex;

include!(concat!(env!("OUT_DIR"), "/packs.rs"));

static DEFLATED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/packs.deflate"));

/// The phrases of the topics by their rarest word, each with the number of its pack.
const TOPICS: LineIndex = LineIndex(include_str!(concat!(env!("OUT_DIR"), "/topics.txt")));

/// The words, in alphabetical order, that many packs have.
static COMMON: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!(concat!(env!("OUT_DIR"), "/common.txt")).lines().collect());

/// Whether many packs have this word, in lowercase and without accents: it says little about what a text is about.
pub(crate) fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// The ids of the packs whose topic a sentence of these words, in lowercase and without accents, may name: it has all words
/// of a phrase.
pub(super) fn concerned(words: &HashSet<&str>) -> HashSet<&'static str> {
    phrases(words).map(|(id, _)| id).collect()
}

/// The phrases of topics that stand in a text, each with the id of its pack.
pub(crate) fn named_in(text: &Searched) -> Vec<(&'static str, &'static str)> {
    let words: HashSet<&str> = text.words().collect();
    phrases(&words).filter(|(_, phrase)| text.has(phrase)).collect()
}

/// The phrases of topics all of whose words are among these, each with the id of its pack.
fn phrases<'w>(words: &'w HashSet<&str>) -> impl Iterator<Item = (&'static str, &'static str)> + 'w {
    let lines = words.iter().flat_map(|word| TOPICS.of(word)).filter_map(|line| line.split_once(' '));
    let said = lines.filter(|(_, phrase)| phrase.split(' ').all(|word| words.contains(word)));
    said.filter_map(|(pack, phrase)| Some((BUILT_IN.get(pack.parse::<usize>().ok()?)?.id, phrase)))
}

/// A pack that comes with hefesto.
#[derive(Debug)]
pub(super) struct BuiltIn {
    pub id: &'static str,
    /// Where its head, the text before the first table, and the rest are, and how long they are when inflated.
    parts: [(Range<usize>, usize); 2],
    /// The same, inflated when they are first read.
    texts: [OnceLock<String>; 2],
}

impl BuiltIn {
    const fn at(id: &'static str, parts: [(Range<usize>, usize); 2]) -> Self {
        Self { id, parts, texts: [const { OnceLock::new() }; 2] }
    }

    /// Its text before the first table.
    pub(super) fn head(&self) -> &str {
        self.texts[0].get_or_init(|| inflated(&self.parts[0]))
    }

    /// Its text from the first table on.
    pub(super) fn lines(&self) -> &str {
        self.texts[1].get_or_init(|| inflated(&self.parts[1]))
    }
}

fn inflated((place, length): &(Range<usize>, usize)) -> String {
    thread_local! {
        /// To make one takes as long as to inflate a head.
        static STATE: RefCell<Decompress> = RefCell::new(Decompress::new(false));
    }
    let (deflated, mut text) = (DEFLATED.get(place.clone()).unwrap_or_default(), Vec::with_capacity(*length));
    // The build wrote what is read here; a test compares every pack with its file.
    let _complete = STATE.with_borrow_mut(|state| {
        state.reset(false);
        state.decompress_vec(deflated, &mut text, FlushDecompress::Finish)
    });
    String::from_utf8(text).unwrap_or_default()
}
