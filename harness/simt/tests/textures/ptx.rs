//! Kernels of one instruction each: a thread reads its coordinates, executes the instruction, and writes the results.

use std::fmt::Write;

/// Returns a kernel named `k` in which each thread loads `inputs` words, executes `instruction`, and stores `outputs`
/// words. In the instruction `%i0`, `%i1` ... are the inputs, `%o0` ... the outputs, `%h` is the handle and `%p` a
/// predicate.
pub fn kernel(instruction: &str, inputs: usize, outputs: usize) -> String {
    let mut text = format!(
        ".version 7.8\n.target sm_75\n.address_size 64\n\
         .visible .entry k(.param .u64 handle, .param .u64 from, .param .u64 to) {{\n\
         .reg .pred %p; .reg .b16 %s<4>; .reg .b32 %i<{inputs_1}>; .reg .b32 %o<8>; .reg .b32 %t<4>; .reg .b64 %d<8>;\n\
         .reg .b64 %h;\n\
         ld.param.u64 %h, [handle];\nld.param.u64 %d0, [from];\nld.param.u64 %d1, [to];\n\
         mov.u32 %t0, %tid.x;\nmov.u32 %t1, %ntid.x;\nmov.u32 %t2, %ctaid.x;\nmad.lo.u32 %t0, %t1, %t2, %t0;\n\
         mad.wide.u32 %d0, %t0, {in_bytes}, %d0;\nmad.wide.u32 %d1, %t0, {out_bytes}, %d1;\n",
        inputs_1 = inputs + 1,
        in_bytes = inputs * 4,
        out_bytes = outputs * 4,
    );
    for i in 0..inputs {
        writeln!(text, "ld.global.b32 %i{i}, [%d0+{}];", i * 4).expect("a string grows");
    }
    writeln!(text, "{instruction}").expect("a string grows");
    for o in 0..outputs {
        writeln!(text, "st.global.b32 [%d1+{}], %o{o};", o * 4).expect("a string grows");
    }
    text.push_str("ret;\n}\n");
    text
}
