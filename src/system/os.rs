//! What differs between operating systems. Two halves have the same names and one of them is compiled; nothing else in
//! the source knows the platform. What a name means is said in the Unix half, and in the other where it differs.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{files, listing, places, process, terminal};
#[cfg(windows)]
pub use windows::{files, listing, places, process, terminal};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// The other end has something to read, or has come to its end; `hangup`: because its line was lost.
    Readable {
        hangup: bool,
    },
    /// A signal, perhaps, or nothing at all.
    Other,
    Late,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// So many bytes; none where it was cut short.
    Bytes(usize),
    End,
    /// The line is lost.
    Gone,
}
