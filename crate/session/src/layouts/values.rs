//! All values of a small type, and which of them a pattern takes.

use crate::Analysis;
use base::{Append, HashMap, ToList};
use hir::{PatId, PatKind};
use layout::{Head, Kind, LayoutId, Layouts, Variant};
use ty::{Fields, Scalar, Value, scalar_of};

/// The values of a layout whose cardinality is known to be small, by variant, then by the fields from the left.
pub(crate) fn values(layouts: &Layouts, root: LayoutId) -> Vec<Value> {
    let mut known: HashMap<LayoutId, Vec<Value>> = HashMap::default();
    let mut steps = vec![(root, false)];
    while let Some((layout, is_entered)) = steps.pop() {
        if known.contains_key(&layout) {
            continue;
        }
        let kind = &layouts[layout].kind;
        if !is_entered {
            steps.push((layout, true));
            match kind {
                Kind::Sum { variants, .. } => {
                    let inhabited = variants.iter().filter(|variant| variant.is_inhabited);
                    steps.append_all(
                        inhabited.flat_map(|variant| variant.fields.iter().map(|field| (field.layout, false))),
                    );
                }
                Kind::Box { content, .. } => steps.push((*content, false)),
                Kind::Scalar(_)
                | Kind::Immediate(_)
                | Kind::Tensor
                | Kind::Closure
                | Kind::Ref { .. }
                | Kind::Token { .. }
                | Kind::Never => {}
            }
            continue;
        }
        let found = match kind {
            Kind::Scalar(dtype) | Kind::Immediate(dtype) if dtype.bits() <= 8 => {
                (0..1_u64 << dtype.bits()).map(|bits| Value::Scalar(*dtype, scalar_of(*dtype, bits))).list()
            }
            Kind::Sum { variants, .. } => {
                let inhabited = variants.iter().filter(|variant| variant.is_inhabited);
                inhabited.list_all(|variant| of_variant(&known, variant))
            }
            Kind::Box { content, .. } => known.get(content).cloned().unwrap_or_default(),
            Kind::Scalar(_)
            | Kind::Immediate(_)
            | Kind::Tensor
            | Kind::Closure
            | Kind::Ref { .. }
            | Kind::Token { .. }
            | Kind::Never => Vec::new(),
        };
        known.insert(layout, found);
    }
    known.remove(&root).unwrap_or_default()
}

fn of_variant(known: &HashMap<LayoutId, Vec<Value>>, variant: &Variant) -> Vec<Value> {
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for field in &variant.fields {
        let values = known.get(&field.layout).map_or(&[][..], Vec::as_slice);
        let longer = |row: &Vec<Value>| -> Vec<Vec<Value>> {
            values.iter().map(|value| row.iter().chain([value]).cloned().list()).list()
        };
        rows = rows.iter().list_all(longer);
    }
    let value = |fields| match variant.head {
        Head::Constructor(number) => Value::Data(number, fields),
        Head::Variant(name) => Value::Variant(name, fields),
        Head::Tuple | Head::Functions => Value::Tuple(fields),
    };
    rows.into_iter().map(|row| value(Fields::new(row))).list()
}

enum Test {
    Fits(PatId, Value),
    /// Whether all of the last results, so many, are true.
    All(usize),
    Any(usize),
}

/// Whether a pattern takes a value.
pub(crate) fn fits(analysis: &Analysis, pat: PatId, value: &Value) -> bool {
    let mut tests = vec![Test::Fits(pat, value.clone())];
    let mut results: Vec<bool> = Vec::new();
    while let Some(test) = tests.pop() {
        let result = match test {
            Test::All(n) => !results.split_off(results.len() - n).contains(&false),
            Test::Any(n) => results.split_off(results.len() - n).contains(&true),
            Test::Fits(pat, value) => {
                let mut parts = |pats: &[PatId], fields: &Fields| {
                    tests.push(Test::All(pats.len()));
                    tests
                        .append_all(pats.iter().zip(fields.iter()).map(|(&pat, value)| Test::Fits(pat, value.clone())));
                };
                match (&analysis.module.pats[pat].kind, &value) {
                    (PatKind::Wild | PatKind::Var(_), _) => true,
                    (PatKind::As(inner, _), _) => {
                        tests.push(Test::Fits(*inner, value));
                        continue;
                    }
                    (PatKind::Or(pats), _) => {
                        tests.push(Test::Any(pats.len()));
                        tests.append_all(pats.iter().map(|&pat| Test::Fits(pat, value.clone())));
                        continue;
                    }
                    (PatKind::Ctor(ctor, pats), Value::Data(number, fields))
                        if ctor.number() == *number && pats.len() == fields.len() =>
                    {
                        parts(pats, fields);
                        continue;
                    }
                    (PatKind::Variant(name, pats), Value::Variant(other, fields))
                        if name == other && pats.len() == fields.len() =>
                    {
                        parts(pats, fields);
                        continue;
                    }
                    (PatKind::Tuple(pats), Value::Tuple(fields)) if pats.len() == fields.len() => {
                        parts(pats, fields);
                        continue;
                    }
                    (PatKind::Literal(dtype, scalar), Value::Scalar(of, value)) => {
                        dtype == of && is_same(*scalar, *value)
                    }
                    (
                        PatKind::Error
                        | PatKind::Ctor(..)
                        | PatKind::Variant(..)
                        | PatKind::Tuple(_)
                        | PatKind::Literal(..),
                        _,
                    ) => false,
                }
            }
        };
        results.push(result);
    }
    results.pop().unwrap_or(false)
}

fn is_same(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a == b,
        (Scalar::Float(a), Scalar::Float(b)) => a == b,
        (Scalar::Int(_), Scalar::Float(_)) | (Scalar::Float(_), Scalar::Int(_)) => false,
    }
}

/// Whether a pattern takes values that begin with this, as far as its own head says.
pub(crate) fn may_begin(analysis: &Analysis, pat: PatId, head: Head) -> bool {
    let mut pending = vec![pat];
    while let Some(pat) = pending.pop() {
        let begins = match &analysis.module.pats[pat].kind {
            PatKind::Wild | PatKind::Var(_) => true,
            PatKind::Ctor(ctor, _) => head == Head::Constructor(ctor.number()),
            PatKind::Variant(name, _) => head == Head::Variant(*name),
            PatKind::Tuple(_) => head == Head::Tuple,
            PatKind::Or(pats) => {
                pending.extend_from_slice(pats);
                false
            }
            PatKind::As(inner, _) => {
                pending.push(*inner);
                false
            }
            PatKind::Error | PatKind::Literal(..) => false,
        };
        if begins {
            return true;
        }
    }
    false
}
