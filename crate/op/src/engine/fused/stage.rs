//! Which steps of a group are computed together, and where each finds what it reads.
//!
//! Sizes are known here, and steps with results of different sizes do not go along each other: `x - mean(x)` of one
//! element for each row goes along the rows, what is done to a whole matrix along its elements. So a group is cut into
//! stages, in order, each of steps with as many elements. What a stage gives is its last result.
//!
//! Worked example: on `d: (64, 64)` and `m: (64, 1)`, `s0 = add(m, 1e-5f); s1 = sqrt(s0); s2 = divide(d, s1)` has two
//! stages. `s0` and `s1` make 64 elements, which `s2` reads as it reads an operand.

use super::arrange::Arranged;
use super::class::Class;
use super::{Input, Step};
use crate::engine::count;
use crate::engine::single::{broadcasts, second};
use crate::run::ResultType;
use base::ToList;
use kernel::elementwise::broadcast::Walk;
use kernel::elementwise::program::Place;
use ty::Dtype;

/// A group on operands of known types.
pub struct Group<'a> {
    pub steps: &'a [Step],
    operands: &'a [ResultType],
    /// By operand, which one of the call it is, and how many those are.
    sources: &'a [usize],
    n_given: usize,
    /// By step.
    pub results: &'a [ResultType],
    pub classes: Vec<Class>,
    /// By step, its stage.
    pub stages: Vec<usize>,
}

impl<'a> Group<'a> {
    /// `None`: a size cannot be counted.
    pub fn new(arranged: &'a Arranged, n_given: usize) -> Option<Group<'a>> {
        let Arranged { steps, results, operands, sources } = arranged;
        let (classes, stages) = (Vec::new(), base::filled(0, steps.len()));
        let mut group = Group { steps, operands, sources, n_given, results, classes, stages };
        for step in steps {
            let dtype = group.type_of(*step.inputs.first()?)?.dtype;
            group.classes.push(step.op.class(&step.attrs, dtype));
        }
        operands.iter().chain(results).all(|of| count(&of.shape).is_some()).then_some(())?;
        let mut stage = 0;
        for at in 1..steps.len() {
            if !group.goes_on(at) {
                stage += 1;
            }
            group.stages[at] = stage;
        }
        // Only the last result of a stage is read outside.
        while let Some(at) = (0..steps.len()).find(|&at| !group.is_last(at) && group.is_read_outside(at)) {
            group.stages[at + 1..].iter_mut().for_each(|stage| *stage += 1);
        }
        Some(group)
    }

    pub fn type_of(&self, input: Input) -> Option<&'a ResultType> {
        input.of(self.operands, self.results)
    }

    /// The elements that a step goes along.
    pub fn n(&self, at: usize) -> Option<usize> {
        let of = match self.classes[at] {
            Class::Reduction => self.type_of(*self.steps[at].inputs.first()?)?,
            _ => &self.results[at],
        };
        count(&of.shape)
    }

    /// Whether a step is in the stage of the one before it.
    fn goes_on(&self, at: usize) -> bool {
        let is_same = self.n(at) == self.n(at - 1);
        match self.classes[at] {
            Class::Reduction => {
                is_same && self.classes[at - 1].goes_along() && self.steps[at].inputs == [Input::Step(at - 1)]
            }
            class => is_same && class.goes_along() && self.classes[at - 1] != Class::Reduction,
        }
    }

    /// Whether it is the last of its stage.
    fn is_last(&self, at: usize) -> bool {
        self.stages.get(at + 1) != Some(&self.stages[at])
    }

    fn is_read_outside(&self, at: usize) -> bool {
        let readers = self.steps.iter().zip(&self.stages);
        let mut outside = readers.filter(|(_, stage)| **stage != self.stages[at]);
        outside.any(|(step, _)| step.inputs.contains(&Input::Step(at)))
    }

    /// What a stage reads that it does not make, by number: the operands of the group, then what each stage gives.
    pub fn given(&self, input: Input, stage: usize) -> Option<usize> {
        match input {
            Input::Operand(at) => self.sources.get(at).copied(),
            Input::Step(at) if self.stages[at] != stage => Some(self.n_given + self.stages[at]),
            Input::Step(_) => None,
        }
    }
}

/// What is read of what is given: all of it along the result, or repeated as shapes broadcast.
#[derive(Clone, PartialEq)]
pub struct Lying {
    pub given: usize,
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    /// The shape that it broadcasts to.
    pub whole: Vec<usize>,
}

impl Lying {
    pub fn walk(&self) -> Walk<1> {
        Walk::new([&self.shape], &self.whole)
    }

    pub fn is_whole(&self) -> bool {
        self.shape == self.whole
    }
}

/// A step that computes, and where its operands and its result are. A place that is an operand is one of what lies there.
pub struct Run {
    pub step: usize,
    pub operands: Vec<Place>,
    pub to: usize,
}

/// The steps of a stage on registers.
pub struct Wiring {
    pub lying: Vec<Lying>,
    pub runs: Vec<Run>,
    pub n_registers: usize,
}

impl Wiring {
    /// Of steps of one stage that go along `n` elements. What `begun` has done is there: its steps are not run, and the
    /// result of the last of them is given under this number. `None`: a shape does not fit, or nothing is run whose
    /// result is the last one.
    pub fn new(group: &Group, stage: &[usize], n: usize, begun: (&[usize], usize)) -> Option<Wiring> {
        let (done, held) = begun;
        let mut wiring = Wiring { lying: Vec::new(), runs: Vec::new(), n_registers: 0 };
        let number = group.stages[*stage.first()?];
        // By step: itself, or what has the same elements.
        let mut same: Vec<Input> = (0..group.steps.len()).map(Input::Step).list();
        let mut last = base::filled(0, group.steps.len());
        for &at in stage.iter().filter(|at| !done.contains(at)) {
            let inputs = &group.steps[at].inputs;
            if group.classes[at] == Class::Injective {
                let from = *inputs.first()?;
                same[at] = if let Input::Step(from) = from { same[from] } else { from };
            } else {
                inputs.iter().for_each(|&input| {
                    if let Input::Step(from) = input
                        && let Input::Step(from) = same[from]
                    {
                        last[from] = at;
                    }
                });
            }
        }
        let mut registers = base::filled(usize::MAX, group.steps.len());
        let mut free: Vec<usize> = Vec::new();
        for &at in stage {
            if done.contains(&at) || group.classes[at] == Class::Injective {
                continue;
            }
            let step = &group.steps[at];
            let whole = &group.results[at].shape;
            let shape = |input: &Input| Some(group.type_of(*input)?.shape.clone());
            let mut shapes: Vec<Vec<usize>> = step.inputs.iter().map(shape).some_list()?;
            if let [a, b] = &mut shapes[..] {
                *b = second(step.op.row().name, &step.attrs, [&a[..], &b[..]])?;
            }
            let mut places = Vec::with_capacity(shapes.len());
            let mut ended: Vec<usize> = Vec::new();
            for (&input, shape) in step.inputs.iter().zip(shapes) {
                let is_all = count(&shape) == Some(n);
                if !broadcasts(&shape, whole) {
                    return None;
                }
                let dtype = group.type_of(input)?.dtype;
                let found = if let Input::Step(from) = input { same[from] } else { input };
                let given = match found {
                    Input::Step(from) if done.last() == Some(&from) => Some(held),
                    Input::Step(from) if group.stages[from] == number => {
                        (is_all && registers[from] != usize::MAX).then_some(())?;
                        places.push(Place::Register(registers[from]));
                        // A step may stand in both operands of another.
                        if last[from] == at && !ended.contains(&registers[from]) {
                            ended.push(registers[from]);
                        }
                        None
                    }
                    found => group.given(found, number),
                };
                if let Some(given) = given {
                    let (shape, whole) = if is_all { (vec![n], vec![n]) } else { (shape, whole.clone()) };
                    let lies = Lying { given, dtype, shape, whole };
                    places.push(Place::Operand(wiring.lying.iter().position(|other| *other == lies).unwrap_or_else(
                        || {
                            wiring.lying.push(lies);
                            wiring.lying.len() - 1
                        },
                    )));
                }
            }
            // Not one that the step reads: its loop may be any.
            let to = free.pop().unwrap_or_else(|| {
                wiring.n_registers += 1;
                wiring.n_registers - 1
            });
            free.append(&mut ended);
            registers[at] = to;
            wiring.runs.push(Run { step: at, operands: places, to });
        }
        let given = same[*stage.last()?];
        (wiring.runs.last().is_some_and(|run| given == Input::Step(run.step))).then_some(wiring)
    }
}
