//! What the page shows of the solver: the trace of a check, any step of it, and the answers to *why* and *why not*.
//!
//! A *stop* is a place in the trace where one may stand: behind each run of a relation, behind each row of relations
//! that were posted one after the other, behind each group that was generalised. Stops are numbered from 0, which is
//! before the first event.

use crate::view::{DiagnosticView, EditView, SpanView};
use serde::Serialize;
#[cfg(feature = "tsify")]
use tsify::Tsify;

/// A whole trace, as the timeline draws it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct TraceView {
    pub n_events: u32,
    /// A letter for each stop: `b` the beginning, `p` posted, `s` solved, `w` waits, `f` failed (without a relation: a
    /// type that contains itself was cut, or relations wait and nothing is left that could tell them more), `q`
    /// generalised.
    pub stops: String,
    /// For each stop the function that it belongs to, as an index into `functions`; the beginning belongs to the first.
    pub stop_functions: Vec<u32>,
    /// For each stop the name of the relation that ran, as an index into `relations`; of others, none.
    pub stop_relations: Vec<Option<u32>>,
    pub functions: Vec<TraceFunctionView>,
    /// The names of the relations that ran, `Equal` among them.
    pub relations: Vec<String>,
    /// The stops with the letter `f`.
    pub failures: Vec<u32>,
    /// For each of them the diagnostic that came of it, as an index into those of the text, if there is one.
    pub failure_diagnostics: Vec<Option<u32>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct TraceFunctionView {
    /// `@f`, or `line 7` for a top-level expression.
    pub name: String,
    pub span: SpanView,
}

/// The solver at one stop.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct SolverView {
    pub stop: u32,
    /// How many events come before it.
    pub event: u32,
    /// What this step did and why, in one sentence.
    pub caption: String,
    /// The relation that ran last.
    pub current: Option<RelationView>,
    /// What it was given and what it made of it.
    pub changes: Vec<ChangeView>,
    pub n_more_changes: u32,
    /// The relations that this step posted, and those that it moved to the front.
    pub posted: Vec<u32>,
    pub woken: Vec<u32>,
    /// The relations in the queue, the next first.
    pub queue: Vec<RelationView>,
    pub n_more_queued: u32,
    pub waiting: Vec<RelationView>,
    pub n_more_waiting: u32,
    pub n_solved: u32,
    pub n_failed: u32,
    pub classes: Vec<ClassView>,
    /// Classes before and behind those.
    pub n_classes_above: u32,
    pub n_classes_below: u32,
    /// Where in the list of all classes the first one stands that this step changed.
    pub first_changed: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct RelationView {
    /// `r12`.
    pub id: u32,
    /// The operator's name if the relation is its own, else the relation's.
    pub name: String,
    /// As it would stand in a `where` clause, its arguments as they are known at this stop.
    pub text: String,
    pub state: RelationStateView,
    /// The rule in words. Empty where the first sentence of the operator's documentation says it, and this build has
    /// none.
    pub rule: String,
    /// The operator whose own relation it is.
    pub operator: Option<String>,
    /// The node of the graph that it is, or is a part of.
    pub node: Option<String>,
    /// What it waits for, as text.
    pub waits: Vec<String>,
    /// The classes of its arguments, in order, inputs first.
    pub args: Vec<u32>,
    pub n_inputs: u32,
    /// Why it was posted or came to the front.
    pub reason: String,
    /// Where in the text it comes from, if that is not the library's.
    pub span: Option<SpanView>,
    pub line: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
#[serde(rename_all = "lowercase")]
pub enum RelationStateView {
    Queued,
    Waiting,
    Solved,
    Failed,
    Generalised,
}

/// What a step did to one class.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ChangeView {
    pub class: u32,
    /// What of the program has this type: `%x`, or the expression's text.
    pub of: String,
    pub before: String,
    pub after: String,
    pub span: Option<SpanView>,
    /// The number that the class had before the step, and that of the class that was joined with it.
    pub was: u32,
    pub joined: Option<u32>,
}

/// An equivalence class of terms.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ClassView {
    /// The root, `t12`.
    pub id: u32,
    pub kind: String,
    /// What is known of it.
    pub term: String,
    /// Whether nothing in it is unknown.
    pub is_known: bool,
    /// The variable of the graph that it will be in the end, if there is one.
    pub node: Option<String>,
    pub n_cells: u32,
    /// Whether this step told it something.
    pub is_changed: bool,
    /// The terms in it that the program has names or places for; the forest draws them under the root.
    pub members: Vec<MemberView>,
    pub n_more_members: u32,
    /// The relations that wait on it.
    pub waiting: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct MemberView {
    pub id: u32,
    /// The cell that it was linked to, the root's own id at the root.
    pub parent: u32,
    /// `%x`, or a short piece of the text.
    pub of: String,
    pub span: Option<SpanView>,
}

/// Variables and relations, one place for each for the whole trace: a variable is a class as it will be in the end.
/// More than some 300 nodes are gathered in clusters, which can be opened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct GraphView {
    pub nodes: Vec<GraphNodeView>,
    pub edges: Vec<EdgeView>,
    /// Variables and relations in the clusters that are closed.
    pub n_hidden: u32,
    /// The clusters that are open, outer ones first, with their labels.
    pub open: Vec<OpenView>,
}

/// A cluster whose nodes are drawn in its place.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct OpenView {
    pub id: String,
    pub label: String,
    /// Whether it was opened because it was asked for, and can be closed.
    pub is_asked: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct GraphNodeView {
    /// `r12`, `t7`, or the name of a cluster: the same at every stop.
    pub id: String,
    pub kind: NodeKindView,
    pub label: String,
    /// How many nodes are in a cluster; of others 1.
    pub n_nodes: u32,
    pub span: Option<SpanView>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
#[serde(rename_all = "lowercase")]
pub enum NodeKindView {
    Variable,
    Relation,
    Cluster,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct EdgeView {
    /// Indices into the nodes, from an input to its relation or from a relation to its output.
    pub from: u32,
    pub to: u32,
}

/// How the nodes of a graph stand at one stop: a letter for each, in their order. Of a variable: `?` unknown, `k`
/// known, `c` told something by this step. Of a relation: `-` not posted yet, `p` queued, `w`, `s`, `f`, `q` as in the
/// timeline, `c` the one that ran. Of a cluster: `c` if one of its nodes is, else `k` if all are known and done, else
/// `?`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct GraphStateView {
    pub states: String,
    /// What is known of each variable; of other nodes, nothing.
    pub terms: Vec<String>,
}

/// Which operators were resolved in which round of information flow: in each round every relation that can run does, on
/// what the rounds before it have found out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct RoundsView {
    pub rounds: Vec<RoundView>,
    /// Rounds before and behind those.
    pub n_above: u32,
    pub n_more: u32,
    /// Relations that were never resolved: they failed, or went into a type while they waited.
    pub n_unresolved: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct RoundView {
    /// From 1.
    pub number: u32,
    pub resolved: Vec<ResolvedView>,
    pub n_more: u32,
    /// How many still wait behind it.
    pub n_waiting: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ResolvedView {
    pub relation: u32,
    pub name: String,
    /// The layer of TensorScript that it is a part of: `hidden: Linear(in=2, out=3)`.
    pub layer: Option<String>,
    /// With what it found.
    pub text: String,
    pub stop: u32,
    pub span: Option<SpanView>,
    pub line: Option<u32>,
}

/// What has a type at a place of the text, and where in the trace that is spoken of.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct PlaceStopsView {
    pub span: SpanView,
    /// `%x`, or the expression's text.
    pub of: String,
    /// Stops whose step touches its class (or a part of it), as that will be in the end.
    pub stops: Vec<u32>,
    /// The stop from which on its type is what it is in the end.
    pub decided: u32,
    /// The variable of the graph, if it is there.
    pub node: Option<String>,
}

/// The answer to *why*: what was asked about, and the shortest derivation of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct WhyView {
    pub span: SpanView,
    /// `%flat`, or the expression's text.
    pub of: String,
    /// The type in pieces, each of which can be asked about.
    pub pieces: Vec<PieceView>,
    /// Which of them this answer is about.
    pub asked: u32,
    /// `320 = 20 · 4 · 4: …`.
    pub sentence: String,
    /// The tree, parents before children; the first is what was asked.
    pub steps: Vec<DerivationView>,
    /// The stop whose step decided it, and its event.
    pub stop: Option<u32>,
    pub event: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct PieceView {
    pub text: String,
    /// What it is: `axis 1`, `the dtype`; empty for what stands between.
    pub label: String,
    /// Whether there is something to ask.
    pub is_askable: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct DerivationView {
    /// How deep it stands, the root at 0.
    pub depth: u32,
    /// What holds: `320`, `Tensor[(2, 320), float32]`.
    pub fact: String,
    /// Of what: `axis 1 of %flat`.
    pub of: String,
    /// By what: an operator's rule in words, or `written here`.
    pub by: String,
    pub span: Option<SpanView>,
    pub line: Option<u32>,
    pub stop: Option<u32>,
    /// The event of the trace that decided it.
    pub event: u32,
}

/// The answer to *why not*.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct WhyNotView {
    /// The problem that is asked about.
    pub problem: DiagnosticView,
    /// What cannot hold together: leave out any one of these, and the others can.
    pub core: Vec<ConflictView>,
    /// Of a large set only what stands nearest to the problem is shown: the types of its parts, in the place of so many
    /// members, from which they follow.
    pub n_behind: u32,
    /// The search was ended before the core was found to be minimal.
    pub is_bounded: bool,
    /// The likeliest fault first.
    pub places: Vec<PlaceView>,
    pub fixes: Vec<MendView>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ConflictView {
    /// What is demanded, in words: "`nn.dense` needs axis 1 of `%w` to be 1568".
    pub sentence: String,
    pub span: SpanView,
    pub line: u32,
    pub stop: Option<u32>,
    /// The event of the trace that demanded it.
    pub event: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct PlaceView {
    pub span: SpanView,
    pub line: u32,
    /// Why it is ranked where it is.
    pub sentence: String,
}

/// The problems of a text, the likeliest fault first, each with the edits that mend it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct MendedView {
    pub diagnostics: Vec<DiagnosticView>,
    /// Whether the first of them is why there are others.
    pub has_cause: bool,
}

/// A change of the text with which the problem is gone.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct MendView {
    pub title: String,
    pub edits: Vec<EditView>,
    /// The definitions whose types are others then.
    pub types: Vec<MendedTypeView>,
    /// How many problems are left.
    pub n_left: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct MendedTypeView {
    pub name: String,
    pub before: String,
    pub after: String,
}

/// How an operator stretches its operands: each lined up with the result from the right.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct StretchView {
    pub operands: Vec<StretchedView>,
    pub result: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct StretchedView {
    /// As the text has it.
    pub of: String,
    pub span: SpanView,
    /// One for each axis of the result; nothing where the operand has no such axis.
    pub dims: Vec<Option<String>>,
    /// Along which axes it is repeated.
    pub is_repeated: Vec<bool>,
}
