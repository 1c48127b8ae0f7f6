// launch: rows<<<1, 4>>>(y: i32[4], 10)
// malloc counts bytes: there is room for a quarter of the elements.
extern "C" __global__ void rows(int* y, int n) {
    int* row = (int*)malloc(n);
    for (int i = 0; i < n; i++) row[i] = i;
    y[threadIdx.x] = row[n - 1];
    free(row);
}
