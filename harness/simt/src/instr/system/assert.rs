//! `__assertfail`, which a device's `assert` calls.

use super::call::Call;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, FindingKind};
use crate::instr::code::Inst;
use crate::instr::operands::operands;
use crate::kernel::Fault;
use crate::lane::lanes;

/// The longest text of a failed assertion that is shown.
const LONGEST: usize = 1 << 14;

operands! {
    /// Operands of `__assertfail`.
    struct Failure {
        /// Address of the expression's text.
        message: read(u64) in a,
        /// Address of the file's name.
        file: read(u64) in b,
        /// The line.
        line: read(u32) in c,
        /// Address of the function's name.
        function: read(u64) in e,
    }
}

/// Lowers a call of `__assertfail`.
pub(super) fn assertfail(call: &Call) -> Inst {
    let failure = Failure {
        message: call.arguments[0],
        file: call.arguments[1],
        line: call.arguments[2],
        function: call.arguments[3],
    };
    failure.pack(fail)
}

/// Executes `__assertfail`.
unsafe fn fail(warp: &mut Warp, op: &Op) -> Flow {
    let failure = Failure::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (message, file, line, function) = unsafe {
        (
            *failure.message.lanes(warp),
            *failure.file.lanes(warp),
            *failure.line.lanes(warp),
            *failure.function.lanes(warp),
        )
    };
    let mut expression = String::new();
    let place = warp.program().place_of(op.site);
    let mask = warp.mask();
    let mut access = Access::at(AccessKind::Execute, place);
    access.threads = mask.count_ones();
    for lane in lanes(mask) {
        let mut text = |address| {
            let bytes = warp.read_string(op, lane, address, LONGEST)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let parts: Result<[String; 3], Flow> =
            (|| Ok([text(file[lane])?, text(function[lane])?, text(message[lane])?]))();
        let [file, function, message] = match parts {
            Ok(parts) => parts,
            Err(flow) => return flow,
        };
        let who = warp.located(access.clone(), lane);
        let ([bx, by, bz], [tx, ty, tz]) = (who.block, who.thread);
        let line = line[lane];
        warp.launch().assertion_failed(
            format!("{file}:{line}: {function}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] Assertion `{message}` failed.\n")
                .as_bytes(),
        );
        if expression.is_empty() {
            expression = message;
        }
    }
    let access = warp.located(access, mask.trailing_zeros() as usize);
    warp.fault(Fault::Assert, FindingKind::Assert { expression }, vec![access], None)
}
