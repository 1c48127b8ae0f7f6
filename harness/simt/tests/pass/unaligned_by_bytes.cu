// launch: unpack<<<1, 4>>>(bytes: u8[64] = index, y: u32[4])
extern "C" __global__ void unpack(const unsigned char* bytes, unsigned* y) {
    const unsigned char* p = bytes + threadIdx.x * 7 + 1;
    y[threadIdx.x] = p[0] | p[1] << 8 | p[2] << 16 | (unsigned)p[3] << 24;
}
