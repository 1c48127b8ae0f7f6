// Mutant: the sum goes nowhere.
extern "C" {
__device__ int answer;
}

extern "C" __global__ void add(int x, int y, int *result) { int sum = x + y; }

extern "C" __global__ void add_global(int x, int y) {
    if (x + y == 0) answer = 0;
}
