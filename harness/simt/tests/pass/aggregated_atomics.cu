// launch: keep<<<4, 64>>>(x: i32[256] = index, n: i32[1])
// One lane counts for all lanes that take part.
extern "C" __global__ void keep(const int* x, int* n) {
    int v = x[blockIdx.x * 64 + threadIdx.x];
    unsigned take = __ballot_sync(0xffffffffu, v % 3 == 0);
    if (threadIdx.x % 32 == 0) atomicAdd(n, __popc(take));
}
