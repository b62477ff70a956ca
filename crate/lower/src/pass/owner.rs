//! Who owns what a variable holds.
//!
//! Each counted variable owns its value, but for one case. What is taken apart while it is still needed (`unbox` and
//! `open` of a variable that lives on) is not taken, but looked at; and where all that is done with a part is to look
//! at it or to take it apart in turn, the part is lent by the whole, which lives as long as the part is needed.
//!
//! Where on one path the whole is needed no longer than its part, it is better taken apart there once more, in earnest:
//! its block may be free then. [`sink`] writes this down, in a program without counts:
//!
//! ```text
//! v1: l3 = unbox %l                      v1: l3 = unbox %l
//! switch v1 { Nil: b1, Cons: b2 }        switch v1 { Nil: b1, Cons: b2 }
//! b1:                                    b1:
//!   return %l                              return %l
//! b2:                              ->    b2:
//!   %h: l0, %t: l4 = open Cons v1          v9: l3 = unbox %l
//!                                          %h: l0, %t: l4 = open Cons v9
//! ```

use base::{HashMap, HashSet, IndexVec, ToList};
use ir::{BlockId, End, Function, Instr, Op, VarData, VarId};
use layout::LayoutId;

/// Parts of parts are taken apart anew down to this depth.
const MAX_SINK: usize = 8;

/// By variable: itself, or what lends it; `None` if it is not counted.
pub(super) type Owners = IndexVec<VarId, Option<VarId>>;

/// An instruction, by its place.
pub(super) type Place = (BlockId, usize);

/// Whether this takes apart its argument.
pub(super) fn takes_apart(op: &Op) -> bool {
    matches!(op, Op::Open { .. } | Op::Unbox)
}

/// A set of variables, in order.
#[derive(Default)]
pub(super) struct Live(pub Vec<VarId>);

impl Live {
    pub fn contains(&self, var: VarId) -> bool {
        self.0.binary_search(&var).is_ok()
    }

    /// Whether it is new.
    pub fn insert(&mut self, var: VarId) -> bool {
        let place = self.0.binary_search(&var);
        if let Err(at) = place {
            self.0.insert(at, var);
        }
        place.is_err()
    }

    /// Whether it was there.
    pub fn remove(&mut self, var: VarId) -> bool {
        let place = self.0.binary_search(&var);
        if let Ok(at) = place {
            self.0.remove(at);
        }
        place.is_ok()
    }

    /// Adds what is in order.
    pub fn extend(&mut self, mut other: &[VarId]) {
        if self.0.is_empty() {
            self.0.extend_from_slice(other);
        } else if self.0 != other {
            let mut all = Vec::with_capacity(self.0.len().max(other.len()));
            for &var in &self.0 {
                let n_before = other.iter().take_while(|&&other| other < var).count();
                all.extend_from_slice(&other[..n_before]);
                all.push(var);
                other = &other[n_before..];
                other = other.strip_prefix(&[var]).unwrap_or(other);
            }
            all.extend_from_slice(other);
            self.0 = all;
        }
    }
}

/// What lives where each block begins, while somebody still asks: blocks come in backwards, each after those that it
/// leads to.
pub(super) struct Entries {
    live: IndexVec<BlockId, Vec<VarId>>,
    /// How many ways into a block have not been asked for.
    n_ways: IndexVec<BlockId, usize>,
}

impl Entries {
    pub fn new(function: &Function) -> Entries {
        let n_blocks = function.blocks.len();
        let mut n_ways = IndexVec::filled(0, n_blocks);
        let targets = function.blocks.iter().flat_map(|block| block.end.successors());
        targets.for_each(|target| n_ways[target] += 1);
        Entries { live: IndexVec::filled(Vec::new(), n_blocks), n_ways }
    }

    pub fn set(&mut self, block: BlockId, live: &Live) {
        self.live[block] = live.0.clone();
    }

    /// In order.
    pub fn at(&self, block: BlockId) -> &[VarId] {
        &self.live[block]
    }

    /// One way into the block is done.
    pub fn leave(&mut self, block: BlockId) {
        self.n_ways[block] -= 1;
        if self.n_ways[block] == 0 {
            self.live[block] = Vec::new();
        }
    }
}

/// The instructions that take apart what has no use behind them.
pub(super) fn last_uses(function: &Function, owners: &Owners) -> HashSet<Place> {
    let mut found = HashSet::default();
    let (mut entries, mut live) = (Entries::new(function), Live::default());
    for (id, block) in function.blocks.iter_enumerated().rev() {
        live.0.clear();
        for successor in block.end.successors() {
            live.extend(entries.at(successor));
            entries.leave(successor);
        }
        for owner in block.end.args().iter().filter_map(|&arg| owners[arg]) {
            live.insert(owner);
        }
        for (i, instr) in block.instrs.iter().enumerate().rev() {
            for &result in &instr.results {
                live.remove(result);
            }
            for owner in instr.args.iter().filter_map(|&arg| owners[arg]) {
                if live.insert(owner) && takes_apart(&instr.op) {
                    found.insert((id, i));
                }
            }
        }
        for &param in &block.params {
            live.remove(param);
        }
        entries.set(id, &live);
    }
    found
}

/// Who owns what in a function without counts.
pub(super) fn owners(function: &Function, is_counted: &IndexVec<LayoutId, bool>) -> Owners {
    let own = |(var, data): (VarId, &VarData)| is_counted[data.layout].then_some(var);
    let mut owners = Owners::filled(None, function.vars.len());
    function.vars.iter_enumerated().filter_map(own).for_each(|var| owners[var] = Some(var));
    let last_uses = last_uses(function, &owners);
    // What something else is done with than to look at it and to take it apart.
    let mut is_taken: IndexVec<VarId, bool> = IndexVec::filled(false, function.vars.len());
    for block in function.blocks.iter() {
        let takes = |instr: &&Instr| instr.op.takes() && !takes_apart(&instr.op);
        block.instrs.iter().filter(takes).flat_map(|instr| &instr.args).for_each(|&arg| is_taken[arg] = true);
        if !matches!(block.end, End::Switch { .. }) {
            block.end.args().iter().for_each(|&arg| is_taken[arg] = true);
        }
    }
    for (id, block) in function.blocks.iter_enumerated() {
        for (i, instr) in block.instrs.iter().enumerate().filter(|(_, instr)| takes_apart(&instr.op)) {
            let (whole, owner) = (instr.args[0], owners[instr.args[0]]);
            if owner != Some(whole) || !last_uses.contains(&(id, i)) {
                for &result in instr.results.iter().filter(|&&result| !is_taken[result]) {
                    owners[result] = owners[result].and(owner);
                }
            }
        }
    }
    owners
}

/// Takes apart anew what is lent where that is the owner's last use.
pub(super) fn sink(function: &mut Function, is_counted: &IndexVec<LayoutId, bool>) {
    let owners = owners(function, is_counted);
    let is_lent = |var: VarId| owners[var].is_some_and(|owner| owner != var);
    if !function.vars.ids().any(is_lent) {
        return;
    }
    let last_uses = last_uses(function, &owners);
    // What lends: the instruction that takes it apart, and which of its results is lent.
    let mut lenders: HashMap<VarId, (Instr, usize)> = HashMap::default();
    for instr in function.blocks.iter().flat_map(|block| &block.instrs).filter(|instr| takes_apart(&instr.op)) {
        for (i, &result) in instr.results.iter().enumerate().filter(|(_, result)| is_lent(**result)) {
            lenders.insert(result, (instr.clone(), i));
        }
    }
    for id in function.blocks.ids() {
        let sinks = |(i, instr): (usize, &Instr)| {
            matches!(instr.op, Op::Open { .. }) && is_lent(instr.args[0]) && last_uses.contains(&(id, i))
        };
        if !function.blocks[id].instrs.iter().enumerate().any(sinks) {
            continue;
        }
        let instrs = std::mem::take(&mut function.blocks[id].instrs);
        for (i, mut instr) in instrs.into_iter().enumerate() {
            if sinks((i, &instr)) {
                let mut chain: Vec<&(Instr, usize)> = Vec::new();
                let mut whole = instr.args[0];
                while let Some(lender) = lenders.get(&whole) {
                    whole = lender.0.args[0];
                    chain.push(lender);
                }
                if chain.len() <= MAX_SINK {
                    for (lender, index) in chain.into_iter().rev() {
                        let vars = &mut function.vars;
                        let results = lender.results.iter().map(|&result| vars.push(vars[result].clone())).list();
                        let mut copy = Instr { results, span: instr.span, ..lender.clone() };
                        copy.args[0] = whole;
                        whole = copy.results[*index];
                        function.blocks[id].instrs.push(copy);
                    }
                    instr.args[0] = whole;
                }
            }
            function.blocks[id].instrs.push(instr);
        }
    }
}
