// Many threads of the host: each has a context at once, an error of its own, and, as this is compiled for it, a default
// stream of its own.
// nvcc: --default-stream per-thread
#include "common.cuh"
#include <thread>
#include <vector>

__global__ void add(int *p, int value) {
    atomicAdd(p, value);
}

int main() {
    int *p;
    OK(cudaMalloc(&p, 8 * sizeof *p));
    OK(cudaMemset(p, 0, 8 * sizeof *p));
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back([=] {
            for (int i = 0; i < 20; i++) add<<<1, 32>>>(p + t, t);
            OK(cudaStreamSynchronize(0));
            int host = 0;
            OK(cudaMemcpy(&host, p + t, sizeof host, cudaMemcpyDeviceToHost));
            IS(host == 20 * 32 * t);
            if (t % 2) cudaSetDevice(999);
            IS(cudaGetLastError() == (t % 2 ? cudaErrorInvalidDevice : cudaSuccess));
        });
    for (auto &thread : threads) thread.join();
    IS(cudaGetLastError() == cudaSuccess);
    OK(cudaFree(p));
    puts("threads are right");
}
