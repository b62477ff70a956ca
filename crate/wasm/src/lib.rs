//! The core as the page's worker sees it: a thin shell over `session`.

use session::view::{CheckView, HoverView, RunView};
use session::{Options, Page};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// One text at a time: check it, ask about it, run it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Playground {
    page: Page,
}

#[wasm_bindgen]
impl Playground {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Playground {
        Playground::default()
    }

    /// Takes a new text and checks it.
    pub fn update(&mut self, text: &str) -> Result<Ts<CheckView>, JsError> {
        Ok(self.page.update(text).into_ts()?)
    }

    /// What is at a UTF-16 offset of the last text.
    pub fn hover(&self, offset: u32) -> Result<Option<Ts<HoverView>>, JsError> {
        Ok(self.page.hover(offset).map(|view| view.into_ts()).transpose()?)
    }

    /// Runs the last text with at most this many calls and match tests.
    pub fn run(&self, fuel: f64) -> Result<Ts<RunView>, JsError> {
        Ok(self.page.run(&Options { fuel: fuel as u64, ..Options::default() }).into_ts()?)
    }

    /// The Markdown page of an error code.
    pub fn explain(&self, code: &str) -> Option<String> {
        session::explain(code).map(str::to_owned)
    }

    /// What the command line prints for a command with `--json`.
    pub fn command(&self, name: &str, text: &str, options: &str) -> Option<String> {
        session::command::command_json(name, text, options)
    }
}
