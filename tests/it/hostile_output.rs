//! What a foreign project says never steers the terminal: names, cells, settings, journals and bodies that hold control
//! sequences are spelled out by every command that prints them.
#![cfg(target_os = "linux")]

use crate::support::{pty, world};

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use pty::Pty;
use tempfile::TempDir;

/// A title, a colour, a clipboard write, C1 sequences, a carriage return, a direction mark and a tag character.
const BAD: &str = "x\u{1b}]0;T\u{7}\u{1b}[31mR\u{1b}]52;c;eA==\u{7}\u{9b}2J\u{90}q\u{85}\r\u{7f}\u{202e}\u{e0041}";
/// The same as a name of a file or folder may hold it.
const NAME: &str = "x\u{1b}]0;T\u{7}\u{9b}2J\r\u{202e}y";

/// What the program itself may have a terminal do.
const OWN: [&str; 9] =
    ["\r\n", "\x1b[32m", "\x1b[31m\x1b[1m", "\x1b[33m", "\x1b[34m", "\x1b[36m\x1b[1m", "\x1b[2m", "\x1b[1m", "\x1b[0m"];

fn hefesto(root: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hefesto"));
    command.args(arguments).current_dir(root).env_clear();
    command.env("HOME", root.join("home")).env("PATH", "/usr/bin:/bin").env("LANG", "C.UTF-8");
    command.output().unwrap()
}

/// A project whose every text is an attack.
fn hostile() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::create_dir_all(root.join("home")).unwrap();
    assert!(hefesto(root, &["init", "--target", "claude,gemini", "--yes"]).status.success());
    let made = ["create", "Validate email addresses", "--name", "mails", "--yes"];
    assert!(hefesto(root, &made).status.success());
    let write = |at: &str, text: &str| world::write(&root.join(at), text);
    let memory = fs::read_to_string(root.join("MEMORY.md")).unwrap();
    let cell = "&#27;]0;T&#7;&#x9b;2J&#13;&#x202e;";
    let memory = memory.replace("mails", &format!("mails{cell}")).replace("claude", &format!("claude{cell}"));
    write("MEMORY.md", &memory);
    let head = format!("---\nname: bad\ndescription: \"Formats {}. Use when asked.\"\n---\n", BAD.escape_unicode());
    let yaml =
        "---\nname: bad\ndescription: \"F \\e]0;T\\a \\x9b2J. Use when asked.\"\nmetadata:\n  k: \"\\e[31m\"\n---\n";
    for client in ["claude", "gemini"] {
        write(&format!(".{client}/skills/bad/SKILL.md"), &format!("{yaml}# {BAD}\n\n[{BAD}]({BAD}.md)\n"));
        write(&format!(".{client}/skills/bad/scripts/{NAME}.sh"), BAD);
        write(&format!(".{client}/skills/{NAME}/SKILL.md"), &format!("{head}{BAD}\n"));
        write(&format!(".{client}/skills/broken/SKILL.md"), &format!("---\nname: [{BAD}\n---\n{BAD}\n"));
    }
    write(&format!(".hefesto/txn/{NAME}.json"), BAD);
    write(&format!(".hefesto/backups/{NAME}.tar.gz"), BAD);
    write(&format!(".hefesto/templates/{NAME}.md"), &format!("{BAD} {{{{NOPE}}}}"));
    write(".hefesto/templates/bad.md", &format!("{BAD} {{{{{BAD}}}}}"));
    write(".hefesto/config.toml", "template = \"b\\u001b]0;T\\u0007\\u009b2J\"\n");
    dir
}

/// Every command that prints something of a project and asks nobody.
const COMMANDS: &str = include_str!("../../fixtures/commands/shown.txt");

#[test]
fn no_control_of_a_project_reaches_the_terminal() {
    let dir = hostile();
    let mut spelled = 0;
    for command in COMMANDS.lines() {
        let mut pty = Pty::new();
        let words = shell_words::split(&format!("--no-pager {command}")).unwrap();
        let words: Vec<_> = words.iter().map(|word| word.replace("BAD", BAD).replace("FOLDER", NAME)).collect();
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        pty.hefesto(dir.path(), &arguments, &[]);
        pty.end();
        let seen = pty.seen();
        assert!(!seen.is_empty(), "{command:?} said nothing");
        spelled += usize::from(seen.contains("\\u{") || seen.contains("\\u00"));
        let rest = OWN.iter().fold(seen, |seen, own| seen.replace(own, if *own == "\r\n" { "\n" } else { "" }));
        let raw: Vec<char> = rest
            .chars()
            .filter(|c| c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{202e}' | '\u{e0041}'))
            .collect();
        assert!(raw.is_empty(), "{command:?} shows {raw:?}: {}", rest.escape_debug());
    }
    assert!(spelled > COMMANDS.lines().count() / 2, "only {spelled} commands had anything to spell out");
}

#[test]
fn a_file_receives_a_body_byte_for_byte() {
    let dir = hostile();
    let shown = hefesto(dir.path(), &["show", "bad", "--body-only"]);
    assert!(shown.status.success(), "{shown:?}");
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), format!("# {BAD}\n\n[{BAD}]({BAD}.md)\n"));
    let told = hefesto(dir.path(), &["show", "bad"]);
    assert!(!told.stdout.contains(&0x1b) && !told.stderr.contains(&0x1b));
}
