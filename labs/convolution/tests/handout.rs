//! The figures in the handout's key, compared with the counters and the rows.
use labtest::Ran;

const LAB: labtest::Lab = labtest::lab!("convolution");
/// The sizes of the line: blocks of 256 threads, whose 8 warps have 32 elements each.
const N: usize = 1 << 15;

fn count(ran: &Ran, variant: &str, column: &str) -> f64 {
    ran.rows_of(variant)[0][column].parse().unwrap()
}

#[test]
fn a_mask_in_global_memory_doubles_the_requests() {
    let ran = LAB.accepts(&["--variant", "line-global", "--variant", "line-constant", "-n", "2^15"]);
    let warps = (N / 32) as f64;
    // At both ends of the line some taps of a warp have no element.
    for (variant, requests) in [("line-global", 34.0), ("line-constant", 17.0)] {
        let counted = count(&ran, variant, "global_load_requests") / warps;
        assert!(counted <= requests && counted > requests - 0.1, "{variant}: {counted}");
    }
}

#[test]
fn a_tile_loads_its_elements_and_its_halo_once() {
    let ran = LAB.accepts(&["--variant", "line-shared", "--variant", "line-wide", "-n", "2^15"]);
    // The halo of the first block on the left, and of the last on the right, has a sector each that does not exist.
    let blocks = (N / 256) as f64;
    assert_eq!(count(&ran, "line-shared", "global_load_sectors"), 34.0 * blocks - 2.0);
    assert_eq!(count(&ran, "line-shared", "shared_bank_conflicts"), 0.0);
    // Five float4 for four elements.
    let requests = count(&ran, "line-wide", "global_load_requests");
    assert_eq!(requests, 5.0 * (N / 128) as f64);
}

#[test]
fn a_short_halo_spoils_the_last_result_of_each_block() {
    let ran = LAB.accepts(&["--variant", "halo-off-by-one", "-n", "1000"]);
    let note = &ran.rows_of("halo-off-by-one")[0]["note"];
    assert!(note.contains("3 of 1000 wrong: [255] is") && note.contains("[511]") && note.contains("[767]"), "{note}");
}

#[test]
fn the_questions_are_answered() {
    let ran = LAB.accepts(&["--exercises"]);
    let numbers: Vec<_> = ran.rows.iter().map(|row| row["obtained"].as_str()).collect();
    let expected = ["76.5625", "25", "85849", "1.265625", "2.25", "289", "34", "231.211008"];
    assert_eq!(numbers[..expected.len()], expected, "{}", ran.text);
}

#[test]
fn skipped_peers_and_tensor_cores_say_why() {
    let ran = LAB.accepts(&["--variant", "npp", "--variant", "layer-tf32", "--device", "emulated:t4"]);
    for (variant, says) in [("npp", "NPP needs an NVIDIA GPU"), ("layer-tf32", "8.0")] {
        let row = ran.rows_of(variant)[0];
        assert_eq!(row["verdict"], "skip", "{}", ran.text);
        assert!(row["note"].contains(says), "{}", row["note"]);
    }
}
