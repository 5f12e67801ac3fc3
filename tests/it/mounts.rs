//! Projects on file systems that are not one plain disk: an overlay, a mount inside a skill, and files of another user.
//!
//! They need a mount namespace of their own, or to be root. Where that is not permitted the tests say so and pass.

use std::process::Command;

/// Two stub CLIs, a home, and a project holding one skill in both, in `$W/lower`.
const BEGIN: &str = include_str!("../../fixtures/mounts/begin.sh");

const OVERLAY: &str = include_str!("../../fixtures/mounts/overlay.sh");

const MOUNTED: &str = include_str!("../../fixtures/mounts/mounted.sh");

const FOREIGN: &str = include_str!("../../fixtures/mounts/foreign.sh");

/// Runs a script in a mount namespace of its own.
fn run(name: &str, script: &str) {
    let dir = tempfile::tempdir().unwrap();
    let namespace: &[&str] = if rustix::process::getuid().is_root() { &["-m"] } else { &["-Urm"] };
    let mut command = Command::new("unshare");
    command.args(namespace).args(["sh", "-c", &format!("{BEGIN}{script}"), "sh"]).arg(dir.path());
    let done = command.arg(env!("CARGO_BIN_EXE_hefesto")).env_clear().env("PATH", "/usr/bin:/bin").output();
    let said = done.as_ref().map(|done| String::from_utf8_lossy(&[&done.stdout[..], &done.stderr[..]].concat()).into());
    let said: String = said.unwrap_or_default();
    match done.map(|done| done.status.code()) {
        Ok(Some(0)) => {}
        Ok(Some(77)) => eprintln!("SKIPPED {name}: not permitted here\n{said}"),
        Ok(_) if said.starts_with("unshare:") => eprintln!("SKIPPED {name}: {said}"),
        Err(error) => eprintln!("SKIPPED {name}: unshare: {error}"),
        Ok(code) => panic!("{name} ends with {code:?}\n{said}"),
    }
}

#[cfg(debug_assertions)]
#[test]
fn an_overlay_is_written_to_and_a_kill_leaves_old_or_new() {
    run("overlay", OVERLAY);
}

#[test]
fn a_mount_point_is_neither_replaced_nor_removed() {
    run("mounted", MOUNTED);
}

/// `/etc` is an empty directory with what whoever looks after the machine would lay down.
const MANAGED: &str = include_str!("../../fixtures/mounts/managed.sh");

#[test]
fn what_is_laid_down_for_the_machine_decides_what_clients_list() {
    run("managed", MANAGED);
}

#[test]
fn files_of_another_user_in_the_old_skill_block_nothing() {
    run("foreign", FOREIGN);
}
