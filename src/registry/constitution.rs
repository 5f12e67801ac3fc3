//! The constitution, CONSTITUTION.md: checks that a project's copy contains every rule; and the embedded one.

use crate::skill::keyed::Keyed;
use crate::skill::sections::{Document, Section, split};
use crate::skill::version::semver;

/// The embedded constitution: `init` writes it, and a missing file is restored from it.
pub const EMBEDDED: &str = include_str!("../../templates/CONSTITUTION.md");

/// The T0 rules. A constitution without one of them is invalid (ERR-004).
pub const T0: [&str; 11] = [
    "T0-HEFESTO-01", "T0-HEFESTO-02", "T0-HEFESTO-03", "T0-HEFESTO-04", "T0-HEFESTO-05", "T0-HEFESTO-06",
    "T0-HEFESTO-07", "T0-HEFESTO-08", "T0-HEFESTO-09", "T0-HEFESTO-10", "T0-HEFESTO-11",
];

/// The length from which a rule's text gets no remark, in characters.
const SHORTEST_RULE: usize = 50;

/// The result of checking a CONSTITUTION.md.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    pub version: Option<String>,
    /// The ids of the missing T0 rules.
    pub missing: Vec<&'static str>,
    pub frontmatter: Vec<String>,
    /// Remarks about its structure and content (WARN-005); they do not block.
    pub oddities: Vec<String>,
    /// Whether it is the embedded text, ignoring line ends.
    pub embedded: bool,
}

impl Report {
    /// Whether commands may run under it.
    pub fn valid(&self) -> bool {
        self.missing.is_empty() && self.frontmatter.is_empty()
    }
}

/// BLAKE3 of a constitution in hexadecimal, ignoring line ends and byte order mark, to detect changes.
pub fn fingerprint(text: &str) -> String {
    blake3::hash(plain(text).as_bytes()).to_hex().to_string()
}

/// Checks a constitution: every T0 rule with its own heading, a ratified frontmatter, a valid structure.
pub fn check(text: &str) -> Report {
    let document = split(&without_comments(text));
    let mut report = Report { embedded: fingerprint(text) == fingerprint(EMBEDDED), ..Report::default() };
    head(&document, &mut report);
    rules(&document.sections, &mut report);
    structure(&document.sections, &mut report);
    report
}

fn head(document: &Document, report: &mut Report) {
    if document.open.is_empty() {
        report.version = legacy_version(document);
        match report.version {
            Some(_) => report.oddities.push("its header is a quote block instead of YAML frontmatter".to_owned()),
            None => report.frontmatter.push("the frontmatter is missing".to_owned()),
        }
        return;
    }
    let values = match Keyed::read(&document.yaml) {
        Ok((_, values)) => values,
        Err(bad) => {
            report.frontmatter.push(format!("line {}: the frontmatter cannot be read: {}", bad.line + 1, bad.what));
            return;
        }
    };
    let text = |key: &str| values.get(key).and_then(serde_json::Value::as_str);
    report.version = text("version").filter(|version| semver(version).is_some()).map(str::to_owned);
    let dated = |text: &str| text.parse::<jiff::civil::Date>().is_ok() || text.parse::<jiff::Timestamp>().is_ok();
    let wrong = [
        (report.version.is_none(), "`version` is not a semantic version such as 1.0.0"),
        (text("status") != Some("ratified"), "`status` is not `ratified`"),
        (text("tier") != Some("T0"), "`tier` is not `T0`"),
        (!text("last_updated").is_some_and(dated), "`last_updated` is not an ISO 8601 date"),
    ];
    report.frontmatter.extend(wrong.into_iter().filter(|(wrong, _)| *wrong).map(|(_, what)| what.to_owned()));
}

/// The version in a header of the old form: a quote block with `**Version:** 1.1.0` before the second heading.
fn legacy_version(document: &Document) -> Option<String> {
    let opening = document.sections.iter().take(2).flat_map(|section| section.text.lines());
    opening.filter_map(|line| line.trim_start().strip_prefix('>')).find_map(|line| {
        let plain = line.replace('*', "").to_lowercase();
        let (key, value) = plain.split_once(':')?;
        let version = value.split('|').next().unwrap_or_default().trim();
        let named = ["version", "versao", "versão"].contains(&key.trim());
        (named && semver(version).is_some()).then(|| version.to_owned())
    })
}

fn rules(sections: &[Section], report: &mut Report) {
    for id in T0 {
        let is_rule = |section: &Section| section.title().strip_prefix(id).is_some_and(|rest| rest.starts_with(':'));
        let found: Vec<&Section> = sections.iter().filter(|section| is_rule(section)).collect();
        let Some(rule) = found.first() else {
            report.missing.push(id);
            continue;
        };
        if found.len() > 1 {
            report.oddities.push(format!("{id} appears {} times", found.len()));
        }
        let below = sections.iter().filter(|section| section.path.starts_with(&rule.path));
        let text: String = below.flat_map(|section| section.text.split_inclusive('\n').skip(1)).collect();
        if !(text.contains("**Rule:**") || text.contains("**Regra:**")) {
            report.oddities.push(format!("{id} has no `**Rule:**`"));
        }
        if text.trim().chars().count() < SHORTEST_RULE {
            report.oddities.push(format!("{id} has fewer than {SHORTEST_RULE} characters"));
        }
    }
}

fn structure(sections: &[Section], report: &mut Report) {
    let lines = sections.iter().filter_map(|section| section.path.last()?.split_once(' '));
    let headings: Vec<(usize, &str)> = lines.filter_map(|(level, title)| Some((level.parse().ok()?, title))).collect();
    if headings.iter().all(|(level, _)| *level != 1) {
        report.oddities.push("it has no title (`# ...`)".to_owned());
    }
    let tier = |name: &str| headings.iter().position(|(level, title)| *level == 2 && title.starts_with(name));
    match (tier("T0"), tier("T1").into_iter().chain(tier("T2")).min()) {
        (None, _) => report.oddities.push("it has no section `## T0 ...`".to_owned()),
        (Some(first), Some(lower)) if lower < first => {
            report.oddities.push("its T0 section comes after T1 or T2".to_owned());
        }
        _ => {}
    }
    let mut above = 0;
    for (level, title) in headings {
        if level > above + 1 {
            report.oddities.push(format!("the heading `{title}` skips a level ({level} below {above})"));
        }
        above = level;
    }
}

/// Without byte order mark and with plain line ends.
fn plain(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n")
}

/// Blanks out comments, in which rules do not count; line numbers do not change.
fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut shown = String::with_capacity(text.len());
    while let Some((before, inside)) = rest.split_once("<!--") {
        shown.push_str(before);
        let (comment, after) = inside.split_once("-->").unwrap_or((inside, ""));
        shown.extend(comment.chars().filter(|c| *c == '\n'));
        rest = after;
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_embedded_constitution_passes_its_own_checks() {
        let report = check(EMBEDDED);
        assert!(report.valid() && report.oddities.is_empty() && report.embedded, "{report:?}");
        assert!(check(&EMBEDDED.replace('\n', "\r\n")).embedded);
        for id in ["T1-HEFESTO-01", "T1-HEFESTO-03", "T2-HEFESTO-02"] {
            assert!(EMBEDDED.contains(&format!("### {id}: ")));
        }
    }

    #[test]
    fn each_missing_rule_is_named() {
        for id in T0 {
            for torn in ["### X:".to_owned(), format!("\n{id}:"), format!("### {id} "), format!("<!--\n### {id}:\n-->")]
            {
                let report = check(&EMBEDDED.replace(&format!("### {id}:"), &torn));
                assert_eq!((report.missing.as_slice(), report.valid()), (&[id][..], false), "{torn}");
            }
        }
        assert_eq!(check("").missing, T0);
    }

    #[test]
    fn a_draft_is_not_ratified_and_oddities_do_not_block() {
        for (good, bad) in [
            ("ratified", "draft"),
            ("tier: T0", "tier: T1"),
            ("version: 1.0.0", "version: one"),
            ("2026-11-21", "soon"),
            ("---\nversion", "version"),
            ("status: ", "status: a: "),
        ] {
            let report = check(&EMBEDDED.replacen(good, bad, 1));
            assert!(!report.valid() && !report.frontmatter.is_empty(), "{bad}");
        }
        let quoted = EMBEDDED.split_once("\n---\n").unwrap().1;
        let odd = [
            format!("> **Versao:** 1.1.0 | **Status:** ATIVA\n{quoted}"),
            EMBEDDED.replace("### T0-HEFESTO-03", "##### T0-HEFESTO-03"),
            EMBEDDED.replacen("**Rule:**", "", 1),
            EMBEDDED.replace("# Constitution of hefesto", "Constitution"),
            EMBEDDED.replace("## T0 Absolute", "## Absolute"),
        ];
        for text in odd {
            let report = check(&text);
            assert!(report.valid() && !report.oddities.is_empty() && !report.embedded, "{report:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s)(---\n)?.{0,60}(### T0-HEFESTO-01:|<!--|-->|```)?.{0,20}") {
            prop_assert!(!check(&text).valid());
        }
    }
}
