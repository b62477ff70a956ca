//! What a run needs, found before it, in words.

use crate::compile::compile;
use crate::inputs::main_arguments;
use crate::{Analysis, Options};
use base::{HashMap, Join, Span, ToList};
use forecast::{Forecast, Forecaster, Open};
use hir::FnId;
use ir::{FuncId, Program};
use op::ResultType;
use ty::{RunError, RunFault, Value};

/// Bytes of elements of tensors that are there at once, of all expressions together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    /// At least this many.
    pub least: u64,
    /// At most this many, if that is known.
    pub most: Option<u64>,
    /// Where that is decided which only the run knows, and a clause that says what it is.
    pub open: Option<(Span, &'static str)>,
}

impl Needs {
    /// After "the program".
    pub fn sentence(&self) -> String {
        let clause = self.open.map_or("what only the run knows", |(_, clause)| clause);
        let least = bytes_text(self.least);
        match self.most {
            Some(0) => "needs no memory for tensors".to_owned(),
            Some(most) if most == self.least => format!("needs {least} for tensors at its peak"),
            Some(most) => {
                format!("needs {least} to {} for tensors at its peak; it depends on {clause}", bytes_text(most))
            }
            None if self.least == 0 => format!("needs memory for tensors that depends on {clause}"),
            None => format!("needs at least {least} for tensors at its peak; how much more depends on {clause}"),
        }
    }
}

/// Looks ahead at each expression before it is run.
pub(crate) struct Ahead<'a> {
    forecaster: Forecaster<'a>,
    entries: &'a HashMap<FnId, FuncId>,
    pub needs: Needs,
}

impl<'a> Ahead<'a> {
    pub fn new(program: &'a Program, entries: &'a HashMap<FnId, FuncId>, memory: u64) -> Ahead<'a> {
        let needs = Needs { least: 0, most: Some(0), open: None };
        Ahead { forecaster: Forecaster::new(program, memory), entries, needs }
    }

    /// The refusal of a run that cannot be.
    pub fn look(&mut self, function: FnId, args: &[Value], site: Span) -> Result<(), RunError> {
        let Some(&entry) = self.entries.get(&function) else { return Ok(()) };
        let Forecast { least, most, open, refusal } = self.forecaster.call(entry, args, site);
        let needs = &mut self.needs;
        if let Some(error) = refusal {
            needs.least = needs.least.max(match &error.fault {
                RunFault::LargeTensor(large) => large.held.saturating_add(large.bytes),
                _ => least,
            });
            needs.most = None;
            needs.open.get_or_insert((error.span, "what comes after the tensor that does not fit"));
            return Err(error);
        }
        needs.least = needs.least.max(least);
        needs.most = needs.most.zip(most).map(|(before, most)| before.max(most));
        if needs.open.is_none() {
            needs.open = open.map(|(span, open)| (span, clause(open)));
        }
        Ok(())
    }
}

/// After "depends on".
fn clause(open: Open) -> &'static str {
    match open {
        Open::Branch => "which branch is taken",
        Open::Size => "a size that only the run knows",
        Open::Function => "which function is called",
        Open::Cells => "when references let go of what they hold",
        Open::Long => "how the run goes on",
    }
}

impl Analysis {
    /// What a run will need, without running anything. What is refused, and inputs that do not fit, are told by the
    /// run.
    pub fn needs(&self, options: &Options) -> Needs {
        let functions = self.runnable();
        let compiled = compile(self, &functions, options.layout, options.fusion, &mut |_, _| {});
        let entries: HashMap<FnId, FuncId> = compiled.entries.into_iter().collect();
        let main = crate::run::main_of(self).map(|(_, function)| function);
        let mut ahead = Ahead::new(&compiled.program, &entries, options.memory);
        for &function in &functions {
            let args = match main == Some(function) {
                true => main_arguments(self, function, options).unwrap_or_default(),
                false => Vec::new(),
            };
            let _ = ahead.look(function, &args, Span::default());
        }
        ahead.needs
    }
}

/// `8 GB`, `12.4 MB`, `640 bytes`: three digits, in powers of a thousand. What cannot be counted is the largest number.
pub fn bytes_text(bytes: u64) -> String {
    if bytes == u64::MAX {
        return "more than 18.4 EB".to_owned();
    }
    const UNITS: [&str; 7] = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut unit, mut scale) = (0, 1_u64);
    // What comes to a thousand once it is rounded is one of the next unit.
    while unit + 1 < UNITS.len() && u128::from(bytes) * 2 >= u128::from(scale) * 1999 {
        (unit, scale) = (unit + 1, scale * 1000);
    }
    let whole = bytes / scale;
    let n_parts: u128 = if unit == 0 || whole >= 100 {
        1
    } else if whole >= 10 {
        10
    } else {
        100
    };
    let scale = u128::from(scale);
    let parts = (u128::from(bytes) * n_parts * 2 + scale) / (scale * 2);
    let (whole, rest) = ((parts / n_parts) as u64, (parts % n_parts) as u64);
    let fraction = match (n_parts, rest) {
        (_, 0) => String::new(),
        (100, rest) if rest < 10 => format!(".0{rest}"),
        (100, rest) if rest % 10 == 0 => format!(".{}", rest / 10),
        (_, rest) => format!(".{rest}"),
    };
    let unit = if bytes == 1 { "byte" } else { UNITS[unit] };
    format!("{whole}{fraction} {unit}")
}

/// As the file prints types: `Tensor[(2, 3), float32]`, and a scalar by its dtype.
pub(crate) fn type_text(of: &ResultType) -> String {
    let dtype = of.dtype;
    let sizes: Vec<String> = of.shape.iter().map(usize::to_string).list();
    if sizes.is_empty() { dtype.to_string() } else { format!("Tensor[({}), {dtype}]", sizes.joined(", ")) }
}

#[cfg(test)]
mod tests {
    use super::bytes_text;

    #[test]
    fn sizes_are_read_at_a_glance() {
        let read = [0, 1, 999, 1000, 1005, 1234, 12_345, 999_499, 999_500, 8_000_000_000, 1 << 30, u64::MAX];
        let texts = read.map(bytes_text);
        let want = [
            "0 bytes",
            "1 byte",
            "999 bytes",
            "1 kB",
            "1.01 kB",
            "1.23 kB",
            "12.3 kB",
            "999 kB",
            "1 MB",
            "8 GB",
            "1.07 GB",
            "more than 18.4 EB",
        ];
        assert_eq!(texts, want);
    }
}
