//! Real shape and type mistakes (`mistakes.jsonl`): how many are rejected, and whether the first message stands where
//! a teacher would point.
//!
//! The scores are printed. What fails the test is a panic, a message outside the text, or a mistake that is accepted
//! without a reason in `doc/differences.md`.

use serde_json::Value as Json;
use session::Analysis;
use tests::facts::{self, Verdicts, corpus, differences, errors, first_error_line, items, lines, text};

#[derive(Default)]
struct Scores {
    n_errors: usize,
    n_rejected: usize,
    n_fault: usize,
    n_primary: usize,
    n_symptom: usize,
    n_lints: usize,
    n_lints_accepted: usize,
    n_lints_raised: usize,
    n_fixes: usize,
    n_fixes_rejected: usize,
    n_fixes_warned: usize,
}

impl Scores {
    fn error(&mut self, fact: &Json, analysis: &Analysis) {
        self.n_errors += 1;
        let Some(line) = first_error_line(analysis) else { return };
        let faults = lines(fact, "fault_lines");
        self.n_rejected += 1;
        self.n_fault += usize::from(faults.contains(&line));
        self.n_primary += usize::from(faults.first() == Some(&line));
        self.n_symptom += usize::from(lines(fact, "symptom_lines").contains(&line));
    }

    /// A lint should be told of, on a fault line, without the program being rejected.
    fn lint(&mut self, fact: &Json, analysis: &Analysis) {
        self.n_lints += 1;
        self.n_lints_accepted += usize::from(errors(analysis).is_empty());
        let faults = lines(fact, "fault_lines");
        let raised = analysis.diagnostics().iter().any(|d| faults.contains(&analysis.lines().line_of(d.span.start)));
        self.n_lints_raised += usize::from(raised);
    }

    fn fix(&mut self, program: &str) -> bool {
        let analysis = Analysis::new(program);
        let is_rejected = !errors(&analysis).is_empty();
        self.n_fixes += 1;
        self.n_fixes_rejected += usize::from(is_rejected);
        self.n_fixes_warned += usize::from(!is_rejected && !analysis.diagnostics().is_empty());
        is_rejected
    }

    fn print(&self) {
        let share = |n: usize, of: usize| format!("{n} of {of} ({:.1} %)", 100.0 * n as f64 / of.max(1) as f64);
        println!("mistakes rejected: {}", share(self.n_rejected, self.n_errors));
        println!("  first message on a fault line: {}", share(self.n_fault, self.n_errors));
        println!("  on the first of them: {}", share(self.n_primary, self.n_errors));
        println!("  where the contradiction shows: {}", share(self.n_symptom, self.n_errors));
        println!("lints not rejected: {}", share(self.n_lints_accepted, self.n_lints));
        println!("  told of on a fault line: {}", share(self.n_lints_raised, self.n_lints));
        println!("mended programs rejected: {}", share(self.n_fixes_rejected, self.n_fixes));
        println!("  warned about: {}", share(self.n_fixes_warned, self.n_fixes));
    }
}

#[test]
fn mistakes() {
    let listed = differences();
    let mut scores = Scores::default();
    let mut verdicts = Verdicts::default();
    for fact in corpus("mistakes") {
        let analysis = Analysis::new(text(&fact, "program"));
        let mut difference = facts::misplaced(&analysis);
        if fact["kind"] == "error" {
            scores.error(&fact, &analysis);
            if first_error_line(&analysis).is_none() {
                difference = Some(format!("this should be rejected\n{}", text(&fact, "program")));
            }
        } else {
            scores.lint(&fact, &analysis);
        }
        for fix in items(&fact, "fixes") {
            if scores.fix(text(fix, "program")) {
                println!("{}: a mended program is rejected\n{}", text(&fact, "id"), text(fix, "program"));
            }
        }
        verdicts.add(&listed, text(&fact, "id"), difference);
    }
    scores.print();
    verdicts.finish("mistakes");
}
