//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("stencil");
const LINE: &[&str] = &["-n", "1000", "--variant", "shared"];
const PLANE: &[&str] = &["--width", "50", "--height", "40", "--variant", "mean-naive"];
const BLUR: &str = "void shared(";
/// The threads do not wait for the neighbours' elements.
const MISSING_BARRIER: Mutant<'_> = Mutant::new("missing_barrier", "line.cu", &[(BLUR, "__syncthreads();", "")]);

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    for (name, edit, says) in [
        // The left halo of every block but the first is wrong: it is the block's own first element.
        ("off_by_one", (BLUR, "? x[i - 1]", "? x[i]"), "3 of 1000 wrong: [256] is"),
        ("dropped_tail", (BLUR, "if (i < n)", "if (i + 1 < n)"), "1 of 1000 wrong: [999] was never written"),
        ("nan", (BLUR, "y[i] =", "y[i] = i == 77 ? (s[t] - s[t]) / T(0) :"), "1 of 1000 wrong: [77] is NaN"),
    ] {
        LAB.rejects(Mutant::new(name, "line.cu", &[edit]), LINE, says);
    }
    LAB.rejects(MISSING_BARRIER, LINE, "of 1000 wrong: [");
    // The border is not copied.
    let edit = ("void mean_naive(", "    else\n        out[i] = in[i];\n", "");
    let says = "176 of 2000 wrong: [row 0, column 0] was never written";
    LAB.rejects(Mutant::new("unwritten", "plane.cu", &[edit]), PLANE, says);
}

#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let ran = LAB.rejects(MISSING_BARRIER, &[LINE, &["--check", "racecheck"]].concat(), "Race");
    let source = LAB.mutated(MISSING_BARRIER);
    let line = |text| line_of(&source, BLUR, text);
    ran.race(Space::Shared, [line("s[t + 1] ="), line("T(0.25) * s[t]")]);
}

/// A thread writes its point before all others have read the old value. The file that is handed out has the same
/// mistake.
#[test]
#[ignore = "needs NVRTC"]
fn an_update_in_place_needs_a_barrier_of_the_grid_before_it_writes_nvrtc() {
    let barrier = "        grid_barrier(arrived, round);  // all have read the old values\n";
    let edits = [("void in_place(", barrier, "")];
    let mutant = Mutant::new("in_place_at_once", "jacobi.cu", &edits);
    let size = ["--variant", "jacobi-in-place", "--width", "40", "--height", "23", "--steps", "5", "--tolerance", "1"];
    let checked = [&size[..], &["--check", "racecheck"]].concat();
    let name = "in_place_at_once.cu";
    let handed_out = ["--kernel", &LAB.handed_out(name)];
    let wrong = LAB.run(&[&handed_out[..], &checked].concat());
    wrong.is_rejected(name, "Race");
    let file = LAB.source(&format!("assignment/wrong/{name}"));
    for (ran, source) in [(LAB.rejects(mutant, &checked, "Race"), LAB.mutated(mutant)), (wrong, file)] {
        let [read, write] = ["0.25f * (u[i - 1]", "u[i] = is"].map(|text| line_of(&source, "void in_place", text));
        ran.race(Space::Global, [read, write]);
    }
    let says = "of 1841 wrong: [row 1, column 1]";
    LAB.rejects(mutant, &size, says);
    LAB.run(&[&handed_out[..], &size].concat()).is_rejected(name, says);
}
