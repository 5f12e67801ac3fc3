//! The operating system: environment, clock, files below a root, programs.
pub mod env;
pub mod input;
pub mod os;
pub mod output;
pub mod private_dir;
pub mod replace;
pub mod rooted;
pub mod search_path;
pub mod subprocess;
