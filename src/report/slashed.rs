//! Paths for display and storage: with `/` between their components on every platform.

use std::path::{MAIN_SEPARATOR, Path};

pub trait Slashed {
    fn slashed(&self) -> String;

    /// The same, if it is UTF-8.
    fn slashed_utf8(&self) -> Option<String>;
}

impl Slashed for Path {
    fn slashed(&self) -> String {
        self.to_string_lossy().replace(MAIN_SEPARATOR, "/")
    }

    fn slashed_utf8(&self) -> Option<String> {
        self.to_str().map(|path| path.replace(MAIN_SEPARATOR, "/"))
    }
}
