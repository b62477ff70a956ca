//! The sizes that are written in types, for the run to check.

use crate::{FnId, Module, TypeExprId, TypeExprKind};
use base::{Append, ToList};
use ty::ParamId;

/// In tuples inside more of them nothing is checked, so that all paths together are no longer than the text.
const MAX_DEPTH: usize = 8;

/// What a written type says of one tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSizes {
    /// Where in the value it is: fields of tuples, from the outside in.
    pub path: Vec<u32>,
    /// The dims that are numbers.
    pub dims: Vec<Option<u64>>,
}

impl WrittenSizes {
    /// The tensor in a value of this name: `%p.0`.
    pub fn name(&self, whole: &str) -> String {
        part_name(whole, &self.path)
    }
}

/// The dims of one tensor in a written type that are parameters, and so the same wherever the parameter stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSizes {
    pub path: Vec<u32>,
    pub dims: Vec<Option<ParamId>>,
}

impl SharedSizes {
    /// Each parameter with its axis.
    pub fn params(&self) -> impl Iterator<Item = (ParamId, usize)> {
        self.dims.iter().zip(0..).filter_map(|(&param, axis)| Some((param?, axis)))
    }
}

/// A place in a value of this name.
pub fn part_name(whole: &str, path: &[u32]) -> String {
    path.iter().fold(whole.to_owned(), |name, index| format!("{name}.{index}"))
}

impl Module {
    /// The tensors of a type of the file, those in tuples too, with their dims.
    fn written_tensors(&self, annotation: Option<TypeExprId>) -> Vec<(Vec<u32>, &[TypeExprId])> {
        let is_checked = |annotation: &TypeExprId| self.has_any && annotation.0 as usize >= self.start.type_exprs;
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
                // Behind a splice it is not written which axis is which.
                let is_splice = |&dim: &TypeExprId| matches!(self.type_exprs[dim].kind, TypeExprKind::Splice(_));
                if !dims.iter().any(is_splice) {
                    found.push((path, &dims[..]));
                }
            }
        }
        found.reverse();
        found
    }

    /// The tensors of a type of the file of which a size is written as a number. There are none in a program without `?`,
    /// where every size was checked before.
    pub fn written_sizes(&self, annotation: Option<TypeExprId>) -> Vec<WrittenSizes> {
        let size = |dim: &TypeExprId| match self.type_exprs[*dim].kind {
            TypeExprKind::Dim(size) => u64::try_from(size).ok(),
            _ => None,
        };
        let tensors = self.written_tensors(annotation).into_iter();
        let sizes = tensors.map(|(path, dims)| WrittenSizes { path, dims: dims.iter().map(size).list() });
        sizes.filter(|sizes| sizes.dims.iter().any(Option::is_some)).list()
    }

    /// The tensors of a type of the file of which a dim is a parameter; also none without `?`.
    pub fn shared_sizes(&self, annotation: Option<TypeExprId>) -> Vec<SharedSizes> {
        let param = |dim: &TypeExprId| match self.type_exprs[*dim].kind {
            TypeExprKind::Param(param) => Some(param),
            _ => None,
        };
        let tensors = self.written_tensors(annotation).into_iter();
        tensors.map(|(path, dims)| SharedSizes { path, dims: dims.iter().map(param).list() }).list()
    }

    /// A dim that is a parameter at two places, each a tensor's name and an axis, for a sentence to begin with.
    pub fn shared_name(&self, param: ParamId, first: (&str, usize), again: (&str, usize)) -> String {
        let param = &self.type_params[param].name;
        format!("`{param}` on axis {} of `{}` and on axis {} of `{}`", first.1, first.0, again.1, again.0)
    }

    /// What is written of a function's result.
    pub fn result_sizes(&self, function: FnId) -> Vec<WrittenSizes> {
        self.written_sizes(self.functions[function].result)
    }
}
