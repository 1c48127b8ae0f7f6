// launch: work<<<3, 64>>>(next: i32[1], y: i32[20])
// Blocks fetch work until there is none.
extern "C" __global__ void work(int* next, int* y) {
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0) item = atomicAdd(next, 1);
        __syncthreads();
        int mine = item;
        if (mine >= 20) return;
        if (threadIdx.x == 5) y[mine] = mine * mine;
        __syncthreads();
    }
}
