// Found before CUDA's own header of this name: adds what CUDA 13 took away from CUDA 11 and 12.
#pragma GCC system_header
// CUDA 13 declares the votes without a mask, and the assembler refuses them: these names are left to the functions that stand for
// them. With an older nvcc, CUDA's own stay.
#if !defined(__CUDACC_VER_MAJOR__) || __CUDACC_VER_MAJOR__ >= 13
#define __any warplab_removed_any
#define __all warplab_removed_all
#define __ballot warplab_removed_ballot
#endif
#include_next <cuda_runtime.h>
#undef __any
#undef __all
#undef __ballot
#include "warplab_runtime.h"
