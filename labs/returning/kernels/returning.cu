// A kernel returns nothing, so 2 + 3 must come back in another way.
//
//   add         writes the sum to where `result` points: device, managed or mapped memory or, by mistake, host memory
//   add_global  like add, but to a variable on the device, which the host finds by its name

extern "C" __global__ void add(int x, int y, int *result) { *result = x + y; }

extern "C" {
__device__ int answer;
}

extern "C" __global__ void add_global(int x, int y) { answer = x + y; }
