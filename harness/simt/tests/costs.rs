//! What determines a launch's time: the memory it touches, its serialized atomics, its instructions by pipe, and its
//! chains.

use crate::committed::ptx_of;
use crate::common::{Arg, Device};
use simt::costs::Costs;
use simt::machine::Report;
use std::sync::LazyLock;

static BASIC: LazyLock<String> = LazyLock::new(|| ptx_of("kernels/basic.cu"));

/// Returns a device on which costs are counted, with `workers` workers.
fn device(ptx: &str, workers: usize) -> Device {
    let mut device = Device::new(ptx);
    device.settings.costs = true;
    device.settings.workers = workers;
    device
}

/// Returns a kernel with this body; `%rd1` is its pointer, `%r1` the thread's number in the grid and `%rd2` the same in
/// 64 bits.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n
.visible .entry probe(.param .u64 data)
{{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>;
    .shared .align 4 .b8 tile[4096];
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    cvt.u64.u32 %rd2, %r1;
    {body}
    ret;
}}
"
    )
}

/// Returns the costs of a kernel with this body, for 2 blocks of 64 threads, with 4 KiB of memory.
fn costs(body: &str) -> (Costs, Report) {
    let device = device(&kernel(body), 1);
    let data = device.zeros::<u32>(1024);
    let report = device.launch("probe", 2, 64, &[Arg::Ptr(data)]);
    (report.counters.costs.expect("costs are counted"), report)
}

#[test]
fn a_launch_touches_each_sector_once_whoever_runs_it() {
    let n = 10_000;
    for workers in [1, 3] {
        let device = device(&BASIC, workers);
        let data = vec![1.0f32; n];
        let (x, y, z) = (device.put(&data), device.put(&data), device.put(&data));
        let args = [Arg::Ptr(x), Arg::Ptr(y), Arg::Ptr(z), Arg::I32(n as i32)];
        let costs = device.launch("vecadd", 40, 256, &args).counters.costs.unwrap();
        let touched = costs.footprint;
        assert_eq!((touched.read_sectors, touched.written_sectors), (2500, 1250), "{workers} workers");
        assert_eq!((touched.sectors, touched.block_read_sectors), (3750, 2500), "{workers} workers");
        // A load of x waits only for its address, and so does that of y.
        assert_eq!(costs.chain.global, 40, "{workers} workers");
    }
}

#[test]
fn nothing_else_is_counted_differently_and_no_costs_without_being_asked() {
    let launch = |costs: bool| {
        let mut device = device(&BASIC, 2);
        device.settings.costs = costs;
        let data = vec![1.0f32; 1000];
        let (x, y, z) = (device.put(&data), device.put(&data), device.put(&data));
        device.launch("vecadd", 4, 256, &[Arg::Ptr(x), Arg::Ptr(y), Arg::Ptr(z), Arg::I32(1000)]).counters
    };
    let (with, without) = (launch(true), launch(false));
    assert!(with.costs.is_some() && without.costs.is_none());
    assert_eq!((&with.totals, &with.branches), (&without.totals, &without.branches));
}

#[test]
fn lanes_that_add_to_one_word_wait_for_each_other() {
    let (all, _) = costs("mov.u32 %r4, 1; red.global.add.u32 [%rd1], %r4;");
    assert_eq!((all.serial.steps, all.serial.longest, all.serial.longest_float), (128, 128, 0));
    let (float, _) = costs("mov.f32 %f1, 0f3F800000; red.global.add.f32 [%rd1], %f1;");
    assert_eq!((float.serial.longest, float.serial.longest_float), (128, 128));
    let (some, _) = costs("setp.lt.u32 %p1, %r3, 5; mov.u32 %r4, 1; @%p1 red.global.add.u32 [%rd1], %r4;");
    assert_eq!(some.serial.longest, 2 * 5, "five lanes of each block's first warp");
    let (apart, _) = costs("shl.b64 %rd3, %rd2, 2; add.s64 %rd3, %rd1, %rd3; red.global.add.u32 [%rd3], %r1;");
    assert_eq!((apart.serial.steps, apart.serial.longest), (4 * 4, 16), "four warps at four sectors each");
    let shared = "and.b32 %r4, %r3, 1; mul.wide.u32 %rd3, %r4, 4; mov.u64 %rd4, tile; add.s64 %rd4, %rd4, %rd3;
        atom.shared.add.u32 %r5, [%rd4], %r1; st.global.u32 [%rd1], %r5;";
    assert_eq!(costs(shared).0.serial.shared_steps, 4 * 16, "sixteen lanes at each of two words");
    let shared_ones = shared.replace("%r1; st.global.u32 [%rd1], %r5", "1; st.global.u32 [%rd1], %r4");
    assert_eq!(costs(&shared_ones).0.serial.shared_steps, 4, "the hardware counts the lanes of each word");
    let numbers = shared.replace("%r1; st", "1; st");
    assert_eq!(costs(&numbers).0.serial.shared_steps, 4 * 16, "but does not number them");
}

#[test]
fn a_chain_is_as_long_as_its_loads_depend_on_each_other() {
    let side_by_side = "ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1+64]; add.u32 %r6, %r4, %r5;
        st.global.u32 [%rd1+128], %r6;";
    assert_eq!(costs(side_by_side).0.chain.global, 2, "one step in each of two blocks");
    let one_after_another = "ld.global.u32 %r4, [%rd1]; cvt.u64.u32 %rd3, %r4; add.s64 %rd3, %rd1, %rd3;
        ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd1+128], %r5;";
    assert_eq!(costs(one_after_another).0.chain.global, 2 * 2);
    // The second warp of each block executes a loop ten times, the first one once.
    let longest = "shr.u32 %r4, %r3, 5; mul.lo.u32 %r4, %r4, 9;
        LOOP: ld.global.u32 %r5, [%rd1]; add.u32 %r6, %r6, %r5; sub.u32 %r4, %r4, 1; setp.ge.s32 %p1, %r4, 0;
        @%p1 bra LOOP; st.global.u32 [%rd1+128], %r6;";
    assert_eq!(costs(longest).0.chain.global, 2 * 10, "the longer warp of each of two blocks");
}

#[test]
fn a_load_is_waited_for_where_its_value_is_first_needed() {
    // Blocks of code that cannot be predicated, because they end with an atomic.
    let atomic = "red.global.add.u32 [%rd1+512], 1;";
    let two_ways = format!(
        "ld.global.u32 %r4, [%rd1]; mov.u32 %r6, %r3; setp.gt.u32 %p1, %r2, 32; @%p1 bra ODD; {atomic} bra LAST;
        ODD: setp.gt.u32 %p2, %r2, 48; @!%p2 bra LAST;
        ROUND: add.u32 %r4, %r4, 3; add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 5; @%p3 bra ROUND;
        LAST: st.global.u32 [%rd1+128], %r4;"
    );
    assert_eq!(costs(&two_ways).0.chain.global, 2, "once on each way, in each of two blocks");
    // Adjacent loads whose values are each used in a separate block of code.
    let used = |n: u32| {
        let label =
            format!("setp.gt.u32 %p1, %r2, {n}; @!%p1 bra NEXT{n}; red.global.add.u32 [%rd1+512], %r{n}; NEXT{n}:");
        label
    };
    let together = format!(
        "ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1+64]; ld.global.u32 %r6, [%rd1+96]; {}{}{}",
        used(4),
        used(5),
        used(6)
    );
    assert_eq!(costs(&together).0.chain.global, 2, "the first that is needed waits, and the others have come");
    // The next iteration's value is loaded before this one's is used.
    let rotating = |waits_at_once: bool| {
        let used = if waits_at_once { "%r5" } else { "%r4" };
        format!(
            "mov.u32 %r6, 0; ld.global.u32 %r4, [%rd1];
            ROUND: setp.gt.u32 %p1, %r6, 8; @%p1 bra SKIP; {atomic} ld.global.u32 %r5, [%rd1+64];
            SKIP: mul.lo.u32 %r7, %r6, %r6; mul.lo.u32 %r7, %r7, %r7; add.u32 %r8, {used}, %r7;
            st.global.u32 [%rd1+128], %r8; mov.u32 %r4, %r5; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 10; @%p2 bra ROUND;"
        )
    };
    let (early, late) = (costs(&rotating(false)).0.chain, costs(&rotating(true)).0.chain);
    assert_eq!((early.global, late.global), (2 * 11, 2 * 11), "before the first round, and once a round");
    assert!(
        early.meanwhile >= 2 * 20 && late.meanwhile >= 2 * 20,
        "the products are made meanwhile: {early:?} {late:?}"
    );
}

/// Returns a loop of `times` dependent loads: each load's address is the value of the one before.
fn loads(times: u32, label: &str) -> String {
    format!(
        "mov.u32 %r4, 0; {label}: ld.global.u32 %r5, [%rd1]; cvt.u64.u32 %rd3, %r5; add.u64 %rd1, %rd1, %rd3;
        add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, {times}; @%p3 bra {label};"
    )
}

#[test]
fn between_barriers_the_slowest_warp_counts_whichever_it_is() {
    // The first warp makes a chain of `first` loads before the barrier, and the second a chain of `second` loads after
    // it.
    let chain = |first: u32, barrier: &str, second: u32| {
        let body = format!(
            "setp.lt.u32 %p1, %r3, 32; @!%p1 bra WAIT; {} WAIT: {barrier} @%p1 bra END; {} END:",
            loads(first, "FIRST"),
            loads(second, "SECOND")
        );
        costs(&body).0.chain
    };
    assert_eq!(chain(10, "bar.sync 0;", 7).global, 2 * 17, "of both warps, in each of two blocks");
    assert_eq!(chain(10, "", 7).global, 2 * 10, "the warps do not wait for each other");
    // A barrier of some threads does not make all threads wait.
    assert_eq!(chain(10, "bar.arrive 1, 64;", 7).global, 2 * 10);
}

#[test]
fn what_lanes_execute_apart_counts_between_the_barriers_where_they_do() {
    // Between two barriers half of the first warp loads four times; after them the second warp loads three times.
    let chain = |between: &str| {
        let body = format!(
            "setp.ge.u32 %p1, %r3, 32; mov.u32 %r6, %laneid; setp.lt.u32 %p2, %r6, 16; bar.sync 0;
            @%p1 bra SECOND; {between} bar.sync 0; bra END;
            SECOND: barrier.sync 0; {} END:",
            loads(3, "BEHIND")
        );
        costs(&body).0.chain.global
    };
    assert_eq!(chain(&format!("@%p2 bra ON; {} ON:", loads(4, "APART"))), 2 * 7, "the others wait for them");
    assert_eq!(chain(&format!("@%p2 bra ON; {} exit; ON:", loads(4, "APART"))), 2 * 7, "these lanes end");
    let body = format!(
        "setp.ge.u32 %p1, %r3, 32; mov.u32 %r6, %laneid; setp.lt.u32 %p2, %r6, 16; bar.sync 0;
        @%p1 bra SECOND; @%p2 bra ALONE; {} barrier.sync 0; bra ON; ALONE: barrier.sync 0;
        ON: bar.sync 0; bra END; SECOND: barrier.sync 0; bar.sync 0; {} END:",
        loads(4, "APART"),
        loads(3, "BEHIND")
    );
    assert_eq!(costs(&body).0.chain.global, 2 * 7, "each half comes to a barrier alone");
    let body = format!(
        "mov.u32 %r6, %laneid; setp.lt.u32 %p2, %r6, 16; bar.sync 0; @%p2 bra ALONE; {} barrier.sync 0; bra END;
        ALONE: barrier.sync 0; END:",
        loads(4, "APART")
    );
    assert_eq!(costs(&body).0.chain.global, 2 * 4, "and then to its end");
    let body = format!(
        "mov.u32 %r7, 0; AGAIN: {} bar.sync 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 3; @%p1 bra AGAIN;",
        loads(5, "LOAD")
    );
    assert_eq!(costs(&body).0.chain.global, 2 * 15, "three rounds of a loop with a barrier");
}

#[test]
fn instructions_go_to_their_pipes_and_moves_to_none() {
    let (costs, report) = costs(
        "cvt.rn.f32.u32 %f1, %r1; fma.rn.f32 %f2, %f1, %f1, %f1; fma.rn.f32 %f3, %f2, %f2, %f2; mov.f32 %f4, %f3;
        ex2.approx.f32 %f5, %f4; add.u32 %r4, %r1, %r1; st.global.f32 [%rd1], %f5;",
    );
    let warps = report.counters.warps;
    assert_eq!((costs.pipes.single, costs.pipes.special), (2 * warps, 2 * warps));
    assert_eq!((costs.pipes.memory, costs.pipes.double), (warps, 0));
    // Three special registers and the sum; a product for the thread's number.
    assert_eq!((costs.pipes.integer, costs.pipes.product), (4 * warps, warps));
}

/// Makes four loads of adjacent words of shared memory, from rows of `row` bytes.
fn neighbours(row: u32) -> (u64, u64, u64) {
    let body = format!(
        "shr.u32 %r4, %r3, 4; mul.wide.u32 %rd3, %r4, {row}; mov.u64 %rd4, tile; add.s64 %rd4, %rd4, %rd3;
        mov.f32 %f9, 0f00000000; st.shared.f32 [%rd4], %f9; bar.sync 0;
        ld.shared.f32 %f1, [%rd4]; ld.shared.f32 %f2, [%rd4+4]; add.f32 %f1, %f1, %f2;
        ld.shared.f32 %f3, [%rd4+8]; ld.shared.f32 %f4, [%rd4+12]; add.f32 %f3, %f3, %f4;
        add.f32 %f1, %f1, %f3; st.global.f32 [%rd1], %f1;"
    );
    let (costs, report) = costs(&body);
    let loads = report.counters.totals.shared_loads;
    (loads.requests, loads.wavefronts, costs.pipes.memory)
}

#[test]
fn four_neighbours_are_one_load_where_the_assembler_knows_that_they_begin_at_a_multiple_of_16() {
    // Each half of a warp reads a single location: two passes for 16 bytes, as counted on an H200.
    assert_eq!(neighbours(64), (4, 8, 4 * (1 + 1 + 1)), "rows of 64 bytes");
    assert_eq!(neighbours(40), (4 * 4, 4 * 4, 4 * (1 + 4 + 1)), "rows of 40 bytes");
}

#[test]
fn loads_are_not_merged_past_a_write() {
    let body =
        "mov.u64 %rd4, tile; ld.shared.f32 %f1, [%rd4]; ld.shared.f32 %f2, [%rd4+4]; st.shared.f32 [%rd4+64], %f2;
        ld.shared.f32 %f3, [%rd4+8]; ld.shared.f32 %f4, [%rd4+12]; add.f32 %f1, %f1, %f3; st.global.f32 [%rd1], %f1;";
    assert_eq!(costs(body).1.counters.totals.shared_loads.requests, 4 * 4);
}

/// Returns the costs of a warpgroup that executes these products, in one block; `%d1` describes a tile.
fn products(lines: &str) -> Costs {
    let ptx = format!(
        ".version 8.4\n.target sm_90a\n.address_size 64
.visible .entry k(.param .u64 descriptor)
{{
    .reg .b64 %d<2>; .reg .f32 %f<64>;
    .shared .align 1024 .b8 area[16384];
    ld.param.u64 %d1, [descriptor];
    wgmma.fence.sync.aligned;
    {lines}
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    ret;
}}
"
    );
    let report = device(&ptx, 1).launch("k", 1, 128, &[Arg::Ptr(128 >> 4 << 16 | 256 >> 4 << 32)]);
    report.counters.costs.expect("costs are counted")
}

#[test]
fn a_product_by_a_warpgroup_counts_by_its_columns_and_what_orders_it_hardly() {
    let product = |columns: usize| {
        let sums: Vec<String> = (0..columns / 2).map(|at| format!("%f{at}")).collect();
        let list = sums.join(", ");
        format!("wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16 {{{list}}}, %d1, %d1, 1, 1, 1, 0, 0;")
    };
    let told = |costs: Costs| (costs.pipes.warpgroup, costs.chain.warpgroup, costs.chain.tensor);
    // A product of 16 rows by 8 columns, by 16, for each of the four warps; the wait at the end is shorter.
    assert_eq!(told(products(&product(128))), (4 * 16, 16, 0));
    assert_eq!(told(products(&product(128).repeat(2))), (4 * 32, 32, 0), "they add to the same sums");
    assert_eq!(told(products(&product(8))), (4, 0, 1), "the wait is longer");
    let (one, none) = (products(&product(128)).pipes, products("").pipes);
    assert_eq!((one.tensor, one.control), (0, none.control), "the same orders, and the same end");
}

#[test]
fn what_copies_in_bulk_touch_counts_like_what_lanes_touch() {
    let all = |bytes: u32| {
        let body = format!(
            "setp.ne.u32 %p1, %r3, 0; @%p1 bra END;
            mov.u32 %r4, tile; cp.async.bulk.global.shared::cta.bulk_group [%rd1+32], [%r4], {bytes};
            cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:"
        );
        let ptx = kernel(&body).replace("sm_80", "sm_90").replace(".align 4 .b8 tile", ".align 128 .b8 tile");
        let device = device(&ptx, 1);
        let data = device.zeros::<u32>(1024);
        device.launch("probe", 2, 64, &[Arg::Ptr(data)]).counters.costs.unwrap().footprint
    };
    let footprint = all(80);
    // Both blocks write the same three sectors, the last one only in part.
    assert_eq!((footprint.written_sectors, footprint.copied_sectors), (3, 2 * 3));
    assert_eq!((footprint.read_sectors, footprint.block_read_sectors), (0, 0));
}

#[test]
fn nobody_waits_for_an_atomic_whose_old_value_is_not_used() {
    let steps = |old: &str| {
        let body = format!("mov.u32 %r4, 1; atom.global.add.u32 %r5, [%rd1], %r4; st.global.u32 [%rd1+128], {old};");
        costs(&body).0.chain.atomics
    };
    assert_eq!((steps("%r5"), steps("%r4")), (2, 0), "one step in each of two blocks, or none");
}

#[test]
fn a_conversion_to_tf32_is_three_instructions_on_integers() {
    let (with, _) = costs("mov.f32 %f1, 0f3f800001; cvt.rna.tf32.f32 %r4, %f1; st.global.u32 [%rd1], %r4;");
    let (without, _) = costs("mov.u32 %r4, 1; st.global.u32 [%rd1], %r4;");
    assert_eq!(with.pipes.integer - without.pipes.integer, 4 * 3, "in each of four warps");
    assert_eq!((with.pipes.special, with.chain.special), (0, 0));
}

#[test]
fn the_longest_chain_is_that_of_the_block_that_takes_longest() {
    // The second block executes a loop ten times, the first one once.
    let (uneven, _) = costs(
        "mov.u32 %r5, %ctaid.x; mul.lo.u32 %r4, %r5, 9;
        LOOP: ld.global.u32 %r5, [%rd1]; add.u32 %r6, %r6, %r5; sub.u32 %r4, %r4, 1; setp.ge.s32 %p1, %r4, 0;
        @%p1 bra LOOP; st.global.u32 [%rd1+128], %r6;",
    );
    let share = uneven.longest_chain as f64 / uneven.chain.cycles() as f64;
    assert!((share - 10.0 / 11.0).abs() < 0.02, "{share}");
}

#[test]
fn the_busiest_block_is_that_which_executes_most() {
    // The second block stores ten times, and the first once.
    let (uneven, _) = costs(
        "mov.u32 %r5, %ctaid.x; mul.lo.u32 %r4, %r5, 9;
        LOOP: st.global.u32 [%rd1], %r4; sub.u32 %r4, %r4, 1; setp.ge.s32 %p1, %r4, 0; @%p1 bra LOOP;",
    );
    assert_eq!((uneven.pipes.memory, uneven.busiest.memory), (2 * 11, 2 * 10), "two warps in each block");
    let (even, _) = costs("st.global.u32 [%rd1], %r1;");
    assert_eq!(2 * even.busiest.total(), even.pipes.total());
}

#[test]
fn a_fence_for_the_device_is_waited_for_and_one_for_the_block_is_not() {
    let fences = |scope: &str| costs(&format!("st.global.u32 [%rd1], %r1; {scope};")).0.chain.fences;
    let counted = ["membar.gl", "fence.acq_rel.gpu", "membar.cta"].map(fences);
    assert_eq!(counted, [2, 2, 0], "in two blocks");
}

/// Returns the cost of four loads, each preceded by `more`, with a branch past both.
fn guarded(more: &str) -> Costs {
    let one = |at: u32| {
        let (to, from) = (at + 5, at * 4);
        format!(
            "setp.eq.u32 %p1, %r1, {at}; mov.u32 %r{to}, 0; @%p1 bra L{at}; {more} ld.global.u32 %r{to}, [%rd1+{from}];
            L{at}: add.u32 %r1, %r1, 1;"
        )
    };
    let all: String = (0..4).map(one).collect();
    let sum = "add.u32 %r5, %r5, %r6; add.u32 %r7, %r7, %r8; add.u32 %r5, %r5, %r7; st.global.u32 [%rd1+128], %r5;";
    costs(&format!("{all} {sum}")).0
}

#[test]
fn a_branch_past_a_few_instructions_is_not_made_and_past_more_it_is() {
    // Products, no two of which are fused, and no product.
    let more = |count: usize| guarded(&"mul.lo.u32 %r2, %r2, %r1; ".repeat(count));
    let (few, most, many) = (guarded(""), more(19), more(20));
    let warps = 4;
    assert_eq!(few.pipes.control, most.pipes.control);
    assert_eq!(many.pipes.control - few.pipes.control, 4 * warps, "a block of 21 instructions is branched past");
    let stores = guarded("st.global.u32 [%rd1+256], %r1;");
    for (code, told) in [(few, "predicated"), (many, "branched past"), (stores, "behind stores")] {
        assert_eq!(code.chain.global, 2, "all four are waited for where they are added, in each of two blocks: {told}");
    }
    // Without a load, at most seven instructions are predicated, and atomics never are.
    let without = |code: &str| {
        let body = format!("setp.eq.u32 %p1, %r1, 3; @%p1 bra OVER; {code} OVER: st.global.u32 [%rd1+128], %r2;");
        costs(&body).0.pipes.control
    };
    let products = |count: usize| without(&"mul.lo.u32 %r2, %r2, %r1; ".repeat(count));
    assert_eq!((products(7) + warps, products(7)), (products(8), products(1)));
    assert_eq!(without("red.global.add.u32 [%rd1], 1;"), products(8));
}

#[test]
fn a_barrier_behind_a_branch_that_is_not_made_is_still_waited_for() {
    let body = |barrier: &str| {
        let code = "ld.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra OVER; xor.b32 %r2, %r2, %r1;";
        costs(&format!("{code} OVER: {barrier} st.global.u32 [%rd1+256], %r4;")).0.chain
    };
    let (with, without) = (body("bar.sync 0;"), body(""));
    assert_eq!((with.barriers, without.barriers), (2, 0), "one in each of two blocks");
    assert_eq!((with.global, without.global), (2, 2));
}

/// Returns the costs when the threads of block `waiter`, of two blocks, execute `wait` until the other block has set a
/// flag.
fn waited(waiter: u32, wait: &str) -> (Costs, Report) {
    costs(&format!(
        "mov.u32 %r4, %ctaid.x; setp.ne.u32 %p1, %r4, {waiter}; @%p1 bra SET; {wait} OUT: bra END;
        SET: st.release.gpu.global.u32 [%rd1], %r2; END: st.global.u32 [%rd1+128], %r2;"
    ))
}

#[test]
fn rounds_of_a_loop_that_only_waits_for_another_block_cost_nothing() {
    let round = "ld.acquire.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;";
    let looked = "ld.acquire.gpu.global.u32 %r5, [%rd1]; setp.ne.u32 %p2, %r5, 0; @%p2 bra OUT;";
    let loads = [
        (format!("LOOK: {round}"), 1),
        (format!("{looked} LOOK: {round}"), 1),
        (format!("{looked} add.s64 %rd5, %rd1, 0; LOOK: {}", round.replace("%rd1", "%rd5")), 1),
        (format!("LOOK: {}", round.replace("ld.acquire.gpu", "ld.volatile")), 1),
        ("LOOK: atom.global.add.u32 %r5, [%rd1], 0; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;".into(), 0),
    ];
    for (wait, global) in &loads {
        let (waits, waits_report) = waited(0, wait);
        let (comes_late, late_report) = waited(1, wait);
        let instructions = |report: &Report| report.counters.totals.instructions;
        assert!(instructions(&waits_report) > instructions(&late_report) + 10, "block 0 goes round: {wait}");
        assert_eq!(waits.chain, comes_late.chain, "{wait}");
        assert_eq!((waits.pipes, waits.serial), (comes_late.pipes, comes_late.serial), "{wait}");
        assert_eq!(waits.chain.global, *global, "{wait}");
        let loads =
            |costs: &Costs, report: &Report| report.counters.totals.global_loads.sectors - costs.footprint.spun_sectors;
        assert_eq!(loads(&waits, &waits_report), loads(&comes_late, &late_report), "{wait}");
    }
}

#[test]
fn rounds_of_a_loop_that_does_something_are_counted() {
    let other_place = "mov.u64 %rd5, %rd1; LOOK: ld.acquire.gpu.global.u32 %r5, [%rd5]; add.s64 %rd5, %rd5, 0;
        setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;";
    let stores = "LOOK: ld.acquire.gpu.global.u32 %r5, [%rd1]; st.global.u32 [%rd1+64], %r5; setp.eq.u32 %p2, %r5, 0;
        @%p2 bra LOOK;";
    for wait in [other_place, stores] {
        let chain = |waiter| waited(waiter, wait).0.chain.global;
        assert!(chain(0) > chain(1) + 10, "{wait}");
    }
}

/// Returns the cycles of the longest chain of 33 blocks. It is that of block `waiter`: each of its lanes waits for a
/// different one of the other blocks, and then executes `behind`.
fn after_waiting(waiter: u32, behind: &str) -> (u64, Report) {
    let body = format!(
        "mov.u32 %r4, %ctaid.x; setp.eq.u32 %p1, %r4, {waiter}; @%p1 bra WAIT;
        mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd1, %rd3; mov.u32 %r5, 1; st.release.gpu.global.u32 [%rd3], %r5; bra END;
        WAIT: setp.ge.u32 %p3, %r3, {waiter}; selp.u32 %r6, 1, 0, %p3; add.u32 %r6, %r6, %r3;
        mul.wide.u32 %rd3, %r6, 4; add.s64 %rd3, %rd1, %rd3;
        LOOK: ld.acquire.gpu.global.u32 %r5, [%rd3]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;
        {behind} st.global.u32 [%rd3+512], %r5; END:"
    );
    let device = device(&kernel(&body), 1);
    let data = device.zeros::<u32>(1024);
    let report = device.launch("probe", 33, 32, &[Arg::Ptr(data)]);
    let costs = report.counters.costs.as_ref().expect("costs are counted");
    (costs.longest_chain, report)
}

#[test]
fn lanes_that_have_left_a_loop_wait_behind_it_for_those_that_still_look() {
    let behind = "add.u32 %r5, %r5, 1; xor.b32 %r5, %r5, 3; ".repeat(50);
    // The first block waits for the other blocks one by one, and the last one finds all of them finished.
    let (waits, waits_report) = after_waiting(0, &behind);
    let (comes_late, _) = after_waiting(32, &behind);
    assert_eq!(waits, comes_late, "what is behind the loop is executed once");
    assert!(waits_report.counters.totals.branches > 100, "the first block goes round");
    // The value that a lane waits for may be written after the loop: then the other lanes continue without it.
    let lanes = "mov.u32 %r6, %laneid; setp.eq.u32 %p1, %r6, 0; mul.wide.u32 %rd3, %r6, 4; add.s64 %rd3, %rd1, %rd3;
        @%p1 bra SET; LOOK: ld.acquire.gpu.global.u32 %r5, [%rd3]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;
        SET: st.release.gpu.global.u32 [%rd3+4], %r2;";
    let (_, report) = costs(lanes);
    assert_eq!(report.fault, None, "{:?}", report.findings);
}
