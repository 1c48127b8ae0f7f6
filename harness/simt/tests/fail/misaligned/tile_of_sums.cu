// launch: store<<<1, 32>>>(out: f32[520])
// target: compute_80
// A tile of sums that begins at an odd word: its rows are stored in pairs.
extern "C" __global__ void store(float* out) {
    float a = threadIdx.x;
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %1, %1, %1, %1, %1, %1, %1}, 16;" ::"l"(
                     out + 1),
                 "f"(a)
                 : "memory");
}
