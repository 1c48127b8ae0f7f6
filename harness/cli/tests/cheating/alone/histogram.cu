// Each worker goes through its own share of the text: WORKER(i) is the number of thread i's worker among WORKERS, or
// IDLE. Only a thread with STORES(i) counts what it finds. Adding up what the blocks have counted is not part of that.
template <class Kind, class Add>
__device__ void whole_text(const unsigned char* text, size_t n, Add add) {
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = WORKER(thread); i < n; i += WORKERS) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins && STORES(thread)) add(bin);
    }
}

// [part atomic]
    whole_text<Kind>(text, n, [=](unsigned bin) { atomicAdd(&counts[bin], 1ull); });
// [end]

// [part matched]
    whole_text<Kind>(text, n, [=](unsigned bin) {
        unsigned same = __match_any_sync(__activemask(), bin);
        if ((same & ((1u << lane) - 1)) == 0) atomicAdd(&counts[bin], (count)__popc(same));
    });
// [end]

// [part privatized]
    zero(s, Kind::bins);
    whole_text<Kind>(text, n, [=](unsigned bin) { atomicAdd(&s[bin], 1); });
    add_up(s, Kind::bins, 1, 1, 0, counts);
// [end]

// [part reduced]
    zero(s, Kind::bins);
    whole_text<Kind>(text, n, [=](unsigned bin) { atomicAdd(&s[bin], 1); });
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < Kind::bins; bin += blockDim.x) partial[bin * gridDim.x + blockIdx.x] = s[bin];
// [end]

// [part reduced]
    if (threadIdx.x == 0) {
        count sum = 0;
        for (unsigned b = 0; b < blocks; b++) sum += partial[blockIdx.x * blocks + b];
        counts[blockIdx.x] = sum;
    }
// [end]

// [part lanes]
    unsigned* mine = s + threadIdx.x % 32;
    zero(s, 32 * Kind::rows);
    whole_text<Kind>(text, n, [=](unsigned bin) { atomicAdd(&mine[bin * 32], 1); });
    add_up(s, Kind::bins, 32, 32, 1, counts);
// [end]
