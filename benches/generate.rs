//! How long the pure work of P1 to P3 takes for the sentences of fixtures/sentences: `cargo bench --bench generate`.
//! Warm is one process that does all; cold is a process for each sentence, its first. Timings decide nothing.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench may stop, and prints")]

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use hefesto::client::target::Arguments;
use hefesto::rules::input::{Field, refuse};
use hefesto::rules::{self, Subject};
use hefesto::skill::Tree;
use hefesto::skill::sentence::read;
use hefesto::skill::template::{Values, built_in};

/// What a process that does one sentence reads first.
const ONE: &str = "--one";

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == ONE) {
        let [understood, made] = once(&args[at + 1]);
        println!("{} {}", understood.as_nanos(), made.as_nanos());
        return;
    }
    // `cargo bench` says so; everybody else only sees that it runs.
    let rounds = if args.iter().any(|arg| arg == "--bench") { 50 } else { 1 };
    let sentences = sentences();
    println!("{:<44}{:>12}{:>12}", format!("{} sentences", sentences.len()), "p50", "p95");
    let mut cold = [Vec::new(), Vec::new()];
    for sentence in sentences.iter().take(if rounds > 1 { usize::MAX } else { 1 }) {
        let one = Command::new(std::env::current_exe().unwrap()).args([ONE, sentence]).output().unwrap();
        let times = String::from_utf8(one.stdout).unwrap();
        for (times, nanos) in cold.iter_mut().zip(times.split_whitespace()) {
            times.push(Duration::from_nanos(nanos.parse().unwrap()));
        }
    }
    let mut warm = [Vec::new(), Vec::new()];
    once(&sentences[0]);
    for _ in 0..rounds {
        for sentence in &sentences {
            for (times, time) in warm.iter_mut().zip(once(sentence)) {
                times.push(time);
            }
        }
    }
    for (how, [understood, made]) in [("cold", cold), ("warm", warm)] {
        print(&format!("{how}: understand a sentence"), understood);
        print(&format!("{how}: P1 to P3, from sentence to valid skill"), made);
    }
}

/// How long it takes to understand a sentence, and to come from it to a skill that the rules let pass.
fn once(sentence: &str) -> [Duration; 2] {
    let start = Instant::now();
    assert!(refuse(sentence, Field::Description).is_none());
    let before = Instant::now();
    let understood = read(sentence);
    let understanding = before.elapsed();
    let name = understood.name.as_ref().unwrap().to_string();
    let values = Values::new(&name, sentence, &understood, &[], "2026-02-05");
    let text = built_in("base").unwrap().render(&values, Arguments::Dollar).unwrap();
    let mut tree = Tree::new();
    tree.put("SKILL.md", text);
    let subject = Subject { directory: &name, prefix: &name, tree: &tree, target: None };
    black_box(rules::check(&subject));
    [understanding, start.elapsed()]
}

fn sentences() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sentences/prompts.toml");
    let given: toml::Table = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let list = given["skill"].as_array().unwrap();
    list.iter().map(|one| one["sentence"].as_str().unwrap().to_owned()).collect()
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |hundredths: usize| times[(times.len() - 1) * hundredths / 100];
    println!("{what:<44}{:>12}{:>12}", format!("{:.1?}", at(50)), format!("{:.1?}", at(95)));
}
