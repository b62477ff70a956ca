//! Relations: their items, `where` clauses, goals, and the `if` that goals and dims share.

use super::pair::begins_item;
use super::{Mark, Parser, Rule, Task};
use crate::error::{Expected, Foreign};
use crate::kind::NodeKind;
use crate::lexer::NONE;
use crate::token::TokenKind::{self, *};
use base::Append;

/// What an `if` chooses between.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Goals,
    Dims,
}

impl Parser<'_> {
    /// `relation R(P, …) :- g, … .`, `relation R(P, …).`
    pub(super) fn relation_item(&mut self) {
        let item = self.mark();
        if !self.eat(KwRelation) {
            let start = self.start_of(item);
            self.foreign(Foreign::BareRelation, self.token_span(self.pos), &[(start, "relation ")]);
        }
        let head = self.mark();
        self.bump();
        self.tasks.push(Task::Neck(item));
        if self.at(LParen) {
            self.open(Rule::RelationHead, head);
        } else {
            self.expected(Expected::Token(LParen));
            self.finish(NodeKind::RelationHead, head);
        }
    }

    /// `R(P, …) :-`, as in Prolog.
    pub(super) fn at_bare_relation(&self) -> bool {
        let close = if self.nth(1) == LParen { self.partner(self.pos as u32 + 1) } else { NONE };
        close != NONE && {
            let neck = close as usize + 1 - self.pos;
            self.nth(neck) == Colon && self.nth(neck + 1) == Minus && self.adjacent(neck + 1)
        }
    }

    /// `:-` and goals, or the `.` at once.
    pub(super) fn neck(&mut self, item: Mark) {
        self.tasks.push(Task::GoalNext(item));
        if self.at(Colon) && self.nth(1) == Minus && self.adjacent(1) {
            self.bump();
        } else if self.at(Dot) {
            return;
        } else {
            let names_goal = self.nth(1) == KwIf || self.nth(1) == Ident && matches!(self.nth(2), LParen | Dot);
            let is_meant = self.kind().is_like_neck() && (names_goal || self.at_equation(1));
            self.expected(Expected::Neck { is_meant });
            if !is_meant {
                return self.missing();
            }
        }
        self.bump();
        self.tasks.push(Task::Goal);
    }

    pub(super) fn goal(&mut self) {
        match self.kind() {
            KwTrue => self.leaf(NodeKind::GoalTrue),
            Ident if self.token_text() == "true" => self.leaf(NodeKind::GoalTrue),
            KwIf => self.choice(Choice::Goals),
            _ => self.constraint(),
        }
    }

    /// After a goal: `,` and another, or the `.` that ends the item, or a mistake. That reaches to the next of these,
    /// and not into a line whose first column is taken.
    pub(super) fn goal_next(&mut self, item: Mark) {
        if self.eat(Comma) {
            return self.tasks.append_all([Task::GoalNext(item), Task::Goal]);
        }
        if self.eat(Dot) {
            return self.finish(NodeKind::RelationItem, item);
        }
        let ends = |parser: &Self| parser.at_stop(0) || parser.in_first_column();
        if ends(self) {
            self.expected(Expected::Token(Dot));
            return self.finish(NodeKind::RelationItem, item);
        }
        self.expected(Expected::Separator(Dot));
        self.missing();
        while !ends(self) && !matches!(self.kind(), Comma | Dot) {
            self.skip_one();
        }
        self.quiet_at = self.pos;
        self.tasks.push(Task::GoalNext(item));
    }

    pub(super) fn where_clause(&mut self) {
        if self.at(KwWhere) {
            let clause = self.mark();
            self.bump();
            self.tasks.push(Task::WhereGoal(clause));
        }
    }

    pub(super) fn where_goal(&mut self, clause: Mark) {
        self.tasks.push(Task::WhereNext(clause));
        if self.at(KwIf) { self.choice(Choice::Goals) } else { self.constraint() }
    }

    /// A comma goes on with the clause only if a goal follows: a function type may stand in a list.
    pub(super) fn where_next(&mut self, clause: Mark) {
        let names_relation = self.nth(1) == Ident
            && match self.nth(2) {
                LParen | LBrace => true,
                Comma => self.depth == 0,
                _ => false,
            };
        if self.at(Comma) && (names_relation || self.at_equation(1)) {
            self.bump();
            self.tasks.push(Task::WhereGoal(clause));
        } else {
            self.finish(NodeKind::WhereClause, clause);
        }
    }

    /// `R(…)`, or `a = b`.
    fn constraint(&mut self) {
        let mark = self.mark();
        if self.at(Ident) && !self.at_equation(0) {
            self.bump();
            if self.at(LParen) {
                self.open(Rule::Relation, mark);
            } else {
                self.finish(NodeKind::WhereRelation, mark);
            }
        } else if self.kind().starts_type() {
            self.tasks.append_all([Task::Equals(mark), Task::TypeElement]);
        } else {
            self.expected(Expected::Goal);
            self.missing();
        }
    }

    /// Whether a type and then `=` stand `ahead`. What is inside brackets is jumped over, so that each token is looked
    /// at once for each list it begins.
    fn at_equation(&self, ahead: usize) -> bool {
        let mut at = self.pos + ahead;
        loop {
            let sig = self.sig[at];
            match sig.kind {
                Eq | EqEq | ColonEq => return true,
                LParen | LBracket if sig.partner != NONE => at = sig.partner as usize,
                Ident | Int | Question | Underscore | Plus | Minus | Star | Slash | KwFn | KwRef | Arrow => {}
                _ => return false,
            }
            if begins_item(&self.sig, at) {
                return false;
            }
            at += 1;
        }
    }

    pub(super) fn equals(&mut self, mark: Mark) {
        self.right_side(NodeKind::Equation, mark, &[Eq], Expected::Token(Eq));
    }

    pub(super) fn comparison(&mut self, mark: Mark) {
        self.right_side(NodeKind::Condition, mark, &[EqEq, NotEq, Lt, LtEq, Gt, GtEq], Expected::Comparison);
    }

    /// An infix sign, or one mistaken for it, and the right operand.
    fn right_side(&mut self, kind: NodeKind, mark: Mark, signs: &[TokenKind], expected: Expected) {
        self.tasks.push(Task::Finish(kind, mark));
        if !signs.contains(&self.kind()) {
            self.expected(expected);
            if !matches!(self.kind(), Eq | EqEq | ColonEq) {
                return self.missing();
            }
        }
        self.bump();
        self.tasks.push(Task::TypeElement);
    }

    /// `if (c) { … } else { … }`; between goals `else` may be missing.
    pub(super) fn choice(&mut self, choice: Choice) {
        let mark = self.mark();
        self.bump();
        let kind = if choice == Choice::Goals { NodeKind::GoalIf } else { NodeKind::DimIf };
        self.tasks.append_all([Task::Finish(kind, mark), Task::OtherBranch(choice), Task::Branch(choice)]);
        self.open_or_missing(LParen, Rule::Condition);
    }

    pub(super) fn branch(&mut self, choice: Choice) {
        let rule = if choice == Choice::Goals { Rule::GoalBlock } else { Rule::DimBranch };
        self.open_or_missing(LBrace, rule);
    }

    pub(super) fn other_branch(&mut self, choice: Choice) {
        if self.eat(KwElse) {
            if self.at(KwIf) { self.choice(choice) } else { self.branch(choice) }
        } else if choice == Choice::Dims {
            self.expected(Expected::Token(KwElse));
            self.missing();
        }
    }

    fn open_or_missing(&mut self, opener: TokenKind, rule: Rule) {
        if self.at(opener) {
            self.open(rule, self.mark());
        } else {
            self.expected(Expected::Token(opener));
            self.missing();
        }
    }
}
