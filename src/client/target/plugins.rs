//! How a client keeps the plugins that bring skills along, and which of them it uses.

use super::UserDir;

/// The plugins of a client. Each keeps its skills in `skills` and where its manifest says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plugins {
    /// A file lists where each is and for which project. It is used where the last settings file that names it in
    /// `enabledPlugins` says so, and its skills go by `PLUGIN:NAME`.
    Listed { list: UserDir, manifest: &'static str },
    /// Each is in `MARKETPLACE/PLUGIN/VERSION`. It is used where `[plugins."PLUGIN@MARKETPLACE"]` of the user's settings
    /// says so, and its skills go by `PLUGIN:NAME`.
    Cached { cache: UserDir, settings: UserDir, manifest: &'static str },
    /// Each is a folder. It is used unless a rule leaves the directory out, and its skills keep their names.
    Extensions { dir: UserDir, manifest: &'static str },
}
