//! Memory that graph nodes allocate. The address is chosen when the node is created, and belongs to the graph and its
//! executable graphs; each launch allocates the memory behind it. Memory that is still allocated when both are gone
//! belongs to the program, which frees it like any other memory.

use super::allocation::{allocate, release, with_owned};
use super::graph_usage::Life;
use crate::abi::error::Result;
use crate::state::contexts::context::Context;
use crate::state::device::sync::lock;
use simt::memory::MemoryKind;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

/// An allocation of a graph.
#[derive(Debug)]
pub struct GraphMemory {
    pub address: u64,
    /// The requested size.
    pub bytes: usize,
    /// The requested `CUmemAllocationHandleType`.
    pub handle_types: i32,
    pub life: Arc<Life>,
}

static ALL: Mutex<BTreeMap<u64, Weak<GraphMemory>>> = Mutex::new(BTreeMap::new());

impl GraphMemory {
    /// Reserves memory for a node; `call` is the name of the entry point.
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY`, `CUDA_ERROR_INVALID_VALUE` for 0 bytes.
    pub fn new(context: &Context, bytes: usize, handle_types: i32, call: &str) -> Result<Arc<Self>> {
        let address = allocate(context, bytes, MemoryKind::Pool, 0, call)?;
        let life = Arc::new(Life::new(bytes));
        with_owned(address, |owned| owned.graph = Some(Arc::clone(&life)));
        let memory = Arc::new(GraphMemory { address, bytes, handle_types, life });
        lock(&ALL).insert(address, Arc::downgrade(&memory));
        Ok(memory)
    }

    /// Returns the memory of a graph that begins at an address.
    pub fn find(address: u64) -> Option<Arc<Self>> {
        lock(&ALL).get(&address)?.upgrade()
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        lock(&ALL).remove(&self.address);
        let live = self.life.is_live();
        // From now on it belongs to the program. The table keeps its lifetime, so that it counts until it is freed.
        with_owned(self.address, |owned| owned.orphan = live);
        if !live {
            release(self.address);
        }
    }
}
