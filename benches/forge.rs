//! How long the parts of a forging take, printed: `cargo bench --bench forge`. Timings decide nothing.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench may stop, and prints")]

use std::fs;
use std::hint::black_box;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hefesto::client::target::Arguments;
use hefesto::memory::ring::Phase;
use hefesto::memory::{Memory, NewRun};
use hefesto::rules::{self, Subject};
use hefesto::skill::Tree;
use hefesto::skill::ranking::rank;
use hefesto::skill::sentence::read;
use hefesto::skill::template::{Values, built_in};
use hefesto::system::env::Env;

const SENTENCES: &[&str] = &[
    "Validate email addresses using regex patterns",
    "Review pull requests for security problems and missing tests",
    "Generate a changelog from conventional commits",
];
const AT: jiff::Timestamp = jiff::Timestamp::constant(1_770_285_600, 0); // 2026-02-05T10:00:00Z

fn main() {
    // `cargo bench` says so; everybody else only sees that it runs.
    let rounds = if std::env::args().any(|arg| arg == "--bench") { 200 } else { 1 };
    let dir = tempfile::tempdir().unwrap();
    println!("{:<56}{:>12}{:>12}", format!("{rounds} rounds"), "median", "worst");
    ring(rounds, dir.path());
    writing(rounds);
    checking(rounds);
    choosing(rounds);
    forging(rounds.min(30), dir.path());
    many(rounds.min(5), dir.path());
    keeping(rounds.min(20), dir.path());
}

/// How many processes wanted a processor in the last minute, where the system says so.
fn load() -> String {
    let loads = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    loads.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}

/// What a collection of skills takes: reading the frontmatter, all layers, and the other validators found on PATH.
fn many(rounds: usize, dir: &Path) {
    let count = if rounds > 1 { 1000 } else { 10 };
    let root = dir.join("skills");
    let mut trees = Vec::new();
    for number in 0..count {
        let (_, text) = rendered(SENTENCES[number % SENTENCES.len()]);
        let name = format!("skill-{number}");
        let named =
            text.lines().map(|line| if line.starts_with("name:") { format!("name: {name}") } else { line.into() });
        let text = named.collect::<Vec<String>>().join("\n");
        fs::create_dir_all(root.join(&name)).unwrap();
        fs::write(root.join(&name).join("SKILL.md"), &text).unwrap();
        let mut tree = Tree::new();
        tree.put("SKILL.md", text);
        trees.push((name, tree));
    }
    measure(&format!("rules: read the frontmatter of {count} skills"), rounds, || {
        for (_, tree) in &trees {
            black_box(hefesto::skill::frontmatter::read(&tree.get("SKILL.md").unwrap().bytes).unwrap());
        }
    });
    measure(&format!("rules: check {count} skills, all layers"), rounds, || {
        for (name, tree) in &trees {
            black_box(rules::check(&Subject { directory: name, prefix: name, tree, target: None }));
        }
    });
    let paths: Vec<String> = trees.iter().map(|(name, _)| root.join(name).display().to_string()).collect();
    beside(rounds, &root, &paths);
    beside(rounds, &root, &paths[..1]);
}

/// A validator and what its runs came to.
struct Racer {
    program: &'static str,
    arguments: &'static [&'static str],
    path: PathBuf,
    times: Vec<Duration>,
    ended: Option<i32>,
}

/// The same skills, all of them valid for everybody, through hefesto and the other validators found on PATH, one after
/// the other in each round, so that whatever else the machine does falls on all of them alike.
fn beside(rounds: usize, root: &Path, paths: &[String]) {
    let own = Some(PathBuf::from(env!("CARGO_BIN_EXE_hefesto")));
    let count = paths.len();
    let skills = if count == 1 { "a skill".to_owned() } else { format!("{count} skills") };
    println!("{skills} in one process, load average {}", load());
    let mut racers: Vec<Racer> = Vec::new();
    for (program, arguments, path) in [
        ("hefesto, the specification", &["validate", "--profile", "spec", "-"][..], own.clone()),
        ("hefesto, all layers", &["validate", "-"], own),
        ("agent-skills", &["validate", "-"], on_path("agent-skills")),
        ("skilo", &["lint", "."], on_path("skilo").filter(|_| count > 1)),
        ("agnix", &["."], on_path("agnix").filter(|_| count > 1)),
    ] {
        match path {
            Some(path) => racers.push(Racer { program, arguments, path, times: Vec::new(), ended: None }),
            None => println!("  {program:<54}{:>24}", "skipped"),
        }
    }
    let input = paths.join("\n") + "\n";
    for _ in 0..rounds {
        for racer in &mut racers {
            let start = Instant::now();
            let mut child = Command::new(&racer.path)
                .args(racer.arguments)
                .current_dir(root)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // One that reads no list closes its input early.
            let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
            racer.ended = child.wait().unwrap().code();
            racer.times.push(start.elapsed());
        }
    }
    for Racer { program, times, ended, .. } in racers {
        print_times(&format!("  {program}"), times);
        // The skills are valid: whoever says otherwise did other work.
        if ended != Some(0) {
            println!("    {program} ended with {ended:?}: not to be compared");
        }
    }
}

/// A program, where PATH names it.
fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|path| path.is_file())
}

/// The ring through SQLite: each operation is a transaction on a file.
fn ring(rounds: usize, dir: &Path) {
    let mut memory = Memory::open(&dir.join("memory.db"), 0).unwrap();
    let run = "01kgpkx3800000000000000001";
    memory.begin(NewRun { id: run, command: "create", at: AT, lane: 0, asked: None, who: None }).unwrap();
    let data = format!("{{\"text\":\"{}\"}}", "x".repeat(3000));
    let mut phases = Phase::ALL.iter().copied().cycle();
    measure("ring: push a state of 3 KB", rounds, || {
        memory.push_state(0, run, phases.next().unwrap(), &data, AT).unwrap();
    });
    memory.push_state(0, run, Phase::Preflight, &data, AT).unwrap();
    measure("ring: get a state, verified", rounds, || {
        black_box(memory.get_state(0, run, Phase::Preflight).unwrap());
    });
    measure("ring: roll back to P0", rounds, || {
        black_box(memory.rollback_to(0, run, Phase::Preflight).unwrap());
    });
}

fn rendered(sentence: &str) -> (String, String) {
    let understood = read(sentence);
    let name = understood.name.as_ref().unwrap().to_string();
    let values = Values::new(&name, sentence, &understood, &[], "2026-02-05");
    let text = built_in("base").unwrap().render(&values, Arguments::Dollar).unwrap();
    (name, text)
}

fn writing(rounds: usize) {
    let mut sentences = SENTENCES.iter().cycle();
    measure("skill: understand and render a sentence", rounds, || {
        black_box(rendered(sentences.next().unwrap()));
    });
}

/// Sixty skills against one prompt.
fn choosing(rounds: usize) {
    let skills: Vec<(String, String)> = (0..60)
        .map(|i| {
            let sentence = SENTENCES[i % SENTENCES.len()];
            (format!("skill-{i}"), Values::new("skill", sentence, &read(sentence), &[], "2026-02-05").description)
        })
        .collect();
    let skills: Vec<(&str, &str)> = skills.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    measure("rank: a prompt among 60 skills", rounds, || {
        black_box(rank("look over my pull request before I merge it", &skills));
    });
}

fn checking(rounds: usize) {
    let (name, text) = rendered(SENTENCES[0]);
    let mut tree = Tree::new();
    tree.put("SKILL.md", text);
    measure("rules: check a skill", rounds, || {
        black_box(rules::check(&Subject { directory: &name, prefix: &name, tree: &tree, target: None }));
    });
    let mut large = Tree::new();
    let body = "Check every address against the written rule, and say which part of it failed.\n".repeat(2000);
    large.put("SKILL.md", format!("{}\n{body}", tree.text("SKILL.md").unwrap()));
    measure("rules: check a skill of 160 KB", rounds.div_ceil(10), || {
        black_box(rules::check(&Subject { directory: &name, prefix: &name, tree: &large, target: None }));
    });
}

/// The whole program in-process: a new project, two targets, approved by flag.
fn forging(rounds: usize, dir: &Path) {
    let mut round = 0;
    measure("create: a new project, two targets, --yes", rounds, || {
        round += 1;
        let project = dir.join(format!("project-{round}"));
        fs::create_dir(&project).unwrap();
        runs(&project, &["create", SENTENCES[0], "--target", "claude,gemini", "--yes"]);
    });
}

/// The program in-process.
fn runs(project: &Path, args: &[&str]) {
    let mut env = Env::made(project.to_owned(), &[("HOME", "/nonexistent"), ("PATH", "")], AT);
    env.set_streams(Box::new(io::sink()), Box::new(io::sink()));
    let args = ["hefesto", "-C", "."].into_iter().chain(args.iter().copied());
    assert_eq!(hefesto::run(args.map(Into::into), &mut env).number(), 0);
}

/// What has become of many copies, all of them as they were installed.
fn keeping(rounds: usize, dir: &Path) {
    let count = if rounds > 1 { 1000 } else { 10 };
    let (project, others) = (dir.join("kept"), dir.join("others"));
    fs::create_dir(&project).unwrap();
    for number in 0..count {
        let (name, text) = rendered(SENTENCES[number % SENTENCES.len()]);
        let folder = others.join(format!("skill-{number}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), text.replace(&name, &format!("skill-{number}"))).unwrap();
    }
    runs(&project, &["init", "--target", "claude,gemini,codex", "--yes"]);
    runs(&project, &["adopt", "../others", "--target", "claude,gemini,codex", "--yes"]);
    measure(&format!("status: {count} skills of three clients"), rounds, || runs(&project, &["status", "--check"]));
}

fn measure(what: &str, rounds: usize, mut work: impl FnMut()) {
    let times = (0..rounds).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    print_times(what, times.collect());
}

fn print_times(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    println!("{what:<56}{:>12}{:>12}", format!("{median:.1?}"), format!("{worst:.1?}"));
}
