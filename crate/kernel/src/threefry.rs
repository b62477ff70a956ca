//! Random bits from a key: Threefry-4x64 with 20 rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
//! as 1, 2, 3", 2011), made splittable (Claessen, Pałka: "Splittable pseudorandom number generators using cryptographic
//! hashing", 2013), in Relay's encoding.
//!
//! The numbers are Relay's, which are not the paper's: a mix there turns `y` and adds it a second time to `x + y`
//! before the two are joined, no key is added behind the last round, and whole blocks of four differ in every word of
//! the counter, by their number.
//!
//! A key is ten words: four of the cipher's key, two of the path (the bits of the splits so far), two of the counter,
//! of which the last counts numbers, and two with the one bit that the next split writes.
//!
//! ```
//! use kernel::threefry::{Key, generate};
//! let key: Key = [0, 0, 0, 0, 0, 0, 0, 0, 1 << 63, 0];
//! let (mut words, mut more) = ([0; 4], [0; 8]);
//! let next = generate(&key, &mut words);
//! assert_eq!(next[7], 4);
//! generate(&key, &mut more);
//! assert_eq!(words, more[..4]);
//! ```

pub type Key = [u64; 10];

/// How far the second word of each pair turns, for eight rounds.
const TURNS: [[u32; 2]; 8] = [[14, 16], [52, 57], [23, 40], [5, 37], [25, 33], [46, 12], [58, 22], [32, 32]];

/// The Skein hash's constant, so that no key is all zeros.
const PARITY: u64 = 0x1bd1_1bda_a9fc_1a22;

/// Enciphers four words under a key of four.
#[inline(never)]
fn threefry(key: [u64; 4], words: [u64; 4]) -> [u64; 4] {
    let parity = key.iter().fold(PARITY, |all, word| all ^ word);
    let keys = [key[0], key[1], key[2], key[3], parity];
    let mut x = words;
    for round in 0..20 {
        if round % 4 == 0 {
            let s = round / 4;
            for (i, word) in x.iter_mut().enumerate() {
                *word = word.wrapping_add(keys[(s + i) % 5]);
            }
            x[3] = x[3].wrapping_add(s as u64);
        }
        let [left, right] = TURNS[round % 8];
        let (a, b) = (x[0].wrapping_add(x[1]), x[2].wrapping_add(x[3]));
        let [c, d] =
            [(a, x[1], left), (b, x[3], right)].map(|(sum, y, turn)| sum.wrapping_add(y) ^ y.rotate_left(turn));
        x = [a, d, b, c];
    }
    x
}

fn first_four(key: &Key) -> [u64; 4] {
    [key[0], key[1], key[2], key[3]]
}

/// The bit of the next split, one place to the right.
fn next_bit(high: u64, low: u64) -> [u64; 2] {
    match high {
        0 => [0, low >> 1],
        1 => [0, 1 << 63],
        _ => [high >> 1, 0],
    }
}

/// Fills `words` and gives the next key, which counts in fours.
pub fn generate(key: &Key, words: &mut [u64]) -> Key {
    let mut key = *key;
    let n = words.len() as u64;
    if key[7] >= u64::MAX - n {
        // The counter is used up: a new path, or where there is no room for one a new key.
        key = match (key[8], key[9]) {
            (0, 0) => {
                let hash = threefry(first_four(&key), [u64::MAX, u64::MAX, 0, 0]);
                [hash[0], hash[1], hash[2], hash[3], 0, 0, 0, 0, 1 << 63, 0]
            }
            (high, low) => {
                let bit = next_bit(high, low);
                [key[0], key[1], key[2], key[3], key[4] | high, key[5] | low, 0, 0, bit[0], bit[1]]
            }
        };
    }
    let counter = [key[4], key[5], key[6], key[7]];
    for (i, block) in words.chunks_mut(4).enumerate() {
        // Relay adds the number of a whole block to every word, and what came before the rest to the last.
        let mut counted = counter;
        match block.len() {
            4 => counted.iter_mut().for_each(|word| *word = word.wrapping_add(i as u64)),
            _ => counted[3] = counted[3].wrapping_add(4 * i as u64),
        }
        let bits = threefry(first_four(&key), counted);
        block.copy_from_slice(&bits[..block.len()]);
    }
    key[6] = 0;
    key[7] = key[7].wrapping_add(n.next_multiple_of(4));
    key
}

/// Two keys from one.
pub fn split(key: &Key) -> [Key; 2] {
    let (mut left, mut right) = (*key, *key);
    if key[8] == 0 && key[9] == 0 {
        let hash = threefry(first_four(key), [key[4], key[5], key[6], key[7]]);
        left = [hash[0], hash[1], hash[2], hash[3], 0, 0, 0, 0, 1 << 62, 0];
        right = left;
        right[4] = 1 << 63;
    } else {
        let bit = next_bit(key[8], key[9]);
        (left[8], left[9]) = (bit[0], bit[1]);
        (right[8], right[9]) = (bit[0], bit[1]);
        right[4] |= key[8];
        right[5] |= key[9];
    }
    [left, right]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Relay draws with the same key.
    #[test]
    fn known_answer() {
        let want = [6916732523760993782, 10089331345144390876, 11508557046813028988, 6173831779451993945];
        assert_eq!(threefry([1, 2, 3, 4], [5, 6, 7, 8]), want);
        let mut words = [0; 6];
        assert_eq!(generate(&[1, 2, 3, 4, 5, 6, 7, 8, 0, 0], &mut words)[7], 16);
        assert_eq!(words[4..], [18224109496590339851, 12989126615861879141]);
    }

    #[test]
    fn the_path_grows_bit_by_bit() {
        let key: Key = [1, 2, 3, 4, 0, 0, 0, 0, 1, 0];
        let [left, right] = split(&key);
        assert_eq!((left[4..6].to_vec(), left[8..].to_vec()), (vec![0, 0], vec![0, 1 << 63]));
        assert_eq!((right[4..6].to_vec(), right[8..].to_vec()), (vec![1, 0], vec![0, 1 << 63]));
        let last: Key = [1, 2, 3, 4, 5, 6, 7, 8, 0, 1];
        let spent = split(&last)[0];
        assert_eq!(spent[8..], [0, 0]);
        let [left, right] = split(&spent);
        assert_eq!(left[..4], right[..4]);
        assert_eq!((left[4], right[4], right[8]), (0, 1 << 63, 1 << 62));
    }

    #[test]
    fn a_used_up_counter_takes_a_new_path_or_key() {
        let mut key: Key = [1, 2, 3, 4, 0, 0, 0, u64::MAX - 4, 1 << 63, 0];
        let mut words = [0; 4];
        let next = generate(&key, &mut words);
        assert_eq!((next[4], next[7], next[8]), (1 << 63, 4, 1 << 62));
        (key[8], key[9]) = (0, 0);
        let next = generate(&key, &mut words);
        assert_eq!((next[4], next[7], next[8]), (0, 4, 1 << 63));
        assert_ne!(next[..4], key[..4]);
    }
}
