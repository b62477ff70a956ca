//! What the tests share: pages read from Markdown.
//!
//! A heading names a test; the `relay`, `refine` or `tensorscript` fences under it join into one program, in the
//! surface of the first. Comments in the program are its assertions: `#  ^? TYPE` a hover,
//! `#  ^ error[code] "part of the message"` (or `warning`) a diagnostic of the line above, `#=> VALUE` the value of the
//! expression above. Errors and warnings that no assertion claims fail the test.
//!
//! Deliberately absent: any call of the core but through `session`.

pub mod blame;
pub mod facts;
pub mod page;
pub mod programs;

use std::path::{Path, PathBuf};

/// The project's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests stand in the root").to_owned()
}

/// Every file below a folder with this extension, in order of their paths.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_generated = ["target", "node_modules", "dist"].contains(&&*name) || path.ends_with("src/wasm");
            if path.is_dir() && !name.starts_with('.') && !is_generated {
                pending.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
