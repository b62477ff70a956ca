//! The codes of a reshape, which are MXNet's: a positive size; 0 copies, −1 infers one, −2 copies the rest, −3 merges
//! two, −4 splits into the next two.
//!
//! The codes are read into a plan, which needs no shape; what they copy, merge and split is not counted, so that the
//! sizes of those axes need not be known.
//!
//! Worked example: `[0, -1, 2]` of `(N, 4, 6)` copies `N`, and 4 · 6 elements in rows of 2 are 12, so the result is
//! `(N, 12, 2)`.

use super::dims::{equate, factors, number, same_count};
use super::form::Form;
use super::{attr_error, can_be_tensor, peek_rank};
use base::{Append, ToList};
use ty::{Facts, Function, Relation, Size, Step, Stop, TermId};

pub static RESHAPE: Relation = Relation { name: "Reshape", n_outputs: 1, rule: reshape };
/// As [`RESHAPE`], read from the last axis.
pub static REVERSE_RESHAPE: Relation = Relation { name: "ReverseReshape", n_outputs: 1, rule: reverse_reshape };

fn codes(r: &dyn Facts) -> Vec<i64> {
    r.attrs().ints("newshape").unwrap_or_default()
}

fn reshape(r: &mut dyn Facts) -> Step {
    let codes = codes(r);
    can_be_tensor(r, 0)?;
    let plan = Plan::read(r, &codes, peek_rank(r, 0))?;
    let (data, dtype) = Form::operand(r, 0)?;
    let pieces = plan.follow(r, &data)?;
    // With the rest behind them the axes may be the whole shape again, which says of none that there is one.
    if let (Some(_), Some(&last)) = (plan.rest, plan.taken.iter().max()) {
        data.has_axis(r, last as i64)?;
    }
    match data.rank() {
        Some(_) => r.result(&pieces, dtype),
        None => {
            let shape = ty::apply(r, &Function::Concat, &pieces)?;
            super::form::result(r, &Form::Whole(shape), dtype)
        }
    }
}

fn reverse_reshape(r: &mut dyn Facts) -> Step {
    let mut codes = codes(r);
    if codes.contains(&-4) {
        return attr_error(r, "newshape", "no -4, whose two sizes would stand on its wrong side");
    }
    codes.reverse();
    let (mut dims, dtype) = r.tensor(0)?;
    dims.reverse();
    let plan = Plan::read(r, &codes, Some(dims.len()))?;
    let mut dims = plan.follow(r, &Form::Dims(dims))?;
    dims.reverse();
    r.result(&dims, dtype)
}

/// What a code makes.
enum Part {
    Number(i64),
    /// A number that splits an axis.
    Half(i64),
    Copy(usize),
    /// All axes from one on.
    Rest(usize),
    /// Of an axis and the next.
    Product(usize),
    Quotient(usize, i64),
    /// What the others leave.
    Infer,
}

/// What codes make of data of a rank, or of any rank.
struct Plan {
    parts: Vec<Part>,
    /// The axes of the data that are copied, merged or split.
    taken: Vec<usize>,
    /// The axis from which on all are copied.
    rest: Option<usize>,
    /// Axes that are split into two numbers, and the product of these.
    products: Vec<(usize, i64)>,
}

impl Plan {
    fn read(r: &dyn Facts, codes: &[i64], rank: Option<usize>) -> Result<Plan, Stop> {
        let allow_zero = r.attrs().flag("allowzero");
        let mut plan = Plan { parts: Vec::new(), taken: Vec::new(), rest: None, products: Vec::new() };
        let mut used = 0;
        let mut codes = codes.iter().copied();
        while let Some(code) = codes.next() {
            let has = |n: usize| plan.rest.is_none() && rank.is_none_or(|rank| used + n <= rank);
            match code {
                0 if !allow_zero && has(1) => plan.take(Part::Copy(used), 1, used),
                0 if !allow_zero => return attr_error(r, "newshape", "a 0 only where the data has an axis to copy"),
                -1 if plan.parts.iter().any(|part| matches!(part, Part::Infer)) => {
                    return attr_error(r, "newshape", "at most one -1");
                }
                -1 => plan.parts.push(Part::Infer),
                -2 if plan.rest.is_none() => {
                    plan.rest = Some(used);
                    plan.parts.push(Part::Rest(used));
                }
                // Nothing is left to copy.
                -2 => {}
                -3 if has(2) => {
                    plan.take(Part::Product(used), 2, used);
                    used += 1;
                }
                -3 => return attr_error(r, "newshape", "a -3 only where the data has two axes to merge"),
                -4 => {
                    let (true, Some(first), Some(second)) = (has(1), codes.next(), codes.next()) else {
                        return attr_error(r, "newshape", "a -4 with two sizes behind it and an axis to split");
                    };
                    plan.split(r, used, first, second)?;
                }
                size if size < 0 => {
                    return attr_error(r, "newshape", format!("no code {size}: the codes are 0 and -1 to -4"));
                }
                size => plan.parts.push(Part::Number(size)),
            }
            used += 1;
        }
        Ok(plan)
    }

    fn take(&mut self, part: Part, n: usize, axis: usize) {
        self.parts.push(part);
        self.taken.append_all(axis..axis + n);
    }

    fn split(&mut self, r: &dyn Facts, axis: usize, first: i64, second: i64) -> Step {
        let parts = match (first, second) {
            (-1, -1) => return attr_error(r, "newshape", "at most one -1 behind a -4"),
            (-1, part @ 1..) => [Part::Quotient(axis, part), Part::Half(part)],
            (part @ 1.., -1) => [Part::Half(part), Part::Quotient(axis, part)],
            (first @ 0.., second @ 0..) => {
                self.products.push((axis, first.saturating_mul(second)));
                [Part::Half(first), Part::Half(second)]
            }
            _ => return attr_error(r, "newshape", "sizes above 0 behind a -4, of which one may be -1"),
        };
        self.parts.append_all(parts);
        self.taken.push(axis);
        Ok(())
    }

    /// The dims of the result, among them shapes where the rank of the data is not known.
    fn follow(&self, r: &mut dyn Facts, data: &Form) -> Result<Vec<TermId>, Stop> {
        let counted = self.counted(r, data)?;
        let mut made = 1_i64;
        for part in &self.parts {
            if let Part::Number(size) = part {
                made = made.saturating_mul(*size);
            }
        }
        // What is copied, merged or split is in both: where it has no element, neither has any.
        let (all, others) = factors(r, &counted)?;
        let is_empty = others.is_empty() && all != made && self.takes_nothing(r, data)?;
        for &(axis, product) in &self.products {
            let (whole, product) = (data.dim(r, axis as i64)?, number(r, product));
            equate(r, &[(whole, product)], "an axis has as many elements as its two parts")?;
        }
        let mut pieces = Vec::with_capacity(self.parts.len());
        let mut inferred = None;
        for part in &self.parts {
            match *part {
                Part::Number(size) | Part::Half(size) => pieces.push(number(r, size)),
                Part::Copy(axis) => pieces.push(data.dim(r, axis as i64)?),
                Part::Rest(from) => match data {
                    Form::Dims(dims) => pieces.extend(dims.iter().skip(from)),
                    Form::Whole(_) => pieces.push(data.from(r, from)?),
                },
                Part::Product(axis) => {
                    let factors = [data.dim(r, axis as i64)?, data.dim(r, axis as i64 + 1)?];
                    pieces.push(r.product_of(&factors)?);
                }
                Part::Quotient(axis, by) => {
                    let whole = data.dim(r, axis as i64)?;
                    pieces.push(r.divided(whole, by, &format!("axis {axis}"))?);
                }
                Part::Infer => {
                    inferred = Some(pieces.len());
                    // Holds the place.
                    pieces.push(r.make_size(Size::ANY));
                }
            }
        }
        let n = self.n_taken(r, data)?;
        match inferred {
            Some(at) => pieces[at] = rows(r, &counted, made, n)?,
            None if is_empty => {}
            None => {
                let made = number(r, made);
                same_count(r, &counted, &[made], &|all, made| {
                    format!("{} elements do not fill a shape of {}", all.saturating_mul(n), made.saturating_mul(n))
                })?;
            }
        }
        Ok(pieces)
    }

    /// Whether one of the axes that are copied, merged or split is 0.
    fn takes_nothing(&self, r: &mut dyn Facts, data: &Form) -> Result<bool, Stop> {
        let mut open = None;
        for &axis in &self.taken {
            let size = data.dim(r, axis as i64)?;
            match r.peek_number(size) {
                Some(0) => return Ok(true),
                Some(_) => {}
                None => open = open.or(r.known(size).err()),
            }
        }
        open.map_or(Ok(false), Err)
    }

    /// How many elements the axes have that are copied, merged or split; those whose sizes are not known count as 1.
    fn n_taken(&self, r: &mut dyn Facts, data: &Form) -> Result<i64, Stop> {
        let mut n = 1_i64;
        let rest = self.rest.map_or(0..0, |rest| rest..data.rank().unwrap_or(0));
        for axis in self.taken.iter().copied().chain(rest.filter(|axis| !self.taken.contains(axis))) {
            let size = data.dim(r, axis as i64)?;
            n = n.saturating_mul(r.peek_number(size).unwrap_or(1));
        }
        Ok(n)
    }

    /// The sizes of the axes that are neither copied nor merged nor split, as factors.
    fn counted(&self, r: &mut dyn Facts, data: &Form) -> Result<Vec<TermId>, Stop> {
        let end = match (data, self.rest) {
            (Form::Dims(dims), None) => dims.len(),
            (Form::Dims(dims), Some(rest)) => rest.min(dims.len()),
            (Form::Whole(_), Some(rest)) => rest,
            (Form::Whole(_), None) => self.taken.iter().max().map_or(0, |last| last + 1),
        };
        let axes = (0..end).filter(|axis| !self.taken.contains(axis));
        let mut factors: Vec<TermId> = axes.map(|axis| data.dim(r, axis as i64)).ok_list()?;
        if let (Form::Whole(_), None) = (data, self.rest) {
            factors.push(data.product_from(r, end)?);
        }
        Ok(factors)
    }
}

/// How many rows of so many elements these factors make: the size of an inferred axis. Of both there are `n` times as
/// many.
fn rows(r: &mut dyn Facts, counted: &[TermId], row: i64, n: i64) -> Result<TermId, Stop> {
    let (all, mut others) = factors(r, counted)?;
    if others.iter().any(|&size| r.is_dynamic(size)) {
        return Ok(r.make_size(Size::ANY));
    }
    let divides = row != 0 && (all % row == 0 || !others.is_empty());
    r.check(
        divides,
        format_args!("{} elements do not divide into rows of {}", all.saturating_mul(n), row.saturating_mul(n)),
    )?;
    if others.is_empty() {
        let dynamic = counted.iter().any(|&size| r.is_dynamic(size));
        return Ok(r.make_size(Size { number: Some(all / row), dynamic }));
    }
    let common = gcd(all, row);
    others.push(number(r, all / common));
    let whole = r.product_of(&others)?;
    r.divided(whole, row / common, "the number of elements")
}

/// By Euclid; of 0 and a number it is the number.
fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
