//! Random programs, and that passes change neither what they come to nor the fuel that they take.

use super::machine::{Stop, run};
use super::{BOOL, BOX, CELL, FLOAT, FUNC, INT, PAIR, SUM, UNIT, assert_is_in_order, base};
use crate::pass::{PASSES, Pass};
use base::{Idx, IndexVec, Span};
use ir::{
    Block, BlockId, Callee, Case, CaseKey, End, Fault, FuncId, Function, Global, GlobalId, Instr, Op, Program, VarData,
    VarId,
};
use layout::LayoutId;
use std::sync::Arc;
use ty::{Attrs, Scalar};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn one<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// What each function takes and gives; the first is the entry, the second the global's, the others may be called.
struct Signature {
    n_captures: usize,
    params: Vec<LayoutId>,
    result: LayoutId,
}

struct Maker<'a> {
    random: &'a mut Random,
    signatures: &'a [Signature],
    me: usize,
    vars: IndexVec<VarId, VarData>,
    blocks: IndexVec<BlockId, Block>,
    result: LayoutId,
    /// How much more there may be.
    size: usize,
}

/// Where a block jumps that leaves a branch, before the place is known.
const JOIN: BlockId = BlockId::numbered(u32::MAX - 1);

impl Maker<'_> {
    fn var(&mut self, layout: LayoutId) -> VarId {
        self.vars.push(VarData { layout, name: None })
    }

    fn block(&mut self, params: Vec<VarId>) -> BlockId {
        let end = End::Fail(Fault::NoArm);
        self.blocks.push(Block { params, instrs: Vec::new(), end, span: Span::default() })
    }

    fn emit(&mut self, at: BlockId, op: Op, args: &[VarId], results: &[LayoutId]) -> Vec<VarId> {
        let results: Vec<VarId> = results.iter().map(|&layout| self.var(layout)).collect();
        let instr =
            Instr { results: results.as_slice().into(), op, args: args.into(), span: Span::new(self.me as u32, 99) };
        self.blocks[at].instrs.push(instr);
        results
    }

    /// A variable of a layout, mostly one that is there.
    fn need(&mut self, at: BlockId, scope: &mut Vec<VarId>, layout: LayoutId) -> VarId {
        let there: Vec<VarId> = scope.iter().copied().filter(|&var| self.vars[var].layout == layout).collect();
        if !there.is_empty() && self.random.below(8) > 0 {
            // What is new is more interesting.
            let from = there.len().saturating_sub(1 + self.random.below(5));
            return there[from + self.random.below(there.len() - from)];
        }
        let (op, args) = match layout {
            INT => (Op::Scalar(Scalar::Int(self.random.below(5) as i64 - 1)), vec![]),
            BOOL => (Op::Scalar(Scalar::Int(self.random.below(2) as i64)), vec![]),
            FLOAT => (Op::Scalar(Scalar::Float(self.random.one(&[0.0, -0.0, 1.5, f64::NAN]))), vec![]),
            SUM if self.random.below(2) == 0 => (Op::Pack { variant: 0 }, vec![]),
            SUM => (Op::Pack { variant: 1 }, vec![self.need(at, scope, INT)]),
            PAIR => (Op::Pack { variant: 0 }, vec![self.need(at, scope, INT), self.need(at, scope, SUM)]),
            BOX => (Op::Box, vec![self.need(at, scope, SUM)]),
            CELL => (Op::RefNew, vec![self.need(at, scope, INT)]),
            UNIT => (Op::Pack { variant: 0 }, vec![]),
            FUNC => {
                let fits = |(_, signature): &(usize, &Signature)| {
                    signature.result == INT && signature.params[signature.n_captures..] == [INT]
                };
                let codes: Vec<usize> = self.signatures.iter().enumerate().filter(fits).map(|(at, _)| at).collect();
                let code = self.random.one(&codes);
                let captured = &self.signatures[code].params[..self.signatures[code].n_captures];
                let captures = captured.iter().map(|&layout| self.need(at, scope, layout)).collect();
                (Op::Closure(FuncId::new(code)), captures)
            }
            other => panic!("no {other:?}"),
        };
        let var = self.emit(at, op, &args, &[layout])[0];
        scope.push(var);
        var
    }

    fn operator(&mut self, at: BlockId, scope: &mut Vec<VarId>) {
        let (name, args, result) = self.random.one(&[
            ("add", &[INT, INT][..], INT),
            ("multiply", &[INT, INT], INT),
            ("divide", &[INT, INT], INT),
            ("left_shift", &[INT, INT], INT),
            ("less", &[INT, INT], BOOL),
            ("equal", &[INT, INT], BOOL),
            ("logical_not", &[BOOL], BOOL),
            ("add", &[FLOAT, FLOAT], FLOAT),
            ("divide", &[FLOAT, FLOAT], FLOAT),
            ("less", &[FLOAT, FLOAT], BOOL),
        ]);
        let op = op::by_name(name).unwrap();
        let args: Vec<VarId> = args.iter().map(|&layout| self.need(at, scope, layout)).collect();
        let op = Op::Operator { op, attrs: Arc::new(Attrs::default()) };
        scope.extend(self.emit(at, op, &args, &[result]));
    }

    fn callee(&mut self, at: BlockId, scope: &mut Vec<VarId>, result: LayoutId) -> Option<(Callee, Vec<VarId>)> {
        if result == INT && self.random.below(2) == 0 {
            return Some((Callee::Value, vec![self.need(at, scope, FUNC), self.need(at, scope, INT)]));
        }
        let fits = |&at: &usize| self.signatures[at].result == result;
        // Mostly functions that come later, which makes calls end.
        let from = if self.random.below(4) == 0 { 2 } else { (self.me + 1).max(2) };
        let codes: Vec<usize> = (from..self.signatures.len()).filter(fits).collect();
        if codes.is_empty() {
            return None;
        }
        let code = self.random.one(&codes);
        let params = &self.signatures[code].params;
        Some((Callee::Function(FuncId::new(code)), params.iter().map(|&layout| self.need(at, scope, layout)).collect()))
    }

    fn step(&mut self, at: BlockId, scope: &mut Vec<VarId>) {
        match self.random.below(16) {
            0..6 => self.operator(at, scope),
            6 => {
                self.emit(at, Op::Fuel(self.random.0 as u32 % 3), &[], &[]);
            }
            7 | 8 => {
                let result = self.random.one(&[INT, BOOL, SUM]);
                if let Some((callee, args)) = self.callee(at, scope, result) {
                    scope.extend(self.emit(at, Op::Call(callee), &args, &[result]));
                }
            }
            9 => {
                let pair = self.need(at, scope, PAIR);
                scope.extend(self.emit(at, Op::Open { variant: 0 }, &[pair], &[INT, SUM]));
            }
            10 => {
                let pair = self.need(at, scope, PAIR);
                scope.extend(self.emit(at, Op::Field { variant: 0, index: 1 }, &[pair], &[SUM]));
            }
            11 => {
                let boxed = self.need(at, scope, BOX);
                scope.extend(self.emit(at, Op::Unbox, &[boxed], &[SUM]));
            }
            12 => {
                let sum = self.need(at, scope, SUM);
                scope.extend(self.emit(at, Op::Box, &[sum], &[BOX]));
            }
            13 => {
                let cell = self.need(at, scope, CELL);
                scope.extend(self.emit(at, Op::RefRead, &[cell], &[INT]));
            }
            14 => {
                let (cell, value) = (self.need(at, scope, CELL), self.need(at, scope, INT));
                scope.extend(self.emit(at, Op::RefWrite, &[cell, value], &[UNIT]));
            }
            _ => scope.extend(self.emit(at, Op::Global(GlobalId::numbered(0)), &[], &[INT])),
        }
    }

    /// Fills a block and what follows it. It ends by leaving with variables of these layouts, if there are any, else
    /// by returning.
    fn fill(&mut self, mut at: BlockId, mut scope: Vec<VarId>, leave: Option<&[LayoutId]>, depth: usize) {
        loop {
            for _ in 0..self.random.below(5) {
                self.step(at, &mut scope);
                self.size = self.size.saturating_sub(1);
            }
            if depth > 3 || self.size == 0 || self.random.below(4) == 0 {
                return self.leave(at, &mut scope, leave);
            }
            // A branch, and where it comes together again.
            let layouts: Vec<LayoutId> =
                (0..self.random.below(3)).map(|_| self.random.one(&[INT, BOOL, SUM, BOX, FUNC])).collect();
            let first = self.blocks.len();
            let on = self.random.one(&[INT, BOOL, SUM, SUM]);
            let on = self.need(at, &mut scope, on);
            let literal = |value: i64| CaseKey::Literal(Scalar::Int(value));
            let (mut keys, opened) = match self.vars[on].layout {
                INT => (vec![Some(literal(0)), Some(literal(2)), None], false),
                BOOL => (vec![Some(literal(1)), Some(literal(0))], false),
                _ => (vec![Some(CaseKey::Variant(1)), Some(CaseKey::Variant(0))], true),
            };
            if let Some(last) = keys.last_mut()
                && self.random.below(2) == 0
            {
                *last = None;
            }
            self.emit(at, Op::Fuel(1), &[], &[]);
            let (mut cases, mut default) = (Vec::new(), None);
            for (i, key) in keys.into_iter().enumerate() {
                let block = self.block(Vec::new());
                let mut inner = scope.clone();
                if opened && i == 0 {
                    inner.extend(self.emit(block, Op::Open { variant: 1 }, &[on], &[INT]));
                }
                self.fill(block, inner, Some(&layouts), depth + 1);
                match key {
                    Some(key) => cases.push(Case { key, block }),
                    None => default = Some(block),
                }
            }
            self.blocks[at].end = End::Switch { on, cases, default };
            let params: Vec<VarId> = layouts.iter().map(|&layout| self.var(layout)).collect();
            let join = BlockId::new(self.blocks.len());
            let mut is_reached = false;
            for id in (first..join.index()).map(BlockId::new) {
                if let End::Jump(to @ JOIN, _) = &mut self.blocks[id].end {
                    *to = join;
                    is_reached = true;
                }
            }
            if !is_reached {
                return;
            }
            at = self.block(params.clone());
            scope.extend(params);
        }
    }

    fn leave(&mut self, at: BlockId, scope: &mut Vec<VarId>, leave: Option<&[LayoutId]>) {
        let (n, result) = (self.random.below(10), self.result);
        let end = match leave {
            _ if n == 0 => End::Fail(Fault::NoArm),
            Some(layouts) if n < 8 => {
                End::Jump(JOIN, layouts.iter().map(|&layout| self.need(at, scope, layout)).collect())
            }
            _ if n % 2 == 0 => match self.callee(at, scope, result) {
                Some((callee, args)) => End::TailCall(callee, args),
                None => End::Return(self.need(at, scope, result)),
            },
            _ => End::Return(self.need(at, scope, result)),
        };
        self.blocks[at].end = end;
    }
}

fn program(random: &mut Random) -> Program {
    let mut program = base();
    let fixed = |params: Vec<LayoutId>, n_captures, result| Signature { n_captures, params, result };
    let entry = random.one(&[INT, SUM, PAIR, FLOAT]);
    let mut signatures =
        vec![fixed(vec![], 0, entry), fixed(vec![], 0, INT), fixed(vec![INT], 0, INT), fixed(vec![SUM, INT], 1, INT)];
    for _ in 0..random.below(6) {
        let params = (0..random.below(3)).map(|_| random.one(&[INT, BOOL, SUM, PAIR, FUNC, CELL])).collect();
        signatures.push(fixed(params, 0, random.one(&[INT, BOOL, SUM])));
    }
    for (me, signature) in signatures.iter().enumerate() {
        let size = [2, 8, 30][random.below(3)];
        let (vars, blocks) = (IndexVec::new(), IndexVec::new());
        let mut maker = Maker { random, signatures: &signatures, me, vars, blocks, result: signature.result, size };
        let params: Vec<VarId> = signature.params.iter().map(|&layout| maker.var(layout)).collect();
        let first = maker.block(Vec::new());
        maker.emit(first, Op::Fuel(1), &[], &[]);
        maker.fill(first, params.clone(), None, if size == 2 { 3 } else { 0 });
        let Maker { vars, blocks, .. } = maker;
        let n_captures = signature.n_captures;
        let (name, result, span) = (format!("f.{me}"), signature.result, Span::default());
        program.functions.push(Function {
            name,
            params,
            n_captures,
            result,
            vars,
            blocks,
            span,
            stands_for: None,
            is_library: false,
            ty: None,
        });
    }
    program.globals.push(Global { name: "g".to_owned(), layout: INT, init: FuncId::numbered(1) });
    program
}

/// The interpreter here knows no counts.
fn before_counts() -> impl Iterator<Item = &'static Pass> {
    PASSES.iter().take_while(|pass| pass.name != "reuse")
}

#[test]
fn passes_keep_value_and_fuel() {
    const LIMIT: u32 = 300;
    let (mut n_values, mut n_before, mut n_after) = (0, 0, 0);
    for seed in 0..2_000 {
        let before = program(&mut Random(seed << 20));
        assert_is_in_order(&before, &format!("seed {seed}"));
        let want = run(&before, FuncId::numbered(0), LIMIT);
        let (mut after, mut entries) = (before.clone(), [FuncId::numbered(0)]);
        for pass in before_counts().chain(before_counts()) {
            (pass.run)(&mut after, &mut entries);
            let about = format!("seed {seed} after {}", pass.name);
            assert_is_in_order(&after, &about);
            let (value, fuel) = run(&after, entries[0], LIMIT);
            // What runs out of fuel does so at the same place, but fuel that is one sum is missed at once.
            assert!(format!("{value:?}") == format!("{:?}", want.0), "{about}: {value:?}, not {:?}", want.0);
            assert!(value == Err(Stop::OutOfFuel) || fuel == want.1, "{about}: fuel {fuel}, not {}", want.1);
        }
        n_values += usize::from(want.0.is_ok());
        n_before += size(&before);
        n_after += size(&after);
    }
    assert!(n_values > 500, "{n_values} programs have values");
    assert!(n_after < n_before, "{n_before} instructions became {n_after}");
    println!("{n_values} values, {n_before} -> {n_after}");
}

fn size(program: &Program) -> usize {
    program.functions.iter().flat_map(|function| function.blocks.iter()).map(|block| block.instrs.len()).sum()
}
