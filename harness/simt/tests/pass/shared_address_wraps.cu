// target: compute_80
// launch: wraps<<<1, 32>>>(x: f64[64] = index, out: f64[256])
// Shared addresses have 32 bits: an address in a 32-bit register and the offset behind it are added in 32 bits, so code
// may hold an address below zero and come back by the offset.
extern "C" __global__ void wraps(const double* x, double* out) {
    __shared__ alignas(16) double s[64];
    __shared__ unsigned sums[32];
    int t = threadIdx.x;
    unsigned base = (unsigned)__cvta_generic_to_shared(s) + 8 * t - 1024;
    unsigned sum = (unsigned)__cvta_generic_to_shared(sums) + 4 * t - 1024;
    asm volatile("st.shared.f64 [%0+1024], %1;" :: "r"(base), "d"(t + 0.5) : "memory");
    asm volatile("cp.async.ca.shared.global [%0+1280], [%1], 8;" :: "r"(base), "l"(x + t) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    sums[t] = t;
    __syncthreads();
    double one, two, four[2];
    asm volatile("ld.shared.f64 %0, [%1+1024];" : "=d"(one) : "r"(base) : "memory");
    asm volatile("ld.shared.f64 %0, [%1+1280];" : "=d"(two) : "r"(base) : "memory");
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2+1024];"
                 : "=d"(four[0]), "=d"(four[1]) : "r"(base & ~15u) : "memory");
    unsigned old, row;
    asm volatile("red.shared.add.u32 [%0+1024], 100;" :: "r"(sum) : "memory");
    asm volatile("atom.shared.add.u32 %0, [%1+1024], 1;" : "=r"(old) : "r"(sum) : "memory");
    __syncthreads();
    unsigned first = (unsigned)__cvta_generic_to_shared(sums) + t % 8 * 16 - 1024;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1+1024];" : "=r"(row) : "r"(first) : "memory");
    out[t] = one;
    out[32 + t] = two;
    out[64 + t] = four[t % 2];
    out[96 + t] = old;
    out[128 + t] = row;
}
