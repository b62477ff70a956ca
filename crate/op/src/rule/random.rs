//! Rules of the operators in `random`. A key is a `Tensor[(10), uint64]`; each operator takes one and gives the next,
//! so that nothing is random but the first key.

use super::{attr_error, rank_error};
use base::ToList;
use ty::{Dtype, Facts, Relation, Size, Step, Stop, TermId};

/// The next key, and random bits.
pub static THREEFRY_GENERATE: Relation = Relation { name: "ThreefryGenerate", n_outputs: 1, rule: threefry_generate };
/// Two keys from one.
pub static THREEFRY_SPLIT: Relation = Relation { name: "ThreefrySplit", n_outputs: 1, rule: threefry_split };
/// The next key, and floats between two bounds.
pub static UNIFORM: Relation = Relation { name: "Uniform", n_outputs: 1, rule: floats };
/// The next key, and floats about a mean.
pub static NORMAL: Relation = Relation { name: "Normal", n_outputs: 1, rule: floats };
/// The next key, and positions drawn by their probabilities.
pub static MULTINOMIAL: Relation = Relation { name: "Multinomial", n_outputs: 1, rule: multinomial };

fn key(r: &mut dyn Facts) -> TermId {
    let (ten, dtype) = (r.make_size(Size::known(10)), r.make_dtype(Dtype::UInt64));
    r.make_tensor(&[ten], dtype)
}

fn out_shape(r: &dyn Facts) -> Result<Vec<Size>, Stop> {
    match r.attrs().ints("out_shape").filter(|shape| shape.iter().all(|&size| size >= 0)) {
        Some(shape) => Ok(shape.into_iter().map(Size::known).list()),
        None => attr_error(r, "out_shape", "a list of sizes of at least 0"),
    }
}

/// Asserts the key, and a result of the next key and a tensor.
fn draw(r: &mut dyn Facts, dims: &[TermId], dtype: TermId) -> Step {
    let (key, given) = (key(r), r.arg(0));
    r.unify(key, given)?;
    let drawn = r.make_tensor(dims, dtype);
    let next = self::key(r);
    let tuple = r.make_tuple(&[next, drawn]);
    r.result_is(tuple)
}

fn threefry_generate(r: &mut dyn Facts) -> Step {
    let sizes = out_shape(r)?;
    let dims: Vec<TermId> = sizes.into_iter().map(|size| r.make_size(size)).list();
    let dtype = r.make_dtype(Dtype::UInt64);
    draw(r, &dims, dtype)
}

fn threefry_split(r: &mut dyn Facts) -> Step {
    let (key, given) = (key(r), r.arg(0));
    r.unify(key, given)?;
    let halves = [self::key(r), self::key(r)];
    let tuple = r.make_tuple(&halves);
    r.result_is(tuple)
}

/// Two scalars of the result's dtype say where the floats lie.
fn floats(r: &mut dyn Facts) -> Step {
    let sizes = out_shape(r)?;
    let dtype = match r.attrs().dtype("out_dtype") {
        None => Dtype::Float32,
        Some(dtype @ (Dtype::Float32 | Dtype::Float64)) => dtype,
        Some(_) => return attr_error(r, "out_dtype", "\"float32\" or \"float64\""),
    };
    let dims: Vec<TermId> = sizes.into_iter().map(|size| r.make_size(size)).list();
    let dtype = r.make_dtype(dtype);
    for operand in [1, 2] {
        let (scalar, given) = (r.make_tensor(&[], dtype), r.arg(operand));
        r.unify(scalar, given)?;
    }
    draw(r, &dims, dtype)
}

fn multinomial(r: &mut dyn Facts) -> Step {
    let Some(n) = r.attrs().int("num_samples").filter(|&n| n >= 0) else {
        return attr_error(r, "num_samples", "a number of at least 0");
    };
    let (mut dims, _) = r.tensor(1)?;
    let Some(last) = dims.last_mut() else {
        return rank_error(r, 1, "1 or more", 0);
    };
    *last = r.make_size(Size::known(n));
    let dtype = r.make_dtype(Dtype::Int32);
    draw(r, &dims, dtype)
}
