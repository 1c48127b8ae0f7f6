// Tensor maps of matrices, made by the driver's function, which the runtime finds.
#pragma once
#include "common.cuh"
#include <cuda.h>

// A map of a matrix in rows without gaps, of which copies take boxes.
static CUresult plane(CUtensorMap *map, CUtensorMapDataType type, void *data, int width, int height, unsigned box_width,
                      unsigned box_height, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status));
    IS(status == cudaDriverEntryPointSuccess && found);
    cuuint64_t sizes[2] = {cuuint64_t(width), cuuint64_t(height)}, strides[1] = {cuuint64_t(width) * 4};
    cuuint32_t box[2] = {box_width, box_height}, steps[2] = {1, 1};
    return ((decltype(&cuTensorMapEncodeTiled))found)(map, type, 2, data, sizes, strides, box, steps,
                                                      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                                      CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
