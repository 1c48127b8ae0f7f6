// Mutant of hello_flat: threads count from 1.
extern "C" __global__ void hello_flat() { printf("Hello from thread %d!\n", threadIdx.x + 1); }
