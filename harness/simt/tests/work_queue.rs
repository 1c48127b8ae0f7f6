//! Blocks that fetch pieces of work from a counter until none is left: blocks that are resident at once share them.

use crate::common::{Arg, Device};

/// Blocks of the grid.
const BLOCKS: u32 = 8;

/// How many pieces each block got when this body ran. In `%rd1` is the address of the counter, in `%rd2` that of the
/// block's own count of pieces, in `%r1` the number of pieces, and in `%r2` the thread's number.
fn shares(body: &str, pieces: i32, prepare: impl Fn(&mut Device)) -> Vec<u32> {
    let mut device = Device::new(&format!(
        ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .s32 n)\n{{
        .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>; .shared .b32 piece;
        ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;
        mov.u32 %r8, %ctaid.x; mad.wide.u32 %rd2, %r8, 4, %rd1; add.u64 %rd2, %rd2, 64;\n{body}\nret;\n}}\n"
    ));
    prepare(&mut device);
    let at = device.zeros::<u32>(16 + BLOCKS as usize);
    let report = device.launch("k", BLOCKS, 64, &[Arg::Ptr(at), Arg::I32(pieces)]);
    assert_eq!(report.findings, []);
    device.get(at + 64, BLOCKS as usize)
}

/// One thread fetches, and the block knows it through shared memory.
const BY_SHARED_MEMORY: &str = "
    again: setp.ne.u32 %p1, %r2, 0;\n@%p1 bra known;
    atom.global.add.u32 %r3, [%rd1], 1;\nst.shared.u32 [piece], %r3;
    known: bar.sync 0;\nld.shared.u32 %r4, [piece];\nsetp.ge.u32 %p2, %r4, %r1;\n@%p2 bra done;
    @%p1 bra next;\nred.global.add.u32 [%rd2], 1;
    next: bar.sync 0;\nbra again;
    done:";

/// Only the first thread of the block fetches.
const BY_ONE_THREAD: &str = "
    setp.ne.u32 %p1, %r2, 0;\n@%p1 bra done;
    again: atom.global.add.u32 %r3, [%rd1], 1;\nsetp.ge.u32 %p2, %r3, %r1;\n@%p2 bra done;
    red.global.add.u32 [%rd2], 1;\nbra again;
    done:";

/// Each warp fetches for itself, under a guard, and before its loop for the first time.
const BY_WARPS: &str = "
    and.b32 %r5, %r2, 31;\nsetp.eq.u32 %p1, %r5, 0;
    @%p1 atom.add.u32 %r3, [%rd1], 1;\nshfl.sync.idx.b32 %r4, %r3, 0, 31, -1;
    again: setp.ge.u32 %p2, %r4, %r1;\n@%p2 bra done;
    @%p1 red.global.add.u32 [%rd2], 1;
    @%p1 atom.add.u32 %r3, [%rd1], 1;\nshfl.sync.idx.b32 %r4, %r3, 0, 31, -1;\nbra again;
    done:";

/// The counter is raised by a compare-and-swap.
const BY_SWAPS: &str = "
    setp.ne.u32 %p1, %r2, 0;\n@%p1 bra done;
    again: ld.volatile.global.u32 %r3, [%rd1];
    try: setp.ge.u32 %p2, %r3, %r1;\n@%p2 bra done;
    add.u32 %r4, %r3, 1;\natom.global.cas.b32 %r5, [%rd1], %r3, %r4;
    setp.ne.u32 %p3, %r5, %r3;\nmov.u32 %r3, %r5;\n@%p3 bra try;
    red.global.add.u32 [%rd2], 1;\nbra again;
    done:";

const WAYS: [(&str, &str); 4] =
    [("shared memory", BY_SHARED_MEMORY), ("one thread", BY_ONE_THREAD), ("warps", BY_WARPS), ("swaps", BY_SWAPS)];

#[test]
fn each_block_gets_some_of_the_work() {
    for (way, body) in WAYS {
        for (workers, pieces) in [(1, 64), (2, 64), (1, 4000), (3, 4000)] {
            let shares = shares(body, pieces, |device| device.settings.workers = workers);
            assert_eq!(shares.iter().sum::<u32>(), pieces as u32, "{way}");
            assert!(shares.iter().all(|share| *share > 0), "{way}, {workers} workers: {shares:?}");
        }
    }
}

#[test]
fn one_worker_shares_the_work_evenly() {
    for body in [BY_SHARED_MEMORY, BY_ONE_THREAD] {
        assert_eq!(shares(body, 40, |device| device.settings.workers = 1), [5; 8]);
    }
    assert_eq!(shares(BY_ONE_THREAD, 8, |device| device.settings.workers = 1), [1; 8]);
}

#[test]
fn clusters_share_the_work_too() {
    let shares = shares(BY_SHARED_MEMORY, 400, |device| {
        device.settings.workers = 1;
        device.cluster = Some([2, 1, 1]);
    });
    assert_eq!(shares, [50; 8]);
}
