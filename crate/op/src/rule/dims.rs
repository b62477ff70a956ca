//! Sizes that a rule makes, and sizes that must be equal. The arithmetic itself is `ty`'s: what numbers, `?` and
//! parameters determine is computed at once, an unknown gets an equation.

use base::{MapArray, ToList};
use ty::{Facts, Size, Step, Stop, TermId, too_large};

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
        (Some(a), Some(b)) => r.check(a == b, format_args!("{what}, and {a} is not {b}")),
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

/// As [`equate`], of two sizes that need no words: unification tells where each of them comes from.
pub(super) fn same(r: &mut dyn Facts, a: TermId, b: TermId, what: &str) -> Step {
    if r.is_dynamic(a) || r.is_dynamic(b) { check_same(r, &[(a, b)], what) } else { r.unify(a, b) }
}

/// As [`equate`], of any number of sizes.
pub(super) fn all_equal(r: &mut dyn Facts, sizes: &[TermId], sentence: &dyn Fn(i64, i64) -> String) -> Step {
    let numbers: Vec<i64> = sizes.iter().filter_map(|&size| r.peek_number(size)).list();
    if let Some(&other) = numbers.iter().find(|&&number| number != numbers[0]) {
        return r.refuse(sentence(numbers[0], other));
    }
    let mut first = None;
    for &size in sizes {
        match first {
            _ if r.is_dynamic(size) => {}
            None => first = Some(size),
            Some(first) => r.unify(first, size)?,
        }
    }
    Ok(())
}

/// The product of the numbers among sizes, and the others. Fails where that is past what can be counted.
pub(super) fn factors(r: &dyn Facts, sizes: &[TermId]) -> Result<(i64, Vec<TermId>), Stop> {
    let mut numbers = sizes.iter().filter_map(|&size| r.peek_number(size));
    let product = if sizes.iter().any(|&size| r.peek_number(size) == Some(0)) {
        Some(0)
    } else {
        numbers.try_fold(1_i64, |product, number| product.checked_mul(number))
    };
    let others = sizes.iter().copied().filter(|&size| r.peek_number(size).is_none()).list();
    product.map_or_else(|| r.fail(too_large()), |product| Ok((product, others)))
}

/// Asserts that two products of sizes are equal, unless a `?` is among them; the sentence says what is wrong with
/// two numbers, of which one may be all that is known.
pub(super) fn same_count(
    r: &mut dyn Facts,
    left: &[TermId],
    right: &[TermId],
    sentence: &dyn Fn(i64, i64) -> String,
) -> Step {
    let (n_left, left) = factors(r, left)?;
    let (n_right, right) = factors(r, right)?;
    let is_any = left.iter().chain(&right).any(|&size| r.is_dynamic(size));
    let (n, all, others) = match (left.is_empty(), right.is_empty()) {
        (true, true) if n_left == n_right => return Ok(()),
        (true, true) => return r.refuse(sentence(n_left, n_right)),
        (false, true) => (n_left, n_right, left),
        (true, false) => (n_right, n_left, right),
        (false, false) => {
            if !is_any {
                let [left, right] = [(n_left, left), (n_right, right)].each(|(n, mut others)| {
                    others.push(number(r, n));
                    r.product_of(&others)
                });
                r.unify(left?, right?)?;
            }
            return Ok(());
        }
    };
    if is_any {
        return Ok(());
    }
    let divides = if n == 0 { all == 0 } else { all % n == 0 };
    r.check(divides, format_args!("{all} elements are no multiple of {n}"))?;
    if n == 0 {
        return Ok(());
    }
    let (rest, product) = (number(r, all / n), r.product_of(&others)?);
    r.unify(rest, product)
}

/// Asserts the number of a dim, unless it is `?`; the sentence says what is wrong with another.
pub(super) fn is_number(r: &mut dyn Facts, dim: TermId, want: i64, sentence: &dyn Fn(i64, i64) -> String) -> Step {
    match r.peek_number(dim) {
        Some(found) if found == want => Ok(()),
        Some(found) => r.refuse(sentence(want, found)),
        None if r.is_dynamic(dim) => Ok(()),
        None => {
            let want = number(r, want);
            r.unify(want, dim)
        }
    }
}

/// As [`is_number`]; `what` names the dim.
pub(super) fn must_be(r: &mut dyn Facts, dim: TermId, want: i64, what: &str) -> Step {
    is_number(r, dim, want, &|want, found| format!("{what} must be {want}, found {found}"))
}

/// A size divided by a number above 0, rounded up.
pub(super) fn divided_up(r: &mut dyn Facts, dim: TermId, by: i64) -> Result<TermId, Stop> {
    let more = r.affine(dim, 1, by - 1)?;
    r.floor_div(more, by)
}
