//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::Mutant;

const LAB: labtest::Lab = labtest::lab!("hello");
const FILE: &str = "hello.cu";

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    // Threads count from 1.
    let counts = [("void hello_flat(", "threadIdx.x); }", "threadIdx.x + 1); }")];
    let off_by_one = Mutant::new("off_by_one", FILE, &counts);
    // The last thread of the last block is silent.
    let speaks = "    if (blockIdx.x + 1 < gridDim.x || threadIdx.x + 1 < blockDim.x) printf(";
    let silent = [("void hello_blocks(", "    printf(", speaks)];
    let dropped_tail = Mutant::new("dropped_tail", FILE, &silent);
    // The lane is taken from x alone, as if blocks had one dimension.
    let lane = [("void hello_grid3d(", "thread / 32, lane_id()", "thread / 32, threadIdx.x % 32")];
    let wrong_lane = Mutant::new("wrong_lane", FILE, &lane);
    // The second of two elements is never taken, no warp begins anywhere, and ranks run through the blocks first.
    let maps = "void index_maps(";
    let edits = [
        (maps, "    if (side_by_side + 1 < n) owner[elements + side_by_side + 1] = thread;\n", ""),
        (maps, "    if (apart + blockDim.x < n) owner[2 * elements + apart + blockDim.x] = thread;\n", ""),
        ("void warp_ends(", "    if (lane_id() == 0)", "    return;\n    if (lane_id() == 0)"),
        ("void grid_ranks(", "blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x * gridDim.x + blockIdx.x"),
    ];
    let unwritten = Mutant::new("unwritten", FILE, &edits);
    for (mutant, variant, says) in [
        (off_by_one, "flat", "first: Hello from thread 0!"),
        (off_by_one, "flat", "1 lines that no thread should print"),
        (dropped_tail, "blocks", "1 of 10 lines lost, first: Hello from thread 4 in block 1!"),
        (wrong_lane, "grid3d", "2240 lines that no thread should print"),
        // The second of two elements has no owner: the poison is still there.
        (unwritten, "index-maps", "[8001] is 4294967295"),
        // Nine warps of six numbers, and the answer.
        (unwritten, "warp-starts", "55 of 55 wrong"),
        (unwritten, "ranks", "[2] is 1, should be 0"),
    ] {
        LAB.rejects(mutant, &["--variant", variant], says);
    }
}
