// launch: list<<<1, 1>>>(y: i32[1], 5)
// The next node is read from the one that has just been deleted.
struct Node {
    int value;
    Node* next;
};
extern "C" __global__ void list(int* y, int n) {
    Node* head = nullptr;
    for (int i = 0; i < n; i++) head = new Node{i, head};
    int sum = 0;
    while (head) {
        sum += head->value;
        delete head;
        head = head->next;
    }
    *y = sum;
}
