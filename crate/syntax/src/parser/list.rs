//! Everything that is a bracketed list, by one table.

use super::{Mark, Parser, Task};
use crate::error::{Expected, Foreign};
use crate::kind::NodeKind;
use crate::lexer::NONE;
use crate::token::TokenKind::*;
use base::{Append, Surface};

/// What a list is of, and what it becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Args,
    Paren,
    ListLit,
    Variant,
    RefNew,
    RefRead,
    RefWrite,
    Params,
    CtorFields,
    Relation,
    RelationHead,
    GoalBlock,
    Condition,
    DimBranch,
    TypeArgs,
    TupleType,
    TypeCall,
    Tensor,
    RefType,
    FnTypeParams,
    Shape,
    DimCall,
    DimParen,
    SumType,
    VariantType,
    CtorPat,
    VariantPat,
    TuplePat,
    UseNames,
}

/// A list that is being parsed.
#[derive(Clone, Copy)]
pub(super) struct List {
    pub(super) rule: Rule,
    /// A comma has been seen.
    comma: bool,
    /// How many elements there were; stops at 255.
    pub(super) n_items: u8,
    /// The rest of a sum's row has been seen: nothing may follow.
    ended: bool,
    pub(super) opener: u32,
    mark: Mark,
}

/// What one element of a list is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Expr,
    Arg,
    /// Of parentheses: statements may come first.
    Seq,
    Param,
    Type,
    TypeOrDim,
    TypeOrAttr,
    /// A type, a dim, or a type parameter with its kind.
    HeadArg,
    Goal,
    Condition,
    /// Of `Tensor[…]`: the shape, then the dtype.
    Tensor,
    Dim,
    /// A variant of a sum, or the rest of its row.
    Variant,
    Pattern,
    UseName,
}

impl Rule {
    fn element(self) -> Element {
        match self {
            Rule::ListLit | Rule::Variant | Rule::RefNew | Rule::RefRead | Rule::RefWrite => Element::Expr,
            Rule::Args => Element::Arg,
            Rule::Paren => Element::Seq,
            Rule::Params => Element::Param,
            Rule::CtorFields | Rule::RefType | Rule::FnTypeParams | Rule::VariantType => Element::Type,
            Rule::SumType => Element::Variant,
            Rule::TypeArgs | Rule::TupleType | Rule::TypeCall | Rule::DimBranch => Element::TypeOrDim,
            Rule::Relation => Element::TypeOrAttr,
            Rule::RelationHead => Element::HeadArg,
            Rule::GoalBlock => Element::Goal,
            Rule::Condition => Element::Condition,
            Rule::Tensor => Element::Tensor,
            Rule::Shape | Rule::DimCall | Rule::DimParen => Element::Dim,
            Rule::CtorPat | Rule::VariantPat | Rule::TuplePat => Element::Pattern,
            Rule::UseNames => Element::UseName,
        }
    }

    /// How many elements there must be, if that is fixed.
    fn n_items(self) -> Option<u8> {
        match self {
            Rule::RefNew | Rule::RefRead | Rule::RefType | Rule::Condition | Rule::DimBranch => Some(1),
            Rule::RefWrite | Rule::Tensor => Some(2),
            Rule::Args
            | Rule::Paren
            | Rule::ListLit
            | Rule::Variant
            | Rule::Params
            | Rule::CtorFields
            | Rule::Relation
            | Rule::RelationHead
            | Rule::GoalBlock
            | Rule::TypeArgs
            | Rule::TupleType
            | Rule::TypeCall
            | Rule::FnTypeParams
            | Rule::Shape
            | Rule::DimCall
            | Rule::DimParen
            | Rule::SumType
            | Rule::VariantType
            | Rule::CtorPat
            | Rule::VariantPat
            | Rule::TuplePat
            | Rule::UseNames => None,
        }
    }
}

impl List {
    /// The node it becomes; none where parentheses only group, or the elements belong to a node around it.
    fn node(&self) -> Option<NodeKind> {
        let groups = self.n_items == 1 && !self.comma;
        Some(match self.rule {
            Rule::Args => NodeKind::ArgList,
            Rule::Paren if groups => NodeKind::Paren,
            Rule::Paren => NodeKind::Tuple,
            Rule::ListLit => NodeKind::ListLit,
            Rule::Variant => NodeKind::Variant,
            Rule::RefNew => NodeKind::RefNew,
            Rule::RefRead => NodeKind::RefReadCall,
            Rule::RefWrite => NodeKind::RefWriteCall,
            Rule::Params => NodeKind::ParamList,
            Rule::CtorFields => NodeKind::CtorFields,
            Rule::Relation => NodeKind::WhereRelation,
            Rule::RelationHead => NodeKind::RelationHead,
            Rule::GoalBlock => NodeKind::GoalBlock,
            Rule::TypeArgs => NodeKind::TypeArgs,
            Rule::TupleType if groups => NodeKind::ParenType,
            Rule::TupleType => NodeKind::TupleType,
            Rule::TypeCall => NodeKind::TypeCall,
            Rule::Tensor => NodeKind::TensorType,
            Rule::RefType => NodeKind::RefType,
            Rule::DimParen if groups => return None,
            Rule::Shape | Rule::DimParen => NodeKind::ShapeLit,
            Rule::DimCall => NodeKind::DimCall,
            Rule::SumType => NodeKind::SumType,
            Rule::VariantType => NodeKind::VariantType,
            Rule::CtorPat => NodeKind::CtorPat,
            Rule::VariantPat => NodeKind::VariantPat,
            Rule::TuplePat if groups => return None,
            Rule::TuplePat => NodeKind::TuplePat,
            Rule::FnTypeParams | Rule::Condition | Rule::DimBranch | Rule::UseNames => return None,
        })
    }
}

impl Parser<'_> {
    /// Begins the list whose opener is here; its node begins at the mark.
    pub(super) fn open(&mut self, rule: Rule, mark: Mark) {
        let mut list = List { rule, comma: false, n_items: 0, ended: false, opener: self.pos as u32, mark };
        let deep = !self.enter();
        self.bump();
        if deep {
            self.skip_inside(list.opener);
            self.depth += 1;
            list.n_items = 1;
            self.tasks.push(Task::Separator(list));
        } else {
            self.tasks.push(Task::Element(list));
        }
    }

    pub(super) fn element(&mut self, mut list: List) {
        let close = self.partner(list.opener);
        if close != NONE && self.pos >= close as usize {
            return self.close(list);
        }
        let element = list.rule.element();
        if self.starts(element, list) {
            list.ended |= element == Element::Variant && self.at(Pipe);
            list.n_items = list.n_items.saturating_add(1);
            self.tasks.push(Task::Separator(list));
            return self.start(element, list);
        }
        if close == NONE && !self.at(Comma) {
            self.unclosed(list.opener);
            return self.close(list);
        }
        self.expected(self.element_words(element));
        let mark = self.mark();
        self.skip_to_comma(close);
        self.finish(NodeKind::Error, mark);
        list.n_items = list.n_items.saturating_add(1);
        self.tasks.push(Task::Separator(list));
    }

    pub(super) fn separator(&mut self, mut list: List) {
        let close = self.partner(list.opener);
        if close != NONE && self.pos >= close as usize {
            return self.close(list);
        }
        let is_last = self.at(Comma) && close == NONE && self.ends_line(list);
        if self.at(Comma) && !is_last {
            let closer = self.sig[list.opener as usize].kind.closer();
            if close == NONE && list.rule.n_items() == Some(list.n_items) {
                self.unclosed(list.opener);
                return self.close(list);
            }
            if list.rule.n_items() == Some(list.n_items) && self.nth(1) != closer {
                self.expected(Expected::Token(closer));
            }
            self.bump();
            list.comma = true;
            return self.tasks.push(Task::Element(list));
        }
        if list.rule == Rule::SumType && self.at(Pipe) && !list.ended && self.surface == Surface::Relay {
            list.ended = true;
            self.tasks.push(Task::Separator(list));
            return self.row_rest();
        }
        if list.rule == Rule::SumType && matches!(self.kind(), Pipe | Semicolon) && self.surface == Surface::Refine {
            self.misspelt(Comma);
            self.bump();
            return self.tasks.push(Task::Element(list));
        }
        let starts = self.starts(list.rule.element(), list) && !self.kind().is_bad();
        // A block behind an element is what the condition or scrutinee belongs to.
        if close == NONE && (!starts || self.sig[self.pos].first_on_line || self.at(LBrace)) {
            self.unclosed(list.opener);
            return self.close(list);
        }
        self.expected(Expected::Separator(self.sig[list.opener as usize].kind.closer()));
        if starts {
            self.tasks.push(Task::Element(list));
        } else {
            self.skip_to_comma(close);
            self.tasks.push(Task::Separator(list));
        }
    }

    /// Whether a list that lacks its closer ends before the comma here: the next line begins with another arm, or it may
    /// be another constructor, behind fields that begin on the line of their `(`.
    fn ends_line(&self, list: List) -> bool {
        let next = self.pos + 1;
        let first_on_line = |pos: usize| self.sig.get(pos).is_some_and(|sig| sig.first_on_line);
        let fields = next + usize::from(self.kind_at(next) != LParen);
        let behind = if self.kind_at(fields) == LParen { self.behind(fields) } else { fields };
        let is_last = match list.rule {
            Rule::CtorFields => !first_on_line(list.opener as usize + 1),
            _ => self.kind_at(behind) == FatArrow,
        };
        first_on_line(next) && is_last
    }

    fn close(&mut self, mut list: List) {
        while list.rule.n_items().is_some_and(|n| list.n_items < n) {
            let lacks_dtype = list.rule == Rule::Tensor && list.n_items == 1 && self.at(RBracket);
            let words = self.element_words(list.rule.element());
            self.expected(if lacks_dtype { Expected::Dtype } else { words });
            self.missing();
            list.n_items += 1;
        }
        self.depth -= 1;
        if self.partner(list.opener) as usize == self.pos {
            self.bump();
        }
        if let Some(kind) = list.node() {
            self.finish(kind, list.mark);
        } else if matches!(list.rule, Rule::Condition | Rule::DimBranch) && list.n_items > 1 {
            // The node around them has one place for it all.
            self.nodes.truncate(list.mark.node as usize);
            self.finish(NodeKind::Error, list.mark);
        }
    }

    /// Whether an element can begin here. If so, `start` takes at least one token.
    fn starts(&self, element: Element, list: List) -> bool {
        let kind = self.kind();
        if self.partner(list.opener) == NONE && self.at_stop(list.opener) {
            return false;
        }
        match element {
            Element::Expr => self.starts_expr(),
            Element::Arg => self.starts_expr() || self.starts_seq(element, list) || self.at_attr(),
            Element::Seq => self.starts_expr() || self.starts_seq(element, list),
            Element::Param if self.surface == Surface::TensorScript => self.at_name(),
            Element::UseName => self.at_name(),
            Element::Param => matches!(kind, Local | Underscore | Unknown) || kind.is_name() || self.at_attr(),
            Element::Tensor => kind.starts_type() || kind == String,
            Element::Type if list.rule == Rule::FnTypeParams && kind == Local => self.nth(1) == Colon,
            Element::Type | Element::HeadArg | Element::Condition => kind.starts_type(),
            Element::TypeOrDim => kind.starts_type() || (list.rule == Rule::TupleType && self.at_splice()),
            Element::TypeOrAttr => kind.starts_type() || self.at_attr(),
            Element::Goal => kind.starts_type() || kind == KwTrue,
            Element::Dim if self.surface == Surface::TensorScript => self.starts_size(),
            Element::Dim => kind.starts_dim() || (list.rule != Rule::DimCall && self.at_splice()),
            Element::Variant if self.surface == Surface::Refine => kind == Ident || kind.is_bad(),
            Element::Variant => kind == Backtick || (kind == Pipe && list.n_items == 0),
            Element::Pattern => kind.starts_pattern(),
        }
    }

    /// Whether statements begin here. In arguments only if it is sure that they end there, so that an unfinished call
    /// does not take the lines after it.
    fn starts_seq(&self, element: Element, list: List) -> bool {
        match element {
            _ if self.surface == Surface::TensorScript => false,
            Element::Seq => self.at_statement(),
            _ => self.partner(list.opener) != NONE && self.at_statement() && !self.at(Local),
        }
    }

    fn start(&mut self, element: Element, list: List) {
        if self.pass_surplus(list) {
            return;
        }
        let mark = self.mark();
        match element {
            Element::Param if self.surface == Surface::TensorScript => self.script_param(),
            Element::Arg | Element::TypeOrAttr | Element::Param if self.at_attr() => self.attr(),
            Element::Arg if self.at_list_of_attr() => self.attr(),
            Element::Arg if (self.at(Ident) || self.at(KwDim)) && self.nth(1) == Colon && self.nth(2) != Colon => {
                self.attr()
            }
            Element::Arg | Element::Seq if self.starts_seq(element, list) => self.tasks.push(Task::SeqStmt(mark)),
            Element::Arg | Element::Seq => {
                if self.partner(list.opener) != NONE && self.surface == Surface::Relay {
                    self.tasks.push(Task::SeqEnd(mark, mark));
                }
                self.tasks.push(Task::Expr(1));
            }
            Element::Expr => self.tasks.push(Task::Expr(1)),
            Element::Param => {
                if self.at(Underscore) {
                    // Several of them have several names, and none the one of something else.
                    let mut name = if list.n_items > 1 { format!("%_{}", list.n_items) } else { "%_".to_owned() };
                    if base::find(self.text, &name).is_some() {
                        name = format!("%unused_{}", list.n_items);
                    }
                    let at = self.token_span(self.pos);
                    self.foreign(Foreign::Wild, at, &[(at, &name)]);
                    self.tokens[self.sig[self.pos].token as usize].kind = Ident;
                }
                self.param();
            }
            Element::Type => self.tasks.push(Task::Type),
            Element::Tensor if list.n_items == 1 && self.at(LParen) => {
                self.tasks.push(Task::DimRest(mark, u8::MAX));
                self.open(Rule::Shape, mark);
            }
            Element::HeadArg if self.at(Ident) && self.nth(1) == Colon => self.type_param(),
            Element::Goal => self.tasks.push(Task::Goal),
            Element::Condition => self.tasks.append_all([Task::Comparison(mark), Task::TypeElement]),
            Element::TypeOrDim | Element::Dim if self.at(Dot) => self.splice(),
            Element::HeadArg | Element::Tensor | Element::TypeOrDim | Element::TypeOrAttr => {
                self.tasks.push(Task::TypeElement)
            }
            Element::Dim => self.tasks.push(Task::Dim(1)),
            Element::UseName => self.name_leaf(NodeKind::UseName),
            Element::Variant if self.surface == Surface::Refine => self.variant_type(),
            Element::Variant if self.at(Pipe) => self.row_rest(),
            Element::Variant => self.variant(NodeKind::VariantType, Rule::VariantType),
            Element::Pattern => self.tasks.push(Task::Pattern),
        }
    }

    /// `name =` or `dotted.name =`; right before a string the sign is missing.
    pub(super) fn at_attr(&self) -> bool {
        let mut ahead = 0;
        while self.nth(ahead).is_word() {
            match self.nth(ahead + 1) {
                Eq => return true,
                String if self.surface == Surface::Relay && self.kind() == Ident => return true,
                Dot if self.surface == Surface::Relay => ahead += 2,
                _ => return false,
            }
        }
        false
    }

    /// `axis[-1]`, where the sign is missing: no tensor has a name such as this.
    fn at_list_of_attr(&self) -> bool {
        let name = self.token_span(self.pos);
        let text = &self.text[name.range()];
        self.surface == Surface::Relay
            && self.at(Ident)
            && self.nth(1) == LBracket
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text != "meta"
    }

    fn attr(&mut self) {
        let mark = self.mark();
        if self.surface == Surface::TensorScript {
            self.name();
        }
        while !matches!(self.kind(), Eq | Colon | String | LBracket) {
            self.bump();
        }
        if self.at(Colon) {
            self.misspelt(Eq);
        }
        if self.at(String) || self.at(LBracket) {
            self.expected(Expected::Token(Eq));
        } else {
            self.bump();
        }
        self.tasks.push(Task::Finish(NodeKind::Attr, mark));
        if !self.device() {
            self.tasks.push(Task::Expr(1));
        }
    }

    fn param(&mut self) {
        let mark = self.mark();
        if self.at(Unknown) {
            return self.leaf(NodeKind::Error);
        }
        self.name();
        // Relay writes `%x {virtual_device=meta[…][0]}`; where a tensor lives means nothing here.
        if self.at(LBrace) && self.nth(1) == Ident && self.nth(2) == Eq && self.partner(self.pos as u32) != NONE {
            let device = self.mark();
            self.skip_one();
            self.unsay(device);
        }
        if self.lacks_colon(mark) {
            self.expected(Expected::Token(Colon));
            self.tasks.append_all([Task::Finish(NodeKind::Param, mark), Task::Type]);
        } else if self.eat(Colon) {
            self.tasks.push(Task::Finish(NodeKind::Param, mark));
            self.tasks.push(Task::Type);
        } else {
            self.finish(NodeKind::Param, mark);
        }
    }

    fn element_words(&self, element: Element) -> Expected {
        match element {
            Element::Expr | Element::Arg | Element::Seq => Expected::Expression,
            Element::Param => Expected::Parameter,
            Element::Type | Element::TypeOrDim | Element::TypeOrAttr | Element::HeadArg | Element::Tensor => {
                Expected::Type
            }
            Element::Goal => Expected::Goal,
            Element::Condition => Expected::Comparison,
            Element::Dim => Expected::Dim,
            Element::Variant if self.surface == Surface::Refine => Expected::BareVariant,
            Element::Variant => Expected::Variant,
            Element::Pattern => Expected::Pattern,
            Element::UseName => Expected::Name,
        }
    }
}
