//! Incorrect fixes: the lab rejects each and names the mistake.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("bughunt");
const FILE: &str = "bughunt.cu";

/// It goes too far: the last difference is never computed.
const HALF_GUARD: Mutant<'_> = Mutant::new("half_guard", FILE, &[("void differences(", "i <= n", "i + 1 < n")]);
/// It leaves (0, 0) out, and never writes its result.
pub(crate) const SKIPPED: Mutant<'_> = Mutant::new(
    "skipped",
    FILE,
    &[("void directions(", "    units[2 * i] =", "    if (length == 0.0f) return;\n    units[2 * i] =")],
);
/// It is in the wrong place: the product has overflowed before it is made wider.
pub(crate) const LATE_CAST: Mutant<'_> = Mutant::new(
    "late_cast",
    FILE,
    &[("void areas(", "sides[2 * i] * sides[2 * i + 1]", "(long long)(sides[2 * i] * sides[2 * i + 1])")],
);
/// Larger blocks, which no device has.
const HUGE_BLOCK: Mutant<'_> = Mutant::new(
    "huge_block",
    FILE,
    &[
        ("void clamp_shape(", "threads = 256", "threads = 2048"),
        ("void clamp_shape(", "n / shape->threads", "n / shape->threads + 1"),
    ],
);
/// Memory is given back, but while the kernel is still to write to it.
pub(crate) const EARLY_FREE: Mutant<'_> =
    Mutant::new("early_free", FILE, &[("int digits_calls[]", "LAUNCH, WAIT, READ}", "LAUNCH, FREE, WAIT, READ}")]);
/// It does not go far enough: the barrier is one of the warp, but the number comes from another warp.
pub(crate) const WARP_BARRIER: Mutant<'_> = Mutant::new(
    "warp_barrier",
    FILE,
    &[("void mirror(", "    if (t < length) y", "    __syncwarp();\n    if (t < length) y")],
);

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    for (mutant, variant, says) in [
        (HALF_GUARD, "bounds", "1 of 1000 wrong: [999] was never written"),
        (SKIPPED, "nan", "286 of 2000 wrong: [6] was never written, should be 0"),
        (LATE_CAST, "overflow", "wrong results differ from the right ones by multiples of 2^32"),
        (HUGE_BLOCK, "wrong-launch", "clamp_shape chose 1 blocks of 2048 threads"),
        (EARLY_FREE, "leak", "1 of 1 wrong: digits_calls: FREE gives back memory that a queued kernel will write"),
    ] {
        LAB.rejects(mutant, &["--variant", variant], says);
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn a_barrier_of_the_warp_is_a_race_between_warps_nvrtc() {
    let ran = LAB.rejects(WARP_BARRIER, &["--variant", "no-barrier"], "Race");
    let source = LAB.mutated(WARP_BARRIER);
    let line = |text| line_of(&source, "void mirror(", text);
    ran.race(Space::Shared, [line("tile[t] = x"), line("tile[length - 1 - t]")]);
}
