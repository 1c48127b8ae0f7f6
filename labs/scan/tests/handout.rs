//! The figures in the handout and the key, compared with the machine's counters and with the reference run.
use labtest::measured;

const LAB: labtest::Lab = labtest::lab!("scan");

#[test]
fn barriers_and_additions_of_one_block() {
    let options = ["--variant", "kogge-stone", "--variant", "brent-kung", "--element", "u32", "--kind", "inclusive"];
    let ran = LAB.accepts(&options);
    let of = |column: &str| -> Vec<f64> { ran.rows.iter().map(|row| row[column].parse().unwrap()).collect() };
    assert_eq!(of("additions"), [9217.0, 4083.0]);
    // Two barriers in each of ten rounds, and one at the end, for each of 32 warps.
    assert_eq!(of("barriers")[0], 32.0 * 21.0);
}

#[test]
fn the_key_s_rounds_add_up() {
    let kogge_stone = (0..10).map(|round| 1024 - (1 << round)).sum::<u32>();
    let up = (0..11).map(|round| 1024 >> round).sum::<u32>();
    let down = (1..11).map(|round| (1 << round) - 1).sum::<u32>();
    assert_eq!([kogge_stone, up, down], [9217, 2047, 2036]);
    assert_eq!(
        f64::from(up + down),
        LAB.accepts(&["--variant", "brent-kung"]).rows[0]["additions"].parse::<f64>().unwrap()
    );
}

#[test]
fn the_reference_run_says_what_the_handout_says() {
    let h200 = measured("scan");
    // Less time for each element by Brent and Kung's tree.
    let of = |variant| h200.ms(variant, "f32, inclusive") / h200.number(variant, "f32, inclusive", "n");
    assert!(of("brent-kung") < 0.8 * of("kogge-stone"));
    // Twelve bytes compared with eight make less than the 1.5 times expected if memory were the only limit.
    let ms = ["three-kernel", "single-pass"].map(|variant| match variant {
        "single-pass" => h200.ms(variant, "f32, inclusive, 32 a thread"),
        _ => h200.ms(variant, "f32, inclusive"),
    });
    assert!((1.05..1.5).contains(&(ms[0] / ms[1])), "{ms:?}");
    let tiles_per_us = 32768.0 / (1000.0 * ms[1]);
    assert!((43.0..47.0).contains(&tiles_per_us), "{tiles_per_us}");
}
