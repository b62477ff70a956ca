//! The steps of a derivation in words, by the rules of the operators.

use super::naming::{Naming, Poster};
use super::window::Window;
use super::{Recorded, Subject};
use crate::Analysis;
use base::{MapArray, Span, ToList, listed};
use hir::{ExprId, ExprKind, PatKind};
use infer::Why;
use solve::derive::{By, Derived, Graph, Passed, Place};
use solve::formula::{Formula, Token};
use solve::{Cause, RelationId};
use ty::{Attrs, Dim, Extent, RelationRef, Term, TermId, Terms};

/// At most this many of the operands that a rule made something from are named.
const MAX_NAMED: usize = 4;

/// A line of the answer.
pub(crate) struct Line {
    pub depth: u32,
    pub fact: String,
    pub of: String,
    pub by: String,
    pub span: Option<Span>,
    pub event: u32,
}

/// What a step says.
struct Said {
    /// `20 · 4 · 4`.
    formula: Option<String>,
    /// `` `nn.batch_flatten` ``, and where it is; nothing for what was just written.
    who: String,
    /// `multiplies axes of %p`.
    what: String,
    /// In a sentence about what it was used for: `comes from pooling 8 by 2`.
    comes: String,
    span: Option<Span>,
}

pub(crate) struct Words<'a> {
    naming: Naming<'a>,
    graph: &'a Graph<'a>,
}

impl<'a> Words<'a> {
    pub fn new(analysis: &'a Analysis, recorded: &'a Recorded, graph: &'a Graph<'a>) -> Words<'a> {
        Words { naming: Naming::new(analysis, recorded, graph), graph }
    }

    /// The derivation of a part of a type as lines, and as one sentence.
    pub fn tell(&self, subject: &Subject, place: &Place) -> (Vec<Line>, String) {
        let of = format!("{}{}", self.naming.part(place), subject.of);
        let fact = self.naming.fact(place);
        let steps = self.without_types(self.graph.derive(place));
        let said: Vec<Said> = steps.iter().map(|step| self.said(step)).list();
        let sentence = self.sentence(&of, &fact, &steps, &said);
        let mut lines = Vec::with_capacity(steps.len());
        let mut deeper = base::filled(0, steps.len());
        let mut parent: Vec<Option<usize>> = base::filled(None, steps.len());
        for (at, step) in steps.iter().enumerate() {
            for &premise in &step.premises {
                parent[premise] = Some(at);
            }
            deeper[at] += parent[at].map_or(0, |parent| deeper[parent]);
            let mut of = match parent[at].map(|parent| &steps[parent].by) {
                Some(By::Rule { relation, .. }) => self.naming.of(*relation, &step.place),
                Some(By::Said(_)) | None => of.clone(),
            };
            let fact = self.naming.fact(&step.place);
            for (by, span, inner) in self.through(step) {
                let depth = step.depth + deeper[at];
                lines.push(Line { depth, fact: fact.clone(), of, by, span: Some(span), event: step.event });
                deeper[at] += 1;
                of = inner;
            }
            let Said { formula, who, what, span, .. } = &said[at];
            let space = if who.is_empty() { "" } else { " " };
            let formula = formula.as_ref().map_or(String::new(), |formula| format!(": {formula}"));
            let by = format!("{who}{space}{what}{formula}");
            lines.push(Line { depth: step.depth + deeper[at], fact, of, by, span: *span, event: step.event });
        }
        (lines, sentence)
    }

    /// A derivation without the steps in which the type of a called function only hands on what it was given.
    fn without_types(&self, mut steps: Vec<Derived>) -> Vec<Derived> {
        let hands_on = |step: &Derived| match (&step.by, step.premises.as_slice(), step.given.as_slice()) {
            (By::Rule { relation, formula: None, makes: false }, &[premise], [_]) => {
                let poster = self.naming.poster(*relation)?;
                (poster.through.is_some() && poster.op.is_none()).then_some(premise)
            }
            (By::Rule { .. } | By::Said(_), ..) => None,
        };
        // Parents stand before their children, so what is taken over is handed down further.
        let mut keeps = base::filled(true, steps.len());
        let mut higher = base::filled(0, steps.len());
        for at in 0..steps.len() {
            let next = hands_on(&steps[at]);
            let up = higher[at] + u32::from(next.is_some());
            steps[at].premises.iter().for_each(|&premise| higher[premise] = up);
            if let Some(premise) = next {
                keeps[at] = false;
                let (place, mut passed) = (steps[at].place.clone(), steps[at].passed.clone());
                passed.append(&mut steps[premise].passed);
                (steps[premise].place, steps[premise].passed) = (place, passed);
            }
        }
        // Of what is left out, its only premise stands for it.
        for at in 0..steps.len() {
            for n in 0..steps[at].premises.len() {
                while let premise = steps[at].premises[n]
                    && !keeps[premise]
                {
                    steps[at].premises[n] = steps[premise].premises[0];
                }
            }
        }
        let mut numbers = Vec::with_capacity(steps.len());
        let mut n_kept = 0;
        for &keep in &keeps {
            numbers.push(n_kept);
            n_kept += usize::from(keep);
        }
        let kept = steps.into_iter().enumerate().filter(|(at, _)| keeps[*at]).map(|(at, mut step)| {
            step.depth -= higher[at];
            step.premises.iter_mut().for_each(|premise| *premise = numbers[*premise]);
            step
        });
        kept.list()
    }

    fn sentence(&self, of: &str, fact: &str, steps: &[Derived], said: &[Said]) -> String {
        let (Some(root), Some(first)) = (steps.first(), said.first()) else {
            return format!("{of} is {fact}, and nothing says why");
        };
        let head = match &first.formula {
            Some(formula) => format!("{fact} = {formula}"),
            None => format!("{of} is {fact}"),
        };
        let through: String = { self.through(root).into_iter() }
            .map(|(by, _, inner)| match inner.is_empty() {
                true => format!("{by}, and "),
                false => format!("{by} with {inner}, and "),
            })
            .collect();
        let clause = match &root.by {
            By::Said(_) if !through.is_empty() => format!("{through}it {}", first.comes),
            By::Said(_) | By::Rule { .. } => {
                let space = if first.who.is_empty() { "" } else { " " };
                format!("{through}{}{space}{}", first.who, first.what)
            }
        };
        // The premise that there is most to say about.
        let of_rule = |at: &&usize| matches!(steps[**at].by, By::Rule { .. });
        let computed = root.premises.iter().find(|at| of_rule(at) && said[**at].formula.is_some());
        let premise = computed.or_else(|| root.premises.iter().find(of_rule)).or(root.premises.first());
        let whose = match (premise, &root.by) {
            (Some(&at), By::Rule { relation, .. }) => {
                let premise = &steps[at].place;
                let fact = self.naming.fact(premise);
                let of = self.naming.of(*relation, premise);
                let operand = base::all_places(&of, " of ").last().map_or(&of[..], |at| &of[at + 4..]);
                let operand = Some(operand).filter(|operand| !operand.is_empty());
                // Only what was named last has a `whose`.
                match operand.is_some_and(|operand| clause.ends_with(operand)) {
                    true => format!(", whose {fact} {}", said[at].comes),
                    false => format!("; the {fact} {}", said[at].comes),
                }
            }
            (Some(_) | None, _) => String::new(),
        };
        format!("{head}: {clause}{whose}")
    }

    /// The calls and patterns through which a fact came, where each is, and of what the fact is spoken there.
    fn through(&self, step: &Derived) -> Vec<(String, Span, String)> {
        let module = &self.naming.analysis.module;
        let inferred = &self.naming.recorded.inferred;
        // A rule that a call demands speaks of the call itself.
        let demanded_by = match step.by {
            By::Rule { relation, .. } => Some(inferred.solver.relation(relation).cause),
            By::Said(_) => None,
        };
        let mut found: Vec<(String, Span, String)> = Vec::new();
        for passed in &step.passed {
            let cause = match *passed {
                Passed::Part(cause) => cause,
                Passed::Equation(relation) => inferred.solver.relation(relation).cause,
            };
            let why = self.naming.why(cause);
            if let (Passed::Equation(_), Why::Argument { call, index }) = (passed, why) {
                if let Some((.., inner)) = found.last_mut().filter(|(.., inner)| inner.is_empty()) {
                    *inner = self.argument(call, index, &step.at).unwrap_or_default();
                }
                continue;
            }
            let Some(span) = self.naming.span(cause).filter(|_| demanded_by != Some(cause)) else { continue };
            let line = self.naming.line(span);
            let by = match (passed, why) {
                (Passed::Part(_), Why::Expr(id)) => match &module.exprs[id].kind {
                    ExprKind::Def(def) => format!("line {line} calls `{}`", module.defs[*def].name),
                    ExprKind::Ctor(ctor) => format!("line {line} makes a `{}`", module.ctors[*ctor].name),
                    _ => continue,
                },
                (_, Why::Pattern(_)) => format!("the pattern `{}` on line {line} takes it out", self.naming.text(span)),
                _ => continue,
            };
            // The parts of one type are one step.
            if found.len() < MAX_NAMED && found.iter().all(|(_, other, _)| *other != span) {
                found.push((by, span, String::new()));
            }
        }
        found
    }

    /// A place as a part of the type of an argument.
    fn argument(&self, call: ExprId, index: usize, place: &Place) -> Option<String> {
        let module = &self.naming.analysis.module;
        let (ExprKind::Call { args, .. } | ExprKind::OpCall { args, .. }) = &module.exprs[call].kind else {
            return None;
        };
        let arg = *args.get(index)?;
        let mut found = self.graph.locate(self.naming.recorded.inferred.exprs[arg]?, place.cell)?;
        found.path.extend_from_slice(&place.path);
        Some(format!("{}{}", self.naming.part(&found), self.naming.expr(arg)))
    }

    fn said(&self, step: &Derived) -> Said {
        match &step.by {
            By::Said(cause) => self.written(*cause, &step.at),
            By::Rule { relation, formula, makes } => self.ruled(step, *relation, formula.as_ref(), *makes),
        }
    }

    /// What the walk over the program said.
    fn written(&self, cause: Cause, at: &Place) -> Said {
        let module = &self.naming.analysis.module;
        let Some(span) = self.naming.span(cause) else {
            let (what, comes) = ("the prelude says so".to_owned(), "is said in the prelude".to_owned());
            return Said { formula: None, who: String::new(), what, comes, span: None };
        };
        let line = self.naming.line(span);
        let (what, comes) = match self.naming.why(cause) {
            Why::Written(_) => (format!("written on line {line}"), format!("is written on line {line}")),
            Why::Expr(id) => match &module.exprs[id].kind {
                ExprKind::Literal(..) | ExprKind::TensorLit(_) => {
                    (format!("the literal on line {line}"), format!("is that of the literal on line {line}"))
                }
                ExprKind::Ctor(ctor) => {
                    let name = &module.ctors[*ctor].name;
                    (format!("made with `{name}` on line {line}"), format!("is made with `{name}` on line {line}"))
                }
                ExprKind::Def(def) => {
                    let name = &module.defs[*def].name;
                    (format!("the use of `{name}` on line {line}"), format!("comes with `{name}` on line {line}"))
                }
                _ => (format!("the expression on line {line}"), format!("is that of the expression on line {line}")),
            },
            Why::Function(function) => {
                let of = &module.functions[function];
                // A node's types stand where it is named.
                let line = of.result.map_or(line, |result| self.naming.line(module.type_exprs[result].span));
                let name = module.defs.iter().find(|def| module.functions[def.function].span == span);
                let name = name.map_or("the function".to_owned(), |def| format!("`{}`", def.name));
                let solver = &self.naming.recorded.inferred.solver;
                match self.graph.at(at).is_some_and(|term| solver.head(term).is_rigid()) {
                    true => {
                        (format!("{name} works for any, so it is a parameter"), format!("is a parameter of {name}"))
                    }
                    false if of.result.is_some() => {
                        (format!("declared on line {line}"), format!("is declared on line {line}"))
                    }
                    false => {
                        let from = format!("inferred from the definition on line {line}");
                        let comes = format!("is {from}");
                        (from, comes)
                    }
                }
            }
            Why::Pattern(pat) if matches!(module.pats[pat].kind, PatKind::Ctor(..)) => {
                let name = match module.pats[pat].kind {
                    PatKind::Ctor(ctor, _) => module.ctors[ctor].name.as_str(),
                    _ => "",
                };
                (format!("declared with `{name}`"), format!("is declared with `{name}`"))
            }
            Why::Pattern(_) | Why::PatternVariable(_) => {
                (format!("the pattern on line {line}"), format!("is that of the pattern on line {line}"))
            }
            Why::Condition(_) => ("a condition is a bool".to_owned(), "is that of a condition".to_owned()),
            Why::Where { .. } => (format!("the `where` on line {line}"), format!("is said by `where` on line {line}")),
            Why::Variable(_)
            | Why::Argument { .. }
            | Why::TypeArgument { .. }
            | Why::Branches(_)
            | Why::Arm { .. }
            | Why::Let { .. }
            | Why::Result(_)
            | Why::Constructor(_) => (format!("line {line} says so"), format!("is said on line {line}")),
        };
        Said { formula: None, who: String::new(), what, comes, span: Some(span) }
    }

    /// What a relation's rule made of its premises.
    fn ruled(&self, step: &Derived, relation: RelationId, formula: Option<&Formula>, makes: bool) -> Said {
        let module = &self.naming.analysis.module;
        let posted = self.naming.recorded.inferred.solver.relation(relation);
        let span = self.naming.span(posted.cause);
        let Some(poster) = self.naming.poster(relation) else {
            let name = posted.relation.name();
            let who = format!("the relation `{name}`");
            let what = "determines it".to_owned();
            let comes = format!("comes from {who}");
            return Said { formula: formula.map(|formula| self.formula(formula, step)), who, what, comes, span };
        };
        let line = span.map(|span| self.naming.line(span));
        let on_line = line.map_or(String::new(), |line| format!(" on line {line}"));
        let name = match (poster.op, &posted.relation) {
            (Some(op), _) => format!("`{}`", op.row().name),
            (None, RelationRef::Written { .. }) => format!("the relation `{}`", posted.relation.name()),
            (None, RelationRef::Builtin(_)) => match &module.exprs[poster.call].kind {
                ExprKind::Project { index, .. } => format!("the projection .{index}"),
                _ => "the type".to_owned(),
            },
        };
        let (who, span) = match poster.through {
            None => (format!("{name}{on_line}"), span),
            Some((def, inside)) => {
                let at = inside.map_or(String::new(), |span| format!(" on line {}", self.naming.line(span)));
                let def = &module.defs[def].name;
                let of = if poster.op.is_some() { "in" } else { "of" };
                (format!("{name}{at} {of} `{def}`, called{on_line},"), inside.or(span))
            }
        };
        if let Some((formula, what, doing)) = self.window(&poster, step, &posted.attrs) {
            let what = what.trim_ascii_end().to_owned();
            let comes = match doing {
                Some(doing) => format!("comes from {doing}{on_line}"),
                None => format!("comes from {who}, {formula}"),
            };
            return Said { formula: Some(formula), who, what, comes, span };
        }
        let of = |place: &Place| self.naming.of(relation, place);
        let formula = formula.map(|formula| self.formula(formula, step));
        let what = match (&formula, step.given.as_slice()) {
            (Some(_), given) => self.computes(&poster, relation, &posted.attrs, given),
            (None, []) => self.constant(&poster, step, &posted.attrs),
            (None, [given]) if !makes => self.passes(&poster, relation, step, given),
            (None, given) => self.joins(&poster, relation, step, given),
        };
        let comes = match (&formula, step.given.as_slice()) {
            (Some(formula), _) => format!("comes from {who}, {formula}"),
            (None, [given]) if !makes && !of(given).is_empty() => {
                format!("comes through {who} from {}", of(given))
            }
            (None, _) => format!("comes from {who}"),
        };
        let mut comes = comes;
        while let Some(at) = base::find(&comes, ",,") {
            comes.remove(at);
        }
        Said { formula, who, what, comes, span }
    }

    fn formula(&self, formula: &Formula, step: &Derived) -> String {
        let mut text = String::new();
        for token in &formula.tokens {
            match token {
                Token::Given(at) => {
                    let fact = step.given.get(*at).map_or_else(String::new, |place| self.naming.fact(place));
                    text.push_str(&if formula.tokens.len() > 1 { as_operand(fact) } else { fact });
                }
                Token::Number(number) => text.push_str(&number.to_string()),
                Token::Text(part) => text.push_str(part),
            }
        }
        text
    }

    fn number(&self, id: TermId) -> Option<i64> {
        match self.naming.recorded.inferred.solver.head(id) {
            Term::Dim(Dim { extent: Extent::Number(number), dynamic: false }) => Some(number),
            _ => None,
        }
    }

    /// The dims of an expression's type, if that is a tensor.
    fn dims(&self, expr: ExprId) -> Option<&[TermId]> {
        let inferred = &self.naming.recorded.inferred;
        let Term::Tensor { shape, .. } = inferred.solver.head(inferred.exprs[expr]?) else { return None };
        match inferred.solver.head(shape) {
            Term::Shape(dims) => Some(inferred.solver.items(dims)),
            _ => None,
        }
    }

    /// Which axis of the call's result a step is about.
    fn axis(&self, poster: &Poster, step: &Derived) -> Option<usize> {
        let By::Rule { relation, .. } = step.by else { return None };
        let inferred = &self.naming.recorded.inferred;
        let result = inferred.exprs[poster.call]?;
        let mut found = self.graph.locate(result, step.at.cell).or_else(|| {
            let (at, place) = self.naming.operand(relation, &step.at)?;
            (at == poster.args.len()).then_some(place)
        })?;
        found.path.extend_from_slice(if found.cell == step.at.cell { &[] } else { &step.at.path });
        match found.path.as_slice() {
            &[.., 0, axis] => Some(axis as usize),
            _ => None,
        }
    }

    /// The arithmetic of a window that slides, what that is, and a word for doing it.
    fn window(&self, poster: &Poster, step: &Derived, attrs: &Attrs) -> Option<(String, String, Option<String>)> {
        if poster.through.is_some() || step.given.is_empty() || attrs.ints("strides").is_none() {
            return None;
        }
        let axis = self.axis(poster, step)?;
        let weight = |letter: u8| {
            let at = base::place(attrs.str("kernel_layout"), letter)?;
            self.number(*self.dims(*poster.args.get(1)?)?.get(at)?)
        };
        let window = Window::read(attrs, axis, weight)?;
        let [input, output] = [*poster.args.first()?, poster.call].each(|of| self.dims(of)?.get(axis).copied());
        let (input, output) = (input?, output?);
        let sizes = self.number(input).zip(self.number(output)).map(|(input, output)| [input, output]);
        let input = self.naming.print(input);
        let formula = window.formula(&input, sizes)?;
        let size = window.size;
        Some(match attrs.ints("pool_size") {
            Some(_) => (formula, format!("pools {input} by {size}"), Some(format!("pooling {input} by {size}"))),
            None => (formula, format!("slides a window of {size} over {input}"), None),
        })
    }

    fn family(poster: &Poster) -> &'static str {
        poster.op.map_or("", |op| op.row().relation.name)
    }

    fn places(&self, relation: RelationId, given: &[Place]) -> String {
        let mut names: Vec<String> = Vec::new();
        for place in given {
            let name = self.naming.of(relation, place);
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        if names.len() > MAX_NAMED {
            names.truncate(MAX_NAMED - 1);
            names.push("more".to_owned());
        }
        listed(&names, "and")
    }

    /// The operands that premises belong to.
    fn operands(&self, poster: &Poster, relation: RelationId, given: &[Place]) -> String {
        let mut names: Vec<String> = Vec::new();
        for place in given {
            let Some((at, _)) = self.naming.operand(relation, place) else { continue };
            let name = self.naming.expr(poster.args.get(at).copied().unwrap_or(poster.call));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        listed(&names, "and")
    }

    /// What a rule computes with a formula.
    fn computes(&self, poster: &Poster, relation: RelationId, attrs: &Attrs, given: &[Place]) -> String {
        let operands = self.operands(poster, relation, given);
        match Self::family(poster) {
            "BatchFlatten" => format!("multiplies the axes of {operands}"),
            "Concatenate" => format!("adds up {}", self.places(relation, given)),
            "Reshape" | "ReverseReshape" => format!("keeps the number of elements of {operands}"),
            "Split" => match attrs.get("indices_or_sections") {
                ty::AttrValue::Int(_) => format!("cuts {} into equal parts", self.places(relation, given)),
                _ => format!("cuts parts off {}", self.places(relation, given)),
            },
            "Repeat" | "Tile" => format!("repeats {}", self.places(relation, given)),
            _ if operands.is_empty() => "computes it".to_owned(),
            _ => format!("computes it from {}", self.places(relation, given)),
        }
    }

    /// What a rule says that looks at no size.
    fn constant(&self, poster: &Poster, step: &Derived, attrs: &Attrs) -> String {
        let fact = self.naming.fact(&step.place);
        if fact == "?" {
            return "knows it only when it runs".to_owned();
        }
        let family = Self::family(poster);
        if matches!(family, "ExpandDims" | "Stack") && step.at.path.len() != 1 {
            return format!("puts in an axis of {fact}");
        }
        if attrs.flag("keepdims") && fact == "1" {
            return "keeps the axis that it reduces, with `keepdims`, as 1".to_owned();
        }
        let target = match step.by {
            By::Rule { relation, .. } => self.naming.operand(relation, &step.at),
            By::Said(_) => None,
        };
        if let Some((at, _)) = target
            && at < poster.args.len()
        {
            return format!("needs {} to be so", self.naming.expr(poster.args[at]));
        }
        if step.at.path.is_empty() && self.is_composite(step.at.cell) {
            return "gives it".to_owned();
        }
        let wanted = base::parse_i64(&fact);
        let says = |value: &ty::AttrValue| match wanted {
            Some(wanted) => value.as_ints().is_some_and(|all| all.contains(&wanted)),
            None => matches!(value, ty::AttrValue::Str(text) if **text == *fact),
        };
        let attr = { attrs.entries.iter().zip(&attrs.written) }.find(|((_, value), written)| **written && says(value));
        match attr {
            Some(((name, _), _)) => format!("says so with `{name}`"),
            None => {
                let is_number = |value: &ty::AttrValue| wanted.is_some() && value.as_ints().is_some();
                let written = attrs.entries.iter().zip(&attrs.written).filter(|(_, written)| **written);
                let names = written.filter(|((name, value), _)| is_number(value) && !name.starts_with("axis"));
                let names: Vec<String> = names.map(|((name, _), _)| format!("`{name}`")).take(MAX_NAMED).list();
                match names.is_empty() {
                    true => format!("makes it {fact}"),
                    false => format!("works it out from {}", listed(&names, "and")),
                }
            }
        }
    }

    fn is_composite(&self, id: TermId) -> bool {
        !self.naming.recorded.inferred.solver.head(id).is_leaf()
    }

    /// What a rule does that hands one premise on as it is.
    fn passes(&self, poster: &Poster, relation: RelationId, step: &Derived, given: &Place) -> String {
        let target = self.naming.operand(relation, &step.at);
        let source = self.naming.operand(relation, given);
        let of = self.naming.of(relation, given);
        let (Some((target, place)), Some((from, source))) = (target, source) else {
            return if of.is_empty() { "hands it on".to_owned() } else { format!("takes it from {of}") };
        };
        if target < poster.args.len() && target != from {
            let own = self.naming.of(relation, &step.at);
            return format!("needs {own} to be as {of}");
        }
        if matches!(Self::family(poster), "Broadcast" | "BroadcastComp" | "Where")
            && let Some(words) = self.stretches(poster, step)
        {
            return words;
        }
        let moves = match (source.path.as_slice(), place.path.as_slice()) {
            (&[.., 0, from], &[.., 0, to]) => Some((from, to)),
            _ => None,
        };
        match (Self::family(poster), moves) {
            ("Transpose", Some((from, to))) if from != to => format!("moves here {of}"),
            ("Reduce" | "ArgReduce" | "Squeeze", Some((from, to))) if from != to => {
                format!("drops axes and keeps {of}")
            }
            _ if source.path == place.path && from == 0 => format!("keeps {of}"),
            _ => format!("takes {of}"),
        }
    }

    /// How a broadcast came to one size: from which operands, of which sizes.
    fn stretches(&self, poster: &Poster, step: &Derived) -> Option<String> {
        // The arguments of a definition's call are not the operands of what it asks for.
        if poster.through.is_some() {
            return None;
        }
        let axis = self.axis(poster, step)?;
        let rank = self.dims(poster.call)?.len();
        let print = |id: TermId| self.naming.print(id);
        let mut sizes: Vec<(String, String)> = Vec::new();
        for &arg in &poster.args {
            let dims = self.dims(arg)?;
            let own = (axis + dims.len()).checked_sub(rank).and_then(|own| dims.get(own).map(|&dim| (own, dim)));
            if let Some((own, dim)) = own {
                sizes.push((print(dim), format!("axis {own} of {}", self.naming.expr(arg))));
            }
        }
        Some(match sizes.as_slice() {
            [(_, only)] if poster.args.len() > 1 => format!("has only {only}"),
            [(a, _), (b, _)] if a == b => format!("has {a} on both sides"),
            [(a, first), (b, second)] => {
                let stretched = if a == "1" { first } else { second };
                match a == "1" || b == "1" {
                    true => format!("takes the larger of {a} and {b}, and stretches {stretched}"),
                    false => format!("takes what {a} and {b} have in common"),
                }
            }
            _ => return None,
        })
    }

    /// What a rule makes of several premises without a formula.
    fn joins(&self, poster: &Poster, relation: RelationId, step: &Derived, given: &[Place]) -> String {
        if matches!(Self::family(poster), "Broadcast" | "BroadcastComp" | "Where")
            && let Some(words) = self.stretches(poster, step)
        {
            return words;
        }
        if Self::family(poster) == "StridedSlice" && self.axis(poster, step).is_some() {
            return format!("cuts {}", self.places(relation, given));
        }
        if let Some((at, _)) = self.naming.operand(relation, &step.at)
            && at < poster.args.len()
        {
            let own = self.naming.expr(poster.args[at]);
            return format!("needs {own} to fit {}", self.operands(poster, relation, given));
        }
        let from = match step.place.path.is_empty() {
            true => self.operands(poster, relation, given),
            false => self.places(relation, given),
        };
        if self.naming.fact(&step.place) == "?" {
            return format!("cannot know it without {from}");
        }
        let part = match self.axis(poster, step) {
            Some(axis) => format!("axis {axis}"),
            None => "it".to_owned(),
        };
        if from.is_empty() { format!("makes {part}") } else { format!("makes {part} from {from}") }
    }
}

/// A size as a part of a formula: in parentheses if it is computed from others by signs.
fn as_operand(size: String) -> String {
    let mut depth = 0;
    let is_apart = |byte: u8| {
        depth += i32::from(matches!(byte, b'(' | b'[')) - i32::from(matches!(byte, b')' | b']'));
        byte == b' ' && depth == 0
    };
    if size.bytes().any(is_apart) { format!("({size})") } else { size }
}
