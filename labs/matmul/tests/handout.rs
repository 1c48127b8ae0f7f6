//! The figures in the handout: its table of traffic compared with arithmetic, its text with the reference run.
use labtest::measured;
use matmul::{RUNGS, Shape};

const LAB: labtest::Lab = labtest::lab!("matmul");

#[test]
fn the_table_of_traffic_is_arithmetic() {
    let shape = Shape::square(4096);
    let naive = &RUNGS[0];
    let handout = LAB.source("README.md");
    let section = handout.split("## What is loaded").nth(1).unwrap().split("\n## ").next().unwrap();
    let table: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(table.len(), 8);
    for line in table {
        let name = line.split('`').nth(1).unwrap();
        let rung = RUNGS.iter().find(|row| row.name() == name).unwrap();
        let (floats, sectors) = (rung.loads(shape), rung.sectors(shape).unwrap());
        let folds = [naive.loads(shape) / floats, naive.sectors(shape).unwrap() / sectors];
        let billions = [floats, sectors].map(|count| count as f64 / 1e9);
        let row = format!("| `{name}` | {:.2} | {} | {:.3} | {} |", billions[0], folds[0], billions[1], folds[1]);
        assert_eq!(line, row);
    }
}

#[test]
fn the_reference_run_says_what_the_handout_and_the_key_say() {
    let h200 = measured("matmul");
    let cubed = |variant| h200.ms(variant, "4096x4096x4096");
    let course = |variant| h200.ms(variant, "1000x500x700");
    // "The speed does not even double"; "a few per cent in time".
    assert!((1.4..2.0).contains(&(cubed("naive") / cubed("tiled16"))));
    assert!((1.01..1.08).contains(&(cubed("tiled16") / cubed("tiled32"))));
    // `rectangular` is slower than the published time of the same tiles.
    assert!((1.3..1.7).contains(&(course("rectangular") / 0.149)));
    // On this small matrix, shared memory does help.
    assert!((1.3..1.5).contains(&(course("naive") / course("tiled16"))));
    // A large tile in few blocks, yet the fastest of the float rows, because it hides its loads.
    let floats = ["naive", "tiled16", "tiled32", "register-1d", "register-2d", "vectorized", "warp-tile", "async-copy"];
    assert!(floats.into_iter().all(|variant| course("double-buffered") < course(variant)));
    // Asynchronous copies do not help there.
    assert!(cubed("double-buffered") < cubed("async-copy"));
    // In the notes, cuBLAS: a third longer than the published time for a small product, nearly the same rate for a
    // large one.
    assert!((1.2..1.45).contains(&(course("cublas") / 0.0219)));
    let rates = ["tflop_per_s", "published_tflop_per_s"].map(|column| h200.number("cublas", "4096x4096x4096", column));
    assert!((rates[0] / rates[1] - 1.0).abs() < 0.05, "{rates:?}");
    // A large C needs only one slice, and then the slices cost nothing.
    assert!((0.99..1.01).contains(&(cubed("depth-parallel") / cubed("tiled16"))));
    let matvec = h200.ms("matvec-naive", "8192x8192") / h200.ms("matvec", "8192x8192");
    assert!((13.0..17.0).contains(&matvec), "{matvec}");
}
