//! Conditions on dims that rules leave to be decided: `AtMost(3, N)`, `Divides(2, N)`.
//!
//! A `?` meets any condition before the run. Of parameters a condition is decided where it holds of all numbers or of
//! none; any other waits, and so becomes a part of the type of the definition.
//!
//! Worked example: `AtMost(3, N + 2)` is `AtMost(1, N)`, since a window of 3 over `N` places with one more at each end
//! needs one place; `AtMost(3, N * 2 + 4)` holds of every `N`.

use crate::poly::{Atom, Poly};
use crate::{Attrs, Facts, Relation, Step, Stop, TermId};
use base::{MapArray, ToList};

/// A size and another that is no less.
pub static AT_MOST: Relation = Relation { name: "AtMost", n_outputs: 0, rule: at_most };
/// A number and a size that is a multiple of it.
pub static DIVIDES: Relation = Relation { name: "Divides", n_outputs: 0, rule: divides_rule };

/// Of what is known of a condition.
enum Verdict {
    Holds,
    Fails(i64, i64),
    /// What stands for the two sides when each has only what the other has not.
    Depends(Poly<Atom>, Poly<Atom>),
    Unknown,
}

fn compare(r: &dyn Facts, small: TermId, large: TermId) -> Verdict {
    if let (Some(small), Some(large)) = (r.peek_number(small), r.peek_number(large)) {
        return if small <= large { Verdict::Holds } else { Verdict::Fails(small, large) };
    }
    if r.is_dynamic(small) || r.is_dynamic(large) || r.same(small, large) {
        return Verdict::Holds;
    }
    let (Some(a), Some(b)) = (r.known_poly(small), r.known_poly(large)) else { return Verdict::Unknown };
    let Some(difference) = b.minus(&a) else { return Verdict::Unknown };
    let (more, less) = difference.by_sign();
    match (less.as_constant(), more.as_constant()) {
        (Some(0), _) if is_natural(r, &more) => Verdict::Holds,
        (_, Some(0)) if is_natural(r, &less) && less.terms()[0].0.is_empty() => Verdict::Fails(less.terms()[0].1, 0),
        _ => Verdict::Depends(less, more),
    }
}

/// Whether a polynomial without negative coefficients is never negative: all that it is made of is a size, but a
/// `floordiv` may be one of a difference.
fn is_natural(r: &dyn Facts, poly: &Poly<Atom>) -> bool {
    let mut pending: Vec<Atom> = poly.atoms().copied().list();
    while let Some(atom) = pending.pop() {
        if let Atom::FloorDiv(a, b) | Atom::Max(a, b) | Atom::Min(a, b) = atom {
            for part in [a, b].each(|part| r.poly(part)) {
                if part.terms().iter().any(|&(_, coefficient)| coefficient < 0) {
                    return false;
                }
                pending.extend(part.atoms());
            }
        }
    }
    true
}

fn at_most(r: &mut dyn Facts) -> Step {
    let (small, large) = (r.arg(0), r.arg(1));
    match compare(r, small, large) {
        Verdict::Holds => Ok(()),
        Verdict::Fails(small, large) => r.refuse(format!("a size of {small} must not exceed {large}")),
        Verdict::Depends(less, more) if r.known_poly(small).as_ref() != Some(&less) => {
            let args = [r.make_known(less)?, r.make_known(more)?];
            r.post_with((&AT_MOST).into(), &args, Attrs::none());
            Ok(())
        }
        Verdict::Depends(..) | Verdict::Unknown => Err(Stop::wait(&[small, large])),
    }
}

/// Whether a number divides a polynomial, whatever its atoms are; `None` where that depends on them.
pub(crate) fn divides(poly: &Poly<Atom>, number: i64) -> Option<bool> {
    let (_, rest) = poly.div_rem(number)?;
    rest.as_constant().map(|rest| rest == 0)
}

fn divides_rule(r: &mut dyn Facts) -> Step {
    let (number, dim) = (r.arg(0), r.arg(1));
    let Some(by) = r.peek_number(number) else { return Err(Stop::wait(&[number])) };
    match r.known_poly(dim) {
        _ if r.is_dynamic(dim) && r.peek_number(dim).is_none() => Ok(()),
        Some(poly) => match divides(&poly, by) {
            Some(true) => Ok(()),
            Some(false) => r.refuse(match poly.as_constant() {
                Some(size) => format!("{by} does not divide a size of {size}"),
                None => format!("{by} never divides this size"),
            }),
            None if poly.divided_given(by, r.zeros()).is_some() => Ok(()),
            None => Err(Stop::wait(&[dim])),
        },
        None => Err(Stop::wait(&[dim])),
    }
}

/// Conditions for rules. Each is decided at once or posted, so a rule states them once it has asked all it asks.
impl dyn Facts + '_ {
    /// States that a size is no less than another; the sentence says what is wrong with the two numbers.
    pub fn at_most(&mut self, small: TermId, large: TermId, sentence: &dyn Fn(i64, i64) -> String) -> Step {
        match compare(self, small, large) {
            Verdict::Holds => Ok(()),
            Verdict::Fails(small, large) => self.refuse(sentence(small, large)),
            Verdict::Depends(..) | Verdict::Unknown => {
                self.post_with((&AT_MOST).into(), &[small, large], Attrs::none());
                Ok(())
            }
        }
    }

    /// States that a number above 0 divides a size; `what` names the size where it does not.
    pub fn divides(&mut self, by: i64, dim: TermId, what: &str) -> Step {
        if let Some(size) = self.peek_number(dim) {
            return self.check(by > 0 && size % by == 0, format_args!("{by} does not divide {what}, {size}"));
        }
        let holds = self.known_poly(dim).is_some_and(|poly| divides(&poly, by) == Some(true));
        if !(holds || self.is_dynamic(dim)) {
            let by = self.make_size(crate::Size::known(by));
            self.post_with((&DIVIDES).into(), &[by, dim], Attrs::none());
        }
        Ok(())
    }

    /// A size divided by a number above 0 that must divide it; `what` names it where it does not. An unknown size is
    /// made a multiple of an unknown quotient.
    pub fn divided(&mut self, dim: TermId, by: i64, what: &str) -> Result<TermId, Stop> {
        if by == 1 {
            return Ok(dim);
        }
        if let Some(size) = self.peek_number(dim) {
            self.check(by > 0 && size % by == 0, format_args!("{by} does not divide {what}, {size}"))?;
        }
        if self.is_dynamic(dim) || self.known_poly(dim).is_some_and(|poly| divides(&poly, by) == Some(true)) {
            return self.floor_div(dim, by);
        }
        let quotient = self.make_hole(crate::Kind::Dim);
        let multiple = self.affine(quotient, by, 0)?;
        self.unify(multiple, dim)?;
        Ok(quotient)
    }
}
