// How many warps go two ways at a branch: the whole program. It doubles every other element and negates the rest, by
// two ways to say which are which, and counts the warps whose threads disagree.
//
// Compile and run:  warplab nvcc program.cu -o divergence && warplab exec ./divergence 1000
// run: 1000
#include <cstdio>
#include <cstdlib>

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// By thread: neighbours differ. By warp: all threads of a warp agree.
__host__ __device__ bool is_chosen(int i, bool by_warp) {
    return (by_warp ? i / 32 : i) % 2 == 0;
}

// Counts this warp if some of its voters are for it and some are not. Every thread of the warp has to come here.
__device__ void count_if_split(bool may_vote, bool is_for, int *split) {
    unsigned voters = __ballot_sync(0xffffffff, may_vote), votes = __ballot_sync(0xffffffff, may_vote && is_for);
    if (threadIdx.x % 32 == 0 && votes != 0 && votes != voters) atomicAdd(split, 1);
}

// split[0] counts the warps that disagree about the end of the array, split[1] those that disagree about the choice.
__global__ void change(float *x, int n, bool by_warp, int *split) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    count_if_split(true, i < n, &split[0]);
    count_if_split(i < n, is_chosen(i, by_warp), &split[1]);
    if (i < n) {
        if (is_chosen(i, by_warp)) {
            x[i] = 2 * x[i];
        } else {
            x[i] = -x[i];
        }
    }
}

// Runs it, and says how many warps split. Returns whether every element is right.
static bool try_with(int n, bool by_warp) {
    size_t bytes = n * sizeof(float);
    float *x = (float *)malloc(bytes), *device_x;
    int *split, found[2];
    for (int i = 0; i < n; i++) x[i] = i;
    check(cudaMalloc(&device_x, bytes), "memory for x");
    check(cudaMalloc(&split, sizeof found), "memory for the counts");
    check(cudaMemcpy(device_x, x, bytes, cudaMemcpyHostToDevice), "copy of x");
    check(cudaMemset(split, 0, sizeof found), "zeros");

    int threads = 256, blocks = (n + threads - 1) / threads;
    change<<<blocks, threads>>>(device_x, n, by_warp, split);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(x, device_x, bytes, cudaMemcpyDeviceToHost), "copy of the result");
    check(cudaMemcpy(found, split, sizeof found, cudaMemcpyDeviceToHost), "copy of the counts");

    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += x[i] != (is_chosen(i, by_warp) ? 2.0f * i : -1.0f * i);
    printf("chosen by %s: of %d warps, %d split at the end of the array, %d at the choice; %d elements wrong\n",
           by_warp ? "warp" : "thread", blocks * threads / 32, found[0], found[1], wrong);
    check(cudaFree(device_x), "free");
    check(cudaFree(split), "free");
    free(x);
    return wrong == 0;
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: %s ELEMENTS\n", argv[0]);
        return 2;
    }
    bool is_right = try_with(n, false);
    is_right = try_with(n, true) && is_right;
    return is_right ? 0 : 1;
}
