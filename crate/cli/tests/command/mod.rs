//! The command line as a process.

use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};

/// Runs it to its end, with a text for standard input.
pub fn relish(args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_relish"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("relish starts");
    let written = child.stdin.take().expect("standard input").write_all(stdin.as_bytes());
    // What is refused for its arguments may have ended before.
    let is_read = written.map_or_else(|error| error.kind() == ErrorKind::BrokenPipe, |()| true);
    assert!(is_read, "relish reads");
    child.wait_with_output().expect("relish ends")
}
