// launch: clean<<<1, 1>>>(x: i32[4])
// The host has allocated it, and must free it.
extern "C" __global__ void clean(int* x) {
    x[0] = 1;
    free(x);
}
