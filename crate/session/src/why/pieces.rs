//! A type cut into pieces, each of which can be asked about.
//!
//! Worked example: `Tensor[(2, 320), float32]` is `Tensor` (the whole), `[`, `(` (the shape), `2`, `, `, `320`, `)`,
//! `, `, `float32`, `]`.

use super::Recorded;
use crate::Analysis;
use crate::view::solver::PieceView;
use base::{Append, Surface};
use solve::derive::Path;
use ty::{Dtype, Kind, List, Term, TermId, Terms};

/// A type of more pieces is one piece.
const MAX_PIECES: usize = 200;

pub(crate) struct Piece {
    text: String,
    label: String,
    /// Of the part that can be asked about, if it is one.
    pub path: Option<Path>,
}

impl Piece {
    pub fn view(&self) -> PieceView {
        PieceView { text: self.text.clone(), label: self.label.clone(), is_askable: self.path.is_some() }
    }
}

enum Next {
    Text(&'static str),
    Part(TermId, Path, String),
}

pub(crate) fn pieces(analysis: &Analysis, recorded: &Recorded, root: TermId) -> Vec<Piece> {
    let solver = &recorded.inferred.solver;
    let print = |id: TermId| recorded.inferred.print(&analysis.module, id).text;
    let is_script = analysis.module.surface == Surface::TensorScript;
    let mut out: Vec<Piece> = Vec::new();
    let mut stack = vec![Next::Part(root, Path::new(), "the whole type".to_owned())];
    while let Some(next) = stack.pop() {
        if out.len() > MAX_PIECES {
            return vec![Piece { text: print(root), label: "the whole type".to_owned(), path: Some(Path::new()) }];
        }
        let (id, path, label) = match next {
            Next::Text(text) => {
                out.push(Piece { text: text.to_owned(), label: String::new(), path: None });
                continue;
            }
            Next::Part(id, path, label) => (id, path, label),
        };
        let head = solver.head(id);
        let at = |n: u32| {
            let mut path = path.clone();
            path.push(n);
            path
        };
        let parts = |list: List, first: u32, what: &str| -> Vec<Next> {
            let mut parts = Vec::new();
            for (n, &item) in solver.items(list).iter().enumerate() {
                parts.append_all((n > 0).then_some(Next::Text(", ")));
                parts.push(Next::Part(item, at(first + n as u32), format!("{what} {n}")));
            }
            parts
        };
        let whole = |text: &str| Piece { text: text.to_owned(), label: label.clone(), path: Some(path.clone()) };
        let from = stack.len();
        match head {
            Term::Tensor { shape, dtype } => match solver.head(shape) {
                // A scalar prints as its dtype.
                Term::Shape(dims) if dims.len == 0 => out.push(whole(&print(id))),
                // TensorScript's tensors are their shapes.
                _ if is_script && solver.head(dtype) == Term::Dtype(Dtype::Float32) => {
                    out.push(whole(""));
                    stack.push(Next::Part(shape, at(0), "the shape".to_owned()));
                }
                Term::Shape(_) | Term::Hole(_) | Term::Param(..) | Term::Splice(_) | Term::Slice { .. } => {
                    out.push(whole("Tensor"));
                    stack.append_all([
                        Next::Text("["),
                        Next::Part(shape, at(0), "the shape".to_owned()),
                        Next::Text(", "),
                        Next::Part(dtype, at(1), "the dtype".to_owned()),
                        Next::Text("]"),
                    ]);
                }
                _ => out.push(whole(&print(id))),
            },
            Term::Shape(dims) if dims.len > 0 => {
                out.push(whole(if is_script { "[" } else { "(" }));
                stack.append(&mut parts(dims, 0, "axis"));
                stack.push(Next::Text(if is_script { "]" } else { ")" }));
            }
            Term::Tuple(fields) if fields.len > 1 => {
                out.push(whole("("));
                stack.append(&mut parts(fields, 0, "field"));
                stack.push(Next::Text(")"));
            }
            Term::Func { .. } if is_script => out.push(whole(&print(id))),
            Term::Func { params, result } => {
                out.push(whole("fn"));
                stack.push(Next::Text("("));
                stack.append(&mut parts(params, 0, "parameter"));
                stack.push(Next::Text(") -> "));
                stack.push(Next::Part(result, at(params.len), "the result".to_owned()));
            }
            Term::Ref(inner) => {
                out.push(whole("ref"));
                stack.append_all([
                    Next::Text("("),
                    Next::Part(inner, at(0), "the content".to_owned()),
                    Next::Text(")"),
                ]);
            }
            Term::Adt { args, .. } if args.len > 0 => {
                let text = print(id);
                out.push(whole(base::before(&text, "[")));
                stack.push(Next::Text("["));
                stack.append(&mut parts(args, 0, "type argument"));
                stack.push(Next::Text("]"));
            }
            _ => {
                let is_known = !head.is_hole() && !matches!(head, Term::Error(_));
                let path = Some(path.clone()).filter(|_| is_known && head.kind() != Kind::Row);
                out.push(Piece { text: print(id), label: label.clone(), path });
            }
        }
        stack[from..].reverse();
    }
    out
}
