//! A function under construction.

use crate::close::SubstId;
use base::{HashMap, IndexVec, Span};
use hir::{FnId, LocalId};
use ir::{Block, BlockId, Callee, End, Fault, FuncId, Function, Instr, Op, VarData, VarId};
use layout::LayoutId;
use ty::ParamId;

/// What a variable of the program is while its scope is lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    Var(VarId),
    /// A name for a function literal: of a polymorphic `let`, or the function's name for itself. What it captures is in
    /// scope wherever it is, so each use makes a closure of its own.
    Function {
        function: FnId,
        subst: SubstId,
    },
}

/// A size that was given: an axis of a tensor within a value that has a name.
#[derive(Clone)]
pub(crate) struct Given {
    pub param: ParamId,
    pub name: String,
    pub var: VarId,
    pub path: Vec<u32>,
    pub axis: usize,
}

/// A function whose blocks are being filled.
pub(crate) struct Body {
    pub function: Function,
    pub subst: SubstId,
    /// What is lowered, unless it is made up.
    pub source: Option<FnId>,
    pub env: HashMap<LocalId, Bound>,
    /// Where the dims that are parameters were given first.
    pub sizes: Vec<Given>,
    /// Instructions go here.
    pub block: BlockId,
}

impl Body {
    pub(crate) fn new(name: String, result: LayoutId, subst: SubstId, span: Span) -> Body {
        let mut blocks = IndexVec::new();
        let block = blocks.push(empty_block(span));
        let function = Function {
            name,
            params: Vec::new(),
            n_captures: 0,
            result,
            vars: IndexVec::new(),
            blocks,
            span,
            stands_for: None,
            is_library: true,
            ty: None,
        };
        Body { function, subst, source: None, env: HashMap::default(), sizes: Vec::new(), block }
    }

    pub(crate) fn var(&mut self, layout: LayoutId, name: Option<String>) -> VarId {
        self.function.vars.push(VarData { layout, name })
    }

    pub(crate) fn layout(&self, var: VarId) -> LayoutId {
        self.function.vars[var].layout
    }

    pub(crate) fn param(&mut self, layout: LayoutId, name: Option<String>) -> VarId {
        let var = self.var(layout, name);
        self.function.params.push(var);
        var
    }

    pub(crate) fn emit(&mut self, op: Op, args: &[VarId], results: &[VarId], span: Span) {
        let instr = Instr { results: results.to_vec(), op, args: args.to_vec(), span };
        self.function.blocks[self.block].instrs.push(instr);
    }

    /// An instruction with one result.
    pub(crate) fn value(&mut self, op: Op, args: &[VarId], layout: LayoutId, span: Span) -> VarId {
        let result = self.var(layout, None);
        self.emit(op, args, &[result], span);
        result
    }

    pub(crate) fn fuel(&mut self, span: Span) {
        self.emit(Op::Fuel(1), &[], &[], span);
    }

    /// A block without anything in it.
    pub(crate) fn new_block(&mut self, span: Span) -> BlockId {
        self.function.blocks.push(empty_block(span))
    }

    pub(crate) fn end(&mut self, end: End, span: Span) {
        let block = &mut self.function.blocks[self.block];
        (block.end, block.span) = (end, span);
    }

    /// Ends the block with a fault. What follows goes into a block that nothing leads to, and takes a value from
    /// nowhere.
    pub(crate) fn fail(&mut self, fault: Fault, layout: LayoutId, span: Span) -> VarId {
        self.end(End::Fail(fault), span);
        self.block = self.new_block(span);
        let value = self.var(layout, None);
        self.function.blocks[self.block].params.push(value);
        value
    }

    pub(crate) fn call(&mut self, function: FuncId, args: &[VarId], result: LayoutId, span: Span) -> VarId {
        self.value(Op::Call(Callee::Function(function)), args, result, span)
    }

    /// The function, without the blocks that nothing leads to.
    pub(crate) fn finish(self) -> Function {
        let mut function = self.function;
        let mut is_reached: IndexVec<BlockId, bool> = IndexVec::filled(false, function.blocks.len());
        is_reached[BlockId::numbered(0)] = true;
        for id in function.blocks.ids() {
            if is_reached[id] {
                function.blocks[id].end.successors().into_iter().for_each(|target| is_reached[target] = true);
            }
        }
        if is_reached.iter().all(|&reached| reached) {
            return function;
        }
        let mut new: IndexVec<BlockId, BlockId> = IndexVec::filled(BlockId::numbered(0), function.blocks.len());
        let mut kept = IndexVec::new();
        for id in function.blocks.ids() {
            if is_reached[id] {
                let end = std::mem::replace(&mut function.blocks[id].end, End::Fail(Fault::Broken));
                let block = Block {
                    params: std::mem::take(&mut function.blocks[id].params),
                    instrs: std::mem::take(&mut function.blocks[id].instrs),
                    end,
                    span: function.blocks[id].span,
                };
                new[id] = kept.push(block);
            }
        }
        for id in kept.ids() {
            let block: &mut Block = &mut kept[id];
            match &mut block.end {
                End::Jump(target, _) => *target = new[*target],
                End::Switch { cases, default, .. } => {
                    cases.iter_mut().for_each(|case| case.block = new[case.block]);
                    default.iter_mut().for_each(|target| *target = new[*target]);
                }
                End::Return(_) | End::TailCall(..) | End::Fail(_) => {}
            }
        }
        function.blocks = kept;
        function
    }
}

fn empty_block(span: Span) -> Block {
    Block { params: Vec::new(), instrs: Vec::new(), end: End::Fail(Fault::Broken), span }
}
