// launch: unpack<<<1, 4>>>(bytes: u8[64], y: f64[4])
// Records of four and eight bytes, packed without padding.
extern "C" __global__ void unpack(const char* bytes, double* y) {
    y[threadIdx.x] = *reinterpret_cast<const double*>(bytes + threadIdx.x * 12 + 4);
}
