//! Programs that hand on polymorphic functions: in order after lowering and each pass, under every strategy, and of the
//! values that the evaluator finds.

use ir::Stage;
use layout::Strategy;
use session::{Analysis, Fusion, Options, Outcome, compile, evaluate, run};

const PROGRAMS: &[(&str, &str)] = &[
    ("through several functions", "
def @both[X, Y](%f: fn[A](A) -> A, %x: X, %y: Y) { (%f(%x), %f(%y)) }
def @more[Z](%f: fn[B](B) -> B, %z: Z) { (@both(%f, %z, 1), @both(%f, (%z, %z), [1f, 2f])) }
@more(@id, True)
@more(fn(%x) { %x }, 2i8)
@both(@id, @both(@id, 1, 2), 3f)
"),
    ("in data, chosen by a match", "
type Pick { First(fn[A](A, A) -> A), Second(fn[A](A, A) -> A), Neither }
def @first[A](%x: A, %y: A) { %x }
def @pick(%p: Pick) { match (%p) { First(%f) => (%f(1, 2), %f(1f, 2f)), Second(%f) => (%f(3, 4), %f(5f, 6f)), Neither => (0, 0f) } }
@pick(First(@first))
@pick(Second(fn(%x, %y) { %y }))
@pick(Neither)
First(@first)
"),
    ("in a data type with a parameter", "
type Keep[T] { Keep(T, fn[A](A, T) -> (A, T)) }
def @swap[A, B](%x: A, %y: B) -> (A, B) { (%x, %y) }
def @use[T](%k: Keep[T]) { match (%k) { Keep(%t, %f) => (%f(1, %t), %f(True, %t)) } }
@use(Keep(2f, @swap))
@use(Keep((1, 2), fn(%a, %t) { (%a, %t) }))
"),
    ("in a tuple that is handed on", "
type Wrap { Wrap((fn[A](A) -> A, int32)) }
def @open(%p: (fn[A](A) -> A, int32)) { (%p.0(%p.1), %p.0(True)) }
def @again(%p: (fn[A](A) -> A, int32)) { (@open(%p), @id(%p).0(2f)) }
def @of(%b: bool) -> (fn[A](A) -> A, int32) { @of(%b) }
def @whole(%p: (fn[A](A) -> A, int32)) { match (%p) { (%f, %n) => (%f(%n), %f((%n, 1f))) } }
def @late(%p: (fn[A](A) -> A, int32)) { match (@id(%p)) { (%f, %n) => %f(%n) } }
1
"),
    ("over dims", "
def @grow(%step: fn[N: Dim](Tensor[(N), float32]) -> Tensor[(N * 2), float32], %x: Tensor[(3), float32]) { (%step([1f]), %step(%x)) }
def @again[N: Dim](%x: Tensor[(N), float32]) -> Tensor[(N * 2), float32] { concatenate((%x, %x)) }
@grow(@again, [1f, 2f, 3f])
@grow(fn(%x) { concatenate((%x, %x)) }, [1f, 2f, 3f])
"),
    ("over dtypes and shapes", "
def @cast(%f: fn[S: Shape, t: BaseType](Tensor[S, t]) -> Tensor[S, t]) { (%f([1, 2]), %f([[1f], [2f]]), %f(1i8)) }
def @twice[S: Shape, t: BaseType](%x: Tensor[S, t]) -> Tensor[S, t] { %x }
@cast(@twice)
@cast(fn(%x) { %x })
"),
    ("captured by closures", "
def @delay(%f: fn[A](A) -> A, %n: int32) { let %g = fn(%b: bool) { if (%b) { (%f(%n), %f(True)) } else { (%f(0), %f(False)) } }; (%g(True), %g(False)) }
@delay(@id, 7)
def @later(%f: fn[A](A) -> A) { fn(%x: int32) { %f(%x) } }
@later(@id)(3)
"),
    ("annotated variables", "
let %top: fn[A](A) -> A = @id;
let %other: fn[A](A) -> A = fn[B](%x: B) -> B { %x };
def @local(%n: int32) { let %f: fn[A](A) -> A = fn(%x) { %x }; let %g: fn[C](C) -> C = %f; (%g(%n), %f(%g(2f))) }
(%top(1), %top(True), %other(2), %other(3f))
@local(4)
def @both(%f: fn[A](A) -> A) { (%f(1), %f(False)) }
@both(%top)
@both(%other)
"),
    ("a result of a branch and of a match", "
def @choose(%n: int32) -> fn[A](A, A) -> A { match (%n) { 0 => fn(%x, %y) { %x }, 1 => { let %k = 1; fn(%x, %y) { %y } }, _ => if (%n == 2) { @choose(0) } else { @choose(1) } } }
def @use(%n: int32) { let %f: fn[A](A, A) -> A = @choose(%n); (%f(1, 2), %f(True, False)) }
(@use(0), @use(1), @use(2), @use(3))
@choose(2)(1f, 2f)
"),
    ("nested polymorphic types", "
def @run(%k: fn[B](fn[A](A) -> A, B) -> B) { (%k(@id, 1), %k(fn(%x) { %x }, True)) }
@run(fn[B](%f: fn[A](A) -> A, %b: B) -> B { %f(%b) })
def @apply[B](%f: fn[A](A) -> A, %b: B) -> B { %f(%f(%b)) }
@run(@apply)
"),
    ("constructors and lists", "
type Two[A] { Two(A, A) }
def @pairs(%f: fn[A](A, A) -> Two[A]) { (%f(1, 2), %f(1f, 2f)) }
@pairs(Two)
def @lists(%f: fn[A](List[A]) -> List[A]) { (%f(Cons(1, Cons(2, Nil))), %f(Cons(True, Nil))) }
@lists(@rev)
@lists(@id)
@lists(fn(%l) { match (%l) { Nil => Nil, Cons(%x, %r) => %r } })
"),
    ("a list of polymorphic functions", "
type Fns { End, Fn(fn[A](A, A) -> A, Fns) }
def @all(%fns: Fns) { match (%fns) { End => Nil, Fn(%f, %rest) => Cons((%f(1, 2), %f(True, False)), @all(%rest)) } }
@all(Fn(fn(%x, %y) { %x }, Fn(fn(%x, %y) { %y }, End)))
def @count(%fns: Fns) { match (%fns) { End => 0, Fn(%f, %rest) => %f(1, 2) + @count(%rest) } }
@count(Fn(fn(%x, %y) { %x }, Fn(fn(%x, %y) { %y }, End)))
"),
    ("variants", "
def @tag(%f: fn[A](A) -> [`Some(A), `None]) { (%f(1), %f(True)) }
@tag(fn(%x) { `Some(%x) })
@tag(fn(%x) { `None })
"),
];

fn seen(analysis: &Analysis, outcome: &Outcome) -> Vec<String> {
    let values = outcome.values.iter().map(|value| analysis.show(value).unwrap_or_else(|| "no value".to_owned()));
    values.chain(outcome.diagnostics.iter().map(|said| format!("{}: {}", said.code, said.message))).collect()
}

fn check(name: &str, text: &str) {
    let analysis = Analysis::new(text);
    let said: Vec<String> =
        analysis.diagnostics().iter().map(|said| format!("{}: {}", said.code, said.message)).collect();
    assert!(said.is_empty(), "{name}: {said:#?}");
    let want = seen(&analysis, &evaluate(&analysis, &Options::default()));
    for layout in Strategy::ALL {
        let compiled = compile(&analysis, &analysis.compilable(), layout, Fusion::On, &mut |pass, program| {
            let stage = if pass == "counts" { Stage::Counted } else { Stage::Before };
            let violations: Vec<String> = ir::verify(program, stage).iter().map(ToString::to_string).collect();
            assert!(violations.is_empty(), "{name}, {}, after {pass}: {violations:#?}", layout.name());
        });
        let said: Vec<&str> = compiled.diagnostics.iter().map(|said| &*said.message).collect();
        assert!(said.is_empty(), "{name}: {said:#?}");
        let outcome = run(&analysis, &Options { layout, ..Options::default() });
        assert_eq!(seen(&analysis, &outcome), want, "{name}, {}", layout.name());
        assert_eq!(outcome.live_bytes, 0, "{name}, {}", layout.name());
    }
    println!("{name}: {want:?}");
}

#[test]
fn polymorphic_functions_run_as_values() {
    for (name, text) in PROGRAMS {
        check(name, text);
    }
}
