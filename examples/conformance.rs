//! Runs validators over the conformance suite and prints who is right: `conformance [--validator 'COMMAND {}']…`.

#![allow(dead_code, reason = "the runner reads less of a case than the test")]

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;
use hefesto::rules::finding::Severity;
use hefesto::rules::{self, Policy, Profile, Subject};
use hefesto::transaction::survey;

#[path = "../tests/it/support/conformance.rs"]
mod suite;

use suite::{Case, Verdict};

/// Runs validators over the conformance suite.
#[derive(Parser)]
struct Arguments {
    /// A command with `{}` for the skill's folder; 0 is valid, 1 is invalid. Without one: hefesto's library
    #[arg(long = "validator", value_name = "COMMAND")]
    validators: Vec<String>,
    /// Where the suite is
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/conformance"))]
    suite: PathBuf,
    /// Seconds a validator may take for one skill
    #[arg(long, default_value_t = 10)]
    timeout: u64,
    /// Only the cases whose id contains this
    #[arg(long, default_value = "")]
    only: String,
    /// List only the cases that some validator has wrong
    #[arg(long)]
    wrong: bool,
}

/// What a validator did with a case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Said(Verdict),
    Crashed,
    Hung,
}

impl Outcome {
    fn word(self, case: &Case) -> &'static str {
        match self {
            Self::Said(verdict) if verdict == case.verdict => "ok",
            Self::Said(_) if case.decided => "WRONG",
            Self::Said(_) => "other",
            Self::Crashed => "crash",
            Self::Hung => "hang",
        }
    }
}

fn main() -> io::Result<ExitCode> {
    let arguments = Arguments::parse();
    let limit = Duration::from_secs(arguments.timeout);
    let mut screen = io::stdout().lock();
    let names =
        if arguments.validators.is_empty() { vec!["the library".to_owned()] } else { arguments.validators.clone() };
    for (number, name) in names.iter().enumerate() {
        writeln!(screen, "[{}] {name}", number + 1)?;
    }
    let cases: Vec<Case> =
        suite::all(&arguments.suite)?.into_iter().filter(|case| case.id.contains(&arguments.only)).collect();
    let mut counts: Vec<BTreeMap<&str, usize>> = vec![BTreeMap::new(); names.len()];
    let mut clauses: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let filled = tempfile::tempdir()?;
    for case in &cases {
        let skill = case.laid(filled.path())?;
        let outcomes: Vec<Outcome> = if arguments.validators.is_empty() {
            vec![Outcome::Said(library(&skill)?)]
        } else {
            arguments.validators.iter().map(|command| run(command, &skill, limit)).collect::<io::Result<_>>()?
        };
        let words: Vec<&str> = outcomes.iter().map(|outcome| outcome.word(case)).collect();
        let clause = case.clause.split([':', ';']).next().unwrap_or_default().to_owned();
        let wrong = clauses.entry(clause).or_insert_with(|| vec![0; names.len() + 1]);
        for (at, word) in words.iter().enumerate() {
            if let Some(count) = counts.get_mut(at) {
                *count.entry(word).or_default() += 1;
            }
            if let Some(count) = wrong.get_mut(at).filter(|_| !matches!(*word, "ok" | "other")) {
                *count += 1;
            }
        }
        if let Some(all) = wrong.last_mut() {
            *all += 1;
        }
        if !arguments.wrong || words.iter().any(|word| !matches!(*word, "ok" | "other")) {
            let line: String = words.iter().map(|word| format!("{word:<7}")).collect();
            writeln!(screen, "{line}{:<45} {}", case.id, case.about)?;
        }
    }
    let decided = cases.iter().filter(|case| case.decided).count();
    writeln!(screen, "\n{} cases, {decided} decided", cases.len())?;
    let mut clean = true;
    for (number, count) in counts.iter().enumerate() {
        let of = |word| count.get(word).copied().unwrap_or(0);
        clean &= of("WRONG") + of("crash") + of("hang") == 0;
        writeln!(
            screen,
            "[{}] ok {}, WRONG {}, other {}, crash {}, hang {}",
            number + 1,
            of("ok"),
            of("WRONG"),
            of("other"),
            of("crash"),
            of("hang")
        )?;
    }
    writeln!(screen, "\nwrong by clause, for each validator, and the cases:")?;
    for (clause, wrong) in clauses {
        let line: String = wrong.iter().map(|count| format!("{count:>5}")).collect();
        writeln!(screen, "{line}  {clause}")?;
    }
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What hefesto's library says under the specification's own text.
fn library(skill: &Path) -> io::Result<Verdict> {
    let lost = || io::Error::other(format!("{} is no folder", skill.display()));
    let directory = skill.file_name().and_then(|name| name.to_str()).ok_or_else(lost)?;
    // What cannot be read as a folder of files is no skill, whatever is in it.
    let Ok(there) = survey(skill.parent().ok_or_else(lost)?, directory) else { return Ok(Verdict::Invalid) };
    let (tree, left_out) = there.ok_or_else(lost)?;
    let subject = Subject { directory, prefix: "", tree: &tree, target: None };
    let left_out = left_out.iter().map(|one| (one.path.as_str(), one.why.as_str()));
    let found = rules::check_folder(&subject, left_out, &Policy { profile: Profile::Spec, ..Policy::default() });
    let refused = found.findings.iter().any(|finding| finding.severity == Severity::Error);
    Ok(if refused { Verdict::Invalid } else { Verdict::Valid })
}

/// Runs a command on a folder and reads its exit; a stack trace is a crash, whatever the exit.
fn run(command: &str, skill: &Path, limit: Duration) -> io::Result<Outcome> {
    let words = shell_words::split(command).map_err(io::Error::other)?;
    let mut words = words.into_iter().map(|word| word.replace("{}", &skill.display().to_string()));
    let program = words.next().ok_or_else(|| io::Error::other("a validator is a command"))?;
    let mut said = tempfile::tempfile()?; // a pipe that nobody reads would stop the command
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said.try_clone()?)
        .spawn()?;
    let begun = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if begun.elapsed() > limit => {
                child.kill()?;
                child.wait()?;
                return Ok(Outcome::Hung);
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let mut text = Vec::new();
    said.rewind()?;
    said.read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let trace =
        ["Traceback (most recent call last)", "panicked at", "\n    at "].iter().any(|mark| text.contains(mark));
    Ok(match status.code() {
        Some(0) if !trace => Outcome::Said(Verdict::Valid),
        Some(1) if !trace => Outcome::Said(Verdict::Invalid),
        _ => Outcome::Crashed,
    })
}
