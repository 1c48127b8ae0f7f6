// launch: work<<<1, 64>>>(next: i32[1], y: i32[20])
// The next item may be fetched while another warp has not read this one yet.
extern "C" __global__ void work(int* next, int* y) {
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0) item = atomicAdd(next, 1);
        __syncthreads();
        int mine = item;
        if (mine >= 20) return;
        if (threadIdx.x == 5) y[mine] = mine * mine;
    }
}
