// Contention: how many atomic additions per second there are when all go to one address, or to many.
//
//   1  contention-global  `rounds` additions per thread to `addresses` words of global memory
//   2  contention-shared  like 1, but to shared memory; the sums are then added to the global words
//
// Lane and round choose the word, so that neighbouring lanes go to neighbouring words. The number to add, 1, is an
// argument: the addition of a constant 1 to shared memory would become an instruction that counts the lanes of a
// warp in one step, and there would be no contention left.

extern "C" __global__ void contention_global(unsigned* words, unsigned addresses, unsigned rounds, unsigned by) {
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) % addresses;
    for (unsigned r = 0; r < rounds; r++) {
        atomicAdd(&words[at], by);
        at = at + 1 < addresses ? at + 1 : 0;
    }
}

// Dynamic shared memory: 4 bytes x addresses.
extern "C" __global__ void contention_shared(unsigned* words, unsigned addresses, unsigned rounds, unsigned by) {
    extern __shared__ unsigned s[];
    for (unsigned i = threadIdx.x; i < addresses; i += blockDim.x) s[i] = 0;
    __syncthreads();
    unsigned at = threadIdx.x % addresses;
    for (unsigned r = 0; r < rounds; r++) {
        atomicAdd(&s[at], by);
        at = at + 1 < addresses ? at + 1 : 0;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < addresses; i += blockDim.x) atomicAdd(&words[i], s[i]);
}
