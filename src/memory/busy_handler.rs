//! How a writer waits for another one: it retries after pauses that differ between processes, so that none of many
//! writers starves.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use crate::terminal::signal;

/// Shortest and longest pause, microseconds.
const PAUSE: (u64, u64) = (200, 10_000);

/// After how many pauses (about half a minute) the database counts as locked.
const MOST: i32 = 6_000;

/// The same after a signal (about a second).
const MOST_AFTER_SIGNAL: i32 = 200;

/// The busy handler of a connection: pauses, and says whether to try again.
pub(super) fn wait(tried: i32) -> bool {
    if tried >= MOST || tried >= MOST_AFTER_SIGNAL && signal::arrived() {
        return false;
    }
    // Its keys are random, and differ between processes and between threads.
    let drawn = RandomState::new().hash_one(tried);
    std::thread::sleep(Duration::from_micros(PAUSE.0 + drawn % (PAUSE.1 - PAUSE.0)));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_not_wait_for_ever() {
        assert!(wait(0));
        assert!(!wait(MOST));
    }
}
