//! Folding: what is known before the run is computed.
//!
//! One walk down the tree of dominators, along which every definition is met before its uses and every way into a block
//! before the block, so that ways that turn out never to be taken count for nothing (Wegman and Zadeck 1991, "Constant
//! Propagation with Conditional Branches", which without loops takes one walk). What a variable is known to be:
//!
//! - a number, a variant with its fields, a box, the content of a box, a closure, by the instruction that gives it;
//! - a variant or an integer, by the case of a `switch` on it that leads here, or as the only one that no case is of;
//! - another variable, if every way into its block fills the parameter with that one.
//!
//! Then jumps that know which way a `switch` will go take it (`thread`), and blocks are joined.

use super::effect::Facts;
use super::graph::Graph;
use super::simplify::{Renaming, simplify, taken};
use super::thread::thread;
use base::{Append, Idx, ToList};
use ir::{BlockId, Callee, Case, CaseKey, End, FuncId, Function, Instr, Op, Program, VarId};
use layout::Kind;
use op::{AttrForm, Call, ResultType};
use ty::{Dtype, Scalar, Value};

/// How often a function is walked again because jumps were threaded.
const N_ROUNDS: usize = 3;
/// How many boxes are looked through for a variant.
const DEPTH: usize = 4;

/// Computes what is known before the run. Operators whose kernel fails are left for the run.
pub fn fold(program: &mut Program, _: &mut [FuncId]) {
    let mut functions = std::mem::take(&mut program.functions);
    for id in functions.ids() {
        let function = &mut functions[id];
        for _ in 0..N_ROUNDS {
            let known = Folder::walk(Facts::of(program), function);
            simplify(function);
            if !thread(function, &known) {
                break;
            }
            simplify(function);
        }
    }
    program.functions = functions;
}

/// What gives a variable. The variables in it are the final ones.
#[derive(Clone)]
enum Known {
    Nothing,
    Scalar(Scalar),
    Pack { variant: u32, fields: Vec<VarId> },
    Box(VarId),
    Unbox(VarId),
    Closure(FuncId, Vec<VarId>),
}

struct Folder<'a> {
    facts: Facts<'a>,
    graph: Graph,
    known: Vec<Known>,
    /// What the case that leads to a block, and to those that it dominates, says of a variable.
    cases: Vec<Option<(BlockId, CaseKey)>>,
    renaming: Renaming,
    here: BlockId,
}

/// By variable: the case that a `switch` on it takes, wherever it stands.
pub(super) type Keys = Vec<Option<CaseKey>>;

impl<'a> Folder<'a> {
    fn walk(facts: Facts<'a>, function: &mut Function) -> Keys {
        let n_vars = function.vars.len();
        let mut folder = Folder {
            facts,
            graph: Graph::new(&function.blocks),
            known: base::filled(Known::Nothing, n_vars),
            cases: base::filled(None, n_vars),
            renaming: Renaming::new(n_vars),
            here: BlockId::numbered(0),
        };
        // What the ways into a block say of its parameters, and of what it was a case of.
        let mut filled: Vec<Option<Vec<Option<VarId>>>> = base::filled(None, function.blocks.len());
        let mut entered: Vec<Option<(VarId, CaseKey)>> = base::filled(None, function.blocks.len());
        let mut is_live = base::filled(false, function.blocks.len());
        is_live[0] = true;
        for id in std::mem::take(&mut folder.graph.order) {
            if !is_live[id.index()] {
                continue;
            }
            folder.here = id;
            let mut block = taken(&mut function.blocks[id]);
            for (&param, arg) in block.params.iter().zip(filled[id.index()].take().into_iter().flatten()) {
                if let Some(arg) = arg.filter(|&arg| function.vars[arg].layout == function.vars[param].layout) {
                    folder.renaming.set(param, arg);
                }
            }
            if let Some((on, key)) = entered[id.index()].take() {
                folder.enter(on, key);
            }
            // Where there is fuel with nothing but values behind it.
            let mut fuel: Option<usize> = None;
            let mut kept: Vec<Instr> = Vec::with_capacity(block.instrs.len());
            for mut instr in block.instrs {
                folder.renaming.apply(&mut instr.args);
                if !folder.instr(function, &mut instr) {
                    continue;
                }
                if let Op::Fuel(more) = instr.op {
                    if fuel.is_some_and(|at| joins_fuel(&mut kept[at].op, more)) {
                        continue;
                    }
                    fuel = Some(kept.len());
                } else if fuel.is_some() && !facts.is_pure(function, &instr, &|var| folder.scalar(var)) {
                    fuel = None;
                }
                kept.push(instr);
            }
            block.instrs = kept;
            folder.end(&mut block.end);
            for target in block.end.successors() {
                is_live[target.index()] = true;
            }
            match &block.end {
                End::Jump(to, args) => match &mut filled[to.index()] {
                    Some(before) => {
                        for (known, arg) in before.iter_mut().zip(args) {
                            *known = known.filter(|known| known == arg);
                        }
                    }
                    none => *none = Some(args.iter().copied().map(Some).list()),
                },
                End::Switch { on, cases, default } => {
                    for case in cases {
                        entered[case.block.index()] = Some((*on, case.key.clone()));
                    }
                    if let Some(block) = default {
                        let other = only_other(&facts.layouts[function.vars[*on].layout].kind, cases);
                        entered[block.index()] = other.map(|key| (*on, key));
                    }
                }
                End::Return(_) | End::TailCall(..) | End::Fail(_) => {}
            }
            function.blocks[id] = block;
        }
        folder.known.iter().map(|known| folder.key_wherever(known)).list()
    }

    /// In this block, and in those that it dominates, the variable is of this case, and so is the box it is in.
    fn enter(&mut self, on: VarId, key: CaseKey) {
        if let (Known::Unbox(of), CaseKey::Variant(_)) = (&self.known[on.index()], &key) {
            self.cases[of.index()] = Some((self.here, key.clone()));
        }
        // Zeros of either sign are equal.
        if !matches!(key, CaseKey::Literal(Scalar::Float(_))) {
            self.cases[on.index()] = Some((self.here, key));
        }
    }

    /// The case of a variable, here.
    fn key(&self, mut var: VarId) -> Option<CaseKey> {
        for _ in 0..DEPTH {
            if let Some((at, key)) = &self.cases[var.index()]
                && self.graph.dominates(*at, self.here)
            {
                return Some(key.clone());
            }
            let known = &self.known[var.index()];
            match known {
                Known::Box(inner) | Known::Unbox(inner) => var = *inner,
                Known::Nothing | Known::Scalar(_) | Known::Pack { .. } | Known::Closure(..) => return key_of(known),
            }
        }
        None
    }

    /// The case of what is given so, wherever it is used.
    fn key_wherever<'b>(&'b self, mut known: &'b Known) -> Option<CaseKey> {
        for _ in 0..DEPTH {
            let Known::Box(inner) = known else { break };
            known = &self.known[inner.index()];
        }
        key_of(known)
    }

    /// The number that a variable is, here.
    fn scalar(&self, var: VarId) -> Option<Scalar> {
        if let Known::Scalar(value) = &self.known[var.index()] {
            return Some(*value);
        }
        match &self.cases[var.index()] {
            Some((at, CaseKey::Literal(value))) if self.graph.dominates(*at, self.here) => Some(*value),
            Some(_) | None => None,
        }
    }

    /// Folds an instruction; false if it is not needed any more.
    fn instr(&mut self, function: &Function, instr: &mut Instr) -> bool {
        let is_same = |a: VarId, b: VarId| function.vars[a].layout == function.vars[b].layout;
        let result = instr.results.first().copied();
        let known = match (&mut instr.op, &instr.args[..]) {
            (Op::Scalar(value), _) => Known::Scalar(*value),
            (Op::Pack { variant }, fields) => Known::Pack { variant: *variant, fields: fields.into() },
            (Op::Open { variant }, &[sum]) => {
                let Known::Pack { variant: packed, fields } = &self.known[sum.index()] else { return true };
                let mut pairs = instr.results.iter().zip(fields);
                if packed != variant
                    || instr.results.len() != fields.len()
                    || !pairs.all(|(&result, &field)| is_same(result, field))
                {
                    return true;
                }
                instr.results.iter().zip(fields).for_each(|(&result, &field)| self.renaming.set(result, field));
                return false;
            }
            (Op::Field { variant, index }, &[sum]) => {
                let Known::Pack { variant: packed, fields } = &self.known[sum.index()] else { return true };
                let (Some(result), Some(&field)) = (result, fields.get(*index as usize)) else { return true };
                if packed != variant || !is_same(result, field) {
                    return true;
                }
                self.renaming.set(result, field);
                return false;
            }
            (Op::Box, &[arg]) => {
                if let (Known::Unbox(inner), Some(result)) = (&self.known[arg.index()], result)
                    && is_same(*inner, result)
                {
                    self.renaming.set(result, *inner);
                    return false;
                }
                Known::Box(arg)
            }
            (Op::Unbox, &[arg]) => {
                if let (Known::Box(inner), &[result]) = (&self.known[arg.index()], &instr.results[..])
                    && is_same(*inner, result)
                {
                    self.renaming.set(result, *inner);
                    return false;
                }
                Known::Unbox(arg)
            }
            (Op::Closure(code), captures) => Known::Closure(*code, captures.into()),
            (Op::Call(callee), _) => {
                self.call(callee, &mut instr.args);
                Known::Nothing
            }
            // Where nothing is learnt, what it gives first is what it was given.
            (Op::Operator { op, .. }, &[data]) if op.row().name == "nn.dropout" => {
                Known::Pack { variant: 0, fields: vec![data] }
            }
            (Op::Operator { .. }, _) => match self.operator(function, instr) {
                Some(value) => {
                    instr.op = Op::Scalar(value);
                    instr.args.clear();
                    Known::Scalar(value)
                }
                None => Known::Nothing,
            },
            (Op::Fuel(0), _) => return false,
            (
                Op::Tensor(_)
                | Op::Fused(_)
                | Op::Open { .. }
                | Op::Peek { .. }
                | Op::Field { .. }
                | Op::Box
                | Op::Unbox
                | Op::Load
                | Op::Retype
                | Op::Free
                | Op::RefNew
                | Op::RefRead
                | Op::RefWrite
                | Op::Global(_)
                | Op::Check { .. }
                | Op::Fuel(_)
                | Op::Dup
                | Op::Drop,
                _,
            ) => Known::Nothing,
        };
        if let Some(result) = result {
            self.known[result.index()] = known;
        }
        true
    }

    /// Calls a known closure's code, with what it captured.
    fn call(&self, callee: &mut Callee, args: &mut Vec<VarId>) {
        if *callee == Callee::Value
            && let Some(closure) = args.first()
            && let Known::Closure(code, captures) = &self.known[closure.index()]
        {
            *callee = Callee::Function(*code);
            let rest = std::mem::replace(args, captures.clone());
            args.append_all(rest.into_iter().skip(1));
        }
    }

    /// The value of an operator on known numbers.
    fn operator(&self, function: &Function, instr: &Instr) -> Option<Scalar> {
        let (Op::Operator { op, attrs }, &[result]) = (&instr.op, &instr.results[..]) else { return None };
        let row = op.row();
        let dtype = self.facts.scalar(function, result)?;
        let is_in_place =
            matches!(self.facts.layouts[function.vars[result].layout].kind, Kind::Scalar(_) | Kind::Immediate(_));
        if !is_in_place || row.attrs.iter().any(|spec| matches!(spec.form, AttrForm::Argument(_))) {
            return None;
        }
        let value = |&arg: &VarId| Some(Value::Scalar(self.facts.scalar(function, arg)?, self.scalar(arg)?));
        let args: Vec<Value> = instr.args.iter().map(value).some_list()?;
        let results = [ResultType { shape: Vec::new(), dtype }];
        let call = Call { args: &args, attrs, results: &results, memory: 8 };
        let Ok(Value::Scalar(found, value)) = op::run(row, &call) else { return None };
        (found == dtype).then_some(value)
    }

    fn end(&self, end: &mut End) {
        self.renaming.apply(end.args_mut());
        if let End::TailCall(callee, args) = end {
            self.call(callee, args);
        }
        if let End::Switch { on, cases, default } = end {
            let next = match (&cases[..], *default) {
                ([only], None) => Some(only.block),
                ([], Some(only)) => Some(only),
                _ => self.key(*on).and_then(|key| chosen(cases, *default, &key)),
            };
            if let Some(next) = next {
                *end = End::Jump(next, Vec::new());
            }
        }
    }
}

/// Where a `switch` on what has this key goes.
pub(super) fn chosen(cases: &[Case], default: Option<BlockId>, key: &CaseKey) -> Option<BlockId> {
    cases.iter().find(|case| case.key == *key).map(|case| case.block).or(default)
}

/// The key that all others leave, if there is only one.
fn only_other(kind: &Kind, cases: &[Case]) -> Option<CaseKey> {
    if let (Kind::Scalar(Dtype::Bool), [Case { key: CaseKey::Literal(Scalar::Int(value)), .. }]) = (kind, cases) {
        return Some(CaseKey::Literal(Scalar::Int(1 - value)));
    }
    let Kind::Sum { variants, .. } = kind else { return None };
    let mut is_left: Vec<bool> = variants.iter().map(|variant| variant.is_inhabited).list();
    for case in cases {
        if let CaseKey::Variant(variant) = case.key {
            is_left[variant as usize] = false;
        }
    }
    let mut left = (0..).zip(is_left).filter(|(_, is_left)| *is_left);
    let (only, _) = left.next()?;
    left.next().is_none().then_some(CaseKey::Variant(only))
}

/// Floats are left to the run, which knows of zeros and NaNs.
fn key_of(known: &Known) -> Option<CaseKey> {
    match known {
        Known::Pack { variant, .. } => Some(CaseKey::Variant(*variant)),
        Known::Scalar(value @ Scalar::Int(_)) => Some(CaseKey::Literal(*value)),
        Known::Nothing | Known::Scalar(Scalar::Float(_)) | Known::Box(_) | Known::Unbox(_) | Known::Closure(..) => None,
    }
}

/// Adds fuel to an instruction that is fuel.
fn joins_fuel(op: &mut Op, more: u32) -> bool {
    let Op::Fuel(fuel) = op else { return false };
    let Some(sum) = fuel.checked_add(more) else { return false };
    *fuel = sum;
    true
}
