//! Words that streams write and wait for (`cuStreamWriteValue*`, `cuStreamWaitValue*`).

use crate::abi::constants::{wait_value_flags, write_value_flags};
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::streams;
use crate::state::graphs::capture::enqueue;
use crate::state::graphs::task::Task;
use crate::state::memory::word::{Comparison, waiting, writing};
use std::ffi::c_uint;
use std::sync::Arc;

fn write<T: Copy + Send + Sync + 'static>(handle: Handle, address: u64, value: T, flags: c_uint) -> Result {
    let stream = streams::find(handle)?;
    if flags & !write_value_flags::NO_MEMORY_BARRIER != 0 {
        return Err(Error::INVALID_VALUE);
    }
    enqueue(&stream, Task::Call(Arc::new(writing(address, value)?)))
}

fn wait(handle: Handle, address: u64, value: u64, flags: c_uint, bits: u32) -> Result {
    let stream = streams::find(handle)?;
    if flags & !(wait_value_flags::COMPARISON | wait_value_flags::FLUSH) != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let wait = waiting(address, value, Comparison::from_flags(flags), bits)?;
    enqueue(&stream, Task::Call(Arc::new(wait)))
}

fn write_value32(handle: Handle, address: u64, value: u32, flags: c_uint) -> Result {
    write(handle, address, value, flags)
}
fn write_value64(handle: Handle, address: u64, value: u64, flags: c_uint) -> Result {
    write(handle, address, value, flags)
}
fn wait_value32(handle: Handle, address: u64, value: u32, flags: c_uint) -> Result {
    wait(handle, address, u64::from(value), flags, 32)
}
fn wait_value64(handle: Handle, address: u64, value: u64, flags: c_uint) -> Result {
    wait(handle, address, value, flags, 64)
}

entry_points! {
    cuStreamWriteValue32(stream: Handle, address: u64, value: u32, flags: c_uint) = write_value32;
    cuStreamWriteValue32_v2(stream: Handle, address: u64, value: u32, flags: c_uint) = write_value32;
    cuStreamWriteValue64(stream: Handle, address: u64, value: u64, flags: c_uint) = write_value64;
    cuStreamWriteValue64_v2(stream: Handle, address: u64, value: u64, flags: c_uint) = write_value64;
    cuStreamWaitValue32(stream: Handle, address: u64, value: u32, flags: c_uint) = wait_value32;
    cuStreamWaitValue32_v2(stream: Handle, address: u64, value: u32, flags: c_uint) = wait_value32;
    cuStreamWaitValue64(stream: Handle, address: u64, value: u64, flags: c_uint) = wait_value64;
    cuStreamWaitValue64_v2(stream: Handle, address: u64, value: u64, flags: c_uint) = wait_value64;
}
