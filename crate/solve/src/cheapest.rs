//! The cheapest way of each place, and the tree of those that an answer tells.
//!
//! Knuth's generalisation of Dijkstra's algorithm (Knuth 1977): a way costs as much as itself and all its premises, so
//! the cheapest one that has not been settled is settled next.

use crate::derive::{Derived, Place, Way};
use base::{Append, HashSet, ToList};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// At most this many steps are told.
const MAX_STEPS: usize = 64;

/// By place, its cheapest way, if it has one that ends.
pub(crate) fn cheapest(ways: &[Vec<Way>]) -> Vec<Option<usize>> {
    let mut waiting: Vec<Vec<(usize, usize)>> = ways.iter().map(|_| Vec::new()).list();
    let mut missing: Vec<Vec<(usize, u32)>> = Vec::with_capacity(ways.len());
    let mut best: Vec<Option<usize>> = base::filled(None, ways.len());
    let mut heap = BinaryHeap::new();
    for (place, all) in ways.iter().enumerate() {
        let mut counts = Vec::with_capacity(all.len());
        for (number, way) in all.iter().enumerate() {
            counts.push((way.premises.len(), way.cost));
            way.premises.iter().for_each(|&premise| waiting[premise].push((place, number)));
            if way.premises.is_empty() {
                heap.push(Reverse((way.cost, place, number)));
            }
        }
        missing.push(counts);
    }
    while let Some(Reverse((cost, place, number))) = heap.pop() {
        if best[place].is_some() {
            continue;
        }
        best[place] = Some(number);
        for &(user, way) in &waiting[place] {
            let (left, sum) = &mut missing[user][way];
            *left -= 1;
            *sum = sum.saturating_add(cost);
            if *left == 0 && best[user].is_none() {
                heap.push(Reverse((*sum, user, way)));
            }
        }
    }
    best
}

/// The tree below the first place, parents before children.
pub(crate) fn told(places: &[Place], ways: &[Vec<Way>], best: &[Option<usize>]) -> Vec<Derived> {
    let mut steps: Vec<Derived> = Vec::new();
    let mut done: HashSet<usize> = HashSet::default();
    let mut pending: Vec<(usize, u32, Option<usize>)> = vec![(0, 0, None)];
    while let Some((asked, depth, parent)) = pending.pop() {
        let mut passed = Vec::new();
        let mut at = asked;
        let way = loop {
            let Some(number) = best[at] else { return steps };
            let way = &ways[at][number];
            passed.append_all(way.passed);
            match (&way.by, way.premises.first()) {
                (None, Some(&next)) => at = next,
                (Some(_) | None, _) => break way,
            }
        };
        let Some(by) = way.by.clone() else { continue };
        let is_new = done.insert(at);
        if steps.len() == MAX_STEPS || (!is_new && !way.premises.is_empty()) {
            if let Some(parent) = parent {
                steps[parent].n_told += 1;
            }
            continue;
        }
        let number = steps.len();
        if let Some(parent) = parent {
            steps[parent].premises.push(number);
        }
        pending.append_all(way.premises.iter().rev().map(|&premise| (premise, depth + 1, Some(number))));
        let given = way.premises.iter().map(|&premise| places[premise].clone()).list();
        let (place, at) = (places[asked].clone(), places[at].clone());
        let event = way.event;
        steps.push(Derived { depth, place, at, by, passed, event, given, premises: Vec::new(), n_told: 0 });
    }
    steps
}
