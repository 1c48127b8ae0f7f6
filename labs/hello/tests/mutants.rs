//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
const LAB: labtest::Lab = labtest::lab!("hello");

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant, says) in [
        ("off_by_one", "flat", "first: Hello from thread 0!"),
        ("off_by_one", "flat", "1 lines that no thread should print"),
        ("dropped_tail", "blocks", "1 of 10 lines lost, first: Hello from thread 4 in block 1!"),
        ("wrong_lane", "grid3d", "336 lines that no thread should print"),
        // The second of two elements has no owner: the poison is still there.
        ("unwritten", "index-maps", "[8001] is 4294967295"),
        // Nine warps of six numbers, and the answer.
        ("unwritten", "warp-starts", "55 of 55 wrong"),
        ("unwritten", "ranks", "[2] is 1, should be 0"),
    ] {
        LAB.rejects(&format!("{mutant}/hello.cu"), &["--variant", variant], says);
    }
}
