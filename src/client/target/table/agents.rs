//! The shared .agents directory, and the clients that hefesto serves through it.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "agents",
    title: "the shared .agents directory",
    skills_dir: ".agents/skills",
    reads: Reads { project: &[".agents/skills"], user: &[SHARED], ..Reads::TYPICAL },
    ..Record::TYPICAL
};

/// A client without a target of its own: it reads the shared directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reader {
    /// Its id for `--target`, which is an alias of `agents`.
    pub id: &'static str,
    pub title: &'static str,
    /// Its configuration directories below the home directory, by which it is found.
    pub home_dirs: &'static [&'static str],
    /// Whether it reads the user's own `~/.agents/skills` too, not only the project's.
    pub reads_home: bool,
}

const fn reader(id: &'static str, title: &'static str, home_dirs: &'static [&'static str], reads_home: bool) -> Reader {
    Reader { id, title, home_dirs, reads_home }
}

/// The readers, according to their documentation and published code in November 2026; Kilo Code, Amp, Factory Droid and
/// Cline were run.
pub const READERS: &[Reader] = &[
    reader("amp", "Amp", &[".config/amp"], true),
    reader("antigravity", "Antigravity", &[".gemini/antigravity-cli", ".gemini/antigravity"], false),
    reader("auggie", "Auggie", &[".augment"], true),
    reader("cline", "Cline", &[".cline"], true),
    reader("crush", "Crush", &[".config/crush"], true),
    reader("devin", "Devin", &[".config/devin"], false),
    reader("droid", "Factory Droid", &[".factory"], true),
    reader("goose", "Goose", &[".config/goose"], true),
    reader("kilo", "Kilo Code", &[".config/kilo", ".kilo", ".kilocode"], true),
    reader("kimi", "Kimi CLI", &[".kimi", ".kimi-code"], true),
    reader("vibe", "Mistral Vibe", &[".vibe"], true),
    reader("pi", "Pi", &[".pi/agent"], true),
    reader("warp", "Warp", &[".warp"], true),
    reader("windsurf", "Windsurf", &[".codeium/windsurf"], false),
    reader("zed", "Zed", &[".config/zed"], true),
];
