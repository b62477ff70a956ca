//! What a program will need for tensors is found before it runs, and is what it needs.
//!
//! The machine counts the bytes of its blocks, which are elements of tensors and little else where tensors are large:
//! so a forecast is right if the machine's peak is above it by the headers, frames and boxes of so small a program, and
//! no more.

use layout::Strategy;
use session::{Analysis, Fusion, Options, Outcome, evaluate, run};
use tests::facts::errors;
use tests::page::cases;
use tests::{files, root};

/// Bytes of headers, frames and boxes of the programs below.
const OTHER: u64 = 4_000;

fn outcomes(text: &str, options: &Options) -> Vec<Outcome> {
    let analysis = Analysis::new(text);
    assert_eq!(errors(&analysis), Vec::<String>::new(), "{text}");
    let of = |layout, fusion| run(&analysis, &Options { layout, fusion, ..options.clone() });
    let all = Strategy::ALL.into_iter().flat_map(|layout| [of(layout, Fusion::On), of(layout, Fusion::Off)]);
    all.collect()
}

/// The forecast is one number, and the machine's peak is that.
fn exact(text: &str) -> u64 {
    let mut needs = None;
    for outcome in outcomes(text, &Options::default()) {
        assert!(outcome.diagnostics.is_empty(), "{text}\n{:?}", outcome.diagnostics);
        let (least, most) = (outcome.needs.least, outcome.needs.most);
        assert_eq!(most, Some(least), "{text}");
        let other = outcome.peak_bytes.checked_sub(least);
        assert!(other.is_some_and(|other| other < OTHER), "{text}\n{} bytes, not {least}", outcome.peak_bytes);
        // Fusion may leave out a tensor; without it no program needs less.
        needs = needs.max(Some(least));
    }
    needs.unwrap_or_default()
}

#[test]
fn straight_programs_need_what_is_forecast() {
    // 40,000 bytes each. The operand of `exp` ends there, so the result takes its place.
    assert_eq!(exact("def @f(%n: int32) { exp(broadcast_to([1f], shape=[100, 100])) }\n@f(1)"), 40_000);
    // Both are wanted to the end.
    assert_eq!(
        exact("def @f(%n: int32) { let %a = broadcast_to([1f], shape=[100, 100]); (exp(%a), %a) }\n@f(1)"),
        80_000
    );
    // Both operands are there while their product is made; no operand is as large as it.
    assert_eq!(
        exact(
            "def @f(%n: int32) {
               let %a = broadcast_to([1f], shape=[100, 50]);
               let %b = broadcast_to([2f], shape=[200, 50]);
               nn.dense(%a, %b)
             }
             @f(1)"
        ),
        20_000 + 40_000 + 80_000
    );
    // The sum takes the place of the second operand, whose shape is another, of as many elements.
    assert_eq!(
        exact(
            "def @f(%n: int32) {
               let %a = broadcast_to([1f], shape=[1, 1, 1]);
               let %b = broadcast_to([2f], shape=[100, 100]);
               %a + %b
             }
             @f(1)"
        ),
        40_004
    );
    // Of other widths.
    assert!(exact("def @f(%n: int32) { cast(broadcast_to([1i64], shape=[1000]), dtype=\"int8\") }\n@f(1)") >= 8_000);
}

#[test]
fn top_level_variables_stay() {
    let text = "let %a = broadcast_to([1f], shape=[5000]);
        sum(%a)
        let %b = broadcast_to([1f], shape=[10000]);
        sum(%b) + sum(%a)";
    assert_eq!(exact(text), 60_000);
}

#[test]
fn data_and_closures_are_followed() {
    let list = "type List[A] { Nil, Cons(A, List[A]) }
        def @fold(%l: List[Tensor[(1000), float32]], %s: Tensor[(1000), float32]) -> Tensor[(1000), float32] {
          match (%l) { Nil => %s, Cons(%h, %t) => @fold(%t, tanh(%s + %h)) }
        }
        def @ones(%n: int32) -> List[Tensor[(1000), float32]] {
          if (%n == 0) { Nil } else { Cons(broadcast_to([1f], shape=[1000]), @ones(%n - 1)) }
        }\n";
    // Five in the list, and the sum.
    assert_eq!(exact(&format!("{list}@fold(@ones(5), broadcast_to([0f], shape=[1000]))")), 24_000);
    let closures =
        "def @twice(%f: fn(Tensor[(1000), float32]) -> Tensor[(1000), float32], %x: Tensor[(1000), float32]) {
          %f(%f(%x))
        }
        def @g(%n: int32) {
          let %k = broadcast_to([3f], shape=[1000]);
          @twice(fn(%x: Tensor[(1000), float32]) { %x * %k }, broadcast_to([1f], shape=[1000]))
        }
        @g(0)";
    assert_eq!(exact(closures), 8_000);
    let cells = "def @f(%n: int32) {
          let %c = ref(broadcast_to([1f], shape=[1000]));
          %c := !%c + 1f;
          sum(!%c)
        }
        @f(1)";
    assert!(exact(cells) >= 4_000);
}

#[test]
fn tuples_of_tensors_are_counted() {
    let text = "def @f(%n: int32) {
          let %a = broadcast_to([1f], shape=[10, 100]);
          let %parts = split(%a, indices_or_sections=2);
          concatenate((%parts.0, %parts.1, %parts.0))
        }
        @f(1)";
    assert!(exact(text) >= 6_000);
}

/// The weights of a node are there as long as it is, beside two examples and what they come to.
#[test]
fn the_weights_of_a_node_are_counted() {
    let net = "#lang tensorscript
use lin::Linear;
node Net<[?, 100] -> [?, 50]> {}
weights Net<[?, 100] -> [?, 50]> { fc = Linear::new(in=100, out=50); }
graph Net<[?, 100] -> [?, 50]> { def forward(x) { x |> fc } }
";
    assert_eq!(exact(net), 4 * (100 * 50 + 50 + 2 * 100 + 2 * 50));
}

/// Nodes in nodes are followed a long way, and behind that what they need is not known.
#[test]
fn nodes_may_nest_deeper_than_is_looked() {
    let needs = |depth: usize| {
        let mut net = "#lang tensorscript\nuse lin::Linear;\n".to_owned();
        for at in 0..depth {
            let inner = if at == 0 { "Linear::new(in=2, out=2)".to_owned() } else { format!("N{}::new()", at - 1) };
            net += &format!(
                "node N{at}<[?, 2] -> [?, 2]> {{}}
weights N{at}<[?, 2] -> [?, 2]> {{ a = {inner}; }}
graph N{at}<[?, 2] -> [?, 2]> {{ def forward(x) {{ x |> a }} }}
"
            );
        }
        let analysis = Analysis::new(&net);
        assert_eq!(errors(&analysis), Vec::<String>::new(), "{depth}");
        analysis.needs(&Options::default()).most
    };
    assert_eq!(needs(200), needs(2));
    assert_eq!((needs(2).is_some(), needs(300)), (true, None));
}

#[test]
fn what_only_the_run_knows_is_said() {
    let text = "def @f(%n: int32, %x: Tensor[(1000), float32]) -> Tensor[(1000), float32] {
          if (%n == 0) { %x } else { @f(%n - 1, exp(%x)) + %x }
        }
        def @main(%n: int32, %x: Tensor[(1000), float32]) { @f(%n, %x) }";
    let inputs = [("n".to_owned(), serde_json::json!(3))].into();
    for outcome in outcomes(text, &Options { inputs: Some(&inputs), ..Options::default() }) {
        assert_eq!((outcome.needs.least, outcome.needs.most), (4_000, None));
        assert!(outcome.peak_bytes >= 16_000);
        let (span, _) = outcome.needs.open.expect("a place");
        assert!(text[..span.start as usize].contains("@f(%n: int32"), "{span:?}");
        assert!(outcome.needs.sentence().contains("at least 4 kB for tensors at its peak"));
    }
    let both = "def @main(%n: int32) {
          if (%n == 0) { sum(broadcast_to([1f], shape=[1000])) } else { sum(broadcast_to([1f], shape=[3000])) }
        }";
    for outcome in outcomes(both, &Options::default()) {
        assert_eq!((outcome.needs.least, outcome.needs.most), (4_000, Some(12_000)));
    }
    let sizes = "def @main(%x: Tensor[(100), float32]) { argwhere(%x) }";
    for outcome in outcomes(sizes, &Options::default()) {
        assert_eq!((outcome.needs.least, outcome.needs.most), (400, None));
    }
}

#[test]
fn what_cannot_fit_is_refused_before_it_runs() {
    // The refusal comes before the endless loop that the argument is.
    let text = "def @loop(%n: int32) -> int32 { @loop(%n + 1) }
        def @f(%n: int32) { zeros(shape=[1000000]) }
        (@f(1), @loop(0))";
    let analysis = Analysis::new(text);
    let options = Options { memory: 1 << 20, fuel: 1_000, ..Options::default() };
    for outcome in [run(&analysis, &options), evaluate(&analysis, &options)] {
        let said: Vec<&str> = outcome.diagnostics.iter().map(|said| &*said.message).collect();
        assert_eq!(said, ["this tensor of 4 MB needs more memory than the limit of 1.05 MB"]);
        assert_eq!((outcome.diagnostics[0].code, outcome.fuel, outcome.peak_bytes), ("out-of-memory", 0, 0));
        let span = outcome.diagnostics[0].span;
        assert_eq!(&text[span.start as usize..span.end as usize], "zeros(shape=[1000000])");
    }
}

#[test]
fn no_run_needs_less_than_was_forecast() {
    let mut n_exact = 0;
    for file in files(&root().join("tests/pages"), "md") {
        let page = std::fs::read_to_string(&file).expect("a page");
        for case in cases(&page) {
            let analysis = Analysis::in_surface(&case.program, case.surface);
            if !errors(&analysis).is_empty() {
                continue;
            }
            let options = Options { fuel: 100_000, memory: 1 << 28, ..Options::default() };
            let outcome = run(&analysis, &options);
            if !outcome.diagnostics.is_empty() {
                continue;
            }
            let (needs, peak) = (&outcome.needs, outcome.peak_bytes);
            assert!(needs.least <= peak, "{}: {}: {} > {peak}", file.display(), case.heading, needs.least);
            n_exact += usize::from(needs.most == Some(needs.least) && needs.least > 0);
        }
    }
    assert!(n_exact > 50, "only {n_exact} forecasts are exact");
}
