//! Calls of the runtime from kernels, which the caller of the launch answers, and pointers to kernels.

use crate::common::Device;
use simt::machine::{Caller, Geometry, Launch, Runtime, WORDS, Watch, run_watched};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Each thread of `ask` passes its number and the value of a pointer to `other`, and stores the answer.
const PTX: &str = "
.version 7.8
.target sm_75
.address_size 64
.extern .func (.param .b64 answer) __simt_runtime(.param .b32 call, .param .b64 words);
.visible .entry other() { ret; }
.visible .entry ask(.param .u64 out) {
    .local .align 8 .b8 words[96];
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    cvt.u64.u32 %rd2, %r1;
    mov.u64 %rd3, words;
    st.local.u64 [%rd3], %rd2;
    mov.u64 %rd4, other;
    st.local.u64 [%rd3+8], %rd4;
    cvta.local.u64 %rd5, %rd3;
    mov.u32 %r2, 7;
    {
    .param .b32 call;
    .param .b64 words_at;
    .param .b64 answer;
    st.param.b32 [call], %r2;
    st.param.b64 [words_at], %rd5;
    call (answer), __simt_runtime, (call, words_at);
    ld.param.b64 %rd6, [answer];
    }
    mad.wide.u32 %rd7, %r1, 8, %rd1;
    st.global.u64 [%rd7], %rd6;
    ret;
}
";

/// Answers each thread with twice its number.
#[derive(Default)]
struct Doubling(Mutex<Vec<(Caller, u32, u64)>>);

impl Runtime for Doubling {
    fn call(&self, caller: Caller, call: u32, words: &[u64; WORDS]) -> u64 {
        self.0.lock().unwrap().push((caller, call, words[1]));
        words[0] * 2
    }
}

/// Launches `ask` with 40 threads. Returns the stored words.
fn ask(device: &Device, runtime: Option<&dyn Runtime>) -> Vec<u64> {
    let out = device.zeros::<u64>(40);
    let params = out.to_le_bytes();
    let kernel = device.module.kernel("ask").expect("it exists");
    let launch = Launch { kernel, geometry: Geometry::new([1; 3], [40, 1, 1]), params: &params };
    let watch = Watch {
        cancel: &AtomicBool::new(false),
        patience: Duration::MAX,
        slow: &|_| {},
        stopped: &|_| {},
        runtime,
        record: None,
    };
    let profile = gpu::Part::default_part();
    let report = run_watched(&device.memory, profile, &device.settings, &launch, &watch, &mut |_| {});
    assert_eq!((report.fault, &report.findings), (None, &vec![]));
    device.get(out, 40)
}

#[test]
fn each_thread_is_answered_in_turn() {
    let device = Device::new(PTX);
    let runtime = Doubling::default();
    assert_eq!(ask(&device, Some(&runtime)), (0..40).map(|i| 2 * i).collect::<Vec<_>>());
    let calls = runtime.0.into_inner().unwrap();
    let threads: Vec<u32> = calls.iter().map(|(caller, ..)| caller.thread).collect();
    assert_eq!(threads, (0..40).collect::<Vec<_>>());
    for (caller, call, pointer) in calls {
        assert_eq!((caller.block, call), (0, 7));
        assert_eq!(device.module.kernel_at(pointer), Some("other"));
    }
    assert_eq!(device.module.kernel_at(0), None);
}

#[test]
fn without_a_runtime_every_answer_is_0() {
    assert_eq!(ask(&Device::new(PTX), None), [0; 40]);
}
