// launch: shift<<<1, 1>>>(y: i32[1], 8)
// The loop goes one element too far down.
extern "C" __global__ void shift(int* y, int n) {
    int* row = new int[n];
    for (int i = 0; i < n; i++) row[i] = i;
    int sum = 0;
    for (int i = n - 1; i >= 0; i--) sum += row[i - 1];
    *y = sum;
    delete[] row;
}
