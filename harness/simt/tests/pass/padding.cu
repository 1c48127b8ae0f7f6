// target: compute_80
// launch: put<<<1, 8>>>(x: u64[16] = raw)
// launch: get<<<1, 8>>>(x, y: i64[8])
// launch: stage<<<1, 8>>>(x, z: i64[8])
// A structure is copied in words, with what lies between its members. It is never written, and no result depends on it.
struct Found {
    bool is;
    long long at;
};

extern "C" __global__ void put(Found* x) {
    x[threadIdx.x].is = threadIdx.x % 2;
    x[threadIdx.x].at = threadIdx.x;
}

static __device__ long long of(ulonglong2 words) {
    return (words.x & 0xff) != 0 ? (long long)words.y : -1;
}

extern "C" __global__ void get(const ulonglong2* x, long long* y) {
    y[threadIdx.x] = of(x[threadIdx.x]);
}

// The same by an asynchronous copy.
extern "C" __global__ void stage(const ulonglong2* x, long long* z) {
    __shared__ ulonglong2 copies[8];
    unsigned to = __cvta_generic_to_shared(&copies[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + threadIdx.x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    z[threadIdx.x] = of(copies[threadIdx.x]);
}
