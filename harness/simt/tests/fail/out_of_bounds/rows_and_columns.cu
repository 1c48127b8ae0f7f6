// launch: transpose<<<(1,1), (16,8)>>>(in: i32[128] = index, out: i32[128], 16, 8)
// The output's rows are as long as the input's columns; here the two are swapped.
extern "C" __global__ void transpose(const int* in, int* out, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    out[x * width + y] = in[y * width + x];
}
