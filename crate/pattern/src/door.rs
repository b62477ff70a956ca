//! The matches of a program, put to the core.

use crate::coverage::{Cover, Wanted, examine};
use crate::intern::Interner;
use crate::pattern::{Head, Pattern, PatternId, Patterns};
use crate::print::print;
use crate::tree::{Tree, tree};
use crate::types::HirTypes;
use base::{Append, Idx, IndexVec, ToList};
use hir::{Arm, LocalId, Module, PatId, PatKind};
use ty::{Dtype, Printed, Scalar, TermId, Terms};

/// What a match does not do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Missing cases as patterns, which do not overlap; the shortest come first.
    pub missing: Vec<Printed>,
    /// How many more there are.
    pub n_more: usize,
    /// Whether there are more even than that.
    pub is_cut: bool,
    /// Arms that are never taken, by index.
    pub unreachable_arms: Vec<Unreachable<usize>>,
    /// Alternatives that are never taken, in arms that are.
    pub unreachable_alternatives: Vec<Unreachable<PatId>>,
    /// The match is too large to judge; nothing is said of it.
    pub is_given_up: bool,
    /// How many goals and rows were looked at to find this out.
    pub n_steps: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Unreachable<T> {
    pub what: T,
    /// The patterns of earlier arms and earlier alternatives that take its values: none, if it has no values.
    pub covered_by: Vec<PatId>,
}

/// The decision tree of a match.
#[derive(Clone, Debug)]
pub struct MatchTree {
    /// The numbers of constructors are those of [`hir::CtorId`], of variants those of [`ty::VariantId`], of variables
    /// those of [`LocalId`].
    pub tree: Tree,
    /// The literals, by their numbers.
    pub literals: Vec<(Dtype, Scalar)>,
}

/// Checks one match on a value of the type `scrutinee`.
pub fn check(module: &Module, terms: &dyn Terms, scrutinee: TermId, arms: &[Arm], wanted: Wanted) -> Coverage {
    // What an arm that could not be read would take is not known.
    let Some(read) = Read::new(module, arms) else { return Coverage::default() };
    let mut types = HirTypes::new(module, terms);
    let ty = types.term(scrutinee);
    let findings = examine(&read.patterns, &mut types, ty, &read.arms, wanted);
    let missing = &findings.missing;
    let covered_by = |covers: &[Cover]| {
        let pattern = |cover: &Cover| match *cover {
            Cover::Arm(arm) => arms[arm].pat,
            Cover::Alternative(pattern) => read.pats[pattern],
        };
        covers.iter().map(pattern).list()
    };
    let unreachable_arms =
        findings.arms.iter().map(|(arm, covers)| Unreachable { what: *arm, covered_by: covered_by(covers) });
    let unreachable_alternatives = findings
        .alternatives
        .iter()
        .map(|(pattern, covers)| Unreachable { what: read.pats[*pattern], covered_by: covered_by(covers) });
    Coverage {
        missing: missing
            .witnesses
            .iter()
            .map(|&witness| print(module, &read.literals, &missing.patterns, witness))
            .list(),
        n_more: missing.n_more,
        is_cut: missing.is_cut,
        unreachable_arms: unreachable_arms.list(),
        unreachable_alternatives: unreachable_alternatives.list(),
        is_given_up: findings.is_given_up,
        n_steps: findings.n_steps,
    }
}

/// The decision tree of a match on a value of the type `scrutinee`. `None`: an arm could not be read, or the variables
/// of one can stand in too many ways.
pub fn decide(module: &Module, terms: &dyn Terms, scrutinee: TermId, arms: &[Arm]) -> Option<MatchTree> {
    let read = Read::new(module, arms)?;
    let mut types = HirTypes::new(module, terms);
    let ty = types.term(scrutinee);
    let tree = tree(&read.patterns, &mut types, ty, &read.arms)?;
    Some(MatchTree { tree, literals: read.literals })
}

/// The patterns of a match as the core's.
struct Read {
    patterns: Patterns,
    /// What each was.
    pats: IndexVec<PatternId, PatId>,
    arms: Vec<PatternId>,
    literals: Vec<(Dtype, Scalar)>,
    literal_ids: Interner,
}

impl Read {
    fn new(module: &Module, arms: &[Arm]) -> Option<Read> {
        let mut read = Read {
            patterns: Patterns::default(),
            pats: IndexVec::new(),
            arms: Vec::new(),
            literals: Vec::new(),
            literal_ids: Interner::default(),
        };
        for value in [0, 1] {
            read.literal(Dtype::Bool, Scalar::Int(value));
        }
        for arm in arms {
            let pattern = read.pattern(module, arm.pat)?;
            read.arms.push(pattern);
        }
        Some(read)
    }

    fn literal(&mut self, dtype: Dtype, scalar: Scalar) -> Head {
        let bits = match scalar {
            Scalar::Int(value) => value as u64,
            // The two zeros are equal.
            Scalar::Float(value) => (value + 0.0).to_bits(),
        };
        let (id, is_new) = self.literal_ids.id(&[dtype as u32, bits as u32, (bits >> 32) as u32]);
        if is_new {
            self.literals.push((dtype, scalar));
        }
        Head::Literal(id)
    }

    /// Adds a pattern, its parts first.
    fn pattern(&mut self, module: &Module, root: PatId) -> Option<PatternId> {
        enum Step {
            Read(PatId),
            Made(PatId, usize),
        }
        let mut steps = vec![Step::Read(root)];
        let mut done: Vec<PatternId> = Vec::new();
        while let Some(step) = steps.pop() {
            let (pat, n_parts) = match step {
                Step::Read(pat) => {
                    let parts = match &module.pats[pat].kind {
                        PatKind::Error => return None,
                        PatKind::Wild | PatKind::Var(_) | PatKind::Literal(..) => &[],
                        PatKind::As(inner, _) => std::slice::from_ref(inner),
                        PatKind::Ctor(_, parts)
                        | PatKind::Variant(_, parts)
                        | PatKind::Or(parts)
                        | PatKind::Tuple(parts) => &parts[..],
                    };
                    steps.push(Step::Made(pat, parts.len()));
                    steps.append_all(parts.iter().rev().map(|&part| Step::Read(part)));
                    continue;
                }
                Step::Made(pat, n_parts) => (pat, n_parts),
            };
            let parts = done.split_off(done.len() - n_parts);
            let pattern = match module.pats[pat].kind {
                PatKind::Error | PatKind::Wild | PatKind::Var(_) => Pattern::Wild,
                PatKind::Literal(dtype, scalar) => Pattern::Head(self.literal(dtype, scalar), Vec::new()),
                PatKind::Ctor(ctor, _) => Pattern::Head(Head::Ctor(ctor.number()), parts),
                PatKind::Variant(name, _) => Pattern::Head(Head::Variant(name.number()), parts),
                PatKind::Tuple(_) => Pattern::Head(Head::Tuple, parts),
                PatKind::Or(_) => Pattern::Or(parts),
                PatKind::As(_, local) => {
                    done.extend_from_slice(&parts);
                    self.patterns.variables.append_all(parts.iter().map(|&inner| (inner, variable(module, local))));
                    continue;
                }
            };
            let id = self.patterns.push(pattern);
            self.pats.push(pat);
            if let PatKind::Var(local) = module.pats[pat].kind {
                self.patterns.variables.push((id, variable(module, local)));
            }
            done.push(id);
        }
        base::sort(&mut self.patterns.variables);
        debug_assert_eq!(self.pats.len(), self.patterns.nodes.len());
        done.pop().filter(|id| id.index() < self.pats.len())
    }
}

/// In an or-pattern, the alternatives bind the variables of the first.
fn variable(module: &Module, local: LocalId) -> u32 {
    module.locals[local].shares.unwrap_or(local).number()
}
