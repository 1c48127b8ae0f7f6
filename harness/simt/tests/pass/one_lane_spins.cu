// launch: wait<<<2, 64>>>(flag: i32[1], y: i32[128])
// One thread waits for another block, the rest of its warp for that thread at the barrier.
extern "C" __global__ void wait(int* flag, int* y) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) atomicExch(flag, 1);
        else while (atomicAdd(flag, 0) == 0) {}
    }
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = 1;
}
