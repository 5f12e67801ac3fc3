//! Arguments in, exit code out.

#![warn(clippy::disallowed_methods)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(hefesto::start(std::env::args_os()).number())
}
