//! Refused launches report the reason; the linker joins several texts into one module. The process has one report, so
//! there is one test for each.

mod common;
#[path = "common/kernels.rs"]
mod kernels;
use common::*;
use cudarc::driver::sys::{self, CUjit_option as Option_, CUjitInputType as Input, CUresult::*};
use kernels::*;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

/// Returns the PTX of a kernel `name` that takes a pointer and declares `shared` bytes, with the directives of `head`.
fn kernel(name: &str, head: &str, shared: u32) -> String {
    format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {name}(.param .u64 p)\n{head}\n{{\n\
         .shared .b8 s[{shared}];\nret;\n}}\n"
    )
}

/// Returns the single refusal since the last report.
fn refusal() -> serde_json::Value {
    let all = report();
    let [one] = all["findings"].as_array().unwrap().as_slice() else { panic!("{}", all["findings"]) };
    assert_eq!(one["kind"], "launch_limit", "{one}");
    one.clone()
}

#[test]
fn a_refused_launch_says_which_limit_what_was_asked_and_what_fits() {
    own_context();
    let plain = function(module(&kernel("plain", "", 16)), "plain");
    let bound = function(module(&kernel("bound", ".maxntid 128, 1, 1", 16)), "bound");
    let exact = function(module(&kernel("exact", ".reqntid 8, 4, 1", 16)), "exact");
    let local = |bytes: u32| {
        let array = format!("{{ .local .b8 l[{bytes}];");
        function(module(&kernel("local", "", 16).replace('{', &array)), "local")
    };
    let mut pointer = 0u64;
    let mut params = [(&raw mut pointer).cast::<c_void>()];
    let mut refused = |what, grid, block, shared, code| {
        fails(launch(what, grid, block, shared, &mut params), code);
        let found = refusal();
        let number = |field: &str| found[field].as_u64().unwrap();
        (
            found["limit"].as_str().unwrap().to_owned(),
            number("asked"),
            number("allowed"),
            found["text"].as_str().unwrap().to_owned(),
        )
    };
    report();
    let invalid = CUDA_ERROR_INVALID_VALUE;
    let one = [1, 1, 1];
    let cases = [
        (plain, [0, 1, 1], one, 0, ("empty_grid", 0, 1), "(0, 1, 1)"),
        (plain, one, [1, 0, 1], 0, ("empty_block", 0, 1), "(1, 0, 1)"),
        (plain, [1, 70000, 1], one, 0, ("grid", 70000, 65535), "blocks of y"),
        (plain, one, [1, 1, 65], 0, ("block", 65, 64), "along z"),
        (plain, one, [32, 64, 1], 0, ("threads_per_block", 2048, 1024), "(32, 32, 1) would fit"),
        (bound, one, [256, 1, 1], 0, ("launch_bounds", 256, 128), "(128, 1, 1) would fit"),
        (exact, one, [32, 1, 1], 0, ("required_block", 32, 32), "(8, 4, 1) alone"),
        (plain, one, one, 60000, ("shared_memory", 60016, 49152), "opt in"),
        (plain, one, one, 200_000, ("shared_memory", 200_016, 49152), "at most: use smaller tiles"),
        (local(1 << 30), one, one, 0, ("local_memory", 1 << 30, 523_712), "device memory"),
        (local(523_728), one, one, 0, ("local_memory", 523_728, 523_712), "device memory"),
    ];
    for (what, grid, block, shared, expected, words) in cases {
        let (limit, asked, allowed, text) = refused(what, grid, block, shared, invalid);
        assert_eq!((limit.as_str(), asked, allowed), expected);
        assert!(text.contains(words), "{text}");
    }
    // Missing arguments, and a grid that cannot be resident as a whole.
    fails(launch(plain, one, one, 0, &mut []), invalid);
    let found = refusal();
    assert_eq!((&found["limit"], &found["allowed"]), (&"arguments".into(), &8.into()));
    let too_large =
        unsafe { sys::cuLaunchCooperativeKernel(plain, 100_000, 1, 1, 1024, 1, 1, 0, null_mut(), params.as_mut_ptr()) };
    fails(too_large, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    let found = refusal();
    // An A100 has 108 multiprocessors of 2048 threads.
    assert_eq!((&found["asked"], &found["allowed"]), (&100_000.into(), &216.into()));
    // The context can still be used, and values at the limits are accepted.
    ok(launch(plain, one, one, 0, &mut params));
    ok(launch(local(523_712), one, one, 0, &mut params));
    unsafe { ok(sys::cuCtxSynchronize()) };
    linked_parts_run();
    others_of_a_module_run();
}

fn linked_parts_run() {
    let main = ".version 7.0\n.target sm_70\n.address_size 64\n\
        .extern .func (.param .b32 r) twice(.param .b32 a);\n\
        .global .u32 mine = 1;\n\
        .visible .entry run(.param .u64 p)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<2>;\n\
        ld.global.u32 %r1, [mine];\n\
        { .param .b32 a; st.param.b32 [a], %r1; .param .b32 r;\n\
        call.uni (r), twice, (a); ld.param.b32 %r2, [r]; }\n\
        ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], %r2; ret;\n}\n";
    let other = ".version 7.1\n.target sm_70\n.address_size 64\n.global .u32 mine = 40;\n\
        .visible .func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<4>;\n\
        ld.param.b32 %r1, [a]; ld.global.u32 %r2, [mine]; add.u32 %r3, %r1, %r2; add.u32 %r3, %r3, %r1;\n\
        st.param.b32 [r], %r3; ret;\n}\n";
    let link = |parts: &[&str], registers: usize| unsafe {
        let (mut options, mut values) = ([Option_::CU_JIT_MAX_REGISTERS], [registers as *mut c_void]);
        let mut linker = null_mut();
        ok(sys::cuLinkCreate_v2(1, options.as_mut_ptr(), values.as_mut_ptr(), &raw mut linker));
        for part in parts {
            let text = CString::new(*part).unwrap();
            ok(sys::cuLinkAddData_v2(
                linker,
                Input::CU_JIT_INPUT_PTX,
                text.as_ptr().cast_mut().cast(),
                part.len(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
            ));
        }
        let nowhere = CString::new("/nonexistent/part.a").unwrap();
        fails(
            sys::cuLinkAddFile_v2(linker, Input::CU_JIT_INPUT_LIBRARY, nowhere.as_ptr(), 0, null_mut(), null_mut()),
            CUDA_ERROR_FILE_NOT_FOUND,
        );
        // NVIDIA's device runtime is left out, because the machine has its own. Other archives are refused.
        for (archive, result) in [
            ("!<arch>\ncuda_device_runtime.o/ 0\n", CUDA_SUCCESS),
            ("!<arch>\nother.o/ 0\n", CUDA_ERROR_NO_BINARY_FOR_GPU),
        ] {
            let file = std::env::temp_dir().join(format!("warplab-archive-{}.a", std::process::id()));
            std::fs::write(&file, archive).unwrap();
            let name = CString::new(file.to_str().unwrap()).unwrap();
            let (kind, data) = (Input::CU_JIT_INPUT_LIBRARY, archive.as_ptr().cast_mut().cast());
            let by_file = sys::cuLinkAddFile_v2(linker, kind, name.as_ptr(), 0, null_mut(), null_mut());
            let by_data =
                sys::cuLinkAddData_v2(linker, kind, data, archive.len(), null_mut(), 0, null_mut(), null_mut());
            assert_eq!((by_file, by_data), (result, result), "{archive}");
            std::fs::remove_file(&file).unwrap();
        }
        let (mut image, mut size) = (null_mut(), 0);
        let result = sys::cuLinkComplete(linker, &raw mut image, &raw mut size);
        let mut module = null_mut();
        if result == CUDA_SUCCESS {
            ok(sys::cuModuleLoadData(&raw mut module, image));
        }
        ok(sys::cuLinkDestroy(linker));
        (result, module)
    };
    let (result, module) = link(&[main, other], 24);
    ok(result);
    let run = function(module, "run");
    let registers = filled(|out| unsafe {
        ok(sys::cuFuncGetAttribute(out, sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS, run));
    });
    assert!(registers <= 24, "{registers}");
    let mut out = alloc(4);
    ok(launch(run, [1, 1, 1], [1, 1, 1], 0, &mut [(&raw mut out).cast()]));
    assert_eq!(read(out, 1), [42]);
    assert_eq!(link(&[main, main], 0).0, CUDA_ERROR_INVALID_PTX);
    assert_eq!(link(&[], 0).0, CUDA_ERROR_INVALID_VALUE);
}

/// An unsupported kernel does not affect the other kernels of its module.
fn others_of_a_module_run() {
    let good = kernel("good", "", 16);
    let body = good.split_once(".visible").unwrap().1;
    let query = ".reg .b32 %r;\n.reg .b64 %d;\ntxq.channel_order.b32 %r, [%d];\nret;";
    let lacking = body.replace("good", "lacking").replace("ret;", query);
    let text = CString::new(format!("{good}.visible{lacking}")).unwrap();
    let mut loaded = null_mut();
    // SAFETY: the text ends with a NUL.
    ok(unsafe { sys::cuModuleLoadData(&raw mut loaded, text.as_ptr().cast()) });
    let mut pointer = 0u64;
    let mut params = [(&raw mut pointer).cast::<c_void>()];
    ok(launch(function(loaded, "good"), [1, 1, 1], [1, 1, 1], 0, &mut params));
    let mut found = null_mut();
    // SAFETY: as above.
    let code = unsafe { sys::cuModuleGetFunction(&raw mut found, loaded, c"lacking".as_ptr()) };
    fails(code, CUDA_ERROR_NOT_SUPPORTED);
}
