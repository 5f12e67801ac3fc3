//! Who may import whom. A source file without a row here, or an import its row does not name, is a failing test.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A room, the rooms it may import, and the packages it may use that are not for everybody.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The domain comes first: text in, text out. Then the hands, the person, and what ties them together.
const ROOMS: &[Row] = &[
    // The domain: pure.
    ("constitution", &["semver", "skill"], &[]),
    ("drafting", &["finding", "target"], &[]),
    ("fifo", &["rules", "skill"], &[]),
    ("evals", &["rank", "skill"], &[]),
    ("finding", &[], &[]),
    ("mend", &["finding", "skill"], &[]),
    ("host", &[], &[]),
    ("oplog", &[], &[]),
    ("registry", &["error", "semver", "skill", "target"], &[]),
    ("rules", &["finding", "skill", "target"], &["aho_corasick", "percent_encoding", "pulldown_cmark", "regex"]),
    ("pager", &["search_path"], &["shell_words"]),
    ("rank", &["skill"], &[]),
    ("schema", &[], &[]),
    ("semver", &[], &[]),
    ("skill", &["error", "target"], &["minijinja", "pulldown_cmark", "serde_saphyr", "serde_yaml", "tiktoken"]),
    ("ooda", &[], &[]),
    ("standards", &["constitution"], &[]),
    ("stm", &["rules"], &[]),
    ("target", &[], &[]),
    ("turn", &["rules", "skill"], &[]),
    ("working", &[], &[]),
    // What everybody speaks.
    ("error", &["finding"], &["rustix"]),
    ("report", &["error"], &[]),
    ("search_path", &[], &[]),
    ("signal", &[], &["rustix", "signal_hook"]),
    // The hands.
    ("audit", &["env", "project", "rooted"], &[]),
    ("backup", &["change", "error", "rooted", "skill"], &["flate2", "tar"]),
    ("change", &["backup", "error", "rooted", "signal", "skill"], &["rustix", "signal_hook"]),
    ("rooted", &[], &["cap_fs_ext", "cap_std", "rustix"]),
    ("watchdog", &["signal"], &["rustix"]),
    ("memory", &["fifo", "ooda", "rooted", "signal", "stm", "turn", "working"], &["rusqlite", "rustix"]),
    ("redis_stm", &["stm"], &["redis"]),
    // The person.
    ("cli", &["ooda", "rules", "stm", "target", "turn"], &["clap", "clap_complete"]),
    ("prompt", &["rooted", "search_path", "signal", "ui"], &["rustix", "shell_words"]),
    ("ui", &["error", "finding", "report", "skill"], &[]),
    // The place: what is here, where things are, what is set.
    ("config", &["env", "error", "fifo", "project", "rooted", "rules", "scope", "skill", "stm", "target"], &["toml"]),
    ("detect", &["env", "error", "project", "registry", "rooted", "search_path", "target"], &["rustix"]),
    ("disk", &["detect", "door", "project", "registry", "rooted", "skill", "target"], &[]),
    ("door", &["env", "error", "project", "rooted", "semver", "skill", "target"], &[]),
    ("env", &["error", "prompt", "report", "search_path", "signal", "ui"], &["rustix"]),
    ("reach", &["disk", "env", "project", "rooted", "rules", "skill", "target"], &[]),
    (
        "governance",
        &[
            "change",
            "config",
            "constitution",
            "detect",
            "disk",
            "env",
            "error",
            "memory",
            "project",
            "prompt",
            "registry",
            "rooted",
            "standards",
            "target",
        ],
        &[],
    ),
    ("project", &["change", "registry", "rooted"], &["rustix"]),
    ("scope", &["change", "env", "error", "project", "target"], &[]),
    (
        "sessions",
        &["audit", "config", "env", "error", "governance", "memory", "oplog", "project", "redis_stm", "stm"],
        &[],
    ),
    (
        "recall",
        &[
            "config",
            "constitution",
            "detect",
            "disk",
            "door",
            "memory",
            "project",
            "registry",
            "skill",
            "target",
            "turn",
        ],
        &[],
    ),
    // The machine and the verbs.
    ("consent", &["change", "env", "error", "prompt"], &[]),
    (
        "deed",
        &[
            "audit",
            "backup",
            "change",
            "consent",
            "env",
            "error",
            "governance",
            "memory",
            "oplog",
            "project",
            "registry",
            "rooted",
            "signal",
            "skill",
            "ui",
        ],
        &[],
    ),
    (
        "create",
        &[
            "audit",
            "backup",
            "change",
            "cli",
            "config",
            "consent",
            "detect",
            "disk",
            "door",
            "drafting",
            "env",
            "error",
            "evals",
            "finding",
            "governance",
            "host",
            "memory",
            "oplog",
            "project",
            "prompt",
            "rank",
            "reach",
            "recall",
            "registry",
            "report",
            "rooted",
            "rules",
            "scope",
            "sessions",
            "signal",
            "skill",
            "standards",
            "stm",
            "target",
            "turn",
            "ui",
            "watchdog",
            "working",
        ],
        &[],
    ),
    (
        "command",
        &[
            "audit",
            "backup",
            "change",
            "cli",
            "config",
            "consent",
            "constitution",
            "create",
            "deed",
            "detect",
            "disk",
            "door",
            "env",
            "error",
            "fifo",
            "finding",
            "governance",
            "host",
            "memory",
            "mend",
            "ooda",
            "oplog",
            "project",
            "prompt",
            "rank",
            "reach",
            "recall",
            "registry",
            "report",
            "rooted",
            "rules",
            "schema",
            "scope",
            "sessions",
            "signal",
            "skill",
            "stm",
            "target",
            "turn",
            "ui",
            "working",
        ],
        &["clap", "clap_complete", "clap_mangen", "regex", "shell_words"],
    ),
    ("lib", &["cli", "command", "env", "error", "pager", "report", "ui"], &[]),
    ("main", &[], &[]),
];

/// Rooms that know no process, no file, no database and no person, whatever the table says.
const DOMAIN: &[&str] = &[
    "constitution",
    "evals",
    "drafting",
    "finding",
    "mend",
    "ooda",
    "oplog",
    "rank",
    "host",
    "fifo",
    "registry",
    "rules",
    "semver",
    "skill",
    "standards",
    "stm",
    "target",
    "turn",
    "working",
];

/// What the domain may import besides itself.
const DOMAIN_MAY_SPEAK: &[&str] = &["error"];

/// Packages that belong to few rooms.
const GUARDED: &[&str] = &[
    "aho_corasick",
    "cap_fs_ext",
    "cap_std",
    "clap",
    "clap_complete",
    "clap_mangen",
    "flate2",
    "minijinja",
    "percent_encoding",
    "pulldown_cmark",
    "redis",
    "regex",
    "rusqlite",
    "rustix",
    "serde_saphyr",
    "serde_yaml",
    "shell_words",
    "signal_hook",
    "tar",
    "tiktoken",
    "toml",
];

/// Rooms that import each other: a replacement takes a verified backup, and a backup is written by the transaction's
/// own hand.
const MUTUAL: &[(&str, &str)] = &[("backup", "change")];

/// Inside `create`, the files that may touch the hands.
const HANDS_OF_CREATE: &[(&str, &[&str])] =
    &[("change", &["approve.rs", "expand.rs", "persist.rs", "run.rs"]), ("backup", &["persist.rs"])];

/// What only one file may write, as it would be written.
const ONLY_HERE: &[(&str, &[&str])] = &[
    ("Approved {", &["src/create/gate.rs"]),
    ("Approved::of(", &["src/create/gate.rs"]),
    ("Consent {", &["src/consent.rs"]),
    ("VerifiedBackup {", &["src/backup.rs"]),
    ("Valid {", &["src/create/validate.rs"]),
];

/// Words that are not left in the source. Spelled in halves, so that this file may be searched too.
const FORBIDDEN: &[(&str, &str)] = &[
    ("to", "do!("),
    ("TO", "DO"),
    ("db", "g!("),
    ("FIX", "ME"),
    ("XX", "X"),
    ("unimpl", "emented!("),
    ("#[allow", "(dead_code"),
];

struct Source {
    path: PathBuf,
    room: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut waiting = vec![root.join("src")];
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let path = path.strip_prefix(root).unwrap().to_owned();
                let room = path.components().nth(1).unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
                let text = fs::read_to_string(root.join(&path)).unwrap();
                found.push(Source { room: room.to_owned(), path, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 100, "the sources were not found");
    found
}

impl Source {
    /// The lines that are code, without comments.
    fn code(&self) -> String {
        let lines = self.text.lines().map(|line| {
            let line = line.split(" // ").next().unwrap_or(line);
            if line.trim_start().starts_with("//") { "" } else { line }
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The rooms it names by `crate::room` or `crate::{room, …}`.
    fn imports(&self) -> BTreeSet<String> {
        let code = self.code();
        let mut found = BTreeSet::new();
        for (at, _) in code.match_indices("crate::").filter(|(at, _)| begins_a_path(&code, *at)) {
            let rest = &code[at + "crate::".len()..];
            match rest.strip_prefix('{') {
                Some(group) => found.extend(heads_of(group)),
                None => found.extend(word(rest)),
            }
        }
        found
    }

    /// Whether it names a package.
    fn uses(&self, package: &str) -> bool {
        let (code, path) = (self.code(), format!("{package}::"));
        code.match_indices(&path).any(|(at, _)| begins_a_path(&code, at))
    }
}

fn begins_a_path(code: &str, at: usize) -> bool {
    !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
}

fn stands_alone(line: &str, at: usize, length: usize) -> bool {
    begins_a_path(line, at) && !line[at + length..].starts_with(|c: char| c.is_alphanumeric())
}

fn word(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

/// The first names of a group, whatever is nested in it.
fn heads_of(group: &str) -> Vec<String> {
    let (mut depth, mut heads, mut start) = (0, Vec::new(), true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            _ if start && !c.is_whitespace() => {
                heads.extend(word(&group[at..]));
                start = false;
            }
            _ => {}
        }
    }
    heads
}

fn row(room: &str) -> Option<&'static Row> {
    ROOMS.iter().find(|row| row.0 == room)
}

fn told(sentences: &[String]) {
    assert!(sentences.is_empty(), "\n{}\n", sentences.join("\n"));
}

#[test]
fn every_file_is_in_a_room_and_imports_only_what_its_room_may() {
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources() {
        let path = source.path.display();
        let Some((room, may, _)) = row(&source.room) else {
            wrong.push(format!("{path} is in no room: give `{}` a row in tests/rooms.rs.", source.room));
            continue;
        };
        for import in source.imports() {
            if import == *room || (*room == "lib" && row(&import).is_none()) {
                continue;
            }
            if row(&import).is_none() {
                wrong.push(format!("{path} imports `{import}`, which is no room."));
            } else if !may.contains(&import.as_str()) {
                wrong.push(format!("{path} imports `{import}`, which `{room}` may not: move the code or the wall."));
            }
            seen.entry((*room).to_owned()).or_default().insert(import);
        }
    }
    for (room, may, _) in ROOMS.iter().filter(|row| row.0 != "lib") {
        for import in may.iter().filter(|import| !seen.get(*room).is_some_and(|seen| seen.contains(**import))) {
            wrong.push(format!("`{room}` may import `{import}` and does not: take it out of its row."));
        }
    }
    told(&wrong);
}

#[test]
fn a_room_is_left_through_the_front_door() {
    // `super::` of a room's own file is the root of the crate; below `mod tests` it is the room.
    let wrong = sources().into_iter().filter(|source| {
        let code = source.code();
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        let depth = source.path.components().count();
        (depth == 2 && source.room != "lib" && code.contains("super::"))
            || (depth == 3 && code.contains("super::super::"))
    });
    told(
        &wrong
            .map(|source| format!("{} leaves its room by `super::`: write `crate::`.", source.path.display()))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn the_domain_knows_nothing_of_the_outside() {
    let mut wrong = Vec::new();
    for (room, may, _) in ROOMS.iter().filter(|row| DOMAIN.contains(&row.0)) {
        for import in may.iter().filter(|import| !DOMAIN.contains(import) && !DOMAIN_MAY_SPEAK.contains(import)) {
            wrong.push(format!("`{room}` is domain and may not import `{import}`."));
        }
    }
    for source in sources().into_iter().filter(|source| DOMAIN.contains(&source.room.as_str())) {
        let code = source.code();
        let code = code.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        for outside in ["std::fs", "std::env", "std::process", "std::thread", "io::stdin", "Instant::now"] {
            if code.contains(outside) {
                wrong.push(format!("{} is domain and may not touch `{outside}`.", source.path.display()));
            }
        }
    }
    told(&wrong);
}

#[test]
fn rooms_do_not_import_each_other_in_a_circle() {
    let reaches = |from: &str, to: &str| {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![from]);
        while let Some(room) = waiting.pop() {
            for next in row(room).map(|row| row.1).unwrap_or_default() {
                if *next == to {
                    return true;
                }
                if seen.insert(*next) {
                    waiting.push(next);
                }
            }
        }
        false
    };
    let mut wrong = Vec::new();
    for (at, (one, ..)) in ROOMS.iter().enumerate() {
        for (other, ..) in &ROOMS[at + 1..] {
            let known = MUTUAL.contains(&(*one, *other)) || MUTUAL.contains(&(*other, *one));
            if !known && reaches(one, other) && reaches(other, one) {
                wrong.push(format!("`{one}` and `{other}` import each other, directly or by way of others."));
            }
        }
    }
    told(&wrong);
}

#[test]
fn a_package_is_used_where_it_belongs() {
    let mut wrong = Vec::new();
    let sources = sources();
    for package in GUARDED {
        for (room, _, may) in ROOMS {
            let users: Vec<_> = sources.iter().filter(|one| one.room == *room && one.uses(package)).collect();
            match (users.first(), may.contains(package)) {
                (Some(user), false) => {
                    wrong.push(format!("{} uses `{package}`, which `{room}` may not.", user.path.display()));
                }
                (None, true) => wrong.push(format!("`{room}` may use `{package}` and does not: take it out.")),
                _ => {}
            }
        }
    }
    told(&wrong);
}

#[test]
fn in_create_only_few_files_touch_the_hands() {
    let mut wrong = Vec::new();
    for source in sources().into_iter().filter(|source| source.room == "create") {
        let name = source.path.file_name().unwrap().to_str().unwrap();
        for (hand, may) in HANDS_OF_CREATE {
            if source.imports().contains(*hand) && !may.contains(&name) {
                wrong.push(format!("{} imports `{hand}`; in `create` only {may:?} may.", source.path.display()));
            }
        }
    }
    told(&wrong);
}

#[test]
fn a_permission_is_made_in_one_place() {
    let mut wrong = Vec::new();
    for source in sources() {
        let (code, path) = (source.code(), source.path.to_str().unwrap().to_owned());
        for (made, may) in ONLY_HERE {
            let whole = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let by_hand = code.match_indices(made).any(|(at, _)| whole(at));
            if by_hand && !may.contains(&path.as_str()) {
                wrong.push(format!("{path} writes `{made}`; only {may:?} may."));
            }
        }
        for (made, never) in [
            ("Approved", &["Clone", "Default", "Deserialize"][..]),
            ("Consent", &["Clone", "Default", "Deserialize"]),
            ("VerifiedBackup", &["Default", "Deserialize"]),
        ] {
            let names_it = |line: &&str| {
                line.match_indices(made)
                    .any(|(at, _)| begins_a_path(line, at) && word(&line[at..]).as_deref() == Some(made))
            };
            let derived = code.lines().zip(code.lines().skip(1)).find(|(above, line)| {
                line.contains("struct ") && names_it(line) && never.iter().any(|one| above.contains(one))
            });
            if derived.is_some() {
                wrong.push(format!("{path} lets anybody copy or make a `{made}`."));
            }
        }
    }
    told(&wrong);
}

#[test]
fn nothing_unfinished_is_left_lying_about() {
    let mut wrong = Vec::new();
    for source in sources() {
        for (number, line) in source.text.lines().enumerate() {
            for (one, other) in FORBIDDEN {
                let word = format!("{one}{other}");
                if line.match_indices(&word).any(|(at, _)| stands_alone(line, at, word.len())) {
                    wrong.push(format!("{}:{}: `{one}{other}` in: {}", source.path.display(), number + 1, line.trim()));
                }
            }
        }
        if !source.text.starts_with("//! ") {
            wrong.push(format!("{} does not begin by saying what it is.", source.path.display()));
        }
    }
    told(&wrong);
}

/// The one way to another machine: the room, its package, and the feature that must be asked for.
const NETWORK: (&str, &str, &str) = ("redis_stm", "redis", "redis");

/// Packages that reach other machines and have no room.
const NO_NETWORK: &[&str] =
    &["reqwest", "ureq", "hyper", "curl", "attohttpc", "isahc", "tokio", "async-std", "tungstenite"];

#[test]
fn the_one_way_to_another_machine_must_be_asked_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (room, package, feature) = NETWORK;
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let line =
        |name: &str| manifest.lines().filter(move |line| line.starts_with(&format!("{name} = "))).collect::<Vec<_>>();
    let dependency = format!("{package} = {{ version");
    let optional = line(package).iter().any(|line| line.starts_with(&dependency) && line.contains("optional = true"));
    assert!(optional, "`{package}` is in a build that nobody asked for it");
    assert!(line("default").is_empty(), "a default feature may bring `{package}` along");
    let gate = format!("#[cfg(feature = \"{feature}\")]\npub mod {room};");
    assert!(fs::read_to_string(root.join("src/lib.rs")).unwrap().contains(&gate), "`{room}` has no gate");
    for other in NO_NETWORK {
        assert!(line(other).is_empty(), "`{other}` reaches other machines: hefesto works offline");
    }
}

#[test]
fn there_is_no_network() {
    let mut wrong = Vec::new();
    for source in sources() {
        for way in ["TcpStream", "TcpListener", "UdpSocket", "ToSocketAddrs"] {
            if source.code().contains(way) {
                wrong.push(format!("{} knows `{way}`: hefesto works offline.", source.path.display()));
            }
        }
    }
    told(&wrong);
}

#[test]
fn every_hole_in_the_walls_is_a_door() {
    let mut wrong = Vec::new();
    let mut doors = 0;
    for source in sources() {
        for (number, line) in source.text.lines().enumerate().filter(|(_, line)| line.contains("clippy::disallowed")) {
            let at = format!("{}:{}", source.path.display(), number + 1);
            match source.room.as_str() {
                "lib" | "main" if line.contains("warn(") => {}
                _ if line.contains("expect(") && line.contains("reason = \"the door to ") => doors += 1,
                _ => wrong.push(format!("{at} opens a wall without saying \"the door to …\".")),
            }
        }
    }
    told(&wrong);
    assert!(doors > 0);
}
