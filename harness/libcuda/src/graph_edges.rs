//! The edges of graphs: which node comes after which.

use crate::abi::{EdgeData, Handle, get, get_all, put, put_list};
use crate::driver::lock;
use crate::error::{Error, Result};
use crate::graph::{find, find_node};

fn edges(graph: Handle, from: *mut Handle, to: *mut Handle, count: *mut usize) -> Result {
    let edges = find(graph)?.edges();
    let (first, second): (Vec<_>, Vec<_>) = edges.into_iter().unzip();
    if from.is_null() != to.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let room = get(count)?;
    put_list(from, count, &first)?;
    put(count, room)?;
    put_list(to, count, &second)
}

fn edges_v2(
    graph: Handle,
    from: *mut Handle,
    to: *mut Handle,
    data: *mut EdgeData,
    count: *mut usize,
) -> Result {
    let room = get(count)?;
    edges(graph, from, to, count)?;
    plain_edges(data, room.min(get(count)?));
    Ok(())
}

/// All edges are plain ones: the whole of one node comes before the whole of the other.
fn plain_edges(data: *mut EdgeData, count: usize) {
    for i in 0..if data.is_null() { 0 } else { count } {
        // SAFETY: the caller promises room for as many as it asked for.
        unsafe { data.add(i).write_unaligned(EdgeData([0; 8])) };
    }
}

fn dependencies(node: Handle, list: *mut Handle, count: *mut usize) -> Result {
    let (graph, index) = find_node(node)?;
    let after = lock(&graph.nodes)
        .get(index)
        .and_then(Option::as_ref)
        .map(|node| node.after.clone());
    put_list(
        list,
        count,
        &graph.handles(&after.ok_or(Error::INVALID_VALUE)?),
    )
}

fn dependencies_v2(
    node: Handle,
    list: *mut Handle,
    data: *mut EdgeData,
    count: *mut usize,
) -> Result {
    let room = get(count)?;
    dependencies(node, list, count)?;
    plain_edges(data, room.min(get(count)?));
    Ok(())
}

fn dependents(node: Handle, list: *mut Handle, count: *mut usize) -> Result {
    let (graph, index) = find_node(node)?;
    let after: Vec<_> = graph
        .live()
        .iter()
        .filter(|node| node.after.contains(&index))
        .map(|node| node.handle)
        .collect();
    put_list(list, count, &after)
}

fn dependents_v2(
    node: Handle,
    list: *mut Handle,
    data: *mut EdgeData,
    count: *mut usize,
) -> Result {
    let room = get(count)?;
    dependents(node, list, count)?;
    plain_edges(data, room.min(get(count)?));
    Ok(())
}

fn add_dependencies(graph: Handle, from: *const Handle, to: *const Handle, count: usize) -> Result {
    let graph = find(graph)?;
    let from = graph.indices(&get_all(from, count)?)?;
    let to = graph.indices(&get_all(to, count)?)?;
    let mut nodes = lock(&graph.nodes);
    for (from, to) in from.into_iter().zip(to) {
        let node = nodes
            .get_mut(to)
            .and_then(Option::as_mut)
            .ok_or(Error::INVALID_VALUE)?;
        if from == to || node.after.contains(&from) {
            return Err(Error::INVALID_VALUE);
        }
        node.after.push(from);
    }
    Ok(())
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

fn remove_dependencies(
    graph: Handle,
    from: *const Handle,
    to: *const Handle,
    count: usize,
) -> Result {
    let graph = find(graph)?;
    let from = graph.indices(&get_all(from, count)?)?;
    let to = graph.indices(&get_all(to, count)?)?;
    let mut nodes = lock(&graph.nodes);
    for (from, to) in from.into_iter().zip(to) {
        let node = nodes
            .get_mut(to)
            .and_then(Option::as_mut)
            .ok_or(Error::INVALID_VALUE)?;
        let at = node
            .after
            .iter()
            .position(|at| *at == from)
            .ok_or(Error::INVALID_VALUE)?;
        node.after.remove(at);
    }
    Ok(())
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
