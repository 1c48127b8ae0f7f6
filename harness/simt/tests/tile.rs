//! Tiles on tensor cores (`wmma`), against plain arithmetic.

use crate::committed::ptx_of;
use crate::common::{Arg, Device};
use gpu::Part;
use simt::instr::alu::soft::{self, Round};
use simt::machine::{Checks, Geometry, Launch, Module, Settings, run};
use simt::memory::Memory;
use std::sync::Arc;
use std::sync::LazyLock;

static PTX: LazyLock<String> = LazyLock::new(|| ptx_of("kernels/tile.cu"));

/// Returns small integers, and their f16 bits: their products and sums are exact.
fn numbers(count: usize, seed: i32) -> (Vec<i32>, Vec<u16>) {
    let values: Vec<i32> = (0..count as i32).map(|i| (i * 7 + seed) % 17 - 8).collect();
    let bits = |&v: &i32| soft::F16.pack(Round::Nearest, v < 0, 0, v.unsigned_abs().into()) as u16;
    let halves = values.iter().map(bits).collect();
    (values, halves)
}

fn device() -> Device {
    let mut device = Device::new(&PTX);
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

/// Registers of contiguous halves are read together; pairs of floats are written together.
#[test]
fn a_tile_s_traffic_is_counted() {
    let (n, device) = (48, device());
    let ((_, ha), (_, hb)) = (numbers(n * n, 3), numbers(n * n, 5));
    let (da, db) = (device.put(&ha), device.put(&hb));
    let dc = device.zeros::<f32>(n * n);
    let args = [Arg::Ptr(da), Arg::Ptr(db), Arg::Ptr(dc), Arg::I32(n as i32)];
    let (report, _) = device.try_launch("product", [3, 3, 1], [32, 1, 1], 0, &args);
    let totals = &report.counters.totals;
    // 9 blocks, 3 steps, tiles of A and B: each 4 registers of 8 rows by 16 bytes, half a sector.
    let loads = totals.global_loads;
    let tiles = 9 * 3 * 2;
    assert_eq!((loads.requests, loads.lanes), (tiles * 4, tiles * 128));
    assert_eq!(loads.bytes, tiles * 512);
    assert_eq!((loads.sectors, loads.ideal_sectors), (tiles * 32, tiles * 16));
    // 4 pairs of 8 rows by 32 bytes.
    let stores = totals.global_stores;
    assert_eq!((stores.requests, stores.bytes), (9 * 4, 9 * 1024));
    assert_eq!((stores.sectors, stores.ideal_sectors), (9 * 32, 9 * 32));
    // The tiles' instructions also count as synchronisations of the warp.
    assert_eq!(totals.warp_syncs, tiles + 9 * 3 + 9);
}

/// Rows of 32 bytes: the first and the fifth of each register's eight share banks.
#[test]
fn a_tile_s_bank_conflicts_are_counted() {
    let device = device();
    let (_, half) = numbers(32 * 16, 1);
    let (da, db) = (device.put(&half), device.put(&half[..128]));
    let dc = device.zeros::<f32>(32 * 8);
    let args = [Arg::Ptr(da), Arg::Ptr(db), Arg::Ptr(dc)];
    let report = device.launch("tall", 1, 32, &args);
    let loads = report.counters.totals.shared_loads;
    assert_eq!((loads.requests, loads.bytes), (8, 1024));
    assert_eq!((loads.wavefronts, loads.conflicts), (16, 8));
    assert_eq!(loads.worst_ways, 2);
    // B by rows, along which a register is not contiguous: 8 registers' worth, but only 4 hold different elements.
    let loads = report.counters.totals.global_loads;
    assert_eq!((loads.requests, loads.bytes), (16 + 4, 1024 + 256));
}

/// `ldmatrix`: one pass per matrix, and more where its rows share banks.
#[test]
fn rows_of_matrices_share_banks() {
    let device = Device::new(&ptx_of("kernels/matrix_rows.cu"));
    // The distance between rows in bytes, and the ways of a matrix.
    for (stride, ways) in [(16, 1), (32, 2), (48, 1), (64, 4), (80, 1), (128, 8)] {
        let out = device.zeros::<u32>(5 * 32);
        let args = [Arg::Ptr(out), Arg::I32(stride)];
        let shared = 32 * stride as u32;
        let (report, _) = device.try_launch("rows", [1; 3], [32, 1, 1], shared, &args);
        assert_eq!((report.fault, report.findings.len()), (None, 0));
        let loads = report.counters.totals.shared_loads;
        assert_eq!((loads.requests, loads.lanes, loads.bytes), (2, 40, 640));
        assert_eq!(loads.wavefronts, 5 * ways, "{stride} bytes");
        assert_eq!(loads.conflicts, 5 * (ways - 1), "{stride} bytes");
        assert_eq!(loads.worst_ways, ways, "{stride} bytes");
        // For each lane, a word of row `lane / 4` of each matrix.
        let got = device.get::<u32>(out, 5 * 32);
        for (i, &word) in got.iter().enumerate() {
            let row = i % 128 / 32 * 8 + i % 32 / 4;
            assert_eq!(word as usize, row * stride as usize / 4 + i % 4);
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

/// A tile that reaches beyond its allocation is found like any other access.
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

/// Lanes whose addresses an `ldmatrix` of one or two matrices does not use: before 8.0, a GPU checks them nevertheless.
#[test]
fn lanes_that_give_no_row_matter_before_8_0() {
    let ptx = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n .reg .pred %p; .reg .b32 %r<5>;\n\
               .shared .align 16 .b8 s[256];\n mov.u32 %r0, s;\n mov.u32 %r1, %tid.x;\n setp.lt.u32 %p, %r1, 16;\n\
               shl.b32 %r2, %r1, 4;\n add.u32 %r2, %r2, %r0;\n @!%p mov.u32 %r2, 0xfffffff1;\n\
               ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3, %r4}, [%r2];\n ret;\n}\n";
    for (part, fine) in [("t4", false), ("a100", true)] {
        let profile = Part::find(part).expect("there is such a part");
        let memory = Arc::new(Memory::new(1 << 20));
        let module = Module::load(ptx, &memory, profile).expect("the module loads");
        let settings = Settings { checks: Checks::ALL, ..Settings::default() };
        let kernel = module.kernel("k").expect("the kernel exists");
        let launch = Launch { kernel, geometry: Geometry::new([1; 3], [32, 1, 1]), params: &[] };
        let report = run(&memory, profile, &settings, &launch, &mut |_| ());
        assert_eq!(report.fault.is_none(), fine, "{part}: {:#?}", report.findings);
    }
}
