//! Where things are: the home directory, the temporary one, programs.

#![expect(clippy::disallowed_methods, reason = "what Env and the search for programs are made of")]

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The variables that name the home directory; the first that is set counts.
pub const HOME: &[&str] = &["HOME"];

/// The variable that names the directory of settings. macOS has it too: the CLIs that read skills keep theirs below the
/// home directory there, and none of them in `Library`.
pub const CONFIG: &str = "XDG_CONFIG_HOME";

/// The variables that name the directory for what is kept for a moment, and what it is without them.
pub const TEMP: &[&str] = &["TMPDIR"];
pub const TEMP_ELSE: &str = "/tmp";

/// The editor and the pager where none is named. `less -FRX` quits at once on one screen and keeps colours.
pub const EDITOR: &str = "vi";
pub const PAGER: &str = "less -FRX";

/// Of the paths that a thing has on Linux, macOS and Windows, the one it has here; empty for none.
pub const fn of_system(linux: &'static str, macos: &'static str, _windows: &'static str) -> &'static str {
    if cfg!(target_os = "macos") { macos } else { linux }
}

pub fn vars() -> std::collections::BTreeMap<OsString, OsString> {
    std::env::vars_os().collect()
}

/// The files in a directory that a program of this name may be.
pub fn programs(dir: &Path, name: &str) -> Vec<PathBuf> {
    vec![dir.join(name)]
}

/// Whether this file can be run.
pub fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The absolute path with every link resolved; it exists.
pub fn real(path: &Path) -> std::io::Result<PathBuf> {
    path.canonicalize()
}

/// Why nothing can have this name here, where that is so.
pub fn unnameable(_: &str) -> Option<&'static str> {
    None
}

/// The bytes of an absolute path as a URI has them.
pub fn uri_path(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}
