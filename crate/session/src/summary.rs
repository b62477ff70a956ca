//! A TensorScript file as a table of its layers, as Keras prints one: what each gives, how many numbers it learns, how many
//! operations it takes.

use crate::Analysis;
use base::{Span, ToList};
use hir::layers::{Layer, LayerKind, int};
use hir::net::{Applied, MadeOf, Net, Stage};
use hir::{ExprId, ExprKind, FnId, Module};
use op::ResultType;
use ty::{Dim, Extent, Term, TermId, Terms};

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub name: String,
    pub span: Span,
    /// Of `forward`: `[?, 28] -> [?, 10]`.
    pub r#type: Option<String>,
    /// The functions of its graph, in order.
    pub functions: Vec<FunctionSummary>,
    /// Numbers that training changes, and numbers that are kept beside them, of nodes inside it too.
    pub n_trained: u64,
    pub n_kept: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionSummary {
    pub name: String,
    pub layers: Vec<LayerSummary>,
}

/// A layer that is applied.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerSummary {
    /// Where: `self.fc1()`.
    pub span: Span,
    /// `fc1`, `relu`, `view`.
    pub name: String,
    /// `Linear(in=320, out=50)`; empty where the name says it all.
    pub made_of: String,
    /// The type of what it gives.
    pub output: String,
    /// How many numbers it learns, at the first place where it is applied.
    pub n_trained: u64,
    /// Operations on numbers for one example: every dim that is not known counts once.
    pub flops: Option<u64>,
}

/// The nodes in source order.
pub fn summary(analysis: &Analysis) -> Vec<Summary> {
    let module = &analysis.module;
    let sizes = sizes(module);
    let of = |net: &Net, (n_trained, n_kept): (u64, u64)| Summary {
        name: net.name.clone(),
        span: net.name_span,
        r#type: net.methods.iter().find(|method| method.name == "forward").and_then(|method| {
            let scheme = analysis.inferred.defs[method.def].as_ref()?;
            Some(analysis.inferred.print_scheme(module, scheme).text)
        }),
        functions: functions(analysis, net, &sizes),
        n_trained,
        n_kept,
    };
    module.nets.iter().zip(&sizes).map(|(net, &size)| of(net, size)).list()
}

/// By node, how many numbers it learns and how many it keeps beside them. Nodes inside nodes are counted each time, without
/// being walked each time.
fn sizes(module: &Module) -> Vec<(u64, u64)> {
    let mut sizes = vec![(0_u64, 0_u64); module.nets.len()];
    for net in crate::export::inside_out(module) {
        for weight in &module.nets[net].weights {
            let (trained, kept) = size_of(&weight.made_of, &sizes);
            sizes[net] = (sizes[net].0.saturating_add(trained), sizes[net].1.saturating_add(kept));
        }
    }
    sizes
}

fn size_of(made_of: &MadeOf, sizes: &[(u64, u64)]) -> (u64, u64) {
    match made_of {
        MadeOf::Layer(layer, args) => layer.parameters(args).iter().fold((0, 0), |(trained, kept), parameter| {
            let n = parameter.shape.iter().fold(1_u64, |n, &size| n.saturating_mul(size.unsigned_abs()));
            match parameter.is_trained {
                true => (u64::saturating_add(trained, n), kept),
                false => (trained, u64::saturating_add(kept, n)),
            }
        }),
        MadeOf::Net(inner) => sizes.get(*inner).copied().unwrap_or_default(),
        MadeOf::Unknown => (0, 0),
    }
}

fn functions(analysis: &Analysis, net: &Net, sizes: &[(u64, u64)]) -> Vec<FunctionSummary> {
    let module = &analysis.module;
    let mut is_counted = vec![false; net.weights.len()];
    let of = |method: &hir::net::Method| {
        let stages = stages_of(module, module.defs[method.def].function);
        let layers = stages.iter().map(|stage| layer(analysis, stage, sizes, &mut is_counted)).list();
        FunctionSummary { name: method.name.clone(), layers }
    };
    net.methods.iter().map(of).list()
}

/// The layers that a function applies: those of each function stand together, functions in source order.
fn stages_of(module: &Module, function: FnId) -> &[Stage] {
    let span = module.functions[function].span;
    let start = module.stages.partition_point(|stage| stage.span.start < span.start);
    let rest = &module.stages[start..];
    &rest[..rest.partition_point(|stage| stage.span.start < span.end)]
}

fn layer(analysis: &Analysis, stage: &Stage, sizes: &[(u64, u64)], is_counted: &mut [bool]) -> LayerSummary {
    let module = &analysis.module;
    let mut n_trained = 0;
    if let &Applied::Weight(net, weight) = &stage.applied
        && let Some(counted) = is_counted.get_mut(weight).filter(|counted| !**counted)
    {
        *counted = true;
        n_trained = size_of(&module.nets[net].weights[weight].made_of, sizes).0;
    }
    let (name, made_of) = stage.named(module);
    let output = analysis.inferred.exprs[stage.expr].map(|term| analysis.inferred.print(module, term).text);
    let output = output.unwrap_or_else(|| "_".to_owned());
    LayerSummary { span: stage.span, name, made_of, output, n_trained, flops: flops(analysis, stage) }
}

/// `hidden: Linear(in=2, out=3)`, `view(_, 320)`, `relu`.
pub(crate) fn stage_title(module: &Module, stage: &Stage) -> String {
    match (stage.named(module), &stage.applied) {
        ((name, made_of), Applied::Weight(..)) => format!("{name}: {made_of}"),
        ((name, made_of), _) if made_of.is_empty() => name,
        ((_, made_of), _) => made_of,
    }
}

/// The operations of the operators that a layer is made of; of functions and nodes they stand in their own tables.
fn flops(analysis: &Analysis, stage: &Stage) -> Option<u64> {
    if let &Applied::Weight(net, weight) = &stage.applied
        && let MadeOf::Layer(Layer { kind: LayerKind::Lstm, .. }, args) =
            &analysis.module.nets[net].weights[weight].made_of
    {
        let states = tensor(analysis, analysis.inferred.exprs[stage.expr]?)?;
        let n_states = states.shape.iter().fold(1_u64, |n, &size| n.saturating_mul(size as u64));
        // For each number of a state: four gates, each of two products, two biases and its bend; the cell's two products
        // and their sum; the cell's bend and a product.
        let hidden = int(args, "hidden_size").unsigned_abs();
        let of_layer = |input: u64| (8 * (input + hidden) + 12 + 3 + 2).saturating_mul(n_states);
        let rest = (int(args, "num_layers").unsigned_abs() - 1).saturating_mul(of_layer(hidden));
        return Some(of_layer(int(args, "input_size").unsigned_abs()).saturating_add(rest));
    }
    let inside = (stage.first.0..=stage.expr.0).map(ExprId);
    inside.into_iter().try_fold(0_u64, |sum, expr| match &analysis.module.exprs[expr].kind {
        ExprKind::OpCall { op, args, attrs, .. } => {
            let of = |&arg: &ExprId| analysis.inferred.exprs[arg].and_then(|term| first_tensor(analysis, term));
            let operands: Vec<Option<ResultType>> = args.iter().map(of).list();
            let operands: Vec<Option<&ResultType>> = operands.iter().map(Option::as_ref).list();
            Some(sum.saturating_add(op::flops(*op, attrs, &operands, of(&expr).as_ref())?))
        }
        ExprKind::Call { .. } => None,
        _ => Some(sum),
    })
}

fn first_tensor(analysis: &Analysis, term: TermId) -> Option<ResultType> {
    match analysis.inferred.solver.head(term) {
        Term::Tuple(fields) => tensor(analysis, *analysis.inferred.solver.items(fields).first()?),
        _ => tensor(analysis, term),
    }
}

fn tensor(analysis: &Analysis, term: TermId) -> Option<ResultType> {
    let solver = &analysis.inferred.solver;
    let Term::Tensor { shape, dtype } = solver.head(term) else { return None };
    let (Term::Shape(dims), Term::Dtype(dtype)) = (solver.head(shape), solver.head(dtype)) else { return None };
    let size = |&dim: &TermId| match solver.head(dim) {
        Term::Dim(Dim { extent: Extent::Number(number), .. }) => usize::try_from(number).unwrap_or(0),
        _ => 1,
    };
    Some(ResultType { shape: solver.items(dims).iter().map(size).list(), dtype })
}

/// The summaries as `relish summary` prints them.
pub fn summary_text(analysis: &Analysis) -> String {
    let mut out = String::new();
    for summary in summary(analysis) {
        if !out.is_empty() {
            out.push('\n');
        }
        let of = summary.r#type.as_ref().map_or(String::new(), |of| format!(": {of}"));
        out.push_str(&format!("{}{of}\n", summary.name));
        let mut rows = vec![["layer", "made of", "output", "parameters", "operations"].map(str::to_owned)];
        for function in &summary.functions {
            for layer in &function.layers {
                let name = match function.name == "forward" {
                    true => layer.name.clone(),
                    false => format!("{}: {}", function.name, layer.name),
                };
                let flops = layer.flops.map_or(String::new(), |flops| flops.to_string());
                rows.push([name, layer.made_of.clone(), layer.output.clone(), layer.n_trained.to_string(), flops]);
            }
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..5).map(width).list();
        for row in &rows {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, &width))| {
                    let pad = " ".repeat(width - cell.chars().count());
                    if column < 3 { format!("{cell}{pad}") } else { format!("{pad}{cell}") }
                })
                .list();
            out.push_str(format!("  {}", cells.join("  ")).trim_end());
            out.push('\n');
        }
        out.push_str(&format!("  {} parameters", summary.n_trained));
        if summary.n_kept > 0 {
            out.push_str(&format!(", and {} numbers that training does not change", summary.n_kept));
        }
        out.push('\n');
    }
    out
}
