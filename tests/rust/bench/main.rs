//! Native check times beside Relay's: `npm run bench` prints them beside the page's.
//!
//! The programs are written to `target/bench/*.relay`, so that the wasm build is measured on the same texts. Words
//! behind the command choose families by name.

mod families;
mod recording;

use families::{FAMILIES, Family, GRAPH_TEXT, MAPS_TEXT, dataflow, maps, mixed};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tests::blame;
use tests::facts::{beside, corpus, text};
use tests::root;

/// What the Python loop took where Relay's figures were taken.
const RELAYS_LOOP: f64 = 562.0;

/// How many times faster than Relay every family should be.
const WANTED: f64 = 20.0;

/// More than this much longer than ten times, for ten times the program, is not linear.
const LINEAR: f64 = 1.3;

/// CPU ms of a loop in Python, which tells how fast this machine is just now beside the one where Relay was measured;
/// the better of two.
fn calibration() -> Option<f64> {
    let program = "import time\ndef f():\n    x = 0\n    for i in range(10**7): x += i*i&7\n    return x\n\
                   def once():\n    t = time.process_time(); f(); return time.process_time() - t\n\
                   print(1000 * min(once(), once()))";
    let output =
        Command::new("python3").args(["-c", program]).output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// How long this thread has been ready to run while others did, so that a busy machine is not taken for a slow one.
/// Linux tells; elsewhere it is 0.
fn waited() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').nth(1).and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// The fastest of several runs: the least disturbed one.
fn fastest(mut run: impl FnMut()) -> f64 {
    let mut best = Duration::MAX;
    let begin = Instant::now();
    let mut n_runs = 0;
    while n_runs < 3 || (begin.elapsed() < Duration::from_millis(600) && n_runs < 200) {
        let (start, waited_before) = (Instant::now(), waited());
        run();
        let waited = waited().saturating_sub(waited_before);
        best = best.min(start.elapsed().saturating_sub(waited));
        n_runs += 1;
    }
    best.as_secs_f64() * 1e3
}

/// ms to parse, and to parse and check.
struct Times {
    parse: f64,
    check: f64,
}

fn times(name: &str, program: &str) -> Times {
    let errors = tests::facts::errors(&session::Analysis::new(program));
    assert!(errors.is_empty(), "{name} must be well-typed: {}", errors[0]);
    let parse = fastest(|| {
        session::parse(program);
    });
    Times { parse, check: fastest(|| drop(session::Analysis::new(program))) }
}

/// What the rows come to.
struct Report {
    folder: PathBuf,
    /// The Python loop's ms, as often as it was run: a shared machine is not equally fast all the time.
    loops: Vec<f64>,
    below: Vec<String>,
    bent: Vec<String>,
}

impl Report {
    fn calibrate(&mut self) {
        self.loops.extend(calibration());
    }

    /// How much slower this machine is than the one where Relay was measured, as last looked at.
    fn slower(&self) -> f64 {
        self.loops.last().map_or(1.0, |ms| ms / RELAYS_LOOP)
    }

    /// `counts_parsing`: Relay's ms do.
    fn row(
        &mut self,
        (name, n): (&str, usize),
        n_ops: usize,
        program: &str,
        relay: Option<f64>,
        counts_parsing: bool,
    ) -> f64 {
        std::fs::write(self.folder.join(format!("{name}-{n}.relay")), program).expect("target can be written");
        let Times { parse, check } = times(name, program);
        let ratio = relay.map_or("".to_owned(), |relay| format!("{:.0}", relay / check));
        let corrected = relay.map(|relay| relay * self.slower() / check);
        // Inference against inference: Relay's figure does not count parsing.
        let alone = relay.filter(|_| !counts_parsing).map(|relay| relay * self.slower() / (check - parse));
        let relay = relay.map_or("".to_owned(), |relay| relay.to_string());
        println!(
            "| {name} | {n} | {} | {relay} | {parse:.3} | {check:.3} | {ratio} | {} | {} | {:.2} |",
            program.len().div_ceil(1_000),
            corrected.map_or("".to_owned(), |corrected| format!("{corrected:.0}")),
            alone.map_or("".to_owned(), |alone| format!("{alone:.0}")),
            check * 1e3 / (n * n_ops) as f64
        );
        if let Some(like) = alone.or(corrected).filter(|&like| like < WANTED) {
            self.below.push(format!("{name} at {n}: {like:.1}"));
        }
        check
    }

    fn family(&mut self, &Family { name, program, n_ops, sizes }: &Family) {
        self.calibrate();
        let rows = sizes.iter().map(|&(n, relay)| (n, self.row((name, n), n_ops, &program(n), relay, false)));
        let rows: Vec<(usize, f64)> = rows.collect();
        // Each size beside the one ten times smaller, or the smallest where none is.
        for &(n, time) in &rows[1..] {
            let before = rows.iter().find(|&&(before, _)| before * 10 == n);
            let is_last = n == sizes[sizes.len() - 1].0;
            let Some(&(before, time_before)) = before.or(rows.first().filter(|_| is_last)) else { continue };
            let growth = time / time_before / (n as f64 / before as f64);
            self.bent.push(format!(
                "| {name} | {before} → {n} | {growth:.2} |{}",
                if growth > LINEAR { " not linear" } else { "" }
            ));
        }
    }
}

const HEAD: &str = "| program | N | kB | Relay ms | parse ms | check ms | ratio | corrected | without parsing | µs per op |\n|---|---|---|---|---|---|---|---|---|---|";

/// A network as Relay's own front end writes it, beside the project.
fn model(report: &mut Report, folder: &Path) {
    let of = |name: &str| {
        std::fs::read_to_string(folder.join(format!("{name}.relay"))).ok().map(|text| (name.to_owned(), text))
    };
    let Some((name, program)) = of("resnet-50").or_else(|| of("resnet-18")) else { return };
    let answer = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap_or_default();
    let answer: Json = serde_json::from_str(&answer).unwrap_or_default();
    let n_ops = program.lines().count();
    report.calibrate();
    report.row((&name, n_ops), 1, &program, answer["relay_infer_ms"].as_f64(), false);
}

/// The large random programs: the sums of our times and of Relay's. They stand beside the project only.
fn large(report: &mut Report) {
    let mut facts = corpus("relay_random");
    facts.retain(|fact| fact["group"] == "large");
    if facts.is_empty() {
        return;
    }
    report.calibrate();
    let (mut ours, mut infer, mut whole) = (0.0, 0.0, 0.0);
    println!("\nLarge random programs:\n\n| program | calls | Relay ms | with its parsing | check ms | corrected |");
    println!("|---|---|---|---|---|---|");
    let row = |name: &str, n: f64, time: f64, relay: f64, with_parsing: f64, slower: f64| {
        println!("| {name} | {n} | {relay:.1} | {with_parsing:.1} | {time:.2} | {:.0} |", relay * slower / time);
    };
    for fact in &facts {
        let time = times(text(fact, "id"), text(fact, "source")).check;
        let of = |field: &str| fact["ms"][field].as_f64().unwrap_or(0.0);
        let (relay, with_parsing) = (of("infer_cpu"), of("parse_and_infer_cpu"));
        row(text(fact, "kind"), fact["calls"].as_f64().unwrap_or(0.0), time, relay, with_parsing, report.slower());
        ours += time;
        infer += relay;
        whole += with_parsing;
    }
    let n_calls = facts.iter().filter_map(|fact| fact["calls"].as_f64()).sum();
    row("all", n_calls, ours, infer, whole, report.slower());
    println!("\nAll with Relay's parsing counted too, corrected: {:.0}", whole * report.slower() / ours);
}

/// How often faults are found and mended, and how long that takes.
fn mended() {
    let facts = corpus("relay_random");
    let begin = Instant::now();
    let scores = blame::mutants(&facts);
    let ms = begin.elapsed().as_secs_f64() * 1e3;
    println!("\nPlanted mistakes, found and mended:\n\n{}", blame::table(&scores));
    let n = scores.get(blame::ALL).map_or(0, |score| score.n);
    println!("{:.1} ms for each of {n}, with the checks of this benchmark", ms / n.max(1) as f64);
    let facts = corpus("mistakes");
    let score = blame::mistakes(&facts);
    let [first, near, listed] = score.percent();
    println!(
        "\nReal mistakes: {} of which {first} % have a fault line first, {near} % one among the first three, {listed} % a fix that is listed",
        score.n
    );
    println!("Mended programs that are rejected: {}", blame::false_alarms(&facts).len());
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    let folder = root().join("target/bench");
    // Programs of an earlier benchmark would be measured in wasm again.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("target can be written");
    // What the page is measured on: short and long texts of the kind that people write.
    for n in [200, 5_000] {
        std::fs::write(folder.join(format!("page-{n}.relay")), mixed(n - 3)).expect("target can be written");
    }
    let mut report = Report { folder, loops: Vec::new(), below: Vec::new(), bent: Vec::new() };
    println!(
        "Relay's ms are for inference alone. Ours are for parsing and checking, and without parsing in the last ratio, \
         which is the one that counts.\n\n{HEAD}"
    );
    FAMILIES.iter().filter(|family| is_wanted(family.name)).for_each(|family| report.family(family));
    if let Some(folder) = beside().filter(|_| is_wanted("models")) {
        model(&mut report, &folder.join("models"));
    }
    if is_wanted("graph-text") {
        println!("\nWith Relay's parsing counted too:\n\n{HEAD}");
        report.calibrate();
        for &(n, relay) in GRAPH_TEXT {
            report.row(("graph-text", n), 1, &dataflow("(4, 4)", n), relay, true);
        }
        for &(n, relay) in MAPS_TEXT {
            report.row(("maps-text", n), 1, &maps(n), relay, true);
        }
    }
    if is_wanted("large") {
        large(&mut report);
    }
    if is_wanted("recording") {
        recording::print();
    }
    if is_wanted("blame") {
        mended();
    }
    println!("\nTen times the program takes ten times this (nested ones: as many times as they are deeper):\n");
    println!("| program | N | growth |\n|---|---|---|\n{}", report.bent.join("\n"));
    report.loops.sort_by(f64::total_cmp);
    match report.loops.as_slice() {
        [] => println!("\nno python3 here, so ratios are not corrected for the speed of this machine"),
        loops => println!(
            "\nPython's loop took {:.0} to {:.0} ms of CPU (median {:.0}), {RELAYS_LOOP} ms where Relay was measured; \
             corrected ratios go by the last one before them",
            loops[0],
            loops[loops.len() - 1],
            loops[loops.len() / 2]
        ),
    }
    match report.below.is_empty() {
        true => println!("\nEvery row is at least {WANTED} times faster than Relay."),
        false => println!("\nBelow {WANTED} times Relay, like against like: {}", report.below.join("; ")),
    }
}
