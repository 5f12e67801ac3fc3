//! Runs every console block of the README, and of docs/memory.md, each in one project and compares what is said, letter
//! by letter.
//!
//! `$ hefesto …` runs the program in-process, `$ echo $?` shows its exit. What the README shows behind a prompt is what
//! is answered. A line `[…]` stands for lines left out. `HEFESTO_UPDATE=1 cargo test --test it readme::` writes the blocks
//! anew, with as many lines before and after a `[…]` as there were.

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use clap::Parser;
use hefesto::cli::Cli;
use hefesto::system::env::Env;
use hefesto::terminal::prompt::Scripted;

use crate::support::world::{Caught, World};

const LEFT_OUT: &str = "[…]";
const HERE: &str = "/home/you/project";

/// A project, a home and a PATH with two AI CLIs in it, all made up.
struct Place {
    world: World,
    runs: u64,
    exit: u8,
}

impl Place {
    fn new() -> Self {
        Self { world: World::bare(&["claude", "gemini"]), runs: 0, exit: 0 }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.world.outside().canonicalize().unwrap().join(name)
    }

    fn run(&mut self, command: &str, shown: &[&str]) -> Vec<String> {
        if command == "echo $?" {
            return vec![self.exit.to_string()];
        }
        let words = shell_words::split(command).unwrap();
        assert_eq!(words.first().map(String::as_str), Some("hefesto"), "only hefesto is run: {command}");
        let mut args = vec!["hefesto".into(), "-C".into(), ".".into()];
        args.extend(words.into_iter().skip(1).map(Into::into));
        let screen = Caught::default();
        let (home, bin) = (self.path("home"), self.path("bin"));
        let vars =
            [("HOME", home.to_str().unwrap()), ("PATH", bin.to_str().unwrap()), ("LANG", "C.UTF-8"), ("COLUMNS", "80")];
        let mut env = Env::made(self.path("project"), &vars, jiff::Timestamp::UNIX_EPOCH);
        let minutes = i64::try_from(self.runs).unwrap();
        self.runs += 1;
        env.clock = jiff::Timestamp::from_second(1_770_285_600 + 60 * minutes).ok();
        env.counted = Some(self.runs * 100);
        env.set_streams(Box::new(screen.clone()), Box::new(screen.clone()));
        let (mut answers, from) = UnixStream::pair().unwrap();
        for (_, said) in shown.iter().filter_map(|line| prompt(line)) {
            writeln!(answers, "{said}").unwrap();
        }
        drop(answers);
        env.prompter = Box::new(Scripted::receiving(std::os::fd::OwnedFd::from(from)));
        self.exit = hefesto::run(args, &mut env).number();
        let said = screen.text().replace(self.path("project").to_str().unwrap(), HERE);
        said.lines().map(|line| steady(line.trim_end())).collect()
    }
}

/// `Write this? [approve/…] (120 s) > reject` in two: before and after the sign.
fn prompt(line: &str) -> Option<(&str, &str)> {
    let at = line.find(" s) >")?;
    Some((&line[..at], line[at + " s) >".len()..].trim()))
}

/// The seconds left at a prompt are the machine's, not the program's.
fn steady(line: &str) -> String {
    match prompt(line) {
        Some((question, said)) => {
            let question = question.trim_end_matches(|c: char| c.is_ascii_digit());
            format!("{question}120 s) > {said}").trim_end().to_owned()
        }
        None => line.to_owned(),
    }
}

/// What was said, with the lines left out that the README leaves out.
fn as_shown(shown: &[&str], said: &[String]) -> Vec<String> {
    let Some(at) = shown.iter().position(|line| *line == LEFT_OUT) else { return said.to_vec() };
    let after = shown.len() - at - 1;
    if said.len() < at + after {
        return said.to_vec();
    }
    let mut lines = said[..at].to_vec();
    lines.push(LEFT_OUT.into());
    lines.extend_from_slice(&said[said.len() - after..]);
    lines
}

#[test]
fn the_readme_is_true() {
    is_true("README.md");
}

#[test]
fn the_guide_to_the_memory_is_true() {
    is_true("docs/memory.md");
}

fn is_true(document: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
    let there = fs::read_to_string(&file).unwrap();
    let mut place = Place::new();
    let mut anew: Vec<String> = Vec::new();
    let mut lines = there.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        anew.push(line.into());
        inside = if inside { line != "```" } else { line == "```console" };
        let Some(command) = line.strip_prefix("$ ").filter(|_| inside) else { continue };
        let mut shown = Vec::new();
        while let Some(line) = lines.next_if(|line| *line != "```" && !line.starts_with("$ ")) {
            shown.push(line);
        }
        // An empty line between two commands is the README's.
        let gap = lines.peek().is_some_and(|line| *line != "```") && shown.last() == Some(&"");
        if gap {
            shown.pop();
        }
        let said = place.run(command, &shown);
        anew.extend(as_shown(&shown, &said));
        if gap {
            anew.push(String::new());
        }
    }
    let anew = anew.join("\n") + "\n";
    if std::env::var_os("HEFESTO_UPDATE").is_some() {
        fs::write(&file, &anew).unwrap();
    } else if there != anew {
        let mut pairs = there.lines().zip(anew.lines()).enumerate();
        let (number, (shown, said)) = pairs.find(|(_, (shown, said))| shown != said).unwrap_or_default();
        panic!(
            "{document}:{}: it shows\n  {shown}\nand hefesto says\n  {said}\n\
             If that is wanted: HEFESTO_UPDATE=1 cargo test --test it readme::",
            number + 1
        );
    }
    assert!(place.runs >= 5, "{document} shows hefesto at work");
}

#[test]
fn every_command_line_in_the_readme_is_one() {
    let there = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let mut seen = 0;
    let blocks = there.split("\n```sh\n").skip(1).flat_map(|rest| rest.split("\n```").next());
    for line in blocks.flat_map(str::lines) {
        let line = line.strip_prefix("hefesto ").unwrap_or_else(|| panic!("not a command line of hefesto: {line}"));
        let words = shell_words::split(line).unwrap();
        let parsed = Cli::try_parse_from(std::iter::once("hefesto".to_owned()).chain(words));
        assert!(parsed.is_ok(), "hefesto {line}: {}", parsed.err().map(|e| e.to_string()).unwrap_or_default());
        seen += 1;
    }
    assert!(seen > 3);
}

#[test]
fn the_first_block_makes_a_skill_and_runs_the_tests() {
    let there = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let block: Vec<&str> =
        there.lines().skip_while(|line| *line != "```").skip(1).take_while(|line| *line != "```").collect();
    let [create, test] = block[..] else { panic!("the first block is {block:?}") };
    assert_eq!(test, "cargo test");
    let words = shell_words::split(create).unwrap();
    let at = words.iter().position(|word| word == "--").unwrap();
    let args = ["hefesto", "-C", "."].into_iter().map(str::to_owned).chain(words[at + 3..].iter().cloned());
    let mut place = Place::new();
    let line = shell_words::join(args.skip(3));
    place.run(&format!("hefesto {line}"), &[]);
    assert_eq!(place.exit, 0);
    for cli in [".claude", ".gemini"] {
        assert!(place.path("project").join(cli).join("skills/validate-email-addresses/SKILL.md").is_file());
    }
}
