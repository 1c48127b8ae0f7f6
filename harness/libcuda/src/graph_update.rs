//! Updating an executable graph from a graph of the same shape.

use crate::abi::{Handle, UpdateResult, put, put_optional};
use crate::driver::lock;
use crate::error::{Error, Result};
use crate::graph::{ExecNode, exec_nodes, find, find_exec};
use crate::task::Task;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::mem::discriminant;

const SUCCESS: c_int = 0;
const TOPOLOGY_CHANGED: c_int = 2;
const NODE_TYPE_CHANGED: c_int = 3;
const FUNCTION_CHANGED: c_int = 4;

/// Why an update cannot be made: its code and the node of the new graph.
struct Refused(c_int, Handle);

/// Compares node by node, in the one order that both graphs are put into.
fn compare(old: &[ExecNode], new: &[ExecNode]) -> std::result::Result<(), Refused> {
    if old.len() != new.len() {
        return Err(Refused(TOPOLOGY_CHANGED, 0));
    }
    let positions = |nodes: &[ExecNode]| -> BTreeMap<Handle, usize> {
        nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (node.source, at))
            .collect()
    };
    let (old_at, new_at) = (positions(old), positions(new));
    for (before, after) in old.iter().zip(new) {
        let edges = |node: &ExecNode, at: &BTreeMap<Handle, usize>| -> Vec<Option<usize>> {
            let mut edges: Vec<_> = node
                .after
                .iter()
                .map(|from| at.get(from).copied())
                .collect();
            edges.sort_unstable();
            edges
        };
        if edges(before, &old_at) != edges(after, &new_at) {
            return Err(Refused(TOPOLOGY_CHANGED, after.source));
        }
        if discriminant(&before.task) != discriminant(&after.task) {
            return Err(Refused(NODE_TYPE_CHANGED, after.source));
        }
        // A kernel may become another of the same context; of another module's, too. Memory may not become other memory.
        if let (Task::Alloc(a) | Task::GraphFree(a), Task::Alloc(b) | Task::GraphFree(b)) =
            (&before.task, &after.task)
            && a != b
        {
            return Err(Refused(FUNCTION_CHANGED, after.source));
        }
    }
    Ok(())
}

fn apply(exec: Handle, graph: Handle) -> Result<std::result::Result<(), Refused>> {
    let (exec, graph) = (find_exec(exec)?, find(graph)?);
    let new = exec_nodes(&graph)?;
    let mut nodes = lock(&exec.nodes);
    if let Err(refused) = compare(&nodes, &new) {
        return Ok(Err(refused));
    }
    // The nodes keep the names that they were made under: those are what their parameters are set by.
    for (node, new) in nodes.iter_mut().zip(new) {
        node.task = new.task;
    }
    drop(nodes);
    Ok(Ok(()))
}

fn update(exec: Handle, graph: Handle, error_node: *mut Handle, result: *mut c_int) -> Result {
    let (code, node) = match apply(exec, graph)? {
        Ok(()) => (SUCCESS, 0),
        Err(Refused(code, node)) => (code, node),
    };
    put_optional(error_node, node);
    put(result, code)?;
    if code == SUCCESS {
        Ok(())
    } else {
        Err(Error::GRAPH_EXEC_UPDATE_FAILURE)
    }
}

fn update_v2(exec: Handle, graph: Handle, out: *mut UpdateResult) -> Result {
    let (mut node, mut code) = (0, SUCCESS);
    let result = update(exec, graph, &raw mut node, &raw mut code);
    put(
        out,
        UpdateResult {
            result: code,
            error_node: node,
            error_from_node: 0,
        },
    )?;
    result
}

entry_points! {
    cuGraphExecUpdate(exec: Handle, graph: Handle, error_node: *mut Handle, result: *mut c_int) = update;
    cuGraphExecUpdate_v2(exec: Handle, graph: Handle, out: *mut UpdateResult) = update_v2;
}
