//! Broken kernels: the lab's check must reject each of them, in every mode, and say what is wrong.
const LAB: labtest::Lab = labtest::lab!("vecadd");

#[test]
fn every_mutant_is_rejected_in_every_mode() {
    // Three passes are checked: the first, a warm one step by step, and a warm one end to end.
    for (mutant, options, says) in [
        // Reads the wrong neighbour: nearly every sum is wrong.
        ("off_by_one", &[][..], "wrong after each of 3 launches: [0] is"),
        // 1000 elements are 3 blocks and 232 elements, which keep their poison.
        ("dropped_tail", &[], "232 of 1000 wrong after each of 3 launches: [768] "),
        ("unwritten", &[], "1000 of 1000 wrong after each of 3 launches: [0] "),
        ("nan", &[], "1 of 1000 wrong after each of 3 launches: [500] is NaN"),
        // 3 blocks of 333 elements leave one element over.
        ("short_stride", &["--stride", "--blocks", "3"], "1 of 1000 wrong after each of 3 launches: [999] "),
    ] {
        let ran =
            LAB.rejects(&format!("{mutant}/vecadd.cu"), &[&["-n", "1000", "--no-exercises"], options].concat(), says);
        assert_eq!(ran.rows.len(), 9, "{}", ran.text);
        for row in &ran.rows {
            assert_eq!(row["verdict"], "fail", "{mutant}: {row:?}");
            assert!(row["note"].contains(says), "{mutant}: {row:?}");
        }
    }
}
