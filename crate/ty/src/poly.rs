//! Polynomials with integer coefficients, in normal form: the arithmetic of dims. What is equal by the laws of sums
//! and products has one form.

use crate::ParamId;
use base::{Edited, ToList, idx};

idx!(
    /// An interned polynomial of a store; equal ones have equal ids.
    PolyId,
    "n"
);

/// A polynomial with more terms than this is not computed.
const MAX_TERMS: usize = 256;

/// Nor is a product of more atoms.
const MAX_DEGREE: usize = 256;

/// A polynomial that is not 0 after this many steps of reduction is taken to differ from it.
const MAX_REDUCTIONS: usize = 32;

/// A sum of products of atoms, each with its coefficient. Terms are in ascending order of their atoms, the constant
/// first; none has the coefficient 0; the atoms of a product ascend.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Poly<A> {
    terms: Vec<(Vec<A>, i64)>,
}

/// What a rigid dim is made of, besides numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// `N`, a dim parameter.
    Param(ParamId),
    /// `sh[0]`, of a shape parameter; a negative place counts from the end.
    Index(ParamId, i64),
    /// `rank(sh)`.
    Rank(ParamId),
    /// `prod(sh[front:-back])`.
    Prod(ParamId, u32, u32),
    Max(PolyId, PolyId),
    Min(PolyId, PolyId),
    FloorDiv(PolyId, PolyId),
}

impl<A> Default for Poly<A> {
    fn default() -> Self {
        Poly { terms: Vec::new() }
    }
}

/// What is left of a product without some of its atoms; `None` if they are not all in it. Both ascend.
fn without<A: Clone + Ord>(product: &[A], part: &[A]) -> Option<Vec<A>> {
    let mut part = part.iter().peekable();
    let rest = product.iter().filter(|&atom| part.next_if(|&first| first == atom).is_none()).cloned().list();
    part.next().is_none().then_some(rest)
}

/// `None` where a coefficient leaves 64 bits or there are too many terms.
impl<A: Clone + Ord> Poly<A> {
    pub fn constant(number: i64) -> Poly<A> {
        let terms = if number == 0 { Vec::new() } else { vec![(Vec::new(), number)] };
        Poly { terms }
    }

    pub fn atom(atom: A) -> Poly<A> {
        Poly { terms: vec![(vec![atom], 1)] }
    }

    /// Each product with its coefficient, the constant first.
    pub fn terms(&self) -> &[(Vec<A>, i64)] {
        &self.terms
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(atoms, number)] if atoms.is_empty() => Some(*number),
            _ => None,
        }
    }

    /// The atom that the polynomial is, if it is no more than one.
    pub fn as_atom(&self) -> Option<&A> {
        match self.terms.as_slice() {
            [(atoms, 1)] if atoms.len() == 1 => atoms.first(),
            _ => None,
        }
    }

    pub fn atoms(&self) -> impl Iterator<Item = &A> {
        self.terms.iter().flat_map(|(atoms, _)| atoms)
    }

    fn normal(mut terms: Vec<(Vec<A>, i64)>) -> Option<Poly<A>> {
        base::sort(&mut terms);
        let mut merged: Vec<(Vec<A>, i64)> = Vec::with_capacity(terms.len());
        for (atoms, coefficient) in terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == atoms => *sum = sum.checked_add(coefficient)?,
                _ => merged.push((atoms, coefficient)),
            }
        }
        merged.keep(|&(_, coefficient)| coefficient != 0);
        (merged.len() <= MAX_TERMS).then_some(Poly { terms: merged })
    }

    pub fn plus(&self, other: &Poly<A>) -> Option<Poly<A>> {
        Poly::normal(self.terms.iter().chain(&other.terms).cloned().list())
    }

    pub fn scaled(&self, factor: i64) -> Option<Poly<A>> {
        self.times(&Poly::constant(factor))
    }

    pub fn minus(&self, other: &Poly<A>) -> Option<Poly<A>> {
        self.plus(&other.scaled(-1)?)
    }

    pub fn times(&self, other: &Poly<A>) -> Option<Poly<A>> {
        if self.terms.len().saturating_mul(other.terms.len()) > MAX_TERMS * MAX_TERMS {
            return None;
        }
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                if left.len() + right.len() > MAX_DEGREE {
                    return None;
                }
                let mut atoms: Vec<A> = left.iter().chain(right).cloned().list();
                base::sort(&mut atoms);
                terms.push((atoms, a.checked_mul(*b)?));
            }
        }
        Poly::normal(terms)
    }

    /// Whether this is 0 for no whole numbers: what divides the coefficients of all its products does not divide its
    /// constant.
    ///
    /// Worked example: `N * 2 - 3`, and `N * 6 - M * 4 + 1`.
    pub fn is_never_zero(&self) -> bool {
        let (constant, products) = match self.terms.split_first() {
            Some(((atoms, constant), products)) if atoms.is_empty() => (constant.unsigned_abs(), products),
            _ => return false,
        };
        let mut divisor = 0;
        for (_, coefficient) in products {
            let mut rest = coefficient.unsigned_abs();
            while rest != 0 {
                (divisor, rest) = (rest, divisor % rest);
            }
        }
        constant.checked_rem(divisor) != Some(0)
    }

    /// The polynomial divided by a number that divides every coefficient.
    pub fn divided(&self, number: i64) -> Option<Poly<A>> {
        let divided = |coefficient: i64| match coefficient.checked_rem(number)? {
            0 => coefficient.checked_div(number),
            _ => None,
        };
        let terms: Option<Vec<_>> = self.terms.iter().map(|(atoms, c)| Some((atoms.clone(), divided(*c)?))).some_list();
        terms.map(|terms| Poly { terms })
    }

    /// Whether this is 0 if all of `zeros` are: multiples of them are taken away, each for the last of its products.
    ///
    /// Worked example: with `M * 3 - N * 2` among them, `K * M * 3 - K * N * 2` is 0.
    pub fn vanishes(&self, zeros: &[Poly<A>]) -> bool {
        let mut rest = self.clone();
        for _ in 0..MAX_REDUCTIONS {
            if rest.is_zero() {
                return true;
            }
            match zeros.iter().find_map(|zero| rest.reduced(zero)) {
                Some(reduced) => rest = reduced,
                None => return false,
            }
        }
        false
    }

    /// A multiple of this without a product that the last one of `zero` divides.
    fn reduced(&self, zero: &Poly<A>) -> Option<Poly<A>> {
        let (last, by) = zero.terms.last()?;
        let mut divisible = self.terms.iter().rev().filter_map(|(atoms, c)| Some((without(atoms, last)?, *c)));
        let factor = Poly { terms: vec![divisible.next()?] };
        self.scaled(*by)?.minus(&zero.times(&factor)?)
    }

    /// As [`divided`](Self::divided), if need be with a multiple of a polynomial that is 0.
    ///
    /// Worked example: with `M * 3 - N * 2` among the zeros, `N * 2` divided by 3 is `M`.
    pub fn divided_given(&self, number: i64, zeros: &[Poly<A>]) -> Option<Poly<A>> {
        let with = |zero: &Poly<A>, (atoms, part): (&Vec<A>, &Vec<A>)| {
            let multiple = zero.times(&Poly { terms: vec![(without(atoms, part)?, 1)] })?;
            let sums = [self.plus(&multiple), self.minus(&multiple)];
            sums.into_iter().flatten().find_map(|sum| sum.divided(number))
        };
        let all = |zero: &Poly<A>| {
            let pairs = self.terms.iter().flat_map(|(atoms, _)| zero.terms.iter().map(move |(part, _)| (atoms, part)));
            { pairs }.find_map(|pair| with(zero, pair))
        };
        self.divided(number).or_else(|| zeros.iter().find_map(all))
    }

    /// The terms with positive coefficients, and the others with their signs changed.
    pub fn by_sign(&self) -> (Poly<A>, Poly<A>) {
        let (more, less) = self.terms.iter().cloned().partition(|&(_, c)| c > 0);
        let negated = |terms: Vec<(Vec<A>, i64)>| terms.into_iter().map(|(atoms, c)| (atoms, c.saturating_neg()));
        (Poly { terms: more }, Poly { terms: negated(less).list() })
    }

    /// Quotient and rest of the division by a number above 0: every coefficient of the rest is from 0 to below it.
    pub fn div_rem(&self, number: i64) -> Option<(Poly<A>, Poly<A>)> {
        if number < 1 {
            return None;
        }
        let terms = |f: fn(i64, i64) -> i64| {
            let terms = self.terms.iter().map(|(atoms, c)| (atoms.clone(), f(*c, number)));
            Poly { terms: terms.filter(|&(_, c)| c != 0).list() }
        };
        Some((terms(i64::div_euclid), terms(i64::rem_euclid)))
    }

    /// Puts a polynomial in the place of each atom.
    pub fn substitute<B: Clone + Ord>(&self, mut f: impl FnMut(&A) -> Option<Poly<B>>) -> Option<Poly<B>> {
        self.replace(&mut f)
    }

    /// There is one of this for all closures.
    fn replace<B: Clone + Ord>(&self, f: &mut dyn FnMut(&A) -> Option<Poly<B>>) -> Option<Poly<B>> {
        let mut terms = Vec::with_capacity(self.terms.len());
        for (atoms, coefficient) in &self.terms {
            let mut product = Poly::constant(*coefficient);
            for atom in atoms {
                product = product.times(&f(atom)?)?;
            }
            terms.append(&mut product.terms);
        }
        Poly::normal(terms)
    }
}

#[cfg(test)]
mod tests {
    use super::Poly;

    fn x() -> Poly<char> {
        Poly::atom('x')
    }

    #[test]
    fn equal_sums_have_one_form() {
        let y = Poly::atom('y');
        let left = x().plus(&y).and_then(|sum| sum.times(&x().minus(&y)?));
        let right = x().times(&x()).and_then(|square| square.minus(&y.times(&y)?));
        assert_eq!(left, right);
        assert_eq!(x().minus(&x()), Some(Poly::constant(0)));
    }

    #[test]
    fn overflow_is_no_number() {
        assert_eq!(Poly::<char>::constant(i64::MAX).scaled(2), None);
        assert_eq!(x().scaled(6).and_then(|p| p.divided(4)), None);
        assert_eq!(x().scaled(6).and_then(|p| p.divided(3)), x().scaled(2));
        assert_eq!(x().div_rem(0), None);
    }

    #[test]
    fn what_is_taken_to_be_zero() {
        let of = |terms: &[(&str, i64)]| {
            { terms }.iter().try_fold(Poly::default(), |sum, &(atoms, factor)| {
                let product =
                    { atoms.chars() }.try_fold(Poly::constant(factor), |product, c| product.times(&Poly::atom(c)));
                sum.plus(&product?)
            })
        };
        let zeros = [of(&[("y", 3), ("x", -2)]).expect("small")];
        let whole = of(&[("ay", 3), ("ax", -2)]).expect("small");
        assert!(whole.vanishes(&zeros) && !whole.vanishes(&[]));
        assert_eq!(x().scaled(2).and_then(|p| p.divided_given(3, &zeros)), Some(Poly::atom('y')));
        assert_eq!(x().divided_given(5, &zeros), None);
    }

    #[test]
    fn a_rest_is_less_than_the_divisor() {
        let whole = x().scaled(5).and_then(|p| p.plus(&Poly::constant(-3)));
        let (quotient, rest) = whole.and_then(|p| p.div_rem(2)).expect("2 is above 0");
        assert_eq!(Some(quotient), x().scaled(2).and_then(|p| p.plus(&Poly::constant(-2))));
        assert_eq!(Some(rest), x().plus(&Poly::constant(1)));
    }
}
