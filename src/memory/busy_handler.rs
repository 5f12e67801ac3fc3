//! How a writer waits for another one: it retries after pauses that differ between processes, so that none of many
//! writers starves.

use std::cell::Cell;
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
    thread_local!(static CHANCE: Cell<u64> = Cell::new(seed()));
    let drawn = CHANCE.with(|chance| {
        chance.set(next(chance.get()));
        chance.get()
    });
    std::thread::sleep(Duration::from_micros(PAUSE.0 + drawn % (PAUSE.1 - PAUSE.0)));
    true
}

/// A seed that differs between processes and between threads.
fn seed() -> u64 {
    let here = 0_u8;
    let place = std::ptr::from_ref(&here).addr() as u64;
    u64::from(std::process::id()).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ place | 1
}

/// One step of a xorshift generator: good enough to desynchronise the pauses.
fn next(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^ (state << 17)
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
