// Many copies by one call, of one and of three dimensions; and many ranges of managed memory that are moved, or whose
// contents are given up.
#include "common.cuh"
#include <cstring>

__global__ void add(int *p, int value) {
    p[threadIdx.x] += value;
}

int main() {
    const int N = 32;
    const size_t bytes = N * sizeof(int);
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int *a, *b, *pinned, back[2 * N];
    OK(cudaMalloc(&a, bytes));
    OK(cudaMalloc(&b, bytes));
    OK(cudaMallocHost(&pinned, bytes));
    for (int i = 0; i < N; i++) pinned[i] = i;

    // Two attributes: the first is for the first copy, the second for the rest. What the second call of this kind reads lies
    // on the stack, and is no longer needed when the call has returned.
    cudaMemcpyAttributes how[2] = {};
    how[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    how[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    how[1].flags = cudaMemcpyFlagPreferOverlapWithCompute;
    size_t first[2] = {0, 1};
    {
        int brief[N];
        for (int i = 0; i < N; i++) brief[i] = 100 + i;
        void *to[2] = {a, b};
        const void *from[2] = {pinned, brief};
        size_t sizes[2] = {bytes, bytes};
        OK(cudaMemcpyBatchAsync(to, from, sizes, 2, how, first, 2, stream));
        memset(brief, 0, sizeof brief);
    }
    add<<<1, N, 0, stream>>>(a, 1000);
    add<<<1, N, 0, stream>>>(b, 1000);
    void *to[2] = {back, back + N};
    const void *from[2] = {a, b};
    size_t sizes[2] = {bytes, bytes};
    OK(cudaMemcpyBatchAsync(to, from, sizes, 2, how, first, 1, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < N; i++) IS(back[i] == 1000 + i && back[N + i] == 1100 + i);

    // What must be right about a batch.
    auto batch = [&](size_t count, size_t attributes, cudaStream_t in) {
        return CODE(cudaMemcpyBatchAsync(to, from, sizes, count, how, first, attributes, in));
    };
    IS(batch(0, 1, stream) == cudaErrorInvalidValue && batch(2, 0, stream) == cudaErrorInvalidValue);
    IS(batch(1, 2, stream) == cudaErrorInvalidValue && batch(2, 1, nullptr) == cudaErrorInvalidValue);
    IS(batch(2, 1, cudaStreamLegacy) == cudaErrorInvalidValue && batch(2, 1, cudaStreamPerThread) == cudaSuccess);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    first[0] = 1;
    IS(batch(2, 1, stream) == cudaErrorInvalidValue);
    first[0] = first[1] = 0;
    IS(batch(2, 2, stream) == cudaErrorInvalidValue);
    first[1] = 2;
    IS(batch(2, 2, stream) == cudaErrorInvalidValue);
    how[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    IS(batch(2, 1, stream) == cudaErrorInvalidValue);
    how[0].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
    how[0].flags = 2;
    IS(batch(2, 1, stream) == cudaErrorInvalidValue);
    how[0].flags = 0;
    how[0].srcLocHint = {cudaMemLocationTypeDevice, 77};
    IS(batch(2, 1, stream) == cudaErrorInvalidValue);
    how[0].srcLocHint = {};
    sizes[1] = 0;
    IS(batch(2, 1, stream) == cudaErrorInvalidValue);

    // A box of 4 by 3 by 2 bytes out of one of 8 by 4 by 2, and one of an array's elements.
    unsigned char *box, small[24];
    OK(cudaMallocManaged(&box, 64));
    for (int i = 0; i < 64; i++) box[i] = i;
    cudaArray_t array;
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<int>();
    OK(cudaMalloc3DArray(&array, &texel, make_cudaExtent(8, 4, 0)));
    OK(cudaMemcpy2DToArray(array, 0, 0, pinned, 32, 32, 4, cudaMemcpyHostToDevice));
    cudaMemcpy3DBatchOp op[2] = {};
    op[0].src.type = op[0].dst.type = op[1].dst.type = cudaMemcpyOperandTypePointer;
    op[0].src.op.ptr.ptr = box + 9;
    op[0].src.op.ptr.rowLength = 8;
    op[0].src.op.ptr.layerHeight = 4;
    op[0].dst.op.ptr.ptr = small;
    op[0].extent = make_cudaExtent(4, 3, 2);
    op[0].srcAccessOrder = op[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    op[1].src.type = cudaMemcpyOperandTypeArray;
    op[1].src.op.array.array = array;
    op[1].src.op.array.offset = {2, 1, 0};
    op[1].dst.op.ptr.ptr = back;
    op[1].dst.op.ptr.rowLength = 5;
    op[1].extent = make_cudaExtent(3, 2, 1);
    OK(cudaMemcpy3DBatchAsync(2, op, 0, stream));
    OK(cudaStreamSynchronize(stream));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++) IS(small[(z * 3 + y) * 4 + x] == 9 + z * 32 + y * 8 + x);
    IS(back[0] == 10 && back[2] == 12 && back[5] == 18 && back[7] == 20);
    auto boxes = [&](size_t count, unsigned long long flags, cudaStream_t in) {
        return CODE(cudaMemcpy3DBatchAsync(count, op, flags, in));
    };
    IS(boxes(0, 0, stream) == cudaErrorInvalidValue && boxes(2, 1, stream) == cudaErrorInvalidValue);
    IS(boxes(2, 0, nullptr) == cudaErrorInvalidValue);
    op[0].src.op.ptr.rowLength = 3;
    IS(boxes(1, 0, stream) == cudaErrorInvalidValue);
    op[0].src.op.ptr.rowLength = 8;
    op[0].extent.depth = 0;
    IS(boxes(1, 0, stream) == cudaErrorInvalidValue);
    op[0].extent.depth = 2;
    op[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    IS(boxes(1, 0, stream) == cudaErrorInvalidValue);
    OK(cudaStreamSynchronize(stream));

    // Managed memory goes to the device and comes back.
    const size_t part = 2 << 20;
    char *one, *other;
    OK(cudaMallocManaged(&one, part));
    OK(cudaMallocManaged(&other, part));
    memset(one, 5, part);
    memset(other, 5, part);
    void *parts[2] = {one, other};
    size_t lengths[2] = {part, part}, begins[2] = {0, 1};
    cudaMemLocation places[2] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
    OK(cudaMemPrefetchBatchAsync(parts, lengths, 2, places, begins, 2, 0, stream));
    OK(cudaStreamSynchronize(stream));
    int last[2] = {-9, -9};
    for (int i = 0; i < 2; i++) {
        OK(cudaMemRangeGetAttribute(&last[i], sizeof(int), cudaMemRangeAttributeLastPrefetchLocation, parts[i], part));
    }
    IS(last[0] == 0 && last[1] == cudaCpuDeviceId);
    IS(one[0] == 5 && other[part - 1] == 5);
    // What was given up may be anything until it is written again.
    OK(cudaMemDiscardBatchAsync(parts, lengths, 1, 0, stream));
    OK(cudaStreamSynchronize(stream));
    memset(one, 6, part);
    IS(one[part - 1] == 6 && other[0] == 5);
    OK(cudaMemDiscardAndPrefetchBatchAsync(parts, lengths, 2, places, begins, 1, 0, stream));
    for (void *p : parts) OK(cudaMemsetAsync(p, 7, part, stream));
    OK(cudaStreamSynchronize(stream));
    IS(one[0] == 7 && other[part - 1] == 7);
    auto moved = [&](size_t count, size_t locations, unsigned long long flags, cudaStream_t in) {
        return CODE(cudaMemPrefetchBatchAsync(parts, lengths, count, places, begins, locations, flags, in));
    };
    IS(moved(0, 1, 0, stream) == cudaErrorInvalidValue && moved(2, 0, 0, stream) == cudaErrorInvalidValue);
    IS(moved(1, 2, 0, stream) == cudaErrorInvalidValue && moved(2, 1, 1, stream) == cudaErrorInvalidValue);
    IS(moved(2, 1, 0, nullptr) == cudaErrorInvalidValue);
    IS(CODE(cudaMemDiscardBatchAsync(parts, lengths, 0, 0, stream)) == cudaErrorInvalidValue);
    IS(CODE(cudaMemDiscardBatchAsync(parts, lengths, 2, 1, stream)) == cudaErrorInvalidValue);

    OK(cudaFree(one));
    OK(cudaFree(other));
    OK(cudaFree(box));
    OK(cudaFreeArray(array));
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFreeHost(pinned));
    OK(cudaStreamDestroy(stream));
    puts("batches are right");
}
