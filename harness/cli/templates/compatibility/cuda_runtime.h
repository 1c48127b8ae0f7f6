// Found before CUDA's own header of this name: adds what CUDA 13 took away from CUDA 11 and 12.
#pragma GCC system_header
// CUDA declares the votes without a mask, and the assembler refuses them: these names are left to the functions that stand for them.
#define __any warplab_removed_any
#define __all warplab_removed_all
#define __ballot warplab_removed_ballot
#include_next <cuda_runtime.h>
#undef __any
#undef __all
#undef __ballot
#include "warplab_runtime.h"
