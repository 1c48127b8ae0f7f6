// launch: load<<<1, 4>>>(x: f32[16] = raw)
// launch: load4<<<1, 4>>>(x, y: f32[4])
// Three of each four floats are set.
extern "C" __global__ void load(float* x) {
    for (int k = 0; k < 3; k++) x[threadIdx.x * 4 + k] = k;
}
extern "C" __global__ void load4(const float4* x, float* y) {
    float4 v = x[threadIdx.x];
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
