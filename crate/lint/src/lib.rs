//! What type-checks and is still likely to be a mistake: the shapes fit by accident, or a dtype cannot hold the result.
//!
//! In: a text and what inference found out about it. Out: warnings. Each names the shapes it is about, says what will
//! be computed, and offers an edit where one is at hand.
//!
//! A warning must be worth its place, so each rule asks for a trace of the accident and passes over what was plainly
//! meant: an axis that `expand_dims` put there, a literal whose numbers are in view, a comparison of every element
//! with every other. Worked example: `%pred - %y` of `(64, 1)` and `(64,)` is `(64, 64)`: two axes of one size, each
//! of which only one operand has. `(3, 1)` and `(1, 4)` are passed over, since nobody takes the one for the other.
//!
//! Beside them stands a variable that is spelt like a constructor or a variant, and what a TensorScript program says and
//! does not use ([`unused`]).
//!
//! Deliberately absent: anything about the values of operands; style; what has a type error, which is told instead.

mod axis;
mod broadcast;
mod loss;
mod narrow;
mod reshape;
mod unused;
mod variable;

use base::{Diagnostic, Edit, HashMap, HashSet, Span, ToList};
use hir::{ExprId, ExprKind, Item, LocalId, Module};
use infer::Inferred;
use std::cell::OnceCell;
use ty::{Atom, Attrs, Dim, Extent, ParamId, Poly, PolyId, Term, TermId, Terms};

/// At most this many names are followed to see what a variable stands for.
const MAX_HOPS: usize = 64;

/// Sizes that nobody writes, and no product of which is one of others.
const STAND_INS: [i64; 8] = [1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049];

/// The warnings of a text, in the order of its expressions.
pub fn check(text: &str, module: &Module, inferred: &Inferred) -> Vec<Diagnostic> {
    let cx = Context { text, module, inferred, values: values(module), squared: OnceCell::new() };
    let exprs = module.exprs.iter_enumerated().skip(module.start.exprs);
    exprs
        .filter_map(|(expr, data)| match &data.kind {
            ExprKind::OpCall { op, args, attrs, .. } => {
                let call = Call { expr, name: op.row().name, told: module.operator_name(*op), args, attrs };
                let of_shapes = broadcast::check(&cx, &call).or_else(|| axis::check(&cx, &call));
                let of_shapes = of_shapes.or_else(|| reshape::check(&cx, &call));
                of_shapes.or_else(|| narrow::check(&cx, &call)).or_else(|| loss::check(&cx, &call))
            }
            ExprKind::Match { scrutinee, arms, .. } => variable::check(&cx, *scrutinee, arms),
            _ => None,
        })
        .list()
}

/// What a program without errors has and does not use.
pub fn unused(text: &str, module: &Module) -> Vec<Diagnostic> {
    unused::check(text, module)
}

/// One call of an operator.
struct Call<'a> {
    expr: ExprId,
    name: &'static str,
    /// The name in a sentence.
    told: &'static str,
    args: &'a [ExprId],
    attrs: &'a Attrs,
}

/// What is known of a dim, for comparing two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Number(i64),
    Param(ParamId),
    Poly(PolyId),
}

impl Size {
    const ONE: Size = Size::Number(1);
}

struct Context<'a> {
    text: &'a str,
    module: &'a Module,
    inferred: &'a Inferred,
    /// Of variables that `let` binds.
    values: HashMap<LocalId, ExprId>,
    /// What is multiplied by itself or made positive, once somebody has asked.
    squared: OnceCell<HashSet<ExprId>>,
}

fn values(module: &Module) -> HashMap<LocalId, ExprId> {
    let items = module.items.iter().filter_map(|item| match *item {
        Item::Let(local, function) => Some((local, module.functions[function].body)),
        Item::Def(_) | Item::Expr(_) | Item::Adt(_) => None,
    });
    let blocks = module.exprs.iter().skip(module.start.exprs).filter_map(|expr| match &expr.kind {
        ExprKind::Block { lets, .. } => Some(lets.iter().filter_map(|&(local, value)| Some((local?, value)))),
        _ => None,
    });
    items.chain(blocks.flatten()).collect()
}

impl Context<'_> {
    fn span(&self, expr: ExprId) -> Span {
        self.module.exprs[expr].span
    }

    /// Where the name of an operator stands, if the text of a call begins with it.
    fn name_span(&self, call: &Call) -> Span {
        let start = self.span(call.expr).start;
        Span::new(start, start + call.name.len() as u32)
    }

    /// The expression whose value this one is, behind names and blocks.
    fn source(&self, mut expr: ExprId) -> ExprId {
        for _ in 0..MAX_HOPS {
            expr = match self.module.exprs[expr].kind {
                ExprKind::Local(local, _) => match self.values.get(&local) {
                    Some(&value) => value,
                    None => break,
                },
                ExprKind::Block { tail, .. } => tail,
                _ => break,
            };
        }
        expr
    }

    /// The operator that gives an expression its value, with its operands.
    fn operator(&self, expr: ExprId) -> Option<Call<'_>> {
        let expr = self.source(expr);
        match &self.module.exprs[expr].kind {
            ExprKind::OpCall { op, args, attrs, .. } => {
                Some(Call { expr, name: op.row().name, told: self.module.operator_name(*op), args, attrs })
            }
            _ => None,
        }
    }

    /// Whether the numbers of a value stand in the text, or are all the same.
    fn is_in_view(&self, expr: ExprId) -> bool {
        let source = self.source(expr);
        match &self.module.exprs[source].kind {
            ExprKind::TensorLit(_) | ExprKind::Literal(..) => true,
            ExprKind::OpCall { op, .. } => matches!(op.row().name, "zeros" | "ones" | "full" | "arange"),
            _ => false,
        }
    }

    /// Whether two expressions have the same value, for that they are the same variable or stand for the same
    /// expression.
    fn same(&self, left: ExprId, right: ExprId) -> bool {
        let (left, right) = (self.source(left), self.source(right));
        left == right
            || match (&self.module.exprs[left].kind, &self.module.exprs[right].kind) {
                (ExprKind::Local(left, _), ExprKind::Local(right, _)) => left == right,
                _ => false,
            }
    }

    fn dims(&self, expr: ExprId) -> Option<&[TermId]> {
        let solver = &self.inferred.solver;
        let Term::Tensor { shape, .. } = solver.head(self.inferred.exprs[expr]?) else { return None };
        let Term::Shape(dims) = solver.head(shape) else { return None };
        Some(solver.items(dims))
    }

    /// The shape of a tensor, if each dim is known and none is `?`.
    fn shape(&self, expr: ExprId) -> Option<Vec<Size>> {
        let dims = self.dims(expr)?.iter().map(|&dim| match self.inferred.solver.head(dim) {
            Term::Dim(Dim { extent: Extent::Number(n), dynamic: false }) => Some(Size::Number(n)),
            Term::Dim(Dim { extent: Extent::Param(param), dynamic: false }) => Some(Size::Param(param)),
            Term::Dim(Dim { extent: Extent::Poly(poly), dynamic: false }) => Some(Size::Poly(poly)),
            _ => None,
        });
        dims.some_list()
    }

    /// The shape of a tensor, with a number of its own in the place of each parameter.
    fn numbers(&self, expr: ExprId) -> Option<Vec<i64>> {
        let of_param = |param: ParamId| STAND_INS[param.number() as usize % STAND_INS.len()];
        let number = |size| match size {
            Size::Number(n) => Some(n),
            Size::Param(param) => Some(of_param(param)),
            Size::Poly(poly) => {
                let of_atom = |atom: &Atom| match *atom {
                    Atom::Param(param) => Some(Poly::constant(of_param(param))),
                    _ => None,
                };
                self.inferred.solver.poly(poly).substitute::<Atom>(of_atom)?.as_constant()
            }
        };
        self.shape(expr)?.into_iter().map(number).some_list()
    }

    /// Whether two sizes that are no numbers are different whatever numbers, but 0, their parameters stand for.
    fn differ(&self, left: Size, right: Size) -> bool {
        let poly = |size| match size {
            Size::Number(_) => None,
            Size::Param(param) => Some(Poly::atom(Atom::Param(param))),
            Size::Poly(poly) => Some(self.inferred.solver.poly(poly).clone()),
        };
        let difference = poly(left).zip(poly(right)).and_then(|(left, right)| left.minus(&right));
        difference.is_some_and(|difference| {
            let (more, less) = difference.by_sign();
            // What is divided may be 0 where no parameter is.
            let is_of_params = difference.atoms().all(|atom| matches!(atom, Atom::Param(_)));
            is_of_params && more.is_zero() != less.is_zero()
        })
    }

    /// The line that imports a layer, before the first node: what stands there are imports.
    fn import(&self, module: &str, name: &str) -> Option<Edit> {
        let start = base::find(self.text, "\nnode ").map_or(0, |at| at as u32 + 1);
        // Not as the end of another name.
        let is_word = |at: usize| at == 0 || !self.text.as_bytes()[at - 1].is_ascii_alphanumeric();
        let is_there = base::all_places(self.text, name).into_iter().any(is_word);
        (!is_there).then(|| Edit { span: Span::new(start, start), text: format!("use {module}::{name};\n") })
    }

    fn is_of_numbers(&self, expr: ExprId) -> bool {
        self.shape(expr).is_some_and(|shape| shape.iter().all(|size| matches!(size, Size::Number(_))))
    }

    /// `(64, 1)`, as types print it.
    fn shape_text(&self, expr: ExprId) -> String {
        let solver = &self.inferred.solver;
        let shape = self.inferred.exprs[expr].map(|term| solver.head(term));
        let Some(Term::Tensor { shape, .. }) = shape else { return "?".to_owned() };
        self.inferred.print(self.module, shape).text
    }

    /// The size of an axis.
    fn size_text(&self, expr: ExprId, axis: usize) -> Option<String> {
        Some(self.inferred.print(self.module, *self.dims(expr)?.get(axis)?).text)
    }

    /// How a value is called in a sentence: a variable by its name, anything else by what it is.
    fn called(&self, expr: ExprId, otherwise: &str) -> String {
        match self.module.exprs[expr].kind {
            ExprKind::Local(local, _) => format!("`{}`", self.module.local_name(local)),
            _ => otherwise.to_owned(),
        }
    }

    /// Where the value of an attribute is written in a call, behind the operands.
    fn attr_value(&self, call: &Call, name: &str) -> Option<Span> {
        let end = self.span(call.expr).end as usize;
        let from = call.args.last().map_or(self.span(call.expr).start, |&arg| self.span(arg).end) as usize;
        let text = self.text.get(from..end)?;
        let at = base::all_places(text, name).into_iter().find(|&at| {
            let before = text[..at].chars().next_back();
            !before.is_some_and(base::is_in_name) && text[at + name.len()..].trim_ascii_start().starts_with('=')
        })?;
        let value = at + base::find(&text[at..], "=")? + 1;
        let start = value + text[value..].len() - text[value..].trim_ascii_start().len();
        let mut depth = 0usize;
        let length = text[start..].find(|c| match c {
            '[' | '(' => {
                depth += 1;
                false
            }
            ']' | ')' if depth > 0 => {
                depth -= 1;
                false
            }
            ',' => depth == 0,
            ')' | ']' => true,
            _ => false,
        })?;
        let value = text[start..start + length].trim_ascii_end();
        Some(Span::new((from + start) as u32, (from + start + value.len()) as u32))
    }
}

/// An axis from the front, as an attribute counts it.
fn axis_of(axis: i64, rank: usize) -> Option<usize> {
    let axis = if axis < 0 { axis + rank as i64 } else { axis };
    usize::try_from(axis).ok().filter(|&axis| axis < rank)
}
