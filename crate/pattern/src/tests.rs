//! The core against the definition: every value of small random types is matched by hand.

use crate::coverage::{Cover, Wanted, examine};
use crate::matrix::Purpose;
use crate::pattern::{Head, Pattern, PatternId, Patterns, TyId};
use crate::rows::PlaceId;
use crate::space::{Shape, Types};
use crate::tree::{Node, Tree, tree, tree_for};
use base::Idx;
use std::collections::BTreeSet;

/// A generator of numbers (Steele, Lea and Flood 2014, SplitMix).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

#[derive(Default)]
struct Table(Vec<Shape>);

impl Table {
    fn add(&mut self, heads: Vec<(Head, Vec<TyId>)>, is_open: bool) -> TyId {
        self.0.push(Shape { heads, is_open });
        TyId::numbered(self.0.len() as u32)
    }

    fn enumeration(&mut self, n: u32) -> TyId {
        self.add((0..n).map(|i| (Head::Ctor(i), Vec::new())).collect(), false)
    }
}

impl Types for Table {
    fn shape(&mut self, ty: TyId) -> Shape {
        self.0[ty.index() - 1].clone()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Value {
    head: [u32; 2],
    fields: Vec<Value>,
}

/// Literals that patterns mention.
const N_LITERALS: u32 = 2;

fn random_types(random: &mut Random) -> Table {
    let mut table = Table::default();
    table.enumeration(2);
    table.enumeration(3);
    table.add(Vec::new(), random.below(2) == 0);
    for i in 3..3 + 1 + random.below(4) {
        let mut field = |_| TyId::numbered(1 + random.below(i) as u32);
        match i % 3 {
            0 => table.add(vec![(Head::Tuple, (0..3).map(&mut field).collect())], false),
            1 => {
                let heads = [(0, 0), (1, 1), (2, 2)];
                let heads = heads.map(|(name, n)| (Head::Ctor(name), (0..n).map(&mut field).collect()));
                table.add(heads.to_vec(), false)
            }
            _ => {
                let heads = [(0, 1), (1, 1)];
                let heads = heads.map(|(name, n)| (Head::Variant(name), (0..n).map(&mut field).collect()));
                let is_open = random.below(2) == 0;
                table.add(heads.to_vec(), is_open)
            }
        };
    }
    table
}

fn values(table: &Table, ty: TyId, max: usize) -> Vec<Value> {
    let shape = &table.0[ty.index() - 1];
    let mut all = Vec::new();
    for (head, fields) in &shape.heads {
        let mut rows = vec![Vec::new()];
        for &field in fields {
            let of_field = values(table, field, max);
            if rows.len() * of_field.len() > max {
                return vec![Value { head: [9, 9], fields: Vec::new() }; max + 1];
            }
            rows = rows
                .iter()
                .flat_map(|row: &Vec<Value>| {
                    of_field.iter().map(move |value| [&row[..], std::slice::from_ref(value)].concat())
                })
                .collect();
        }
        all.extend(rows.into_iter().map(|fields| Value { head: head.key(), fields }));
    }
    if shape.is_open {
        let literals = (0..N_LITERALS).map(Head::Literal).chain([Head::Other]);
        all.extend(literals.map(|head| Value { head: head.key(), fields: Vec::new() }));
    }
    all
}

fn random_pattern(
    random: &mut Random,
    table: &Table,
    patterns: &mut Patterns,
    ty: TyId,
    fuel: &mut usize,
) -> PatternId {
    *fuel = fuel.saturating_sub(1);
    let shape = table.0[ty.index() - 1].clone();
    let n_heads = shape.heads.len() + if shape.is_open { N_LITERALS as usize } else { 0 };
    let pattern = match random.below(if patterns.nodes.is_empty() { 8 } else { 10 }) {
        _ if *fuel == 0 || n_heads == 0 => Pattern::Wild,
        0 | 1 => Pattern::Wild,
        2 | 3 => {
            let n = 2 + random.below(2);
            Pattern::Or((0..n).map(|_| random_pattern(random, table, patterns, ty, fuel)).collect())
        }
        _ => match shape.heads.get(random.below(n_heads)) {
            Some((head, fields)) => {
                let fields = fields.iter().map(|&field| random_pattern(random, table, patterns, field, fuel)).collect();
                Pattern::Head(*head, fields)
            }
            None => Pattern::Head(Head::Literal(random.below(N_LITERALS as usize) as u32), Vec::new()),
        },
    };
    let id = patterns.push(pattern);
    if random.below(5) == 0 {
        patterns.variables.push((id, id.number()));
    }
    id
}

/// What happens when a value fits a pattern, the leftmost alternatives first.
#[derive(Clone, Default)]
struct Fitted {
    alternatives: Vec<PatternId>,
    variables: BTreeSet<(u32, Value)>,
}

fn fit(patterns: &Patterns, id: PatternId, value: &Value) -> Option<Fitted> {
    let mut fitted = match &patterns.nodes[id] {
        Pattern::Wild => Fitted::default(),
        Pattern::Head(head, fields) => {
            // In a witness, what no pattern names is anything that the type does not list.
            let is_other = *head == Head::Other && (value.head[0] == 3 || value.head[0] == 4);
            if head.key() != value.head && !is_other {
                return None;
            }
            let mut all = Fitted::default();
            for (&field, value) in fields.iter().zip(&value.fields) {
                let of_field = fit(patterns, field, value)?;
                all.alternatives.extend(of_field.alternatives);
                all.variables.extend(of_field.variables);
            }
            all
        }
        Pattern::Or(parts) => parts.iter().find_map(|&part| {
            let mut fitted = fit(patterns, part, value)?;
            fitted.alternatives.push(part);
            Some(fitted)
        })?,
    };
    let own = patterns.variables.iter().filter(|&&(pattern, _)| pattern == id);
    fitted.variables.extend(own.map(|&(_, variable)| (variable, value.clone())));
    Some(fitted)
}

/// Follows a tree.
fn follow(tree: &Tree, value: &Value) -> Option<(usize, BTreeSet<(u32, Value)>)> {
    let at = |place: PlaceId| {
        let mut path = Vec::new();
        let mut place = place;
        while let Some((parent, head, field)) = tree.places[place].within {
            path.push((head, field));
            place = parent;
        }
        path.iter().rev().fold(value, |value, &(head, field)| {
            assert_eq!(value.head, head.key(), "a place is looked at only where it exists");
            &value.fields[field as usize]
        })
    };
    let mut seen = BTreeSet::new();
    let mut node = tree.root;
    loop {
        match &tree.nodes[node] {
            Node::Fail => return None,
            Node::Leaf { arm, variables } => {
                return Some((
                    *arm,
                    variables.iter().map(|&(variable, place)| (variable, at(place).clone())).collect(),
                ));
            }
            Node::Switch { place, cases, default } => {
                assert!(seen.insert(*place) || tree.is_sequence, "a place is looked at twice");
                let found = cases.iter().find(|(head, _)| head.key() == at(*place).head).map(|&(_, node)| node);
                let next = found.or(*default).expect("a way for every head");
                assert!(next < node, "nodes lead to smaller ids");
                node = next;
            }
        }
    }
}

/// The whole of a part, and where it stands in it.
fn wholes_of(patterns: &Patterns, part: PatternId) -> Vec<(PatternId, PatternId)> {
    let wholes = patterns.wholes();
    let mut path = vec![];
    let mut id = part;
    while let Some(whole) = wholes[id] {
        path.push((whole, id));
        id = whole;
    }
    path
}

fn check_match(table: &mut Table, patterns: &Patterns, ty: TyId, arms: &[PatternId], values: &[Value]) -> [usize; 4] {
    let findings = examine(patterns, table, ty, arms, Wanted::All);
    let found_tree = tree(patterns, table, ty, arms).expect("small");
    assert!(!findings.is_given_up && !found_tree.is_sequence);
    let sequence = tree_for(Purpose::Sequence, patterns, table, ty, arms).expect("small");
    let mut taken_arms = BTreeSet::new();
    let mut taken_alternatives = BTreeSet::new();
    let mut n_missing = 0;
    for value in values {
        let first = arms.iter().enumerate().find_map(|(arm, &id)| Some((arm, fit(patterns, id, value)?)));
        let wanted = first.clone().map(|(arm, fitted)| (arm, fitted.variables));
        assert_eq!(follow(&found_tree, value), wanted);
        assert_eq!(follow(&sequence, value), wanted);
        let fits = |&&witness: &&PatternId| fit(&findings.missing.patterns, witness, value).is_some();
        let n_witnesses = findings.missing.witnesses.iter().filter(fits).count();
        let is_plain = !format!("{value:?}").contains("[3, ");
        if let Some((arm, fitted)) = first {
            taken_arms.insert(arm);
            taken_alternatives.extend(fitted.alternatives);
            assert!(n_witnesses == 0 || !is_plain, "{value:?} is not missing");
        } else {
            n_missing += 1;
            let is_cut = findings.missing.is_cut || findings.missing.n_more > 0;
            assert!(n_witnesses > 0 || is_cut, "{value:?} is missing");
            assert!(n_witnesses < 2 || !is_plain, "{value:?} has two witnesses");
        }
    }
    assert_eq!(n_missing > 0, !findings.missing.witnesses.is_empty());
    let unreachable: Vec<usize> = findings.arms.iter().map(|&(arm, _)| arm).collect();
    let expected: Vec<usize> = (0..arms.len()).filter(|arm| !taken_arms.contains(arm)).collect();
    assert_eq!(unreachable, expected);
    let mut n_covered = 0;
    for (arm, covers) in &findings.arms {
        let by = values.iter().filter(|value| fit(patterns, arms[*arm], value).is_some());
        let by = by.filter_map(|value| arms.iter().position(|&other| fit(patterns, other, value).is_some()));
        assert_eq!(*covers, by.map(Cover::Arm).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
        n_covered += 1;
    }
    let mut dead = BTreeSet::new();
    for &arm in &taken_arms {
        let mut pending = vec![arms[arm]];
        while let Some(id) = pending.pop() {
            for &part in patterns.parts(id) {
                let is_alternative = matches!(patterns.nodes[id], Pattern::Or(_));
                if is_alternative && !taken_alternatives.contains(&part) {
                    dead.insert(part);
                } else {
                    pending.push(part);
                }
            }
        }
    }
    assert_eq!(findings.alternatives.iter().map(|&(part, _)| part).collect::<BTreeSet<_>>(), dead);
    for (part, covers) in &findings.alternatives {
        check_covers(patterns, arms, *part, covers, values);
    }
    [n_missing.min(1), unreachable.len(), dead.len(), n_covered]
}

/// What takes the values that an alternative fits: the first arm before, else the first other choice around it.
fn check_covers(patterns: &Patterns, arms: &[PatternId], part: PatternId, covers: &[Cover], values: &[Value]) {
    let mut path = wholes_of(patterns, part);
    path.reverse();
    let arm_pattern = path[0].0;
    let arm = arms.iter().position(|&other| other == arm_pattern).expect("the arm of an alternative");
    let mut expected = BTreeSet::new();
    // The arm with the alternatives on the path alone.
    let mut narrow = patterns.clone();
    for &(whole, part) in &path {
        if let Pattern::Or(parts) = &mut narrow.nodes[whole] {
            *parts = vec![part];
        }
    }
    for value in values.iter().filter(|value| fit(&narrow, arm_pattern, value).is_some()) {
        if let Some(earlier) = arms[..arm].iter().position(|&other| fit(patterns, other, value).is_some()) {
            expected.insert(Cover::Arm(earlier));
            continue;
        }
        let fitted = fit(patterns, arm_pattern, value).expect("fits more than the narrow one");
        for &(whole, part) in &path {
            if let Pattern::Or(parts) = &patterns.nodes[whole] {
                let chosen = parts.iter().find(|part| fitted.alternatives.contains(part)).expect("one was chosen");
                if *chosen != part {
                    expected.insert(Cover::Alternative(*chosen));
                    break;
                }
            }
        }
    }
    assert_eq!(covers.iter().copied().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn random_matches_agree_with_the_definition() {
    let mut random = Random(1);
    let mut counts = [0; 4];
    let mut n_values = 0;
    for _ in 0..4_000 {
        let mut table = random_types(&mut random);
        let ty = TyId::numbered((table.0.len() - random.below(2)) as u32);
        let all = values(&table, ty, 400);
        if all.len() > 400 {
            continue;
        }
        let mut patterns = Patterns::default();
        let mut arms = Vec::new();
        for _ in 0..random.below(7) {
            let mut fuel = 3 + random.below(16);
            arms.push(random_pattern(&mut random, &table, &mut patterns, ty, &mut fuel));
        }
        n_values += all.len();
        let found = check_match(&mut table, &patterns, ty, &arms, &all);
        counts.iter_mut().zip(found).for_each(|(count, n)| *count += n);
    }
    assert!(n_values > 50_000 && counts.iter().all(|&count| count > 300), "{n_values} values, {counts:?}");
}

fn head(patterns: &mut Patterns, number: u32) -> PatternId {
    patterns.push(Pattern::Head(Head::Ctor(number), Vec::new()))
}

fn any(patterns: &mut Patterns) -> PatternId {
    patterns.push(Pattern::Wild)
}

/// The rows of W(n): `T` at places 2i and 2i + 1, then anything.
fn w(n: usize, table: &mut Table, patterns: &mut Patterns) -> (TyId, Vec<PatternId>) {
    let two = table.enumeration(2);
    let ty = table.add(vec![(Head::Tuple, vec![two; 2 * n])], false);
    let mut arms = Vec::new();
    for i in 0..=n {
        let fields = (0..2 * n).map(|j| if j / 2 == i { head(patterns, 0) } else { any(patterns) }).collect();
        arms.push(patterns.push(Pattern::Head(Head::Tuple, fields)));
    }
    (ty, arms)
}

#[test]
fn w_is_linear() {
    let (mut table, mut patterns) = (Table::default(), Patterns::default());
    let (ty, mut arms) = w(32, &mut table, &mut patterns);
    let findings = examine(&patterns, &mut table, ty, &arms, Wanted::All);
    assert!(findings.missing.witnesses.is_empty() && findings.arms.is_empty());
    let found = tree(&patterns, &mut table, ty, &arms).expect("small");
    assert_eq!(found.nodes.len(), 2 * 32 + 33);
    // Without the last row, one of each pair must be `F`: 2^32 paths.
    arms.pop();
    let findings = examine(&patterns, &mut table, ty, &arms, Wanted::All);
    assert!(findings.missing.is_cut);
    assert_eq!(findings.missing.witnesses.len(), crate::witness::MAX_WITNESSES);
}

/// `Link(_, Link(_, …))`.
fn links(patterns: &mut Patterns, n: usize, end: PatternId) -> PatternId {
    (0..n).fold(end, |rest, _| {
        let wild = any(patterns);
        patterns.push(Pattern::Head(Head::Ctor(1), vec![wild, rest]))
    })
}

fn sequence(table: &mut Table) -> TyId {
    let ty = TyId::numbered(table.0.len() as u32 + 1);
    table.add(vec![(Head::Ctor(0), vec![]), (Head::Ctor(1), vec![TyId::UNKNOWN, ty])], false)
}

#[test]
fn deep_patterns() {
    let (mut table, mut patterns) = (Table::default(), Patterns::default());
    let ty = sequence(&mut table);
    let end = head(&mut patterns, 0);
    let long = links(&mut patterns, 100_000, end);
    let end = head(&mut patterns, 0);
    let same = links(&mut patterns, 100_000, end);
    let findings = examine(&patterns, &mut table, ty, &[long, same], Wanted::All);
    assert!(!findings.is_given_up && findings.missing.is_cut && findings.missing.witnesses.len() == 1 + 1);
    assert_eq!(findings.arms, [(1, vec![Cover::Arm(0)])]);
    let found = tree(&patterns, &mut table, ty, &[long, same]).expect("small");
    assert_eq!(found.nodes.len(), 100_000 + 3);
    let any = any(&mut patterns);
    let tail = links(&mut patterns, 50_000, any);
    let findings = examine(&patterns, &mut table, ty, &[long, tail], Wanted::All);
    assert!(!findings.is_given_up && findings.arms.is_empty());
}

#[test]
fn wide_patterns() {
    let (mut table, mut patterns) = (Table::default(), Patterns::default());
    let many = table.enumeration(5_000);
    let mut arms: Vec<PatternId> = (0..5_000).map(|i| head(&mut patterns, i)).collect();
    let findings = examine(&patterns, &mut table, many, &arms, Wanted::All);
    assert!(findings.missing.witnesses.is_empty() && findings.arms.is_empty());
    let last = arms.pop();
    arms.push(arms[0]);
    let findings = examine(&patterns, &mut table, many, &arms, Wanted::All);
    assert_eq!((findings.missing.witnesses.len(), findings.missing.n_more), (1, 0));
    assert_eq!(findings.arms, [(4_999, vec![Cover::Arm(0)])]);
    let alternatives = patterns.push(Pattern::Or(arms[..10].iter().copied().chain(last).collect()));
    let findings = examine(&patterns, &mut table, many, &[alternatives], Wanted::All);
    assert_eq!((findings.missing.witnesses.len(), findings.missing.n_more), (8, 5_000 - 11 - 8));
    let two = table.enumeration(2);
    let ty = table.add(vec![(Head::Tuple, vec![two; 5_000])], false);
    let fields = (0..5_000).map(|_| head(&mut patterns, 0)).collect();
    let row = patterns.push(Pattern::Head(Head::Tuple, fields));
    let any = any(&mut patterns);
    let findings = examine(&patterns, &mut table, ty, &[row, any], Wanted::All);
    assert!(!findings.is_given_up && findings.missing.witnesses.is_empty());
}

/// Types without values: a list that has no end, a pair with one, and what has those as fields.
#[test]
fn what_cannot_be_is_not_asked_for() {
    let (mut table, mut patterns) = (Table::default(), Patterns::default());
    let stream = TyId::numbered(1);
    table.add(vec![(Head::Ctor(0), vec![TyId::UNKNOWN, stream])], false);
    let option = table.add(vec![(Head::Ctor(0), vec![]), (Head::Ctor(1), vec![stream])], false);
    let none = head(&mut patterns, 0);
    let any = any(&mut patterns);
    let some = patterns.push(Pattern::Head(Head::Ctor(1), vec![any]));
    let findings = examine(&patterns, &mut table, option, &[none, some], Wanted::All);
    assert!(findings.missing.witnesses.is_empty());
    assert_eq!(findings.arms, [(1, Vec::new())]);
    assert!(examine(&patterns, &mut table, stream, &[], Wanted::All).missing.witnesses.is_empty());
    assert_eq!(examine(&patterns, &mut table, option, &[], Wanted::All).missing.witnesses.len(), 1);
}

/// The edges of a graph as rows that ask for both ends: what is missing are its independent sets, and their number of
/// states grows with the width of the graph.
#[test]
fn too_large_a_match_is_given_up() {
    let (mut table, mut patterns) = (Table::default(), Patterns::default());
    let two = table.enumeration(2);
    let n = 200;
    let ty = table.add(vec![(Head::Tuple, vec![two; n])], false);
    let mut random = Random(7);
    let mut arms = Vec::new();
    for _ in 0..3 * n {
        let ends = [random.below(n), random.below(n)];
        let fields = (0..n).map(|j| if ends.contains(&j) { head(&mut patterns, 0) } else { any(&mut patterns) });
        let fields = fields.collect();
        arms.push(patterns.push(Pattern::Head(Head::Tuple, fields)));
    }
    let findings = examine(&patterns, &mut table, ty, &arms, Wanted::All);
    assert!(findings.is_given_up);
    let found = tree(&patterns, &mut table, ty, &arms).expect("a sequence");
    assert!(found.is_sequence && found.nodes.len() <= 2 * arms.len() + arms.len() + 1);
    for _ in 0..20 {
        let fields = (0..n).map(|_| Value { head: [0, random.below(12).min(1) as u32], fields: Vec::new() }).collect();
        let value = Value { head: Head::Tuple.key(), fields };
        let first = arms.iter().position(|&arm| fit(&patterns, arm, &value).is_some());
        assert_eq!(follow(&found, &value).map(|(arm, _)| arm), first);
    }
}
