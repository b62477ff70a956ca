//! Weights that are kept as products read them.
//!
//! Where a product's right operand is a literal or a top-level variable, it is the same block at every call, and
//! nothing writes to it. From the second call on its panels are kept, as long as they find room beside what the program
//! itself uses: a run needs no memory for them, and the forecast says nothing of them.

use crate::tensor::Place;
use op::{Fault, Plan, Right, Scratch, Source};

/// All panels together take at most so many bytes.
const MOST: u64 = 256 << 20;

pub(crate) struct Weights {
    right: Right,
    was_called: bool,
    panels: Option<Vec<f32>>,
}

impl Weights {
    /// `None`: nothing would be gained, or the operand may be another one at the next call.
    pub fn new(plan: &Plan, place: &Place) -> Option<Weights> {
        let right = plan.right()?;
        let is_constant = *place.is_constant.get(right.operand)?;
        is_constant.then_some(Weights { right, was_called: false, panels: None })
    }

    pub fn n_bytes(&self) -> u64 {
        self.right.n_floats as u64 * 4
    }

    /// How many bytes are kept.
    pub fn n_kept(&self) -> u64 {
        if self.panels.is_some() { self.n_bytes() } else { 0 }
    }

    /// As [`Plan::run`]. `n_kept` are the bytes of all that are kept, `n_free` those that the program does not use.
    pub fn run(
        &mut self,
        plan: &Plan,
        sources: &[Source],
        to: &mut [u8],
        scratch: &mut Scratch,
        (n_kept, n_free): (&mut u64, u64),
    ) -> Result<(), Fault> {
        let needed = *n_kept + self.n_bytes();
        if self.panels.is_none() && self.was_called && needed <= n_free.min(MOST) {
            let mut panels = Vec::new();
            if panels.try_reserve_exact(self.right.n_floats).is_ok() {
                *n_kept = needed;
                self.panels = Some(panels);
            }
        }
        self.was_called = true;
        match &mut self.panels {
            Some(panels) => plan.run_with_panels(sources, to, panels, scratch),
            None => plan.run(sources, to, scratch),
        }
    }
}
