//! Memory and events of another process. The other process is this program again, which runs only one test; its
//! environment says what to open.
#![cfg(target_os = "linux")]

mod common;
use common::*;
use cudarc::driver::sys::{self, CUipcMem_flags_enum::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, CUresult::*};
use std::ffi::c_char;
use std::process::Command;
use std::ptr::null_mut;

/// The names of the handles in the environment, whose values are hexadecimal.
const MEMORY: &str = "TEST_OF_SHARED_MEMORY";
const EVENT: &str = "TEST_OF_SHARED_EVENT";
const WORDS: usize = 1000;

fn hexadecimal(handle: &[c_char; 64]) -> String {
    let digits = handle.iter().flat_map(|byte| [*byte as u8 >> 4, *byte as u8 & 15]);
    digits.map(|digit| char::from_digit(digit.into(), 16).unwrap()).collect()
}

fn handle(name: &str) -> Option<[c_char; 64]> {
    let text = std::env::var(name).ok()?;
    Some(std::array::from_fn(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap() as c_char))
}

/// Runs the test of the other process with these variables. Returns its output.
fn other(variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["the_other_process", "--exact", "--nocapture"]).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
    text
}

/// Reads the data of the first process, waits for its event, fills the memory and records the event.
#[test]
fn the_other_process() {
    let Some(memory) = handle(MEMORY) else { return };
    configure(r#"{"checks": "memcheck,initcheck"}"#).unwrap();
    context();
    let (mut at, mut again, mut word) = (0, 0, 0u32);
    let memory = sys::CUipcMemHandle { reserved: memory };
    let flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
    unsafe {
        let opened = sys::cuIpcOpenMemHandle_v2(&mut at, memory, flags);
        if let Ok(expected) = std::env::var("TEST_FAILS") {
            assert_eq!(format!("{opened:?}"), expected);
            return;
        }
        ok(opened);
        ok(sys::cuIpcOpenMemHandle_v2(&mut again, memory, flags));
        assert_eq!(at, again);
        let (mut start, mut bytes) = (0, 0);
        ok(sys::cuMemGetAddressRange_v2(&mut start, &mut bytes, at));
        assert_eq!((start, bytes), (at, 4 * WORDS));
        ok(sys::cuMemcpyDtoH_v2((&raw mut word).cast(), at + 4 * (WORDS as u64 - 1), 4));
        assert_eq!(word, 7);
        // The memory ends after `WORDS` words.
        fails(sys::cuMemsetD32_v2(at, 0, WORDS + 1), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemFree_v2(at), CUDA_ERROR_INVALID_VALUE);
        let (mut event, mut stream) = (null_mut(), null_mut());
        ok(sys::cuStreamCreate(&mut stream, 1));
        ok(sys::cuIpcOpenEventHandle(&mut event, sys::CUipcEventHandle { reserved: handle(EVENT).unwrap() }));
        ok(sys::cuStreamWaitEvent(stream, event, 0));
        ok(sys::cuMemsetD32Async(at, 8, WORDS, stream));
        ok(sys::cuEventRecord(event, stream));
        ok(sys::cuEventSynchronize(event));
        let mut own = sys::CUipcMemHandle { reserved: [0; 64] };
        fails(sys::cuIpcGetMemHandle(&mut own, at), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuIpcCloseMemHandle(at));
        ok(sys::cuIpcCloseMemHandle(at));
        fails(sys::cuIpcCloseMemHandle(at), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuMemcpyDtoH_v2((&raw mut word).cast(), at, 4), CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn memory_and_an_event_are_used_by_two_processes() {
    configure(r#"{"checks": "memcheck,initcheck"}"#).unwrap();
    context();
    let at = alloc(4 * WORDS);
    let mut memory = sys::CUipcMemHandle { reserved: [0; 64] };
    let mut of_event = sys::CUipcEventHandle { reserved: [0; 64] };
    let (mut event, mut plain) = (null_mut(), null_mut());
    unsafe {
        // Only the last word is written here; a kernel may read the rest once the other process has written it.
        ok(sys::cuMemsetD32_v2(at + 4 * (WORDS as u64 - 1), 7, 1));
        ok(sys::cuIpcGetMemHandle(&mut memory, at + 512));
        let mut own = 0;
        let flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
        fails(sys::cuIpcOpenMemHandle_v2(&mut own, memory, flags), CUDA_ERROR_INVALID_CONTEXT);
        fails(sys::cuEventCreate(&mut event, 4), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuEventCreate(&mut event, 6));
        ok(sys::cuEventCreate(&mut plain, 2));
        fails(sys::cuIpcGetEventHandle(&mut of_event, plain), CUDA_ERROR_INVALID_HANDLE);
        ok(sys::cuIpcGetEventHandle(&mut of_event, event));
        ok(sys::cuEventRecord(event, null_mut()));
    }
    let (memory, of_event) = (hexadecimal(&memory.reserved), hexadecimal(&of_event.reserved));
    other(&[(MEMORY, &memory), (EVENT, &of_event)]);
    let mut words = vec![0u32; WORDS];
    unsafe {
        ok(sys::cuEventQuery(event));
        ok(sys::cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), at, 4 * WORDS));
        assert!(words.iter().all(|word| *word == 8));
        ok(sys::cuMemFree_v2(at));
    }
    // Freed memory can no longer be opened, and the other process gets an error.
    let told = other(&[(MEMORY, &memory), ("TEST_FAILS", "CUDA_ERROR_INVALID_HANDLE")]);
    assert!(told.contains("has freed it"), "{told}");
}
