// Kernels that launch kernels, graphs of kernels, and streams that share managed memory.
// nvcc: -rdc=true
#include "../common.cuh"

__global__ void fill(int *out, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}

// Fills halves of halves, each by a launch from the device.
__global__ void depth(int *out, int first, int count, int level) {
    if (level == 3 || count < 8) {
        fill<<<count / 64 + 1, 64>>>(out + first, count, level);
        return;
    }
    int half = count / 2;
    depth<<<1, 1>>>(out, first, half, level + 1);
    depth<<<1, 1>>>(out, first + half, count - half, level + 1);
}

__global__ void add(const int *a, const int *b, int *sum, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum[i] = a[i] + b[i];
}

__global__ void triple(int *values, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) values[i] *= 3;
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"depth", [](int n) {
            Array<int> out(n);
            depth<<<1, 1>>>(out.get(), 0, n, 0);
            std::vector<int> expected(n);
            std::function<void(int, int, int)> go = [&](int first, int count, int level) {
                if (level == 3 || count < 8) {
                    std::fill_n(expected.begin() + first, count, level);
                    return;
                }
                go(first, count / 2, level + 1);
                go(first + count / 2, count - count / 2, level + 1);
            };
            go(0, n, 0);
            return out.is(expected);
        }},
        {"graph", [](int n) {
            std::vector<int> x = numbers(n), y = numbers(n, 1000, 2), expected(n);
            for (int i = 0; i < n; i++) expected[i] = 9 * x[i] + 3 * y[i];
            Array<int> a(x), b(y), sum(n);
            cudaStream_t first, second;
            cudaEvent_t fork, join;
            OK(cudaStreamCreate(&first));
            OK(cudaStreamCreate(&second));
            OK(cudaEventCreate(&fork));
            OK(cudaEventCreate(&join));
            // Two branches change a and b at the same time; their results meet.
            OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
            OK(cudaEventRecord(fork, first));
            OK(cudaStreamWaitEvent(second, fork, 0));
            triple<<<4, 64, 0, first>>>(a.get(), n);
            triple<<<4, 64, 0, first>>>(a.get(), n);
            triple<<<4, 64, 0, second>>>(b.get(), n);
            OK(cudaEventRecord(join, second));
            OK(cudaStreamWaitEvent(first, join, 0));
            add<<<4, 64, 0, first>>>(a.get(), b.get(), sum.get(), n);
            cudaGraph_t graph;
            cudaGraphExec_t executable;
            OK(cudaStreamEndCapture(first, &graph));
            OK(cudaGraphInstantiate(&executable, graph, 0));
            OK(cudaGraphLaunch(executable, first));
            OK(cudaStreamSynchronize(first));
            bool right = sum.is(expected);
            OK(cudaGraphExecDestroy(executable));
            OK(cudaGraphDestroy(graph));
            OK(cudaEventDestroy(fork));
            OK(cudaEventDestroy(join));
            OK(cudaStreamDestroy(first));
            OK(cudaStreamDestroy(second));
            return right;
        }},
        {"managed", [](int n) {
            int *values;
            OK(cudaMallocManaged(&values, n * sizeof(int)));
            cudaStream_t streams[2];
            for (cudaStream_t &stream : streams) OK(cudaStreamCreate(&stream));
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < n; i++) values[i] = i + round;
                // Each stream has its own half.
                triple<<<3, 64, 0, streams[0]>>>(values, n / 2);
                triple<<<3, 64, 0, streams[1]>>>(values + n / 2, n - n / 2);
                OK(cudaDeviceSynchronize());
                for (int i = 0; i < n; i++)
                    if (values[i] != 3 * (i + round)) return false;
            }
            for (cudaStream_t &stream : streams) OK(cudaStreamDestroy(stream));
            OK(cudaFree(values));
            return true;
        }},
    });
}
