//! A profile chosen before `cuInit`.

mod common;
use common::open;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult::*};
use std::ffi::{c_char, c_int};

#[test]
fn the_device_is_what_the_profile_says() {
    let library = open();
    let mut count = 0;
    unsafe {
        assert_eq!(sys::cuDeviceGetCount(&raw mut count), CUDA_ERROR_NOT_INITIALIZED);
        assert_eq!(sys::cuMemAlloc_v2(&mut 0, 4), CUDA_ERROR_NOT_INITIALIZED);
        let configure = library.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"simt_configure").unwrap();
        assert_eq!(configure(c"{\"profile\": \"gtx\"}".as_ptr()), 1);
        assert_eq!(configure(c"{\"profile\": \"t4\"}".as_ptr()), 0);
        assert_eq!(sys::cuInit(0), CUDA_SUCCESS);
        let mut bytes = 0;
        assert_eq!(sys::cuDeviceTotalMem_v2(&raw mut bytes, 0), CUDA_SUCCESS);
        assert_eq!(bytes, 15_828_320_256);
        let get = |attribute| {
            let mut value = 0;
            assert_eq!(sys::cuDeviceGetAttribute(&raw mut value, attribute, 0), CUDA_SUCCESS);
            value
        };
        assert_eq!(get(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 40);
        assert_eq!(get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR), 16);
        assert_eq!(get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), 1024);
        assert_eq!(get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR), 65536);
    }
}
