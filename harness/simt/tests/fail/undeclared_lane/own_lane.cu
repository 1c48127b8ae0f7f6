// launch: vote<<<1, 32>>>(x: i32[32] = index, y: u32[32])
// All lanes vote, the mask names the lower half.
extern "C" __global__ void vote(const int* x, unsigned* y) {
    y[threadIdx.x] = __ballot_sync(0x0000ffffu, x[threadIdx.x] > 3);
}
