//! The files beside SKILL.md: broken links, unmentioned files, long references.

use std::collections::{BTreeSet, HashSet};

use memchr::memmem;
use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, LinkType, Parser, Tag};

use super::words::ahead;
use crate::rules::{Document, FindingCollector, Id, Lines, Page, Position, SKILL, Severity, Subject, shown};
use crate::skill::Tree;

/// The folders whose files SKILL.md should mention.
const FOLDERS: &[&str] = &["scripts", "references", "assets"];
/// A reference longer than this many lines should begin with its contents.
const MAX_WITHOUT_CONTENTS: usize = 100;
/// The number of first lines that are searched for the contents.
const CONTENTS_WITHIN: usize = 60;
/// How many links to its own parts make a list of contents.
const CONTENTS_LINKS: usize = 3;
/// The fix for a link to a file that only exists where the skill was written.
const COPY: &str = "Copy the file into references/ and link it there, or name it without a link.";

pub(super) fn check(subject: &Subject<'_>, page: &Page<'_>, report: &mut FindingCollector<'_>) {
    let Page { doc, lines, .. } = page;
    let places = places(subject.tree);
    let linked = skill_links(&places, doc, lines, report);
    backslashes(doc, lines, report);
    for (path, blob) in subject.tree.iter().filter(|(path, _)| *path != SKILL && is_markdown(path)) {
        let Ok(text) = std::str::from_utf8(&blob.bytes) else { continue };
        contents(path, text, report);
        if linked.contains(path) {
            chain(&places, path, text, &linked, report);
        }
    }
    unused(subject.tree, report);
}

/// Checks the links of SKILL.md; returns the files they point to.
fn skill_links(
    places: &HashSet<&str>,
    doc: &Document,
    lines: &Lines<'_>,
    report: &mut FindingCollector<'_>,
) -> BTreeSet<String> {
    let mut linked = BTreeSet::new();
    let (found, unread) = links(doc.body());
    too_long(SKILL, unread.map(|offset| lines.position(doc.body_start + offset)), report);
    for (offset, written) in found {
        let at = lines.position(doc.body_start + offset);
        let path = shown(&written);
        let (message, fix) = match follow("", &written) {
            Destination::Outside => {
                (format!("The reference `{path}` points outside the skill's folder"), COPY.to_owned())
            }
            Destination::Absolute => {
                let message = format!("The reference `{path}` is not relative to the skill's folder");
                (message, "Write the path relative to SKILL.md, such as `references/guide.md`.".to_owned())
            }
            Destination::Backslash if in_folder(&written) => continue, // reported with the other paths of that spelling
            Destination::Backslash => {
                let message = format!("The reference `{path}` is written with backslashes");
                (message, format!("Write `{}`.", path.replace('\\', "/")))
            }
            Destination::Inside(target) if !places.contains(&*target) => {
                (format!("The reference `{path}` points to no file of the skill"), Id::S17.rule().fix.to_owned())
            }
            Destination::Inside(target) => {
                if target.matches('/').count() > 1 {
                    let message = format!("The reference `{path}` is more than one level deep");
                    let fix = "Move the file directly into references/, scripts/ or assets/.";
                    report.add(Id::S17.at(at, message).weighed(Severity::Info).with_fix(fix));
                }
                linked.insert(target);
                continue;
            }
        };
        report.add(Id::S17.at(at, message).with_fix(fix));
    }
    linked
}

/// The end of the part of a text that is searched for links.
fn too_long(path: &str, from: Option<Position>, report: &mut FindingCollector<'_>) {
    let Some(at) = from else { return };
    let message = "The text is too long; links after this point are not checked";
    let fix = "Split the text into several files.";
    report.add(Id::S17.at(at, message).weighed(Severity::Info).in_file(path).with_fix(fix));
}

/// Checks the links of a file that SKILL.md links to.
fn chain(places: &HashSet<&str>, from: &str, text: &str, linked: &BTreeSet<String>, report: &mut FindingCollector<'_>) {
    let lines = Lines::new(text);
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (found, unread) = links(text);
    too_long(from, unread.map(|offset| lines.position(offset)), report);
    for (offset, path) in found {
        let at = lines.position(offset);
        let inside = |way| if let Destination::Inside(target) = way { Some(target) } else { None };
        let near = follow(folder, &path);
        let mut targets = [near.clone(), follow("", &path)].into_iter().filter_map(inside);
        match targets.find(|target| places.contains(&**target)) {
            Some(target) if target == SKILL || linked.contains(&target) || !is_markdown(&target) => {}
            Some(_) => {
                let message = format!("`{}` is only reached through `{}`", shown(&path), shown(from));
                let finding = Id::S17.at(at, message).weighed(Severity::Info).in_file(from);
                report.add(finding.with_fix("Link it from SKILL.md too."));
            }
            None if matches!(near, Destination::Inside(_)) => {
                let message = format!("The reference `{}` points to no file of the skill", shown(&path));
                report.add(Id::S17.at(at, message).in_file(from));
            }
            None => {
                let message = format!("The reference `{}` points outside the skill's folder", shown(&path));
                report.add(Id::S17.at(at, message).in_file(from).with_fix(COPY));
            }
        }
    }
}

/// Every file and every folder of the skill, its root as the empty path.
fn places(tree: &Tree) -> HashSet<&str> {
    let mut all = HashSet::new();
    for (path, _) in tree.iter() {
        all.extend(path.match_indices('/').filter_map(|(at, _)| path.get(..at)));
        all.extend(["", path]);
    }
    all
}

/// Paths such as `scripts\run.py`, in code too: they exist on one system only.
fn backslashes(doc: &Document, lines: &Lines<'_>, report: &mut FindingCollector<'_>) {
    let body = doc.body();
    let places = memchr::memchr_iter(b'\\', body.as_bytes()).filter_map(|at| {
        body.as_bytes().get(at.checked_sub(1)?).filter(|last| last.is_ascii_lowercase())?;
        let folder = FOLDERS.iter().find(|folder| body.get(..at).is_some_and(|before| before.ends_with(**folder)))?;
        let start = at - folder.len();
        let before = body.get(..start)?.chars().next_back();
        let after = body.get(at + 1..)?.chars().next()?;
        let whole = !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '\\' | '-' | '_'));
        (whole && after.is_alphanumeric()).then_some(start)
    });
    for start in places.take(super::MAX_PLACES) {
        let rest = body.get(start..).unwrap_or("");
        let path = rest.split(|c: char| !c.is_alphanumeric() && !"\\/._-".contains(c)).next().unwrap_or("");
        let message = format!("The path `{}` is written with backslashes", shown(path));
        let fix = format!("Write `{}`.", shown(&path.replace('\\', "/")));
        report.add(Id::S17.at(lines.position(doc.body_start + start), message).with_fix(fix));
    }
}

fn in_folder(path: &str) -> bool {
    FOLDERS.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('\\')))
}

fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("md"))
}

fn contents(path: &str, text: &str, report: &mut FindingCollector<'_>) {
    if !path.starts_with("references/") {
        return;
    }
    let open = !text.is_empty() && !text.ends_with('\n');
    let count = memchr::memchr_iter(b'\n', text.as_bytes()).count() + usize::from(open);
    if count <= MAX_WITHOUT_CONTENTS {
        return;
    }
    let start: Vec<&str> = text.lines().take(CONTENTS_WITHIN).collect();
    let links = start.iter().map(|line| line.matches("](#").count()).sum::<usize>();
    let titled = start.iter().any(|line| {
        let title = line.trim_matches(|c: char| c.is_whitespace() || "#*_:".contains(c)).to_lowercase();
        ["contents", "table of contents", "toc", "índice", "sumário", "contenido", "in this file"].contains(&&*title)
    });
    if !titled && links < CONTENTS_LINKS {
        let message = format!("The reference has {count} lines and no list of contents at the top");
        report.add(Id::Contents.at(Position::START, message).in_file(path));
    }
}

/// Files that neither SKILL.md nor any text reached from it mentions.
fn unused(tree: &Tree, report: &mut FindingCollector<'_>) {
    let in_folder = |path: &&str| path.split_once('/').is_some_and(|(top, _)| FOLDERS.contains(&top));
    let hidden = |path: &&str| path.split('/').any(|part| part.starts_with(['.', '_']));
    let paths = tree.iter().map(|(path, _)| path);
    let mut left: Vec<&str> = paths.filter(|path| in_folder(path) && !hidden(path)).collect();
    let mut waiting = vec![SKILL];
    while let Some(from) = waiting.pop().filter(|_| !left.is_empty()) {
        let Some(text) = tree.text(from) else { continue };
        let named = Named::of(text, from.starts_with("scripts/"));
        let (reached, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(|path| named.leads_to(path));
        left = rest;
        waiting.extend(reached);
    }
    for path in left {
        report.add(Id::Unused.at(Position::START, "SKILL.md does not mention this file").in_file(path));
    }
}

/// The names in a text: files by their last component, folders with their slash.
struct Named<'t> {
    text: &'t str,
    files: HashSet<&'t str>,
    folders: HashSet<&'t str>,
    script: bool,
}

impl<'t> Named<'t> {
    fn of(text: &'t str, script: bool) -> Self {
        let (mut files, mut folders) = (HashSet::new(), HashSet::new());
        for word in text.split(|c: char| !(c.is_alphanumeric() || "/._-*".contains(c))) {
            if word.is_empty() {
                continue;
            }
            let word = word.trim_start_matches("./").trim_end_matches(['.', '*']);
            match word.strip_suffix('/') {
                Some(folder) => folders.insert(folder),
                None => files.insert(word.rsplit_once('/').map_or(word, |(_, file)| file)),
            };
        }
        Self { text, files, folders, script }
    }

    fn leads_to(&self, path: &str) -> bool {
        let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
        let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
        // A name of unusual characters may be there literally, or with its spaces encoded.
        let odd = || {
            !file.chars().all(|c| c.is_alphanumeric() || "._-".contains(c))
                && (self.text.contains(file) || self.text.contains(&file.replace(' ', "%20")))
        };
        self.files.contains(file)
            || (self.script && path.starts_with("scripts/") && self.files.contains(stem))
            || path.match_indices('/').any(|(at, _)| path.get(..at).is_some_and(|dir| self.folders.contains(dir)))
            || odd()
    }
}

/// How many links of one text are followed.
const MAX_LINKS: usize = 500;
/// How much of a text is read for links, in bytes, to the end of a line.
const MAX_TEXT: usize = 96 * 1024;

/// A link or an image whose destination is a file, not a URL: the byte offset of the path where it is written in the
/// link, else of the link, and the decoded path, without anchor and query.
type Link = (usize, String);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Destination {
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
fn links(text: &str) -> (Vec<Link>, Option<usize>) {
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
        found.push((range.start + inside, path.into_owned()));
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
fn follow(folder: &str, path: &str) -> Destination {
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

    #[test]
    fn links_that_are_not_followed_are_reported_once() {
        let text = format!("---\nname: a\ndescription: b\n---\n{}", "See [a](b.md).\n".repeat(20_000));
        let doc = crate::skill::frontmatter::read(text.as_bytes()).unwrap();
        let mut report = FindingCollector::new("");
        check(&Subject::new("a", &Tree::new()), &Page::new(&doc), &mut report);
        let found: Vec<_> = report.finish().into_iter().map(|one| (one.rule, one.severity, one.line)).collect();
        let (missing, unread) = (("S17".to_owned(), Severity::Warning, 5), ("S17".to_owned(), Severity::Info, 6_558));
        assert_eq!(found, [missing, unread]);
    }

    #[test]
    fn a_file_is_reached_by_name_folder_or_import() {
        let named =
            Named::of("Run `scripts/a.py`, read [b](./references/b.md). See assets/icons/* and `my file.txt`.", false);
        for path in ["scripts/a.py", "references/b.md", "assets/icons/x.png", "assets/my file.txt"] {
            assert!(named.leads_to(path), "{path}");
        }
        for path in ["scripts/b.py", "references/a.md", "assets/other.png", "scripts/references.py"] {
            assert!(!named.leads_to(path), "{path}");
        }
        assert!(Named::of("from helper import x", true).leads_to("scripts/helper.py"));
        assert!(!Named::of("a helper", false).leads_to("scripts/helper.py"));
    }

    #[test]
    fn a_long_text_is_read_to_the_end_of_a_line_and_says_so() {
        let line = "[a](b.md) é and so on\n";
        let text = format!("{}[c](d.md)\n", line.repeat(MAX_TEXT / line.len() + 1));
        let (found, unread) = links(&text);
        assert_eq!(found.iter().map(|(_, path)| path.as_str()).collect::<Vec<_>>(), ["b.md"]);
        assert_eq!(unread, Some(MAX_TEXT / line.len() * line.len()));
        let plain = format!("[a](b.md)\n{}", "word\n".repeat(MAX_TEXT));
        assert_eq!(links(&plain).1, None, "no link is left out");
    }

    #[test]
    fn an_ellipsis_is_no_file_and_a_link_stands_where_its_path_does() {
        assert_eq!(links("[a](...)").0, []);
        assert_eq!(links("See [a](b.md).").0, [(8, "b.md".to_owned())]);
        let text = "See [the guide][g].\n\n[g]: references/my%20guide.md\n";
        assert_eq!(links(text).0, [(4, "references/my guide.md".to_owned())]);
    }
}
