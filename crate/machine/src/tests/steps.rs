//! Forwards and backwards.

use super::programs::{CELLS, LISTS};
use super::*;
use crate::{Arrival, BlockKind, History};

/// All that can be seen of a step.
fn picture(history: &mut History) -> String {
    let step = history.step();
    let machine = history.machine();
    let (position, place) = (machine.position(), machine.place_in_file());
    let (frames, n_more) = machine.frame_views(5);
    let heap = machine.heap_view(0, 10_000);
    let numbers = (machine.fuel_used(), machine.live_bytes(), machine.peak_bytes(), machine.depth());
    format!("{step} {position:?} {place:?} {frames:?} {n_more} {heap:?} {numbers:?} {:?}", machine.global_views())
}

fn begin(text: &str, function: &str, args: &[Value], limits: Limits) -> History {
    let program = Table::new(Strategy::Aligned).program(text);
    let id = program.functions.iter_enumerated().find(|(_, f)| f.name == function).unwrap().0;
    let mut machine = Machine::new(Arc::new(program), limits);
    machine.start(id, args, Span::new(0, 1)).unwrap();
    History::new(machine, 1 << 20)
}

#[test]
fn going_back_finds_what_was() {
    for (text, function, limits) in [(LISTS, "@main", LIMITS), (CELLS, "@knot", Limits { memory: 2000, ..LIMITS })] {
        let mut history = begin(text, function, &[int(70)], limits);
        let mut pictures = vec![picture(&mut history)];
        while history.step_into() == Arrival::There {
            pictures.push(picture(&mut history));
        }
        let n = pictures.len() as u64 - 1;
        assert_eq!(history.length(), Some(n));
        assert_eq!(history.outcome(), Some(&Status::Done));
        assert_eq!(history.machine().position(), None);
        for i in 0..300 {
            let step = (i * 7919) % (n + 1);
            assert_eq!(history.seek(step), Arrival::There);
            assert_eq!(picture(&mut history), pictures[step as usize]);
        }
        assert_eq!(history.seek(n + 5), Arrival::End);
        assert_eq!(history.back(), Arrival::There);
        assert_eq!(picture(&mut history), pictures[n as usize - 1]);
        history.seek(0);
        assert_eq!(history.back(), Arrival::End);
    }
}

#[test]
fn over_and_out() {
    let mut history = begin(LISTS, "@main", &[int(3)], LIMITS);
    assert_eq!(history.machine().depth(), 1);
    let is_map = |position: &crate::Position| position.function == FuncId(1);
    assert_eq!(history.run_to(is_map), Arrival::There);
    assert_eq!(history.machine().depth(), 2);
    let (frames, n_more) = history.machine().frame_views(9);
    assert_eq!((frames.len(), n_more), (2, 0));
    let vars: Vec<(Option<&str>, bool)> =
        frames[0].vars.iter().map(|var| (var.name.as_deref(), var.value.is_some())).collect();
    assert_eq!(vars, [(Some("%f"), true), (Some("%l"), true)]);
    assert!(frames[1].vars.is_empty(), "what has been handed over is needed no more");
    let heap = history.machine().heap_view(0, 100);
    let kinds: Vec<bool> = heap.blocks.iter().map(|block| matches!(block.kind, BlockKind::Box(_))).collect();
    assert!(kinds.iter().filter(|is_box| **is_box).count() >= 2);
    let before = history.step();
    assert_eq!(history.step_over(), Arrival::There);
    assert_eq!(history.step(), before + 1);
    assert_eq!(history.step_out(), Arrival::There);
    assert_eq!(history.machine().depth(), 1);
    assert!(history.step() > before + 10);
    assert_eq!(history.step_out(), Arrival::There);
    assert_eq!(history.step_into(), Arrival::End);
    assert_eq!(history.machine().result().map(|value| ty::print_value(&value, &Fixed).text), Some("21".to_owned()));
}

#[test]
fn long_runs_keep_few_copies() {
    let mut history = begin(LISTS, "@main", &[int(100_000)], LIMITS);
    while !history.look_ahead() {}
    assert_eq!(history.step(), 0);
    let n = history.length().unwrap();
    assert!(n > 1_000_000);
    assert_eq!(history.seek(n - 1), Arrival::There);
    let last = picture(&mut history);
    assert_eq!(history.seek(n / 2), Arrival::There);
    assert_eq!(history.seek(n - 1), Arrival::There);
    assert_eq!(picture(&mut history), last);
}

#[test]
fn a_failure_is_seen_before_it_happens() {
    let text = "
fn f0 @main(%n: {int}, %l: {list}) -> {int} {
b0:
  %zero: {int} = 0
  %x: {int} = floor_divide(%n, %zero) @4..9
  drop %l
  return %x
}
";
    let mut history = begin(text, "@main", &[int(1), list(0..3)], LIMITS);
    assert_eq!(history.seek(9), Arrival::End);
    assert_eq!(history.step(), 1);
    let error = RunError { span: Span::new(4, 9), fault: RunFault::DivisionByZero };
    assert_eq!(history.outcome(), Some(&Status::Failed(error)));
    assert_eq!(history.machine().place_in_file(), Span::new(4, 9));
    assert!(history.machine().live_bytes() > 32);
    assert_eq!(history.step_into(), Arrival::End);
    assert_eq!(history.back(), Arrival::There);
    assert_eq!(history.step(), 0);
}
