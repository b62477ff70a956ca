//! The words for a part of the program, and for a place of its type: `axis 1 of %x`.

use super::{Recorded, call_of};
use crate::Analysis;
use base::{Span, ToList};
use hir::{DefId, ExprId, ExprKind};
use infer::Why;
use op::OpId;
use solve::derive::{Graph, Place};
use solve::{Cause, RelationId};
use ty::{List, Term, TermId, Terms};

/// An expression of more characters is called by what it begins with.
const MAX_TEXT: usize = 28;

pub(crate) struct Naming<'a> {
    pub analysis: &'a Analysis,
    pub recorded: &'a Recorded,
    pub graph: &'a Graph<'a>,
}

/// Who posted a relation: an operator's call, or the mention of a function whose type asks for it.
pub(crate) struct Poster {
    /// The operator, whose rule it is.
    pub op: Option<OpId>,
    /// The operator's call, or the call of the function.
    pub call: ExprId,
    pub args: Vec<ExprId>,
    /// The function, and where in it the rule stands.
    pub through: Option<(DefId, Option<Span>)>,
}

impl<'a> Naming<'a> {
    pub fn new(analysis: &'a Analysis, recorded: &'a Recorded, graph: &'a Graph<'a>) -> Naming<'a> {
        Naming { analysis, recorded, graph }
    }

    pub fn why(&self, cause: Cause) -> Why {
        self.recorded.inferred.whys[cause.0 as usize]
    }

    /// Where a cause stands in the file; nothing of what stands in the library. A layer's operators stand where it is
    /// applied, and the types of a weight, which are written nowhere, where it is made.
    pub fn span(&self, cause: Cause) -> Option<Span> {
        let Analysis { module, text, .. } = self.analysis;
        let is_own = cause.0 as usize >= self.recorded.inferred.n_library_whys;
        let why = self.why(cause);
        let span = match why {
            Why::Expr(expr) => module.stage_of(expr).map_or(why.span(module), |stage| stage.span),
            _ => why.span(module),
        };
        let mut weights = module.nets.iter().flat_map(|net| &net.weights);
        let weight = weights.find(|weight| span.is_empty() && weight.span.end == span.start);
        let whole = weight.map_or(span, |weight| {
            let made = &text.as_bytes()[weight.span.range().start..];
            let n = made.iter().position(|byte| base::has(";}\n", *byte)).unwrap_or(made.len());
            Span::new(weight.span.start, weight.span.start + n as u32)
        });
        is_own.then_some(whole)
    }

    /// What computes an expression that is an operator's call: the layer that it is a part of, or the operator.
    pub fn operator(&self, call: ExprId, op: OpId) -> String {
        let module = &self.analysis.module;
        module.stage_of(call).map_or_else(|| op.row().name.to_owned(), |stage| stage.named(module).0)
    }

    /// What stands at a span of the file, on one line.
    pub fn text(&self, span: Span) -> String {
        base::one_line(&self.analysis.text[span.range()])
    }

    pub fn line(&self, span: Span) -> u32 {
        self.analysis.lines().line_of(span.start)
    }

    /// An expression by its text if that is short, else by what it is.
    pub fn expr(&self, id: ExprId) -> String {
        let module = &self.analysis.module;
        let expr = &module.exprs[id];
        let is_own = id.number() as usize >= module.start.exprs;
        if is_own && expr.span.len() as usize <= MAX_TEXT {
            return format!("`{}`", self.text(expr.span));
        }
        match &expr.kind {
            ExprKind::OpCall { op, .. } => match op.row().infix {
                Some(infix) => format!("the `{infix}` on line {}", self.line(expr.span)),
                None => format!("`{}(…)`", op.row().name),
            },
            ExprKind::Call { callee, .. } => match &module.exprs[*callee].kind {
                ExprKind::Def(def) => format!("`{}(…)`", module.defs[*def].name),
                ExprKind::Ctor(ctor) => format!("`{}(…)`", module.ctors[*ctor].name),
                ExprKind::Local(local, _) => format!("`{}(…)`", module.local_name(*local)),
                _ => "this call".to_owned(),
            },
            ExprKind::Block { tail, .. } if *tail != id => match &module.exprs[*tail].kind {
                ExprKind::Local(local, _) => format!("`{}`", module.local_name(*local)),
                _ => "the block's value".to_owned(),
            },
            ExprKind::If { .. } => "the `if`".to_owned(),
            ExprKind::Match { .. } => "the match".to_owned(),
            ExprKind::Fn(_) => "the function".to_owned(),
            ExprKind::Tuple(_) => "the tuple".to_owned(),
            ExprKind::TensorLit(_) => "the tensor literal".to_owned(),
            _ => "this expression".to_owned(),
        }
    }

    /// `axis 1 of`, for a part of the type of a cell; nothing for the whole.
    pub fn part(&self, place: &Place) -> String {
        let solver = &self.recorded.inferred.solver;
        let mut words = String::new();
        let mut id = place.cell;
        let mut path = place.path.iter().copied().peekable();
        while let Some(n) = path.next() {
            let head = solver.head(id);
            let Some(inside) = solve::derive::part(solver, head, n) else { break };
            id = inside;
            let word = match head {
                Term::Tensor { .. } if n == 0 && path.peek().is_some() => continue,
                Term::Tensor { .. } if n == 0 => "the shape of ".to_owned(),
                Term::Tensor { .. } => "the dtype of ".to_owned(),
                Term::Shape(_) | Term::Splice(_) => format!("axis {n} of "),
                Term::Tuple(_) => format!("field {n} of "),
                Term::Func { params: List { len, .. }, .. } if n == len => "the result of ".to_owned(),
                Term::Func { .. } => format!("parameter {} of ", n + 1),
                Term::Adt { .. } => format!("type argument {} of ", n + 1),
                Term::Ref(_) => "the content of ".to_owned(),
                Term::Row { .. } => format!("field {} of a variant of ", n + 1),
                Term::Sum(_) | Term::Forall { .. } => continue,
                Term::Hole(_)
                | Term::Error(_)
                | Term::Param(..)
                | Term::EmptyRow
                | Term::Slice { .. }
                | Term::Dim(_)
                | Term::Dtype(_) => break,
            };
            words.insert_str(0, &word);
        }
        words
    }

    /// What is known at a place.
    pub fn fact(&self, place: &Place) -> String {
        let solver = &self.recorded.inferred.solver;
        let part = |id: TermId, n: &u32| solve::derive::part(solver, solver.head(id), *n);
        match place.path.iter().try_fold(place.cell, part) {
            Some(id) => self.print(id),
            None => "_".to_owned(),
        }
    }

    pub fn print(&self, id: TermId) -> String {
        self.recorded.inferred.print(&self.analysis.module, id).text
    }

    /// Who posted a relation, or the one in whose run it was posted.
    pub fn poster(&self, relation: RelationId) -> Option<Poster> {
        let Why::Expr(id) = self.why(self.recorded.inferred.solver.relation(relation).cause) else { return None };
        let module = &self.analysis.module;
        match &module.exprs[id].kind {
            ExprKind::OpCall { op, args, .. } => {
                Some(Poster { op: Some(*op), call: id, args: args.clone(), through: None })
            }
            ExprKind::Project { base, .. } => Some(Poster { op: None, call: id, args: vec![*base], through: None }),
            ExprKind::Op(op) => {
                let (call, args) =
                    call_of(self.analysis, id).map_or((id, Vec::new()), |(id, args)| (id, args.to_vec()));
                Some(Poster { op: Some(*op), call, args, through: None })
            }
            ExprKind::Def(def) => {
                let inside = self.recorded.inferred.asked_by(module, relation);
                let op = inside.as_ref().and_then(|asked| match &module.exprs[asked.expr].kind {
                    ExprKind::OpCall { op, .. } | ExprKind::Op(op) => Some(*op),
                    _ => None,
                });
                let is_own = |expr: &ExprId| expr.number() as usize >= module.start.exprs;
                let span = inside.map(|asked| asked.expr).filter(is_own).map(|expr| module.exprs[expr].span);
                let (call, args) =
                    call_of(self.analysis, id).map_or((id, Vec::new()), |(id, args)| (id, args.to_vec()));
                Some(Poster { op, call, args, through: Some((*def, span)) })
            }
            _ => None,
        }
    }

    /// A place as a part of the type of an operand of a relation, or of its result: the operand (the result behind the
    /// others), and the part.
    pub fn operand(&self, relation: RelationId, place: &Place) -> Option<(usize, Place)> {
        self.operand_from(relation, place, 0)
    }

    /// The same; what several operands share is of the one at `first`, or of one behind it.
    fn operand_from(&self, relation: RelationId, place: &Place, first: usize) -> Option<(usize, Place)> {
        let poster = self.poster(relation)?;
        let posted = self.recorded.inferred.solver.relation(relation);
        let exprs = poster.args.iter().copied().chain([poster.call]);
        let types: Vec<Option<TermId>> = exprs.map(|expr| self.recorded.inferred.exprs[expr]).list();
        let n = types.len();
        // The operator's own relation has its operands' types as arguments.
        if poster.through.is_none()
            && posted.args.len() == n
            && let Some(at) = posted.args.iter().position(|&arg| arg == place.cell)
            && posted.args.iter().zip(&types).all(|(arg, ty)| Some(*arg) == *ty)
        {
            return Some((at, place.clone()));
        }
        let located = |cell: TermId, rest: &[u32], is_exact: bool| {
            let operands = (first..poster.args.len()).chain(0..first.min(n - 1));
            operands.chain([n - 1]).find_map(|at| {
                let mut found = self.graph.locate(types[at]?, cell)?;
                if is_exact && self.graph.at(&found) != Some(cell) {
                    return None;
                }
                found.path.extend_from_slice(rest);
                Some((at, found))
            })
        };
        // What two operands share is first of all that in whose type it stands itself.
        let inside = || located(self.graph.at(place)?, &[], false);
        located(place.cell, &place.path, true).or_else(|| located(place.cell, &place.path, false)).or_else(inside)
    }

    /// `axis 1 of %x`, for a premise or conclusion of a relation.
    pub fn of(&self, relation: RelationId, place: &Place) -> String {
        self.of_operand_from(relation, place, 0)
    }

    /// The same; what several operands share is of the one at `first`, or of one behind it.
    pub fn of_operand_from(&self, relation: RelationId, place: &Place, first: usize) -> String {
        let found = self.operand_from(relation, place, first).zip(self.poster(relation));
        let Some(((at, place), poster)) = found else { return String::new() };
        let mut expr = poster.args.get(at).copied().unwrap_or(poster.call);
        let mut place = place;
        // A field of a tuple that is written there is called by itself.
        while let (ExprKind::Tuple(fields), Some((&n, rest))) =
            (&self.analysis.module.exprs[expr].kind, place.path.split_first())
            && let Some(&field) = fields.get(n as usize)
            && let Some(cell) = self.recorded.inferred.exprs[field]
        {
            (expr, place) = (field, Place::new(cell, rest));
        }
        format!("{}{}", self.part(&place), self.expr(expr))
    }
}
