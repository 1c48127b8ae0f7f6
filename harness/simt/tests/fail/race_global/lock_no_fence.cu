// launch: add<<<4, 32>>>(lock: u32[1], n: u32[1])
// A spin lock that orders nothing but itself.
extern "C" __global__ void add(unsigned* lock, unsigned* n) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0u, 1u) == 0u) {
            *n += 1;
            atomicExch(lock, 0u);
            done = true;
        }
    }
}
