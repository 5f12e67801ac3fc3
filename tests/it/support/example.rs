//! The examples as programs. `cargo test` builds them beforehand; with `--test it` alone they are built when first
//! needed.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Once;

/// The built example of this name.
pub(crate) fn example(name: &str) -> PathBuf {
    static BUILT: Once = Once::new();
    let built = PathBuf::from(env!("CARGO_BIN_EXE_hefesto")).with_file_name("examples").join(name);
    BUILT.call_once(|| {
        if !built.exists() {
            let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
            let build = ["build", "--quiet", "--examples", "--profile", profile];
            let done = Command::new(env!("CARGO")).args(build).status().unwrap();
            assert!(done.success(), "the examples cannot be built");
        }
    });
    built
}
