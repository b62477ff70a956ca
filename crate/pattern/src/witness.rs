//! The values that no arm takes, as patterns.
//!
//! In the DAG of what is taken and what is not, each path to `Fail` is a product of what the places on it may begin
//! with. The shortest paths are listed first; where two of the patterns differ at one place only, they become one with
//! an or-pattern there. Witnesses do not overlap, and if all are listed then together they are what is missing.
//!
//! Worked example: `match (%l) { Cons(_, Cons(_, Nil)) => … }` fails at `Nil`, at `Cons(_, Nil)`, and at
//! `Cons(_, Cons(_, Cons(_, _)))`. The last two differ in one field: `Cons(_, Nil | Cons(_, Cons(_, _)))`.

use crate::intern::Interner;
use crate::matrix::Matrix;
use crate::pattern::{Head, Pattern, PatternId, Patterns, TyId};
use crate::rows::PlaceId;
use crate::tree::{Node, NodeId, Nodes};
use base::{Append, Idx, IndexVec, ToList};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many paths are listed, and how long they may be together past the first.
const MAX_PATHS: usize = 64;
const MAX_LENGTH: usize = 4_000;

/// How many witnesses are kept.
pub(crate) const MAX_WITNESSES: usize = 8;

/// Patterns for what is missing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Missing {
    pub patterns: Patterns,
    pub witnesses: Vec<PatternId>,
    /// How many witnesses were left out.
    pub n_more: usize,
    /// Whether there are still more, which were not counted.
    pub is_cut: bool,
}

impl Missing {
    /// Whether "all that no pattern names" is a part of a pattern. As it is written `_`, such patterns come last.
    fn has_rest(&self, id: PatternId) -> bool {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if matches!(self.patterns.nodes[id], Pattern::Head(Head::Other, _)) {
                return true;
            }
            pending.extend_from_slice(self.patterns.parts(id));
        }
        false
    }
}

/// The ways on from a node: heads that lead to one and the same.
type Ways = Vec<(NodeId, Vec<Head>)>;

/// What is known of a place on a path.
struct Step {
    place: PlaceId,
    heads: Vec<Head>,
    earlier: Option<usize>,
}

/// A place on a path, or one around such.
struct Known {
    place: PlaceId,
    step: Option<usize>,
    /// The fields of which something is known, each with its position among the places.
    fields: Vec<(u32, usize)>,
}

pub(crate) fn missing(matrix: &mut Matrix<'_, '_>, root: usize) -> Missing {
    let mut nodes = Nodes::default();
    let root = nodes.build(matrix, root, None);
    // By node, how many questions at least until no arm is left.
    let mut distance: IndexVec<NodeId, Option<usize>> = IndexVec::new();
    for node in nodes.nodes.iter() {
        distance.push(match node {
            Node::Fail => Some(0),
            Node::Leaf { .. } => None,
            Node::Switch { cases, default, .. } => {
                let ways = cases.iter().map(|&(_, node)| node).chain(*default);
                ways.filter_map(|node| distance[node]).min().map(|least| least + 1)
            }
        });
    }
    let mut builder = Builder { matrix, missing: Missing::default(), ids: Interner::default(), types: IndexVec::new() };
    let mut steps: Vec<Step> = Vec::new();
    let mut length = 0;
    let mut queue = BinaryHeap::new();
    if let Some(least) = distance[root] {
        queue.push(Reverse((least, usize::MAX, 0, root, None::<usize>)));
    }
    let mut n_paths = 0;
    let mut order = usize::MAX;
    let mut found: Vec<PatternId> = Vec::new();
    while let Some(Reverse((_, _, n_steps, node, last))) = queue.pop() {
        let Node::Switch { place, .. } = nodes.nodes[node] else {
            if n_paths == MAX_PATHS || (length + n_steps > MAX_LENGTH && n_paths > 0) {
                builder.missing.is_cut = true;
                break;
            }
            n_paths += 1;
            length += n_steps;
            let witness = builder.witness(&steps, last);
            builder.add(&mut found, witness);
            continue;
        };
        // Among paths of one length the one found last goes first, so that paths end before others begin.
        for (to, heads) in builder.ways(&nodes.nodes[node]).into_iter().rev() {
            let Some(rest) = distance[to] else { continue };
            steps.push(Step { place, heads, earlier: last });
            order -= 1;
            queue.push(Reverse((n_steps + 1 + rest, order, n_steps + 1, to, Some(steps.len() - 1))));
        }
    }
    // The alternatives of a witness are witnesses.
    let Builder { mut missing, .. } = builder;
    let mut all: Vec<PatternId> = found.into_iter().list_all(|witness| missing.patterns.alternatives(witness));
    base::sort_by_key(&mut all, |&witness| missing.has_rest(witness));
    missing.n_more = all.len().saturating_sub(MAX_WITNESSES);
    missing.witnesses = all.into_iter().take(MAX_WITNESSES).list();
    missing
}

struct Builder<'m, 'a, 't> {
    matrix: &'m mut Matrix<'a, 't>,
    /// Equal patterns are one.
    missing: Missing,
    ids: Interner,
    types: IndexVec<PatternId, TyId>,
}

impl Builder<'_, '_, '_> {
    fn pattern(&mut self, ty: TyId, pattern: Pattern) -> PatternId {
        let mut key = vec![ty.number()];
        match &pattern {
            Pattern::Wild => {}
            Pattern::Head(head, parts) => {
                key.append_all(head.key());
                key.append_all(parts.iter().map(|part| part.number()));
            }
            Pattern::Or(parts) => {
                key.append_all([u32::MAX, u32::MAX]);
                key.append_all(parts.iter().map(|part| part.number()));
            }
        }
        let (id, is_new) = self.ids.id(&key);
        if is_new {
            self.missing.patterns.push(pattern);
            self.types.push(ty);
        }
        PatternId::new(id as usize)
    }

    /// A head with fields that may be anything.
    fn bare(&mut self, ty: TyId, head: Head) -> PatternId {
        let fit = self.matrix.space.fit(ty, head);
        let mut fields = Vec::new();
        for i in 0..self.matrix.space.n_fields(ty, fit) {
            let ty = self.matrix.space.field(ty, fit, i).unwrap_or(TyId::UNKNOWN);
            fields.push(self.pattern(ty, Pattern::Wild));
        }
        self.pattern(ty, Pattern::Head(head, fields))
    }

    fn ways(&mut self, node: &Node) -> Ways {
        let mut ways: Ways = Vec::new();
        let Node::Switch { place, cases, default } = node else { return ways };
        let mut index = Interner::default();
        let mut named = Interner::default();
        let mut add = |to: NodeId, head: Head| {
            let (at, is_new) = index.id(&[to.number()]);
            if is_new {
                ways.push((to, Vec::new()));
            }
            ways[at as usize].1.push(head);
        };
        for &(head, _) in cases {
            named.id(&head.key());
        }
        let (shape, possible) = self.matrix.space.look(self.matrix.places.places[*place].ty);
        // In the order of the type's heads, then those that it does not list.
        for ((head, _), _) in shape.heads.iter().zip(possible).filter(|&(_, &is_possible)| is_possible) {
            match named.get(&head.key()) {
                Some(case) => add(cases[case as usize].1, *head),
                None => {
                    if let Some(default) = default {
                        add(*default, *head);
                    }
                }
            }
        }
        if shape.is_open {
            let is_listed = |head| shape.heads.iter().any(|&(other, _)| other == head);
            for &(head, to) in cases.iter().filter(|&&(head, _)| !is_listed(head)) {
                add(to, head);
            }
            if let Some(default) = default {
                add(*default, Head::Other);
            }
        }
        ways
    }

    /// The pattern of a path.
    fn witness(&mut self, steps: &[Step], mut last: Option<usize>) -> PatternId {
        let known = |place: PlaceId| Known { place, step: None, fields: Vec::new() };
        let mut places = vec![known(PlaceId::numbered(0))];
        let mut index = Interner::default();
        index.id(&[0]);
        while let Some(step) = last {
            let mut place = steps[step].place;
            let (at, mut is_new) = index.id(&[place.number()]);
            let mut at = at as usize;
            if is_new {
                places.push(known(place));
            }
            places[at].step = Some(step);
            while is_new && let Some((parent, _, field)) = self.matrix.places.places[place].within {
                let (parent_at, parent_is_new) = index.id(&[parent.number()]);
                if parent_is_new {
                    places.push(known(parent));
                }
                places[parent_at as usize].fields.push((field, at));
                (place, at, is_new) = (parent, parent_at as usize, parent_is_new);
            }
            last = steps[step].earlier;
        }
        let mut built: Vec<Option<PatternId>> = base::filled(None, places.len());
        let mut pending = vec![0];
        while let Some(&at) = pending.last() {
            let Known { place, step, fields } = &places[at];
            let open: Vec<usize> = fields.iter().map(|&(_, at)| at).filter(|&at| built[at].is_none()).list();
            if !open.is_empty() {
                pending.append_all(open);
                continue;
            }
            pending.pop();
            let ty = self.matrix.places.places[*place].ty;
            let within = fields.first().and_then(|&(_, field)| self.matrix.places.places[places[field].place].within);
            let heads: Vec<Head> = match (within, step) {
                (Some((_, head, _)), _) => vec![head],
                (None, Some(step)) => steps[*step].heads.clone(),
                (None, None) => self.only(ty),
            };
            let mut parts = Vec::new();
            for head in heads {
                let mut part = self.bare(ty, head);
                if let (Pattern::Head(_, wild), false) = (&self.missing.patterns.nodes[part], fields.is_empty()) {
                    let mut given = wild.clone();
                    for &(field, at) in fields {
                        if let (Some(slot), Some(pattern)) = (given.get_mut(field as usize), built[at]) {
                            *slot = pattern;
                        }
                    }
                    part = self.pattern(ty, Pattern::Head(head, given));
                }
                parts.push(part);
            }
            built[at] = Some(self.either(ty, parts));
        }
        built[0].unwrap_or_else(|| self.pattern(TyId::UNKNOWN, Pattern::Wild))
    }

    /// The head of all values, if others are of the type that no value begins with.
    fn only(&mut self, ty: TyId) -> Vec<Head> {
        let (shape, possible) = self.matrix.space.look(ty);
        let heads = shape.heads.iter().zip(possible).filter(|&(_, &is_possible)| is_possible);
        let heads = heads.map(|((head, _), _)| *head).list();
        if heads.len() == 1 && shape.heads.len() > 1 && !shape.is_open { heads } else { Vec::new() }
    }

    /// Any of several patterns that do not overlap; none means any value.
    fn either(&mut self, ty: TyId, parts: Vec<PatternId>) -> PatternId {
        let is_only = parts.len() == 1 && !self.only(ty).is_empty();
        let is_wild = |id: &PatternId| matches!(self.missing.patterns.nodes[*id], Pattern::Wild);
        let is_bare = |&part: &PatternId| matches!(&self.missing.patterns.nodes[part], Pattern::Head(_, f) if f.iter().all(is_wild));
        let n_possible = self.matrix.space.n_possible(ty);
        if parts.is_empty() || (n_possible == Some(parts.len()) && !is_only && parts.iter().all(is_bare)) {
            return self.pattern(ty, Pattern::Wild);
        }
        match parts[..] {
            [part] => part,
            _ => {
                let mut parts = parts;
                base::sort_by_key(&mut parts, |&part| self.missing.has_rest(part));
                self.pattern(ty, Pattern::Or(parts))
            }
        }
    }

    /// Adds a witness: to one that it differs from at one place, if there is one.
    fn add(&mut self, found: &mut Vec<PatternId>, witness: PatternId) {
        for i in 0..found.len() {
            if let Some(merged) = self.merged(found[i], witness) {
                found.remove(i);
                // What has grown may fit another.
                return self.add_grown(found, i, merged);
            }
        }
        found.push(witness);
    }

    fn add_grown(&mut self, found: &mut Vec<PatternId>, at: usize, mut grown: PatternId) {
        while let Some((i, merged)) = (0..found.len()).find_map(|i| Some((i, self.merged(found[i], grown)?))) {
            found.remove(i);
            grown = merged;
        }
        found.insert(at.min(found.len()), grown);
    }

    /// Two patterns as one, if they have the same head and differ in one field. On the way down, that field of the one
    /// is joined with that of the other: into the alternative that differs from it at one place, else beside them.
    fn merged(&mut self, left: PatternId, right: PatternId) -> Option<PatternId> {
        struct Around {
            ty: TyId,
            head: Head,
            fields: Vec<PatternId>,
            field: usize,
            /// The alternatives around it, and which of them it is.
            others: Vec<PatternId>,
            position: usize,
        }
        let mut path: Vec<Around> = Vec::new();
        let (mut others, mut position, mut left) = (vec![left], 0, left);
        let mut right = right;
        let mut whole = loop {
            let differing = self.one_difference(left, right);
            let Some((head, fields, field, of_right)) = differing else {
                // Only above the first step the two must be one.
                path.last()?;
                let mut parts = others;
                parts.append(&mut self.missing.patterns.alternatives(right));
                break self.either(self.types[right], parts);
            };
            let inner = fields[field];
            path.push(Around { ty: self.types[left], head, fields, field, others, position });
            right = of_right;
            others = self.missing.patterns.alternatives(inner);
            position = others.iter().position(|&other| self.one_difference(other, right).is_some()).unwrap_or(0);
            left = others[position];
        };
        while let Some(mut around) = path.pop() {
            around.fields[around.field] = whole;
            let part = self.pattern(around.ty, Pattern::Head(around.head, around.fields));
            around.others[around.position] = part;
            whole = self.either(around.ty, around.others);
        }
        Some(whole)
    }

    /// The head and the fields of the left, the one field that is not the same, and what the right has there.
    fn one_difference(&self, left: PatternId, right: PatternId) -> Option<(Head, Vec<PatternId>, usize, PatternId)> {
        let nodes = &self.missing.patterns.nodes;
        let (Pattern::Head(head, fields), Pattern::Head(other, others)) = (&nodes[left], &nodes[right]) else {
            return None;
        };
        if head != other || fields.len() != others.len() {
            return None;
        }
        let mut differing = (0..fields.len()).filter(|&i| fields[i] != others[i]);
        let field = differing.next()?;
        differing.next().is_none().then(|| (*head, fields.clone(), field, others[field]))
    }
}
