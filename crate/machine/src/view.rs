//! What there is to see at a step, as plain data.

use crate::heap::{FREE, HEADER, IMMORTAL};
use crate::kind::{BlockKind, shape_at};
use crate::machine::{GlobalState, Machine};
use crate::value::Blocks;
use base::Span;
use base::ToList;
use ir::{BlockId, FuncId, GlobalId, VarId};
use layout::{LayoutId, Words, decode};
use op::ResultType;
use ty::Value;

/// Values of more blocks, or more bytes in them, are not decoded in a view.
const MAX_VALUE_BLOCKS: usize = 200;
const MAX_VALUE_BYTES: u32 = 1 << 16;
/// At most this many bytes of a block are in a view.
const MAX_BLOCK_BYTES: u32 = 256;

/// An instruction; the end of a block stands behind its last instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub function: FuncId,
    pub block: BlockId,
    pub index: usize,
    /// Of the instruction itself, in the library's text if the function is of it.
    pub span: Span,
    pub is_library: bool,
}

/// An unfinished call.
#[derive(Clone, Debug)]
pub struct FrameView {
    /// The instruction that it is at, or the call that it waits for.
    pub position: Position,
    /// What it still needs.
    pub vars: Vec<VarView>,
}

#[derive(Clone, Debug)]
pub struct VarView {
    pub var: VarId,
    /// As the source calls it.
    pub name: Option<String>,
    pub layout: LayoutId,
    pub bits: Words,
    /// Unless it is a large one.
    pub value: Option<Value>,
}

#[derive(Clone, Debug)]
pub struct GlobalView {
    pub global: GlobalId,
    pub layout: LayoutId,
    /// Whether it is being found.
    pub is_running: bool,
    /// If it has been found.
    pub bits: Option<Words>,
    /// If it has been found, unless it is a large one.
    pub value: Option<Value>,
}

/// A block of the heap.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockView {
    pub address: u32,
    /// In bytes, with the header.
    pub size: u32,
    pub kind: BlockKind,
    /// Its owners. `None`: it belongs to the program.
    pub n_owners: Option<u32>,
    /// The sizes of a tensor.
    pub shape: Vec<usize>,
    /// The first bytes behind the header.
    pub bytes: Vec<u8>,
    /// Where in the content they are, in bits, and the addresses that they hold.
    pub pointers: Vec<(u32, u32)>,
}

/// Blocks in the order of their addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct HeapView {
    pub blocks: Vec<BlockView>,
    /// Blocks that are not shown.
    pub n_more: usize,
}

impl Machine {
    /// The current instruction; none before a start and after the end.
    pub fn position(&self) -> Option<Position> {
        self.position_of(self.state.pc)
    }

    fn position_of(&self, pc: u32) -> Option<Position> {
        let origin = self.code.origins.get(pc as usize)?;
        let span = self.code.span(pc)?;
        let is_library = self.code.routines.get(origin.function)?.is_library;
        let (function, block, index) = (origin.function, origin.block, origin.index as usize);
        Some(Position { function, block, index, span, is_library })
    }

    /// Where in the file the run is: inside a library it is where the file called.
    pub fn place_in_file(&self) -> Span {
        self.place(None)
    }

    /// How many calls are unfinished.
    pub fn depth(&self) -> usize {
        self.state.frames.len()
    }

    /// The innermost unfinished calls, and how many more there are.
    pub fn frame_views(&mut self, limit: usize) -> (Vec<FrameView>, usize) {
        let calls = self.frames(limit);
        let n_more = self.depth() - calls.len();
        let mut views = Vec::new();
        for call in calls {
            let Some(position) = self.position_of(call.pc) else { continue };
            let vars: Vec<(VarId, LayoutId, Words)> =
                call.vars(self).into_iter().map(|(var, layout, words)| (var, layout, words.into())).list();
            let view = |(var, layout, bits): (VarId, LayoutId, Words)| {
                let value = self.small_value(layout, &bits);
                let name = self.code.program.functions[position.function].vars[var].name.clone();
                VarView { var, name, layout, bits, value }
            };
            views.push(FrameView { position, vars: vars.into_iter().map(view).list() });
        }
        (views, n_more)
    }

    pub fn global_views(&mut self) -> Vec<GlobalView> {
        let code = self.code.clone();
        let globals = code.program.globals.iter_enumerated();
        globals
            .map(|(global, data)| {
                let bits = match &self.state.globals[global.number() as usize] {
                    GlobalState::Done(words) => Some(words.clone()),
                    GlobalState::Unset | GlobalState::Running => None,
                };
                let value = bits.as_ref().and_then(|bits| self.small_value(data.layout, bits));
                let is_running = self.state.globals[global.number() as usize] == GlobalState::Running;
                GlobalView { global, layout: data.layout, is_running, bits, value }
            })
            .list()
    }

    /// The value of these bits at the current step.
    pub fn value_of(&mut self, layout: LayoutId, bits: &[u64]) -> Value {
        let code = self.code.clone();
        let blocks = Blocks::new(&mut self.state.heap, &code.kinds);
        decode(&code.program.layouts, &blocks, layout, bits)
    }

    fn small_value(&mut self, layout: LayoutId, bits: &[u64]) -> Option<Value> {
        let code = self.code.clone();
        let layouts = &code.program.layouts;
        let (mut todo, mut n_bytes) = (Vec::new(), 0_u32);
        code.kinds.pointers(layouts, layout, bits, &mut todo);
        let mut n_blocks = 0;
        while let Some((_, at)) = todo.pop() {
            n_blocks += 1;
            n_bytes = n_bytes.saturating_add(code.kinds.size_at(&self.state.heap, at));
            if n_blocks > MAX_VALUE_BLOCKS || n_bytes > MAX_VALUE_BYTES {
                return None;
            }
            code.kinds.pointers_at(layouts, &self.state.heap, at, &mut todo);
        }
        Some(self.value_of(layout, bits))
    }

    /// The type of the tensor in the block at an address, if there is one.
    pub fn tensor_at(&self, address: u32) -> Option<ResultType> {
        let heap = &self.state.heap;
        let BlockKind::Tensor(dtype) = self.code.kinds.kind_at(heap, address) else { return None };
        Some(ResultType { shape: shape_at(heap, address), dtype })
    }

    /// Blocks from an address on, free ones too, at most so many; first those of the program.
    pub fn heap_view(&self, from: u32, limit: usize) -> HeapView {
        let (code, heap) = (&self.code, &self.state.heap);
        let (mut at, end) = (HEADER, heap.extent().1);
        let (mut blocks, mut n_more) = (Vec::new(), 0);
        while at < end {
            let size = code.kinds.size_at(heap, at).max(8);
            if at >= from && blocks.len() < limit {
                blocks.push(self.block_view(at, size));
            } else if at >= from && heap.kind(at) != FREE {
                n_more += 1;
            }
            at = at.saturating_add(size);
        }
        HeapView { blocks, n_more }
    }

    fn block_view(&self, address: u32, size: u32) -> BlockView {
        let (code, heap) = (&self.code, &self.state.heap);
        let kind = code.kinds.kind_at(heap, address);
        let shape = if let BlockKind::Tensor(_) = kind { shape_at(heap, address) } else { Vec::new() };
        let mut pointers = Vec::new();
        code.kinds.pointers_at(&code.program.layouts, heap, address, &mut pointers);
        let n_owners = match (kind, heap.count(address)) {
            (_, IMMORTAL) => None,
            (BlockKind::Free | BlockKind::Token, _) => Some(0),
            (BlockKind::Tensor(_) | BlockKind::Box(_) | BlockKind::Ref(_) | BlockKind::Closure(_), n) => Some(n),
        };
        let bytes = heap.slice(address + HEADER, (size - HEADER.min(size)).min(MAX_BLOCK_BYTES) as usize).to_vec();
        BlockView { address, size, kind, n_owners, shape, bytes, pointers }
    }
}
