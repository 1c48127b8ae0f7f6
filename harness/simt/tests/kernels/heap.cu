// malloc, free, new and delete in device code.
struct Node {
    int value;
    Node *next;
};

extern "C" __global__ void neighbours(int **rows, int *out) {
    int t = threadIdx.x;
    rows[t] = (int *)malloc(16 + t * 4);
    rows[t][3] = 100 + t;
    __syncthreads();
    out[t] = rows[(t + 1) % blockDim.x][3];
    __syncthreads();
    free(rows[t]);
}

extern "C" __global__ void list(int *out, int n) {
    Node *head = nullptr;
    for (int i = 0; i < n; i++) head = new Node{i * (int)threadIdx.x, head};
    int sum = 0;
    while (head) {
        sum += head->value;
        Node *next = head->next;
        delete head;
        head = next;
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void keep(int **slot) { *slot = new int(42); }

extern "C" __global__ void take(int **slot, int *out) {
    *out = **slot;
    delete *slot;
}

extern "C" __global__ void too_much(int *out) { out[0] = malloc(1ull << 40) == nullptr; }

extern "C" __global__ void twice(int *out) {
    int *p = (int *)malloc(4);
    out[0] = 1;
    free(p);
    out[1] = 1;
    free(p);
    out[2] = 1;
}

extern "C" __global__ void wrong(char *p) { free(p + 1); }
