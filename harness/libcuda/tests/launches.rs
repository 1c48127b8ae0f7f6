//! Modules and launches: loading, refusals, and the state after a failed kernel.

mod common;
#[path = "common/kernels.rs"]
mod kernels;
use common::*;
use cudarc::driver::sys::{self, CUfunction_attribute as Attribute, CUresult::*};
use kernels::*;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

/// Stores the number of each block, waits for the grid, and adds the number that the next block stored, and the size of
/// the grid. It calls the device runtime, as code of compilers other than nvcc does.
const GRID: &str = "
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.extern .func (.param .b32 r) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle);
.visible .entry ring(.param .u64 values, .param .u64 sums)
{
    .reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<12>;
    .param .b32 scope; .param .b64 handle; .param .b64 grid; .param .b32 flags; .param .b32 error;
    .local .align 4 .b32 threads;
    .param .b64 to; .param .b64 none; .param .b64 same; .param .b32 other;
    ld.param.u64 %rd1, [values];
    ld.param.u64 %rd2, [sums];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %nctaid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    st.global.u32 [%rd4], %r1;
    st.param.b32 [scope], 1;
    call (handle), cudaCGGetIntrinsicHandle, (scope);
    ld.param.b64 %rd5, [handle];
    st.param.b64 [grid], %rd5;
    st.param.b32 [flags], 0;
    call (error), cudaCGSynchronize, (grid, flags);
    ld.param.b32 %r3, [error];
    add.u32 %r4, %r1, 1;
    setp.eq.u32 %p1, %r4, %r2;
    selp.b32 %r4, 0, %r4, %p1;
    mul.wide.u32 %rd6, %r4, 4;
    add.s64 %rd6, %rd1, %rd6;
    ld.global.u32 %r5, [%rd6];
    add.u32 %r5, %r5, %r1;
    mov.u64 %rd7, threads;
    cvta.local.u64 %rd7, %rd7;
    st.param.b64 [to], %rd7;
    st.param.b64 [none], 0;
    st.param.b64 [same], %rd5;
    call (other), cudaCGGetSize, (to, none, same);
    ld.u32 %r6, [%rd7];
    mad.lo.u32 %r5, %r6, 100, %r5;
    mad.lo.u32 %r5, %r3, 100000, %r5;
    add.s64 %rd8, %rd2, %rd3;
    st.global.u32 [%rd8], %r5;
    ret;
}
";

#[test]
fn the_device_runtime_synchronizes_a_grid() {
    own_context();
    let ring = function(module(GRID), "ring");
    let (mut values, mut sums) = (alloc(16), alloc(16));
    let mut params = [(&raw mut values).cast::<c_void>(), (&raw mut sums).cast()];
    let params = params.as_mut_ptr();
    ok(unsafe { sys::cuLaunchCooperativeKernel(ring, 4, 1, 1, 1, 1, 1, 0, null_mut(), params) });
    ok(unsafe { sys::cuCtxSynchronize() });
    assert_eq!(read(sums, 4), [401, 403, 405, 403]);
    // Blocks of a launch that is not cooperative need not be there at the same time: that is an error of the call.
    ok(unsafe { sys::cuLaunchKernel(ring, 4, 1, 1, 1, 1, 1, 0, null_mut(), params, null_mut()) });
    ok(unsafe { sys::cuCtxSynchronize() });
    assert!(read(sums, 4).iter().all(|sum| sum / 100_000 == 1));
    unsafe {
        ok(sys::cuMemFree_v2(values));
        ok(sys::cuMemFree_v2(sums));
    }
}

#[test]
fn a_kernel_gets_its_parameters_either_way() {
    own_context();
    let fill = function(module(PTX), "fill");
    let (mut address, mut value) = (alloc(400), 5u32);
    let mut params = [(&raw mut address).cast::<c_void>(), (&raw mut value).cast()];
    ok(launch(fill, [4, 1, 1], [25, 1, 1], 0, &mut params));
    assert_eq!(read(address, 100), (5..105).collect::<Vec<_>>());
    // One buffer, laid out as the kernel declares.
    let mut buffer = [0u8; 12];
    buffer[..8].copy_from_slice(&address.to_ne_bytes());
    buffer[8..].copy_from_slice(&9u32.to_ne_bytes());
    let mut size = buffer.len();
    let mut extra = [
        std::ptr::dangling_mut::<c_void>(),
        buffer.as_mut_ptr().cast(),
        2 as *mut c_void,
        (&raw mut size).cast(),
        null_mut(),
    ];
    unsafe {
        ok(sys::cuLaunchKernel(fill, 1, 1, 1, 100, 1, 1, 0, null_mut(), null_mut(), extra.as_mut_ptr()));
        assert_eq!(read(address, 100), (9..109).collect::<Vec<_>>());
        (&raw mut size).write(4);
        let short = sys::cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), extra.as_mut_ptr());
        fails(short, CUDA_ERROR_INVALID_VALUE);
        (&raw mut size).write(12);
        let both = params.as_mut_ptr();
        let both = sys::cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, null_mut(), both, extra.as_mut_ptr());
        fails(both, CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemFree_v2(address));
    }
    fails(one(fill, 1, 1), CUDA_ERROR_INVALID_VALUE);
    fails(launch(fill, [1, 1, 1], [1, 1, 1], 0, &mut [null_mut(), null_mut()]), CUDA_ERROR_INVALID_VALUE);
    fails(one(null_mut(), 1, 1), CUDA_ERROR_INVALID_HANDLE);
    fails(one(0x1234 as sys::CUfunction, 1, 1), CUDA_ERROR_INVALID_HANDLE);
}

#[test]
fn variables_are_found_and_shared_with_kernels() {
    own_context();
    let module = module(PTX);
    let (mut address, mut size) = (0, 0);
    unsafe {
        let global = |name: &CString, address: &mut u64, size: &mut usize| {
            sys::cuModuleGetGlobal_v2(address, size, module, name.as_ptr())
        };
        ok(global(&c"counter".to_owned(), &mut address, &mut size));
        assert_eq!((size, read(address, 1)), (4, vec![41]));
        ok(one(function(module, "count"), 10, 32));
        assert_eq!(read(address, 1), [361]);
        fails(global(&c"nothing".to_owned(), &mut address, &mut size), CUDA_ERROR_NOT_FOUND);
        let mut none = null_mut();
        fails(sys::cuModuleGetFunction(&raw mut none, module, c"nothing".as_ptr()), CUDA_ERROR_NOT_FOUND);
        ok(sys::cuModuleUnload(module));
        fails(sys::cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
        fails(sys::cuModuleGetFunction(&raw mut none, module, c"count".as_ptr()), CUDA_ERROR_INVALID_HANDLE);
        // Unloading a module also frees its variables.
        let mut host = 0u32;
        fails(sys::cuMemcpyDtoH_v2((&raw mut host).cast(), address, 4), CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn attributes_and_occupancy_are_the_kernel_s() {
    own_context();
    let module = module(PTX);
    let fill = function(module, "fill");
    let get = |attribute, function| {
        let mut value = -1;
        ok(unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, function) });
        value
    };
    assert_eq!(get(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, fill), 1024);
    assert_eq!(get(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function(module, "bounded")), 64);
    assert_eq!(get(Attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION, fill), 52);
    assert_eq!(get(Attribute::CU_FUNC_ATTRIBUTE_BINARY_VERSION, fill), 80);
    assert!(get(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS, fill) > 0);
    let (mut blocks, mut grid, mut block) = (0, 0, 0);
    unsafe {
        ok(sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, fill, 256, 0));
        assert_eq!(blocks, 8);
        let big = sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, fill, 256, 40_000);
        assert_eq!((big, blocks), (CUDA_SUCCESS, 4));
        ok(sys::cuOccupancyMaxPotentialBlockSize(&raw mut grid, &raw mut block, fill, None, 0, 0));
        assert_eq!((grid, block), (216, 1024));
        let none = sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, fill, 0, 0);
        fails(none, CUDA_ERROR_INVALID_VALUE);
        let info: unsafe extern "C" fn(sys::CUfunction, usize, *mut usize, *mut usize) -> sys::CUresult =
            symbol("cuFuncGetParamInfo");
        let (mut offset, mut size) = (0, 0);
        ok(info(fill, 1, &raw mut offset, &raw mut size));
        assert_eq!((offset, size), (8, 4));
        fails(info(fill, 2, &raw mut offset, &raw mut size), CUDA_ERROR_INVALID_VALUE);
        let name: unsafe extern "C" fn(*mut *const c_char, sys::CUfunction) -> sys::CUresult = symbol("cuFuncGetName");
        let mut text = null();
        ok(name(&raw mut text, fill));
        assert_eq!(std::ffi::CStr::from_ptr(text), c"fill");
    }
}

#[test]
fn an_endless_kernel_is_stopped() {
    own_context();
    let spin = function(module(PTX), "spin");
    configure(r#"{"budget": 100000}"#).unwrap();
    ok(one(spin, 1, 32));
    let result = unsafe { sys::cuCtxSynchronize() };
    configure(r#"{"budget": 200000000000}"#).unwrap();
    fails(result, CUDA_ERROR_LAUNCH_TIMEOUT);
}

#[test]
fn what_is_no_module_is_refused_with_words() {
    own_context();
    let load = |image: &[u8]| {
        let mut module = null_mut();
        let mut log = [0 as c_char; 512];
        let mut options =
            [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), 512 as *mut c_void];
        let mut padded = image.to_vec();
        padded.extend([0; 64]);
        let result = unsafe {
            let image = padded.as_ptr().cast();
            sys::cuModuleLoadDataEx(&raw mut module, image, 2, options.as_mut_ptr(), values.as_mut_ptr())
        };
        let text = unsafe { std::ffi::CStr::from_ptr(log.as_ptr()) }.to_str().unwrap().to_owned();
        assert_eq!(values[1] as usize, if text.is_empty() { 0 } else { text.len() + 1 });
        (result, text)
    };
    let (result, log) = load(b"\x7fELF\x02\x01\x01");
    assert_eq!(result, CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert!(log.contains("cubin"), "{log}");
    assert_eq!(load(b"hello").0, CUDA_ERROR_INVALID_IMAGE);
    let (result, log) = load(PTX.replace("mad.lo.s32", "mad.lo.s23").as_bytes());
    assert_eq!(result, CUDA_ERROR_INVALID_PTX);
    assert!(log.contains("mad.lo.s23"), "{log}");
    // A program that uses unsupported features may be correct: its kernel is refused, but the module is loaded.
    assert_eq!(load(PTX.replace("mad.lo.s32", "vmad.s32.s32.s32.shr7").as_bytes()).0, CUDA_SUCCESS);
    assert_eq!(load(PTX.replace("sm_52", "sm_90").as_bytes()).0, CUDA_ERROR_INVALID_PTX);
    // A version that is not known yet is tried.
    assert_eq!(load(PTX.replace("7.0", "9.9").as_bytes()), (CUDA_SUCCESS, String::new()));
    assert_eq!(load(PTX.as_bytes()), (CUDA_SUCCESS, String::new()));
    let mut module = null_mut();
    unsafe {
        fails(sys::cuModuleLoad(&raw mut module, c"/no/such/file".as_ptr()), CUDA_ERROR_FILE_NOT_FOUND);
        fails(sys::cuModuleLoadData(&raw mut module, null()), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuModuleLoadData(null_mut(), PTX.as_ptr().cast()), CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn libraries_belong_to_no_context() {
    library();
    type Load = unsafe extern "C" fn(
        *mut usize,
        *const c_char,
        *const c_int,
        *const c_void,
        u32,
        *const c_int,
        *const c_void,
        u32,
    ) -> sys::CUresult;
    let load: Load = symbol("cuLibraryLoadData");
    let kernel: unsafe extern "C" fn(*mut usize, usize, *const c_char) -> sys::CUresult = symbol("cuLibraryGetKernel");
    let unload: unsafe extern "C" fn(usize) -> sys::CUresult = symbol("cuLibraryUnload");
    let ptx = CString::new(PTX).unwrap();
    let (mut library, mut count) = (0, 0);
    unsafe {
        ok(load(&raw mut library, ptx.as_ptr(), null(), null(), 0, null(), null(), 0));
        ok(kernel(&raw mut count, library, c"count".as_ptr()));
        own_context();
        ok(one(count as sys::CUfunction, 1, 32));
        ok(sys::cuCtxSynchronize());
        ok(unload(library));
        fails(unload(library), CUDA_ERROR_INVALID_HANDLE);
        fails(one(count as sys::CUfunction, 1, 32), CUDA_ERROR_INVALID_HANDLE);
    }
}

#[test]
fn kernels_are_captured_with_their_parameters() {
    own_context();
    let fill = function(module(PTX), "fill");
    let (mut address, mut value) = (alloc(128), 3u32);
    let mut params = [(&raw mut address).cast::<c_void>(), (&raw mut value).cast()];
    let (mut stream, mut graph, mut exec) = (null_mut(), null_mut(), null_mut());
    let instantiate: unsafe extern "C" fn(*mut sys::CUgraphExec, sys::CUgraph, u64) -> sys::CUresult =
        symbol("cuGraphInstantiateWithFlags");
    unsafe {
        ok(sys::cuStreamCreate(&raw mut stream, 1));
        let relaxed = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        ok(sys::cuStreamBeginCapture_v2(stream, relaxed));
        ok(sys::cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, stream, params.as_mut_ptr(), null_mut()));
        ok(sys::cuStreamEndCapture(stream, &raw mut graph));
        value = 100;
        ok(instantiate(&raw mut exec, graph, 0));
        ok(sys::cuGraphLaunch(exec, stream));
        ok(sys::cuStreamSynchronize(stream));
        assert_eq!(read(address, 2), [3, 4]);
        assert_eq!(value, 100);
        let mut wrong = params;
        wrong[0] = null_mut();
        ok(sys::cuStreamBeginCapture_v2(stream, relaxed));
        let refused = sys::cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, stream, wrong.as_mut_ptr(), null_mut());
        fails(refused, CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuStreamEndCapture(stream, &raw mut graph));
    }
}

#[test]
fn the_way_of_launching_before_cuda_4_works() {
    own_context();
    let fill = function(module(PTX), "fill");
    let count = function(module(PTX), "count");
    let address = alloc(400);
    unsafe {
        // Nothing is set yet.
        fails(sys::cuLaunch(count), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuFuncSetBlockShape(fill, 25, 0, 1), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuFuncSetBlockShape(null_mut(), 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
        ok(sys::cuFuncSetBlockShape(fill, 25, 1, 1));
        ok(sys::cuFuncSetSharedSize(fill, 16));
        fails(sys::cuParamSeti(fill, -4, 1), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuParamSetv(fill, 0, null_mut(), 8), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuParamSetSize(fill, 1 << 20), CUDA_ERROR_INVALID_VALUE);
        let mut pointer = address;
        ok(sys::cuParamSetv(fill, 0, (&raw mut pointer).cast(), 8));
        ok(sys::cuParamSeti(fill, 8, 5));
        ok(sys::cuParamSetSize(fill, 8));
        fails(sys::cuLaunchGrid(fill, 4, 1), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuParamSetSize(fill, 12));
        fails(sys::cuLaunchGrid(fill, -1, 1), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuLaunchGrid(fill, 4, 1));
        assert_eq!(read(address, 100), (5..105).collect::<Vec<_>>());
        // The settings are kept; a float is passed by its bits.
        ok(sys::cuParamSetf(fill, 8, 1.0));
        let mut stream = null_mut();
        ok(sys::cuStreamCreate(&raw mut stream, 0));
        ok(sys::cuLaunchGridAsync(fill, 2, 2, stream));
        ok(sys::cuStreamSynchronize(stream));
        assert_eq!(read(address, 1), [1.0f32.to_bits()]);
        assert_eq!(read(address, 100)[99], 104);
        // A modern launch neither needs nor changes these settings.
        ok(sys::cuFuncSetBlockShape(count, 2, 1, 1));
        ok(one(count, 1, 64));
        ok(sys::cuLaunch(count));
        // Values beyond the part's limits cannot be set.
        fails(sys::cuFuncSetBlockShape(count, 2048, 1, 1), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuFuncSetSharedSize(count, 1_000_000), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuStreamDestroy_v2(stream));
    }
}

#[test]
fn free_shared_memory_is_what_a_launch_may_ask_for() {
    own_context();
    let count = function(module(PTX), "count");
    let free = |blocks: c_int, threads: c_int| {
        let mut bytes = 0usize;
        match unsafe { sys::cuOccupancyAvailableDynamicSMemPerBlock(&raw mut bytes, count, blocks, threads) } {
            CUDA_SUCCESS => Ok(bytes),
            error => Err(error),
        }
    };
    // An A100 has 164 KiB per SM, of which a block may use 163 if the kernel has opted in.
    assert_eq!([free(1, 128), free(2, 128), free(4, 128)], [Ok(48 << 10), Ok(48 << 10), Ok(41 << 10)]);
    let dynamic = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    ok(unsafe { sys::cuFuncSetAttribute(count, dynamic, 150_000) });
    assert_eq!([free(1, 128), free(2, 128)], [Ok(150_000), Ok(82 << 10)]);
    for (blocks, threads) in [(0, 128), (33, 128), (1, 0), (1, 2048)] {
        assert_eq!(free(blocks, threads), Err(CUDA_ERROR_INVALID_VALUE));
    }
}

#[test]
fn null_and_missing_contexts_are_told_apart() {
    let context = own_context();
    let fill = function(module(PTX), "fill");
    let mut name: *const c_char = null();
    let (mut offset, mut size) = (0usize, 0usize);
    type Name = unsafe extern "C" fn(*mut *const c_char, sys::CUfunction) -> sys::CUresult;
    type Info = unsafe extern "C" fn(sys::CUfunction, usize, *mut usize, *mut usize) -> sys::CUresult;
    unsafe {
        for call in ["cuFuncGetName", "cuKernelGetName"] {
            let get: Name = symbol(call);
            fails(get(&raw mut name, null_mut()), CUDA_ERROR_INVALID_VALUE);
            fails(get(null_mut(), fill), CUDA_ERROR_INVALID_VALUE);
            fails(get(&raw mut name, 0x40 as sys::CUfunction), CUDA_ERROR_INVALID_HANDLE);
            ok(get(&raw mut name, fill));
        }
        let infos: [Info; 2] = [symbol("cuFuncGetParamInfo"), symbol("cuKernelGetParamInfo")];
        for info in infos {
            ok(info(fill, 1, &raw mut offset, &raw mut size));
            assert_eq!((offset, size), (8, 4));
        }
        ok(sys::cuCtxPopCurrent_v2(&mut null_mut()));
        for info in infos {
            fails(info(fill, 1, &raw mut offset, &raw mut size), CUDA_ERROR_INVALID_CONTEXT);
        }
        ok(sys::cuCtxPushCurrent_v2(context));
        let checkpoint: unsafe extern "C" fn(c_int, *mut c_void) -> sys::CUresult = symbol("cuCheckpointProcessLock");
        fails(checkpoint(1, null_mut()), CUDA_ERROR_NOT_SUPPORTED);
    }
}
