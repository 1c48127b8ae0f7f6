//! The machine's report: a single test, because the process has one report.

mod common;
use common::*;
use cudarc::driver::sys::{self, CUresult::*};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use wire::finding::FindingKind;

const PTX: &str = r"
.version 7.0
.target sm_52
.address_size 64
.visible .entry copy(.param .u64 to, .param .u64 from)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [to];
    ld.param.u64 %rd2, [from];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r2, [%rd5];
    st.global.u32 [%rd4], %r2;
    ret;
}
";

#[test]
fn everything_is_accounted_for_once() {
    let context = own_context();
    configure(r#"{"checks": "memcheck,leakcheck"}"#).unwrap();
    assert_eq!(report()["version"], 1);
    let profiles: unsafe extern "C" fn() -> *const c_char = symbol("simt_profiles");
    let profiles = unsafe { CStr::from_ptr(profiles()) }.to_str().unwrap();
    assert!(profiles.split(',').any(|name| name == "h200"), "{profiles}");

    let module = module(PTX);
    let copy = function(module, "copy");
    let (mut to, mut from) = (alloc(4096), 0);
    unsafe {
        ok(sys::cuMemAllocManaged(&raw mut from, 1 << 20, 1));
        // The host touches the first 100 000 bytes: two blocks of 64 KiB.
        std::ptr::write_bytes(from as *mut u8, 1, 100_000);
        let host = [0u8; 4096];
        ok(sys::cuMemcpyHtoD_v2(to, host.as_ptr().cast(), 4096));
        ok(sys::cuMemsetD8_v2(to, 1, 100));
        let mut params = [(&raw mut to).cast::<c_void>(), (&raw mut from).cast()];
        for _ in 0..2 {
            ok(sys::cuLaunchKernel(copy, 1, 1, 1, 64, 1, 1, 0, null_mut(), params.as_mut_ptr(), null_mut()));
        }
        let mut pinned = null_mut();
        ok(sys::cuMemAllocHost_v2(&raw mut pinned, 4096));
        ok(sys::cuMemcpyHtoD_v2(to, pinned, 1024));
        ok(sys::cuMemcpyDtoH_v2(pinned, to, 2048));
        ok(sys::cuMemcpyDtoD_v2(to, from, 256));
        ok(sys::cuMemcpyDtoD_v2(to + 512, to, 128));
        ok(sys::cuMemFreeHost(pinned));
        ok(sys::cuMemPrefetchAsync(from, 65536, -1, null_mut()));
        ok(sys::cuStreamSynchronize(null_mut()));
        let mut back = [0u8; 512];
        ok(sys::cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), to, 512));
        assert_eq!((back[255], back[256]), (1, 0));
        ok(sys::cuMemFree_v2(from));
        fails(sys::cuMemFree_v2(from), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), to + 4000, 512), CUDA_ERROR_INVALID_VALUE);
        // `to` is never freed.
        ok(sys::cuCtxDestroy_v2(context));
    }
    let all = report();
    let launches = all["launches"].as_array().unwrap();
    assert_eq!(launches.len(), 2);
    assert_eq!(launches[0]["kernel"], "copy");
    assert_eq!((&launches[0]["block"][0], &launches[0]["grid"][2]), (&64.into(), &1.into()));
    assert_eq!(launches[0]["counters"]["threads"], 64);
    assert_eq!(launches[0]["counters"]["totals"]["global_loads"]["requests"], 2);
    assert_eq!(launches[0]["counters"]["totals"]["global_stores"]["sectors"], 8);
    assert!(launches[0]["occupancy"]["percent"].as_f64().unwrap() > 0.0);
    let bytes = |what: &str| all["copies"][what]["bytes"].as_u64().unwrap();
    assert_eq!((bytes("host_to_device"), bytes("device_to_host"), bytes("fill")), (4096 + 1024, 512 + 2048, 100));
    let parts = |way: &str| {
        ["pageable_bytes", "pinned_bytes", "managed_bytes"].map(|part| all["copies"][way][part].as_u64().unwrap())
    };
    assert_eq!(parts("host_to_device"), [4096, 1024, 0]);
    assert_eq!(parts("device_to_host"), [512, 2048, 0]);
    assert_eq!(parts("device_to_device"), [0, 0, 256]);
    assert_eq!(bytes("device_to_device"), 256 + 128);
    let managed = &all["managed"];
    assert_eq!(managed["to_device_bytes"], 2 * 65536);
    assert_eq!((&managed["to_device_pages"], &managed["to_host_pages"]), (&32.into(), &16.into()));
    let kinds: Vec<_> = all["findings"].as_array().unwrap().iter().map(|f| f["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["double_free", "host_copy", "leak"]);
    assert_eq!(all["findings"][2]["bytes"], 4096);
    let next = report();
    assert_eq!((&next["launches"], &next["findings"]), (&serde_json::json!([]), &serde_json::json!([])));

    assert!(configure(r#"{"checks": "memchek"}"#).unwrap_err().contains("memcheck"));
    assert!(configure(r#"{"profile": "t4"}"#).unwrap_err().contains("cuInit"));
    assert!(configure(r#"{"colour": 1}"#).unwrap_err().contains("colour"));
    assert!(configure("nonsense").is_err());
    leaks_are_told_only_when_asked_for();
    leaks_are_told_once_by_what_was_done();
    lines_are_counted_only_when_asked_for();
    configure(r#"{"checks": "all", "seed": 7, "workers": 1, "counters": false}"#).unwrap();
    let settings = &report()["settings"];
    assert_eq!((&settings["seed"], &settings["checks"][3]), (&7.into(), &"synccheck".into()));
    assert_eq!(settings["checks"][4], "leakcheck");
}

fn leaks_are_told_only_when_asked_for() {
    let leak = |checks: &str| {
        configure(&format!(r#"{{"checks": "{checks}"}}"#)).unwrap();
        let context = own_context();
        alloc(100);
        unsafe { ok(sys::cuCtxDestroy_v2(context)) };
        report()["findings"].clone()
    };
    assert_eq!(leak("memcheck"), serde_json::json!([]));
    assert_eq!(leak("none"), serde_json::json!([]));
    let found = leak("leakcheck");
    assert_eq!((&found[0]["kind"], &found[0]["bytes"]), (&"leak".into(), &100.into()));
    assert!(found[0]["text"].as_str().unwrap().contains("from cuMemAlloc"), "{found}");
    assert_eq!(found.as_array().unwrap().len(), 1);
}

fn leaks_are_told_once_by_what_was_done() {
    let leaks = || {
        let two = |leak: wire::Leak| match leak.rendered.finding.kind {
            FindingKind::Leak { bytes, .. } => (leak.during, bytes),
            other => panic!("{other:?}"),
        };
        leaks().findings.into_iter().map(two).collect::<Vec<_>>()
    };
    let context = own_context();
    configure(r#"{"checks": "memcheck", "during": "nothing looks"}"#).unwrap();
    let early = alloc(10);
    assert_eq!(leaks(), []);
    configure(r#"{"checks": "leakcheck", "during": "b"}"#).unwrap();
    let kept = [alloc(100), alloc(100)];
    let mut pinned = null_mut();
    let mut pooled = 0;
    unsafe {
        // Pinned memory belongs to the host, and a free that is still in a stream's queue counts as a free.
        ok(sys::cuMemAllocHost_v2(&raw mut pinned, 4096));
        ok(sys::cuMemAllocAsync(&raw mut pooled, 5000, null_mut()));
        ok(sys::cuMemFreeAsync(pooled, null_mut()));
    }
    configure(r#"{"during": "a"}"#).unwrap();
    let freed = alloc(7);
    let last = alloc(1000);
    unsafe { ok(sys::cuMemFree_v2(freed)) };
    let expected = [("", 10), ("b", 200), ("a", 1000)].map(|(d, b)| (String::from(d), b));
    assert_eq!(leaks(), expected);
    assert_eq!(leaks(), []);
    // Findings that were reported are not reported again when the context ends.
    unsafe { ok(sys::cuCtxDestroy_v2(context)) };
    assert_eq!(report()["findings"], serde_json::json!([]));
    let _ = (early, kept, last);
}

fn lines_are_counted_only_when_asked_for() {
    let context = own_context();
    let copy = function(module(PTX), "copy");
    let (mut to, mut from) = (alloc(4096), alloc(4096));
    let mut launch = |lines: bool| {
        configure(&format!(r#"{{"lines": {lines}}}"#)).unwrap();
        let mut params = [(&raw mut to).cast::<c_void>(), (&raw mut from).cast()];
        unsafe {
            ok(sys::cuLaunchKernel(copy, 1, 1, 1, 32, 1, 1, 0, null_mut(), params.as_mut_ptr(), null_mut()));
            ok(sys::cuCtxSynchronize());
        }
        let counters = report()["launches"][0]["counters"].clone();
        assert_eq!(counters["totals"]["global_loads"]["requests"], 1);
        counters["lines"].as_array().unwrap().len()
    };
    assert_eq!([launch(false), launch(true), launch(false)], [0, 9, 0]);
    unsafe { ok(sys::cuCtxDestroy_v2(context)) };
}
