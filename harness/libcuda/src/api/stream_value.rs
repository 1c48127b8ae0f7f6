//! Words that streams write and wait for (`cuStreamWriteValue*`, `cuStreamWaitValue*`), several by one call
//! (`cuStreamBatchMemOp`), and the same as nodes of graphs.

use super::graph_node_params::{read, write as write_node};
use super::graph_nodes::add;
use crate::abi::constants::{barrier_flags, mem_op, wait_value_flags, write_value_flags};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all, need, put};
use crate::abi::types::{Handle, MemOp, MemOpNode, MemOpWaitValue, MemOpWaitValueValue};
use crate::state::contexts::{context, streams};
use crate::state::device::driver::driver;
use crate::state::graphs::capture::enqueue;
use crate::state::graphs::exec;
use crate::state::graphs::task::Task;
use crate::state::memory::word::{Comparison, WordOp, Words};
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

/// A call takes fewer operations than this number.
const MOST: usize = 256;

/// The form of a call, which determines the valid flags: only the first form allows a write to be reordered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallForm {
    First,
    Second,
}

fn one(op: &MemOp, form: CallForm) -> Result<WordOp> {
    let operation = op.operation() as c_uint;
    let bits = if matches!(operation, mem_op::WAIT_VALUE_64 | mem_op::WRITE_VALUE_64) { 64 } else { 32 };
    // A value to write has the same form as one to wait for.
    let MemOpWaitValue { address, value, flags, .. } = op.wait_value();
    let value = value.value64();
    match operation {
        mem_op::WAIT_VALUE_32 | mem_op::WAIT_VALUE_64 => {
            if flags & !(wait_value_flags::NOR | wait_value_flags::FLUSH) != 0 {
                return Err(Error::INVALID_VALUE);
            }
            // The device's attribute reports that it cannot flush.
            if flags & wait_value_flags::FLUSH != 0 {
                return Err(Error::NOT_SUPPORTED);
            }
            let comparison = Comparison::from_flags(flags);
            Ok(WordOp::Wait { address, value, comparison, bits })
        }
        mem_op::WRITE_VALUE_32 | mem_op::WRITE_VALUE_64 => {
            let known = if form == CallForm::First { write_value_flags::NO_MEMORY_BARRIER } else { 0 };
            if flags & !known != 0 {
                return Err(Error::INVALID_VALUE);
            }
            Ok(WordOp::Write { address, value, bits })
        }
        mem_op::FLUSH_REMOTE_WRITES => Err(Error::NOT_SUPPORTED),
        mem_op::BARRIER if form == CallForm::Second && op.memory_barrier().flags <= barrier_flags::GPU => {
            Ok(WordOp::Barrier)
        }
        _ => Err(Error::INVALID_VALUE),
    }
}

fn words(context: Handle, count: c_uint, ops: *const MemOp, flags: c_uint, form: CallForm) -> Result<Arc<Words>> {
    let count = count as usize;
    if count >= MOST || flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let described: Box<[MemOp]> = get_all(ops, count)?.into();
    let ops = described.iter().map(|op| one(op, form)).collect::<Result<_>>()?;
    Ok(Arc::new(Words { ops, described, context }))
}

/// Submits all operations to a stream, or none.
fn batch_of(handle: Handle, count: c_uint, ops: *const MemOp, flags: c_uint, form: CallForm) -> Result {
    let stream = streams::find(handle)?;
    let words = words(stream.context()?.handle, count, ops, flags, form)?;
    words.check()?;
    if words.ops.is_empty() { Ok(()) } else { enqueue(&stream, Task::Words(words)) }
}

fn batch(stream: Handle, count: c_uint, ops: *const MemOp, flags: c_uint) -> Result {
    batch_of(stream, count, ops, flags, CallForm::First)
}
fn batch_v2(stream: Handle, count: c_uint, ops: *const MemOp, flags: c_uint) -> Result {
    batch_of(stream, count, ops, flags, CallForm::Second)
}

fn single(stream: Handle, operation: c_uint, address: u64, value: u64, flags: c_uint, form: CallForm) -> Result {
    let mut op = MemOp::default();
    let operation = operation as c_int;
    let value = MemOpWaitValueValue([value]);
    op.set_wait_value(MemOpWaitValue { operation, address, value, flags, alias: 0 });
    batch_of(stream, 1, &raw const op, 0, form)
}
fn write_32(stream: Handle, address: u64, value: u32, flags: c_uint) -> Result {
    single(stream, mem_op::WRITE_VALUE_32, address, value.into(), flags, CallForm::First)
}
fn write_32_v2(stream: Handle, address: u64, value: u32, flags: c_uint) -> Result {
    single(stream, mem_op::WRITE_VALUE_32, address, value.into(), flags, CallForm::Second)
}
fn write_64(stream: Handle, address: u64, value: u64, flags: c_uint) -> Result {
    single(stream, mem_op::WRITE_VALUE_64, address, value, flags, CallForm::First)
}
fn write_64_v2(stream: Handle, address: u64, value: u64, flags: c_uint) -> Result {
    single(stream, mem_op::WRITE_VALUE_64, address, value, flags, CallForm::Second)
}
fn wait_32(stream: Handle, address: u64, value: u32, flags: c_uint) -> Result {
    single(stream, mem_op::WAIT_VALUE_32, address, value.into(), flags, CallForm::Second)
}
fn wait_64(stream: Handle, address: u64, value: u64, flags: c_uint) -> Result {
    single(stream, mem_op::WAIT_VALUE_64, address, value, flags, CallForm::Second)
}

/// Returns the task of a node. Its addresses are checked when the graph is launched.
pub fn words_task(params: &MemOpNode) -> Result<Task> {
    context::find(params.ctx).map_err(|_| Error::INVALID_VALUE)?;
    Ok(Task::Words(words(params.ctx, params.count, params.param_array, params.flags, CallForm::Second)?))
}

fn add_node(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *const MemOpNode) -> Result {
    driver()?;
    add(out, graph, after, n, words_task(&get(params)?)?)
}

fn get_node(node: Handle, out: *mut MemOpNode) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::Words(words) => {
            let (count, ops) = (words.described.len() as c_uint, words.described.as_ptr());
            put(out, MemOpNode { ctx: words.context, count, param_array: ops.cast_mut(), flags: 0 })
        }
        _ => Err(Error::INVALID_VALUE),
    })
}

fn set_node(node: Handle, params: *const MemOpNode) -> Result {
    driver()?;
    write_node(node, words_task(&get(params)?)?)
}

/// Changes a node of an executable graph, of which only addresses, values and flags can be changed.
fn set_exec_node(exec: Handle, node: Handle, params: *const MemOpNode) -> Result {
    let exec = exec::find(exec)?;
    let new = words_task(&get(params)?)?;
    exec.change(node, |node| {
        let (Task::Words(old), Task::Words(words)) = (&node.task, &new) else {
            return Err(Error::INVALID_VALUE);
        };
        let kinds = |words: &Words| words.described.iter().map(MemOp::operation).collect::<Vec<_>>();
        if kinds(old) != kinds(words) {
            return Err(Error::INVALID_VALUE);
        }
        node.task = new.clone();
        Ok(())
    })
}

entry_points! {
    cuStreamWriteValue32(stream: Handle, address: u64, value: u32, flags: c_uint) = write_32;
    cuStreamWriteValue32_ptsz(stream: Handle, address: u64, value: u32, flags: c_uint) = write_32;
    cuStreamWriteValue32_v2(stream: Handle, address: u64, value: u32, flags: c_uint) = write_32_v2;
    cuStreamWriteValue32_v2_ptsz(stream: Handle, address: u64, value: u32, flags: c_uint) = write_32_v2;
    cuStreamWriteValue64(stream: Handle, address: u64, value: u64, flags: c_uint) = write_64;
    cuStreamWriteValue64_ptsz(stream: Handle, address: u64, value: u64, flags: c_uint) = write_64;
    cuStreamWriteValue64_v2(stream: Handle, address: u64, value: u64, flags: c_uint) = write_64_v2;
    cuStreamWriteValue64_v2_ptsz(stream: Handle, address: u64, value: u64, flags: c_uint) = write_64_v2;
    cuStreamWaitValue32(stream: Handle, address: u64, value: u32, flags: c_uint) = wait_32;
    cuStreamWaitValue32_ptsz(stream: Handle, address: u64, value: u32, flags: c_uint) = wait_32;
    cuStreamWaitValue32_v2(stream: Handle, address: u64, value: u32, flags: c_uint) = wait_32;
    cuStreamWaitValue32_v2_ptsz(stream: Handle, address: u64, value: u32, flags: c_uint) = wait_32;
    cuStreamWaitValue64(stream: Handle, address: u64, value: u64, flags: c_uint) = wait_64;
    cuStreamWaitValue64_ptsz(stream: Handle, address: u64, value: u64, flags: c_uint) = wait_64;
    cuStreamWaitValue64_v2(stream: Handle, address: u64, value: u64, flags: c_uint) = wait_64;
    cuStreamWaitValue64_v2_ptsz(stream: Handle, address: u64, value: u64, flags: c_uint) = wait_64;
    cuStreamBatchMemOp(stream: Handle, count: c_uint, ops: *const MemOp, flags: c_uint) = batch;
    cuStreamBatchMemOp_ptsz(stream: Handle, count: c_uint, ops: *const MemOp, flags: c_uint) = batch;
    cuStreamBatchMemOp_v2(stream: Handle, count: c_uint, ops: *const MemOp, flags: c_uint) = batch_v2;
    cuStreamBatchMemOp_v2_ptsz(stream: Handle, count: c_uint, ops: *const MemOp, flags: c_uint) = batch_v2;
    cuGraphAddBatchMemOpNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *const MemOpNode)
        = add_node;
    cuGraphBatchMemOpNodeGetParams(node: Handle, out: *mut MemOpNode) = get_node;
    cuGraphBatchMemOpNodeSetParams(node: Handle, params: *const MemOpNode) = set_node;
    cuGraphExecBatchMemOpNodeSetParams(exec: Handle, node: Handle, params: *const MemOpNode) = set_exec_node;
}
