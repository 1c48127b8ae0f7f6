// Transposes that are wrong on purpose: see transpose.cu for the right ones.
//
//  no_barrier    like padded, but no thread waits between the writing and the reading of the tile.
//  swapped       like padded, but the block writes its tile where it has read it: only the elements inside of the tile
//                change places. In a matrix that is not square the last tiles leave the array.
//  misaligned    four floats at a time, without a look at the width: in a row that does not begin at a multiple of 16
//                bytes the address is not one for 16 bytes.

extern "C" __global__ void no_barrier(const float* in, float* out, unsigned m, unsigned n) {
    __shared__ float tile[32][33];
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) tile[i][lane] = in[(size_t)(top + i) * n + left + lane];
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = tile[lane][i];
}

extern "C" __global__ void swapped(const float* in, float* out, unsigned m, unsigned n) {
    __shared__ float tile[32][33];
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) tile[i][lane] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(top + i) * m + left + lane] = tile[lane][i];
}

// A thread takes a float4 of a row of in. The last one of a row may have fewer than four floats of its own.
extern "C" __global__ void misaligned(const float* in, float* out, unsigned m, unsigned n) {
    unsigned x = 4 * (blockIdx.x * 32 + threadIdx.x), y = blockIdx.y * 8 + threadIdx.y;
    if (x >= n || y >= m) return;
    float4 v = *(const float4*)(in + (size_t)y * n + x);
    out[(size_t)x * m + y] = v.x;
    if (x + 1 < n) out[(size_t)(x + 1) * m + y] = v.y;
    if (x + 2 < n) out[(size_t)(x + 2) * m + y] = v.z;
    if (x + 3 < n) out[(size_t)(x + 3) * m + y] = v.w;
}
