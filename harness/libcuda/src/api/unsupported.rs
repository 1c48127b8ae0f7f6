//! Entry points that are not modelled. They exist so that clients that look for them can load, and return
//! `CUDA_ERROR_NOT_SUPPORTED`. They do not read their arguments, so none are declared.

use crate::abi::error::{Error, Result};
use crate::state::device::driver::driver;

fn no() -> Result {
    driver()?;
    Err(Error::NOT_SUPPORTED)
}

entry_points! {
    // Requirements of arrays, sparse arrays, references to textures and surfaces, wide pixels.
    cuArrayGetMemoryRequirements() = no;
    cuArrayGetPlane() = no;
    cuArrayGetSparseProperties() = no;
    cuMemMapArrayAsync() = no;
    cuMipmappedArrayGetMemoryRequirements() = no;
    cuMipmappedArrayGetSparseProperties() = no;
    cuSurfRefGetArray() = no;
    cuSurfRefSetArray() = no;
    cuTensorMapEncodeIm2colWide() = no;
    cuTexRefCreate() = no;
    cuTexRefDestroy() = no;
    cuTexRefGetAddressMode() = no;
    cuTexRefGetAddress_v2() = no;
    cuTexRefGetArray() = no;
    cuTexRefGetBorderColor() = no;
    cuTexRefGetFilterMode() = no;
    cuTexRefGetFlags() = no;
    cuTexRefGetFormat() = no;
    cuTexRefGetMaxAnisotropy() = no;
    cuTexRefGetMipmapFilterMode() = no;
    cuTexRefGetMipmapLevelBias() = no;
    cuTexRefGetMipmapLevelClamp() = no;
    cuTexRefGetMipmappedArray() = no;
    cuTexRefSetAddress2D_v3() = no;
    cuTexRefSetAddressMode() = no;
    cuTexRefSetAddress_v2() = no;
    cuTexRefSetArray() = no;
    cuTexRefSetBorderColor() = no;
    cuTexRefSetFilterMode() = no;
    cuTexRefSetFlags() = no;
    cuTexRefSetFormat() = no;
    cuTexRefSetMaxAnisotropy() = no;
    cuTexRefSetMipmapFilterMode() = no;
    cuTexRefSetMipmapLevelBias() = no;
    cuTexRefSetMipmapLevelClamp() = no;
    cuTexRefSetMipmappedArray() = no;
    // The first editions of calls that exist in a second one: they count bytes by 32 bits, and no header since CUDA 3.2
    // names them.
    cuArray3DCreate() = no;
    cuArray3DGetDescriptor() = no;
    cuArrayCreate() = no;
    cuArrayGetDescriptor() = no;
    cuGraphicsResourceGetMappedPointer() = no;
    cuGraphicsResourceSetMapFlags() = no;
    cuMemcpyAtoA() = no;
    cuMemcpyAtoD() = no;
    cuMemcpyAtoH() = no;
    cuMemcpyAtoHAsync() = no;
    cuMemcpyDtoA() = no;
    cuMemcpyHtoA() = no;
    cuMemcpyHtoAAsync() = no;
    cuTexRefGetAddress() = no;
    cuTexRefSetAddress() = no;
    cuTexRefSetAddress2D() = no;
    cuTexRefSetAddress2D_v2() = no;
    // Graphics, other systems' memory and semaphores.
    cuDeviceGetNvSciSyncAttributes() = no;
    cuDestroyExternalMemory() = no;
    cuDestroyExternalSemaphore() = no;
    cuExternalMemoryGetMappedBuffer() = no;
    cuExternalMemoryGetMappedMipmappedArray() = no;
    cuGraphAddExternalSemaphoresSignalNode() = no;
    cuGraphAddExternalSemaphoresWaitNode() = no;
    cuGraphExecExternalSemaphoresSignalNodeSetParams() = no;
    cuGraphExecExternalSemaphoresWaitNodeSetParams() = no;
    cuGraphExternalSemaphoresSignalNodeGetParams() = no;
    cuGraphExternalSemaphoresSignalNodeSetParams() = no;
    cuGraphExternalSemaphoresWaitNodeGetParams() = no;
    cuGraphExternalSemaphoresWaitNodeSetParams() = no;
    cuGraphicsMapResources() = no;
    cuGraphicsResourceGetMappedMipmappedArray() = no;
    cuGraphicsResourceGetMappedPointer_v2() = no;
    cuGraphicsResourceSetMapFlags_v2() = no;
    cuGraphicsSubResourceGetMappedArray() = no;
    cuGraphicsUnmapResources() = no;
    cuGraphicsUnregisterResource() = no;
    cuImportExternalMemory() = no;
    cuImportExternalSemaphore() = no;
    cuSignalExternalSemaphoresAsync() = no;
    cuWaitExternalSemaphoresAsync() = no;
    // Multicast, endpoints.
    cuMemBatchDecompressAsync() = no;
    cuMulticastAddDevice() = no;
    cuMulticastBindAddr() = no;
    cuMulticastBindMem() = no;
    cuMulticastCreate() = no;
    cuMulticastGetGranularity() = no;
    cuMulticastUnbind() = no;
    // Execution affinity, notifications.
    cuCtxGetExecAffinity() = no;
    cuDeviceRegisterAsyncNotification() = no;
    cuDeviceUnregisterAsyncNotification() = no;
    // What atomics a host or another device can do.
    cuDeviceGetHostAtomicCapabilities() = no;
    cuDeviceGetP2PAtomicCapabilities() = no;
    // Checkpoints, core dumps, logs, textures as parameters.
    cuCheckpointProcessCheckpoint() = no;
    cuCheckpointProcessGetRestoreThreadId() = no;
    cuCheckpointProcessGetState() = no;
    cuCheckpointProcessLock() = no;
    cuCheckpointProcessRestore() = no;
    cuCheckpointProcessUnlock() = no;
    cuCoredumpGetAttribute() = no;
    cuCoredumpGetAttributeGlobal() = no;
    cuCoredumpSetAttribute() = no;
    cuCoredumpSetAttributeGlobal() = no;
    cuLibraryGetUnifiedFunction() = no;
    cuLogsCurrent() = no;
    cuLogsDumpToFile() = no;
    cuLogsDumpToMemory() = no;
    cuLogsRegisterCallback() = no;
    cuLogsUnregisterCallback() = no;
    cuParamSetTexRef() = no;
}
