// launch: transpose<<<(1,1), (16,8)>>>(in: i32[128] = index, out: i32[128], 16, 8)
extern "C" __global__ void transpose(const int* in, int* out, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    out[x * height + y] = in[y * width + x];
}
