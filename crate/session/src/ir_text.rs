//! The program that the machine runs, as a text or as a screen shows it, after any of its passes.

use crate::Analysis;
use crate::compile::{Fusion, compile};
use crate::page::{diagnostic_views, span_view};
use crate::view::machine::{IrFunctionView, IrLineView, IrView, PassView};
use base::{Diagnostic, ToList};
use ir::{Detail, FuncId, Function, Line, Names, Program};
use layout::Strategy;

/// What comes before the passes.
const LOWER: (&str, &str) = ("lower", "the program as it comes from the text, before any pass");

/// A program as a text, and why parts of it are missing.
pub struct IrText {
    pub text: String,
    pub diagnostics: Vec<Diagnostic>,
}

/// After what one can look: `lower`, then each pass.
pub fn pass_names() -> impl Iterator<Item = &'static str> {
    passes().map(|(name, _)| name)
}

fn passes() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once(LOWER).chain(lower::pass::PASSES.iter().map(|pass| (pass.name, pass.about)))
}

/// The names that a text's IR is printed with.
pub fn ir_names(analysis: &Analysis) -> Names<'_> {
    Names { types: &analysis.module, values: &analysis.module }
}

/// The program after a pass, the last one if none is named; without layouts and constants, which is said, where
/// something has no end.
pub fn ir_text(analysis: &Analysis, strategy: Strategy, fusion: Fusion, pass: Option<&str>) -> IrText {
    let pass = pass.or_else(|| pass_names().last()).unwrap_or(LOWER.0);
    let (mut tables, mut lines) = (Vec::new(), Vec::new());
    let mut watch = |name: &'static str, program: &Program| {
        if name == pass {
            tables = ir::tables(program, ir_names(analysis));
            lines = ir::lines(program, ir_names(analysis), Detail::Plain);
        }
    };
    let compiled = compile(analysis, &analysis.compilable(), strategy, fusion, &mut watch);
    let lines = lines.into_iter().map(|line| line.text + "\n");
    let text = match is_endless(&compiled.diagnostics) {
        true => std::iter::once("// layouts and constants are not shown\n\n".to_owned()).chain(lines).collect(),
        false => tables.into_iter().map(|line| line.text + "\n").chain(lines).collect(),
    };
    IrText { text, diagnostics: compiled.diagnostics }
}

/// Whether a type, or the instances of a function, have no end: then there are as many layouts, of ever larger types,
/// as were made before that was known.
fn is_endless(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|said| said.code == "endless-instances")
}

/// The program before and after a pass, the functions of the text first; past `max_lines` lines of either their text is
/// left out.
pub(crate) fn ir_view(
    analysis: &Analysis,
    (strategy, fusion): (Strategy, Fusion),
    pass: usize,
    max_lines: usize,
) -> IrView {
    let about: Vec<(&str, &str)> = passes().list();
    let pass = pass.min(about.len() - 1);
    let mut view = IrView {
        passes: Vec::new(),
        pass: pass as u32,
        before: Vec::new(),
        after: Vec::new(),
        layouts: Vec::new(),
        constants: Vec::new(),
        n_more: 0,
        diagnostics: Vec::new(),
    };
    let lines = |program: &Program| ir::lines(program, ir_names(analysis), Detail::Plain);
    let mut last: Option<Program> = None;
    let mut watch = |name: &'static str, program: &Program| {
        let index = view.passes.len();
        let n = program.functions.iter().map(n_instrs).total();
        // A pass changes what one can see of the program, which is printed only where the sizes do not tell.
        let is_changed = last.as_ref().is_none_or(|last| {
            view.passes.last().is_some_and(|before| before.n_instrs != n)
                || texts(&lines(last)) != texts(&lines(program))
        });
        view.passes.push(PassView {
            name: name.to_owned(),
            about: about.get(index).map_or("", |(_, about)| about).to_owned(),
            n_functions: program.functions.len() as u32,
            n_instrs: n,
            is_changed,
        });
        if index == pass {
            if let Some(last) = &last {
                view.before = function_views(analysis, last, &lines(last), max_lines, &mut 0);
            }
            view.after = function_views(analysis, program, &lines(program), max_lines, &mut view.n_more);
            for line in ir::tables(program, ir_names(analysis)) {
                let Some((name, text)) = base::cut(&line.text, " = ") else { continue };
                match name.starts_with("layout") {
                    true => view.layouts.push(text.to_owned()),
                    false => view.constants.push(text.to_owned()),
                }
            }
        }
        last = (view.passes.len() < about.len()).then(|| program.clone());
    };
    let compiled = compile(analysis, &analysis.compilable(), strategy, fusion, &mut watch);
    if is_endless(&compiled.diagnostics) {
        view.layouts.clear();
    }
    view.diagnostics = diagnostic_views(&analysis.lines, &compiled.diagnostics);
    view
}

/// Instructions and ends of blocks.
fn n_instrs(function: &Function) -> u32 {
    function.blocks.iter().map(|block| block.instrs.len() as u32 + 1).total()
}

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).list()
}

fn function_views(
    analysis: &Analysis,
    program: &Program,
    lines: &[Line],
    max_lines: usize,
    n_more: &mut u32,
) -> Vec<IrFunctionView> {
    let mut views: Vec<IrFunctionView> = Vec::new();
    let mut current: Option<Option<FuncId>> = None;
    for line in lines {
        // Between functions stand empty lines.
        if line.text.is_empty() {
            continue;
        }
        let function = line.function.map(|id| &program.functions[id]);
        if current != Some(line.function) {
            current = Some(line.function);
            views.push(IrFunctionView {
                name: function.map_or_else(String::new, |function| function.name.clone()),
                line: function
                    .filter(|function| !function.is_library)
                    .map(|function| analysis.lines.line_of(function.span.start)),
                is_library: function.is_some_and(|function| function.is_library),
                n_instrs: function.map_or(0, n_instrs),
                lines: Vec::new(),
                is_cut: false,
            });
        }
        let Some(view) = views.last_mut() else { continue };
        let span = line.span.filter(|_| !view.is_library).map(|span| span_view(&analysis.lines, span));
        view.lines.push(IrLineView { text: line.text.clone(), span });
    }
    // The text's own come first.
    base::sort_by_key(&mut views, |view| view.is_library);
    let mut left = max_lines;
    for view in &mut views {
        *n_more += view.lines.len().saturating_sub(left) as u32;
        view.is_cut = view.lines.len() > left;
        view.lines.truncate(left);
        left -= view.lines.len();
    }
    views
}
