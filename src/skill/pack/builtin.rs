//! The packs that come with hefesto: the files of `templates/domains/`, compressed by `build.rs`.

use std::io::Read;
use std::ops::Range;

use flate2::read::DeflateDecoder;

/// All built-in packs, by id.
pub(super) const BUILT_IN: &[BuiltIn] = include!(concat!(env!("OUT_DIR"), "/packs.rs"));

static DEFLATED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/packs.deflate"));

/// A pack that comes with hefesto.
#[derive(Debug)]
pub(super) struct BuiltIn {
    pub id: &'static str,
    /// The phrases of its topic, a line each, as words in lowercase with a space between. One string, because each of
    /// fifteen thousand would need a relocation.
    pub topic: &'static str,
    /// Where its head, the text before the first table, and the rest are.
    parts: [Range<usize>; 2],
}

impl BuiltIn {
    /// Its text before the first table.
    pub(super) fn head(&self) -> String {
        inflated(&self.parts[0])
    }

    /// Its text from the first table on.
    pub(super) fn lines(&self) -> String {
        inflated(&self.parts[1])
    }
}

fn inflated(place: &Range<usize>) -> String {
    let mut text = String::new();
    let deflated = DEFLATED.get(place.clone()).unwrap_or_default();
    // The build wrote what is read here; a test compares every pack with its file.
    let _complete = DeflateDecoder::new(deflated).read_to_string(&mut text);
    text
}
