//! Relay's answers to whole random programs (`relay_random.jsonl`): well-typed ones, large ones, and mutants with one
//! planted mistake each.

use serde_json::Value as Json;
use session::Analysis;
use tests::facts::{self, N_SAMPLED, Verdicts, corpus, differences, is_soak, lines, text};

/// How often the first message stands where the mistake was planted.
#[derive(Default)]
struct Located {
    n: usize,
    n_ours: usize,
    n_ours_or_also: usize,
    n_relays: usize,
}

impl Located {
    fn add(&mut self, fact: &Json, line: u32) {
        let planted = &fact["planted"];
        let first = planted["line"].as_u64().unwrap_or(0) as u32;
        let last = planted["end_line"].as_u64().map_or(first, |line| line as u32);
        let hits = (first..=last).contains(&line);
        self.n += 1;
        self.n_ours += usize::from(hits);
        self.n_ours_or_also += usize::from(hits || lines(planted, "also").contains(&line));
        self.n_relays += usize::from(fact["relay_hits_line"] == true);
    }

    fn print(&self) {
        let share = |n: usize| format!("{n} of {} ({:.1} %)", self.n, 100.0 * n as f64 / self.n.max(1) as f64);
        println!("first message on the planted line: {}", share(self.n_ours));
        println!("  or on another line that may be blamed: {}", share(self.n_ours_or_also));
        println!("  Relay's, on the planted line: {} (38.3 % of its whole corpus)", share(self.n_relays));
    }
}

/// Refused, and every diagnostic within the text.
fn judge_refusal(fact: &Json, analysis: &Analysis, located: &mut Located) -> Option<String> {
    let Some(line) = facts::first_error_line(analysis) else {
        let types: Vec<String> =
            analysis.definitions().into_iter().map(|d| format!("{}: {}", d.name, d.r#type)).collect();
        return Some(format!("Relay refuses ({}), we accept: {}", fact["error"], types.join(" ; ")));
    };
    located.add(fact, line);
    facts::misplaced(analysis)
}

#[test]
fn random_programs() {
    let listed = differences();
    let all = corpus("relay_random");
    let mut located = Located::default();
    let mut groups = Vec::new();
    for group in ["well-typed", "large", "mutant", "quirk"] {
        let group_facts: Vec<Json> = all.iter().filter(|fact| fact["group"] == group).cloned().collect();
        // Large programs are not carried.
        assert!(group == "large" || !group_facts.is_empty(), "there are no facts of the group {group}");
        let n = if is_soak() { usize::MAX } else { N_SAMPLED };
        let mut verdicts = Verdicts::default();
        for fact in facts::sample(group_facts, n) {
            let analysis = Analysis::new(text(&fact, "source"));
            let difference = match facts::recorded_types(&fact) {
                Some(want) => facts::judge_types(&analysis, &want),
                None => judge_refusal(&fact, &analysis, &mut located),
            };
            let difference = difference.map(|difference| match difference.len() + text(&fact, "source").len() {
                0..4_000 => format!("{difference}\n{}", text(&fact, "source")),
                _ => difference,
            });
            verdicts.add(&listed, text(&fact, "id"), difference);
        }
        groups.push((group, verdicts));
    }
    located.print();
    groups.into_iter().for_each(|(group, verdicts)| verdicts.finish(&format!("random programs, {group}")));
}
