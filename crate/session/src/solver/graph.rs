//! The bipartite graph of variables and relations.
//!
//! A variable is a class as it is in the end, so plain equations that hold are no nodes: what they equate is one
//! variable. A relation stands for those that it posted as well. Many nodes are gathered in clusters: first by
//! function, then by rows of a function's relations in source order, so that a cluster is a piece of the text.
//!
//! Worked example. `nn.relu(%x) + %y` gives `t0 → Identity → t2`, `t2, t1 → Broadcast → t3`.

use super::known::KnownFrom;
use super::places::Place;
use super::stops::Index;
use super::{Recording, Seen};
use crate::Analysis;
use crate::page::span_view;
use crate::view::solver::{
    EdgeView, GraphNodeView, GraphStateView, GraphView, NodeKindView, OpenView, RelationStateView,
};
use base::{HashMap, HashSet, MapArray, Span, ToList};
use infer::Inferred;
use solve::{EQUAL, RelationId, State};
use std::ops::Range;
use ty::{TermId, Terms};

/// More nodes than this are clustered.
const MAX_NODES: usize = 300;
/// A cluster of more nodes than this is made of clusters.
const MAX_IN_CLUSTER: usize = 60;
/// How many clusters it is made of.
const N_PARTS: usize = 12;
/// At most this many cells of a variable are asked what is known of it.
const MAX_MENTIONS: usize = 8;

/// Closed clusters show at most this many failures.
const MAX_FAILED: usize = 1000;
/// Fewer nodes than this are drawn instead of their cluster.
const MIN_IN_CLUSTER: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Node {
    Variable(TermId),
    Relation(RelationId),
}

/// The whole graph.
pub(super) struct Net {
    /// By function, and there in the order of the relations, each behind the variables that it mentions first.
    nodes: Vec<Node>,
    /// For each function that has nodes, its number and which they are.
    functions: Vec<(u32, Range<usize>)>,
    relation_places: HashMap<RelationId, u32>,
    variable_places: HashMap<TermId, u32>,
    /// By node, the cells of a variable that are arguments of relations.
    mentions: Vec<Vec<TermId>>,
    /// By node, the relations that were posted by one, or by those that it posted.
    parts: Vec<Vec<RelationId>>,
    /// By node, how many events must be done for it to be known, solved or generalised.
    done: Vec<u32>,
}

/// What is drawn in one place: a node, or a cluster.
struct Item {
    nodes: Range<usize>,
    id: String,
    is_cluster: bool,
    /// How many events must be done for all in it to be known, solved or generalised.
    done: u32,
}

/// A graph as it was drawn.
#[derive(Default)]
pub(super) struct Drawn {
    items: Vec<Item>,
    /// Of each variable that is known its type, once it has been asked for.
    texts: Vec<String>,
}

impl Net {
    pub fn new(inferred: &Inferred, index: &Index) -> Net {
        let solver = &inferred.solver;
        let mut of_function: Vec<Vec<RelationId>> = base::filled(Vec::new(), index.functions.len().max(1));
        for (id, posted) in (0..).map(RelationId::numbered).zip(solver.relations()) {
            let history = &index.relations[id.number() as usize];
            let is_edge = posted.relation.is(&EQUAL) && posted.state == State::Solved;
            if history.parent.is_none() && !is_edge {
                let stop = history.runs.first().map_or(0, |&run| index.stops[run as usize].function);
                of_function[stop as usize].push(id);
            }
        }
        let mut net = Net {
            nodes: Vec::new(),
            functions: Vec::new(),
            relation_places: HashMap::default(),
            variable_places: HashMap::default(),
            mentions: Vec::new(),
            parts: Vec::new(),
            done: Vec::new(),
        };
        for (function, relations) in (0..).zip(of_function) {
            let from = net.nodes.len();
            for id in relations {
                for &arg in &solver.relation(id).args {
                    let root = solver.root(arg);
                    let place = *net.variable_places.entry(root).or_insert_with(|| {
                        net.nodes.push(Node::Variable(root));
                        net.mentions.push(Vec::new());
                        net.nodes.len() as u32 - 1
                    });
                    let mentions = &mut net.mentions[place as usize];
                    if mentions.last() != Some(&arg) && mentions.len() < MAX_MENTIONS {
                        mentions.push(arg);
                    }
                }
                net.relation_places.insert(id, net.nodes.len() as u32);
                net.nodes.push(Node::Relation(id));
                net.mentions.push(Vec::new());
            }
            if net.nodes.len() > from {
                net.functions.push((function, from..net.nodes.len()));
            }
        }
        net.parts = base::filled(Vec::new(), net.nodes.len());
        for (id, history) in (0..).map(RelationId::numbered).zip(&index.relations) {
            let whole = history.parent.map(|parent| index.whole(parent));
            if let Some(&place) = whole.and_then(|whole| net.relation_places.get(&whole)) {
                net.parts[place as usize].push(id);
            }
        }
        let mut known = KnownFrom::new(solver, index);
        for (at, node) in net.nodes.iter().enumerate() {
            net.done.push(match *node {
                Node::Variable(_) => net.mentions[at].iter().map(|&cell| known.of(cell)).min().unwrap_or(u32::MAX),
                Node::Relation(id) => net.parts[at]
                    .iter()
                    .chain([&id])
                    .map(|part| index.relations[part.number() as usize].done)
                    .fold(0, u32::max),
            });
        }
        net
    }

    /// What is drawn instead of a closed cluster.
    fn inside(&self, cluster: &Item) -> Vec<Item> {
        let Range { start, end } = cluster.nodes;
        let n = end - start;
        if n <= MAX_IN_CLUSTER {
            return (start..end).map(|at| self.single(at)).list();
        }
        let nodes = |part: usize| start + part * n / N_PARTS..start + (part + 1) * n / N_PARTS;
        (0..N_PARTS).map(|part| self.cluster(nodes(part), format!("{}.{part}", cluster.id))).list()
    }

    fn single(&self, at: usize) -> Item {
        Item { is_cluster: false, ..self.cluster(at..at + 1, String::new()) }
    }

    fn cluster(&self, nodes: Range<usize>, id: String) -> Item {
        let done = self.done[nodes.clone()].iter().fold(0, |all, &done| all.max(done));
        Item { nodes, id, is_cluster: true, done }
    }
}

impl Recording {
    /// The node that a relation is, or is a part of.
    pub(super) fn node_of(&self, id: RelationId) -> Option<RelationId> {
        let whole = self.index.whole(id);
        self.net.relation_places.contains_key(&whole).then_some(whole)
    }

    /// The variable that a class will be in the end.
    pub(super) fn variable_of(&self, cell: TermId) -> Option<TermId> {
        let root = self.inferred.solver.root(cell);
        self.net.variable_places.contains_key(&root).then_some(root)
    }

    /// The graph, with these clusters open beside those for which there is room.
    pub fn graph_view(&mut self, analysis: &Analysis, open: &[String]) -> GraphView {
        self.solver_at(self.n_stops() - 1);
        let Net { functions, .. } = &self.net;
        let functions = functions.iter().map(|(at, nodes)| self.net.cluster(nodes.clone(), format!("f{at}")));
        let mut items: Vec<Item> = functions.list();
        let mut opened: Vec<OpenView> = Vec::new();
        let is_small = self.net.nodes.len() <= MAX_NODES;
        // From outside in, as long as there is room; then what was asked for.
        for asks in [false, true] {
            loop {
                let mut next: Vec<Item> = Vec::new();
                let mut has_opened = false;
                let mut n_drawn = items.len();
                for item in items {
                    let mut inside = if item.is_cluster { self.net.inside(&item) } else { Vec::new() };
                    let fits = is_small || item.nodes.len() < MIN_IN_CLUSTER || n_drawn + inside.len() <= MAX_NODES + 1;
                    let is_asked = open.contains(&item.id);
                    if !item.is_cluster || !(if asks { is_asked } else { fits }) {
                        next.push(item);
                        continue;
                    }
                    has_opened = true;
                    n_drawn += inside.len() - 1;
                    if !is_small && item.nodes.len() >= MIN_IN_CLUSTER {
                        let label = self.cluster_label(analysis, &item);
                        opened.push(OpenView { id: item.id, label, is_asked: asks });
                    }
                    next.append(&mut inside);
                }
                items = next;
                if !has_opened {
                    break;
                }
            }
        }
        let view = self.draw(analysis, &items, opened);
        self.drawn = Some(Drawn { texts: base::filled(String::new(), items.len()), items });
        view
    }

    fn draw(&self, analysis: &Analysis, items: &[Item], open: Vec<OpenView>) -> GraphView {
        let mut drawn_at = base::filled(0, self.net.nodes.len());
        for (at, item) in (0..).zip(items) {
            drawn_at[item.nodes.clone()].fill(at);
        }
        let mut edges: Vec<EdgeView> = Vec::new();
        let mut met: HashSet<(u32, u32)> = HashSet::default();
        for &node in &self.net.nodes {
            let Node::Relation(id) = node else { continue };
            let posted = self.inferred.solver.relation(id);
            let here = drawn_at[self.net.relation_places[&id] as usize];
            for (at, &arg) in posted.args.iter().enumerate() {
                let there = drawn_at[self.net.variable_places[&self.inferred.solver.root(arg)] as usize];
                let (from, to) = if at < posted.n_inputs() { (there, here) } else { (here, there) };
                if from != to && met.insert((from, to)) {
                    edges.push(EdgeView { from, to });
                }
            }
        }
        let n_hidden = items.iter().filter(|item| item.is_cluster).map(|item| item.nodes.len() as u32).total();
        let nodes = items.iter().map(|item| self.node_view(analysis, item)).list();
        GraphView { nodes, edges, n_hidden, open }
    }

    fn node_view(&self, analysis: &Analysis, item: &Item) -> GraphNodeView {
        let words = self.words(analysis);
        let span = |span: Option<Span>| span.map(|span| span_view(analysis.lines(), span));
        if item.is_cluster {
            let label = self.cluster_label(analysis, item);
            let n_nodes = item.nodes.len() as u32;
            let span = span(self.cluster_span(analysis, item));
            return GraphNodeView { id: item.id.clone(), kind: NodeKindView::Cluster, label, n_nodes, span };
        }
        match self.net.nodes[item.nodes.start] {
            Node::Relation(id) => GraphNodeView {
                id: format!("r{}", id.number()),
                kind: NodeKindView::Relation,
                label: words.title(id),
                n_nodes: 1,
                span: span(words.text.span_of_cause(self.inferred.solver.relation(id).cause)),
            },
            Node::Variable(root) => {
                let place = self.place_of(root);
                let name = place.map(|place| words.text.name(place));
                GraphNodeView {
                    id: format!("t{}", self.number(root)),
                    kind: NodeKindView::Variable,
                    label: name.unwrap_or_else(|| format!("t{}", self.number(root))),
                    n_nodes: 1,
                    span: span(place.map(|place| words.text.span(place))),
                }
            }
        }
    }

    fn spans<'a>(&'a self, analysis: &'a Analysis, item: &Item) -> impl Iterator<Item = Span> + 'a {
        let nodes = self.net.nodes[item.nodes.clone()].iter();
        nodes.filter_map(move |&node| match node {
            Node::Relation(id) => self.words(analysis).text.span_of_cause(self.inferred.solver.relation(id).cause),
            Node::Variable(_) => None,
        })
    }

    fn cluster_span(&self, analysis: &Analysis, item: &Item) -> Option<Span> {
        self.spans(analysis, item).reduce(|all, span| Span::new(all.start.min(span.start), all.end.max(span.end)))
    }

    /// A whole function by its name, a part of one by its lines.
    fn cluster_label(&self, analysis: &Analysis, item: &Item) -> String {
        let function = self.net.functions.iter().find(|(_, nodes)| *nodes == item.nodes);
        if let Some((function, _)) = function
            && let Some(function) = self.index.functions.get(*function as usize)
        {
            return function.name.clone();
        }
        let Some(span) = self.cluster_span(analysis, item) else { return item.id.clone() };
        let lines = [span.start, span.end].each(|at| analysis.lines().line_of(at));
        if lines[0] == lines[1] { format!("line {}", lines[0]) } else { format!("lines {}–{}", lines[0], lines[1]) }
    }

    /// How the nodes of the graph that was drawn last stand at a stop. Of what a closed cluster holds, what failed is looked
    /// at.
    pub fn graph_state(&mut self, analysis: &Analysis, stop: usize) -> GraphStateView {
        let mut drawn = match self.drawn.take() {
            Some(drawn) => drawn,
            None => {
                self.graph_view(analysis, &[]);
                self.drawn.take().unwrap_or_default()
            }
        };
        self.solver_at(stop);
        let (seen, words) = (self.seen(), self.words(analysis));
        let event = self.event_of(stop) as u32;
        let place_of = |cell: TermId| self.net.variable_places.get(&self.inferred.solver.root(cell));
        let touched = self.touched(stop).into_iter().filter_map(place_of);
        let ran = self.stop(stop).relation.and_then(|id| self.net.relation_places.get(&self.node_of(id)?));
        let mut changed: Vec<usize> = touched.chain(ran).map(|&place| place as usize).list();
        base::sort(&mut changed);
        // What failed is seen from outside of what holds it.
        let failures = self.inferred.solver.failures.iter().take(MAX_FAILED);
        let failed = failures.filter_map(|failure| {
            let id = self.node_of(failure.relation)?;
            let place = *self.net.relation_places.get(&id)? as usize;
            (self.relation_letter(seen, place, id) == 'f').then_some(place)
        });
        let failed: Vec<usize> = failed.list();
        let mut view = GraphStateView { states: String::new(), terms: Vec::new() };
        for (item, text) in drawn.items.iter().zip(&mut drawn.texts) {
            let Range { start, end } = item.nodes;
            let next = changed.partition_point(|&place| place < start);
            let is_changed = changed.get(next).is_some_and(|&place| place < end);
            let is_done = item.done <= event;
            view.states.push(match self.net.nodes[start] {
                _ if is_changed => 'c',
                _ if item.is_cluster && failed.iter().any(|place| item.nodes.contains(place)) => 'f',
                Node::Relation(id) if !item.is_cluster => self.relation_letter(seen, start, id),
                Node::Relation(_) | Node::Variable(_) if is_done => 'k',
                Node::Relation(_) | Node::Variable(_) => '?',
            });
            let is_variable = !item.is_cluster && matches!(self.net.nodes[start], Node::Variable(_));
            if is_variable && is_done && text.is_empty() {
                let whole = Seen { cells: &self.inferred.solver, whole: &self.inferred.solver };
                *text = self.net.mentions[start].first().map_or_else(String::new, |&cell| words.print(whole, cell));
            }
            view.terms.push(match is_variable {
                true if is_done => text.clone(),
                true => {
                    // Before all of a variable is one class, some of it may know more.
                    let told = self.mentions(seen, start).find(|&cell| !seen.head(cell).is_hole());
                    let cell = told.or_else(|| self.mentions(seen, start).next());
                    cell.map_or_else(String::new, |cell| words.print(seen, cell))
                }
                false => String::new(),
            });
        }
        self.drawn = Some(drawn);
        view
    }

    /// A relation stands for those that it posted, too: the one counts that is least done.
    fn relation_letter(&self, seen: Seen<'_>, at: usize, id: RelationId) -> char {
        let own = [id];
        let whole = self.net.parts[at].iter().chain(&own);
        let posted = |id: RelationId| seen.cells.relations().get(id.number() as usize);
        let states = whole.filter_map(|&part| Some(self.state(part, &posted(part)?.state)));
        states.map(state_letter).max_by_key(|&letter| rank(letter as u8)).unwrap_or('-')
    }

    /// The cells of a variable that are arguments of relations, and have been made.
    fn mentions<'a>(&'a self, seen: Seen<'a>, at: usize) -> impl Iterator<Item = TermId> + 'a {
        self.net.mentions[at].iter().copied().filter(move |&cell| seen.has(cell))
    }

    /// The best name that the program has for a variable.
    fn place_of(&self, root: TermId) -> Option<Place> {
        let place = self.net.variable_places.get(&root);
        let mentions = place.map_or(&[][..], |&place| &self.net.mentions[place as usize]);
        let cells = mentions.iter().chain([&root]);
        cells.filter_map(|&cell| self.places.of(cell)).min()
    }
}

fn state_letter(state: RelationStateView) -> char {
    match state {
        RelationStateView::Queued => 'p',
        RelationStateView::Waiting => 'w',
        RelationStateView::Solved => 's',
        RelationStateView::Failed => 'f',
        RelationStateView::Generalised => 'q',
    }
}

/// Of several relations the one counts that is least done.
fn rank(letter: u8) -> usize {
    base::place("sqpwf", letter).unwrap_or(0)
}
