// launch: rotate<<<1, 128>>>(x: i32[128] = index)
// The race is in global memory, between warps of one block.
extern "C" __global__ void rotate(int* x) {
    int t = threadIdx.x;
    x[t] = x[(t + 32) % 128];
}
