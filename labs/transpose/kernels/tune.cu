// Candidates for `vectorized`, to be measured: tile of TR x TC, threads, cache hints, order of tiles.
template <bool CS> __device__ inline float4 load4(const float* p) {
    if (CS) return __ldcs((const float4*)p);
    return *(const float4*)p;
}
template <bool CS> __device__ inline float load1(const float* p) {
    if (CS) return __ldcs(p);
    return *p;
}
template <bool CS> __device__ inline void store4(float* p, float4 v) {
    if (CS) __stcs((float4*)p, v);
    else *(float4*)p = v;
}
template <bool CS> __device__ inline void store1(float* p, float v) {
    if (CS) __stcs(p, v);
    else *p = v;
}
// ORDER 0: along the rows of in; 1: along the rows of out; 2: in groups of G tile rows.
template <int TR, int TC, int THREADS, bool LCS, bool SCS, int ORDER, int G>
__device__ inline void go(const float* __restrict__ in, float* __restrict__ out, unsigned m, unsigned n) {
    __shared__ float tile[TR * TC];
    unsigned across = (n + TC - 1) / TC, down = (m + TR - 1) / TR, bx, by;
    if (ORDER == 0) bx = blockIdx.x % across, by = blockIdx.x / across;
    else if (ORDER == 1) bx = blockIdx.x / down, by = blockIdx.x % down;
    else {
        unsigned per = G * across, g = blockIdx.x / per, in_g = blockIdx.x % per;
        unsigned height = down - g * G < G ? down - g * G : G;
        by = g * G + in_g % height, bx = in_g / height;
    }
    unsigned left = bx * TC, top = by * TR;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float* from = in + (size_t)top * n + left;
    float* to = out + (size_t)left * m + top;
    unsigned rows = m - top < TR ? m - top : TR, columns = n - left < TC ? n - left : TC;
    constexpr unsigned W = THREADS / 32, CH = TC / 32, RH = TR / 32;
    auto place = [](unsigned y, unsigned x) { return TC * y + (x ^ (y % 32)); };
    if (n % 4 == 0) {
        constexpr unsigned S = TR * TC / 128 / W;
        float4 v[S];
#pragma unroll
        for (unsigned k = 0; k < S; k++) {
            unsigned u = warp + W * k, y = u / CH * 4 + lane / 8, x = u % CH * 32 + lane % 8 * 4;
            if (y < rows && x < columns) v[k] = load4<LCS>(from + (size_t)y * n + x);
        }
#pragma unroll
        for (unsigned k = 0; k < S; k++) {
            unsigned u = warp + W * k, y = u / CH * 4 + lane / 8, x = u % CH * 32 + lane % 8 * 4;
            if (y < rows && x < columns) {
                tile[place(y, x)] = v[k].x;
                tile[place(y, x + 1)] = v[k].y;
                tile[place(y, x + 2)] = v[k].z;
                tile[place(y, x + 3)] = v[k].w;
            }
        }
    } else {
        constexpr unsigned S = TR * TC / 32 / W;
        float v[S];
#pragma unroll
        for (unsigned k = 0; k < S; k++) {
            unsigned u = warp + W * k, y = u / CH, x = u % CH * 32 + lane;
            if (y < rows && x < columns) v[k] = load1<LCS>(from + (size_t)y * n + x);
        }
#pragma unroll
        for (unsigned k = 0; k < S; k++) {
            unsigned u = warp + W * k, y = u / CH, x = u % CH * 32 + lane;
            if (y < rows && x < columns) tile[place(y, x)] = v[k];
        }
    }
    __syncthreads();
    if (m % 4 == 0) {
        constexpr unsigned S = TR * TC / 128 / W;
#pragma unroll
        for (unsigned k = 0; k < S; k++) {
            unsigned u = warp + W * k, x = u / RH * 4 + lane / 8, y = u % RH * 32 + lane % 8 * 4;
            if (y < rows && x < columns)
                store4<SCS>(to + (size_t)x * m + y, make_float4(tile[place(y, x)], tile[place(y + 1, x)],
                                                               tile[place(y + 2, x)], tile[place(y + 3, x)]));
        }
    } else {
        constexpr unsigned S = TR * TC / 32 / W;
#pragma unroll
        for (unsigned k = 0; k < S; k++) {
            unsigned u = warp + W * k, x = u / RH, y = u % RH * 32 + lane;
            if (y < rows && x < columns) store1<SCS>(to + (size_t)x * m + y, tile[place(y, x)]);
        }
    }
}
#define ONE(NAME, TR, TC, T, LCS, SCS, ORDER, G)                                                                      \
    extern "C" __global__ void __launch_bounds__(T) NAME(const float* in, float* out, unsigned m, unsigned n) {       \
        go<TR, TC, T, LCS, SCS, ORDER, G>(in, out, m, n);                                                             \
    }
ONE(t1, 32, 32, 64, false, false, 0, 1)
ONE(t2, 64, 64, 128, false, false, 0, 1)
ONE(t3, 64, 64, 256, true, true, 0, 1)
ONE(t4, 64, 64, 256, false, true, 0, 1)
ONE(t5, 64, 64, 256, false, false, 1, 1)
ONE(t6, 64, 64, 256, false, false, 2, 4)
ONE(t7, 64, 64, 256, false, false, 2, 16)
ONE(t8, 128, 64, 256, false, false, 0, 1)
ONE(t9, 64, 128, 256, false, false, 0, 1)
ONE(t10, 128, 64, 512, false, false, 2, 8)
ONE(t11, 32, 128, 256, false, false, 0, 1)
ONE(t12, 128, 32, 256, false, false, 0, 1)
ONE(t13, 64, 64, 512, false, false, 0, 1)
ONE(t14, 32, 256, 256, false, false, 0, 1)
ONE(t15, 256, 32, 256, false, false, 1, 1)
ONE(t16, 32, 64, 128, false, false, 0, 1)
ONE(t17, 64, 32, 128, false, false, 0, 1)
// No shared memory: a thread turns 4 x 4 in its registers. A block of 256 threads has 64 x 64 elements.
extern "C" __global__ void __launch_bounds__(256) r1(const float* __restrict__ in, float* __restrict__ out, unsigned m,
                                                     unsigned n) {
    unsigned across = (n + 63) / 64, left = blockIdx.x % across * 64, top = blockIdx.x / across * 64;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // A warp: 8 x 4 of these; 2 x 4 warps.
    unsigned x = left + (warp % 2 * 8 + lane % 8) * 4, y = top + (warp / 2 * 4 + lane / 8) * 4;
    if (x >= n || y >= m) return;
    float v[4][4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (y + i >= m) continue;
        const float* p = in + (size_t)(y + i) * n + x;
        if (n % 4 == 0) {
            float4 f = *(const float4*)p;
            v[i][0] = f.x, v[i][1] = f.y, v[i][2] = f.z, v[i][3] = f.w;
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (x + j < n) v[i][j] = p[j];
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        if (x + j >= n) continue;
        float* q = out + (size_t)(x + j) * m + y;
        if (m % 4 == 0) *(float4*)q = make_float4(v[0][j], v[1][j], v[2][j], v[3][j]);
        else
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (y + i < m) q[i] = v[i][j];
    }
}
