// CUDA's runtime on the device: what nvcc takes from `libcudadevrt` for kernels that launch kernels. Linked with every
// program that calls it. It passes what only the driver can do to the driver by `__simt_runtime`, in words that
// children/calls.rs explains.
//
// The PTX next to it is what nvcc makes of it, with `__cudaCDP2` for `cdp2_` (its headers reserve that name):
//
//   warplab nvcc -rdc=true -arch=compute_75 -ptx runtime.cu -o - | sed s/cdp2_/__cudaCDP2/g > runtime.ptx
#include "errors.h"

#include <cooperative_groups.h>

typedef unsigned long long word;

// The calls of the driver.
enum Call {
    NOTE_ERROR,
    LAST_ERROR,
    PREPARE,
    LAUNCH,
    COPY,
    FILL,
    CREATE_STREAM,
    DESTROY_STREAM,
    CREATE_EVENT,
    FIND_EVENT,
    DEVICE_ATTRIBUTE,
    LIMIT,
    FUNCTION_ATTRIBUTE,
    OCCUPANCY,
};

// What a call passes.
struct Words {
    word at[12];
};

extern "C" __device__ word __simt_runtime(unsigned call, const Words *words);

// Copies of a device have only these directions.
static const int DEVICE_TO_DEVICE = cudaMemcpyDeviceToDevice, DEFAULT = cudaMemcpyDefault;
// The version that NVIDIA's runtime reports.
static const int VERSION = 6000;

static __device__ __noinline__ word ask(Call call, const Words &words) { return __simt_runtime(call, &words); }

static __device__ __noinline__ cudaError_t fail(cudaError_t error) {
    if (error != cudaSuccess) ask(NOTE_ERROR, {(word)error});
    return error;
}

static __device__ bool is_global(const void *p) { return p != nullptr && __isGlobal(p); }

// The answer after an error, which the driver has noted.
static const word FAILED = ~0ull;

// Stores an answer where the caller wants it.
template <class T> static __device__ cudaError_t answer(word said, T *to) {
    if (said == FAILED) return (cudaError_t)ask(LAST_ERROR, {0});
    *to = (T)said;
    return cudaSuccess;
}

#define RUNTIME extern "C" __device__
// With the name that it has where each thread has a default stream of its own: on the device there is no difference.
#define BOTH(name, parameters, arguments)                                                                              \
    RUNTIME cudaError_t name##_ptsz parameters { return name arguments; }

// Errors.

RUNTIME cudaError_t cdp2_GetLastError() { return (cudaError_t)ask(LAST_ERROR, {1}); }
RUNTIME cudaError_t cdp2_PeekAtLastError() { return (cudaError_t)ask(LAST_ERROR, {0}); }

static __device__ __noinline__ const char *error_words(cudaError_t code, bool text) {
#pragma unroll 1
    for (const ErrorWords &error : ERRORS) {
        if (error.code == code) return text ? error.text : error.name;
    }
    return "unrecognized error code";
}

RUNTIME const char *cdp2_GetErrorName(cudaError_t error) { return error_words(error, false); }
RUNTIME const char *cdp2_GetErrorString(cudaError_t error) { return error_words(error, true); }

// Launches. The words of a launch lie in front of its parameters.

struct Prepared {
    Words words;
    // The parameters follow.
};

static __device__ Prepared *room(word bytes) {
    Prepared *made = (Prepared *)malloc(sizeof(Prepared) + bytes);
    if (made == nullptr) fail(cudaErrorMemoryAllocation);
    return made;
}

static __device__ void describe(Words &words, void *kernel, dim3 grid, dim3 block, unsigned shared) {
    words = {(word)kernel,
             grid.x | (word)grid.y << 32,
             grid.z | (word)block.x << 32,
             block.y | (word)block.z << 32,
             shared};
}

RUNTIME void *cdp2_GetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared) {
    Words words;
    describe(words, kernel, grid, block, shared);
    word bytes = ask(PREPARE, words);
    // As on a device, a missing kernel is an access to missing memory.
    if (bytes == FAILED && cdp2_PeekAtLastError() == cudaErrorInvalidDeviceFunction) *(volatile char *)kernel;
    Prepared *made = bytes != FAILED ? room(bytes) : nullptr;
    if (made == nullptr) return nullptr;
    made->words = words;
    return made + 1;
}

RUNTIME __noinline__ cudaError_t cdp2_LaunchDeviceV2(void *parameters, cudaStream_t stream) {
    Prepared *made = (Prepared *)parameters - 1;
    made->words.at[5] = (word)parameters;
    made->words.at[6] = (word)stream;
    cudaError_t error = (cudaError_t)ask(LAUNCH, made->words);
    free(made);
    return error;
}
BOTH(cdp2_LaunchDeviceV2, (void *parameters, cudaStream_t stream), (parameters, stream))

RUNTIME void *cdp2_GetParameterBuffer(size_t alignment, size_t bytes) {
    Prepared *made = room(bytes);
    return made ? made + 1 : nullptr;
}

RUNTIME __noinline__ cudaError_t cdp2_LaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block, unsigned shared,
                                           cudaStream_t stream) {
    Prepared *made = (Prepared *)parameters - 1;
    describe(made->words, kernel, grid, block, shared);
    if (ask(PREPARE, made->words) == FAILED) {
        free(made);
        return cdp2_PeekAtLastError();
    }
    return cdp2_LaunchDeviceV2(parameters, stream);
}
BOTH(cdp2_LaunchDevice,
     (void *kernel, void *parameters, dim3 grid, dim3 block, unsigned shared, cudaStream_t stream),
     (kernel, parameters, grid, block, shared, stream))

// Streams and events. All work is done in the order in which the threads of a block ask for it, which is more than
// events and streams demand.

RUNTIME cudaError_t cdp2_StreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return fail(cudaErrorInvalidValue);
    *stream = (cudaStream_t)ask(CREATE_STREAM, {});
    return cudaSuccess;
}
RUNTIME cudaError_t cdp2_StreamDestroy(cudaStream_t stream) {
    return (cudaError_t)ask(DESTROY_STREAM, {(word)stream});
}
RUNTIME __noinline__ cudaError_t cdp2_StreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return (cudaError_t)ask(FIND_EVENT, {(word)event, (word)stream});
}
BOTH(cdp2_StreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
RUNTIME cudaError_t cdp2_EventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    if (event == nullptr || flags != cudaEventDisableTiming) return fail(cudaErrorInvalidValue);
    *event = (cudaEvent_t)ask(CREATE_EVENT, {});
    return cudaSuccess;
}
RUNTIME __noinline__ cudaError_t cdp2_EventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    if (stream == cudaStreamFireAndForget || stream == cudaStreamTailLaunch) return fail(cudaErrorInvalidValue);
    return (cudaError_t)ask(FIND_EVENT, {(word)event, (word)stream});
}
BOTH(cdp2_EventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), (event, stream, flags))
RUNTIME cudaError_t cdp2_EventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cdp2_EventRecordWithFlags(event, stream, 0);
}
BOTH(cdp2_EventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
RUNTIME cudaError_t cdp2_EventDestroy(cudaEvent_t event) { return (cudaError_t)ask(FIND_EVENT, {(word)event}); }

// Memory.

RUNTIME cudaError_t cdp2_Malloc(void **to, size_t bytes) {
    if (to == nullptr || bytes == 0) return fail(cudaErrorInvalidValue);
    void *made = malloc(bytes);
    if (made == nullptr) return fail(cudaErrorMemoryAllocation);
    *to = made;
    return cudaSuccess;
}
RUNTIME cudaError_t cdp2_Free(void *address) {
    free(address);
    return cudaSuccess;
}

static __device__ __noinline__ cudaError_t copy(void *to, size_t to_pitch, size_t to_rows, const void *from, size_t from_pitch,
                                   size_t from_rows, cudaExtent extent, int kind, cudaStream_t stream) {
    if (kind != DEVICE_TO_DEVICE && kind != DEFAULT) return fail(cudaErrorInvalidMemcpyDirection);
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
    if (!is_global(to) || !is_global(from)) return fail(cudaErrorInvalidValue);
    bool tall = extent.height > 1 || extent.depth > 1;
    if (tall && (to_pitch < extent.width || from_pitch < extent.width)) return fail(cudaErrorInvalidPitchValue);
    return (cudaError_t)ask(COPY, {(word)stream, (word)to, to_pitch, to_rows, (word)from, from_pitch, from_rows,
                                   extent.width, extent.height, extent.depth});
}

RUNTIME cudaError_t cdp2_MemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t stream) {
    return copy(to, 0, 0, from, 0, 0, {bytes, 1, 1}, kind, stream);
}
BOTH(cdp2_MemcpyAsync, (void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream))
RUNTIME cudaError_t cdp2_Memcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy(to, to_pitch, 0, from, from_pitch, 0, {width, height, 1}, kind, stream);
}
BOTH(cdp2_Memcpy2DAsync,
     (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind,
      cudaStream_t stream),
     (to, to_pitch, from, from_pitch, width, height, kind, stream))
static __device__ char *corner(const cudaPitchedPtr &at, const cudaPos &pos) {
    return (char *)at.ptr + (pos.z * at.ysize + pos.y) * at.pitch + pos.x;
}
RUNTIME __noinline__ cudaError_t cdp2_Memcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
    if (p == nullptr || p->srcArray || p->dstArray) return fail(cudaErrorInvalidValue);
    const cudaPitchedPtr &to = p->dstPtr, &from = p->srcPtr;
    return copy(corner(to, p->dstPos), to.pitch, to.ysize, corner(from, p->srcPos), from.pitch, from.ysize, p->extent, p->kind, stream);
}
BOTH(cdp2_Memcpy3DAsync, (const cudaMemcpy3DParms *p, cudaStream_t stream), (p, stream))

static __device__ __noinline__ cudaError_t fill(void *to, size_t pitch, size_t rows, int value, cudaExtent extent,
                                   cudaStream_t stream) {
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
    bool tall = extent.height > 1 || extent.depth > 1;
    if (!is_global(to) || (tall && pitch < extent.width)) return fail(cudaErrorInvalidValue);
    return (cudaError_t)ask(FILL, {(word)stream, (word)to, pitch, rows, (word)(unsigned char)value, extent.width,
                                   extent.height, extent.depth});
}

RUNTIME cudaError_t cdp2_MemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    return fill(to, 0, 0, value, {bytes, 1, 1}, stream);
}
BOTH(cdp2_MemsetAsync, (void *to, int value, size_t bytes, cudaStream_t stream), (to, value, bytes, stream))
RUNTIME cudaError_t cdp2_Memset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                            cudaStream_t stream) {
    return fill(to, pitch, 0, value, {width, height, 1}, stream);
}
BOTH(cdp2_Memset2DAsync,
     (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
     (to, pitch, value, width, height, stream))
RUNTIME cudaError_t cdp2_Memset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    return fill(to.ptr, to.pitch, to.ysize, value, extent, stream);
}
BOTH(cdp2_Memset3DAsync, (cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream),
     (to, value, extent, stream))

// Questions.

RUNTIME cudaError_t cdp2_GetDevice(int *device) {
    if (device == nullptr) return fail(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}
RUNTIME cudaError_t cdp2_GetDeviceCount(int *count) {
    if (count == nullptr) return fail(cudaErrorInvalidValue);
    *count = 1;
    return cudaSuccess;
}
RUNTIME cudaError_t cdp2_DeviceGetAttribute(int *value, cudaDeviceAttr which, int device) {
    if (value == nullptr) return fail(cudaErrorInvalidValue);
    if (device != 0) return fail(cudaErrorInvalidDevice);
    return answer(ask(DEVICE_ATTRIBUTE, {(word)which}), value);
}
RUNTIME cudaError_t cdp2_DeviceGetLimit(size_t *value, cudaLimit which) {
    if (value == nullptr) return fail(cudaErrorInvalidValue);
    return answer(ask(LIMIT, {(word)which}), value);
}
RUNTIME cudaError_t cdp2_DeviceGetCacheConfig(cudaFuncCache *value) {
    if (value == nullptr) return fail(cudaErrorInvalidValue);
    *value = cudaFuncCachePreferNone;
    return cudaSuccess;
}
RUNTIME cudaError_t cdp2_DeviceGetSharedMemConfig(cudaSharedMemConfig *value) {
    if (value == nullptr) return fail(cudaErrorInvalidValue);
    *value = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}
RUNTIME cudaError_t cdp2_RuntimeGetVersion(int *version) {
    if (version == nullptr) return fail(cudaErrorInvalidValue);
    *version = VERSION;
    return cudaSuccess;
}
RUNTIME cudaError_t cdp2_FuncGetAttributes(cudaFuncAttributes *to, const void *kernel) {
    if (to == nullptr) return fail(cudaErrorInvalidValue);
    // As the driver numbers them.
    unsigned value[10];
    for (int i = 0; i < 10; i++) {
        cudaError_t error = answer(ask(FUNCTION_ATTRIBUTE, {(word)kernel, (word)i}), &value[i]);
        if (error != cudaSuccess) return error;
    }
    to->maxThreadsPerBlock = value[0];
    to->sharedSizeBytes = value[1];
    to->constSizeBytes = value[2];
    to->localSizeBytes = value[3];
    to->numRegs = value[4];
    to->ptxVersion = value[5];
    to->binaryVersion = value[6];
    to->cacheModeCA = value[7];
    to->maxDynamicSharedSizeBytes = value[8];
    to->preferredShmemCarveout = value[9];
    return cudaSuccess;
}
RUNTIME __noinline__ cudaError_t cdp2_OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                                 int threads, size_t shared, unsigned) {
    if (blocks == nullptr || threads <= 0) return fail(cudaErrorInvalidValue);
    return answer(ask(OCCUPANCY, {(word)kernel, (word)threads, shared}), blocks);
}
RUNTIME cudaError_t cdp2_OccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                                        size_t shared) {
    return cdp2_OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, shared, 0);
}

// Conditional nodes of graphs: a condition's handle is the address of its value.
RUNTIME void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) { *(unsigned *)handle = value; }

// Grid groups, for compilers other than nvcc: numba's `cuda.cg.this_grid()`. A handle says whether the launch is cooperative.
static const word GRID = 1;

RUNTIME word cudaCGGetIntrinsicHandle(cudaCGScope scope) {
    return scope == cudaCGScopeGrid && cooperative_groups::this_grid().is_valid() ? GRID : 0;
}
RUNTIME cudaError_t cudaCGSynchronize(word handle, unsigned flags) {
    if (handle != GRID || flags != 0) return fail(cudaErrorInvalidValue);
    cooperative_groups::this_grid().sync();
    return cudaSuccess;
}
RUNTIME cudaError_t cudaCGSynchronizeGrid(word handle, unsigned flags) { return cudaCGSynchronize(handle, flags); }
RUNTIME cudaError_t cudaCGGetSize(unsigned *threads, unsigned *grids, word handle) {
    if (handle != GRID || threads == nullptr) return fail(cudaErrorInvalidValue);
    *threads = cooperative_groups::this_grid().size();
    if (grids != nullptr) *grids = 1;
    return cudaSuccess;
}
RUNTIME cudaError_t cudaCGGetRank(unsigned *thread, unsigned *grid, word handle) {
    if (handle != GRID || thread == nullptr) return fail(cudaErrorInvalidValue);
    *thread = cooperative_groups::this_grid().thread_rank();
    if (grid != nullptr) *grid = 0;
    return cudaSuccess;
}
