//! `draft.mode`: whether a person at a terminal is asked about a draft, and storing a permanent answer.

use std::io;
use std::path::PathBuf;

use toml::{Table, Value};

use crate::system::env::Env;
use crate::system::replace;
use crate::system::rooted;

word_enum! {
    #[derive(Default)]
    DraftMode {
        #[default]
        Ask = "ask",
        Always = "always",
        Never = "never",
    }
}

/// The largest file that is changed, in bytes.
const MOST: usize = 1 << 20;

/// Writes the mode into the user's own config.toml, without changing other lines, and returns its path.
/// Errors: when there is no place for such a file or it cannot be read, parsed or written.
pub fn keep(env: &Env, mode: DraftMode) -> io::Result<PathBuf> {
    let directory = env.hefesto_home().ok_or_else(|| io::Error::other("there is no directory for settings"))?;
    let path = directory.join("config.toml");
    let before = match rooted::anywhere(&path).and_then(|at| at.read(MOST)) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let after = with_mode(&before, mode).ok_or_else(|| io::Error::other("its `[draft]` is in another form"))?;
    replace::file(&path, &after)?;
    Ok(path)
}

/// The file with this mode and no other change; `None` if that is impossible by editing lines.
fn with_mode(text: &str, mode: DraftMode) -> Option<String> {
    let line = format!("mode = \"{}\"", mode.word());
    let mut lines: Vec<&str> = text.lines().collect();
    let table = lines.iter().position(|line| line.split('#').next().unwrap_or_default().trim() == "[draft]");
    match table {
        None => lines.extend([(!text.is_empty()).then_some(""), Some("[draft]"), Some(&line)].into_iter().flatten()),
        Some(table) => {
            let end = lines.iter().skip(table + 1).position(|line| line.trim_start().starts_with('['));
            let end = end.map_or(lines.len(), |end| table + 1 + end);
            let is_mode = |line: &&str| line.split_once('=').is_some_and(|(key, _)| key.trim() == "mode");
            match lines.get(table + 1..end)?.iter().position(is_mode) {
                Some(at) => *lines.get_mut(table + 1 + at)? = &line,
                None => lines.insert(table + 1, &line),
            }
        }
    }
    let after = format!("{}\n", lines.join("\n"));
    let mut wanted: Table = toml::from_str(text).ok()?;
    let draft = wanted.entry("draft").or_insert_with(|| Value::Table(Table::new()));
    draft.as_table_mut()?.insert("mode".into(), Value::String(mode.word().into()));
    (toml::from_str::<Table>(&after).ok()? == wanted).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_mode_changes_in_the_file() {
        for (before, after) in [
            ("", "[draft]\nmode = \"never\"\n"),
            ("# mine\nauthor = \"Ana\"\n", "# mine\nauthor = \"Ana\"\n\n[draft]\nmode = \"never\"\n"),
            (
                "[draft] # who\ntimeout = 60\n\n[runs]\nwait_days = 3\n",
                "[draft] # who\nmode = \"never\"\ntimeout = 60\n\n[runs]\nwait_days = 3\n",
            ),
            ("[draft]\ntimeout = 60\nmode = \"ask\" # x\n", "[draft]\ntimeout = 60\nmode = \"never\"\n"),
        ] {
            assert_eq!(with_mode(before, DraftMode::Never).as_deref(), Some(after), "{before}");
        }
        assert_eq!(with_mode("draft = { timeout = 60 }\n", DraftMode::Never), None);
        assert_eq!(with_mode("[draft\n", DraftMode::Never), None);
    }
}
