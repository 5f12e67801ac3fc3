//! Settings: what each source may set, and their precedence.

use super::*;
use crate::client::target::Arguments;

/// The settings with these files of the user and of the project.
fn with_files(user: &str, project: &str, vars: &[(&str, &str)]) -> Result<Settings> {
    let dir = tempfile::tempdir().unwrap();
    let (home, root) = (dir.path().join("home"), dir.path().join("project"));
    std::fs::create_dir_all(root.join(".hefesto")).unwrap();
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("config.toml"), user).unwrap();
    std::fs::write(root.join(".hefesto/config.toml"), project).unwrap();
    let vars = [vars, &[("HEFESTO_HOME", home.to_str().unwrap())]].concat();
    look(&Env::made(root.clone(), &vars, jiff::Timestamp::UNIX_EPOCH), &Project::at(root))
}

fn loaded(file: &str, vars: &[(&str, &str)]) -> Result<Settings> {
    with_files(file, "", vars)
}

/// A line for every setting in the table, with some name for `*`.
const EVERY: &str = "
gate_timeout = 60
wizard_timeout = 60
author = 'Ana'
license = 'MIT'
template = 'base'
draft = { command = ['x'], timeout = 5, mode = 'ask' }
target = 'claude'
fifo = { capacity = 3 }
ooda = { events = 9, entities = 9, entity_seconds = 60, event_seconds = 60, context = 9 }
runs = { wait_days = 7 }
history = { versions = 7 }
turn = { tokens = 900 }
layout = 'shared'
rules = { S16 = 'off' }
[stm]
backend = 'redis'
url = 'redis://h'
namespace = 'n'
entries = 10
entry_bytes = 1024
session_bytes = 65536
hours = 1
[targets.zed]
title = 'Zed'
skills_dir = '.zed/skills'
project_marks = ['.zed']
also_reads = ['.agents/skills']
arguments = '{{args}}'
invoke = '/NAME'
binaries = ['/proc/self/cwd/run.sh']
home_dirs = ['../../etc']
";

#[test]
fn a_project_sets_what_the_table_lets_it_and_everything_else_is_ignored_by_name() {
    let (user, project) = (with_files(EVERY, "", &[]).unwrap(), with_files("", EVERY, &[]).unwrap());
    assert_eq!((user.ignored.len(), user.stm_backend.value.as_str()), (0, "redis"));
    let mut ignored: Vec<&str> = project.ignored.iter().map(|one| one.key.as_str()).collect();
    ignored.sort_unstable();
    let private = SETTINGS.iter().filter(|(_, who, _)| *who != Who::Project);
    let mut private: Vec<String> = private.map(|(key, _, _)| key.replace('*', "zed")).collect();
    private.sort_unstable();
    assert_eq!(ignored, private);
    assert_eq!(project.draft_command, default(Vec::new()));
    assert_eq!(
        (project.stm_backend, project.stm_url, project.stm_namespace),
        (default("sqlite".into()), default(None), default(None))
    );
    let zed = project.targets.get("zed").unwrap();
    assert_eq!((zed.binaries.len(), zed.home_dirs.len(), zed.skills_dir.as_str()), (0, 0, ".zed/skills"));
    assert_eq!((project.gate_timeout.value, project.draft_timeout.value, project.fifo_capacity.value), (60, 5, 3));
    let said = project.ignored.iter().find(|one| one.key == "draft.command").unwrap().text();
    for part in [".hefesto/config.toml", "draft.command", "it names a program", "home/config.toml"] {
        assert!(said.contains(part), "{part:?} is missing: {said}");
    }
}

#[test]
fn every_setting_has_a_row_and_every_row_is_a_setting() {
    let written: toml::Table = toml::from_str(EVERY).unwrap();
    let mut keys: Vec<String> = allowed::keys(&written, &[]).into_iter().map(|key| key.join(".")).collect();
    let mut rows: Vec<String> =
        SETTINGS.iter().map(|(key, _, _)| key.replace("rules.*", "rules.S16").replace('*', "zed")).collect();
    keys.sort_unstable();
    rows.sort_unstable();
    assert_eq!(keys, rows);
    // A setting without a row is refused even if the file's struct has a field for it.
    let mut unlisted: toml::Table = toml::from_str("draft.model = 'x'").unwrap();
    assert!(allowed::restrict(&mut unlisted, "f".as_ref(), None).is_err());
    // A name with a dot is one name and no other setting.
    assert_eq!(row(&["draft.command"]), None);
}

#[test]
fn a_project_neither_overrides_the_users_programs_nor_adds_to_them() {
    let user = "draft.command = ['mine']\n[targets.zed]\nskills_dir = '.zed/skills'\nbinaries = ['zed']";
    let project = "draft.command = ['./theirs']\n[targets.zed]\nskills_dir = '.z'\nbinaries = ['./theirs']\n\
                   [targets.claude]\nskills_dir = '.c/skills'\nbinaries = ['./theirs']";
    let settings = with_files(user, project, &[]).unwrap();
    assert_eq!(settings.draft_command.value, ["mine"]);
    let target = |id: &str| settings.targets.get(id).map(|t| (t.binaries.join(" "), t.skills_dir.clone())).unwrap();
    assert_eq!(target("zed"), ("zed".into(), ".z".into()));
    assert_eq!(target("claude"), ("claude".into(), ".c/skills".into()));
}

#[cfg(unix)]
#[test]
fn a_link_in_a_project_is_no_file_of_settings() {
    for (link, to) in [(".hefesto", ""), (".hefesto/config.toml", "config.toml")] {
        let dir = tempfile::tempdir().unwrap();
        let (outside, root) = (dir.path().join("outside"), dir.path().join("project"));
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::create_dir_all(root.join(link).parent().unwrap()).unwrap();
        std::fs::write(outside.join("config.toml"), "private words").unwrap();
        std::os::unix::fs::symlink(outside.join(to), root.join(link)).unwrap();
        let env = Env::made(root.clone(), &[], jiff::Timestamp::UNIX_EPOCH);
        let error = look(&env, &Project::at(&root)).unwrap_err();
        assert_eq!(error.code(), Code::Config);
        assert!(!error.message().contains("private"), "{link}: {}", error.message());
    }
}

#[test]
fn unless_told_otherwise_the_gate_waits_120_seconds_and_the_memory_has_its_defaults() {
    let settings = loaded("", &[]).unwrap();
    assert_eq!((settings.bounds(), &settings.fifo_capacity), (Bounds::default(), &default(20)));
    assert_eq!((settings.gate_timeout, settings.stm_backend), (default(120), default("sqlite".into())));
    assert_eq!(loaded("gate_timeout = 60", &[]).unwrap().gate_timeout.value, 60);
    let env = loaded("gate_timeout = 60", &[("HEFESTO_GATE_TIMEOUT", "1")]).unwrap().gate_timeout;
    assert_eq!(env, Setting { value: 1, origin: Origin::Environment("HEFESTO_GATE_TIMEOUT") });
}

/// A stub of git that records its calls, on its own PATH beside the project.
#[cfg(unix)]
fn with_git(dir: &std::path::Path) -> (String, PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let (bin, asked) = (dir.join("bin"), dir.join("asked"));
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::write(
        bin.join("git"),
        format!("#!/bin/sh\n/bin/pwd >> {0}\necho \"$@\" >> {0}\necho Ana\n", asked.display()),
    )
    .unwrap();
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    (bin.to_str().unwrap().to_owned(), asked)
}

#[cfg(unix)]
#[test]
fn git_is_asked_for_the_author_once_outside_the_project_and_not_where_one_is_set() {
    let dir = tempfile::tempdir().unwrap();
    let (path, asked) = with_git(dir.path());
    let project = Project::at(dir.path().join("project"));
    std::fs::create_dir(project.root()).unwrap();
    let env = Env::made(project.root().into(), &[("PATH", &path)], jiff::Timestamp::UNIX_EPOCH);
    let mut settings = look(&env, &project).unwrap();
    for _ in 0..2 {
        let ana = Setting { value: "Ana".to_owned(), origin: Origin::Git };
        assert_eq!(author(&env, &settings, &project), ana);
    }
    assert_eq!(std::fs::read_to_string(&asked).unwrap(), "/\nconfig --get user.name\n");
    settings.author.value = Some("Bea".into());
    assert_eq!(author(&env, &settings, &project).value, "Bea");
    assert_eq!(std::fs::read_to_string(&asked).unwrap().lines().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_git_on_a_relative_path_or_in_the_project_is_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let (inside, asked) = with_git(dir.path());
    let project = Project::at(dir.path());
    for path in ["", ".:", "bin", "::", &inside] {
        let env = Env::made(dir.path().into(), &[("PATH", path)], jiff::Timestamp::UNIX_EPOCH);
        let settings = look(&env, &project).unwrap();
        assert_eq!(author(&env, &settings, &project), default("user".into()), "{path:?}");
    }
    assert!(!asked.exists());
}

#[test]
fn a_repository_names_its_author_and_nothing_it_includes_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let git = dir.path().join(".git");
    std::fs::create_dir(&git).unwrap();
    std::fs::write(dir.path().join("other"), "[user]\nname = Included\n").unwrap();
    let vars = [("PATH", "/usr/bin:/bin"), ("HOME", "/nowhere"), ("GIT_CONFIG_NOSYSTEM", "1")];
    let env = Env::made(dir.path().into(), &vars, jiff::Timestamp::UNIX_EPOCH);
    let name = |config: &str| {
        std::fs::write(git.join("config"), config).unwrap();
        author(&env, &look(&env, &Project::at(dir.path())).unwrap(), &Project::at(dir.path())).value
    };
    assert_eq!(name("[user]\nname = Ana\n"), "Ana");
    assert_eq!(name("[include]\npath = ../other\n"), "user");
}

#[test]
fn what_cannot_be_used_is_refused() {
    let targets = |count: usize| (0..count).map(|n| format!("[targets.t{n}]\nskills_dir = '.t{n}/skills'\n")).collect();
    let (most, too_many): (String, String) = (targets(100), targets(101));
    assert!(loaded(&most, &[]).is_ok());
    for file in [
        "fifo.capacity = 0",
        "[fifo]\ncapacity = 1001",
        "fifo.size = 3",
        "ooda.events = 0",
        "ooda.entity_seconds = 86401",
        "ooda.nodes = 3",
        "layout = 'both'",
        "gate_timeout = 29",
        "gate_timeout = 601",
        "colour = 1",
        "targets.x.skills_dir = '../x'",
        "targets.x.skills_dir = '.hefesto/skills'",
        "targets.x.skills_dir = '.context/skills'",
        "targets.x.skills_dir = 'MEMORY.md.d/skills'",
        "= 1",
        "draft.command = []",
        "draft.command = ['']",
        "draft.timeout = 0",
        "draft.model = 'x'",
        "rules.S16 = 'loud'",
        "stm.backend = 'redis'",
        "stm.backend = 'paper'",
        "stm.colour = 1",
        &too_many,
    ] {
        assert_eq!(loaded(file, &[]).unwrap_err().code(), Code::Config, "{file}");
    }
    for value in ["0", "601", "soon", ""] {
        assert_eq!(loaded("", &[("HEFESTO_GATE_TIMEOUT", value)]).unwrap_err().code(), Code::Config, "{value}");
    }
}

#[test]
fn a_file_sets_the_draft_the_bounds_of_the_memory_and_targets() {
    let file = "[draft]\ncommand = ['my', '-q']\ntimeout = 5\n[fifo]\ncapacity = 1000\n[ooda]\nevents = 3\n\
                entity_seconds = 60\n[targets.zed]\nskills_dir = '.zed/skills'\narguments = '{{args}}'";
    let settings = loaded(file, &[]).unwrap();
    let Bounds { conversations, ooda } = settings.bounds();
    assert_eq!((conversations, ooda.events, ooda.ttl, ooda.entities), (1000, 3, 60, 512));
    let zed = settings.targets.get("zed").unwrap();
    assert_eq!((zed.skill_dir("x").as_str(), zed.arguments), (".zed/skills/x", Arguments::Braces));
    assert_eq!((settings.draft_command.value, settings.draft_timeout.value), (vec!["my".into(), "-q".into()], 5));
}

#[test]
fn rules_are_weighed_by_file_and_t0_is_left_as_it_is() {
    let settings = loaded("[rules]\ns16 = 'off'\n'T0-HEFESTO-03' = 'off'\nS99 = 'info'", &[]).unwrap();
    assert_eq!(settings.severities.level("S16"), Some(Level::Off));
    assert_eq!(settings.rules.keys().collect::<Vec<_>>(), ["S16"]);
    assert_eq!(settings.refused.len(), 2);
}

#[test]
fn short_term_memory_lies_in_sqlite_unless_told_otherwise() {
    let file = "[stm]\nbackend = 'redis'\nurl = 'redis://:word@db:6379/0'";
    let settings = loaded(file, &[]).unwrap();
    assert_eq!((settings.stm_backend.value.as_str(), settings.stm_namespace.value), ("redis", None));
    assert_eq!(without_login(&settings.stm_url.value.unwrap()), "redis://...@db:6379/0");
    assert_eq!(without_login("unix:///run/redis.sock?pass=word"), "unix:///run/redis.sock");
    let env = loaded(file, &[("HEFESTO_STM_URL", "unix:///x")]).unwrap().stm_url;
    assert_eq!(env, Setting { value: Some("unix:///x".into()), origin: Origin::Environment("HEFESTO_STM_URL") });
}
