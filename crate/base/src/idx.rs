//! Typed indices: data lives in an `IndexVec<ExprId, Expr>`, facts about it in side tables with the same index.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// A position in an [`IndexVec`]; declared with [`idx!`](crate::idx!).
pub trait Idx: Copy + Eq {
    fn new(index: usize) -> Self;
    fn index(self) -> usize;
}

/// Declares an id type: `idx!(ExprId, "e")` prints as `e12`, as the IR text does.
#[macro_export]
macro_rules! idx {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name {
            /// One more than the number, so that an `Option` is no larger.
            next: ::std::num::NonZeroU32,
        }

        impl $name {
            /// The id after `number` others.
            pub const fn numbered(number: u32) -> $name {
                match ::std::num::NonZeroU32::new(number.wrapping_add(1)) {
                    Some(next) => $name { next },
                    None => panic!("fewer than 2^32 - 1 ids"),
                }
            }

            pub const fn number(self) -> u32 {
                self.next.get() - 1
            }
        }

        impl $crate::Idx for $name {
            fn new(index: usize) -> Self {
                $name::numbered(u32::try_from(index).expect("fewer than 2^32 - 1 ids"))
            }
            fn index(self) -> usize {
                self.number() as usize
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.number())
            }
        }
    };
}

/// A vector indexed by one id type.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexVec<I, T> {
    raw: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<I: Idx, T> IndexVec<I, T> {
    pub const fn new() -> Self {
        IndexVec { raw: Vec::new(), index: PhantomData }
    }

    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        IndexVec { raw: crate::filled(value, len), index: PhantomData }
    }

    pub fn push(&mut self, value: T) -> I {
        let id = I::new(self.raw.len());
        self.raw.push(value);
        id
    }

    pub fn reserve(&mut self, n: usize) {
        self.raw.reserve(n);
    }

    pub fn len(&self) -> usize {
        self.raw.len()
    }

    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.raw.iter()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.raw.len()).map(I::new)
    }

    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.raw.iter().enumerate().map(|(i, value)| (I::new(i), value))
    }

    pub fn get(&self, id: I) -> Option<&T> {
        self.raw.get(id.index())
    }

    pub fn truncate(&mut self, len: usize) {
        self.raw.truncate(len);
    }

    pub fn pop(&mut self) -> Option<T> {
        self.raw.pop()
    }

    pub fn as_slice(&self) -> &[T] {
        &self.raw
    }
}

impl<I: Idx, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Idx, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.raw[id.index()]
    }
}

impl<I: Idx, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.raw[id.index()]
    }
}

/// A vector whose beginning is shared by all that were made [`above`](Layered::above) it. That part does not change any
/// more; what is pushed is each one's own.
#[derive(Debug)]
pub struct Layered<I, T> {
    shared: Arc<[T]>,
    own: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<I: Idx, T> Layered<I, T> {
    /// Makes everything the shared beginning.
    pub fn share(&mut self) {
        debug_assert!(self.shared.is_empty(), "there is one layer below");
        self.shared = std::mem::take(&mut self.own).into();
    }

    /// One that begins with what is shared of this, and has nothing else yet.
    pub fn above(&self) -> Layered<I, T> {
        Layered { shared: self.shared.clone(), own: Vec::new(), index: PhantomData }
    }

    pub fn push(&mut self, value: T) -> I {
        let id = I::new(self.len());
        self.own.push(value);
        id
    }

    pub fn reserve(&mut self, n: usize) {
        self.own.reserve(n);
    }

    pub fn len(&self) -> usize {
        self.shared.len() + self.own.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn iter(&self) -> Layers<'_, T> {
        Layers { shared: self.shared.iter(), own: self.own.iter() }
    }

    /// What is not shared.
    pub fn own_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.own.iter_mut()
    }

    pub fn iter_enumerated(&self) -> impl Iterator<Item = (I, &T)> {
        self.iter().enumerate().map(|(i, value)| (I::new(i), value))
    }
}

/// The values of both layers. A chain of the two would do, and everything that goes through it would be there twice.
#[derive(Clone)]
pub struct Layers<'a, T> {
    shared: std::slice::Iter<'a, T>,
    own: std::slice::Iter<'a, T>,
}

impl<'a, T> Iterator for Layers<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.shared.next().or_else(|| self.own.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.shared.len() + self.own.len();
        (n, Some(n))
    }
}

impl<T> DoubleEndedIterator for Layers<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.own.next_back().or_else(|| self.shared.next_back())
    }
}

impl<I: Idx, T> Default for Layered<I, T> {
    fn default() -> Self {
        Layered { shared: Arc::default(), own: Vec::new(), index: PhantomData }
    }
}

impl<I: Idx, T> Index<I> for Layered<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        match id.index().checked_sub(self.shared.len()) {
            Some(own) => &self.own[own],
            None => &self.shared[id.index()],
        }
    }
}

/// Of what is not shared.
impl<I: Idx, T> IndexMut<I> for Layered<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.own[id.index() - self.shared.len()]
    }
}
