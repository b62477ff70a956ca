//! Which layouts are counted.

use base::{Idx, IndexVec};
use layout::{Kind, LayoutId, Layouts};

/// By layout: whether its bits may hold a pointer.
pub fn counted(layouts: &Layouts) -> IndexVec<LayoutId, bool> {
    let table = &layouts.table;
    let mut is_counted = IndexVec::filled(false, table.len());
    // The sums that hold a layout in place.
    let mut holders: IndexVec<LayoutId, Vec<LayoutId>> = IndexVec::filled(Vec::new(), table.len());
    let mut found: Vec<LayoutId> = Vec::new();
    for (id, layout) in table.iter_enumerated() {
        match &layout.kind {
            Kind::Scalar(_) | Kind::Immediate(_) | Kind::Never => {}
            Kind::Tensor | Kind::Closure | Kind::Ref { .. } | Kind::Box { .. } | Kind::Token { .. } => found.push(id),
            Kind::Sum { variants, .. } => {
                let fields = variants.iter().flat_map(|variant| &variant.fields).map(|field| field.layout);
                fields.filter(|field| field.index() < table.len()).for_each(|field| holders[field].push(id));
            }
        }
    }
    while let Some(id) = found.pop() {
        if !std::mem::replace(&mut is_counted[id], true) {
            found.append(&mut holders[id]);
        }
    }
    is_counted
}
