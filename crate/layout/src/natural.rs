//! Natural numbers of up to [`MAX_BITS`] bits, for counting values.

/// Counts past this many bits are not made.
pub(crate) const MAX_BITS: usize = 1 << 16;

/// Digits to the base 2³², the lowest first, the last not 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Natural(Vec<u32>);

impl Natural {
    pub fn new(mut value: u128) -> Natural {
        let mut digits = Vec::new();
        while value > 0 {
            digits.push(value as u32);
            value >>= 32;
        }
        Natural(digits)
    }

    pub fn add(&mut self, other: &Natural) {
        let mut carry = 0;
        for at in 0.. {
            let digit = other.0.get(at).copied();
            if digit.is_none() && carry == 0 {
                break;
            }
            if at == self.0.len() {
                self.0.push(0);
            }
            carry += u64::from(self.0[at]) + u64::from(digit.unwrap_or(0));
            self.0[at] = carry as u32;
            carry >>= 32;
        }
    }

    /// `None` past the limit.
    pub fn times(&self, other: &Natural) -> Option<Natural> {
        let len = self.0.len() + other.0.len();
        if len > MAX_BITS / 32 {
            return None;
        }
        let mut digits = base::filled(0_u32, len);
        for (at, &a) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (digit, b) in digits[at..].iter_mut().zip(other.0.iter().copied().chain(std::iter::once(0))) {
                carry += u64::from(*digit) + u64::from(a) * u64::from(b);
                *digit = carry as u32;
                carry >>= 32;
            }
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Some(Natural(digits))
    }

    pub fn to_u128(&self) -> Option<u128> {
        (self.0.len() <= 4).then(|| self.0.iter().rev().fold(0, |value, &digit| value << 32 | u128::from(digit)))
    }

    /// ⌈log2⌉; of 0 it is 0.
    pub fn log2(&self) -> u32 {
        let Some((last, rest)) = self.0.split_last() else { return 0 };
        let is_power = last.is_power_of_two() && rest.iter().all(|&digit| digit == 0);
        32 * rest.len() as u32 + 32 - last.leading_zeros() - u32::from(is_power)
    }
}

#[cfg(test)]
mod tests {
    use super::Natural;

    #[test]
    fn as_numbers_of_128_bits() {
        let numbers: Vec<u64> =
            (0..64).flat_map(|bit| [1 << bit, u64::MAX >> bit, 0x9e37_79b9_7f4a_7c15 >> bit]).collect();
        for &a in &numbers {
            for &b in &numbers {
                let (a, b) = (u128::from(a), u128::from(b));
                let product = Natural::new(a).times(&Natural::new(b)).expect("a short number");
                assert_eq!((product.to_u128(), &product), (Some(a * b), &Natural::new(a * b)));
                let mut sum = Natural::new(a);
                sum.add(&Natural::new(b));
                assert_eq!(sum, Natural::new(a + b));
                assert_eq!(product.log2(), (a * b).checked_next_power_of_two().map_or(128, u128::trailing_zeros));
            }
        }
    }
}
