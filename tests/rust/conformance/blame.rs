//! Faults are found and mended about as often as they were when these floors were set. `npm run bench` prints the
//! figures over the whole corpora.

use tests::blame::{ALL, CLEAR, Score, false_alarms, mistakes, mutants, table};
use tests::facts::{carried, sample};

fn at_least(what: &str, score: Score, floor: [usize; 3]) {
    let percent = score.percent();
    let holds = percent.iter().zip(&floor).all(|(percent, floor)| percent >= floor);
    assert!(holds, "{what}: {percent:?} % of {} is less than {floor:?} %", score.n);
}

#[test]
fn planted_mistakes_are_found_and_mended() {
    let mut facts = carried("relay_random");
    facts.retain(|fact| fact.get("planted").is_some());
    assert!(facts.len() > 200, "the project carries mutants");
    let scores = mutants(&sample(facts, 120));
    println!("{}", table(&scores));
    at_least("all mutants", scores[ALL], [92, 96, 96]);
    at_least("mutants whose blame is clear", scores[CLEAR], [94, 97, 96]);
}

#[test]
fn real_mistakes_are_found_and_mended() {
    let facts = carried("mistakes");
    let score = mistakes(&facts);
    println!("real mistakes: {:?} % of {}", score.percent(), score.n);
    at_least("real mistakes", score, [70, 88, 80]);
    assert_eq!(false_alarms(&facts), Vec::<String>::new());
}
