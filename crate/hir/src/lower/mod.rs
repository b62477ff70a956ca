//! From syntax tree to module, by the tree's enter and leave events.

mod attr;
mod call;
mod clause;
mod expr;
mod item;
mod json;
mod literal;
mod metadata;
mod pattern;
mod relation;
mod scope;
mod tensorscript;
mod ty_expr;

use crate::data::{
    Attr, CtorId, DefId, Expr, ExprId, ExprKind, FnId, Function, LocalId, Module, Pat, PatId, PatKind, Start, TypeExpr,
    TypeExprId, TypeExprKind,
};
use crate::error::HirError;
use base::{HashMap, HashSet, Span, Surface, ToList};
use metadata::Metadata;
use scope::{Named, Scope};
use std::sync::Arc;
use syntax::{Event, NodeId, NodeKind, TokenKind, Tree};
use ty::{AdtId, Attrs, ParamId, VariantId};

/// After so many errors no near names are looked for.
const MAX_SUGGESTIONS: usize = 100;

/// Lowers a whole file on top of a library ([`Module::into_library`]). A definition of the file takes the place of the
/// library's of the same name; the library's own keep what they use.
pub fn lower(tree: &Tree, library: Module) -> (Module, Vec<HirError>) {
    let mut cx = Lowering::new(tree, library);
    cx.module.surface = tree.surface();
    cx.declare();
    cx.lower_relations();
    cx.tell_undefined(tree.root());
    for event in tree.walk(tree.root()) {
        match event {
            Event::Enter(node) => cx.enter(node),
            Event::Leave(node) => cx.leave(node),
        }
    }
    cx.tell_undefined(tree.root());
    cx.refuse_endless_methods();
    if !cx.module.variants.is_empty() {
        cx.module.sort_variants();
    }
    (cx.module, cx.errors)
}

/// What a node became; the parent knows which.
#[derive(Clone, Copy)]
enum Lowered {
    Nothing,
    Expr(ExprId),
    /// A `let` in a block: its variable and its value.
    Let(LocalId, ExprId),
    Pat(PatId),
    Type(TypeExprId),
    Goal(relation::GoalId),
}

/// A function whose body is being lowered.
struct OpenFunction {
    id: FnId,
    /// By variable: its place among the captures.
    captured: HashMap<LocalId, u32>,
    visits_from: usize,
}

struct Lowering<'t> {
    tree: &'t Tree,
    module: Module,
    errors: Vec<HirError>,
    /// By node.
    lowered: Vec<Lowered>,
    /// The nodes that have been entered and not left.
    open: Vec<NodeId>,
    functions: Vec<OpenFunction>,
    scope: Scope<'t>,
    /// Type parameters in scope, innermost last.
    type_params: Vec<(&'t str, ParamId)>,
    /// How many type parameters were in scope at each open function or type.
    type_param_marks: Vec<usize>,
    /// Everything below this node is read by the node itself.
    skipping: Option<NodeId>,
    /// By argument list, the attributes that stand in it without their names, in order.
    by_place: HashMap<NodeId, Vec<Attr>>,
    adts: Named<'t, AdtId>,
    ctors: Named<'t, CtorId>,
    defs: Named<'t, DefId>,
    /// The match whose arms are being read, and what it takes apart.
    last_match: Option<(NodeId, NodeId)>,
    /// The variables of the arm's patterns that could not be read.
    lost_variables: Vec<LocalId>,
    /// The ids of the variants' names.
    variants: HashMap<String, VariantId>,
    /// `let` nodes whose variable is in scope in its own value.
    recursive_lets: HashMap<NodeId, LocalId>,
    /// Type parameters whose kind could not be read: they fit nowhere and are not spoken of again.
    kindless: HashSet<ParamId>,
    metadata: Metadata,
    /// Names of types that nothing declares, in the order of the text. Those of a definition are told when it is left.
    undefined: Vec<ty_expr::Undefined<'t>>,
    /// Type parameters whose kind the first place that wants one decides.
    unkinded: HashSet<ParamId>,
    relations: relation::Relations,
    /// Of the many calls that have none.
    no_attrs: Arc<Attrs>,
    nets: tensorscript::Nets<'t>,
    next_def: u32,
    next_adt: u32,
    next_ctor: u32,
}

impl<'t> Lowering<'t> {
    fn new(tree: &'t Tree, library: Module) -> Self {
        let names = |i: usize| u32::try_from(i).expect("fewer than 2^32 ids");
        let Start { adts, ctors, defs, .. } = library.start;
        let mut errors = Vec::new();
        let metadata = Metadata::read(tree, &mut errors);
        // Most nodes are expressions, and most of those are visited.
        let mut module = library;
        module.exprs.reserve(tree.n_nodes());
        module.visits.reserve(tree.n_nodes());
        Lowering {
            tree,
            adts: Named::new(&module.library_names, |names| &names.adts),
            ctors: Named::new(&module.library_names, |names| &names.ctors),
            defs: Named::new(&module.library_names, |names| &names.defs),
            next_def: names(defs),
            next_adt: names(adts),
            next_ctor: names(ctors),
            errors,
            lowered: base::filled(Lowered::Nothing, tree.n_nodes()),
            open: Vec::new(),
            functions: Vec::new(),
            scope: Scope::default(),
            type_params: Vec::new(),
            type_param_marks: Vec::new(),
            skipping: None,
            by_place: HashMap::default(),
            last_match: None,
            lost_variables: Vec::new(),
            variants: module.variants.iter_enumerated().map(|(id, name)| (name.clone(), id)).collect(),
            recursive_lets: HashMap::default(),
            kindless: HashSet::default(),
            no_attrs: Attrs::none(),
            metadata,
            undefined: Vec::new(),
            unkinded: HashSet::default(),
            relations: relation::Relations::default(),
            nets: tensorscript::Nets::default(),
            module,
        }
    }

    fn enter(&mut self, node: NodeId) {
        self.open.push(node);
        if self.skipping.is_some() {
            return;
        }
        if self.tree.surface() == Surface::TensorScript && self.is_static(node) {
            self.skipping = Some(node);
            return;
        }
        if !self.by_place.is_empty() && self.is_by_place(self.open.iter().rev().nth(1).copied(), node) {
            self.skipping = Some(node);
            return;
        }
        match self.tree.kind(node) {
            NodeKind::Method => self.enter_method(node),
            NodeKind::Def | NodeKind::Fn | NodeKind::LetItem | NodeKind::GraphItem | NodeKind::ExprItem => {
                self.enter_function(node);
                self.declare_implicit(node);
            }
            // Its clauses are read before anything else.
            NodeKind::RelationItem if !self.relations.reading => self.skipping = Some(node),
            NodeKind::FnType | NodeKind::TypeDef | NodeKind::ExternType => {
                self.type_param_marks.push(self.type_params.len());
            }
            NodeKind::Block | NodeKind::Seq | NodeKind::Arm => self.scope.open(),
            NodeKind::LetStmt => self.enter_let(node),
            NodeKind::Call if self.is_constant_call(node) => self.skipping = Some(node),
            NodeKind::ArgList if self.tree.surface() != Surface::TensorScript => self.name_attrs(node),
            NodeKind::ListLit | NodeKind::CtorResult => {
                self.skipping = Some(node);
            }
            NodeKind::Attr if self.tree.surface() != Surface::TensorScript => {
                self.skipping = Some(node);
            }
            _ => {}
        }
    }

    fn leave(&mut self, node: NodeId) {
        self.open.pop();
        let was_skipped = self.skipping.is_some();
        match self.skipping {
            Some(skipped) if skipped != node => return,
            Some(_) => self.skipping = None,
            None => {}
        }
        let kind = self.tree.kind(node);
        if was_skipped && !self.by_place.is_empty() && self.is_by_place(self.open.last().copied(), node) {
            return;
        }
        if was_skipped && self.tree.surface() == Surface::TensorScript && kind != NodeKind::Call {
            // Who needs it reads it.
            return;
        }
        let lowered = match kind {
            NodeKind::File
            | NodeKind::Error
            | NodeKind::Version
            | NodeKind::Metadata
            | NodeKind::TypeParam
            | NodeKind::Param
            | NodeKind::CtorFields
            | NodeKind::CtorResult
            | NodeKind::RelationItem
            | NodeKind::RelationHead
            | NodeKind::GoalTrue
            | NodeKind::GoalBlock
            | NodeKind::Condition
            | NodeKind::Bound
            | NodeKind::TypeArgs
            | NodeKind::ArgList
            | NodeKind::Attr
            | NodeKind::VariantType
            | NodeKind::RowRest
            | NodeKind::ExprStmt
            | NodeKind::Use
            | NodeKind::UseName
            | NodeKind::DimItem
            | NodeKind::TsrItem
            | NodeKind::Net
            | NodeKind::Weights
            | NodeKind::Graph
            | NodeKind::Signature
            | NodeKind::Weight => Lowered::Nothing,
            NodeKind::Method => self.leave_method(node),
            NodeKind::DimAny if self.tree.surface() == Surface::TensorScript => self.stray_dim(node),
            NodeKind::NameRef | NodeKind::Call | NodeKind::Field | NodeKind::Pipe
                if self.tree.surface() == Surface::TensorScript =>
            {
                self.leave_stage(node, kind)
            }
            NodeKind::WhereClause => self.leave_where(node),
            NodeKind::WhereRelation | NodeKind::Equation | NodeKind::GoalIf => self.leave_goal(node, kind),
            NodeKind::TypeParams => self.bind_type_params(node),
            NodeKind::ParamList => self.bind_params(node),
            NodeKind::Def => self.leave_def(node),
            NodeKind::TypeDef | NodeKind::ExternType => self.leave_type_def(node),
            NodeKind::Ctor => self.leave_ctor(node),
            NodeKind::LetItem | NodeKind::GraphItem => self.leave_let_item(node),
            NodeKind::ExprItem => self.leave_expr_item(node),
            NodeKind::FreeVar => self.leave_free_var(node),
            NodeKind::LetStmt | NodeKind::GraphStmt | NodeKind::Assign => self.leave_let(node),
            NodeKind::Block
            | NodeKind::Seq
            | NodeKind::Literal
            | NodeKind::LocalRef
            | NodeKind::GraphRef
            | NodeKind::GlobalRef
            | NodeKind::NameRef
            | NodeKind::Hole
            | NodeKind::Paren
            | NodeKind::Tuple
            | NodeKind::ListLit
            | NodeKind::Variant
            | NodeKind::Fn
            | NodeKind::If
            | NodeKind::Match
            | NodeKind::RefNew
            | NodeKind::RefReadCall
            | NodeKind::RefWriteCall
            | NodeKind::Call
            | NodeKind::Project
            | NodeKind::Field
            | NodeKind::Unary
            | NodeKind::RefRead
            | NodeKind::Binary
            | NodeKind::RefWrite
            | NodeKind::Pipe => self.leave_expr(node, kind),
            NodeKind::Meta => self.leave_meta(node),
            NodeKind::Arm => {
                self.scope.close();
                Lowered::Nothing
            }
            NodeKind::WildPat
            | NodeKind::VarPat
            | NodeKind::NamePat
            | NodeKind::CtorPat
            | NodeKind::TuplePat
            | NodeKind::LitPat
            | NodeKind::OrPat
            | NodeKind::AsPat
            | NodeKind::VariantPat => self.leave_pattern(node, kind),
            NodeKind::HoleType
            | NodeKind::TensorType
            | NodeKind::ShapeLit
            | NodeKind::TupleType
            | NodeKind::ParenType
            | NodeKind::FnType
            | NodeKind::RefType
            | NodeKind::NameType
            | NodeKind::TypeCall
            | NodeKind::SumType
            | NodeKind::DimNum
            | NodeKind::DimAny
            | NodeKind::DimName
            | NodeKind::DimBinary
            | NodeKind::DimCall
            | NodeKind::Splice
            | NodeKind::Index
            | NodeKind::Slice
            | NodeKind::DimIf => self.leave_type(node, kind),
        };
        self.lowered[node.number() as usize] = lowered;
    }

    // What children became; an error node became nothing and stands for an error.

    fn expr_of(&mut self, node: NodeId) -> ExprId {
        match self.lowered[node.number() as usize] {
            Lowered::Expr(id) | Lowered::Let(_, id) => id,
            Lowered::Nothing | Lowered::Pat(_) | Lowered::Type(_) | Lowered::Goal(_) => {
                self.expr(ExprKind::Error, self.tree.span(node))
            }
        }
    }

    fn pat_of(&mut self, node: NodeId) -> PatId {
        match self.lowered[node.number() as usize] {
            Lowered::Pat(id) => id,
            Lowered::Nothing | Lowered::Expr(_) | Lowered::Let(..) | Lowered::Type(_) | Lowered::Goal(_) => {
                self.module.pats.push(Pat { kind: PatKind::Error, span: self.tree.span(node) })
            }
        }
    }

    fn type_of(&mut self, node: NodeId) -> TypeExprId {
        match self.lowered[node.number() as usize] {
            Lowered::Type(id) => id,
            Lowered::Nothing | Lowered::Expr(_) | Lowered::Let(..) | Lowered::Pat(_) | Lowered::Goal(_) => {
                self.type_expr(TypeExprKind::Error, self.tree.span(node))
            }
        }
    }

    /// Adds an expression and its place in evaluation order.
    fn expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.module.has_any |= match &kind {
            ExprKind::OpCall { op, attrs, .. } => op.row().leaves_sizes_open(attrs),
            ExprKind::Op(op) => op.row().leaves_sizes_open(&self.no_attrs),
            _ => false,
        };
        let id = self.unvisited_expr(kind, span);
        self.module.visits.push(crate::data::Visit::Expr(id));
        id
    }

    /// Adds an expression that is not evaluated by itself: the operator that a call names.
    fn unvisited_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.module.exprs.push(Expr { kind, span })
    }

    fn type_expr(&mut self, kind: TypeExprKind, span: Span) -> TypeExprId {
        self.module.type_exprs.push(TypeExpr { kind, span })
    }

    /// The text and place of the first of a node's own tokens of these kinds.
    fn own_token(&self, node: NodeId, kinds: &[TokenKind]) -> Option<(&'t str, Span)> {
        let tree = self.tree;
        let token = tree.own_tokens(node).find(|&token| kinds.contains(&tree.token_kind(token)))?;
        Some((tree.token_text(token), tree.token_span(token)))
    }

    fn current_function(&self) -> FnId {
        self.functions.last().expect("expressions stand in functions").id
    }

    fn function_mut(&mut self) -> &mut Function {
        let id = self.current_function();
        &mut self.module.functions[id]
    }

    /// Whether a misspelt name is compared with all others: of more mistakes nobody reads on, and each takes the longer
    /// the more names there are.
    fn suggests(&self) -> bool {
        self.errors.len() < MAX_SUGGESTIONS
    }

    /// The name nearest to a misspelt one.
    fn nearest<V: Copy>(&self, name: &str, names: &Named<V>) -> Option<String> {
        let mut names: Vec<&str> = if self.suggests() { names.names().list() } else { Vec::new() };
        base::sort(&mut names);
        base::nearest(name, names).map(str::to_owned)
    }
}
