// target: compute_80
// Four 8 x 8 matrices of halves from shared memory, then one, their rows `stride` bytes apart.
extern "C" __global__ void rows(unsigned *out, int stride) {
    extern __shared__ __align__(16) unsigned char bytes[];
    unsigned t = threadIdx.x, r[5];
    for (int i = t; i < 8 * stride; i += 32) ((unsigned *)bytes)[i] = i;
    __syncwarp();
    unsigned at = (unsigned)__cvta_generic_to_shared(bytes + t * stride);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[4]) : "r"(at) : "memory");
    for (int k = 0; k < 5; k++) out[k * 32 + t] = r[k];
}
