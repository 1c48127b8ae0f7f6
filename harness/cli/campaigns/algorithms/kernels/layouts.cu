// How data lies in memory: bit-fields, padding, unions, arrays of a thread, objects with virtual functions.
#include "../common.cuh"

struct Packed {
    unsigned low : 5;
    unsigned middle : 11;
    int high : 9;
};

union Word {
    float number;
    unsigned bits;
    unsigned char bytes[4];
};

struct Message {
    char kind;
    // Three bytes of padding follow.
    Word word;
    short length;
    // Two bytes of padding follow.
};

// Takes each number apart into bit-fields in a register, and puts it together in memory.
__global__ void pack(const int *in, Packed *out, Message *messages, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Packed packed;
    packed.low = in[i] & 31;
    packed.middle = in[i] >> 5 & 2047;
    packed.high = -(in[i] % 200);
    out[i] = packed;
    Message message;
    message.kind = char(in[i] % 7);
    message.word.number = float(in[i]);
    message.word.bytes[3] ^= 0x80;
    message.length = short(i % 100);
    messages[i] = message;
}

// Sorts seven numbers of a thread in an array of its own, whose places the numbers decide.
__global__ void medians(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sorted[7], count = 0;
    for (int k = i; k < i + 7; k++) {
        int value = in[k % n], place = count++;
        while (place > 0 && sorted[place - 1] > value) {
            sorted[place] = sorted[place - 1];
            place--;
        }
        sorted[place] = value;
    }
    out[i] = sorted[3];
}

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};

struct Box : Shape {
    float width, height;
    __device__ Box(float width, float height) : width(width), height(height) {}
    __device__ float area() const override { return width * height; }
};

struct Disk : Shape {
    float radius;
    __device__ Disk(float radius) : radius(radius) {}
    __device__ float area() const override { return 3 * radius * radius; }
};

// Objects on the device's heap.
__global__ void areas(const int *in, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Shape *shape;
        if (in[i] % 2) shape = new Box(float(in[i] % 10), 2);
        else shape = new Disk(float(in[i] % 10));
        out[i] = shape->area();
        delete shape;
    }
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"pack", [](int n) {
            std::vector<int> values = numbers(n, 1 << 16);
            Array<int> in(values);
            Array<Packed> out(n);
            Array<Message> messages(n);
            pack<<<(n + 127) / 128, 128>>>(in.get(), out.get(), messages.get(), n);
            std::vector<Packed> packed = out.first(n);
            std::vector<Message> sent = messages.first(n);
            for (int i = 0; i < n; i++) {
                int value = values[i];
                Packed p = packed[i];
                if (int(p.low) != (value & 31) || int(p.middle) != (value >> 5 & 2047) || p.high != -(value % 200))
                    return false;
                if (sent[i].kind != value % 7 || sent[i].word.number != -float(value) || sent[i].length != i % 100)
                    return false;
            }
            return true;
        }},
        {"medians", [](int n) {
            std::vector<int> values = numbers(n), expected(n);
            for (int i = 0; i < n; i++) {
                std::vector<int> seven;
                for (int k = i; k < i + 7; k++) seven.push_back(values[k % n]);
                std::sort(seven.begin(), seven.end());
                expected[i] = seven[3];
            }
            Array<int> in(values), out(n);
            medians<<<(n + 63) / 64, 64>>>(in.get(), out.get(), n);
            return out.is(expected);
        }},
        {"areas", [](int n) {
            std::vector<int> values = numbers(n);
            std::vector<float> expected;
            for (int v : values) expected.push_back(v % 2 ? v % 10 * 2.0f : 3.0f * (v % 10) * (v % 10));
            Array<int> in(values);
            Array<float> out(n);
            areas<<<4, 64>>>(in.get(), out.get(), n);
            return out.is(expected);
        }},
    });
}
