//! A pager for answers longer than the screen, only on a terminal.

#![expect(clippy::disallowed_methods, reason = "access to the pager")]

use std::io::Write;
use std::path::MAIN_SEPARATOR;
use std::process::{Command, Stdio};

use crate::system::os::places::PAGER;
use crate::system::search_path::SearchPath;

/// Shows a text in a pager and waits until it exits. `false`: none could be started and nothing was shown.
pub fn page(text: &str, command: Option<&str>, search: &SearchPath) -> bool {
    let Ok(words) = shell_words::split(&command.unwrap_or(PAGER).replace(MAIN_SEPARATOR, "/")) else { return false };
    let Some((program, arguments)) = words.split_first() else { return false };
    let Some(program) = search.find(program) else { return false };
    let child = Command::new(program).args(arguments).env("PATH", search.value()).stdin(Stdio::piped()).spawn();
    let Ok(mut child) = child else { return false };
    if let Some(mut input) = child.stdin.take() {
        let _left_early = input.write_all(text.as_bytes());
    }
    let _gone = child.wait();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_that_is_none_shows_nothing() {
        let search = SearchPath::new(Some("/usr/bin:/bin".as_ref()), None, &[]);
        for none in ["/nowhere/pager", "", "'unclosed", "./true", "usr/bin/true"] {
            assert!(!page("text", Some(none), &search), "{none}");
        }
        assert!(page("text", Some("true --whatever"), &search));
    }
}
