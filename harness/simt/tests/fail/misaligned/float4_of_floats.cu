// launch: load<<<1, 8>>>(x: f32[64] = index, y: f32[64])
// A float4 must begin at a multiple of 16 bytes.
extern "C" __global__ void load(const float* x, float* y) {
    float4 v = *reinterpret_cast<const float4*>(x + threadIdx.x);
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
