// Control flow: branches, loops, switches, calls, and what lanes do when they diverge.

struct Point { float x, y; int tag; };

extern "C" __global__ void nested(int* out, int n) {
    int i = threadIdx.x;
    int v = 0;
    if (i & 1) {
        if (i & 2) { v = 1; if (i & 4) v += 10; else v += 20; }
        else v = 2;
        v += 100;
    } else if (i % 3 == 0) v = 3;
    else { for (int k = 0; k < i; k++) { if (k == n) break; if (k % 2) continue; v += k; } }
    out[i] = v;
}

extern "C" __global__ void collatz(int* steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = i + 1;
    int count = 0;
    while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; count++; }
    steps[i] = count;
}

extern "C" __global__ void switches(int* out, const int* in) {
    int i = threadIdx.x;
    int r;
    switch (in[i]) {
        case 0: r = i; break;
        case 1: r = i * i; break;
        case 2: r = -i; break;
        case 3: r = i << 3;
        case 4: r = i + 4; out[i + 64] = 1; break;
        case 5: r = 55; break;
        case 6: r = i ^ 21; break;
        case 7: r = i % 5; break;
        default: r = 1000;
    }
    out[i] = r;
}

__device__ __noinline__ float area(Point a, Point b) { return a.x * b.y - a.y * b.x + a.tag; }
__device__ __noinline__ Point make(int i) { Point p; p.x = i; p.y = i * 2; p.tag = i & 3; return p; }
__device__ __noinline__ int helper(int a, int b) { if (a < b) return a * 2; return b * 3; }

extern "C" __global__ void calls(float* out, int n, Point extra) {
    int i = threadIdx.x;
    float v = area(make(i), make(i + n)) + extra.x * extra.y + extra.tag;
    if (i % 3) v += helper(i, 15); else v -= helper(15, i);
    out[i] = v;
}

typedef int (*function)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int plus7(int x) { return x + 7; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ function table[3] = {twice, plus7, square};

extern "C" __global__ void pointers(int* out) {
    int i = threadIdx.x;
    out[i] = table[i % 3](i) + table[(i / 3) % 3](1);
}

__device__ int numbers[8] = {1, 2, 3, 5, 8, 13, 21, 34};
__device__ int* fourth = &numbers[3];
__constant__ float weights[4] = {0.25f, 0.5f, 1.0f, 2.0f};

extern "C" __global__ void variables(float* out, int n) {
    int i = threadIdx.x;
    int local[16];
    for (int k = 0; k < 16; k++) local[k] = k * n;
    local[i & 15] += 1000;
    out[i] = numbers[i & 7] + *fourth * weights[i & 3] + local[(i + 1) & 15] + local[i & 15];
}

extern "C" __global__ void early(int* out, int n) {
    __shared__ int sum[128];
    int i = threadIdx.x;
    if (i >= n) return;
    sum[i] = i;
    __syncthreads();
    out[i] = sum[n - 1 - i];
}

extern "C" __global__ void escape(int* out) {
    int i = threadIdx.x;
    for (int k = 0; ; k++) {
        out[i] = k;
        if (k == i) { if (i == 5) asm("exit;"); break; }
    }
    out[i] += 100;
}
