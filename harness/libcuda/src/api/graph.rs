//! Graphs (`cuGraph*`): made, copied, listed and drawn.

use crate::abi::error::{Error, Result};
use crate::abi::pointers::{need, put, put_list, text};
use crate::abi::types::Handle;
use crate::state::device::driver::driver;
use crate::state::graphs::graph::{self, Graph, find, find_node};
use crate::state::graphs::task::Task;
use std::ffi::{c_char, c_int, c_uint};
use std::fmt::Write;

fn create(out: *mut Handle, flags: c_uint) -> Result {
    driver()?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, graph::register(Graph::new()))
}

fn destroy(graph: Handle) -> Result {
    graph::forget(graph)
}

fn clone(out: *mut Handle, graph: Handle) -> Result {
    need(out)?;
    put(out, graph::register(find(graph)?.duplicate()?))
}

fn find_in_clone(out: *mut Handle, node: Handle, clone: Handle) -> Result {
    need(out)?;
    let (_, index) = find_node(node)?;
    let found = find(clone)?.handles(&[index]);
    put(out, *found.first().ok_or(Error::INVALID_VALUE)?)
}

fn nodes(graph: Handle, list: *mut Handle, count: *mut usize) -> Result {
    let nodes: Vec<_> = find(graph)?.live().iter().map(|node| node.handle).collect();
    put_list(list, count, &nodes)
}

fn roots(graph: Handle, list: *mut Handle, count: *mut usize) -> Result {
    let nodes = find(graph)?.live();
    let roots: Vec<_> = nodes.iter().filter(|node| node.after.is_empty()).map(|node| node.handle).collect();
    put_list(list, count, &roots)
}

fn destroy_node(node: Handle) -> Result {
    let (graph, index) = find_node(node)?;
    graph.remove(index)
}

fn node_type(node: Handle, out: *mut c_int) -> Result {
    let (graph, index) = find_node(node)?;
    need(out)?;
    graph.change(index, |task| put(out, task.node_type()))
}

fn print_dot(graph: Handle, path: *const c_char, _flags: c_uint) -> Result {
    let graph = find(graph)?;
    let mut dot = String::from("digraph {\n");
    for node in graph.live() {
        let label = match &node.task {
            Task::Kernel(launch) => launch.function.kernel().name.clone(),
            task => format!("node type {}", task.node_type()),
        };
        let _ = writeln!(dot, "  n{:x} [label=\"{label}\"];", node.handle);
    }
    for (from, to) in graph.edges() {
        let _ = writeln!(dot, "  n{from:x} -> n{to:x};");
    }
    dot.push_str("}\n");
    std::fs::write(text(path)?, dot).map_err(|_| Error::OPERATING_SYSTEM)
}

entry_points! {
    cuGraphCreate(out: *mut Handle, flags: c_uint) = create;
    cuGraphDestroy(graph: Handle) = destroy;
    cuGraphClone(out: *mut Handle, graph: Handle) = clone;
    cuGraphNodeFindInClone(out: *mut Handle, node: Handle, clone: Handle) = find_in_clone;
    cuGraphGetNodes(graph: Handle, list: *mut Handle, count: *mut usize) = nodes;
    cuGraphGetRootNodes(graph: Handle, list: *mut Handle, count: *mut usize) = roots;
    cuGraphDestroyNode(node: Handle) = destroy_node;
    cuGraphNodeGetType(node: Handle, out: *mut c_int) = node_type;
    cuGraphDebugDotPrint(graph: Handle, path: *const c_char, flags: c_uint) = print_dot;
}
