//! The nearest name to a misspelt one.

/// The candidate at the smallest Damerau–Levenshtein distance (adjacent transpositions count once) from `name`, if
/// that is at most a third of its length; of several, one with the same first letter. A name of one letter is near to
/// none.
///
/// ```
/// assert_eq!(base::nearest("nn.rleu", ["nn.relu", "nn.dense"]), Some("nn.relu"));
/// assert_eq!(base::nearest("quux", ["nn.relu", "nn.dense"]), None);
/// assert_eq!(base::nearest("tnh", ["nth", "tanh"]), Some("tanh"));
/// assert_eq!(base::nearest("Q", ["R"]), None);
/// assert_eq!(base::nearest("", ["R"]), None);
/// assert_eq!(base::nearest("float32", ["float16", "float32"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut candidates = candidates.into_iter();
    among(name, &mut || candidates.next())
}

/// There is one of this, and not one for each kind of list.
fn among<'a>(name: &str, next: &mut dyn FnMut() -> Option<&'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(64).collect();
    let limit = (name.len() / 3).max(1);
    let mut nearest = None;
    // The first of those that are as near.
    let mut least = 2 * (limit + 1).min(name.len());
    while let Some(candidate) = next() {
        if candidate.len().abs_diff(name.len()) <= 2 * limit {
            // A hand seldom slips at the first letter.
            let starts = usize::from(candidate.chars().next() != name.first().copied());
            let distance = 2 * distance(&name, &candidate.chars().collect::<Vec<_>>()) + starts;
            if distance < least {
                (nearest, least) = (Some(candidate), distance);
            }
        }
    }
    // What is among them is not misspelt.
    nearest.filter(|_| least > 0)
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + usize::from(a[i - 1] != b[j - 1]));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
