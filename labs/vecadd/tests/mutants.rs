//! Broken kernels: the lab's check must reject each of them, in every mode, and say what is wrong.
use labtest::Mutant;

const LAB: labtest::Lab = labtest::lab!("vecadd");
const VECADD: &str = "void vecadd(";

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_in_every_mode_nvrtc() {
    // A block takes a share of n / gridDim.x elements.
    let share = "share = n / gridDim.x, first = blockIdx.x * share, i = first + threadIdx.x; i < first + share; \
                 i += blockDim.x";
    // Three passes are checked: the first, a warm one step by step, and a warm one end to end.
    for (name, edit, options, says) in [
        // Reads the wrong neighbour: nearly every sum is wrong.
        ("off_by_one", (VECADD, "y[i]", "y[i + 1 < n ? i + 1 : i]"), &[][..], "wrong after each of 3 launches: [0] is"),
        // 1000 elements are 3 blocks and 232 elements, which keep their poison.
        (
            "dropped_tail",
            (VECADD, "i < n", "i < n / blockDim.x * blockDim.x"),
            &[],
            "232 of 1000 wrong after each of 3 launches: [768] ",
        ),
        (
            "unwritten",
            (VECADD, "z[i] = x[i] + y[i];", "if (x[i] + y[i] > 1e30f) z[i] = 0.0f;"),
            &[],
            "1000 of 1000 wrong after each of 3 launches: [0] ",
        ),
        (
            "nan",
            (VECADD, "z[i] =", "z[i] = i == n / 2 ? sqrtf(-2.0f - x[i]) :"),
            &[],
            "1 of 1000 wrong after each of 3 launches: [500] is NaN",
        ),
        // 3 blocks of 333 elements leave one element over.
        (
            "short_stride",
            ("void vecadd_stride(", "i = grid_index(); i < n; i += grid_threads()", share),
            &["--stride", "--blocks", "3"],
            "1 of 1000 wrong after each of 3 launches: [999] ",
        ),
    ] {
        let edits = [edit];
        let mutant = Mutant::new(name, "vecadd.cu", &edits);
        let ran = LAB.rejects(mutant, &[&["-n", "1000", "--no-exercises"], options].concat(), says);
        assert_eq!(ran.rows.len(), 9, "{}", ran.text);
        for row in &ran.rows {
            assert_eq!(row["verdict"], "fail", "{name}: {row:?}");
            assert!(row["note"].contains(says), "{name}: {row:?}");
        }
    }
}
