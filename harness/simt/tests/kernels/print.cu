// printf, assert, trap, and faults.

extern "C" __global__ void hello() { printf("Hello from thread %d of block %d\n", threadIdx.x, blockIdx.x); }

extern "C" __global__ void conversions() {
    printf("%d|%i|%u|%o|%x|%X|%c|%s|%%\n", -5, 42, 4000000000u, 8, 255, 255, 'z', "text");
    printf("%5d|%-5d|%05d|%+d|% d|%#x|%.3d\n", 42, 42, 42, 42, 42, 255, 7);
    printf("%f|%.2f|%10.3f|%-10.1f|%e|%E|%g|%G|%a\n", 3.14159, 2.71828, 1.5, 2.25, 12345.678, 0.00012, 1e-10, 1e20, 1.0);
    printf("%ld|%lld|%lu|%llx|%hd|%hu\n", -1234567890123l, 9876543210ll, 18446744073709551615ul, 0xdeadbeefcafell, 70000, 70000);
    printf("%*d|%-*d|%.2f|%s|%10s|%-10s|%.2s\n", 6, 42, 6, 42, 3.14159, "", "right", "left", "cut");
    printf("no arguments\n");
    printf("%f %f %f\n", 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0);
}

extern "C" __global__ void ordered() { for (int k = 0; k < 3; k++) if (threadIdx.x == blockIdx.x) printf("%d:%d ", blockIdx.x, k); }

extern "C" __global__ void asserts(int n) { assert(threadIdx.x < n); }
extern "C" __global__ void traps(int n) { if (threadIdx.x == n) __trap(); }
extern "C" __global__ void writes(int* p, long long at) { p[at + threadIdx.x] = 1; }
extern "C" __global__ void reads(const double* p, long long bytes, double* out) { *out = *(const double*)((const char*)p + bytes); }
extern "C" __global__ void shared_overrun(int* out, int n) { __shared__ int s[32]; s[threadIdx.x + n] = 1; __syncthreads(); out[threadIdx.x] = s[threadIdx.x]; }
extern "C" __global__ void constant_write(int* out) { *out = 1; }
