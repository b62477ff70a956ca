//! Whether counted variables are taken as often as they are owned, on every path.

use super::Checker;
use crate::{BlockId, End, Op, VarId};
use base::{HashMap, Idx, IndexVec, ToList};
use layout::{Kind, LayoutId};

/// How often the path so far owns a variable; those that it does not own are not there.
type Owned = HashMap<VarId, u32>;

struct Linear<'a, 'b> {
    checker: &'b mut Checker<'a>,
    is_counted: &'b IndexVec<LayoutId, bool>,
    /// Whose content a variable is that `peek` or `load` gave.
    lender: IndexVec<VarId, Option<VarId>>,
    owned: Owned,
}

/// Blocks come in an order in which what leads to one is before it.
pub(super) fn check(checker: &mut Checker, is_counted: &IndexVec<LayoutId, bool>) {
    let function = checker.function;
    let lender = IndexVec::filled(None, function.vars.len());
    let mut linear = Linear { checker, is_counted, lender, owned: Owned::default() };
    let mut entry: IndexVec<BlockId, Option<Owned>> = IndexVec::filled(None, function.blocks.len());
    function.params.iter().for_each(|&param| linear.give(param));
    entry[BlockId::numbered(0)] = Some(std::mem::take(&mut linear.owned));
    for (id, block) in function.blocks.iter_enumerated() {
        linear.owned = entry[id].take().unwrap_or_default();
        block.params.iter().for_each(|&param| linear.give(param));
        for (i, instr) in block.instrs.iter().enumerate() {
            linear.checker.at = Some((id, i));
            for (place, &arg) in instr.args.iter().enumerate() {
                let may_take_token = matches!((&instr.op, place), (Op::Free, _) | (Op::Box, 1));
                match (&instr.op, linear.is_token(arg)) {
                    (_, true) if !may_take_token => linear.checker.say(format_args!("a token: {arg:?}")),
                    (Op::Dup | Op::Drop, _) if !linear.is_counted(arg) => {
                        linear.checker.say(format_args!("{arg:?} is not counted"));
                    }
                    (op, _) if op.takes() => linear.take(arg),
                    (Op::Dup, _) => {
                        linear.look(arg);
                        linear.give(arg);
                    }
                    (_, _) => linear.look(arg),
                }
            }
            for &result in &instr.results {
                match instr.op.lends() {
                    true => linear.lender[result] = instr.args.first().copied(),
                    false => linear.give(result),
                }
            }
        }
        linear.checker.at = Some((id, block.instrs.len()));
        for &arg in block.end.args() {
            match &block.end {
                End::Switch { .. } | End::Fail(_) => linear.look(arg),
                End::Return(_) | End::TailCall(..) if linear.is_token(arg) => {
                    linear.checker.say(format_args!("a token: {arg:?}"));
                }
                End::Return(_) | End::TailCall(..) | End::Jump(..) => linear.take(arg),
            }
        }
        match &block.end {
            End::Return(_) | End::TailCall(..) => linear.finish(),
            End::Fail(_) => {}
            End::Jump(..) | End::Switch { .. } => {
                for successor in block.end.successors() {
                    match &entry[successor] {
                        None => entry[successor] = Some(linear.owned.clone()),
                        Some(other) if *other == linear.owned => {}
                        Some(_) => {
                            linear.checker.say(format_args!("{successor:?} is reached with other owned variables"))
                        }
                    }
                }
            }
        }
    }
    linear.checker.at = None;
}

impl Linear<'_, '_> {
    fn is_counted(&self, var: VarId) -> bool {
        self.is_counted[self.checker.layout(var)]
    }

    fn is_token(&self, var: VarId) -> bool {
        matches!(self.checker.kind(self.checker.layout(var)), Some(Kind::Token { .. }))
    }

    fn give(&mut self, var: VarId) {
        if self.is_counted(var) {
            *self.owned.entry(var).or_insert(0) += 1;
        }
    }

    fn take(&mut self, var: VarId) {
        if !self.is_counted(var) {
            return;
        }
        match self.owned.get_mut(&var) {
            Some(1) => {
                self.owned.remove(&var);
            }
            Some(n) => *n -= 1,
            None => self.checker.say(format_args!("{var:?} is taken, but not owned")),
        }
    }

    fn look(&mut self, var: VarId) {
        let mut at = Some(var);
        while let Some(found) = at.filter(|found| !self.owned.contains_key(found)) {
            at = self.lender[found];
        }
        if at.is_none() && self.is_counted(var) {
            self.checker.say(format_args!("{var:?} is looked at, but not owned"));
        }
    }

    /// Nothing is owned at the end of a function.
    fn finish(&mut self) {
        let mut rest: Vec<usize> = self.owned.keys().map(|var| var.index()).list();
        base::sort(&mut rest);
        rest.into_iter().for_each(|var| self.checker.say(format_args!("v{var} is never taken")));
    }
}
