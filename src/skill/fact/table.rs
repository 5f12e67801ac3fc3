//! Tables of documents: rows that are rules, and rows that say what holds for a thing.

use super::rule_form::{binds, is_long_enough, is_measured};
use super::{Fact, Facts, Kind, Source};

/// The id of a rule that is a row of a table, which may allow several things.
pub(crate) const ROW: &str = "row";

/// The rows that are taken from the tables of a document, and the longest cell.
const ROWS: usize = 12;
const CELL: usize = 90;
/// How many columns a table has.
pub(super) const COLUMNS: std::ops::RangeInclusive<usize> = 2..=15;

/// A row of a table.
struct Row {
    head: Vec<String>,
    cells: Vec<String>,
    /// 1-based.
    line: usize,
    /// The heading above the table.
    heading: String,
}

/// The rows of a document's tables, each as a rule: "Term – Standard: 2 years / Never: perpetual".
pub(super) fn rows(source: &Source<'_>, work: &str, out: &mut Facts) {
    for (row, text) in all(source.text).into_iter().filter_map(|row| stated(&row).map(|text| (row, text))).take(ROWS) {
        let fact = Fact { work: Some(work.to_owned()), ..Fact::new(Kind::Rule, text) };
        out.put(source, row.line, fact.id(ROW));
    }
}

/// The first cells of rows, where they are rules: "Liveness never checks a dependency."
pub(super) fn rules(source: &Source<'_>, work: Option<&str>, out: &mut Facts) {
    for row in all(source.text) {
        let Some(rule) = row.cells.first().filter(|cell| is_long_enough(cell)) else { continue };
        if binds(rule, false) || is_measured(rule) {
            let fact = Fact::new(Kind::Rule, rule.as_str()).about(super::rule_subject(rule)).about(&row.heading);
            out.put(source, row.line, Fact { work: work.map(str::to_owned), section: row.heading.clone(), ..fact });
        }
    }
}

fn all(text: &str) -> Vec<Row> {
    let cells = |line: &str| -> Option<Vec<String>> {
        let inner = line.trim().strip_prefix('|')?.trim_end_matches('|').to_owned();
        Some(inner.split('|').map(|cell| cell.trim().to_owned()).collect())
    };
    let mut head: Option<Vec<String>> = None;
    let mut before: Option<Vec<String>> = None;
    let (mut rows, mut heading) = (Vec::new(), String::new());
    for (number, line) in text.lines().enumerate() {
        let Some(row) = cells(line) else {
            (head, before) = (None, None);
            if let Some(below) = line.strip_prefix("##") {
                heading = below.trim_start_matches('#').trim().to_owned();
            }
            continue;
        };
        let is_rule = row.iter().all(|cell| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':')));
        if is_rule {
            head = before.take();
        } else if let Some(head) = head.as_ref().filter(|head| COLUMNS.contains(&head.len())) {
            rows.push(Row { head: head.clone(), cells: row, line: number + 1, heading: heading.clone() });
        } else {
            before = Some(row);
        }
    }
    rows
}

/// A row of a table as one line; `None` if it says nothing or too much.
fn stated(row: &Row) -> Option<String> {
    let (first, rest) = row.cells.split_first()?;
    let says = |cell: &str| cell.chars().any(char::is_alphanumeric) && cell.chars().count() <= CELL;
    let said = row.head.iter().skip(1).zip(rest).filter(|(_, cell)| says(cell));
    let said: Vec<String> = said.map(|(head, cell)| format!("{head}: {cell}")).collect();
    (says(first) && !said.is_empty()).then(|| format!("{first} – {}", said.join(" / ")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_first_cell_that_is_a_rule_is_one() {
        let text = "# Operations\n\n## Probes\n\n| Rule | Why |\n| --- | --- |\n| Liveness never checks a dependency. | Outages. |\n| Port | 8081 |\n";
        let mut out = Facts::default();
        rules(&Source { path: "docs/operations.md", text, beside: &BTreeSet::new() }, Some("operations"), &mut out);
        let found: Vec<_> = out.all.iter().map(|fact| (fact.line, fact.text.as_str(), fact.section.as_str())).collect();
        assert_eq!(found, [(7, "Liveness never checks a dependency.", "Probes")]);
    }
}
