// launch: both<<<1, 64>>>(lock: i32[1], y: i32[1])
// with: budget=100000
// A thread takes the lock and waits at the barrier; another waits for the lock before it.
extern "C" __global__ void both(int* lock, int* y) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        *y += 1;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicExch(lock, 0);
}
