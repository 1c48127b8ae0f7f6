//! Graph nodes whose parameters differ from the driver's: kernels and copies.
use crate::abi::{
    error::{Error, Result},
    native,
    pointers::{get, need, put},
    types::{
        AnyNode, AnyNodeValue, ConditionalNode, Copy3d, CopyNode, Dim3, Extent, Handle, KernelNode, PitchedPtr, Pos,
        numbers,
    },
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
    ptr::{null_mut, without_provenance_mut},
};

fn native_kernel(params: *const KernelNode) -> Result<native::KernelNode2> {
    let KernelNode { func, grid_dim, block_dim, shared_mem_bytes, kernel_params, extra } = get(params)?;
    Ok(native::KernelNode2 {
        func: function::function(func)?.addr(),
        grid_dim: numbers(grid_dim),
        block_dim: numbers(block_dim),
        shared_mem_bytes,
        kernel_params,
        extra,
        ..native::KernelNode2::default()
    })
}

fn add_kernel(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, p: *const KernelNode) -> Result {
    need(out)?;
    let params = native_kernel(p)?;
    driver::cuGraphAddKernelNode_v2(out, graph, after, count, &raw const params)
}

fn get_kernel(node: Handle, out: *mut KernelNode) -> Result {
    need(out)?;
    context::ensure()?;
    let mut of = native::KernelNode2::default();
    driver::cuGraphKernelNodeGetParams_v2(node, &raw mut of)?;
    let kernel = if of.kern == 0 { of.func } else { of.kern };
    let native::KernelNode2 { grid_dim, block_dim, shared_mem_bytes, kernel_params, extra, .. } = of;
    let dim = |[x, y, z]: [c_uint; 3]| Dim3 { x, y, z };
    put(
        out,
        KernelNode {
            func: function::stub_of(without_provenance_mut(kernel)).cast_mut(),
            grid_dim: dim(grid_dim),
            block_dim: dim(block_dim),
            shared_mem_bytes,
            kernel_params,
            extra,
        },
    )
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
        src_ptr: row(src.cast_mut()),
        dst_array: null_mut(),
        dst_pos: start,
        dst_ptr: row(dst),
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
    let mut copy = native::Copy3D::default();
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

/// Returns the driver's form of `cudaGraphNodeParams`, which differs for kernels, copies and conditional nodes.
fn native_params(params: *const AnyNode) -> Result<native::AnyNode> {
    let AnyNode { kind, reserved0, value, reserved2 } = get(params)?;
    let mut all = native::AnyNode { kind, reserved0, value: native::AnyNodeValue(value.0), reserved2 };
    // SAFETY: the value has room for the parameters of every kind.
    let of_kind = unsafe { (&raw const (*params).value).cast::<c_void>() };
    let native = (&raw mut all.value).cast::<c_void>();
    match kind {
        KERNEL => {
            let kernel = native_kernel(of_kind.cast())?;
            // SAFETY: as above.
            unsafe { native.cast::<native::KernelNode2>().write_unaligned(kernel) };
        }
        MEMCPY => {
            let copy_params = native_copy(&get(of_kind.cast::<CopyNode>())?.copy_params)?;
            // SAFETY: as above.
            unsafe {
                let native = native.cast::<native::CopyNode>();
                let copy_ctx = own_context()?.addr();
                native.write_unaligned(native::CopyNode { copy_ctx, copy_params, ..native.read_unaligned() });
            }
        }
        CONDITIONAL => {
            let context = own_context()?.addr();
            // SAFETY: as above.
            unsafe { (&raw mut (*native.cast::<native::ConditionalNode>()).ctx).write_unaligned(context) };
        }
        _ => {}
    }
    Ok(all)
}

/// Copies the driver's results in the parameters back to the caller: addresses and graphs that it has created.
fn written_back(params: *mut AnyNode, native: &native::AnyNode) -> Result {
    match native.kind {
        KERNEL | MEMCPY => Ok(()),
        CONDITIONAL => {
            // SAFETY: the parameters were read, and are those of a conditional node.
            let (bodies, of_driver) = unsafe {
                let of_driver = (&raw const native.value).cast::<native::ConditionalNode>().read_unaligned();
                (&raw mut (*(&raw mut (*params).value).cast::<ConditionalNode>()).ph_graph_out, of_driver)
            };
            put(bodies, of_driver.ph_graph_out.cast())
        }
        // SAFETY: as above; the value is all that the driver writes to.
        _ => put(unsafe { &raw mut (*params).value }, AnyNodeValue(native.value.0)),
    }
}

fn add_any(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    edges: *const c_void,
    count: usize,
    params: *mut AnyNode,
) -> Result {
    need(out)?;
    context::ensure()?;
    let mut native = native_params(params)?;
    driver::cuGraphAddNode_v2(out, graph, after, edges, count, (&raw mut native).cast())?;
    written_back(params, &native)
}

fn set_any(node: Handle, params: *mut AnyNode) -> Result {
    context::ensure()?;
    let mut native = native_params(params)?;
    driver::cuGraphNodeSetParams(node, (&raw mut native).cast())
}

fn set_exec_any(exec: Handle, node: Handle, params: *mut AnyNode) -> Result {
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
    add_any(out, graph, after, std::ptr::with_exposed_provenance(fourth), fifth, sixth.cast())
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
        params: *mut AnyNode) = add_any;
    cudaGraphNodeSetParams(node: Handle, params: *mut AnyNode) = set_any;
    cudaGraphExecNodeSetParams(exec: Handle, node: Handle, params: *mut AnyNode) = set_exec_any;
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
