//! The kernels that tests launch, and helpers for launching them.
#![allow(dead_code, reason = "each test file uses what it needs")]

#[path = "../../../simt/tests/common/committed.rs"]
pub mod committed;

use super::common::ok;
use cudarc::driver::sys;
use std::ffi::c_void;
use std::ptr::null_mut;

/// The kernels.
pub const PTX: &str = r"
.version 7.0
.target sm_52
.address_size 64

.global .align 4 .u32 counter = 41;

.visible .entry fill(.param .u64 out, .param .u32 value)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    add.s32 %r6, %r1, %r5;
    st.global.u32 [%rd4], %r6;
    ret;
}

.visible .entry count()
{
    .reg .b32 %r<2>;
    atom.global.add.u32 %r1, [counter], 1;
    ret;
}

.visible .entry spin()
{
$again:
    bra $again;
}

.visible .entry bounded()
.maxntid 64, 1, 1
{
    ret;
}

.visible .entry exact()
.reqntid 32, 2, 1
{
    ret;
}
";

/// Launches a kernel into the default stream.
pub fn launch(
    function: sys::CUfunction,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    params: &mut [*mut c_void],
) -> sys::CUresult {
    let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
    let params = if params.is_empty() { null_mut() } else { params.as_mut_ptr() };
    unsafe { sys::cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, null_mut(), params, null_mut()) }
}

/// Launches a row of blocks without parameters.
pub fn one(function: sys::CUfunction, grid: u32, block: u32) -> sys::CUresult {
    launch(function, [grid, 1, 1], [block, 1, 1], 0, &mut [])
}

/// Reads words of device memory.
pub fn read(address: u64, count: usize) -> Vec<u32> {
    let mut values = vec![0u32; count];
    ok(unsafe { sys::cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), address, count * 4) });
    values
}
