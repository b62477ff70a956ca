//! Strings of bits in words of 64: bit 0 is the lowest of the first word; what is behind the end is zero.

/// A value in a register.
pub type Words = Vec<u64>;

/// How many words hold `bits` bits.
pub fn n_words(bits: u32) -> usize {
    bits.div_ceil(64) as usize
}

/// `n` zero bits.
pub fn zeros(bits: u32) -> Words {
    base::filled(0, n_words(bits))
}

fn low(n: u32) -> u64 {
    if n == 64 { u64::MAX } else { (1 << n) - 1 }
}

/// The `n` bits from `offset` on, at most 64.
#[inline]
pub fn read_bits(words: &[u64], offset: u32, n: u32) -> u64 {
    if n == 0 {
        return 0;
    }
    let (word, shift) = ((offset / 64) as usize, offset % 64);
    let mut bits = words[word] >> shift;
    if shift + n > 64 {
        bits |= words[word + 1] << (64 - shift);
    }
    bits & low(n)
}

/// Replaces the `n` bits from `offset` on, at most 64, by the low ones of `value`.
#[inline]
pub fn write_bits(words: &mut [u64], offset: u32, n: u32, value: u64) {
    if n == 0 {
        return;
    }
    let (word, shift) = ((offset / 64) as usize, offset % 64);
    let value = value & low(n);
    words[word] = words[word] & !(low(n) << shift) | value << shift;
    if shift + n > 64 {
        let rest = shift + n - 64;
        words[word + 1] = words[word + 1] & !low(rest) | value >> (64 - shift);
    }
}

/// The `n` bits from `offset` on.
pub fn slice_bits(words: &[u64], offset: u32, n: u32) -> Words {
    let mut bits = zeros(n);
    for (at, word) in (0..n).step_by(64).zip(&mut bits) {
        *word = read_bits(words, offset + at, (n - at).min(64));
    }
    bits
}

/// Replaces the `n` bits from `offset` on by those of `value`.
pub fn splice_bits(words: &mut [u64], offset: u32, n: u32, value: &[u64]) {
    for (at, &word) in (0..n).step_by(64).zip(value) {
        write_bits(words, offset + at, (n - at).min(64), word);
    }
}
