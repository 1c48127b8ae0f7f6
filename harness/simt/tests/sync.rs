//! Synchronisation of threads: shuffles, votes, barriers, locks, and what happens when some threads never arrive.

use crate::committed::ptx_of;
use crate::common::{Arg, Device};
use simt::finding::FindingKind;
use simt::machine::Fault;
use std::sync::LazyLock;

static PTX: LazyLock<String> = LazyLock::new(|| ptx_of("kernels/sync.cu"));

#[test]
fn shuffles_of_all_kinds_widths_and_masks() {
    let device = Device::new(&PTX);
    let out = device.zeros::<i32>(352);
    device.launch("shuffles", 1, 32, &[Arg::Ptr(out), Arg::I32(2)]);
    let got = device.get::<i32>(out, 352);
    for i in 0..32i32 {
        let at = |part: i32| got[(part * 32 + i) as usize];
        let v = |lane: i32| lane * 10;
        assert_eq!(at(0), v(if i >= 3 { i - 3 } else { i }), "up, lane {i}");
        assert_eq!(at(1), v(if i + 3 < 32 { i + 3 } else { i }), "down, lane {i}");
        assert_eq!(at(2), v(i ^ 5), "xor, lane {i}");
        assert_eq!(at(3), v(i * 7 % 32), "index, lane {i}");
        assert_eq!(at(4), v(if i % 8 >= 1 { i - 1 } else { i }), "up in 8, lane {i}");
        assert_eq!(at(5), v(if i % 8 + 2 < 8 { i + 2 } else { i }), "down in 8, lane {i}");
        assert_eq!(at(6), v(i ^ 1), "xor in 4, lane {i}");
        assert_eq!(at(7), v(i / 16 * 16 + 2), "index in 16, lane {i}");
        assert_eq!(at(8), if i < 20 { v((i + 1) % 20) } else { -1 }, "20 lanes, lane {i}");
        assert_eq!(at(9), v(i ^ 1), "halves, lane {i}");
        assert_eq!(at(10), v(if i < 31 { i + 1 } else { i }), "64 bits, lane {i}");
    }
}

#[test]
fn votes_matches_and_reductions() {
    let device = Device::new(&PTX);
    let out = device.zeros::<u32>(352);
    device.launch("votes", 1, 32, &[Arg::Ptr(out)]);
    let got = device.get::<u32>(out, 352);
    let ballot = |f: &dyn Fn(u32) -> bool| (0..32).fold(0u32, |m, i| m | (u32::from(f(i)) << i));
    for i in 0..32u32 {
        let at = |part: u32| got[(part * 32 + i) as usize];
        assert_eq!(at(0), 3);
        assert_eq!(at(1), ballot(&|k| k % 3 == 0));
        let want = if i % 2 == 1 { ballot(&|k| k % 2 == 1 && k > 9) } else { 0x5555_5555 };
        assert_eq!(at(2), want, "lane {i}");
        assert_eq!(at(3), ballot(&|k| k / 5 == i / 5));
        assert_eq!(at(4), 0u32, "all ones and one more");
        assert_eq!(at(5), 0);
        assert_eq!(at(6), 496);
        assert_eq!(at(7), -5i32 as u32);
        assert_eq!(at(8), 93);
        assert_eq!(at(9), (0..32).fold(0, |a, b| a ^ b));
        assert_eq!(at(10), ballot(&|k| k % 2 == i % 2));
    }
}

#[test]
fn barriers_order_shared_memory_for_any_block_size() {
    let device = Device::new(&PTX);
    for block in [1, 31, 32, 33, 100, 256, 1000, 1024u32] {
        let data: Vec<i32> = (0..block as i32 * 3).collect();
        let at = device.put(&data);
        let (report, _) = device.try_launch("reverse", [3, 1, 1], [block, 1, 1], block * 4, &[Arg::Ptr(at)]);
        assert_eq!(report.fault, None, "{:?}", report.findings);
        let got = device.get::<i32>(at, data.len());
        for (i, value) in got.iter().enumerate() {
            let (b, t) = (i as u32 / block, i as u32 % block);
            assert_eq!(*value as u32, b * block + block - 1 - t, "block of {block}");
        }
    }
}

#[test]
fn barriers_that_count_and_combine() {
    let device = Device::new(&PTX);
    let out = device.zeros::<i32>(100);
    device.launch("counts", 1, 100, &[Arg::Ptr(out)]);
    assert!(device.get::<i32>(out, 100).iter().all(|&v| v == 3411));
}

#[test]
fn named_barriers_let_producers_go_on() {
    let device = Device::new(&PTX);
    let out = device.zeros::<i32>(64);
    let report = device.launch("named", 1, 64, &[Arg::Ptr(out)]);
    let got = device.get::<i32>(out, 64);
    assert!(got[..32].iter().all(|&v| v == 1) && got[32..].iter().all(|&v| v == 42));
    assert_eq!(report.counters.totals.barriers, 2);
}

#[test]
fn a_lock_between_lanes_of_a_warp_makes_progress() {
    let mut device = Device::new(&PTX);
    for workers in [1, 2] {
        device.settings.workers = workers;
        for kernel in ["lock_after", "lock_inside"] {
            let (lock, sum) = (device.zeros::<i32>(1), device.zeros::<i32>(1));
            device.launch(kernel, 3, 96, &[Arg::Ptr(lock), Arg::Ptr(sum)]);
            assert_eq!(device.get::<i32>(sum, 1), [288], "{kernel}");
        }
    }
}

#[test]
fn blocks_and_lanes_that_wait_for_each_other_end() {
    let mut device = Device::new(&PTX);
    for (workers, seed) in [(1, 0), (2, 0), (1, 7), (2, 99)] {
        device.settings.workers = workers;
        device.settings.seed = seed;
        let (flag, out) = (device.zeros::<i32>(200), device.zeros::<i32>(100));
        device.launch("chain", 100, 32, &[Arg::Ptr(flag), Arg::Ptr(out)]);
        let want: Vec<i32> = (1..=100).collect();
        assert_eq!(device.get::<i32>(out, 100), want);
    }
}

#[test]
fn syncwarp_joins_lanes_at_different_instructions() {
    let device = Device::new(&PTX);
    let out = device.zeros::<i32>(32);
    device.launch("syncwarp", 1, 32, &[Arg::Ptr(out)]);
    let want = |i: i32| if i < 16 { i + 18 } else { i - 15 };
    assert_eq!(device.get::<i32>(out, 32), (0..32).map(want).collect::<Vec<i32>>());
}

#[test]
fn the_last_block_sees_what_all_blocks_wrote() {
    let mut device = Device::new(&PTX);
    for seed in 0..4 {
        device.settings.seed = seed;
        let n = 100_000;
        let input: Vec<i32> = (0..n).map(|i| i % 17 - 3).collect();
        let args = [
            Arg::Ptr(device.put(&input)),
            Arg::Ptr(device.zeros::<i32>(64)),
            Arg::Ptr(device.zeros::<u32>(1)),
            Arg::Ptr(device.zeros::<i32>(1)),
            Arg::I32(n),
        ];
        device.launch("last_block", 64, 128, &args);
        let Arg::Ptr(out) = args[3] else { unreachable!() };
        assert_eq!(device.get::<i32>(out, 1), [input.iter().sum::<i32>()]);
    }
}

#[test]
fn lanes_that_never_come_to_a_shuffle_are_found() {
    let device = Device::new(&PTX);
    let out = device.zeros::<i32>(32);
    let (report, _) = device.try_launch("deadlock_shuffle", [1; 3], [32, 1, 1], 0, &[Arg::Ptr(out)]);
    assert_eq!(report.fault, Some(Fault::Deadlock));
    let FindingKind::MissingLanes { mask, arrived, exited } = report.findings[0].kind else {
        panic!("{:?}", report.findings);
    };
    assert_eq!((mask, arrived, exited), (u32::MAX, 0xffff, 0));
    assert_eq!(report.findings[0].accesses[0].place.line, 134);
}

#[test]
fn warps_at_different_barriers_are_a_deadlock() {
    let device = Device::new(&PTX);
    let out = device.zeros::<i32>(64);
    let (report, _) = device.try_launch("deadlock_barrier", [1; 3], [64, 1, 1], 0, &[Arg::Ptr(out)]);
    assert_eq!(report.fault, Some(Fault::Deadlock));
    assert!(matches!(report.findings[0].kind, FindingKind::MismatchedBarrier { barrier: 1 }));
    assert_eq!(report.findings[0].accesses.len(), 2);
}

#[test]
fn an_endless_loop_ends_with_its_budget() {
    let mut device = Device::new(&PTX);
    device.settings.budget = 3_000_000;
    let flag = device.zeros::<i32>(1);
    let (report, _) = device.try_launch("forever", [2, 1, 1], [64, 1, 1], 0, &[Arg::Ptr(flag)]);
    assert_eq!(report.fault, Some(Fault::LaunchTimeout));
    let budget = 3_000_000;
    assert_eq!(report.findings[0].kind, FindingKind::EndlessLoop { budget });
}

/// The lanes diverge and reconverge in each iteration of the loop, so that some of them always have a part of their
/// time slice left.
#[test]
fn an_endless_loop_whose_lanes_part_and_meet_ends_with_its_budget() {
    let mut device = Device::new(PARTING);
    device.settings.budget = 20_000;
    let (from, to) = (device.zeros::<i32>(64), device.zeros::<i32>(64));
    for seed in 0..8 {
        device.settings.seed = seed;
        let arguments = [Arg::Ptr(from), Arg::Ptr(to)];
        let (report, _) = device.try_launch("parting", [2, 1, 1], [40, 2, 1], 0, &arguments);
        assert_eq!(report.fault, Some(Fault::LaunchTimeout), "seed {seed}");
    }
}

const PARTING: &str = "
.version 7.4
.target sm_70
.address_size 64
    // .globl    pass
.visible .entry parting(
.param .u64 parting_param_0,
.param .u64 parting_param_1
)
{
    .reg .pred     %p<5>;
    .reg .b32     %r<5>;
    .reg .b64     %rd<5>;
    .shared .align 4 .u32 word;
    ld.param.u64     %rd1, [parting_param_0];
    ld.param.u64     %rd2, [parting_param_1];
    mov.u32     %r1, %tid.x;
    setp.ne.s32     %p1, %r1, 0;
    @%p1 bra     $L__BB0_2;
    cvta.to.global.u64     %rd3, %rd1;
    ld.global.u32     %r2, [%rd3+124];
    st.shared.u32     [word], %r2;
$L__BB0_2:
    setp.gt.s32     %p2, %r1, 1;
    @%p2 bra     $L__BB0_4;
    bar.warp.sync     3;
$L__BB0_4:
    add.s32     %r3, %r1, -1;
    setp.gt.u32     %p3, %r3, 1;
    @%p3 bra     $L__BB0_6;
$L__BB0_6:
    setp.ne.s32     %p4, %r1, 3;
    @%p4 bra     $L__BB0_2;
    ld.shared.u32     %r4, [word];
    cvta.to.global.u64     %rd4, %rd2;
    st.global.u32     [%rd4], %r4;
$L__BB0_8:
    ret;
}
";
