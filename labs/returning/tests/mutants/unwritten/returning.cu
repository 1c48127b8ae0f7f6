// Mutant: the sum is not written.
extern "C" {
__device__ int answer;
__managed__ int sum;
}

extern "C" __global__ void add(int x, int y, int *result) { int sum = x + y; }

extern "C" __global__ void add_global(int x, int y) {
    if (x + y == 0) answer = 0;
}

extern "C" __global__ void add_managed(int x, int y) {
    if (x + y == 0) sum = 0;
}
