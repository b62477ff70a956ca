//! The state of a program that is followed on shapes: what the machine's state is to a run.

use super::Open;
use base::{Append, Idx, Span, ToList};
use ir::{BlockId, FuncId, GlobalId, Program, VarId};
use layout::Head;
use op::ResultType;
use ty::{Dtype, Scalar, Value};

/// How deep arguments are looked into, which is done by recursion.
const MAX_DEPTH: usize = 256;

/// What is known of a value. It owns what [`Known`](Abstract) objects it names as often as it names them.
#[derive(Clone, Debug)]
pub(super) enum Abstract {
    /// No object that is counted here is in it.
    Unknown,
    Scalar(Dtype, Option<Scalar>),
    Object(u32),
    /// A sum in place.
    Sum(Head, Vec<Abstract>),
}

/// What a pointer leads to.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// The type, if it is known.
    Tensor(Option<ResultType>),
    /// A box or a cell.
    Value(Abstract),
    Closure(FuncId, Vec<Abstract>),
    Gone,
}

#[derive(Clone, Debug)]
pub(super) struct Object {
    pub n_owners: u32,
    pub content: Content,
    /// Bytes that it counts for: of literals none.
    bytes: u64,
}

#[derive(Clone, Debug)]
pub(super) enum GlobalValue {
    Unset,
    Running,
    Done(Abstract),
}

#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub function: FuncId,
    pub block: BlockId,
    /// The next of the block's instructions.
    pub at: usize,
    pub vars: Vec<Abstract>,
    /// The variable of the caller that waits for the result.
    pub to: VarId,
    /// The top-level variable whose value this call finds.
    pub global: Option<GlobalId>,
    /// Where the file called, directly or through a library.
    pub site: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Path {
    pub objects: Vec<Object>,
    pub frames: Vec<Frame>,
    pub globals: Vec<GlobalValue>,
    /// Bytes of elements: now, and at most since the call began.
    pub live: u64,
    pub peak: u64,
    /// The first thing that only the run knows.
    pub open: Option<(Span, Open)>,
    /// Whether there was a tensor of unknown size.
    pub has_unknown: bool,
    /// Whether there was a cell.
    pub has_cells: bool,
}

impl Frame {
    /// `None`: the function does not take so many arguments.
    pub fn new(program: &Program, id: FuncId, args: Vec<Abstract>, site: Span) -> Option<Frame> {
        let function = program.functions.get(id)?;
        if function.params.len() != args.len() || function.blocks.is_empty() {
            return None;
        }
        let mut vars = base::filled(Abstract::Unknown, function.vars.len());
        for (&param, arg) in function.params.iter().zip(args) {
            *vars.get_mut(param.index())? = arg;
        }
        Some(Frame {
            function: id,
            block: BlockId::numbered(0),
            at: 0,
            vars,
            to: VarId::numbered(0),
            global: None,
            site,
        })
    }
}

impl Path {
    pub fn new(n_globals: usize) -> Path {
        Path {
            objects: Vec::new(),
            frames: Vec::new(),
            globals: base::filled(GlobalValue::Unset, n_globals),
            live: 0,
            peak: 0,
            open: None,
            has_unknown: false,
            has_cells: false,
        }
    }

    /// A call begins.
    pub fn begin(&mut self) {
        (self.peak, self.open) = (self.live, None);
        self.has_unknown = self.objects.iter().any(|object| matches!(object.content, Content::Tensor(None)));
    }

    /// About how much a copy costs, in instructions.
    pub fn weight(&self) -> u64 {
        let vars: usize = self.frames.iter().map(|frame| frame.vars.len()).total();
        (self.objects.len() + vars) as u64 / 16
    }

    pub fn note_open(&mut self, span: Span, open: Open) {
        self.open.get_or_insert((span, open));
    }

    /// Where the current instruction, or the end of its block, is to be spoken of.
    pub fn place(&self, program: &Program) -> Span {
        let Some(frame) = self.frames.last() else { return Span::default() };
        let function = &program.functions[frame.function];
        let block = &function.blocks[frame.block];
        match function.is_library {
            true => frame.site,
            false => block.instrs.get(frame.at).map_or(block.span, |instr| instr.span),
        }
    }

    pub fn go_to(&mut self, block: BlockId) {
        if let Some(frame) = self.frames.last_mut() {
            (frame.block, frame.at) = (block, 0);
        }
    }

    /// A new object with one owner.
    pub fn object(&mut self, content: Content) -> Abstract {
        self.push(content, 0)
    }

    /// A new tensor, for whose elements there is room.
    pub fn tensor(&mut self, of: Option<ResultType>) -> Abstract {
        let bytes = of.as_ref().map_or(0, ResultType::n_bytes);
        self.has_unknown |= of.is_none();
        self.live = self.live.saturating_add(bytes);
        self.peak = self.peak.max(self.live);
        self.push(Content::Tensor(of), bytes)
    }

    fn push(&mut self, content: Content, bytes: u64) -> Abstract {
        let id = self.objects.len() as u32;
        self.objects.push(Object { n_owners: 1, content, bytes });
        Abstract::Object(id)
    }

    /// What an argument from outside is here.
    pub fn argument(&mut self, value: &Value) -> Abstract {
        self.nested(value, MAX_DEPTH)
    }

    /// What is nested deeper than `left` is unknown: a node may hold one that holds another, and so on.
    fn nested(&mut self, value: &Value, left: usize) -> Abstract {
        let (head, fields) = match value {
            Value::Scalar(dtype, _) => return Abstract::Scalar(*dtype, None),
            Value::Tensor(tensor) => {
                return self.tensor(Some(ResultType { shape: tensor.shape.clone(), dtype: tensor.dtype }));
            }
            Value::Tuple(fields) => (Head::Tuple, fields),
            Value::Data(number, fields) => (Head::Constructor(*number), fields),
            Value::Variant(..) | Value::Func(..) | Value::Ref(_) => return Abstract::Unknown,
        };
        let Some(left) = left.checked_sub(1) else { return Abstract::Unknown };
        Abstract::Sum(head, fields.iter().map(|field| self.nested(field, left)).list())
    }

    /// One owner more of all that a value names.
    pub fn dup(&mut self, value: &Abstract) {
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            match value {
                Abstract::Object(id) => self.objects[*id as usize].n_owners += 1,
                Abstract::Sum(_, fields) => todo.append_all(fields),
                Abstract::Unknown | Abstract::Scalar(..) => {}
            }
        }
    }

    /// One owner less.
    pub fn drop(&mut self, value: Abstract) {
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            match value {
                Abstract::Object(id) => {
                    if let Some(content) = self.let_go(id) {
                        match content {
                            Content::Value(value) => todo.push(value),
                            Content::Closure(_, mut captured) => todo.append(&mut captured),
                            Content::Tensor(_) | Content::Gone => {}
                        }
                    }
                }
                Abstract::Sum(_, mut fields) => todo.append(&mut fields),
                Abstract::Unknown | Abstract::Scalar(..) => {}
            }
        }
    }

    /// One owner less; what it held if that was the last.
    fn let_go(&mut self, id: u32) -> Option<Content> {
        let object = &mut self.objects[id as usize];
        object.n_owners = object.n_owners.saturating_sub(1);
        if object.n_owners > 0 {
            return None;
        }
        self.live -= std::mem::take(&mut object.bytes);
        Some(std::mem::replace(&mut object.content, Content::Gone))
    }

    /// What an object holds, which its owner gives up.
    pub fn empty(&mut self, id: u32) -> Content {
        if let Some(content) = self.let_go(id) {
            return content;
        }
        let content = self.objects[id as usize].content.clone();
        match &content {
            Content::Value(value) => self.dup(value),
            Content::Closure(_, captured) => captured.iter().for_each(|value| self.dup(value)),
            Content::Tensor(_) | Content::Gone => {}
        }
        content
    }

    /// The call has ended, however it did: what top-level variables hold is all that is left.
    pub fn finish(&mut self) {
        self.frames.clear();
        let mut is_held = base::filled(false, self.objects.len());
        let mut todo = Vec::new();
        for global in &mut self.globals {
            match global {
                GlobalValue::Done(value) => todo.push(&*value),
                GlobalValue::Running => *global = GlobalValue::Unset,
                GlobalValue::Unset => {}
            }
        }
        while let Some(value) = todo.pop() {
            match value {
                Abstract::Object(id) if !std::mem::replace(&mut is_held[*id as usize], true) => {
                    match &self.objects[*id as usize].content {
                        Content::Value(value) => todo.push(value),
                        Content::Closure(_, captured) => todo.append_all(captured),
                        Content::Tensor(_) | Content::Gone => {}
                    }
                }
                Abstract::Sum(_, fields) => todo.append_all(fields),
                Abstract::Object(_) | Abstract::Unknown | Abstract::Scalar(..) => {}
            }
        }
        for (object, is_held) in self.objects.iter_mut().zip(is_held) {
            if !is_held {
                self.live -= std::mem::take(&mut object.bytes);
                object.content = Content::Gone;
            }
        }
    }
}
