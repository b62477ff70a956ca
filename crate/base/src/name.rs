//! Of which characters names are.

/// Characters outside ASCII that may stand in a name: the letters, digits and marks of all scripts, by block, so with some
/// signs between them. Left out are punctuation that looks like what means something else in a program, and what cannot
/// be seen. `char::is_alphanumeric` knows every character by itself, which costs 2 kB of what a visitor downloads.
#[rustfmt::skip]
const RANGES: [(u32, u32); 37] = [
    (0xaa, 0xaa), (0xb2, 0xb3), (0xb5, 0xb5), (0xb9, 0xba), (0xbc, 0xbe), (0xc0, 0xd6), (0xd8, 0xf6), (0xf8, 0x2c1),
    (0x300, 0x37d), (0x37f, 0x386), (0x388, 0x61b), (0x620, 0x167f), (0x1681, 0x180d), (0x180f, 0x1fee), (0x1ff2, 0x1ffc),
    (0x2070, 0x2079), (0x207f, 0x2089), (0x2090, 0x209c), (0x2102, 0x218f), (0x2460, 0x249b), (0x24b6, 0x24ff),
    (0x2776, 0x2793), (0x2c00, 0x2dff), (0x3005, 0x3007), (0x3021, 0x302f), (0x3031, 0x303c), (0x3041, 0xd7ff),
    (0xf900, 0xfdff), (0xfe70, 0xfefc), (0xff10, 0xff19), (0xff21, 0xff3a), (0xff41, 0xff5a), (0xff66, 0xffdc),
    (0x10000, 0x1cfff), (0x1d2c0, 0x1d37f), (0x1d400, 0x1efff), (0x20000, 0x3ffff),
];

/// Whether a character may stand in a name, at its beginning only if it is no digit of ASCII.
pub fn is_in_name(c: char) -> bool {
    match c {
        '_' | '0'..='9' | 'a'..='z' | 'A'..='Z' => true,
        _ => RANGES.iter().any(|&(first, last)| (first..=last).contains(&u32::from(c))),
    }
}

#[cfg(test)]
mod tests {
    use super::is_in_name;

    #[test]
    fn letters_and_digits_of_all_scripts_are_in_names() {
        let without = |c: &char| c.is_alphanumeric() && !is_in_name(*c);
        // Accents that stand alone, letters in brackets, a sign of old texts, and numbers in boxes.
        let signs = |c: &char| matches!(*c, '\u{2c6}'..='\u{2ee}' | '\u{249c}'..='\u{24b5}' | '\u{2e2f}' | '\u{1f100}'..='\u{1fbff}');
        assert_eq!(('\0'..=char::MAX).filter(without).filter(|c| !signs(c)).collect::<String>(), "");
    }

    #[test]
    fn nothing_is_in_a_name_that_is_a_sign_or_not_seen() {
        let signs = "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~·×÷−–—…“”‘’«»→←≤≥≠≡∗∘√∞。、，；：（）＝";
        assert_eq!(signs.chars().filter(|&c| is_in_name(c)).collect::<String>(), "");
        let unseen =
            |c: &char| c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}'..='\u{206f}' | '\u{feff}');
        assert_eq!(('\0'..=char::MAX).filter(unseen).filter(|&c| is_in_name(c)).collect::<String>(), "");
    }
}
