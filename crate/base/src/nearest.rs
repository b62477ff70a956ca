//! The nearest name to a misspelt one.

use crate::ToList;

/// The candidate at the smallest Damerau–Levenshtein distance (adjacent transpositions count once) from `name`, if
/// that is at most a third of its length; of several, one with the same first letter. Nearest of all is one that differs
/// in capitals alone, one that goes on behind it is as near as one letter, and a name of one letter is near to no other.
///
/// ```
/// assert_eq!(base::nearest("nn.rleu", ["nn.relu", "nn.dense"]), Some("nn.relu"));
/// assert_eq!(base::nearest("quux", ["nn.relu", "nn.dense"]), None);
/// assert_eq!(base::nearest("tnh", ["nth", "tanh"]), Some("tanh"));
/// assert_eq!(base::nearest("Q", ["R"]), None);
/// assert_eq!(base::nearest("Q", ["R", "q"]), Some("q"));
/// assert_eq!(base::nearest("", ["R"]), None);
/// assert_eq!(base::nearest("nn.con", ["nn.lrn", "nn.conv2d"]), Some("nn.conv2d"));
/// assert_eq!(base::nearest("float32", ["float16", "float32"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut candidates = candidates.into_iter();
    among(name, &mut || candidates.next())
}

/// There is one of this, and not one for each kind of list.
fn among<'a>(text: &str, next: &mut dyn FnMut() -> Option<&'a str>) -> Option<&'a str> {
    let name: Vec<char> = text.chars().take(64).list();
    let limit = (name.len() / 3).max(1);
    let mut nearest = None;
    // The first of those that are as near.
    let mut least = 2 * (limit + 1).min(name.len());
    let (mut rows, mut letters) = (<[Vec<usize>; 3]>::default(), Vec::new());
    while let Some(candidate) = next() {
        let is_begun = name.len() > 2 && candidate.starts_with(text);
        if is_begun || candidate.len().abs_diff(name.len()) <= 2 * limit {
            letters.clear();
            letters.extend(candidate.chars());
            // A hand seldom slips at the first letter.
            let starts = usize::from(letters.first() != name.first());
            let distance = match 2 * distance(&name, &letters, least / 2, &mut rows) + starts {
                2.. if candidate.eq_ignore_ascii_case(text) => 1,
                3.. if is_begun => 2,
                distance => distance,
            };
            if distance < least {
                (nearest, least) = (Some(candidate), distance);
            }
        }
    }
    // What is among them is not misspelt.
    nearest.filter(|_| least > 0)
}

/// If it is more than `most`, any such number. There are many candidates: the three rows are memory that is kept.
fn distance(a: &[char], b: &[char], most: usize, [before, last, row]: &mut [Vec<usize>; 3]) -> usize {
    last.clear();
    last.extend(0..=b.len());
    for i in 1..=a.len() {
        row.clear();
        row.push(i);
        let mut least = i;
        for j in 1..=b.len() {
            let mut here = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + usize::from(a[i - 1] != b[j - 1]));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                here = here.min(before[j - 2] + 1);
            }
            least = least.min(here);
            row.push(here);
        }
        // Two letters that change places lead past a row, by one at most.
        if least > most + 1 {
            return least;
        }
        std::mem::swap(before, last);
        std::mem::swap(last, row);
    }
    last[b.len()]
}
