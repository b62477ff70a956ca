//! A TensorScript file as a table of its layers, as Keras prints one: what each gives, how many numbers it learns, how
//! many operations it takes.

use crate::Analysis;
use base::{Join, MapArray, Span, ToList};
use hir::layers::{Layer, LayerKind, int};
use hir::net::{Applied, MadeOf, Net, Stage};
use hir::{ExprId, ExprKind, FnId, Module};
use op::ResultType;
use ty::{Atom, Dim, Dtype, Extent, ParamId, Poly, Term, TermId, Terms};

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
    /// Operations on numbers for one example, if these are known; otherwise their formula, if there is one.
    pub flops: Option<u64>,
    pub formula: Option<String>,
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

/// By node, how many numbers it learns and how many it keeps beside them. Nodes inside nodes are counted each time,
/// without being walked each time.
fn sizes(module: &Module) -> Vec<(u64, u64)> {
    let mut sizes = base::filled((0_u64, 0_u64), module.nets.len());
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
    let mut is_counted = base::filled(false, net.weights.len());
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
    let cost = cost(analysis, stage);
    let flops = cost.as_ref().and_then(|cost| u64::try_from(cost.as_constant()?).ok());
    let formula = cost.filter(|_| flops.is_none()).map(|cost| formula(analysis, &cost));
    LayerSummary { span: stage.span, name, made_of, output, n_trained, flops, formula }
}

/// `hidden: Linear(in=2, out=3)`, `view(_, 320)`, `relu`.
pub(crate) fn stage_title(module: &Module, stage: &Stage) -> String {
    match (stage.named(module), &stage.applied) {
        ((name, made_of), Applied::Weight(..)) => format!("{name}: {made_of}"),
        ((name, made_of), _) if made_of.is_empty() => name,
        ((_, made_of), _) => made_of,
    }
}

/// The sizes of a tensor, in which the number of examples is one.
struct Sizes {
    dims: Vec<Poly<Atom>>,
    dtype: Dtype,
}

impl Sizes {
    /// As a type whose dims of unknown size are 1 but one of them, which is 2.
    fn probe(&self, doubled: Option<usize>) -> ResultType {
        let size = |(axis, dim): (usize, &Poly<Atom>)| match dim.as_constant() {
            Some(size) => usize::try_from(size).unwrap_or(0),
            None => 1 + usize::from(doubled == Some(axis)),
        };
        ResultType { shape: self.dims.iter().enumerate().map(size).list(), dtype: self.dtype }
    }
}

/// The operations of the operators that a layer is made of; of functions and nodes they stand in their own tables.
///
/// The cost of a call is a product of sizes and a number. Which of the unknown sizes are factors is found by doubling
/// each.
fn cost(analysis: &Analysis, stage: &Stage) -> Option<Poly<Atom>> {
    let examples = examples(analysis, stage);
    if let &Applied::Weight(net, weight) = &stage.applied
        && let MadeOf::Layer(Layer { kind: kind @ (LayerKind::Lstm | LayerKind::Gru), .. }, args) =
            &analysis.module.nets[net].weights[weight].made_of
    {
        let states = tensor(analysis, analysis.inferred.exprs[stage.expr]?, examples)?;
        // For each number of a state: four gates, each of two products, two biases and its bend; the cell's two
        // products and their sum; the cell's bend and a product. Of a GRU: three gates; a product within one; the
        // state's difference, product and sum.
        let hidden = int(args, "hidden_size");
        let of_layer = |input: i64| match kind {
            LayerKind::Lstm => 8 * (input + hidden) + 12 + 3 + 2,
            _ => 6 * (input + hidden) + 9 + 1 + 3,
        };
        let rest = (int(args, "num_layers") - 1).checked_mul(of_layer(hidden))?;
        let each = Poly::constant(of_layer(int(args, "input_size")).checked_add(rest)?);
        return states.dims.iter().try_fold(each, |product, dim| product.times(dim));
    }
    let mut sum = Poly::default();
    for expr in (stage.first.number()..=stage.expr.number()).map(ExprId::numbered) {
        let (op, args, attrs) = match &analysis.module.exprs[expr].kind {
            ExprKind::OpCall { op, args, attrs, .. } => (*op, args, attrs),
            ExprKind::Call { .. } => return None,
            _ => continue,
        };
        // The operands, the result behind them.
        let of = |&id: &ExprId| analysis.inferred.exprs[id].and_then(|term| first_tensor(analysis, term, examples));
        let tensors: Vec<Option<Sizes>> = args.iter().chain([&expr]).map(of).list();
        let flops = |doubled: Option<(usize, usize)>| {
            let probe = |(i, sizes): (usize, &Option<Sizes>)| {
                let axis = doubled.filter(|doubled| doubled.0 == i).map(|doubled| doubled.1);
                sizes.as_ref().map(|sizes| sizes.probe(axis))
            };
            let types: Vec<Option<ResultType>> = tensors.iter().enumerate().map(probe).list();
            let types: Vec<Option<&ResultType>> = types.iter().map(Option::as_ref).list();
            let (result, operands) = types.split_last()?;
            op::flops(op, attrs, operands, *result)
        };
        let once = flops(None)?;
        let mut product = Poly::constant(i64::try_from(once).ok()?);
        for (i, sizes) in tensors.iter().enumerate() {
            let dims = sizes.as_ref().map_or(&[][..], |sizes| &sizes.dims);
            for (axis, dim) in dims.iter().enumerate().filter(|(_, dim)| dim.as_constant().is_none()) {
                if flops(Some((i, axis)))? > once {
                    product = product.times(dim)?;
                }
            }
        }
        sum = sum.plus(&product)?;
    }
    Some(sum)
}

/// The dim that is the number of examples: the first of what the function takes.
fn examples(analysis: &Analysis, stage: &Stage) -> Option<ParamId> {
    let module = &analysis.module;
    let mut methods = module.nets.iter().flat_map(|net| &net.methods).map(|method| module.defs[method.def].function);
    let function = methods.find(|&function| module.functions[function].span.contains(stage.span.start))?;
    let input = analysis.inferred.locals[*module.functions[function].params.get(1)?]?;
    let solver = &analysis.inferred.solver;
    let Term::Tensor { shape, .. } = solver.head(input) else { return None };
    let Term::Shape(dims) = solver.head(shape) else { return None };
    match solver.head(*solver.items(dims).first()?) {
        Term::Dim(Dim { extent: Extent::Param(param), .. }) => Some(param),
        _ => None,
    }
}

fn first_tensor(analysis: &Analysis, term: TermId, examples: Option<ParamId>) -> Option<Sizes> {
    match analysis.inferred.solver.head(term) {
        Term::Tuple(fields) => tensor(analysis, *analysis.inferred.solver.items(fields).first()?, examples),
        _ => tensor(analysis, term, examples),
    }
}

fn tensor(analysis: &Analysis, term: TermId, examples: Option<ParamId>) -> Option<Sizes> {
    let solver = &analysis.inferred.solver;
    let Term::Tensor { shape, dtype } = solver.head(term) else { return None };
    let (Term::Shape(dims), Term::Dtype(dtype)) = (solver.head(shape), solver.head(dtype)) else { return None };
    let known = |atom: &Atom| match (atom, examples) {
        (Atom::Param(param), Some(examples)) if *param == examples => Some(Poly::constant(1)),
        _ => Some(Poly::atom(*atom)),
    };
    let size = |&dim: &TermId| match solver.head(dim) {
        Term::Dim(Dim { extent: Extent::Number(number), .. }) => Some(Poly::constant(number)),
        Term::Dim(Dim { extent: Extent::Param(param), .. }) => known(&Atom::Param(param)),
        Term::Dim(Dim { extent: Extent::Poly(poly), .. }) => solver.poly(poly).substitute(known),
        _ => None,
    };
    Some(Sizes { dims: solver.items(dims).iter().map(size).some_list()?, dtype })
}

/// `440 * H * W - 8 * H`, what has most factors first.
fn formula(analysis: &Analysis, cost: &Poly<Atom>) -> String {
    let names = analysis.inferred.names(&analysis.module);
    let mut out = String::new();
    let mut terms: Vec<_> = cost.terms().iter().list();
    base::sort_by_key(&mut terms, |(atoms, _)| !atoms.len());
    for (atoms, number) in terms {
        out.push_str(match (out.is_empty(), *number < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        out.push_str(&number.unsigned_abs().to_string());
        for atom in atoms {
            out.push_str(&format!(" * {}", ty::print_atom(&analysis.inferred.solver, &names, *atom).text));
        }
    }
    out
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
        let mut rows = vec![["layer", "made of", "output", "parameters", "operations"].each(str::to_owned)];
        for function in &summary.functions {
            for layer in &function.layers {
                let name = match function.name == "forward" {
                    true => layer.name.clone(),
                    false => format!("{}: {}", function.name, layer.name),
                };
                let flops = layer.flops.map(|flops| flops.to_string());
                let flops = flops.or_else(|| layer.formula.clone()).unwrap_or_default();
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
            out.push_str(format!("  {}", cells.joined("  ")).trim_ascii_end());
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
