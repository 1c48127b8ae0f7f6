# Toolchain file for CMake: the compiler of `warplab nvcc`, and the settings that `warplab exec` needs to run programs on the embedded
# machine. Written by `warplab nvcc --cmake`. Use it with a CUDA C++ project as
#   cmake -B build -DCMAKE_TOOLCHAIN_FILE="$(warplab nvcc --cmake)"
set(CMAKE_CUDA_COMPILER "@NVCC@")
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
# Without a GPU, CMake refuses `native`.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75)
endif()
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
# The compiler includes headers that add what CUDA 13 took away from CUDA 11 and 12; this leaves them out.
if(DEFINED WARPLAB_COMPATIBILITY AND NOT WARPLAB_COMPATIBILITY)
  string(APPEND CMAKE_CUDA_FLAGS_INIT " --no-compatibility")
endif()
# `ctest` runs the programs by `warplab exec`; the first name is for CMake before 3.29.
set(CMAKE_CROSSCOMPILING_EMULATOR "@WARPLAB@;exec")
set(CMAKE_TEST_LAUNCHER "@WARPLAB@;exec")
