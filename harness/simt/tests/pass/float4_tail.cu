// launch: copy<<<1, 32>>>(x: f32[126] = index, y: f32[126], 126)
extern "C" __global__ void copy(const float* x, float* y, int n) {
    int i = threadIdx.x;
    if (i * 4 + 3 < n) {
        reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[i];
    } else {
        for (int k = i * 4; k < n; k++) y[k] = x[k];
    }
}
