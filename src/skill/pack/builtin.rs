//! The packs that come with hefesto: the files of `templates/domains/`, compressed by `build.rs`.

use std::io::Read;
use std::ops::Range;

use flate2::read::DeflateDecoder;

/// All built-in packs, by id.
pub(super) const BUILT_IN: &[BuiltIn] = include!(concat!(env!("OUT_DIR"), "/packs.rs"));

static LINES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/packs.deflate"));

/// A pack that comes with hefesto.
#[derive(Debug)]
pub(super) struct BuiltIn {
    pub id: &'static str,
    /// Its text before the first table.
    pub head: &'static str,
    /// The phrases of its topic, a line each, as words in lowercase with a space between. One string, because each of
    /// fifteen thousand would need a relocation.
    pub topic: &'static str,
    lines: Range<usize>,
}

impl BuiltIn {
    /// Its text from the first table on.
    pub(super) fn lines(&self) -> String {
        let mut text = String::new();
        let deflated = LINES.get(self.lines.clone()).unwrap_or_default();
        // The build wrote what is read here; a test compares every pack with its file.
        let _complete = DeflateDecoder::new(deflated).read_to_string(&mut text);
        text
    }
}
