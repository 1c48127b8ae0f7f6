//! Allocation, copies, fills, and queries about addresses.

mod common;
use common::*;
use cudarc::driver::sys::{self, CUmemorytype, CUpointer_attribute as Attribute, CUresult::*};
use std::ffi::c_void;

fn attribute<T: Default>(attribute: Attribute, address: u64) -> Result<T, sys::CUresult> {
    let mut value = T::default();
    match unsafe { sys::cuPointerGetAttribute((&raw mut value).cast(), attribute, address) } {
        CUDA_SUCCESS => Ok(value),
        error => Err(error),
    }
}

#[test]
fn bytes_go_there_and_back() {
    context();
    let address = alloc(4096);
    let input: Vec<u32> = (0..1024).collect();
    let mut output = vec![0u32; 1024];
    unsafe {
        ok(sys::cuMemcpyHtoD_v2(address, input.as_ptr().cast(), 4096));
        let other = alloc(4096);
        ok(sys::cuMemcpyDtoD_v2(other, address, 4096));
        ok(sys::cuMemcpyDtoH_v2(output.as_mut_ptr().cast(), other, 4096));
        assert_eq!(input, output);
        ok(sys::cuMemsetD32_v2(other + 400, 0xdead_beef, 10));
        ok(sys::cuMemsetD16_v2(other + 4, 0x1234, 1));
        ok(sys::cuMemsetD8_v2(other, 7, 1));
        ok(sys::cuMemcpyDtoH_v2(output.as_mut_ptr().cast(), other, 4096));
        assert_eq!(
            (output[0], output[1], output[99], output[100], output[109], output[110]),
            (7, 0x1234, 99, 0xdead_beef, 0xdead_beef, 110)
        );
        ok(sys::cuMemcpy(address, other, 4096));
        ok(sys::cuMemFree_v2(address));
        ok(sys::cuMemFree_v2(other));
    }
}

#[test]
fn wrong_ends_and_sizes_are_invalid_values() {
    context();
    let address = alloc(100);
    let mut host = [0u8; 200];
    let (to, from) = (host.as_mut_ptr().cast::<c_void>(), host.as_ptr().cast::<c_void>());
    unsafe {
        fails(sys::cuMemcpyHtoD_v2(address, from, 101), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyHtoD_v2(address + 90, from, 11), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyHtoD_v2(host.as_ptr() as u64, from, 1), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyHtoD_v2(address, address as *const c_void, 10), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyDtoH_v2(to, 0x10, 4), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyDtoH_v2(0x10 as *mut c_void, address, 4), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyDtoH_v2(to, u64::MAX - 2, 4), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyDtoH_v2(to, address, usize::MAX), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemsetD32_v2(address + 2, 1, 1), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemsetD32_v2(address, 1, 26), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemAlloc_v2(&mut 0, 0), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemAlloc_v2(std::ptr::null_mut(), 4), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemAlloc_v2(&mut 0, 1 << 50), CUDA_ERROR_OUT_OF_MEMORY);
        ok(sys::cuMemcpyHtoD_v2(address, std::ptr::null(), 0));
        ok(sys::cuMemFree_v2(0));
        fails(sys::cuMemFree_v2(address + 4), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemFree_v2(address));
        fails(sys::cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyDtoH_v2(to, address, 4), CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn the_device_s_memory_is_accounted_for() {
    own_context();
    let (mut free, mut total, mut less) = (0, 0, 0);
    unsafe {
        ok(sys::cuMemGetInfo_v2(&raw mut free, &raw mut total));
        let address = alloc(3 << 30);
        ok(sys::cuMemGetInfo_v2(&raw mut less, &raw mut total));
        // The other tests of this program allocate and free at the same time, but far less than a gigabyte.
        assert!(free - less > 2 << 30);
        let (mut base, mut size) = (0, 0);
        ok(sys::cuMemGetAddressRange_v2(&raw mut base, &raw mut size, address + 12345));
        assert_eq!((base, size), (address, 3 << 30));
        fails(sys::cuMemGetAddressRange_v2(&raw mut base, &raw mut size, 64), CUDA_ERROR_NOT_FOUND);
        ok(sys::cuMemFree_v2(address));
    }
}

#[test]
fn rows_are_copied_with_their_pitches() {
    context();
    let (mut address, mut pitch) = (0, 0);
    let input: Vec<u8> = (0..12 * 5).collect();
    let mut output = vec![0u8; 10 * 5];
    unsafe {
        ok(sys::cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, 12, 5, 4));
        assert!(pitch >= 12 && pitch % 512 == 0);
        fails(sys::cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, 12, 5, 3), CUDA_ERROR_INVALID_VALUE);
        let mut copy = filled(|new: *mut sys::CUDA_MEMCPY2D| {
            (*new).srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
            (*new).dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        });
        copy.srcHost = input.as_ptr().cast();
        copy.srcPitch = 12;
        copy.dstDevice = address;
        copy.dstPitch = pitch;
        copy.WidthInBytes = 12;
        copy.Height = 5;
        ok(sys::cuMemcpy2D_v2(&raw const copy));
        // The ten bytes in the middle of each row.
        let mut back = filled(|new: *mut sys::CUDA_MEMCPY2D| {
            (*new).srcMemoryType = CUmemorytype::CU_MEMORYTYPE_UNIFIED;
            (*new).dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        });
        back.srcDevice = address;
        back.srcPitch = pitch;
        back.srcXInBytes = 1;
        back.dstHost = output.as_mut_ptr().cast();
        back.dstPitch = 10;
        back.WidthInBytes = 10;
        back.Height = 5;
        ok(sys::cuMemcpy2D_v2(&raw const back));
        let expected: Vec<u8> = (0..5u8).flat_map(|y| (1..11u8).map(move |x| y * 12 + x)).collect();
        assert_eq!(output, expected);
        back.dstPitch = 9;
        fails(sys::cuMemcpy2D_v2(&raw const back), CUDA_ERROR_INVALID_VALUE);
        back.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        back.dstPitch = 10;
        fails(sys::cuMemcpy2D_v2(&raw const back), CUDA_ERROR_INVALID_HANDLE);
        fails(sys::cuMemcpy2D_v2(std::ptr::null()), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemsetD2D8_v2(address, pitch, 9, 12, 2));
        ok(sys::cuMemcpyDtoH_v2(output.as_mut_ptr().cast(), address + pitch as u64 * 2, 10));
        assert_eq!(output[..10], input[24..34]);
        ok(sys::cuMemFree_v2(address));
    }
}

#[test]
fn blocks_are_copied_in_three_dimensions() {
    context();
    let input: Vec<u16> = (0..4 * 3 * 2).collect();
    let address = alloc(8 * 4 * 3);
    let mut output = vec![0u16; 2 * 2 * 2];
    unsafe {
        let mut copy = filled(|new: *mut sys::CUDA_MEMCPY3D| {
            (*new).srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
            (*new).dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        });
        copy.srcHost = input.as_ptr().cast();
        (copy.srcPitch, copy.srcHeight) = (8, 3);
        copy.dstDevice = address;
        (copy.dstPitch, copy.dstHeight) = (8, 4);
        (copy.WidthInBytes, copy.Height, copy.Depth) = (8, 3, 2);
        ok(sys::cuMemcpy3D_v2(&raw const copy));
        let mut back = filled(|new: *mut sys::CUDA_MEMCPY3D| {
            (*new).srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
            (*new).dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        });
        back.srcDevice = address;
        (back.srcPitch, back.srcHeight, back.srcXInBytes, back.srcY) = (8, 4, 2, 1);
        back.dstHost = output.as_mut_ptr().cast();
        (back.dstPitch, back.dstHeight) = (4, 2);
        (back.WidthInBytes, back.Height, back.Depth) = (4, 2, 2);
        ok(sys::cuMemcpy3D_v2(&raw const back));
        assert_eq!(output, [5, 6, 9, 10, 17, 18, 21, 22]);
        ok(sys::cuMemFree_v2(address));
    }
}

#[test]
fn host_memory_is_known_by_its_address() {
    context();
    let mut pinned = std::ptr::null_mut();
    let mut own = vec![0u8; 8192];
    let pageable = own.as_mut_ptr().cast::<c_void>();
    let mut address = 0;
    unsafe {
        ok(sys::cuMemHostAlloc(&raw mut pinned, 1000, sys::CU_MEMHOSTALLOC_DEVICEMAP));
        ok(sys::cuMemHostGetDevicePointer_v2(&raw mut address, pinned, 0));
        assert_eq!(address, pinned as u64);
        assert_eq!(attribute::<u32>(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address), Ok(1));
        fails(sys::cuMemHostAlloc(&raw mut pinned, 1000, 99), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemFreeHost(pageable), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemHostGetDevicePointer_v2(&raw mut address, pageable, 0), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemHostRegister_v2(pageable, 8192, 0));
        fails(sys::cuMemHostRegister_v2(pageable, 10, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
        ok(sys::cuMemHostGetDevicePointer_v2(&raw mut address, pageable.add(4), 0));
        ok(sys::cuMemHostUnregister(pageable));
        fails(sys::cuMemHostUnregister(pageable), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
        ok(sys::cuMemFreeHost(pinned));
    }
}

#[test]
fn managed_memory_is_one_address_for_both() {
    context();
    let mut address = 0;
    unsafe {
        ok(sys::cuMemAllocManaged(&raw mut address, 1 << 20, 1));
        (address as *mut u32).write(77);
        let mut read = 0u32;
        ok(sys::cuMemcpyDtoH_v2((&raw mut read).cast(), address, 4));
        assert_eq!(read, 77);
        assert_eq!(attribute::<i32>(Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED, address), Ok(1));
        assert_eq!(attribute::<u64>(Attribute::CU_POINTER_ATTRIBUTE_HOST_POINTER, address), Ok(address));
        let advise: unsafe extern "C" fn(u64, usize, i32, i32) -> sys::CUresult = symbol("cuMemAdvise");
        let prefetch: unsafe extern "C" fn(u64, usize, i32, usize) -> sys::CUresult = symbol("cuMemPrefetchAsync");
        ok(advise(address, 1 << 20, 1, 0));
        fails(advise(address, 1 << 20, 99, 0), CUDA_ERROR_INVALID_VALUE);
        fails(advise(address, (1 << 20) + 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
        fails(advise(address, 1 << 20, 3, 5), CUDA_ERROR_INVALID_DEVICE);
        ok(prefetch(address, 1 << 20, 0, 0));
        fails(prefetch(address, 1 << 20, 7, 0), CUDA_ERROR_INVALID_DEVICE);
        let range: unsafe extern "C" fn(*mut c_void, usize, i32, u64, usize) -> sys::CUresult =
            symbol("cuMemRangeGetAttribute");
        let mut value = -9i32;
        ok(range((&raw mut value).cast(), 4, 1, address, 4096));
        assert_eq!(value, 1);
        ok(range((&raw mut value).cast(), 4, 4, address, 4096));
        assert_eq!(value, 0);
        ok(sys::cuMemFree_v2(address));
    }
}

#[test]
fn device_memory_is_told_from_all_other() {
    let context = context();
    let address = alloc(64);
    assert_eq!(attribute::<u32>(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address + 63), Ok(2));
    assert_eq!(attribute::<usize>(Attribute::CU_POINTER_ATTRIBUTE_CONTEXT, address), Ok(context as usize));
    assert_eq!(attribute::<u64>(Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address + 8), Ok(address));
    assert_eq!(attribute::<usize>(Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE, address), Ok(64));
    let host = attribute::<u64>(Attribute::CU_POINTER_ATTRIBUTE_HOST_POINTER, address);
    assert_eq!(host, Err(CUDA_ERROR_INVALID_VALUE));
    let unknown = attribute::<u32>(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, &raw const address as u64);
    assert_eq!(unknown, Err(CUDA_ERROR_INVALID_VALUE));
    // A query of several attributes returns zeros for an unknown address.
    let mut kinds = [Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL];
    let (mut kind, mut ordinal) = (9u32, 9i32);
    let mut data = [(&raw mut kind).cast::<c_void>(), (&raw mut ordinal).cast()];
    unsafe {
        ok(sys::cuPointerGetAttributes(2, kinds.as_mut_ptr(), data.as_mut_ptr(), &raw const kinds as u64));
        assert_eq!((kind, ordinal), (0, -2));
        ok(sys::cuPointerGetAttributes(2, kinds.as_mut_ptr(), data.as_mut_ptr(), address));
        assert_eq!((kind, ordinal), (2, 0));
        // No context is needed, as on an H200; the pointer of the current one is then unknown.
        ok(sys::cuCtxSetCurrent(std::ptr::null_mut()));
        ok(sys::cuPointerGetAttributes(2, kinds.as_mut_ptr(), data.as_mut_ptr(), &raw const kinds as u64));
        assert_eq!((kind, ordinal), (0, -2));
        kinds[1] = Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER;
        let mut pointer = 9u64;
        data[1] = (&raw mut pointer).cast();
        ok(sys::cuPointerGetAttributes(2, kinds.as_mut_ptr(), data.as_mut_ptr(), address));
        assert_eq!((kind, pointer), (2, 0));
        ok(sys::cuCtxSetCurrent(context));
        ok(sys::cuMemFree_v2(address));
    }
}

#[test]
fn stream_ordered_memory_is_a_pool_s() {
    context();
    let (mut stream, mut pool, mut address) = (std::ptr::null_mut(), std::ptr::null_mut(), 0);
    unsafe {
        ok(sys::cuStreamCreate(&raw mut stream, 1));
        ok(sys::cuDeviceGetDefaultMemPool(&raw mut pool, 0));
        ok(sys::cuMemAllocAsync(&raw mut address, 1000, stream));
        assert_eq!(attribute::<usize>(Attribute::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address), Ok(pool as usize));
        let mut used = 0u64;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
        ok(sys::cuMemPoolGetAttribute(pool, attribute, (&raw mut used).cast()));
        assert!(used >= 1000);
        ok(sys::cuMemFreeAsync(address, stream));
        fails(sys::cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuStreamSynchronize(stream));
        let device = alloc(8);
        fails(sys::cuMemFreeAsync(device, stream), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemFree_v2(device));
        fails(sys::cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
        let properties = filled(|new: *mut sys::CUmemPoolProps| {
            (*new).allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
            (*new).location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        });
        let mut mine = std::ptr::null_mut();
        ok(sys::cuMemPoolCreate(&raw mut mine, &raw const properties));
        ok(sys::cuMemAllocFromPoolAsync(&raw mut address, 64, mine, stream));
        ok(sys::cuMemFreeAsync(address, stream));
        ok(sys::cuMemPoolDestroy(mine));
        fails(sys::cuMemPoolTrimTo(mine, 0), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuStreamDestroy_v2(stream));
    }
}

/// `CUmemLocation`.
#[repr(C)]
struct MemLocation {
    kind: i32,
    id: i32,
}

#[test]
fn pools_are_found_by_their_place_since_cuda_13() {
    type Get = unsafe extern "C" fn(*mut *mut c_void, *const MemLocation, i32) -> sys::CUresult;
    type Set = unsafe extern "C" fn(*const MemLocation, i32, *mut c_void) -> sys::CUresult;
    context();
    let (default, current): (Get, Get) = (symbol("cuMemGetDefaultMemPool"), symbol("cuMemGetMemPool"));
    let set: Set = symbol("cuMemSetMemPool");
    let (device, host, nowhere) =
        (MemLocation { kind: 1, id: 0 }, MemLocation { kind: 2, id: 0 }, MemLocation { kind: 9, id: 0 });
    let other = MemLocation { kind: 1, id: 1 };
    let (pinned, managed) = (1, 2);
    let (mut of_device, mut found, null): (*mut c_void, _, _) =
        (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    unsafe {
        ok(sys::cuDeviceGetDefaultMemPool((&raw mut of_device).cast(), 0));
        ok(default(&raw mut found, &raw const device, pinned));
        assert_eq!(found, of_device);
        ok(set(&raw const device, pinned, of_device));
        found = null;
        ok(current(&raw mut found, &raw const device, pinned));
        assert_eq!(found, of_device);
        fails(set(&raw const device, pinned, null), CUDA_ERROR_INVALID_VALUE);
        fails(default(std::ptr::null_mut(), &raw const device, pinned), CUDA_ERROR_INVALID_VALUE);
        fails(default(&raw mut found, std::ptr::null(), pinned), CUDA_ERROR_INVALID_VALUE);
        fails(default(&raw mut found, &raw const nowhere, pinned), CUDA_ERROR_NOT_SUPPORTED);
        fails(default(&raw mut found, &raw const device, 99), CUDA_ERROR_INVALID_VALUE);
        fails(default(&raw mut found, &raw const other, pinned), CUDA_ERROR_INVALID_VALUE);
        // Each location and kind has its own pool.
        ok(default(&raw mut found, &raw const host, pinned));
        assert_ne!(found, of_device);
        fails(set(&raw const device, pinned, found), CUDA_ERROR_INVALID_VALUE);
        ok(current(&raw mut found, &raw const device, managed));
        assert_ne!(found, of_device);
    }
}

#[test]
fn batches_of_copies_have_the_arguments_of_the_client_s_version() {
    type Batch = unsafe extern "C" fn(
        *const u64,
        *const u64,
        *const usize,
        usize,
        *const c_void,
        *const usize,
        usize,
        sys::CUstream,
    ) -> sys::CUresult;
    type Old = unsafe extern "C" fn(
        *const u64,
        *const u64,
        *const usize,
        usize,
        *const c_void,
        *const usize,
        usize,
        *mut usize,
        sys::CUstream,
    ) -> sys::CUresult;
    context();
    let mut address = std::ptr::null_mut();
    let name = c"cuMemcpyBatchAsync".as_ptr();
    type GetProcAddress =
        unsafe extern "C" fn(*const std::ffi::c_char, *mut *mut c_void, i32, u64, *mut i32) -> sys::CUresult;
    let get: GetProcAddress = symbol("cuGetProcAddress_v2");
    unsafe { ok(get(name, &raw mut address, 13000, 0, std::ptr::null_mut())) };
    let batch: Batch = unsafe { std::mem::transmute(address) };
    let (from, to) = (alloc(64), alloc(64));
    let mut stream = std::ptr::null_mut();
    // The source is read in the stream's order.
    let (mut attributes, mut index) = ([0_u32; 16], 0);
    attributes[0] = 1;
    unsafe {
        ok(sys::cuStreamCreate(&raw mut stream, 1));
        ok(sys::cuMemsetD8_v2(from, 9, 64));
        let (dsts, srcs, sizes) = ([to, to + 32], [from, from + 32], [32, 32]);
        let given = attributes.as_ptr().cast();
        ok(batch(dsts.as_ptr(), srcs.as_ptr(), sizes.as_ptr(), 2, given, &raw const index, 1, stream));
        ok(sys::cuStreamSynchronize(stream));
        let mut host = [0_u8; 64];
        ok(sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), to, 64));
        assert_eq!(host, [9; 64]);
        // The first attributes must be for the first copy, and no copy may be empty.
        index = 1;
        let wrong = batch(dsts.as_ptr(), srcs.as_ptr(), sizes.as_ptr(), 2, given, &raw const index, 1, stream);
        fails(wrong, CUDA_ERROR_INVALID_VALUE);
        index = 0;
        // CUDA 12's form returns the index of the failed copy.
        let (old, sizes, mut failed): (Old, _, _) = (symbol("cuMemcpyBatchAsync"), [32, 0], 7);
        let (to, from) = (dsts.as_ptr(), srcs.as_ptr());
        let wrong = old(to, from, sizes.as_ptr(), 2, given, &raw const index, 1, &raw mut failed, stream);
        fails(wrong, CUDA_ERROR_INVALID_VALUE);
        assert_eq!(failed, 1);
        fails(
            old(to, from, sizes.as_ptr(), 0, given, &raw const index, 1, &raw mut failed, stream),
            CUDA_ERROR_INVALID_VALUE,
        );
        assert_eq!(failed, usize::MAX);
        ok(sys::cuStreamDestroy_v2(stream));
    }
}

#[test]
fn a_context_is_named_or_current_since_cuda_13() {
    type Of = unsafe extern "C" fn(*mut i32, sys::CUcontext) -> sys::CUresult;
    type Wait = unsafe extern "C" fn(sys::CUcontext) -> sys::CUresult;
    let mine = own_context();
    let (of, wait): (Of, Wait) = (symbol("cuCtxGetDevice_v2"), symbol("cuCtxSynchronize_v2"));
    let (mut device, null) = (7, std::ptr::null_mut());
    unsafe {
        ok(of(&raw mut device, mine));
        assert_eq!(device, 0);
        ok(of(&raw mut device, null));
        fails(of(std::ptr::null_mut(), mine), CUDA_ERROR_INVALID_VALUE);
        ok(wait(mine));
        ok(wait(null));
        let mut none = null;
        ok(sys::cuCtxPopCurrent_v2(&raw mut none));
        ok(wait(mine));
        fails(wait(null), CUDA_ERROR_INVALID_CONTEXT);
        ok(sys::cuCtxDestroy_v2(mine));
    }
}
