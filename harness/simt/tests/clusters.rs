//! Clusters: ranks, shared memory of other blocks, and the cluster's barrier.

use crate::common::{Arg, Device};
use simt::finding::{FindingKind, Scope, Space};
use simt::machine::{Checks, Fault, Report};

/// Returns a module with a kernel of these lines: `tile` has 32 words, `bar` is an mbarrier, `%rank` is the block's
/// rank in its cluster, `%at` points to 32 bytes in global memory for each thread of the grid.
fn module(lines: &str) -> String {
    format!(
        ".version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .shared .align 8 .b64 bar;
  .shared .align 16 .b32 tile[32];
  .reg .b64 %out, %state, %at, %far, %near;
  .reg .b32 %t, %r<12>, %mine, %rank, %next, %size, %other, %block;
  .reg .pred %p, %first;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  setp.eq.u32 %first, %t, 0;
  mov.u32 %rank, %cluster_ctarank;
  mov.u32 %size, %cluster_nctarank;
  add.u32 %next, %rank, 1;
  rem.u32 %next, %next, %size;
  mov.u32 %r0, tile;
  mad.lo.u32 %mine, %t, 4, %r0;
  mov.u32 %r0, %ctaid.y;
  mov.u32 %r1, %nctaid.x;
  mov.u32 %block, %ctaid.x;
  mad.lo.u32 %block, %r0, %r1, %block;
  mad.lo.u32 %r0, %block, 32, %t;
  mad.wide.u32 %at, %r0, 32, %out;
{lines}
  ret;
}}
"
    )
}

const SYNC: &str = "  barrier.cluster.arrive.release.aligned;\n  barrier.cluster.wait.acquire.aligned;\n";

/// Runs such a kernel with 32 threads per block and all checks. Returns its report and 8 words for each thread.
fn run(lines: &str, grid: [u32; 2], cluster: Option<[u32; 3]>) -> (Report, Vec<[u32; 8]>) {
    run_by(32, lines, grid, cluster)
}

fn run_by(each: u32, lines: &str, grid: [u32; 2], cluster: Option<[u32; 3]>) -> (Report, Vec<[u32; 8]>) {
    let mut device = Device::new(&module(lines));
    device.settings.checks = Checks::ALL;
    device.cluster = cluster;
    let threads = (grid[0] * grid[1] * each) as usize;
    let out = device.zeros::<u32>(threads * 8);
    let (report, _) = device.try_launch("k", [grid[0], grid[1], 1], [each, 1, 1], 0, &[Arg::Ptr(out)]);
    let words = device.get::<u32>(out, threads * 8);
    (report, words.chunks(8).map(|words| words.try_into().expect("8 of them")).collect())
}

fn fine(lines: &str, grid: [u32; 2], cluster: Option<[u32; 3]>) -> Vec<[u32; 8]> {
    let (report, got) = run(lines, grid, cluster);
    assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]));
    got
}

#[test]
fn a_block_knows_its_place() {
    let registers =
        ["clusterid.x", "clusterid.y", "nclusterid.x", "nclusterid.y", "cluster_ctaid.x", "cluster_ctaid.y"];
    let mut lines = String::new();
    for (k, name) in registers.iter().enumerate() {
        lines += &format!("  mov.u32 %r2, %{name};\n  st.global.u32 [%at+{}], %r2;\n", 4 * k);
    }
    lines += "  mov.pred %p, %is_explicit_cluster;\n  selp.u32 %r2, 100, 0, %p;\n  mad.lo.u32 %r2, %size, 1000, %r2;\n";
    lines += "  st.global.u32 [%at+24], %rank;\n  st.global.u32 [%at+28], %r2;\n";
    let got = fine(&lines, [6, 4], Some([3, 2, 1]));
    for (block, words) in got.iter().step_by(32).enumerate() {
        let (x, y) = (block as u32 % 6, block as u32 / 6);
        assert_eq!(*words, [x / 3, y / 2, 2, 2, x % 3, y % 2, x % 3 + y % 2 * 3, 6100], "block {x}, {y}");
    }
    // Without clusters, every block is its own cluster.
    let got = fine(&lines, [6, 4], None);
    for (block, words) in got.iter().step_by(32).enumerate() {
        let (x, y) = (block as u32 % 6, block as u32 / 6);
        assert_eq!(*words, [x, y, 6, 4, 0, 0, 0, 1000], "block {x}, {y}");
    }
}

/// Returns a kernel in which each block fills its tile, and reads that of the next block in four ways.
fn exchange(sync: [&str; 2]) -> String {
    let [before, after] = sync;
    format!(
        "  mad.lo.u32 %r2, %block, 100, %t;
  st.shared.u32 [%mine], %r2;
{before}  mapa.shared::cluster.u32 %other, %mine, %next;
  ld.shared::cluster.u32 %r3, [%other];
  mov.u64 %near, tile;
  cvta.shared.u64 %near, %near;
  mapa.u64 %far, %near, %next;
  ld.u32 %r4, [%far+4];
  getctarank.shared::cluster.u32 %r5, %other;
  getctarank.u64 %r6, %near;
  st.global.u32 [%at], %r3;
  st.global.u32 [%at+4], %r4;
  st.global.u32 [%at+8], %r5;
  st.global.u32 [%at+12], %r6;
  isspacep.shared::cta %p, %far;
  selp.u32 %r7, 1, 0, %p;
  isspacep.shared::cluster %p, %far;
  selp.u32 %r8, 2, 0, %p;
  add.u32 %r7, %r7, %r8;
  st.global.u32 [%at+16], %r7;
{after}"
    )
}

#[test]
fn blocks_read_each_other_s_shared_memory() {
    let got = fine(&exchange([SYNC, SYNC]), [12, 1], Some([4, 1, 1]));
    for (i, words) in got.iter().enumerate() {
        let (block, thread) = (i as u32 / 32, i as u32 % 32);
        let (rank, next) = (block % 4, block / 4 * 4 + (block + 1) % 4);
        let want = [next * 100 + thread, next * 100 + 1, (rank + 1) % 4, rank, 2];
        assert_eq!(words[..5], want, "block {block}, thread {thread}");
    }
}

#[test]
fn a_block_alone_is_its_own_cluster() {
    let got = fine(&exchange([SYNC, SYNC]), [2, 1], None);
    for (i, words) in got.iter().enumerate() {
        let (block, thread) = (i as u32 / 32, i as u32 % 32);
        assert_eq!(words[..5], [block * 100 + thread, block * 100 + 1, 0, 0, 3], "block {block}, thread {thread}");
    }
}

#[test]
fn blocks_that_do_not_wait_for_each_other_race() {
    let relaxed = SYNC.replace("release", "relaxed");
    for before in ["  bar.sync 0;\n", "", &relaxed] {
        let (report, _) = run(&exchange([before, SYNC]), [4, 1], Some([4, 1, 1]));
        let kind = FindingKind::Race { space: Space::Shared, scope: Scope::Grid };
        let finding = report.findings.iter().find(|f| f.kind == kind);
        let remedy = finding.and_then(|f| f.remedy.as_deref()).unwrap_or_default();
        assert!(remedy.contains("cluster.sync()"), "`{before}`: {:#?}", report.findings);
    }
}

#[test]
fn the_shared_memory_of_a_block_that_has_returned_is_gone() {
    let (report, _) = run(&exchange([SYNC, ""]), [4, 1], Some([4, 1, 1]));
    assert_eq!(report.fault, Some(Fault::IllegalAddress));
    assert!(matches!(report.findings[0].kind, FindingKind::BlockLeft { .. }), "{:#?}", report.findings);
    // A rank that does not exist in the cluster is outside of all memory.
    let lines = "  mapa.shared::cluster.u32 %other, %mine, 4;\n  ld.shared::cluster.u32 %r3, [%other];\n";
    let (report, _) = run(lines, [4, 1], Some([4, 1, 1]));
    assert_eq!(report.findings[0].kind, FindingKind::OutOfBounds { space: Space::Shared });
}

#[test]
fn the_cluster_s_barrier_waits_for_those_that_have_not_returned() {
    // Block 1 returns immediately; block 2 does not arrive a second time.
    let leaves = "  setp.eq.u32 %p, %rank, 1;\n  @%p ret;\n";
    fine(&[leaves, SYNC, SYNC].concat(), [4, 1], Some([4, 1, 1]));
    let once = "  setp.eq.u32 %p, %rank, 2;\n  @%p bra STAYS;\n";
    let stays = "  bra END;\nSTAYS:\n  mbarrier.init.shared::cta.b64 [bar], 1;
AGAIN:\n  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;\n  @!%p bra AGAIN;\nEND:\n";
    let (report, _) = run(&[SYNC, once, SYNC, stays].concat(), [4, 1], Some([4, 1, 1]));
    assert_eq!(report.fault, Some(Fault::Deadlock), "{:#?}", report.findings);
}

/// Blocks add to a counter in the shared memory of block 0, by atomics.
#[test]
fn atomics_reach_other_blocks() {
    let lines = format!(
        "  mov.u32 %r2, 0;
  st.shared.u32 [%mine], %r2;
{SYNC}  mapa.shared::cluster.u32 %other, %mine, 0;
  add.u32 %r3, %rank, 1;
  atom.shared::cluster.add.u32 %r4, [%other], %r3;
  red.shared::cluster.add.u32 [%other], %r3;
{SYNC}  ld.shared.u32 %r5, [%mine];
  st.global.u32 [%at], %r5;"
    );
    let got = fine(&lines, [4, 1], Some([4, 1, 1]));
    for (i, words) in got.iter().enumerate() {
        assert_eq!(words[0], if i < 32 { 2 * (1 + 2 + 3 + 4) } else { 0 }, "block {}", i / 32);
    }
}

/// Returns a kernel in which every block writes to the next one's tile and arrives at its mbarrier; nothing else orders
/// the two.
fn pass_on(arrive: &str) -> String {
    format!(
        "  @%first mbarrier.init.shared::cta.b64 [bar], 32;
  fence.mbarrier_init.release.cluster;
{SYNC}  mapa.shared::cluster.u32 %other, %mine, %next;
  mad.lo.u32 %r2, %rank, 100, %t;
  st.shared::cluster.u32 [%other], %r2;
  mov.u32 %r3, bar;
  mapa.shared::cluster.u32 %r3, %r3, %next;
  {arrive} _, [%r3];
WAIT:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;
  ld.shared.u32 %r4, [%mine];
  st.global.u32 [%at], %r4;
{SYNC}"
    )
}

#[test]
fn an_mbarrier_of_another_block_orders_what_is_written_there() {
    let got = fine(&pass_on("mbarrier.arrive.release.cluster.shared::cluster.b64"), [4, 1], Some([4, 1, 1]));
    for (i, words) in got.iter().enumerate() {
        let (block, thread) = (i as u32 / 32, i as u32 % 32);
        assert_eq!(words[0], (block + 3) % 4 * 100 + thread, "block {block}, thread {thread}");
    }
    let relaxed = pass_on("mbarrier.arrive.relaxed.cluster.shared::cluster.b64");
    let (report, _) = run(&relaxed, [4, 1], Some([4, 1, 1]));
    let kind = FindingKind::Race { space: Space::Shared, scope: Scope::Grid };
    assert!(report.findings.iter().any(|f| f.kind == kind), "{:#?}", report.findings);
}

/// Warp 0 of each block reads its tile and waits for the other block; warp 1 signals to that block that warp 0 has
/// read, and writes to its tile. The block's barrier passes on to warp 1 what warp 0 has waited for.
#[test]
fn what_a_warp_has_waited_for_is_known_behind_the_block_s_barrier() {
    let lines = format!(
        "  and.b32 %r2, %t, 31;
  mov.u32 %r3, tile;
  mad.lo.u32 %mine, %r2, 4, %r3;
  setp.lt.u32 %p, %t, 32;
  @%p st.shared.u32 [%mine], %r2;
  @%first mbarrier.init.shared::cta.b64 [bar], 32;
  fence.mbarrier_init.release.cluster;
{SYNC}  mapa.shared::cluster.u32 %other, %mine, %next;
  mov.u32 %r3, bar;
  mapa.shared::cluster.u32 %r3, %r3, %next;
  @%p ld.shared.u32 %r4, [%mine];
  bar.sync 0;
  @%p bra WAIT;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];
  bra WAITED;
WAIT:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;
WAITED:
  bar.sync 0;
  setp.lt.u32 %p, %t, 32;
  @!%p st.shared::cluster.u32 [%other], %r2;
{SYNC}"
    );
    let (report, _) = run_by(64, &lines, [2, 1], Some([2, 1, 1]));
    assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]));
    let without = lines.replace("WAITED:\n  bar.sync 0;\n", "WAITED:\n");
    let (report, _) = run_by(64, &without, [2, 1], Some([2, 1, 1]));
    assert!(report.findings.iter().any(|f| matches!(f.kind, FindingKind::Race { .. })), "{:#?}", report.findings);
}

/// One thread of block 0 copies its tile to the next block, and 16 bytes of it to all blocks.
#[test]
fn bulk_copies_cross_the_cluster() {
    let lines = format!(
        "  mad.lo.u32 %r2, %rank, 100, %t;
  st.shared.u32 [%mine], %r2;
  @%first mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
{SYNC}  setp.ne.u32 %p, %rank, 0;
  @%p bra RECEIVE;
  mov.u32 %r3, tile;
  mov.u32 %r4, bar;
  mapa.shared::cluster.u32 %r5, %r3, 1;
  mapa.shared::cluster.u32 %r6, %r4, 1;
  @%first cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], [%r3], 128, [%r6];
  bra END;
RECEIVE:
  setp.ne.u32 %p, %rank, 1;
  @%p bra END;
  @%first mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], 128;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;
  ld.shared.u32 %r4, [%mine];
  st.global.u32 [%at], %r4;
END:
{SYNC}"
    );
    let got = fine(&lines, [2, 1], Some([2, 1, 1]));
    for (i, words) in got.iter().enumerate().skip(32) {
        assert_eq!(words[0], i as u32 % 32);
    }
    let early = lines.replace("mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;", "setp.eq.u32 %p, 0, 0;");
    let (report, _) = run(&early, [2, 1], Some([2, 1, 1]));
    assert!(report.findings.iter().any(|f| matches!(f.kind, FindingKind::Race { .. })), "{:#?}", report.findings);
}

#[test]
fn a_copy_is_sent_to_several_blocks_at_once() {
    let lines = format!(
        "  @%first mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  add.u32 %r2, %block, 7;
  st.global.u32 [%at], %r2;
{SYNC}  @%first mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], 32;
  setp.ne.u32 %p, %rank, 2;
  @%p bra WAIT;
  .reg .b16 %blocks;
  mov.b16 %blocks, 13;
  @%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%at], 32, [bar], %blocks;
WAIT:
  setp.eq.u32 %p, %rank, 1;
  @%p bra END;
AGAIN:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra AGAIN;
  ld.shared.u32 %r3, [tile];
  st.global.u32 [%at+4], %r3;
END:
{SYNC}"
    );
    let got = fine(&lines, [4, 1], Some([4, 1, 1]));
    for (i, words) in got.iter().enumerate() {
        assert_eq!(words[1], if i / 32 == 1 { 0 } else { 9 }, "block {}", i / 32);
    }
}

/// All threads of all blocks reduce into the first block's memory, whose threads wait for all of them.
#[test]
fn reductions_report_to_the_mbarrier_of_another_block() {
    let lines = format!(
        "  @%first mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  mov.u32 %r2, 0;
  st.shared.u32 [%mine], %r2;
{SYNC}  @%first mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], 2560;
  mov.u32 %r3, tile;
  mapa.shared::cluster.u32 %other, %r3, %r2;
  mov.u32 %r4, bar;
  mapa.shared::cluster.u32 %r4, %r4, %r2;
  mad.lo.u32 %r5, %rank, 32, %t;
  cvt.u64.u32 %far, %r5;
  sub.u32 %r6, 0, %r5;
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%other], %r5, [%r4];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%other+4], %r6, [%r4];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%other+8], %far, [%r4];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%other+16], %r5, [%r4];
  setp.ne.u32 %p, %rank, 0;
  @%p bra END;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;
  ld.shared.u32 %r7, [%mine];
  st.global.u32 [%at], %r7;
END:
{SYNC}"
    );
    let got = fine(&lines, [4, 1], Some([4, 1, 1]));
    let sum = 127 * 128 / 2;
    let words: Vec<u32> = got[..5].iter().map(|words| words[0]).collect();
    assert_eq!(words, [sum, -127i32 as u32, sum, 0, 0]);
    let early = lines.replace("mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;", "setp.eq.u32 %p, 0, 0;");
    let (report, _) = run(&early, [4, 1], Some([4, 1, 1]));
    assert!(report.findings.iter().any(|f| matches!(f.kind, FindingKind::Race { .. })), "{:#?}", report.findings);
    // This reduction does not exist for 64 bits.
    let memory = std::sync::Arc::new(simt::memory::Memory::new(1 << 20));
    let none = module(&lines.replace("add.u64", "max.u64"));
    let error = simt::machine::Module::load(&none, &memory, gpu::Part::default_part()).unwrap_err();
    assert!(error.to_string().contains("red.async"), "{error}");
}

/// The blocks concurrently reduce in bulk to one location of the first block: that is not a race.
#[test]
fn blocks_reduce_in_bulk_into_one_block() {
    let lines = format!(
        "  @%first mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  add.u32 %r2, %rank, 1;
  setp.lt.u32 %p, %t, 16;
  @%p mov.u32 %r2, 0;
  st.shared.u32 [%mine], %r2;
  fence.proxy.async.shared::cta;
{SYNC}  @%first mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], 256;
  mov.u32 %r5, 0;
  mov.u32 %r3, tile;
  mapa.shared::cluster.u32 %other, %r3, %r5;
  mov.u32 %r4, bar;
  mapa.shared::cluster.u32 %r4, %r4, %r5;
  @%first cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%other], [tile+64], 64, [%r4];
  setp.ne.u32 %p, %rank, 0;
  @%p bra END;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;
  ld.shared.u32 %r7, [%mine];
  st.global.u32 [%at], %r7;
END:
{SYNC}"
    );
    let got = fine(&lines, [4, 1], Some([4, 1, 1]));
    assert!(got[..16].iter().all(|words| words[0] == 1 + 2 + 3 + 4), "{got:?}");
}

/// Each thread stores two words and then a 64-bit one to the next block, and the bytes count for its mbarrier.
#[test]
fn stores_report_to_the_mbarrier_of_another_block() {
    let lines = format!(
        "  @%first mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  setp.lt.u32 %p, %t, 8;
{SYNC}  @%first mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], 128;
  mov.u32 %r3, tile;
  mad.lo.u32 %r3, %t, 16, %r3;
  mapa.shared::cluster.u32 %other, %r3, %next;
  mov.u32 %r4, bar;
  mapa.shared::cluster.u32 %r4, %r4, %next;
  mad.lo.u32 %r2, %rank, 100, %t;
  cvt.u64.u32 %far, %r2;
  add.u32 %r5, %r2, 7;
  @%p st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%other], {{%r2, %r5}}, [%r4];
  @%p st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%other+8], %far, [%r4];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;
  ld.shared.u32 %r6, [%mine];
  st.global.u32 [%at], %r6;
{SYNC}"
    );
    let got = fine(&lines, [4, 1], Some([4, 1, 1]));
    for (i, words) in got.iter().enumerate() {
        let (block, word) = (i as u32 / 32, i as u32 % 32);
        let value = (block + 3) % 4 * 100 + word / 4;
        assert_eq!(words[0], [value, value + 7, value, 0][word as usize % 4], "block {block}, word {word}");
    }
    let early = lines.replace("mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;", "setp.eq.u32 %p, 0, 0;");
    let (report, _) = run(&early, [4, 1], Some([4, 1, 1]));
    assert!(report.findings.iter().any(|f| matches!(f.kind, FindingKind::Race { .. })), "{:#?}", report.findings);
}
