//! Stream-ordered allocation. Memory is allocated at the call and freed when the stream reaches the free. In a capture
//! both become nodes, and the memory belongs to the graph.

use super::capture::{enqueue, position};
use super::task::Task;
use crate::abi::error::{Error, Result};
use crate::state::contexts::context::Context;
use crate::state::contexts::stream::Stream;
use crate::state::device::driver::driver;
use crate::state::memory::allocation::{allocate, give_to_graph, with_owned, wrong_stream_free};
use crate::state::memory::pool::Pool;
use simt::memory::Kind;
use std::sync::Arc;

/// Allocates from a pool for a stream; in a capture, for the graph. Returns the address.
///
/// # Errors
/// `CUDA_ERROR_OUT_OF_MEMORY`, also when the pool's bound is reached.
pub fn allocate_from(pool: &Arc<Pool>, context: &Context, stream: &Arc<Stream>, bytes: usize) -> Result<u64> {
    if !pool.has_room(bytes as u64) {
        return Err(Error::OUT_OF_MEMORY);
    }
    let captured = position(stream)?.is_some();
    let address = allocate(context, bytes, Kind::Pool, 0, "cuMemAllocAsync")?;
    with_owned(address, |owned| owned.pool = Some(Arc::clone(pool)));
    pool.took(bytes as u64);
    if captured {
        give_to_graph(address, bytes as u64);
        enqueue(stream, Task::Alloc(address))?;
    }
    Ok(address)
}

/// Frees memory of a pool when the stream reaches this point.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for memory that is not from a pool, or is freed already.
pub fn free_in(stream: &Arc<Stream>, address: u64) -> Result {
    let driver = driver()?;
    let captured = position(stream)?.is_some();
    let task = with_owned(address, |owned| {
        if owned.pool.is_none() || owned.ending {
            return Err(Error::INVALID_VALUE);
        }
        Ok(match (owned.of_graph, captured) {
            (true, true) => Some(Task::GraphFree(address)),
            // An allocation of a graph that is freed outside it still belongs to the graph, whose next launch provides
            // it again.
            (true, false) => None,
            (false, _) => {
                owned.ending = !captured;
                Some(Task::Free(address))
            }
        })
    });
    match task {
        Some(Ok(Some(task))) => enqueue(stream, task),
        Some(Ok(None)) => Ok(()),
        Some(Err(_)) | None => Err(wrong_stream_free(driver, address)),
    }
}
