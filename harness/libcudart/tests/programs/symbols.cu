// Variables of the device: global, constant and managed, by symbol and by address.
#include "common.cuh"

__device__ int counter = 5;
__device__ float table[16];
__constant__ float weights[4];
__managed__ int shared_number = 7;
__managed__ double shared_table[8];

__global__ void use() {
    atomicAdd(&counter, 1);
    table[threadIdx.x] = weights[threadIdx.x % 4] * threadIdx.x;
    if (threadIdx.x < 8) shared_table[threadIdx.x] = shared_number + threadIdx.x;
}

int main() {
    IS(shared_number == 7);
    shared_number = 100;
    float host[4] = {1, 2, 3, 4}, all[16];
    OK(cudaMemcpyToSymbol(weights, host, sizeof host));
    use<<<1, 16>>>();
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++) IS(shared_table[i] == 100 + i);
    OK(cudaMemcpyFromSymbol(all, table, sizeof all));
    for (int i = 0; i < 16; i++) IS(all[i] == (i % 4 + 1) * i);
    int n = 0;
    OK(cudaMemcpyFromSymbol(&n, counter, sizeof n, 0, cudaMemcpyDeviceToHost));
    IS(n == 21);
    float third = 0;
    OK(cudaMemcpyFromSymbol(&third, table, sizeof third, 3 * sizeof third));
    IS(third == 12);
    void *address;
    size_t size;
    OK(cudaGetSymbolAddress(&address, table));
    OK(cudaGetSymbolSize(&size, table));
    IS(size == sizeof all);
    OK(cudaMemset(address, 0, size));
    OK(cudaMemcpyFromSymbol(all, table, sizeof all));
    IS(all[15] == 0);
    IS(CODE(cudaMemcpyToSymbol(weights, host, 8, 12)) == cudaErrorInvalidValue);
    IS(CODE(cudaMemcpyToSymbol(weights, host, 4, 0, cudaMemcpyDeviceToHost)) == cudaErrorInvalidMemcpyDirection);
    IS(CODE(cudaGetSymbolAddress(&address, (const void *)host)) == cudaErrorInvalidSymbol);
    puts("symbols are right");
}
