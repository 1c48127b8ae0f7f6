// How the lanes of a warp communicate: shuffles of every kind and width, votes, matches, reductions, masks.
// nvcc: -arch=sm_80
#include "common.cuh"

template <typename T> __device__ bool shuffles_are_right() {
    const unsigned all = 0xffffffff;
    int lane = threadIdx.x;
    T own = T(lane) + T(0.25), value;
    auto is = [&](T found, int from) { return found == T(from) + T(0.25); };
    bool right = true;
    value = __shfl_sync(all, own, 5);
    right &= is(value, 5);
    value = __shfl_sync(all, own, lane + 3, 8);
    right &= is(value, lane / 8 * 8 + (lane + 3) % 8);
    value = __shfl_up_sync(all, own, 4);
    right &= is(value, lane < 4 ? lane : lane - 4);
    value = __shfl_up_sync(all, own, 2, 16);
    right &= is(value, lane % 16 < 2 ? lane : lane - 2);
    value = __shfl_down_sync(all, own, 1);
    right &= is(value, lane == 31 ? lane : lane + 1);
    value = __shfl_down_sync(all, own, 3, 4);
    right &= is(value, lane % 4 == 0 ? lane + 3 : lane);
    value = __shfl_xor_sync(all, own, 16);
    right &= is(value, lane ^ 16);
    value = __shfl_xor_sync(all, own, 7, 8);
    right &= is(value, lane ^ 7);
    return right;
}

__global__ void check(int *wrong) {
    const unsigned all = 0xffffffff;
    int lane = threadIdx.x;
    bool right = shuffles_are_right<int>() && shuffles_are_right<unsigned>() && shuffles_are_right<long long>() &&
                 shuffles_are_right<unsigned long long>() && shuffles_are_right<float>() &&
                 shuffles_are_right<double>();
    right &= __ballot_sync(all, lane % 3 == 0) == 0x49249249;
    right &= __all_sync(all, lane < 32) && !__all_sync(all, lane < 31);
    right &= __any_sync(all, lane == 31) && !__any_sync(all, lane == 32);
    right &= __match_any_sync(all, lane / 8) == 0xffu << lane / 8 * 8;
    int same;
    right &= __match_all_sync(all, 7, &same) == all && same;
    right &= __match_all_sync(all, lane, &same) == 0 && !same;
    right &= __match_any_sync(all, (unsigned long long)(lane % 2) << 40) == (lane % 2 ? 0xaaaaaaaa : 0x55555555);
    right &= __reduce_add_sync(all, lane) == 496 && __reduce_max_sync(all, -lane) == 0;
    right &= __reduce_min_sync(all, (unsigned)lane + 3) == 3 && __reduce_or_sync(all, 1u << lane) == all;
    right &= __reduce_and_sync(all, 0xf0u | lane) == 0xf0 && __reduce_xor_sync(all, (unsigned)lane) == 0;
    // Some of the lanes only.
    if (lane % 2) {
        unsigned odd = 0xaaaaaaaa;
        right &= __activemask() == odd && __popc(__ballot_sync(odd, lane > 16)) == 8;
        right &= __reduce_add_sync(odd, 1) == 16;
        right &= __shfl_sync(odd, lane, 1) == 1;
    }
    __syncwarp();
    right &= __popc(0xff00ff) == 16 && __ffs(8) == 4 && __clz(1) == 31 && __brev(1) == 0x80000000;
    right &= __popcll(~0ull) == 64 && __ffsll(1ll << 40) == 41 && __clzll(1) == 63 && __ffs(0) == 0;
    if (!right) atomicAdd(wrong, 1);
}

int main() {
    int *wrong, host;
    OK(cudaMalloc(&wrong, sizeof *wrong));
    OK(cudaMemset(wrong, 0, sizeof *wrong));
    check<<<1, 32>>>(wrong);
    OK(cudaMemcpy(&host, wrong, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d lanes are wrong\n", host);
    OK(cudaFree(wrong));
    return host;
}
