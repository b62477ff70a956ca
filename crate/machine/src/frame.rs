//! Where a function's variables are in its frame.
//!
//! A variable has its words from where it is given to where it is used last; then others of as many words may have
//! them. Blocks lead to larger ids, so the text is gone through once, in order, and what is used no further down is
//! used no more (linear scan: Poletto and Sarkar, 1999). What is given where another one is used last does not get its
//! words: no instruction overwrites what it reads. The parameters of a block are given where the first jump to it is.
//!
//! Worked example: `v1 = 1; v2 = add(v0, v1); v3 = add(v2, v2); return v3` of the parameter v0 needs three words, as v3
//! takes that of v0 or v1.

use crate::code::Place;
use base::Idx;
use ir::{End, Function, VarId};
use layout::{Layouts, n_words};

pub struct Places {
    /// Of the frame.
    pub n_words: u32,
    /// By variable.
    pub of: Vec<Place>,
}

pub fn places(layouts: &Layouts, function: &Function) -> Places {
    let mut frame = Frame {
        layouts,
        function,
        places: Places { n_words: 0, of: base::filled(Place::default(), function.vars.len()) },
        last: last_uses(function),
        is_placed: base::filled(false, function.vars.len()),
        free: Vec::new(),
    };
    // Parameters come first, in order, whether they are used or not.
    frame.give(&function.params);
    let mut at = 0;
    frame.end(at, &function.params);
    for block in function.blocks.iter() {
        at += 1;
        frame.give(&block.params);
        frame.end(at, &block.params);
        for instr in &block.instrs {
            at += 1;
            frame.give(&instr.results);
            frame.end(at, &instr.args);
            frame.end(at, &instr.results);
        }
        at += 1;
        if let End::Jump(target, _) = &block.end {
            frame.give(&function.blocks[*target].params);
        }
        frame.end(at, block.end.args());
    }
    frame.places
}

/// By variable, the last point at which it is used: points are the beginnings of blocks, instructions and ends, in
/// order. One that is not used at all ends where it begins.
fn last_uses(function: &Function) -> Vec<u32> {
    let mut last = base::filled(0, function.vars.len());
    let mut at = 0;
    let mut use_at = |vars: &[VarId], at: u32| vars.iter().for_each(|var| last[var.index()] = at);
    for block in function.blocks.iter() {
        at += 1;
        use_at(&block.params, at);
        for instr in &block.instrs {
            at += 1;
            use_at(&instr.results, at);
            use_at(&instr.args, at);
        }
        at += 1;
        use_at(block.end.args(), at);
    }
    last
}

struct Frame<'a> {
    layouts: &'a Layouts,
    function: &'a Function,
    places: Places,
    last: Vec<u32>,
    is_placed: Vec<bool>,
    /// By number of words, the places that nothing needs.
    free: Vec<Vec<u32>>,
}

impl Frame<'_> {
    fn give(&mut self, vars: &[VarId]) {
        for &var in vars {
            if std::mem::replace(&mut self.is_placed[var.index()], true) {
                continue;
            }
            let n_words = n_words(self.layouts[self.function.vars[var].layout].bits) as u32;
            let at = match self.free.get_mut(n_words as usize).and_then(Vec::pop) {
                Some(at) => at,
                None => {
                    self.places.n_words += n_words;
                    self.places.n_words - n_words
                }
            };
            self.places.of[var.index()] = Place { at, n_words };
        }
    }

    /// Of those that are used for the last time, the words are free from here on.
    fn end(&mut self, at: u32, vars: &[VarId]) {
        for &var in vars {
            let n_words = self.places.of[var.index()].n_words as usize;
            if self.last[var.index()] == at && n_words > 0 {
                // It may stand here twice.
                self.last[var.index()] = u32::MAX;
                if self.free.len() <= n_words {
                    self.free.resize(n_words + 1, Vec::new());
                }
                self.free[n_words].push(self.places.of[var.index()].at);
            }
        }
    }
}
