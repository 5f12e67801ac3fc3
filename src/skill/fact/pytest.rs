//! The settings of pytest in pyproject.toml, pytest.ini, tox.ini or setup.cfg.

use super::lines::code;
use super::{Fact, Facts, Kind, Source};

/// Settings that are quoted literally.
const KEYS: &[&str] = &[
    "testpaths", "asyncio_mode", "timeout", "python_files", "DJANGO_SETTINGS_MODULE", "filterwarnings", "minversion",
    "required_plugins",
];

/// One setting: its key, its value with the items of a list on lines of their own, the line of the key.
pub(super) fn setting(source: &Source<'_>, key: &str, value: &str, line: usize, out: &mut Facts) {
    let on = matches!(value.trim(), "true" | "True" | "1" | "yes" | "on");
    let mut put = |id: &str, text: &str| {
        out.put(source, line, Fact::new(Kind::TestConfig, text).id(id).about("pytest test").about(key));
    };
    match key {
        "addopts" => {
            let flat = value.split_whitespace().collect::<Vec<_>>().join(" ");
            put("addopts", &code(&format!("addopts = \"{flat}\"")));
            for (flag, id) in [("--strict-markers", "strict-markers"), ("--strict", "strict-markers")] {
                if flat.split(' ').any(|word| word == flag) {
                    put(id, &format!("`{flag}` is set in `addopts`"));
                }
            }
            if flat.contains("--reruns") {
                put("reruns", "`--reruns` is set in `addopts`: a test that fails once is run again");
            }
        }
        "xfail_strict" | "strict_xfail" if on => {
            put("xfail_strict", &format!("`{key} = true`: an expected failure that passes fails the build"));
        }
        "strict" if on => {
            put("xfail_strict", "`strict = true` (pytest 9): an expected failure that passes fails the build");
            put("strict-markers", "`strict = true` (pytest 9): a marker has to be registered");
        }
        "strict_markers" if on => put("strict-markers", "`strict_markers = true`: a marker has to be registered"),
        "markers" => markers(source, value, line, out),
        _ if KEYS.contains(&key) => {
            let flat = value.lines().collect::<Vec<_>>().join(", ");
            put(key, &code(&format!("{key} = {flat}")));
        }
        _ => {}
    }
}

/// `name: meaning`, one a line.
fn markers(source: &Source<'_>, value: &str, line: usize, out: &mut Facts) {
    for marker in value.lines().filter(|line| !line.trim().is_empty()) {
        let (name, meaning) = marker.split_once(':').unwrap_or((marker, ""));
        let (name, meaning) = (name.trim(), meaning.trim());
        let meaning = if meaning.is_empty() { String::new() } else { format!(": {meaning}") };
        let text = format!("marker {}{meaning}", code(name));
        let own = source.text.lines().position(|line| line.contains(marker.trim())).map_or(line, |at| at + 1);
        let id = format!("marker-{}", name.split('(').next().unwrap_or(name));
        out.put(source, own, Fact::new(Kind::TestConfig, text).id(id).about("pytest test marker").about(marker));
    }
}
