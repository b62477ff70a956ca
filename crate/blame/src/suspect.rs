//! Which parts of a text may be at fault: a part may be if the fault is gone with a hole in its place.
//!
//! The search starts where a fault is told and goes back along the flow of data: from an expression to its parts, from
//! a variable to what it is bound to, from a call to what it calls, from a value to the type that is written for it.
//! It goes on only from parts that may be at fault, so that of a tuple of twenty one variable is followed.

use crate::bench::{Bench, Shaped};
use crate::outline::{Outline, is_expr, is_type};
use base::{Append, Diagnostic, Edit, HashSet, Span, ToList};
use hir::LocalId;
use syntax::{NodeId, NodeKind};
use ty::{AdtId, Dtype, Kind, Term, Terms};

pub(crate) struct Suspect {
    pub node: NodeId,
    /// How many definitions lie between it and the place where the fault is told.
    pub n_hops: u32,
    pub removed: u64,
    /// What must stand here, if that can be written down.
    pub want: Option<String>,
    pub want_shaped: Option<Shaped>,
    /// Of what must stand here, though the shape may not be known.
    pub want_dtype: Option<Dtype>,
    /// The data type that a value must be of, though not all of its arguments may be known.
    pub want_adt: Option<AdtId>,
    pub wants_ref: bool,
    /// Variables that might stand here instead, and their types.
    pub in_scope: Vec<(String, String)>,
}

/// A hole is tried in at most this many places.
const MAX_SUSPECTS: usize = 90;

/// And in at most this many parts of one expression.
const MAX_PARTS: usize = 40;

pub(crate) fn suspects(bench: &mut Bench, outline: &Outline, faults: &[Diagnostic]) -> Vec<Suspect> {
    let mut found = Vec::new();
    let mut seen: HashSet<NodeId> = HashSet::default();
    let mut queue: Vec<(NodeId, u32)> = Vec::new();
    // Where something is not said, nothing that is written is wrong.
    for fault in faults.iter().filter(|fault| fault.code != "under-constrained").take(6) {
        start(outline, fault, &mut queue);
    }
    let mut n_tried = 0;
    // Half of the work is for the edits.
    let kept = bench.work_left / 2;
    while !queue.is_empty() {
        let (node, n_hops) = queue.remove(0);
        let kind = outline.kind(node);
        if matches!(kind, NodeKind::Block | NodeKind::Seq) {
            queue.insert(0, (outline.tail(node), n_hops));
            continue;
        }
        if !(is_expr(kind) || is_type(kind)) || !seen.insert(node) {
            continue;
        }
        n_tried += 1;
        if n_tried > MAX_SUSPECTS || bench.work_left < kept {
            break;
        }
        let Some(suspect) = probe(bench, outline, node, n_hops) else {
            // A variable that is handed over twice is at fault twice: only its binding can be mended.
            if is_twice(outline, node)
                && let Some(local) = outline.local(node)
            {
                queue.append_all(bound(outline, outline.binder(local)).into_iter().map(|(next, n)| (next, n_hops + n)));
            }
            continue;
        };
        found.push(suspect);
        for (next, n_more) in behind(outline, node).into_iter().take(MAX_PARTS) {
            // What is near is tried before what is far.
            let hops = n_hops + n_more;
            let at = queue.iter().position(|&(_, other)| other > hops).unwrap_or(queue.len());
            queue.insert(at, (next, hops));
        }
    }
    found
}

/// Whether the same variable stands beside a node.
fn is_twice(outline: &Outline, node: NodeId) -> bool {
    let Some(parent) = outline.parent(node) else { return false };
    let alike =
        outline.tree.children_rev(parent).take(MAX_PARTS).filter(|&other| outline.text(other) == outline.text(node));
    matches!(outline.kind(node), NodeKind::LocalRef | NodeKind::GraphRef) && alike.count() > 1
}

/// What is left of the faults with a hole in the place of a node.
pub(crate) fn probe(bench: &mut Bench, outline: &Outline, node: NodeId, n_hops: u32) -> Option<Suspect> {
    let span = outline.span(node);
    let outcome = bench.try_edits(&[Edit { span, text: "_".to_owned() }])?;
    if outcome.removed == 0 {
        return None;
    }
    let checked = &outcome.checked;
    let term = checked.hole_at(span.start);
    let want = term.filter(|&term| checked.is_known(term)).map(|term| checked.print(term));
    let want_shaped = term.filter(|&term| checked.kind(term) == Kind::Type).and_then(|term| checked.shaped(term));
    let want_dtype = term.and_then(|term| checked.dtype(term));
    let want_adt = term.and_then(|term| match checked.inferred.solver.head(term) {
        Term::Adt { adt, .. } => Some(adt),
        _ => None,
    });
    let hole = checked.module.holes.iter().find(|hole| checked.module.locals[hole.local].span.start == span.start);
    let in_scope = hole.map_or_else(Vec::new, |hole| {
        // What has the type of an error fits everywhere, and mends nothing.
        let solver = &checked.inferred.solver;
        let is_sound = |local: &&LocalId| {
            let term = checked.inferred.locals[**local];
            term.is_some_and(|term| solver.roots_where(&[term], |term| matches!(term, Term::Error(_))).is_empty())
        };
        let typed = hole.in_scope.iter().filter(is_sound).filter_map(|&local| {
            let printed = checked.inferred.print_local(&checked.module, local)?;
            Some((checked.module.local_name(local).to_owned(), printed.text))
        });
        typed.take(60).list()
    });
    let wants_ref = term.is_some_and(|term| matches!(checked.inferred.solver.head(term), Term::Ref(_)));
    let removed = outcome.removed;
    Some(Suspect { node, n_hops, removed, want, want_shaped, want_dtype, want_adt, wants_ref, in_scope })
}

/// Where the search for a fault starts.
fn start(outline: &Outline, fault: &Diagnostic, queue: &mut Vec<(NodeId, u32)>) {
    climb(outline, fault.span, 0, queue);
    for label in fault.labels.iter().take(6) {
        climb(outline, label.span, 1, queue);
    }
}

/// The expressions around a place up to its statement, and the type that is written for them.
fn climb(outline: &Outline, span: Span, n_hops: u32, queue: &mut Vec<(NodeId, u32)>) {
    let mut node = outline.covering(span);
    if is_type(outline.kind(node)) {
        queue.push((outline.whole_type(node), n_hops));
        return;
    }
    if n_hops > 0 {
        queue.push((node, n_hops));
        return;
    }
    let first = node;
    loop {
        let kind = outline.kind(node);
        if is_expr(kind) {
            queue.push((node, n_hops));
        }
        let typed = match kind {
            NodeKind::LetStmt | NodeKind::LetItem | NodeKind::GraphStmt | NodeKind::Param => true,
            // A literal that is at fault itself is part of what is around it.
            NodeKind::Fn | NodeKind::Def => node != first,
            NodeKind::File => return,
            _ => false,
        };
        if typed {
            let types = outline.tree.children(node).into_iter().filter(|&child| is_type(outline.kind(child)));
            types.for_each(|written| queue.push((written, n_hops)));
            return;
        }
        let Some(parent) = outline.parent(node) else { return };
        // A statement is told apart from what its block comes to.
        if matches!(outline.kind(parent), NodeKind::Block | NodeKind::Seq) && outline.tail(parent) != outline.tail(node)
        {
            return;
        }
        node = parent;
    }
}

/// Where the type of a node comes from, and how many hops away that is.
fn behind(outline: &Outline, node: NodeId) -> Vec<(NodeId, u32)> {
    let tree = outline.tree;
    match outline.kind(node) {
        NodeKind::LocalRef | NodeKind::GraphRef => match outline.local(node) {
            Some(local) => bound(outline, outline.binder(local)),
            None => Vec::new(),
        },
        NodeKind::GlobalRef => {
            let def = outline.expr(node).and_then(|expr| match outline.checked.module.exprs[expr].kind {
                hir::ExprKind::Def(def) if def.number() as usize >= outline.checked.module.start.defs => Some(def),
                _ => None,
            });
            let Some(def) = def else { return Vec::new() };
            let mut at = outline.covering(outline.checked.module.defs[def].name_span);
            while outline.kind(at) != NodeKind::Def {
                match outline.parent(at) {
                    Some(parent) => at = parent,
                    None => return Vec::new(),
                }
            }
            of_function(outline, at)
        }
        NodeKind::Fn => of_function(outline, node),
        NodeKind::Call => {
            let mut out = Vec::new();
            for child in tree.children(node) {
                match outline.kind(child) {
                    NodeKind::ArgList => {
                        let args = tree.children(child).into_iter().filter(|&arg| outline.kind(arg) != NodeKind::Attr);
                        out.append_all(args.map(|arg| (arg, 0)));
                    }
                    NodeKind::NameRef => {}
                    _ => out.push((child, 0)),
                }
            }
            out
        }
        NodeKind::Match => {
            let mut out = Vec::new();
            for child in tree.children(node) {
                match outline.kind(child) {
                    NodeKind::Arm => out.append_all(tree.children_rev(child).next().map(|body| (body, 0))),
                    _ => out.push((child, 0)),
                }
            }
            out
        }
        _ => tree.children(node).into_iter().map(|child| (child, 0)).list(),
    }
}

/// What a binder binds its variable to.
fn bound(outline: &Outline, binder: NodeId) -> Vec<(NodeId, u32)> {
    let tree = outline.tree;
    match outline.kind(binder) {
        NodeKind::LetStmt | NodeKind::LetItem | NodeKind::GraphStmt | NodeKind::GraphItem | NodeKind::Param => {
            tree.children(binder).into_iter().map(|child| (child, 1)).list()
        }
        _ => {
            // A pattern's variable comes out of the scrutinee.
            let mut node = binder;
            while let Some(parent) = outline.parent(node) {
                if outline.kind(parent) == NodeKind::Match {
                    return tree.children(parent).first().map(|&scrutinee| (scrutinee, 1)).into_iter().list();
                }
                node = parent;
            }
            Vec::new()
        }
    }
}

/// The types that a function is written with, and what its body comes to.
fn of_function(outline: &Outline, function: NodeId) -> Vec<(NodeId, u32)> {
    let tree = outline.tree;
    let mut out = Vec::new();
    for child in tree.children(function) {
        match outline.kind(child) {
            NodeKind::ParamList => {
                for param in tree.children(child) {
                    out.append_all(tree.children(param).into_iter().map(|written| (written, 1)));
                }
            }
            NodeKind::Block => out.push((child, 2)),
            kind if is_type(kind) => out.push((child, 1)),
            _ => {}
        }
    }
    out
}
