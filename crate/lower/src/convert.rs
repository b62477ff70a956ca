//! Refinement and expansion: `p as %x` gives `%x` the matched value in the layout of its own type (A. Hafiz, *Simple
//! Refinement of Anonymous Sum Types in Pattern Matches*, 2022, "Generating transformations").
//!
//! There is one function for each pair of types that differ, shared by all places that need it, so the program stays
//! linear in the text. Parts of equal types are handed on as they are; where all bits are the same nothing is done.
//!
//! Worked example: from `[A1 [B, C], A2 [B]]` to `[A1 [B], A2 [B], NoB]` the function opens `A1`, calls the conversion
//! from `[B, C]` to `[B]` and packs; `A2` it opens and packs.

use crate::body::Body;
use crate::close::Substs;
use crate::instance::{Lowering, Source};
use base::{Append, Span, ToList};
use hir::PatId;
use ir::{CaseKey, End, Fault, Function, Op, VarId};
use layout::{Case, Kind};
use ty::{Term, TermId, Terms};

/// A refinement by `as` at closed types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conversion {
    /// What stands before `as`.
    pub pat: PatId,
    pub from: TermId,
    pub to: TermId,
}

impl Lowering<'_> {
    /// A value of one type as one of another.
    pub(crate) fn convert(&mut self, body: &mut Body, value: VarId, from: TermId, to: TermId, span: Span) -> VarId {
        let (from, to) = (self.erase(from), self.erase(to));
        let layout = self.of(to);
        if from == to || body.layout(value) == layout {
            return value;
        }
        if self.is_polymorphic(from) {
            return self.function_of(body, value, from, to, span);
        }
        let source = self.of(from);
        if self.program.layouts.has_same_bits(source, layout) {
            return body.value(Op::Retype, &[value], layout, span);
        }
        let function = self.func(Source::Conversion(from, to));
        body.call(function, &[value], layout, span)
    }

    /// Whether types may have values in common. Where a pattern leaves a variant out, its fields may be of other types.
    fn have_common(&self, from: &[TermId], to: &[TermId]) -> bool {
        let types = &self.program.types;
        let mut pairs: Vec<(TermId, TermId)> = from.iter().copied().zip(to.iter().copied()).list();
        let mut are_common = from.len() == to.len();
        while let Some((from, to)) = pairs.pop().filter(|_| are_common) {
            match (types.head(from), types.head(to)) {
                _ if from == to => {}
                (Term::Sum(_), Term::Sum(_)) => {}
                (Term::Tuple(a), Term::Tuple(b)) => {
                    are_common = a.len == b.len;
                    pairs.append_all(types.items(a).iter().copied().zip(types.items(b).iter().copied()));
                }
                _ => are_common = false,
            }
        }
        are_common
    }

    /// The function from one closed sum or tuple to another.
    pub(crate) fn conversion_function(&mut self, from: TermId, to: TermId) -> Function {
        let (source, target) = (self.of(from), self.of(to));
        let span = Span::new(0, 0);
        let mut body = Body::new("convert".to_owned(), target, Substs::NONE, span);
        let value = body.param(source, None);
        let value = self.in_place(&mut body, value, span);
        let targets = self.program.types.cases(to).unwrap_or_default();
        let content = body.layout(value);
        let variants = match &self.program.layouts[content].kind {
            Kind::Sum { variants, .. } => variants.clone(),
            _ => Vec::new(),
        };
        let cases = self.program.types.cases(from).unwrap_or_default();
        let is_shared = |at: &usize| {
            let same = |case: &&Case| case.head == variants[*at].head;
            let fields = cases.iter().find(same).zip(targets.iter().find(same));
            variants[*at].is_inhabited && fields.is_some_and(|(from, to)| self.have_common(&from.fields, &to.fields))
        };
        let shared: Vec<usize> = (0..variants.len()).filter(is_shared).list();
        let n_inhabited = variants.iter().count_where(|variant| variant.is_inhabited);
        let mut blocks = Vec::new();
        if n_inhabited != 1 || shared.len() != 1 {
            let entry = body.block;
            let mut ends = Vec::new();
            for &at in &shared {
                let block = body.new_block(span);
                ends.push(ir::Case { key: CaseKey::Variant(at as u32), block });
                blocks.push(block);
            }
            let default = (shared.len() < n_inhabited).then(|| body.new_block(span));
            body.block = entry;
            let end = match shared.is_empty() {
                true => End::Fail(Fault::Unreachable),
                false => End::Switch { on: value, cases: ends, default },
            };
            body.end(end, span);
            if let Some(default) = default {
                body.block = default;
                body.end(End::Fail(Fault::Unreachable), span);
            }
        } else {
            blocks.push(body.block);
        }
        for (at, block) in shared.into_iter().zip(blocks) {
            body.block = block;
            let head = variants[at].head;
            let (Some(case), Some(target)) =
                (cases.iter().find(|case| case.head == head), targets.iter().find(|target| target.head == head))
            else {
                continue;
            };
            let fields = self.open(&mut body, value, at, span);
            let mut converted = Vec::with_capacity(fields.len());
            for ((field, &from), &to) in fields.into_iter().zip(&case.fields).zip(&target.fields) {
                let field = self.wrap(&mut body, field, from, span);
                converted.push(self.convert(&mut body, field, from, to, span));
            }
            let packed = self.pack(&mut body, to, head, &converted, span);
            body.end(End::Return(packed), span);
        }
        body.finish()
    }

    /// All fields of a sum in place that is known to be this variant.
    pub(crate) fn open(&mut self, body: &mut Body, sum: VarId, variant: usize, span: Span) -> Vec<VarId> {
        let layouts = self.field_layouts(body.layout(sum), variant);
        let fields: Vec<VarId> = layouts.into_iter().map(|layout| body.var(layout, None)).list();
        body.emit(Op::Open { variant: variant as u32 }, &[sum], &fields, span);
        fields
    }
}
