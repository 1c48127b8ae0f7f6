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
// Stores only whole sectors (but at the ends of rows): line x of out is written from the last sector that begins at or
// before `top` to the one that does so for `top + TR`. Loads float4 at multiples of 16 bytes if WIDE.
template <int TR, int TC, int THREADS, bool WIDE>
__device__ inline void aligned(const float* __restrict__ in, float* __restrict__ out, unsigned m, unsigned n) {
    constexpr int H = TR + 8;
    __shared__ float tile[H * TC];
    unsigned across = (n + TC - 1) / TC;
    unsigned left = blockIdx.x % across * TC, top = blockIdx.x / across * TR;
    unsigned columns = n - left < TC ? n - left : TC;
    bool last = top + TR >= m;
    auto place = [](unsigned y, unsigned x) { return TC * y + (x ^ (y % 32)); };
    size_t total = (size_t)m * n;
    int t = threadIdx.x;
    if (WIDE) {
        constexpr int PER = TC / 4 + 1, S = (H * PER + THREADS - 1) / THREADS;
        float4 v[S];
#pragma unroll
        for (int k = 0; k < S; k++) {
            int i = t + THREADS * k, row = i / PER, l = i % PER;
            int y = (int)top - 8 + row;
            if (row >= H || y < 0 || y >= (int)m) continue;
            size_t a = ((size_t)y * n + left) / 4 * 4 + 4 * l;
            if (a + 4 <= total) v[k] = *(const float4*)(in + a);
            else {
                v[k].x = a < total ? in[a] : 0.0f;
                v[k].y = a + 1 < total ? in[a + 1] : 0.0f;
                v[k].z = a + 2 < total ? in[a + 2] : 0.0f;
                v[k].w = 0.0f;
            }
        }
#pragma unroll
        for (int k = 0; k < S; k++) {
            int i = t + THREADS * k, row = i / PER, l = i % PER;
            int y = (int)top - 8 + row;
            if (row >= H || y < 0 || y >= (int)m) continue;
            int x = 4 * l - (int)(((size_t)y * n + left) % 4);
            float f[4] = {v[k].x, v[k].y, v[k].z, v[k].w};
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (x + j >= 0 && x + j < (int)columns) tile[place(row, x + j)] = f[j];
        }
    } else {
        constexpr int S = H * TC / THREADS;
        float v[S];
#pragma unroll
        for (int k = 0; k < S; k++) {
            int i = t + THREADS * k, row = i / TC, x = i % TC, y = (int)top - 8 + row;
            if (y >= 0 && y < (int)m && x < (int)columns) v[k] = in[(size_t)y * n + left + x];
        }
#pragma unroll
        for (int k = 0; k < S; k++) {
            int i = t + THREADS * k, row = i / TC, x = i % TC, y = (int)top - 8 + row;
            if (y >= 0 && y < (int)m && x < (int)columns) tile[place(row, x)] = v[k];
        }
    }
    __syncthreads();
    // 8 lanes for a line, four lines a warp, TR / 32 float4 each, and one or two more at the end of the line.
    constexpr int W = THREADS / 32;
    int warp = t / 32, lane = t % 32;
#pragma unroll 1
    for (int x = warp * 4 + lane / 8; x < TC; x += W * 4) {
        if (x >= (int)columns) continue;
        size_t base = (size_t)(left + x) * m;
        size_t from = top == 0 ? base : (base + top) / 8 * 8;
        size_t to = last ? base + m : (base + top + TR) / 8 * 8;
        size_t start = (base + top) / 8 * 8;
        int shift = 8 - (int)(base + top - start);
#pragma unroll
        for (int k = 0; k < TR / 32 + 1; k++) {
            int l = lane % 8 + 8 * k;
            size_t p = start + 4 * l;
            int r = shift + 4 * l;
            if (p >= from && p + 4 <= to)
                *(float4*)(out + p) = make_float4(tile[place(r, x)], tile[place(r + 1, x)], tile[place(r + 2, x)],
                                                  tile[place(r + 3, x)]);
            else if (p + 4 > from && p < to)
                for (int j = 0; j < 4; j++)
                    if (p + j >= from && p + j < to) out[p + j] = tile[place(r + j, x)];
        }
    }
}
extern "C" __global__ void __launch_bounds__(256) a1(const float* in, float* out, unsigned m, unsigned n) {
    aligned<64, 64, 256, true>(in, out, m, n);
}
extern "C" __global__ void __launch_bounds__(256) a2(const float* in, float* out, unsigned m, unsigned n) {
    aligned<64, 64, 256, false>(in, out, m, n);
}
extern "C" __global__ void __launch_bounds__(256) a3(const float* in, float* out, unsigned m, unsigned n) {
    aligned<128, 64, 256, true>(in, out, m, n);
}
extern "C" __global__ void __launch_bounds__(256) a4(const float* in, float* out, unsigned m, unsigned n) {
    aligned<128, 64, 256, false>(in, out, m, n);
}
ONE(t18, 96, 96, 288, false, false, 0, 1)
ONE(t19, 64, 64, 256, true, true, 2, 8)
ONE(t20, 32, 32, 256, false, false, 0, 1)
ONE(t21, 64, 64, 1024, false, false, 0, 1)
