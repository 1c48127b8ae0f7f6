//! `WARPLAB_LAUNCHES`: a single test, because a process reads the variable only once.

mod common;
#[path = "common/kernels.rs"]
mod kernels;
use common::*;
use serde_json::Value;

#[test]
fn each_launch_is_a_line() {
    let file = std::env::temp_dir().join(format!("launches-{}.jsonl", std::process::id()));
    // SAFETY: no other thread of this process reads the environment yet.
    unsafe { std::env::set_var("WARPLAB_LAUNCHES", &file) };
    let _context = own_context();
    let count = function(module(kernels::PTX), "count");
    for blocks in [1, 3] {
        ok(kernels::one(count, blocks, 64));
    }
    ok(unsafe { cudarc::driver::sys::cuCtxSynchronize() });
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    for line in text.lines() {
        // The comparison uses values, not text: parsing may change the last digit of a time.
        let launch: wire::Launch = serde_json::from_str(line).unwrap();
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_value(&launch).unwrap(), value);
    }
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let warps: Vec<_> = lines.iter().map(|line| line["counters"]["warps"].as_u64()).collect();
    assert_eq!(warps, [Some(2), Some(6)], "{text}");
    assert_eq!(lines[1]["grid"][0], 3);
    assert_eq!(lines[1]["counters"]["totals"]["global_atomics"]["lanes"], 192);
}
