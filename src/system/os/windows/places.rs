//! Where things are: the home directory, the temporary one, programs.

#![expect(clippy::disallowed_methods, reason = "what Env and the search for programs are made of")]

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf, Prefix};

pub const HOME: &[&str] = &["USERPROFILE", "HOME"];
pub const CONFIG: &str = "APPDATA";
pub const TEMP: &[&str] = &["TMP", "TEMP"];
pub const TEMP_ELSE: &str = "C:/Windows/Temp";
pub const EDITOR: &str = "notepad";
pub const PAGER: &str = "more";

/// The endings of programs, where `PATHEXT` names none.
const ENDINGS: &str = ".COM;.EXE;.BAT;.CMD";

pub const fn of_system(_linux: &'static str, _macos: &'static str, windows: &'static str) -> &'static str {
    windows
}

/// The environment. The case of a name means nothing.
pub fn vars() -> std::collections::BTreeMap<OsString, OsString> {
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
    let Some(Component::Prefix(prefix)) = parts.next() else { return Ok(real) };
    let plain: OsString = match prefix.kind() {
        Prefix::VerbatimDisk(disk) => format!("{}:\\", char::from(disk)).into(),
        Prefix::VerbatimUNC(server, share) => {
            let (begin, between) = (OsStr::new(r"\\"), OsStr::new(r"\"));
            [begin, server, between, share, between].into_iter().collect()
        }
        _ => return Ok(real),
    };
    Ok(Path::new(&plain).join(parts.filter(|part| *part != Component::RootDir).collect::<PathBuf>()))
}

/// Why nothing can have this name here, where that is so: it means a device with any ending, or Windows cuts it.
pub fn unnameable(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    if crate::skill::name::is_device(&stem.to_ascii_lowercase()) {
        return Some("is the name of a device on Windows");
    }
    if name.ends_with(['.', ' ']) {
        return Some("ends in a full stop or a blank, which Windows leaves out");
    }
    name.contains(['<', '>', ':', '"', '|', '?', '*']).then_some("holds a character that no name on Windows has")
}

pub fn uri_path(path: &Path) -> Vec<u8> {
    format!("/{}", path.to_string_lossy().replace('\\', "/")).into_bytes()
}
