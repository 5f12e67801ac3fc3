//! Where things are: the home directory, the temporary one, programs.

#![expect(clippy::disallowed_methods, reason = "what Env and the search for programs are made of")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf, Prefix};

use crate::skill::name::is_device;

/// The variables that name the home directory; the first that is set counts.
pub const HOME: &[&str] = &["USERPROFILE", "HOME"];

/// The variable that names the directory of settings.
pub const CONFIG: &str = "APPDATA";

/// The variables that name the directory for what is kept for a moment, and what it is without them.
pub const TEMP: &[&str] = &["TMP", "TEMP"];
pub const TEMP_ELSE: &str = "C:/Windows/Temp";

/// The editor and the pager where none is named.
pub const EDITOR: &str = "notepad";
pub const PAGER: &str = "more";

/// The endings of programs, where `PATHEXT` names none.
const ENDINGS: &str = ".COM;.EXE;.BAT;.CMD";

/// Of the paths that a thing has on Linux, macOS and Windows, the one it has here; empty for none.
pub const fn of_system(_linux: &'static str, _macos: &'static str, windows: &'static str) -> &'static str {
    windows
}

/// The environment. The case of a name means nothing.
pub fn vars() -> BTreeMap<OsString, OsString> {
    std::env::vars_os().map(|(name, value)| (name.to_ascii_uppercase(), value)).collect()
}

/// The files in a directory that a program of this name may be: one with an ending of `PATHEXT`, which the name may
/// have already.
pub fn programs(dir: &Path, name: &str) -> Vec<PathBuf> {
    let endings = endings();
    let has = |ending: &String| name.to_ascii_lowercase().ends_with(&ending.to_ascii_lowercase());
    if endings.iter().any(has) {
        return vec![dir.join(name)];
    }
    endings.iter().map(|ending| dir.join(format!("{name}{}", ending.to_ascii_lowercase()))).collect()
}

fn endings() -> Vec<String> {
    let named = std::env::var("PATHEXT").unwrap_or_else(|_| ENDINGS.to_owned());
    named.split(';').filter(|ending| ending.len() > 1).map(str::to_owned).collect()
}

/// Whether this file can be run: its name says so.
pub fn is_program(path: &Path) -> bool {
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
    path.is_file() && ending.is_some_and(|ending| endings().iter().any(|known| known.eq_ignore_ascii_case(&ending)))
}

/// The absolute path with every link resolved, without the `\\?\` that most programs do not understand; it exists.
pub fn real(path: &Path) -> std::io::Result<PathBuf> {
    let real = path.canonicalize()?;
    let mut parts = real.components();
    let plain = match parts.next() {
        Some(Component::Prefix(prefix)) => match prefix.kind() {
            Prefix::VerbatimDisk(disk) => Some(PathBuf::from(format!("{}:\\", char::from(disk)))),
            Prefix::VerbatimUNC(server, share) => {
                let mut path = OsString::from(r"\\");
                path.push(server);
                path.push("\\");
                path.push(share);
                path.push("\\");
                Some(path.into())
            }
            _ => None,
        },
        _ => None,
    };
    Ok(match plain {
        Some(plain) => plain.join(parts.filter(|part| *part != Component::RootDir).collect::<PathBuf>()),
        None => real,
    })
}

/// Why nothing can have this name here, where that is so: it means a device with any ending, or Windows cuts it.
pub fn unnameable(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    if is_device(&stem.to_ascii_lowercase()) {
        return Some("is the name of a device on Windows");
    }
    if name.ends_with(['.', ' ']) {
        return Some("ends in a full stop or a blank, which Windows leaves out");
    }
    name.contains(['<', '>', ':', '"', '|', '?', '*']).then_some("holds a character that no name on Windows has")
}

/// The bytes of an absolute path as a URI has them.
pub fn uri_path(path: &Path) -> Vec<u8> {
    format!("/{}", path.to_string_lossy().replace('\\', "/")).into_bytes()
}
