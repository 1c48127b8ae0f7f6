// Copies of A and B whose rows begin at multiples of 16 bytes, as the tensor memory accelerator needs them.
//
//  pad_both_4, pad_both_2  like pad (tf32_hopper.cu, bf16_hopper.cu), but one launch copies both matrices: of elements of 4
//                          bytes, or of 2. A matrix that is not to be copied has 0 rows here.
//
// Any grid of one dimension: a thread takes 16 bytes of the copies after another. Only kernels of 9.0 need it.
// target: compute_90

template <class T>
struct Copied {
    static constexpr unsigned PIECE = 16 / sizeof(T);  // elements of 16 bytes
    const T* from;
    T* to;
    unsigned rows, columns, stride;

    __device__ size_t pieces() const { return (size_t)rows * (stride / PIECE); }

    // Elements beyond a row's end are 0.
    __device__ void copy(size_t piece) const {
        size_t row = piece / (stride / PIECE);
        unsigned column = piece % (stride / PIECE) * PIECE;
        __align__(16) T part[PIECE];
#pragma unroll
        for (unsigned c = 0; c < PIECE; c++)
            part[c] = column + c < columns ? from[row * columns + column + c] : (T)0;
        *(uint4*)&to[row * stride + column] = *(const uint4*)part;
    }
};

template <class T>
__device__ void pad_both(Copied<T> a, Copied<T> b) {
    size_t first = a.pieces(), all = first + b.pieces();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < all; i += (size_t)gridDim.x * blockDim.x) {
        if (i < first)
            a.copy(i);
        else
            b.copy(i - first);
    }
}

#define PAD_BOTH(NAME, T)                                                                                           \
    extern "C" __global__ void NAME(const T* a, T* to_a, unsigned rows_a, unsigned columns_a, unsigned stride_a,    \
                                    const T* b, T* to_b, unsigned rows_b, unsigned columns_b, unsigned stride_b) {  \
        pad_both<T>({a, to_a, rows_a, columns_a, stride_a}, {b, to_b, rows_b, columns_b, stride_b});                \
    }

PAD_BOTH(pad_both_4, float)
PAD_BOTH(pad_both_2, unsigned short)
