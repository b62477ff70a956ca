//! later
use super::Recorded;
use crate::Analysis;
use crate::view::solver::WhyNotView;

pub(crate) fn why_not(_: &Analysis, _: &Recorded, _: usize) -> Option<WhyNotView> {
    None
}
