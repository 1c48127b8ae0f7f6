//! Control flow: divergence and reconvergence of lanes, calls, variables.

use crate::committed::ptx_of;
use crate::common::{Arg, Device};
use std::sync::LazyLock;

static PTX: LazyLock<String> = LazyLock::new(|| ptx_of("kernels/control.cu"));

#[test]
fn nested_branches_and_loops_with_break_and_continue() {
    let device = Device::new(&PTX);
    let out = device.zeros::<i32>(96);
    device.launch("nested", 1, 96, &[Arg::Ptr(out), Arg::I32(33)]);
    let want = |i: i32| {
        if i & 1 != 0 {
            let v = match (i & 2 != 0, i & 4 != 0) {
                (true, true) => 11,
                (true, false) => 21,
                _ => 2,
            };
            return v + 100;
        }
        if i % 3 == 0 {
            return 3;
        }
        (0..i).take_while(|k| *k != 33).filter(|k| k % 2 == 0).sum()
    };
    let got = device.get::<i32>(out, 96);
    assert_eq!(got, (0..96).map(want).collect::<Vec<i32>>());
}

#[test]
fn loops_of_different_length_in_every_lane() {
    let mut device = Device::new(&PTX);
    device.settings.lines = true;
    let out = device.zeros::<i32>(1024);
    let report = device.launch("collatz", 4, 256, &[Arg::Ptr(out)]);
    let want = |i: u32| {
        let (mut v, mut steps) = (i + 1, 0);
        while v != 1 {
            v = if v % 2 == 1 { 3 * v + 1 } else { v / 2 };
            steps += 1;
        }
        steps
    };
    let got = device.get::<i32>(out, 1024);
    assert_eq!(got, (0..1024).map(want).collect::<Vec<i32>>());
    // All lanes of a warp wait at the end of the loop for the slowest of them: the end is executed once per warp.
    let end = report.counters.lines.iter().find(|l| l.totals.global_stores.requests > 0);
    let end = end.expect("the store was counted");
    assert_eq!(end.totals.global_stores.requests, 32);
}

#[test]
fn switches_take_the_right_case() {
    let device = Device::new(&PTX);
    let input: Vec<i32> = (0..64).map(|i| i % 10).collect();
    let (din, out) = (device.put(&input), device.zeros::<i32>(128));
    device.launch("switches", 1, 64, &[Arg::Ptr(out), Arg::Ptr(din)]);
    let got = device.get::<i32>(out, 128);
    for i in 0..64i32 {
        let want = match i % 10 {
            0 => i,
            1 => i * i,
            2 => -i,
            3 | 4 => i + 4,
            5 => 55,
            6 => i ^ 0x15,
            7 => i % 5,
            _ => 1000,
        };
        assert_eq!(got[i as usize], want, "lane {i}");
        assert_eq!(got[i as usize + 64], i32::from(matches!(i % 10, 3 | 4)));
    }
}

#[test]
fn calls_pass_and_return_numbers_and_structures() {
    let device = Device::new(&PTX);
    let out = device.zeros::<f32>(64);
    let kernel = device.module.kernel("calls").expect("it exists");
    assert_eq!(kernel.params[2].size, 12);
    let mut params = vec![0u8; kernel.param_bytes as usize];
    params[..8].copy_from_slice(&out.to_le_bytes());
    params[8..12].copy_from_slice(&5i32.to_le_bytes());
    let extra = kernel.params[2].offset as usize;
    params[extra..extra + 4].copy_from_slice(&1.5f32.to_le_bytes());
    params[extra + 4..extra + 8].copy_from_slice(&2.0f32.to_le_bytes());
    params[extra + 8..extra + 12].copy_from_slice(&9i32.to_le_bytes());
    let launch =
        simt::machine::Launch { kernel, geometry: simt::machine::Geometry::new([1; 3], [64, 1, 1]), params: &params };
    let profile = gpu::Part::default_part();
    let report = simt::machine::run(&device.memory, profile, &device.settings, &launch, &mut |_| {});
    assert_eq!(report.fault, None);
    let helper = |a: i32, b: i32| if a < b { a * 2 } else { b * 3 };
    let make = |i: i32| (i as f32, (i * 2) as f32, i & 3);
    let got = device.get::<f32>(out, 64);
    for i in 0..64 {
        let (a, b) = (make(i), make(i + 5));
        let mut want = a.0 * b.1 - a.1 * b.0 + a.2 as f32 + 1.5 * 2.0 + 9.0;
        if i % 3 != 0 {
            want += helper(i, 15) as f32;
        } else {
            want -= helper(15, i) as f32;
        }
        assert_eq!(got[i as usize], want, "lane {i}");
    }
}

#[test]
fn calls_through_pointers_that_differ_from_lane_to_lane() {
    let device = Device::new(&PTX);
    let out = device.zeros::<i32>(64);
    device.launch("pointers", 1, 64, &[Arg::Ptr(out)]);
    let table: [fn(i32) -> i32; 3] = [|x| 2 * x, |x| x + 7, |x| x * x];
    let want = |i: i32| table[i as usize % 3](i) + table[i as usize / 3 % 3](1);
    let got = device.get::<i32>(out, 64);
    assert_eq!(got, (0..64).map(want).collect::<Vec<i32>>());
}

#[test]
fn variables_constants_initialised_pointers_and_local_arrays() {
    let device = Device::new(&PTX);
    let out = device.zeros::<f32>(64);
    device.launch("variables", 1, 64, &[Arg::Ptr(out), Arg::I32(3)]);
    let numbers = [1, 2, 3, 5, 8, 13, 21, 34];
    let weights = [0.25, 0.5, 1.0, 2.0f32];
    let got = device.get::<f32>(out, 64);
    for i in 0..64usize {
        let local = |k: usize| (k * 3) as f32 + if k == (i & 15) { 1000.0 } else { 0.0 };
        let want = numbers[i & 7] as f32 + 5.0 * weights[i & 3] + local((i + 1) & 15) + local(i & 15);
        assert_eq!(got[i], want, "lane {i}");
    }
    let (address, size) = device.module.global("numbers").expect("it is known");
    assert_eq!(size, 32);
    assert_eq!(device.get::<i32>(address, 8), numbers);
}

#[test]
fn threads_may_return_before_a_barrier() {
    let device = Device::new(&PTX);
    let out = device.put(&[-1i32; 128]);
    device.launch("early", 1, 128, &[Arg::Ptr(out), Arg::I32(70)]);
    let got = device.get::<i32>(out, 128);
    for i in 0..128 {
        assert_eq!(got[i], if i < 70 { 69 - i as i32 } else { -1 });
    }
}

#[test]
fn lanes_leave_an_endless_loop_one_by_one() {
    let device = Device::new(&PTX);
    let out = device.zeros::<i32>(32);
    device.launch("escape", 1, 32, &[Arg::Ptr(out)]);
    let want = |i: i32| if i == 5 { 5 } else { i + 100 };
    let got = device.get::<i32>(out, 32);
    assert_eq!(got, (0..32).map(want).collect::<Vec<i32>>());
}

#[test]
fn a_branch_through_a_table_names_the_index_that_is_not_there() {
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 p) {\n .reg .b32 %r<2>;\n\
               ld.param.u32 %r0, [p];\n ts: .branchtargets A, B;\n brx.idx %r0, ts;\nA: ret;\nB: ret;\n}\n";
    let device = Device::new(ptx);
    let (report, _) = device.try_launch("k", [1; 3], [1; 3], 0, &[Arg::U32(2)]);
    let kind = simt::finding::FindingKind::InvalidBranch { index: 2, targets: 2 };
    assert_eq!(report.findings.first().map(|finding| &finding.kind), Some(&kind), "{:#?}", report.findings);
    device.launch("k", 1, 1, &[Arg::U32(1)]);
}
