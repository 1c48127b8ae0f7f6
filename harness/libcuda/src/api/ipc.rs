//! Memory and events that processes share by handles of 64 bytes (`cuIpc*`). Unnamed files hold them; see [`Ticket`].

use crate::abi::constants::ipc_flags;
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{need, put};
use crate::abi::types::{DevicePtr, Handle};
use crate::state::contexts::current::current;
use crate::state::device::driver::driver;
use crate::state::device::ticket::{Ticket, Use};
use crate::state::graphs::event;
use crate::state::memory::opened;
use simt::memory::MemoryKind;
use std::ffi::c_uint;

fn memory_handle(out: *mut Ticket, address: DevicePtr) -> Result {
    current()?;
    need(out)?;
    put(out, opened::ticket(Use::Memory, MemoryKind::Device, address)?)
}

fn open_memory(out: *mut DevicePtr, handle: Ticket, flags: c_uint) -> Result {
    let context = current()?;
    need(out)?;
    if !handle.is_for(Use::Memory) {
        return Err(Error::INVALID_VALUE);
    }
    // A process cannot open its own memory.
    if handle.is_own() {
        return Err(Error::INVALID_CONTEXT);
    }
    if flags != ipc_flags::LAZY_ENABLE_PEER_ACCESS {
        return Err(Error::INVALID_VALUE);
    }
    put(out, opened::open(&context, &handle, false, "cuIpcOpenMemHandle")?)
}

fn close_memory(address: DevicePtr) -> Result {
    driver()?;
    opened::close(address)
}

fn event_handle(out: *mut Ticket, event: Handle) -> Result {
    current()?;
    need(out)?;
    if event == 0 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, event::find(event)?.ticket()?)
}

fn open_event(out: *mut Handle, handle: Ticket) -> Result {
    let context = current()?;
    need(out)?;
    if !handle.is_for(Use::Event) {
        return Err(Error::MAP_FAILED);
    }
    if handle.is_own() {
        return Err(Error::INVALID_CONTEXT);
    }
    put(out, event::open(&context, &handle)?)
}

entry_points! {
    cuIpcGetMemHandle(out: *mut Ticket, address: DevicePtr) = memory_handle;
    cuIpcOpenMemHandle(out: *mut DevicePtr, handle: Ticket, flags: c_uint) = open_memory;
    cuIpcOpenMemHandle_v2(out: *mut DevicePtr, handle: Ticket, flags: c_uint) = open_memory;
    cuIpcCloseMemHandle(address: DevicePtr) = close_memory;
    cuIpcGetEventHandle(out: *mut Ticket, event: Handle) = event_handle;
    cuIpcOpenEventHandle(out: *mut Handle, handle: Ticket) = open_event;
}
