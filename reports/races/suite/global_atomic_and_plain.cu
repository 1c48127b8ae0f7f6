// A counter that blocks change by atomics and read by a plain load.
// Race: the plain load is not ordered with the atomics, and the compiler may keep an old value in a register.
// Fix: an atomic for the read too.
#include "common.cuh"

__global__ void work(int *next, int *done, int n) {
    for (;;) {
#ifdef RACY
        if (*next >= n) break; // race
#else
        if (atomicAdd(next, 0) >= n) break;
#endif
        int item = atomicAdd(next, 1); // race
        if (item < n) done[item] = item + 1;
    }
}

int main() {
    const int n = 500;
    std::vector<int> expected(n);
    for (int i = 0; i < n; i++) expected[i] = i + 1;
    int *done = on_device(std::vector<int>(n));
    work<<<8, 1>>>(on_device(std::vector<int>(1)), done, n);
    return answer(on_host(done, n) == expected);
}
