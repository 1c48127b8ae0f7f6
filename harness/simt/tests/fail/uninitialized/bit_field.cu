// launch: fields<<<1, 32>>>(out: u32[32], 1)
// Of two fields of a word in local memory one is read that has never been set.
struct Bits {
    unsigned a : 3, b : 29;
};
extern "C" __global__ void fields(unsigned* out, int step) {
    volatile Bits x[2];
    int i = threadIdx.x & step;
    x[i].a = threadIdx.x;
    out[threadIdx.x] = x[i].a + x[i].b;
}
