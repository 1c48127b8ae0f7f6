//! Streams, events and stream capture.
use crate::abi::{
    edition::is_twelve,
    error::Result,
    pointers::need,
    types::{Handle, IpcHandle, Stream, per_thread},
};
use crate::api::entry::{calls, forwards, stream_calls, stream_forwards};
use crate::driver::calls as driver;
use crate::state::context;
use std::{
    ffi::{c_int, c_uint, c_void},
    ptr::{null, null_mut},
};

fn create(out: *mut Stream) -> Result {
    need(out)?;
    context::ensure()?;
    driver::cuStreamCreate(out, 0)
}

fn create_event(out: *mut Handle) -> Result {
    need(out)?;
    context::ensure()?;
    driver::cuEventCreate(out, 0)
}

fn elapsed(out: *mut f32, start: Handle, end: Handle) -> Result {
    need(out)?;
    context::ensure()?;
    driver::cuEventElapsedTime(out, start, end)
}

/// `cudaStreamGetCaptureInfo`: CUDA 12's returns only status and number.
fn capture_info(
    stream: Stream,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut Handle,
    nodes: *mut *const Handle,
    edges: *mut *const c_void,
    count: *mut usize,
) -> Result {
    if is_twelve() {
        return capture_info_2(stream, status, id, null_mut(), null_mut(), null_mut());
    }
    context::ensure()?;
    driver::cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, edges, count)
}

fn capture_info_2(
    stream: Stream,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut Handle,
    nodes: *mut *const Handle,
    count: *mut usize,
) -> Result {
    context::ensure()?;
    driver::cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, null_mut(), count)
}

/// `cudaStreamUpdateCaptureDependencies`: CUDA 12's does not take data of edges.
fn update_capture(stream: Stream, nodes: *mut Handle, third: usize, fourth: usize, fifth: c_uint) -> Result {
    context::ensure()?;
    let (edges, count, flags) = if is_twelve() {
        (null(), third, fourth as c_uint)
    } else {
        (std::ptr::with_exposed_provenance(third), fourth, fifth)
    };
    driver::cuStreamUpdateCaptureDependencies_v2(stream, nodes, edges, count, flags)
}

calls! {
    cudaStreamCreate(out: *mut Stream) = create;
    cudaEventCreate(out: *mut Handle) = create_event;
    cudaEventElapsedTime(out: *mut f32, start: Handle, end: Handle) = elapsed;
    cudaEventElapsedTime_v2(out: *mut f32, start: Handle, end: Handle) = elapsed;
}

stream_calls! {
    cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_ptsz [stream] (stream: Stream, status: *mut c_int,
        id: *mut u64, graph: *mut Handle, nodes: *mut *const Handle, edges: *mut *const c_void, count: *mut usize)
        = capture_info;
    cudaStreamGetCaptureInfo_v2 cudaStreamGetCaptureInfo_v2_ptsz [stream] (stream: Stream, status: *mut c_int,
        id: *mut u64, graph: *mut Handle, nodes: *mut *const Handle, count: *mut usize) = capture_info_2;
    cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_ptsz [stream] (stream: Stream,
        nodes: *mut Handle, third: usize, fourth: usize, fifth: c_uint) = update_capture;
}

forwards! {
    cudaStreamCreateWithFlags(out: *mut Stream, flags: c_uint) => cuStreamCreate;
    cudaStreamCreateWithPriority(out: *mut Stream, flags: c_uint, priority: c_int) => cuStreamCreateWithPriority;
    cudaStreamDestroy(stream: Stream) => cuStreamDestroy_v2;
    cudaEventCreateWithFlags(out: *mut Handle, flags: c_uint) => cuEventCreate;
    cudaEventDestroy(event: Handle) => cuEventDestroy_v2;
    cudaEventQuery(event: Handle) => cuEventQuery;
    cudaEventSynchronize(event: Handle) => cuEventSynchronize;
    cudaThreadExchangeStreamCaptureMode(mode: *mut c_int) => cuThreadExchangeStreamCaptureMode;
    cudaIpcGetEventHandle(out: *mut c_void, event: Handle) => cuIpcGetEventHandle;
    cudaIpcOpenEventHandle(out: *mut Handle, shared: IpcHandle) => cuIpcOpenEventHandle;
}

stream_forwards! {
    cudaEventRecord cudaEventRecord_ptsz [stream] (event: Handle, stream: Stream) => cuEventRecord;
    cudaEventRecordWithFlags cudaEventRecordWithFlags_ptsz [stream] (event: Handle, stream: Stream, flags: c_uint)
        => cuEventRecordWithFlags;
    cudaStreamGetPriority cudaStreamGetPriority_ptsz [stream] (stream: Stream, out: *mut c_int)
        => cuStreamGetPriority;
    cudaStreamGetFlags cudaStreamGetFlags_ptsz [stream] (stream: Stream, out: *mut c_uint) => cuStreamGetFlags;
    cudaStreamGetId cudaStreamGetId_ptsz [stream] (stream: Stream, out: *mut u64) => cuStreamGetId;
    cudaStreamGetDevice cudaStreamGetDevice_ptsz [stream] (stream: Stream, out: *mut c_int) => cuStreamGetDevice;
    cudaStreamGetAttribute cudaStreamGetAttribute_ptsz [stream] (stream: Stream, attribute: c_int, out: *mut c_void)
        => cuStreamGetAttribute;
    cudaStreamSetAttribute cudaStreamSetAttribute_ptsz [stream] (stream: Stream, attribute: c_int,
        value: *const c_void) => cuStreamSetAttribute;
    cudaStreamWaitEvent cudaStreamWaitEvent_ptsz [stream] (stream: Stream, event: Handle, flags: c_uint)
        => cuStreamWaitEvent;
    cudaStreamAddCallback cudaStreamAddCallback_ptsz [stream] (stream: Stream, callback: *const c_void,
        data: *mut c_void, flags: c_uint) => cuStreamAddCallback;
    cudaStreamSynchronize cudaStreamSynchronize_ptsz [stream] (stream: Stream) => cuStreamSynchronize;
    cudaStreamQuery cudaStreamQuery_ptsz [stream] (stream: Stream) => cuStreamQuery;
    cudaStreamAttachMemAsync cudaStreamAttachMemAsync_ptsz [stream] (stream: Stream, memory: *mut c_void,
        bytes: usize, flags: c_uint) => cuStreamAttachMemAsync;
    cudaStreamBeginCapture cudaStreamBeginCapture_ptsz [stream] (stream: Stream, mode: c_int)
        => cuStreamBeginCapture_v2;
    cudaStreamBeginCaptureToGraph cudaStreamBeginCaptureToGraph_ptsz [stream] (stream: Stream, graph: Handle,
        nodes: *const Handle, edges: *const c_void, count: usize, mode: c_int) => cuStreamBeginCaptureToGraph;
    cudaStreamEndCapture cudaStreamEndCapture_ptsz [stream] (stream: Stream, out: *mut Handle) => cuStreamEndCapture;
    cudaStreamIsCapturing cudaStreamIsCapturing_ptsz [stream] (stream: Stream, out: *mut c_int)
        => cuStreamIsCapturing;
}

fn copy_attributes(dst: Stream, src: Stream) -> Result {
    context::ensure()?;
    driver::cuStreamCopyAttributes(dst, src)
}

calls! {
    cudaStreamCopyAttributes(dst: Stream, src: Stream) = copy_attributes;
    cudaStreamCopyAttributes_ptsz(dst: Stream, src: Stream)
        = (|dst, src| copy_attributes(per_thread(dst), per_thread(src)));
}
