//! Sizes that a rule makes, and sizes that must be equal. The arithmetic itself is `ty`'s: what numbers, `?` and
//! parameters determine is computed at once, an unknown gets an equation.

use ty::{Facts, Size, Step, Stop, TermId};

/// A dim of this number.
pub(super) fn number(r: &mut dyn Facts, number: i64) -> TermId {
    r.make_size(Size::known(number))
}

pub(super) fn numbers<const N: usize>(r: &mut dyn Facts, all: [i64; N]) -> [TermId; N] {
    all.map(|one| number(r, one))
}

/// Fails where two sizes of a pair are numbers and differ; `what` says whose they are.
pub(super) fn check_same(r: &dyn Facts, pairs: &[(TermId, TermId)], what: &str) -> Step {
    pairs.iter().try_for_each(|&(a, b)| match (r.peek_number(a), r.peek_number(b)) {
        (Some(a), Some(b)) => r.check(a == b, || format!("{what}, and {a} is not {b}")),
        _ => Ok(()),
    })
}

/// Asserts that the sizes of each pair are equal, unless one is `?`: that is no reason to forget the number of the
/// other.
pub(super) fn equate(r: &mut dyn Facts, pairs: &[(TermId, TermId)], what: &str) -> Step {
    check_same(r, pairs, what)?;
    for &(a, b) in pairs {
        if !(r.is_dynamic(a) || r.is_dynamic(b)) {
            r.unify(a, b)?;
        }
    }
    Ok(())
}

/// Asserts the number of a dim, unless it is `?`; the sentence says what is wrong with another.
pub(super) fn is_number(
    r: &mut dyn Facts,
    dim: TermId,
    want: i64,
    sentence: impl FnOnce(i64, i64) -> String,
) -> Step {
    match r.peek_number(dim) {
        Some(found) => r.check(found == want, || sentence(want, found)),
        None if r.is_dynamic(dim) => Ok(()),
        None => {
            let want = number(r, want);
            r.unify(want, dim)
        }
    }
}

/// As [`is_number`]; `what` names the dim.
pub(super) fn must_be(r: &mut dyn Facts, dim: TermId, want: i64, what: &str) -> Step {
    is_number(r, dim, want, |want, found| format!("{what} must be {want}, found {found}"))
}

/// A size divided by a number above 0, rounded up.
pub(super) fn divided_up(r: &mut dyn Facts, dim: TermId, by: i64) -> Result<TermId, Stop> {
    let more = r.affine(dim, 1, by - 1)?;
    r.floor_div(more, by)
}
