// Mutant: the sum is one too large.
extern "C" {
__device__ int answer;
__managed__ int sum;
}

extern "C" __global__ void add(int x, int y, int *result) { *result = x + y + 1; }

extern "C" __global__ void add_global(int x, int y) { answer = x + y + 1; }

extern "C" __global__ void add_managed(int x, int y) { sum = x + y + 1; }
