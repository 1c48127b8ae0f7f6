// Kernels with different occupancy, because their threads or blocks need different resources of a multiprocessor. All
// compute with wrapping integers, so that their answers are exact.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//  vecadd        z = x + y: few registers, no shared memory; memory is the limit.
//  registers_R   each thread reads one word and writes one, but it keeps many values alive at once;
//                __maxnreg__ limits the registers to R. One kernel for each R of the sweep.
//  shared_heavy  a block copies a table of `words` words to dynamic shared memory, and each thread looks up
//                `rounds` words in it: the table is as large for a small block as for a large one.
//  spilled_R     like registers_128, but the compiler may use only R registers, and keeps the rest in local memory.
//  in_flight_K   z = x + y in a grid of a fixed size: each thread loads K pairs before it waits for the first.
//  doubled       z = 2 x, with one thread an element whatever the shape of grid and block.
//  *_counted     the same, but each block also records when and where it ran: see `note_start`.

// What the blocks record about one multiprocessor; times are in cycles of its own clock.
struct Note {
    unsigned resident, peak;             // blocks on it now; the largest number so far
    unsigned long long first, last;      // the start of the first block, the end of the last
    unsigned long long busy;             // the sum of the times of its blocks
};

__device__ unsigned multiprocessor() {
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

// Thread 0 of each block registers it. The host must have set `first` to all ones and the rest to 0.
__device__ unsigned long long note_start(Note* notes) {
    if (threadIdx.x != 0) return 0;
    Note* note = &notes[multiprocessor()];
    unsigned long long now = clock64();
    atomicMax(&note->peak, atomicAdd(&note->resident, 1) + 1);
    atomicMin(&note->first, now);
    return now;
}

__device__ void note_end(Note* notes, unsigned long long started) {
    __syncthreads();  // the block lasts until its slowest warp is done
    if (threadIdx.x != 0) return;
    Note* note = &notes[multiprocessor()];
    unsigned long long now = clock64();
    atomicMax(&note->last, now);
    atomicAdd(&note->busy, now - started);
    atomicSub(&note->resident, 1);
}

__device__ unsigned long long index() { return (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; }

__device__ void add(const unsigned* x, const unsigned* y, unsigned* z, unsigned long long n) {
    // [part add] Let each thread store one sum. The last block may have more threads than there are elements left.
    unsigned long long i = index();
    if (i < n) z[i] = x[i] + y[i];
    // [end]
}

extern "C" __global__ void vecadd(const unsigned* x, const unsigned* y, unsigned* z, unsigned long long n) {
    add(x, y, z, n);
}

extern "C" __global__ void vecadd_counted(const unsigned* x, const unsigned* y, unsigned* z, unsigned long long n,
                                          Note* notes) {
    unsigned long long started = note_start(notes);
    add(x, y, z, n);
    note_end(notes, started);
}

// Makes LIVE values from one, mixes them `rounds` times with their neighbours, and folds them into one again: the
// compiler must keep all of them to the end.
template <int LIVE>
__device__ void hungry(const unsigned* x, unsigned* z, unsigned rounds, unsigned long long n) {
    unsigned long long i = index();
    if (i >= n) return;
    unsigned v[LIVE];
    // [part registers] Set v[j] = x[i] * (2 j + 1) + j. Then, `rounds` times and for j = 0, 1, ... in this order, set
    // v[j] = v[j] * 1664525 + v[(j + 1) % LIVE]. Last, begin with 0, and for each j take it 31 times and add v[j]:
    // that is z[i]. The loops over j must be unrolled, so that the compiler can keep all of v in registers.
#pragma unroll
    for (int j = 0; j < LIVE; j++) v[j] = x[i] * (2 * j + 1) + j;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
#pragma unroll
        for (int j = 0; j < LIVE; j++) v[j] = v[j] * 1664525u + v[(j + 1) % LIVE];
    }
    unsigned folded = 0;
#pragma unroll
    for (int j = 0; j < LIVE; j++) folded = folded * 31u + v[j];
    z[i] = folded;
    // [end]
}

extern "C" __global__ void __maxnreg__(16) registers_16(const unsigned* x, unsigned* z, unsigned rounds,
                                                        unsigned long long n) {
    hungry<4>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(24) registers_24(const unsigned* x, unsigned* z, unsigned rounds,
                                                        unsigned long long n) {
    hungry<14>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(32) registers_32(const unsigned* x, unsigned* z, unsigned rounds,
                                                        unsigned long long n) {
    hungry<22>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(40) registers_40(const unsigned* x, unsigned* z, unsigned rounds,
                                                        unsigned long long n) {
    hungry<30>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(48) registers_48(const unsigned* x, unsigned* z, unsigned rounds,
                                                        unsigned long long n) {
    hungry<38>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(64) registers_64(const unsigned* x, unsigned* z, unsigned rounds,
                                                        unsigned long long n) {
    hungry<54>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(80) registers_80(const unsigned* x, unsigned* z, unsigned rounds,
                                                        unsigned long long n) {
    hungry<70>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(96) registers_96(const unsigned* x, unsigned* z, unsigned rounds,
                                                        unsigned long long n) {
    hungry<86>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(128) registers_128(const unsigned* x, unsigned* z, unsigned rounds,
                                                          unsigned long long n) {
    hungry<118>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(168) registers_168(const unsigned* x, unsigned* z, unsigned rounds,
                                                          unsigned long long n) {
    hungry<158>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(255) registers_255(const unsigned* x, unsigned* z, unsigned rounds,
                                                          unsigned long long n) {
    hungry<240>(x, z, rounds, n);
}

extern "C" __global__ void __maxnreg__(128) registers_128_counted(const unsigned* x, unsigned* z, unsigned rounds,
                                                                  unsigned long long n, Note* notes) {
    unsigned long long started = note_start(notes);
    hungry<118>(x, z, rounds, n);
    note_end(notes, started);
}

extern "C" __global__ void __maxnreg__(64) spilled_64(const unsigned* x, unsigned* z, unsigned rounds,
                                                      unsigned long long n) {
    hungry<118>(x, z, rounds, n);
}
extern "C" __global__ void __maxnreg__(32) spilled_32(const unsigned* x, unsigned* z, unsigned rounds,
                                                      unsigned long long n) {
    hungry<118>(x, z, rounds, n);
}

// Blocks of 256 threads. The next K pairs are loaded only when the last K sums are stored: so K pairs a thread, and no
// more, are in flight at a time.
template <int K>
__device__ void in_flight(const unsigned* x, const unsigned* y, unsigned* z, unsigned long long n) {
    unsigned long long step = 256ull * K * gridDim.x;
    // [part loads] The block's first 256 K elements begin at 256 K blockIdx.x, its next ones `step` further on. Of each
    // 256 K a thread takes K, 256 apart: load all K pairs, and only then store the K sums. The loop over steps must
    // not be unrolled; those over K must be.
#pragma unroll 1
    for (unsigned long long i = 256ull * K * blockIdx.x + threadIdx.x; i < n; i += step) {
        unsigned a[K], b[K];
#pragma unroll
        for (int k = 0; k < K; k++) {
            if (i + 256 * k < n) a[k] = x[i + 256 * k], b[k] = y[i + 256 * k];
        }
#pragma unroll
        for (int k = 0; k < K; k++) {
            if (i + 256 * k < n) z[i + 256 * k] = a[k] + b[k];
        }
    }
    // [end]
}

extern "C" __global__ void __maxnreg__(32) in_flight_1(const unsigned* x, const unsigned* y, unsigned* z,
                                                       unsigned long long n) {
    in_flight<1>(x, y, z, n);
}
extern "C" __global__ void __maxnreg__(32) in_flight_2(const unsigned* x, const unsigned* y, unsigned* z,
                                                       unsigned long long n) {
    in_flight<2>(x, y, z, n);
}
extern "C" __global__ void __maxnreg__(32) in_flight_4(const unsigned* x, const unsigned* y, unsigned* z,
                                                       unsigned long long n) {
    in_flight<4>(x, y, z, n);
}

extern "C" __global__ void doubled(const unsigned* x, unsigned* z, unsigned long long n) {
    unsigned long long block = blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    unsigned long long thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned long long i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    if (i < n) z[i] = 2 * x[i];
}

__device__ void walk(const unsigned* x, const unsigned* table, unsigned* z, unsigned words, unsigned rounds,
                     unsigned long long n) {
    extern __shared__ unsigned t[];
    // [part shared] Let the block copy the `words` words of `table` to `t`. Then begin with v = x[i], set `rounds`
    // times v = v * 1664525 + t[v % words], and store v as z[i]. Every thread must reach the barrier.
    for (unsigned j = threadIdx.x; j < words; j += blockDim.x) t[j] = table[j];
    __syncthreads();
    unsigned long long i = index();
    if (i >= n) return;
    unsigned v = x[i];
    for (unsigned r = 0; r < rounds; r++) v = v * 1664525u + t[v % words];
    z[i] = v;
    // [end]
}

extern "C" __global__ void shared_heavy(const unsigned* x, const unsigned* table, unsigned* z, unsigned words,
                                        unsigned rounds, unsigned long long n) {
    walk(x, table, z, words, rounds, n);
}

extern "C" __global__ void shared_heavy_counted(const unsigned* x, const unsigned* table, unsigned* z, unsigned words,
                                                unsigned rounds, unsigned long long n, Note* notes) {
    unsigned long long started = note_start(notes);
    walk(x, table, z, words, rounds, n);
    note_end(notes, started);
}
