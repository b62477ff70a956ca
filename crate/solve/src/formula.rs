//! A computed dim as a formula over the dims that it was computed from.
//!
//! Worked example: flattening `(2, 20, 4, 4)` makes 20 · 4 · 4 on axis 1, and a window of 2 with stride 2 over 9 places
//! ⌊(9 − 2) / 2⌋ + 1.

use base::{Append, HashMap, ToList};
use ty::{Atom, ParamId, Poly, PolyId, Terms};

/// Floors within floors end here: no rule goes so deep.
const MAX_DEPTH: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// One of the dims that were given, by its place among them.
    Given(usize),
    Number(i64),
    Text(&'static str),
}

/// In reading order. Division rounds down, and says so by its brackets only where that makes a difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formula {
    pub tokens: Vec<Token>,
}

/// The parameters that stand for given dims: the place of each, and its number if it is one.
pub(crate) type Given = HashMap<ParamId, (usize, Option<i64>)>;

/// A polynomial over stand-ins as a formula; `None` if there is more in it than those.
pub(crate) fn formula(terms: &dyn Terms, poly: &Poly<Atom>, given: &Given) -> Option<Formula> {
    let mut writer = Writer { terms, given, out: Vec::new() };
    writer.sum(poly, 0)?;
    Some(Formula { tokens: writer.out })
}

/// What a polynomial over stand-ins comes to, if all of them are numbers.
pub(crate) fn value(terms: &dyn Terms, poly: &Poly<Atom>, given: &Given) -> Option<i64> {
    // The values of the polynomials within it, which have smaller numbers than those that they are in.
    let mut known: HashMap<PolyId, i64> = HashMap::default();
    let mut pending: Vec<PolyId> = Vec::new();
    let inner = |poly: &Poly<Atom>| -> Vec<PolyId> {
        let within = poly.atoms().filter_map(|atom| match *atom {
            Atom::FloorDiv(a, b) | Atom::Max(a, b) | Atom::Min(a, b) => Some([a, b]),
            Atom::Param(_) | Atom::Index(..) | Atom::Rank(_) | Atom::Prod(..) => None,
        });
        within.list_all(|part| part)
    };
    let of_atom = |known: &HashMap<PolyId, i64>, atom: Atom| match atom {
        Atom::Param(param) => given.get(&param)?.1,
        Atom::FloorDiv(a, b) => known.get(&a)?.checked_div_euclid(*known.get(&b)?),
        Atom::Max(a, b) => Some(*known.get(&a)?.max(known.get(&b)?)),
        Atom::Min(a, b) => Some(*known.get(&a)?.min(known.get(&b)?)),
        Atom::Index(..) | Atom::Rank(_) | Atom::Prod(..) => None,
    };
    let of_poly = |known: &HashMap<PolyId, i64>, poly: &Poly<Atom>| {
        poly.substitute(|&atom| Some(Poly::<Atom>::constant(of_atom(known, atom)?)))?.as_constant()
    };
    pending.append_all(inner(poly));
    while let Some(&id) = pending.last() {
        let missing: Vec<PolyId> = inner(terms.poly(id)).into_iter().filter(|id| !known.contains_key(id)).list();
        if missing.is_empty() || known.contains_key(&id) {
            pending.pop();
            known.insert(id, of_poly(&known, terms.poly(id))?);
        } else {
            pending.append_all(missing);
        }
    }
    of_poly(&known, poly)
}

struct Writer<'a> {
    terms: &'a dyn Terms,
    given: &'a Given,
    out: Vec<Token>,
}

impl Writer<'_> {
    /// Positive products first, the constant last.
    fn sum(&mut self, poly: &Poly<Atom>, depth: usize) -> Option<()> {
        let is_constant = |(atoms, _): &&(Vec<Atom>, i64)| atoms.is_empty();
        let (constant, products): (Vec<_>, Vec<_>) = poly.terms().iter().partition(is_constant);
        let (plus, minus): (Vec<_>, Vec<_>) = products.into_iter().partition(|(_, factor)| *factor > 0);
        let mut n_written = 0;
        for (atoms, factor) in plus.into_iter().chain(minus).chain(constant) {
            match (n_written, *factor < 0) {
                (0, false) => {}
                (0, true) => self.out.push(Token::Text("−")),
                (_, false) => self.out.push(Token::Text(" + ")),
                (_, true) => self.out.push(Token::Text(" − ")),
            }
            n_written += 1;
            for (at, &atom) in atoms.iter().enumerate() {
                if at > 0 {
                    self.out.push(Token::Text(" · "));
                }
                self.atom(atom, depth)?;
            }
            let size = i64::try_from(factor.unsigned_abs()).ok()?;
            if atoms.is_empty() {
                self.out.push(Token::Number(size));
            } else if size != 1 {
                self.out.append_all([Token::Text(" · "), Token::Number(size)]);
            }
        }
        if n_written == 0 {
            self.out.push(Token::Number(0));
        }
        Some(())
    }

    fn atom(&mut self, atom: Atom, depth: usize) -> Option<()> {
        if depth == MAX_DEPTH {
            return None;
        }
        let terms = self.terms;
        match atom {
            Atom::Param(param) => self.out.push(Token::Given(self.given.get(&param)?.0)),
            Atom::FloorDiv(whole, by) => {
                let exact = self.value(whole).zip(self.value(by)).is_some_and(|(a, b)| b != 0 && a % b == 0);
                self.out.append_all((!exact).then_some(Token::Text("⌊")));
                self.operand(whole, depth)?;
                self.out.push(Token::Text(" / "));
                self.operand(by, depth)?;
                self.out.append_all((!exact).then_some(Token::Text("⌋")));
            }
            Atom::Max(a, b) | Atom::Min(a, b) => {
                let name = if matches!(atom, Atom::Max(..)) { "max(" } else { "min(" };
                self.out.push(Token::Text(name));
                self.sum(terms.poly(a), depth + 1)?;
                self.out.push(Token::Text(", "));
                self.sum(terms.poly(b), depth + 1)?;
                self.out.push(Token::Text(")"));
            }
            Atom::Index(..) | Atom::Rank(_) | Atom::Prod(..) => return None,
        }
        Some(())
    }

    /// A side of a division, in parentheses if it is a sum or a product.
    fn operand(&mut self, id: PolyId, depth: usize) -> Option<()> {
        let terms = self.terms;
        let poly = terms.poly(id);
        let is_single = poly.as_constant().is_some() || matches!(poly.as_atom(), Some(Atom::Param(_)));
        self.out.append_all((!is_single).then_some(Token::Text("(")));
        self.sum(poly, depth + 1)?;
        self.out.append_all((!is_single).then_some(Token::Text(")")));
        Some(())
    }

    fn value(&self, id: PolyId) -> Option<i64> {
        let value = self.terms.poly(id).substitute(|&atom| match atom {
            Atom::Param(param) => self.given.get(&param).and_then(|given| given.1).map(Poly::<Atom>::constant),
            Atom::Index(..) | Atom::Rank(_) | Atom::Prod(..) | Atom::Max(..) | Atom::Min(..) | Atom::FloorDiv(..) => {
                None
            }
        });
        value?.as_constant()
    }
}
