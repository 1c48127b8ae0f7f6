// launch: fill<<<1, 2>>>(y: f32[2])
// Six floats are one and a half float4: the second store begins inside and ends in the next array.
extern "C" __global__ void fill(float* y) {
    __shared__ alignas(16) float a[6];
    __shared__ float b[8];
    int t = threadIdx.x;
    for (int k = t; k < 8; k += 2) b[k] = 1;
    __syncwarp();
    reinterpret_cast<float4*>(a)[t] = make_float4(2, 2, 2, 2);
    __syncwarp();
    y[t] = a[t] + b[t + 3];
}
