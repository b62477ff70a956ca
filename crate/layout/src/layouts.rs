//! The layouts of the types of a program.
//!
//! A type is laid out together with all that it can hold. First each of these gets the id of its layout, so that a
//! cell can say what is in it before that is known. Then the types that have values are found (the least fixpoint: a
//! case has values when all its fields' types do), then the cycles of types, and last come the layouts themselves,
//! what is held before what holds it.
//!
//! Worked example, `packed`: in `type List { Nil, Cons(int32, List) }` the type of the second field closes a cycle, so
//! it is a box; `Nil` stores nothing, so the box holds the code 0 for it. The sum has a tag of 1 bit and 32 + 32 bits.

use crate::layout::{Codes, Field, Kind, Layout, LayoutId, Spare, Strategy, Tag, Variant, spare_pointer};
use crate::natural::Natural;
use crate::types::{Head, Types};
use crate::{aligned, packed, rust, uniform};
use base::{Append, HashMap, IndexVec, ToList};
use std::sync::OnceLock;
use ty::{Dtype, Term, TermId, Terms};

/// What a case stores in place, at most; in a case of more bits its long fields are boxes. So a type whose values
/// double with each line of a program has a layout too.
const MAX_CASE_BITS: u64 = 1 << 16;
/// A field is worth a box when it is longer.
const MAX_FIELD_BITS: u32 = 64;

/// Layouts, each once, under one strategy. Equal layouts of one type have equal ids.
#[derive(Clone, Debug)]
pub struct Layouts {
    pub strategy: Strategy,
    pub table: IndexVec<LayoutId, Layout>,
    /// Of variables.
    of: HashMap<TermId, LayoutId>,
    contents: HashMap<TermId, LayoutId>,
    boxes: HashMap<TermId, LayoutId>,
    tokens: HashMap<LayoutId, LayoutId>,
    spare: HashMap<LayoutId, Spare>,
    /// The cases of types that have no values, and do not hold themselves.
    pub(crate) without_values: HashMap<LayoutId, Vec<Case>>,
    /// Of all layouts, once somebody has asked: how many values they have, and what they are in Rust.
    pub(crate) counts: OnceLock<IndexVec<LayoutId, Option<Natural>>>,
    pub(crate) rust_types: OnceLock<IndexVec<LayoutId, rust::Type>>,
}

/// A case as a strategy sees it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub head: Head,
    pub is_inhabited: bool,
    pub fields: Vec<LayoutId>,
}

/// What a strategy answers for a sum.
pub(crate) struct Plan {
    pub bits: u32,
    pub align: u32,
    pub tag: Tag,
    pub variants: Vec<Variant>,
    pub spare: Option<Spare>,
}

/// A type that is being laid out.
struct Node {
    ty: TermId,
    layout: LayoutId,
    cases: Vec<NodeCase>,
    is_inhabited: bool,
    /// The cycle of types that it is in.
    cycle: Option<usize>,
}

struct NodeCase {
    head: Head,
    fields: Vec<TermId>,
    /// The fields of whose types no value is known yet.
    n_missing: usize,
}

impl Layouts {
    pub fn new(strategy: Strategy) -> Layouts {
        Layouts {
            strategy,
            table: IndexVec::new(),
            of: HashMap::default(),
            contents: HashMap::default(),
            boxes: HashMap::default(),
            tokens: HashMap::default(),
            spare: HashMap::default(),
            without_values: HashMap::default(),
            counts: OnceLock::new(),
            rust_types: OnceLock::new(),
        }
    }

    /// The layout of a variable of this type. The data types that it can hold have been defined.
    pub fn of(&mut self, types: &Types, ty: TermId) -> LayoutId {
        if let Some(&layout) = self.of.get(&ty) {
            return layout;
        }
        self.build(types, ty);
        self.of[&ty]
    }

    /// The layout of what a box of this type points to.
    pub fn content(&mut self, types: &Types, ty: TermId) -> LayoutId {
        let variable = self.of(types, ty);
        self.contents.get(&ty).copied().unwrap_or(variable)
    }

    /// The layout of a box of this type; under `uniform` that of a variable.
    pub fn boxed(&mut self, types: &Types, ty: TermId) -> LayoutId {
        let variable = self.of(types, ty);
        self.box_of(ty, variable)
    }

    /// The layout of the memory of a freed block of this content.
    pub fn token(&mut self, content: LayoutId) -> LayoutId {
        if let Some(&token) = self.tokens.get(&content) {
            return token;
        }
        let token = self.push(self.table[content].ty, 32, Kind::Token { content });
        self.tokens.insert(content, token);
        token
    }

    /// The place in a layout, and the codes there, that none of its values has; under `uniform` nobody asks.
    pub fn spare(&self, layout: LayoutId) -> Option<Spare> {
        self.spare.get(&layout).copied()
    }

    fn box_of(&mut self, ty: TermId, variable: LayoutId) -> LayoutId {
        if self.strategy == Strategy::Uniform || self.table[variable].kind == Kind::Never {
            return variable;
        }
        if let Some(&layout) = self.boxes.get(&ty) {
            return layout;
        }
        let mut stores_nothing: Vec<bool> = Vec::new();
        if let Kind::Sum { variants, .. } = &self.table[variable].kind {
            let is_empty = |field: &Field| self.table[field.layout].bits == 0;
            let is_code = |variant: &Variant| variant.is_inhabited && variant.fields.iter().all(is_empty);
            stores_nothing.append_all(variants.iter().map(is_code));
        }
        self.push_box(ty, variable, &stores_nothing)
    }

    /// A box with a code of its own for each of these cases that stores nothing.
    fn push_box(&mut self, ty: TermId, content: LayoutId, stores_nothing: &[bool]) -> LayoutId {
        let mut n_codes = 0;
        let code = |&is_code: &bool| {
            n_codes += u32::from(is_code);
            is_code.then(|| spare_pointer(n_codes - 1))
        };
        let immediates: Vec<Option<u32>> = stores_nothing.iter().map(code).list();
        let layout = self.push(ty, 32, Kind::Box { content, immediates });
        self.spare.insert(layout, Spare::pointers(n_codes));
        self.boxes.insert(ty, layout);
        layout
    }

    fn push(&mut self, ty: TermId, bits: u32, kind: Kind) -> LayoutId {
        let align = self.natural_align(bits);
        (self.counts, self.rust_types) = (OnceLock::new(), OnceLock::new());
        self.table.push(Layout { ty, bits, align, kind })
    }

    fn natural_align(&self, bits: u32) -> u32 {
        match self.strategy {
            Strategy::Packed => 1,
            Strategy::Aligned => (bits / 8).max(1),
            Strategy::Uniform => (bits / 8).clamp(1, 4),
        }
    }

    fn set(&mut self, layout: LayoutId, bits: u32, kind: Kind) {
        let align = self.natural_align(bits);
        let entry = &mut self.table[layout];
        (entry.bits, entry.align, entry.kind) = (bits, align, kind);
    }

    fn set_pointer(&mut self, layout: LayoutId, kind: Kind) {
        self.set(layout, 32, kind);
        self.spare.insert(layout, Spare::pointers(0));
    }

    fn scalar_bits(&self, dtype: Dtype) -> u32 {
        match (self.strategy, dtype) {
            (Strategy::Packed, Dtype::Bool) => 1,
            (_, _) => dtype.bits().max(8),
        }
    }

    /// The id of a type's layout, which says `Never` until it is known.
    fn reserve(&mut self, ty: TermId, new: &mut Vec<(TermId, LayoutId)>) -> LayoutId {
        if let Some(&layout) = self.of.get(&ty) {
            return layout;
        }
        let layout = self.push(ty, 0, Kind::Never);
        self.of.insert(ty, layout);
        new.push((ty, layout));
        layout
    }

    fn build(&mut self, types: &Types, root: TermId) {
        let (mut nodes, index) = self.discover(types, root);
        self.find_inhabited(&mut nodes, &index);
        if self.strategy == Strategy::Uniform {
            return self.build_uniform(&nodes);
        }
        let in_nodes = |case: &NodeCase| case.fields.iter().filter_map(|field| index.get(field).copied()).list();
        let edges: Vec<Vec<usize>> =
            nodes.iter().map(|node| node.cases.iter().flat_map::<Vec<usize>, _>(in_nodes).list()).list();
        for (cycle, group) in base::components(&edges).into_iter().enumerate() {
            if group.len() > 1 || edges[group[0]].contains(&group[0]) {
                group.iter().for_each(|&member| nodes[member].cycle = Some(cycle));
                group.iter().for_each(|&member| self.build_box(&nodes, &index, member));
            }
            for &member in &group {
                let node = &nodes[member];
                if node.cases.is_empty() || !node.is_inhabited && node.cycle.is_some() {
                    continue;
                }
                let cases = self.cases(&nodes, &index, member);
                if nodes[member].is_inhabited {
                    let plan = match self.strategy {
                        Strategy::Packed => packed::plan(self, &cases),
                        Strategy::Aligned | Strategy::Uniform => aligned::plan(self, &cases),
                    };
                    self.set_sum(nodes[member].layout, plan);
                } else {
                    self.without_values.insert(nodes[member].layout, cases);
                }
            }
        }
    }

    /// All types that a type can hold and that are not laid out yet, with the layouts of those that have no cases.
    fn discover(&mut self, types: &Types, root: TermId) -> (Vec<Node>, HashMap<TermId, usize>) {
        let (mut nodes, mut index, mut new) = (Vec::new(), HashMap::default(), Vec::new());
        self.reserve(root, &mut new);
        while let Some((ty, layout)) = new.pop() {
            match types.head(ty) {
                Term::Tensor { .. } => match types.as_scalar(ty) {
                    Some(dtype) => self.set_scalar(ty, layout, dtype),
                    None => self.set_pointer(layout, Kind::Tensor),
                },
                Term::Func { .. } => self.set_pointer(layout, Kind::Closure),
                Term::Ref(inner) => {
                    let content = self.reserve(inner, &mut new);
                    self.set_pointer(layout, Kind::Ref { content });
                }
                Term::Tuple(_) | Term::Sum(_) | Term::Adt { .. } | Term::Forall { .. } => {
                    let cases = types.cases(ty).unwrap_or_default().into_iter();
                    let cases = cases.map(|case| NodeCase { head: case.head, n_missing: 0, fields: case.fields });
                    let cases: Vec<NodeCase> = cases.list();
                    for &field in cases.iter().flat_map(|case| &case.fields) {
                        self.reserve(field, &mut new);
                    }
                    index.insert(ty, nodes.len());
                    nodes.push(Node { ty, layout, cases, is_inhabited: false, cycle: None });
                }
                Term::Hole(_)
                | Term::Error(_)
                | Term::Param(..)
                | Term::Row { .. }
                | Term::EmptyRow
                | Term::Shape(_)
                | Term::Slice { .. }
                | Term::Splice(_)
                | Term::Dim(_)
                | Term::Dtype(_) => {}
            }
        }
        (nodes, index)
    }

    fn set_scalar(&mut self, ty: TermId, layout: LayoutId, dtype: Dtype) {
        let bits = self.scalar_bits(dtype);
        match self.strategy {
            Strategy::Uniform if dtype.bits() < 32 => {
                let content = self.push(ty, bits, Kind::Scalar(dtype));
                self.contents.insert(ty, content);
                self.set(layout, 32, Kind::Immediate(dtype));
            }
            Strategy::Uniform => {
                let content = self.push(ty, bits, Kind::Scalar(dtype));
                self.contents.insert(ty, content);
                self.set(layout, 32, Kind::Box { content, immediates: Vec::new() });
            }
            Strategy::Packed | Strategy::Aligned => {
                self.set(layout, bits, Kind::Scalar(dtype));
                if dtype == Dtype::Bool && bits == 8 {
                    let codes = Spare { offset: 0, bits, codes: Codes::Numbers, first: 2, n: 254 };
                    self.spare.insert(layout, codes);
                }
            }
        }
    }

    /// Finds the types that have values: each case waits for its fields' types.
    fn find_inhabited(&self, nodes: &mut [Node], index: &HashMap<TermId, usize>) {
        let mut users: Vec<Vec<(usize, usize)>> = nodes.iter().map(|_| Vec::new()).list();
        let mut ready = Vec::new();
        for (number, node) in nodes.iter_mut().enumerate() {
            for (case_idx, case) in node.cases.iter_mut().enumerate() {
                for field in &case.fields {
                    match index.get(field) {
                        Some(&part) => users[part].push((number, case_idx)),
                        None if self.table[self.of[field]].kind == Kind::Never => {}
                        None => continue,
                    }
                    case.n_missing += 1;
                }
                if case.n_missing == 0 {
                    ready.push(number);
                }
            }
        }
        while let Some(number) = ready.pop() {
            if std::mem::replace(&mut nodes[number].is_inhabited, true) {
                continue;
            }
            for &(user, case_idx) in &users[number] {
                let case = &mut nodes[user].cases[case_idx];
                case.n_missing -= 1;
                if case.n_missing == 0 {
                    ready.push(user);
                }
            }
        }
    }

    /// The box of a type that is in a cycle: which of its cases store nothing is known before its layout is.
    fn build_box(&mut self, nodes: &[Node], index: &HashMap<TermId, usize>, member: usize) {
        let node = &nodes[member];
        if !node.is_inhabited {
            return;
        }
        let is_empty = |field: &TermId| {
            let is_box = index.get(field).is_some_and(|&part| nodes[part].cycle == node.cycle);
            !is_box && self.table[self.of[field]].bits == 0
        };
        let stores_nothing = |case: &NodeCase| case.n_missing == 0 && case.fields.iter().all(is_empty);
        let stores_nothing: Vec<bool> = node.cases.iter().map(stores_nothing).list();
        self.push_box(node.ty, node.layout, &stores_nothing);
    }

    /// The cases of a type with the layouts of their fields.
    fn cases(&mut self, nodes: &[Node], index: &HashMap<TermId, usize>, member: usize) -> Vec<Case> {
        let node = &nodes[member];
        let mut cases = Vec::with_capacity(node.cases.len());
        for case in &node.cases {
            let in_cycle = |field| {
                let part = index.get(field).map(|&part| &nodes[part]);
                part.is_some_and(|part| part.cycle.is_some() && part.cycle == node.cycle)
            };
            let layout = |field| match self.boxes.get(field) {
                Some(&layout) if in_cycle(field) => layout,
                Some(_) | None => self.of[field],
            };
            let mut fields: Vec<LayoutId> = case.fields.iter().map(layout).list();
            if fields.iter().map(|&field| u64::from(self.table[field].bits)).total::<u64>() > MAX_CASE_BITS {
                for field in &mut fields {
                    if self.table[*field].bits > MAX_FIELD_BITS {
                        *field = self.box_of(self.table[*field].ty, *field);
                    }
                }
            }
            cases.push(Case { head: case.head, is_inhabited: case.n_missing == 0, fields });
        }
        cases
    }

    fn set_sum(&mut self, layout: LayoutId, plan: Plan) {
        let entry = &mut self.table[layout];
        (entry.bits, entry.align) = (plan.bits, plan.align);
        entry.kind = Kind::Sum { tag: plan.tag, variants: plan.variants };
        if let Some(spare) = plan.spare {
            self.spare.insert(layout, spare);
        }
    }

    fn build_uniform(&mut self, nodes: &[Node]) {
        for node in nodes.iter().filter(|node| node.is_inhabited) {
            let case = |case: &NodeCase| Case {
                head: case.head,
                is_inhabited: case.n_missing == 0,
                fields: case.fields.iter().map(|field| self.of[field]).list(),
            };
            let cases: Vec<Case> = node.cases.iter().map(case).list();
            let content = self.push(node.ty, 0, Kind::Never);
            self.contents.insert(node.ty, content);
            self.set_sum(content, uniform::plan(&cases));
            self.set(node.layout, 32, Kind::Box { content, immediates: uniform::immediates(&cases) });
        }
    }
}

impl std::ops::Index<LayoutId> for Layouts {
    type Output = Layout;
    fn index(&self, id: LayoutId) -> &Layout {
        &self.table[id]
    }
}
