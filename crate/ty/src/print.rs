//! Types as text: `fn[A](Tensor[(3, ?), float32], List[A]) -> A where …`, in refine `[A, B [C] [D]]`, in TensorScript
//! `[?, 28] -> [?, 10]`.
//!
//! Printing keeps its own stack, since a type may be nested deeper than the host's, and stops at [`MAX_NODES`].

use base::{Append, Surface, ToList};

use crate::{
    AdtId, Atom, Dim, Dtype, Extent, Function, Kind, List, Obligation, ParamId, PolyId, Scheme, Term, TermId, Terms,
    Variant, VariantId,
};

/// A printed type stops here with `…`; shared types can be exponentially large as text. A tensor type is one node,
/// whatever its rank, and one more for each sum in a quotient, a `max` or a `min` of its sizes.
const MAX_NODES: usize = 2_000;

/// And here in a sentence, which somebody reads.
const MAX_NODES_SAID: usize = 200;

/// The names that a program gave.
pub trait Names {
    fn adt(&self, adt: AdtId) -> &str;
    fn param(&self, param: ParamId) -> &str;
    fn param_kind(&self, param: ParamId) -> Kind;
    fn variant(&self, variant: VariantId) -> &str;
    /// What types are printed in.
    fn surface(&self) -> Surface;
    /// How a dim is printed that is not known yet.
    fn unknown_dim(&self) -> char {
        '_'
    }
}

/// A text, and whether it was cut short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    pub text: String,
    pub truncated: bool,
}

enum Piece {
    Text(&'static str),
    Number(i64),
    Param(ParamId),
    Variant(VariantId),
    Term(TermId),
    Poly(PolyId),
}

struct Printer<'a> {
    terms: &'a dyn Terms,
    names: &'a dyn Names,
    out: String,
    stack: Vec<Piece>,
    n_nodes: usize,
    max_nodes: usize,
    /// Of a beginning, terms of every kind count; otherwise types do, and what functions of dims are applied to.
    beginning: Option<Beginning>,
}

/// How much is printed of a term, and what its unknowns are called: by their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// At most so many terms of any kind, so that a term that contains itself ends too.
    pub max_nodes: usize,
    /// The term that is called `t0`; those before it are numbered behind all others.
    pub first: TermId,
    pub n_terms: usize,
}

impl Beginning {
    /// The number that a term is called by.
    pub fn number(&self, id: TermId) -> u32 {
        id.number().checked_sub(self.first.number()).unwrap_or(self.n_terms as u32 - self.first.number() + id.number())
    }
}

/// Prints one term of any kind.
pub fn print_term(terms: &dyn Terms, names: &dyn Names, id: TermId) -> Printed {
    let mut printer = Printer::new(terms, names);
    printer.term(id);
    printer.finish()
}

/// Prints the beginning of a term for a sentence, and the whole of nearly all.
pub fn print_said(terms: &dyn Terms, names: &dyn Names, id: TermId) -> String {
    let mut printer = Printer { max_nodes: MAX_NODES_SAID, ..Printer::new(terms, names) };
    printer.term(id);
    printer.finish().text
}

/// Prints a factor of a polynomial: `N`, `floordiv(N + 1, 2)`.
pub fn print_atom(terms: &dyn Terms, names: &dyn Names, atom: Atom) -> Printed {
    let mut printer = Printer::new(terms, names);
    let mut pieces = Vec::new();
    printer.atom(atom, false, &mut pieces);
    printer.stack.append_all(pieces.into_iter().rev());
    printer.drain();
    printer.finish()
}

/// Prints the beginning of a term.
pub fn print_beginning(terms: &dyn Terms, names: &dyn Names, id: TermId, beginning: Beginning) -> Printed {
    let mut printer = Printer::of_beginning(terms, names, beginning);
    printer.term(id);
    printer.finish()
}

/// As [`print_obligation`], of each argument its beginning.
pub fn print_obligation_beginning(
    terms: &dyn Terms,
    names: &dyn Names,
    obligation: &Obligation,
    beginning: Beginning,
) -> Printed {
    let mut printer = Printer::of_beginning(terms, names, beginning);
    printer.obligation(obligation);
    printer.finish()
}

/// Prints a polymorphic type with its parameters and `where` clause.
pub fn print_scheme(terms: &dyn Terms, names: &dyn Names, scheme: &Scheme) -> Printed {
    let mut printer = Printer::new(terms, names);
    let is_func = matches!(terms.head(scheme.body), Term::Func { .. }) && !printer.is_tensorscript();
    if is_func {
        printer.out.push_str("fn");
    }
    if !scheme.params.is_empty() && is_func {
        printer.params(&scheme.params);
    }
    match terms.head(scheme.body) {
        Term::Func { params, result } if is_func => {
            // Else the clause would be the inner function's.
            let is_func = matches!(terms.head(result), Term::Func { .. }) && !scheme.obligations.is_empty();
            printer.stack.append_all(is_func.then_some(Piece::Text(")")));
            printer.stack.push(Piece::Term(result));
            printer.list("(", params, if is_func { ") -> (" } else { ") -> " });
        }
        _ => printer.stack.push(Piece::Term(scheme.body)),
    }
    printer.drain();
    for (i, obligation) in scheme.obligations.iter().enumerate() {
        printer.out.push_str(if i == 0 { " where " } else { ", " });
        printer.obligation(obligation);
    }
    printer.finish()
}

/// Prints `Broadcast(A, B, C)`, or an equation.
pub fn print_obligation(terms: &dyn Terms, names: &dyn Names, obligation: &Obligation) -> Printed {
    let mut printer = Printer::new(terms, names);
    printer.obligation(obligation);
    printer.finish()
}

impl<'a> Printer<'a> {
    fn new(terms: &'a dyn Terms, names: &'a dyn Names) -> Self {
        Printer {
            terms,
            names,
            out: String::new(),
            stack: Vec::new(),
            n_nodes: 0,
            max_nodes: MAX_NODES,
            beginning: None,
        }
    }

    fn of_beginning(terms: &'a dyn Terms, names: &'a dyn Names, beginning: Beginning) -> Self {
        Printer { max_nodes: beginning.max_nodes, beginning: Some(beginning), ..Printer::new(terms, names) }
    }

    fn finish(self) -> Printed {
        Printed { truncated: self.n_nodes > self.max_nodes, text: self.out }
    }

    fn term(&mut self, id: TermId) {
        self.stack.push(Piece::Term(id));
        self.drain();
    }

    fn obligation(&mut self, Obligation { relation, args, attrs }: &Obligation) {
        if let (Some(function), [args @ .., result]) = (Function::of(attrs), args.as_slice()) {
            // `N = M * 2`, but `N * M = 12`.
            if matches!(self.terms.head(*result), Term::Dim(Dim { extent: Extent::Number(_), .. })) {
                self.function(function, args);
                self.out.push_str(" = ");
                return self.argument(*result);
            }
            self.argument(*result);
            self.out.push_str(" = ");
            return self.function(function, args);
        }
        if let ("Equal", [left, right]) = (relation.name(), args.as_slice()) {
            self.argument(*left);
            self.out.push_str(" = ");
            return self.argument(*right);
        }
        self.out.push_str(relation.name());
        self.out.push('(');
        for (i, &arg) in args.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.argument(arg);
        }
        for ((name, value), _) in attrs.entries.iter().zip(&attrs.written).filter(|(_, written)| **written) {
            self.out.push_str(&format!(", {name}={value}"));
        }
        self.out.push(')');
    }

    /// A term where a dim might stand as well: a shape of one dim is `(N,)`.
    fn argument(&mut self, id: TermId) {
        match self.terms.head(id) {
            Term::Shape(dims) if dims.len == 1 => {
                self.list("(", dims, ",)");
                self.drain();
            }
            _ => self.term(id),
        }
    }

    /// A function of terms that are not known, as an expression.
    fn function(&mut self, function: &Function, args: &[TermId]) {
        let call = |name: &str| format!("{name}(");
        let open = match function {
            Function::Polynomial(poly) => {
                let (positive, negative): (Vec<_>, Vec<_>) = sum_order(poly.terms()).partition(|(_, c)| *c >= 0);
                for (i, (atoms, coefficient)) in positive.iter().chain(&negative).enumerate() {
                    match (i, *coefficient < 0) {
                        (0, false) => {}
                        (0, true) => self.out.push_str("0 - "),
                        (_, false) => self.out.push_str(" + "),
                        (_, true) => self.out.push_str(" - "),
                    }
                    for (j, &atom) in atoms.iter().enumerate() {
                        self.out.push_str(if j == 0 { "" } else { " * " });
                        let factor = args[atom as usize];
                        let is_sum = match self.terms.head(factor) {
                            Term::Dim(Dim { extent: Extent::Poly(poly), dynamic: false }) => {
                                let terms = self.terms.poly(poly).terms();
                                terms.len() > 1 || terms.iter().any(|&(_, factor)| factor < 0)
                            }
                            _ => false,
                        };
                        self.out.push_str(if is_sum { "(" } else { "" });
                        self.term(factor);
                        self.out.push_str(if is_sum { ")" } else { "" });
                    }
                    let size = coefficient.unsigned_abs();
                    if atoms.is_empty() || size != 1 {
                        self.out.push_str(if atoms.is_empty() { "" } else { " * " });
                        self.out.push_str(&size.to_string());
                    }
                }
                if poly.is_zero() {
                    self.out.push('0');
                }
                return;
            }
            Function::Index(at) => {
                self.term(args[0]);
                return self.out.push_str(&format!("[{at}]"));
            }
            Function::Slice(from, to) => {
                let bound = |at: &Option<i64>| at.map_or(String::new(), |at| at.to_string());
                self.term(args[0]);
                return self.out.push_str(&format!("[{}:{}]", bound(from), bound(to)));
            }
            Function::Max => call("max"),
            Function::Min => call("min"),
            Function::FloorDiv => call("floordiv"),
            Function::Rank => call("rank"),
            Function::Prod => call("prod"),
            Function::Concat => "(".to_owned(),
        };
        self.out.push_str(&open);
        for (i, &arg) in args.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            if *function == Function::Concat && self.terms.head(arg).kind() == Kind::Shape {
                self.out.push_str("..");
            }
            self.term(arg);
        }
        self.out.push(')');
    }

    fn param(&self, param: ParamId) -> &'a str {
        param.bound_name().unwrap_or_else(|| self.names.param(param))
    }

    fn params(&mut self, params: &[ParamId]) {
        for (i, &param) in params.iter().enumerate() {
            self.out.push_str(if i == 0 { "[" } else { ", " });
            self.out.push_str(self.param(param));
            let kind = if param < ParamId::BOUND { self.names.param_kind(param) } else { Kind::Type };
            match kind {
                Kind::Type => {}
                kind @ (Kind::BaseType | Kind::Shape | Kind::Dim | Kind::Row) => {
                    self.out.push_str(": ");
                    self.out.push_str(kind.name());
                }
            }
        }
        self.out.push(']');
    }

    fn drain(&mut self) {
        while let Some(piece) = self.stack.pop() {
            self.n_nodes += usize::from(match piece {
                Piece::Term(id) => self.beginning.is_some() || self.terms.head(id).kind() == Kind::Type,
                Piece::Poly(_) => true,
                Piece::Text(_) | Piece::Number(_) | Piece::Param(_) | Piece::Variant(_) => false,
            });
            if self.n_nodes > self.max_nodes {
                self.out.push('…');
                self.stack.clear();
                return;
            }
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Number(number) => self.out.push_str(&number.to_string()),
                Piece::Param(param) => self.out.push_str(self.param(param)),
                Piece::Variant(variant) => self.out.push_str(self.names.variant(variant)),
                Piece::Poly(poly) => self.poly(poly),
                Piece::Term(id) => self.node(id),
            }
        }
    }

    /// Pushes `open a, b, c close`, to be printed next.
    fn list(&mut self, open: &'static str, list: List, close: &'static str) {
        self.out.push_str(open);
        self.stack.push(Piece::Text(close));
        for (i, &item) in self.terms.items(list).iter().enumerate().rev() {
            self.stack.push(Piece::Term(item));
            if i > 0 {
                self.stack.push(Piece::Text(", "));
            }
        }
    }

    fn is_tensorscript(&self) -> bool {
        self.names.surface() == Surface::TensorScript
    }

    /// `[?, 2] -> [?, 3]`: dims need no declaration, and a function of a node takes the node without a word.
    fn arrow(&mut self, params: List, result: TermId) {
        let params = self.terms.items(params);
        let is_node = |&param: &TermId| matches!(self.terms.head(param), Term::Adt { .. });
        let shown = if params.len() > 1 && params.first().is_some_and(is_node) { &params[1..] } else { params };
        self.stack.append_all([Piece::Term(result), Piece::Text(if shown.len() == 1 { " -> " } else { ") -> " })]);
        for (i, &param) in shown.iter().enumerate().rev() {
            self.stack.push(Piece::Term(param));
            self.stack.push(Piece::Text(match i {
                0 if shown.len() == 1 => "",
                0 => "(",
                _ => ", ",
            }));
        }
        self.stack.append_all(shown.is_empty().then_some(Piece::Text("(")));
    }

    fn signature(&mut self, params: List, result: TermId) {
        self.stack.push(Piece::Term(result));
        self.list("(", params, ") -> ");
    }

    fn node(&mut self, id: TermId) {
        if let Some(beginning) = self.beginning.filter(|_| self.terms.head(id).is_hole()) {
            return self.out.push_str(&format!("t{}", beginning.number(self.terms.root(id))));
        }
        match self.terms.head(id) {
            Term::Hole(_) if self.names.surface() == Surface::Refine => self.out.push_str("'_"),
            Term::Hole(_) | Term::Error(_) => self.out.push('_'),
            Term::Param(param, _) => self.out.push_str(self.param(param)),
            Term::Tensor { shape, dtype } => {
                let scalar = matches!(self.terms.head(shape), Term::Shape(dims) if dims.len == 0);
                if self.is_tensorscript() && self.terms.head(dtype) == Term::Dtype(Dtype::Float32) && !scalar {
                    return self.stack.push(Piece::Term(shape));
                }
                if scalar && matches!(self.terms.head(dtype), Term::Dtype(_)) {
                    return self.stack.push(Piece::Term(dtype));
                }
                self.out.push_str("Tensor[");
                self.stack.append_all([Piece::Text("]"), Piece::Term(dtype), Piece::Text(", "), Piece::Term(shape)]);
            }
            Term::Tuple(fields) => self.list("(", fields, if fields.len == 1 { ",)" } else { ")" }),
            Term::Func { params, result } if self.is_tensorscript() => self.arrow(params, result),
            Term::Func { params, result } => {
                self.out.push_str("fn");
                self.signature(params, result);
            }
            Term::Forall { body, .. } if self.is_tensorscript() => self.stack.push(Piece::Term(body)),
            Term::Forall { first, n, body } => {
                self.out.push_str("fn");
                let params: Vec<ParamId> = (first.number()..first.number() + n).map(ParamId::numbered).list();
                self.params(&params);
                if let Term::Func { params, result } = self.terms.head(body) {
                    self.signature(params, result);
                }
            }
            Term::Ref(inner) => {
                self.out.push_str("ref(");
                self.stack.append_all([Piece::Text(")"), Piece::Term(inner)]);
            }
            Term::Adt { adt, args } => {
                self.out.push_str(self.names.adt(adt));
                if args.len > 0 {
                    self.list("[", args, "]");
                }
            }
            Term::Sum(row) => self.sum(row),
            // A row stands alone in the words of an error only.
            Term::Row { .. } | Term::EmptyRow => self.sum(id),
            Term::Shape(dims) if self.is_tensorscript() => self.list("[", dims, "]"),
            Term::Shape(dims) => self.list("(", dims, ")"),
            Term::Slice { shape, front, back } => self.slice(shape, front, back),
            Term::Splice(items) => {
                let (open, close) = if self.is_tensorscript() { ('[', "]") } else { ('(', ")") };
                self.out.push(open);
                self.stack.push(Piece::Text(close));
                for (i, &item) in self.terms.items(items).iter().enumerate().rev() {
                    self.stack.push(Piece::Term(item));
                    if self.terms.head(item).kind() == Kind::Shape {
                        self.stack.push(Piece::Text(".."));
                    }
                    if i > 0 {
                        self.stack.push(Piece::Text(", "));
                    }
                }
            }
            Term::Dim(Dim { dynamic: true, .. }) => self.out.push('?'),
            Term::Dim(Dim { extent: Extent::Unknown, .. }) => self.out.push(self.names.unknown_dim()),
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => self.out.push_str(&number.to_string()),
            Term::Dim(Dim { extent: Extent::Param(param), .. }) => self.out.push_str(self.param(param)),
            Term::Dim(Dim { extent: Extent::Poly(poly), .. }) => self.poly(poly),
            Term::Dtype(dtype) => self.out.push_str(match (self.is_tensorscript(), dtype) {
                (true, Dtype::Float32) => "float",
                (true, Dtype::Int32) => "int",
                _ => dtype.name(),
            }),
        }
    }

    /// Prints the variants of a row in the order of their names: `` [`A, `B(int32) | r] ``, in refine `[A, B [C]]`. A
    /// row that may still grow ends in `| _`; refine has no words for that.
    fn sum(&mut self, row: TermId) {
        let (mut variants, rest) = self.terms.row(row);
        base::sort_by_key(&mut variants, |variant| variant.name);
        variants.dedup_by_key(|variant| variant.name);
        self.out.push('[');
        self.stack.push(Piece::Text("]"));
        let is_refine = self.names.surface() == Surface::Refine;
        let (tick, open, between, close) = if is_refine { ("", " ", " ", "") } else { ("`", "(", ", ", ")") };
        if !is_refine && self.terms.head(rest) != Term::EmptyRow {
            self.stack.append_all([Piece::Term(rest), Piece::Text(if variants.is_empty() { "| " } else { " | " })]);
        }
        for (i, Variant { name, fields, .. }) in variants.into_iter().enumerate().rev() {
            if fields.len > 0 {
                self.stack.push(Piece::Text(close));
                for (i, &field) in self.terms.items(fields).iter().enumerate().rev() {
                    self.stack.push(Piece::Term(field));
                    self.stack.push(Piece::Text(if i > 0 { between } else { open }));
                }
            }
            self.stack.append_all([
                Piece::Variant(name),
                Piece::Text(tick),
                Piece::Text(if i > 0 { ", " } else { "" }),
            ]);
        }
    }

    fn slice(&mut self, shape: ParamId, front: u32, back: u32) {
        self.out.push_str(self.param(shape));
        self.out.push('[');
        if front > 0 {
            self.out.push_str(&front.to_string());
        }
        self.out.push(':');
        if back > 0 {
            self.out.push_str(&format!("-{back}"));
        }
        self.out.push(']');
    }

    /// Pushes a polynomial over parameters, to be printed next: `N * M + N * 2 - 1`.
    fn poly(&mut self, id: PolyId) {
        let terms = self.terms;
        let (positive, negative): (Vec<_>, Vec<_>) = sum_order(terms.poly(id).terms()).partition(|(_, c)| *c >= 0);
        let mut pieces: Vec<Piece> = Vec::new();
        if positive.is_empty() && negative.is_empty() {
            pieces.push(Piece::Number(0));
        }
        for (i, (atoms, coefficient)) in positive.iter().chain(&negative).enumerate() {
            match (i, *coefficient < 0) {
                (0, false) => {}
                (0, true) => pieces.push(Piece::Text("0 - ")),
                (_, false) => pieces.push(Piece::Text(" + ")),
                (_, true) => pieces.push(Piece::Text(" - ")),
            }
            for (j, atom) in atoms.iter().enumerate() {
                if j > 0 {
                    pieces.push(Piece::Text(" * "));
                }
                self.atom(*atom, j == 0, &mut pieces);
            }
            let size = coefficient.saturating_abs();
            if atoms.is_empty() || size != 1 {
                pieces.append_all((!atoms.is_empty()).then_some(Piece::Text(" * ")));
                pieces.push(Piece::Number(size));
            }
        }
        self.stack.append_all(pieces.into_iter().rev());
    }

    /// A factor, the first of its product or another one.
    fn atom(&self, atom: Atom, is_first: bool, pieces: &mut Vec<Piece>) {
        // A number last, in whatever order they are kept.
        let is_number = |poly: PolyId| self.terms.poly(poly).as_constant().is_some();
        let in_order = |a: PolyId, b: PolyId| if is_number(a) { (b, a) } else { (a, b) };
        let mut call = |name: &'static str, (a, b): (PolyId, PolyId)| {
            pieces.append_all([Piece::Text(name), Piece::Poly(a), Piece::Text(", "), Piece::Poly(b), Piece::Text(")")]);
        };
        match atom {
            Atom::Param(param) => pieces.push(Piece::Param(param)),
            Atom::Index(shape, at) => {
                pieces.append_all([Piece::Param(shape), Piece::Text("["), Piece::Number(at), Piece::Text("]")]);
            }
            Atom::Rank(shape) => pieces.append_all([Piece::Text("rank("), Piece::Param(shape), Piece::Text(")")]),
            Atom::Prod(shape, front, back) => {
                pieces.append_all([Piece::Text("prod("), Piece::Param(shape)]);
                if (front, back) != (0, 0) {
                    pieces.push(Piece::Text("["));
                    pieces.append_all((front > 0).then_some(Piece::Number(i64::from(front))));
                    pieces.push(Piece::Text(":"));
                    pieces.append_all((back > 0).then_some(Piece::Number(-i64::from(back))));
                    pieces.push(Piece::Text("]"));
                }
                pieces.push(Piece::Text(")"));
            }
            Atom::Max(a, b) => call("max(", in_order(a, b)),
            Atom::Min(a, b) => call("min(", in_order(a, b)),
            Atom::FloorDiv(a, b) if self.is_tensorscript() => {
                let brackets = |is_there: bool| if is_there { ("(", ")") } else { ("", "") };
                let (open, close) = brackets(!is_first);
                let of = |poly: PolyId| brackets(!is_number(poly) && self.terms.poly(poly).as_atom().is_none());
                let ((open_a, close_a), (open_b, close_b)) = (of(a), of(b));
                pieces.append_all([Piece::Text(open), Piece::Text(open_a), Piece::Poly(a), Piece::Text(close_a)]);
                pieces.append_all([Piece::Text(" / "), Piece::Text(open_b), Piece::Poly(b), Piece::Text(close_b)]);
                pieces.push(Piece::Text(close));
            }
            Atom::FloorDiv(a, b) => call("floordiv(", (a, b)),
        }
    }
}

/// The products of a sum as they are written: the constant last.
fn sum_order<A>(terms: &[(Vec<A>, i64)]) -> impl Iterator<Item = &(Vec<A>, i64)> {
    let is_constant = |(atoms, _): &&(Vec<A>, i64)| atoms.is_empty();
    let constant = terms.iter().filter(is_constant);
    terms.iter().filter(move |term| !is_constant(term)).chain(constant)
}
