//! The figures in the handout, the notes and the key, compared with the machine's counters and with the reference run.
use labtest::measured;

const LAB: labtest::Lab = labtest::lab!("reduction");

/// The counter `column` of each row, in order.
fn counts(options: &[&str], column: &str) -> Vec<f64> {
    let ran = LAB.accepts(&[&["--op", "sum"], options].concat());
    ran.rows.iter().map(|row| row[column].parse().unwrap()).collect()
}

/// Each row launches twice: once for the sum, and once for the ones among zeros.
#[test]
fn branches_that_split_a_warp() {
    let options = ["--variant", "interleaved", "--variant", "sequential", "-n", "2048", "--threads", "1024"];
    // Strides 1 to 16 split all 32 warps, strides 32 to 512 those that still work, and the last `if` the first warp.
    let interleaved = 2 * (5 * 32 + 16 + 8 + 4 + 2 + 1 + 1);
    // Only the rounds of 16, 8, 4, 2 and 1 values, and the last `if`.
    let sequential = 2 * (5 + 1);
    assert_eq!(counts(&options, "divergent_branches"), [f64::from(interleaved), f64::from(sequential)]);
}

#[test]
fn a_size_that_the_compiler_knows_saves_instructions() {
    let of = |threads| {
        let options = ["--variant", "sequential", "--variant", "padded", "-n", "2^16", "--threads", threads];
        let instructions = counts(&options, "instructions");
        instructions[1] / instructions[0]
    };
    assert!((0.5..0.58).contains(&of("1024")), "{}", of("1024"));
    assert!((0.7..0.8).contains(&of("96")), "{}", of("96"));
}

#[test]
fn a_compare_and_swap_that_forgets_keeps_one_addition_of_a_warp() {
    let ran = LAB.accepts(&["--variant", "cas-precedence", "-n", "64", "--threads", "32", "--blocks", "1"]);
    // The two remaining elements belong to the thread whose first try succeeded.
    let note = &ran.rows_of("cas-precedence")[0]["note"];
    assert!(note.contains("[ones among zeros] is 2, should be 16"), "{note}");
}

#[test]
fn the_reference_run_says_what_the_handout_and_the_notes_say() {
    let h200 = measured("reduction");
    let waves = |blocks: u32| h200.ms("waves", &format!("sum, {blocks} blocks"));
    // The notes: one block more costs a third of a wave, and half of that where blocks are half as long.
    let wave = waves(1056);
    let (one, two) = ((waves(1057) - wave) / wave, (waves(2113) - waves(2112)) / wave);
    assert!((0.25..0.45).contains(&one), "{one}");
    assert!((0.4..0.6).contains(&(two / one)), "{two} of {one}");
    // The time that a block needs for a tile of 32 KiB: along with other blocks, and alone.
    let tiles = f64::from((1 << 30) / 4 / (8 * 256)) / 1056.0;
    let us = |ms: f64| 1000.0 * ms / tiles;
    assert!((7.5..7.9).contains(&us(wave)) && (2.2..2.8).contains(&us(waves(1057) - wave)));
    // The best times are those of whole waves.
    let whole = [1056, 2112, 3168, 4224].map(waves);
    assert!(whole.iter().all(|ms| ms / wave < 1.02 && *ms < waves(1584)), "{whole:?}");
    let times = ["sequential", "shuffle"].map(|variant| h200.ms(variant, "sum"));
    assert!((1.45..1.6).contains(&(times[0] / times[1])), "{times:?}");
    // The notebook's times, as GB/s of 2^30 words of 4 bytes.
    let published = [85.974_594, 35.604_031].map(|ms: f64| 4.0 * f64::from(1 << 30) / ms / 1e6);
    assert_eq!(published.map(f64::round), [50.0, 121.0]);
}

/// From there on the next number is 2 away, and adding 1 has no effect.
#[test]
fn sums_of_ones_stand_still() {
    let next = |bits: u16| f32::from_bits(u32::from(bits + 1) << 16);
    assert_eq!(next(reduction::bfloat16(256.0)), 258.0);
    assert_eq!(f32::from_bits(16_777_216.0_f32.to_bits() + 1), 16_777_218.0);
    assert_eq!(reduction::half(2048.0) + 1, reduction::half(2050.0));
}
