//! Arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(hefesto::start(std::env::args_os()).number())
}
