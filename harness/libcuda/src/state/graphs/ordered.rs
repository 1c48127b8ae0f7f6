//! Stream-ordered allocation. Memory is allocated at the call and freed when the stream reaches the free. In a capture
//! both become nodes, and the memory belongs to the graph.

use super::capture::{enqueue, position};
use super::task::Task;
use crate::abi::constants::attach_flags;
use crate::abi::error::{Error, Result};
use crate::state::contexts::context::Context;
use crate::state::contexts::stream::Stream;
use crate::state::device::driver::{driver, tell};
use crate::state::memory::allocation::{allocate, allocated_in, with_owned, wrong_stream_free};
use crate::state::memory::graph_memory::GraphMemory;
use crate::state::memory::managed::allocate_managed;
use crate::state::memory::pool::Pool;
use simt::memory::MemoryKind;
use std::sync::Arc;

/// Allocates from a pool for a stream; in a capture, for the graph. Returns the address.
///
/// # Errors
/// `CUDA_ERROR_OUT_OF_MEMORY`, including when the pool's limit is reached.
pub fn allocate_from(pool: &Arc<Pool>, context: &Context, stream: &Arc<Stream>, bytes: usize) -> Result<u64> {
    if !pool.has_room(bytes as u64) {
        return Err(Error::OUT_OF_MEMORY);
    }
    let kind = pool.source.memory();
    if position(stream)?.is_some() {
        if kind != MemoryKind::Pool {
            tell(|observer| observer.unsupported("memory of the host or managed memory that a graph allocates"));
            return Err(Error::NOT_SUPPORTED);
        }
        let memory = GraphMemory::new(context, bytes, 0, "cuMemAllocAsync")?;
        let address = memory.address;
        enqueue(stream, Task::Alloc(memory))?;
        return Ok(address);
    }
    let address = if kind == MemoryKind::Managed {
        allocate_managed(context, bytes, attach_flags::GLOBAL)?
    } else {
        allocate(context, bytes, kind, 0, "cuMemAllocAsync")?
    };
    with_owned(address, |owned| {
        owned.pool = Some(Arc::clone(pool));
        owned.ordered = true;
    });
    allocated_in(stream, address);
    pool.took(bytes as u64);
    Ok(address)
}

/// Frees memory of a pool when the stream reaches this point.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for memory that is not from a pool, or is already freed.
pub fn free_in(stream: &Arc<Stream>, address: u64) -> Result {
    let driver = driver()?;
    let captured = position(stream)?.is_some();
    if captured && let Some(memory) = GraphMemory::find(address) {
        return enqueue(stream, Task::GraphFree(memory));
    }
    let freed = with_owned(address, |owned| {
        if !owned.ordered || owned.ending {
            return None;
        }
        match &owned.graph {
            // The graph keeps the address for its next launch.
            Some(life) if !owned.orphan => life.end().then_some(Task::Empty),
            _ => {
                owned.ending = !captured;
                Some(Task::Free(address))
            }
        }
    });
    match freed.flatten() {
        Some(task) => enqueue(stream, task),
        None => Err(wrong_stream_free(driver, address)),
    }
}
