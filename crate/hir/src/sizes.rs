//! The sizes that are written in types, for the run to check.

use crate::{ExprId, FnId, LocalId, Module, TypeExprId, TypeExprKind};
use base::{Append, HashMap, ToList};
use ty::ParamId;

/// In tuples inside more of them nothing is checked, so that all paths together are no longer than the text.
const MAX_DEPTH: usize = 8;

/// What a written type says of one tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSizes {
    /// Where in the value it is: fields of tuples, from the outside in.
    pub path: Vec<u32>,
    /// The dims that are numbers.
    pub numbers: Vec<Option<u64>>,
    /// The dims that are parameters, and so the same wherever the parameter stands: each with its axis.
    pub params: Vec<(ParamId, usize)>,
}

/// The sizes that are known of what comes out of containers, cells and function values, for the run to check.
#[derive(Default)]
pub struct TakenSizes {
    /// Of variables of patterns, of literals, and at the top.
    pub locals: HashMap<LocalId, Vec<WrittenSizes>>,
    /// Of calls and reads of cells, with a name for the value.
    pub exprs: HashMap<ExprId, (String, Vec<WrittenSizes>)>,
}

impl WrittenSizes {
    /// The tensor in a value of this name: `%p.0`.
    pub fn name(&self, whole: &str) -> String {
        self.path.iter().fold(whole.to_owned(), |name, index| format!("{name}.{index}"))
    }

    pub fn has_numbers(&self) -> bool {
        self.numbers.iter().any(Option::is_some)
    }
}

impl Module {
    /// The tensors of a type of the file of which a size is written as a number or a parameter, those in tuples too.
    /// There are none in a program without `?`, where every size was checked before.
    pub fn written_sizes(&self, annotation: Option<TypeExprId>) -> Vec<WrittenSizes> {
        let is_checked =
            |annotation: &TypeExprId| self.has_any && annotation.number() as usize >= self.start.type_exprs;
        let mut found = Vec::new();
        let mut stack: Vec<(TypeExprId, Vec<u32>)> = Vec::new();
        stack.append_all(annotation.filter(is_checked).map(|annotation| (annotation, Vec::new())));
        while let Some((written, path)) = stack.pop() {
            if let TypeExprKind::Tuple(fields) = &self.type_exprs[written].kind
                && path.len() < MAX_DEPTH
            {
                for (index, &field) in (0..).zip(fields) {
                    let mut path = path.clone();
                    path.push(index);
                    stack.push((field, path));
                }
            } else if let TypeExprKind::Tensor { shape, .. } = self.type_exprs[written].kind
                && let TypeExprKind::Shape(dims) = &self.type_exprs[shape].kind
            {
                let kinds = dims.iter().map(|&dim| &self.type_exprs[dim].kind).list();
                let (mut numbers, mut params) = (base::filled(None, kinds.len()), Vec::new());
                let mut is_spliced = false;
                for (axis, kind) in kinds.into_iter().enumerate() {
                    match *kind {
                        TypeExprKind::Dim(size) => numbers[axis] = u64::try_from(size).ok(),
                        TypeExprKind::Param(param) => params.push((param, axis)),
                        // Behind a splice it is not written which axis is which.
                        TypeExprKind::Splice(_) => is_spliced = true,
                        _ => {}
                    }
                }
                let sizes = WrittenSizes { path, numbers, params };
                if !is_spliced && (sizes.has_numbers() || !sizes.params.is_empty()) {
                    found.push(sizes);
                }
            }
        }
        found.reverse();
        found
    }

    /// What is written of a function's result.
    pub fn result_sizes(&self, function: FnId) -> Vec<WrittenSizes> {
        self.written_sizes(self.functions[function].result)
    }

    /// A dim that is a parameter at two places, each a tensor's name and an axis, for a sentence to begin with.
    pub fn shared_name(&self, param: ParamId, first: (&str, usize), again: (&str, usize)) -> String {
        let param = &self.type_params[param].name;
        format!("`{param}` on axis {} of `{}` and on axis {} of `{}`", first.1, first.0, again.1, again.0)
    }
}
