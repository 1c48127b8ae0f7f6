//! The buffer for the output of kernels: its size is a limit of the context, and a full one drops the oldest text. This
//! file has only one test, because it captures the standard output of the process.

mod common;
#[path = "common/kernels.rs"]
mod kernels;
#[path = "kernels/output.rs"]
mod output;
use common::*;
use cudarc::driver::sys::{self, CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE};
use kernels::*;
use output::captured;

/// Returns the output of a kernel that prints one line per thread, with a buffer of `bytes` bytes.
fn printed(bytes: usize) -> String {
    ok(unsafe { sys::cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, bytes) });
    let hello = function(module(&committed::ptx_of("kernels/print.cu")), "hello");
    let work = || {
        ok(launch(hello, [200, 1, 1], [256, 1, 1], 0, &mut []));
        ok(unsafe { sys::cuCtxSynchronize() });
    };
    captured(work).unwrap().1
}

#[test]
fn a_full_buffer_keeps_the_newest_text_and_the_limit_says_how_much() {
    context();
    let whole = printed(16 << 20);
    assert!(whole.starts_with("Hello from thread 0 of block 0\n"), "{whole:.80}");
    assert_eq!(whole.lines().count(), 200 * 256);
    for bytes in [1 << 20, 5000] {
        let text = printed(bytes);
        assert!(text.len() <= bytes && text.len() + 40 > bytes, "{} of {bytes}", text.len());
        assert!(whole.ends_with(&text) && text.starts_with("Hello"), "{text:.80}");
    }
}
