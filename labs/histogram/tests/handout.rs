//! The figures in the handout and the key, compared with the machine's counters and with the reference run.
use labtest::measured;

const LAB: labtest::Lab = labtest::lab!("histogram");

/// The counter `column` of each variant on `n` bytes, in the order of the rows.
fn counts(options: &[&str], column: &str) -> Vec<f64> {
    let ran = LAB.accepts(options);
    ran.rows.iter().map(|row| row[column].parse().unwrap()).collect()
}

#[test]
fn instructions_for_each_byte() {
    let of = |variant, bins| {
        let [small, large] = ["2^19", "2^20"].map(|n| {
            let options = ["--variant", variant, "--bins", bins, "--text", "uniform", "-n", n, "--blocks", "8"];
            counts(&options, "thread_instructions")[0]
        });
        (large - small) / f64::from(1 << 19)
    };
    for (variant, bins, said) in [
        ("wide", "letters", 10.1),
        ("wide", "bytes", 6.1),
        ("lanes", "letters", 11.1),
        ("lanes", "bytes", 6.1),
        ("bit-sliced", "letters", 4.95),
    ] {
        assert!((of(variant, bins) - said).abs() < 0.05, "{variant} {bins}: {}", of(variant, bins));
    }
}

#[test]
fn a_stretch_spreads_a_warp_s_loads() {
    let options = ["--variant", "partitioned-racy", "--variant", "strided-racy", "--bins", "letters", "--text", "same"];
    let options = [&options[..], &["-n", "2^20", "--blocks", "8"]].concat();
    assert_eq!(counts(&options, "global_load_requests"), [65536.0, 65536.0]);
    assert_eq!(counts(&options, "global_load_sectors"), [32.0 * 32768.0 + 32768.0, 65536.0]);
}

/// A lane collides if an earlier lane has the same bin; `matched` sends only the other lanes' additions.
#[test]
fn additions_of_a_warp_are_its_different_bins() {
    let options = ["--variant", "atomic", "--variant", "matched", "--bins", "letters", "-n", "2^16"];
    let of = |text, bins, column| {
        let mut options = options.map(|option| if option == "letters" { bins } else { option }).to_vec();
        options.extend(["--text", text]);
        counts(&options, column)
    };
    let lanes = of("uniform", "letters", "global_atomic_lanes");
    let collisions = of("uniform", "letters", "global_atomic_collisions");
    assert_eq!(lanes, [65536.0, 14118.0]);
    assert_eq!(collisions, [51418.0, 0.0]);
    assert_eq!(of("same", "letters", "global_atomic_lanes"), [65536.0, 2048.0]);
    assert_eq!(of("bytes", "bytes", "global_atomic_lanes"), [65536.0, 61701.0]);
    let missing = |letters: i32| (1.0 - f64::from(letters) / 26.0_f64).powi(32);
    let bins = 6.0 * (1.0 - missing(4)) + 1.0 - missing(2);
    assert!((bins - lanes[1] / 2048.0).abs() < 0.05, "{bins}");
}

#[test]
fn reduced_has_no_global_atomics() {
    let options =
        ["--variant", "privatized", "--variant", "reduced", "--bins", "bytes", "--text", "bytes", "-n", "2^16"];
    let lanes = counts(&options, "global_atomic_lanes");
    assert!(lanes[0] > 40000.0 && lanes[0] <= 65536.0 && lanes[1] == 0.0, "{lanes:?}");
}

#[test]
fn stretches_with_and_without_brackets() {
    let efficiency = counts(&["--variant", "stretch"], "warp_execution_efficiency_percent");
    assert!((efficiency[0] - 49.0).abs() < 1.0 && (efficiency[1] - 6.4).abs() < 0.5, "{efficiency:?}");
    let instructions = counts(&["--variant", "stretch"], "instructions");
    assert!(instructions[1] > 7.0 * instructions[0], "{instructions:?}");
}

/// The handout states orders, not figures: its figures are generated from the reference run.
#[test]
fn the_reference_run_says_what_the_handout_says() {
    let h200 = measured("histogram");
    let rate = |place, addresses| h200.number(place, addresses, "atomics_per_ns");
    let (global, shared) = ("contention-global", "contention-shared");
    // On one address shared atomics are more than a hundred times as fast as global ones; with many, the factor is far
    // smaller.
    let one = rate(shared, "1 address") / rate(global, "1 address");
    let thousand = rate(shared, "1024 addresses") / rate(global, "4096 addresses");
    assert!(one > 100.0 && (1.0..one / 5.0).contains(&thousand), "{one} and {thousand}");
    // More addresses help only global memory.
    assert!(rate(global, "4096 addresses") > 5.0 * rate(global, "32 addresses"));
    assert!(rate(shared, "1024 addresses") < 1.1 * rate(shared, "32 addresses"));
    // The key's 0.014 ms for the atomics at the end of `privatized`.
    assert!((0.012..0.016).contains(&(270_336.0 / (rate(global, "256 addresses") * 1e6))));
    // With 7 bins `lanes` is behind `wide`, and `bit-sliced` is the first; `lanes` is faster on random bytes.
    for text in ["uniform", "skewed", "same", "bytes"] {
        let ms = ["bit-sliced", "wide", "lanes"].map(|variant| h200.ms(variant, &format!("letters, {text}")));
        assert!(ms.is_sorted(), "{text}: {ms:?}");
    }
    assert!(h200.ms("wide", "bytes, bytes") > 1.2 * h200.ms("lanes", "bytes, bytes"));
}
