//! Parsing in the lab: a launch from the command line, and the multiprocessors' notes.
use occupancy::{calculator::Limits, parse, resident};

#[test]
fn launches_are_parsed_or_refused_in_words() {
    let parsed = |text| parse(text).map(|launch| (launch.grid_dim.0, launch.block_dim.0));
    assert_eq!(parsed("100,1000"), Ok((100, 1000)));
    assert_eq!(parsed("2^10,64"), Ok((1024, 64)));
    let cube = parse("4x4x4,16x8").unwrap();
    assert_eq!((cube.grid_dim, cube.block_dim), ((4, 4, 4), (16, 8, 1)));
    for bad in ["1,2x", "1,2x2x2x2", "1,2x0", "", "100", "100,", ",", "0,5", "-1,5", "1,2,3", "9999999999,1"] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn notes_are_read_as_the_kernel_writes_them() {
    // One multiprocessor: at most 4 resident blocks of 8 warps, each busy for 600 of 1000 cycles on average.
    let notes = [4 << 32, 1000, 2000, 2400, 0, u64::MAX, 0, 0];
    let (percent, peak) = resident(&notes, 8, &Limits::TEXTBOOK);
    assert_eq!(peak, 4);
    assert!((percent - 100.0 * 2.4 * 8.0 / 64.0).abs() < 1e-9);
    assert_eq!(resident(&[0, u64::MAX, 0, 0], 8, &Limits::TEXTBOOK), (0.0, 0));
}
