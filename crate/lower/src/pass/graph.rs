//! The blocks of a function as a graph: which block dominates which.
//!
//! Since blocks lead to larger ids only, one walk in their order finds the dominators: that of a block is the lowest
//! common ancestor of those that lead to it (Cooper, Harvey and Kennedy 2001, "A Simple, Fast Dominance Algorithm",
//! without iteration). Ancestors are found in logarithmic time by skipping (Myers 1983, "An Applicative Random-Access
//! Stack").

use base::{Idx, IndexVec};
use ir::{Block, BlockId, Case, End};

const NONE: u32 = u32::MAX;

/// Of each block.
#[derive(Clone)]
struct Node {
    /// The immediate dominator; the first block's is itself, that of a block that nothing leads to is [`NONE`].
    parent: u32,
    /// An ancestor further up.
    skip: u32,
    depth: u32,
    /// In the order of a walk down the tree of dominators, children by id.
    place: u32,
    /// How many blocks it dominates, itself included.
    size: u32,
}

pub(super) struct Graph {
    nodes: Vec<Node>,
    /// The blocks that can be reached, each after those that lead to it, and those that a block dominates in one piece
    /// behind it.
    pub order: Vec<BlockId>,
}

impl Graph {
    pub fn new(blocks: &IndexVec<BlockId, Block>) -> Graph {
        let unknown = Node { parent: NONE, skip: NONE, depth: 0, place: NONE, size: 1 };
        let mut graph = Graph { nodes: base::filled(unknown, blocks.len()), order: Vec::new() };
        for (id, block) in blocks.iter_enumerated() {
            let at = id.index();
            if at == 0 {
                (graph.nodes[0].parent, graph.nodes[0].skip) = (0, 0);
            } else if graph.nodes[at].parent == NONE {
                continue;
            } else {
                graph.hang(at);
            }
            for target in block.end.successors() {
                let known = graph.nodes[target.index()].parent;
                let parent = if known == NONE { id.number() } else { graph.common(known, id.number()) };
                graph.nodes[target.index()].parent = parent;
            }
        }
        graph.number();
        graph
    }

    /// Gives a block its depth and its skip, now that its parent is certain.
    fn hang(&mut self, at: usize) {
        let parent = self.nodes[at].parent;
        let above = &self.nodes[parent as usize];
        let (depth, skip) = (above.depth, above.skip);
        let twice = &self.nodes[skip as usize];
        let is_even = depth - twice.depth == twice.depth - self.nodes[twice.skip as usize].depth;
        let skip = if is_even { twice.skip } else { parent };
        (self.nodes[at].depth, self.nodes[at].skip) = (depth + 1, skip);
    }

    fn common(&self, a: u32, b: u32) -> u32 {
        let node = |id: u32| &self.nodes[id as usize];
        let (mut high, mut low) = if node(a).depth < node(b).depth { (a, b) } else { (b, a) };
        while node(low).depth > node(high).depth {
            let skip = node(low).skip;
            low = if node(skip).depth >= node(high).depth { skip } else { node(low).parent };
        }
        while low != high {
            (low, high) = match node(low).skip == node(high).skip {
                true => (node(low).parent, node(high).parent),
                false => (node(low).skip, node(high).skip),
            };
        }
        low
    }

    fn number(&mut self) {
        let n_blocks = self.nodes.len();
        for at in (1..n_blocks).rev() {
            let Node { parent, size, .. } = self.nodes[at];
            if parent != NONE {
                self.nodes[parent as usize].size += size;
            }
        }
        let Some(first) = self.nodes.first() else { return };
        self.order = base::filled(BlockId::numbered(0), first.size as usize);
        // Where the next child of each block goes.
        let mut next = base::filled(1, n_blocks);
        self.nodes[0].place = 0;
        for at in 1..n_blocks {
            let Node { parent, size, .. } = self.nodes[at];
            if parent != NONE {
                let place = next[parent as usize];
                next[parent as usize] += size;
                next[at] = place + 1;
                self.nodes[at].place = place;
                self.order[place as usize] = BlockId::new(at);
            }
        }
    }

    /// The place of a block in [`order`](Graph::order).
    pub fn place(&self, block: BlockId) -> u32 {
        self.nodes[block.index()].place
    }

    /// Whether every way to `below` leads through `above`; each block dominates itself.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        let (above, below) = (&self.nodes[above.index()], &self.nodes[below.index()]);
        below.place != NONE && above.place <= below.place && below.place - above.place < above.size
    }
}

/// The blocks that a block may lead to.
pub(super) fn targets_mut(end: &mut End) -> impl Iterator<Item = &mut BlockId> {
    let (cases, other): (&mut [Case], Option<&mut BlockId>) = match end {
        End::Jump(block, _) => (&mut [], Some(block)),
        End::Switch { cases, default, .. } => (cases, default.as_mut()),
        End::Return(_) | End::TailCall(..) | End::Fail(_) => (&mut [], None),
    };
    cases.iter_mut().map(|case| &mut case.block).chain(other)
}
