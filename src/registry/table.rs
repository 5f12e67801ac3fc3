//! The two tables of hefesto's block: their cells, and reading them row by row, where valid rows are used even if others are
//! invalid.

use super::row::{self, in_table_order, is_cli_id};
use super::split::{CLIS, Line, SKILLS, STATE};
use super::{CliRow, Problem, SkillRow};
use crate::skill::Name;

pub(super) const CLI_COLUMNS: [&str; 5] = ["CLI", "Detection Method", "Skills Directory", "Version", "Status"];
pub(super) const SKILL_COLUMNS: [&str; 4] = ["Skill Name", "CLIs", "Created", "Last Modified"];

/// The valid rows, and the problems of the others.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) clis: Vec<CliRow>,
    pub(super) skills: Vec<SkillRow>,
    pub(super) problems: Vec<Problem>,
}

/// Reads the block; `at` is the line to name when a whole table is missing.
pub(super) fn read(block: &[Line<'_>], at: usize) -> Tables {
    let mut tables = Tables::default();
    let cli_rows = rows(block, CLIS, &CLI_COLUMNS, at, &mut tables.problems);
    let skill_rows = rows(block, SKILLS, &SKILL_COLUMNS, at, &mut tables.problems);
    for (line, row) in cli_rows {
        match cli(&row, &tables.clis) {
            Ok(row) => tables.clis.push(row),
            Err(what) => tables.problems.push(Problem { line, what }),
        }
    }
    for (line, row) in skill_rows {
        match skill(&row, &tables.skills) {
            Ok(row) => {
                for id in row.clis.iter().filter(|id| tables.clis.iter().all(|cli| cli.id != **id)) {
                    let what = format!("skill `{}` names the CLI `{id}`, which has no row", row.name);
                    tables.problems.push(Problem { line, what });
                }
                tables.skills.push(row);
            }
            Err(what) => tables.problems.push(Problem { line, what }),
        }
    }
    tables
}

/// The data rows below every heading of this name, with their line numbers.
fn rows(
    block: &[Line<'_>],
    heading: &str,
    columns: &[&str],
    at: usize,
    problems: &mut Vec<Problem>,
) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let places: Vec<usize> = (0..block.len()).filter(|place| block[*place].text() == heading).collect();
    if places.is_empty() {
        problems.push(Problem { line: at, what: format!("the table `{heading}` is missing") });
    }
    if let Some(second) = places.get(1) {
        problems.push(Problem { line: block[*second].no, what: format!("`{heading}` appears a second time") });
    }
    for place in places {
        let below = block[place + 1..].iter().take_while(|line| ![CLIS, SKILLS, STATE].contains(&line.text()));
        let mut lines = below.filter(|line| line.text().starts_with('|'));
        let headed = lines.next().and_then(|line| cells(line.raw)).is_some_and(|cells| cells == columns);
        let ruled = lines.next().and_then(|line| cells(line.raw)).is_some_and(|cells| is_rule(&cells, columns.len()));
        if !(headed && ruled) {
            let what =
                format!("the table below `{heading}` does not begin with `| {} |` and a rule", columns.join(" | "));
            problems.push(Problem { line: block[place].no, what });
            continue;
        }
        for line in lines {
            match cells(line.raw).filter(|cells| cells.len() == columns.len()) {
                Some(cells) => found.push((line.no, cells.into_iter().map(unescape).collect())),
                None => {
                    let what = format!("a row that does not have {} cells", columns.len());
                    problems.push(Problem { line: line.no, what });
                }
            }
        }
    }
    found
}

fn is_rule(cells: &[&str], columns: usize) -> bool {
    cells.len() == columns
        && cells.iter().all(|cell| cell.contains('-') && cell.trim_matches(':').bytes().all(|b| b == b'-'))
}

fn cli(row: &[String], before: &[CliRow]) -> Result<CliRow, String> {
    let [id, method, dir, version, status] = row else { return Err("not a CLI row".into()) };
    if !is_cli_id(id) {
        return Err("a CLI id may hold lowercase letters, digits, `-` and `_` only".into());
    }
    if before.iter().any(|known| known.id == *id) {
        return Err(format!("the CLI `{id}` appears a second time"));
    }
    let method = method.parse().map_err(|_: String| format!("`{id}` has an unknown detection method"))?;
    let status = status.parse().map_err(|_: String| format!("`{id}` has an unknown status"))?;
    if !is_inside(dir) {
        return Err(format!("the skills directory of `{id}` is not a path inside the project"));
    }
    let version = Some(version.clone()).filter(|version| !matches!(version.as_str(), "null" | "-" | ""));
    Ok(CliRow { id: id.clone(), method, skills_dir: dir.clone(), version, status })
}

fn skill(row: &[String], before: &[SkillRow]) -> Result<SkillRow, String> {
    let [name, clis, created, modified] = row else { return Err("not a skill row".into()) };
    let name = Name::parse(name).map_err(|_| "an invalid skill name (T0-HEFESTO-07)".to_owned())?;
    if before.iter().any(|known| known.name == name) {
        return Err(format!("the skill `{name}` appears a second time"));
    }
    let mut ids: Vec<String> = clis.split(',').map(|id| id.trim().to_owned()).collect();
    let named = ids.len();
    in_table_order(&mut ids);
    if ids.len() != named || !ids.iter().all(|id| is_cli_id(id)) {
        return Err(format!("the CLIs of `{name}` are not a list of ids, each once"));
    }
    if row::instant(created).is_none() || row::instant(modified).is_none() {
        return Err(format!("a time of `{name}` is not RFC 3339"));
    }
    if row::after(created, modified) {
        return Err(format!("`{name}` was modified before it was created"));
    }
    Ok(SkillRow { name, clis: ids, created: created.clone(), modified: modified.clone() })
}

/// Whether a path is relative and stays below the project root.
fn is_inside(path: &str) -> bool {
    !path.contains(['\\', '\0', ':']) && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

/// Escapes a text for a cell: markup is escaped, control characters are written as numbers.
pub(super) fn escape(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
    for (at, c) in text.char_indices() {
        match c {
            '|' | '`' | '<' | '\\' | '&' => cell.extend(['\\', c]),
            c if c.is_control() || (c.is_whitespace() && (at == 0 || at == last)) => {
                cell.push_str(&format!("&#{};", u32::from(c)));
            }
            c => cell.push(c),
        }
    }
    cell
}

fn unescape(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut rest = cell;
    while let Some(c) = rest.chars().next() {
        let tail = rest.get(c.len_utf8()..).unwrap_or_default();
        let next = tail.chars().next();
        if let ('\\', Some(escaped)) = (c, next.filter(char::is_ascii_punctuation)) {
            text.push(escaped);
            rest = tail.get(1..).unwrap_or_default();
        } else if let Some((number, behind)) = rest.strip_prefix("&#").and_then(|number| number.split_once(';'))
            && let Some(named) = number.parse().ok().and_then(char::from_u32)
        {
            text.push(named);
            rest = behind;
        } else {
            text.push(c);
            rest = tail;
        }
    }
    text
}

/// Cuts a table row at its unescaped bars. `None` when it does not begin and end with one.
fn cells(row: &str) -> Option<Vec<&str>> {
    let inner = row.trim_matches([' ', '\t', '\r', '\n']).strip_prefix('|')?;
    let mut cells = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, b) in inner.bytes().enumerate() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'|' => {
                cells.push(inner.get(start..at)?.trim_matches([' ', '\t']));
                start = at + 1;
            }
            _ => {}
        }
    }
    (start == inner.len()).then_some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_text(text: &str) -> Tables {
        let lines: Vec<Line<'_>> =
            text.split_inclusive('\n').enumerate().map(|(at, raw)| Line { no: at + 1, raw }).collect();
        read(&lines, 1)
    }

    const CLI_HEAD: &str = "## Detected CLIs\n| CLI | Detection Method | Skills Directory | Version | Status |\n| :-- | --- | --- | --- | --: |\n";
    const SKILL_HEAD: &str = "## Skill Registry\n|Skill Name|CLIs|Created|Last Modified|\n|---|---|---|---|\n";
    const CLAUDE: &str = "| claude | PATH | .claude/skills | 2.0.1 | active |\n";
    const TIMES: &str = "2026-02-04T10:00:00Z | 2026-02-04T10:00:00Z |\n";

    #[test]
    fn good_rows_are_read() {
        let tables = read_text(&format!("{CLI_HEAD}{CLAUDE}{SKILL_HEAD}| a | claude | {TIMES}"));
        assert_eq!(tables.problems, []);
        assert_eq!(tables.clis[0].version.as_deref(), Some("2.0.1"));
        assert_eq!(tables.skills[0].clis, ["claude"]);
    }

    #[test]
    fn each_bad_row_is_named_by_its_line_and_the_good_ones_stay() {
        let bad = [
            format!("| Invalid_Skill | claude | {TIMES}"),
            format!("| b | nope | {TIMES}"),
            format!("| a | claude | {TIMES}"),
            "| c | claude | 2026-02-04T10:00:00Z | 2026-02-03T10:00:00Z |\n".to_owned(),
            "| d | claude | today | 2026-02-03T10:00:00Z |\n".to_owned(),
            "| e | claude |\n".to_owned(),
            format!("| f | claude,claude | {TIMES}"),
        ];
        let tables = read_text(&format!("{CLI_HEAD}{CLAUDE}{SKILL_HEAD}| a | claude | {TIMES}{}", bad.concat()));
        let mut lines: Vec<usize> = tables.problems.iter().map(|problem| problem.line).collect();
        lines.sort_unstable();
        assert_eq!(lines, [9, 10, 11, 12, 13, 14, 15]);
        assert_eq!(tables.skills.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn unknown_columns_methods_and_directories_are_refused() {
        assert_eq!(read_text(&format!("{CLI_HEAD}{CLAUDE}")).problems.len(), 1);
        let wide = CLI_HEAD.replace("| Status", "| Status | More");
        assert!(!read_text(&format!("{wide}{CLAUDE}{SKILL_HEAD}")).problems.is_empty());
        for row in [
            "guess | .x/skills | null | active",
            "PATH | ../x | null | active",
            "PATH | /x | null | active",
            "PATH | .x | null | on",
        ] {
            let tables = read_text(&format!("{CLI_HEAD}| x | {row} |\n{SKILL_HEAD}"));
            assert_eq!((tables.problems.len(), tables.clis.len()), (1, 0), "{row}");
        }
    }

    #[test]
    fn bars_backticks_and_markers_lose_their_meaning() {
        assert_eq!(escape("a|b`<!-- x\n"), "a\\|b\\`\\<!-- x&#10;");
        assert_eq!(cells("| a\\|b | c |"), Some(vec!["a\\|b", "c"]));
        assert_eq!(cells("| a | b"), None);
        assert_eq!(cells("| a \\|"), None);
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in any::<String>(), other in "[ |\\\\&#0-9;`<\n\t]{0,12}") {
            let row = format!("| {} | {} |\r\n", escape(&text), escape(&other));
            prop_assert_eq!(row.matches('\n').count(), 1);
            let cut: Vec<String> = cells(&row).unwrap().into_iter().map(unescape).collect();
            prop_assert_eq!(cut, [text, other]);
        }
    }
}
