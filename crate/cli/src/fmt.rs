//! `relish fmt`: files rewritten in their best layout.

use crate::{Usage, code, print, problems, read_bytes, say};
use base::{Append, Surface};
use session::command::{Formatting, format_json};
use std::process::ExitCode;

/// All files are read before the first is written. One with mistakes stays as it is, and one that cannot be written keeps
/// no other from it.
pub fn fmt(files: Vec<String>, check: bool, json: bool) -> Result<ExitCode, Usage> {
    let files = files.into_iter().map(|file| {
        let text = String::from_utf8(read_bytes(&file)?);
        let text = text.map_err(|_| Usage(format!("{file} is no UTF-8 text; it is left as it is")))?;
        Ok(Formatting { outcome: session::format(&text, Surface::of_file(&file)), file, text })
    });
    let files: Vec<Formatting> = files.collect::<Result<_, Usage>>()?;
    let (mut failed, mut unwritten) = (false, Vec::new());
    for Formatting { file, text, outcome } in &files {
        match outcome {
            Err(diagnostics) => {
                failed = true;
                problems(file, text, if json { &[] } else { diagnostics });
            }
            Ok(formatted) if check => {
                failed |= formatted != text;
                if formatted != text && !json {
                    say(file);
                }
            }
            Ok(formatted) if file == "-" => print(if json { "" } else { formatted }),
            Ok(formatted) if formatted != text => {
                let written = std::fs::write(file, formatted);
                unwritten.append_all(written.err().map(|error| Usage(format!("cannot write {file}: {error}"))));
            }
            Ok(_) => {}
        }
    }
    if json {
        say(format_json(&files));
    }
    unwritten.into_iter().next().map_or(Ok(code(failed)), Err)
}
