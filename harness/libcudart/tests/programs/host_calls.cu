// Functions of the host in streams: their order with kernels and copies, and what reaches them.
#include "common.cuh"
#include <atomic>
#include <thread>
#include <vector>

__global__ void scale(int *p, int by) {
    p[threadIdx.x] *= by;
}

struct Check {
    const int *seen;
    int expected;
    std::atomic<int> *calls;
    bool is_right;
};

static void CUDART_CB look(void *data) {
    Check *check = (Check *)data;
    check->is_right = check->seen[31] == check->expected;
    ++*check->calls;
}

static void CUDART_CB status(cudaStream_t, cudaError_t status, void *data) {
    *(cudaError_t *)data = status;
}

int main() {
    int *p, *host;
    OK(cudaMalloc(&p, 32 * sizeof(int)));
    OK(cudaMallocHost(&host, 32 * sizeof(int)));
    for (int i = 0; i < 32; i++) host[i] = i;
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMemcpyAsync(p, host, 32 * sizeof(int), cudaMemcpyHostToDevice, stream));
    // Each function sees what the copy before it brought, and not what comes later.
    std::atomic<int> calls{0};
    std::vector<Check> checks(5);
    int expected = 31;
    for (auto &check : checks) {
        scale<<<1, 32, 0, stream>>>(p, 2);
        OK(cudaMemcpyAsync(host, p, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream));
        expected *= 2;
        check = {host, expected, &calls, false};
        OK(cudaLaunchHostFunc(stream, look, &check));
    }
    cudaError_t told = cudaErrorUnknown;
    OK(cudaStreamAddCallback(stream, status, &told, 0));
    OK(cudaStreamSynchronize(stream));
    IS(calls == 5 && told == cudaSuccess);
    for (auto &check : checks) IS(check.is_right);

    // From several threads of the host into one stream.
    std::vector<std::thread> threads;
    std::vector<Check> more(8, Check{host, expected, &calls, false});
    for (auto &check : more)
        threads.emplace_back([&] { OK(cudaLaunchHostFunc(stream, look, &check)); });
    for (auto &thread : threads) thread.join();
    OK(cudaDeviceSynchronize());
    IS(calls == 13);
    IS(CODE(cudaLaunchHostFunc(stream, nullptr, nullptr)) == cudaErrorInvalidValue);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(p));
    OK(cudaFreeHost(host));
    puts("functions of the host are right");
}
