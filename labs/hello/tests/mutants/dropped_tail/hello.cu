// Mutant of hello_blocks: the last thread of the last block is silent.
extern "C" __global__ void hello_blocks() {
    if (blockIdx.x + 1 < gridDim.x || threadIdx.x + 1 < blockDim.x)
        printf("Hello from thread %d in block %d!\n", threadIdx.x, blockIdx.x);
}
