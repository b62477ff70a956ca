//! Variables in scope.

use crate::data::LocalId;
use rustc_hash::FxHashMap;

/// By name the variables that carry it, innermost last, and the log that closing a scope rewinds.
#[derive(Default)]
pub struct Scope {
    by_name: FxHashMap<String, Vec<LocalId>>,
    log: Vec<String>,
    marks: Vec<usize>,
}

impl Scope {
    pub fn open(&mut self) {
        self.marks.push(self.log.len());
    }

    pub fn close(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for name in self.log.drain(mark..) {
            if let Some(locals) = self.by_name.get_mut(&name) {
                locals.pop();
            }
        }
    }

    pub fn bind(&mut self, name: &str, local: LocalId) {
        self.by_name.entry(name.to_owned()).or_default().push(local);
        self.log.push(name.to_owned());
    }

    pub fn get(&self, name: &str) -> Option<LocalId> {
        self.by_name.get(name).and_then(|locals| locals.last()).copied()
    }

    /// The variables in scope that were bound last, the latest first, and no more than that.
    pub fn latest(&self, n: usize) -> Vec<LocalId> {
        let mut found = Vec::new();
        for local in self.log.iter().rev().filter_map(|name| self.get(name)) {
            if found.len() == n {
                break;
            }
            if !found.contains(&local) {
                found.push(local);
            }
        }
        found
    }

    /// The names in scope.
    pub fn names(&self) -> Vec<&str> {
        let in_scope = self.by_name.iter().filter(|(_, locals)| !locals.is_empty());
        let mut names: Vec<&str> = in_scope.map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }
}
