//! The atomic sums of a kernel after which their thread only computes and exits: the time at which they are performed
//! cannot be observed.
//!
//! Memory orders a relaxed sum whose old value is not read only with respect to the same thread's accesses to the same
//! word, and to its accesses after a fence, a barrier or a release. Where no memory access and none of these can
//! follow, the sum may be performed at any time before the launch ends, in the order of the thread's sums.

use super::ir::{Block, Func, Role, Term};
use crate::finding::{AccessKind, Space};
use crate::instr::code::Inst;
use crate::instr::memory::defer;
use ptx::ast::{self, Body, Type};
use ptx::modifier::Modifier;
use ptx::opcode::{Opcode, OpcodeKind};

/// Marks these sums of a kernel with [`defer`].
pub fn defer_final_sums(kernel: &mut Func, body: &Body) {
    let blocks = &mut kernel.blocks;
    let is_sum = |inst: &Inst| {
        let written = &body.code[inst.at as usize];
        matches!(inst.role, Role::Access(AccessKind::Atomic, Space::Global, 4))
            && is_plain_sum(written)
            && body.is_unread(written)
    };
    if !blocks.iter().flat_map(|block| &block.insts).any(is_sum) {
        return;
    }
    let is_quiet = |inst: &Inst| {
        let written = &body.code[inst.at as usize];
        let computes = matches!(inst.role, Role::Plain | Role::Guard)
            && (matches!(written.opcode.kind(), OpcodeKind::Computes | OpcodeKind::Branch) || written.is_of_params());
        computes || is_sum(inst) || (inst.role == Role::Guard && is_plain_sum(written))
    };
    let quiet = quiet_blocks(blocks, &is_quiet);
    let ends_quietly =
        |block: &Block| ends(&block.term) && block.term.successors().iter().all(|&next| quiet[next as usize]);
    for block in blocks {
        if !ends_quietly(block) {
            continue;
        }
        for inst in block.insts.iter_mut().rev().take_while(|inst| is_quiet(inst)) {
            if is_sum(inst) {
                defer(inst);
            }
        }
    }
}

/// Whether an instruction is a relaxed 32-bit sum that has a fast path.
fn is_plain_sum(inst: &ast::Inst) -> bool {
    matches!(inst.opcode, Opcode::Red | Opcode::Atom)
        && inst.has(Modifier::Add)
        && inst.has_type(&[Type::F32, Type::U32, Type::S32])
        && !inst.has_any(&[Modifier::Acquire, Modifier::Release, Modifier::AcqRel, Modifier::Sys])
}

/// Whether a terminator only continues in the same kernel or exits.
fn ends(term: &Term) -> bool {
    matches!(term, Term::Goto(_) | Term::Branch { .. } | Term::Table { .. } | Term::Exit)
}

/// Returns the blocks from whose start on a thread only computes and makes such sums.
fn quiet_blocks(blocks: &[Block], is_quiet: &impl Fn(&Inst) -> bool) -> Vec<bool> {
    let mut quiet: Vec<bool> = blocks.iter().map(|b| ends(&b.term) && b.insts.iter().all(is_quiet)).collect();
    loop {
        let leads_on = |at: usize| blocks[at].term.successors().iter().all(|&next| quiet[next as usize]);
        let Some(at) = (0..blocks.len()).find(|&at| quiet[at] && !leads_on(at)) else {
            return quiet;
        };
        quiet[at] = false;
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::Memory;
    use gpu::Part;

    /// Returns which atomics of a kernel are marked, in code order.
    fn marked(code: &str) -> Vec<bool> {
        let text = format!(
            ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<9>;\n\
             .reg .f32 %f<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n\
             setp.eq.u32 %p1, %r1, 0;\nmov.f32 %f1, 0f3F800000;\n{code}\nret;\n}}\n"
        );
        let loaded = super::super::load(&text, &Memory::new(1 << 20), Part::default_part()).unwrap();
        let program = &loaded.kernels[0].code;
        let atomics = program.accesses.iter().filter(|access| access.what == crate::finding::AccessKind::Atomic);
        atomics.map(|access| crate::instr::memory::is_deferred(&program.ops[access.pc as usize])).collect()
    }

    #[test]
    fn the_last_sum_of_a_thread_is_marked() {
        assert_eq!(marked("atom.global.add.f32 %f2, [%rd1], %f1;"), [true]);
        assert_eq!(marked("red.relaxed.gpu.global.add.u32 [%rd1], %r1;"), [true]);
        assert_eq!(marked("@%p1 red.global.add.f32 [%rd1], %f1;"), [true]);
        assert_eq!(marked("@%p1 bra DONE; red.global.add.f32 [%rd1], %f1; add.f32 %f2, %f1, %f1; DONE:"), [true]);
        assert_eq!(marked("red.global.add.f32 [%rd1], %f1; red.global.add.f32 [%rd1+4], %f1;"), [true, true]);
        let rounds = "L: red.global.add.f32 [%rd1], %f1; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9; @%p2 bra L;";
        assert_eq!(marked(rounds), [true]);
    }

    #[test]
    fn a_sum_before_anything_that_others_may_see_is_not() {
        for behind in [
            "membar.gl;",
            "fence.acq_rel.gpu;",
            "bar.sync 0;",
            "bar.warp.sync 0xffffffff;",
            "ld.global.f32 %f3, [%rd1];",
            "st.global.f32 [%rd1+4], %f1;",
            "atom.global.add.u32 %r2, [%rd1+4], 1; st.global.u32 [%rd1+8], %r2;",
            "red.release.gpu.global.add.u32 [%rd1+4], 1;",
            "red.global.max.u32 [%rd1], 1;",
            "shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;",
            "@%p1 st.global.f32 [%rd1+4], %f1;",
        ] {
            assert!(!marked(&format!("red.global.add.f32 [%rd1], %f1; {behind}"))[0], "{behind}");
        }
        let rounds =
            "L: ld.global.u32 %r2, [%rd1]; red.global.add.f32 [%rd1], %f1; setp.lt.u32 %p2, %r2, 9; @%p2 bra L;";
        assert_eq!(marked(rounds), [false]);
        let branch = "red.global.add.f32 [%rd1], %f1; @%p1 bra DONE; st.global.f32 [%rd1+4], %f1; DONE:";
        assert_eq!(marked(branch), [false]);
        let later = "red.global.add.f32 [%rd1], %f1; bra A; A: @%p1 bra DONE; st.global.f32 [%rd1+4], %f1; DONE:";
        assert_eq!(marked(later), [false]);
    }

    #[test]
    fn a_sum_whose_old_value_is_read_or_of_another_kind_is_not() {
        assert_eq!(marked("atom.global.add.u32 %r2, [%rd1], 1; add.u32 %r3, %r2, 1;"), [false]);
        for other in [
            "red.global.add.f64 [%rd1], 0d3FF0000000000000;",
            "red.add.f32 [%rd1], %f1;",
            "red.shared.add.u32 [%rd1], 1;",
            "red.relaxed.sys.global.add.f32 [%rd1], %f1;",
            "red.release.gpu.global.add.f32 [%rd1], %f1;",
            "red.global.max.u32 [%rd1], 1;",
        ] {
            assert_eq!(marked(other), [false], "{other}");
        }
    }
}
