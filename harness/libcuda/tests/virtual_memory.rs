//! Virtual memory management: reserving, allocating, mapping, and the access rights of kernels.

mod common;
use common::*;
use cudarc::driver::sys::{self, CUmemAccess_flags as Access, CUmemLocationType, CUresult::*};

const CHUNK: usize = 2 << 20;

fn props() -> sys::CUmemAllocationProp {
    let mut props: sys::CUmemAllocationProp = unsafe { std::mem::zeroed() };
    props.type_ = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    props
}

fn reserve(size: usize, wanted: u64) -> u64 {
    let mut at = 0;
    ok(unsafe { sys::cuMemAddressReserve(&mut at, size, 0, wanted, 0) });
    at
}

fn create(size: usize) -> u64 {
    let mut handle = 0;
    ok(unsafe { sys::cuMemCreate(&mut handle, size, &props(), 0) });
    handle
}

fn allow(at: u64, size: usize, flags: Access) -> sys::CUresult {
    let access = sys::CUmemAccessDesc { location: props().location, flags };
    unsafe { sys::cuMemSetAccess(at, size, &access, 1) }
}

#[test]
fn memory_is_mapped_in_pieces_and_used_as_a_whole() {
    context();
    let mut granularity = 0;
    let minimum = sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
    unsafe { ok(sys::cuMemGetAllocationGranularity(&mut granularity, &props(), minimum)) };
    assert_eq!(granularity, CHUNK);
    let at = reserve(2 * CHUNK, 0);
    let chunks = [create(CHUNK), create(CHUNK)];
    let input: Vec<u32> = (0..CHUNK as u32 / 2).collect();
    let mut output = vec![0u32; input.len()];
    unsafe {
        for (n, chunk) in chunks.into_iter().enumerate() {
            ok(sys::cuMemMap(at + (n * CHUNK) as u64, CHUNK, 0, chunk, 0));
            ok(sys::cuMemRelease(chunk));
        }
        fails(sys::cuMemcpyHtoD_v2(at, input.as_ptr().cast(), 2 * CHUNK), CUDA_ERROR_INVALID_VALUE);
        ok(allow(at, 2 * CHUNK, Access::CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
        ok(sys::cuMemcpyHtoD_v2(at, input.as_ptr().cast(), 2 * CHUNK));
        ok(sys::cuMemsetD32_v2(at + CHUNK as u64 - 4, 9, 2));
        ok(sys::cuMemcpyDtoH_v2(output.as_mut_ptr().cast(), at, 2 * CHUNK));
        let seam = CHUNK / 4;
        assert_eq!(output[seam - 2..seam + 2], [seam as u32 - 2, 9, 9, seam as u32 + 1]);
        assert_eq!((output[0], output[2 * seam - 1]), (0, 2 * seam as u32 - 1));
        let mut flags = 0;
        ok(sys::cuMemGetAccess(&mut flags, &props().location, at));
        assert_eq!(flags, 3);
        let mut again = 0;
        ok(sys::cuMemRetainAllocationHandle(&mut again, at as *mut _));
        ok(sys::cuMemRelease(again));
        fails(sys::cuMemRelease(again), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemFree_v2(at), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemAddressFree(at, 2 * CHUNK), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemUnmap(at, 2 * CHUNK));
        ok(sys::cuMemAddressFree(at, 2 * CHUNK));
    }
}

#[test]
fn memory_is_exported_as_a_file_descriptor_if_that_was_asked_for() {
    context();
    let posix = sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let export = |handle, out: *mut i32| unsafe { sys::cuMemExportToShareableHandle(out.cast(), handle, posix, 0) };
    let (mut descriptor, mut chunk, mut again, plain) = (-1, 0, 0, create(CHUNK));
    fails(export(plain, &raw mut descriptor), CUDA_ERROR_INVALID_VALUE);
    let mut asked = props();
    asked.requestedHandleTypes = posix;
    unsafe {
        ok(sys::cuMemCreate(&mut chunk, CHUNK, &asked, 0));
        ok(export(chunk, &raw mut descriptor));
        let shared = |descriptor: i32| std::ptr::without_provenance_mut(descriptor as usize);
        ok(sys::cuMemImportFromShareableHandle(&mut again, shared(descriptor), posix));
        assert_ne!(again, chunk);
        // Both mappings show the same memory.
        let at = reserve(2 * CHUNK, 0);
        ok(sys::cuMemMap(at, CHUNK, 0, chunk, 0));
        ok(sys::cuMemMap(at + CHUNK as u64, CHUNK, 0, again, 0));
        ok(allow(at, 2 * CHUNK, Access::CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
        ok(sys::cuMemsetD32_v2(at, 9, 1));
        let mut read = 0u32;
        ok(sys::cuMemcpyDtoH_v2((&raw mut read).cast(), at + CHUNK as u64, 4));
        assert_eq!(read, 9);
        ok(sys::cuMemUnmap(at, 2 * CHUNK));
        ok(sys::cuMemAddressFree(at, 2 * CHUNK));
        // Imported memory cannot be exported, and other files cannot be imported.
        fails(export(again, &raw mut descriptor), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemImportFromShareableHandle(&mut again, shared(9999), posix), CUDA_ERROR_UNKNOWN);
        let other = std::fs::File::open("/dev/null").unwrap();
        let other = std::os::fd::AsRawFd::as_raw_fd(&other);
        fails(sys::cuMemImportFromShareableHandle(&mut again, shared(other), posix), CUDA_ERROR_INVALID_VALUE);
        for handle in [chunk, again, plain] {
            ok(sys::cuMemRelease(handle));
        }
    }
}

#[test]
fn memory_of_the_host_is_refused_with_a_word() {
    context();
    report();
    let mut host = props();
    // CU_MEM_LOCATION_TYPE_HOST_NUMA, which is newer than the bindings.
    unsafe { (&raw mut host.location.type_).cast::<u32>().write(3) };
    fails(unsafe { sys::cuMemCreate(&mut 0, CHUNK, &host, 0) }, CUDA_ERROR_NOT_SUPPORTED);
    let told = report()["findings"].to_string();
    assert!(told.contains("lies on the host"), "{told}");
}

#[test]
fn wrong_sizes_and_handles_are_invalid_values() {
    context();
    let at = reserve(CHUNK, 0);
    let chunk = create(CHUNK);
    unsafe {
        fails(sys::cuMemCreate(&mut 0, CHUNK + 4096, &props(), 0), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemCreate(&mut 0, 1 << 50, &props(), 0), CUDA_ERROR_OUT_OF_MEMORY);
        fails(sys::cuMemAddressReserve(&mut 0, 4096, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemMap(at, CHUNK, 0, chunk + 1, 0), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemMap(at, CHUNK, CHUNK, chunk, 0), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemMap(at + CHUNK as u64, CHUNK, 0, chunk, 0), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemUnmap(at, CHUNK), CUDA_ERROR_INVALID_VALUE);
        fails(allow(at, CHUNK, Access::CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemRelease(chunk));
        ok(sys::cuMemAddressFree(at, CHUNK));
        fails(sys::cuMemAddressFree(at, CHUNK), CUDA_ERROR_INVALID_VALUE);
    }
}
