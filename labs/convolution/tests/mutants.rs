//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("convolution");
const LINE: &[&str] = &["--variant", "line-shared", "-n", "1000", "--radius", "2"];
const SHARED: &str = "void line_shared(";
/// The threads do not wait for the elements that others load.
const MISSING_BARRIER: Mutant<'_> =
    Mutant::new("missing_barrier", "convolution.cu", &[(SHARED, "    __syncthreads();\n", "")]);

#[test]
#[ignore = "needs NVRTC"]
fn every_line_is_rejected_nvrtc() {
    for (name, edit, says) in [
        // Each block but the first takes its own elements for the halo on its left.
        ("halo_late", (SHARED, "? x[first + c]", "? x[first + c + (c == 0)]"), "3 of 1000 wrong: [256] is"),
        ("mask_turned", (SHARED, "mask[j]", "mask[2 * radius - j]"), "1000 of 1000 wrong: [0] is"),
        ("dropped_tail", (SHARED, "if (i >= end)", "if (i + 1 >= end)"), "1 of 1000 wrong: [999] was never written"),
        ("nan", (SHARED, "y[i] = sum", "y[i] = i == 77 ? (sum - sum) / 0.0f : sum"), "1 of 1000 wrong: [77] is NaN"),
    ] {
        LAB.rejects(Mutant::new(name, "convolution.cu", &[edit]), LINE, says);
    }
    let ran = LAB.rejects(MISSING_BARRIER, &[LINE, &["--check", "racecheck"]].concat(), "Race");
    let source = LAB.mutated(MISSING_BARRIER);
    ran.race(Space::Shared, ["s[c] =", "mask[j] * s["].map(|text| line_of(&source, SHARED, text)));
}

#[test]
#[ignore = "needs NVRTC"]
fn every_image_is_rejected_nvrtc() {
    for (variant, file, edit, says) in [
        // The rows above the image come from its end: 2 of 30 rows.
        ("image-constant", "convolution.cu", ("void image_constant(", "y + i >= 0 && ", ""), "Invalid __global__ read"),
        // The last column of the mask is left out.
        ("image-tile-in", "convolution.cu", ("void image_tile_in(", "j <= radius", "j < radius"), "wrong: [row 0"),
        (
            "image-tile-out",
            "convolution.cu",
            ("void image_tile_out(", "r += 8) {\n        if", "r += 8) {\n        if (r == 29) return;\n        if"),
            "160 of 4800 wrong: [row 29, column 0] was never written",
        ),
        ("separable-fused", "convolution.cu", ("void image_fused(", "    __syncthreads();\n", ""), "wrong: ["),
        // The mask is turned over, rows for columns.
        ("image-wide", "wide.cu", ("void image_wide(", "mask[i * (2 * R + 1) + j]", "mask[j * (2 * R + 1) + i]"), ""),
        // The last column of each warp but the last in its row is wrong, and the one before.
        ("image-wide", "wide.cu", ("void image_wide(", "part(side[r], k)", "part(side[r], 3 - k)"), "60 of 4800 wrong"),
        ("separable-wide", "wide.cu", ("void image_wide(", "i > 2 * R", "i >= 2 * R"), "4480 of 4800 wrong: [row 0"),
    ] {
        let size = ["--variant", variant, "--width", "160", "--height", "30"];
        LAB.rejects(Mutant::new(variant, file, &[edit]), &size, says);
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn every_layer_is_rejected_nvrtc() {
    let size = ["--images", "2", "--channels", "5", "--filters", "9", "--side", "13"];
    for (variant, file, edit, says) in [
        (
            "layer-naive",
            "layer.cu",
            ("void layer_naive(", "c < layer.channels", "c + 1 < layer.channels"),
            "3040 of 3042 wrong",
        ),
        (
            "layer-shared",
            "layer.cu",
            ("void layer_shared(", "first + k < layer.filters", "first + k + 1 < layer.filters"),
            "338 of 3042",
        ),
        // 45 rows of the factor are five steps of 8 and five more.
        (
            "layer-unfolded",
            "layer.cu",
            ("void product(", "q < depth; q += 8", "q + 8 <= depth; q += 8"),
            "of 3042 wrong: [filter 0",
        ),
        // The pixels of the second image take their neighbours from the first.
        (
            "layer-implicit",
            "layer.cu",
            ("Pixel pixel_of(", "(size_t)image * layer.channels * layer.area() + rest", "rest"),
            "1521 of 3042",
        ),
        // The rows of the second step take the places of those of the first.
        (
            "layer-tf32",
            "tensor.cu",
            ("void layer_tf32(", "(step + 2) * DEPTH", "(step + 1) * DEPTH"),
            "of 3042 wrong: [filter 0",
        ),
        // Factors are cut to the 8 bits of bfloat16.
        ("layer-tf32", "tensor.cu", ("unsigned tf32_of(", "return r", "return r & 0xffff0000"), "of 3042 wrong"),
    ] {
        LAB.rejects(Mutant::new(variant, file, &[edit]), &[&["--variant", variant], &size[..]].concat(), says);
    }
}
