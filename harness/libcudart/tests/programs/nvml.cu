// NVML next to the runtime: a program that is linked with it, and what both say of the device.
// nvcc: -lnvidia-ml
#include "common.cuh"
#include <cstring>
#include <nvml.h>

int main() {
    cudaDeviceProp runtime;
    OK(cudaGetDeviceProperties(&runtime, 0));
    if (nvmlInit_v2() != NVML_SUCCESS) return 1;
    unsigned devices = 0;
    nvmlDevice_t device;
    char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
    nvmlMemory_t memory;
    int major = 0, minor = 0;
    if (nvmlDeviceGetCount_v2(&devices) != NVML_SUCCESS || devices != 1) return 2;
    if (nvmlDeviceGetHandleByIndex_v2(0, &device) != NVML_SUCCESS) return 3;
    if (nvmlDeviceGetName(device, name, sizeof name) != NVML_SUCCESS) return 4;
    if (nvmlDeviceGetCudaComputeCapability(device, &major, &minor) != NVML_SUCCESS) return 5;
    if (nvmlDeviceGetMemoryInfo(device, &memory) != NVML_SUCCESS || memory.total < runtime.totalGlobalMem) return 6;
    printf("%s %d\n", strcmp(name, runtime.name) == 0 ? "same name" : name, major == runtime.major && minor == runtime.minor);
    return nvmlShutdown() != NVML_SUCCESS;
}
