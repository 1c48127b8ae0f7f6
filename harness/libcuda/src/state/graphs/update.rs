//! Updating an executable graph from a graph of the same shape.

use super::exec::{Exec, ExecNode, exec_nodes};
use super::graph::Graph;
use super::task::Task;
use crate::abi::error::Result;
use crate::abi::types::Handle;
use crate::state::device::sync::lock;
use std::collections::BTreeMap;
use std::mem::discriminant;
use std::sync::Arc;

/// The reason why an update is impossible, with the node of the new graph that differs; 0 if it is not a single node.
pub enum Mismatch {
    /// The nodes or the edges differ.
    Topology(Handle),
    /// The kinds of a node differ.
    Kind(Handle),
    /// The memory that a node allocates or frees differs.
    Memory(Handle),
    /// One kernel is cooperative, the other is not.
    Attributes(Handle),
}

/// Compares node by node; both graphs are sorted in the same way.
fn compare(old: &[ExecNode], new: &[ExecNode]) -> std::result::Result<(), Mismatch> {
    if old.len() != new.len() {
        return Err(Mismatch::Topology(0));
    }
    let positions = |nodes: &[ExecNode]| -> BTreeMap<Handle, usize> {
        nodes.iter().enumerate().map(|(at, node)| (node.source, at)).collect()
    };
    let (old_at, new_at) = (positions(old), positions(new));
    for (before, after) in old.iter().zip(new) {
        let edges = |node: &ExecNode, at: &BTreeMap<Handle, usize>| -> Vec<Option<usize>> {
            let mut edges: Vec<_> = node.after.iter().map(|from| at.get(from).copied()).collect();
            edges.sort_unstable();
            edges
        };
        if edges(before, &old_at) != edges(after, &new_at) {
            return Err(Mismatch::Topology(after.source));
        }
        if discriminant(&before.task) != discriminant(&after.task) {
            return Err(Mismatch::Kind(after.source));
        }
        if let (Task::Kernel(a), Task::Kernel(b)) = (&before.task, &after.task)
            && a.geometry.cooperative != b.geometry.cooperative
        {
            return Err(Mismatch::Attributes(after.source));
        }
        // A kernel may be replaced by another one of the same context, even from another module. Memory may not be
        // replaced.
        if let (Task::Alloc(a) | Task::GraphFree(a), Task::Alloc(b) | Task::GraphFree(b)) = (&before.task, &after.task)
            && !Arc::ptr_eq(a, b)
        {
            return Err(Mismatch::Memory(after.source));
        }
    }
    Ok(())
}

/// Replaces the tasks of an executable graph by those of a graph of the same shape.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a graph with a cycle of edges; the inner result says why the graphs do not match.
pub fn apply(exec: &Exec, graph: &Graph) -> Result<std::result::Result<(), Mismatch>> {
    let new = exec_nodes(graph)?;
    let mut nodes = lock(&exec.nodes);
    if let Err(mismatch) = compare(&nodes, &new) {
        return Ok(Err(mismatch));
    }
    // The nodes keep their sources, because callers set parameters through those.
    for (node, new) in nodes.iter_mut().zip(new) {
        node.task = new.task;
    }
    drop(nodes);
    Ok(Ok(()))
}
