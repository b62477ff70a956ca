//! One match of a text with its decision tree, drawn when a screen asks for it.
//!
//! The nodes are the tree's from the root on, level by level, and no more than [`MAX_NODES`]. What no arm takes is a
//! leaf of its own below each switch, with the values that come there as a pattern.
//!
//! Worked example: `match (%p) { (A, _) => 1, (_, B) => 2 }` looks at `%p.0`; for `A` there is arm 0, for `B` and `C`
//! it looks at `%p.1`; for `B` there is arm 1, for the others no arm: `(B | C, A | C)`.

use crate::view::{ArmView, BindingView, CaseView, MatchView, NodeView};
use crate::{Analysis, page::span_view};
use base::{Append, HashMap, Join, Span, ToList};
use hir::{Arm, ExprId, ExprKind, LocalId, PatKind};
use pattern::{Head, MatchTree, Node, NodeId, PlaceId, Unreachable, Wanted};

/// At most this many nodes are drawn.
const MAX_NODES: usize = 300;
/// At most this many lines are named as those that cover an arm.
const MAX_COVERS: usize = 3;
/// Texts from the program are cut after this many characters.
const MAX_TEXT: usize = 120;
/// A matched expression longer than this is called "the value".
const MAX_NAME: usize = 24;
/// A witness is cut after this many characters.
const MAX_WITNESS: usize = 100;

/// The innermost match at a byte offset; if there is none, the next one, or else the last.
pub(crate) fn match_at(analysis: &Analysis, offset: u32) -> Option<MatchView> {
    let Analysis { module, inferred, lines, text, .. } = analysis;
    let exprs = module.exprs.iter_enumerated().skip(module.start.exprs);
    let mut all: Vec<(Span, ExprId)> =
        exprs.filter(|(_, expr)| matches!(expr.kind, ExprKind::Match { .. })).map(|(id, expr)| (expr.span, id)).list();
    base::sort_by_key(&mut all, |&(span, _)| (span.start, span.end));
    let is_at = |span: Span| span.start <= offset && offset <= span.end;
    // Of those around a place the innermost begins last.
    let index = all
        .iter()
        .rposition(|&(span, _)| is_at(span))
        .or_else(|| all.iter().position(|&(span, _)| span.start >= offset))
        .or(all.len().checked_sub(1))?;
    let (span, id) = all[index];
    let ExprKind::Match { scrutinee, arms, is_partial } = &module.exprs[id].kind else { return None };
    let neighbour = |index: Option<usize>| index.and_then(|index| all.get(index)).map(|&(span, _)| keyword(span));
    let mut view = MatchView {
        span: span_view(lines, keyword(span)),
        line: lines.line_of(span.start),
        value: shortened(&text[module.exprs[*scrutinee].span.range()], MAX_TEXT),
        r#type: analysis.type_of(*scrutinee),
        arms: arms.iter().map(|arm| arm_view(analysis, arm)).list(),
        nodes: Vec::new(),
        n_more: 0,
        is_partial: *is_partial,
        is_sequence: false,
        problem: None,
        index: index as u32,
        count: all.len() as u32,
        previous: neighbour(index.checked_sub(1)).map(|span| span_view(lines, span)),
        next: neighbour(Some(index + 1)).map(|span| span_view(lines, span)),
    };
    let Some(term) = inferred.exprs[*scrutinee].filter(|&term| !inferred.is_unknown(term)) else {
        view.problem = Some("The type of the matched value is not known.".to_owned());
        return Some(view);
    };
    for Unreachable { what, covered_by } in
        pattern::check(module, &inferred.solver, term, arms, Wanted::All).unreachable_arms
    {
        let mut covers: Vec<u32> =
            covered_by.iter().map(|&pattern| lines.line_of(module.pats[pattern].span.start)).list();
        covers.dedup();
        view.arms[what].unreached = Some(reason(&covers));
    }
    match pattern::decide(module, &inferred.solver, term, arms) {
        Some(tree) => {
            Drawing { analysis, tree: &tree, scrutinee: *scrutinee }.fill(&mut view);
        }
        None if arms.iter().any(|arm| matches!(module.pats[arm.pat].kind, PatKind::Error)) => {
            view.problem = Some("A pattern of it could not be read.".to_owned());
        }
        None => view.problem = Some("It has no decision tree that could be drawn.".to_owned()),
    }
    Some(view)
}

fn keyword(span: Span) -> Span {
    Span::new(span.start, span.end.min(span.start + "match".len() as u32))
}

fn reason(lines: &[u32]) -> String {
    let mut listed: Vec<String> = lines.iter().take(MAX_COVERS).map(u32::to_string).list();
    if lines.len() > MAX_COVERS {
        listed.push("more".to_owned());
    }
    match listed.split_last() {
        None => "no value is like this".to_owned(),
        Some((line, [])) => format!("the pattern on line {line} takes all of its values"),
        Some((last, others)) => {
            format!("the patterns on lines {} and {last} take all of its values", others.joined(", "))
        }
    }
}

fn arm_view(analysis: &Analysis, arm: &Arm) -> ArmView {
    let span = analysis.module.pats[arm.pat].span;
    ArmView {
        pattern: shortened(&analysis.text[span.range()], MAX_TEXT),
        span: span_view(&analysis.lines, span),
        line: analysis.lines.line_of(span.start),
        unreached: None,
    }
}

/// The words of a text with one space between them, cut to a length.
fn shortened(text: &str, limit: usize) -> String {
    let words: Vec<&str> = base::words(text).take(limit).list();
    let mut line = words.joined(" ");
    if let Some((end, _)) = line.char_indices().nth(limit) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// What the value at a place begins with, on the way to a node.
struct Step {
    /// The way there.
    before: Option<usize>,
    place: PlaceId,
    heads: Vec<Head>,
    /// Or with something that nothing names.
    is_open: bool,
}

/// A case of a switch, which several heads may share.
struct Joined {
    heads: Vec<Head>,
    is_open: bool,
    to: NodeId,
}

struct Drawing<'a> {
    analysis: &'a Analysis,
    tree: &'a MatchTree,
    scrutinee: ExprId,
}

impl Drawing<'_> {
    fn fill(self, view: &mut MatchView) {
        let (module, tree) = (&self.analysis.module, &self.tree.tree);
        let mut steps: Vec<Step> = Vec::new();
        // The nodes in the order of the view, each with the first way to it.
        let mut queue: Vec<(NodeId, Option<usize>)> = vec![(tree.root, None)];
        let mut index_of: HashMap<NodeId, u32> = HashMap::from_iter([(tree.root, 0)]);
        // What stands behind them: the leaves that each switch has for itself, with whose case they are.
        let mut own: Vec<(usize, usize, NodeView)> = Vec::new();
        let mut at = 0;
        while let Some(&(id, way)) = queue.get(at) {
            at += 1;
            view.nodes.push(match &tree.nodes[id] {
                Node::Fail => NodeView::Fail { witness: "_".to_owned() },
                Node::Leaf { arm, variables } => {
                    let bindings = variables.iter().map(|&(variable, place)| self.binding(variable, place)).list();
                    NodeView::Leaf { arm: *arm as u32, bindings }
                }
                Node::Switch { place, cases, default } => {
                    let mut views = Vec::new();
                    for Joined { heads, is_open, to } in self.joined(*place, cases, *default) {
                        let labels = heads.iter().map(|&head| self.tree.print_head(module, head)).list();
                        let step = Step { before: way, place: *place, heads, is_open };
                        let mut case = CaseView { labels, others: is_open, to: 0 };
                        let is_room = queue.len() < MAX_NODES;
                        match (&tree.nodes[to], index_of.get(&to)) {
                            (Node::Fail, _) => {
                                let witness = self.witness(&steps, &step);
                                own.push((at - 1, views.len(), NodeView::Fail { witness }));
                            }
                            (_, Some(&known)) => case.to = known,
                            (_, None) if !is_room => own.push((at - 1, views.len(), NodeView::Cut)),
                            (_, None) => {
                                case.to = queue.len() as u32;
                                index_of.insert(to, case.to);
                                steps.push(step);
                                queue.push((to, Some(steps.len() - 1)));
                            }
                        }
                        views.push(case);
                    }
                    NodeView::Switch { place: self.place(*place), path: self.path(*place), cases: views }
                }
            });
        }
        for (switch, case, node) in own {
            let to = view.nodes.len() as u32;
            if matches!(node, NodeView::Cut) {
                let n_nodes = tree.nodes.iter().count_where(|node| !matches!(node, Node::Fail));
                view.n_more = (n_nodes - queue.len()) as u32;
            }
            if let NodeView::Switch { cases, .. } = &mut view.nodes[switch] {
                cases[case].to = to;
            }
            view.nodes.push(node);
        }
        view.is_sequence = tree.is_sequence;
    }

    /// The cases of a switch, those that lead to the same node as one.
    fn joined(&self, place: PlaceId, cases: &[(Head, NodeId)], default: Option<NodeId>) -> Vec<Joined> {
        let mut joined: Vec<Joined> = Vec::new();
        let rest = default.map(|to| {
            let contents = self.tree.tree.contents(place);
            let is_named = |head: Head| cases.iter().any(|&(other, _)| other == head);
            let heads =
                contents.heads.iter().map(|&(head, _)| head).filter(|&head| !contents.is_open && !is_named(head));
            Joined { heads: heads.list(), is_open: contents.is_open, to }
        });
        let named = cases.iter().map(|&(head, to)| Joined { heads: vec![head], is_open: false, to });
        for case in named.chain(rest) {
            match joined.iter_mut().find(|other| other.to == case.to) {
                Some(other) => {
                    other.heads.append_all(case.heads);
                    other.is_open |= case.is_open;
                }
                None => joined.push(case),
            }
        }
        joined
    }

    fn binding(&self, variable: u32, place: PlaceId) -> BindingView {
        let name = self.analysis.module.local_name(LocalId::numbered(variable)).to_owned();
        BindingView { name, place: self.place(place), path: self.path(place) }
    }

    /// `%x`, `%x.0`, `field 1 of Cons`.
    fn place(&self, place: PlaceId) -> String {
        let mut suffix = String::new();
        let mut at = place;
        loop {
            match self.tree.tree.places[at].within {
                None => return self.root(&suffix),
                Some((outer, Head::Tuple, field)) => {
                    if let Some(name) = self.item(outer, field) {
                        return name + &suffix;
                    }
                    suffix.insert_str(0, &format!(".{field}"));
                    at = outer;
                }
                Some((outer, head, field)) => return self.field(outer, head, field) + &suffix,
            }
        }
    }

    /// The place and all that it is in, from the inside out.
    fn path(&self, place: PlaceId) -> String {
        let mut text = String::new();
        let mut at = place;
        loop {
            if !text.is_empty() {
                text.push_str(" in ");
            }
            text.push_str(&self.place(at));
            // What the last word named.
            while let Some((outer, Head::Tuple, _)) = self.tree.tree.places[at].within {
                at = outer;
            }
            let Some((outer, ..)) = self.tree.tree.places[at].within else { return text };
            if text.len() > MAX_TEXT {
                return text + " …";
            }
            at = outer;
        }
    }

    /// Fields count from 1, as people do; the items of tuples from 0, as the language does.
    fn field(&self, outer: PlaceId, head: Head, field: u32) -> String {
        let name = self.tree.print_head(&self.analysis.module, head);
        let is_only = self.tree.tree.n_fields(outer, head) == 1;
        if is_only { format!("field of {name}") } else { format!("field {} of {name}", field + 1) }
    }

    fn root(&self, suffix: &str) -> String {
        let text = &self.analysis.text[self.analysis.module.exprs[self.scrutinee].span.range()];
        let is_name = text.len() <= MAX_NAME && text.chars().all(|c| base::is_in_name(c) || c == '%' || c == '.');
        if is_name || (suffix.is_empty() && text.len() <= MAX_NAME && !base::has(text, b'\n')) {
            format!("{text}{suffix}")
        } else if suffix.is_empty() {
            "the value".to_owned()
        } else {
            format!("{} of the value", base::trim_start(suffix, "."))
        }
    }

    /// An item of a tuple that is written where it is matched has the name that it has there.
    fn item(&self, outer: PlaceId, field: u32) -> Option<String> {
        let module = &self.analysis.module;
        let ExprKind::Tuple(items) = &module.exprs[self.scrutinee].kind else { return None };
        if self.tree.tree.places[outer].within.is_some() {
            return None;
        }
        let span = module.exprs[*items.get(field as usize)?].span;
        let text = &self.analysis.text[span.range()];
        (text.len() <= MAX_NAME && !base::has(text, b'\n')).then(|| text.to_owned())
    }

    /// The values that go this way, as a pattern.
    fn witness(&self, steps: &[Step], last: &Step) -> String {
        let mut at_place: HashMap<PlaceId, &Step> = HashMap::default();
        let mut step = Some(last);
        while let Some(one) = step {
            at_place.entry(one.place).or_insert(one);
            step = one.before.map(|before| &steps[before]);
        }
        let begins = |place| at_place.get(&place).filter(|step| !step.is_open).map(|step| step.heads.clone());
        shortened(&self.tree.print_values(&self.analysis.module, begins).text, MAX_WITNESS)
    }
}

#[cfg(test)]
mod tests {
    use crate::Page;
    use crate::view::NodeView;

    /// The nodes of the match at the mark `‸`, a line each.
    fn drawn(text: &str) -> Vec<String> {
        let offset = text.find('‸').unwrap_or(0) as u32;
        let mut page = Page::default();
        page.update(&text.replace('‸', ""));
        let view = page.match_at(offset).expect("a match");
        let nodes = view.nodes.iter().map(|node| match node {
            NodeView::Switch { place, cases, .. } => {
                let cases = cases.iter().map(|case| {
                    let others = if case.others { "_" } else { "" };
                    format!("{}{others} → {}", case.labels.join(" | "), case.to)
                });
                format!("{place}: {}", cases.collect::<Vec<_>>().join(", "))
            }
            NodeView::Leaf { arm, bindings } => {
                let bindings = bindings.iter().map(|bound| format!(", {} = {}", bound.name, bound.path));
                format!("arm {arm}{}", bindings.collect::<String>())
            }
            NodeView::Fail { witness } => format!("no arm: {witness}"),
            NodeView::Cut => "…".to_owned(),
        });
        nodes.collect()
    }

    #[test]
    fn a_tree_has_a_leaf_for_what_no_arm_takes() {
        let lights = "type Light { Red, Amber, Green }\n";
        let text = format!("{lights}def @f(%p: (Light, Light)) {{ match (%p) {{ (Red, _) => 1, (_, Amber) => 2 }} }}");
        assert_eq!(
            drawn(&text),
            [
                "%p.0: Red → 1, Amber | Green → 2",
                "arm 0",
                "%p.1: Amber → 3, Red | Green → 4",
                "arm 1",
                "no arm: (Amber | Green, Red | Green)",
            ]
        );
    }

    #[test]
    fn places_have_names_that_people_use() {
        let text = "def @f(%l: List[int32]) { match (%l) { Cons(1, Cons(%x, _)) => %x, Nil => 0 } }";
        assert_eq!(
            drawn(text),
            [
                "%l: Cons → 1, Nil → 2",
                "field 1 of Cons: 1 → 3, _ → 5",
                "arm 1",
                "field 2 of Cons: Cons → 4, Nil → 6",
                "arm 0, %x = field 1 of Cons in field 2 of Cons in %l",
                "no arm: Cons(_, _)",
                "no arm: Cons(1, Nil)",
            ]
        );
    }

    #[test]
    fn refine_is_drawn_in_its_own_words() {
        let text = "#lang refine\nlet x : [A [B, C], D] = D in match x with | A (B as y) -> y";
        assert_eq!(
            drawn(text),
            ["x: A → 1, D → 3", "field of A: B → 2, C → 4", "arm 0, y = field of A in x", "no arm: D", "no arm: A C",]
        );
    }

    #[test]
    fn what_no_value_is_has_no_case() {
        let types = "type Empty {}\ntype Answer { Yes(int32), Never(Empty), No }\n";
        let text = format!("{types}def @f(%x: (Answer, int32)) {{ match (%x) {{ (Yes(1), _) => 1 }} }}");
        assert_eq!(
            drawn(&text),
            ["%x.0: Yes → 1, No → 3", "field of Yes: 1 → 2, _ → 4", "arm 0", "no arm: (No, _)", "no arm: (Yes(_), _)"]
        );
        let open = "def @f[r: Row](%x: [`A, `B | r]) { match? (%x) { `A => 1 } }";
        assert_eq!(drawn(open), ["%x: `A → 1, _ → 2", "arm 0", "no arm: _"]);
    }

    #[test]
    fn the_innermost_match_is_asked_about_and_its_neighbours_are_known() {
        let text = "def @f(%x, %y) { match (%x) { `A => match (%y) { `B => 1 }, `C => 2 } }\nmatch (`D) { `D => 3 }";
        let mut page = Page::default();
        page.update(text);
        let at = |place: &str| page.match_at(text.find(place).expect("it is there") as u32).expect("a match");
        assert_eq!((at("def").value.as_str(), at("`B").value.as_str(), at("`C").value.as_str()), ("%x", "%y", "%x"));
        let inner = at("`B");
        assert_eq!((inner.index, inner.count), (1, 3));
        assert_eq!(inner.next.map(|span| span.start), Some(text.rfind("match").expect("it is there") as u32));
        assert!(Page::default().match_at(0).is_none());
    }

    #[test]
    fn arms_say_why_they_are_never_reached() {
        let mut page = Page::default();
        page.update("def @f(%x) { match (%x) {\n  `A => 1,\n  `B => 2,\n  `A | `B => 3,\n} }");
        let arms = page.match_at(0).expect("a match").arms;
        assert_eq!(arms[1].unreached, None);
        assert_eq!(arms[2].unreached.as_deref(), Some("the patterns on lines 2 and 3 take all of its values"));
    }

    #[test]
    fn a_large_tree_is_cut() {
        let arms: String = (0..400).map(|n| format!("{n} => {n}, ")).collect();
        let mut page = Page::default();
        page.update(&format!("def @f(%n: int32) {{ match (%n) {{ {arms} }} }}"));
        let view = page.match_at(0).expect("a match");
        assert_eq!(view.n_more, 101);
        assert!(view.nodes.contains(&NodeView::Cut));
    }
}
