//! The files beside SKILL.md: broken links, unmentioned files, long references.

use std::collections::{BTreeSet, HashSet};

use crate::rules::{Document, FindingCollector, Id, Lines, Page, Position, Severity, Subject, shown};
use crate::skill::Tree;

use super::links::{self, Destination};

const SKILL: &str = "SKILL.md";
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
/// How many places of one kind are reported.
const MAX_PLACES: usize = 100;

pub(super) fn check(subject: &Subject<'_>, page: &Page<'_>, report: &mut FindingCollector<'_>) {
    let Page { doc, lines, .. } = page;
    let places = places(subject.tree);
    let linked = skill_links(&places, doc, lines, report);
    backslashes(doc, lines, report);
    for (path, text) in references(subject.tree) {
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
    let (found, unread) = links::find(doc.body());
    too_long(SKILL, unread.map(|offset| lines.position(doc.body_start + offset)), report);
    for link in found {
        let at = lines.position(doc.body_start + link.offset);
        let path = shown(&link.path);
        let (message, fix) = match links::follow("", &link.path) {
            Destination::Outside => {
                (format!("The reference `{path}` points outside the skill's folder"), COPY.to_owned())
            }
            Destination::Absolute => {
                let message = format!("The reference `{path}` is not relative to the skill's folder");
                (message, "Write the path relative to SKILL.md, such as `references/guide.md`.".to_owned())
            }
            Destination::Backslash if in_folder(&link.path) => continue, // reported with the other paths of that spelling
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
    let (found, unread) = links::find(text);
    too_long(from, unread.map(|offset| lines.position(offset)), report);
    for link in found {
        let at = lines.position(link.offset);
        let inside = |way| if let Destination::Inside(target) = way { Some(target) } else { None };
        let near = links::follow(folder, &link.path);
        let mut targets = [near.clone(), links::follow("", &link.path)].into_iter().filter_map(inside);
        match targets.find(|target| places.contains(&**target)) {
            Some(target) if target == SKILL || linked.contains(&target) || !is_markdown(&target) => {}
            Some(_) => {
                let message = format!("`{}` is only reached through `{}`", shown(&link.path), shown(from));
                let finding = Id::S17.at(at, message).weighed(Severity::Info).in_file(from);
                report.add(finding.with_fix("Link it from SKILL.md too."));
            }
            None if matches!(near, Destination::Inside(_)) => {
                let message = format!("The reference `{}` points to no file of the skill", shown(&link.path));
                report.add(Id::S17.at(at, message).in_file(from));
            }
            None => {
                let message = format!("The reference `{}` points outside the skill's folder", shown(&link.path));
                report.add(Id::S17.at(at, message).in_file(from).with_fix(COPY));
            }
        }
    }
}

/// Every file and every folder of the skill, its root as the empty path.
fn places(tree: &Tree) -> HashSet<&str> {
    let all = tree.iter().flat_map(|(path, _)| {
        let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        folders.chain(["", path])
    });
    all.collect()
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
    for start in places.take(MAX_PLACES) {
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

fn references(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    tree.iter()
        .filter(|(path, _)| *path != SKILL && is_markdown(path))
        .filter_map(|(path, blob)| Some((path, std::str::from_utf8(&blob.bytes).ok()?)))
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
        let odd = || !file.chars().all(|c| c.is_alphanumeric() || "._-".contains(c)) && self.encoded(file);
        self.files.contains(file)
            || (self.script && path.starts_with("scripts/") && self.files.contains(stem))
            || path.match_indices('/').any(|(at, _)| path.get(..at).is_some_and(|dir| self.folders.contains(dir)))
            || odd()
    }

    /// Whether a name of unusual characters occurs in the text, literally or with its spaces encoded.
    fn encoded(&self, file: &str) -> bool {
        self.text.contains(file) || self.text.contains(&file.replace(' ', "%20"))
    }
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
}
