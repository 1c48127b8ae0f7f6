//! Sums whose time cannot be observed, made by several workers: each result corresponds to some order, and threads that
//! wait for the sums see them.

use crate::common::{Arg, Device};

/// `adds`: every thread adds `x` to `*sum` as its last action; `lanes`: each thread adds a different number. `waits`:
/// all add 1 except those of block 0, which wait until the others' sums are there, and store the sum they see. `tells`:
/// each block adds, then reports this after a fence; the last one to report reads the sum. `mixes`: odd blocks add and
/// store the previous value.
const PTX: &str = "
.version 8.1
.target sm_90
.address_size 64
.visible .entry adds(.param .u64 sum, .param .f32 x) {
    .reg .b64 %rd<3>; .reg .f32 %f<3>;
    ld.param.u64 %rd1, [sum];
    ld.param.f32 %f1, [x];
    red.global.add.f32 [%rd1], %f1;
    ret;
}
.visible .entry lanes(.param .u64 sum, .param .u64 terms) {
    .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<3>;
    ld.param.u64 %rd1, [sum];
    ld.param.u64 %rd2, [terms];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 4;
    add.u64 %rd4, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    atom.global.add.f32 %f2, [%rd1], %f1;
    ret;
}
.visible .entry waits(.param .u64 sum, .param .f32 others, .param .u64 saw) {
    .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .f32 %f<4>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [sum];
    ld.param.f32 %f1, [others];
    ld.param.u64 %rd2, [saw];
    mov.u32 %r1, %ctaid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra ADD;
LOOK:
    ld.volatile.global.f32 %f2, [%rd1];
    setp.lt.f32 %p2, %f2, %f1;
    @%p2 bra LOOK;
    st.global.f32 [%rd2], %f2;
    ret;
ADD:
    red.global.add.f32 [%rd1], 0f3F800000;
    ret;
}
.visible .entry tells(.param .u64 sum, .param .u64 told, .param .u64 saw) {
    .reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [sum];
    ld.param.u64 %rd2, [told];
    ld.param.u64 %rd3, [saw];
    red.global.add.f32 [%rd1], 0f3F800000;
    membar.gl;
    bar.sync 0;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra DONE;
    membar.gl;
    atom.global.add.u32 %r2, [%rd2], 1;
    mov.u32 %r3, %nctaid.x;
    sub.u32 %r3, %r3, 1;
    setp.ne.u32 %p2, %r2, %r3;
    @%p2 bra DONE;
    membar.gl;
    ld.volatile.global.f32 %f1, [%rd1];
    st.global.f32 [%rd3], %f1;
DONE:
    ret;
}
.visible .entry mixes(.param .u64 sum, .param .u64 olds) {
    .reg .b64 %rd<6>; .reg .b32 %r<9>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [sum];
    ld.param.u64 %rd2, [olds];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    and.b32 %r4, %r1, 1;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra ADD;
    atom.global.add.u32 %r5, [%rd1], 1;
    mad.lo.u32 %r6, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r6, 4;
    add.u64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r5;
    ret;
ADD:
    red.global.add.u32 [%rd1], 1;
    ret;
}
";

/// Returns a device on which several workers run blocks, whatever the host has.
fn device() -> Device {
    let mut device = Device::new(PTX);
    device.settings.workers = 3;
    device
}

#[test]
fn no_sum_is_lost() {
    let device = device();
    for blocks in [1u32, 2, 33, 1000] {
        let sum = device.zeros::<f32>(1);
        let report = device.launch("adds", blocks, 96, &[Arg::Ptr(sum), Arg::F32(1.0)]);
        assert_eq!(device.get::<f32>(sum, 1), [blocks as f32 * 96.0]);
        assert_eq!(report.counters.totals.global_atomics.lanes, u64::from(blocks) * 96);
        assert_eq!(report.counters.totals.global_atomics.requests, u64::from(blocks) * 3);
    }
}

#[test]
fn whoever_waits_for_the_sums_of_other_blocks_sees_them() {
    let device = device();
    for blocks in [2u32, 3, 40, 300] {
        let (sum, saw) = (device.zeros::<f32>(1), device.zeros::<f32>(1));
        let others = (blocks - 1) as f32 * 32.0;
        device.launch("waits", blocks, 32, &[Arg::Ptr(sum), Arg::F32(others), Arg::Ptr(saw)]);
        assert_eq!(device.get::<f32>(saw, 1), [others], "{blocks} blocks");
    }
}

#[test]
fn a_sum_before_a_fence_is_seen_by_the_block_that_ends_last() {
    let device = device();
    for _ in 0..20 {
        let (sum, told, saw) = (device.zeros::<f32>(1), device.zeros::<u32>(1), device.zeros::<f32>(1));
        device.launch("tells", 100, 64, &[Arg::Ptr(sum), Arg::Ptr(told), Arg::Ptr(saw)]);
        assert_eq!(device.get::<f32>(saw, 1), [6400.0]);
    }
}

#[test]
fn old_values_beside_such_sums_are_given_out_once() {
    let device = device();
    let (blocks, threads) = (400u32, 64u32);
    let (sum, olds) = (device.zeros::<u32>(1), device.zeros::<u32>((blocks * threads) as usize));
    device.launch("mixes", blocks, threads, &[Arg::Ptr(sum), Arg::Ptr(olds)]);
    assert_eq!(device.get::<u32>(sum, 1), [blocks * threads]);
    let olds = device.get::<u32>(olds, (blocks * threads) as usize);
    let odd = olds.chunks(threads as usize).skip(1).step_by(2);
    let mut seen: Vec<u32> = odd.flatten().copied().collect();
    seen.sort_unstable();
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]) && seen.last() < Some(&(blocks * threads)));
}

/// Returns the result of these warps' sums, one warp after another in this order, each lane rounded.
fn in_order(first: f32, warps: &[&[f32]]) -> u32 {
    warps.iter().copied().flatten().fold(first, |sum, term| sum + term).to_bits()
}

#[test]
fn each_result_is_what_some_order_gives() {
    // Small numbers first give a larger sum than a large one first, to which they add nothing.
    let (mut large, small) = ([0f32; 32], [0.75f32; 32]);
    large[0] = 16_777_216.0;
    let orders = [in_order(1.0, &[&large, &small]), in_order(1.0, &[&small, &large])];
    assert_ne!(orders[0], orders[1]);
    let device = device();
    for _ in 0..50 {
        let (sum, terms) = (device.put(&[1.0f32]), device.put(&[large, small].concat()));
        device.launch("lanes", 2, 32, &[Arg::Ptr(sum), Arg::Ptr(terms)]);
        assert!(orders.contains(&device.get::<u32>(sum, 1)[0]));
    }
}

#[test]
fn numbers_are_rounded_as_by_one_worker() {
    let tiny = f32::from_bits(1);
    let mut terms = vec![0f32; 64];
    terms[..6].copy_from_slice(&[tiny, -tiny, f32::MIN_POSITIVE, -f32::MIN_POSITIVE / 2.0, f32::NAN, 1.0]);
    // Prefixes without subnormal numbers and NaN, then with subnormal ones, then with all.
    for (first, used) in [(tiny, 1), (-tiny, 2), (0.0, 3), (-0.0, 4), (f32::MIN_POSITIVE, 4), (2.5, 5), (f32::MAX, 6)] {
        let mut given = vec![-0f32; 64];
        given[..used].copy_from_slice(&terms[..used]);
        let results = [1, 2].map(|workers| {
            let mut device = Device::new(PTX);
            device.settings.workers = workers;
            let (sum, terms) = (device.put(&[first]), device.put(&given));
            device.launch("lanes", 2, 32, &[Arg::Ptr(sum), Arg::Ptr(terms)]);
            device.get::<u32>(sum, 1)[0]
        });
        assert_eq!(results[0], results[1], "{first} and {used} terms");
    }
}
