// launch: add<<<4, 32>>>(lock: u32[1], n: u32[1])
extern "C" __global__ void add(unsigned* lock, unsigned* n) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0u, 1u) == 0u) {
            __threadfence();
            *n += 1;
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
    }
}
