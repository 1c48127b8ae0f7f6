//! Clusters of blocks through the driver's calls, on a part that supports them.

mod common;
use common::{alloc, context, function, module, ok, open, symbol};
use cudarc::driver::sys;
use std::ffi::{c_char, c_int, c_void};

const PTX: &str = ".version 8.6
.target sm_90
.address_size 64
.visible .entry ranks(.param .u64 out)
{
  .reg .b64 %out, %at;
  .reg .b32 %r<4>;
  ld.param.u64 %out, [out];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, %cluster_nctarank;
  mad.lo.u32 %r1, %r2, 100, %r1;
  mul.wide.u32 %at, %r0, 4;
  add.u64 %at, %at, %out;
  st.global.u32 [%at], %r1;
  ret;
}
.visible .entry pairs(.param .u64 out)
.explicitcluster
.reqnctapercluster 2, 1, 1
{
  .reg .b64 %out, %at;
  .reg .b32 %r<4>;
  ld.param.u64 %out, [out];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, %cluster_nctarank;
  mad.lo.u32 %r1, %r2, 100, %r1;
  mul.wide.u32 %at, %r0, 4;
  add.u64 %at, %at, %out;
  st.global.u32 [%at], %r1;
  ret;
}
";

/// Error codes, some of which are missing in the oldest driver for which cudarc is built.
const NOT_PERMITTED: c_int = 800;
const INVALID_CLUSTER_SIZE: c_int = 912;

/// `CUlaunchAttribute`, for the size of clusters.
#[repr(C)]
struct Attribute {
    id: c_int,
    pad: [u8; 4],
    value: [u32; 16],
}

/// `CUlaunchConfig`.
#[repr(C)]
struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: *mut c_void,
    attributes: *const Attribute,
    count: u32,
}

fn with_config<R>(grid: u32, cluster: u32, act: impl FnOnce(*const Config) -> R) -> R {
    let mut attribute = Attribute { id: 4, pad: [0; 4], value: [0; 16] };
    attribute.value[..3].copy_from_slice(&[cluster, 1, 1]);
    let (stream, count) = (std::ptr::null_mut(), u32::from(cluster > 0));
    act(&Config { grid: [grid, 1, 1], block: [32, 1, 1], shared: 0, stream, attributes: &raw const attribute, count })
}

/// Launches a kernel whose only argument is `out`. A cluster size of 0 means that none is requested.
fn launch(kernel: sys::CUfunction, grid: u32, cluster: u32, out: u64) -> c_int {
    type Launch = unsafe extern "C" fn(*const Config, sys::CUfunction, *const *const c_void, *const c_void) -> c_int;
    let call: Launch = symbol("cuLaunchKernelEx");
    let arguments = [(&raw const out).cast::<c_void>()];
    with_config(grid, cluster, |config| unsafe { call(config, kernel, arguments.as_ptr(), std::ptr::null()) })
}

fn asked(call: &str, kernel: sys::CUfunction, cluster: u32) -> (c_int, c_int) {
    type Ask = unsafe extern "C" fn(*mut c_int, sys::CUfunction, *const Config) -> c_int;
    let call: Ask = symbol(call);
    let mut count = -1;
    (with_config(64, cluster, |config| unsafe { call(&raw mut count, kernel, config) }), count)
}

fn written(out: u64, count: usize) -> Vec<u32> {
    let mut words = vec![0u32; count];
    ok(unsafe { sys::cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), out, 4 * count) });
    words
}

#[test]
fn clusters_are_launched_and_refused() {
    let library = open();
    let configure = unsafe { library.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"simt_configure") }.unwrap();
    assert_eq!(unsafe { configure(c"{\"profile\": \"h200\"}".as_ptr()) }, 0);
    ok(unsafe { sys::cuInit(0) });
    context();
    let mut yes = 0;
    let ask: unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int = symbol("cuDeviceGetAttribute");
    assert_eq!(unsafe { ask(&raw mut yes, 120, 0) }, 0);
    assert_eq!(yes, 1, "CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH");
    let module = module(PTX);
    let (ranks, pairs) = (function(module, "ranks"), function(module, "pairs"));
    let out = alloc(4 * 64);
    let set: unsafe extern "C" fn(sys::CUfunction, c_int, c_int) -> c_int = symbol("cuFuncSetAttribute");
    let get: unsafe extern "C" fn(*mut c_int, c_int, sys::CUfunction) -> c_int = symbol("cuFuncGetAttribute");
    let expected = |size: u32, count: u32| (0..count).map(|block| 100 * size + block % size).collect::<Vec<_>>();
    // The launch specifies the size.
    for size in [1, 2, 4, 8] {
        assert_eq!(launch(ranks, 16, size, out), 0);
        assert_eq!(written(out, 16), expected(size, 16));
    }
    assert_eq!(launch(ranks, 3, 0, out), 0);
    assert_eq!(written(out, 3), [100; 3], "no clusters");
    // Grids that do not consist of whole clusters, and clusters that are too large.
    assert_eq!(launch(ranks, 6, 4, out), INVALID_CLUSTER_SIZE);
    assert_eq!(launch(ranks, 16, 16, out), INVALID_CLUSTER_SIZE);
    assert_eq!(asked("cuOccupancyMaxPotentialClusterSize", ranks, 0), (0, 8));
    assert_eq!(unsafe { set(ranks, 14, 1) }, 0);
    assert_eq!(launch(ranks, 16, 16, out), 0);
    assert_eq!(written(out, 16), expected(16, 16));
    assert_eq!(asked("cuOccupancyMaxPotentialClusterSize", ranks, 0), (0, 16));
    let (result, count) = asked("cuOccupancyMaxActiveClusters", ranks, 8);
    assert_eq!(result, 0);
    assert!(count > 0, "{count}");
    assert_eq!(asked("cuOccupancyMaxActiveClusters", ranks, 32).0, INVALID_CLUSTER_SIZE);
    // The function's attributes specify the size.
    assert_eq!(unsafe { set(ranks, 11, 4) }, 0);
    assert_eq!(launch(ranks, 16, 0, out), 0);
    assert_eq!(written(out, 16), expected(4, 16));
    // The kernel specifies the size.
    assert_eq!(launch(pairs, 6, 0, out), 0);
    assert_eq!(written(out, 6), expected(2, 6));
    assert_eq!(launch(pairs, 8, 4, out), INVALID_CLUSTER_SIZE);
    assert_eq!(unsafe { set(pairs, 11, 4) }, NOT_PERMITTED);
    let mut width = 0;
    assert_eq!(unsafe { get(&raw mut width, 11, pairs) }, 0);
    assert_eq!(width, 2);
}
