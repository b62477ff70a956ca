//! Relay's answers to single unifications, asked of our solver alone: the language has no words for holes and rigid
//! variables by name, so the terms are built here.
//!
//! The notation: `'x` a hole, `a` a rigid type variable, `L[…]` a data type, and in a shape `n` an unknown dim.

use serde_json::Value as Json;
use solve::{Cause, Solver, Trace};
use std::collections::BTreeMap;
use tests::facts::{items, text};
use ty::{AdtId, Dim, Dtype, Kind, ParamId, Term, TermId};

const CAUSE: Cause = Cause(0);

struct Reader<'a> {
    rest: &'a str,
    solver: Solver,
    holes: BTreeMap<String, TermId>,
    dims: BTreeMap<String, TermId>,
    /// The type variables in scope, the innermost last and the free ones first.
    scope: Vec<(String, ParamId)>,
    names: Names,
}

/// Names by id.
#[derive(Default)]
struct Names {
    adts: Vec<String>,
    params: Vec<String>,
}

impl ty::Names for Names {
    fn adt(&self, adt: AdtId) -> &str {
        &self.adts[adt.number() as usize]
    }

    fn param(&self, param: ParamId) -> &str {
        &self.params[param.number() as usize]
    }

    fn param_kind(&self, _: ParamId) -> Kind {
        Kind::Type
    }

    fn variant(&self, _: ty::VariantId) -> &str {
        ""
    }

    fn surface(&self) -> base::Surface {
        base::Surface::Relay
    }
}

/// The id of a name that is new.
fn name(names: &mut Vec<String>, name: &str) -> u32 {
    names.push(name.to_owned());
    names.len() as u32 - 1
}

impl<'a> Reader<'a> {
    fn eat(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest).trim_start();
        rest.is_some()
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    /// Items up to a closing bracket, with commas between them and perhaps one behind.
    fn list(&mut self, close: &str, item: fn(&mut Self) -> Option<TermId>) -> Option<Vec<TermId>> {
        let mut found = Vec::new();
        while !self.eat(close) {
            found.push(item(self)?);
            self.eat(",");
        }
        Some(found)
    }

    fn fresh(&mut self, term: Term) -> TermId {
        self.solver.fresh(term, CAUSE)
    }

    fn dim(&mut self) -> Option<TermId> {
        if self.eat("?") {
            // Our solver looks after `?` only where a program has one.
            self.solver.dynamics = true;
            return Some(self.fresh(Term::Dim(Dim::ANY)));
        }
        let word = self.word();
        if let Ok(number) = word.parse() {
            return Some(self.fresh(Term::Dim(Dim::number(number))));
        }
        let solver = &mut self.solver;
        Some(*self.dims.entry(word.to_owned()).or_insert_with(|| solver.fresh(Term::Dim(Dim::UNKNOWN), CAUSE)))
    }

    fn tensor(&mut self, dims: &[TermId], dtype: Dtype) -> TermId {
        let dims = self.solver.store.list(dims);
        let (shape, dtype) = (self.fresh(Term::Shape(dims)), self.fresh(Term::Dtype(dtype)));
        self.fresh(Term::Tensor { shape, dtype })
    }

    /// `(…) -> …` under the parameters in the brackets before it, if there are any.
    fn func(&mut self) -> Option<TermId> {
        let first = ParamId::numbered(self.names.params.len() as u32);
        let mut n = 0;
        let is_polymorphic = self.eat("[");
        while is_polymorphic && !self.eat("]") {
            let word = self.word();
            self.scope.push((word.to_owned(), ParamId::numbered(name(&mut self.names.params, word))));
            self.eat(",");
            n += 1;
        }
        assert!(self.eat("("), "a function has parameters: {}", self.rest);
        let params = self.list(")", Self::r#type)?;
        assert!(self.eat("->"), "a function has a result: {}", self.rest);
        let result = self.r#type()?;
        self.scope.truncate(self.scope.len() - n as usize);
        let body = self.solver.func(&params, result, CAUSE);
        Some(if n == 0 { body } else { self.fresh(Term::Forall { first, n, body }) })
    }

    /// A type variable; one that nothing binds is free.
    fn variable(&mut self, word: &str) -> TermId {
        let bound = self.scope.iter().rev().find(|(name, _)| name == word).map(|&(_, param)| param);
        let param = bound.unwrap_or_else(|| {
            let param = ParamId::numbered(name(&mut self.names.params, word));
            self.scope.insert(0, (word.to_owned(), param));
            param
        });
        self.fresh(Term::param(param, Kind::Type))
    }

    /// `None` where a dtype is none of ours.
    fn r#type(&mut self) -> Option<TermId> {
        if self.eat("'") {
            let name = self.word().to_owned();
            let solver = &mut self.solver;
            return Some(*self.holes.entry(name).or_insert_with(|| solver.fresh(Term::hole(Kind::Type), CAUSE)));
        }
        if self.eat("(") {
            let fields = self.list(")", Self::r#type)?;
            return Some(self.solver.tuple(&fields, CAUSE));
        }
        let word = self.word();
        match word {
            "Tensor" => {
                assert!(self.eat("[") && self.eat("("), "a tensor type has a shape: {}", self.rest);
                let dims = self.list(")", Self::dim)?;
                assert!(self.eat(","), "a tensor type has a dtype: {}", self.rest);
                let dtype = Dtype::parse(self.word())?;
                assert!(self.eat("]"), "a tensor type ends: {}", self.rest);
                Some(self.tensor(&dims, dtype))
            }
            "ref" => {
                assert!(self.eat("("), "a reference is to something: {}", self.rest);
                let inner = self.r#type()?;
                assert!(self.eat(")"), "a reference ends: {}", self.rest);
                Some(self.fresh(Term::Ref(inner)))
            }
            "fn" => self.func(),
            _ if word.starts_with(char::is_uppercase) => {
                let known = self.names.adts.iter().position(|known| known == word).map(|at| at as u32);
                let adt = AdtId::numbered(known.unwrap_or_else(|| name(&mut self.names.adts, word)));
                let args = if self.eat("[") { self.list("]", Self::r#type)? } else { Vec::new() };
                let args = self.solver.store.list(&args);
                Some(self.fresh(Term::Adt { adt, args }))
            }
            _ => Some(match Dtype::parse(word) {
                Some(dtype) => self.tensor(&[], dtype),
                None => self.variable(word),
            }),
        }
    }

    fn read(&mut self, text: &'a str) -> Option<TermId> {
        self.rest = text;
        let term = self.r#type()?;
        assert!(self.rest.is_empty(), "nothing follows a type: {}", self.rest);
        Some(term)
    }

    fn print(&self, term: TermId) -> String {
        ty::print_term(&self.solver, &self.names, term).text
    }
}

/// `None` where our solver's answer is Relay's, otherwise both.
pub fn judge(fact: &Json) -> Option<String> {
    let mut reader = Reader {
        rest: "",
        solver: Solver::new(Trace::off()),
        holes: BTreeMap::new(),
        dims: BTreeMap::new(),
        scope: Vec::new(),
        names: Names::default(),
    };
    let mut result = None;
    for step in items(fact, "steps") {
        let (Some(left), Some(right)) = (step[0].as_str(), step[1].as_str()) else { continue };
        let (Some(left), Some(right)) = (reader.read(left), reader.read(right)) else {
            return Some("a type that ours cannot be".to_owned());
        };
        reader.solver.equal(left, right, CAUSE);
        result = Some(left);
    }
    reader.solver.solve();
    let found = match (reader.solver.failures.is_empty(), reader.solver.cycles(0, &[]).is_empty()) {
        (false, _) => "type-mismatch",
        (true, false) => "occurs-check",
        (true, true) => "",
    };
    if found != text(fact, "error") {
        return Some(format!("Relay says {}{}, we say {found}", text(fact, "error"), text(fact, "result")));
    }
    if !found.is_empty() {
        return None;
    }
    // What is still a hole prints under the first of its names.
    for (hole_name, hole) in reader.holes.clone() {
        let param = ParamId::numbered(name(&mut reader.names.params, &format!("'{hole_name}")));
        if ty::Terms::head(&reader.solver, hole).is_hole() {
            let named = reader.fresh(Term::param(param, Kind::Type));
            reader.solver.equal(named, hole, CAUSE);
            reader.solver.solve();
        }
    }
    let result = reader.print(result?);
    if result != text(fact, "result") {
        return Some(format!("Relay says {}, we say {result}", text(fact, "result")));
    }
    let holes = fact["holes"].as_object()?;
    holes.iter().find_map(|(name, want)| {
        let found = reader.print(reader.holes[name.trim_start_matches('\'')]);
        (*want != *found).then(|| format!("Relay says {name} is {want}, we say {found}"))
    })
}

#[test]
fn wrong_answers_are_noticed() {
    let fact = |steps: Json, result: &str, holes: Json| serde_json::json!({ "steps": steps, "result": result, "holes": holes });
    let steps = serde_json::json!([["('x, 'y)", "('y, Tensor[(n, 2), float32])"], ["'x", "Tensor[(3, n), float32]"]]);
    let error = serde_json::json!({ "steps": [["'x", "ref('x)"]], "error": "type-mismatch" });
    let pairs = serde_json::json!([["('x, 'y)", "('y, Tensor[(2), float32])"]]);
    let two = "Tensor[(2), float32]";
    assert!(judge(&fact(pairs.clone(), &format!("({two}, {two})"), serde_json::json!({ "'x": two }))).is_none());
    assert!(judge(&fact(pairs.clone(), &format!("({two}, 'y)"), serde_json::json!({}))).is_some());
    assert!(judge(&fact(pairs, &format!("({two}, {two})"), serde_json::json!({ "'x": "'x" }))).is_some());
    assert!(judge(&fact(steps, "()", serde_json::json!({}))).is_some(), "n is 3 and 2");
    assert!(judge(&error).is_some(), "it is an occurs check");
}
