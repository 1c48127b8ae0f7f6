// launch: scatter<<<1, 32>>>(x: i32[32], 1000000)
// A stride in rows is used as one in elements.
extern "C" __global__ void scatter(int* x, int stride) {
    x[threadIdx.x * stride] = 1;
}
