//! The average of five as it was published: the check rejects it and says where it is wrong.
const LAB: labtest::Lab = labtest::lab!("stencil");

#[test]
fn the_published_average_is_rejected_at_the_edges_of_its_blocks() {
    let ran = LAB.accepts(&["--variant", "average", "--variant", "published", "-n", "4096", "--threads", "256"]);
    let [right, wrong] = ["average", "published"].map(|v| ran.rows_of(v)[0]);
    assert_eq!(right["note"], "");
    // There are sixteen blocks. Lane 1's halo spoils the first two results of each, and lane 254's spoils the last two.
    let note = &wrong["note"];
    for says in [
        "all 64 wrong results are the first or last two of a block",
        "lane 1 loads x[i-1] for x[i-2], lane 254 loads x[i+1] for x[i+2]",
        "wrong on purpose (halo lanes 1 and blockDim - 2 load the wrong elements)",
        "64 of 4096 wrong: [0] is",
    ] {
        assert!(note.contains(says), "no `{says}` in {note}");
    }
}
