//! Video instructions in PTX: their operands are parts of registers.

use crate::common::{Arg, Device};

/// Returns the value of `%r9` after the instructions, for (a, b, c).
fn run(instruction: &str, [a, b, c]: [u32; 3]) -> u32 {
    let device = Device::new(&format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
         .reg .b64 %d; .reg .b32 %r<10>; .reg .pred %p;\n ld.param.u64 %d, [p];\n\
         ld.global.u32 %r1, [%d];\n ld.global.u32 %r2, [%d+4];\n ld.global.u32 %r3, [%d+8];\n mov.u32 %r9, %r1;\n\
         setp.ne.u32 %p, %r1, 0;\n @%p {instruction}\n st.global.u32 [%d+12], %r9;\n ret;\n}}\n"
    ));
    let at = device.put(&[a, b, c, 0]);
    device.launch("k", 1, 1, &[Arg::Ptr(at)]);
    device.get::<u32>(at + 12, 1)[0]
}

#[test]
fn operands_are_bytes_and_half_words() {
    let from = [0x8070_6050, 0x0403_ff01, 1000];
    assert_eq!(run("vadd.s32.u32.s32 %r9, %r1.b3, %r2.b1;", from), 0x7f);
    assert_eq!(run("vadd.u32.u32.u32.add %r9, %r1.h1, %r2.h0, %r3;", from), 0x8070 + 0xff01 + 1000);
    assert_eq!(run("vsub.u32.u32.u32.sat %r9.b2, %r1.b0, %r2.b1, %r3;", from), 1000);
    assert_eq!(run("vmad.s32.s32.s32.shr7 %r9, %r1.h0, -%r2.h1, %r3;", from), ((-0x6050 * 0x403 + 1000) >> 7) as u32);
    assert_eq!(run("vset.u32.s32.gt %r9.h1, %r1.b3, %r2.b1, %r3;", from), (1 << 16) + 1000);
    assert_eq!(run("vadd2.u32.u32.u32 %r9.h1, %r1.h01, %r2.h32, %r3;", from), ((0x6050 + 0x0403) << 16) + 1000);
    assert_eq!(run("vabsdiff4.u32.u32.u32.add %r9.b20, %r1, %r2.b7654, %r3;", from), 0x70 - 3 + 0x50 - 1 + 1000);
    assert_eq!(run("vset4.u32.u32.ge.add %r9, %r1, %r2, %r3;", from), 1003);
}

/// A part counts as a read of its whole register: the instruction that computes it is not removed.
#[test]
fn a_part_keeps_its_register_alive() {
    let code = "vadd.u32.u32.u32 %r4, %r1, %r2;\n vadd.u32.u32.u32 %r9, %r4.b0, %r4.b1;";
    assert_eq!(run(code, [0x0101, 0x0202, 0]), 6);
}
