//! What `nn.batch_norm` gives where nothing is learnt (after Relay's `SimplifyInference`): beside its data, the mean and
//! the variance that it was given. So it need not give a tuple; the one that the program asks for is packed, and where
//! only fields of it are taken, [`fold`](super::fold) finds them and the tuple goes. The data can then go on in a group
//! ([`fuse`](super::fuse)).
//!
//! ```text
//!                                                    v5: l1 = nn.batch_norm.0(%c, %g, %b, %m, %v)
//! v4: l3 = nn.batch_norm(%c, %g, %b, %m, %v)    ->   v4: l3 = pack 0(v5, %m, %v)
//! ```

use base::Append;
use ir::{FuncId, Function, Instr, Op, Program, VarData};
use layout::{Kind, Layouts};

/// Packs what operators of several results would.
pub fn inference(program: &mut Program, _: &mut [FuncId]) {
    for id in program.functions.ids() {
        let function = &mut program.functions[id];
        for block in function.blocks.ids() {
            let instrs = std::mem::take(&mut function.blocks[block].instrs);
            let mut kept = Vec::with_capacity(instrs.len());
            for mut instr in instrs {
                let pack = unpacked(&program.layouts, function, &mut instr);
                kept.push(instr);
                kept.append_all(pack);
            }
            function.blocks[block].instrs = kept;
        }
    }
}

/// Gives only the first field, and the instruction that packs it with the others. `None`, and nothing has changed: it
/// is no such operator, or what it takes and what it gives have other layouts.
fn unpacked(layouts: &Layouts, function: &mut Function, instr: &mut Instr) -> Option<Instr> {
    let (Op::Operator { op, .. }, &[tuple], &[.., mean, variance]) =
        (&mut instr.op, &instr.results[..], &instr.args[..])
    else {
        return None;
    };
    let first = op.first_field()?;
    let Kind::Sum { variants, .. } = &layouts[function.vars[tuple].layout].kind else { return None };
    let [data, others @ ..] = &variants.first()?.fields[..] else { return None };
    let layout = |var| function.vars[var].layout;
    if !others.iter().map(|field| field.layout).eq([layout(mean), layout(variance)]) {
        return None;
    }
    let data = function.vars.push(VarData { layout: data.layout, name: None });
    let pack = Instr { results: vec![tuple], op: Op::Pack { variant: 0 }, args: vec![data, mean, variance], ..*instr };
    (*op, instr.results) = (first, vec![data]);
    Some(pack)
}
