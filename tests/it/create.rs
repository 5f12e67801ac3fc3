//! `create` from the first argument to the last file, in-process, with a person whose answers are known.

mod collision;
mod delete;
mod edit;
mod expand;
mod gate;
mod options;
mod persist;
mod repair;
mod restore;
mod resume;
mod start;
mod stored;
mod undo;
mod wizard;

use hefesto::terminal::prompt::Answer;

use crate::support::world::{Person, World};

/// Whatever a person does but approve, this command changes nothing.
#[track_caller]
fn only_an_approval(world: &World, args: &[&str]) {
    for (person, code, exit) in [
        (Person::saying(&["reject"]), "E-CREATE-011", 3),
        (Person::saying(&["", "y", "yes"]), "E-CREATE-011", 3),
        (Person::nobody(), "E-CREATE-011", 3),
        (Person::default().ends(Answer::TimedOut), "E-CREATE-012", 4),
        (Person::default().ends(Answer::Signal(2)), "E-SIGNAL-001", 130),
        (Person::default().ends(Answer::Signal(15)), "E-SIGNAL-001", 143),
        (Person::default().ends(Answer::Signal(1)), "E-SIGNAL-001", 129),
    ] {
        world.run_by(args, person).fails(code, exit).changes_nothing();
    }
}
