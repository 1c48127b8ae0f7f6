// launch: fields<<<1, 32>>>(a: u32[32], 1)
// launch: partly<<<1, 32>>>(b: f32[32])
// launch: merge<<<1, 32>>>(c: u32[32], 20)
// launch: conditional<<<1, 32>>>(d: u32[32], 9)
// launch: chosen<<<1, 32>>>(e: u32[32], 9)
// Values that are read before they are written, but never decide anything.
struct Bits {
    unsigned a : 3, b : 5, c : 24;
};

// The fields of a word in local memory are changed one by one; the third never is.
extern "C" __global__ void fields(unsigned* out, int step) {
    volatile Bits x[2];
    int i = threadIdx.x & step;
    x[i].a = threadIdx.x;
    x[i].b = 9;
    out[threadIdx.x] = x[i].a + x[i].b;
}

struct Half {
    char tag;
    float x, y;
};

// A structure of which a part is set is copied, and the rest is set in the copy.
extern "C" __global__ void partly(float* out) {
    volatile float from[2][2], to[2][2];
    int i = threadIdx.x & 1;
    from[i][0] = 1;
    to[i][0] = from[i][0];
    to[i][1] = from[i][1];
    to[i][1] = 2;
    out[threadIdx.x] = to[i][0] + to[i][1];
}

// The merge of CUB and Thrust: the key behind the end of a run is read, and not wanted.
extern "C" __global__ void merge(unsigned* out, int n) {
    __shared__ unsigned keys[64];
    int t = threadIdx.x;
    if (t < n) keys[t] = 2 * (t % 10) + t / 10;
    __syncwarp();
    int one = 0, other = n / 2;
    unsigned first = keys[one], second = keys[other];
    for (int k = 0; k < n; k++) {
        bool takes = other < n && (one >= n / 2 || second < first);
        unsigned key = takes ? second : first;
        if (takes) second = keys[++other];
        else first = keys[++one];
        if (t == 0) out[k] = key;
    }
}

// Each lane reads, and only some use what they have read.
extern "C" __global__ void conditional(unsigned* out, int n) {
    __shared__ unsigned s[32];
    int t = threadIdx.x;
    if (t < n) s[t] = t + 1;
    __syncwarp();
    unsigned x = *(volatile unsigned*)&s[t];
    if (t < n) out[t] = x * x;
}

// The value is part of a sum, from which a mask takes it away.
extern "C" __global__ void chosen(unsigned* out, int n) {
    __shared__ unsigned s[32];
    int t = threadIdx.x;
    if (t < n) s[t] = t + 1;
    __syncwarp();
    unsigned x = *(volatile unsigned*)&s[t];
    out[t] = ((x + 5) & (t < n ? 255u : 0u)) | (t << 8);
}
