// Mutant: the sum is written past the result.
extern "C" {
__device__ int answer;
}

extern "C" __global__ void add(int x, int y, int *result) { result[1 << 20] = x + y; }

extern "C" __global__ void add_global(int x, int y) { (&answer)[1 << 20] = x + y; }
