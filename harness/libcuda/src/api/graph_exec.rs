//! Executable graphs (`cuGraphInstantiate*`, `cuGraphExec*`): made, launched, updated.

use crate::abi::constants::{instantiate_flags, instantiate_result, update_result};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, need, put, put_optional};
use crate::abi::types::{Handle, InstantiateParams, UpdateResult};
use crate::state::contexts::current::current;
use crate::state::contexts::streams;
use crate::state::graphs::capture::enqueue;
use crate::state::graphs::exec;
use crate::state::graphs::graph;
use crate::state::graphs::update::{self, Mismatch};
use std::ffi::{c_char, c_int, c_uint};

fn instantiate(out: *mut Handle, graph: Handle, flags: u64) -> Result {
    let context = current()?;
    need(out)?;
    let graph = graph::find(graph)?;
    put(out, exec::instantiate(&context, &graph, flags)?)
}

fn instantiate_v2(out: *mut Handle, graph: Handle, error: *mut Handle, log: *mut c_char, size: usize) -> Result {
    put_optional(error, 0);
    if size > 0 {
        put_optional(log, 0);
    }
    instantiate(out, graph, 0)
}

fn instantiate_with_params(out: *mut Handle, graph: Handle, params: *mut InstantiateParams) -> Result {
    let mut given = get(params)?;
    let result = instantiate(out, graph, given.flags & !instantiate_flags::UPLOAD);
    given.h_err_node_out = 0;
    given.result_out = match result {
        Ok(()) => instantiate_result::SUCCESS,
        Err(_) => instantiate_result::ERROR,
    };
    put(params, given)?;
    if result.is_ok() && given.flags & instantiate_flags::UPLOAD != 0 {
        streams::find(given.h_upload_stream)?;
    }
    result
}

fn launch(exec: Handle, on: Handle) -> Result {
    let stream = streams::find(on)?;
    let exec = exec::find(exec)?;
    enqueue(&stream, exec.batch()?)?;
    exec.launched();
    Ok(())
}

fn upload(exec: Handle, on: Handle) -> Result {
    streams::find(on)?;
    exec::find(exec).map(drop)
}

fn exec_destroy(exec: Handle) -> Result {
    exec::forget(exec)
}

fn exec_flags(exec: Handle, out: *mut u64) -> Result {
    put(out, exec::find(exec)?.flags())
}

fn get_enabled(exec: Handle, node: Handle, out: *mut c_uint) -> Result {
    need(out)?;
    exec::find(exec)?.change(node, |node| put(out, c_uint::from(node.enabled)))
}

fn set_enabled(exec: Handle, node: Handle, enabled: c_uint) -> Result {
    let exec = exec::find(exec)?;
    exec.set_enabled(node, enabled != 0)
}

fn update(exec: Handle, graph: Handle, error_node: *mut Handle, result: *mut c_int) -> Result {
    let (exec, graph) = (exec::find(exec)?, graph::find(graph)?);
    let (code, node) = match update::apply(&exec, &graph)? {
        Ok(()) => (update_result::SUCCESS, 0),
        Err(Mismatch::Topology(node)) => (update_result::ERROR_TOPOLOGY_CHANGED, node),
        Err(Mismatch::Kind(node)) => (update_result::ERROR_NODE_TYPE_CHANGED, node),
        Err(Mismatch::Memory(node)) => (update_result::ERROR_FUNCTION_CHANGED, node),
        Err(Mismatch::Attributes(node)) => (update_result::ERROR_ATTRIBUTES_CHANGED, node),
    };
    put_optional(error_node, node);
    put(result, code)?;
    if code == update_result::SUCCESS { Ok(()) } else { Err(Error::GRAPH_EXEC_UPDATE_FAILURE) }
}

fn update_v2(exec: Handle, graph: Handle, out: *mut UpdateResult) -> Result {
    let (mut node, mut code) = (0, update_result::SUCCESS);
    let result = update(exec, graph, &raw mut node, &raw mut code);
    put_optional(out, UpdateResult { result: code, error_node: node, error_from_node: 0 });
    result
}

entry_points! {
    cuGraphInstantiate(out: *mut Handle, graph: Handle, error: *mut Handle, log: *mut c_char, size: usize)
        = instantiate_v2;
    cuGraphInstantiate_v2(out: *mut Handle, graph: Handle, error: *mut Handle, log: *mut c_char, size: usize)
        = instantiate_v2;
    cuGraphInstantiateWithFlags(out: *mut Handle, graph: Handle, flags: u64) = instantiate;
    cuGraphInstantiateWithParams(out: *mut Handle, graph: Handle, params: *mut InstantiateParams)
        = instantiate_with_params;
    cuGraphLaunch(exec: Handle, stream: Handle) = launch;
    cuGraphLaunch_ptsz(exec: Handle, stream: Handle) = launch;
    cuGraphUpload(exec: Handle, stream: Handle) = upload;
    cuGraphExecDestroy(exec: Handle) = exec_destroy;
    cuGraphExecGetFlags(exec: Handle, out: *mut u64) = exec_flags;
    cuGraphNodeGetEnabled(exec: Handle, node: Handle, out: *mut c_uint) = get_enabled;
    cuGraphNodeSetEnabled(exec: Handle, node: Handle, enabled: c_uint) = set_enabled;
    cuGraphExecUpdate(exec: Handle, graph: Handle, error_node: *mut Handle, result: *mut c_int) = update;
    cuGraphExecUpdate_v2(exec: Handle, graph: Handle, out: *mut UpdateResult) = update_v2;
}
