//! From an analysis to the machine's program.

use crate::Analysis;
use crate::analysis::prelude;
use base::{Diagnostic, Edited, HashMap, HashSet, ToList};
use hir::{FnId, Item, LocalId};
use ir::{FuncId, Program};
use layout::Strategy;
use lower::pass::{FUSE, PASSES};
use lower::{Conversion, LowerError, Lowered};
use ty::TermId;

/// A program that was compiled, and what there is to say about it.
pub struct Compiled {
    pub program: Program,
    /// The functions that were asked for, each with the program's; not those of which the diagnostics tell.
    pub entries: Vec<(FnId, FuncId)>,
    /// The types of the text's variables and expressions in the order in which they were met.
    pub types: Vec<TermId>,
    pub conversions: Vec<Conversion>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Whether operators that feed each other element by element become one. Values are the same to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fusion {
    On,
    Off,
}

impl Fusion {
    /// `on` or `off`.
    pub fn parse(name: &str) -> Option<Fusion> {
        match name {
            "on" => Some(Fusion::On),
            "off" => Some(Fusion::Off),
            _ => None,
        }
    }
}

/// Compiles what is needed to run some functions. `watch` sees the program as it is lowered (`"lower"`), then after
/// each pass, by the pass's name; one that is left out changes nothing.
pub fn compile(
    analysis: &Analysis,
    functions: &[FnId],
    strategy: Strategy,
    fusion: Fusion,
    watch: &mut dyn FnMut(&'static str, &Program),
) -> Compiled {
    let Lowered { mut program, mut entries, types, conversions, errors, .. } = lower::lower(
        &analysis.module,
        &analysis.inferred,
        &prelude().inferred,
        functions,
        &analysis.forced(functions),
        strategy,
    );
    watch("lower", &program);
    for pass in PASSES {
        if fusion == Fusion::On || pass.name != FUSE {
            (pass.run)(&mut program, &mut entries);
        }
        watch(pass.name, &program);
    }
    let diagnostics = errors.iter().map(|error| diagnostic(analysis, error)).list();
    let mut entries = functions.iter().copied().zip(entries).list();
    if !diagnostics.is_empty() {
        let sound = analysis.sound_beside(&diagnostics);
        entries.keep(|(function, _)| sound.contains(function));
    }
    Compiled { program, entries, types, conversions, diagnostics }
}

impl Analysis {
    /// For each of some functions that are run in order, the top-level variables that are evaluated before it and after
    /// the function before: those that stand between them in the text and read or write references. Any other is
    /// evaluated where it is first used, which nobody can tell.
    pub(crate) fn forced(&self, functions: &[FnId]) -> HashMap<FnId, Vec<LocalId>> {
        let mut forced = HashMap::default();
        let effectful = self.module.effectful();
        if effectful.is_empty() {
            return forced;
        }
        let sound = self.sound_functions();
        let run: HashSet<FnId> = functions.iter().copied().collect();
        let mut between: Vec<LocalId> = Vec::new();
        for item in &self.module.items {
            match *item {
                Item::Let(local, function) if effectful.contains(&function) && sound.contains(&function) => {
                    between.push(local);
                }
                Item::Expr(function) if run.contains(&function) => {
                    forced.insert(function, std::mem::take(&mut between));
                }
                Item::Let(..) | Item::Expr(_) | Item::Def(_) | Item::Adt(_) => {}
            }
        }
        forced.extend(crate::run::main_of(self).map(|(_, main)| (main, between)));
        forced
    }

    /// What a run evaluates: the top-level expressions without errors, and `@main` last.
    pub fn runnable(&self) -> Vec<FnId> {
        self.runnable_of(&self.sound_functions())
    }

    fn runnable_of(&self, sound: &HashSet<FnId>) -> Vec<FnId> {
        let main = crate::run::main_of(self).map(|(_, function)| function);
        let expressions = self.module.items.iter().filter_map(|item| match *item {
            Item::Expr(function) => Some(function),
            Item::Def(_) | Item::Let(..) | Item::Adt(_) => None,
        });
        expressions.chain(main).filter(|function| sound.contains(function)).list()
    }

    /// What there is to look at: what a run evaluates, and the definitions without errors that no type argument must
    /// be chosen for.
    pub fn compilable(&self) -> Vec<FnId> {
        let sound = self.sound_functions();
        let mut functions = self.runnable_of(&sound);
        let main = crate::run::main_of(self).map(|(_, function)| function);
        for item in &self.module.items {
            let function = match *item {
                Item::Def(def) => {
                    let scheme = self.inferred.defs[def].as_ref();
                    let function = self.module.defs[def].function;
                    let is_open = |&param: &ty::ParamId| {
                        ty::Names::param_kind(&self.inferred.names(&self.module), param) != ty::Kind::Dim
                    };
                    if scheme.is_none_or(|scheme| scheme.params.iter().any(is_open)) {
                        continue;
                    }
                    function
                }
                Item::Let(_, function) => function,
                Item::Expr(_) | Item::Adt(_) => continue,
            };
            if sound.contains(&function) && main != Some(function) {
                functions.push(function);
            }
        }
        functions
    }
}

pub(crate) fn diagnostic(analysis: &Analysis, error: &LowerError) -> Diagnostic {
    let module = &analysis.module;
    let name = |function: FnId| {
        let def = module.defs.iter().find(|def| def.function == function);
        def.map_or_else(|| "this function".to_owned(), |def| format!("`{}`", def.name))
    };
    match error {
        LowerError::EndlessInstances { span, function } => {
            let name = name(*function);
            let message = format!("{name} is used at types without end: each call asks for one at a larger type");
            Diagnostic::error("endless-instances", *span, message)
        }
        LowerError::ManyInstances { span, function } => {
            let name = name(*function);
            let message = format!("{name} is used at too many types to compile it: each call asks for others");
            Diagnostic::error("endless-instances", *span, message)
        }
        LowerError::EndlessType { span, adt } => {
            let name = &module.adts[*adt].name;
            let message = format!("`{name}` holds itself at types without end, so it has no layout");
            Diagnostic::error("endless-instances", *span, message)
        }
        LowerError::LargeMatch { span } => Diagnostic::error(
            "large-match",
            *span,
            "the variables of this match can stand in too many ways to compile it".to_owned(),
        ),
        LowerError::PolymorphicValue { span } => {
            let message =
                "this polymorphic function is used at types without end: each use of one asks for another".to_owned();
            Diagnostic::error("polymorphic-value", *span, message)
        }
    }
}
