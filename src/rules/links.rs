//! Finds what a Markdown text links to inside its skill, and follows a path without touching a file.

use std::collections::BTreeSet;

use memchr::memmem;
use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, LinkType, Parser, Tag};

use super::window::ahead;

/// How many links of one text are followed.
const MAX_LINKS: usize = 500;
/// How much of a text is read for links, in bytes, to the end of a line.
const MAX_TEXT: usize = 96 * 1024;

/// A link or an image whose destination is a file, not a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    /// Byte offset in the text: of the path where it is written in the link, else of the link.
    pub(super) offset: usize,
    /// The decoded path, without anchor and query.
    pub(super) path: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    /// To this path from the skill's root; empty for the root itself.
    Inside(String),
    /// Above the skill's root.
    Outside,
    /// It begins at the root of a file system or a site.
    Absolute,
    Backslash,
}

/// The links of a CommonMark text to files, without code, URLs, anchors and placeholders. For a text that is too long,
/// those of its beginning, and the byte offset of the rest if it may contain links.
pub(super) fn find(text: &str) -> (Vec<Link>, Option<usize>) {
    let start = ahead(text, 0, MAX_TEXT);
    let whole = start.len() == text.len();
    let end = if whole { text.len() } else { start.rfind('\n').map_or(start.len(), |newline| newline + 1) };
    let (start, rest) = text.split_at(end);
    let found = if may_link(start) { find_in(start) } else { Vec::new() };
    (found, (rest.contains("](") || rest.contains("]:")).then_some(end))
}

/// Whether a text may contain a link, or a definition of one, to a file and not to a URL or an anchor.
fn may_link(text: &str) -> bool {
    memmem::find(text.as_bytes(), b"]:").is_some()
        || memmem::find_iter(text.as_bytes(), b"](").any(|at| {
            let goes = text.get(at + 2..).unwrap_or("");
            !["http://", "https://", "#"].iter().any(|elsewhere| goes.starts_with(elsewhere))
        })
}

fn find_in(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        let Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) = event else {
            continue;
        };
        if matches!(link_type, LinkType::Autolink | LinkType::Email) {
            continue;
        }
        let bare = dest_url.split(['#', '?']).next().unwrap_or("");
        if bare.is_empty() {
            continue;
        }
        let path = percent_decode_str(bare).decode_utf8_lossy();
        if !names_a_file(&path) || !seen.insert(path.to_string()) {
            continue;
        }
        let inside = text.get(range.clone()).and_then(|link| link.rfind(bare)).unwrap_or(0);
        found.push(Link { offset: range.start + inside, path: path.into_owned() });
        if found.len() == MAX_LINKS {
            break;
        }
    }
    found
}

fn names_a_file(path: &str) -> bool {
    let scheme = path.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    });
    !scheme
        && !path.starts_with("//")
        && path.contains(['.', '/', '\\'])
        && !path.contains(['{', '<', '*', '$', '…'])
        && !path.contains("...")
}

/// Follows a path from a folder of the skill (`""` is its root), as text.
pub(super) fn follow(folder: &str, path: &str) -> Destination {
    if path.contains('\\') {
        return Destination::Backslash;
    }
    if path.starts_with(['/', '~']) || path.as_bytes().get(1) == Some(&b':') {
        return Destination::Absolute;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => return Destination::Outside,
            ".." => {}
            part => parts.push(part),
        }
    }
    Destination::Inside(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<(usize, String)> {
        find(text).0.into_iter().map(|link| (link.offset, link.path)).collect()
    }

    #[test]
    fn a_long_text_is_read_to_the_end_of_a_line_and_says_so() {
        let line = "[a](b.md) é and so on\n";
        let text = format!("{}[c](d.md)\n", line.repeat(MAX_TEXT / line.len() + 1));
        let (found, unread) = find(&text);
        assert_eq!(found.iter().map(|link| link.path.as_str()).collect::<Vec<_>>(), ["b.md"]);
        assert_eq!(unread, Some(MAX_TEXT / line.len() * line.len()));
        let plain = format!("[a](b.md)\n{}", "word\n".repeat(MAX_TEXT));
        assert_eq!(find(&plain).1, None, "no link is left out");
    }

    #[test]
    fn an_ellipsis_is_no_file_and_a_link_stands_where_its_path_does() {
        assert_eq!(paths("[a](...)"), []);
        assert_eq!(paths("See [a](b.md)."), [(8, "b.md".to_owned())]);
        let text = "See [the guide][g].\n\n[g]: references/my%20guide.md\n";
        assert_eq!(paths(text), [(4, "references/my guide.md".to_owned())]);
    }
}
