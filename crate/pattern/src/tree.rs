//! Decision trees: which place to look at, and which arm it comes to.
//!
//! A tree is a DAG. A node stands for a state of the matrix (Maranget 2008, "Compiling pattern matching to good
//! decision trees"); nodes that ask the same and lead to the same are one, and what leads to one node whatever the
//! answer is that node. No path looks at a place twice. An arm whose variables stand in different places for different
//! alternatives has a leaf for each way they can stand.
//!
//! Worked example: `match (%p) { (A, _) => …, (_, A | B) => … }` with types of the heads `A`, `B`, `C` looks at field 0
//! first. For `A` the leaf of arm 0; for all others it looks at field 1: for `C` there is no arm, else the leaf of
//! arm 1, which is there once.

use crate::intern::Interner;
use crate::matrix::{Matrix, Purpose};
use crate::pattern::{Head, Pattern, PatternId, Patterns, TyId};
use crate::rows::{Place, PlaceId, Row};
use crate::space::{Space, Types};
use base::{Append, Edited, Idx, IndexVec, ToList, idx};

idx!(
    /// A node of a decision tree. Nodes lead to smaller ids.
    NodeId,
    "n"
);

#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Look at a place.
    Switch {
        place: PlaceId,
        cases: Vec<(Head, NodeId)>,
        /// For all other heads. `None`: there are none.
        default: Option<NodeId>,
    },
    /// The arm is taken, with these variables at these places.
    Leaf { arm: usize, variables: Vec<(u32, PlaceId)> },
    /// No arm is taken.
    Fail,
}

/// What the values of a type can begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// The heads of its values, each with how many fields it has.
    pub heads: Vec<(Head, usize)>,
    /// Whether there are values besides: numbers, the rest of an open row, a type that is not known.
    pub is_open: bool,
}

#[derive(Clone, Debug)]
pub struct Tree {
    pub nodes: IndexVec<NodeId, Node>,
    /// Those that nodes mention are among them.
    pub places: IndexVec<PlaceId, Place>,
    /// Of the types of the places, in the order of their ids.
    contents: Vec<(TyId, Contents)>,
    pub root: NodeId,
    /// Whether the match was too large to share all tests, so that places may be looked at again.
    pub is_sequence: bool,
}

impl Tree {
    /// What can stand at a place.
    pub fn contents(&self, place: PlaceId) -> &Contents {
        let at = self.contents.binary_search_by_key(&self.places[place].ty, |&(ty, _)| ty);
        &self.contents[at.expect("there for every place")].1
    }

    /// How many fields a head has at a place; where its type does not say it, as many as are looked at.
    pub fn n_fields(&self, place: PlaceId, head: Head) -> usize {
        if let Some(&(_, n_fields)) = self.contents(place).heads.iter().find(|&&(other, _)| other == head) {
            return n_fields;
        }
        let within = self.places.iter().filter_map(|inner| inner.within);
        let fields = within.filter(|&(outer, other, _)| (outer, other) == (place, head));
        fields.map(|(.., field)| field as usize + 1).max().unwrap_or(0)
    }
}

/// The tree of a match. `None`: even one arm after another it is too large, as when the variables of an arm can stand
/// in millions of ways.
pub(crate) fn tree(patterns: &Patterns, types: &mut dyn Types, ty: TyId, arms: &[PatternId]) -> Option<Tree> {
    let purposes = [Purpose::Tree, Purpose::Sequence];
    purposes.into_iter().find_map(|purpose| tree_for(purpose, patterns, types, ty, arms))
}

pub(crate) fn tree_for(
    purpose: Purpose,
    patterns: &Patterns,
    types: &mut dyn Types,
    ty: TyId,
    arms: &[PatternId],
) -> Option<Tree> {
    let rows: Vec<(u32, PatternId)> = (0..).zip(arms.iter().copied()).list();
    let mut matrix = Matrix::new(patterns, Space::new(types), ty, purpose);
    let root = matrix.explore(&rows)?;
    let mut nodes = Nodes::default();
    let root = nodes.build(&mut matrix, root, Some(arms));
    let Matrix { mut space, places, .. } = matrix;
    let mut types: Vec<TyId> = places.places.iter().map(|place| place.ty).list();
    base::sort(&mut types);
    types.dedup();
    let contents = types.into_iter().map(|ty| {
        let (shape, possible) = space.look(ty);
        let heads = shape.heads.iter().zip(possible).filter(|&(_, &is_possible)| is_possible);
        let heads = heads.map(|((head, fields), _)| (*head, fields.len())).list();
        (ty, Contents { heads, is_open: shape.is_open })
    });
    let contents = contents.list();
    let is_sequence = purpose == Purpose::Sequence;
    Some(Tree { nodes: nodes.nodes, places: places.places, contents, root, is_sequence })
}

/// Nodes, each once.
#[derive(Default)]
pub(crate) struct Nodes {
    pub(crate) nodes: IndexVec<NodeId, Node>,
    ids: Interner,
}

impl Nodes {
    /// The node of a state. Without `arms`, all leaves are one.
    pub(crate) fn build(&mut self, matrix: &mut Matrix<'_, '_>, root: usize, arms: Option<&[PatternId]>) -> NodeId {
        let mut node_of: Vec<Option<NodeId>> = base::filled(None, matrix.states.len());
        for state in matrix.order(root) {
            let node = match (matrix.states[state].split, matrix.taken(state), arms) {
                (Some(place), ..) => self.switch(matrix, state, place, &node_of),
                (None, Some(row), Some(arms)) => {
                    let arm = row.tag as usize;
                    Some(self.node(Node::Leaf { arm, variables: variables(matrix, row, arms[arm]) }))
                }
                (None, Some(_), None) => Some(self.node(Node::Leaf { arm: 0, variables: Vec::new() })),
                (None, None, _) => Some(self.node(Node::Fail)),
            };
            node_of[state] = node;
        }
        node_of[root].unwrap_or_else(|| self.node(Node::Fail))
    }

    fn switch(
        &mut self,
        matrix: &Matrix<'_, '_>,
        state: usize,
        place: PlaceId,
        node_of: &[Option<NodeId>],
    ) -> Option<NodeId> {
        let mut cases = Vec::new();
        let mut default = None;
        for edge in &matrix.states[state].edges {
            match edge.head {
                Some(head) => cases.push((head, node_of[edge.to]?)),
                None => default = node_of[edge.to],
            }
        }
        cases.keep(|&(_, node)| Some(node) != default);
        let same = default.or(cases.first().map(|&(_, node)| node))?;
        if cases.iter().all(|&(_, node)| node == same) {
            return Some(same);
        }
        Some(self.node(Node::Switch { place, cases, default }))
    }

    fn node(&mut self, node: Node) -> NodeId {
        let mut key = Vec::new();
        match &node {
            Node::Fail => key.push(0),
            Node::Leaf { arm, variables } => {
                key.append_all([1, *arm as u32]);
                key.append_all(variables.iter().flat_map(|&(variable, place)| [variable, place.number()]));
            }
            Node::Switch { place, cases, default } => {
                key.append_all([2, place.number(), default.map_or(u32::MAX, |node| node.number())]);
                for &(head, node) in cases {
                    key.append_all(head.key());
                    key.push(node.number());
                }
            }
        }
        let (id, is_new) = self.ids.id(&key);
        if is_new {
            self.nodes.push(node);
        }
        NodeId::new(id as usize)
    }
}

/// The places of the variables of an arm that is taken by this row.
fn variables(matrix: &mut Matrix<'_, '_>, row: Row, arm: PatternId) -> Vec<(u32, PlaceId)> {
    let patterns = matrix.patterns;
    let mut found = Vec::new();
    let mut pending = vec![(PlaceId::numbered(0), arm)];
    while let Some((place, id)) = pending.pop() {
        if !matrix.binding[id] {
            continue;
        }
        let from = patterns.variables.partition_point(|&(pattern, _)| pattern < id);
        let own = patterns.variables[from..].iter().take_while(|&&(pattern, _)| pattern == id);
        found.append_all(own.map(|&(_, variable)| (variable, place)));
        match &patterns.nodes[id] {
            Pattern::Wild => {}
            Pattern::Or(parts) => {
                let chosen = &matrix.choices[row.choice as usize];
                let is_chosen = |part: PatternId| {
                    patterns.alternatives(part).iter().any(|alternative| chosen.binary_search(alternative).is_ok())
                };
                pending.append_all(parts.iter().find(|&&part| is_chosen(part)).map(|&part| (place, part)));
            }
            Pattern::Head(head, fields) => {
                let ty = matrix.places.places[place].ty;
                let fit = matrix.space.fit(ty, *head);
                for (i, &field) in fields.iter().enumerate().filter(|&(_, &field)| matrix.binding[field]) {
                    if let Some(ty) = matrix.space.field(ty, fit, i) {
                        pending.push((matrix.places.field(place, *head, i as u32, ty), field));
                    }
                }
            }
        }
    }
    base::sort(&mut found);
    found
}
