//! Tests of the macros' declarations.

use super::*;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use smallvec::smallvec;

codes! {
    enum TestKind {
        One = "one",
        Two = "two",
    }
}

operands! {
    struct All {
        address: address in a,
        to: write_list in d | d2,
        absent: maybe_read(u32) in b,
        present: maybe_write(bool) in c,
        kind: number(TestKind) in e,
    }
}

operands! {
    struct Wide {
        pair: number((u32, u32)) in imm,
    }
}

unsafe fn nothing(_: &mut Warp<'_>, _: &Op) -> Flow {
    Flow::Next
}

/// Returns the decoded instruction, in which a register's offset is 1000 more than its number.
fn decoded(inst: &crate::instr::code::Inst) -> Op {
    inst.decoded(inst.imm, 0, |opnd| match opnd {
        OperandSlot::Reg(r) => 1000 + r,
        OperandSlot::Raw(value) => value,
        _ => 0,
    })
}

#[test]
fn what_is_packed_is_unpacked() {
    let all = All {
        address: (OperandSlot::Reg(1), 77),
        to: smallvec![OperandSlot::Reg(2), OperandSlot::Reg(3)],
        absent: None,
        present: Some(OperandSlot::Reg(4)),
        kind: TestKind::Two,
    };
    let inst = all.pack(nothing);
    assert_eq!(inst.uses.count_ones(), 1);
    assert_eq!(inst.defs.count_ones(), 3);
    let op = decoded(&inst);
    let all = All::unpack(&op);
    assert_eq!((all.address.base.offset(), all.address.offset), (1001, 77));
    assert_eq!(all.to.map(Register::offset), [1002, 1003]);
    assert!(all.absent.is_none());
    assert_eq!(all.present.map(Register::offset), Some(1004));
    assert_eq!(all.kind, TestKind::Two);
    let wide = Wide { pair: (5, 6) }.pack(nothing);
    assert_eq!(Wide::unpack(&decoded(&wide)).pair, (5, 6));
}

#[test]
fn codes_have_words_and_numbers() {
    assert_eq!(TestKind::named("two"), Some(TestKind::Two));
    assert_eq!(TestKind::named("three"), None);
    for kind in [TestKind::One, TestKind::Two] {
        assert_eq!(TestKind::from_code(kind.code()), kind);
    }
}
