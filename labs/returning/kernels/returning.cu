// A kernel returns nothing, so 2 + 3 must come back in another way.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//   add           writes the sum to where `result` points: device, managed or mapped memory or, by mistake, host memory
//   add_global    like add, but to a variable on the device, which the host finds by its name
//   add_managed   like add_global, but the variable is managed, so that the host reads it as its own
//   add_by_value  like add, but `result` is an int and no pointer: WRONG
//   add_late      like add, but it takes its time, as real kernels do

extern "C" __global__ void add(int x, int y, int *result) {
    // [part pointer] Leave the sum where `result` points.
    *result = x + y;
    // [end]
}

extern "C" {
__device__ int answer;
__managed__ int sum;
}

extern "C" __global__ void add_global(int x, int y) {
    // [part variable] Leave the sum in the device's variable that the host reads by the name `answer`.
    answer = x + y;
    // [end]
}

extern "C" __global__ void add_managed(int x, int y) {
    // [part managed-variable] Leave the sum in the variable that host and device share.
    sum = x + y;
    // [end]
}

// Every thread has its own copy of the arguments. This one is written and forgotten.
extern "C" __global__ void add_by_value(int x, int y, int result) { result = x + y; }

// [not handed out]
// Twenty million ticks of the clock: ten milliseconds at 2 GHz.
extern "C" __global__ void add_late(int x, int y, int *result) {
    long long start = clock64();
    while (clock64() - start < 20000000) {}
    *result = x + y;
}
// [end]
