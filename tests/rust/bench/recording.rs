//! What it costs to record a check, and to look at what was recorded.

use crate::families::{FAMILIES, mixed, unannotated};
use crate::waited;
use session::{Analysis, Part, Recording, solved};
use solve::Trace;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Recording may make a check this much longer.
const WANTED: f64 = 1.10;

/// How many places are jumped to.
const N_JUMPS: usize = 1_000;

/// How long the longest and the mean of some runs take, in ms.
struct Times {
    mean: f64,
    worst: f64,
}

fn times(mut run: impl FnMut(usize), places: &[usize]) -> Times {
    let took = places.iter().map(|&place| {
        let (start, waited_before) = (Instant::now(), waited());
        run(place);
        start.elapsed().saturating_sub(waited().saturating_sub(waited_before)).as_secs_f64() * 1e3
    });
    let took: Vec<f64> = took.collect();
    Times { mean: took.iter().sum::<f64>() / took.len() as f64, worst: took.iter().copied().fold(0.0, f64::max) }
}

/// The fastest of several runs of either, one after the other, so that both are measured on the same machine. Runs that
/// had to wait for others count only where there are no others.
fn both(mut one: impl FnMut(), mut other: impl FnMut()) -> [f64; 2] {
    let once = |run: &mut dyn FnMut()| {
        let (start, waited_before) = (Instant::now(), waited());
        run();
        (waited() != waited_before, start.elapsed())
    };
    let begin = Instant::now();
    let mut best = [(true, Duration::MAX); 2];
    while begin.elapsed() < Duration::from_millis(1_500) {
        best[0] = best[0].min(once(&mut one));
        best[1] = best[1].min(once(&mut other));
    }
    best.map(|(_, took)| took.as_secs_f64() * 1e3)
}

/// The same places each time, all over `0..n`.
fn places(n: usize) -> Vec<usize> {
    let mut state = 1_u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    (0..N_JUMPS).map(next).collect()
}

pub fn print() {
    println!("\nRecording: parsing and inference with a trace beside without, and what looking at it takes.\n");
    println!("| program | N | events | off ms | traced ms | ratio |\n|---|---|---|---|---|---|");
    let mut programs: Vec<(&str, usize, String)> =
        vec![("mixed", 200, mixed(200)), ("mixed", 5_000, mixed(5_000)), ("unannotated", 500, unannotated(500))];
    programs.extend(FAMILIES.iter().filter_map(|family| {
        let &(n, _) = family.sizes.iter().rev().find(|&&(n, _)| n <= 1_000)?;
        Some((family.name, n, (family.program)(n)))
    }));
    let (mut off, mut traced) = (0.0, 0.0);
    for (name, n, program) in &programs {
        let [without, with] =
            both(|| drop(black_box(solved(program, Trace::off()))), || drop(black_box(solved(program, Trace::on()))));
        let n_events = solved(program, Trace::on()).store.log.events.len();
        println!("| {name} | {n} | {n_events} | {without:.3} | {with:.3} | {:.2} |", with / without);
        off += without;
        traced += with;
    }
    let verdict = if traced / off <= WANTED { "" } else { ", which is too much" };
    println!("\nAll together: {:.3} times as long{verdict}.\n", traced / off);
    println!(
        "| program | events | stops | record ms | jump µs | worst | view µs | worst | graph ms | state µs | worst |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for n in [700, 2_200, 10_000] {
        let analysis = Analysis::new(&mixed(n));
        let start = Instant::now();
        let mut recording = Recording::new(&analysis);
        let record = start.elapsed().as_secs_f64() * 1e3;
        let places = places(recording.n_stops());
        let jump = times(
            |stop| {
                black_box(recording.solver_at(stop).relations().len());
            },
            &places,
        );
        let part = Part { first_class: 0, n_classes: 50, n_relations: 50 };
        let view = times(|stop| drop(black_box(recording.solver_view(&analysis, stop, part))), &places);
        let start = Instant::now();
        recording.graph_view(&analysis, &[]);
        let graph = start.elapsed().as_secs_f64() * 1e3;
        let state = times(|stop| drop(black_box(recording.graph_state(&analysis, stop))), &places);
        println!(
            "| mixed {n} | {} | {} | {record:.1} | {:.0} | {:.0} | {:.0} | {:.0} | {graph:.1} | {:.0} | {:.0} |",
            recording.events().len(),
            recording.n_stops(),
            jump.mean * 1e3,
            jump.worst * 1e3,
            view.mean * 1e3,
            view.worst * 1e3,
            state.mean * 1e3,
            state.worst * 1e3,
        );
    }
}
