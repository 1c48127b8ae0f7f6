// launch: copy<<<1, 32>>>(x: f32[126] = index, y: f32[126], 126)
// 126 floats are 31 and a half float4.
extern "C" __global__ void copy(const float4* x, float4* y, int n) {
    int i = threadIdx.x;
    if (i * 4 < n) y[i] = x[i];
}
