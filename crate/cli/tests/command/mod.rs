//! The command line as a process.

use std::io::Write;
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
    child.stdin.take().expect("standard input").write_all(stdin.as_bytes()).expect("relish reads");
    child.wait_with_output().expect("relish ends")
}
