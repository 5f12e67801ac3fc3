//! What differs between operating systems. Two halves have the same names and one of them is compiled; nothing else in
//! the source knows the platform.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{files, listing, places, process, signals, source, terminal};
#[cfg(windows)]
pub use windows::{files, listing, places, process, signals, source, terminal};
