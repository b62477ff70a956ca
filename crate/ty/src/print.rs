//! Types as text, in the Relay surface: `fn[A](Tensor[(3, ?), float32], List[A]) -> A where …`.
//!
//! Printing keeps its own stack, since a type may be nested deeper than the host's, and stops at [`MAX_NODES`].

use crate::{AdtId, Dim, Extent, Kind, List, ParamId, Scheme, Term, TermId, Terms};

/// A printed type stops here with `…`; shared types can be exponentially large as text. A tensor type is one node,
/// whatever its rank.
const MAX_NODES: usize = 2_000;

/// The names that a program gave.
pub trait Names {
    fn adt(&self, adt: AdtId) -> &str;
    fn param(&self, param: ParamId) -> &str;
    fn param_kind(&self, param: ParamId) -> Kind;
}

/// A text, and whether it was cut short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    pub text: String,
    pub truncated: bool,
}

enum Piece {
    Text(&'static str),
    Term(TermId),
}

struct Printer<'a, T> {
    terms: &'a T,
    names: &'a dyn Names,
    out: String,
    stack: Vec<Piece>,
    n_nodes: usize,
}

/// Prints one term of any kind.
pub fn print_term(terms: &impl Terms, names: &dyn Names, id: TermId) -> Printed {
    let mut printer = Printer::new(terms, names);
    printer.term(id);
    printer.finish()
}

/// Prints a polymorphic type with its parameters and `where` clause.
pub fn print_scheme(terms: &impl Terms, names: &dyn Names, scheme: &Scheme) -> Printed {
    let mut printer = Printer::new(terms, names);
    let is_func = matches!(terms.head(scheme.body), Term::Func { .. });
    if is_func {
        printer.out.push_str("fn");
    }
    if !scheme.params.is_empty() && is_func {
        printer.params(&scheme.params);
    }
    match terms.head(scheme.body) {
        Term::Func { params, result } => printer.signature(params, result),
        _ => printer.stack.push(Piece::Term(scheme.body)),
    }
    printer.drain();
    for (i, obligation) in scheme.obligations.iter().enumerate() {
        printer.out.push_str(if i == 0 { " where " } else { ", " });
        printer.out.push_str(obligation.relation.name);
        printer.out.push('(');
        for (j, &arg) in obligation.args.iter().enumerate() {
            printer.out.push_str(if j == 0 { "" } else { ", " });
            printer.term(arg);
        }
        let attrs = &obligation.attrs;
        for ((name, value), _) in attrs.entries.iter().zip(&attrs.written).filter(|(_, written)| **written) {
            printer.out.push_str(&format!(", {name}={value}"));
        }
        printer.out.push(')');
    }
    printer.finish()
}

impl<'a, T: Terms> Printer<'a, T> {
    fn new(terms: &'a T, names: &'a dyn Names) -> Self {
        Printer { terms, names, out: String::new(), stack: Vec::new(), n_nodes: 0 }
    }

    fn finish(self) -> Printed {
        Printed { text: self.out, truncated: self.n_nodes > MAX_NODES }
    }

    fn term(&mut self, id: TermId) {
        self.stack.push(Piece::Term(id));
        self.drain();
    }

    fn params(&mut self, params: &[ParamId]) {
        for (i, &param) in params.iter().enumerate() {
            self.out.push_str(if i == 0 { "[" } else { ", " });
            self.out.push_str(self.names.param(param));
            match self.names.param_kind(param) {
                Kind::Type => {}
                kind @ (Kind::BaseType | Kind::Shape | Kind::Dim) => {
                    self.out.push_str(": ");
                    self.out.push_str(kind.name());
                }
            }
        }
        self.out.push(']');
    }

    fn drain(&mut self) {
        while let Some(piece) = self.stack.pop() {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Term(id) => {
                    self.n_nodes += usize::from(self.terms.head(id).kind() == Kind::Type);
                    if self.n_nodes > MAX_NODES {
                        self.out.push('…');
                        self.stack.clear();
                        return;
                    }
                    self.node(id);
                }
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

    fn signature(&mut self, params: List, result: TermId) {
        self.stack.push(Piece::Term(result));
        self.list("(", params, ") -> ");
    }

    fn node(&mut self, id: TermId) {
        match self.terms.head(id) {
            Term::Hole(_) | Term::Error(_) => self.out.push('_'),
            Term::Param(param, _) => self.out.push_str(self.names.param(param)),
            Term::Tensor { shape, dtype } => {
                let scalar = matches!(self.terms.head(shape), Term::Shape(dims) if dims.len == 0);
                if scalar && matches!(self.terms.head(dtype), Term::Dtype(_)) {
                    return self.stack.push(Piece::Term(dtype));
                }
                self.out.push_str("Tensor[");
                self.stack.extend([Piece::Text("]"), Piece::Term(dtype), Piece::Text(", "), Piece::Term(shape)]);
            }
            Term::Tuple(fields) => self.list("(", fields, if fields.len == 1 { ",)" } else { ")" }),
            Term::Func { params, result } => {
                self.out.push_str("fn");
                self.signature(params, result);
            }
            Term::Ref(inner) => {
                self.out.push_str("ref(");
                self.stack.extend([Piece::Text(")"), Piece::Term(inner)]);
            }
            Term::Adt { adt, args } => {
                self.out.push_str(self.names.adt(adt));
                if args.len > 0 {
                    self.list("[", args, "]");
                }
            }
            Term::Shape(dims) => self.list("(", dims, ")"),
            Term::Dim(Dim { dynamic: true, .. }) => self.out.push('?'),
            Term::Dim(Dim { extent: Extent::Unknown, .. }) => self.out.push('_'),
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => self.out.push_str(&number.to_string()),
            Term::Dim(Dim { extent: Extent::Param(param), .. }) => self.out.push_str(self.names.param(param)),
            Term::Dtype(dtype) => self.out.push_str(dtype.name()),
        }
    }
}
