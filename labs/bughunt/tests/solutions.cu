// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right bounds: early return
- if (i < n) d[i]
+ if (i >= n) return;
+ d[i]

// == right stride: step in a variable
- for (size_t i = grid_index(); i < n; i += (size_t)gridDim.x * blockDim.x) pixels[i] += 10;
+ size_t step = (size_t)blockDim.x * gridDim.x;
+ for (size_t i = grid_index(); i < n; i += step) pixels[i] = pixels[i] + 10;

// == right overflow: sides of 64 bits
- (long long)sides[2 * i] * sides[2 * i + 1]
+ 1LL * sides[2 * i + 1] * sides[2 * i]

// == right index: by the place in the result
- size_t x = i % width, y = i / width;
- turned[x * height + y] = picture[i];
+ size_t y = i % height, x = i / height;
+ turned[i] = picture[y * width + x];

// == right countdown: counts from 8
- for (int k = 7; k >= 0; --k) {
+ for (unsigned k = 8; k-- > 0;) {

// == right countdown: upwards
- for (int k = 7; k >= 0; --k) {
- if (row[k] > 0) {
- place[i] = k;
- return;
- }
- }
- place[i] = -1;
+ int last = -1;
+ for (int k = 0; k < 8; k++) last = row[k] > 0 ? k : last;
+ place[i] = last;

// == right no-barrier: no shared memory
- if (t < length) tile[t] = x[start + t];
- __syncthreads();
- if (t < length) y[start + t] = tile[length - 1 - t];
+ if (t < length) y[start + t] = x[start + length - 1 - t];

// == right divergent-barrier: barrier for all, and then the difference
- if (t > 0 && i < n) {
- distance = fabsf(tile[t] - tile[t - 1]);
- }
+ if (i < n && t != 0) distance = tile[t] > tile[t - 1] ? tile[t] - tile[t - 1] : tile[t - 1] - tile[t];

// == right shared-race: atomic increment
- atomicAdd(&bins[bytes[i] % 8], 1)
+ atomicInc(bins + (bytes[i] & 7), 0xffffffffu)

// == right uninitialised: every thread counts by a vote
- if (threadIdx.x == 0) count = 0;
- __syncthreads();
- if (i < n && x[i] % 2 == 0) atomicAdd(&count, 1);
- __syncthreads();
+ int all = __syncthreads_count(i < n && x[i] % 2 == 0);
+ if (threadIdx.x == 0) count = all;

// == accused block-race: zeros are not added
- if (t == 0) atomicAdd(sum, words[0]);
+ if (t == 0 && words[0] > 0) atomicAdd(sum, words[0]);

// == right block-race: no result is waited for
- atomicAdd(sum, words[0])
+ asm volatile("red.global.add.u32 [%0], %1;" ::"l"(sum), "r"(words[0]) : "memory")

// == right wrong-mask: sum by exclusive or
- __shfl_down_sync(0xffffffff, sum, distance)
+ __shfl_xor_sync(~0u, sum, distance)

// == right lockstep: largest by shuffles
- __syncwarp();
- if (lane < half) mine[lane] = max(mine[lane], mine[lane + half]);
+ int other = __shfl_down_sync(0xffffffff, mine[lane], half);
+ mine[lane] = max(mine[lane], other);

// == right misaligned: pointer to the sample
- float re = samples[2 * i], im = samples[2 * i + 1];
- power[i] = re * re + im * im;
+ const float* sample = recording + 1 + 2 * i;
+ power[i] = sample[0] * sample[0] + sample[1] * sample[1];

// == right nan: question first
- units[2 * i] = length > 0.0f ? x / length : 0.0f;
- units[2 * i + 1] = length > 0.0f ? y / length : 0.0f;
+ if (length == 0.0f) length = 1.0f;
+ units[2 * i] = x / length;
+ units[2 * i + 1] = y / length;

// == right order: in double
- accounts[3 * i] - accounts[3 * i + 2] + accounts[3 * i + 1]
+ (float)((double)accounts[3 * i] + accounts[3 * i + 1] - accounts[3 * i + 2])

// == right wrong-launch: one block more where some are left
- (n + shape->threads - 1) / shape->threads;
- shape->shared_bytes = 0;
+ n / shape->threads + (n % shape->threads != 0);
+ shape->shared_bytes = 0;

// == right small-shared: four bytes a thread
- shape->threads * sizeof(float)
+ 4 * shape->threads

// == right no-wait: waits twice
- LAUNCH, WAIT, READ, FREE};
- // The
+ LAUNCH, WAIT, WAIT, READ, FREE};
+ // The

// == right leak: waits again before it frees
- READ, FREE};
- __constant__ int checksum
+ READ, WAIT, FREE};
+ __constant__ int checksum

// == wrong bounds: as it was
- if (i < n) d[i]
+ if (i <= n) d[i]

// == wrong bounds: last difference is left out
- if (i < n) d[i]
+ if (i + 1 < n) d[i]

// == wrong stride: as it was
- (size_t)gridDim.x * blockDim.x) pixels
+ blockDim.x) pixels

// == wrong stride: number of blocks
- (size_t)gridDim.x * blockDim.x) pixels
+ gridDim.x) pixels

// == wrong overflow: as it was
- (long long)sides[2 * i] *
+ sides[2 * i] *

// == wrong overflow: product is converted
- (long long)sides[2 * i] * sides[2 * i + 1]
+ (long long)(sides[2 * i] * sides[2 * i + 1])

// == wrong overflow: product without a sign
- (long long)sides[2 * i] * sides[2 * i + 1]
+ (unsigned)sides[2 * i] * (unsigned)sides[2 * i + 1]

// == wrong index: as it was
- x * height + y
+ x * width + y

// == wrong index: copied, and not turned
- x * height + y
+ y * width + x

// == wrong countdown: as it was
- int k = 7
+ unsigned k = 7

// == wrong countdown: first place is left out
- k >= 0; --k
+ k > 0; --k

// == wrong no-barrier: as it was
- if (t < length) tile[t] = x[start + t];
- __syncthreads();
+ if (t < length) tile[t] = x[start + t];

// == wrong no-barrier: warp's barrier
- if (t < length) tile[t] = x[start + t];
- __syncthreads();
+ if (t < length) tile[t] = x[start + t];
+ __syncwarp();

// == wrong divergent-barrier: barrier for threads inside
- if (i < n) tile[t] = x[i];
- __syncthreads();
- if (t > 0
+ if (i < n) { tile[t] = x[i]; __syncthreads(); }
+ if (t > 0

// == wrong divergent-barrier: no barrier
- if (i < n) tile[t] = x[i];
- __syncthreads();
- if (t > 0
+ if (i < n) tile[t] = x[i];
+ if (t > 0

// == wrong shared-race: as it was
- atomicAdd(&bins[bytes[i] % 8], 1)
+ bins[bytes[i] % 8] += 1

// == wrong shared-race: increment of a volatile
- atomicAdd(&bins[bytes[i] % 8], 1)
+ ((volatile unsigned*)bins)[bytes[i] % 8]++

// == wrong uninitialised: set to 0 without a barrier
- if (threadIdx.x == 0) count = 0;
- __syncthreads();
+ if (threadIdx.x == 0) count = 0;

// == wrong uninitialised: as it was
- if (threadIdx.x == 0) count = 0;
- __syncthreads();

// == wrong block-race: as it was
- atomicAdd(sum, words[0])
+ *sum += words[0]

// == wrong block-race: barrier before the addition
- if (t == 0) atomicAdd(sum, words[0]);
+ __syncthreads();
+ if (t == 0) *sum += words[0];

// == wrong block-race: all threads add
- if (t == 0) atomicAdd(sum, words[0]);
+ __syncthreads();
+ atomicAdd(sum, words[0]);

// == wrong wrong-mask: as it was
- int sum = i < n ? x[i] : 0;
+ if (i >= n) return;
+ int sum = x[i];

// == wrong wrong-mask: mask of the lanes that are there, and sums of those that are not
- int sum = i < n ? x[i] : 0;
+ if (i >= n) return;
+ int sum = x[i];
- __shfl_down_sync(0xffffffff, sum, distance)
+ __shfl_down_sync(__activemask(), sum, distance)

// == wrong lockstep: as it was
- __syncwarp();
- if (lane < half)
+ if (lane < half)

// == wrong lockstep: volatile
- __syncwarp();
- if (lane < half)
+ if (lane < half)
- int* mine
+ volatile int* mine

// == wrong misaligned: first sample is the rate
- recording + 1;
+ recording;

// == wrong misaligned: as it was
- const float* samples = recording + 1;
- if (i < n) {
- float re = samples[2 * i], im = samples[2 * i + 1];
+ const float2* samples = (const float2*)(recording + 1);
+ if (i < n) {
+ float re = samples[i].x, im = samples[i].y;

// == wrong nan: as it was
- length > 0.0f ? x / length : 0.0f
+ x / length

// == wrong nan: vector of nothing points to the right
- length > 0.0f ? x / length : 0.0f
+ length > 0.0f ? x / length : 1.0f

// == wrong order: as it was
- accounts[3 * i] - accounts[3 * i + 2] + accounts[3 * i + 1]
+ accounts[3 * i] + accounts[3 * i + 1] - accounts[3 * i + 2]

// == wrong order: brackets in the wrong place
- accounts[3 * i] - accounts[3 * i + 2] + accounts[3 * i + 1]
+ accounts[3 * i] - (accounts[3 * i + 2] - accounts[3 * i + 1])

// == wrong wrong-launch: as it was
- (n + shape->threads - 1) / shape->threads;
- shape->shared_bytes = 0;
+ n / shape->threads;
+ shape->shared_bytes = 0;

// == wrong wrong-launch: one block too few where nothing is left over
- (n + shape->threads - 1) / shape->threads;
- shape->shared_bytes = 0;
+ (n - 1) / shape->threads;
+ shape->shared_bytes = 0;

// == wrong small-shared: as it was
- shape->threads * sizeof(float)
+ shape->threads

// == wrong small-shared: one float
- shape->threads * sizeof(float)
+ sizeof(float)

// == wrong no-wait: as it was
- LAUNCH, WAIT, READ, FREE};
- // The
+ LAUNCH, READ, WAIT, FREE};
+ // The

// == wrong no-wait: waits before the launch
- LAUNCH, WAIT, READ, FREE};
- // The
+ WAIT, LAUNCH, READ, FREE};
+ // The

// == wrong leak: as it was
- READ, FREE};
- __constant__ int checksum
+ READ};
+ __constant__ int checksum

// == wrong leak: frees before it reads
- WAIT, READ, FREE};
- __constant__ int checksum
+ WAIT, FREE, READ};
+ __constant__ int checksum

// == wrong host-pointer: as it was
- int checksum_calls[] = {MALLOC_MANAGED
+ int checksum_calls[] = {MALLOC

// == wrong host-pointer: memory of both kinds
- int checksum_calls[] = {MALLOC_MANAGED
+ int checksum_calls[] = {MALLOC_MANAGED, MALLOC
