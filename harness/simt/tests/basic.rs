//! Kernels in which every thread works on its own element.

use crate::committed::ptx_of;
use crate::common::{Arg, Device};
use std::sync::LazyLock;

static PTX: LazyLock<String> = LazyLock::new(|| ptx_of("kernels/basic.cu"));

#[test]
fn vecadd_adds_every_element_and_no_other() {
    let device = Device::new(&PTX);
    let n = 10_000;
    let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.25).collect();
    let y: Vec<f32> = (0..n).map(|i| 7.0 - i as f32).collect();
    let (dx, dy) = (device.put(&x), device.put(&y));
    let dz = device.put(&vec![-1.0f32; n + 500]);
    let args = [Arg::Ptr(dx), Arg::Ptr(dy), Arg::Ptr(dz), Arg::I32(n as i32)];
    let report = device.launch("vecadd", 40, 256, &args);
    let z = device.get::<f32>(dz, n + 500);
    for i in 0..n {
        assert_eq!(z[i], x[i] + y[i], "element {i}");
    }
    assert!(z[n..].iter().all(|&v| v == -1.0));
    let totals = &report.counters.totals;
    assert_eq!(report.counters.threads, 40 * 256);
    assert_eq!(totals.global_loads.lanes, 2 * n as u64);
    assert_eq!(totals.global_stores.lanes, n as u64);
    assert_eq!(totals.global_loads.sectors, 2 * (n as u64 * 4 / 32));
    assert_eq!(totals.divergent_branches, 1);
}

#[test]
fn every_thread_of_a_three_dimensional_grid_has_its_index() {
    let device = Device::new(&PTX);
    let (grid, block) = ([3, 2, 2], [5, 3, 4]);
    let threads = 12 * 60;
    let out = device.zeros::<i32>(threads);
    let (report, _) = device.try_launch("indices", grid, block, 0, &[Arg::Ptr(out)]);
    assert_eq!(report.fault, None);
    let got = device.get::<i32>(out, threads);
    for (i, value) in got.iter().enumerate() {
        let (b, t) = ((i / 60) as i32, (i % 60) as i32);
        let want = t % 5 + 100 * (t / 5 % 3) + 10000 * (t / 15) + 1_000_000 * (b % 7);
        assert_eq!(*value, want, "thread {t} of block {b}");
    }
}

/// Measures speed only: run with `--ignored --nocapture` and one worker.
#[test]
#[ignore = "measures"]
fn speed_of_vecadd() {
    let mut device = Device::new(&PTX);
    device.settings.workers = 1;
    let n = 1 << 22;
    let x = device.put(&vec![1.0f32; n]);
    let y = device.put(&vec![2.0f32; n]);
    let z = device.zeros::<f32>(n);
    for _ in 0..5 {
        let start = std::time::Instant::now();
        let args = [Arg::Ptr(x), Arg::Ptr(y), Arg::Ptr(z), Arg::I32(n as i32)];
        let report = device.launch("vecadd", (n / 256) as u32, 256, &args);
        let time = start.elapsed().as_secs_f64();
        let instructions = report.counters.totals.thread_instructions as f64;
        println!(
            "{:.2e} elements/s, {:.2} G thread instructions/s ({} a thread)",
            n as f64 / time,
            instructions / time * 1e-9,
            instructions / n as f64
        );
    }
}

/// Instructions that are hints for caches or profilers, and special registers as vectors and half words.
#[test]
fn hints_and_special_registers() {
    let device = Device::new(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n\
         .reg .b64 %a, %c; .reg .b32 %r<5>; .reg .b16 %h; .reg .pred %p;\n .shared .align 16 .b8 own[64];\n\
         ld.param.u64 %a, [p];\n createpolicy.fractional.L2::evict_first.b64 %c, 0.5;\n\
         createpolicy.cvt.L2.b64 %c, %c;\n pmevent 3;\n mov.u32 %r0, %pm7;\n mov.u64 %c, %current_graph_exec;\n\
         mov.v4.u32 {%r1, %r2, %r3, %r4}, %ntid;\n mov.v2.b32 {%r1, %r2}, {%r2, %r1};\n mov.u16 %h, %ntid.x;\n\
         cvt.u32.u16 %r4, %h;\n st.global.v4.u32 [%a+16], {%r1, %r2, %r3, %r4};\n\
         mov.u32 %r0, own;\n setp.eq.u32 %p, %r3, 0;\n st.shared.u32 [own+4], 5;\n\
         cp.async.ca.shared.global [%r0], [%a], 4, %p;\n cp.async.ca.shared.global [own+4], [%a+4], 4, !%p;\n\
         cp.async.wait_all;\n ld.shared.v2.u32 {%r1, %r2}, [own];\n st.global.v2.u32 [%a+32], {%r1, %r2};\n ret;\n}\n",
    );
    let at = device.put(&[7u32, 8, 0, 0, 0, 0, 0, 0, 0, 0]);
    let fault = device.try_launch("k", [1, 1, 1], [3, 1, 1], 0, &[Arg::Ptr(at)]).0.fault;
    assert!(fault.is_none(), "{fault:?}");
    assert_eq!(device.get::<u32>(at, 10), [7, 8, 0, 0, 1, 3, 1, 3, 7, 0]);
}

/// Warp `w` executes a loop `w` times.
#[test]
fn the_longest_warp_is_the_one_that_executes_the_most() {
    let device = Device::new(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry longer() {
        .reg .b32 %r<3>; .reg .pred %p;
        mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5;
        LOOP: setp.eq.u32 %p, %r1, 0; @%p bra END; sub.u32 %r1, %r1, 1; bra LOOP;
        END: ret; }",
    );
    let counted = |grid: u32, block: u32| {
        let counters = device.launch("longer", grid, block, &[]).counters;
        (counters.totals.instructions, counters.longest_warp)
    };
    let (once, longest) = counted(1, 32);
    assert_eq!(longest, once);
    let (all, longest) = counted(1, 128);
    let round = (all - 4 * once) / 6;
    assert!(round > 0);
    assert_eq!(longest, once + 3 * round);
    assert_eq!(counted(5, 128), (5 * all, longest), "however many blocks there are");
}
