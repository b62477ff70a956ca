//! Text in; a lossless tree and a list of mistakes out. There is always a tree. [`format`](format()) turns one without
//! mistakes back into text, in its best layout.
//!
//! A text is in one of three [`Surface`]s: its file's name says in which, and `#lang relay`, `#lang refine` or
//! `#lang tensorscript` on its first line that is not blank says otherwise. Relay's grammar is a superset of Relay's text format (Apache
//! TVM 0.13, `parser.cc`) and of the notation in Relay's papers and manuals, but for relations. Refine is the language of A. Hafiz's
//! article *Simple Refinement of Anonymous Sum Types in Pattern Matches*, 2022: bare variants, `let … in`,
//! `match … with`. TensorScript is 0b01's language of that name: `node`, `weights`, `graph` and pipes; what its grammar
//! has and its compiler had not, as operators and `if`, is here too. All make the same kinds of node: [`NodeKind`]
//! lists them, each with its children.
//!
//! **Algorithm.** The lexer makes one pass. A second pass pairs the brackets, so that the parser knows at each opener
//! where its closer is, or that there is none: that decides how far a mistake may reach. The parser is a pushdown
//! machine with one token of lookahead (a few for attributes): a stack of small *tasks* instead of recursion, with
//! precedence climbing for operators (Pratt, *Top Down Operator Precedence*, 1973). A node is pushed when it is
//! complete, so a left operand that has been parsed is wrapped by pushing its parent after it.
//!
//! For `1 + %x` the tasks are `Expr`, then `ExprRest` (with `1` already a node), then, past the `+`, `Expr` above
//! `Finish(Binary)` above `ExprRest`; the nodes come out as `Literal`, `LocalRef`, `Binary`.
//!
//! **Invariants.**
//! - Every byte of the text is in exactly one token; the tokens of a node hold those of its children, which are in
//!   order and do not overlap. A node begins and ends with a significant token (the root holds everything).
//! - The parser neither recurses nor panics nor stops early, and takes time linear in the text.
//! - A bracket whose closer is known ends there and nowhere else. One without is closed at the first token that cannot
//!   go on, at the latest before the next `def`, `type`, `data`, `extern` or `relation` that begins a line; in
//!   TensorScript before the next item, or part of the item around it.
//! - Brackets, prefix operators, `:=`, arrows of function types, and in refine `match` and the values of `let`, nest at
//!   most [`MAX_NESTING`] deep: the rest is skipped with one error. Operators that associate to the left, calls,
//!   projections, `let`s and `else if`s do not count as nesting, so trees may be much deeper than that, and whoever
//!   walks them must not recurse.
//! - One mistake is one error: a second one at the same token is dropped.
//!
//! **Deliberately absent:** names and their scopes, the values of literals, arity, kinds (`(10, 10)` among type
//! arguments is a tuple of dims here), positions as lines and columns, incremental reparsing.
//!
//! ```
//! use base::Surface;
//! use syntax::{NodeKind, parse};
//! let parse = parse("def @f(%x: int32) { %x + }", Surface::Relay);
//! let said = parse.errors[0].diagnostic();
//! assert_eq!(said.message, "expected an expression, found `}`");
//! let tree = &parse.tree;
//! let def = tree.child(tree.root(), NodeKind::Def).unwrap();
//! let block = tree.child(def, NodeKind::Block).unwrap();
//! let sum = tree.children(block)[0];
//! assert_eq!(tree.node_text(sum), "%x +");
//! let kinds: Vec<NodeKind> = tree.children(sum).iter().map(|&node| tree.kind(node)).collect();
//! assert_eq!(kinds, [NodeKind::LocalRef, NodeKind::Error]);
//! ```

mod error;
mod format;
mod kind;
mod lang;
mod lexer;
mod parser;
mod stolen;
mod token;
mod tree;

pub use error::{Expected, Found, SyntaxError};
pub use format::format;
pub use kind::NodeKind;
pub use parser::{DIM_FUNCTIONS, MAX_NESTING};
pub use stolen::{StolenArm, stolen_arms};
pub use token::TokenKind;
pub use tree::{Children, ChildrenRev, Event, NodeId, TokenId, Tree, Walk, debug_tree};

use base::{Edited, Surface};

/// What a text means to the grammar. The errors are in source order.
#[derive(Clone, Debug)]
pub struct Parse {
    pub tree: Tree,
    pub errors: Vec<SyntaxError>,
}

/// Parses a text of less than 4 GiB, in the surface of its file unless its first line is a `#lang` line. What is no
/// text of that surface and is one of another is said to be that, and nothing else of it.
pub fn parse(text: &str, surface: Surface) -> Parse {
    let (surface, error) = match lang::lang(text) {
        None => (surface, None),
        Some(Ok(surface)) => (surface, None),
        Some(Err(error)) => (surface, Some(error)),
    };
    let mut parse = parser::parse(text, surface);
    if !parse.errors.is_empty() {
        let other = lang::other(text, surface).map(|other| lang::other_error(text, surface, other));
        if let Some(error) = other.or_else(|| lang::python_error(text, surface)) {
            return Parse { tree: parse.tree.unread(), errors: vec![error] };
        }
    }
    parse.errors.put_first(Vec::from_iter(error));
    parse
}
