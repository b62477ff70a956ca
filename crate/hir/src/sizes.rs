//! The sizes that are written in types, for the run to check.

use crate::{FnId, Module, TypeExprId, TypeExprKind};
use base::{Append, ToList};

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
        self.path.iter().fold(whole.to_owned(), |name, index| format!("{name}.{index}"))
    }
}

impl Module {
    /// The tensors of a type of the file of which a size is written as a number, those in tuples too. There are none in
    /// a program without `?`, where every size was checked before.
    pub fn written_sizes(&self, annotation: Option<TypeExprId>) -> Vec<WrittenSizes> {
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
                let kinds = dims.iter().map(|&dim| &self.type_exprs[dim].kind).list();
                let size = |kind: &&TypeExprKind| match kind {
                    TypeExprKind::Dim(size) => u64::try_from(*size).ok(),
                    _ => None,
                };
                let dims: Vec<Option<u64>> = kinds.iter().map(size).list();
                // Behind a splice it is not written which axis is which.
                let is_spliced = kinds.iter().any(|kind| matches!(kind, TypeExprKind::Splice(_)));
                if dims.iter().any(Option::is_some) && !is_spliced {
                    found.push(WrittenSizes { path, dims });
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
}
