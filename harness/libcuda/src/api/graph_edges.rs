//! The edges of graphs: which node comes after which.
//!
//! The newer forms of these calls also carry data for each edge. Here all edges are plain (all of one node precedes all
//! of the other), and their data are zeros.

use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all, put, put_list};
use crate::abi::types::{EdgeData, Handle};
use crate::state::graphs::graph::{Graph, find, find_node};
use std::ptr::null_mut;
use std::sync::Arc;

/// Writes the data of the listed edges, if the caller wants them, but only as many as there was room for.
fn put_plain_edges(data: *mut EdgeData, room: usize, count: *const usize) -> Result {
    if data.is_null() {
        return Ok(());
    }
    for i in 0..room.min(get(count)?) {
        // SAFETY: the caller promises room for as many edges as it asked for.
        unsafe { data.add(i).write_unaligned(EdgeData::default()) };
    }
    Ok(())
}

/// Lists nodes, and the data of the edges to them.
fn put_nodes(list: *mut Handle, data: *mut EdgeData, count: *mut usize, nodes: &[Handle]) -> Result {
    let room = get(count)?;
    put_list(list, count, nodes)?;
    put_plain_edges(data, room, count)
}

fn edges(graph: Handle, from: *mut Handle, to: *mut Handle, count: *mut usize) -> Result {
    edges_v2(graph, from, to, null_mut(), count)
}

fn edges_v2(graph: Handle, from: *mut Handle, to: *mut Handle, data: *mut EdgeData, count: *mut usize) -> Result {
    let edges = find(graph)?.edges();
    let (first, second): (Vec<_>, Vec<_>) = edges.into_iter().unzip();
    if from.is_null() != to.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let room = get(count)?;
    put_list(from, count, &first)?;
    put(count, room)?;
    put_list(to, count, &second)?;
    put_plain_edges(data, room, count)
}

fn dependencies(node: Handle, list: *mut Handle, count: *mut usize) -> Result {
    dependencies_v2(node, list, null_mut(), count)
}

fn dependencies_v2(node: Handle, list: *mut Handle, data: *mut EdgeData, count: *mut usize) -> Result {
    let (graph, index) = find_node(node)?;
    put_nodes(list, data, count, &graph.handles(&graph.before(index)?))
}

fn dependents(node: Handle, list: *mut Handle, count: *mut usize) -> Result {
    dependents_v2(node, list, null_mut(), count)
}

fn dependents_v2(node: Handle, list: *mut Handle, data: *mut EdgeData, count: *mut usize) -> Result {
    let (graph, index) = find_node(node)?;
    let after: Vec<_> =
        graph.live().iter().filter(|node| node.after.contains(&index)).map(|node| node.handle).collect();
    put_nodes(list, data, count, &after)
}

/// Returns the edges that two lists of nodes describe, by index.
fn pairs(
    graph: &Arc<Graph>,
    from: *const Handle,
    to: *const Handle,
    count: usize,
) -> Result<impl Iterator<Item = (usize, usize)>> {
    let from = graph.indices(&get_all(from, count)?)?;
    let to = graph.indices(&get_all(to, count)?)?;
    Ok(from.into_iter().zip(to))
}

fn add_dependencies(graph: Handle, from: *const Handle, to: *const Handle, count: usize) -> Result {
    let graph = find(graph)?;
    graph.add_edges(pairs(&graph, from, to, count)?)
}

fn add_dependencies_v2(
    graph: Handle,
    from: *const Handle,
    to: *const Handle,
    _data: *const EdgeData,
    count: usize,
) -> Result {
    add_dependencies(graph, from, to, count)
}

fn remove_dependencies(graph: Handle, from: *const Handle, to: *const Handle, count: usize) -> Result {
    let graph = find(graph)?;
    graph.remove_edges(pairs(&graph, from, to, count)?)
}

fn remove_dependencies_v2(
    graph: Handle,
    from: *const Handle,
    to: *const Handle,
    _data: *const EdgeData,
    count: usize,
) -> Result {
    remove_dependencies(graph, from, to, count)
}

entry_points! {
    cuGraphGetEdges(graph: Handle, from: *mut Handle, to: *mut Handle, count: *mut usize) = edges;
    cuGraphGetEdges_v2(graph: Handle, from: *mut Handle, to: *mut Handle, data: *mut EdgeData, count: *mut usize)
        = edges_v2;
    cuGraphNodeGetDependencies(node: Handle, list: *mut Handle, count: *mut usize) = dependencies;
    cuGraphNodeGetDependencies_v2(node: Handle, list: *mut Handle, data: *mut EdgeData, count: *mut usize)
        = dependencies_v2;
    cuGraphNodeGetDependentNodes(node: Handle, list: *mut Handle, count: *mut usize) = dependents;
    cuGraphNodeGetDependentNodes_v2(node: Handle, list: *mut Handle, data: *mut EdgeData, count: *mut usize)
        = dependents_v2;
    cuGraphAddDependencies(graph: Handle, from: *const Handle, to: *const Handle, count: usize) = add_dependencies;
    cuGraphAddDependencies_v2(graph: Handle, from: *const Handle, to: *const Handle, data: *const EdgeData,
        count: usize) = add_dependencies_v2;
    cuGraphRemoveDependencies(graph: Handle, from: *const Handle, to: *const Handle, count: usize)
        = remove_dependencies;
    cuGraphRemoveDependencies_v2(graph: Handle, from: *const Handle, to: *const Handle, data: *const EdgeData,
        count: usize) = remove_dependencies_v2;
}
