// launch: hello<<<2, 2>>>(7)
extern "C" __global__ void hello(int n) {
    printf("block %d thread %d: %d %5.2f %s\n", blockIdx.x, threadIdx.x, n, n / 4.0, "text");
}
