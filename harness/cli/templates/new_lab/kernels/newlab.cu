// z = a x + y, a thread for each element.
//
//   1  guarded     a thread past the end does nothing
//   2  off-by-one  like 1, but the first thread past the end works too
//
// Every kernel takes (a, x, y, z, n): x, y and z hold n floats each, and the grid has n threads at least.
//
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.

// ---- 1
extern "C" __global__ void guarded(float a, const float* x, const float* y, float* z, size_t n) {
    // [part guarded] Let each thread store one element of z = a x + y. The last block may have more threads than there
    // are elements left.
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + y[i];
    // [end]
}

// [not handed out]
// ---- 2
extern "C" __global__ void off_by_one(float a, const float* x, const float* y, float* z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) z[i] = a * x[i] + y[i];
}
// [end]
