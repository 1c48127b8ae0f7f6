//! 128-bit registers and accesses.

use crate::common::{Arg, Device};

fn device(body: &str) -> Device {
    Device::new(&format!(
        ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
         .reg .b128 %q<4>; .reg .b64 %d<10>; .reg .b32 %r<6>; .reg .pred %p<2>;\n\
         .shared .align 16 .b8 own[64];\nld.param.u64 %d0, [p];\n{body}\nret;\n}}\n"
    ))
}

#[test]
fn halves_are_packed_moved_and_unpacked() {
    let device = device(
        "ld.global.b128 %q0, [%d0];\n mov.b128 {%d1, %d2}, %q0;\n mov.b128 %q1, {%d2, %d1};\n\
         mov.b128 %q2, %q1;\n mov.b128 {%r0, %r1, %r2, %r3}, %q2;\n mov.b128 %q3, {%r3, %r2, %r1, %r0};\n\
         st.shared.b128 [own+16], %q3;\n ld.shared.b128 %q0, [own+16];\n\
         setp.eq.u64 %p1, %d1, 0;\n @%p1 mov.b128 %q0, %q1;\n\
         st.global.b128 [%d0+16], %q2;\n st.volatile.global.b128 [%d0+32], %q0;",
    );
    let at = device.put(&[0x0001_0002_0003_0004u64, 0x0005_0006_0007_0008, 0, 0, 0, 0]);
    device.launch("k", 1, 1, &[Arg::Ptr(at)]);
    let swapped = [0x0005_0006_0007_0008u64, 0x0001_0002_0003_0004];
    let turned = [0x0003_0004_0001_0002u64, 0x0007_0008_0005_0006];
    assert_eq!(device.get::<u64>(at + 16, 4), [swapped, turned].concat());
}

#[test]
fn bytes_of_a_register_are_packed_and_unpacked() {
    let device = device(
        ".reg .b8 %c<6>; .reg .b16 %h<3>;\n ld.global.b32 %r0, [%d0];\n mov.b32 {%c0, %c1, %c2, %c3}, %r0;\n\
         mov.b32 %r1, {%c3, %c2, %c1, %c0};\n mov.b16 %h0, {%c3, %c0};\n mov.b16 {%c4, %c5}, %h0;\n\
         mov.b32 %r2, {%c4, %c4, %c5, %c5};\n st.global.b32 [%d0+4], %r1;\n st.global.b32 [%d0+8], %r2;\n\
         st.global.b8 [%d0+12], %c2;",
    );
    let at = device.put(&[0x84c3_0281u32, 0, 0, 0]);
    device.launch("k", 1, 1, &[Arg::Ptr(at)]);
    assert_eq!(device.get::<u32>(at + 4, 3), [0x8102_c384, 0x8181_8484, 0xc3]);
}

#[test]
fn an_exchange_gives_every_value_out_once() {
    let device = device(
        "mov.u32 %r0, %tid.x;\n mov.u32 %r1, %ctaid.x;\n mad.lo.u32 %r0, %r1, 64, %r0;\n\
         cvt.u64.u32 %d1, %r0;\n add.u64 %d1, %d1, 1;\n not.b64 %d2, %d1;\n mov.b128 %q0, {%d1, %d2};\n\
         atom.global.exch.b128 %q1, [%d0], %q0;\n mov.b128 {%d3, %d4}, %q1;\n\
         shl.b64 %d5, %d1, 4;\n add.u64 %d5, %d0, %d5;\n st.global.v2.u64 [%d5], {%d3, %d4};",
    );
    let at = device.zeros::<u64>(2 * 257);
    device.launch("k", 4, 64, &[Arg::Ptr(at)]);
    let mut pairs: Vec<[u64; 2]> = device.get::<u64>(at, 2 * 257).chunks(2).map(|p| [p[0], p[1]]).collect();
    pairs.sort_unstable();
    assert_eq!(pairs[0], [0, 0]);
    for (k, pair) in (0u64..).zip(&pairs).skip(1) {
        assert_eq!(*pair, [k, !k]);
    }
}

/// In both spaces, from threads of one block and of many: each adds one to both halves.
#[test]
fn compare_and_swap_changes_both_halves_together() {
    for (place, blocks) in [("%d0", 4), ("own", 1)] {
        let space = if place == "own" { ".shared" } else { ".global" };
        let device = device(&format!(
            "mov.u32 %r0, %tid.x;\n setp.ne.u32 %p0, %r0, 0;\n mov.b64 %d6, 0;\n mov.b128 %q0, {{%d6, %d6}};\n\
             @%p0 bra waits;\n @{always} st{space}.b128 [{place}], %q0;\nwaits: bar.sync 0;\n\
             ld.relaxed.gpu{space}.b128 %q0, [{place}];\n\
             again: mov.b128 {{%d1, %d2}}, %q0;\n add.u64 %d3, %d1, 1;\n add.u64 %d4, %d2, 3;\n\
             mov.b128 %q1, {{%d3, %d4}};\n atom.acq_rel.gpu{space}.cas.b128 %q2, [{place}], %q0, %q1;\n\
             mov.b128 {{%d7, %d8}}, %q2;\n mov.b128 %q0, %q2;\n setp.ne.u64 %p1, %d7, %d1;\n @%p1 bra again;\n\
             setp.ne.u64 %p1, %d8, %d2;\n @%p1 bra again;\n bar.sync 0;\n\
             ld{space}.b128 %q3, [{place}];\n @!%p0 st.global.b128 [%d0], %q3;",
            always = if blocks == 1 { "!%p0" } else { "%p0" },
        ));
        let at = device.zeros::<u64>(2);
        device.launch("k", blocks, 64, &[Arg::Ptr(at)]);
        let n = u64::from(blocks) * 64;
        let last = device.get::<u64>(at, 2);
        // The value that another block stores at its end may be older, but it must be one that was there.
        assert!(last[0] <= n && last[1] == 3 * last[0], "{last:?}");
        assert!(blocks > 1 || last[0] == n, "{last:?}");
    }
}
