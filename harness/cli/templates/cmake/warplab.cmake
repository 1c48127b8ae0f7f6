# For CMake: nvcc, and what a program needs so that `warplab exec` can run it on the embedded machine: the runtime as a
# shared library, and PTX in the program. `warplab nvcc --cmake` wrote this file. Use it with a project of CUDA C++ as
#   cmake -B build -DCMAKE_TOOLCHAIN_FILE="$(warplab nvcc --cmake)"
set(CMAKE_CUDA_COMPILER "@NVCC@")
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
# 75 keeps PTX beside machine code. A project that names architectures of its own should keep PTX too: 90, not 90-real.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75)
endif()
# What CUDA::cuda_driver and CUDA::nvml link with, where no toolkit brings a stub of NVIDIA's driver.
if(NOT EXISTS "/usr/local/cuda/lib64/stubs/libcuda.so")
  set(CUDA_cuda_driver_LIBRARY "@LINK@/libcuda.so" CACHE FILEPATH "The CUDA driver's library for the linker")
  set(CUDA_nvml_LIBRARY "@LINK@/libnvidia-ml.so" CACHE FILEPATH "NVML's library for the linker")
endif()
# Findings then name the line of the source.
set(CMAKE_CUDA_FLAGS_INIT "-lineinfo")
# `ctest` runs the programs by `warplab exec`; the first name is for CMake before 3.29.
set(CMAKE_CROSSCOMPILING_EMULATOR "@WARPLAB@;exec")
set(CMAKE_TEST_LAUNCHER "@WARPLAB@;exec")
