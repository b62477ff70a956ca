//! Reference counts: each counted variable is taken exactly once on every path (Reinking, Xie, de Moura and Leijen
//! 2021, "Perceus: Garbage Free Reference Counting with Reuse").
//!
//! One walk over the blocks, backwards, knows which variables live. What is taken and lives on is copied (`dup`) just
//! before; what dies is dropped as soon as it can be: right behind what looked at it last or gave it in vain, or at the
//! head of the case of a switch that has no use for it. What takes apart a variable that lives on, or one that is lent
//! ([`owner`](super::owner)), becomes `peek` or `load`, and the parts that have a use and are not lent are copied.
//!
//! ```text
//! fn f0 @twice(%l: l4) -> l9 {      fn f0 @twice(%l: l4) -> l9 {
//! b0:                               b0:
//!   v1: l9 = pack (%l, %l)    ->      dup %l
//!   return v1                         v1: l9 = pack (%l, %l)
//! }                                   return v1
//!                                   }
//! ```

use super::owner::{Entries, Live, Owners, owners, sink, takes_apart};
use base::{Edited, HashSet, IndexVec, Span, ToList};
use ir::{BlockId, End, Function, Instr, Op, Program, VarId};
use layout::{Kind, LayoutId, Layouts};

/// Inserts `dup`, `drop` and `free`; the program has none yet.
pub fn counts(program: &mut Program) {
    let is_counted = ir::counted(&program.layouts);
    for id in program.functions.ids() {
        let function = &mut program.functions[id];
        sink(function, &is_counted);
        count(function, &program.layouts, &is_counted);
    }
}

struct Counter<'a> {
    layouts: &'a Layouts,
    owners: Owners,
    /// The owners that live at this place.
    live: Live,
    /// The instructions behind this place, the last one first.
    behind: Vec<Instr>,
    /// Tokens whose `unbox` became `load`.
    lost: HashSet<VarId>,
}

fn count(function: &mut Function, layouts: &Layouts, is_counted: &IndexVec<LayoutId, bool>) {
    let owners = owners(function, is_counted);
    let (live, behind, lost) = (Live::default(), Vec::new(), HashSet::default());
    let mut counter = Counter { layouts, owners, live, behind, lost };
    let mut entries = Entries::new(function);
    for id in function.blocks.ids().rev() {
        counter.live.0.clear();
        counter.end(function, id, &mut entries);
        let instrs = std::mem::take(&mut function.blocks[id].instrs);
        instrs.into_iter().rev().for_each(|instr| counter.instr(function, instr));
        let span = function.blocks[id].span;
        for i in (0..function.blocks[id].params.len()).rev() {
            counter.given(function, function.blocks[id].params[i], span);
        }
        if id == BlockId::numbered(0) {
            let span = function.span;
            (0..function.params.len()).rev().for_each(|i| counter.given(function, function.params[i], span));
        }
        counter.behind.reverse();
        function.blocks[id].instrs = std::mem::take(&mut counter.behind);
        entries.set(id, &counter.live);
    }
    if !counter.lost.is_empty() {
        for id in function.blocks.ids() {
            let instrs = &mut function.blocks[id].instrs;
            instrs.keep(|instr| !matches!(instr.op, Op::Free) || !counter.lost.contains(&instr.args[0]));
            for instr in instrs.iter_mut().filter(|instr| matches!(instr.op, Op::Box)) {
                instr.args.retain(|arg| !counter.lost.contains(arg));
            }
        }
    }
}

fn plain(op: Op, var: VarId, span: Span) -> Instr {
    Instr { results: vec![], op, args: vec![var], span }
}

impl Counter<'_> {
    /// What ends the life of a variable.
    fn release(&self, function: &Function, var: VarId, span: Span) -> Instr {
        let is_token = matches!(self.layouts[function.vars[var].layout].kind, Kind::Token { .. });
        plain(if is_token { Op::Free } else { Op::Drop }, var, span)
    }

    /// What gives this variable stands before here.
    fn given(&mut self, function: &Function, var: VarId, span: Span) {
        if self.owners[var] == Some(var) && !self.live.remove(var) {
            self.behind.push(self.release(function, var, span));
        }
    }

    /// These variables are taken behind here: those that also live on, or are taken twice, are copied.
    fn taken(&mut self, vars: &[VarId], span: Span) {
        for owner in vars.iter().rev().filter_map(|&var| self.owners[var]) {
            if !self.live.insert(owner) {
                self.behind.push(plain(Op::Dup, owner, span));
            }
        }
    }

    fn end(&mut self, function: &mut Function, id: BlockId, entries: &mut Entries) {
        let span = function.blocks[id].span;
        let successors = function.blocks[id].end.successors();
        successors.iter().for_each(|&successor| self.live.extend(entries.at(successor)));
        let End::Switch { on, .. } = function.blocks[id].end else {
            let end = std::mem::replace(&mut function.blocks[id].end, End::Fail(ir::Fault::Broken));
            self.taken(end.args(), span);
            function.blocks[id].end = end;
            successors.into_iter().for_each(|successor| entries.leave(successor));
            return;
        };
        if let Some(owner) = self.owners[on] {
            self.live.insert(owner);
        }
        for successor in successors {
            let block = &function.blocks[successor];
            // The end of the run is the end of everything.
            let is_end = block.instrs.is_empty() && matches!(block.end, End::Fail(_));
            let dies = |var: &&VarId| entries.at(successor).binary_search(var).is_err();
            let dead: Vec<Instr> = match is_end {
                true => Vec::new(),
                false => self.live.0.iter().filter(dies).map(|&var| self.release(function, var, span)).list(),
            };
            function.blocks[successor].instrs.put_first(dead);
            entries.leave(successor);
        }
    }

    fn instr(&mut self, function: &Function, mut instr: Instr) {
        let span = instr.span;
        let whole = instr.args.first().and_then(|&arg| Some((arg, self.owners[arg]?)));
        let kept = whole.filter(|(arg, owner)| takes_apart(&instr.op) && (owner != arg || self.live.contains(*owner)));
        if let Some((_, owner)) = kept {
            if matches!(instr.op, Op::Unbox) && instr.results.len() == 2 {
                let token = instr.results.remove(1);
                self.live.remove(token);
                self.lost.insert(token);
            }
            if self.live.insert(owner) {
                self.behind.push(self.release(function, owner, span));
            }
            for &result in instr.results.iter().rev() {
                if self.owners[result] == Some(result) && self.live.remove(result) {
                    self.behind.push(plain(Op::Dup, result, span));
                }
            }
            instr.op = match instr.op {
                Op::Open { variant } => Op::Peek { variant },
                _ => Op::Load,
            };
            // A look at nothing is none.
            if !instr.results.is_empty() {
                self.behind.push(instr);
            }
            return;
        }
        let (takes, args) = (instr.op.takes(), instr.args.clone());
        if !takes {
            for owner in args.iter().filter_map(|&arg| self.owners[arg]) {
                if self.live.insert(owner) {
                    self.behind.push(self.release(function, owner, span));
                }
            }
        }
        instr.results.iter().rev().for_each(|&result| self.given(function, result, span));
        self.behind.push(instr);
        if takes {
            self.taken(&args, span);
        }
    }
}

#[cfg(test)]
mod tests;
