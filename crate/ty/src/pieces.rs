//! Shapes as lists of pieces: dims, and slices of shape parameters.
//!
//! Worked example: of `(N, ..S[1:])` the pieces are the dim `N` and the slice of `S` that leaves out one dim in front and
//! none behind. Joined, `(S[0], ..S[1:])` is `S`.

use crate::function::{MAX_RANK, make_poly};
use crate::poly::{Atom, Poly};
use crate::{Dim, Extent, Facts, Kind, ParamId, Reason, Stop, Term, TermId};
use base::ToList;

/// A part of a shape: one dim, or a slice of a shape parameter.
#[derive(Clone, Copy)]
pub(crate) enum Piece {
    Dim(TermId),
    Slice(ParamId, u32, u32),
}

/// The parts of a shape that is not an unknown.
pub(crate) fn pieces(r: &dyn Facts, shape: TermId) -> Result<Vec<Piece>, Stop> {
    match r.peek(shape) {
        Term::Shape(dims) => Ok(r.items(dims).iter().map(|&dim| Piece::Dim(dim)).list()),
        Term::Param(param, Kind::Shape) => Ok(vec![Piece::Slice(param, 0, 0)]),
        Term::Slice { shape, front, back } => Ok(vec![Piece::Slice(shape, front, back)]),
        Term::Splice(items) => {
            let piece = |&item: &TermId| match r.peek(item) {
                Term::Param(param, _) => Piece::Slice(param, 0, 0),
                Term::Slice { shape, front, back } => Piece::Slice(shape, front, back),
                _ => Piece::Dim(item),
            };
            Ok(r.items(items).iter().map(piece).list())
        }
        _ => Err(Stop::wait(&[shape])),
    }
}

/// Which dim of a shape parameter a dim is: `S[0]`.
fn index_of(r: &dyn Facts, dim: TermId) -> Option<(ParamId, i64)> {
    match r.peek(dim) {
        Term::Dim(Dim { extent: Extent::Poly(poly), dynamic: false }) => match r.poly(poly).as_atom() {
            Some(&Atom::Index(shape, at)) => Some((shape, at)),
            _ => None,
        },
        _ => None,
    }
}

/// `(..sh[:-1], sh[-1])` is `sh`, and `(sh[0], ..sh[1:])` as well.
fn joined(r: &dyn Facts, pieces: &[Piece]) -> Vec<Piece> {
    let index = |piece: Piece| match piece {
        Piece::Dim(dim) => index_of(r, dim),
        Piece::Slice(..) => None,
    };
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for &piece in pieces {
        // A slice takes in its own last dim behind it, and its own first dims before it.
        if let (Some(&Piece::Slice(shape, front, back)), Some((of, at))) = (out.last(), index(piece))
            && of == shape
            && back > 0
            && at == -i64::from(back)
        {
            out.pop();
            out.push(Piece::Slice(shape, front, back - 1));
            continue;
        }
        let mut piece = piece;
        while let (Piece::Slice(shape, front @ 1.., back), Some((of, at))) =
            (piece, out.last().and_then(|&last| index(last)))
            && of == shape
            && at == i64::from(front) - 1
        {
            out.pop();
            piece = Piece::Slice(shape, front - 1, back);
        }
        out.push(piece);
    }
    out
}

pub(crate) fn make_shape(r: &mut dyn Facts, pieces: &[Piece]) -> Result<TermId, Stop> {
    let pieces = &joined(r, pieces);
    let ids: Vec<TermId> = pieces
        .iter()
        .map(|&piece| match piece {
            Piece::Dim(dim) => dim,
            Piece::Slice(shape, 0, 0) => r.make(Term::Param(shape, Kind::Shape)),
            Piece::Slice(shape, front, back) => r.make(Term::Slice { shape, front, back }),
        })
        .list();
    let all_dims = pieces.iter().all(|piece| matches!(piece, Piece::Dim(_)));
    if let ([only], false) = (ids.as_slice(), all_dims) {
        return Ok(*only);
    }
    let list = r.make_list(&ids);
    Ok(r.make(if all_dims { Term::Shape(list) } else { Term::Splice(list) }))
}

/// Where a place of a shape is.
pub(crate) enum Place {
    Dim(TermId),
    /// In a shape parameter, as [`Atom::Index`] counts; so many dims are cut off at the other end.
    In(ParamId, i64, u32),
}

/// The dim at a place in a shape parameter. That it is there after a cut at the other end is said by a part without both.
pub(crate) fn dim_in(r: &mut dyn Facts, shape: ParamId, at: i64, cut: u32) -> Result<TermId, Stop> {
    if cut > 0 {
        let n = u32::try_from(if at < 0 { at.saturating_neg() } else { at.saturating_add(1) }).unwrap_or(u32::MAX);
        let (front, back) = if at < 0 { (cut, n) } else { (n, cut) };
        r.make(Term::Slice { shape, front, back });
    }
    make_poly(r, Poly::atom(Atom::Index(shape, at)), false)
}

/// The part that holds a place. A slice among other parts may be shorter than needed, so what lies behind it is not
/// sure; behind nothing but dims the last slice holds the place if anything does.
pub(crate) fn place_of(pieces: &[Piece], at: i64) -> Option<Place> {
    let from_end = at < 0;
    let mut left = if from_end { -(at + 1) } else { at };
    let n = pieces.len();
    for i in 0..n {
        match pieces[if from_end { n - 1 - i } else { i }] {
            Piece::Dim(dim) if left == 0 => return Some(Place::Dim(dim)),
            Piece::Dim(_) => left -= 1,
            Piece::Slice(shape, front, back) if from_end && i + 1 == n => {
                return Some(Place::In(shape, -1 - left - i64::from(back), front));
            }
            Piece::Slice(shape, front, back) if i + 1 == n => {
                return Some(Place::In(shape, left + i64::from(front), back));
            }
            Piece::Slice(..) => return None,
        }
    }
    None
}

/// What is wrong with an axis that a shape of so many has not.
pub(crate) fn no_axis(rank: i64, axis: i64) -> String {
    match rank {
        0 => too_few_axes(rank, 1),
        _ => format!("a shape of rank {rank} has no axis {axis}"),
    }
}

/// What is wrong with a rank where more axes are asked for.
pub fn too_few_axes(rank: i64, least: i64) -> String {
    match rank {
        0 => "a scalar has no axes".to_owned(),
        _ => format!("a shape of rank {rank} has less than {least} axes"),
    }
}

/// The parts from one place up to another; `None` where a parameter's rank would decide it.
pub(crate) fn sliced(
    r: &mut dyn Facts,
    all: &[Piece],
    from: Option<i64>,
    to: Option<i64>,
) -> Result<Option<Vec<Piece>>, Stop> {
    if all.iter().all(|piece| matches!(piece, Piece::Dim(_))) {
        let rank = all.len() as i64;
        let place = |at: i64| if at < 0 { at.saturating_add(rank) } else { at };
        let (start, end) = (place(from.unwrap_or(0)), place(to.unwrap_or(rank)));
        if !(0 <= start && start <= end && end <= rank) {
            let bound = |at: Option<i64>| at.map_or(String::new(), |at| at.to_string());
            // The last axis before a place that counts from the front, and the first one behind one from the end.
            let mut axes = [from, to].into_iter().flatten().map(|at| if at > 0 { at - 1 } else { at });
            let sentence = match axes.find(|axis| !(-rank..rank).contains(axis)) {
                Some(axis) => no_axis(rank, axis),
                // As many in front as behind are cut off, or more.
                None if from > Some(0) && to < Some(0) => {
                    too_few_axes(rank, from.unwrap_or(0).saturating_sub(to.unwrap_or(0)))
                }
                None => format!("a shape of rank {rank} has no part [{}:{}]", bound(from), bound(to)),
            };
            return r.fail(Reason::Check(sentence.into()));
        }
        return Ok(Some(all[start as usize..end as usize].to_vec()));
    }
    let cut = |pieces: &mut Vec<Piece>, n: i64, front: bool| -> bool {
        for _ in 0..n {
            let at = if front { 0 } else { pieces.len().wrapping_sub(1) };
            let n_pieces = pieces.len();
            match pieces.get_mut(at) {
                Some(Piece::Dim(_)) => drop(pieces.remove(at)),
                // Only the last part left is sure to be long enough.
                Some(Piece::Slice(_, cut_front, cut_back)) if n_pieces == 1 => {
                    *(if front { cut_front } else { cut_back }) += 1;
                }
                Some(Piece::Slice(..)) | None => return false,
            }
        }
        true
    };
    let small = |n: i64| n.unsigned_abs() <= MAX_RANK.unsigned_abs();
    let mut rest = all.to_vec();
    match (from.unwrap_or(0), to) {
        (from, to) if !small(from) || !small(to.unwrap_or(0)) => Ok(None),
        (from @ 0.., None) => Ok(cut(&mut rest, from, true).then_some(rest)),
        (from @ 0.., Some(to @ ..=-1)) => {
            Ok((cut(&mut rest, from, true) && cut(&mut rest, -to, false)).then_some(rest))
        }
        // A fixed number of dims from one end.
        (from, to) if (from < 0) == to.is_none_or(|to| to < 0) => {
            let to = to.unwrap_or(0);
            let mut dims = Vec::new();
            for at in from..to {
                match place_of(all, at) {
                    Some(Place::Dim(dim)) => dims.push(Piece::Dim(dim)),
                    Some(Place::In(shape, at, cut)) => dims.push(Piece::Dim(dim_in(r, shape, at, cut)?)),
                    None => return Ok(None),
                }
            }
            Ok(Some(dims))
        }
        _ => Ok(None),
    }
}

/// Whether the broadcast of two shapes is the first of them, whatever the parameters stand for: the second is an end of
/// it, with 1 in the place of some dims.
///
/// Worked example: `S` covers `(..S[:-1], 1)` and `(1, ..S[1:])`, and `(N, ..S)` covers `(1, ..S)`. Nothing says that `S`
/// has an axis for `(1,)`.
///
/// Returns how many axes parameters must have for the second shape to be one, where the first does not say so.
pub fn covers(r: &dyn Facts, whole: TermId, other: TermId) -> Option<Vec<(ParamId, u32)>> {
    let (mut whole, other) = (pieces(r, whole).ok()?, pieces(r, other).ok()?);
    let mut least = Vec::new();
    let is_one = |dim| r.peek_number(dim) == Some(1);
    let same = |a, b| r.same(a, b) || (r.peek(a) == r.peek(b) && !r.peek(a).is_hole() && !r.is_dynamic(a));
    // From the end: dims taken from a slice of which it is not certain yet that it has them; and the first ones of a
    // parameter that remain of a slice when its end has been taken, as the places they have in it.
    let mut is_unsure = false;
    let mut first: Option<(ParamId, std::ops::Range<u32>)> = None;
    for &piece in other.iter().rev() {
        if let Some((shape, places)) = &mut first {
            let place = i64::from(places.end) - 1;
            match piece {
                Piece::Dim(dim) if is_one(dim) || index_of(r, dim) == Some((*shape, place)) => places.end -= 1,
                _ => return None,
            }
            first = first.filter(|(_, places)| !places.is_empty());
            continue;
        }
        match (whole.pop(), piece) {
            (Some(Piece::Dim(dim)), Piece::Dim(other)) if is_one(other) || same(dim, other) => {}
            (Some(Piece::Slice(shape, front, back)), Piece::Dim(dim))
                if is_one(dim) || index_of(r, dim) == Some((shape, -1 - i64::from(back))) =>
            {
                is_unsure = true;
                whole.push(Piece::Slice(shape, front, back + 1));
            }
            (Some(Piece::Slice(shape, front, back)), Piece::Slice(of, from, to))
                if shape == of && back == to && front <= from =>
            {
                if is_unsure || front < from {
                    least.push((shape, from + to));
                }
                is_unsure = false;
                first = Some((shape, front..from)).filter(|(_, places)| !places.is_empty());
            }
            _ => return None,
        }
    }
    (!is_unsure).then_some(least)
}
