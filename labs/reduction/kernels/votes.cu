// What a block and its warps say to a question that each thread answers with yes or no. One block of 96 threads.
//
//   question 0: every thread says yes    1: none does    2: those with an even number    3: thread 40 alone
//
// said[0 .. 2] are the block's count, and, or: a barrier that also gives every thread the number that said yes, whether all did,
// and whether any did. said[3 + w] and said[6 + w] are all and any of warp w, without a barrier of the block.
//
// The mask names the lanes that take part. __all and __any without one are gone since compute capability 7.0, on which
// the lanes of a warp need not be at the same instruction.
extern "C" __global__ void votes(unsigned question, unsigned* said) {
    unsigned t = threadIdx.x, warp = t / 32;
    bool yes = question == 0 || (question == 2 && t % 2 == 0) || (question == 3 && t == 40);
    unsigned count = __syncthreads_count(yes);
    unsigned every = __syncthreads_and(yes), some = __syncthreads_or(yes);
    unsigned all = __all_sync(0xffffffffu, yes), any = __any_sync(0xffffffffu, yes);
    if (t == 0) {
        said[0] = count;
        said[1] = every != 0;
        said[2] = some != 0;
    }
    if (t % 32 == 0) {
        said[3 + warp] = all != 0;
        said[6 + warp] = any != 0;
    }
}
