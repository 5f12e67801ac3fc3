//! The layers of the source: who may import whom, which package is used where, who makes a permission.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers from the lowest to the highest. A module may import modules of its own layer and of lower ones. The
/// longest path that matches decides, so a part of a module may be in another layer than the rest of it.
const LAYERS: &[(&str, &[&str])] = &[
    ("base", &["error", "report", "rules::finding", "schema"]),
    (
        "domain",
        &[
            "skill", "rules", "client", "registry", "memory::fifo", "memory::json", "memory::ooda", "memory::ring",
            "memory::stm", "memory::turn",
        ],
    ),
    (
        "system",
        &[
            "system", "terminal", "config", "project", "transaction", "memory", "memory::fifo::sqlite",
            "memory::ooda::sqlite", "memory::ring::sqlite", "memory::stm::sqlite", "memory::stm::redis",
            "memory::turn::sqlite", "client::detect", "client::discovery", "registry::audit",
        ],
    ),
    (
        "application",
        &[
            "cli", "project::copies", "project::default_targets", "project::open", "transaction::operation",
            "memory::context", "memory::stm::connect",
        ],
    ),
    ("machine", &["create"]),
    ("verbs", &["command"]),
];

/// Packages that only some modules may use.
const PACKAGES: &[(&str, &[&str])] = &[
    ("clap", &["cli", "command"]),
    ("clap_complete", &["cli", "command"]),
    ("clap_mangen", &["command"]),
    ("cap_std", &["system"]),
    ("crossterm_winapi", &["system::os"]),
    ("ctrlc", &["system::os"]),
    ("dialoguer", &["terminal"]),
    ("diffy", &["skill"]),
    ("flate2", &["rules", "skill", "transaction"]),
    ("foldhash", &["skill"]),
    ("jsonc_parser", &["client"]),
    ("minijinja", &["skill"]),
    ("pulldown_cmark", &["skill", "rules"]),
    ("redis", &["memory"]),
    ("rusqlite", &["memory"]),
    ("rustix", &["system::os"]),
    ("serde_saphyr", &["skill"]),
    ("serde_yaml", &["client", "skill"]),
    ("shell_words", &["command", "create", "terminal"]),
    ("snowball_stemmers_rs", &["skill"]),
    ("signal_hook", &["system::os"]),
    ("tar", &["transaction"]),
    ("tempfile", &["system"]),
    ("tiktoken", &["skill"]),
    ("toml", &["client", "config", "skill"]),
    ("zip", &["skill"]),
];

/// What the domain never touches.
const OUTSIDE: &[&str] = &[
    "std::fs", "std::env::", "std::process", "std::thread", "io::stdin", "Instant::now", "rusqlite", "rustix",
    "cap_std",
];

/// Values that permit something, and the only file that makes each.
const PERMISSIONS: &[(&str, &str)] = &[
    ("Approved {", "src/create/gate.rs"),
    ("Consent {", "src/transaction/consent.rs"),
    ("VerifiedBackup {", "src/transaction/backup.rs"),
    ("Valid {", "src/create/validate.rs"),
];

/// What belongs to a platform, and is nowhere but in `system::os`.
const PLATFORM: &[&str] = &[
    "cfg(unix", "cfg(windows", "cfg!(unix", "cfg!(windows", "not(unix", "not(windows", "target_os", "target_vendor",
    "target_family", "std::os::", "libc::",
];

/// Files elsewhere that know the platform all the same, and why.
const KNOW_THE_PLATFORM: &[(&str, &str)] =
    &[("src/skill/tree.rs", "a digest covers the executable bit, which Windows does not keep")];

/// Unfinished work. Spelled in halves, so that this file may be searched too.
const UNFINISHED: &[(&str, &str)] = &[
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
    module: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut found, mut directories) = (Vec::new(), vec![root.join("src")]);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(root).unwrap().to_owned();
                let module = path.with_extension("").strip_prefix("src").unwrap().to_str().unwrap().replace('/', "::");
                found.push(Source { path, module, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 100, "the sources were not found");
    found
}

impl Source {
    /// The code without comments and without the unit tests at its end.
    fn code(&self) -> String {
        if self.module.ends_with("::tests") {
            return String::new();
        }
        let lines = self.text.lines().map(|line| line.split(" // ").next().unwrap_or(line));
        let code: Vec<&str> = lines.filter(|line| !line.trim_start().starts_with("//")).collect();
        code.join("\n").split("#[cfg(test)]").next().unwrap_or_default().to_owned()
    }

    /// Every path it names that begins with `crate::`, groups expanded by one level.
    fn imports(&self) -> BTreeSet<String> {
        let code = self.code();
        let mut found = BTreeSet::new();
        for (at, _) in code.match_indices("crate::").filter(|(at, _)| starts_a_path(&code, *at)) {
            let rest = &code[at + "crate::".len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && !"_:".contains(c)).unwrap_or(rest.len());
            let (base, group) = (&rest[..end], rest[end..].strip_prefix('{'));
            match group {
                None => _ = found.insert(base.to_owned()),
                Some(group) => found.extend(heads(group).into_iter().map(|head| format!("{base}{head}"))),
            }
        }
        found
    }

    fn uses(&self, package: &str) -> bool {
        let (code, path) = (self.code(), format!("{package}::"));
        code.match_indices(&path).any(|(at, _)| starts_a_path(&code, at))
    }
}

fn starts_a_path(code: &str, at: usize) -> bool {
    !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
}

/// The first-level paths of a group `a, b::c, d::{e, f}}`.
fn heads(group: &str) -> Vec<String> {
    let (mut depth, mut all, mut current) = (0, Vec::new(), String::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => all.push(std::mem::take(&mut current)),
            c if depth == 0 && (c.is_alphanumeric() || "_:".contains(c)) => current.push(c),
            _ => {}
        }
    }
    all.push(current);
    all.retain(|head| !head.is_empty());
    all
}

fn below(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The number of the layer a path is in; `None` for the crate's root.
fn layer(path: &str) -> Option<usize> {
    let all =
        LAYERS.iter().enumerate().flat_map(|(number, (_, modules))| modules.iter().map(move |one| (number, *one)));
    all.filter(|(_, module)| below(path, module)).max_by_key(|(_, module)| module.len()).map(|(number, _)| number)
}

fn report(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn imports_point_to_the_same_layer_or_a_lower_one() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| !["lib", "main"].contains(&source.module.as_str())) {
        let Some(own) = layer(&source.module) else {
            wrong.push(format!("{} is in no layer: add its module to LAYERS.", source.path.display()));
            continue;
        };
        for import in source.imports() {
            if let Some(other) = layer(&import).filter(|other| *other > own) {
                let (path, own, other) = (source.path.display(), LAYERS[own].0, LAYERS[other].0);
                wrong.push(format!("{path} ({own}) imports crate::{import} ({other}), which is a higher layer."));
            }
        }
    }
    report(&wrong);
}

#[test]
fn the_crate_has_at_most_sixteen_modules_and_each_is_in_a_layer() {
    let modules: BTreeSet<String> = sources()
        .iter()
        .filter_map(|source| source.module.split("::").next().map(str::to_owned))
        .filter(|module| !["lib", "main"].contains(&module.as_str()))
        .collect();
    assert!(modules.len() <= 16, "{modules:?}");
    for (name, listed) in LAYERS {
        for module in *listed {
            let file = format!("src/{}.rs", module.replace("::", "/"));
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file).is_file(), "{name} lists {module}: no {file}");
        }
    }
}

#[test]
fn the_domain_touches_no_file_process_or_clock() {
    let mut wrong = Vec::new();
    for source in
        sources().iter().filter(|source| layer(&source.module).is_some_and(|number| LAYERS[number].0 == "domain"))
    {
        let code = source.code();
        for outside in OUTSIDE.iter().filter(|outside| code.contains(**outside)) {
            wrong.push(format!("{} is domain and uses `{outside}`.", source.path.display()));
        }
    }
    report(&wrong);
}

#[test]
fn a_package_is_used_where_it_belongs() {
    let (mut wrong, sources) = (Vec::new(), sources());
    for (package, modules) in PACKAGES {
        for source in sources.iter().filter(|source| source.uses(package)) {
            if !modules.iter().any(|module| below(&source.module, module)) {
                wrong.push(format!("{} uses `{package}`; only {modules:?} may.", source.path.display()));
            }
        }
        for module in *modules {
            if !sources.iter().any(|source| below(&source.module, module) && source.uses(package)) {
                wrong.push(format!("`{module}` may use `{package}` and does not: remove it from PACKAGES."));
            }
        }
    }
    report(&wrong);
}

#[test]
fn the_platform_is_known_in_one_module() {
    let sources = sources();
    let known = |source: &Source| {
        let code = source.code();
        PLATFORM.iter().find(|word| code.contains(**word)).copied()
    };
    let excepted = |source: &Source| KNOW_THE_PLATFORM.iter().any(|(file, _)| source.path == Path::new(file));
    let outside = sources.iter().filter(|source| !below(&source.module, "system::os") && !excepted(source));
    let wrong = outside.filter_map(|source| {
        Some(format!("{} has `{}`, which belongs below src/system/os/.", source.path.display(), known(source)?))
    });
    report(&wrong.collect::<Vec<_>>());
    for (file, why) in KNOW_THE_PLATFORM {
        let source = sources.iter().find(|source| source.path == Path::new(file));
        assert!(source.is_some_and(|source| known(source).is_some()), "{file} does not need its exception ({why})");
    }
    assert!(sources.iter().any(|source| below(&source.module, "system::os::windows")));
}

#[test]
fn a_permission_is_made_in_one_file_and_cannot_be_copied() {
    let mut wrong = Vec::new();
    for source in sources() {
        let (code, path) = (source.code(), source.path.to_str().unwrap().to_owned());
        for (made, only) in PERMISSIONS {
            if path != *only && code.match_indices(made).any(|(at, _)| starts_a_path(&code, at)) {
                wrong.push(format!("{path} writes `{made}`; only {only} may."));
            }
        }
        for (line, next) in code.lines().zip(code.lines().skip(1)).filter(|(line, _)| line.contains("derive(")) {
            let guarded = ["struct Approved", "struct Consent", "struct VerifiedBackup"];
            let named = guarded.iter().any(|name| next.contains(name));
            let copies = line.contains("Default") || line.contains("Deserialize");
            if named && (copies || line.contains("Clone") && !next.contains("VerifiedBackup")) {
                wrong.push(format!("{path}: `{}` can be copied or made by anybody.", next.trim()));
            }
        }
    }
    report(&wrong);
}

#[test]
fn nothing_is_unfinished_and_every_file_says_what_it_is() {
    let mut wrong = Vec::new();
    for source in sources() {
        for (number, line) in source.text.lines().enumerate() {
            for (one, other) in UNFINISHED {
                let word = format!("{one}{other}");
                let whole = |at: usize| {
                    starts_a_path(line, at) && !line[at + word.len()..].starts_with(|c: char| c.is_alphanumeric())
                };
                if line.match_indices(&word).any(|(at, _)| whole(at)) {
                    wrong.push(format!("{}:{}: {}", source.path.display(), number + 1, line.trim()));
                }
            }
        }
        if !source.text.starts_with("//! ") {
            wrong.push(format!("{} does not begin with a `//!` line that says what it is.", source.path.display()));
        }
    }
    report(&wrong);
}

#[test]
fn exceptions_to_the_disallowed_methods_name_their_reason() {
    for source in sources() {
        for line in source.text.lines().filter(|line| line.contains("clippy::disallowed")) {
            let crate_level = ["lib", "main"].contains(&source.module.as_str()) && line.contains("warn(");
            let reasoned = line.contains("expect(") && line.contains("reason = \"");
            assert!(crate_level || reasoned, "{}: {line}", source.path.display());
        }
    }
}

/// Packages that reach other machines.
const NETWORK: &[&str] =
    &["reqwest", "ureq", "hyper", "curl", "attohttpc", "isahc", "tokio", "async-std", "tungstenite"];

#[test]
fn only_the_optional_redis_feature_reaches_another_machine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let has = |name: &str| manifest.lines().any(|line| line.starts_with(&format!("{name} = ")));
    let redis = manifest.lines().find(|line| line.starts_with("redis = { version")).unwrap();
    assert!(redis.contains("optional = true") && !has("default"));
    for package in NETWORK {
        assert!(!has(package), "`{package}` reaches other machines; hefesto works offline.");
    }
    for source in sources() {
        for socket in ["TcpStream", "TcpListener", "UdpSocket", "ToSocketAddrs"] {
            assert!(
                !source.code().contains(socket),
                "{} uses `{socket}`; hefesto works offline.",
                source.path.display()
            );
        }
    }
}
