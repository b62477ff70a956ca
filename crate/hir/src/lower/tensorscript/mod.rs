//! TensorScript: nodes, their weights and graphs.
//!
//! Declarations are read before the walk: names of nodes, dims, shapes and weights, with the arguments of layers, which
//! are all known without running anything. The walk then reaches the functions of graphs, whose bodies are made as any
//! other's; pipes apply layers ([`stage`]), each of which is a few calls of operators ([`layer`]).
//!
//! `M::f` takes the node first. Around its body a `match` takes the node apart, so that each weight is a variable. The
//! `?` of a signature is one dim parameter of the function, and so is each name of a dim that nothing declares.

mod args;
mod layer;
mod shape;
mod stage;
mod written;

use super::{Lowered, Lowering};
use crate::data::{
    Adt, Arm, Ctor, CtorId, Def, DefId, ExprId, ExprKind, Item, LocalId, LocalOrigin, Pat, PatId, PatKind, Place,
    TypeExprId, TypeExprKind, Visit,
};
use crate::error::{Duplicated, HirError};
use crate::layer_fault::LayerFault;
use crate::layers::{INITIALISERS, LAYERS, Layer};
use crate::net::{Init, MadeOf, Method, Net, Weight};
use base::{Append, Edited, HashMap, HashSet, Join, Span, ToList};
use shape::Alias;
use syntax::{Children, NodeId, NodeKind, TokenKind};
use ty::{Dtype, ParamId};

/// What the walk knows of the file's nodes.
#[derive(Default)]
pub(super) struct Nets<'t> {
    by_name: HashMap<&'t str, usize>,
    /// The names of each `node`, `weights` and `graph`.
    declared: HashSet<&'t str>,
    nodes_named: Vec<&'t str>,
    weights: HashSet<&'t str>,
    graphs: HashSet<&'t str>,
    aliases: HashMap<&'t str, Alias>,
    imports: HashMap<&'t str, Span>,
    parts: Vec<Parts<'t>>,
    /// The function that a method's node is: its node among the nets, and its place there.
    methods: HashMap<NodeId, (usize, DefId)>,
    /// And the other way round.
    nodes: HashMap<DefId, NodeId>,
    current: Option<Current<'t>>,
    /// How often a word stands in the text; of none before the first unknown name.
    n_mentions: HashMap<&'t str, usize>,
    /// Names that go round are told of once.
    is_endless: bool,
}

/// Where a node's parts stand.
#[derive(Default)]
struct Parts<'t> {
    /// Where `node` gives it its name.
    node: Option<Span>,
    /// What each part says that it takes and gives.
    signatures: Vec<[NodeId; 2]>,
    /// What it takes and gives.
    signature: Option<(NodeId, NodeId)>,
    aliases: HashMap<&'t str, Alias>,
    weights: Vec<NodeId>,
    /// Those that count, in the order of the node's own, and their places there by name.
    weight_nodes: Vec<NodeId>,
    weights_by_name: HashMap<&'t str, usize>,
    methods: Vec<NodeId>,
    methods_by_name: HashMap<&'t str, DefId>,
}

/// The function that is being lowered.
struct Current<'t> {
    net: usize,
    dims: HashMap<&'t str, ParamId>,
    this: LocalId,
    /// The node and the pattern that takes it apart.
    taken: Option<(ExprId, PatId)>,
    /// By field of the node's constructor.
    fields: Vec<LocalId>,
}

impl<'t> Lowering<'t> {
    /// Reads everything but the bodies of functions.
    pub(super) fn declare_nets(&mut self) {
        let tree = self.tree;
        for node in tree.children(tree.root()) {
            match (tree.kind(node), self.own_name(node)) {
                (NodeKind::Net, Some((name, _))) if self.nets.declared.insert(name) => self.nets.nodes_named.push(name),
                (NodeKind::Weights, Some((name, _))) => _ = self.nets.weights.insert(name),
                (NodeKind::Graph, Some((name, _))) => _ = self.nets.graphs.insert(name),
                _ => {}
            }
        }
        self.declare_aliases(&tree.children(tree.root()), None);
        for node in tree.children(tree.root()) {
            match tree.kind(node) {
                NodeKind::Use => self.import(node),
                NodeKind::Net | NodeKind::Weights | NodeKind::Graph => self.declare_part(node),
                _ => {}
            }
        }
        for net in 0..self.module.nets.len() {
            self.read_signature(net);
            self.declare_weights(net);
            self.declare_methods(net);
        }
        self.refuse_endless_nets();
    }

    fn own_name(&self, node: NodeId) -> Option<(&'t str, Span)> {
        self.own_token(node, &[TokenKind::Ident])
    }

    /// The arguments of a call.
    fn given(&self, call: NodeId) -> Children {
        self.tree.child(call, NodeKind::ArgList).map(|list| self.tree.children(list)).unwrap_or_default()
    }

    /// Tells of a second declaration.
    fn once(&mut self, what: Duplicated, name: &str, node: NodeId, first: Option<Span>) {
        if let (Some(first), Some((_, span))) = (first, self.own_name(node)) {
            self.duplicate(what, name, span, first);
        }
    }

    fn import(&mut self, node: NodeId) {
        let tree = self.tree;
        let path = tree.own_tokens(node).filter(|&token| tree.token_kind(token) == TokenKind::Ident);
        let path: Vec<_> = path.map(|token| (tree.token_text(token), tree.token_span(token))).list();
        let from = path.first().map(|&(module, _)| module);
        let names = tree.children(node).into_iter().filter(|&name| tree.kind(name) == NodeKind::UseName);
        let names: Vec<(&str, Span)> = names.map(|name| (tree.node_text(name), tree.span(name))).list();
        if let Some(&(module, span)) = path.first() {
            // Elsewhere they are in other modules.
            let layers = names.iter().map(|(name, _)| Layer::of_name(name)).some_list().unwrap_or_default();
            let home = layers.first().filter(|first| layers.iter().all(|layer| layer.module == first.module));
            let is_module = path.len() == 1 && LAYERS.iter().any(|layer| layer.module == module);
            let is_elsewhere = match home {
                Some(home) => names.len() == 1 && home.module != module,
                None => !layers.is_empty(),
            };
            if !is_module || is_elsewhere {
                let nearest = home.map(|home| home.module);
                let nearest = nearest.or_else(|| base::nearest(module, LAYERS.iter().map(|layer| layer.module)));
                let mut nearest = nearest.map(str::to_owned);
                let mut span = path.last().map_or(span, |&(_, last)| span.to(last));
                let (name, from) = match is_module {
                    true => {
                        let strange = layers.iter().position(|layer| layer.module != module);
                        (names[strange.unwrap_or(0)].0, from)
                    }
                    false => (&tree.text()[span.range()], None),
                };
                let (name, from) = (name.to_owned(), from.map(str::to_owned));
                if home.is_none() && !layers.is_empty() {
                    // One `use` for each.
                    let homes = layers.iter().map(|layer| format!("{}::{}", layer.module, layer.name)).list();
                    nearest = Some(homes.joined("; use "));
                    span.end = tree.span(node).start + base::trim_end(tree.node_text(node), ";").len() as u32;
                }
                self.errors.push(HirError::UnknownImport { name, from, span, nearest });
                // That they are not imported is no second mistake.
                names.into_iter().for_each(|(name, span)| _ = self.nets.imports.entry(name).or_insert(span));
                return;
            }
        }
        for (name, span) in names {
            let is_here = |layer: &&Layer| from.is_none_or(|from| layer.module == from);
            match LAYERS.iter().filter(is_here).any(|layer| layer.name == name) {
                // Twice is no mistake, and no news.
                true if self.nets.imports.contains_key(name) => {}
                true => {
                    self.nets.imports.insert(name, span);
                    self.module.unused_imports.push(span);
                }
                false => {
                    let here = LAYERS.iter().filter(is_here).map(|layer| layer.name).list();
                    let nearest = nearest_layer(name, &here);
                    self.errors.push(HirError::UnknownImport {
                        name: name.to_owned(),
                        from: from.map(str::to_owned),
                        span,
                        nearest: nearest.map(str::to_owned),
                    });
                    for name in [Some(name), nearest].into_iter().flatten() {
                        self.nets.imports.entry(name).or_insert(span);
                    }
                }
            }
        }
    }

    /// A `node`, `weights` or `graph`: what the three of one name say together.
    fn declare_part(&mut self, node: NodeId) {
        let tree = self.tree;
        let (mut name, name_span) = self.own_name(node).unwrap_or(("", tree.span(node)));
        // Of a name that is nearly that of a node, it belongs there, unless the node has such a part.
        if let Some(near) = self.misnamed(node, name, name_span) {
            if near.is_empty() {
                return;
            }
            name = near;
        }
        let net = match self.nets.by_name.get(name) {
            Some(&net) => net,
            None => {
                let net = self.module.nets.len();
                let adt = self.module.adts.push(Adt {
                    name: name.to_owned(),
                    name_span,
                    params: Vec::new(),
                    ctors: Vec::new(),
                    is_extern: false,
                });
                let ctor = Ctor { name: name.to_owned(), name_span, adt, fields: Vec::new(), result_span: None };
                let ctor = self.module.ctors.push(ctor);
                self.module.adts[adt].ctors.push(ctor);
                self.module.items.push(Item::Adt(adt));
                let (weights, methods) = (Vec::new(), Vec::new());
                self.module.nets.push(Net { name: name.to_owned(), name_span, adt, weights, methods });
                self.nets.parts.push(Parts::default());
                if !name.is_empty() {
                    self.nets.by_name.insert(name, net);
                }
                net
            }
        };
        if tree.kind(node) == NodeKind::Net {
            if let Some(first) = self.nets.parts[net].node {
                self.duplicate(Duplicated::Type, name, name_span, first);
                return;
            }
            self.nets.parts[net].node = Some(name_span);
        }
        let signature = tree.child(node, NodeKind::Signature).map(|signature| tree.children(signature));
        if let Some(&[input, output, ..]) = signature.as_deref() {
            self.nets.parts[net].signatures.push([input, output]);
        }
        self.declare_aliases(&tree.children(node), Some(net));
        for member in tree.children(node) {
            match tree.kind(member) {
                NodeKind::Weight => self.nets.parts[net].weights.push(member),
                NodeKind::Method => self.nets.parts[net].methods.push(member),
                _ => {}
            }
        }
    }

    /// What a node takes and gives: what most of its parts say, the first of them if as many say other things. Those
    /// others are told of.
    fn read_signature(&mut self, net: usize) {
        let signatures = self.nets.parts[net].signatures.clone();
        let Some(&(mut signature)) = signatures.first() else { return };
        for side in 0..if signatures.len() > 1 { 2 } else { 0 } {
            let said = signatures.iter().map(|sides| sides[side]);
            let said: Vec<_> = said.filter_map(|node| Some((node, self.shape(node, Some(net))?))).list();
            // One of each, with how many there are.
            let mut kinds: Vec<(usize, usize)> = Vec::new();
            for (at, (_, dims)) in said.iter().enumerate() {
                match kinds.iter_mut().find(|(first, _)| self.is_same(dims, &said[*first].1, net)) {
                    Some((_, n)) => *n += 1,
                    None => kinds.push((at, 1)),
                }
            }
            let Some(&(at, _)) = kinds.iter().rev().max_by_key(|(_, n)| *n) else { continue };
            let (most, dims) = &said[at];
            signature[side] = *most;
            for (node, other) in &said {
                if !self.is_same(dims, other, net) {
                    self.other_type(net, *node, *most);
                }
            }
        }
        self.nets.parts[net].signature = Some((signature[0], signature[1]));
    }

    fn other_type(&mut self, net: usize, node: NodeId, first: NodeId) {
        let (name, text) = (self.module.nets[net].name.clone(), self.tree.node_text(first).to_owned());
        let (span, first) = (self.tree.span(node), self.tree.span(first));
        self.errors.push(HirError::NetSignature { name, span, first, text });
    }

    /// Tells of a `weights` or `graph` whose node there is not. The name of the node that is meant; none that it could
    /// be a part of if that is empty.
    fn misnamed(&mut self, node: NodeId, name: &str, span: Span) -> Option<&'t str> {
        let tree = self.tree;
        let kind = tree.kind(node);
        if kind == NodeKind::Net || name.is_empty() || self.nets.declared.contains(name) {
            return None;
        }
        let nodes = &self.nets.nodes_named;
        let others = if kind == NodeKind::Weights { &self.nets.weights } else { &self.nets.graphs };
        let near = match nodes[..] {
            // There is only one whose part it can be.
            [only] if !others.contains(only) => Some(only),
            _ => base::nearest(name, nodes.iter().copied()),
        };
        let near = near.and_then(|near| nodes.iter().copied().find(|node| *node == near));
        let has_part = near.is_some_and(|near| others.contains(near));
        let signature = tree.child(node, NodeKind::Signature).filter(|_| near.is_none());
        let declared = signature.map(|signature| {
            let at = tree.span(node).start;
            (Span::new(at, at), format!("node {name}{} {{}}\n", tree.node_text(signature)))
        });
        let nearest = near.map(str::to_owned);
        // Said once: the fix makes a node for all parts of the name.
        let is_first = !self.nets.by_name.contains_key(name);
        if is_first || near.is_some() {
            self.errors.push(HirError::UnknownNode { name: name.to_owned(), span, nearest, declared });
        }
        near.map(|near| if has_part { "" } else { near })
    }

    fn declare_weights(&mut self, net: usize) {
        let tree = self.tree;
        let mut fields: Vec<TypeExprId> = Vec::new();
        for node in self.nets.parts[net].weights.clone() {
            let words = tree.own_tokens(node).filter(|&token| tree.token_kind(token) == TokenKind::Ident);
            let words: Vec<_> = words.map(|token| (tree.token_text(token), tree.token_span(token))).list();
            let Some((&(name, span), words)) = words.split_first() else { continue };
            if let Some(&first) = self.nets.parts[net].weights_by_name.get(name) {
                let first = self.module.nets[net].weights[first].span;
                self.duplicate(Duplicated::Weight, name, span, first);
                continue;
            }
            if let Some(&(function, span)) = words.get(1).filter(|(function, _)| *function != "new") {
                let nearest = Some("new".to_owned());
                self.errors.push(HirError::UnknownName { name: function.to_owned(), span, nearest });
            }
            let first_field = fields.len();
            // What could not be read has its name all the same.
            let made_of = match words.first() {
                Some(&(made_of, span)) => self.made_of(net, node, made_of, span),
                None => MadeOf::Unknown,
            };
            match &made_of {
                MadeOf::Layer(layer, args) => {
                    let given = self.given(node);
                    for parameter in layer.parameters(args) {
                        // Their types are not written anywhere, but most sizes are.
                        let behind = Span::new(span.end, span.end);
                        let sizes = parameter.shape.iter().zip(&parameter.from);
                        let dims = sizes.map(|(&size, from)| {
                            let is_from = |&&arg: &&NodeId| self.own_name(arg).is_some_and(|(name, _)| name == *from);
                            let value = given.iter().find(is_from).and_then(|&arg| tree.children(arg).first().copied());
                            (TypeExprKind::Dim(size), value.map_or(behind, |value| tree.span(value)))
                        });
                        let dims = dims.list();
                        fields.push(self.tensor_type(dims, behind));
                    }
                }
                MadeOf::Net(inner) => {
                    let adt = self.module.nets[*inner].adt;
                    fields.push(self.type_expr(TypeExprKind::Adt { adt, args: Vec::new() }, span));
                }
                MadeOf::Unknown => {}
            }
            let own = first_field..fields.len();
            let weight = Weight { name: name.to_owned(), span, made_of, fields: own, is_used: false, init: None };
            let parts = &mut self.nets.parts[net];
            parts.weights_by_name.insert(name, parts.weight_nodes.len());
            parts.weight_nodes.push(node);
            self.module.nets[net].weights.push(weight);
        }
        let ctor = self.ctor_of(net);
        self.module.ctors[ctor].fields = fields;
    }

    fn made_of(&mut self, net: usize, node: NodeId, name: &str, span: Span) -> MadeOf {
        let given = self.given(node);
        if let Some(&inner) = self.nets.by_name.get(name) {
            if let Some(&arg) = given.first() {
                self.refuse_layer(self.tree.span(arg), LayerFault::NodeTakesNothing { node: name.to_owned() });
            }
            return MadeOf::Net(inner);
        }
        match self.layer_of(name, span) {
            Some(layer) if layer.is_weight() => match self.layer_args(layer, &given, span, Some(net)) {
                Some(args) => MadeOf::Layer(layer, args),
                None => MadeOf::Unknown,
            },
            Some(_) => {
                self.refuse_layer(span, LayerFault::WithoutWeights { layer: name.to_owned() });
                MadeOf::Unknown
            }
            None => MadeOf::Unknown,
        }
    }

    /// The layer of a name, if it may be used here; otherwise why not has been said.
    fn layer_of(&mut self, name: &str, span: Span) -> Option<&'static Layer> {
        let Some(layer) = Layer::of_name(name) else {
            let mut names: Vec<&str> = self.nets.by_name.keys().copied().list();
            names.append_all(LAYERS.iter().map(|layer| layer.name));
            base::sort(&mut names);
            let nearest = nearest_layer(name, &names);
            self.errors.push(match nearest.and_then(Layer::of_name) {
                Some(layer) if !layer.is_weight() => {
                    let fault = LayerFault::WithoutWeights { layer: layer.name.to_owned() };
                    HirError::LayerArgument { span, fault }
                }
                _ => HirError::UnknownLayer { name: name.to_owned(), span, nearest: nearest.map(str::to_owned) },
            });
            return None;
        };
        if let Some(&import) = self.nets.imports.get(name) {
            self.module.unused_imports.keep(|&unused| unused != import);
        } else {
            // Said once for each name.
            self.nets.imports.insert(layer.name, span);
            let import = format!("use {}::{name};\n", layer.module);
            let tree = self.tree;
            let items = tree.children(tree.root());
            let at = items.first().map_or(0, |&first| tree.span(first).start);
            self.errors.push(HirError::NotImported { name: name.to_owned(), span, import, at: Span::new(at, at) });
        }
        Some(layer)
    }

    fn ctor_of(&self, net: usize) -> CtorId {
        self.module.adts[self.module.nets[net].adt].ctors[0]
    }

    fn declare_methods(&mut self, net: usize) {
        let mut inits = None;
        for node in self.nets.parts[net].methods.clone() {
            let Some((name, name_span)) = self.own_name(node) else { continue };
            if name == "new" {
                match inits.replace(name_span) {
                    Some(first) => self.duplicate(Duplicated::Definition, name, name_span, first),
                    None => self.read_inits(net, node),
                }
                continue;
            }
            // A weight and a function are both `self.name`.
            let function = self.nets.parts[net].methods_by_name.get(name).map(|&def| self.module.defs[def].name_span);
            let weight = self.nets.parts[net].weights_by_name.get(name);
            let weight = weight.map(|&weight| self.module.nets[net].weights[weight].span);
            if let Some(first) = function.or(weight) {
                self.duplicate(Duplicated::Definition, name, name_span, first);
                continue;
            }
            let full = format!("{}::{name}", self.module.nets[net].name);
            let def = self.module.defs.push(Def { name: full, name_span, function: crate::data::NO_FUNCTION });
            self.module.nets[net].methods.push(Method { name: name.to_owned(), def });
            self.nets.parts[net].methods_by_name.insert(name, def);
            self.nets.methods.insert(node, (net, def));
            self.nets.nodes.insert(def, node);
        }
    }

    /// What `new` does: initialisers of weights, each once, and the node itself at last.
    fn read_inits(&mut self, net: usize, node: NodeId) {
        let tree = self.tree;
        let Some(block) = tree.child(node, NodeKind::Block) else { return };
        for statement in tree.children(block) {
            let call = match tree.kind(statement) {
                NodeKind::ExprStmt => tree.children(statement).first().copied().unwrap_or(statement),
                _ => statement,
            };
            if tree.kind(call) == NodeKind::Error || tree.node_text(call) == "self" {
                continue;
            }
            if !self.read_init(net, call) {
                self.refuse_layer(tree.span(call), LayerFault::NotAnInit);
            }
        }
    }

    /// `fc1.init_normal(std=1.)`. Whether it has that form.
    fn read_init(&mut self, net: usize, call: NodeId) -> bool {
        let tree = self.tree;
        let (NodeKind::Field, Some((function, span))) = (tree.kind(call), self.own_name(call)) else { return false };
        let Some(&weight) = tree.children(call).first() else { return false };
        let Some((name, weight_span)) = self.weight_named(weight) else { return false };
        let Some(&at) = self.nets.parts[net].weights_by_name.get(name) else {
            let names: Vec<&str> = self.module.nets[net].weights.iter().map(|weight| weight.name.as_str()).list();
            let nearest = base::nearest(name, names).map(str::to_owned);
            self.errors.push(HirError::UnboundVariable { name: name.to_owned(), span: weight_span, nearest });
            return true;
        };
        let Some(params) = args::initialiser(function) else {
            let nearest = base::nearest(function, INITIALISERS.iter().map(|(name, _)| *name));
            let (name, nearest) = (function.to_owned(), nearest.map(str::to_owned));
            self.errors.push(HirError::UnknownName { name, span, nearest });
            return true;
        };
        // What an initialiser fills is the parameter `weight`; those that look at fans want a matrix at least.
        let rank = match &self.module.nets[net].weights[at].made_of {
            MadeOf::Layer(layer, args) => {
                let parameters = layer.parameters(args);
                parameters.into_iter().find(|parameter| parameter.name == "weight").map(|weight| weight.shape.len())
            }
            MadeOf::Net(_) => None,
            MadeOf::Unknown => return true,
        };
        let least =
            if ["xavier", "kaiming"].iter().any(|method| base::find(function, method).is_some()) { 2 } else { 1 };
        if rank.is_none_or(|rank| rank < least) {
            let weight = name.to_owned();
            let fault = match rank {
                None => LayerFault::NothingToFill { weight },
                Some(_) => LayerFault::FillsMatrices { weight, init: function.to_owned() },
            };
            self.refuse_layer(span, fault);
            return true;
        }
        let given = self.given(call);
        if let Some(args) = self.static_args(function, params, &given, span, Some(net)) {
            self.module.nets[net].weights[at].init = Some(Init { name: function.to_owned(), args });
        }
        true
    }

    /// A node that holds itself, through others perhaps, has no end.
    fn refuse_endless_nets(&mut self) {
        // By node: 0 not seen, 1 above in the search, 2 done.
        let mut states = base::filled(0_u8, self.module.nets.len());
        for root in 0..states.len() {
            let mut path: Vec<(usize, usize)> = vec![(root, 0)];
            if states[root] == 0 {
                states[root] = 1;
            } else {
                continue;
            }
            while let Some((net, next)) = path.last_mut() {
                let Some(weight) = self.module.nets[*net].weights.get_mut(*next) else {
                    states[*net] = 2;
                    path.pop();
                    continue;
                };
                *next += 1;
                let MadeOf::Net(inner) = weight.made_of else { continue };
                match states[inner] {
                    0 => {
                        states[inner] = 1;
                        path.push((inner, 0));
                    }
                    1 => {
                        let (name, span) = (weight.name.clone(), weight.span);
                        let (field, holder) = (weight.fields.start, *net);
                        weight.made_of = MadeOf::Unknown;
                        let ctor = self.module.adts[self.module.nets[holder].adt].ctors[0];
                        let error = self.type_expr(TypeExprKind::Error, span);
                        self.module.ctors[ctor].fields[field] = error;
                        self.errors.push(HirError::EndlessNet { name, span });
                    }
                    _ => {}
                }
            }
        }
    }

    /// A function of a node that applies itself, through others perhaps, has no end if none of them has an `if`.
    pub(in crate::lower) fn refuse_endless_methods(&mut self) {
        let methods: Vec<DefId> = self.module.nets.iter().list_all(|net| net.methods.iter().map(|method| method.def));
        let place: HashMap<DefId, usize> = methods.iter().enumerate().map(|(place, &def)| (def, place)).collect();
        let uses = |&def: &DefId| {
            let function = self.module.defs[def].function;
            // One that could not be read has none.
            let is_read = (function.number() as usize) < self.module.functions.len();
            let used = is_read.then(|| &self.module.functions[function].uses_defs).into_iter().flatten();
            used.filter_map(|used| place.get(used).copied()).list()
        };
        let edges: Vec<Vec<usize>> = methods.iter().map(uses).list();
        let decides = |&place: &usize| {
            let function = self.module.defs[methods[place]].function;
            let is_if = |visit: &Visit| match *visit {
                Visit::Expr(expr) => matches!(self.module.exprs[expr].kind, ExprKind::If { .. }),
                Visit::Let(..) | Visit::Pattern(..) => false,
            };
            self.module.visits[self.module.functions[function].visits.clone()].iter().any(is_if)
        };
        for group in base::components(&edges) {
            let is_cycle = group.len() > 1 || edges[group[0]].contains(&group[0]);
            if is_cycle && !group.iter().any(decides) {
                let Def { name, name_span, .. } = self.module.defs[methods[group[0]]].clone();
                self.errors.push(HirError::EndlessMethod { name, span: name_span });
            }
        }
    }

    // Functions

    /// Opens a function of a graph; one that only initialises is not walked.
    pub(super) fn enter_method(&mut self, node: NodeId) {
        let Some(&(net, def)) = self.nets.methods.get(&node) else {
            self.skipping = Some(node);
            return;
        };
        self.enter_function(node);
        self.module.defs[def].function = self.current_function();
        let name_span = self.module.defs[def].name_span;
        let this = self.new_local("self", name_span, LocalOrigin::Param);
        let adt = self.module.nets[net].adt;
        let annotation = self.type_expr(TypeExprKind::Adt { adt, args: Vec::new() }, name_span);
        self.module.locals[this].annotation = Some(annotation);
        let dims = HashMap::default();
        self.nets.current = Some(Current { net, dims, this, taken: None, fields: Vec::new() });
        let params = self.method_params(node, net);
        self.function_mut().params = [&[this], &params[..]].concat();
        self.take_apart(net, this, name_span);
    }

    /// The parameters after the node itself. What `forward` takes is what the node takes.
    fn method_params(&mut self, node: NodeId, net: usize) -> Vec<LocalId> {
        let tree = self.tree;
        let is_forward = self.own_name(node).is_some_and(|(name, _)| name == "forward");
        let input = self.nets.parts[net].signature.map(|(input, _)| input).filter(|_| is_forward);
        let mut params: Vec<LocalId> = Vec::new();
        let list = tree.child(node, NodeKind::ParamList).map(|list| tree.children(list)).unwrap_or_default();
        for param in list {
            let (NodeKind::Param, Some((name, span))) = (tree.kind(param), self.own_name(param)) else { continue };
            if name == "self" {
                let rest = base::trim_start(&tree.text()[span.end as usize..], ", ");
                let gone = Span::new(span.start, (tree.text().len() - rest.len()) as u32);
                self.errors.push(HirError::SelfParameter { span, gone });
                continue;
            }
            if let Some(&first) = params.iter().find(|&&param| self.module.local_name(param) == name) {
                let first = self.module.locals[first].span;
                self.duplicate(Duplicated::Parameter, name, span, first);
            }
            let written = tree.children(param).first().copied();
            let implied = input.filter(|_| params.is_empty());
            let is_other = written.zip(implied).is_some_and(|(written, implied)| self.differ(written, implied, net));
            let mut annotation = match written.or(implied) {
                // Either may be meant.
                Some(_) if is_other => Some(self.type_expr(TypeExprKind::Error, span)),
                ty => ty.and_then(|ty| self.value_type(ty, net)),
            };
            if let Some(input) = input.filter(|_| !params.is_empty()) {
                let name = self.module.nets[net].name.clone();
                self.errors.push(HirError::ForwardParameter { name, span, first: tree.span(input) });
                annotation = annotation.or_else(|| Some(self.type_expr(TypeExprKind::Error, span)));
            }
            let local = self.new_local(name, span, LocalOrigin::Param);
            self.module.locals[local].annotation = annotation;
            self.bind_local(local);
            params.push(local);
        }
        if params.is_empty() && is_forward {
            let span = self.own_name(node).map_or(tree.span(node), |(_, span)| span);
            let local = self.new_local("x", span, LocalOrigin::Param);
            self.module.locals[local].annotation = input.and_then(|input| self.value_type(input, net));
            self.scope.bind("x", local);
            params.push(local);
        }
        params
    }

    /// Whether `forward` writes something else than the node says, which is told.
    fn differ(&mut self, written: NodeId, implied: NodeId, net: usize) -> bool {
        let (Some(a), Some(b)) = (self.shape(written, Some(net)), self.shape(implied, Some(net))) else { return false };
        let is_other = !self.is_same(&a, &b, net);
        if is_other {
            self.other_type(net, written, implied);
        }
        is_other
    }

    /// Makes a variable of each field of the node.
    fn take_apart(&mut self, net: usize, this: LocalId, span: Span) {
        let ctor = self.ctor_of(net);
        let mut fields: Vec<LocalId> = Vec::new();
        for at in 0..self.module.nets[net].weights.len() {
            let weight = self.module.nets[net].weights[at].clone();
            match &weight.made_of {
                MadeOf::Layer(layer, args) => {
                    // The name in the text is the first one's; the others stand at its end.
                    let mut at = weight.span;
                    for parameter in layer.parameters(args) {
                        let name = format!("{}.{}", weight.name, parameter.name);
                        fields.push(self.new_local(&name, at, LocalOrigin::Pattern));
                        at = Span::new(weight.span.end, weight.span.end);
                    }
                }
                // A node that would hold itself is unknown, and has its field.
                MadeOf::Net(_) | MadeOf::Unknown => {
                    for _ in weight.fields {
                        fields.push(self.new_local(&weight.name, weight.span, LocalOrigin::Pattern));
                    }
                }
            }
        }
        let taken = (!fields.is_empty()).then(|| {
            let place = Place::Own(self.module.locals[this].slot);
            let scrutinee = self.expr(ExprKind::Local(this, place), span);
            let mut pats = Vec::new();
            for &field in &fields {
                let span = self.module.locals[field].span;
                pats.push(self.module.pats.push(Pat { kind: PatKind::Var(field), span }));
            }
            let pat = self.module.pats.push(Pat { kind: PatKind::Ctor(ctor, pats), span });
            self.module.visits.push(Visit::Pattern(scrutinee, pat));
            (scrutinee, pat)
        });
        if let Some(current) = &mut self.nets.current {
            (current.taken, current.fields) = (taken, fields);
        }
    }

    pub(super) fn leave_method(&mut self, node: NodeId) -> Lowered {
        let Some(&(net, def)) = self.nets.methods.get(&node) else { return Lowered::Nothing };
        let tree = self.tree;
        let children = tree.children(node);
        let body = children.last().copied().filter(|&body| tree.kind(body) == NodeKind::Block);
        let mut value = match body {
            Some(body) => self.expr_of(body),
            None => self.expr(ExprKind::Error, tree.span(node)),
        };
        if let Some((scrutinee, pat)) = self.nets.current.as_ref().and_then(|current| current.taken) {
            let arms = vec![Arm { pat, body: value }];
            let span = self.module.exprs[value].span;
            value = self.expr(ExprKind::Match { scrutinee, arms, is_partial: false }, span);
        }
        let is_type = |&child: &NodeId| !matches!(tree.kind(child), NodeKind::ParamList | NodeKind::Block);
        let written = children.into_iter().find(is_type);
        let is_forward = self.own_name(node).is_some_and(|(name, _)| name == "forward");
        let implied = self.nets.parts[net].signature.map(|(_, output)| output).filter(|_| is_forward);
        if let (Some(written), Some(implied)) = (written, implied) {
            self.differ(written, implied, net);
        }
        let result = implied.or(written).and_then(|ty| self.value_type(ty, net));
        self.close_function_with(value, result);
        self.nets.current = None;
        self.module.items.push(Item::Def(def));
        Lowered::Nothing
    }

    /// A tensor of float32.
    fn tensor_type(&mut self, dims: Vec<(TypeExprKind, Span)>, span: Span) -> TypeExprId {
        let dims = dims.into_iter().map(|(dim, span)| self.type_expr(dim, span)).list();
        let shape = self.type_expr(TypeExprKind::Shape(dims), span);
        let dtype = self.type_expr(TypeExprKind::Dtype(Dtype::Float32), span);
        self.type_expr(TypeExprKind::Tensor { shape, dtype }, span)
    }

    fn unknown_name(&mut self, name: &'t str, span: Span) -> ExprId {
        let net = self.nets.current.as_ref().map(|current| current.net);
        if let Some(&node) = self.nets.by_name.get(name) {
            let is_one = |weight: &&Weight| matches!(weight.made_of, MadeOf::Net(inner) if inner == node);
            let weight = net.and_then(|net| self.module.nets[net].weights.iter().find(is_one));
            let weight = weight.map(|weight| weight.name.clone());
            self.errors.push(HirError::NodeAsValue { name: name.to_owned(), span, weight });
            return self.expr(ExprKind::Error, span);
        }
        let is_dim = self.nets.current.as_ref().is_some_and(|current| current.dims.contains_key(name));
        if is_dim || net.is_some_and(|net| self.is_in_signature(name, net)) {
            self.refuse_layer(span, LayerFault::OpenDim { name: name.to_owned(), is_in_body: false });
            return self.expr(ExprKind::Error, span);
        }
        if self.nets.n_mentions.is_empty() {
            for word in self.tree.text().split(|c| !base::is_in_name(c)) {
                let n = self.nets.n_mentions.get(word).map_or(1, |n| n + 1);
                self.nets.n_mentions.insert(word, n);
            }
        }
        let mut names = vec!["view", "self"];
        names.append_all(LAYERS.iter().map(|layer| layer.name));
        let weights = net.map(|net| &self.module.nets[net].weights[..]).unwrap_or_default();
        names.append_all(weights.iter().map(|weight| weight.name.as_str()));
        base::sort(&mut names);
        if names.contains(&name) {
            self.refuse_layer(span, LayerFault::NoValue { name: name.to_owned() });
            return self.expr(ExprKind::Error, span);
        }
        let names: Vec<&str> = self.scope.names().into_iter().chain(names).list();
        // A weight that is mentioned nowhere else is the likeliest.
        let is_unused = |weight: &&str| self.nets.n_mentions.get(weight) == Some(&1);
        let unused = weights.iter().map(|weight| &*weight.name).filter(is_unused);
        let nearest = base::nearest(name, unused).or_else(|| nearest_layer(name, &names)).map(str::to_owned);
        self.errors.push(HirError::UnboundVariable { name: name.to_owned(), span, nearest });
        self.expr(ExprKind::Error, span)
    }
}

/// The name that is meant by one: without regard to capitals and underscores, by what it is called elsewhere, or the
/// nearest.
fn nearest_layer<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    const ELSEWHERE: &[(&str, &str)] = &[
        ("bmm", "matmul"),
        ("concat", "cat"),
        ("concatenate", "cat"),
        ("dot", "matmul"),
        ("max", "amax"),
        ("min", "amin"),
        ("reshape", "view"),
        ("swapaxes", "transpose"),
        ("swish", "silu"),
    ];
    let bare = |name: &str| base::replace(name, "_", "").to_ascii_lowercase();
    let (wanted, own) = (bare(name), ELSEWHERE.iter().find(|(other, _)| *other == name).map(|(_, own)| *own));
    let found = names.iter().copied().find(|&near| near != name && (Some(near) == own || bare(near) == wanted));
    found.or_else(|| base::nearest(name, names.iter().copied()))
}
