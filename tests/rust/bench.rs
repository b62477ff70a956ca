//! Native check times of generated programs: `npm run bench` prints them beside the page's.
//!
//! The programs are written to `target/bench/*.relay`, so that the wasm build is measured on the same texts.

use std::fmt::Write;
use std::time::{Duration, Instant};

/// A chain of `let`s over tensors: operators, attributes, a data type and calls, as a model has them.
fn chain(n: usize) -> String {
    let mut text = String::from("def @main(%x0: Tensor[(8, 16), float32], %w: Tensor[(16, 16), float32]) {\n");
    for i in 1..=n {
        let before = i - 1;
        let _ = match i % 4 {
            0 => writeln!(text, "  let %x{i} = nn.dense(%x{before}, %w, units=16);"),
            1 => writeln!(text, "  let %x{i} = nn.relu(%x{before});"),
            2 => writeln!(text, "  let %x{i} = %x{before} + %x0;"),
            _ => writeln!(text, "  let %x{i} = reshape(%x{before}, newshape=[8, 16]);"),
        };
    }
    let _ = writeln!(text, "  %x{n}\n}}");
    text
}

/// Independent functions, each polymorphic and unannotated.
fn functions(n: usize) -> String {
    (0..n)
        .map(|i| format!("def @f{i}(%x, %y, %b) {{ if (%b) {{ %x * %y + 1f }} else {{ nn.relu(%x) * %y }} }}\n"))
        .collect()
}

/// Graph variables, as Relay's own printer writes networks.
fn graph(n: usize) -> String {
    let mut text = String::from(
        "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(4, 4), float32], %y: Tensor[(1, 4), float32]) {\n  %0 = add(%x, %y);\n",
    );
    for i in 1..n {
        let _ = writeln!(text, "  %{i} = add(%{}, %y);", i - 1);
    }
    let _ = writeln!(text, "  %{}\n}}", n - 1);
    text
}

/// The fastest of several runs: the least disturbed one.
fn fastest(mut run: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    let begin = Instant::now();
    let mut n_runs = 0;
    while n_runs < 3 || (begin.elapsed() < Duration::from_millis(600) && n_runs < 200) {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
        n_runs += 1;
    }
    best
}

type Family = (&'static str, fn(usize) -> String);

fn main() {
    let folder = tests::root().join("target/bench");
    std::fs::create_dir_all(&folder).expect("target can be written");
    // What the page is measured on: short and long texts of the kind that people write.
    for n in [200, 5_000] {
        std::fs::write(folder.join(format!("page-{n}.relay")), chain(n - 3)).expect("target can be written");
    }
    println!("| program | bindings | kB | parse ms | check ms | µs per binding |");
    println!("|---|---|---|---|---|---|");
    let families: [Family; 3] = [("chain", chain), ("functions", functions), ("graph", graph)];
    for (name, family) in families {
        for n in [100, 1_000, 10_000] {
            let text = family(n);
            std::fs::write(folder.join(format!("{name}-{n}.relay")), &text).expect("target can be written");
            let errors = session::Analysis::new(&text).diagnostics().len();
            assert_eq!(errors, 0, "{name} {n} must be well-typed");
            let parse = fastest(|| {
                session::parse(&text);
            });
            let check = fastest(|| drop(session::Analysis::new(&text)));
            println!(
                "| {name} | {n} | {} | {:.3} | {:.3} | {:.3} |",
                text.len() / 1_000,
                parse.as_secs_f64() * 1e3,
                check.as_secs_f64() * 1e3,
                check.as_secs_f64() * 1e6 / n as f64
            );
        }
    }
}
