//! Arrays, copies to and from them, and texture and surface objects: results, and the codes of refusals.

mod common;
use common::*;
use cudarc::driver::sys::{self, CUarray_format as Format, CUresourcetype as Kind, CUresult::*};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

fn desc(width: usize, height: usize, depth: usize, flags: u32) -> sys::CUDA_ARRAY3D_DESCRIPTOR {
    sys::CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: Format::CU_AD_FORMAT_FLOAT,
        NumChannels: 1,
        Flags: flags,
    }
}

fn create(desc: sys::CUDA_ARRAY3D_DESCRIPTOR) -> Result<sys::CUarray, sys::CUresult> {
    let mut array = null_mut();
    match unsafe { sys::cuArray3DCreate_v2(&raw mut array, &raw const desc) } {
        CUDA_SUCCESS => Ok(array),
        error => Err(error),
    }
}

#[test]
fn an_array_is_as_it_was_asked_for_and_is_checked() {
    context();
    const LAYERED: u32 = 1;
    const SURFACE: u32 = 2;
    const CUBEMAP: u32 = 4;
    const GATHER: u32 = 8;
    let fine = [
        (16, 0, 0, 0),
        (16, 4, 0, SURFACE),
        (16, 4, 3, 0),
        (16, 0, 5, LAYERED),
        (16, 4, 5, LAYERED | SURFACE),
        (8, 8, 6, CUBEMAP),
        (8, 8, 12, CUBEMAP | LAYERED),
        (16, 4, 0, GATHER),
        (131_072, 65_536, 0, 0),
    ];
    for (width, height, depth, flags) in fine {
        let wanted = desc(width, height, depth, flags);
        // The largest array need not fit into memory.
        let array = match create(wanted) {
            Err(CUDA_ERROR_OUT_OF_MEMORY) => continue,
            other => other.unwrap_or_else(|error| panic!("{wanted:?}: {error:?}")),
        };
        let mut told = desc(0, 0, 0, 0);
        ok(unsafe { sys::cuArray3DGetDescriptor_v2(&raw mut told, array) });
        assert_eq!(told, wanted);
        ok(unsafe { sys::cuArrayDestroy(array) });
        fails(unsafe { sys::cuArrayDestroy(array) }, CUDA_ERROR_INVALID_HANDLE);
        fails(unsafe { sys::cuArray3DGetDescriptor_v2(&raw mut told, array) }, CUDA_ERROR_INVALID_HANDLE);
    }
    let wrong = [
        (0, 4, 0, 0),
        (16, 0, 3, 0),
        (16, 4, 0, LAYERED),
        (8, 4, 6, CUBEMAP),
        (8, 8, 7, CUBEMAP),
        (8, 8, 8, CUBEMAP | LAYERED),
        (16, 4, 2, GATHER),
        (131_073, 1, 0, 0),
        (16, 65_537, 0, 0),
        (16_385, 1, 1, 0),
        (16, 4, 2049, LAYERED),
    ];
    for (width, height, depth, flags) in wrong {
        let wanted = desc(width, height, depth, flags);
        assert_eq!(create(wanted), Err(CUDA_ERROR_INVALID_VALUE), "{wanted:?}");
    }
    let three = sys::CUDA_ARRAY3D_DESCRIPTOR { NumChannels: 3, ..desc(4, 4, 0, 0) };
    assert_eq!(create(three), Err(CUDA_ERROR_INVALID_VALUE));
}

#[test]
fn bytes_go_to_arrays_and_back() {
    context();
    let array = create(desc(8, 4, 0, 0)).unwrap();
    let other = create(desc(8, 4, 0, 0)).unwrap();
    let input: Vec<f32> = (0..32).map(|i| i as f32).collect();
    let mut output = vec![0f32; 32];
    let device = alloc(128);
    unsafe {
        ok(sys::cuMemcpyHtoA_v2(array, 0, input.as_ptr().cast(), 128));
        ok(sys::cuMemcpyAtoA_v2(other, 64, array, 0, 64));
        ok(sys::cuMemcpyAtoD_v2(device, other, 0, 128));
        ok(sys::cuMemcpyDtoH_v2(output.as_mut_ptr().cast(), device, 128));
        assert_eq!(output[..16], [0f32; 16]);
        assert_eq!(output[16..], input[..16]);
        ok(sys::cuMemcpyHtoD_v2(device, input.as_ptr().cast(), 128));
        ok(sys::cuMemcpyDtoA_v2(other, 4, device + 8, 8));
        ok(sys::cuMemcpyAtoH_v2(output.as_mut_ptr().cast(), other, 0, 16));
        assert_eq!(output[..4], [0.0, 2.0, 3.0, 0.0]);
        ok(sys::cuMemcpyHtoAAsync_v2(array, 0, output.as_ptr().cast(), 16, null_mut()));
        ok(sys::cuMemcpyAtoHAsync_v2(output[4..].as_mut_ptr().cast(), array, 0, 16, null_mut()));
        ok(sys::cuStreamSynchronize(null_mut()));
        assert_eq!(output[4..8], [0.0, 2.0, 3.0, 0.0]);
        // Ranges beyond the end, and parts of elements.
        fails(sys::cuMemcpyHtoA_v2(array, 4, input.as_ptr().cast(), 128), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyHtoA_v2(array, 2, input.as_ptr().cast(), 4), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuArrayDestroy(other));
        fails(sys::cuMemcpyAtoH_v2(output.as_mut_ptr().cast(), other, 0, 16), CUDA_ERROR_INVALID_HANDLE);
    }
    // Two rows of three, from the second column on.
    let plane = |x: usize, width: usize| {
        let copy = filled(|copy: *mut sys::CUDA_MEMCPY2D| unsafe {
            (&raw mut (*copy).srcMemoryType).write(sys::CUmemorytype::CU_MEMORYTYPE_ARRAY);
            (&raw mut (*copy).srcArray).write(array);
            (&raw mut (*copy).srcXInBytes).write(x);
            (&raw mut (*copy).srcY).write(1);
            (&raw mut (*copy).dstMemoryType).write(sys::CUmemorytype::CU_MEMORYTYPE_HOST);
            (&raw mut (*copy).dstHost).write(output.as_ptr().cast_mut().cast());
            (&raw mut (*copy).dstPitch).write(12);
            (&raw mut (*copy).WidthInBytes).write(width);
            (&raw mut (*copy).Height).write(2);
        });
        unsafe { sys::cuMemcpy2D_v2(&raw const copy) }
    };
    ok(plane(4, 12));
    fails(plane(24, 12), CUDA_ERROR_INVALID_VALUE);
    fails(plane(4, 10), CUDA_ERROR_INVALID_VALUE);
    unsafe {
        ok(sys::cuArrayDestroy(array));
        ok(sys::cuMemFree_v2(device));
    }
    assert_eq!(output[..6], [9.0, 10.0, 11.0, 17.0, 18.0, 19.0]);
}

fn resource(kind: Kind, fill: impl FnOnce(&mut sys::CUDA_RESOURCE_DESC)) -> sys::CUDA_RESOURCE_DESC {
    let mut desc = filled(|desc: *mut sys::CUDA_RESOURCE_DESC| unsafe { (&raw mut (*desc).resType).write(kind) });
    fill(&mut desc);
    desc
}

fn how(filter: sys::CUfilter_mode, flags: u32) -> sys::CUDA_TEXTURE_DESC {
    let clamp = sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP;
    sys::CUDA_TEXTURE_DESC {
        addressMode: [clamp; 3],
        filterMode: filter,
        flags,
        maxAnisotropy: 0,
        mipmapFilterMode: filter,
        mipmapLevelBias: 0.0,
        minMipmapLevelClamp: 0.0,
        maxMipmapLevelClamp: 0.0,
        borderColor: [0.0; 4],
        reserved: [0; 12],
    }
}

fn texture(from: &sys::CUDA_RESOURCE_DESC, how: &sys::CUDA_TEXTURE_DESC) -> Result<u64, sys::CUresult> {
    let mut handle = 0;
    match unsafe { sys::cuTexObjectCreate(&raw mut handle, from, how, null()) } {
        CUDA_SUCCESS => Ok(handle),
        error => Err(error),
    }
}

#[test]
fn objects_remember_what_they_were_made_from() {
    context();
    let array = create(desc(8, 4, 0, 2)).unwrap();
    let from = resource(Kind::CU_RESOURCE_TYPE_ARRAY, |desc| desc.res.array.hArray = array);
    let linear = how(sys::CUfilter_mode::CU_TR_FILTER_MODE_LINEAR, 2);
    let handle = texture(&from, &linear).unwrap();
    let mut told = how(sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT, 0);
    let mut back = resource(Kind::CU_RESOURCE_TYPE_LINEAR, |_| {});
    let mut surface = 0;
    unsafe {
        ok(sys::cuTexObjectGetTextureDesc(&raw mut told, handle));
        ok(sys::cuTexObjectGetResourceDesc(&raw mut back, handle));
        assert_eq!(told, linear);
        assert_eq!((back.resType, back.res.array.hArray), (Kind::CU_RESOURCE_TYPE_ARRAY, array));
        ok(sys::cuSurfObjectCreate(&raw mut surface, &raw const from));
        fails(sys::cuTexObjectDestroy(surface), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuSurfObjectDestroy(surface));
        ok(sys::cuTexObjectDestroy(handle));
        fails(sys::cuTexObjectDestroy(handle), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuArrayDestroy(array));
    }
    assert_eq!(texture(&from, &linear), Err(CUDA_ERROR_INVALID_HANDLE));
    let plain = create(desc(8, 4, 0, 0)).unwrap();
    let from = resource(Kind::CU_RESOURCE_TYPE_ARRAY, |desc| desc.res.array.hArray = plain);
    fails(unsafe { sys::cuSurfObjectCreate(&raw mut surface, &raw const from) }, CUDA_ERROR_INVALID_VALUE);
    ok(unsafe { sys::cuArrayDestroy(plain) });
}

#[test]
fn memory_that_is_read_as_a_texture_has_limits() {
    context();
    let memory = alloc(1 << 16);
    let point = how(sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT, 0);
    let linear = |address: u64, bytes: usize| {
        let from = resource(Kind::CU_RESOURCE_TYPE_LINEAR, |desc| {
            desc.res.linear = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
                devPtr: address,
                format: Format::CU_AD_FORMAT_SIGNED_INT32,
                numChannels: 2,
                sizeInBytes: bytes,
            };
        });
        texture(&from, &point).map(|handle| ok(unsafe { sys::cuTexObjectDestroy(handle) }))
    };
    assert_eq!(linear(memory, 1 << 16), Ok(()));
    assert_eq!(linear(memory + 256, 64), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(linear(memory, 4), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(linear(memory, (8 << 28) + 8), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(linear(0, 64), Err(CUDA_ERROR_INVALID_VALUE));
    let plane = |width: usize, height: usize, pitch: usize, filter: sys::CUfilter_mode, flags: u32| {
        let from = resource(Kind::CU_RESOURCE_TYPE_PITCH2D, |desc| {
            desc.res.pitch2D = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
                devPtr: memory,
                format: Format::CU_AD_FORMAT_UNSIGNED_INT8,
                numChannels: 4,
                width,
                height,
                pitchInBytes: pitch,
            };
        });
        texture(&from, &how(filter, flags)).map(|handle| ok(unsafe { sys::cuTexObjectDestroy(handle) }))
    };
    let (point, linear) = (sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT, sys::CUfilter_mode::CU_TR_FILTER_MODE_LINEAR);
    assert_eq!(plane(8, 4, 32, point, 1), Ok(()));
    assert_eq!(plane(8, 4, 32, linear, 0), Ok(()));
    // Integers are not filtered.
    assert_eq!(plane(8, 4, 32, linear, 1), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(plane(8, 4, 48, point, 1), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(plane(9, 4, 32, point, 1), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(plane(8, 65_001, 32, point, 1), Err(CUDA_ERROR_INVALID_VALUE));
    ok(unsafe { sys::cuMemFree_v2(memory) });
}

const PTX: &str = "
.version 7.8
.target sm_75
.address_size 64
.visible .entry fetch(.param .u64 texture, .param .u64 out) {
    .reg .b64 %rd<4>; .reg .f32 %f<6>; .reg .b32 %r<2>;
    ld.param.u64 %rd1, [texture];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    tex.level.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {0f3F000000}], %f1;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd2, %rd2, %rd3;
    st.global.f32 [%rd2], %f2;
    ret;
}";

#[test]
fn a_kernel_reads_the_levels_of_an_array() {
    context();
    let mut all = null_mut();
    let mut handle = null_mut();
    let mut got = [0f32; 4];
    let array_desc = desc(8, 0, 0, 0);
    unsafe {
        ok(sys::cuMipmappedArrayCreate(&raw mut all, &raw const array_desc, 4));
        for level in 0..4u32 {
            ok(sys::cuMipmappedArrayGetLevel(&raw mut handle, all, level));
            let mut told = desc(0, 0, 0, 0);
            ok(sys::cuArray3DGetDescriptor_v2(&raw mut told, handle));
            assert_eq!((told.Width, told.Height), (8 >> level, 0));
            let texels = vec![level as f32 + 0.5; told.Width];
            ok(sys::cuMemcpyHtoA_v2(handle, 0, texels.as_ptr().cast(), told.Width * 4));
        }
        fails(sys::cuMipmappedArrayGetLevel(&raw mut handle, all, 4), CUDA_ERROR_INVALID_VALUE);
        let from = resource(Kind::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, |desc| desc.res.mipmap.hMipmappedArray = all);
        let point = sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT;
        let mut how = how(point, 2);
        how.maxMipmapLevelClamp = 9.0;
        let mut texture = texture(&from, &how).unwrap();
        let fetch = function(module(PTX), "fetch");
        let mut out = alloc(16);
        let mut params: [*mut c_void; 2] = [(&raw mut texture).cast(), (&raw mut out).cast()];
        ok(sys::cuLaunchKernel(fetch, 1, 1, 1, 4, 1, 1, 0, null_mut(), params.as_mut_ptr(), null_mut()));
        ok(sys::cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), out, 16));
        ok(sys::cuTexObjectDestroy(texture));
        ok(sys::cuMemFree_v2(out));
        ok(sys::cuMipmappedArrayDestroy(all));
        fails(sys::cuMipmappedArrayDestroy(all), CUDA_ERROR_INVALID_HANDLE);
    }
    assert_eq!(got, [0.5, 1.5, 2.5, 3.5]);
}
