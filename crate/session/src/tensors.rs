//! Tensors in values, as the page draws them: elements, what is to be said of all of them, and a smaller tensor in
//! the place of one that is large.

use crate::view::{OverviewView, PartView, StatisticsView, TensorView};
use base::{MapArray, ToList};
use std::ops::Range;
use ty::{ConstructorNames, Dtype, Elements, Tensor, Value};

/// How many elements of a value are handed over to be drawn: a picture of 256 by 256 points in four channels.
const MAX_ELEMENTS: usize = 1 << 18;

/// A tensor of no more elements is read in the text of the value that it is in.
const SHORT: usize = 64;
/// So many of a value are drawn.
const MAX_PARTS: usize = 16;
/// So much of a value is looked through for them.
const MAX_PLACES: usize = 100_000;

/// All integers up to it are a float64.
const EXACT: f64 = (1_u64 << 53) as f64;

/// A value that is a tensor.
pub fn whole(value: &Value) -> Option<TensorView> {
    match value {
        Value::Tensor(tensor) => Some(tensor_view(tensor, MAX_ELEMENTS)),
        Value::Scalar(..)
        | Value::Tuple(_)
        | Value::Data(..)
        | Value::Variant(..)
        | Value::Func(..)
        | Value::Ref(_) => None,
    }
}

/// A value within another one.
struct Place<'a> {
    value: &'a Value,
    /// The place of what it is a field of, and which.
    of: Option<(usize, usize)>,
}

/// The tensors in a tuple, an instance or a variant that are too long to be read, in the order of its text, and whether
/// there may be more.
pub fn parts_of(value: &Value, names: &dyn ConstructorNames) -> (Vec<PartView>, bool) {
    let mut places = vec![Place { value, of: None }];
    let mut left = vec![0];
    let (mut found, mut is_cut): (Vec<(usize, &Tensor)>, bool) = (Vec::new(), false);
    while let Some(at) = left.pop() {
        match places[at].value {
            Value::Tensor(tensor) if tensor.elements.len() > SHORT && at > 0 => found.push((at, tensor)),
            Value::Tuple(fields) | Value::Data(_, fields) | Value::Variant(_, fields) => {
                for (field, value) in fields.iter().enumerate().rev() {
                    left.push(places.len());
                    places.push(Place { value, of: Some((at, field)) });
                }
            }
            Value::Tensor(_) | Value::Scalar(..) | Value::Func(..) | Value::Ref(_) => {}
        }
        if found.len() > MAX_PARTS || places.len() > MAX_PLACES {
            found.truncate(MAX_PARTS);
            is_cut = true;
            break;
        }
    }
    let most = MAX_ELEMENTS / found.len().max(1);
    let part =
        |&(at, tensor): &(usize, _)| PartView { path: path(&places, at, names), tensor: tensor_view(tensor, most) };
    (found.iter().map(part).list(), is_cut)
}

/// The fields that lead to a place: `.1.0`, `Pair.0`, for the third of a list `Cons.1 ×2 Cons.0`.
fn path(places: &[Place], mut at: usize, names: &dyn ConstructorNames) -> String {
    // The last one first, and how often each stands in a row.
    let mut steps: Vec<(&str, usize, usize)> = Vec::new();
    while let Some((of, field)) = places[at].of {
        let name = match places[of].value {
            Value::Data(constructor, _) => names.constructor(*constructor),
            Value::Variant(variant, _) => names.variant(*variant),
            _ => "",
        };
        match steps.last_mut() {
            Some((last, same, n)) if !name.is_empty() && (*last, *same) == (name, field) => *n += 1,
            _ => steps.push((name, field, 1)),
        }
        at = of;
    }
    let mut path = String::new();
    for (name, field, n) in steps.into_iter().rev() {
        let space = if path.is_empty() || name.is_empty() { "" } else { " " };
        let times = if n > 1 { format!(" ×{n}") } else { String::new() };
        path += &format!("{space}{name}.{field}{times}");
    }
    path
}

/// Elements as numbers, a block at a time, since there may be many millions.
struct Blocks<'a> {
    /// Reads those from a place on.
    read: &'a dyn Fn(usize, &mut [f64]),
    block: [f64; 512],
}

impl Blocks<'_> {
    fn new(read: &dyn Fn(usize, &mut [f64])) -> Blocks<'_> {
        Blocks { read, block: [0.0; 512] }
    }

    /// Hands on the elements at some places.
    fn each(&mut self, places: Range<usize>, see: &mut dyn FnMut(&[f64])) {
        for start in places.clone().step_by(self.block.len()) {
            let n = self.block.len().min(places.end - start);
            (self.read)(start, &mut self.block[..n]);
            see(&self.block[..n]);
        }
    }
}

/// Of so many elements at most.
fn tensor_view(tensor: &Tensor, most: usize) -> TensorView {
    let is_unsigned = tensor.dtype == Dtype::UInt64;
    let read = |start: usize, to: &mut [f64]| match &tensor.elements {
        Elements::Float(values) => to.copy_from_slice(&values[start..][..to.len()]),
        Elements::Int(values) => {
            for (to, &value) in to.iter_mut().zip(&values[start..]) {
                *to = if is_unsigned { value as u64 as f64 } else { value as f64 };
            }
        }
    };
    let n = tensor.elements.len();
    let mut elements = base::filled(0.0, n.min(most));
    read(0, &mut elements);
    let lacks = match &tensor.elements {
        Elements::Int(values) if elements.iter().any(|x| x.abs() >= EXACT) => {
            let wide = |value: i64| if is_unsigned { i128::from(value as u64) } else { i128::from(value) };
            values.iter().zip(&elements).map(|(&value, &x)| (wide(value) - x as i128) as f64).list()
        }
        _ => Vec::new(),
    };
    let mut blocks = Blocks::new(&read);
    let overview = if n > most { overview(&tensor.shape, &mut blocks, most) } else { None };
    let (dtype, shape, statistics) = (tensor.dtype.to_string(), sizes(&tensor.shape), statistics(n, &mut blocks));
    TensorView { dtype, shape, elements, lacks, overview, statistics }
}

/// In two passes, so that the deviation of large numbers that are near each other is right.
fn statistics(n: usize, blocks: &mut Blocks) -> StatisticsView {
    let (mut min, mut max, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    let (mut n_nan, mut n_infinite) = (0.0, 0.0);
    blocks.each(0..n, &mut |values| {
        // Here, and not behind a pointer.
        let (mut low, mut high, mut total) = (min, max, sum);
        for &value in values {
            if value.is_finite() {
                low = if value < low { value } else { low };
                high = if value > high { value } else { high };
                total += value;
            } else if value.is_nan() {
                n_nan += 1.0;
            } else {
                n_infinite += 1.0;
            }
        }
        (min, max, sum) = (low, high, total);
    });
    let count = n as f64;
    let n_finite = count - n_nan - n_infinite;
    let view = |mean, deviation| StatisticsView { count, min, max, mean, deviation, n_nan, n_infinite };
    if n_finite == 0.0 {
        return StatisticsView { min: 0.0, max: 0.0, ..view(0.0, 0.0) };
    }
    if min == max {
        return view(min, 0.0);
    }
    // The sums of differences from a number, and of their squares, as shares of a unit.
    let mut sums = |from: f64, unit: f64| {
        let (mut sum, mut squares) = (0.0, 0.0);
        blocks.each(0..n, &mut |values| {
            let (mut total, mut all) = (sum, squares);
            for &value in values {
                if value.is_finite() {
                    let share = value * unit - from * unit;
                    (total, all) = (total + share, all + share * share);
                }
            }
            (sum, squares) = (total, all);
        });
        [sum, squares]
    };
    let mean = sum / n_finite;
    let [rest, squares] = sums(mean, 1.0);
    // What is too large for its square, or too small, is measured by a power of two that is about as large.
    let (from, unit, [rest, squares]) = if squares.is_normal() {
        (mean, 1.0, [rest, squares])
    } else {
        let exponent = (max.abs().max(min.abs()).to_bits() >> 52) as i64;
        let (from, unit) = (min / 2.0 + max / 2.0, f64::from_bits(((2046 - exponent).clamp(1, 2046) as u64) << 52));
        (from, unit, sums(from, unit))
    };
    let (rest, square) = (rest / n_finite, squares / n_finite);
    view(from + rest / unit, (square - rest * rest).max(0.0).sqrt() / unit)
}

fn sizes(shape: &[usize]) -> Vec<u32> {
    shape.iter().map(|&size| size as u32).list()
}

/// Means of the least blocks of which there are no more than `most`. `None`: there are more matrices than that.
fn overview(shape: &[usize], blocks: &mut Blocks, most: usize) -> Option<OverviewView> {
    let (&n_columns, before) = shape.split_last()?;
    let (n_rows, outer) = before.split_last().map_or((1, before), |(&rows, outer)| (rows, outer));
    let n_matrices: usize = outer.iter().product();
    let n_blocks = |side: usize| n_rows.div_ceil(side) * n_columns.div_ceil(side);
    let side = (1..=n_rows.max(n_columns)).find(|&side| n_matrices.saturating_mul(n_blocks(side)) <= most)?;
    let [rows, columns] = [n_rows, n_columns].each(|size| size.min(side));
    let [high, wide] = [n_rows.div_ceil(rows), n_columns.div_ceil(columns)];
    let mut elements = base::filled(0.0, n_matrices * high * wide);
    let (mut line, mut column) = (0, 0);
    blocks.each(0..n_matrices * n_rows * n_columns, &mut |values| {
        let mut left = values;
        while !left.is_empty() {
            let (row, at) = (line % n_rows, column / columns);
            let height = rows.min(n_rows - row / rows * rows);
            let (start, end) = (at * columns, n_columns.min((at + 1) * columns));
            let weight = 1.0 / (height * (end - start)) as f64;
            let (part, rest) = left.split_at(left.len().min(end - column));
            elements[(line / n_rows * high + row / rows) * wide + at] += part.iter().map(|x| x * weight).sum::<f64>();
            (left, column) = (rest, column + part.len());
            if column == n_columns {
                (line, column) = (line + 1, 0);
            }
        }
    });
    let mut shape = sizes(shape);
    let at = shape.len().saturating_sub(2);
    shape.truncate(at);
    if !before.is_empty() {
        shape.push(high as u32);
    }
    shape.push(wide as u32);
    Some(OverviewView { shape, elements, rows: rows as u32, columns: columns as u32 })
}

#[cfg(test)]
mod tests {
    use super::{Blocks, MAX_ELEMENTS, overview, parts_of, statistics};
    use ty::{Dtype, Elements, Fields, FixedNames, Tensor, Value};

    #[test]
    fn an_overview_has_means_of_blocks_and_of_what_is_left_of_one() {
        let of = |shape: &[usize], value: &dyn Fn(usize) -> f64| {
            let read = |start: usize, to: &mut [f64]| (start..).zip(to).for_each(|(at, to)| *to = value(at));
            overview(shape, &mut Blocks::new(&read), MAX_ELEMENTS)
        };
        let view = of(&[3, 601, 701], &|at| if at == 0 { f64::NAN } else { (at % 701) as f64 }).unwrap();
        assert_eq!((view.shape, view.rows, view.columns), (vec![3, 201, 234], 3, 3));
        assert!(view.elements[0].is_nan());
        // Columns 3 to 5, and the last two.
        assert_eq!(view.elements[1].round(), 4.0);
        assert_eq!(view.elements[233].round(), 700.0);
        assert!(view.elements.len() <= MAX_ELEMENTS);
        let line = of(&[MAX_ELEMENTS * 3], &|at| at as f64).unwrap();
        assert_eq!((line.shape, line.rows, line.columns), (vec![MAX_ELEMENTS as u32], 1, 3));
        assert_eq!(line.elements[5].round(), 16.0);
        assert!(of(&[MAX_ELEMENTS + 1, 2, 2], &|_| 0.0).is_none());
    }

    #[test]
    fn statistics_are_right_for_the_largest_and_the_smallest_numbers() {
        for unit in [1.0, 1e306, 1e-310, 5e-324] {
            let values: Vec<f64> = (-50..50).map(|n| f64::from(n) * unit).chain([f64::NAN, f64::INFINITY]).collect();
            let read = |start: usize, to: &mut [f64]| to.copy_from_slice(&values[start..][..to.len()]);
            let found = statistics(values.len(), &mut Blocks::new(&read));
            // The smallest number has no half.
            let near = |a: f64, b: f64| (a / unit - b).abs() <= if unit == 5e-324 { 1.0 } else { 1e-3 };
            assert!(near(found.mean, -0.5) && near(found.deviation, 28.866), "{unit}: {found:?}");
            assert_eq!((found.min, found.max, found.n_nan, found.n_infinite), (-50.0 * unit, 49.0 * unit, 1.0, 1.0));
        }
        for number in [3.0, 0.1, 1.7e308] {
            let constant = statistics(1400, &mut Blocks::new(&|_, to| to.fill(number)));
            assert_eq!((constant.mean, constant.deviation), (number, 0.0));
        }
    }

    fn tensor(n: usize) -> Value {
        Value::tensor(Tensor { dtype: Dtype::Float64, shape: vec![n], elements: Elements::Float(vec![1.0; n]) })
    }

    #[test]
    fn long_tensors_in_a_value_are_named_by_the_fields_that_lead_to_them() {
        let names = FixedNames { adt: "List", param: "a", variants: &["Some"], constructors: &["Nil", "Cons"] };
        let nil = Value::Data(0, Fields::new(vec![]));
        let cons = |head, tail| Value::Data(1, Fields::new(vec![head, tail]));
        let list = cons(
            tensor(65),
            cons(tensor(64), cons(Value::Variant(ty::VariantId::numbered(0), Fields::new(vec![tensor(70)])), nil)),
        );
        let pair = Value::Tuple(Fields::new(vec![list, Value::Tuple(Fields::new(vec![tensor(80)]))]));
        let (parts, is_cut) = parts_of(&pair, &names);
        let found: Vec<(&str, u32)> = parts.iter().map(|part| (part.path.as_str(), part.tensor.shape[0])).collect();
        let wanted = [(".0 Cons.0", 65), (".0 Cons.1 ×2 Cons.0 Some.0", 70), (".1.0", 80)];
        assert_eq!((found, is_cut), (wanted.to_vec(), false));
        assert!(parts_of(&tensor(100), &names).0.is_empty());
    }

    #[test]
    fn a_value_of_many_tensors_shows_some_of_them() {
        let names = FixedNames { adt: "", param: "", variants: &[], constructors: &[] };
        let many = Value::Tuple(Fields::new(vec![tensor(100_000); 40]));
        let (parts, is_cut) = parts_of(&many, &names);
        assert_eq!((parts.len(), is_cut), (16, true));
        let n_elements: usize = parts.iter().map(|part| part.tensor.elements.len()).sum();
        assert!(n_elements <= MAX_ELEMENTS && parts.iter().all(|part| part.tensor.overview.is_some()));
        // Shared, so that walking all of it would never end.
        let doubled = (0..60).fold(tensor(1), |inner, _| Value::Tuple(Fields::new(vec![inner.clone(), inner])));
        assert!(parts_of(&doubled, &names).1);
    }
}
