//! What is said of matches that miss cases, and of arms and alternatives that are never taken.
//!
//! Worked example: `match (%l) { Nil => 0 }` misses `Cons(_, _)`. The fix writes `, Cons(_, _) => _` behind the last
//! arm; the `_` is a hole, which then says what type it wants.

use base::{Append, Diagnostic, Edit, Fix, Join, LineIndex, Span, Surface, ToList, quoted};
use hir::{Arm, Expr, ExprKind, Module, PatId, PatKind, TypeExprKind};
use infer::{Inferred, TypeError, Why};
use pattern::{Coverage, Unreachable, Wanted};
use ty::{Names, Term, TermId, Terms, VariantId};

/// How many covering arms are pointed at.
const MAX_LABELS: usize = 4;

pub(crate) fn diagnostics(
    text: &str,
    lines: &LineIndex,
    module: &Module,
    inferred: &Inferred,
    errors: &[TypeError],
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let wrong = wrong_patterns(module, inferred, errors);
    for expr in module.exprs.iter().skip(module.start.exprs) {
        let ExprKind::Match { scrutinee, arms, is_partial } = &expr.kind else { continue };
        // That there are none has been told.
        if arms.is_empty() && module.surface == Surface::Refine {
            continue;
        }
        // Of what could not be typed nothing is said, nor if a part could not, and nothing of a sum whose variants are not
        // known for an error.
        let Some(term) = inferred.exprs[*scrutinee].filter(|&term| !inferred.is_unknown(term)) else {
            continue;
        };
        if !inferred.solver.roots_where(&[term], |term| matches!(term, Term::Error(_))).is_empty() {
            continue;
        }
        let is_wrong = |arm: &Arm| {
            let span = module.pats[arm.pat].span;
            wrong[wrong.partition_point(|&start| start < span.start)..].first().is_some_and(|&start| start < span.end)
        };
        if !wrong.is_empty() && arms.iter().any(is_wrong) {
            continue;
        }
        let coverage = pattern::check(module, &inferred.solver, term, arms, Wanted::All);
        let keyword = Span::new(expr.span.start, expr.span.start + 5);
        let takes_all = |arm: &Arm| matches!(module.pats[arm.pat].kind, PatKind::Wild | PatKind::Var(_));
        if coverage.is_given_up && !is_partial && !arms.iter().any(takes_all) {
            let message = "this match is too large to say whether it handles all cases";
            diagnostics.push(Diagnostic::warning("match-not-exhaustive", keyword, message));
        }
        if !coverage.missing.is_empty() && !is_partial {
            let mut error = not_exhaustive(text, module, inferred, expr, arms, keyword, &coverage);
            for (span, label) in widened(module, inferred, expr, term, arms) {
                error = error.label(span, label);
            }
            diagnostics.push(error);
        }
        // In refine a pattern may be what brings a variant into the sum: that no value has it is no mistake.
        let is_told = |covered_by: &[PatId]| module.surface == Surface::Relay || !covered_by.is_empty();
        for Unreachable { what, covered_by } in coverage.unreachable_arms.iter().filter(|arm| is_told(&arm.covered_by))
        {
            let kind = if covered_by.is_empty() {
                "no value is like this"
            } else {
                "earlier arms take all values of this one"
            };
            diagnostics.push(unreachable(lines, module, arms, arms[*what].pat, kind, covered_by));
        }
        let alternatives = coverage.unreachable_alternatives.iter();
        for Unreachable { what, covered_by } in alternatives.filter(|alternative| is_told(&alternative.covered_by)) {
            let kind = if covered_by.is_empty() {
                "no value is like this alternative"
            } else {
                "earlier patterns take all values of this alternative"
            };
            diagnostics.push(unreachable(lines, module, arms, *what, kind, covered_by));
        }
    }
    diagnostics
}

/// Where patterns begin that cannot match what they are tried on, as an error says. In source order.
fn wrong_patterns(module: &Module, inferred: &Inferred, errors: &[TypeError]) -> Vec<u32> {
    let start = |error: &TypeError| {
        let TypeError::Failed(failure) = error else { return None };
        let cause = inferred.solver.relation(failure.relation).cause;
        let why = *inferred.whys.get(cause.0 as usize)?;
        matches!(why, Why::Pattern(_) | Why::PatternVariable(_)).then(|| why.span(module).start)
    };
    let mut starts: Vec<u32> = errors.iter().filter_map(start).list();
    base::sort_by_key(&mut starts, |&start| start);
    starts
}

fn not_exhaustive(
    text: &str,
    module: &Module,
    inferred: &Inferred,
    expr: &Expr,
    arms: &[Arm],
    keyword: Span,
    coverage: &Coverage,
) -> Diagnostic {
    let Coverage { missing, n_more, is_cut, .. } = coverage;
    let cases: Vec<String> = missing.iter().map(|case| quoted(&case.text)).list();
    let more = match (is_cut, n_more) {
        (true, _) => " and more".to_owned(),
        (false, 0) => String::new(),
        (false, n_more) => format!(" and {n_more} more"),
    };
    let message = format!("this match does not handle {}{more}", cases.joined(", "));
    let mut error = Diagnostic::error("match-not-exhaustive", keyword, message);
    let Some(last) = arms.last() else { return error };
    error = error.label(module.exprs[last.body].span.to(module.pats[last.pat].span), "the last arm");
    let is_all = *n_more == 0 && !is_cut && !missing.iter().any(|case| case.truncated);
    let (title, patterns) = match (is_all, missing.len()) {
        (true, 1) => ("add the missing arm".to_owned(), vec![missing[0].text.as_str()]),
        (true, n) => (format!("add the {n} missing arms"), missing.iter().map(|case| case.text.as_str()).list()),
        (false, _) => ("add an arm for all other values".to_owned(), vec!["_"]),
    };
    let added = added_arms(text, module, inferred, expr, *last, &patterns).map(|edits| Fix { title, edits });
    let cases = missing.iter().map(|case| case.text.as_str());
    error.fixes.append_all(small(text, module, expr));
    error.fixes.append_all(misspelt(text, module, expr, cases));
    error.fixes.append_all(added);
    error.help = error.fixes.first().map(|fix| fix.title.clone());
    error
}

/// The variable of refine that what is matched would be, with a small letter: `match Stock with`.
fn small(text: &str, module: &Module, expr: &Expr) -> Option<Fix> {
    let ExprKind::Match { scrutinee, .. } = expr.kind else { return None };
    let matched = &module.exprs[scrutinee];
    let ExprKind::Variant(name, fields) = &matched.kind else { return None };
    let name = module.variant(*name);
    let first = name.chars().next()?;
    // Letters outside ASCII stay as they are: their tables would be larger than all of this.
    let variable = format!("{}{}", first.to_ascii_lowercase(), &name[first.len_utf8()..]);
    let is_there = fields.is_empty() && module.surface == Surface::Refine && text[matched.span.range()] == *name;
    let mut before = module.locals.iter_enumerated().filter(|(_, local)| local.span.end < matched.span.start);
    (is_there && before.any(|(id, _)| module.local_name(id) == variable)).then(|| Fix {
        title: format!("write the variable `{variable}`"),
        edits: vec![Edit { span: matched.span, text: variable }],
    })
}

#[derive(PartialEq)]
enum MentionOf {
    Pattern,
    Value,
    /// The span is that of the sum.
    Type,
}

/// Where a text names a variant.
struct Mention<'a> {
    name: &'a str,
    span: Span,
    of: MentionOf,
}

/// All variants that a text names.
fn mentions(module: &Module) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    let mut put = |name, span, of| found.push(Mention { name: module.variant(name), span, of });
    for pat in module.pats.iter().skip(module.start.pats) {
        if let PatKind::Variant(name, _) = pat.kind {
            put(name, pat.span, MentionOf::Pattern);
        }
    }
    for value in module.exprs.iter().skip(module.start.exprs) {
        if let ExprKind::Variant(name, _) = value.kind {
            put(name, value.span, MentionOf::Value);
        }
    }
    for ty in module.type_exprs.iter().skip(module.start.type_exprs) {
        let TypeExprKind::Sum { variants, .. } = &ty.kind else { continue };
        for &(name, _) in variants {
            put(name, ty.span, MentionOf::Type);
        }
    }
    found
}

/// Of a variant that is missing and one that a pattern of the match has, whose names are nearly the same, the one that is
/// mentioned once, by a value or a pattern, is the other.
fn misspelt<'a>(text: &str, module: &Module, expr: &Expr, cases: impl Iterator<Item = &'a str>) -> Option<Fix> {
    let mentions = mentions(module);
    let is_asked = |mention: &&Mention| mention.of == MentionOf::Pattern && expr.span.contains(mention.span.start);
    let asked: Vec<&str> = mentions.iter().filter(is_asked).map(|mention| mention.name).list();
    let once = |name: &str| {
        let mut named = mentions.iter().filter(|mention| mention.name == name);
        named.next().filter(|first| first.of != MentionOf::Type && named.next().is_none()).map(|first| first.span)
    };
    for case in cases {
        for missing in case.split(|c| !base::is_in_name(c)) {
            let Some(near) = base::nearest(missing, asked.iter().copied()) else { continue };
            let found = once(missing).map(|span| (span, missing, near));
            let Some((span, wrong, right)) = found.or_else(|| Some((once(near)?, near, missing))) else { continue };
            let start = span.start + u32::from(text[span.range()].starts_with('`'));
            let edit = Edit { span: Span::new(start, start + wrong.len() as u32), text: right.to_owned() };
            return Some(Fix { title: format!("write `{right}` for `{wrong}`"), edits: vec![edit] });
        }
    }
    None
}

/// Of a variant that a written sum lacks and the one that stands for it there, the one that is mentioned once is the other.
pub(crate) fn misspelt_in_types(text: &str, module: &Module, problems: &mut [Diagnostic]) {
    let mut lacking = problems.iter_mut().filter(|problem| problem.code == "not-in-sum").peekable();
    if lacking.peek().is_none() {
        return;
    }
    let mentions = mentions(module);
    let of = |name: &str| mentions.iter().filter(|mention| mention.name == name).list();
    for problem in lacking {
        let Some(Edit { span, text: written }) = problem.fixes.first().and_then(|fix| fix.edits.first()) else {
            continue;
        };
        let used = &text[span.range()];
        let [Mention { span: sum, of: MentionOf::Type, .. }] = of(written)[..] else { continue };
        let ends = |at: &usize| {
            !text[..*at].ends_with(base::is_in_name) && !text[at + written.len()..].starts_with(base::is_in_name)
        };
        let places = base::all_places(&text[sum.range()], written).into_iter();
        let mut places = places.map(|at| sum.start as usize + at).filter(ends);
        // Once in a comment it is there twice.
        let (Some(at), None) = (places.next(), places.next()) else { continue };
        if of(used).len() > 1 {
            let edit = Edit { span: Span::new(at as u32, (at + written.len()) as u32), text: used.to_owned() };
            let title = format!("write `{used}` for `{written}`");
            problem.help = Some(title.clone());
            problem.fixes.insert(0, Fix { title, edits: vec![edit] });
        }
    }
}

/// Where the variants that no arm asks for came into an inferred sum: a name that was misspelt anywhere is one.
fn widened(module: &Module, inferred: &Inferred, expr: &Expr, scrutinee: TermId, arms: &[Arm]) -> Vec<(Span, String)> {
    let Term::Sum(row) = inferred.solver.head(scrutinee) else { return Vec::new() };
    let mut asked: Vec<VariantId> = Vec::new();
    let mut pending: Vec<PatId> = arms.iter().map(|arm| arm.pat).list();
    while let Some(pat) = pending.pop() {
        match &module.pats[pat].kind {
            PatKind::Variant(name, _) => asked.push(*name),
            PatKind::As(inner, _) => pending.push(*inner),
            PatKind::Or(alternatives) => pending.extend_from_slice(alternatives),
            _ => {}
        }
    }
    let (variants, _) = inferred.solver.row(row);
    let unasked = variants.iter().filter(|variant| !asked.contains(&variant.name));
    let origins = unasked.filter_map(|variant| {
        let cause = inferred.solver.store.origin(variant.cell);
        let why = *inferred.whys.get(cause.0 as usize)?;
        let name = module.variant(variant.name);
        let span = why.span(module);
        let is_shown = !expr.span.contains(span.start) && cause.0 as usize >= inferred.n_library_whys;
        let verb = match why {
            Why::Pattern(_) => "this pattern",
            Why::Expr(_) => "this value",
            _ => return None,
        };
        is_shown.then(|| (span, format!("{verb} put `{name}` into the sum")))
    });
    origins.take(MAX_LABELS).list()
}

fn unreachable(
    lines: &LineIndex,
    module: &Module,
    arms: &[Arm],
    pat: PatId,
    message: &str,
    covered_by: &[PatId],
) -> Diagnostic {
    let mut warning = Diagnostic::warning("unreachable-arm", module.pats[pat].span, message);
    for &cover in covered_by.iter().take(MAX_LABELS) {
        let what = if arms.iter().any(|arm| arm.pat == cover) { "arm" } else { "alternative" };
        let span = module.pats[cover].span;
        let line = lines.position(span.start).line;
        warning = warning.label(span, format!("covered by the {what} on line {line}"));
    }
    warning
}

/// Adds arms after the last one, written as it is.
fn added_arms(
    text: &str,
    module: &Module,
    inferred: &Inferred,
    expr: &Expr,
    last: Arm,
    patterns: &[&str],
) -> Option<Vec<Edit>> {
    if module.surface == Surface::Refine {
        let value = written_variant(module, inferred, last).unwrap_or("Todo");
        return Some(added_refine_arms(text, module, expr, last, patterns, value));
    }
    let close = (expr.span.end as usize).checked_sub(1)?;
    let pattern = module.pats[last.pat].span.start as usize;
    let body_end = module.exprs[last.body].span.end as usize;
    let tail = text.get(body_end..close)?;
    if !text[close..].starts_with('}') {
        return None;
    }
    let before = &text[..pattern];
    let is_case = before.trim_ascii_end().ends_with("case");
    let (code_end, has_comma) = code_end(tail);
    let one_line = !base::has(&text[expr.span.start as usize..close], b'\n');
    let (between, comma) = match (one_line, is_case) {
        (true, true) => (" ".to_owned(), ""),
        (true, false) => (" ".to_owned(), ","),
        (false, _) => {
            let line = &before[base::end_of_last(before, b'\n')..];
            let indent = &line[..line.len() - line.trim_ascii_start().len()];
            (format!("\n{indent}"), if is_case { "" } else { "," })
        }
    };
    let mut added = String::new();
    for (i, pattern) in patterns.iter().enumerate() {
        let is_last = one_line && i + 1 == patterns.len();
        let comma = if is_last { "" } else { comma };
        added += &if is_case {
            format!("{between}case {pattern} {{ _ }}")
        } else {
            format!("{between}{pattern} => _{comma}")
        };
    }
    let edit = |at: usize, text: String| {
        let at = (body_end + at) as u32;
        Edit { span: Span::new(at, at), text }
    };
    let mut edits = Vec::new();
    let end = tail.trim_ascii_end().len();
    if !has_comma && !is_case {
        if end == code_end {
            added.insert(0, ',');
        } else {
            edits.push(edit(code_end, ",".to_owned()));
        }
    }
    edits.push(edit(end, added));
    Some(edits)
}

/// A variant without fields of the sum that the arms give, if an annotation says which it has.
fn written_variant<'m>(module: &'m Module, inferred: &Inferred, last: Arm) -> Option<&'m str> {
    let solver = &inferred.solver;
    let Term::Sum(row) = solver.head(inferred.exprs[last.body]?) else { return None };
    let (variants, end) = solver.row(row);
    let why = inferred.whys.get(solver.store.origin(end).0 as usize)?;
    let plain = variants.iter().find(|variant| variant.fields.len == 0)?;
    matches!(why, Why::Written(_)).then(|| module.variant(plain.name))
}

/// In refine a match ends with its last arm, and what is still to be written is a variant of its own, if the arms may
/// give any.
fn added_refine_arms(text: &str, module: &Module, expr: &Expr, last: Arm, patterns: &[&str], value: &str) -> Vec<Edit> {
    let pattern = module.pats[last.pat].span.start as usize;
    let line = &text[base::end_of_last(&text[..pattern], b'\n')..pattern];
    let between = match line.trim_ascii_end().strip_suffix('|') {
        Some(indent) if indent.trim_ascii().is_empty() => format!("\n{indent}"),
        _ => " ".to_owned(),
    };
    let added: String = patterns.iter().map(|pattern| format!("{between}| {pattern} -> {value}")).collect();
    let insert = |at: u32, text: String| Edit { span: Span::new(at, at), text };
    let body = &module.exprs[last.body];
    let mut tail = body;
    while let ExprKind::Block { tail: inner, .. } = &tail.kind {
        tail = &module.exprs[*inner];
    }
    // A match without parentheses would take the arms.
    let takes = matches!(tail.kind, ExprKind::Match { .. }) && tail.span.end == expr.span.end;
    match takes {
        true => vec![insert(body.span.start, "(".to_owned()), insert(expr.span.end, format!("){added}"))],
        false => vec![insert(expr.span.end, added)],
    }
}

/// Where the last thing ends that is not a comment, and whether there is a comma.
fn code_end(tail: &str) -> (usize, bool) {
    let (mut end, mut has_comma, mut at) = (0, false, 0);
    while let Some(next) = tail[at..].chars().next() {
        let rest = &tail[at..];
        if rest.starts_with("/*") {
            at += base::find(rest, "*/").map_or(rest.len(), |close| close + 2);
        } else if next == '#' || rest.starts_with("//") {
            at += base::before(rest, "\n").len();
        } else {
            at += next.len_utf8();
            if !next.is_whitespace() {
                end = at;
                has_comma |= next == ',';
            }
        }
    }
    (end, has_comma)
}

#[cfg(test)]
mod tests {
    use crate::Analysis;
    use hir::ExprKind;
    use pattern::Node;

    /// The programs with all fixes of matches applied.
    fn mended(text: &str) -> String {
        let analysis = Analysis::new(text);
        let matches = analysis.diagnostics().iter().filter(|diagnostic| diagnostic.code == "match-not-exhaustive");
        let edits: Vec<_> = matches.flat_map(|diagnostic| diagnostic.fixes[0].edits.clone()).collect();
        base::apply(text, &edits)
    }

    #[test]
    fn missing_arms_are_added_as_the_others_are_written() {
        let light = "type Light { Red, Amber, Green }\n";
        for (program, expected) in [
            ("match (%l) { Red => 1 }", "match (%l) { Red => 1, Amber => _, Green => _ }"),
            ("match (%l) { Red => 1, }", "match (%l) { Red => 1, Amber => _, Green => _ }"),
            (
                "match (%l) { case Red { 1 } case Green { 2 } }",
                "match (%l) { case Red { 1 } case Green { 2 } case Amber { _ } }",
            ),
            (
                "match (%l) {\n  Red | Green => (1) // ,\n}",
                "match (%l) {\n  Red | Green => (1), // ,\n  Amber => _,\n}",
            ),
            (
                "match ((%l, 1)) {\n    (Red, _) => 1,\n    (_, 0) => 2\n}",
                "match ((%l, 1)) {\n    (Red, _) => 1,\n    (_, 0) => 2,\n    (Amber | Green, _) => _,\n}",
            ),
        ] {
            let program = format!("{light}def @f(%l: Light) {{ {program} }}");
            let mended = mended(&program);
            assert_eq!(mended, format!("{light}def @f(%l: Light) {{ {expected} }}"));
            let codes: Vec<&str> = Analysis::new(&mended).diagnostics().iter().map(|found| found.code).collect();
            assert!(codes.iter().all(|&code| code == "typed-hole"), "{mended}: {codes:?}");
        }
    }

    #[test]
    fn alternatives_with_one_variable_have_a_leaf_each() {
        let analysis = Analysis::new("def @f(%x) { match (%x) { `A(%n) | `B(_, %n) => %n, `C => 0 } }");
        let matches: Vec<_> = analysis.module.exprs.iter().skip(analysis.module.start.exprs).collect();
        let found = matches.iter().find_map(|expr| match &expr.kind {
            ExprKind::Match { scrutinee, arms, .. } => {
                let term = analysis.inferred.exprs[*scrutinee]?;
                pattern::decide(&analysis.module, &analysis.inferred.solver, term, arms)
            }
            _ => None,
        });
        let tree = found.expect("a match").tree;
        let leaves: Vec<(usize, Vec<u32>)> = tree
            .nodes
            .iter()
            .filter_map(|node| match node {
                Node::Leaf { arm, variables } => {
                    let fields = variables.iter().filter_map(|&(_, place)| tree.places[place].within);
                    Some((*arm, fields.map(|(_, _, field)| field).collect()))
                }
                Node::Switch { .. } | Node::Fail => None,
            })
            .collect();
        assert_eq!(leaves, [(0, vec![0]), (0, vec![1]), (1, vec![])]);
        assert_eq!(tree.nodes.len(), 4);
    }
}
