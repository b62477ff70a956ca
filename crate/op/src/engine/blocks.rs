//! Blocks of elements on their way from memory through [`kernel::wide`] and back.

use crate::run::Fault;
use base::MapArray;
use kernel::halves::{self, Half};
use kernel::wide::{self, BLOCK, Format};
use ty::{Dtype, Elements};

/// Room for two operands and a result: integers and bools stand in the first, floats in the second, and what is
/// computed in float32 in the third.
pub struct Blocks {
    pub ints: [[i64; BLOCK]; 3],
    pub floats: [[f64; BLOCK]; 3],
    pub singles: [[f32; BLOCK]; 3],
}

impl Default for Blocks {
    fn default() -> Blocks {
        Blocks { ints: [[0; BLOCK]; 3], floats: [[0.0; BLOCK]; 3], singles: [[0.0; BLOCK]; 3] }
    }
}

/// Which of the blocks is the result.
const RESULT: usize = 2;

impl Blocks {
    /// Reads elements, or repeats one: `n` of them.
    pub fn read(&mut self, at: usize, dtype: Dtype, bytes: &[u8], n: usize) -> Result<(), Fault> {
        let format = format(dtype);
        let is_one = bytes.len() == format.width() && n > 1;
        if !is_one && bytes.len() != n * format.width() {
            return Err(Fault::ill_typed());
        }
        if dtype.is_float() {
            wide::read_floats(format, bytes, &mut self.floats[at]);
            if is_one {
                let one = self.floats[at][0];
                self.floats[at][..n].fill(one);
            }
        } else {
            wide::read_ints(format, bytes, &mut self.ints[at]);
            if is_one {
                let one = self.ints[at][0];
                self.ints[at][..n].fill(one);
            }
        }
        Ok(())
    }

    /// As [`Blocks::read`], as float32.
    pub fn read_half(&mut self, at: usize, half: Half, bytes: &[u8], n: usize) -> Result<(), Fault> {
        let n_read = bytes.len() / 2;
        if n_read != n && n_read != 1 {
            return Err(Fault::ill_typed());
        }
        let block = &mut self.singles[at];
        halves::read(half, bytes, &mut block[..n_read]);
        if n_read < n {
            let one = block[0];
            block[..n].fill(one);
        }
        Ok(())
    }

    /// Writes as many elements of the result as there is room for, from float32.
    pub fn write_half(&self, half: Half, bytes: &mut [u8]) {
        halves::write(half, &self.singles[RESULT][..bytes.len() / 2], bytes);
    }

    /// Elements of any dtype but `uint64` as floats, behind others.
    pub fn append(&mut self, dtype: Dtype, bytes: &[u8], to: &mut Vec<f64>) -> Option<()> {
        for part in bytes.chunks(BLOCK * dtype.n_bytes()) {
            let n = part.len() / dtype.n_bytes();
            self.read(0, dtype, part, n).ok()?;
            if !dtype.is_float() {
                let Blocks { ints: [ints, ..], floats: [floats, ..], .. } = self;
                floats.iter_mut().zip(ints).for_each(|(float, int)| *float = *int as f64);
            }
            to.extend_from_slice(&self.floats[0][..n]);
        }
        Some(())
    }

    /// Writes as many elements of the result as there is room for.
    pub fn write(&self, dtype: Dtype, bytes: &mut [u8]) {
        match dtype.is_float() {
            true => wide::write_floats(format(dtype), &self.floats[RESULT], bytes),
            false => wide::write_ints(format(dtype), &self.ints[RESULT], bytes),
        }
    }

    /// The first operand as another dtype, for the result: as [`cast_between`](crate::run::cast_between).
    pub fn cast(&mut self, [from, to]: [Dtype; 2], n: usize) {
        let Blocks { ints: [ints, .., whole], floats: [floats, .., numbers], .. } = self;
        match [from, to].each(Dtype::is_float) {
            [true, true] => *numbers = *floats,
            [false, false] => *whole = *ints,
            [true, false] if to == Dtype::Bool => wide::floats_to_bools(floats, whole),
            [true, false] => wide::floats_to_ints(floats, whole, n),
            [false, true] => wide::ints_to_floats(ints, from == Dtype::UInt64, numbers, n, format(to)),
        }
    }
}

/// Elements of any dtype as numbers of 64 bits, by their bits; at most a block.
pub fn read(dtype: Dtype, bytes: &[u8], to: &mut [u64; BLOCK]) {
    match dtype.is_float() {
        true => wide::read_floats(format(dtype), bytes, bytemuck::cast_mut(to)),
        false => wide::read_ints(format(dtype), bytes, bytemuck::cast_mut(to)),
    }
}

/// The other way round, as many as there is room for.
pub fn write(dtype: Dtype, from: &[u64; BLOCK], bytes: &mut [u8]) {
    match dtype.is_float() {
        true => wide::write_floats(format(dtype), bytemuck::cast_ref(from), bytes),
        false => wide::write_ints(format(dtype), bytemuck::cast_ref(from), bytes),
    }
}

/// The elements that lie in memory one after the other. Every NaN is the canonical one.
pub fn elements_at(dtype: Dtype, bytes: &[u8]) -> Elements {
    let format = format(dtype);
    let width = format.width();
    let n = bytes.len() / width;
    let parts = bytes[..n * width].chunks(BLOCK * width);
    if dtype.is_float() {
        let (mut elements, mut block) = (Vec::with_capacity(n), [0.0; BLOCK]);
        for part in parts {
            wide::read_floats(format, part, &mut block);
            elements.extend_from_slice(&block[..part.len() / width]);
        }
        Elements::Float(elements)
    } else {
        let (mut elements, mut block) = (Vec::with_capacity(n), [0; BLOCK]);
        for part in parts {
            wide::read_ints(format, part, &mut block);
            elements.extend_from_slice(&block[..part.len() / width]);
        }
        Elements::Int(elements)
    }
}

/// The other way round: elements of this dtype. What does not fit into `bytes` is left out.
pub fn write_elements(elements: &Elements, dtype: Dtype, bytes: &mut [u8]) {
    let format = format(dtype);
    let n_bytes = bytes.len() / format.width() * format.width();
    let parts = bytes[..n_bytes].chunks_mut(BLOCK * format.width());
    match elements {
        Elements::Float(elements) => {
            let mut block = [0.0; BLOCK];
            for (part, elements) in parts.zip(elements.chunks(BLOCK)) {
                block[..elements.len()].copy_from_slice(elements);
                wide::write_floats(format, &block, room(part, elements.len() * format.width()));
            }
        }
        Elements::Int(elements) => {
            let mut block = [0; BLOCK];
            for (part, elements) in parts.zip(elements.chunks(BLOCK)) {
                block[..elements.len()].copy_from_slice(elements);
                wide::write_ints(format, &block, room(part, elements.len() * format.width()));
            }
        }
    }
}

/// The first `n` bytes, or all.
fn room(bytes: &mut [u8], n: usize) -> &mut [u8] {
    let n = n.min(bytes.len());
    &mut bytes[..n]
}

/// Which dtype of 16 bits with a point it is.
pub fn half(dtype: Dtype) -> Option<Half> {
    match dtype {
        Dtype::Float16 => Some(Half::Float16),
        Dtype::BFloat16 => Some(Half::BFloat16),
        _ => None,
    }
}

pub fn format(dtype: Dtype) -> Format {
    match dtype {
        Dtype::Bool => Format::Bool,
        Dtype::Int8 => Format::Int8,
        Dtype::Int16 => Format::Int16,
        Dtype::Int32 => Format::Int32,
        Dtype::Int64 => Format::Int64,
        Dtype::UInt8 => Format::UInt8,
        Dtype::UInt16 => Format::UInt16,
        Dtype::UInt32 => Format::UInt32,
        Dtype::UInt64 => Format::UInt64,
        Dtype::Float16 => Format::Float16,
        Dtype::BFloat16 => Format::BFloat16,
        Dtype::Float32 => Format::Float32,
        Dtype::Float64 => Format::Float64,
    }
}
