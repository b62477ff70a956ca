//! Operator calls: result types by the relation, values by the kernel.

use crate::engine::Plan;
use crate::row::{AttrForm, AttrSpec};
use crate::run::{Call, Fault, FaultKind, Kernel, MAX_SIZE, OPEN, ResultType, WellTyped, n_that_fit, run};
use crate::{Op, OpId, by_name};
use base::ToList;
use solve::{Cause, Solver, State, Trace};
use std::sync::Arc;
use ty::{
    AttrValue, Attrs, Dim, Dtype, Extent, FixedNames, Kind, Reason, RunFault, Scalar, Term, TermId, Terms, Value,
    print_term,
};

/// A solver for one relation at a time.
pub struct Operators {
    solver: Solver,
    memory: u64,
}

/// Why a call on values has no value, as the program is told.
#[derive(Clone, Debug, PartialEq)]
pub enum CallFault {
    DivisionByZero,
    /// There is no integer that would be the result. A sentence.
    NoInteger(&'static str),
    IndexOutOfRange(i64),
    NoKernel(&'static str),
    /// A result would not fit.
    OutOfMemory,
    /// A result of so many bytes would not fit, as it is or as the numbers of 64 bits that it is computed as.
    LargeTensor(u64),
    /// The operands have types that the relation refuses, or values that the kernel does. A sentence.
    Shapes(String),
    /// The values are none of this operator's.
    IllTyped,
}

impl CallFault {
    /// What a kernel says, as a call of this operator says it.
    pub fn of(row: &Op, fault: Fault) -> CallFault {
        match fault.kind() {
            FaultKind::DivisionByZero => match row.name {
                "power" => CallFault::NoInteger("an integer to a negative power is no integer"),
                "left_shift" | "right_shift" => CallFault::NoInteger("an integer is shifted by 0 to 63 bits"),
                _ => CallFault::DivisionByZero,
            },
            FaultKind::IndexOutOfRange(index) => CallFault::IndexOutOfRange(index),
            FaultKind::NoKernel => CallFault::NoKernel(row.name),
            FaultKind::IllTyped => CallFault::Shapes(format!("`{}` does not take operands like these", row.name)),
            FaultKind::OutOfMemory => CallFault::OutOfMemory,
            FaultKind::LargeTensor(bytes) => CallFault::LargeTensor(bytes),
            FaultKind::Other(sentence) => CallFault::Shapes(format!("`{}`: {sentence}", row.name)),
        }
    }

    /// What it is to a run that has so much memory.
    pub fn of_run(self, memory: u64) -> RunFault {
        match self {
            CallFault::DivisionByZero => RunFault::DivisionByZero,
            CallFault::NoInteger(sentence) => RunFault::NoInteger(sentence),
            CallFault::IndexOutOfRange(index) => RunFault::IndexOutOfRange(index),
            CallFault::NoKernel(name) => RunFault::NoKernel(name),
            CallFault::OutOfMemory => RunFault::OutOfMemory { limit: memory },
            CallFault::LargeTensor(bytes) => RunFault::large_tensor(memory, bytes, 0),
            CallFault::Shapes(sentence) => RunFault::Shapes(sentence),
            CallFault::IllTyped => RunFault::Broken,
        }
    }
}

/// What is known of an operand before there are elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Scalar(Dtype, Option<Scalar>),
    Tensor(ResultType),
    Tuple(Vec<ResultType>),
}

impl Operand {
    pub fn n_elements(&self) -> u64 {
        match self {
            Operand::Scalar(..) => 1,
            Operand::Tensor(of) => of.n_elements(),
            Operand::Tuple(fields) => fields.iter().map(ResultType::n_elements).fold(0, u64::saturating_add),
        }
    }

    /// The type of one that is no tuple.
    pub fn single(&self) -> Option<ResultType> {
        match self {
            Operand::Scalar(dtype, _) => Some(ResultType { shape: Vec::new(), dtype: *dtype }),
            Operand::Tensor(of) => Some(of.clone()),
            Operand::Tuple(_) => None,
        }
    }
}

/// The types of the results of a call, and its plan, where there is one.
pub type Planned = (Vec<ResultType>, Option<Plan>);

/// The types of the results of a call, and the plan of each.
pub type PlannedAll = (Vec<ResultType>, Vec<Plan>);

const HERE: Cause = Cause(0);

/// Bytes that a call on values works in, beside its operands and results: a number of 64 bits for each element of
/// these, and what is noted for each place, where an operator has a table of what it looks at from there.
pub fn bytes_on_values(op: Option<OpId>, n_elements: u64) -> u64 {
    const NOTED: u64 = 64;
    let has_table = |name: &str| {
        matches!(name, "repeat" | "nn.dilate" | "nn.upsampling" | "nn.upsampling3d")
            || name.starts_with("image.")
            || name.starts_with("nn.adaptive_")
    };
    let noted = if op.is_some_and(|op| has_table(op.row().name)) { NOTED } else { 0 };
    counted(n_elements.saturating_mul(8 + noted))
}

/// Bytes that something works in, if they are so many that it matters.
pub(crate) fn counted(bytes: u64) -> u64 {
    const UNCOUNTED: u64 = 1 << 20;
    if bytes > UNCOUNTED { bytes } else { 0 }
}

impl Operators {
    /// `memory` is how many bytes one result may have.
    pub fn new(memory: u64) -> Operators {
        Operators { solver: Solver::new(Trace::off()), memory }
    }

    /// Calls an operator that is used as a function value, with its default attributes.
    pub fn run_value(&mut self, op: OpId, args: &[Value]) -> Result<Value, CallFault> {
        self.run(op, args, &Arc::new(op.row().default_attrs()))
    }

    /// Finds the types of the results, then the results.
    pub fn run(&mut self, op: OpId, args: &[Value], attrs: &Arc<Attrs>) -> Result<Value, CallFault> {
        if let (Kernel::Argument, [arg, ..]) = (&op.row().kernel, args) {
            return Ok(arg.clone());
        }
        let results = self.result_types(op, args, attrs)?;
        self.run_with(op, args, attrs, &results)
    }

    /// The types of the results. They depend on the types of the arguments, and on the values of those only that are
    /// attributes as well ([`AttrForm::Argument`]).
    pub fn result_types(&mut self, op: OpId, args: &[Value], attrs: &Arc<Attrs>) -> Result<Vec<ResultType>, CallFault> {
        let row = op.row();
        if !row.runs() {
            return Err(CallFault::NoKernel(row.name));
        }
        match scalar_result(&row.kernel, args) {
            Some(dtype) => Ok(vec![ResultType { shape: Vec::new(), dtype }]),
            None => self.by_relation(op, args, &with_arguments(row.attrs, args, attrs)),
        }
    }

    /// The types of the results of a call on operands of these types, and its plan, where there is one. `None` if the
    /// types depend on values that are no literals.
    pub fn plan(
        &mut self,
        op: OpId,
        attrs: &Arc<Attrs>,
        operands: &[ResultType],
    ) -> Result<Option<Planned>, CallFault> {
        let results = self.types(op, attrs, operands)?;
        Ok(results.map(|results| {
            let plan = Plan::new(op.row(), attrs, operands, &results);
            (results, plan)
        }))
    }

    /// As [`plan`](Operators::plan), of an operator [with tuples](OpId::has_tuples) for which there are bodies: the
    /// plan of each result. Where the operand is a tuple, `operands` are its fields.
    pub fn plan_all(
        &mut self,
        op: OpId,
        attrs: &Arc<Attrs>,
        operands: &[ResultType],
    ) -> Result<Option<PlannedAll>, CallFault> {
        let results = if op.has_tuples() { self.types(op, attrs, operands)? } else { None };
        Ok(results.and_then(|results| Plan::all(op.row(), attrs, operands, &results).map(|plans| (results, plans))))
    }

    /// The types of the results, if they depend on the types of the operands alone.
    fn types(
        &mut self,
        op: OpId,
        attrs: &Arc<Attrs>,
        operands: &[ResultType],
    ) -> Result<Option<Vec<ResultType>>, CallFault> {
        let row = op.row();
        if !row.runs() {
            return Err(CallFault::NoKernel(row.name));
        }
        if row.looks_at_values(attrs) {
            return Ok(None);
        }
        self.relate_types(op, attrs, operands).map(Some)
    }

    /// As [`plan`](Operators::plan), before the run: also of tuples, and of operators that look at values, if those are
    /// known. A call on values in tuples has no plan.
    pub fn foresee(
        &mut self,
        op: OpId,
        attrs: &Arc<Attrs>,
        operands: &[Operand],
    ) -> Result<Option<Planned>, CallFault> {
        let row = op.row();
        if !row.runs() {
            return Err(CallFault::NoKernel(row.name));
        }
        let (mut filled, mut on_types) = (attrs.clone(), true);
        for (at, spec) in row.attrs.iter().enumerate() {
            let AttrForm::Argument(index) = spec.form else { continue };
            on_types = false;
            if let Some(Operand::Scalar(_, scalar)) = operands.get(index) {
                let Some(scalar) = scalar else { return Ok(None) };
                if let Some(entry) = Arc::make_mut(&mut filled).entries.get_mut(at) {
                    entry.1 = value_of(*scalar);
                }
            }
        }
        if let Some(types) = operands.iter().map(Operand::single).some_list() {
            let results = self.relate_types(op, &filled, &types)?;
            let plan = if on_types { Plan::new(row, &filled, &types, &results) } else { None };
            return Ok(Some((results, plan)));
        }
        self.solver.clear();
        let mut terms = Vec::with_capacity(operands.len() + 1);
        for operand in operands {
            terms.push(match operand {
                Operand::Scalar(dtype, _) => self.tensor_type(&[], *dtype),
                Operand::Tensor(of) => self.tensor_type(&of.shape, of.dtype),
                Operand::Tuple(fields) => {
                    let fields: Vec<_> = fields.iter().map(|of| self.tensor_type(&of.shape, of.dtype)).list();
                    self.solver.tuple(&fields, HERE)
                }
            });
        }
        Ok(Some((self.relate(op, terms, &filled)?, None)))
    }

    /// The types of the results; of one tuple, `operands` are its fields.
    fn relate_types(
        &mut self,
        op: OpId,
        attrs: &Arc<Attrs>,
        operands: &[ResultType],
    ) -> Result<Vec<ResultType>, CallFault> {
        self.solver.clear();
        let mut terms: Vec<TermId> =
            operands.iter().map(|operand| self.tensor_type(&operand.shape, operand.dtype)).list();
        if matches!(op.row().name, "concatenate" | "einsum" | "stack") {
            terms = vec![self.solver.tuple(&terms, HERE)];
        }
        self.relate(op, terms, attrs)
    }

    /// A call whose result types are known, as [`run`](Operators::run) would find them.
    pub fn run_with(
        &mut self,
        op: OpId,
        args: &[Value],
        attrs: &Arc<Attrs>,
        results: &[ResultType],
    ) -> Result<Value, CallFault> {
        let attrs = &with_arguments(op.row().attrs, args, attrs);
        self.compute(op.row(), &Call { args, attrs, results, memory: self.memory })
    }

    /// As [`run_with`](Operators::run_with), where there is no [`plan`](Operators::plan).
    pub fn run_unplanned(
        &mut self,
        op: OpId,
        args: &[Value],
        attrs: &Arc<Attrs>,
        results: &[ResultType],
    ) -> Result<Value, CallFault> {
        let row = op.row();
        let Kernel::Whole(run) = row.kernel else { return self.run_with(op, args, attrs, results) };
        self.fit(results)?;
        run(&Call { args, attrs, results, memory: self.memory }).map_err(|fault| CallFault::of(row, fault))
    }

    fn compute(&self, row: &'static Op, call: &Call) -> Result<Value, CallFault> {
        self.fit(call.results)?;
        run(row, call).map_err(|fault| CallFault::of(row, fault))
    }

    /// Refuses what is larger than the memory.
    fn fit(&self, results: &[ResultType]) -> Result<(), CallFault> {
        for result in results {
            // What the values decide is the kernel's to check.
            let known = result.shape.iter().copied().filter(|&size| size != OPEN);
            if n_that_fit(known, self.memory).is_none() {
                return Err(CallFault::LargeTensor(result.n_bytes()));
            }
        }
        Ok(())
    }

    /// Runs the operator's relation on the types of the arguments.
    fn by_relation(&mut self, op: OpId, args: &[Value], attrs: &Arc<Attrs>) -> Result<Vec<ResultType>, CallFault> {
        self.solver.clear();
        let mut terms: Vec<TermId> = Vec::with_capacity(args.len() + 1);
        for arg in args {
            terms.push(self.type_of(arg).ok_or(CallFault::IllTyped)?);
        }
        self.relate(op, terms, attrs)
    }

    fn relate(&mut self, op: OpId, mut terms: Vec<TermId>, attrs: &Arc<Attrs>) -> Result<Vec<ResultType>, CallFault> {
        let row = op.row();
        let result = self.solver.fresh(Term::hole(Kind::Type), HERE);
        terms.push(result);
        let relation = self.solver.post(row.relation, &terms, attrs.clone(), HERE);
        self.solver.solve();
        if let Some(failure) = self.solver.failures.first() {
            let said = match failure.reason {
                Reason::Unequal { left, right, .. } => self.differ(&terms[..terms.len() - 1], [left, right]),
                ref reason => sentence(reason),
            };
            return Err(CallFault::Shapes(format!("`{}`: {said}", row.name)));
        }
        if !matches!(self.solver.relation(relation).state, State::Solved) {
            return Err(CallFault::IllTyped);
        }
        self.results(result)
    }

    /// Two parts of operands that should be equal, each with the axis that it is on.
    fn differ(&self, operands: &[TermId], parts: [TermId; 2]) -> String {
        let names = FixedNames { adt: "", param: "", variants: &[], constructors: &[] };
        let print = |term| print_term(&self.solver, &names, term).text;
        let axis_of = |part: TermId, operand: TermId| {
            let Term::Tensor { shape, .. } = self.solver.head(operand) else { return None };
            let Term::Shape(dims) = self.solver.head(shape) else { return None };
            self.solver.items(dims).iter().position(|&dim| self.solver.root(dim) == self.solver.root(part))
        };
        let [left, right] = parts.map(|part| {
            let place = operands.iter().find_map(|&operand| Some((axis_of(part, operand)?, operand)));
            match place {
                Some((axis, operand)) => format!("size {} on axis {axis} of {}", print(part), print(operand)),
                None => print(part),
            }
        });
        format!("{left} and {right} differ")
    }

    /// The type of a tensor, or of a tuple of tensors.
    fn type_of(&mut self, value: &Value) -> Option<TermId> {
        match value {
            Value::Scalar(dtype, _) => Some(self.tensor_type(&[], *dtype)),
            Value::Tensor(tensor) => Some(self.tensor_type(&tensor.shape, tensor.dtype)),
            Value::Tuple(fields) => {
                let fields = fields.iter().map(|field| match field {
                    Value::Scalar(dtype, _) => Some(self.tensor_type(&[], *dtype)),
                    Value::Tensor(tensor) => Some(self.tensor_type(&tensor.shape, tensor.dtype)),
                    _ => None,
                });
                let fields: Vec<TermId> = fields.some_list()?;
                Some(self.solver.tuple(&fields, HERE))
            }
            Value::Data(..) | Value::Variant(..) | Value::Func(..) | Value::Ref(_) => None,
        }
    }

    fn tensor_type(&mut self, shape: &[usize], dtype: Dtype) -> TermId {
        let dims: Vec<TermId> =
            shape.iter().map(|&size| self.solver.fresh(Term::Dim(Dim::number(size as i64)), HERE)).list();
        let list = self.solver.store.list(&dims);
        let shape = self.solver.fresh(Term::Shape(list), HERE);
        let dtype = self.solver.fresh(Term::Dtype(dtype), HERE);
        self.solver.fresh(Term::Tensor { shape, dtype }, HERE)
    }

    fn results(&self, id: TermId) -> Result<Vec<ResultType>, CallFault> {
        match self.solver.head(id) {
            Term::Tuple(fields) => {
                let fields = self.solver.items(fields).iter();
                fields.map(|&field| self.tensor_result(field)).ok_list()
            }
            _ => Ok(vec![self.tensor_result(id)?]),
        }
    }

    fn tensor_result(&self, id: TermId) -> Result<ResultType, CallFault> {
        let Term::Tensor { shape, dtype } = self.solver.head(id) else { return Err(CallFault::IllTyped) };
        let (Term::Shape(dims), Term::Dtype(dtype)) = (self.solver.head(shape), self.solver.head(dtype)) else {
            return Err(CallFault::IllTyped);
        };
        // Of an open size nothing is known.
        let size = |&dim: &TermId| match self.solver.head(dim) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => u64::try_from(number).ok().map(Some),
            Term::Dim(Dim { dynamic: true, .. }) => Some(None),
            _ => None,
        };
        let sizes = self.solver.items(dims).iter().map(size).some_list().ok_or(CallFault::IllTyped)?;
        let product = |first: u64, least: u64| {
            sizes.iter().flatten().fold(first, |product, &size| product.saturating_mul(size.max(least)))
        };
        let is_empty = sizes.contains(&Some(0));
        let is_long = sizes.iter().flatten().any(|&size| size > u64::from(MAX_SIZE));
        if is_long || is_empty && product(1, 1) > u64::from(MAX_SIZE) {
            return Err(CallFault::LargeTensor(if is_empty { 0 } else { product(dtype.n_bytes() as u64, 0) }));
        }
        Ok(ResultType { shape: sizes.into_iter().map(|size| size.map_or(OPEN, |size| size as usize)).list(), dtype })
    }
}

/// Calls the operator of this name with the attributes that it shares with the call, but for those given.
pub(crate) fn call_named(
    call: &Call,
    name: &str,
    args: &[Value],
    given: Vec<(&'static str, AttrValue)>,
) -> Result<Value, Fault> {
    let op = by_name(name).well_typed()?;
    let mut attrs = op.row().default_attrs();
    for (attr, value) in &mut attrs.entries {
        let shared = call.attrs.entries.iter().find(|(known, _)| known == attr);
        if let Some((_, found)) = given.iter().find(|(known, _)| known == attr).or(shared) {
            *value = found.clone();
        }
    }
    Operators::new(call.memory).run(op, args, &Arc::new(attrs)).map_err(|fault| match fault {
        CallFault::DivisionByZero | CallFault::NoInteger(_) => Fault::division_by_zero(),
        CallFault::IndexOutOfRange(index) => Fault::index(index),
        CallFault::NoKernel(_) => Fault::no_kernel(),
        CallFault::OutOfMemory => Fault::out_of_memory(),
        CallFault::LargeTensor(bytes) => Fault::of(FaultKind::LargeTensor(bytes)),
        CallFault::Shapes(sentence) => Fault::other(sentence),
        CallFault::IllTyped => Fault::ill_typed(),
    })
}

/// The dtype of an elementwise operator's result when every argument is a scalar: the common case of recursion.
fn scalar_result(kernel: &Kernel, args: &[Value]) -> Option<Dtype> {
    let Some(Value::Scalar(first, _)) = args.first() else { return None };
    let same = args.iter().all(|arg| matches!(arg, Value::Scalar(dtype, _) if dtype == first));
    match kernel {
        _ if !same => None,
        Kernel::Map1 { .. } | Kernel::Bits(_) | Kernel::Map2 { .. } => Some(*first),
        Kernel::Compare { .. } | Kernel::Test(_) => Some(Dtype::Bool),
        Kernel::Missing | Kernel::Argument | Kernel::Whole(_) | Kernel::Planned(_) => None,
    }
}

/// Attributes that are read from arguments, now that the arguments are known.
fn with_arguments(specs: &[AttrSpec], args: &[Value], attrs: &Arc<Attrs>) -> Arc<Attrs> {
    if !specs.iter().any(|spec| matches!(spec.form, AttrForm::Argument(_))) {
        return attrs.clone();
    }
    let mut filled = Attrs::clone(attrs);
    for (spec, entry) in specs.iter().zip(&mut filled.entries) {
        if let AttrForm::Argument(index) = spec.form
            && let Some(Value::Scalar(_, scalar)) = args.get(index)
        {
            entry.1 = value_of(*scalar);
        }
    }
    Arc::new(filled)
}

fn value_of(scalar: Scalar) -> AttrValue {
    match scalar {
        Scalar::Float(value) => AttrValue::Float(value),
        Scalar::Int(value) => AttrValue::Int(value),
    }
}

fn sentence(reason: &Reason) -> String {
    match reason {
        Reason::NoClause => "no clause of the relation fits".to_owned(),
        Reason::Broadcast { left_size, right_size, .. } => {
            format!("sizes {left_size} and {right_size} do not broadcast")
        }
        Reason::Dtypes { left, right } => format!("the operands are {} and {}", left.1, right.1),
        Reason::Rank { want, found, .. } => format!("expected rank {want}, found rank {found}"),
        Reason::Axis { attr, axis, rank } => format!("`{attr}` is {axis} but the rank is {rank}"),
        Reason::TupleIndex { index, len } => format!("a tuple of {len} has no field .{index}"),
        Reason::Attr { attr, want } => format!("`{attr}` must be {want}"),
        Reason::Check(sentence) => sentence.to_string(),
        Reason::EndlessCopy => "the type would contain itself without end".to_owned(),
        Reason::NotTensor { .. } => "expected a tensor".to_owned(),
        Reason::NotTuple { .. } => "expected a tuple".to_owned(),
        Reason::Unequal { .. } => "the operands do not agree".to_owned(),
    }
}
