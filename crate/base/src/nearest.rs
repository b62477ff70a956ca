//! The nearest name to a misspelt one.

/// The candidate at the smallest Damerau–Levenshtein distance (adjacent transpositions count once) from `name`, if
/// that is at most a third of its length. A name of one letter is near to none.
///
/// ```
/// assert_eq!(base::nearest("nn.rleu", ["nn.relu", "nn.dense"]), Some("nn.relu"));
/// assert_eq!(base::nearest("quux", ["nn.relu", "nn.dense"]), None);
/// assert_eq!(base::nearest("Q", ["R"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(64).collect();
    let limit = (name.len() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 2 * limit)
        .map(|candidate| (distance(&name, &candidate.chars().collect::<Vec<_>>()), candidate))
        .filter(|&(distance, _)| distance <= limit && distance < name.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
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
