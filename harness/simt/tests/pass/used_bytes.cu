// launch: grown<<<1, 32>>>(out: f32[32], x: f32[32] = index)
// A structure with padding goes to a function and back: its code loads the padding, too, and does not use it.
struct In {
    short k[3];
    float w;
};
struct Out {
    In a;
    long long n;
};
__device__ __noinline__ Out grow(Out o, int t) {
    o.a.k[t % 3] += t;
    o.n += t;
    return o;
}
extern "C" __global__ void grown(float* out, const float* x) {
    Out o;
    for (int k = 0; k < 3; k++) o.a.k[k] = k;
    o.a.w = x[threadIdx.x];
    o.n = 3;
    o = grow(o, threadIdx.x);
    out[threadIdx.x] = o.a.w + o.a.k[1] + o.n;
}
