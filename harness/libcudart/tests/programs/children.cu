// Kernels that launch kernels: recursion, streams, events, copies and fills of kernels, tail launches, and the order of
// it all; parameters of several types, kernels by pointers, and what the host sees at the end.
// nvcc: -rdc=true -lcudadevrt
#include "common.cuh"

// What ran, in its order.
struct Log {
    int used, said[512];
};
__device__ Log events;

__device__ void say(int what) { events.said[atomicAdd(&events.used, 1)] = what; }

static void show(const char *title) {
    Log log;
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(&log, events, sizeof log));
    printf("%s:", title);
    for (int i = 0; i < log.used; i++) printf(" %d", log.said[i]);
    printf("\n");
    log.used = 0;
    OK(cudaMemcpyToSymbol(events, &log, sizeof log));
}

__global__ void note(int what) { say(what); }

// A tree: each kernel launches two, and one at its tail.
__global__ void tree(int node, int depth) {
    say(node);
    if (depth == 0) return;
    tree<<<1, 1>>>(2 * node, depth - 1);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(-node);
    tree<<<1, 1>>>(2 * node + 1, depth - 1);
}

// The threads of a block launch in its one default stream; a tail comes after all of them.
__global__ void threads() {
    if (threadIdx.x == 0) {
        note<<<1, 1, 0, cudaStreamTailLaunch>>>(99);
        note<<<1, 1, 0, cudaStreamTailLaunch>>>(100);
    }
    for (int i = 0; i < blockDim.x; i++) {
        if (threadIdx.x == i) note<<<1, 1>>>(i);
        __syncthreads();
    }
}

// Sorts in pieces: each kernel splits its piece and launches one kernel for either side, in a stream of its own.
__global__ void quicksort(unsigned *values, int left, int right) {
    if (right - left < 8) {
        for (int i = left + 1; i <= right; i++) {
            for (int j = i; j > left && values[j - 1] > values[j]; j--) {
                unsigned held = values[j];
                values[j] = values[j - 1];
                values[j - 1] = held;
            }
        }
        return;
    }
    unsigned pivot = values[(left + right) / 2];
    int l = left, r = right;
    while (l <= r) {
        while (values[l] < pivot) l++;
        while (values[r] > pivot) r--;
        if (l <= r) {
            unsigned held = values[l];
            values[l++] = values[r];
            values[r--] = held;
        }
    }
    cudaStream_t stream;
    if (left < r) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(values, left, r);
        cudaStreamDestroy(stream);
    }
    if (l < right) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(values, l, right);
        cudaStreamDestroy(stream);
    }
}

struct Mixed {
    char letter;
    double real;
    short list[3];
};

template <class T> __global__ void scale(T *to, const T *from, Mixed with, char c, int n, float2 add) {
    extern __shared__ double room[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    room[threadIdx.x] = with.real * with.list[2] + (with.letter == 'x' && c == 'y');
    __syncthreads();
    if (i < n) to[i] = from[i] * room[blockDim.x - 1 - threadIdx.x] + add.x - add.y;
}

// Copies, fills and kernels in one stream, the kernel by a pointer.
__global__ void work(float *a, float *b, int n) {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMemsetAsync(b, 0, n * sizeof *b, stream);
    cudaMemcpyAsync(b, a, n / 2 * sizeof *b, cudaMemcpyDeviceToDevice, stream);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(0, event, 0);
    Mixed mixed = {'x', 2.0, {1, 2, 3}};
    auto kernel = n > 1 ? scale<float> : nullptr;
    kernel<<<dim3((n + 63) / 64), dim3(64, 1, 1), 64 * sizeof(double), stream>>>(a, b, mixed, 'y', n, {3, 4});
    cudaMemset2DAsync(b, 8 * sizeof *b, 0, 4, n / 8, stream);
    cudaMemcpy2DAsync(b + 1, 8 * sizeof *b, a, 4 * sizeof *a, 8, n / 8, cudaMemcpyDeviceToDevice, stream);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    printf("asked for everything: %s\n", cudaGetErrorString(cudaGetLastError()));
}

__global__ void add(unsigned long long *sum, int value) { atomicAdd(sum, value); }

// Many blocks launch, each for itself.
__global__ void many(unsigned long long *sum) {
    add<<<threadIdx.x + 1, 2>>>(sum, blockIdx.x);
    if (cudaPeekAtLastError() != cudaSuccess) printf("a launch failed\n");
}

int main() {
    tree<<<1, 1>>>(1, 4);
    show("a tree, a node after its parent");
    threads<<<1, 8>>>();
    note<<<1, 1>>>(1000);
    show("threads in turn, then the tails, then the host's next kernel");

    const int n = 1000;
    static unsigned values[n];
    unsigned seed = 1, *sorted;
    for (unsigned &value : values) value = (seed = seed * 1664525 + 1013904223) >> 8;
    OK(cudaMalloc(&sorted, sizeof values));
    OK(cudaMemcpy(sorted, values, sizeof values, cudaMemcpyHostToDevice));
    quicksort<<<1, 1>>>(sorted, 0, n - 1);
    OK(cudaMemcpy(values, sorted, sizeof values, cudaMemcpyDeviceToHost));
    bool ascending = true;
    for (int i = 1; i < n; i++) ascending &= values[i - 1] <= values[i];
    printf("sorted: %s, from %u to %u\n", ascending ? "yes" : "no", values[0], values[n - 1]);

    const int m = 256;
    static float host[2 * m];
    float *a;
    for (int i = 0; i < m; i++) host[i] = i;
    OK(cudaMalloc(&a, sizeof host));
    OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    work<<<1, 1>>>(a, a + m, m);
    OK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    for (int i : {0, 1, 100, 127, 128, 255}) printf("a[%d] = %g\n", i, host[i]);
    for (int i = 0; i < 8; i++) printf("%g%c", host[m + 16 + i], i < 7 ? ' ' : '\n');

    unsigned long long *sum, total;
    OK(cudaMallocManaged(&sum, sizeof *sum));
    *sum = 0;
    many<<<100, 16>>>(sum);
    OK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDefault));
    printf("%llu added\n", total);
    OK(cudaFree(sum));
    OK(cudaFree(a));
    OK(cudaFree(sorted));
}
