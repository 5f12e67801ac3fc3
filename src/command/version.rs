//! `hefesto --version --verbose`: which build this is.

use serde_json::{Value, json};

/// The commit the program was built from, set by `dist/build` only.
const COMMIT: Option<&str> = option_env!("HEFESTO_COMMIT");
/// The target triple, set by `dist/build`.
const TARGET: Option<&str> = option_env!("HEFESTO_TARGET");

/// The optional features that are compiled in.
const FEATURES: &[&str] = &[
    #[cfg(feature = "redis")]
    "redis",
    #[cfg(feature = "exact-tokens")]
    "exact-tokens",
];

fn target() -> String {
    TARGET.map_or_else(|| format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS), str::to_owned)
}

/// The lines below the version.
pub(super) fn text() -> String {
    let features = if FEATURES.is_empty() { "none".to_owned() } else { FEATURES.join(", ") };
    format!("commit: {}\ntarget: {}\nfeatures: {features}\n", COMMIT.unwrap_or("unknown"), target())
}

/// The same for a machine.
pub(super) fn json() -> Value {
    json!({ "version": env!("CARGO_PKG_VERSION"), "commit": COMMIT, "target": target(), "features": FEATURES })
}
