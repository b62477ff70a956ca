//! TensorScript programs in other languages.
//!
//! An expression becomes text when all that it is made of has: functions list their expressions in the order of
//! evaluation ([`hir::Module::visits`]), so no expression is too deep. What layers are applied where is remembered
//! beside the operators that they are made of ([`hir::net::Stage`]).

mod pytorch;
mod relay;

use crate::Analysis;
use base::{Append, Diagnostic, HashMap, Severity, ToList};

/// What a program can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    PyTorch,
    Relay,
}

impl Export {
    pub const ALL: [Export; 2] = [Export::PyTorch, Export::Relay];

    pub fn name(self) -> &'static str {
        match self {
            Export::PyTorch => "pytorch",
            Export::Relay => "relay",
        }
    }

    pub fn parse(name: &str) -> Option<Export> {
        Export::ALL.into_iter().find(|export| export.name() == name)
    }
}

/// The program in another language; why not, where it has none or has errors.
pub fn export(analysis: &Analysis, to: Export) -> Result<String, String> {
    if analysis.module.nets.is_empty() {
        return Err("only programs with nodes can be exported; this one has none".to_owned());
    }
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    match analysis.diagnostics().iter().count_where(is_error) {
        0 => {}
        1 => return Err("the program has an error, which must be mended first".to_owned()),
        n => return Err(format!("the program has {n} errors, which must be mended first")),
    }
    Ok(match to {
        Export::PyTorch => pytorch::pytorch(analysis),
        Export::Relay => relay::relay(analysis),
    })
}

/// Gives each variable of a function a name that no other has.
struct FreshNames {
    /// What stands between a name and the number that tells it from others.
    separator: &'static str,
    /// By name that is given, the number to try when it is wanted again.
    next: HashMap<String, u32>,
}

impl FreshNames {
    fn new(separator: &'static str) -> FreshNames {
        FreshNames { separator, next: HashMap::default() }
    }

    fn give(&mut self, wanted: &str) -> String {
        let mut found = wanted.to_owned();
        if let Some(&next) = self.next.get(wanted) {
            let mut n = next;
            while self.next.contains_key(&found) {
                found = format!("{wanted}{}{n}", self.separator);
                n += 1;
            }
            self.next.insert(wanted.to_owned(), n);
        }
        self.next.insert(found.clone(), 2);
        found
    }
}

/// The nodes in an order in which each comes after those that it holds.
pub(crate) fn inside_out(module: &hir::Module) -> Vec<usize> {
    let mut order = Vec::new();
    let mut is_open = base::filled(false, module.nets.len());
    for root in 0..module.nets.len() {
        let mut pending = vec![(root, 0)];
        while let Some((net, at)) = pending.pop() {
            if at == 0 && std::mem::replace(&mut is_open[net], true) {
                continue;
            }
            match module.nets[net].weights.get(at).map(|weight| &weight.made_of) {
                Some(&hir::net::MadeOf::Net(inner)) => pending.append_all([(net, at + 1), (inner, 0)]),
                Some(hir::net::MadeOf::Layer(..) | hir::net::MadeOf::Unknown) => pending.push((net, at + 1)),
                None => order.push(net),
            }
        }
    }
    order
}
