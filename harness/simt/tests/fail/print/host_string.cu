// launch: hello<<<1, 1>>>(text: u8[16] = host)
// The string lies in the host's memory.
extern "C" __device__ int vprintf(const char*, void*);
extern "C" __global__ void hello(const char* text) {
    const void* arguments[1] = {text};
    vprintf("%s\n", arguments);
}
