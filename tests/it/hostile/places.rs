//! What hefesto keeps below a project, and what governs it, is something else than it should be.

use std::fs;
use std::os::unix::net::UnixListener;

use rustix::fs::FileType;

use super::clone::{Attack, Clone};

/// What is put in a place.
type Kind = (&'static str, fn(&Clone, &str));

const KINDS: &[Kind] = &[
    ("a link to a directory outside", |clone, at| clone.link(at, "BASE/victim")),
    ("a relative link to a directory outside", |clone, at| {
        clone.link(at, &format!("{}victim", "../".repeat(at.split('/').count())));
    }),
    ("a link to a file outside", |clone, at| clone.link(at, "BASE/victim/notes.txt")),
    ("a link to a file that is not there yet, outside", |clone, at| clone.link(at, "BASE/victim/new")),
    ("a link to a directory of the user's inside", |clone, at| clone.link(at, "BASE/project/mine")),
    ("a link to a file of the user's inside", |clone, at| clone.link(at, "BASE/project/mine/notes.txt")),
    ("a link to itself", |clone, at| clone.link(at, at.rsplit('/').next().unwrap())),
    ("a link to a device", |clone, at| clone.link(at, "/dev/zero")),
    ("a FIFO", |clone, at| assert!(clone.node(at, FileType::Fifo), "no FIFO can be made")),
    ("a device", |clone, at| {
        if !clone.node(at, FileType::CharacterDevice) {
            static SAID: std::sync::Once = std::sync::Once::new();
            SAID.call_once(|| println!("no device can be made here: attacks by devices are skipped"));
        }
    }),
    ("a socket", |clone, at| {
        clone.clear(at);
        drop(UnixListener::bind(clone.path(at)).unwrap());
    }),
    ("a file for a directory, or a directory for a file", |clone, at| {
        let is_file = clone.path(at).is_file();
        clone.clear(at);
        if is_file {
            fs::create_dir(clone.path(at)).unwrap();
        } else {
            fs::write(clone.path(at), "no directory\n").unwrap();
        }
    }),
];

pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = Vec::new();
    for place in include_str!("../../../fixtures/hostile/places.txt").lines() {
        for (kind, lay) in KINDS {
            let adds = place.starts_with(".claude") && kind.ends_with("a directory of the user's inside");
            all.push(Attack::new(format!("{place} is {kind}"), |clone| lay(clone, place)).adding_inside(adds));
        }
    }
    all
}
