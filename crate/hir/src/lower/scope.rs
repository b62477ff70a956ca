//! Variables in scope, and what has its name everywhere.

use crate::data::{LibraryNames, LocalId};
use base::{HashMap, ToList};
use std::borrow::Cow;
use std::sync::Arc;

/// By name the variable that carries it, and the log that closing a scope rewinds: each name with the variable that
/// carried it before.
#[derive(Default)]
pub struct Scope<'t> {
    by_name: HashMap<&'t str, LocalId>,
    log: Vec<(&'t str, Option<LocalId>)>,
    marks: Vec<usize>,
}

impl<'t> Scope<'t> {
    pub fn open(&mut self) {
        self.marks.push(self.log.len());
    }

    pub fn close(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for (name, before) in self.log.split_off(mark).into_iter().rev() {
            match before {
                Some(local) => self.by_name.insert(name, local),
                None => drop(self.by_name.remove(name)),
            }
        }
    }

    pub fn bind(&mut self, name: &'t str, local: LocalId) {
        self.log.push((name, self.get(name)));
        self.by_name.insert(name, local);
    }

    pub fn get(&self, name: &str) -> Option<LocalId> {
        self.by_name.get(name).copied()
    }

    /// The variables in scope that were bound last, the latest first, and no more than that.
    pub fn latest(&self, n: usize) -> Vec<LocalId> {
        let mut found = Vec::new();
        for local in self.log.iter().rev().filter_map(|(name, _)| self.get(name)) {
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
    pub fn names(&self) -> Vec<&'t str> {
        let mut names: Vec<&str> = self.by_name.keys().copied().list();
        base::sort(&mut names);
        names
    }
}

/// Definitions, types or constructors by name; a file's take the place of the library's.
pub struct Named<'t, V> {
    own: HashMap<Cow<'t, str>, V>,
    library: Arc<LibraryNames>,
    of_library: fn(&LibraryNames) -> &HashMap<String, V>,
}

impl<'t, V: Copy> Named<'t, V> {
    pub fn new(library: &Arc<LibraryNames>, of_library: fn(&LibraryNames) -> &HashMap<String, V>) -> Self {
        Named { own: HashMap::default(), library: library.clone(), of_library }
    }

    pub fn insert(&mut self, name: impl Into<Cow<'t, str>>, id: V) {
        self.own.insert(name.into(), id);
    }

    pub fn own(&self, name: &str) -> Option<V> {
        self.own.get(name).copied()
    }

    pub fn get(&self, name: &str) -> Option<V> {
        self.own(name).or_else(|| (self.of_library)(&self.library).get(name).copied())
    }

    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Every name, some perhaps twice.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.own.keys().map(|name| &**name).chain((self.of_library)(&self.library).keys().map(String::as_str))
    }
}
