// Which devices there are, how they are chosen and found, what they may do with one another, and their limits.
#include "common.cuh"
#include <cstring>

int main() {
    int count = 0;
    OK(cudaGetDeviceCount(&count));
    IS(count >= 1);
    cudaDeviceProp prop;
    OK(cudaGetDeviceProperties(&prop, 0));
    int chosen = -1;
    OK(cudaChooseDevice(&chosen, &prop));
    IS(chosen >= 0 && chosen < count);
    int order[] = {0};
    OK(cudaSetValidDevices(order, 1));
    OK(cudaInitDevice(0, 0, 0));
    OK(cudaSetDevice(0));

    char bus[32];
    OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    int found = -1;
    OK(cudaDeviceGetByPCIBusId(&found, bus));
    IS(found == 0 && strlen(bus) >= 10);
    IS(CODE(cudaDeviceGetByPCIBusId(&found, "no:such.device")) != cudaSuccess);

    // A device is not its own peer.
    int can = -1;
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    IS(can == 0);
    IS(CODE(cudaDeviceEnablePeerAccess(0, 0)) != cudaSuccess);
    IS(CODE(cudaDeviceDisablePeerAccess(0)) != cudaSuccess);
    int *a, *b, host = 0, seven = 7;
    OK(cudaMalloc(&a, sizeof *a));
    OK(cudaMalloc(&b, sizeof *b));
    OK(cudaMemcpy(a, &seven, sizeof *a, cudaMemcpyHostToDevice));
    OK(cudaMemcpyPeer(b, 0, a, 0, sizeof *a));
    OK(cudaMemcpyPeerAsync(a, 0, b, 0, sizeof *a, 0));
    OK(cudaMemcpy(&host, a, sizeof host, cudaMemcpyDeviceToHost));
    IS(host == 7);

    // Limits: what is set is what is there, or more.
    size_t before, now;
    OK(cudaDeviceGetLimit(&before, cudaLimitStackSize));
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    OK(cudaDeviceGetLimit(&now, cudaLimitStackSize));
    IS(before > 0 && now >= 8192);
    OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    OK(cudaDeviceGetLimit(&now, cudaLimitPrintfFifoSize));
    IS(now >= 2 << 20);
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    OK(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize));
    IS(now >= 16 << 20);
    IS(CODE(cudaDeviceGetLimit(&now, (cudaLimit)99)) != cudaSuccess);
    cudaFuncCache cache;
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaDeviceGetCacheConfig(&cache));
    unsigned flags;
    OK(cudaGetDeviceFlags(&flags));
    IS(flags & cudaDeviceMapHost);
    int least, greatest;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    IS(least == 0 && greatest < 0);
    IS(CODE(cudaSetDevice(-1)) == cudaErrorInvalidDevice);
    IS(CODE(cudaGetDeviceProperties(&prop, count)) == cudaErrorInvalidDevice);
    IS(CODE(cudaDeviceGetAttribute(&can, (cudaDeviceAttr)9999, 0)) == cudaErrorInvalidValue);
    OK(cudaFree(a));
    OK(cudaFree(b));
    puts("devices are right");
}
