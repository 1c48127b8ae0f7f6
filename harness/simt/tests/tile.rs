//! Tiles on tensor cores (`wmma`), against plain arithmetic.

mod common;
use common::{Arg, Device};
use simt::isa::soft::{self, Round};
use simt::machine::Checks;

const PTX: &str = include_str!("kernels/tile.ptx");

/// Small whole numbers, as f16 bits: their products and sums are exact.
fn numbers(count: usize, seed: i32) -> (Vec<i32>, Vec<u16>) {
    let values: Vec<i32> = (0..count as i32).map(|i| (i * 7 + seed) % 17 - 8).collect();
    let bits = |&v: &i32| soft::F16.pack(Round::Nearest, v < 0, 0, v.unsigned_abs().into()) as u16;
    let halves = values.iter().map(bits).collect();
    (values, halves)
}

fn device() -> Device {
    let mut device = Device::new(PTX);
    device.settings.checks = Checks::ALL;
    device
}

#[test]
fn a_product_of_tiles() {
    let (n, device) = (48, device());
    let ((a, ha), (b, hb)) = (numbers(n * n, 3), numbers(n * n, 5));
    let (da, db) = (device.put(&ha), device.put(&hb));
    let dc = device.zeros::<f32>(n * n);
    let args = [Arg::Ptr(da), Arg::Ptr(db), Arg::Ptr(dc), Arg::I32(n as i32)];
    let (report, _) = device.try_launch("product", [3, 3, 1], [32, 1, 1], 0, &args);
    assert_eq!((report.fault, report.findings.len()), (None, 0));
    let c = device.get::<f32>(dc, n * n);
    for i in 0..n {
        for j in 0..n {
            let want: i32 = (0..n).map(|k| 2 * a[i * n + k] * b[j * n + k]).sum();
            assert_eq!(c[i * n + j], want as f32, "row {i}, column {j}");
        }
    }
}

#[test]
fn a_tall_tile_in_shared_memory() {
    let device = device();
    let ((a, ha), (b, hb)) = (numbers(32 * 16, 1), numbers(16 * 8, 2));
    let (da, db) = (device.put(&ha), device.put(&hb));
    let dc = device.zeros::<f32>(32 * 8);
    let args = [Arg::Ptr(da), Arg::Ptr(db), Arg::Ptr(dc)];
    let report = device.launch("tall", 1, 32, &args);
    assert_eq!(report.findings, []);
    let c = device.get::<f32>(dc, 32 * 8);
    for i in 0..32 {
        for j in 0..8 {
            let want: i32 = (0..16).map(|k| a[i * 16 + k] * b[k * 8 + j]).sum();
            assert_eq!(c[i * 8 + j], (want + 1) as f32, "row {i}, column {j}");
        }
    }
}

/// A tile that reaches beyond its allocation is found like any access.
#[test]
fn a_tile_out_of_bounds_is_found() {
    let device = device();
    let (_, half) = numbers(32 * 16, 1);
    let (da, db) = (device.put(&half), device.put(&half[..100]));
    let dc = device.zeros::<f32>(32 * 8);
    let args = [Arg::Ptr(da), Arg::Ptr(db), Arg::Ptr(dc)];
    let (report, _) = device.try_launch("tall", [1; 3], [32, 1, 1], 0, &args);
    assert_eq!(report.fault, Some(simt::machine::Fault::IllegalAddress));
}
