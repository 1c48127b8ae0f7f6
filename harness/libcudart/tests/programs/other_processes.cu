// Memory and events that two processes share: the program starts itself once more, as the CUDA samples' simpleIPC and
// memMapIPCDrv do.
// nvcc: -lcuda
#include "common.cuh"
#include <cuda.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#define DRIVER_OK(call) IS((call) == CUDA_SUCCESS)

__global__ void add(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += value;
}

static const int N = 1000;
static const size_t CHUNK = 2 << 20;

// What the first process sends to the second.
struct Told {
    cudaIpcMemHandle_t memory, inside;
    cudaIpcEventHandle_t event;
    cudaMemPoolPtrExportData pointer;
    int chunk, pool;
};

static void add_to(int *p, int value) {
    add<<<(N + 127) / 128, 128>>>(p, N, value);
    OK(cudaDeviceSynchronize());
}

static int second(int from) {
    Told told;
    IS(read(from, &told, sizeof told) == sizeof told);
    // Memory of cudaMalloc, from its beginning, however the handle was asked for; once, however often it is opened.
    int *p, *again, host[2];
    OK(cudaIpcOpenMemHandle((void **)&p, told.memory, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&again, told.inside, cudaIpcMemLazyEnablePeerAccess));
    IS(p == again);
    OK(cudaMemcpy(host, p + N - 2, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 42 && host[1] == 42);
    cudaEvent_t event;
    OK(cudaIpcOpenEventHandle(&event, told.event));
    OK(cudaStreamWaitEvent(0, event, 0));
    add_to(p, 1);
    OK(cudaEventRecord(event, 0));
    OK(cudaEventSynchronize(event));
    OK(cudaEventDestroy(event));
    IS(CODE(cudaFree(p)) == cudaErrorInvalidValue);
    cudaIpcMemHandle_t own;
    IS(CODE(cudaIpcGetMemHandle(&own, p)) == cudaErrorInvalidValue);
    OK(cudaIpcCloseMemHandle(p));
    OK(cudaIpcCloseMemHandle(p));
    // Physical memory, by a file descriptor.
    CUmemGenericAllocationHandle chunk;
    CUmemAllocationHandleType kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    DRIVER_OK(cuMemImportFromShareableHandle(&chunk, (void *)(intptr_t)told.chunk, kind));
    CUdeviceptr at;
    DRIVER_OK(cuMemAddressReserve(&at, CHUNK, 0, 0, 0));
    DRIVER_OK(cuMemMap(at, CHUNK, 0, chunk, 0));
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    DRIVER_OK(cuMemSetAccess(at, CHUNK, &access, 1));
    add_to((int *)at, 2);
    DRIVER_OK(cuMemUnmap(at, CHUNK));
    DRIVER_OK(cuMemRelease(chunk));
    DRIVER_OK(cuMemAddressFree(at, CHUNK));
    // Memory of a pool: the pool first, then the pointer.
    cudaMemPool_t pool;
    OK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)told.pool, cudaMemHandleTypePosixFileDescriptor, 0));
    OK(cudaMemPoolImportPointer((void **)&p, pool, &told.pointer));
    add_to(p, 3);
    IS(CODE(cudaMallocFromPoolAsync(&again, 64, pool, 0)) == cudaErrorInvalidValue);
    OK(cudaFreeAsync(p, 0));
    OK(cudaStreamSynchronize(0));
    return 0;
}

int main(int count, char **arguments) {
    if (count > 1) return second(atoi(arguments[1]));
    Told told;
    int *p, *q, host[N];
    OK(cudaMalloc(&p, N * sizeof(int)));
    for (int &value : host) value = 42;
    OK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaIpcGetMemHandle(&told.memory, p));
    OK(cudaIpcGetMemHandle(&told.inside, p + 100));
    int *own;
    IS(CODE(cudaIpcOpenMemHandle((void **)&own, told.memory, cudaIpcMemLazyEnablePeerAccess)) == cudaErrorDeviceUninitialized);
    IS(CODE(cudaIpcCloseMemHandle(p)) == cudaErrorInvalidValue);
    // The memory is where it was, with what it held.
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 42 && host[N - 1] == 42);
    cudaEvent_t event;
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaIpcGetEventHandle(&told.event, event));
    OK(cudaEventRecord(event, 0));

    CUmemAllocationProp props = {};
    props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    props.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemGenericAllocationHandle chunk;
    DRIVER_OK(cuMemCreate(&chunk, CHUNK, &props, 0));
    DRIVER_OK(cuMemExportToShareableHandle(&told.chunk, chunk, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CUdeviceptr at;
    DRIVER_OK(cuMemAddressReserve(&at, CHUNK, 0, 0, 0));
    DRIVER_OK(cuMemMap(at, CHUNK, 0, chunk, 0));
    CUmemAccessDesc access = {props.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    DRIVER_OK(cuMemSetAccess(at, CHUNK, &access, 1));
    OK(cudaMemcpy((void *)at, host, sizeof host, cudaMemcpyHostToDevice));

    cudaMemPoolProps of_pool = {};
    of_pool.allocType = cudaMemAllocationTypePinned;
    of_pool.location = {cudaMemLocationTypeDevice, 0};
    of_pool.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    cudaMemPool_t pool;
    OK(cudaMemPoolCreate(&pool, &of_pool));
    OK(cudaMemPoolExportToShareableHandle(&told.pool, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    OK(cudaMallocFromPoolAsync(&q, N * sizeof(int), pool, 0));
    OK(cudaMemcpyAsync(q, host, sizeof host, cudaMemcpyHostToDevice, 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaMemPoolExportPointer(&told.pointer, q));

    int ends[2], status = -1;
    IS(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        // It inherits the descriptors by their numbers.
        std::string from = std::to_string(dup(ends[0])), self = arguments[0];
        told.chunk = dup(told.chunk);
        told.pool = dup(told.pool);
        IS(write(ends[1], &told, sizeof told) == sizeof told);
        execl(self.c_str(), self.c_str(), from.c_str(), (char *)nullptr);
        _exit(9);
    }
    IS(child > 0 && waitpid(child, &status, 0) == child && status == 0);

    OK(cudaStreamWaitEvent(0, event, 0));
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 43 && host[N - 1] == 43);
    OK(cudaMemcpy(host, (void *)at, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 44 && host[N - 1] == 44);
    OK(cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 45 && host[N - 1] == 45);
    OK(cudaFree(p));
    OK(cudaFreeAsync(q, 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaEventDestroy(event));
    DRIVER_OK(cuMemUnmap(at, CHUNK));
    DRIVER_OK(cuMemRelease(chunk));
    DRIVER_OK(cuMemAddressFree(at, CHUNK));
    puts("two processes are right");
}
