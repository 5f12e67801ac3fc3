//! What the memory engine costs, printed beside what this machine can do at all: `cargo bench --bench memory`. With
//! `-- --long` a thousand runs are made too, to see what is left of them on the disk. Timings decide nothing.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench may stop, and prints")]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use hefesto::memory::fifo::{NewConversation, Query, Role, Text};
use hefesto::memory::ring::Phase;
use hefesto::memory::stm::{Category, Filter, NewEntry, Priority, SessionKey};
use hefesto::memory::turn::{self, Episode, Fact, Mode, Outcome, Setup, Sources};
use hefesto::memory::{BufferedRun, CommittedRun, Ending, Facts, Memory, NewRun, PhaseRecord, RunEvent, Status};
use rusqlite::{Connection, params};
use serde_json::json;

const AT: jiff::Timestamp = jiff::Timestamp::constant(1_770_285_600, 0); // 2026-02-05T10:00:00Z
const NOW: i64 = 1_770_285_600_000;
const SENTENCE: &str = "Extract tables from PDF files";
/// How many processes push at once, and how often each.
const CROWD: (usize, usize) = (32, 100);

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--pusher") {
        return push_many(Path::new(&args[at + 1]), &args[at + 2]);
    }
    // `cargo bench` says so; everybody else only sees that it runs.
    let rounds = if args.iter().any(|arg| arg == "--bench") { 300 } else { 2 };
    let dir = tempfile::tempdir().unwrap();
    let load = || fs::read_to_string("/proc/loadavg").map_or_else(|_| "unknown".into(), |text| text.trim().to_owned());
    println!("Load average {}, {rounds} rounds, milliseconds.\n", load());
    row("what", &["p50", "p95", "at most", "asked for"].map(str::to_owned));
    println!("|---|---:|---:|---:|---:|");
    floors(rounds, dir.path());
    ring(rounds, dir.path());
    short_term(rounds, dir.path());
    conversations(rounds, dir.path());
    programs(rounds, dir.path());
    crowd(rounds, dir.path());
    runs(rounds, dir.path());
    if args.iter().any(|arg| arg == "--long") {
        long(dir.path());
    }
    println!("\nLoad average {} at the end.", load());
}

/// Times `work` and prints the middle and the slow end; the bar is ours, the target the design documents'.
fn measure(what: &str, bar: Option<f64>, seeds: Option<f64>, rounds: usize, mut work: impl FnMut()) {
    let mut took: Vec<f64> = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let since = Instant::now();
        work();
        took.push(since.elapsed().as_secs_f64() * 1000.0);
    }
    line(what, took, bar, seeds);
}

fn line(what: &str, mut took: Vec<f64>, bar: Option<f64>, seeds: Option<f64>) {
    took.sort_by(f64::total_cmp);
    let at = |part: f64| took[((took.len() as f64 * part) as usize).min(took.len() - 1)];
    let limit = |limit: Option<f64>| limit.map_or_else(String::new, |limit| format!("{limit}"));
    row(what, &[format!("{:.3}", at(0.5)), format!("{:.3}", at(0.95)), limit(bar), limit(seeds)]);
}

/// A row of the table, as docs/memory.md has it: what is measured and up to four figures.
fn row(what: &str, cells: &[String]) {
    let cell = |at: usize| cells.get(at).map_or("", String::as_str);
    println!("| {what} | {} | {} | {} | {} |", cell(0), cell(1), cell(2), cell(3));
}

/// What this machine can do at all, now.
fn floors(rounds: usize, dir: &Path) {
    let mut file = File::create(dir.join("floor")).unwrap();
    let page = [7_u8; 4096];
    measure("floor: append 4 KiB and fdatasync", None, None, rounds, || {
        file.write_all(&page).unwrap();
        file.sync_data().unwrap();
    });
    let db = Connection::open(dir.join("floor.db")).unwrap();
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
    db.execute_batch("PRAGMA synchronous = NORMAL; CREATE TABLE t(n INTEGER PRIMARY KEY, text TEXT)").unwrap();
    let text = "x".repeat(1024);
    let mut n = 0;
    measure("floor: bare SQLite, two statements committed", None, None, rounds, || {
        n += 1;
        db.execute_batch("BEGIN IMMEDIATE").unwrap();
        for slot in [n % 16, 16 + n % 16] {
            let sql = "INSERT OR REPLACE INTO t VALUES (?1, ?2)";
            db.prepare_cached(sql).unwrap().execute(params![slot, text]).unwrap();
        }
        db.execute_batch("COMMIT").unwrap();
    });
    measure("floor: start of a process, hefesto --version", None, None, rounds.min(50), || {
        assert!(hefesto(dir, &["--version"]));
    });
}

fn ring(rounds: usize, dir: &Path) {
    let mut memory = Memory::open(&dir.join("ring.db"), 0).unwrap();
    begin(&mut memory, "01kgpkx3800000000000000001");
    let data = format!("{{\"text\":\"{}\"}}", "x".repeat(3000));
    let mut phases = Phase::ALL.iter().copied().cycle();
    measure("ring: push a state of 3 KB, all five views", Some(0.1), Some(5.0), rounds, || {
        let phase = phases.next().unwrap();
        memory.push_state(0, "01kgpkx3800000000000000001", phase, &data, AT).unwrap();
    });
    memory.push_state(0, "01kgpkx3800000000000000001", Phase::Preflight, &data, AT).unwrap();
    measure("ring: get a state, verified", Some(0.05), Some(1.0), rounds, || {
        black_box(memory.get_state(0, "01kgpkx3800000000000000001", Phase::Preflight).unwrap());
    });
    measure("ring: roll back to P0", Some(0.1), Some(10.0), rounds, || {
        black_box(memory.rollback_to(0, "01kgpkx3800000000000000001", Phase::Preflight).unwrap());
    });
}

fn entry(n: usize) -> NewEntry {
    NewEntry {
        id: format!("entry-{n}"),
        category: Category::ReasoningState,
        priority: Priority::Medium,
        actor: "hefesto".into(),
        tags: Vec::new(),
        content: json!({ "type": "reasoning_state", "data": { "n": n, "note": "the table has three columns" } }),
        lives: None,
    }
}

fn short_term(rounds: usize, dir: &Path) {
    let mut memory = Memory::open(&dir.join("stm.db"), 0).unwrap();
    // A session holds a thousand entries; ten of them hold ten thousand.
    for session in 0..10 {
        let key = SessionKey::new("cli", format!("s{session}").as_str());
        let stored = memory.stm(NOW, &|| 0, |stm| {
            (0..if rounds > 2 { 900 } else { 9 })
                .try_for_each(|n| stm.store(&key, entry(session * 1000 + n)).map(|_| ()))
        });
        stored.unwrap();
    }
    let key = SessionKey::new("cli", "s0");
    let mut n = 100_000;
    measure("stm: write, beside 9,000", Some(0.1), Some(10.0), rounds.min(90), || {
        n += 1;
        memory.stm(NOW, &|| 0, |stm| stm.store(&key, entry(n)).map(|_| ())).unwrap();
    });
    let newest = Filter { limit: 10, ..Filter::default() };
    measure("stm: newest 10 of 10,000", Some(0.05), Some(50.0), rounds, || {
        black_box(memory.stm_look(NOW, |stm| stm.look(&key, &newest)).unwrap());
    });
}

fn conversation(n: usize) -> NewConversation {
    let mut new = NewConversation::new(&format!("c{n}"), &format!("Parse invoices of supplier {n}")).unwrap();
    for at in 0..6 {
        let text = format!("Step {at}: read `src/parser_{n}.rs`, call `parse_{at}()` of `Invoice{n}`, check word{n}.");
        new.messages.push((if at % 2 == 0 { Role::User } else { Role::Assistant }, Text::of(&text)));
    }
    new
}

fn conversations(rounds: usize, dir: &Path) {
    let mut memory = Memory::open(&dir.join("fifo.db"), 0).unwrap();
    let many = if rounds > 2 { 1000 } else { 25 };
    for n in 0..many {
        memory.add_conversation(&conversation(n), 1000, NOW + n as i64).unwrap();
    }
    measure("fifo: recent 20 of 1,000", Some(0.1), Some(100.0), rounds, || {
        black_box(memory.recent_conversations(20).unwrap());
    });
    let mut n = 0;
    measure("fifo: search over 1,000", Some(1.0), Some(150.0), rounds, || {
        n = (n + 7) % many;
        let query = Query::of(&format!("word{n}")).unwrap();
        assert!(!memory.search_conversations(&query, 20).unwrap().is_empty());
    });
    measure("fifo: entities of six messages, read and linked", Some(1.0), Some(200.0), rounds, || {
        n = (n + 7) % many;
        assert!(!memory.extract_entities(&format!("c{n}"), NOW).unwrap().is_empty());
    });
    let mut small = Memory::open(&dir.join("small.db"), 0).unwrap();
    for n in 0..20 {
        small.add_conversation(&conversation(n), 20, NOW + n as i64).unwrap();
    }
    measure("fifo: add six messages, and evict the oldest of 20", Some(1.0), Some(100.0), rounds, || {
        n += many;
        assert_eq!(small.add_conversation(&conversation(n), 20, NOW + n as i64).unwrap().evicted.len(), 1);
    });
}

/// A project with one AI CLI and this many skills, conversations and episodes.
fn project(root: &Path, skills: usize, goals: usize, episodes: usize) {
    fs::create_dir_all(root.join(".claude/skills")).unwrap();
    fs::create_dir_all(root.join(".gemini")).unwrap();
    for n in 0..skills {
        let name = format!("tidy-report-{n}");
        let dir = root.join(".claude/skills").join(&name);
        fs::create_dir(&dir).unwrap();
        let head =
            format!("---\nname: {name}\ndescription: Tidies report {n}. Use when a report has {n} errors.\n---\n");
        fs::write(dir.join("SKILL.md"), head + "\n# How\n\nRead it, then put it in order.\n").unwrap();
    }
    if goals + episodes == 0 {
        return;
    }
    assert!(hefesto(root, &["create", "Write release notes", "--yes"]), "a project cannot be made");
    let mut memory = Memory::open(&root.join(".hefesto/memory.db"), 0).unwrap();
    for n in 0..goals {
        memory.add_conversation(&conversation(n), 20, NOW + n as i64).unwrap();
    }
    for n in 0..episodes {
        memory.record_episode(&episode(n, &format!("past-{n}"))).unwrap();
    }
}

fn episode(n: usize, run: &str) -> Episode {
    Episode {
        run_id: run.into(),
        kind: if n.is_multiple_of(4) { Outcome::Failed } else { Outcome::Done },
        subject: format!("Tidy report {n} of department {}", n % 7),
        text: format!("`tidy-report-{n}` (create) for claude: Tidies report {n} of department {}.", n % 7),
        skill: Some(format!("tidy-report-{n}")),
        error_code: None,
        phase: "P6".into(),
        cure: None,
        importance: 0.5,
        at: NOW + n as i64,
    }
}

/// Runs hefesto in a directory, without a person and without the machine's own AI CLIs. Whether it went well.
fn hefesto(dir: &Path, args: &[&str]) -> bool {
    let status = Command::new(env!("CARGO_BIN_EXE_hefesto"))
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("HOME", dir)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap().success()
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() { copied(&entry.path(), &to) } else { drop(fs::copy(entry.path(), to)) }
    }
}

/// CPU milliseconds of the children waited for so far, from `/proc/self/stat`. It counts in hundredths of a second, so
/// only a sum over many children says something.
fn children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[13..15].iter().map(|ticks| ticks.parse::<f64>().unwrap() * 10.0).sum()
}

/// CPU milliseconds of this thread so far.
fn own() -> f64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e6
}

/// Whole programs: `memory inspect`, `create --yes` in a fresh project and in a full one.
fn programs(rounds: usize, dir: &Path) {
    let (fresh, full) = (dir.join("fresh"), dir.join("full"));
    let (skills, goals, episodes) = if rounds > 2 { (200, 20, 200) } else { (2, 2, 2) };
    project(&fresh, 0, 0, 0);
    project(&full, skills, goals, episodes);
    let rounds = rounds.min(40);
    measure("program: memory inspect, cold", Some(10.0), None, rounds, || {
        assert!(hefesto(&full, &["memory", "inspect"]));
    });
    for (what, from) in [("fresh", &fresh), ("full", &full)] {
        let places: Vec<PathBuf> = (0..rounds).map(|n| dir.join(format!("{what}-{n}"))).collect();
        places.iter().for_each(|to| copied(from, to));
        let before = children();
        let mut at = places.iter();
        measure(&format!("program: create --yes, {what} project"), None, None, rounds, || {
            assert!(hefesto(at.next().unwrap(), &["create", SENTENCE, "--yes"]));
        });
        let each = (children() - before) / rounds as f64;
        row(&format!("program: create --yes, {what} project, CPU, mean"), &[format!("{each:.1}")]);
        // What P0 took to know what is known, skills on disk included: a run keeps it with its turn.
        let took = places.iter().map(|place| {
            let db = Connection::open(place.join(".hefesto/memory.db")).unwrap();
            let sql = "SELECT init_us FROM turns ORDER BY id DESC LIMIT 1";
            db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as f64 / 1000.0
        });
        let limit = if what == "full" { Some(25.0) } else { None };
        line(&format!("turn: its initialisation, {what} project"), took.collect(), limit, Some(1000.0));
    }
    remembering(rounds, dir, &full.join(".hefesto/memory.db"));
}

/// The memory's part of a `create --yes`: the calls such a run makes of the memory, in their order, without the run. In
/// a fresh project there is nothing to ask before the run is approved, and what it noted until then is written at once.
/// CPU of this thread, the opening and the closing of the database included.
fn remembering(rounds: usize, dir: &Path, full: &Path) {
    let passed = || {
        let state = |phase| json!({ "phase": phase, "text": "x".repeat(3000) }).to_string();
        Phase::ALL.map(|phase| {
            let facts = match phase {
                Phase::Intake => {
                    Facts { description: Some(SENTENCE.into()), input_hash: Some("ab".repeat(32)), ..Facts::default() }
                }
                Phase::Generate => Facts {
                    skill: Some("extract-tables".into()),
                    targets: Some("claude,gemini".into()),
                    ..Facts::default()
                },
                Phase::Approve => {
                    Facts { approved_by: Some("flag".into()), digest: Some("cd".repeat(32)), ..Facts::default() }
                }
                _ => Facts::default(),
            };
            RunEvent::Passed { phase, data: state(phase.label()), at: AT, facts }
        })
    };
    let informed = |turn: turn::Initialised| RunEvent::Informed(Box::new(turn), Vec::new());
    for (what, bar, from) in [("fresh", 5.0, None), ("full", 25.0, Some(full))] {
        let mut took = Vec::new();
        for round in 0..rounds {
            let path = dir.join(format!("memory-{what}-{round}.db"));
            if let Some(from) = from {
                fs::copy(from, &path).unwrap();
            }
            let run = format!("01kgpkx380000000000000{round:04}");
            let new =
                NewRun { id: &run, command: "create", at: AT, lane: 0, asked: None, who: Some(("hefesto", "cli")) };
            let committed = CommittedRun {
                run: run.clone(),
                command: "create".into(),
                skill: "extract-tables".into(),
                by: "flag".into(),
                changed: Vec::new(),
                before: "{}".into(),
                installed: Vec::new(),
                why: None,
                recipe: None,
            };
            let episode = episode(round, &run);
            let fact = Fact {
                key: "skill:extract-tables".into(),
                version: 1,
                text: "`extract-tables` for claude, gemini: Extracts tables from PDF files.".into(),
                source: "skills".into(),
                importance: 0.6,
                updated_at: NOW,
                access_count: 0,
            };
            let phases: Vec<PhaseRecord> = Phase::ALL
                .iter()
                .map(|phase| PhaseRecord { phase: phase.name().into(), status: "done".into(), ms: 1 })
                .collect();
            let ending = Ending {
                status: Status::Done,
                at: AT,
                phase: None,
                error: None,
                phases: &phases,
                episode: Some(&episode),
                facts: std::slice::from_ref(&fact),
                answers: &[],
            };
            let (passed, unheard) = (passed(), initialised(None, &run));
            let (now, later) = passed.split_at(5);
            let before = own();
            let mut memory = Memory::open(&path, 0).unwrap();
            memory.bury(0, AT).unwrap();
            if from.is_some() {
                memory.begin(new).unwrap();
                memory.note(&run, 0, &[informed(initialised(Some(&memory), &run))]).unwrap();
                black_box(memory.waiting().unwrap());
                black_box(hefesto::memory::context::failed_before(&memory, SENTENCE).unwrap());
                black_box(memory.same_input("none", &run).unwrap());
                now.iter().for_each(|note| memory.note(&run, 0, std::slice::from_ref(note)).unwrap());
            } else {
                let mut noted = BufferedRun::of(&run);
                noted.begin(new);
                noted.keep(informed(unheard));
                now.iter().for_each(|note| noted.keep(note.clone()));
                memory.catch_up(&noted, 0).unwrap();
            }
            memory.committed(&committed, "2026-02-05T10:00:00Z").unwrap();
            later.iter().for_each(|note| memory.note(&run, 0, std::slice::from_ref(note)).unwrap());
            memory.end(&run, &ending).unwrap();
            drop(memory);
            took.push(own() - before);
        }
        line(&format!("create's memory work, {what}, CPU"), took, Some(bar), None);
    }
}

/// A turn initialised from what the memory holds, where there is one; the project's own texts and skills are not the
/// memory's.
fn initialised(memory: Option<&Memory>, run: &str) -> turn::Initialised {
    let since = Instant::now();
    let said = |error: anyhow::Error| format!("{error:#}");
    let sources = Sources {
        setup: Setup {
            turn_id: format!("turn-{run}"),
            agent_id: "hefesto".into(),
            user_id: "user".into(),
            parent_turn_id: None,
            mode: Mode::Agent,
            asked: SENTENCE.into(),
            now: NOW,
            total: turn::TOTAL,
        },
        identity: Box::new(|| Ok(turn::Identity::default())),
        agenda: Box::new(|| {
            if let Some(memory) = memory {
                let _ = (memory.goals().map_err(said)?, memory.runs(50).map_err(said)?, memory.turns(2).map_err(said)?);
            }
            Ok(turn::Agenda::default())
        }),
        conversation: Box::new(|| {
            let recent = memory.map_or(Ok(Vec::new()), |memory| memory.recent_conversations(11)).map_err(said)?;
            let recent = recent.into_iter().map(|one| turn::PastTurn {
                id: one.conversation_id,
                at: one.created_at,
                asked: one.title,
                outcome: one.summary.unwrap_or_default(),
                ended: "done".into(),
            });
            Ok(turn::Conversation { recent: recent.collect(), ..turn::Conversation::default() })
        }),
        episodes: Box::new(|| memory.map_or(Ok(Vec::new()), Memory::episodes).map_err(said)),
        facts: Box::new(|| memory.map_or(Ok(Vec::new()), Memory::facts).map_err(said)),
        observations: Box::new(|| memory.map_or(Ok(Vec::new()), Memory::observations).map_err(said)),
        session: Vec::new(),
    };
    turn::initialise(sources, &mut || since.elapsed().as_micros() as u64).unwrap()
}

fn begin(memory: &mut Memory, run: &str) {
    memory
        .begin(NewRun { id: run, command: "create", at: AT, lane: 0, asked: None, who: Some(("hefesto", "cli")) })
        .unwrap();
}

/// Many processes on one database: nothing fails, nothing is lost.
fn crowd(rounds: usize, dir: &Path) {
    let (processes, each) = if rounds > 2 { CROWD } else { (2, 2) };
    let path = dir.join("crowd.db");
    drop(Memory::open(&path, 0).unwrap());
    let since = Instant::now();
    let me = std::env::current_exe().unwrap();
    let spawn = |n: usize| {
        Command::new(&me).arg("--pusher").arg(&path).arg(format!("{n}:{each}")).stdout(Stdio::null()).spawn().unwrap()
    };
    let all: Vec<_> = (0..processes).map(spawn).collect();
    let failed = all.into_iter().map(|mut child| child.wait().unwrap()).filter(|status| !status.success()).count();
    let took = since.elapsed().as_secs_f64() * 1000.0;
    let db = Connection::open(&path).unwrap();
    let kept: i64 = db.query_row("SELECT next_seq - 1 FROM wm_lanes", [], |row| row.get(0)).unwrap();
    let lost = (processes * each) as i64 - kept;
    let what = format!("ring: {processes} processes, {each} pushes each: {failed} failed, {lost} lost");
    row(&what, &[format!("{took:.0}")]);
    assert_eq!((failed, lost), (0, 0));
}

fn push_many(path: &Path, who: &str) {
    let (n, each) = who.split_once(':').unwrap();
    let mut memory = Memory::open(path, 0).unwrap();
    let run = format!("run-{n}");
    begin(&mut memory, &run);
    for _ in 0..each.parse::<usize>().unwrap() {
        memory.push_state(0, &run, Phase::Intake, "{\"text\":\"pushed\"}", AT).unwrap();
    }
}

/// One run after another in the same project: what a command costs when there is a past.
fn runs(rounds: usize, dir: &Path) {
    let root = dir.join("runs");
    project(&root, 0, 0, 0);
    let mut n = 0;
    measure("program: create --yes, one after another", None, None, rounds.min(40), || {
        n += 1;
        assert!(create(&root, n));
    });
    row(&format!("database after {n} creates, bytes"), &[size(&root).to_string()]);
}

/// A thousand runs, at the limits as they are set.
fn long(dir: &Path) {
    let root = dir.join("long");
    project(&root, 0, 0, 0);
    for n in 1..=1000 {
        assert!(create(&root, n));
        if [200, 500, 1000].contains(&n) {
            let bar = (2_u64 << 20).to_string();
            row(&format!("database after {n} creates, bytes"), &[size(&root).to_string(), String::new(), bar]);
        }
    }
}

fn create(root: &Path, n: usize) -> bool {
    let (sentence, name) = (format!("Validate records of kind k{n} with schema v{n}"), format!("validate-records-{n}"));
    hefesto(root, &["create", &sentence, "--name", &name, "--yes"])
}

fn size(root: &Path) -> u64 {
    fs::read_dir(root.join(".hefesto"))
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("memory.db"))
        .map(|entry| entry.metadata().unwrap().len())
        .sum()
}
