// launch: walk<<<1, 1>>>(y: i32[1], 4)
// The pointer has moved away from the start of its block.
extern "C" __global__ void walk(int* y, int n) {
    int* p = (int*)malloc(n * sizeof(int));
    int sum = 0;
    for (int i = 0; i < n; i++) {
        *p = i;
        sum += *p++;
    }
    *y = sum;
    free(p);
}
