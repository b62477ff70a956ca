//! Matches as decision trees (Maranget 2008), with join points.
//!
//! A node of the tree that one edge leads to goes on in the block of that edge; one that several lead to is a block of
//! its own, whose parameters are the places that it or what follows it looks at. Places are taken out of the value
//! where they are first needed. An arm with several leaves is a block with its variables as parameters.
//!
//! Worked example: `match (%l) { Cons(%x, Nil) => …, _ => … }` switches on `%l`; for `Cons` it opens it, unboxes the
//! tail and switches on that. Both the `Cons` of the tail and the `Nil` of `%l` jump to the block of the second arm.

use crate::body::Body;
use crate::convert::Conversion;
use crate::instance::{LowerError, Lowering};
use base::{Append, HashMap, IndexVec, Span, ToList};
use hir::{Arm, ExprId, LocalId, PatKind};
use ir::{BlockId, Case, CaseKey, End, Fault, VarId};
use layout::{Head, Kind};
use pattern::{MatchTree, Node, NodeId, PlaceId};
use std::rc::Rc;
use ty::{TermId, VariantId};

/// An arm to be lowered: where it begins, its variables, its body.
pub(crate) type ArmStart = (BlockId, Vec<(LocalId, VarId)>, ExprId);

/// A way to an arm: its block, and the variables of the arm there.
type Leaf = (BlockId, Vec<(LocalId, VarId)>);

/// What is known on a path: the places that have been taken out.
#[derive(Clone)]
struct Path {
    places: HashMap<PlaceId, VarId>,
    /// Those of them that were boxes, without.
    in_place: HashMap<PlaceId, VarId>,
}

struct Match {
    tree: Rc<MatchTree>,
    children: HashMap<(PlaceId, pattern::Head, u32), PlaceId>,
    types: IndexVec<PlaceId, Option<TermId>>,
    span: Span,
}

fn head_of(head: pattern::Head) -> Option<Head> {
    match head {
        pattern::Head::Ctor(number) => Some(Head::Constructor(number)),
        pattern::Head::Variant(number) => Some(Head::Variant(VariantId::numbered(number))),
        pattern::Head::Tuple => Some(Head::Tuple),
        pattern::Head::Literal(_) | pattern::Head::Other => None,
    }
}

impl Lowering<'_> {
    fn tree(&mut self, expr: ExprId, scrutinee: ExprId, arms: &[Arm]) -> Option<Rc<MatchTree>> {
        if let Some(known) = self.trees.get(&expr) {
            return known.clone();
        }
        let inferred = self.of_expr(expr);
        let term = inferred.exprs[scrutinee];
        let tree = term.and_then(|term| pattern::decide(self.module, &inferred.solver, term, arms)).map(Rc::new);
        self.trees.insert(expr, tree.clone());
        tree
    }

    /// Lowers the tests of a match; the arms are left to be lowered.
    pub(crate) fn match_arms(
        &mut self,
        body: &mut Body,
        expr: ExprId,
        scrutinee: ExprId,
        arms: &[Arm],
        subject: VarId,
    ) -> Vec<ArmStart> {
        let span = self.module.exprs[expr].span;
        let Some(tree) = self.tree(expr, scrutinee, arms) else {
            self.errors.push(LowerError::LargeMatch { span });
            body.end(End::Fail(Fault::Broken), span);
            return Vec::new();
        };
        let places = &tree.tree.places;
        let children = places.iter_enumerated().filter_map(|(id, place)| Some((place.within?, id)));
        let mut types = IndexVec::filled(None, places.len());
        types[PlaceId::numbered(0)] = Some(self.expr_type(scrutinee, body.subst));
        let mut cx = Match { children: children.collect(), types, span, tree: tree.clone() };
        let nodes = &tree.tree.nodes;
        let needs = needs(&tree);
        let mut incoming: IndexVec<NodeId, Vec<(BlockId, Path)>> = IndexVec::filled(Vec::new(), nodes.len());
        let start =
            Path { places: HashMap::from_iter([(PlaceId::numbered(0), subject)]), in_place: HashMap::default() };
        incoming[tree.tree.root].push((body.block, start));
        let mut leaves: Vec<Vec<Leaf>> = base::filled(Vec::new(), arms.len());
        // Nodes lead to smaller ids.
        for id in nodes.ids().rev() {
            let ways = std::mem::take(&mut incoming[id]);
            let Some(mut path) = self.meet(body, &cx, ways, &needs[id], subject) else { continue };
            match &nodes[id] {
                Node::Fail => body.end(End::Fail(Fault::NoArm), span),
                Node::Leaf { arm, variables } => {
                    let mut bound = Vec::with_capacity(variables.len());
                    for &(local, place) in variables {
                        let local = LocalId::numbered(local);
                        bound.push((local, self.variable(body, &mut cx, &mut path, local, place)));
                    }
                    leaves[*arm].push((body.block, bound));
                }
                Node::Switch { place, cases, default } => {
                    self.switch(body, &mut cx, path, *place, cases, *default, &mut incoming);
                }
            }
        }
        let mut starts = Vec::new();
        for (arm, ways) in arms.iter().zip(leaves) {
            starts.append_all(self.arm_start(body, ways, arm.body, span));
        }
        starts
    }

    /// Where an arm begins, whichever leaf leads to it.
    fn arm_start(&mut self, body: &mut Body, mut ways: Vec<Leaf>, arm: ExprId, span: Span) -> Option<ArmStart> {
        if ways.len() < 2 {
            let (block, variables) = ways.pop()?;
            for &(local, var) in &variables {
                let name = self.module.local_name(local);
                body.function.vars[var].name.get_or_insert_with(|| name.to_owned());
            }
            return Some((block, variables, arm));
        }
        let block = body.new_block(span);
        let mut variables = Vec::new();
        for &(local, var) in &ways[0].1 {
            let layout = body.layout(var);
            let param = body.var(layout, Some(self.module.local_name(local).to_owned()));
            body.function.blocks[block].params.push(param);
            variables.push((local, param));
        }
        for (from, bound) in ways {
            body.block = from;
            body.end(End::Jump(block, bound.into_iter().map(|(_, var)| var).list()), span);
        }
        Some((block, variables, arm))
    }

    /// Begins a node: in the block of the only way to it, or in one of its own, with what is needed as parameters.
    fn meet(
        &mut self,
        body: &mut Body,
        cx: &Match,
        mut ways: Vec<(BlockId, Path)>,
        needs: &[PlaceId],
        subject: VarId,
    ) -> Option<Path> {
        if ways.len() < 2 {
            let (block, path) = ways.pop()?;
            body.block = block;
            return Some(path);
        }
        let mut path =
            Path { places: HashMap::from_iter([(PlaceId::numbered(0), subject)]), in_place: HashMap::default() };
        let block = body.new_block(cx.span);
        let mut handed: Vec<PlaceId> = Vec::new();
        for &need in needs {
            // What was taken out on every way, up to all of the value.
            let mut place = need;
            while !ways.iter().all(|(_, path)| path.places.contains_key(&place)) {
                match cx.tree.tree.places[place].within {
                    Some((outer, ..)) => place = outer,
                    None => break,
                }
            }
            if path.places.contains_key(&place) {
                continue;
            }
            let first = ways[0].1.places[&place];
            if ways.iter().all(|(_, path)| path.places[&place] == first) {
                path.places.insert(place, first);
                continue;
            }
            let layout = body.layout(first);
            let param = body.var(layout, None);
            body.function.blocks[block].params.push(param);
            path.places.insert(place, param);
            handed.push(place);
        }
        for (from, way) in ways {
            body.block = from;
            let args = handed.iter().map(|place| way.places[place]).list();
            body.end(End::Jump(block, args), cx.span);
        }
        body.block = block;
        Some(path)
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one walk over a tree")]
    fn switch(
        &mut self,
        body: &mut Body,
        cx: &mut Match,
        mut path: Path,
        place: PlaceId,
        cases: &[(pattern::Head, NodeId)],
        default: Option<NodeId>,
        incoming: &mut IndexVec<NodeId, Vec<(BlockId, Path)>>,
    ) {
        let subject = self.place_in_place(body, cx, &mut path, place);
        let block = body.block;
        let mut ends: Vec<Case> = Vec::new();
        let mut default_block = None;
        let layout = &self.program.layouts[body.layout(subject)];
        match &layout.kind {
            Kind::Scalar(_) => {
                body.fuel(cx.span);
                let mut rest = cases;
                let mut other = default;
                if let (None, Some((&(_, last), before))) = (default, cases.split_last()) {
                    (rest, other) = (before, Some(last));
                }
                for &(head, node) in rest {
                    let pattern::Head::Literal(number) = head else { continue };
                    let Some(&(_, scalar)) = cx.tree.literals.get(number as usize) else { continue };
                    let target = body.new_block(cx.span);
                    ends.push(Case { key: CaseKey::Literal(scalar), block: target });
                    incoming[node].push((target, path.clone()));
                }
                if let Some(node) = other {
                    let target = body.new_block(cx.span);
                    default_block = Some(target);
                    incoming[node].push((target, path));
                }
            }
            Kind::Sum { variants, .. } => {
                let variants = variants.clone();
                let n_inhabited = variants.iter().count_where(|variant| variant.is_inhabited);
                let mut possible: Vec<(usize, NodeId)> = Vec::new();
                for &(head, node) in cases {
                    let head = head_of(head);
                    let at = variants.iter().position(|variant| Some(variant.head) == head && variant.is_inhabited);
                    possible.append_all(at.map(|at| (at, node)));
                }
                let others = possible.len() < n_inhabited;
                let only = match (possible.as_slice(), others, default) {
                    (&[(_, node)], false, _) => Some(node),
                    (&[], true, Some(node)) => Some(node),
                    _ => None,
                };
                if let Some(node) = only {
                    // There is nothing to tell apart.
                    incoming[node].push((block, path));
                    return;
                }
                body.fuel(cx.span);
                for (at, node) in possible {
                    let target = body.new_block(cx.span);
                    ends.push(Case { key: CaseKey::Variant(at as u32), block: target });
                    incoming[node].push((target, path.clone()));
                }
                if others {
                    let target = body.new_block(cx.span);
                    default_block = Some(target);
                    match default {
                        Some(node) => incoming[node].push((target, path)),
                        None => {
                            body.block = target;
                            body.end(End::Fail(Fault::Unreachable), cx.span);
                        }
                    }
                }
            }
            // No value comes here.
            _ => {}
        }
        body.block = block;
        match ends.is_empty() && default_block.is_none() {
            true => body.end(End::Fail(Fault::Unreachable), cx.span),
            false => body.end(End::Switch { on: subject, cases: ends, default: default_block }, cx.span),
        }
    }

    /// A variable of an arm, in the layout of its own type.
    fn variable(&mut self, body: &mut Body, cx: &mut Match, path: &mut Path, local: LocalId, place: PlaceId) -> VarId {
        let stored = self.place(body, cx, path, place);
        let from = self.place_type(cx, place);
        let value = self.wrap(body, stored, from, cx.span);
        let to = self.local_type(local, body.subst);
        if let Some(pat) = self.refining(local) {
            let conversion = Conversion { pat, from, to };
            if self.converted.insert(conversion) {
                self.conversions.push(conversion);
            }
        }
        self.convert(body, value, from, to, cx.span)
    }

    /// The pattern before the `as` that binds a variable.
    fn refining(&mut self, local: LocalId) -> Option<hir::PatId> {
        if self.refinements.is_none() {
            let module = self.module;
            let named = module.pats.iter_enumerated().filter_map(|(_, pat)| match pat.kind {
                PatKind::As(inner, local) => Some((module.locals[local].shares.unwrap_or(local), inner)),
                _ => None,
            });
            self.refinements = Some(named.collect());
        }
        self.refinements.as_ref().and_then(|known| known.get(&local).copied())
    }

    fn place_type(&mut self, cx: &mut Match, place: PlaceId) -> TermId {
        let mut missing = vec![place];
        while let Some(&place) = missing.last() {
            if cx.types[place].is_some() {
                missing.pop();
                continue;
            }
            let within = cx.tree.tree.places[place].within;
            let Some((outer, head, field)) = within else {
                cx.types[place] = Some(self.program.types.nothing());
                continue;
            };
            let Some(outer) = cx.types[outer] else {
                missing.push(outer);
                continue;
            };
            let cases = self.program.types.cases(outer).unwrap_or_default();
            let case = cases.iter().find(|case| Some(case.head) == head_of(head));
            let ty = case.and_then(|case| case.fields.get(field as usize).copied());
            cx.types[place] = Some(ty.unwrap_or_else(|| self.program.types.nothing()));
        }
        cx.types[place].unwrap_or_else(|| self.program.types.nothing())
    }

    /// The value at a place as it is stored there. What it stands in is opened, from the outermost on.
    fn place(&mut self, body: &mut Body, cx: &mut Match, path: &mut Path, place: PlaceId) -> VarId {
        let mut missing = vec![place];
        while let Some(&next) = missing.last() {
            if path.places.contains_key(&next) {
                missing.pop();
                continue;
            }
            let Some((outer, head, _)) = cx.tree.tree.places[next].within else { break };
            if !path.places.contains_key(&outer) {
                missing.push(outer);
                continue;
            }
            let sum = self.place_in_place(body, cx, path, outer);
            let found = match &self.program.layouts[body.layout(sum)].kind {
                Kind::Sum { variants, .. } => {
                    variants.iter().position(|variant| Some(variant.head) == head_of(head) && variant.is_inhabited)
                }
                _ => None,
            };
            let fields = found.map(|at| self.open(body, sum, at, cx.span)).unwrap_or_default();
            for (index, field) in (0..).zip(fields) {
                if let Some(&place) = cx.children.get(&(outer, head, index)) {
                    path.places.insert(place, field);
                }
            }
            let is_there = path.places.contains_key(&next);
            if !is_there {
                // No value comes here.
                let ty = self.place_type(cx, next);
                let layout = self.of(ty);
                let value = body.fail(Fault::Unreachable, layout, cx.span);
                path.places.insert(next, value);
            }
        }
        path.places[&place]
    }

    /// The value at a place, unboxed.
    fn place_in_place(&mut self, body: &mut Body, cx: &mut Match, path: &mut Path, place: PlaceId) -> VarId {
        if let Some(&known) = path.in_place.get(&place) {
            return known;
        }
        let stored = self.place(body, cx, path, place);
        let value = self.in_place(body, stored, cx.span);
        path.in_place.insert(place, value);
        value
    }
}

/// By node, the places that it and what follows it look at.
fn needs(tree: &MatchTree) -> IndexVec<NodeId, Vec<PlaceId>> {
    let nodes = &tree.tree.nodes;
    let mut needs: IndexVec<NodeId, Vec<PlaceId>> = IndexVec::filled(Vec::new(), nodes.len());
    let mut is_led_to: IndexVec<NodeId, bool> = IndexVec::filled(false, nodes.len());
    let mut edges = nodes.iter().flat_map(|node| match node {
        Node::Switch { cases, default, .. } => cases.iter().map(|&(_, node)| node).chain(*default).list(),
        Node::Leaf { .. } | Node::Fail => Vec::new(),
    });
    // Without join points nobody asks.
    if !edges.any(|target| std::mem::replace(&mut is_led_to[target], true)) {
        return needs;
    }
    for (id, node) in nodes.iter_enumerated() {
        let mut own: Vec<PlaceId> = Vec::new();
        match node {
            Node::Fail => {}
            Node::Leaf { variables, .. } => own.append_all(variables.iter().map(|&(_, place)| place)),
            Node::Switch { place, cases, default } => {
                own.push(*place);
                let targets = cases.iter().map(|&(_, node)| node).chain(*default);
                targets.for_each(|target| own.extend_from_slice(&needs[target]));
            }
        }
        base::sort(&mut own);
        own.dedup();
        needs[id] = own;
    }
    needs
}
