//! Whole numbers from decimals, as [`str::parse`] reads them. The standard library has a function for each width and
//! sign; the page loads this one for all.

/// `None` where the text is no number from 0 to 2⁶⁴ − 1.
pub fn parse_u64(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    parse_digits(bytes.strip_prefix(b"+").unwrap_or(bytes), 10)
}

/// `None` where the text is no number from −2⁶³ to 2⁶³ − 1.
pub fn parse_i64(text: &str) -> Option<i64> {
    match text.as_bytes().strip_prefix(b"-") {
        Some(digits) => {
            parse_digits(digits, 10).filter(|&n| n <= i64::MIN.unsigned_abs()).map(|n| (n as i64).wrapping_neg())
        }
        None => parse_u64(text).and_then(|n| i64::try_from(n).ok()),
    }
}

/// `None` where the text is no number from 0 to 2³² − 1.
pub fn parse_u32(text: &str) -> Option<u32> {
    parse_u64(text).and_then(|n| u32::try_from(n).ok())
}

/// Of digits in a base from 2 to 36, without a sign.
pub fn parse_digits(digits: &[u8], radix: u32) -> Option<u64> {
    let mut n = 0u64;
    for &digit in digits {
        n = n.checked_mul(radix.into())?.checked_add(char::from(digit).to_digit(radix)?.into())?;
    }
    (!digits.is_empty()).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_standard_library() {
        let mut texts: Vec<String> =
            ["", "+", "-", "-0", "+0", "00", "007", "+-1", "1 ", "٣", "1_0", "--1"].map(str::to_owned).to_vec();
        let edges =
            [0, i128::from(i64::MIN), i64::MAX.into(), u32::MAX.into(), u64::MAX.into(), i128::from(u64::MAX) * 10];
        for edge in edges {
            for n in edge - 2..=edge + 2 {
                texts.extend([format!("{n}"), format!("+{n}"), format!("-{n}"), format!("000{n}")]);
            }
        }
        assert_eq!(parse_digits(b"fF09", 16), Some(0xff09));
        assert_eq!(parse_digits(b"102", 2), None);
        for text in &texts {
            assert_eq!(parse_u64(text), text.parse().ok(), "{text}");
            assert_eq!(parse_i64(text), text.parse().ok(), "{text}");
            assert_eq!(parse_u32(text), text.parse().ok(), "{text}");
        }
    }
}
