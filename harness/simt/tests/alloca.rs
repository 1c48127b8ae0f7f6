//! Arrays of dynamic length on a thread's stack.

use crate::common::{Arg, Device};
use simt::machine::Fault;

const HEAD: &str = ".version 7.4\n.target sm_70\n.address_size 64\n";

/// Sums the values that each thread wrote into an array of its own length, twice at the same place.
#[test]
fn each_thread_has_its_own_array() {
    let device = Device::new(&format!(
        "{HEAD}.visible .entry k(.param .u64 p) {{\n .reg .b64 %d<12>; .reg .b32 %r<8>; .reg .pred %p1;\n\
         ld.param.u64 %d0, [p];\n mov.u32 %r0, %tid.x;\n add.u32 %r1, %r0, 1;\n mul.wide.u32 %d1, %r1, 4;\n\
         mov.u32 %r6, 0;\n mov.u32 %r5, 0;\n\
         twice: stacksave.u64 %d2;\n alloca.u64 %d3, %d1, 16;\n cvta.local.u64 %d4, %d3;\n mov.u32 %r2, 0;\n\
         fill: mul.wide.u32 %d5, %r2, 4;\n add.u64 %d6, %d3, %d5;\n st.local.u32 [%d6], %r2;\n\
         add.u32 %r2, %r2, 1;\n setp.lt.u32 %p1, %r2, %r1;\n @%p1 bra fill;\n\
         sum: sub.u32 %r2, %r2, 1;\n mul.wide.u32 %d5, %r2, 4;\n add.u64 %d6, %d4, %d5;\n ld.u32 %r3, [%d6];\n\
         add.u32 %r6, %r6, %r3;\n setp.ne.u32 %p1, %r2, 0;\n @%p1 bra sum;\n stackrestore.u64 %d2;\n\
         add.u32 %r5, %r5, 1;\n setp.lt.u32 %p1, %r5, 50;\n @%p1 bra twice;\n\
         and.b64 %d7, %d3, 15;\n cvt.u32.u64 %r4, %d7;\n add.u32 %r6, %r6, %r4;\n\
         mul.wide.u32 %d8, %r0, 4;\n add.u64 %d8, %d0, %d8;\n st.global.u32 [%d8], %r6;\n ret;\n}}\n"
    ));
    let at = device.zeros::<u32>(64);
    device.launch("k", 1, 64, &[Arg::Ptr(at)]);
    let want: Vec<u32> = (0..64).map(|t| 50 * (t * (t + 1) / 2)).collect();
    assert_eq!(device.get::<u32>(at, 64), want);
}

/// A recursive function with an array in each of its frames; a return frees its array.
#[test]
fn arrays_of_frames_stay_apart() {
    let device = Device::new(&format!(
        "{HEAD}.func (.param .b32 out) f(.param .b32 n) {{\n .reg .b64 %d<4>; .reg .b32 %r<6>; .reg .pred %p1;\n\
         ld.param.u32 %r0, [n];\n mov.u32 %r3, 0;\n setp.eq.u32 %p1, %r0, 0;\n @%p1 bra done;\n\
         mul.wide.u32 %d0, %r0, 4;\n alloca.u64 %d1, %d0;\n st.local.u32 [%d1], %r0;\n sub.u32 %r1, %r0, 1;\n\
         {{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), f, (a); ld.param.b32 %r2, [b]; }}\n\
         {{ .param .b32 a; .param .b32 b; st.param.b32 [a], 0; call.uni (b), f, (a); ld.param.b32 %r4, [b]; }}\n\
         ld.local.u32 %r3, [%d1];\n add.u32 %r3, %r3, %r2;\n\
         done: st.param.b32 [out], %r3;\n ret;\n}}\n\
         .visible .entry k(.param .u64 p) {{\n .reg .b64 %d<4>; .reg .b32 %r<6>;\n ld.param.u64 %d0, [p];\n\
         mov.u32 %r0, %tid.x;\n\
         {{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call.uni (b), f, (a); ld.param.b32 %r1, [b]; }}\n\
         mul.wide.u32 %d1, %r0, 4;\n add.u64 %d1, %d0, %d1;\n st.global.u32 [%d1], %r1;\n ret;\n}}\n"
    ));
    let at = device.zeros::<u32>(8);
    device.launch("k", 1, 8, &[Arg::Ptr(at)]);
    let want: Vec<u32> = (0..8).map(|t| t * (t + 1) / 2).collect();
    assert_eq!(device.get::<u32>(at, 8), want);
}

#[test]
fn more_than_the_stack_is_a_finding() {
    let device = Device::new(&format!(
        "{HEAD}.visible .entry k(.param .u64 p) {{\n .reg .b64 %d<4>;\n ld.param.u64 %d0, [p];\n\
         ld.global.u64 %d1, [%d0];\n alloca.u64 %d2, %d1;\n st.local.u64 [%d2], %d1;\n\
         st.global.u64 [%d0+8], %d2;\n ret;\n}}\n"
    ));
    let stack = u64::from(device.settings.stack_bytes);
    for (bytes, fits) in [(stack, true), (stack + 16, false), (u64::MAX - 7, false)] {
        let at = device.put(&[bytes, 0]);
        let (report, _) = device.try_launch("k", [1, 1, 1], [1, 1, 1], 0, &[Arg::Ptr(at)]);
        assert_eq!(report.fault.is_none(), fits, "{bytes}: {:#?}", report.findings);
        let words = format!("{:?}", report.findings);
        assert_eq!(words.contains("StackOverflow"), !fits, "{words}");
    }
}

/// A value that does not come from `stacksave` is not a valid location of arrays, and the next array does not have the
/// length that this value implies.
#[test]
fn a_stack_is_restored_only_to_a_place_in_it() {
    for (width, ty) in [(64, "u64"), (32, "u32")] {
        let device = Device::new(&format!(
            "{HEAD}.visible .entry k(.param .u64 p) {{\n .local .b64 own[8]; .reg .b64 %d<6>; .reg .b{width} %s<4>;\n ld.param.u64 %d0, [p];\n\
             ld.global.{ty} %s0, [%d0];\n ld.global.{ty} %s1, [%d0+8];\n stacksave.{ty} %s3;\n st.local.u64 [own], %d0;\n\
             st.global.{ty} [%d0+16], %s3;\n stackrestore.{ty} %s0;\n alloca.{ty} %s2, %s1;\n\
             st.global.{ty} [%d0+24], %s2;\n ret;\n}}\n"
        ));
        let run = |to: u64, bytes: u64| {
            let at = device.put(&[to, bytes, 0, 0]);
            let (report, _) = device.try_launch("k", [1, 1, 1], [1, 1, 1], 0, &[Arg::Ptr(at)]);
            let words = device.get::<u64>(at, 4);
            (report.fault, format!("{:?}", report.findings), words)
        };
        let (.., words) = run(u64::MAX, 0);
        let top = words[2];
        let stack = u64::from(device.settings.stack_bytes);
        for to in [top, top - 8, top - stack] {
            assert_eq!(run(to, 0).0, None, "{to} of {top}");
        }
        for (to, bytes) in [(1 << 62, (1 << 62) - 1024), (top + 8, 8), (top + 1, 0), (top - stack - 1, 0), (1 << 31, 8)]
        {
            if width == 32 && to >> 32 != 0 {
                continue;
            }
            let (fault, findings, _) = run(to, bytes);
            assert_eq!(fault, Some(Fault::IllegalAddress), "{to} of {top}");
            assert!(findings.contains("StackOverflow") && findings.contains("no stacksave"), "{findings}");
        }
    }
}
