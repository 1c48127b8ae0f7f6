//! Memory that nodes of graphs allocate. The address is chosen when the node is made and belongs to the graph and to
//! what was instantiated from it; each launch allocates the memory behind it. What is still allocated when both are
//! gone belongs to the program, which frees it like any other memory.

use super::allocation::{allocate, release, with_owned};
use super::graph_usage::Life;
use crate::abi::error::Result;
use crate::state::contexts::context::Context;
use crate::state::device::sync::lock;
use simt::memory::Kind;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

/// One allocation of a graph.
#[derive(Debug)]
pub struct GraphMemory {
    pub address: u64,
    /// Its size, as asked for.
    pub bytes: usize,
    /// `CUmemAllocationHandleType`, as asked for.
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
        let address = allocate(context, bytes, Kind::Pool, 0, call)?;
        let life = Arc::new(Life::new(bytes));
        with_owned(address, |owned| owned.graph = Some(Arc::clone(&life)));
        let memory = Arc::new(GraphMemory { address, bytes, handle_types, life });
        lock(&ALL).insert(address, Arc::downgrade(&memory));
        Ok(memory)
    }

    /// The memory of a graph that begins at an address.
    pub fn find(address: u64) -> Option<Arc<Self>> {
        lock(&ALL).get(&address)?.upgrade()
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        lock(&ALL).remove(&self.address);
        let live = self.life.is_live();
        // From now on it is the program's. The table keeps its life, so that it counts until it is freed.
        with_owned(self.address, |owned| owned.orphan = live);
        if !live {
            release(self.address);
        }
    }
}
