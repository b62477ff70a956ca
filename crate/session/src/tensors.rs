//! Tensors in values, as the page draws them: elements, what is to be said of all of them, and a smaller tensor in
//! the place of one that is large.

use crate::view::{OverviewView, PartView, StatisticsView, TensorView};
use base::ToList;
use ty::{ConstructorNames, Dtype, Elements, Tensor, Value};

/// How many elements of a value are handed over to be drawn: a picture of 256 by 256 points in four channels.
const MAX_ELEMENTS: usize = 1 << 18;

/// A tensor of no more elements is read in the text of the value that it is in.
const SHORT: usize = 64;
/// So many of a value are drawn.
const MAX_PARTS: usize = 16;
/// So much of a value is looked through for them.
const MAX_PLACES: usize = 100_000;

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
        path += &format!("{space}{name}.{field}");
        if n > 1 {
            path += &format!(" ×{n}");
        }
    }
    path
}

/// Of so many elements at most.
fn tensor_view(tensor: &Tensor, most: usize) -> TensorView {
    match &tensor.elements {
        Elements::Float(values) => view_of(tensor, values, |&value| value, most),
        Elements::Int(values) => {
            let signed = |&value: &i64| value as f64;
            let unsigned = |&value: &i64| value as u64 as f64;
            let number: fn(&i64) -> f64 = if tensor.dtype == Dtype::UInt64 { unsigned } else { signed };
            view_of(tensor, values, number, most)
        }
    }
}

/// There may be many millions of elements: floats have loops of their own.
fn view_of<T>(tensor: &Tensor, values: &[T], number: impl Fn(&T) -> f64 + Copy, most: usize) -> TensorView {
    let elements = values.iter().take(most).map(number).list();
    let overview = if values.len() > most { overview(&tensor.shape, values, number, most) } else { None };
    let (dtype, shape, statistics) = (tensor.dtype.to_string(), sizes(&tensor.shape), statistics(values, number));
    TensorView { dtype, shape, elements, overview, statistics }
}

/// In two passes, so that the deviation of large numbers that are near each other is right.
fn statistics<T>(values: &[T], number: impl Fn(&T) -> f64 + Copy) -> StatisticsView {
    let (mut min, mut max, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    let (mut n_nan, mut n_infinite) = (0_usize, 0_usize);
    for value in values.iter().map(number) {
        if value.is_finite() {
            (min, max, sum) = (value.min(min), value.max(max), sum + value);
        } else if value.is_nan() {
            n_nan += 1;
        } else {
            n_infinite += 1;
        }
    }
    let n_finite = (values.len() - n_nan - n_infinite) as f64;
    let [count, n_nan, n_infinite] = [values.len(), n_nan, n_infinite].map(|n| n as f64);
    if n_finite == 0.0 {
        return StatisticsView { count, min: 0.0, max: 0.0, mean: 0.0, deviation: 0.0, n_nan, n_infinite };
    }
    let finite = || values.iter().map(number).filter(|value| value.is_finite());
    // A sum may be too large where its parts are not.
    let mean = match sum.is_finite() {
        true => sum / n_finite,
        false => finite().map(|value| value / n_finite).sum(),
    };
    // The square of a number may be too large or too small: it is that of a share of the largest difference.
    let most = (max / 2.0 - mean / 2.0).max(mean / 2.0 - min / 2.0);
    let share = |value: f64| (value / 2.0 - mean / 2.0) / most;
    let squares: f64 = finite().map(|value| share(value) * share(value)).sum();
    let deviation = if most > 0.0 { (squares / n_finite).sqrt() * most * 2.0 } else { 0.0 };
    StatisticsView { count, min, max, mean, deviation, n_nan, n_infinite }
}

fn sizes(shape: &[usize]) -> Vec<u32> {
    shape.iter().map(|&size| size as u32).list()
}

/// Means of the least blocks of which there are no more than `most`. `None`: there are more matrices than that.
fn overview<T>(shape: &[usize], values: &[T], number: impl Fn(&T) -> f64, most: usize) -> Option<OverviewView> {
    let (&n_columns, before) = shape.split_last()?;
    let (n_rows, outer) = before.split_last().map_or((1, before), |(&rows, outer)| (rows, outer));
    let n_matrices: usize = outer.iter().product();
    let n_blocks = |side: usize| n_rows.div_ceil(side) * n_columns.div_ceil(side);
    let side = (1..=n_rows.max(n_columns)).find(|&side| n_matrices.saturating_mul(n_blocks(side)) <= most)?;
    let [rows, columns] = [n_rows, n_columns].map(|size| size.min(side));
    let [high, wide] = [n_rows.div_ceil(rows), n_columns.div_ceil(columns)];
    let mut elements = vec![0.0; n_matrices * high * wide];
    for (line, values) in values.chunks(n_columns.max(1)).enumerate() {
        let (matrix, row) = (line / n_rows, line % n_rows);
        let height = rows.min(n_rows - row / rows * rows);
        let means = &mut elements[(matrix * high + row / rows) * wide..][..wide];
        for (mean, part) in means.iter_mut().zip(values.chunks(columns)) {
            let weight = 1.0 / (height * part.len()) as f64;
            *mean += part.iter().map(|value| number(value) * weight).sum::<f64>();
        }
    }
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
    use super::{MAX_ELEMENTS, overview, parts_of, statistics};
    use ty::{Dtype, Elements, Fields, FixedNames, Tensor, Value};

    #[test]
    fn an_overview_has_means_of_blocks_and_of_what_is_left_of_one() {
        let of = |shape: &[usize], value: &dyn Fn(usize) -> f64| {
            let values: Vec<f64> = (0..shape.iter().product()).map(value).collect();
            overview(shape, &values, |&value| value, MAX_ELEMENTS)
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
            let found = statistics(&values, |&value| value);
            let near = |a: f64, b: f64| (a / unit - b).abs() <= 1e-3 * b.abs().max(1.0) || unit < 1e-300;
            assert!(near(found.mean, -0.5) && near(found.deviation, 28.866), "{unit}: {found:?}");
            assert!(found.deviation >= 20.0 * unit && found.deviation <= 40.0 * unit, "{unit}: {found:?}");
            assert_eq!((found.min, found.max, found.n_nan, found.n_infinite), (-50.0 * unit, 49.0 * unit, 1.0, 1.0));
        }
        let constant = statistics(&[3.0; 400], |&value| value);
        assert_eq!((constant.mean, constant.deviation), (3.0, 0.0));
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
            cons(tensor(64), cons(Value::Variant(ty::VariantId(0), Fields::new(vec![tensor(70)])), nil)),
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
