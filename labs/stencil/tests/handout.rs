//! The figures in the handout and its key, compared with the counters, the reference run and the rows.
use harness::Inputs;
use labtest::{Ran, measured};
use stencil::reference::{bordered, jacobi};

const LAB: labtest::Lab = labtest::lab!("stencil");

fn count(ran: &Ran, variant: &str, case: &str, column: &str) -> f64 {
    let rows = ran.rows_of(variant);
    let row = rows.iter().find(|row| row["case"].starts_with(case)).unwrap();
    row[column].parse().unwrap()
}

/// The handout states orders, not figures: its figures are generated from the reference run.
#[test]
fn the_reference_run_says_what_the_handout_says() {
    let h200 = measured("stencil");
    let line = |variant| h200.ms(variant, "");
    // Shared memory makes the blur slower; half the bytes save time, but not half of it.
    assert!(line("shared") > 1.05 * line("naive"));
    assert!((0.5..0.95).contains(&(line("fused") / line("twice"))));
    // First the wait disappears, then the launch; a barrier of the whole grid costs more than a launch in a graph.
    let steps = |variant| h200.ms(variant, "128x128, 500 steps");
    let [sync, launches, graph, blocked] =
        ["jacobi-sync", "jacobi-launches", "jacobi-graph", "jacobi-blocked"].map(steps);
    assert!(sync > 2.0 * launches && launches > 2.0 * graph && graph > 1.7 * blocked);
    assert!(steps("jacobi-persistent") > graph);
}

#[test]
fn shared_memory_saves_sectors_and_costs_instructions() {
    let ran = LAB.accepts(&["--variant", "naive", "--variant", "shared", "-n", "2^18"]);
    let ratio = |column| count(&ran, "naive", "", column) / count(&ran, "shared", "", column);
    assert_eq!(format!("{:.1}", ratio("global_load_sectors")), "3.3");
    assert_eq!(format!("{:.2}", 1.0 / ratio("instructions")), "1.23");
    // 14 sectors a warp: 4 for its elements, 5 for those one place to the left, 5 for those to the right. The ends of
    // the line have none beyond them.
    let warps = f64::from(1 << 18) / 32.0;
    assert_eq!(count(&ran, "naive", "", "global_load_sectors"), 14.0 * warps - 2.0);
}

/// A cell of a five-point halo is loaded by the thread that needs it, wherever it is stored.
#[test]
fn a_halo_in_global_memory_loads_no_more() {
    let ran = LAB.accepts(&[
        "--variant",
        "mean-shared",
        "--variant",
        "mean-halo-global",
        "--width",
        "640",
        "--height",
        "320",
    ]);
    for case in ["32x8", "32x32"] {
        for (column, most) in [("global_load_requests", 1.0), ("global_load_sectors", 1.0), ("divergent_branches", 1.0)]
        {
            let [own, shared] = ["mean-halo-global", "mean-shared"].map(|variant| count(&ran, variant, case, column));
            // The border of the plane needs no neighbours, but mean-shared loads them anyway.
            assert!(own <= most * shared && own > 0.99 * shared, "{case} {column}: {own} and {shared}");
        }
        let [own, shared] = ["mean-halo-global", "mean-shared"].map(|v| count(&ran, v, case, "instructions"));
        assert!(own < 0.85 * shared, "{case}: {own} and {shared}");
    }
}

#[test]
fn the_printed_mean_reads_past_the_plane_as_often_as_the_key_says() {
    let ran = LAB.accepts(&["--exercises"]);
    let numbers: Vec<_> = ran.rows.iter().map(|row| row["obtained"].as_str()).collect();
    assert_eq!(numbers, ["1156", "132", "12.890625", "26.5625", "19968", "195625"], "{}", ran.text);
}

fn random_start(seed: u64) -> Vec<f32> {
    bordered(&Inputs::new(seed, "start").f32(128 * 128, 0.0..1.0), 128)
}

#[test]
fn a_random_start_is_far_from_the_tolerance_after_500_steps() {
    let change = jacobi(random_start(1), 128, 500, 0, 0.0).change;
    assert_eq!(format!("{change:.2}"), "0.02");
    // A chessboard shrinks by 1 - cos(pi / 127) at every step.
    let shrinks = 100.0 * (1.0 - (std::f64::consts::PI / 127.0).cos());
    assert_eq!(format!("{shrinks:.2}"), "0.03");
    // The lab starts from the same points.
    let ran = LAB.accepts(&["--variant", "jacobi-blocked", "--random-start", "--tolerance", "1", "--every", "10"]);
    let row = ran.rows_of("jacobi-blocked")[0];
    assert_eq!((&row["steps"][..], row["largest_change"].parse()), ("500", Ok(change)));
}

#[test]
#[ignore = "a minute, unless it is optimised"]
fn a_random_start_takes_as_long_as_the_handout_says() {
    let steps = harness::parallel(4, |i| jacobi(random_start(i as u64 + 1), 128, 100_000, 10, 1e-4).steps);
    assert_eq!(steps, [8060, 16200, 7330, 12410]);
}

#[test]
fn the_step_before_the_last_is_off_by_less_than_the_tolerance() {
    let ran = LAB.accepts(&["--variant", "jacobi-break-first", "--width", "40", "--height", "40"]);
    let row = ran.rows_of("jacobi-break-first")[0];
    assert!(row["note"].contains("wrong on purpose") && row["note"].contains("wrong: [row 1, column 1]"), "{row:?}");
    let error: f64 = row["max_abs_error"].parse().unwrap();
    assert!(error > 0.5e-4 && error <= 1.01e-4, "{error}");
}

#[test]
fn blocks_rounded_down_leave_results_out() {
    for (n, lost) in [("2^18", "508 of 262144 wrong: [261634] was never written"), ("1000", "484 of 1000 wrong: [514]")]
    {
        let ran = LAB.accepts(&["--variant", "cpu-rounded-down", "-n", n]);
        assert!(ran.rows_of("cpu-rounded-down")[0]["note"].contains(lost), "{}", ran.text);
    }
    let ran = LAB.accepts(&["--variant", "cpu-rounded-down", "-n", "1028"]);
    assert_eq!(ran.rows_of("cpu-rounded-down")[0]["verdict"], "skip", "1028 - 4 is twice 512");
}
