//! Graph nodes whose parameters differ from the driver's: kernels and copies.
use crate::abi::{
    error::{Error, Result},
    native,
    pointers::{get, need, put},
    types::{Copy3d, Extent, Handle, KernelNode, PitchedPtr, Pos},
};
use crate::api::{
    copy::{FROM, TO, part},
    copy_shape::{from_native, native as native_copy},
    entry::calls,
    graph::own_context,
};
use crate::driver::calls as driver;
use crate::state::{context, function};
use cuda_abi::runtime::constants::node_type::{CONDITIONAL, KERNEL, MEMCPY};
use std::{
    ffi::{c_int, c_uint, c_void},
    ptr::null_mut,
};

fn native_kernel(params: *const KernelNode) -> Result<native::KernelNode> {
    let KernelNode { function: symbol, grid, block, shared, params, extra } = get(params)?;
    let (function, none) = (function::function(symbol)?, null_mut());
    Ok(native::KernelNode { function, grid, block, shared, params, extra, kernel: none, context: none })
}

fn add_kernel(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, p: *const KernelNode) -> Result {
    need(out)?;
    let params = native_kernel(p)?;
    driver::cuGraphAddKernelNode_v2(out, graph, after, count, &raw const params)
}

fn get_kernel(node: Handle, out: *mut KernelNode) -> Result {
    need(out)?;
    context::ensure()?;
    let none = null_mut();
    let nowhere = crate::abi::types::Dim3::default();
    let mut of = native::KernelNode {
        function: none,
        grid: nowhere,
        block: nowhere,
        shared: 0,
        params: null_mut(),
        extra: null_mut(),
        kernel: none,
        context: none,
    };
    driver::cuGraphKernelNodeGetParams_v2(node, &raw mut of)?;
    let kernel = if of.kernel.is_null() { of.function } else { of.kernel };
    let native::KernelNode { grid, block, shared, params, extra, .. } = of;
    put(out, KernelNode { function: function::stub_of(kernel), grid, block, shared, params, extra })
}

fn set_kernel(node: Handle, params: *const KernelNode) -> Result {
    let params = native_kernel(params)?;
    driver::cuGraphKernelNodeSetParams_v2(node, &raw const params)
}

fn set_exec_kernel(exec: Handle, node: Handle, params: *const KernelNode) -> Result {
    let params = native_kernel(params)?;
    driver::cuGraphExecKernelNodeSetParams_v2(exec, node, &raw const params)
}

/// Returns a copy of bytes in one row.
fn row(dst: *mut c_void, src: *const c_void, bytes: usize, kind: c_int) -> Copy3d {
    let row = |ptr: *mut c_void| PitchedPtr { ptr, pitch: bytes, xsize: bytes, ysize: 1 };
    let start = Pos { x: 0, y: 0, z: 0 };
    Copy3d {
        src_array: null_mut(),
        src_pos: start,
        src: row(src.cast_mut()),
        dst_array: null_mut(),
        dst_pos: start,
        dst: row(dst),
        extent: Extent { width: bytes, height: 1, depth: 1 },
        kind,
    }
}

/// Returns a copy of a row if it is not empty: a node of a graph must copy at least one byte.
fn some(copy: Copy3d) -> Result<Copy3d> {
    if copy.extent.width == 0 { Err(Error::INVALID_VALUE) } else { Ok(copy) }
}

fn add(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, copy: &Copy3d) -> Result {
    need(out)?;
    context::ensure()?;
    let copy = native_copy(copy)?;
    driver::cuGraphAddMemcpyNode(out, graph, after, count, &raw const copy, own_context()?)
}

fn set(node: Handle, copy: &Copy3d) -> Result {
    context::ensure()?;
    let copy = native_copy(copy)?;
    driver::cuGraphMemcpyNodeSetParams(node, &raw const copy)
}

fn set_exec(exec: Handle, node: Handle, copy: &Copy3d) -> Result {
    context::ensure()?;
    let copy = native_copy(copy)?;
    driver::cuGraphExecMemcpyNodeSetParams(exec, node, &raw const copy, own_context()?)
}

fn get_copy(node: Handle, out: *mut Copy3d) -> Result {
    need(out)?;
    context::ensure()?;
    let none = native::End3d::none();
    let mut copy = native::Memcpy3d { src: none, dst: none, width_bytes: 0, height: 0, depth: 0 };
    driver::cuGraphMemcpyNodeGetParams(node, &raw mut copy)?;
    put(out, from_native(&copy)?)
}

type Dst = *mut c_void;
type Src = *const c_void;

fn to(symbol: Src, src: Src, bytes: usize, offset: usize, kind: c_int) -> Result<Copy3d> {
    Ok(row(part(symbol, bytes, offset, kind, TO)?, src, bytes, kind))
}

fn from(dst: Dst, symbol: Src, bytes: usize, offset: usize, kind: c_int) -> Result<Copy3d> {
    Ok(row(dst, part(symbol, bytes, offset, kind, FROM)?, bytes, kind))
}

/// The bytes of `cudaGraphNodeParams`, and the offset of the type's parameters in it.
const PARAMS_BYTES: usize = 256;
const UNION: usize = 16;
/// The offset of the copy in the parameters of a copy node: after flags, and in the driver's form also after a context.
const COPY: usize = 16;
const NATIVE_COPY: usize = 24;
/// The offset of the graphs of a conditional node in its parameters, and the offset of the context in the driver's
/// form.
const BODIES: usize = 16;
const NATIVE_CONTEXT: usize = 24;

/// Returns the driver's form of `cudaGraphNodeParams`, which differs for kernels and copies.
fn native_params(params: *mut c_void) -> Result<[u64; PARAMS_BYTES / 8]> {
    let mut all: [u64; PARAMS_BYTES / 8] = get(params.cast())?;
    let at = |offset: usize| params.wrapping_byte_add(UNION + offset);
    let native = (&raw mut all).cast::<c_void>();
    match all[0] as c_int {
        KERNEL => {
            let kernel = native_kernel(at(0).cast())?;
            // SAFETY: the structure has room for the parameters of every type.
            unsafe { native.byte_add(UNION).cast::<native::KernelNode>().write_unaligned(kernel) };
        }
        MEMCPY => {
            let copy = native_copy(&get(at(COPY).cast::<Copy3d>())?)?;
            // SAFETY: as above.
            unsafe {
                native.byte_add(UNION + COPY).cast::<Handle>().write_unaligned(own_context()?);
                native.byte_add(UNION + NATIVE_COPY).cast::<native::Memcpy3d>().write_unaligned(copy);
            }
        }
        CONDITIONAL => {
            let context = own_context()?;
            // SAFETY: as above.
            unsafe { native.byte_add(UNION + NATIVE_CONTEXT).cast::<Handle>().write_unaligned(context) };
        }
        _ => {}
    }
    Ok(all)
}

/// Copies the driver's results in the parameters back to the caller: addresses and graphs that it has created.
fn written_back(params: *mut c_void, native: &[u64; PARAMS_BYTES / 8]) -> Result {
    match native[0] as c_int {
        KERNEL | MEMCPY => Ok(()),
        CONDITIONAL => put(params.wrapping_byte_add(UNION + BODIES).cast(), native[(UNION + BODIES) / 8]),
        _ => put(params.cast(), *native),
    }
}

fn add_any(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    edges: *const c_void,
    count: usize,
    params: *mut c_void,
) -> Result {
    need(out)?;
    context::ensure()?;
    let mut native = native_params(params)?;
    driver::cuGraphAddNode_v2(out, graph, after, edges, count, (&raw mut native).cast())?;
    written_back(params, &native)
}

fn set_any(node: Handle, params: *mut c_void) -> Result {
    context::ensure()?;
    let mut native = native_params(params)?;
    driver::cuGraphNodeSetParams(node, (&raw mut native).cast())
}

fn set_exec_any(exec: Handle, node: Handle, params: *mut c_void) -> Result {
    context::ensure()?;
    let mut native = native_params(params)?;
    driver::cuGraphExecNodeSetParams(exec, node, (&raw mut native).cast())
}

/// `cudaGraphAddNode`: CUDA 12's does not take data of edges.
fn add_any_of_edition(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    fourth: usize,
    fifth: usize,
    sixth: *mut c_void,
) -> Result {
    if crate::abi::edition::is_twelve() {
        let params = std::ptr::with_exposed_provenance_mut(fifth);
        return add_any(out, graph, after, std::ptr::null(), fourth, params);
    }
    add_any(out, graph, after, std::ptr::with_exposed_provenance(fourth), fifth, sixth)
}

fn create_condition(out: *mut u64, graph: Handle, default: c_uint, flags: c_uint) -> Result {
    need(out)?;
    context::ensure()?;
    driver::cuGraphConditionalHandleCreate(out, graph, own_context()?, default, flags)
}

calls! {
    cudaGraphConditionalHandleCreate(out: *mut u64, graph: Handle, default: c_uint, flags: c_uint) = create_condition;
    cudaGraphAddKernelNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize,
        params: *const KernelNode) = add_kernel;
    cudaGraphKernelNodeGetParams(node: Handle, out: *mut KernelNode) = get_kernel;
    cudaGraphKernelNodeSetParams(node: Handle, params: *const KernelNode) = set_kernel;
    cudaGraphExecKernelNodeSetParams(exec: Handle, node: Handle, params: *const KernelNode) = set_exec_kernel;
    cudaGraphAddNode(out: *mut Handle, graph: Handle, after: *const Handle, fourth: usize, fifth: usize,
        sixth: *mut c_void) = add_any_of_edition;
    cudaGraphAddNode_v2(out: *mut Handle, graph: Handle, after: *const Handle, edges: *const c_void, count: usize,
        params: *mut c_void) = add_any;
    cudaGraphNodeSetParams(node: Handle, params: *mut c_void) = set_any;
    cudaGraphExecNodeSetParams(exec: Handle, node: Handle, params: *mut c_void) = set_exec_any;
    cudaGraphMemcpyNodeGetParams(node: Handle, out: *mut Copy3d) = get_copy;
    cudaGraphAddMemcpyNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, copy: *const Copy3d)
        = (|out, graph, after, count, copy| add(out, graph, after, count, &get(copy)?));
    cudaGraphMemcpyNodeSetParams(node: Handle, copy: *const Copy3d) = (|node, copy| set(node, &get(copy)?));
    cudaGraphExecMemcpyNodeSetParams(exec: Handle, node: Handle, copy: *const Copy3d)
        = (|exec, node, copy| set_exec(exec, node, &get(copy)?));
    cudaGraphAddMemcpyNode1D(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, dst: Dst, src: Src,
        bytes: usize, kind: c_int)
        = (|out, graph, after, count, d, s, n, k| add(out, graph, after, count, &some(row(d, s, n, k))?));
    cudaGraphMemcpyNodeSetParams1D(node: Handle, dst: Dst, src: Src, bytes: usize, kind: c_int)
        = (|node, d, s, n, k| set(node, &some(row(d, s, n, k))?));
    cudaGraphExecMemcpyNodeSetParams1D(exec: Handle, node: Handle, dst: Dst, src: Src, bytes: usize, kind: c_int)
        = (|exec, node, d, s, n, k| set_exec(exec, node, &row(d, s, n, k)));
    cudaGraphAddMemcpyNodeToSymbol(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, symbol: Src,
        src: Src, bytes: usize, offset: usize, kind: c_int)
        = (|out, graph, after, count, y, s, n, o, k| add(out, graph, after, count, &to(y, s, n, o, k)?));
    cudaGraphMemcpyNodeSetParamsToSymbol(node: Handle, symbol: Src, src: Src, bytes: usize, offset: usize, kind: c_int)
        = (|node, y, s, n, o, k| set(node, &to(y, s, n, o, k)?));
    cudaGraphExecMemcpyNodeSetParamsToSymbol(exec: Handle, node: Handle, symbol: Src, src: Src, bytes: usize,
        offset: usize, kind: c_int) = (|exec, node, y, s, n, o, k| set_exec(exec, node, &to(y, s, n, o, k)?));
    cudaGraphAddMemcpyNodeFromSymbol(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, dst: Dst,
        symbol: Src, bytes: usize, offset: usize, kind: c_int)
        = (|out, graph, after, count, d, y, n, o, k| add(out, graph, after, count, &from(d, y, n, o, k)?));
    cudaGraphMemcpyNodeSetParamsFromSymbol(node: Handle, dst: Dst, symbol: Src, bytes: usize, offset: usize,
        kind: c_int) = (|node, d, y, n, o, k| set(node, &from(d, y, n, o, k)?));
    cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec: Handle, node: Handle, dst: Dst, symbol: Src, bytes: usize,
        offset: usize, kind: c_int) = (|exec, node, d, y, n, o, k| set_exec(exec, node, &from(d, y, n, o, k)?));
}
