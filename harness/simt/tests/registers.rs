//! The estimate of a kernel's registers stays within its launch bounds, as a compiler does.

use gpu::{PARTS, Part};
use simt::machine::{Kernel, Module};
use simt::memory::Memory;
use simt::occupancy::occupancy;
use std::fmt::Write as _;
use std::sync::Arc;

/// Returns a kernel with `values` simultaneously live values.
fn kernel(values: u32, bounds: &str, profile: &Part) -> Kernel {
    let mut body = String::new();
    for i in 0..values {
        let _ = writeln!(body, "ld.global.u32 %r{i}, [%rd1+{}];", i * 4);
    }
    for i in 0..values {
        let _ = writeln!(body, "st.global.u32 [%rd1+{}], %r{i};", (values - 1 - i) * 4);
    }
    let text = format!(
        ".version 8.0\n.target sm_52\n.address_size 64\n.visible .entry k(.param .u64 p) {bounds}\n{{
        .reg .b32 %r<{values}>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n{body}ret;\n}}\n"
    );
    let memory = Arc::new(Memory::new(1 << 24));
    let module = Module::load(&text, &memory, profile).expect("it loads");
    module.kernel("k").expect("it is there").clone()
}

#[test]
fn a_kernel_without_bounds_can_be_launched_with_any_block() {
    for profile in PARTS {
        let kernel = kernel(90, "", profile);
        let blocks = occupancy(profile, profile.max_threads_per_block, kernel.registers, 0).blocks;
        assert!(blocks > 0, "{}: {} registers", profile.name, kernel.registers);
    }
}

#[test]
fn a_kernel_fits_its_own_launch_bounds() {
    for profile in PARTS {
        for threads in (1..=1024).step_by(31) {
            for blocks in [1, 2, 3] {
                let bounds = format!(".maxntid {threads}, 1, 1 .minnctapersm {blocks}");
                let kernel = kernel(240, &bounds, profile);
                let asked = blocks.min(profile.max_warps_per_sm() / u32::div_ceil(threads, 32));
                let resident = occupancy(profile, threads, kernel.registers, 0).blocks;
                assert!(resident >= asked, "{} with {bounds}: {} registers", profile.name, kernel.registers);
            }
        }
    }
}

#[test]
fn a_stated_number_of_registers_is_the_bound() {
    let profile = Part::default_part();
    let registers = |bounds: &str| kernel(120, bounds, profile).registers;
    assert_eq!(registers(".maxnreg 40"), 40);
    assert!((120..=128).contains(&registers(".maxnreg 128")), "{}", registers(".maxnreg 128"));
    assert!((120..=128).contains(&registers(".reqntid 512")), "{}", registers(".reqntid 512"));
    assert_eq!(registers(".maxntid 512 .minnctapersm 2"), 64);
    assert!(kernel(20, "", profile).registers < 30);
}
