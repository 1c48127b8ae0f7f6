// launch: sum<<<1, 32>>>(out: f32[32], 9)
// What has not been written goes through a loop and a copy in local memory before something depends on it.
extern "C" __global__ void sum(float* out, int n) {
    __shared__ float s[32];
    volatile float kept[2];
    int t = threadIdx.x;
    if (t < n) s[t] = t;
    __syncwarp();
    float x = s[t];
    for (int k = 0; k < t % 3; k++) x += 1;
    kept[t & 1] = x;
    float y = kept[t & 1];
    out[t] = y * 2;
}
