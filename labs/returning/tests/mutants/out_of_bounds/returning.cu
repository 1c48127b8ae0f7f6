// Mutant: the sum is written past the result.
extern "C" {
__device__ int answer;
__managed__ int sum;
}

extern "C" __global__ void add(int x, int y, int *result) { result[1 << 20] = x + y; }

extern "C" __global__ void add_global(int x, int y) { (&answer)[1 << 20] = x + y; }

extern "C" __global__ void add_managed(int x, int y) { (&sum)[1 << 20] = x + y; }
