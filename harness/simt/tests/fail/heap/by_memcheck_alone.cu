// launch: last<<<1, 1>>>(y: i32[1], 8)
// with: checks=memcheck
// Found without the other checks, too.
extern "C" __global__ void last(int* y, int n) {
    int* row = new int[n];
    for (int i = 0; i <= n; i++) row[i] = i;
    *y = row[0];
    delete[] row;
}
