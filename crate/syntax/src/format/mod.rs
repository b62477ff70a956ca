//! The text of a tree as it is best read.
//!
//! **Algorithm.** One walk over the tree turns it into a flat list of [`Op`]s: tokens, places where a line may end, and
//! groups of such places (`build`, by the table in `rules`). Then one pass over that list decides each group when it
//! opens (`print`): all on one line if what it holds fits, with what follows up to the next place where a line may end;
//! otherwise each of its places ends a line. Sums over the list give every width at once, so the time is linear
//! (D. Oppen, *Prettyprinting*, 1980; P. Wadler, *A prettier printer*, 2003).
//!
//! For `f(a, b)` the list is `f`, open, `(`, indent, line, `a`, `,`, line, `b`, dedent, line, `)`, close.
//!
//! **Invariants.**
//! - No significant token is added, dropped or moved, and the new text has the same tree: commas stay as they are.
//! - Comments stay between the same tokens, on the line of the one before or on lines of their own.
//! - What has been formatted stays as it is when it is formatted again. Besides tokens the layout follows only what it
//!   keeps: a line's end right after the `{` of a block, after the `[` of a list, after `:-` (and then between goals)
//!   or before `|>` (and then before each of the chain), in refine after `in` and around arms; line ends beside
//!   comments; and one empty line where there were some.
//!
//! **Deliberately absent:** options.

mod build;
mod print;
mod refine;
mod rules;

use crate::Parse;
use crate::tree::TokenId;

/// How long a line should be at most, in characters.
const WIDTH: usize = 100;

/// How far a line is indented at most: however deep a program nests, its text stays in proportion.
const MAX_INDENT: usize = 80;

/// The text in its best layout, or as it is if it has mistakes.
///
/// ```
/// let parse = syntax::parse("def @f( %x:int32 ){%x+1 // one\n}", base::Surface::Relay);
/// assert_eq!(syntax::format(&parse), "def @f(%x: int32) {\n  %x + 1 // one\n}\n");
/// ```
pub fn format(parse: &Parse) -> String {
    if !parse.errors.is_empty() {
        return parse.tree.text().to_owned();
    }
    print::print(&parse.tree, build::build(&parse.tree))
}

/// A piece of the layout.
#[derive(Clone, Copy)]
enum Op {
    /// A significant token or a comment.
    Token(TokenId),
    Space,
    /// A line's end if the group around it is broken.
    Line(Line),
    /// A line's end in any case.
    Newline {
        blank: bool,
        hangs: Hangs,
    },
    Open(u32),
    Close,
    Indent,
    Dedent,
}

#[derive(Clone, Copy)]
struct Line {
    flat: Flat,
    fill: Fill,
    /// If the line ends, an empty one follows.
    blank: bool,
}

/// What a place where a line may end is when it does not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flat {
    Nothing,
    Space,
}

/// Whether a broken group ends the line at a place only when it is full.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    No,
    Yes,
}

/// Whether the new line is one level further in, since it goes on with something that only a comment cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hangs {
    No,
    Yes,
}

#[derive(Clone, Copy, Default)]
struct Group {
    /// It is broken whether it fits or not.
    forced: bool,
    /// Where what must fit with it ends, if that is behind it.
    until: usize,
    hug: Option<Hug>,
}

/// How a call may stay together although one argument is broken: `f(x, fn(%y) {` on one line.
#[derive(Clone, Copy)]
struct Hug {
    /// The argument's own bracket, as a place in the list.
    bracket: usize,
    /// The group that is broken instead.
    group: u32,
    tail: Tail,
}

/// What follows the argument that is broken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    None,
    /// They must fit on its last line, and it is broken only if it must.
    Arguments,
}

struct Layout {
    ops: Vec<Op>,
    groups: Vec<Group>,
}
