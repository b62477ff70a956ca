//! A run that is looked at step by step: backwards is as forwards, and no layout changes a value.

use session::view::machine::{IrView, StepStatusView, StepView};
use session::{Fusion, Move, Page};

const DOUBLE: &str = "def @double(%l: List[int32]) -> List[int32] {
  match (%l) {
    Nil => Nil,
    Cons(%h, %t) => Cons(%h * 2, @double(%t)),
  }
}
@double(Cons(1, Cons(2, Cons(3, Nil))))
";

const LAYOUTS: [&str; 3] = ["packed", "aligned", "uniform"];

fn page(text: &str) -> Page {
    let mut page = Page::default();
    page.update(text);
    page
}

/// What a step shows of a run, but for how far that is known.
fn state(view: &StepView) -> StepView {
    StepView { known: 0.0, is_whole: false, ..view.clone() }
}

#[test]
fn backwards_is_as_forwards() {
    for layout in LAYOUTS {
        let mut page = page(DOUBLE);
        let mut views = vec![page.step_start(0, layout, Fusion::On).unwrap()];
        while views.last().unwrap().status == StepStatusView::Running {
            views.push(page.step_by(Move::Into).unwrap());
        }
        let last = views.last().unwrap();
        assert_eq!(last.value.as_deref(), Some("Cons(2, Cons(4, Cons(6, Nil)))"));
        assert!(last.is_whole && last.known == last.step && views.len() as f64 == last.step + 1.0);
        for view in views.iter().rev().skip(1) {
            assert_eq!(state(&page.step_by(Move::Back).unwrap()), state(view), "{layout}");
        }
        for view in views.iter().step_by(7) {
            assert_eq!(state(&page.step_to(view.step).unwrap()), state(view), "{layout}");
        }
    }
}

#[test]
fn calls_are_stepped_over_and_out_of() {
    let mut page = page(DOUBLE);
    let mut view = page.step_start(0, "aligned", Fusion::On).unwrap();
    while !view.lines[view.current.unwrap() as usize].text.contains("call @double(%t)") {
        view = page.step_by(Move::Into).unwrap();
    }
    let inside = page.step_by(Move::Into).unwrap();
    assert_eq!(inside.frames.len(), view.frames.len() + 1);
    assert_eq!(page.step_by(Move::Out).unwrap().frames.len(), view.frames.len());
    page.step_to(view.step);
    let over = page.step_by(Move::Over).unwrap();
    assert_eq!(over.frames.len(), view.frames.len());
    assert!(over.step > inside.step);
}

#[test]
fn another_layout_stands_at_the_same_place() {
    let mut page = page(DOUBLE);
    let view = page.step_start(0, "aligned", Fusion::On).unwrap();
    for step in 1..40 {
        let Some(view) = page.step_to(f64::from(step)) else { continue };
        let Some(span) = view.span.clone() else { continue };
        for layout in LAYOUTS {
            page.step_start(0, layout, Fusion::On);
            let found = page.step_like(view.fuel, span.start, span.end).unwrap();
            assert!(found.fuel >= view.fuel, "{layout} at {step}");
            if layout == "aligned" {
                assert_eq!((found.fuel, found.span), (view.fuel, Some(span.clone())), "at {step}");
            }
        }
        page.step_start(0, "aligned", Fusion::On);
    }
    assert_eq!(view.step, 0.0);
}

#[test]
fn a_failure_is_shown_where_it_happens() {
    let mut page = page("let %zero = 0;\ndef @f(%x: int32) { 10 / %x }\n@f(%zero)\n");
    page.step_start(0, "aligned", Fusion::On).unwrap();
    let view = page.step_by(Move::Last).unwrap();
    assert_eq!(view.status, StepStatusView::Failed);
    assert_eq!(view.diagnostic.unwrap().code, "division-by-zero");
    assert!(view.lines[view.current.unwrap() as usize].text.contains("divide"));
    assert_eq!(page.step_by(Move::Back).unwrap().status, StepStatusView::Running);
}

#[test]
fn an_endless_run_answers() {
    let mut page = page("def @f(%x: int32) -> int32 { @f(%x + 1) }\n@f(0)\n");
    page.step_start(0, "aligned", Fusion::On).unwrap();
    for to in [Move::Over, Move::Out, Move::Last, Move::Measure] {
        let view = page.step_by(to).unwrap();
        assert!(!view.is_whole && view.status == StepStatusView::Running);
    }
    assert!(page.step_to(1e12).unwrap().is_unfinished);
}

#[test]
fn parts_cover_blocks() {
    let text = "type T { A(bool, int8), B(float32, bool), C }
let %cell = ref((A(True, 3i8), B(0.5, False), C, ones(shape=[2, 3])));
def @with(%n: int32) { fn(%x: int32) -> int32 { %x + %n } }
let %f = @with(5);
(%cell, %f(1), Cons(A(False, 1i8), Nil))
";
    for layout in LAYOUTS {
        let mut page = page(text);
        let mut view = page.step_start(0, layout, Fusion::On).unwrap();
        while view.status == StepStatusView::Running {
            for block in view.blocks.iter().filter(|block| !block.parts.is_empty()) {
                let mut end = 0;
                for part in &block.parts {
                    assert_eq!(part.offset, end, "{layout}: {block:?}");
                    end += part.bits;
                }
                assert!(end <= block.bytes.len() as u32 * 8);
            }
            view = page.step_by(Move::Into).unwrap();
        }
        assert!(view.value.is_some(), "{layout}: {:?}", view.diagnostic);
    }
}

#[test]
fn the_program_is_shown_before_and_after_each_pass() {
    let page = page(DOUBLE);
    let view: IrView = page.ir("aligned", Fusion::On, usize::MAX, 1000).unwrap();
    assert_eq!(view.pass as usize + 1, view.passes.len());
    assert!(view.after.iter().any(|function| function.name == "@double" && !function.is_library));
    let first = page.ir("aligned", Fusion::On, 0, 1000).unwrap();
    assert!(first.before.is_empty() && first.passes[0].name == "lower");
    let cut = page.ir("aligned", Fusion::On, 0, 3).unwrap();
    assert!(cut.n_more > 0 && cut.after.iter().any(|function| function.is_cut && function.lines.len() < 3));
    assert!(page.ir("other", Fusion::On, 0, 3).is_none());
}
