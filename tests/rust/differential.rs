use session::{Analysis, Options, run};
use std::collections::BTreeMap;
use tests::programs::Program;
#[test]
fn dev() {
    let n: u64 = std::env::var("N").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let from: u64 = std::env::var("FROM").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let show: usize = std::env::var("SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let (mut bad, mut shown) = (0, 0);
    let mut codes = BTreeMap::<String, usize>::new();
    let mut run_codes = BTreeMap::<String, usize>::new();
    let mut features = BTreeMap::<&str, usize>::new();
    let (mut lines, mut values, mut fuel_max, mut len_max) = (0, 0, 0, 0);
    for seed in from..from + n {
        if std::env::var("TRACE").is_ok() { eprintln!("{seed}"); }
        let program = Program::new(seed);
        let text = program.text();
        if std::env::var("PRINT").is_ok() { println!("-- {seed}\n{text}"); }
        lines += text.lines().count();
        for f in &program.features { *features.entry(f).or_default() += 1; }
        let t = std::time::Instant::now();
        let analysis = Analysis::new(&text);
        let errors = tests::facts::errors(&analysis);
        let t1 = t.elapsed();
        if let Some(first) = errors.first() {
            bad += 1;
            *codes.entry(first.split(':').next().unwrap().to_owned()).or_default() += 1;
            let only = std::env::var("CODE").ok();
            if shown < show && only.is_none_or(|only| first.starts_with(&only)) {
                shown += 1;
                let code = first.split(':').next().unwrap().to_owned();
                let small = program.clone().reduced(|text| tests::facts::errors(&Analysis::new(text)).first().is_some_and(|e| e == first));
                println!("== seed {seed}: {first} ({code})\n{}", small.text());
            }
            continue;
        }
        let outcome = run(&analysis, &Options { fuel: 100_000, memory: 1 << 26, ..Options::default() });
        let t2 = t.elapsed();
        if t2.as_millis() > 500 { println!("slow: {seed} check {t1:?} all {t2:?} {} lines", text.lines().count()); }
        fuel_max = fuel_max.max(outcome.fuel);
        for d in &outcome.diagnostics { *run_codes.entry(d.code.to_string()).or_default() += 1; }
        for v in &outcome.values { values += 1; if let Some(s) = analysis.show(v) { len_max = len_max.max(s.len()); } }
    }
    println!("{n} programs, {bad} refused {codes:?}\nlines {} values {} fuel max {fuel_max} len {len_max} {run_codes:?}", lines as u64 / n, values as u64 / n);
    for (f, k) in features { println!("{f}: {:.1}%", 100.0 * k as f64 / n as f64); }
}
