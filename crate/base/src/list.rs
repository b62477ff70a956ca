//! Lists of what iterators yield, by the plainest loops: the standard library's `collect` and `extend` have three for
//! each iterator, which guess sizes and reuse memory, and were an eighth of what the page loads.
//!
//! ```
//! use base::{Append, Edited, ToList};
//! let mut odd = [1_i32, 2, 3].into_iter().filter(|n| n % 2 == 1).list();
//! odd.append_all([5, 7]);
//! assert_eq!(odd, [1, 3, 5, 7]);
//! odd.keep(|&n| n != 3);
//! odd.put_first(vec![4]);
//! odd.replace(0, vec![3]);
//! assert_eq!(odd, [3, 1, 5, 7]);
//! assert_eq!(odd.iter().map(|n| n.checked_sub(3)).some_list(), Some(vec![0, -2, 2, 4]));
//! assert_eq!((odd.iter().count_where(|&&n| n > 3), odd.iter().copied().total()), (2, 16));
//! ```

use std::ops::AddAssign;

/// Texts behind one another. The standard library has a way for each length of what is between.
pub trait Join {
    fn joined(&self, between: &str) -> String;

    /// `a`, `a or b`, `a, b or c`.
    fn either(&self) -> String;
}

impl<T: AsRef<str>> Join for [T] {
    #[inline(never)]
    fn joined(&self, between: &str) -> String {
        let mut text = String::new();
        for (n_before, part) in self.iter().enumerate() {
            if n_before > 0 {
                text.push_str(between);
            }
            text.push_str(part.as_ref());
        }
        text
    }

    fn either(&self) -> String {
        match self.split_last() {
            Some((last, others @ [_, ..])) => format!("{} or {}", others.joined(", "), last.as_ref()),
            _ => self.joined(""),
        }
    }
}

/// `n` items that are the same. The standard library's `vec!` is three functions for each type.
///
/// ```
/// assert_eq!(base::filled("a", 2), ["a", "a"]);
/// ```
pub fn filled<T: Clone>(item: T, n: usize) -> Vec<T> {
    let mut items = Vec::with_capacity(n);
    for _ in 0..n {
        items.push(item.clone());
    }
    items
}

/// An array of what is made of each item of another one. The standard library's `map` is four functions for each use.
///
/// ```
/// use base::MapArray;
/// assert_eq!([1, 2, 3].each(|n| n * n), [1, 4, 9]);
/// ```
pub trait MapArray<T> {
    type Of<U>;

    fn each<U>(self, f: impl FnMut(T) -> U) -> Self::Of<U>;
}

macro_rules! map_array {
    ($($n:literal: $($item:ident)*;)*) => { $(
        impl<T> MapArray<T> for [T; $n] {
            type Of<U> = [U; $n];

            fn each<U>(self, mut f: impl FnMut(T) -> U) -> [U; $n] {
                let [$($item),*] = self;
                [$(f($item)),*]
            }
        }
    )* };
}

map_array! {
    1: a;
    2: a b;
    3: a b c;
    4: a b c d;
    5: a b c d e;
    6: a b c d e g;
}

/// What stands at the end of a chain.
pub trait ToList: Iterator + Sized {
    /// The items, in order.
    fn list(self) -> Vec<Self::Item> {
        let mut items = Vec::new();
        for item in self {
            items.push(item);
        }
        items
    }

    /// What is made of each item, one behind the other. An iterator that does this can be left in the middle, which is
    /// most of its code.
    fn list_all<L: IntoIterator>(self, mut made: impl FnMut(Self::Item) -> L) -> Vec<L::Item> {
        let mut items = Vec::new();
        for item in self {
            for part in made(item) {
                items.push(part);
            }
        }
        items
    }

    /// How many items are like this.
    fn count_where(self, mut is_counted: impl FnMut(&Self::Item) -> bool) -> usize {
        let mut n = 0;
        for item in self {
            n += usize::from(is_counted(&item));
        }
        n
    }

    /// The sum of whole numbers.
    fn total<N: Default + Ord + AddAssign<Self::Item>>(self) -> N {
        let mut sum = N::default();
        for item in self {
            sum += item;
        }
        sum
    }

    /// The items, or the first error.
    fn ok_list<T, E>(self) -> Result<Vec<T>, E>
    where
        Self: Iterator<Item = Result<T, E>>,
    {
        let mut items = Vec::new();
        for item in self {
            items.push(item?);
        }
        Ok(items)
    }

    /// The items, if there are all.
    fn some_list<T>(self) -> Option<Vec<T>>
    where
        Self: Iterator<Item = Option<T>>,
    {
        let mut items = Vec::new();
        for item in self {
            items.push(item?);
        }
        Some(items)
    }
}

impl<I: Iterator> ToList for I {}

/// A list that grows at its end.
pub trait Append<T> {
    fn append_all(&mut self, items: impl IntoIterator<Item = T>);
}

impl<T> Append<T> for Vec<T> {
    fn append_all(&mut self, items: impl IntoIterator<Item = T>) {
        for item in items {
            self.push(item);
        }
    }
}

/// What changes a list elsewhere than at its end: plainly, one item after the other.
pub trait Edited<T> {
    /// Leaves the items of which something is so, in order.
    fn keep(&mut self, wanted: impl FnMut(&T) -> bool);
    /// Puts others before the first.
    fn put_first(&mut self, items: Vec<T>);
    /// Puts others in the place of one.
    fn replace(&mut self, at: usize, items: Vec<T>);
}

impl<T> Edited<T> for Vec<T> {
    fn keep(&mut self, mut wanted: impl FnMut(&T) -> bool) {
        let mut n = 0;
        for at in 0..self.len() {
            if wanted(&self[at]) {
                self.swap(n, at);
                n += 1;
            }
        }
        self.truncate(n);
    }

    fn put_first(&mut self, items: Vec<T>) {
        let mut last = std::mem::replace(self, items);
        self.append(&mut last);
    }

    fn replace(&mut self, at: usize, mut items: Vec<T>) {
        let mut behind = self.split_off(at + 1);
        self.truncate(at);
        self.append(&mut items);
        self.append(&mut behind);
    }
}
