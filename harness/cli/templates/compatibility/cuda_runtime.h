// Found before CUDA's own header of this name: adds what CUDA 13 took away from CUDA 11 and 12.
#pragma GCC system_header
#include_next <cuda_runtime.h>
#include "warplab_runtime.h"
