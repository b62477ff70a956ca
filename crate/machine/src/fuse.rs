//! Steps that are always done one after the other, as one code.
//!
//! A code for several steps stands at the first one's place; at the places of the others there is what stands there
//! anyhow. It writes all that they write, so it does not matter from which of the two lists the loop takes a step.
//!
//! Worked example: `v2 = 0; v3 = equal(n, v2); switch v3 { False: b1, _: b2 }` is one code of three steps.

use crate::code::{Assembly, Code, Reg};
use base::ToList;

/// Most steps of one code.
pub const MAX_STEPS: i64 = 4;

/// Most operands that are kept.
const MAX_KEPT: usize = MAX_STEPS as usize - 1;

pub fn fuse(assembly: &Assembly, codes: &[Code]) -> Vec<Code> {
    let mut fast = codes.to_vec();
    for (pc, code) in fast.iter_mut().enumerate() {
        let origin = assembly.origins[pc];
        // The codes of a block stand one after the other; behind its end is another block, or nothing of a function.
        let next = |n: usize| {
            let its = assembly.origins.get(pc + n)?;
            let is_same = (its.function, its.block) == (origin.function, origin.block);
            codes.get(pc + n).copied().filter(|_| is_same && its.index == origin.index + n as u32)
        };
        let fused = match *code {
            Code::Constant { to, bits } => constant(to, bits, next(1), next(2)),
            Code::Fuel(n) => u8::try_from(n).ok().filter(|n| *n > 0).and_then(|fuel| fuelled(assembly, fuel, next(1)?)),
            Code::TailCall { .. } => fuelled(assembly, 0, *code),
            Code::Dup { from } => kept(assembly, from, next),
            first => {
                next(1).and_then(|second| tested(first, second).or_else(|| turned(assembly, first, second, next(2)?)))
            }
        };
        if let Some(fused) = fused {
            *code = fused;
        }
    }
    fast
}

/// A constant, what uses it, and perhaps a switch on that.
fn constant(constant: Reg, bits: u64, user: Option<Code>, then: Option<Code>) -> Option<Code> {
    let bits = u32::try_from(bits).ok()?;
    let user = user?;
    match user {
        Code::AddInt32 { to, a, b } if b == constant => Some(Code::AddConstant { constant, to, a, bits, by: bits }),
        Code::AddInt32 { to, a, b } if a == constant => Some(Code::AddConstant { constant, to, a: b, bits, by: bits }),
        Code::SubtractInt32 { to, a, b } if b == constant => {
            Some(Code::AddConstant { constant, to, a, bits, by: bits.wrapping_neg() })
        }
        user => {
            let bits = i8::try_from(bits as i32).ok()?;
            Some(match tested(user, then?)? {
                Code::EqualSwitch { to, a, b, yes, no } if b == constant => {
                    Code::EqualConstantSwitch { bits, to, a, b, yes, no }
                }
                Code::LessSwitch { to, a, b, yes, no } if b == constant => {
                    Code::LessConstantSwitch { bits, to, a, b, yes, no }
                }
                Code::LessEqualSwitch { to, a, b, yes, no } if b == constant => {
                    Code::LessEqualConstantSwitch { bits, to, a, b, yes, no }
                }
                Code::LessSwitch { to, a, b, yes, no } if a == constant => {
                    Code::GreaterConstantSwitch { bits, to, a: b, b: a, yes, no }
                }
                Code::LessEqualSwitch { to, a, b, yes, no } if a == constant => {
                    Code::GreaterEqualConstantSwitch { bits, to, a: b, b: a, yes, no }
                }
                _ => return None,
            })
        }
    }
}

/// A comparison, and a switch on it.
fn tested(test: Code, switch: Code) -> Option<Code> {
    let Code::Switch1 { fuel: 0, on, bits, code, then, otherwise } = switch else { return None };
    let (yes, no) = match code {
        0 => (otherwise, then),
        1 => (then, otherwise),
        2.. => return None,
    };
    let is_whole = bits.of(1) == 1;
    match test {
        Code::EqualInt32 { to, a, b } if on == to && is_whole => Some(Code::EqualSwitch { to, a, b, yes, no }),
        Code::LessInt32 { to, a, b } if on == to && is_whole => Some(Code::LessSwitch { to, a, b, yes, no }),
        Code::LessEqualInt32 { to, a, b } if on == to && is_whole => Some(Code::LessEqualSwitch { to, a, b, yes, no }),
        _ => None,
    }
}

/// Owners more for some operands, and the operator that takes them; of a register in several places all or none.
fn kept(assembly: &Assembly, first: Reg, next: impl Fn(usize) -> Option<Code>) -> Option<Code> {
    let (mut owned, mut n_owned) = ([first; MAX_KEPT], 1);
    let (n, to, at, number) = loop {
        match next(n_owned)? {
            Code::Dup { from } if n_owned < MAX_KEPT => {
                owned[n_owned] = from;
                n_owned += 1;
            }
            Code::Operator { kept: 0, n, to, first, number } => break (n, to, first, number),
            _ => return None,
        }
    };
    let owned = &owned[..n_owned];
    let args = &assembly.args[at as usize..at as usize + usize::from(n)];
    let count = |of: &[Reg], register: Reg| of.iter().count_where(|&&it| it == register);
    let is_whole = |&register: &Reg| count(args, register) == count(owned, register);
    if args.len() > MAX_KEPT || !owned.iter().all(is_whole) {
        return None;
    }
    let bits = args.iter().enumerate().map(|(i, register)| u8::from(owned.contains(register)) << i);
    Some(Code::Operator { kept: bits.total(), n, to, first: at, number })
}

/// Arithmetic, and another turn.
fn turned(assembly: &Assembly, sum: Code, fuel: Code, call: Code) -> Option<Code> {
    let Code::Fuel(fuel) = fuel else { return None };
    let fuel = u8::try_from(fuel).ok().filter(|fuel| *fuel > 0)?;
    let Code::TailCall { n: 2, first, .. } = call else { return None };
    let Some(Code::Loop2 { to: entry, .. }) = fuelled(assembly, fuel, call) else { return None };
    match sum {
        Code::AddInt32 { to, a, b } => Some(Code::AddLoop { fuel, to, a, b, first, entry }),
        Code::SubtractInt32 { to, a, b } => Some(Code::SubtractLoop { fuel, to, a, b, first, entry }),
        _ => None,
    }
}

/// What so much fuel is for. A tail call needs no more than a jump if the frame stays as large.
fn fuelled(assembly: &Assembly, fuel: u8, code: Code) -> Option<Code> {
    Some(match code {
        Code::Call { to, size, n, function, first, .. } => Code::Call { fuel, to, size, n, function, first },
        Code::CallValue { to, size, n, callee, first, .. } => Code::CallValue { fuel, to, size, n, callee, first },
        Code::Switch1 { on, bits, code, then, otherwise, .. } => {
            Code::Switch1 { fuel, on, bits, code, then, otherwise }
        }
        Code::SwitchTable { on, bits, n, first, .. } => Code::SwitchTable { fuel, on, bits, n, first },
        Code::TailCall { n, function, first, bytes, .. } => {
            let routine = &assembly.routines[function];
            // Frames of as many bytes have as many words, and so reach as far.
            if routine.bytes != bytes {
                return (fuel > 0).then_some(Code::TailCall { fuel, n, function, first, bytes });
            }
            let to = routine.entry;
            match assembly.moves[first as usize..first as usize + n as usize] {
                [a, b] if a.1 != b.0 => Code::Loop2 { fuel, from: [a.0, b.0], into: [a.1, b.1], to },
                [a] => Code::Loop2 { fuel, from: [a.0; 2], into: [a.1; 2], to },
                _ => Code::Loop { fuel, n, first, to },
            }
        }
        _ => return None,
    })
}
