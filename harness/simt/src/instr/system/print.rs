//! `vprintf`, which a device's `printf` calls.

use super::arguments::{Arguments, Misfit};
use super::call::Call;
use super::format::LONGEST;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::code::Inst;
use crate::instr::operands::operands;
use crate::lane::lanes;

operands! {
    /// Operands of `vprintf`.
    struct Print {
        /// Address of the format.
        format: read(u64) in a,
        /// Address of the arguments.
        arguments: read(u64) in b,
        /// The index, from 1, of the argument list in `Program::packed`; 0 if it is not known.
        packing: number(u32) in c,
        /// The number of printed arguments.
        to: maybe_write(u32) in d,
    }
}

/// Lowers a call of `vprintf`.
pub(super) fn vprintf(call: &Call) -> Inst {
    let printing =
        Print { format: call.arguments[0], arguments: call.arguments[1], packing: call.packing, to: call.result };
    printing.pack(print)
}

/// Executes `vprintf`.
unsafe fn print(warp: &mut Warp, op: &Op) -> Flow {
    let print = Print::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (formats, arguments) = unsafe { (*print.format.lanes(warp), *print.arguments.lanes(warp)) };
    let program = warp.program();
    let packed = program.packed.get((print.packing as usize).wrapping_sub(1));
    let mut known: Option<(u64, Vec<u8>)> = None;
    let mut wrong: Option<(Misfit, u32, Vec<u8>)> = None;
    let mut unknown: Option<(Vec<u8>, u32, Vec<u8>)> = None;
    for lane in lanes(warp.mask()) {
        let format = match &known {
            Some((address, text)) if *address == formats[lane] => text.clone(),
            _ => match warp.read_string(op, lane, formats[lane], LONGEST) {
                Ok(text) => {
                    known = Some((formats[lane], text.clone()));
                    text
                }
                Err(flow) => return flow,
            },
        };
        let mut given = Arguments::new(arguments[lane], packed);
        match warp.format(op, lane, &format, &mut given) {
            Ok(text) => warp.print(&text),
            Err(flow) => return flow,
        }
        if let Some(misfit) = given.misfit {
            note(&mut wrong, misfit, lane, &format);
        }
        if let Some(conversion) = given.unknown {
            note(&mut unknown, conversion, lane, &format);
        }
        if let Some(to) = print.to {
            // SAFETY: as above.
            unsafe { (*to.lanes(warp))[lane] = given.taken };
        }
    }
    if let Some((misfit, mask, format)) = wrong {
        warp.misfit(op, &misfit, mask, &format, packed);
    }
    if let Some((conversion, mask, format)) = unknown {
        warp.unknown_conversion(op, &conversion, mask, &format);
    }
    Flow::Next
}

/// Adds a lane to those with the same error as the first of them; starts the list if there is none.
fn note<T: PartialEq>(found: &mut Option<(T, u32, Vec<u8>)>, what: T, lane: usize, format: &[u8]) {
    match found {
        Some((first, mask, _)) if *first == what => *mask |= 1 << lane,
        Some(_) => {}
        None => *found = Some((what, 1 << lane, format.to_vec())),
    }
}

impl Warp<'_> {
    /// Buffers what the block prints.
    pub(super) fn print(&mut self, text: &[u8]) {
        let launch = self.launch();
        let block = self.block.get_mut();
        block.printed.push(text);
        if block.printed.is_long() {
            launch.print(block.number, std::mem::take(&mut block.printed));
        }
    }
}
