"""The columns in numba's CUDA simulator: prints each kernel's name and elements per second, or why there is no rate."""

import time

import numpy as np
from numba import config, cuda, float32, uint32

if not config.ENABLE_CUDASIM:
    raise SystemExit("NUMBA_ENABLE_CUDASIM=1 must be set")

N, SIDE, BLOCK = 1 << 12, 32, 256


@cuda.jit
def vecadd(x, y, z, n):
    i = cuda.grid(1)
    if i < n:
        z[i] = x[i] + y[i]


@cuda.jit
def trapezoid_atomic(a, h, n, total):
    i = cuda.grid(1)
    if 0 < i < n:
        x = a + i * h
        cuda.atomic.add(total, 0, x * x + 1)


@cuda.jit
def trapezoid_shuffle(a, h, n, total):
    i = cuda.grid(1)
    x = a + i * h
    value = x * x + 1 if 0 < i < n else float32(0)
    for d in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
    if cuda.laneid == 0:
        cuda.atomic.add(total, 0, value)


@cuda.jit
def histogram(text, bins, n):
    local = cuda.shared.array(256, uint32)
    local[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for k in range(cuda.grid(1), n, cuda.gridsize(1)):
        cuda.atomic.add(local, text[k], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, cuda.threadIdx.x, local[cuda.threadIdx.x])


@cuda.jit
def matmul(a, b, c, n):
    ta = cuda.shared.array((16, 16), float32)
    tb = cuda.shared.array((16, 16), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0)
    for t in range(n // 16):
        ta[y, x] = a[row, t * 16 + x]
        tb[y, x] = b[t * 16 + y, column]
        cuda.syncthreads()
        for k in range(16):
            total += ta[y, k] * tb[k, x]
        cuda.syncthreads()
    c[row, column] = total


def measure(kernel, elements, grid, block, *args):
    name = kernel.__name__
    try:
        start = time.perf_counter()
        kernel[grid, block](*args)
        print(name, elements / (time.perf_counter() - start))
    except Exception as error:  # The simulator lacks some features that kernels use.
        print(name, "not supported" if "shfl" in str(error) else type(error).__name__)


ones = np.ones(N, np.float32)
square = np.ones((SIDE, SIDE), np.float32)
text = np.arange(N).astype(np.uint8)
measure(vecadd, N, N // BLOCK, BLOCK, ones, ones, np.zeros_like(ones), N)
for kernel in (trapezoid_atomic, trapezoid_shuffle):
    measure(kernel, N, N // BLOCK, BLOCK, -3.0, 6.0 / N, N, np.zeros(1, np.float32))
measure(histogram, N, 4, 256, text, np.zeros(256, np.uint32), N)
measure(matmul, SIDE**3, (SIDE // 16, SIDE // 16), (16, 16), square, square, np.zeros_like(square), SIDE)
