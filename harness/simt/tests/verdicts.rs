//! The cause of a module's failure to load: the error's type distinguishes PTX that the machine does not model from
//! invalid PTX, so that a correct program is not marked as incorrect.

use gpu::Part;
use simt::finding::FailureOf;
use simt::machine::Module;
use simt::memory::Memory;
use std::sync::Arc;

/// Returns a module whose kernel has this code, for a target that has everything.
fn kernel(code: &str) -> String {
    let texture = if code.contains("tex0") { ".global .texref tex0;" } else { "" };
    format!(
        ".version 8.7\n.target sm_100a\n.address_size 64\n{texture}
.visible .entry probe(.param .u64 out)
{{
    .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<9>; .reg .f32 %f<40>;
    .shared .align 128 .b8 area[1024];
    ld.param.u64 %d1, [out];
    mov.u32 %r1, area;
    mov.u64 %d2, area;
    mov.u32 %r2, 0;
    {code}
    ret;
}}
"
    )
}

/// Loads PTX. On failure, returns whose failure it is, and the error's text.
fn load(ptx: &str) -> Result<(), (FailureOf, String)> {
    let memory = Arc::new(Memory::new(1 << 26));
    let loaded = Module::load(ptx, &memory, Part::default_part());
    loaded.map(|_| ()).map_err(|error| (error.verdict(), error.to_string()))
}

/// Valid PTX that this machine does not support, by purpose. Each is something that a compiler or a library generates.
const NOT_MODELLED: &[(&str, &str)] = &[
    ("texture reference", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex0, {%r2}];"),
    ("texture comparison", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}], %f7;"),
    ("texture of samples", "tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r2, %r2, %r2, %r2}];"),
    ("surface's order of channels", "suq.channel_order.b32 %r3, [%d1];"),
    (
        "gather of rows",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], [%d1, {%r2, %r2, %r2, %r2, %r2}], [%r1];",
    ),
    ("reduction of floats", "redux.sync.min.abs.NaN.f32 %f1, %f2, 0xffffffff;"),
    ("wide pixels", "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w [%d1, {%r2, %r2, %r2}], {%h1, %h1};"),
    ("tensor memory", "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 64;"),
    ("tensor memory", "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r2];"),
    ("multicast memory", "multimem.ld_reduce.relaxed.sys.global.add.f32 %f1, [%d1];"),
    (
        "product by eight lanes",
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r2, %r3, %r4, %r5}, {%r2, %r3}, {%r6, %r7}, {%r2, %r3, %r4, %r5};",
    ),
    ("dynamic launch", "griddepcontrol.unheard.of;"),
    ("part of a vector register", ".reg .v4 .f32 %v1; mov.f32 %f1, %v1.x;"),
];

#[test]
fn what_the_machine_lacks_is_told_from_what_is_wrong() {
    let mut wrong = Vec::new();
    for (what, code) in NOT_MODELLED {
        match load(&kernel(code)) {
            Err((FailureOf::Machine, _)) => {}
            other => wrong.push(format!("{what}: {other:?}\n    {code}")),
        }
    }
    for (what, ptx) in [("map_f64_to_f32", ".version 8.0\n.target sm_90, map_f64_to_f32\n.address_size 64\n")] {
        if !matches!(load(ptx), Err((FailureOf::Machine, _))) {
            wrong.push(format!("{what}: {:?}", load(ptx)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// PTX that an assembler rejects, too.
const WRONG: &[(&str, &str)] = &[
    ("an undeclared register", "add.u32 %r99, %r1, %r2;"),
    ("a register of another width", "add.u32 %r3, %d1, %r2;"),
    ("an undeclared label", "bra NOWHERE;"),
    ("too few operands", "add.u32 %r3, %r2;"),
    ("an undeclared variable", "mov.u64 %d3, nothing;"),
    ("no semicolon", "add.u32 %r3, %r1, %r2 ret"),
    ("a brace that stays open", "{ add.u32 %r3, %r1, %r2;"),
    ("a label twice", "L: L: ret;"),
    ("registers in a step that there is not", "setmaxnreg.dec.sync.aligned.u32 25;"),
    ("more registers than a thread has", "setmaxnreg.inc.sync.aligned.u32 264;"),
    (
        "coordinates of another number",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1, {%r2}], [%r1];",
    ),
    (
        "pixels of two dimensions",
        "cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs.bulk_group [%d1, {%r2, %r2}], [%r1];",
    ),
    (
        "a tensor map's dimension that there is not",
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%d2], 5, %r2;",
    ),
    ("an instruction of another architecture", "wgmma.fence.sync.aligned;"),
    ("a type that there is not", "mad.lo.s23 %r3, %r1, %r2, %r2;"),
];

#[test]
fn what_is_wrong_is_the_programs() {
    let mut wrong = Vec::new();
    for (what, code) in WRONG {
        match load(&kernel(code)) {
            Err((FailureOf::Program, _)) => {}
            other => wrong.push(format!("{what}: {other:?}\n    {code}")),
        }
    }
    for text in ["", "not PTX at all", "\u{7f}ELF\u{1}", ".version 8.0\n.target sm_90\n.address_size 64\n.entry"] {
        if !matches!(load(text), Err((FailureOf::Program, _))) {
            wrong.push(format!("{text:?}: {:?}", load(text)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for right in [
        "add.u32 %r3, %r1, %r2;",
        "setmaxnreg.inc.sync.aligned.u32 232; setmaxnreg.dec.sync.aligned.u32 24;",
        "griddepcontrol.wait; griddepcontrol.launch_dependents;",
        "cp.async.bulk.prefetch.L2.global [%d1], 64;",
    ] {
        assert_eq!(load(&kernel(right)), Ok(()), "{right}");
    }
}

/// Warpgroup products that the vendor's assembler (13.0) rejects, with its reason.
const REFUSED_PRODUCTS: &[(&str, &str)] = &[
    (
        "Argument 5: unexpected value '2', expected to be -1 or 1",
        "m64n8k16.f32.f16.f16 {F4}, %d1, %d2, %p1, 1, 2, 0, 0",
    ),
    ("Argument 7: unexpected value '2', expected to be 0 or 1", "m64n8k16.f32.f16.f16 {F4}, %d1, %d2, %p1, 1, 1, 0, 2"),
    ("Arguments mismatch", "m64n8k16.f32.f16.f16 {F4}, %d1, %d2, %p1"),
    ("Arguments mismatch", "m64n8k8.f32.tf32.tf32 {F4}, %d1, %d2, %p1, 1, 1, 0, 0"),
    ("Arguments mismatch", "m64n8k16.f32.f16.f16 {F4}, {R4}, %d2, %p1, 1, 1, 1, 0"),
    ("Arguments mismatch", "m64n8k16.f32.f16.f16 {F4}, %d1, %d2, %p1, %r1, 1, 0, 0"),
    ("Illegal matrix shape", "m64n40k32.s32.s8.s8 {R20}, %d1, %d2, %p1"),
    ("Illegal instruction types with shape", "m64n8k16.f32.tf32.tf32 {F4}, %d1, %d2, %p1, 1, 1"),
    ("Unexpected instruction types", "m64n8k16.f16.bf16.bf16 {R2}, %d1, %d2, %p1, 1, 1, 0, 0"),
    ("Unexpected instruction types", "m64n8k16.f32.f16.bf16 {F4}, %d1, %d2, %p1, 1, 1, 0, 0"),
    ("Incorrect operations", "m64n8k256.s32.b1.b1.xor.popc {R4}, %d1, %d2, %p1"),
    ("Argument vector size mismatch", "m64n8k16.f32.f16.f16 {F3}, %d1, %d2, %p1, 1, 1, 0, 0"),
    ("Unknown modifier", "m64n12k16.f32.f16.f16 {F4}, %d1, %d2, %p1, 1, 1, 0, 0"),
];

/// Products that it accepts.
const PRODUCTS: &[&str] = &[
    "m64n8k16.f32.f16.f16 {F4}, %d1, %d2, 1, 1, 1, 0, 0",
    "m64n8k16.f32.f16.f16 {F4}, %d1, %d2, !%p1, 1, -1, 1, 0",
    "m64n8k16.f32.f16.f16 {R4}, {R4}, %d2, %p1, 1, 1, 1",
    "f32.f16.f16.m64n8k16 {F4}, %d1, %d2, %p1, 1, 1, 0, 0",
    "m64n8k32.f16.e4m3.e5m2 {R2}, {R4}, %d2, %p1, 1, 1",
    "m64n24k32.satfinite.s32.s8.u8 {R12}, %d1, %d2, %p1",
    "m64n24k32.s32.s8.u8.satfinite {R12}, %d1, %d2, %p1",
    "m64n8k256.s32.b1.b1.and.popc {R4}, %d1, %d2, %p1",
];

/// Returns a kernel for the architecture that has warpgroup products.
fn product(target: &str, operands: &str) -> String {
    let list = |letter: char, count: usize| {
        let names: Vec<String> = (10..10 + count).map(|at| format!("%{letter}{at}")).collect();
        format!("{{{}}}", names.join(", "))
    };
    let mut code = format!("wgmma.mma_async.sync.aligned.{operands};");
    for (letter, name) in [('F', 'f'), ('R', 'r')] {
        for count in [2, 3, 4, 12, 20] {
            code = code.replace(&format!("{{{letter}{count}}}"), &list(name, count));
        }
    }
    kernel(&code).replace("sm_100a", target)
}

#[test]
fn products_by_warpgroups_are_refused_as_the_assembler_does() {
    let mut wrong = Vec::new();
    for (reason, operands) in REFUSED_PRODUCTS {
        match load(&product("sm_90a", operands)) {
            Err((FailureOf::Program, _)) => {}
            other => wrong.push(format!("{reason}: {operands}: {other:?}")),
        }
    }
    for (what, code) in
        [("negative", "wgmma.wait_group.sync.aligned -1;"), ("a register", "wgmma.wait_group.sync.aligned %r1;")]
    {
        if !matches!(load(&kernel(code).replace("sm_100a", "sm_90a")), Err((FailureOf::Program, _))) {
            wrong.push(format!("{what}: {code}"));
        }
    }
    for operands in PRODUCTS {
        if let Err(error) = load(&product("sm_90a", operands)) {
            wrong.push(format!("{operands}: {error:?}"));
        }
        match load(&product("sm_90", operands)) {
            Err((FailureOf::Program, words)) if words.contains("not supported on `.target sm_90`") => {}
            other => wrong.push(format!("for sm_90: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_kernel_that_calls_what_the_machine_lacks_is_refused_alone() {
    let calling = |function: &str| {
        format!(
            ".version 8.7\n.target sm_90\n.address_size 64
.extern .func (.param .b32 result) {function}(.param .b64 a, .param .b64 b);
.visible .entry child() {{ ret; }}
.visible .entry parent()
{{
    .reg .b32 %r<2>; .reg .b64 %d<2>;
    mov.u64 %d1, child;
    {{ .param .b64 a; .param .b64 b; .param .b32 got;
      st.param.b64 [a], %d1; st.param.b64 [b], %d1;
      call.uni (got), {function}, (a, b);
      ld.param.b32 %r1, [got]; }}
    ret;
}}
"
        )
    };
    for (function, words) in [
        ("__cudaCDP2LaunchDeviceV2", "a kernel that calls the runtime on the device ("),
        ("cudaLaunchDeviceV2", "a kernel that launches kernels as before CUDA 12 ("),
        ("cudaGraphLaunch", "a kernel that launches graphs ("),
        ("my_cudaGraphLaunch", "a call to `my_cudaGraphLaunch`, which has no body, ("),
    ] {
        let memory = Arc::new(Memory::new(1 << 26));
        let module = Module::load(&calling(function), &memory, Part::default_part()).unwrap();
        assert!(module.kernel("child").is_some() && module.kernel("parent").is_none(), "{function}");
        let refused = module.unsupported("parent").unwrap();
        assert_eq!(refused.verdict(), FailureOf::Machine);
        assert!(refused.to_string().starts_with(words), "{function}: {refused}");
    }
}
