//! The driver's functions that the runtime calls with arguments other than its own.
use crate::abi::{
    native::{ArrayDesc, Copy2D, Copy3D, KernelNode2, LaunchConfig, Uuid},
    types::{Handle, MemLocation, Stream},
};
use crate::driver::driver_calls;
use std::ffi::{c_char, c_int, c_uint, c_void};

driver_calls! {
    cuInit(flags: c_uint);
    cuDriverGetVersion(out: *mut c_int);
    // Devices and contexts.
    cuDeviceGetCount(out: *mut c_int);
    cuDeviceGetAttribute(out: *mut c_int, attribute: c_int, device: c_int);
    cuDeviceGetName(out: *mut c_char, room: c_int, device: c_int);
    cuDeviceGetMemPool(out: *mut Handle, device: c_int);
    cuDeviceSetMemPool(device: c_int, pool: Handle);
    cuDeviceGetUuid_v2(out: *mut Uuid, device: c_int);
    cuDeviceGetLuid(out: *mut c_char, mask: *mut c_uint, device: c_int);
    cuDeviceTotalMem_v2(out: *mut usize, device: c_int);
    cuDevicePrimaryCtxRetain(out: *mut Handle, device: c_int);
    cuDevicePrimaryCtxReset_v2(device: c_int);
    cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint);
    cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int);
    cuCtxGetCurrent(out: *mut Handle);
    cuCtxSetCurrent(context: Handle);
    cuCtxGetDevice(out: *mut c_int);
    cuDeviceCanAccessPeer(out: *mut c_int, device: c_int, peer: c_int);
    cuCtxEnablePeerAccess(context: Handle, flags: c_uint);
    cuCtxDisablePeerAccess(context: Handle);
    cuThreadExchangeStreamCaptureMode(mode: *mut c_int);
    // Images.
    cuLibraryLoadData(out: *mut Handle, code: *const c_void, jit: *mut c_int, jit_values: *mut *mut c_void,
        jit_count: c_uint, options: *mut c_int, values: *mut *mut c_void, count: c_uint);
    cuLibraryUnload(library: Handle);
    cuLibraryGetModule(out: *mut Handle, library: Handle);
    cuLibraryGetKernel(out: *mut Handle, library: Handle, name: *const c_char);
    cuLibraryEnumerateKernels(out: *mut Handle, count: c_uint, library: Handle);
    cuLibraryGetKernelCount(out: *mut c_uint, library: Handle);
    cuLibraryGetGlobal(out: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char);
    cuLibraryGetManaged(out: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char);
    cuLinkCreate_v2(count: c_uint, options: *mut c_int, values: *mut *mut c_void, out: *mut Handle);
    cuLinkAddData_v2(link: Handle, kind: c_int, data: *mut c_void, bytes: usize, name: *const c_char, count: c_uint,
        options: *mut c_int, values: *mut *mut c_void);
    cuLinkComplete(link: Handle, out: *mut *mut c_void, bytes: *mut usize);
    cuLinkDestroy(link: Handle);
    // Functions and launches.
    cuKernelGetFunction(out: *mut Handle, kernel: Handle);
    cuKernelSetAttribute(attribute: c_int, value: c_int, kernel: Handle, device: c_int);
    cuFuncGetAttribute(out: *mut c_int, attribute: c_int, function: Handle);
    cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int);
    cuFuncSetCacheConfig(function: Handle, config: c_int);
    cuFuncSetSharedMemConfig(function: Handle, config: c_int);
    cuFuncGetName(out: *mut *const c_char, function: Handle);
    cuFuncGetParamInfo(function: Handle, index: usize, offset: *mut usize, bytes: *mut usize);
    cuLaunchKernelEx(config: *const LaunchConfig, function: Handle, arguments: *mut *mut c_void,
        extra: *mut *mut c_void);
    cuLaunchKernel(function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: Stream, arguments: *mut *mut c_void, extra: *mut *mut c_void);
    cuLaunchCooperativeKernel(function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint,
        block_y: c_uint, block_z: c_uint, shared: c_uint, stream: Stream, arguments: *mut *mut c_void);
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out: *mut c_int, function: Handle, block: c_int,
        shared: usize, flags: c_uint);
    cuOccupancyAvailableDynamicSMemPerBlock(out: *mut usize, function: Handle, blocks: c_int, block: c_int);
    cuOccupancyMaxPotentialClusterSize(out: *mut c_int, function: Handle, config: *const LaunchConfig);
    cuOccupancyMaxActiveClusters(out: *mut c_int, function: Handle, config: *const LaunchConfig);
    // Memory.
    cuMemAlloc_v2(out: *mut u64, bytes: usize);
    cuMemAllocPitch_v2(out: *mut u64, pitch: *mut usize, width: usize, height: usize, element: c_uint);
    cuMemAllocManaged(out: *mut u64, bytes: usize, flags: c_uint);
    cuMemAllocAsync(out: *mut u64, bytes: usize, stream: Stream);
    cuMemAllocFromPoolAsync(out: *mut u64, bytes: usize, pool: Handle, stream: Stream);
    cuMemFree_v2(address: u64);
    cuMemFreeAsync(address: u64, stream: Stream);
    cuMemHostAlloc(out: *mut *mut c_void, bytes: usize, flags: c_uint);
    cuMemFreeHost(pointer: *mut c_void);
    cuPointerGetAttributes(count: c_uint, attributes: *const c_int, values: *mut *mut c_void, address: u64);
    cuMemAdvise_v2(address: u64, bytes: usize, advice: c_int, location: MemLocation);
    cuMemPrefetchAsync_v2(address: u64, bytes: usize, location: MemLocation, flags: c_uint, stream: Stream);
    // Copies and fills.
    cuMemcpy(dst: u64, src: u64, bytes: usize);
    cuMemcpyHtoD_v2(dst: u64, src: *const c_void, bytes: usize);
    cuMemcpyDtoH_v2(dst: *mut c_void, src: u64, bytes: usize);
    cuMemcpyDtoD_v2(dst: u64, src: u64, bytes: usize);
    cuMemcpyAsync(dst: u64, src: u64, bytes: usize, stream: Stream);
    cuMemcpyHtoDAsync_v2(dst: u64, src: *const c_void, bytes: usize, stream: Stream);
    cuMemcpyDtoHAsync_v2(dst: *mut c_void, src: u64, bytes: usize, stream: Stream);
    cuMemcpyDtoDAsync_v2(dst: u64, src: u64, bytes: usize, stream: Stream);
    cuMemcpyPeer(dst: u64, dst_context: Handle, src: u64, src_context: Handle, bytes: usize);
    cuMemcpyPeerAsync(dst: u64, dst_context: Handle, src: u64, src_context: Handle, bytes: usize, stream: Stream);
    cuMemcpy2DUnaligned_v2(copy: *const Copy2D);
    cuMemcpy2DAsync_v2(copy: *const Copy2D, stream: Stream);
    cuMemcpy3D_v2(copy: *const Copy3D);
    cuMemcpy3DAsync_v2(copy: *const Copy3D, stream: Stream);
    cuMemcpyBatchAsync(to: *const u64, from: *const u64, sizes: *const usize, count: usize, how: *const c_void,
        firsts: *const usize, hows: usize, failed: *mut usize, stream: Stream);
    cuMemcpyBatchAsync_v2(to: *const u64, from: *const u64, sizes: *const usize, count: usize, how: *const c_void,
        firsts: *const usize, hows: usize, stream: Stream);
    cuMemcpy3DBatchAsync(count: usize, ops: *const c_void, failed: *mut usize, flags: u64, stream: Stream);
    cuMemcpy3DBatchAsync_v2(count: usize, ops: *const c_void, flags: u64, stream: Stream);
    cuMemsetD8_v2(address: u64, value: u8, count: usize);
    cuMemsetD8Async(address: u64, value: u8, count: usize, stream: Stream);
    cuMemsetD2D8_v2(address: u64, pitch: usize, value: u8, width: usize, height: usize);
    cuMemsetD2D8Async(address: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Stream);
    // Arrays, textures and surfaces.
    cuArray3DCreate_v2(out: *mut Handle, desc: *const ArrayDesc);
    cuArray3DGetDescriptor_v2(out: *mut ArrayDesc, array: Handle);
    cuMipmappedArrayCreate(out: *mut Handle, desc: *const ArrayDesc, levels: c_uint);
    cuArrayDestroy(array: Handle);
    cuMipmappedArrayDestroy(array: Handle);
    cuTexObjectCreate(out: *mut u64, resource: *const c_void, texture: *const c_void, view: *const c_void);
    cuMipmappedArrayGetLevel(out: *mut Handle, array: Handle, level: c_uint);
    cuTexObjectDestroy(texture: u64);
    cuSurfObjectDestroy(surface: u64);
    cuTexObjectGetResourceDesc(out: *mut c_void, texture: u64);
    cuTexObjectGetTextureDesc(out: *mut c_void, texture: u64);
    cuDeviceGetTexture1DLinearMaxWidth(out: *mut usize, format: c_int, channels: c_uint, device: c_int);
    cuSurfObjectCreate(out: *mut u64, resource: *const c_void);
    cuSurfObjectGetResourceDesc(out: *mut c_void, surface: u64);
    // Streams and events.
    cuStreamCreate(out: *mut Stream, flags: c_uint);
    cuStreamSynchronize(stream: Stream);
    cuEventCreate(out: *mut Handle, flags: c_uint);
    cuEventElapsedTime(out: *mut f32, start: Handle, end: Handle);
    cuStreamCopyAttributes(dst: Stream, src: Stream);
    cuStreamGetCaptureInfo_v3(stream: Stream, status: *mut c_int, id: *mut u64, graph: *mut Handle,
        nodes: *mut *const Handle, edges: *mut *const c_void, count: *mut usize);
    cuStreamUpdateCaptureDependencies_v2(stream: Stream, nodes: *mut Handle, edges: *const c_void, count: usize,
        flags: c_uint);
    // Graphs.
    cuGraphAddKernelNode_v2(out: *mut Handle, graph: Handle, after: *const Handle, count: usize,
        params: *const KernelNode2);
    cuGraphKernelNodeGetParams_v2(node: Handle, params: *mut KernelNode2);
    cuGraphKernelNodeSetParams_v2(node: Handle, params: *const KernelNode2);
    cuGraphExecKernelNodeSetParams_v2(exec: Handle, node: Handle, params: *const KernelNode2);
    cuGraphAddMemcpyNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, copy: *const Copy3D,
        context: Handle);
    cuGraphMemcpyNodeGetParams(node: Handle, copy: *mut Copy3D);
    cuGraphMemcpyNodeSetParams(node: Handle, copy: *const Copy3D);
    cuGraphExecMemcpyNodeSetParams(exec: Handle, node: Handle, copy: *const Copy3D, context: Handle);
    cuGraphAddMemsetNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, params: *const c_void,
        context: Handle);
    cuGraphExecMemsetNodeSetParams(exec: Handle, node: Handle, params: *const c_void, context: Handle);
    cuGraphGetEdges_v2(graph: Handle, from: *mut Handle, to: *mut Handle, edges: *mut c_void, count: *mut usize);
    cuGraphNodeGetDependencies_v2(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize);
    cuGraphNodeGetDependentNodes_v2(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize);
    cuGraphAddDependencies_v2(graph: Handle, from: *const Handle, to: *const Handle, edges: *const c_void,
        count: usize);
    cuGraphRemoveDependencies_v2(graph: Handle, from: *const Handle, to: *const Handle, edges: *const c_void,
        count: usize);
    cuGraphConditionalHandleCreate(out: *mut u64, graph: Handle, context: Handle, default: c_uint, flags: c_uint);
    cuGraphAddNode_v2(out: *mut Handle, graph: Handle, after: *const Handle, edges: *const c_void, count: usize,
        params: *mut c_void);
    cuGraphNodeSetParams(node: Handle, params: *mut c_void);
    cuGraphExecNodeSetParams(exec: Handle, node: Handle, params: *mut c_void);
    // Other functions.
    cuGetProcAddress_v2(name: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64, status: *mut c_int);
}
