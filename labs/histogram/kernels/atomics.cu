// Every atomic operation that CUDA C++ has for these types, from compute capability 7.0 on. 32 threads apply it to w[0],
// thread t with the number t + 1 (and, or and xor: with bit t). What an operation leaves there is the same in any order;
// only exch leaves the number of the last thread, so that each thread adds what it got to w[1]: then the two words
// together have all numbers. inc and dec wrap at 9: inc goes from 9 to 0, dec from 0 to 9. cas adds 1 by a loop.
//
// What is missing does not compile: anything but add and exch for floats, sub for 64 bits, inc and dec for all but unsigned.
// Add, exch and cas for a signed 64-bit integer are those for an unsigned one: the bits are the same.

template <class T>
__device__ void cas(T* w) {
    T seen = *(volatile T*)w, expected;
    do {
        expected = seen;
        seen = atomicCAS(w, expected, expected + 1);
    } while (seen != expected);
}

extern "C" __global__ void add_i32(int* w) { atomicAdd(w, (int)(threadIdx.x + 1)); }
extern "C" __global__ void sub_i32(int* w) { atomicSub(w, (int)(threadIdx.x + 1)); }
extern "C" __global__ void min_i32(int* w) { atomicMin(w, (int)(threadIdx.x + 1)); }
extern "C" __global__ void max_i32(int* w) { atomicMax(w, (int)(threadIdx.x + 1)); }
extern "C" __global__ void exch_i32(int* w) { atomicAdd(&w[1], atomicExch(w, (int)(threadIdx.x + 1))); }
extern "C" __global__ void cas_i32(int* w) { cas(w); }
extern "C" __global__ void and_i32(int* w) { atomicAnd(w, ~((int)1 << threadIdx.x)); }
extern "C" __global__ void or_i32(int* w) { atomicOr(w, (int)1 << threadIdx.x); }
extern "C" __global__ void xor_i32(int* w) { atomicXor(w, (int)1 << threadIdx.x); }

extern "C" __global__ void add_u32(unsigned* w) { atomicAdd(w, (unsigned)(threadIdx.x + 1)); }
extern "C" __global__ void sub_u32(unsigned* w) { atomicSub(w, (unsigned)(threadIdx.x + 1)); }
extern "C" __global__ void min_u32(unsigned* w) { atomicMin(w, (unsigned)(threadIdx.x + 1)); }
extern "C" __global__ void max_u32(unsigned* w) { atomicMax(w, (unsigned)(threadIdx.x + 1)); }
extern "C" __global__ void inc_u32(unsigned* w) { atomicInc(w, 9u); }
extern "C" __global__ void dec_u32(unsigned* w) { atomicDec(w, 9u); }
extern "C" __global__ void exch_u32(unsigned* w) { atomicAdd(&w[1], atomicExch(w, (unsigned)(threadIdx.x + 1))); }
extern "C" __global__ void cas_u32(unsigned* w) { cas(w); }
extern "C" __global__ void and_u32(unsigned* w) { atomicAnd(w, ~((unsigned)1 << threadIdx.x)); }
extern "C" __global__ void or_u32(unsigned* w) { atomicOr(w, (unsigned)1 << threadIdx.x); }
extern "C" __global__ void xor_u32(unsigned* w) { atomicXor(w, (unsigned)1 << threadIdx.x); }

extern "C" __global__ void min_i64(long long* w) { atomicMin(w, (long long)(threadIdx.x + 1)); }
extern "C" __global__ void max_i64(long long* w) { atomicMax(w, (long long)(threadIdx.x + 1)); }
extern "C" __global__ void and_i64(long long* w) { atomicAnd(w, ~(1ll << threadIdx.x)); }
extern "C" __global__ void or_i64(long long* w) { atomicOr(w, 1ll << threadIdx.x); }
extern "C" __global__ void xor_i64(long long* w) { atomicXor(w, 1ll << threadIdx.x); }

extern "C" __global__ void add_u64(unsigned long long* w) { atomicAdd(w, (unsigned long long)(threadIdx.x + 1)); }
extern "C" __global__ void min_u64(unsigned long long* w) { atomicMin(w, (unsigned long long)(threadIdx.x + 1)); }
extern "C" __global__ void max_u64(unsigned long long* w) { atomicMax(w, (unsigned long long)(threadIdx.x + 1)); }
extern "C" __global__ void exch_u64(unsigned long long* w) { atomicAdd(&w[1], atomicExch(w, (unsigned long long)(threadIdx.x + 1))); }
extern "C" __global__ void cas_u64(unsigned long long* w) { cas(w); }
extern "C" __global__ void and_u64(unsigned long long* w) { atomicAnd(w, ~((unsigned long long)1 << threadIdx.x)); }
extern "C" __global__ void or_u64(unsigned long long* w) { atomicOr(w, (unsigned long long)1 << threadIdx.x); }
extern "C" __global__ void xor_u64(unsigned long long* w) { atomicXor(w, (unsigned long long)1 << threadIdx.x); }

extern "C" __global__ void add_f32(float* w) { atomicAdd(w, (float)(threadIdx.x + 1)); }
extern "C" __global__ void exch_f32(float* w) { atomicAdd(&w[1], atomicExch(w, (float)(threadIdx.x + 1))); }

extern "C" __global__ void add_f64(double* w) { atomicAdd(w, (double)(threadIdx.x + 1)); }
