// Vectors on the device, by plain, asynchronous and page-locked copies, with events around them.
#include "common.cuh"

__global__ void add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

int main() {
    const int n = 10000;
    const size_t bytes = n * sizeof(float);
    float *x, *y, *z, *dx, *dy, *dz;
    OK(cudaMallocHost(&x, bytes));
    OK(cudaHostAlloc(&y, bytes, cudaHostAllocDefault));
    z = (float *)malloc(bytes);
    for (int i = 0; i < n; i++) x[i] = i, y[i] = 2 * i;
    OK(cudaMalloc(&dx, bytes));
    OK(cudaMalloc(&dy, bytes));
    OK(cudaMalloc(&dz, bytes));
    cudaStream_t stream;
    cudaEvent_t start, end;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(start, stream));
    OK(cudaMemcpyAsync(dx, x, bytes, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyAsync(dy, y, bytes, cudaMemcpyDefault, stream));
    add<<<(n + 255) / 256, 256, 0, stream>>>(dx, dy, dz, n);
    OK(cudaGetLastError());
    OK(cudaEventRecord(end, stream));
    OK(cudaEventSynchronize(end));
    OK(cudaEventQuery(end));
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, start, end));
    IS(ms >= 0);
    OK(cudaMemcpy(z, dz, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) IS(z[i] == 3.0f * i);
    OK(cudaMemcpy(dx, dz, bytes, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(x, dx, bytes, cudaMemcpyDefault));
    IS(x[n - 1] == 3.0f * (n - 1));
    OK(cudaMemset(dz, 0, bytes));
    OK(cudaMemcpy(z, dz, bytes, cudaMemcpyDeviceToHost));
    IS(z[0] == 0 && z[n - 1] == 0);
    OK(cudaMemcpy(z, x, bytes, cudaMemcpyHostToHost));
    IS(z[1] == 3);
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamQuery(stream));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(end));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(dx));
    OK(cudaFree(dy));
    OK(cudaFree(dz));
    OK(cudaFree(nullptr));
    OK(cudaFreeHost(x));
    OK(cudaFreeHost(y));
    free(z);
    puts("vectors are right");
}
