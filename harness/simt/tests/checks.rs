//! The race and initialisation checks on whole kernels: each error is found and named, and the correct variant of the
//! program has no findings, whatever the order of warps and blocks.

use crate::committed::ptx_of;
use crate::common::{Arg, Device};
use simt::finding::{Finding, FindingKind, Scope, Space};
use simt::machine::Checks;

fn device(seed: u64) -> Device {
    let mut device = Device::new(&ptx_of("kernels/checks.cu"));
    device.settings.checks = Checks::ALL;
    device.settings.seed = seed;
    device
}

/// Returns the findings over several seeds.
fn findings(run: impl Fn(&Device) -> Vec<Finding>) -> Vec<Finding> {
    [0, 1, 2, 3, 12345].into_iter().flat_map(|seed| run(&device(seed))).collect()
}

fn launched(device: &Device, kernel: &str, grid: u32, block: u32, args: &[Arg]) -> Vec<Finding> {
    device.launch(kernel, grid, block, args).findings
}

fn count(device: &Device, kernel: &str) -> Vec<Finding> {
    let input: Vec<u32> = (0..1000u32).map(|i| i * 7 % 5).collect();
    let (data, counts) = (device.put(&input), device.zeros::<u32>(5));
    let args = [Arg::Ptr(data), Arg::Ptr(counts), Arg::I32(1000)];
    launched(device, kernel, 4, 256, &args)
}

fn is_race(finding: &Finding, space: Space, scope: Scope) -> bool {
    finding.kind == FindingKind::Race { space, scope }
}

#[test]
fn counts_without_atomics_race() {
    let found = findings(|d| count(d, "plain_count"));
    assert!(found.iter().any(|f| is_race(f, Space::Global, Scope::Grid)), "{found:#?}");
    for finding in &found {
        assert_eq!(finding.accesses.len(), 2, "both accesses are reported");
        for access in &finding.accesses {
            assert_eq!(access.place.line, 6, "{finding:#?}");
        }
    }
    assert_eq!(findings(|d| count(d, "atomic_count")), []);
}

fn tree(device: &Device, kernel: &str) -> Vec<Finding> {
    let (data, out) = (device.put(&[1f32; 256]), device.zeros::<f32>(1));
    launched(device, kernel, 1, 256, &[Arg::Ptr(data), Arg::Ptr(out)])
}

#[test]
fn a_tree_sum_needs_its_barrier() {
    let found = findings(|d| tree(d, "tree_no_barrier"));
    assert!(found.iter().any(|f| is_race(f, Space::Shared, Scope::Block)), "{found:#?}");
    assert!(
        found
            .iter()
            .flat_map(|f| &f.accesses)
            .all(|a| { a.variable.as_ref().is_some_and(|(name, _)| name.contains('s')) }),
        "the variable is named: {found:#?}"
    );
    assert_eq!(findings(|d| tree(d, "tree")), []);
}

#[test]
fn a_warp_needs_its_syncwarp() {
    let run = |kernel: &'static str| {
        findings(move |d| {
            let out = d.zeros::<f32>(32);
            launched(d, kernel, 1, 32, &[Arg::Ptr(out)])
        })
    };
    let found = run("lockstep");
    assert_eq!(run("in_step"), []);
    assert!(found.iter().any(|f| is_race(f, Space::Shared, Scope::Warp)), "{found:#?}");
}

#[test]
fn the_last_block_needs_the_fence() {
    let run = |kernel: &'static str| {
        findings(move |d| {
            let input = d.put(&vec![1f32; 64 * 8]);
            let (parts, done, out) = (d.zeros::<f32>(8), d.zeros::<u32>(1), d.zeros::<f32>(1));
            let args = [Arg::Ptr(input), Arg::Ptr(parts), Arg::Ptr(done), Arg::Ptr(out)];
            launched(d, kernel, 8, 64, &args)
        })
    };
    assert_eq!(run("last_block_fence"), []);
    let found = run("last_block_no_fence");
    assert!(found.iter().any(|f| is_race(f, Space::Global, Scope::Grid)), "{found:#?}");
}

#[test]
fn a_lock_needs_the_fence() {
    let run = |kernel: &'static str| {
        findings(move |d| {
            let (lock, count) = (d.zeros::<u32>(1), d.zeros::<u32>(1));
            let found = launched(d, kernel, 4, 64, &[Arg::Ptr(lock), Arg::Ptr(count)]);
            assert_eq!(d.get::<u32>(count, 1), [256]);
            found
        })
    };
    assert_eq!(run("locked"), []);
    assert!(!run("locked_no_fence").is_empty());
}

#[test]
fn a_chain_of_flags_is_clean() {
    let found = findings(|d| {
        let (flags, values) = (d.zeros::<u32>(50), d.zeros::<u32>(50));
        let found = launched(d, "chain", 50, 32, &[Arg::Ptr(flags), Arg::Ptr(values)]);
        assert_eq!(d.get::<u32>(values, 50)[49], (0..50).sum::<u32>());
        found
    });
    assert_eq!(found, []);
}

#[test]
fn reads_of_what_nobody_wrote() {
    let found = findings(|d| {
        let out = d.zeros::<f32>(64);
        launched(d, "half_written", 1, 64, &[Arg::Ptr(out)])
    });
    assert!(!found.is_empty());
    for finding in &found {
        assert_eq!(finding.kind, FindingKind::Uninitialized { space: Space::Shared });
        assert_eq!(finding.accesses[0].thread, [32, 0, 0]);
    }

    let d = device(0);
    d.memory.track_writes(true);
    let data = d.put(&[1f32; 32]);
    let out = d.put(&[0f32; 32]);
    let args = [Arg::Ptr(data), Arg::Ptr(out)];
    let found = launched(&d, "copy", 1, 32, &args);
    assert_eq!(found.len(), 1, "the host did not say that it wrote: {found:#?}");
    assert_eq!(found[0].kind, FindingKind::Uninitialized { space: Space::Global });
    d.memory.wrote(data, 128);
    assert_eq!(launched(&d, "copy", 1, 32, &args), []);

    let found = findings(|d| {
        let index = d.put(&[0i32, 1, 2, 3, 4, 5, 6, 7]);
        let out = d.zeros::<i32>(8);
        launched(d, "local_hole", 1, 8, &[Arg::Ptr(index), Arg::Ptr(out)])
    });
    assert!(!found.is_empty());
    for finding in &found {
        assert_eq!(finding.kind, FindingKind::Uninitialized { space: Space::Local });
        assert_eq!(finding.accesses[0].thread, [4, 0, 0]);
    }
}

/// Thread 0 of each block counts the block in and spins until all have arrived; the rest of its warp waits at the
/// block's barrier. That is how a grid waits, and it is not a barrier in divergent code, however long the others take.
const GATHER: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry gather(.param .u64 p_arrived, .param .u32 p_blocks)
{
    .reg .pred %p<3>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p_arrived];
    ld.param.u32 %r4, [p_blocks];
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra DONE;
    atom.global.add.u32 %r2, [%rd1], 1;
SPIN:
    ld.volatile.global.u32 %r3, [%rd1];
    setp.lt.u32 %p2, %r3, %r4;
    @%p2 bra SPIN;
DONE:
    bar.sync 0;
    ret;
}
";

#[test]
fn a_block_waits_for_its_spinning_thread_at_the_barrier() {
    let mut device = Device::new(GATHER);
    device.settings.checks = Checks::ALL;
    device.settings.workers = 1;
    for threads in [32, 33, 96] {
        let arrived = device.zeros::<u32>(1);
        let arguments = [Arg::Ptr(arrived), Arg::I32(20)];
        let (report, _) = device.try_launch("gather", [20, 1, 1], [threads, 1, 1], 0, &arguments);
        assert_eq!(report.fault, None);
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        assert_eq!(device.get::<u32>(arrived, 1), [20]);
    }
}

/// Two blocks, on two workers, store 7 in the same words at the same time: each warp in rows of 32 words, or all its
/// lanes in one word.
const SAME_VALUES: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry same_values(.param .u64 out, .param .u32 rows, .param .u32 scale) {
    .reg .b64 %rd<4>; .reg .b32 %r<7>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [rows];
    ld.param.u32 %r2, [scale];
    mov.u32 %r3, %tid.x;
    mul.lo.u32 %r3, %r3, %r2;
    mul.wide.u32 %rd2, %r3, 4;
    add.u64 %rd1, %rd1, %rd2;
    mov.u32 %r5, 7;
NEXT:
    st.global.u32 [%rd1], %r5;
    add.u64 %rd1, %rd1, 128;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra NEXT;
    ret;
}
";

/// A worker may record its store before the other one looks, and make it afterwards.
#[test]
fn blocks_may_store_one_value_at_the_same_time() {
    const ROWS: u32 = 20_000;
    let mut device = Device::new(SAME_VALUES);
    device.settings.checks = Checks::ALL;
    device.settings.workers = 2;
    for scale in [1, 0].repeat(5) {
        let out = device.zeros::<u32>(32 * ROWS as usize);
        let args = [Arg::Ptr(out), Arg::U32(ROWS), Arg::U32(scale)];
        assert_eq!(launched(&device, "same_values", 2, 32, &args), []);
    }
}

/// Stores of one value by lanes of an instruction, by warps and by blocks are noted; strictly, they race.
#[test]
fn stores_of_one_value_are_noted_or_strictly_reported() {
    for (space, place) in [("shared", ".shared .u32 flag;"), ("global", ".global .u32 flag;")] {
        let mut device = Device::new(&format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n{place}\n.visible .entry k()\n{{\n\
             st.{space}.u32 [flag], 1;\n ret;\n}}\n"
        ));
        for (blocks, threads, scope) in [(1, 2, Scope::Warp), (1, 64, Scope::Block), (2, 1, Scope::Grid)] {
            if (space, scope) == ("shared", Scope::Grid) {
                continue;
            }
            device.settings.checks = Checks::ALL;
            let report = device.launch("k", blocks, threads, &[]);
            assert_eq!(report.findings, [], "{space} {scope:?}");
            let lines: Vec<_> = report.same_values.iter().map(|place| place.ptx_line).collect();
            assert_eq!(lines, [7], "{space} {scope:?}: the store is noted");
            device.settings.checks = Checks { strict: true, ..Checks::ALL };
            let report = device.launch("k", blocks, threads, &[]);
            assert_eq!(report.same_values, []);
            let found = report.findings;
            let races = found.iter().filter(|f| matches!(f.kind, FindingKind::Race { .. })).count();
            // What lanes of a warp store in shared memory is a race if it is read.
            let is_unread = space == "shared" && scope == Scope::Warp;
            assert_eq!(races > 0, !is_unread, "{space} {scope:?}: {found:#?}");
        }
    }
}

/// The words by which the blocks of a cooperative grid wait for each other belong to the driver, and begin at zero.
#[test]
fn the_barrier_of_a_grid_is_no_memory_that_nobody_wrote() {
    let mut device = Device::new(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n\
         .reg .b32 %r<4>; .reg .b64 %d<5>;\n ld.param.u64 %d0, [p];\n mov.u32 %r0, %envreg1;\n\
         mov.u32 %r1, %envreg2;\n mov.b64 %d1, {%r1, %r0};\n atom.global.add.u32 %r2, [%d1+4], 1;\n\
         atom.global.add.u32 %r3, [%d0], %r2;\n ret;\n}\n",
    );
    device.settings.checks = Checks::ALL;
    device.memory.track_writes(true);
    device.cooperative = true;
    for _ in 0..3 {
        let at = device.zeros::<u32>(1);
        device.memory.wrote(at, 4);
        let report = device.launch("k", 8, 1, &[Arg::Ptr(at)]);
        assert!(report.findings.is_empty(), "{:#?}", report.findings);
        assert_eq!(device.get::<u32>(at, 1), [28]);
    }
}
