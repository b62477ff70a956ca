//! Random programs: with counts they are in order, come to the same values and free everything.

use super::machine::run;
use super::{Known, NAMES, assert_is_in_order, base, counts, reuse};
use base::{Idx, IndexVec, Span};
use ir::{
    Block, BlockId, Callee, Case, CaseKey, End, Fault, FuncId, Function, Instr, Op, Program, Stage, VarData, VarId,
};
use layout::{Kind, LayoutId, Layouts, Strategy, Variant};
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

struct Signature {
    n_captures: usize,
    params: Vec<LayoutId>,
    result: LayoutId,
}

struct Maker<'a> {
    random: &'a mut Random,
    program: &'a Program,
    known: &'a Known,
    signatures: &'a [Signature],
    me: usize,
    vars: IndexVec<VarId, VarData>,
    blocks: IndexVec<BlockId, Block>,
    size: usize,
}

/// What may be used at a place: variables, and the variants that some are known to be.
#[derive(Clone, Default)]
struct Scope {
    vars: Vec<VarId>,
    variants: Vec<(VarId, u32)>,
}

/// Where a block jumps that leaves a branch, before the place is known.
const JOIN: BlockId = BlockId::numbered(u32::MAX - 1);

impl<'a> Maker<'a> {
    fn kind(&self, layout: LayoutId) -> &'a Kind {
        &self.program.layouts[layout].kind
    }

    fn var(&mut self, layout: LayoutId) -> VarId {
        self.vars.push(VarData { layout, name: None })
    }

    fn block(&mut self, params: Vec<VarId>) -> BlockId {
        let end = End::Fail(Fault::NoArm);
        self.blocks.push(Block { params, instrs: Vec::new(), end, span: Span::default() })
    }

    fn emit(&mut self, at: BlockId, scope: &mut Scope, op: Op, args: &[VarId], results: &[LayoutId]) -> Option<VarId> {
        let results: Vec<VarId> = results.iter().map(|&layout| self.var(layout)).collect();
        let span = Span::default();
        self.blocks[at].instrs.push(Instr { results: results.as_slice().into(), op, args: args.into(), span });
        scope.vars.extend(&results);
        results.last().copied()
    }

    /// A variable of a layout, mostly one that is there.
    fn need(&mut self, at: BlockId, scope: &mut Scope, layout: LayoutId, depth: usize) -> VarId {
        let there: Vec<VarId> = scope.vars.iter().copied().filter(|&var| self.vars[var].layout == layout).collect();
        if !there.is_empty() && self.random.below(6) > 0 {
            let from = there.len().saturating_sub(1 + self.random.below(5));
            return there[from + self.random.below(there.len() - from)];
        }
        let (op, args) = match self.kind(layout) {
            Kind::Scalar(_) | Kind::Immediate(_) => (Op::Scalar(Scalar::Int(self.random.below(2) as i64)), vec![]),
            Kind::Tensor => (Op::Tensor(ir::ConstId::numbered(0)), vec![]),
            Kind::Sum { variants, .. } => {
                let variant = if depth > 3 { 0 } else { self.random.below(variants.len()) };
                let fields = self.all(at, scope, &layouts_of(&variants[variant]), depth + 1);
                (Op::Pack { variant: variant as u32 }, fields)
            }
            Kind::Box { content, .. } => (Op::Box, self.all(at, scope, &[*content], depth)),
            Kind::Ref { content } => (Op::RefNew, self.all(at, scope, &[*content], depth)),
            Kind::Closure => {
                let code = 1 + self.random.below(2);
                let captured = &self.signatures[code].params[..self.signatures[code].n_captures];
                (Op::Closure(FuncId::new(code)), self.all(at, scope, captured, depth + 1))
            }
            Kind::Token { .. } | Kind::Never => panic!("no such variable"),
        };
        self.emit(at, scope, op, &args, &[layout]).unwrap()
    }

    fn all(&mut self, at: BlockId, scope: &mut Scope, layouts: &[LayoutId], depth: usize) -> Vec<VarId> {
        layouts.iter().map(|&layout| self.need(at, scope, layout, depth)).collect()
    }

    fn callee(
        &mut self,
        at: BlockId,
        scope: &mut Scope,
        result: Option<LayoutId>,
    ) -> Option<(Callee, Vec<VarId>, LayoutId)> {
        if result.is_none_or(|result| result == self.known.list) && self.random.below(3) == 0 {
            let args = self.all(at, scope, &[self.known.func, self.known.int], 0);
            return Some((Callee::Value, args, self.known.list));
        }
        let from = if self.random.below(4) == 0 { 1 } else { self.me + 1 };
        let fits = |&code: &usize| result.is_none_or(|result| self.signatures[code].result == result);
        let codes: Vec<usize> = (from..self.signatures.len()).filter(fits).collect();
        if codes.is_empty() {
            return None;
        }
        let code = self.random.one(&codes);
        let args = self.all(at, scope, &self.signatures[code].params, 0);
        Some((Callee::Function(FuncId::new(code)), args, self.signatures[code].result))
    }

    fn step(&mut self, at: BlockId, scope: &mut Scope) {
        if scope.vars.is_empty() || self.random.below(5) == 0 {
            let known = self.known;
            let layout = self.random.one(&[known.list, known.tensors, known.pair, known.sum, known.cell, known.func]);
            self.need(at, scope, layout, 0);
            return;
        }
        if self.random.below(6) == 0 {
            if let Some((callee, args, result)) = self.callee(at, scope, None) {
                self.emit(at, scope, Op::Call(callee), &args, &[result]);
            }
            return;
        }
        if self.random.below(3) == 0
            && let Some(&(var, variant)) = scope.variants.get(self.random.below(scope.variants.len().max(1)))
        {
            let Kind::Sum { variants, .. } = self.kind(self.vars[var].layout) else { unreachable!() };
            return self.take_apart(at, scope, var, variant, &variants[variant as usize]);
        }
        let from = scope.vars.len().saturating_sub(6);
        let var = scope.vars[from + self.random.below(scope.vars.len() - from)];
        let layout = self.vars[var].layout;
        match self.kind(layout) {
            Kind::Scalar(_) | Kind::Immediate(_) | Kind::Token { .. } | Kind::Never => {}
            Kind::Tensor => {
                let other = self.need(at, scope, layout, 0);
                let op = Op::Operator { op: op::by_name("add").unwrap(), attrs: Arc::new(Attrs::default()) };
                self.emit(at, scope, op, &[var, other], &[layout]);
                if self.random.below(3) == 0 {
                    let check = Op::Check { name: "%x".to_owned(), dims: vec![Some(2)] };
                    self.emit(at, scope, check, &[other], &[]);
                }
            }
            Kind::Closure => {
                let arg = self.need(at, scope, self.known.int, 0);
                self.emit(at, scope, Op::Call(Callee::Value), &[var, arg], &[self.known.list]);
            }
            Kind::Ref { content } if self.random.below(2) == 0 => {
                self.emit(at, scope, Op::RefRead, &[var], &[*content]);
            }
            Kind::Ref { content } => {
                let value = self.need(at, scope, *content, 0);
                self.emit(at, scope, Op::RefWrite, &[var, value], &[self.known.unit]);
            }
            Kind::Box { content, .. } => {
                self.emit(at, scope, Op::Unbox, &[var], &[*content]);
            }
            Kind::Sum { variants, .. } if variants.len() == 1 => self.take_apart(at, scope, var, 0, &variants[0]),
            Kind::Sum { .. } => {
                if let Some(layout) = box_of(&self.program.layouts, layout) {
                    self.emit(at, scope, Op::Box, &[var], &[layout]);
                }
            }
        }
    }

    fn take_apart(&mut self, at: BlockId, scope: &mut Scope, var: VarId, variant: u32, fields: &Variant) {
        let fields = layouts_of(fields);
        if fields.is_empty() || self.random.below(3) > 0 {
            self.emit(at, scope, Op::Open { variant }, &[var], &fields);
        } else {
            let index = self.random.below(fields.len());
            self.emit(at, scope, Op::Field { variant, index: index as u32 }, &[var], &[fields[index]]);
        }
    }

    /// Fills a block and what follows it. It ends by leaving with variables of these layouts, if there are any, else
    /// by returning.
    fn fill(&mut self, mut at: BlockId, mut scope: Scope, leave: Option<&[LayoutId]>, depth: usize) {
        loop {
            for _ in 0..self.random.below(4) {
                self.step(at, &mut scope);
                self.size = self.size.saturating_sub(1);
            }
            if depth > 3 || self.size == 0 || self.random.below(5) == 0 {
                return self.leave(at, &mut scope, leave);
            }
            let known = self.known;
            let layouts: Vec<LayoutId> = (0..self.random.below(3))
                .map(|_| self.random.one(&[known.list, known.sum, known.tensor, known.pair]))
                .collect();
            let first = self.blocks.len();
            let on = self.random.one(&[known.flag, known.list, known.tensors, known.list, known.sum]);
            let mut on = self.need(at, &mut scope, on, 0);
            while let Kind::Box { content, .. } = self.kind(self.vars[on].layout) {
                on = self.emit(at, &mut scope, Op::Unbox, &[on], &[*content]).unwrap();
            }
            if let Kind::Immediate(_) = self.kind(self.vars[on].layout) {
                on = self.emit(at, &mut scope, Op::Unbox, &[on], &[known.flag_content]).unwrap();
            }
            let mut keys: Vec<Option<CaseKey>> = match self.kind(self.vars[on].layout) {
                Kind::Sum { variants, .. } => (0..variants.len()).map(|at| Some(CaseKey::Variant(at as u32))).collect(),
                _ => [1, 0].map(|value| Some(CaseKey::Literal(Scalar::Int(value)))).to_vec(),
            };
            if self.random.below(4) == 0 {
                let at = self.random.below(keys.len());
                keys.remove(at);
                keys.push(None);
            }
            let (mut cases, mut default) = (Vec::new(), None);
            for key in keys {
                let block = self.block(Vec::new());
                let mut inner = scope.clone();
                if let Some(CaseKey::Variant(variant)) = key {
                    inner.variants.push((on, variant));
                    if self.random.below(4) > 0 {
                        let Kind::Sum { variants, .. } = self.kind(self.vars[on].layout) else { unreachable!() };
                        self.take_apart(block, &mut inner, on, variant, &variants[variant as usize]);
                    }
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
            scope.vars.extend(params);
        }
    }

    fn leave(&mut self, at: BlockId, scope: &mut Scope, leave: Option<&[LayoutId]>) {
        let n = self.random.below(24);
        let result = self.signatures[self.me].result;
        let end = match leave {
            _ if n == 0 => End::Fail(Fault::NoArm),
            Some(layouts) if n < 20 => End::Jump(JOIN, self.all(at, scope, layouts, 0)),
            _ if n.is_multiple_of(2) => match self.callee(at, scope, Some(result)) {
                Some((callee, args, _)) => End::TailCall(callee, args),
                None => End::Return(self.need(at, scope, result, 0)),
            },
            _ => End::Return(self.need(at, scope, result, 0)),
        };
        self.blocks[at].end = end;
    }
}

fn layouts_of(variant: &Variant) -> Vec<LayoutId> {
    variant.fields.iter().map(|field| field.layout).collect()
}

fn box_of(layouts: &Layouts, layout: LayoutId) -> Option<LayoutId> {
    let is_box = |id: &LayoutId| matches!(layouts[*id].kind, Kind::Box { content, .. } if content == layout);
    layouts.table.ids().find(is_box)
}

fn program(random: &mut Random) -> Program {
    let strategy = random.one(&Strategy::ALL);
    let (mut program, known) = base(strategy);
    let layouts = [known.list, known.tensors, known.pair, known.sum, known.cell, known.func, known.tensor, known.flag];
    let signature = |params: Vec<LayoutId>, n_captures, result| Signature { n_captures, params, result };
    let mut signatures = vec![
        signature(vec![], 0, random.one(&layouts[..5])),
        signature(vec![known.list, known.int], 1, known.list),
        signature(vec![known.tensor, known.sum, known.int], 2, known.list),
    ];
    for _ in 0..random.below(5) {
        let params = (0..random.below(4)).map(|_| random.one(&layouts)).collect();
        signatures.push(signature(params, 0, random.one(&layouts[..5])));
    }
    let mut functions = IndexVec::new();
    for (me, signature) in signatures.iter().enumerate() {
        let size = [2, 10, 40][random.below(3)];
        let (vars, blocks) = (IndexVec::new(), IndexVec::new());
        let mut maker =
            Maker { random, program: &program, known: &known, signatures: &signatures, me, vars, blocks, size };
        let params: Vec<VarId> = signature.params.iter().map(|&layout| maker.var(layout)).collect();
        let first = maker.block(Vec::new());
        let scope = Scope { vars: params.clone(), variants: Vec::new() };
        maker.fill(first, scope, None, if size == 2 { 3 } else { 0 });
        let Maker { vars, blocks, .. } = maker;
        let (n_captures, result, span) = (signature.n_captures, signature.result, Span::default());
        let name = format!("f.{me}");
        functions.push(Function {
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
    program.functions = functions;
    program
}

/// Runs on a thread of its own, since the interpreter uses the host's stack.
#[test]
fn counted_programs_free_everything() {
    let run_all = || {
        let (mut n_values, mut n_reused) = (0, 0);
        for seed in 0..600 {
            let before = program(&mut Random(seed << 20));
            assert_is_in_order(&before, Stage::Before, &format!("seed {seed}"));
            let want = run(&before, false).0;
            for reuses in [false, true] {
                let about = format!("seed {seed}, reuse: {reuses}");
                let mut after = before.clone();
                if reuses {
                    reuse(&mut after);
                    assert_is_in_order(&after, Stage::Before, &about);
                }
                counts(&mut after);
                assert_is_in_order(&after, Stage::Counted, &about);
                let text = || ir::print(&after, NAMES, ir::Detail::Plain);
                let found =
                    std::panic::catch_unwind(|| run(&after, true)).unwrap_or_else(|_| panic!("{about}\n{}", text()));
                assert!(found.0 == want, "{about}: {:?}, not {want:?}\n{}", found.0, text());
                n_reused += found.1;
            }
            n_values += usize::from(want.is_some());
        }
        (n_values, n_reused)
    };
    let stack = std::thread::Builder::new().stack_size(64 << 20);
    let (n_values, n_reused) = stack.spawn(run_all).unwrap().join().unwrap();

    assert!(n_values > 300 && n_reused > 100, "{n_values} values, {n_reused} blocks used again");
}
