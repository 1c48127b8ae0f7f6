//! The CUDA version of this driver, and the versions in which newer forms of calls appeared.

use std::ffi::c_int;

/// The value of `cuDriverGetVersion`: CUDA 13.0.
pub const DRIVER_VERSION: c_int = 13000;

/// The value of `cuCtxGetApiVersion`: contexts have had this version since CUDA 3.2.
pub const CONTEXT_VERSION: u32 = 3020;

/// The newest supported version of PTX, as major * 10 + minor: the one that CUDA 13.0 emits. Newer ones are tried.
pub const NEWEST_PTX: u32 = 90;

/// Newer forms of calls, each with the CUDA version that introduced it. A client that requests that version or a later
/// one gets it.
pub const VERSIONED: &[(&str, &[(c_int, &str)])] = &[
    ("cuCtxCreate", &[(3020, "_v2"), (11040, "_v3"), (12050, "_v4")]),
    ("cuCtxGetDevice", &[(13000, "_v2")]),
    ("cuCtxSynchronize", &[(13000, "_v2")]),
    ("cuDeviceGetUuid", &[(11040, "_v2")]),
    ("cuEventElapsedTime", &[(12080, "_v2")]),
    ("cuGetProcAddress", &[(12000, "_v2")]),
    ("cuGraphAddDependencies", &[(12030, "_v2")]),
    ("cuGraphAddKernelNode", &[(12000, "_v2")]),
    ("cuGraphAddNode", &[(12030, "_v2")]),
    ("cuGraphExecKernelNodeSetParams", &[(12000, "_v2")]),
    ("cuGraphExecUpdate", &[(12000, "_v2")]),
    ("cuGraphGetEdges", &[(12030, "_v2")]),
    ("cuGraphInstantiate", &[(11000, "_v2"), (12000, "WithFlags")]),
    ("cuGraphKernelNodeGetParams", &[(12000, "_v2")]),
    ("cuGraphKernelNodeSetParams", &[(12000, "_v2")]),
    ("cuGraphNodeGetDependencies", &[(12030, "_v2")]),
    ("cuGraphNodeGetDependentNodes", &[(12030, "_v2")]),
    ("cuGraphRemoveDependencies", &[(12030, "_v2")]),
    ("cuMemAdvise", &[(12020, "_v2")]),
    ("cuMemPrefetchAsync", &[(12020, "_v2")]),
    ("cuMemcpy3DBatchAsync", &[(13000, "_v2")]),
    ("cuMemcpyBatchAsync", &[(13000, "_v2")]),
    ("cuStreamBatchMemOp", &[(11070, "_v2")]),
    ("cuStreamBeginCapture", &[(10010, "_v2")]),
    ("cuStreamGetCaptureInfo", &[(11030, "_v2"), (12030, "_v3")]),
    ("cuStreamGetCtx", &[(12050, "_v2")]),
    ("cuStreamUpdateCaptureDependencies", &[(12030, "_v2")]),
    ("cuStreamWaitValue32", &[(11070, "_v2")]),
    ("cuStreamWaitValue64", &[(11070, "_v2")]),
    ("cuStreamWriteValue32", &[(11070, "_v2")]),
    ("cuStreamWriteValue64", &[(11070, "_v2")]),
];
