//! Relations that are written in the language, against those that are built in.
//!
//! The page `23-rules-written-again` writes the rules of operators as relations. Each is read from there, put on a
//! function with nothing else in it, and called on the argument types of every recorded fact of an operator that has
//! the built-in rule and of whose attributes the relation knows. What it says must be what the operator's row says: the
//! same type, or both refuse. Then the same with one dim changed, and on argument types of other operators.

use serde_json::Value as Json;
use session::Analysis;
use std::collections::{BTreeMap, BTreeSet};
use tests::facts::{attr_text, corpus, errors, hash, is_soak, items, op_program, text};
use tests::page::cases;
use tests::root;

const PAGE: &str = "tests/pages/23-rules-written-again.md";

/// Argument types of other operators, and such with one dim changed, that each relation is tried on; of both the same
/// ones each time.
const N_OTHERS: usize = 60;

/// A fact's attributes: what is not written has its default.
struct Attrs<'a> {
    written: &'a serde_json::Map<String, Json>,
    row: &'a op::Op,
    /// The rank of the first argument, or of the first field of a tuple.
    rank: usize,
    /// The fields of the first argument, if it is a tuple.
    n_fields: usize,
}

impl Attrs<'_> {
    /// Whether no other attributes than these are written, or only with their defaults.
    fn only(&self, names: &[&str]) -> Option<()> {
        let is_default = |name: &str, value: &Json| {
            let spec = self.row.attrs.iter().find(|attr| attr.name == name);
            let default = spec.and_then(|attr| attr.default.value());
            default.is_some_and(|default| default.to_string() == attr_text(value) || value.is_null())
        };
        let fits = |(name, value): (&String, &Json)| names.contains(&name.as_str()) || is_default(name, value);
        self.written.iter().all(fits).then_some(())
    }

    fn get(&self, name: &str) -> Option<String> {
        let spec = self.row.attrs.iter().find(|attr| attr.name == name)?;
        let written = self.written.get(name).filter(|value| !value.is_null()).map(attr_text);
        written.or_else(|| spec.default.value().map(|value| value.to_string()))
    }

    /// A number of at least 0, or a flag as 0 or 1.
    fn number(&self, name: &str) -> Option<i64> {
        match self.get(name)?.as_str() {
            "True" => Some(1),
            "False" => Some(0),
            number => number.parse().ok().filter(|&number| number >= 0),
        }
    }

    fn numbers(&self, name: &str) -> Option<Vec<i64>> {
        let text = self.get(name)?;
        let inner = text.trim_start_matches('[').trim_end_matches(']');
        let numbers: Option<Vec<i64>> = match inner {
            "" => Some(Vec::new()),
            inner => inner.split(", ").map(|number| number.parse().ok()).collect(),
        };
        numbers.filter(|numbers| numbers.iter().all(|&number| number >= 0))
    }

    /// A dtype, which is none where it is not said.
    fn dtype(&self, name: &str) -> Option<String> {
        let text = self.get(name)?.trim_matches('"').to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// An axis, counted from the first; `more` is how many the result has above the first argument.
    fn axis(&self, name: &str, more: usize) -> Option<i64> {
        let axis: i64 = self.get(name)?.trim_matches(['[', ']']).parse().ok()?;
        if axis >= 0 {
            return Some(axis);
        }
        let from_first = axis + (self.rank + more) as i64;
        (from_first >= 0).then_some(from_first)
    }

    /// One number for two axes, or one each.
    fn pair(&self, name: &str) -> Option<[i64; 2]> {
        match self.numbers(name)?[..] {
            [both] => Some([both, both]),
            [height, width] => Some([height, width]),
            _ => None,
        }
    }

    /// The padding of height and width in total.
    fn padding(&self) -> Option<[i64; 2]> {
        match self.numbers("padding")?[..] {
            [all] => Some([all * 2; 2]),
            [height, width] => Some([height * 2, width * 2]),
            [top, left, bottom, right] => Some([top + bottom, left + right]),
            _ => None,
        }
    }
}

/// A list of dims as a shape: `(2,)`, `(2, 3)`.
fn shape(dims: &[i64]) -> String {
    let comma = if dims.len() == 1 { "," } else { "" };
    format!("({}{comma})", texts(dims).join(", "))
}

fn texts(numbers: &[i64]) -> Vec<String> {
    numbers.iter().map(i64::to_string).collect()
}

/// A relation of the page.
struct Rule {
    name: &'static str,
    /// An operator that has the relation that it writes again.
    of: &'static str,
    /// What stands between the arguments' types and the result's; `None` where the relation does not cover it.
    attrs: fn(&Attrs) -> Option<Vec<String>>,
    /// Facts that it must agree on at least.
    least: usize,
}

const RULES: &[Rule] = &[
    Rule { name: "Unchanged", of: "exp", attrs: |_| Some(Vec::new()), least: 60 },
    Rule { name: "Tested", of: "isnan", attrs: |_| Some(Vec::new()), least: 4 },
    Rule { name: "Elementwise", of: "add", attrs: |_| Some(Vec::new()), least: 40 },
    Rule { name: "Compared", of: "less", attrs: |_| Some(Vec::new()), least: 20 },
    Rule { name: "Chosen", of: "where", attrs: |_| Some(Vec::new()), least: 5 },
    Rule {
        name: "StretchedTo",
        of: "broadcast_to",
        attrs: |attrs| Some(vec![shape(&attrs.numbers("shape")?)]),
        least: 2,
    },
    Rule { name: "Linear", of: "nn.dense", attrs: |attrs| attrs.only(&[]).map(|()| Vec::new()), least: 3 },
    Rule {
        name: "LinearTo",
        of: "nn.dense",
        attrs: |attrs| {
            attrs.only(&["units"])?;
            Some(texts(&[attrs.number("units")?]))
        },
        least: 1,
    },
    Rule {
        name: "Product",
        of: "nn.batch_matmul",
        attrs: |attrs| {
            attrs.only(&["transpose_a", "transpose_b"])?;
            Some(texts(&[attrs.number("transpose_a")?, attrs.number("transpose_b")?]))
        },
        least: 5,
    },
    Rule { name: "Biased", of: "nn.bias_add", attrs: |attrs| Some(texts(&[attrs.axis("axis", 0)?])), least: 5 },
    Rule { name: "Rows", of: "nn.batch_flatten", attrs: |_| Some(Vec::new()), least: 2 },
    Rule {
        name: "Reshaped",
        of: "reshape",
        attrs: |attrs| {
            attrs.only(&["newshape"])?;
            let sizes = attrs.numbers("newshape")?;
            sizes.iter().all(|&size| size > 0).then(|| vec![shape(&sizes)])
        },
        least: 3,
    },
    Rule { name: "AsDtype", of: "cast", attrs: |attrs| Some(vec![attrs.dtype("dtype")?]), least: 8 },
    Rule {
        name: "Reversed",
        of: "transpose",
        attrs: |attrs| match attrs.get("axes").as_deref() {
            None | Some("None" | "[]") => Some(Vec::new()),
            Some(_) => None,
        },
        least: 2,
    },
    Rule {
        name: "Widened",
        of: "expand_dims",
        attrs: |attrs| match attrs.number("num_newaxis")? {
            1 => Some(texts(&[attrs.axis("axis", 1)?])),
            _ => None,
        },
        least: 2,
    },
    Rule { name: "Stacked", of: "stack", attrs: |attrs| of_two(attrs, 1), least: 4 },
    Rule { name: "Joined", of: "concatenate", attrs: |attrs| of_two(attrs, 0), least: 12 },
    Rule {
        name: "Taken",
        of: "take",
        attrs: |attrs| {
            attrs.only(&["axis", "mode"])?;
            Some(texts(&[attrs.axis("axis", 0)?]))
        },
        least: 3,
    },
    Rule { name: "Reduced", of: "sum", attrs: one_axis, least: 6 },
    Rule { name: "Found", of: "argmax", attrs: one_axis, least: 3 },
    Rule { name: "Squeezed", of: "squeeze", attrs: |attrs| attrs.only(&[]).map(|()| Vec::new()), least: 1 },
    Rule {
        name: "Tiled",
        of: "tile",
        attrs: |attrs| {
            let reps = attrs.numbers("reps")?;
            reps.iter().all(|&n| n > 0).then(|| vec![shape(&reps)])
        },
        least: 3,
    },
    Rule {
        name: "Repeated",
        of: "repeat",
        attrs: |attrs| {
            let repeats = attrs.number("repeats").filter(|&repeats| repeats > 0)?;
            Some(texts(&[attrs.axis("axis", 0)?, repeats]))
        },
        least: 3,
    },
    Rule {
        name: "Padded",
        of: "nn.pad",
        attrs: |attrs| {
            attrs.only(&["pad_width", "pad_mode"])?;
            let pairs: Vec<Vec<i64>> = serde_json::from_value(attrs.written.get("pad_width")?.clone()).ok()?;
            let all_pairs = pairs.iter().all(|pair| pair.len() == 2 && pair.iter().all(|&width| width >= 0));
            let side = |at: usize| shape(&pairs.iter().map(|pair| pair[at]).collect::<Vec<_>>());
            all_pairs.then(|| vec![side(0), side(1)])
        },
        least: 2,
    },
    Rule { name: "Global", of: "nn.global_avg_pool2d", attrs: channels_first, least: 1 },
    Rule { name: "Global", of: "nn.global_max_pool2d", attrs: channels_first, least: 1 },
    Rule { name: "Pooled", of: "nn.max_pool2d", attrs: pooled, least: 3 },
    Rule { name: "Pooled", of: "nn.avg_pool2d", attrs: pooled, least: 3 },
    Rule {
        name: "Convolved",
        of: "nn.conv2d",
        attrs: |attrs| {
            attrs.only(&["strides", "padding", "dilation", "groups"])?;
            let groups = attrs.number("groups").filter(|&groups| groups > 0)?;
            let mut numbers = [attrs.pair("strides")?, attrs.pair("dilation")?, attrs.padding()?].concat();
            numbers.push(groups);
            Some(texts(&numbers))
        },
        least: 6,
    },
    Rule {
        name: "Normalised",
        of: "nn.batch_norm",
        attrs: |attrs| {
            attrs.only(&["axis", "epsilon", "center", "scale"])?;
            Some(texts(&[attrs.axis("axis", 0)?]))
        },
        least: 4,
    },
    Rule { name: "Masked", of: "nn.dropout", attrs: |_| Some(Vec::new()), least: 1 },
    Rule { name: "ToDepth", of: "nn.space_to_depth", attrs: blocks, least: 1 },
    Rule { name: "ToSpace", of: "nn.depth_to_space", attrs: blocks, least: 1 },
    Rule {
        name: "Hot",
        of: "one_hot",
        attrs: |attrs| {
            let depth = attrs.number("depth").filter(|&depth| depth > 0)?;
            let is_last = attrs.axis("axis", 1)? == attrs.rank as i64;
            is_last.then_some(())?;
            Some(vec![depth.to_string(), attrs.dtype("dtype")?])
        },
        least: 2,
    },
    Rule {
        name: "ShapeAs",
        of: "shape_of",
        attrs: |attrs| (attrs.dtype("dtype").is_none_or(|dtype| dtype == "int32")).then(Vec::new),
        least: 2,
    },
];

/// The axis of a rule that knows tuples of two only.
fn of_two(attrs: &Attrs, more: usize) -> Option<Vec<String>> {
    let axis = attrs.axis("axis", more)?;
    (attrs.n_fields == 2).then(|| texts(&[axis]))
}

fn one_axis(attrs: &Attrs) -> Option<Vec<String>> {
    attrs.only(&["axis", "keepdims", "select_last_index"])?;
    Some(texts(&[attrs.axis("axis", 0)?, attrs.number("keepdims")?]))
}

fn channels_first(attrs: &Attrs) -> Option<Vec<String>> {
    attrs.only(&[]).map(|()| Vec::new())
}

fn pooled(attrs: &Attrs) -> Option<Vec<String>> {
    attrs.only(&["pool_size", "strides", "dilation", "padding", "ceil_mode", "count_include_pad"])?;
    let sizes = [attrs.pair("pool_size")?, attrs.pair("strides")?, attrs.pair("dilation")?].concat();
    let are_above_0 = sizes.iter().all(|&size| size > 0);
    let numbers = [&sizes[..], &attrs.padding()?, &[attrs.number("ceil_mode")?]].concat();
    are_above_0.then(|| texts(&numbers))
}

fn blocks(attrs: &Attrs) -> Option<Vec<String>> {
    attrs.only(&["block_size", "mode"])?;
    Some(texts(&[attrs.number("block_size").filter(|&block| block > 0)?]))
}

/// The relations that deliberately know less than the built-in ones where an argument's type has a `?` or is left open,
/// with the reason. A `?` matches a variable and chooses no clause, and a clause says nothing before its patterns match
/// (`ty::clauses`): the result has a `?` where the other has a number, or is not known yet.
const WEAKER: &[(&str, &str)] = &[
    ("Elementwise", "8 beside a `?` that is neither 1 nor 8 would be an error; clauses conclude nothing from that"),
    ("Compared", "as Elementwise"),
    ("Chosen", "as Elementwise; what two operands make is a `?` then, with which any third one goes"),
    ("Product", "as Elementwise, for the batch"),
    ("Stacked", "an equation with a `?` makes a `?`; the built-in rule takes the number of the first tensor"),
    ("Biased", "an equation with a `?` makes a `?`; the built-in rule keeps the number of the data"),
    ("Normalised", "as Biased"),
    ("Joined", "an equation with a `?` makes a `?`; the built-in rule takes the number if the axis is a `?`"),
];

/// The `relation` items of the first test on the page that writes a relation of this name.
fn written(page: &str, name: &str) -> String {
    let head = format!("relation {name}(");
    let case = cases(page).into_iter().find(|case| case.program.contains(&head));
    let case = case.unwrap_or_else(|| panic!("{PAGE} does not write {name}"));
    let mut items = String::new();
    let mut is_inside = false;
    for line in case.program.lines() {
        is_inside |= line.starts_with("relation ");
        if is_inside {
            items.push_str(line);
            items.push('\n');
            is_inside = !line.ends_with('.');
        }
    }
    items
}

/// How many dims a type's text has, or that of the first field of a tuple.
fn rank_of(r#type: &str) -> usize {
    let Some((_, rest)) = r#type.split_once("Tensor[(") else { return 0 };
    let dims = rest.split(')').next().unwrap_or("");
    dims.split(',').filter(|dim| !dim.trim().is_empty()).count()
}

/// The fields of a tuple of tensors.
fn n_fields_of(r#type: &str) -> usize {
    if r#type.starts_with('(') { r#type.matches("32").count().max(r#type.matches("Tensor").count()) } else { 0 }
}

/// What is said of `@f`.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Type(String),
    Refused(Vec<String>),
}

fn ask(program: &str) -> Answer {
    let analysis = Analysis::new(program);
    let errors = errors(&analysis);
    if !errors.is_empty() {
        return Answer::Refused(errors);
    }
    let found = analysis.definitions().into_iter().find(|definition| definition.name == "@f");
    Answer::Type(found.map_or_else(String::new, |found| found.r#type))
}

/// The program that asks a written relation for what a fact asks an operator.
fn written_program(relations: &str, name: &str, fact: &Json, attrs: &[String]) -> String {
    let args = items(fact, "args");
    let letters: Vec<String> = (0..args.len()).map(|i| format!("A{i}")).collect();
    let related = [&letters[..], attrs, &["O".to_owned()]].concat().join(", ");
    let typed: Vec<String> = letters.iter().enumerate().map(|(i, letter)| format!("%a{i}: {letter}")).collect();
    let names: Vec<String> = (0..args.len()).map(|i| format!("%a{i}")).collect();
    let (typed, names) = (typed.join(", "), names.join(", "));
    let params = args.iter().enumerate().map(|(i, arg)| match arg.as_str() {
        Some("_") | None => format!("%a{i}"),
        Some(written) => format!("%a{i}: {written}"),
    });
    let params: Vec<String> = params.collect();
    format!(
        "{relations}def @op({typed}) -> O where {name}({related}) {{ @op({names}) }}\ndef @f({}) {{ @op({names}) }}",
        params.join(", ")
    )
}

/// Counts of one rule.
#[derive(Default)]
struct Tally {
    /// Facts on which both agree, and how many of these both refuse; then the same of other argument types.
    facts: [usize; 2],
    others: [usize; 2],
    n_weaker: usize,
    differences: Vec<String>,
}

fn compare(rule: &Rule, relations: &str, fact: &Json, tally: &mut Tally, is_fact: bool) {
    let row = op::by_name(text(fact, "op")).expect("the operator has a row").row();
    let first = items(fact, "args").first().and_then(Json::as_str).unwrap_or("");
    let written = fact["attrs"].as_object().expect("a fact has attributes");
    let attrs = Attrs { written, row, rank: rank_of(first), n_fields: n_fields_of(first) };
    let Some(attrs) = (rule.attrs)(&attrs) else { return };
    let program = written_program(relations, rule.name, fact, &attrs);
    let (ours, theirs) = (ask(&program), ask(&op_program(fact, None)));
    let agree = match (&ours, &theirs) {
        // What is left open is said in other words by each.
        (Answer::Type(ours), Answer::Type(theirs)) => ours == theirs || (is_open(ours) && is_open(theirs)),
        (Answer::Refused(_), Answer::Refused(_)) => true,
        (Answer::Type(_), Answer::Refused(_)) | (Answer::Refused(_), Answer::Type(_)) => false,
    };
    if agree {
        let counts = if is_fact { &mut tally.facts } else { &mut tally.others };
        counts[0] += 1;
        counts[1] += usize::from(matches!(ours, Answer::Refused(_)));
        return;
    }
    let is_weaker = match (&ours, &theirs) {
        (Answer::Type(ours), Answer::Type(theirs)) => is_open(ours) || has_fewer_numbers(ours, theirs),
        (Answer::Type(ours), Answer::Refused(_)) => is_open(ours) || ours.contains('?'),
        (Answer::Refused(_), _) => false,
    };
    match WEAKER.iter().any(|(name, _)| *name == rule.name) && is_weaker {
        true => tally.n_weaker += 1,
        false => tally.differences.push(format!("{program}\n  ours: {ours:?}\n  theirs: {theirs:?}")),
    }
}

fn with_args(fact: &Json, args: Json) -> Json {
    let mut other = fact.clone();
    other["args"] = args;
    other
}

/// The fact with one dim of its arguments changed, in every way.
fn neighbours(fact: &Json) -> Vec<Json> {
    let args: Vec<&str> = items(fact, "args").iter().filter_map(Json::as_str).collect();
    let mut found = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        let pieces: Vec<&str> = arg.split_inclusive(['(', ',', ')']).collect();
        for at in 0..pieces.len() {
            let dim = pieces[at].trim_end_matches([',', ')']);
            if dim != " ?" && dim != "?" && dim.trim().parse::<i64>().is_err() {
                continue;
            }
            for other in ["1", "7", "?"] {
                let mut pieces = pieces.clone();
                let piece = pieces[at].replace(dim.trim(), other);
                pieces[at] = &piece;
                let mut args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
                args[i] = pieces.concat();
                found.push(with_args(fact, args.into()));
            }
        }
    }
    found
}

/// Leaves a part of the facts, unless all are to be tried.
fn sample(facts: &mut Vec<Json>) {
    facts.sort_by_cached_key(|fact| hash(&format!("{} {}", fact["args"], fact["attrs"])));
    facts.dedup_by_key(|fact| format!("{} {}", fact["args"], fact["attrs"]));
    facts.truncate(if is_soak() { facts.len() } else { N_OTHERS });
}

fn is_open(r#type: &str) -> bool {
    r#type.starts_with("fn[")
}

/// Whether two types are the same but for numbers and dims of its own that the first has a `?` for.
fn has_fewer_numbers(ours: &str, theirs: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let text = text.split_once("](").filter(|(params, _)| params.starts_with("fn[")).map_or(text, |(_, rest)| rest);
        let text = text.trim_start_matches("fn(");
        text.split_inclusive([' ', '(', ')', ',', '[', ']']).map(|word| word.trim_end().to_owned()).collect()
    };
    let (ours, theirs) = (words(ours), words(theirs));
    let is_dim = |word: &str| {
        let bare = word.trim_end_matches([',', ')']);
        bare.parse::<i64>().is_ok() || (bare.len() == 1 && bare.starts_with(char::is_uppercase))
    };
    ours.len() == theirs.len()
        && ours.iter().zip(&theirs).all(|(ours, theirs)| ours == theirs || (ours.starts_with('?') && is_dim(theirs)))
}

#[test]
fn relations_of_the_page_say_what_the_built_in_ones_say() {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    let mut facts = corpus("relay");
    facts.retain(|fact| matches!(text(fact, "kind"), "op-type" | "op-backward"));
    let mut by_arity: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for fact in facts.iter().filter(|fact| text(fact, "kind") == "op-type") {
        by_arity.entry(items(fact, "args").len()).or_default().insert(fact["args"].to_string());
    }
    let mut failures = Vec::new();
    for rule in RULES {
        let relations = written(&page, rule.name);
        let mut tally = Tally::default();
        let relation = op::by_name(rule.of).expect("the operator has a row").row().relation;
        let has =
            |fact: &&Json| op::by_name(text(fact, "op")).is_some_and(|op| std::ptr::eq(op.row().relation, relation));
        let own: Vec<&Json> = facts.iter().filter(has).collect();
        own.iter().for_each(|fact| compare(rule, &relations, fact, &mut tally, true));
        let mut others: Vec<Json> = own.iter().flat_map(|fact| neighbours(fact)).collect();
        sample(&mut others);
        let foreign = own.iter().flat_map(|fact| {
            let args = by_arity.get(&items(fact, "args").len()).into_iter().flatten();
            args.map(|args| with_args(fact, serde_json::from_str(args).expect("it was JSON")))
        });
        let mut foreign: Vec<Json> = foreign.collect();
        sample(&mut foreign);
        for other in others.iter().chain(&foreign) {
            compare(rule, &relations, other, &mut tally, false);
        }
        let Tally { facts: [n, refused], others: [n_others, others_refused], n_weaker, differences } = tally;
        println!(
            "{:11} {:16} agrees on {n:3} facts ({refused:2} refused), {n_others:5} more ({others_refused:5} refused){}",
            rule.name,
            relation.name,
            if n_weaker > 0 { format!(", and knows less on {n_weaker}") } else { String::new() }
        );
        if n < rule.least || n + n_others < others_refused + refused + 3 {
            failures.push(format!("{} agrees on {n} facts, and accepts too few", rule.name));
        }
        if WEAKER.iter().any(|(name, _)| *name == rule.name) && n_weaker == 0 {
            failures.push(format!("{} is said to know less, and does not", rule.name));
        }
        let n_differences = differences.len();
        let shown = differences.into_iter().take(3);
        failures.extend(shown.map(|difference| format!("{} ({n_differences} differ):\n{difference}", rule.name)));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
