// Memory from the device's own heap: lists, memory that lives from one launch to the next, and more than there is.
#include "common.cuh"

struct Node {
    int value;
    Node *next;
};

// Each thread makes a list of its own.
__global__ void build(Node **lists, int length) {
    Node *head = nullptr;
    for (int i = 0; i < length; i++) {
        Node *node = new Node;
        node->value = threadIdx.x * 100 + i;
        node->next = head;
        head = node;
    }
    lists[threadIdx.x] = head;
}

// A later launch reads and frees them.
__global__ void sum(Node **lists, int *sums) {
    int total = 0;
    for (Node *node = lists[threadIdx.x]; node;) {
        total += node->value;
        Node *next = node->next;
        delete node;
        node = next;
    }
    sums[threadIdx.x] = total;
}

__global__ void share(int *result) {
    __shared__ int *data;
    if (threadIdx.x == 0) data = (int *)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    if (data) data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int i = 0; i < blockDim.x; i++) total += data[i];
        *result = total;
        free(data);
    }
}

__global__ void too_much(int *is_refused) {
    void *p = malloc((size_t)1 << 40);
    *is_refused = p == nullptr;
    free(p);
}

int main() {
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    Node **lists;
    int *results, host[32];
    OK(cudaMalloc(&lists, 32 * sizeof *lists));
    OK(cudaMalloc(&results, sizeof host));
    build<<<1, 32>>>(lists, 10);
    sum<<<1, 32>>>(lists, results);
    OK(cudaMemcpy(host, results, sizeof host, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 32; t++) IS(host[t] == 1000 * t + 45);
    share<<<1, 64>>>(results);
    OK(cudaMemcpy(host, results, sizeof *host, cudaMemcpyDeviceToHost));
    IS(host[0] == 64 * 63 / 2);
    too_much<<<1, 1>>>(results);
    OK(cudaMemcpy(host, results, sizeof *host, cudaMemcpyDeviceToHost));
    IS(host[0] == 1);
    OK(cudaFree(lists));
    OK(cudaFree(results));
    puts("the heap is right");
}
