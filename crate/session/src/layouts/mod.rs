//! The sum types of a text, laid out under the three strategies.
//!
//! In: an analysis. Out: [`Laid`], the types with their layouts, which is asked for a document (`document`), for what
//! the page draws (`draw`), for the bits of one value (`value`), and for where the text speaks of a type (`mention`).
//!
//! The program is lowered once, under any strategy: which types it has does not depend on that.

mod document;
mod draw;
mod mention;
mod parts;
mod value;
mod values;

pub use document::{layout_json, layout_text, value_bits};
pub(crate) use draw::layouts_view;
pub(crate) use value::laid_value;

use crate::Analysis;
use crate::analysis::prelude;
use base::{Append, Diagnostic, Edited, HashMap, HashSet, Surface, ToList};
use hir::{CtorId, PatId};
use layout::{Head, Kind, LayoutId, Layouts, Strategy, Types};
use lower::{Conversion, LowerError};
use ty::{AdtId, Term, TermId, Terms};

/// The layouts of a text.
pub(crate) struct Laid {
    pub types: Types,
    /// In the order of [`Strategy::ALL`].
    pub layouts: Vec<Layouts>,
    /// Tuples, data types and anonymous sums in the order in which they were met, each before its fields' types.
    pub sums: Vec<Laying>,
    /// How many others are too large to be written.
    pub n_too_large: usize,
    /// By type, with the sizes of tensors or without, the place in `sums`.
    pub index: HashMap<TermId, usize>,
    pub conversions: Vec<Refining>,
    /// Why some types are missing.
    pub diagnostics: Vec<Diagnostic>,
}

/// A type and the layouts of its variables, in the order of [`Strategy::ALL`].
pub(crate) struct Laying {
    pub ty: TermId,
    pub layouts: Vec<LayoutId>,
}

/// An `as`: a value of one type becomes one of another.
pub(crate) struct Refining {
    pub pat: PatId,
    pub from: Laying,
    pub to: Laying,
}

/// What a conversion costs under a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// The bits are the same.
    Free,
    /// Only what tells the variants apart is another.
    Retag,
    /// Fields move, or change themselves.
    Repack,
}

impl Cost {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Cost::Free => "free",
            Cost::Retag => "retag",
            Cost::Repack => "repack",
        }
    }
}

/// Lays out the types of what can be compiled.
pub(crate) fn lay(analysis: &Analysis) -> Laid {
    let Analysis { module, inferred, .. } = analysis;
    let functions = analysis.compilable();
    let lowered =
        lower::lower(module, inferred, &prelude().inferred, &functions, &HashMap::default(), Strategy::Packed);
    let types = lowered.program.types;
    let mut layouts: Vec<Layouts> = Strategy::ALL.into_iter().map(Layouts::new).list();
    let mut lay_out = |ty: TermId| {
        // A list of tensors of one size is laid out as any, which is what its tail is.
        let erased = lowered.erased.get(&ty).copied().unwrap_or(ty);
        let layouts = layouts.iter_mut().map(|layouts| layouts.of(&types, erased)).list();
        Laying { ty, layouts }
    };
    let endless = lowered.errors.iter().filter_map(|error| match error {
        LowerError::EndlessType { adt, .. } => Some(*adt),
        _ => None,
    });
    let mut sums = sums(&types, &lowered.types, &endless.collect());
    let n_sums = sums.len();
    let names = analysis.inferred.names(module);
    sums.keep(|&ty| !ty::print_term(&types, &names, ty).truncated);
    let n_too_large = n_sums - sums.len();
    let sums: Vec<Laying> = sums.into_iter().map(&mut lay_out).list();
    let conversions = lowered.conversions.iter();
    let conversions =
        conversions.map(|&Conversion { pat, from, to }| Refining { pat, from: lay_out(from), to: lay_out(to) });
    let mut conversions: Vec<Refining> = conversions.list();
    base::sort_by_key(&mut conversions, |refining| module.pats[refining.pat].span.start);
    let mut index: HashMap<TermId, usize> = sums.iter().enumerate().map(|(at, sum)| (sum.ty, at)).collect();
    for (at, sum) in sums.iter().enumerate() {
        if let Some(&erased) = lowered.erased.get(&sum.ty) {
            index.entry(erased).or_insert(at);
        }
    }
    let diagnostics = lowered.errors.iter().map(|error| crate::compile::diagnostic(analysis, error)).list();
    Laid { types, layouts, sums, n_too_large, index, conversions, diagnostics }
}

/// The sums that types consist of, each once, without the data types that hold themselves at types without end: of
/// those there are as many as were made before that was known.
fn sums(types: &Types, roots: &[TermId], endless: &HashSet<AdtId>) -> Vec<TermId> {
    let mut seen: HashSet<TermId> = HashSet::default();
    let mut found = Vec::new();
    let mut pending: Vec<TermId> = roots.iter().rev().copied().list();
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        let start = pending.len();
        let head = types.head(ty);
        match types.cases(ty) {
            // What such a function holds is nothing that a text says.
            _ if matches!(head, Term::Forall { .. }) => {}
            _ if matches!(head, Term::Adt { adt, .. } if endless.contains(&adt)) => {}
            Some(cases) => {
                found.push(ty);
                for (at, case) in cases.iter().enumerate() {
                    pending.extend(types.written_fields(ty, at).unwrap_or(&case.fields));
                }
            }
            None if matches!(head, Term::Tensor { .. }) => {}
            None => types.for_parts(head, |part| pending.push(part)),
        }
        pending[start..].reverse();
    }
    found
}

impl Laid {
    /// What is not shown of the types, and why.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let too_large = match self.n_too_large {
            0 => None,
            1 => Some("1 type is too large to be written".to_owned()),
            n => Some(format!("{n} types are too large to be written")),
        };
        let mut told = self.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).list();
        told.append_all(too_large);
        told
    }

    /// A type in the words of the text.
    pub(crate) fn print(&self, analysis: &Analysis, ty: TermId) -> String {
        ty::print_term(&self.types, &analysis.inferred.names(&analysis.module), ty).text
    }

    /// The type of a field for people, whose layout is this one.
    pub(crate) fn field_type(&self, sum: TermId, variant: usize, field: usize, layout: TermId) -> TermId {
        if let Some(fields) = self.types.written_fields(sum, variant) {
            return fields.get(field).copied().unwrap_or(layout);
        }
        let cases = self.types.cases(sum).unwrap_or_default();
        cases.get(variant).and_then(|case| case.fields.get(field)).copied().unwrap_or(layout)
    }

    /// What a variable of the type is in memory, or, where that is a box, what the box points to.
    pub(crate) fn content(&self, strategy: usize, layout: LayoutId) -> LayoutId {
        match self.layouts[strategy][layout].kind {
            Kind::Box { content, .. } => content,
            Kind::Scalar(_)
            | Kind::Immediate(_)
            | Kind::Tensor
            | Kind::Closure
            | Kind::Ref { .. }
            | Kind::Sum { .. }
            | Kind::Token { .. }
            | Kind::Never => layout,
        }
    }

    /// How long the blocks are that a variable of the type may point to.
    pub(crate) fn block_bits(&self, strategy: usize, variable: LayoutId) -> Option<u32> {
        let layouts = &self.layouts[strategy];
        let Kind::Box { content, immediates } = &layouts[variable].kind else { return None };
        let has_block = match &layouts[*content].kind {
            Kind::Sum { variants, .. } => {
                variants.iter().zip(immediates).any(|(variant, code)| variant.is_inhabited && code.is_none())
            }
            _ => true,
        };
        has_block.then_some(layouts[*content].bits)
    }

    /// What it takes to make a value of one type one of another.
    pub(crate) fn cost(&self, strategy: usize, from: &Laying, to: &Laying) -> Cost {
        let layouts = &self.layouts[strategy];
        let (from, to) = (from.layouts[strategy], to.layouts[strategy]);
        if layouts.has_same_bits(from, to) {
            return Cost::Free;
        }
        let (Kind::Sum { variants, .. }, Kind::Sum { variants: others, .. }) = (&layouts[from].kind, &layouts[to].kind)
        else {
            return Cost::Repack;
        };
        let is_kept = variants.iter().filter(|variant| variant.is_inhabited).all(|variant| {
            let Some(other) = others.iter().find(|other| other.head == variant.head) else { return true };
            let mut fields = variant.fields.iter().zip(&other.fields);
            fields.all(|(a, b)| a.offset == b.offset && layouts.has_same_bits(a.layout, b.layout))
        });
        if is_kept { Cost::Retag } else { Cost::Repack }
    }
}

/// The name of a variant as the text has it.
pub(crate) fn head_name(analysis: &Analysis, head: Head) -> String {
    let module = &analysis.module;
    match head {
        Head::Constructor(ctor) => module.ctors[CtorId::numbered(ctor)].name.clone(),
        Head::Variant(name) if module.surface == Surface::Relay => format!("`{}", module.variants[name]),
        Head::Variant(name) => module.variants[name].clone(),
        Head::Tuple | Head::Functions => "(…)".to_owned(),
    }
}

/// The pattern before an `as`, on one line.
pub(crate) fn pattern_text(analysis: &Analysis, pat: PatId) -> String {
    base::one_line(&analysis.text[analysis.module.pats[pat].span.range()])
}
