//! Feeds the frontmatter parser and every rule with mutated skills: `cargo run --release --example fuzz -- SECONDS
//! SEED`.
//!
//! Nothing may panic, and no input of up to 1 MiB may take longer than 50 ms. The input that took longest, and every
//! one over the limit, is named by its seed and made again by `-- 0 SEED`. Nothing is left to chance in `-- pieces`,
//! which repeats each piece to 1 MiB and lists what each took, in `-- lines`, which does so with lines of which none is
//! like another, and in `-- pairs`, which has each two pieces take turns; with a TEXT behind it each of them keeps to
//! the pieces that hold the text.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "it prints what it found, and stops where it cannot go on"
)]

mod pieces;

use std::time::{Duration, Instant};

use hefesto::rules::{self, Subject};
use hefesto::skill::Tree;
use pieces::{LINES, PIECES};
use rustix::time::{ClockId, clock_gettime};

const LIMIT: Duration = Duration::from_millis(50);
const LARGEST: usize = 1024 * 1024;
fn main() {
    let mut args = std::env::args().skip(1).peekable();
    if let Some(mode) = args.next_if(|word| matches!(word.as_str(), "pieces" | "lines" | "pairs")) {
        return every(&mode, &args.next().unwrap_or_default());
    }
    let seconds: u64 = args.next().map_or(1, |text| text.parse().expect("seconds"));
    let seed: u64 = args.next().map_or(1, |text| text.parse().expect("a seed"));
    let until = Instant::now() + Duration::from_secs(seconds);
    let (mut worst, mut slow, mut round) = ((Duration::ZERO, seed), 0_u32, seed);
    try_one("name: a", &mut worst, 0);
    worst.0 = Duration::ZERO;
    if seconds > 0 {
        for piece in PIECES {
            let text = piece.repeat(LARGEST / piece.len() - 1);
            let took = try_one(&text, &mut worst, 0);
            if took > LIMIT {
                slow += 1;
                println!("{took:?} for {piece:?} again and again");
            }
        }
    }
    loop {
        let took = try_one(&made(round), &mut worst, round);
        if took > LIMIT {
            slow += 1;
            println!("{took:?} for seed {round}");
        }
        round += 1;
        if Instant::now() >= until {
            break;
        }
    }
    println!("{} inputs, the slowest {:?} (seed {}), {slow} over {LIMIT:?}", round - seed, worst.0, worst.1);
}

/// Every piece or line again and again, or every two pieces in turns, where the first of them holds a text.
fn every(mode: &str, holding: &str) {
    let mut worst = (Duration::ZERO, 0);
    let (mut tried, mut slow) = (0_u32, 0_u32);
    try_one("name: a", &mut worst, 0);
    let firsts = if mode == "lines" { LINES } else { PIECES };
    for (at, first) in firsts.iter().enumerate().filter(|(_, piece)| piece.contains(holding)) {
        let others = if mode == "pairs" { PIECES.get(at + 1..).unwrap_or_default() } else { &[""] };
        for second in others {
            let unit = format!("{first}{second}");
            let text = if mode == "lines" { numbered(first) } else { unit.repeat(LARGEST / unit.len()) };
            let took = try_one(&text, &mut worst, 0);
            tried += 1;
            slow += u32::from(took > LIMIT);
            if took > LIMIT || mode != "pairs" {
                println!("{:8.1} ms  {unit:?}", took.as_secs_f64() * 1e3);
            }
        }
    }
    println!("{tried} inputs, {slow} over {LIMIT:?}");
}

/// A line again and again, each time with another number.
fn numbered(line: &str) -> String {
    let mut text = String::with_capacity(LARGEST);
    for number in 0.. {
        let next = line.replace("{}", &format!("{number:06}"));
        if text.len() + next.len() > LARGEST {
            break;
        }
        text.push_str(&next);
    }
    text
}

/// A SKILL.md that leads to the other files an input is tried as.
const SMALL: &str =
    "---\nname: a\ndescription: Use when fuzzed.\n---\nRead [x](references/x.md), run `scripts/x.sh`.\n";

/// One input as a whole SKILL.md, as a frontmatter, as a body and as each other kind of file; the time of the slowest
/// of them.
fn try_one(text: &str, worst: &mut (Duration, u64), seed: u64) -> Duration {
    let head: String = text.chars().take(60_000).collect();
    let whole = [
        text.to_owned(),
        format!("---\n{head}\n---\nBody.\n"),
        format!("---\nname: a\ndescription: Use when fuzzed.\n---\n{}", text.get(..LARGEST - 60).unwrap_or(text)),
    ];
    let mut slowest = Duration::ZERO;
    for skill in whole {
        let mut tree = Tree::new();
        tree.put("SKILL.md", skill);
        slowest = slowest.max(timed(&tree));
    }
    for path in ["references/x.md", "scripts/x.sh", "metadata.yaml"] {
        let mut tree = Tree::new();
        tree.put("SKILL.md", SMALL);
        tree.put(path, if path == "metadata.yaml" { head.as_str() } else { text });
        slowest = slowest.max(timed(&tree));
    }
    if slowest > worst.0 {
        *worst = (slowest, seed);
    }
    slowest
}

/// The processor time of the check, the fastest of five tries where it is over the limit: the machine has other things
/// to do.
fn timed(tree: &Tree) -> Duration {
    let once = || {
        let start = processor();
        let _ = rules::check(&Subject { directory: "a", prefix: "a", tree, target: None });
        processor().saturating_sub(start)
    };
    let first = once();
    if first > LIMIT { (0..4).map(|_| once()).fold(first, Duration::min) } else { first }
}

/// What this thread has had of a processor so far.
fn processor() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap_or(0), now.tv_nsec.try_into().unwrap_or(0))
}

/// A text of pieces, in runs, with bytes turned: the same for the same seed.
fn made(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap_or(0) % below.max(1)
    };
    let length = [200, 4_000, 60_000, LARGEST][next(4)];
    let one = |from: usize| PIECES.get(from).or_else(|| LINES.get(from - PIECES.len())).copied().unwrap_or_default();
    let few: Vec<&str> = (0..=next(5)).map(|_| one(next(PIECES.len() + LINES.len()))).collect();
    let mut text = String::new();
    while text.len() < length {
        let piece = if next(8) == 0 { PIECES[next(PIECES.len())] } else { few[next(few.len())] };
        for _ in 0..=(if next(4) == 0 { next(200) } else { 0 }) {
            let number = next(1_000_000);
            text.push_str(&piece.replace("{}", &number.to_string()));
        }
        if next(40) == 0 {
            text.push(char::from_u32(u32::try_from(next(0x1_1000)).unwrap_or(0)).unwrap_or('x'));
        }
    }
    while text.len() > LARGEST {
        text.pop();
    }
    text
}
