// launch: place<<<4, 1>>>(next: i32[1], x: i32[4])
// with: seed=1 hidden
// The kernel assumes that blocks start in the order of their numbers.
extern "C" __global__ void place(int* next, int* x) {
    int mine = atomicAdd(next, 1), b = blockIdx.x;
    x[mine == b ? b : b + 4] = b;
}
