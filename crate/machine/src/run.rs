//! The loop.
//!
//! One turn is one step, or a few that are always done one after the other: those are one code in [`Assembly::fast`],
//! which does what they do, in order, so that a stop between them is as if they had been done one by one. The last
//! steps that may be done are done one by one. The registers of the current frame are seen through a window of a fixed
//! size, so that naming one needs no check; a call moves the window.

use crate::code::{Assembly, Code, Immediate, MAX_QUICK_ARGS, Part, Reg, Shared, WINDOW};
use crate::fault::Stop;
use crate::fuse::MAX_STEPS;
use crate::general::{How, call_value, general};
use crate::heap::{HEADER, TOKEN, is_pointer};
use crate::kind::block_size;
use crate::machine::{Frame, GlobalState, Machine};
use crate::scalar;
use crate::tensor::{self, Operands, call_on_tuples};
use base::Append;
use layout::LayoutId;
use std::sync::Arc;
use ty::RunFault;

/// The size of a block with content of at most a word.
const CELL: u32 = 16;

fn window(registers: &mut [u64], base: usize) -> Option<&mut [u64; WINDOW]> {
    registers.get_mut(base..)?.first_chunk_mut()
}

impl Machine {
    /// Runs until the end, or until there are no steps left. What stops it otherwise has not been done.
    pub(crate) fn go(&mut self, left: &mut u64) -> Result<(), Stop> {
        let code = Arc::clone(&self.code);
        let state = &mut self.state;
        let limit = self.limits.fuel;
        let (mut pc, mut base) = (state.pc as usize, state.base as usize);
        // What is left after as many steps as one code may be; those are done one by one.
        let start = (*left).min(i64::MAX as u64) as i64;
        let paused = self.profile.as_ref().and_then(|profile| profile.paused.clone());
        let [single, fast] = match &paused {
            Some(paused) => [&paused[0], &paused[1]],
            None => [&code.codes, &code.fast],
        };
        let (mut codes, mut reserve) = (fast.as_slice(), MAX_STEPS - 1);
        let mut budget = start - reserve;
        // What may still be used.
        let mut fuel = limit.saturating_sub(state.fuel);
        // Each time round, the frame is another one.
        let stop = 'frame: loop {
            let n_registers = state.registers.len();
            let Some(r) = window(&mut state.registers, base) else { break Some(Stop::Fault(RunFault::Broken)) };
            loop {
                budget -= 1;
                if budget < 0 {
                    budget += 1;
                    if reserve > 0 {
                        budget += reserve;
                        (codes, reserve) = (single, 0);
                        continue;
                    }
                    match codes.get(pc) {
                        Some(Code::Halt) => state.is_done = true,
                        Some(_) => {}
                        None => break 'frame Some(Stop::Fault(RunFault::Broken)),
                    }
                    break 'frame None;
                }
                let Some(instr) = codes.get(pc) else { break 'frame Some(Stop::Fault(RunFault::Broken)) };
                pc += 1;
                match *instr {
                    Code::Halt => {
                        budget += 1;
                        pc -= 1;
                        state.is_done = true;
                        break 'frame None;
                    }
                    Code::Nothing => {}
                    Code::Constant { to, bits } => r[to as usize] = bits,
                    Code::Part { to, from, bits } => r[to as usize] = bits.of(r[from as usize]),
                    Code::Parts2 { from, to, bits } => {
                        let word = r[from as usize];
                        r[to[0] as usize] = bits[0].of(word);
                        r[to[1] as usize] = bits[1].of(word);
                    }
                    Code::Parts { n, first } => move_parts(r, parts(&code, first, n)),
                    Code::OwnedPart { to, from, bits } => {
                        let pointer = bits.of(r[from as usize]);
                        if is_pointer(pointer as u32) {
                            state.heap.dup(pointer as u32);
                        }
                        r[to as usize] = pointer;
                    }
                    Code::Pack1 { to, a, shift, at, code } => {
                        r[to as usize] = r[a as usize] << (shift & 63) | u64::from(code) << (at & 63);
                    }
                    Code::Pack2 { to, a, b, shifts, at, code } => {
                        r[to as usize] = r[a as usize] << (shifts[0] & 63)
                            | r[b as usize] << (shifts[1] & 63)
                            | u64::from(code) << (at & 63);
                    }
                    Code::Pack { n_words, to, n, first, word } => {
                        copy_in(r, to, words(&code, word, n_words));
                        move_parts(r, parts(&code, first, n));
                    }
                    Code::Box { to, from, kind, layout } => {
                        let word = r[from as usize];
                        match code.immediates[layout].iter().find(|it| it.first == word) {
                            Some(it) => r[to as usize] = u64::from(it.code),
                            None => {
                                let Some(at) = state.heap.take(CELL, kind) else {
                                    break 'frame Some(Stop::NoMemory(CELL.into()));
                                };
                                state.heap.set_word(at + HEADER, word);
                                r[to as usize] = u64::from(at);
                            }
                        }
                    }
                    Code::BoxToken { to, from, token, kind, layout } => {
                        let (word, token) = (r[from as usize], r[token as usize] as u32);
                        match code.immediates[layout].iter().find(|it| it.first == word) {
                            Some(it) => {
                                state.heap.free_token(token);
                                r[to as usize] = u64::from(it.code);
                            }
                            None => {
                                let cell = u64::from(CELL / 8) | u64::from(TOKEN) << 32;
                                let at = if is_pointer(token) && state.heap.word(token) == cell {
                                    state.heap.set_header(token, 1, kind);
                                    token
                                } else {
                                    let Some(at) = state.heap.take(CELL, kind) else {
                                        break 'frame Some(Stop::NoMemory(CELL.into()));
                                    };
                                    state.heap.free_token(token);
                                    at
                                };
                                state.heap.set_word(at + HEADER, word);
                                r[to as usize] = u64::from(at);
                            }
                        }
                    }
                    Code::Load { to, from, layout } => {
                        let at = r[from as usize] as u32;
                        r[to as usize] = if is_pointer(at) {
                            state.heap.word(at + HEADER)
                        } else {
                            immediate(&code.immediates[layout], at)
                        };
                    }
                    Code::Unbox { to, from, layout } => {
                        let at = r[from as usize] as u32;
                        r[to as usize] = if is_pointer(at) {
                            let word = state.heap.word(at + HEADER);
                            if state.heap.empty(&code, at) {
                                state.heap.free(at, CELL);
                            }
                            word
                        } else {
                            immediate(&code.immediates[layout], at)
                        };
                    }
                    Code::UnboxToken { to, token, from, layout } => {
                        let at = r[from as usize] as u32;
                        let (word, left) = if !is_pointer(at) {
                            (immediate(&code.immediates[layout], at), 0)
                        } else {
                            let word = state.heap.word(at + HEADER);
                            match state.heap.empty(&code, at) {
                                true => {
                                    state.heap.make_token(at, CELL);
                                    (word, at)
                                }
                                false => (word, 0),
                            }
                        };
                        r[to as usize] = word;
                        r[token as usize] = u64::from(left);
                    }
                    Code::BoxWide { n, to, from, kind, layout } => {
                        let content = &r[from as usize..][..n as usize];
                        match immediate_of(&code, layout, content) {
                            Some(immediate) => r[to as usize] = u64::from(immediate),
                            None => {
                                let size = block_size(n.into());
                                let Some(at) = state.heap.take(size, kind) else {
                                    break 'frame Some(Stop::NoMemory(size.into()));
                                };
                                state.heap.set_content(at, content);
                                r[to as usize] = u64::from(at);
                            }
                        }
                    }
                    Code::BoxWideToken { n, to, from, token, kind, layout } => {
                        let token = r[token as usize] as u32;
                        let content = &r[from as usize..][..n as usize];
                        match immediate_of(&code, layout, content) {
                            Some(immediate) => {
                                state.heap.free_token(token);
                                r[to as usize] = u64::from(immediate);
                            }
                            None => {
                                let size = block_size(n.into());
                                let block = u64::from(size / 8) | u64::from(TOKEN) << 32;
                                let at = if is_pointer(token) && state.heap.word(token) == block {
                                    state.heap.set_header(token, 1, kind);
                                    token
                                } else {
                                    let Some(at) = state.heap.take(size, kind) else {
                                        break 'frame Some(Stop::NoMemory(size.into()));
                                    };
                                    state.heap.free_token(token);
                                    at
                                };
                                state.heap.set_content(at, content);
                                r[to as usize] = u64::from(at);
                            }
                        }
                    }
                    Code::LoadWide { n, to, from, layout } => {
                        let at = r[from as usize] as u32;
                        match is_pointer(at) {
                            true => state.heap.copy_content(at, &mut r[to as usize..][..n as usize]),
                            false => copy_in(r, to, immediate_content(&code, layout, at, n)),
                        }
                    }
                    Code::UnboxWide { n, to, from, layout } => {
                        let at = r[from as usize] as u32;
                        if is_pointer(at) {
                            state.heap.copy_content(at, &mut r[to as usize..][..n as usize]);
                            if state.heap.empty(&code, at) {
                                state.heap.free(at, block_size(n.into()));
                            }
                        } else {
                            copy_in(r, to, immediate_content(&code, layout, at, n));
                        }
                    }
                    Code::UnboxWideToken { n, to, token, from, layout } => {
                        let at = r[from as usize] as u32;
                        let mut left = 0;
                        if is_pointer(at) {
                            state.heap.copy_content(at, &mut r[to as usize..][..n as usize]);
                            if state.heap.empty(&code, at) {
                                state.heap.make_token(at, block_size(n.into()));
                                left = at;
                            }
                        } else {
                            copy_in(r, to, immediate_content(&code, layout, at, n));
                        }
                        r[token as usize] = u64::from(left);
                    }
                    Code::Tag { to, from } => r[to as usize] = r[from as usize] << 1 | 1,
                    Code::Untag { to, from } => r[to as usize] = r[from as usize] >> 1,
                    Code::Free { from } => state.heap.free_token(r[from as usize] as u32),
                    Code::Dup { from } => {
                        let pointer = r[from as usize] as u32;
                        if is_pointer(pointer) {
                            state.heap.dup(pointer);
                        }
                    }
                    Code::Drop { from } => {
                        let pointer = r[from as usize] as u32;
                        if is_pointer(pointer) {
                            state.heap.release(&code, pointer);
                        }
                    }
                    Code::DupParts { n, first } => {
                        for part in parts(&code, first, n) {
                            let pointer = part.bits.of(r[part.from as usize]) as u32;
                            if is_pointer(pointer) {
                                state.heap.dup(pointer);
                            }
                        }
                    }
                    Code::DropParts { n, first } => {
                        for part in parts(&code, first, n) {
                            let pointer = part.bits.of(r[part.from as usize]) as u32;
                            if is_pointer(pointer) {
                                state.heap.release(&code, pointer);
                            }
                        }
                    }
                    Code::Fuel(n) => {
                        if u64::from(n) > fuel {
                            break 'frame Some(Stop::Fault(RunFault::OutOfFuel { fuel: limit }));
                        }
                        fuel -= u64::from(n);
                    }
                    Code::Call { fuel: more, to, size, n, function, first } => {
                        if more > 0 {
                            if u64::from(more) > fuel {
                                break 'frame Some(Stop::Fault(RunFault::OutOfFuel { fuel: limit }));
                            }
                            fuel -= u64::from(more);
                            (pc, budget) = (pc + 1, budget - 1);
                        }
                        let routine = &code.routines[function];
                        let new = base + size as usize;
                        if !state.heap.charge(routine.bytes.into()) {
                            break 'frame Some(Stop::NoMemory(routine.bytes.into()));
                        }
                        let args = &code.args[..][first as usize..first as usize + n as usize];
                        for (i, &arg) in (size..).zip(args) {
                            r[i as usize] = r[arg as usize];
                        }
                        if new + routine.reach as usize > n_registers && !state.reach(new as u32, routine.reach) {
                            state.heap.in_use -= u64::from(routine.bytes);
                            break 'frame Some(Stop::NoMemory(u64::MAX));
                        }
                        let site = pc as u32 - 1;
                        state.frames.push(Frame { pc: pc as u32, base: base as u32, to: to.into(), site });
                        (base, pc) = (new, routine.entry as usize);
                        continue 'frame;
                    }
                    Code::Loop { fuel: more, n, first, to } => {
                        if u64::from(more) > fuel {
                            break 'frame Some(Stop::Fault(RunFault::OutOfFuel { fuel: limit }));
                        }
                        fuel -= u64::from(more);
                        budget -= i64::from(more > 0);
                        for &(from, into) in &code.moves[first as usize..first as usize + n as usize] {
                            r[into as usize] = r[from as usize];
                        }
                        pc = to as usize;
                    }
                    Code::Loop2 { fuel: more, from, into, to } => {
                        if u64::from(more) > fuel {
                            break 'frame Some(Stop::Fault(RunFault::OutOfFuel { fuel: limit }));
                        }
                        fuel -= u64::from(more);
                        budget -= i64::from(more > 0);
                        let (a, b) = (r[from[0] as usize], r[from[1] as usize]);
                        r[into[0] as usize] = a;
                        r[into[1] as usize] = b;
                        pc = to as usize;
                    }
                    Code::TailCall { fuel: more, n, function, first, bytes } => {
                        if more > 0 {
                            if u64::from(more) > fuel {
                                break 'frame Some(Stop::Fault(RunFault::OutOfFuel { fuel: limit }));
                            }
                            fuel -= u64::from(more);
                            (pc, budget) = (pc + 1, budget - 1);
                        }
                        let routine = &code.routines[function];
                        if routine.bytes > bytes && !state.heap.charge(u64::from(routine.bytes - bytes)) {
                            break 'frame Some(Stop::NoMemory(u64::from(routine.bytes - bytes)));
                        }
                        for &(from, into) in &code.moves[first as usize..first as usize + n as usize] {
                            r[into as usize] = r[from as usize];
                        }
                        state.heap.in_use -= u64::from(bytes.saturating_sub(routine.bytes));
                        if base + routine.reach as usize > n_registers {
                            if !state.reach(base as u32, routine.reach) {
                                let limit = self.limits.memory;
                                break 'frame Some(Stop::Fault(RunFault::OutOfMemory { limit }));
                            }
                            pc = routine.entry as usize;
                            continue 'frame;
                        }
                        pc = routine.entry as usize;
                    }
                    Code::Return { from, bytes } => {
                        let word = r[from as usize];
                        let Some(frame) = state.frames.pop() else {
                            break 'frame Some(Stop::Fault(RunFault::Broken));
                        };
                        state.heap.in_use -= u64::from(bytes);
                        (pc, base) = (frame.pc as usize, frame.base as usize);
                        if let Some(to) = state.registers.get_mut(base + frame.to as usize) {
                            *to = word;
                        }
                        continue 'frame;
                    }
                    Code::ReturnWide { from, n, bytes } => {
                        let Some(frame) = state.frames.pop() else { break 'frame Some(Stop::Fault(RunFault::Broken)) };
                        state.heap.in_use -= u64::from(bytes);
                        let two = [r[from as usize], r[from.wrapping_add(1) as usize]];
                        let from = base + from as usize;
                        (pc, base) = (frame.pc as usize, frame.base as usize);
                        let to = base + frame.to as usize;
                        match n {
                            2 => [to, to + 1].into_iter().zip(two).for_each(|(to, word)| state.registers[to] = word),
                            _ => state.registers.copy_within(from..from + n as usize, to),
                        }
                        continue 'frame;
                    }
                    Code::Jump { to } => pc = to as usize,
                    Code::Jump1 { from, into, to } => {
                        r[into as usize] = r[from as usize];
                        pc = to as usize;
                    }
                    Code::JumpMoving { n, first, to } => {
                        for &(from, into) in &code.moves[first as usize..first as usize + n as usize] {
                            r[into as usize] = r[from as usize];
                        }
                        pc = to as usize;
                    }
                    Code::Switch1 { fuel: more, on, bits, code, then, otherwise } => {
                        if more > 0 {
                            if u64::from(more) > fuel {
                                break 'frame Some(Stop::Fault(RunFault::OutOfFuel { fuel: limit }));
                            }
                            fuel -= u64::from(more);
                            budget -= 1;
                        }
                        let found = bits.of(r[on as usize]);
                        pc = if found == u64::from(code) { then } else { otherwise } as usize;
                    }
                    Code::SwitchTable { fuel: more, on, bits, n, first } => {
                        if more > 0 {
                            if u64::from(more) > fuel {
                                break 'frame Some(Stop::Fault(RunFault::OutOfFuel { fuel: limit }));
                            }
                            fuel -= u64::from(more);
                            budget -= 1;
                        }
                        let found = bits.of(r[on as usize]).min(n.into()) as usize;
                        pc = code.targets[first as usize + found] as usize;
                    }
                    Code::SwitchKeys { on, bits, n, first } => {
                        let found = bits.of(r[on as usize]);
                        let keys = &code.keys[first as usize..first as usize + n as usize + 1];
                        let place = keys[..n as usize].binary_search_by_key(&found, |(key, _)| *key);
                        pc = keys[place.unwrap_or(n as usize)].1 as usize;
                    }
                    Code::AddLoop { fuel: more, to, a, b, first, entry } => {
                        int32(r, to, a, b, u32::wrapping_add);
                        if u64::from(more) > fuel {
                            (pc, budget) = (pc + 1, budget - 1);
                            break 'frame Some(Stop::Fault(RunFault::OutOfFuel { fuel: limit }));
                        }
                        fuel -= u64::from(more);
                        budget -= 2;
                        let [one, other] = code.moves[first as usize..first as usize + 2] else { continue };
                        r[one.1 as usize] = r[one.0 as usize];
                        r[other.1 as usize] = r[other.0 as usize];
                        pc = entry as usize;
                    }
                    Code::SubtractLoop { fuel: more, to, a, b, first, entry } => {
                        int32(r, to, a, b, u32::wrapping_sub);
                        if u64::from(more) > fuel {
                            (pc, budget) = (pc + 1, budget - 1);
                            break 'frame Some(Stop::Fault(RunFault::OutOfFuel { fuel: limit }));
                        }
                        fuel -= u64::from(more);
                        budget -= 2;
                        let [one, other] = code.moves[first as usize..first as usize + 2] else { continue };
                        r[one.1 as usize] = r[one.0 as usize];
                        r[other.1 as usize] = r[other.0 as usize];
                        pc = entry as usize;
                    }
                    Code::AddConstant { constant, to, a, bits, by } => {
                        r[constant as usize] = u64::from(bits);
                        r[to as usize] = u64::from((r[a as usize] as u32).wrapping_add(by));
                        (pc, budget) = (pc + 1, budget - 1);
                    }
                    Code::EqualSwitch { to, a, b, yes, no } => {
                        budget -= 1;
                        let truth = r[a as usize] as u32 == r[b as usize] as u32;
                        pc = choose(r, to, truth, yes, no);
                    }
                    Code::LessSwitch { to, a, b, yes, no } => {
                        budget -= 1;
                        let truth = (r[a as usize] as i32) < r[b as usize] as i32;
                        pc = choose(r, to, truth, yes, no);
                    }
                    Code::LessEqualSwitch { to, a, b, yes, no } => {
                        budget -= 1;
                        let truth = r[a as usize] as i32 <= r[b as usize] as i32;
                        pc = choose(r, to, truth, yes, no);
                    }
                    Code::EqualConstantSwitch { bits, to, a, b, yes, no } => {
                        budget -= 2;
                        r[b as usize] = u64::from(i32::from(bits) as u32);
                        let truth = r[a as usize] as i32 == i32::from(bits);
                        pc = choose(r, to, truth, yes, no);
                    }
                    Code::LessConstantSwitch { bits, to, a, b, yes, no } => {
                        budget -= 2;
                        r[b as usize] = u64::from(i32::from(bits) as u32);
                        let truth = (r[a as usize] as i32) < i32::from(bits);
                        pc = choose(r, to, truth, yes, no);
                    }
                    Code::LessEqualConstantSwitch { bits, to, a, b, yes, no } => {
                        budget -= 2;
                        r[b as usize] = u64::from(i32::from(bits) as u32);
                        let truth = r[a as usize] as i32 <= i32::from(bits);
                        pc = choose(r, to, truth, yes, no);
                    }
                    Code::GreaterConstantSwitch { bits, to, a, b, yes, no } => {
                        budget -= 2;
                        r[b as usize] = u64::from(i32::from(bits) as u32);
                        let truth = r[a as usize] as i32 > i32::from(bits);
                        pc = choose(r, to, truth, yes, no);
                    }
                    Code::GreaterEqualConstantSwitch { bits, to, a, b, yes, no } => {
                        budget -= 2;
                        r[b as usize] = u64::from(i32::from(bits) as u32);
                        let truth = r[a as usize] as i32 >= i32::from(bits);
                        pc = choose(r, to, truth, yes, no);
                    }
                    Code::AddInt32 { to, a, b } => int32(r, to, a, b, u32::wrapping_add),
                    Code::SubtractInt32 { to, a, b } => int32(r, to, a, b, u32::wrapping_sub),
                    Code::MultiplyInt32 { to, a, b } => int32(r, to, a, b, u32::wrapping_mul),
                    Code::EqualInt32 { to, a, b } => int32(r, to, a, b, |a, b| u32::from(a == b)),
                    Code::LessInt32 { to, a, b } => int32(r, to, a, b, |a, b| u32::from((a as i32) < b as i32)),
                    Code::LessEqualInt32 { to, a, b } => int32(r, to, a, b, |a, b| u32::from(a as i32 <= b as i32)),
                    Code::Binary { op, class, to, a, b } => {
                        match scalar::binary(op, class, r[a as usize], r[b as usize]) {
                            Some(bits) => r[to as usize] = bits,
                            None => break 'frame Some(Stop::Fault(RunFault::DivisionByZero)),
                        }
                    }
                    Code::Cast { from, into, to, a } => r[to as usize] = scalar::cast(from, into, r[a as usize]),
                    Code::Kernel { op, dtype, to, a, b } => {
                        let kernel = &op::OpId::numbered(op).row().kernel;
                        let to_dtype = op::elementwise(kernel, dtype).map_or(dtype, |(to, _)| to);
                        match op::on_scalars(op::OpId::numbered(op), [dtype, to_dtype], r[a as usize], r[b as usize]) {
                            Ok(bits) => r[to as usize] = bits,
                            Err(fault) => {
                                break 'frame Some(op::CallFault::of(op::OpId::numbered(op).row(), fault).into());
                            }
                        }
                    }
                    Code::Operator { kept, n, to, first, number } => {
                        let args = code.args.get(first as usize..).and_then(|args| args.get(..n.into()));
                        let operands = Operands { registers: r, args: args.unwrap_or(&[]), kept };
                        let (operators, sites) = (&mut self.operators, &mut self.sites);
                        // Also where it fails those steps have been done.
                        let n_kept = kept.count_ones();
                        (pc, budget) = (pc + n_kept as usize, budget - i64::from(n_kept));
                        match tensor::call(&mut state.heap, &code, operators, sites, number, operands) {
                            Ok(word) => r[to as usize] = word,
                            Err(stop) => break 'frame Some(stop),
                        }
                    }
                    Code::Global { to, global, store, shared } => {
                        let id = global.number() as usize;
                        match state.globals.get(id) {
                            Some(GlobalState::Done(words)) if shared != Shared::Parts => {
                                let word = words.first().copied().unwrap_or_default();
                                if shared == Shared::Pointer && is_pointer(word as u32) {
                                    state.heap.dup(word as u32);
                                }
                                r[to as Reg as usize] = word;
                                continue;
                            }
                            Some(GlobalState::Done(words)) => {
                                let layout = code.program.globals[global].layout;
                                if code.kinds.is_counted(layout) {
                                    state.heap.dup_value(&code, layout, words);
                                }
                                let to = base + to as usize;
                                state.registers[to..].iter_mut().zip(words).for_each(|(to, word)| *to = *word);
                            }
                            Some(GlobalState::Unset) => {
                                let routine = &code.routines[code.program.globals[global].init];
                                let caller = code.function(store).map_or(0, |caller| code.routines[caller].n_words);
                                let new = base + caller as usize;
                                if !state.heap.charge(routine.bytes.into()) {
                                    break 'frame Some(Stop::NoMemory(routine.bytes.into()));
                                }
                                if !state.reach(new as u32, routine.reach) {
                                    state.heap.in_use -= u64::from(routine.bytes);
                                    break 'frame Some(Stop::NoMemory(u64::MAX));
                                }
                                state.globals[id] = GlobalState::Running;
                                state.frames.push(Frame { pc: store, base: base as u32, to, site: pc as u32 - 1 });
                                (base, pc) = (new, routine.entry as usize);
                            }
                            Some(GlobalState::Running) => {
                                let name = code.program.globals[global].name.clone();
                                break 'frame Some(Stop::Fault(RunFault::SelfReference(name)));
                            }
                            None => break 'frame Some(Stop::Fault(RunFault::Broken)),
                        }
                        continue 'frame;
                    }
                    Code::StoreGlobal { to, global, next } => {
                        let layout = code.program.globals[global].layout;
                        let n = layout::n_words(code.program.layouts[layout].bits);
                        let to = base + to as usize;
                        let words: layout::Words = state.registers.get(to..to + n).unwrap_or(&[]).into();
                        state.heap.dup_value(&code, layout, &words);
                        state.globals[global.number() as usize] = GlobalState::Done(words);
                        pc = next as usize;
                        continue 'frame;
                    }
                    Code::CallValue { fuel: more, to, size, n, callee, first } => {
                        if more > 0 {
                            if u64::from(more) > fuel {
                                break 'frame Some(Stop::Fault(RunFault::OutOfFuel { fuel: limit }));
                            }
                            fuel -= u64::from(more);
                            (pc, budget) = (pc + 1, budget - 1);
                        }
                        let closure = r[callee as usize] as u32;
                        let Some((function, n_captures)) = code.closure_at(&state.heap, closure) else {
                            break 'frame Some(Stop::Fault(RunFault::Broken));
                        };
                        let routine = &code.routines[function];
                        let new = base + size as usize;
                        let n_params = n_captures + u32::from(n);
                        if n_params != routine.n_params {
                            break 'frame Some(Stop::Fault(RunFault::Broken));
                        }
                        let args = &code.args[..][first as usize..first as usize + n as usize];
                        if n_params as usize > MAX_QUICK_ARGS || new + routine.reach as usize > n_registers {
                            state.args.clear();
                            state.args.append_all(args.iter().map(|&arg| r[arg as usize]));
                            let how =
                                How::Call { pc: pc as u32 - 1, base: base as u32, to: to.into(), size: size.into() };
                            if let Err(stop) = call_value(state, &code, closure, how) {
                                break 'frame Some(stop);
                            }
                            (pc, base) = (state.pc as usize, state.base as usize);
                            continue 'frame;
                        }
                        if !state.heap.charge(routine.bytes.into()) {
                            break 'frame Some(Stop::NoMemory(routine.bytes.into()));
                        }
                        for (i, &arg) in (size + n_captures as u16..).zip(args) {
                            r[i as usize] = r[arg as usize];
                        }
                        for i in 0..n_captures as u16 {
                            r[(size + i) as usize] = state.heap.word(closure + HEADER + u32::from(i) * 8);
                        }
                        if n_captures == 0 {
                            state.heap.release(&code, closure);
                        } else if state.heap.empty(&code, closure) {
                            state.heap.free(closure, block_size(n_captures as usize));
                        }
                        let site = pc as u32 - 1;
                        state.frames.push(Frame { pc: pc as u32, base: base as u32, to: to.into(), site });
                        (base, pc) = (new, routine.entry as usize);
                        continue 'frame;
                    }
                    Code::TailValue { n, callee, first, bytes } => {
                        let closure = r[callee as usize] as u32;
                        let args = &code.args[..][first as usize..first as usize + n as usize];
                        state.args.clear();
                        state.args.append_all(args.iter().map(|&arg| r[arg as usize]));
                        let at = pc as u32 - 1;
                        let is_library = code.function(at).is_some_and(|function| code.routines[function].is_library);
                        let how = How::Tail { base: base as u32, bytes, site: (!is_library).then_some(at) };
                        if let Err(stop) = call_value(state, &code, closure, how) {
                            break 'frame Some(stop);
                        }
                        (pc, base) = (state.pc as usize, state.base as usize);
                        continue 'frame;
                    }
                    Code::Closure { to, n, kind, first } => {
                        let size = block_size(n as usize);
                        let Some(at) = state.heap.take(size, kind) else {
                            break 'frame Some(Stop::NoMemory(size.into()));
                        };
                        let captured = &code.args[first as usize..first as usize + n as usize];
                        for (place, &from) in (at + HEADER..).step_by(8).zip(captured) {
                            state.heap.set_word(place, r[from as usize]);
                        }
                        r[to as usize] = u64::from(at);
                    }
                    Code::RefNew { to, from, kind } => {
                        let Some(at) = state.heap.take(CELL, kind) else {
                            break 'frame Some(Stop::NoMemory(CELL.into()));
                        };
                        state.heap.set_word(at + HEADER, r[from as usize]);
                        r[to as usize] = u64::from(at);
                    }
                    Code::RefRead { to, from } => {
                        let at = r[from as usize] as u32;
                        r[to as usize] = state.heap.word(at + HEADER);
                        if state.heap.empty(&code, at) {
                            state.heap.free(at, CELL);
                        }
                    }
                    Code::RefWrite { cell, from, is_pointer: is_counted } => {
                        let at = r[cell as usize] as u32;
                        let old = state.heap.word(at + HEADER) as u32;
                        state.heap.set_word(at + HEADER, r[from as usize]);
                        if is_counted && is_pointer(old) {
                            state.heap.release(&code, old);
                        }
                        state.heap.release(&code, at);
                    }
                    Code::General | Code::TupleCall { .. } => {
                        if let Code::TupleCall { to, number } = *instr {
                            let (operators, sites) = (&mut self.operators, &mut self.sites);
                            match call_on_tuples(&mut state.heap, &code, operators, sites, (number, to), r) {
                                Ok(true) => continue,
                                // On values, as the IR says it.
                                Ok(false) => {}
                                Err(stop) => break 'frame Some(stop),
                            }
                        }
                        (state.pc, state.base) = (pc as u32 - 1, base as u32);
                        if let Err(stop) = general(state, &code, &mut self.operators, &mut self.sites) {
                            break 'frame Some(stop);
                        }
                        (pc, base) = (state.pc as usize, state.base as usize);
                        continue 'frame;
                    }
                    Code::Pause => break 'frame Some(Stop::Pause),
                    Code::Broken => break 'frame Some(Stop::Fault(RunFault::Broken)),
                }
            }
        };
        if stop.is_some() {
            // The instruction has not been done.
            pc -= 1;
            budget += 1;
        }
        state.fuel = match stop {
            Some(Stop::Fault(RunFault::OutOfFuel { .. })) => limit.saturating_add(1),
            Some(_) | None => limit - fuel,
        };
        (state.pc, state.base) = (pc as u32, base as u32);
        let n_left = budget + reserve;
        let n_done = start.saturating_sub(n_left).max(0) as u64;
        state.steps += n_done;
        *left -= n_done;
        stop.map_or(Ok(()), Err)
    }
}

#[inline(always)]
fn int32(r: &mut [u64; WINDOW], to: Reg, a: Reg, b: Reg, f: impl Fn(u32, u32) -> u32) {
    r[to as usize] = u64::from(f(r[a as usize] as u32, r[b as usize] as u32));
}

/// A truth value into a register, and where it leads.
#[inline(always)]
fn choose(r: &mut [u64; WINDOW], to: Reg, truth: bool, yes: u32, no: u32) -> usize {
    r[to as usize] = u64::from(truth);
    if truth { yes as usize } else { no as usize }
}

#[inline(always)]
fn parts(code: &Assembly, first: u32, n: u16) -> &[Part] {
    &code.parts[first as usize..first as usize + n as usize]
}

#[inline(always)]
fn words(code: &Assembly, first: u32, n: u8) -> &[u64] {
    &code.words[first as usize..first as usize + n as usize]
}

#[inline(always)]
fn move_parts(r: &mut [u64; WINDOW], parts: &[Part]) {
    for part in parts {
        let bits = part.bits.of(r[part.from as usize]) << (part.shift & 63);
        let there = if part.is_more { r[part.to as usize] } else { 0 };
        r[part.to as usize] = there | bits;
    }
}

#[inline(always)]
fn copy_in(r: &mut [u64; WINDOW], to: Reg, words: &[u64]) {
    // One by one: they are few.
    for (i, word) in (0..).zip(words) {
        r[to.wrapping_add(i) as usize] = *word;
    }
}

/// The content of a box whose word is no pointer.
fn immediate(immediates: &[Immediate], word: u32) -> u64 {
    immediates.iter().find(|it| it.code == word).map_or(0, |it| it.first)
}

/// The same of several words.
fn immediate_content(code: &Assembly, layout: LayoutId, word: u32, n: u8) -> &[u64] {
    let found = code.immediates[layout].iter().find(|it| it.code == word);
    found.map_or(&[], |it| words(code, it.words, n))
}

/// The word of a box, if its content takes no block.
#[inline(always)]
fn immediate_of(code: &Assembly, layout: LayoutId, content: &[u64]) -> Option<u32> {
    let is_it =
        |it: &&Immediate| content.first() == Some(&it.first) && content == words(code, it.words, content.len() as u8);
    code.immediates[layout].iter().find(is_it).map(|it| it.code)
}
