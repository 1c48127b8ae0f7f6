# Toolchain file for CMake: nvcc, with the settings that `warplab exec` needs to run programs on the embedded machine: the
# runtime as a shared library, and PTX in the program. Written by `warplab nvcc --cmake`. Use it with a CUDA C++ project as
#   cmake -B build -DCMAKE_TOOLCHAIN_FILE="$(warplab nvcc --cmake)"
set(CMAKE_CUDA_COMPILER "@NVCC@")
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
# 75 keeps PTX along with machine code, and so does what stands for 90-real. Without a GPU, CMake refuses `native`. A project that
# sets architectures after project() should keep PTX too: 90, not 90-real.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75)
endif()
list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "-real$" "")
if(CMAKE_CUDA_ARCHITECTURES STREQUAL "native" AND NOT EXISTS "/dev/nvidiactl")
  set(CMAKE_CUDA_ARCHITECTURES 80 90)
endif()
# The libraries for CUDA::cuda_driver and CUDA::nvml, if no toolkit provides a stub of NVIDIA's driver.
if(NOT EXISTS "/usr/local/cuda/lib64/stubs/libcuda.so")
  set(CUDA_cuda_driver_LIBRARY "@LINK@/libcuda.so" CACHE FILEPATH "The CUDA driver's library for the linker")
  set(CUDA_nvml_LIBRARY "@LINK@/libnvidia-ml.so" CACHE FILEPATH "NVML's library for the linker")
  # For projects that name them by -lcuda and -lnvidia-ml.
  foreach(kind EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-L\"@LINK@\"")
  endforeach()
endif()
# Programs that are started without `warplab exec` find the runtime that uses the embedded machine where there is no GPU.
set(CMAKE_BUILD_RPATH "@RUNTIME@")
# With line information, findings name the source line.
set(CMAKE_CUDA_FLAGS_INIT "-lineinfo")
# For all architectures, nvcc keeps the PTX of the newest only.
if(CMAKE_CUDA_ARCHITECTURES MATCHES "^all")
  string(APPEND CMAKE_CUDA_FLAGS_INIT " -gencode=arch=compute_80,code=compute_80 -gencode=arch=compute_90,code=compute_90")
endif()
# Headers that add what CUDA 13 took away from CUDA 11 and 12; -DWARPLAB_COMPATIBILITY=OFF leaves them out.
if(NOT DEFINED WARPLAB_COMPATIBILITY OR WARPLAB_COMPATIBILITY)
  string(APPEND CMAKE_CUDA_FLAGS_INIT " -I\"@HEADERS@\"")
endif()
# `ctest` runs the programs by `warplab exec`; the first name is for CMake before 3.29.
set(CMAKE_CROSSCOMPILING_EMULATOR "@WARPLAB@;exec")
set(CMAKE_TEST_LAUNCHER "@WARPLAB@;exec")
