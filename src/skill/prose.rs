//! Markdown as blocks: paragraphs and list items with their heading, code blocks, links.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Paragraph,
    /// An item of a list, with the nesting depth of the list, from 1.
    Point(usize),
    /// An item of a numbered list, likewise.
    Numbered(usize),
    /// A code block, with the language of its fence.
    Code(String),
    /// An address.
    Link,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    pub(crate) text: String,
    /// The last heading above it.
    pub(crate) heading: String,
    /// Whether that heading is the title of the document.
    pub(crate) titled: bool,
    /// 1-based.
    pub(crate) line: usize,
}

/// The blocks of a text in their order. Tables, HTML and metadata are left out.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader { source: text, line: 1, ..Reader::default() };
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TASKLISTS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.step(event, range.start);
    }
    reader.flush();
    reader.blocks
}

#[derive(Default)]
struct Reader<'t> {
    source: &'t str,
    blocks: Vec<Block>,
    text: String,
    start: usize,
    heading: String,
    titled: bool,
    in_heading: bool,
    /// For each open list, whether it is numbered.
    lists: Vec<bool>,
    items: usize,
    skipped: bool,
    /// The language of an open block of code.
    code: Option<String>,
    /// Whether an image is open: its text and link are ignored.
    image: bool,
    link: Option<String>,
    /// The offset up to which lines are counted, and the line number there.
    counted: usize,
    line: usize,
}

impl Reader<'_> {
    fn step(&mut self, event: Event<'_>, at: usize) {
        match event {
            Event::Start(Tag::MetadataBlock(_) | Tag::Table(_) | Tag::HtmlBlock) => self.skipped = true,
            Event::End(TagEnd::MetadataBlock(_) | TagEnd::Table | TagEnd::HtmlBlock) => self.skipped = false,
            Event::Start(Tag::CodeBlock(kind)) => {
                self.flush();
                self.start = at;
                self.code = Some(match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase()
                    }
                    CodeBlockKind::Indented => String::new(),
                });
            }
            Event::End(TagEnd::CodeBlock) => {
                let (language, text) = (self.code.take().unwrap_or_default(), std::mem::take(&mut self.text));
                self.push(BlockKind::Code(language), &text);
            }
            Event::Start(Tag::Heading { level, .. }) => {
                self.flush();
                self.titled = level == HeadingLevel::H1;
                self.in_heading = true;
            }
            Event::End(TagEnd::Heading(_)) => {
                self.in_heading = false;
                self.heading = std::mem::take(&mut self.text).trim().to_owned();
            }
            Event::Start(Tag::List(first)) => {
                self.flush();
                self.lists.push(first.is_some());
            }
            Event::End(TagEnd::List(_)) => _ = self.lists.pop(),
            Event::Start(Tag::Item) => {
                self.flush();
                (self.items, self.start) = (self.items + 1, at);
            }
            Event::End(TagEnd::Item) => {
                self.flush();
                self.items = self.items.saturating_sub(1);
            }
            Event::Start(Tag::Paragraph) if self.items == 0 => self.start = at,
            Event::End(TagEnd::Paragraph) => self.flush(),
            Event::Start(Tag::Link { dest_url, .. }) => self.link = Some(dest_url.into_string()),
            Event::Start(Tag::Image { .. }) => (self.image, self.link) = (true, None),
            Event::End(TagEnd::Image) => self.image = false,
            Event::End(TagEnd::Link) => {
                if let Some(url) = self.link.take() {
                    self.put(BlockKind::Link, url);
                }
            }
            _ if self.skipped || self.image => {}
            Event::Text(text) => self.text.push_str(&text),
            Event::Code(text) => self.text.push_str(&format!("`{text}`")),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            // The underscores of `src/__tests__` are part of the path.
            Event::Start(Tag::Strong) | Event::End(TagEnd::Strong)
                if at > 0 && self.source.get(at - 1..).is_some_and(|rest| rest.starts_with("/__")) =>
            {
                self.text.push_str("__");
            }
            // The asterisks of `major*10000 + minor*100` are signs of a product.
            Event::Start(Tag::Emphasis) | Event::End(TagEnd::Emphasis) if self.follows_word(at) => self.text.push('*'),
            // `<name>` without an end is a placeholder, not a tag.
            Event::InlineHtml(tag) if is_placeholder(&tag, self.source) => self.text.push_str(&tag),
            _ => {}
        }
    }

    /// Whether the character before this offset is part of a word.
    fn follows_word(&self, at: usize) -> bool {
        self.source.get(..at).and_then(|before| before.chars().next_back()).is_some_and(char::is_alphanumeric)
    }

    fn flush(&mut self) {
        if self.in_heading {
            return;
        }
        let text = std::mem::take(&mut self.text);
        if self.items == 0 && self.is_bold() {
            (self.heading, self.titled) = (text.trim().trim_end_matches(':').to_owned(), false);
            return;
        }
        let kind = match self.lists.last().filter(|_| self.items > 0) {
            Some(true) => BlockKind::Numbered(self.lists.len()),
            Some(false) => BlockKind::Point(self.lists.len()),
            None => BlockKind::Paragraph,
        };
        self.push(kind, text.trim());
    }

    /// Whether the paragraph is one line in bold, used as a heading.
    fn is_bold(&self) -> bool {
        let mut lines = self.source.get(self.start..).unwrap_or_default().lines();
        let line = lines.next().unwrap_or_default().trim().trim_end_matches(':');
        let alone = lines.next().is_none_or(|next| next.trim().is_empty());
        alone && line.matches("**").count() == 2 && line.starts_with("**") && line.ends_with("**")
    }

    fn push(&mut self, kind: BlockKind, text: &str) {
        if !text.trim().is_empty() {
            self.put(kind, text.to_owned());
        }
    }

    fn put(&mut self, kind: BlockKind, text: String) {
        let line = self.line_at(self.start);
        self.blocks.push(Block { kind, text, heading: self.heading.clone(), titled: self.titled, line });
    }

    fn line_at(&mut self, at: usize) -> usize {
        let passed = self.source.get(self.counted..at.max(self.counted)).unwrap_or_default();
        self.line += passed.matches('\n').count();
        self.counted = self.counted.max(at);
        self.line
    }
}

/// The code spans of a text, each with what stands before it, from the span before.
pub(crate) fn code_spans(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut pieces = text.split('`');
    std::iter::from_fn(move || Some((pieces.next()?, pieces.next()?)))
}

/// Whether something in angle brackets is a name to be replaced: no attributes, no end tag, no tag that stands alone.
fn is_placeholder(tag: &str, source: &str) -> bool {
    let name = tag.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(plain)
        && !matches!(name, "br" | "hr" | "wbr" | "img" | "input")
        && !source.contains(&format!("</{name}>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_know_their_kind_their_heading_and_their_line() {
        assert_eq!(blocks("- a/__b__/<x>.py and <b>c</b> __d__<br>\n")[0].text, "a/__b__/<x>.py and c d");
        assert_eq!(blocks("major*10000 + minor*100, *not* 1\n")[0].text, "major*10000 + minor*100, not 1");
        assert_eq!(blocks("**Hotfix**\n\nAsk **first**.\n")[0].heading, "Hotfix");
        let text = "Sells `things`.\n\n## Release\n\n1. Raise it\n   - in `a.json`\n2. Tag it.\n\n```sh\nmake x\n```\n\n\
            | a |\n|---|\n| b |\n\n[![ci](https://i.example)](https://ci.example) See [it](https://s.example).\n";
        let found: Vec<_> =
            blocks(text).into_iter().map(|block| (block.kind, block.text, block.heading, block.line)).collect();
        let of = |kind, text: &str, heading: &str, line| (kind, text.to_owned(), heading.to_owned(), line);
        assert_eq!(
            found,
            [
                of(BlockKind::Paragraph, "Sells `things`.", "", 1),
                of(BlockKind::Numbered(1), "Raise it", "Release", 5),
                of(BlockKind::Point(2), "in `a.json`", "Release", 6),
                of(BlockKind::Numbered(1), "Tag it.", "Release", 7),
                of(BlockKind::Code("sh".into()), "make x\n", "Release", 9),
                of(BlockKind::Link, "https://s.example", "Release", 17),
                of(BlockKind::Paragraph, "See it.", "Release", 17),
            ]
        );
    }
}
