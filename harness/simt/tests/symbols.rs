//! Names in PTX: elements of arrays, aliases of functions, special registers, and address spaces.

use crate::common::{Arg, Device};

fn module(body: &str) -> String {
    format!(".version 8.1\n.target sm_80\n.address_size 64\n{body}")
}

/// Runs `k<<<1, threads>>>(out)` and returns the words that it wrote.
fn words(ptx: &str, threads: u32, count: usize) -> Vec<u32> {
    let device = Device::new(ptx);
    let out = device.zeros::<u32>(count);
    let report = device.launch("k", 1, threads, &[Arg::Ptr(out)]);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    device.get::<u32>(out, count)
}

#[test]
fn elements_of_arrays_are_operands() {
    let got = words(
        &module(
            ".global .align 4 .u32 tab[4] = {10, 20, 30, 40};\n.const .align 4 .u32 fixed[4] = {1, 2, 3, 4};\n\
             .global .align 8 .v2 .u32 pair[2] = {{5, 6}, {7, 8}};\n\
             .global .align 4 .u32 matrix[2][3] = {{11, 12, 13}, {21, 22, 23}};\n\
             .visible .entry k(.param .u64 p) {\n .reg .b64 %d<9>; .reg .b32 %w<9>; .shared .align 16 .b32 sh[16];\n\
             ld.param.u64 %d0, [p];\n mov.u64 %d1, tab[2];\n ld.global.u32 %w0, [%d1];\n st.global.u32 [%d0], %w0;\n\
             ld.global.u32 %w1, tab[1];\n st.global.u32 [%d0+4], %w1;\n ld.const.u32 %w2, fixed[3];\n\
             st.global.u32 [%d0+8], %w2;\n mov.u32 %w3, 77;\n st.shared.u32 sh[5], %w3;\n mov.u64 %d2, sh[5];\n\
             ld.shared.u32 %w4, [%d2];\n st.global.u32 [%d0+12], %w4;\n mov.u64 %d3, tab[1+1]+4;\n\
             ld.global.u32 %w5, [%d3];\n st.global.u32 [%d0+16], %w5;\n ld.global.u32 %w6, pair[1];\n\
             st.global.u32 [%d0+20], %w6;\n ld.global.u32 %w7, matrix[1][2];\n st.global.u32 [%d0+24], %w7;\n\
             atom.shared.add.u32 %w8, sh[5], 1;\n red.shared.add.u32 sh[5], 1;\n ld.shared.u32 %w8, [sh[5]];\n\
             st.global.u32 [%d0+28], %w8;\n ret;\n}\n",
        ),
        1,
        8,
    );
    assert_eq!(got, [30, 20, 4, 77, 40, 7, 23, 79]);
}

#[test]
fn an_element_needs_an_array() {
    let load = |operand: &str| {
        let text = module(&format!(
            ".global .u32 one;\n.global .u32 tab[4];\n.visible .entry k() {{ .reg .b32 %r<3>; mov.u32 %r1, 1;\n \
             ld.global.u32 %r2, {operand}; ret; }}\n"
        ));
        let memory = std::sync::Arc::new(simt::memory::Memory::new(1 << 20));
        let loaded = simt::machine::Module::load(&text, &memory, gpu::Part::default_part());
        loaded.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(load("tab[3]"), Ok(()));
    for wrong in ["one[0]", "tab[1][1]", "other[1]", "tab[]", "tab[%r1]"] {
        assert!(load(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn functions_have_second_names_and_lists_of_targets() {
    let got = words(
        &module(
            ".func (.param .b32 r) twice(.param .b32 a) {\n .reg .b32 %w<3>;\n ld.param.u32 %w0, [a];\n\
             add.u32 %w1, %w0, %w0;\n st.param.u32 [r], %w1;\n ret;\n}\n\
             .func (.param .b32 r) again(.param .b32 a);\n.alias again, twice;\n\
             .visible .entry k(.param .u64 p) {\n .reg .b64 %d<3>; .reg .b32 %w<4>;\n ld.param.u64 %d0, [p];\n\
             mov.u64 %d1, twice;\n targets: .calltargets twice, again;\n\
             { .param .b32 x; .param .b32 y; mov.u32 %w0, 21; st.param.b32 [x], %w0;\n\
             call.uni (y), again, (x);\n ld.param.b32 %w1, [y]; }\n st.global.u32 [%d0], %w1;\n\
             { .param .b32 x; .param .b32 y; mov.u32 %w0, 4; st.param.b32 [x], %w0;\n\
             call (y), %d1, (x), targets;\n ld.param.b32 %w1, [y]; }\n st.global.u32 [%d0+4], %w1;\n ret;\n}\n",
        ),
        1,
        2,
    );
    assert_eq!(got, [42, 8]);
}

#[test]
fn an_address_of_a_constant_lies_in_constant_memory() {
    let mut code = String::new();
    for (i, (space, name)) in
        [("const", "fixed"), ("global", "fixed"), ("const", "tab"), ("global", "tab")].into_iter().enumerate()
    {
        let own = if name == "fixed" { "const" } else { "global" };
        code += &format!(
            " cvta.{own}.u64 %d1, {name};\n add.s64 %d1, %d1, %d2;\n isspacep.{space} %p0, %d1;\n\
             selp.u32 %w0, 1, 0, %p0;\n st.global.u32 [%d0+{}], %w0;\n",
            4 * i
        );
    }
    let got = words(
        &module(&format!(
            ".global .u32 tab[4];\n.const .u32 fixed[4];\n.visible .entry k(.param .u64 p) {{\n\
             .reg .pred %p<2>; .reg .b64 %d<3>; .reg .b32 %w<2>;\n ld.param.u64 %d0, [p];\n mov.u32 %w1, %tid.x;\n\
             mul.wide.u32 %d2, %w1, 4;\n{code} ret;\n}}\n"
        )),
        1,
        4,
    );
    assert_eq!(got, [1, 0, 0, 1]);
}

/// Compares with an H200's results for the same kernel, which has one word of its own shared memory.
#[test]
fn the_system_reserves_the_start_of_shared_memory() {
    let mut code = String::new();
    let names = ["begin", "end", "cap", "0", "1"].map(|name| format!("reserved_smem_offset_{name}"));
    let names = names.iter().map(String::as_str).chain(["total_smem_size", "dynamic_smem_size", "aggr_smem_size"]);
    for (i, name) in names.enumerate() {
        code += &format!(" mov.u32 %w0, %{name};\n st.global.u32 [%d0+{}], %w0;\n", 4 * i);
    }
    let got = words(
        &module(&format!(
            ".visible .entry k(.param .u64 p) {{\n .reg .b64 %d<3>; .reg .b32 %w<2>; .shared .u32 x;\n\
             ld.param.u64 %d0, [p];\n{code} mov.u32 %w0, x;\n st.shared.u32 [x], 1;\n st.global.u32 [%d0+32], %w0;\n ret;\n}}\n"
        ))
        .replace("sm_80", "sm_90"),
        1,
        9,
    );
    assert_eq!(got, [0, 288, 1024, 0, 0, 128, 0, 1152, 1024]);
}

/// The reserved part contains no variable of the kernel, is zero at first, and its use is not a finding.
#[test]
fn what_the_system_reserves_is_none_of_a_kernels_arrays() {
    let ptx = module(
        ".visible .entry k(.param .u64 p) {\n .reg .b64 %d<3>; .reg .b32 %w<4>; .shared .u32 x[2];\n\
         ld.param.u64 %d0, [p];\n mov.u32 %w0, %reserved_smem_offset_1;\n st.shared.u32 [x], 5;\n\
         atom.shared.add.u32 %w1, [%w0+4], 7;\n ld.shared.u32 %w2, [x];\n ld.shared.u32 %w3, [%w0+4];\n\
         st.global.u32 [%d0], %w1;\n st.global.u32 [%d0+4], %w2;\n st.global.u32 [%d0+8], %w3;\n ret;\n}\n",
    );
    assert_eq!(words(&ptx, 1, 3), [0, 5, 7]);
}

#[test]
fn a_multiprocessor_has_room_for_as_many_warps_as_its_part_says() {
    let ptx = module(
        ".visible .entry k(.param .u64 p) {\n .reg .b64 %d<2>; .reg .b32 %w<3>;\n ld.param.u64 %d0, [p];\n\
         mov.u32 %w0, %nwarpid;\n mov.u32 %w1, %nsmid;\n st.global.u32 [%d0], %w0;\n st.global.u32 [%d0+4], %w1;\n ret;\n}\n",
    );
    let part = gpu::Part::default_part();
    assert_eq!(words(&ptx, 32, 2), [part.max_threads_per_sm / 32, part.sms]);
}
