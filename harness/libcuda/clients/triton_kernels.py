"""Kernels of Triton's tutorials and of its features, each compared with NumPy: pytest triton_kernels.py

There is no PyTorch: an array of the device is all that Triton needs of a tensor, its type and its address.
"""

import ctypes
import math

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as functions

cuda = ctypes.CDLL("libcuda.so.1")
rng = np.random.default_rng(7)


def check(code):
    assert code == 0, f"CUDA error {code}"


@pytest.fixture(autouse=True, scope="session")
def context():
    made = ctypes.c_void_p()
    check(cuda.cuInit(0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(made), 0))
    check(cuda.cuCtxSetCurrent(made))


class Array:
    """An array on the device: the tensor interface that Triton needs, and copies from and to NumPy."""

    def __init__(self, values, dtype=None):
        self.host = np.ascontiguousarray(values)
        self.dtype = dtype or str(self.host.dtype)
        self.shape = self.host.shape
        self.strides = [step // self.host.itemsize for step in self.host.strides]
        self.address = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(max(self.host.nbytes, 1))))
        source = self.host.ctypes.data_as(ctypes.c_void_p)
        check(cuda.cuMemcpyHtoD_v2(self.address, source, ctypes.c_size_t(self.host.nbytes)))

    def data_ptr(self):
        return self.address.value

    def stride(self, axis=None):
        return self.strides if axis is None else self.strides[axis]

    def numpy(self):
        out = np.empty_like(self.host)
        check(cuda.cuMemcpyDtoH_v2(out.ctypes.data_as(ctypes.c_void_p), self.address, ctypes.c_size_t(out.nbytes)))
        return out

    def __del__(self):
        cuda.cuMemFree_v2(self.address)


def empty(shape, dtype=np.float32):
    """An array with initial contents with which no test passes."""
    filled = np.empty(shape, dtype)
    filled.view(np.uint8)[...] = 0xA5
    return Array(filled)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


# --- the tutorials ---


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@pytest.mark.parametrize("n", [1, 1000, 98432])
def test_vector_add(n):
    x, y, out = normal(n), normal(n), empty(n)
    add_kernel[(triton.cdiv(n, 1024),)](Array(x), Array(y), out, n, BLOCK=1024)
    assert np.array_equal(out.numpy(), x + y)


@triton.jit
def softmax_kernel(out, x, row_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        at = tl.arange(0, BLOCK)
        mask = at < columns
        values = tl.load(x + row * row_stride + at, mask=mask, other=-float("inf"))
        values = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * row_stride + at, values / tl.sum(values, axis=0), mask=mask)


@pytest.mark.parametrize("columns", [31, 781])
def test_fused_softmax(columns):
    x, out = normal(57, columns), empty((57, columns))
    softmax_kernel[(16,)](out, Array(x), columns, 57, columns, BLOCK=1024, STAGES=2)
    wide = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out.numpy(), wide / wide.sum(axis=1, keepdims=True), rtol=1e-5)


@triton.jit
def leaky(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  GROUP: tl.constexpr, ACTIVATION: tl.constexpr, PRECISION: tl.constexpr, SUM: tl.constexpr):
    pid = tl.program_id(0)
    across, down = tl.cdiv(N, BN), tl.cdiv(M, BM)
    first = (pid // (GROUP * across)) * GROUP
    size = min(down - first, GROUP)
    pm = first + (pid % (GROUP * across)) % size
    pn = (pid % (GROUP * across)) // size
    rm = (pm * BM + tl.arange(0, BM)) % M
    rn = (pn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * am + rk[None, :] * ak
    pb = b + rk[:, None] * bk + rn[None, :] * bn
    total = tl.zeros((BM, BN), dtype=SUM)
    for k in range(0, tl.cdiv(K, BK)):
        ta = tl.load(pa, mask=rk[None, :] < K - k * BK, other=0)
        tb = tl.load(pb, mask=rk[:, None] < K - k * BK, other=0)
        total = tl.dot(ta, tb, total, input_precision=PRECISION, out_dtype=SUM)
        pa += BK * ak
        pb += BK * bk
    if ACTIVATION:
        total = leaky(total)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(c + rm[:, None] * cm + rn[None, :] * cn, total.to(c.dtype.element_ty), mask=mask)


def bits_of_bfloat16(x):
    """Rounds to numbers with 8 bits of mantissa: returns their 16 bits, and floats."""
    bits = x.view(np.uint32)
    bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return bits, (bits.astype(np.uint32) << 16).view(np.float32)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32-tf32", "float32-ieee", "float32-tf32x3", "int8", "float64"])
@pytest.mark.parametrize("activation", [False, True])
def test_matrix_multiplication(kind, activation):
    M, N, K = 150, 70, 100
    x, y = normal(M, K), normal(K, N)
    precision, total, tolerance = "ieee", tl.float32, 1e-4
    if kind == "float16":
        x, y = x.astype(np.float16), y.astype(np.float16)
        a, b, c = Array(x), Array(y), empty((M, N), np.float16)
        tolerance = 4e-3
    elif kind == "bfloat16":
        (bits, x), (other, y) = bits_of_bfloat16(x), bits_of_bfloat16(y)
        a, b, c = Array(bits, "bfloat16"), Array(other, "bfloat16"), empty((M, N))
    elif kind == "int8":
        x, y = rng.integers(-128, 128, (M, K)).astype(np.int8), rng.integers(-128, 128, (K, N)).astype(np.int8)
        a, b, c, total, tolerance = Array(x), Array(y), empty((M, N), np.int32), tl.int32, 0
        if activation:
            pytest.skip("the activation is for floats")
    elif kind == "float64":
        x, y = x.astype(np.float64), y.astype(np.float64)
        a, b, c, total, tolerance = Array(x), Array(y), empty((M, N), np.float64), tl.float64, 1e-12
    else:
        precision = kind.partition("-")[2]
        a, b, c = Array(x), Array(y), empty((M, N))
        tolerance = 2e-2 if precision == "tf32" else 1e-4
    grid = (triton.cdiv(M, 64) * triton.cdiv(N, 32),)
    matmul_kernel[grid](a, b, c, M, N, K, *a.strides, *b.strides, *c.strides, BM=64, BN=32, BK=32, GROUP=8,
                        ACTIVATION=activation, PRECISION=precision, SUM=total)
    wide = np.int64 if kind == "int8" else np.float64
    expected = x.astype(wide) @ y.astype(wide)
    if activation:
        expected = np.where(expected >= 0, expected, 0.01 * expected)
    np.testing.assert_allclose(c.numpy(), expected, rtol=tolerance, atol=tolerance * 10)


@triton.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, tl.load(x + at, mask=mask) / (1 - p), 0.0), mask=mask)


def test_low_memory_dropout():
    n = 10000
    x = normal(n)
    results = []
    for seed in (123, 123, 512):
        out = empty(n)
        dropout_kernel[(triton.cdiv(n, 1024),)](Array(x), out, n, 0.5, seed, BLOCK=1024)
        results.append(out.numpy())
    assert np.array_equal(results[0], results[1]) and not np.array_equal(results[0], results[2])
    kept = results[0] != 0
    assert 0.47 < kept.mean() < 0.53
    np.testing.assert_allclose(results[0][kept], x[kept] * 2, rtol=1e-6)


@triton.jit
def norm_kernel(x, y, w, b, mean, rstd, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    y += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    m = tl.sum(total, axis=0) / n
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.where(at < n, tl.load(x + at, mask=at < n, other=0.0).to(tl.float32) - m, 0.0)
        total += value * value
    r = 1 / tl.sqrt(tl.sum(total, axis=0) / n + eps)
    tl.store(mean + row, m)
    tl.store(rstd + row, r)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        mask = at < n
        value = (tl.load(x + at, mask=mask, other=0.0).to(tl.float32) - m) * r
        tl.store(y + at, value * tl.load(w + at, mask=mask) + tl.load(b + at, mask=mask), mask=mask)


@triton.jit
def norm_backward_kernel(dx, dy, dw, db, x, w, mean, rstd, lock, stride, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < n
    x += row * stride
    dy += row * stride
    dx += row * stride
    slot = row % GROUP
    lock += slot
    count = lock + GROUP
    dw += slot * n + at
    db += slot * n + at
    value = tl.load(x + at, mask=mask, other=0.0)
    slope = tl.load(dy + at, mask=mask, other=0.0)
    weight = tl.load(w + at, mask=mask, other=0.0)
    r = tl.load(rstd + row)
    xhat = tl.where(mask, (value - tl.load(mean + row)) * r, 0.0)
    wdy = tl.where(mask, weight * slope, 0.0)
    c1 = tl.sum(xhat * wdy, axis=0) / n
    c2 = tl.sum(wdy, axis=0) / n
    tl.store(dx + at, (wdy - (xhat * c1 + c2)) * r, mask=mask)
    partial_dw = slope * xhat
    partial_db = slope
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        partial_dw += tl.load(dw, mask=mask)
        partial_db += tl.load(db, mask=mask)
    tl.store(dw, partial_dw, mask=mask)
    tl.store(db, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def test_layer_normalisation():
    rows, n, eps, group = 20, 200, 1e-5, 4
    x, w, b, dy = normal(rows, n), normal(n), normal(n), normal(rows, n)
    y, mean, rstd = empty((rows, n)), empty(rows), empty(rows)
    norm_kernel[(rows,)](Array(x), y, Array(w), Array(b), mean, rstd, n, n, eps, BLOCK=128)
    m, r = x.mean(1, keepdims=True), 1 / np.sqrt(x.var(1, keepdims=True) + eps)
    xhat = (x - m) * r
    np.testing.assert_allclose(y.numpy(), xhat * w + b, rtol=1e-4, atol=1e-4)
    dx, dw, db, lock = empty((rows, n)), empty((group, n)), empty((group, n)), Array(np.zeros(2 * group, np.int32))
    norm_backward_kernel[(rows,)](dx, Array(dy), dw, db, Array(x), Array(w), mean, rstd, lock, n, n, GROUP=group, BLOCK=256)
    wdy = w * dy
    expected = (wdy - (xhat * (xhat * wdy).mean(1, keepdims=True) + wdy.mean(1, keepdims=True))) * r
    np.testing.assert_allclose(dx.numpy(), expected, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(dw.numpy().sum(0), (dy * xhat).sum(0), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(db.numpy().sum(0), dy.sum(0), rtol=1e-3, atol=1e-3)


@triton.jit
def attention_kernel(q, k, v, out, scale, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    start = tl.program_id(0) * BM
    q += tl.program_id(1) * n * D
    k += tl.program_id(1) * n * D
    v += tl.program_id(1) * n * D
    out += tl.program_id(1) * n * D
    rm, rd = start + tl.arange(0, BM), tl.arange(0, D)
    tq = tl.load(q + rm[:, None] * D + rd[None, :])
    most = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    end = start + BM if CAUSAL else n
    for at in range(0, end, BN):
        rn = at + tl.arange(0, BN)
        tk = tl.load(k + rn[:, None] * D + rd[None, :])
        s = tl.dot(tq, tl.trans(tk)) * scale
        if CAUSAL:
            s = tl.where(rm[:, None] >= rn[None, :], s, -1.0e6)
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.math.exp2(s - new[:, None])
        shrink = tl.math.exp2(most - new)
        total = total * shrink + tl.sum(p, 1)
        tv = tl.load(v + rn[:, None] * D + rd[None, :])
        acc = tl.dot(p.to(tl.float16), tv, acc * shrink[:, None])
        most = new
    tl.store(out + rm[:, None] * D + rd[None, :], (acc / total[:, None]).to(tl.float16))


@pytest.mark.parametrize("causal", [False, True])
def test_fused_attention(causal):
    heads, n, d = 2, 128, 32
    q, k, v = (normal(heads, n, d).astype(np.float16) for _ in range(3))
    out = empty((heads, n, d), np.float16)
    scale = 1 / math.sqrt(d)
    attention_kernel[(n // 64, heads)](Array(q), Array(k), Array(v), out, scale * math.log2(math.e), n, D=d, BM=64, BN=32,
                                       CAUSAL=causal)
    s = np.einsum("hid,hjd->hij", q.astype(np.float64), k.astype(np.float64)) * scale
    if causal:
        s = np.where(np.tril(np.ones((n, n), bool)), s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    expected = (p / p.sum(-1, keepdims=True)) @ v.astype(np.float64)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-2, atol=1e-2)


UNARY = ["asin", "acos", "atan", "sinh", "tanh", "erf", "erfinv", "log1p", "expm1", "cbrt", "tgamma", "j0", "rsqrt"]


@pytest.mark.parametrize("name", UNARY)
def test_extern_functions(name):
    function = getattr(functions, name)

    @triton.jit
    def kernel(x, y, n, BLOCK: tl.constexpr, FUNCTION: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(x + at, mask=at < n, other=0.5)
        tl.store(y + at, FUNCTION(value), mask=at < n)

    references = {"asin": math.asin, "acos": math.acos, "atan": math.atan, "sinh": math.sinh, "tanh": math.tanh,
                  "erf": math.erf, "log1p": math.log1p, "expm1": math.expm1, "cbrt": math.cbrt, "tgamma": math.gamma,
                  "rsqrt": lambda x: 1 / math.sqrt(x)}
    x, y = rng.uniform(0.01, 0.99, 500).astype(np.float32), empty(500)
    kernel[(4,)](Array(x), y, 500, BLOCK=128, FUNCTION=function)
    got = y.numpy().astype(np.float64)
    if name == "erfinv":
        got, expected = np.array([math.erf(value) for value in got]), x
    elif name == "j0":
        expected = np.array([sum((-1) ** k * (v / 2) ** (2 * k) / math.factorial(k) ** 2 for k in range(12)) for v in x.astype(float)])
    else:
        expected = np.array([references[name](float(value)) for value in x])
    np.testing.assert_allclose(got, expected, rtol=2e-6, atol=1e-7)


def test_an_extern_function_by_its_module():

    @triton.jit
    def kernel(x, y, N: tl.constexpr):
        tl.store(y + tl.arange(0, N), libdevice.asin(tl.load(x + tl.arange(0, N))))

    x, y = rng.uniform(-1, 1, 128), empty(128, np.float64)
    kernel[(1,)](Array(x), y, N=128)
    np.testing.assert_allclose(y.numpy(), np.arcsin(x), rtol=1e-14)


@triton.jit
def grouped_kernel(addresses, sizes, groups, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    last = 0
    for group in range(groups):
        M = tl.load(sizes + group * 3)
        N = tl.load(sizes + group * 3 + 1)
        K = tl.load(sizes + group * 3 + 2)
        tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
        while tile >= last and tile < last + tiles:
            a = tl.load(addresses + group * 3).to(tl.pointer_type(tl.float16))
            b = tl.load(addresses + group * 3 + 1).to(tl.pointer_type(tl.float16))
            c = tl.load(addresses + group * 3 + 2).to(tl.pointer_type(tl.float16))
            rm = (tile - last) // tl.cdiv(N, BN) * BM + tl.arange(0, BM)
            rn = (tile - last) % tl.cdiv(N, BN) * BN + tl.arange(0, BN)
            total = tl.zeros((BM, BN), dtype=tl.float32)
            for k in range(0, tl.cdiv(K, BK)):
                rk = k * BK + tl.arange(0, BK)
                total += tl.dot(tl.load(a + rm[:, None] * K + rk[None, :]), tl.load(b + rk[:, None] * N + rn[None, :]))
            tl.store(c + rm[:, None] * N + rn[None, :], total.to(tl.float16))
            tile += PROGRAMS
        last += tiles


def test_grouped_matrix_multiplication():
    shapes = [(64, 64, 32), (128, 32, 64), (32, 96, 32)]
    groups = [(normal(m, k).astype(np.float16), normal(k, n).astype(np.float16)) for m, n, k in shapes]
    arrays = [(Array(a), Array(b), empty((a.shape[0], b.shape[1]), np.float16)) for a, b in groups]
    addresses = Array(np.array([[array.data_ptr() for array in group] for group in arrays], np.int64))
    grouped_kernel[(3,)](addresses, Array(np.array(shapes, np.int32)), len(shapes), PROGRAMS=3, BM=32, BN=32, BK=32)
    for (a, b), (_, _, c) in zip(groups, arrays):
        np.testing.assert_allclose(c.numpy(), a.astype(np.float64) @ b.astype(np.float64), rtol=1e-2, atol=2e-2)


# --- features ---


@pytest.mark.parametrize("kind", ["int32", "int64", "uint32", "float32", "float16", "float64"])
@pytest.mark.parametrize("how", ["sum", "max", "min"])
@pytest.mark.parametrize("axis", [0, 1])
def test_reductions(kind, how, axis):

    @triton.jit
    def kernel(x, out, M: tl.constexpr, N: tl.constexpr, HOW: tl.constexpr, AXIS: tl.constexpr):
        values = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
        if HOW == "sum":
            result = tl.sum(values, AXIS)
        elif HOW == "max":
            result = tl.max(values, AXIS)
        else:
            result = tl.min(values, AXIS)
        tl.store(out + tl.arange(0, N if AXIS == 0 else M), result)

    x = rng.integers(0, 100, (32, 64)).astype(kind)
    expected = getattr(np, how)(x, axis=axis)
    out = empty(expected.shape, kind)
    kernel[(1,)](Array(x), out, M=32, N=64, HOW=how, AXIS=axis)
    np.testing.assert_allclose(out.numpy().astype(np.float64), expected.astype(np.float64), rtol=1e-2 if kind == "float16" else 1e-6)


@pytest.mark.parametrize("how", ["cumsum", "cumprod", "reversed", "own"])
def test_scans(how):

    @triton.jit
    def kernel(x, out, M: tl.constexpr, N: tl.constexpr, HOW: tl.constexpr):
        at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
        values = tl.load(x + at)
        if HOW == "cumsum":
            values = tl.cumsum(values, 1)
        elif HOW == "cumprod":
            values = tl.cumprod(values, 1)
        elif HOW == "reversed":
            values = tl.cumsum(values, 1, reverse=True)
        else:
            values = tl.associative_scan(values, 0, tl.standard._elementwise_max)
        tl.store(out + at, values)

    x = rng.integers(1, 4, (16, 128)).astype(np.int64)
    out = empty(x.shape, np.int64)
    kernel[(1,)](Array(x), out, M=16, N=128, HOW=how)
    with np.errstate(over="ignore"):
        expected = {
            "cumsum": lambda: np.cumsum(x, 1),
            "cumprod": lambda: np.cumprod(x, 1),
            "reversed": lambda: np.cumsum(x[:, ::-1], 1)[:, ::-1],
            "own": lambda: np.maximum.accumulate(x, 0),
        }[how]()
    assert np.array_equal(out.numpy(), expected)


@pytest.mark.parametrize("descending", [False, True])
def test_sorting(descending):

    @triton.jit
    def kernel(x, out, M: tl.constexpr, N: tl.constexpr, DESCENDING: tl.constexpr):
        at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
        tl.store(out + at, tl.sort(tl.load(x + at), 1, DESCENDING))

    x = normal(8, 256)
    out = empty(x.shape)
    kernel[(1,)](Array(x), out, M=8, N=256, DESCENDING=descending)
    expected = np.sort(x, 1)
    assert np.array_equal(out.numpy(), expected[:, ::-1] if descending else expected)


def test_argument_of_the_maximum_and_minimum():

    @triton.jit
    def kernel(x, most, least, M: tl.constexpr, N: tl.constexpr):
        values = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
        tl.store(most + tl.arange(0, M), tl.argmax(values, 1))
        tl.store(least + tl.arange(0, M), tl.argmin(values, 1))

    x = rng.integers(0, 20, (16, 128)).astype(np.int32)
    most, least = empty(16, np.int32), empty(16, np.int32)
    kernel[(1,)](Array(x), most, least, M=16, N=128)
    assert np.array_equal(most.numpy(), x.argmax(1)) and np.array_equal(least.numpy(), x.argmin(1))


def test_a_histogram():

    @triton.jit
    def kernel(x, out, N: tl.constexpr, BINS: tl.constexpr):
        tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, N)), BINS))

    x = rng.integers(0, 16, 2048).astype(np.int32)
    out = empty(16, np.int32)
    kernel[(1,)](Array(x), out, N=2048, BINS=16)
    assert np.array_equal(out.numpy(), np.bincount(x, minlength=16))


@pytest.mark.parametrize("kind", ["int32", "int64", "uint32", "float32", "float64", "float16"])
def test_atomic_additions(kind):

    @triton.jit
    def kernel(out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(out + at % 8, (at % 3).to(out.dtype.element_ty), mask=at < n)

    out = Array(np.zeros(8, kind))
    kernel[(4,)](out, 900, BLOCK=256)
    expected = np.zeros(8)
    np.add.at(expected, np.arange(900) % 8, np.arange(900) % 3)
    assert np.array_equal(out.numpy().astype(np.float64), expected)


@pytest.mark.parametrize("how", ["max", "min", "and", "or", "xor", "xchg"])
def test_other_atomics(how):

    @triton.jit
    def kernel(out, x, HOW: tl.constexpr, N: tl.constexpr):
        values = tl.load(x + tl.arange(0, N))
        place = out + tl.zeros([N], tl.int32)
        if HOW == "max":
            tl.atomic_max(place, values)
        elif HOW == "min":
            tl.atomic_min(place, values)
        elif HOW == "and":
            tl.atomic_and(place, values)
        elif HOW == "or":
            tl.atomic_or(place, values)
        elif HOW == "xor":
            tl.atomic_xor(place, values)
        else:
            tl.atomic_xchg(place, values)

    x = rng.integers(-1000, 1000, 256).astype(np.int32)
    start = np.array([5], np.int32)
    out = Array(start)
    kernel[(1,)](out, Array(x), HOW=how, N=256)
    got = out.numpy()[0]
    if how == "xchg":
        assert got in x
    else:
        function = {"max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[how]
        assert got == function.reduce(np.concatenate([start, x]))


@pytest.mark.parametrize("source", ["int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("target", ["int8", "int16", "int32", "int64", "float16", "float32", "float64"])
def test_conversions(source, target):

    @triton.jit
    def kernel(x, out, N: tl.constexpr):
        tl.store(out + tl.arange(0, N), tl.load(x + tl.arange(0, N)).to(out.dtype.element_ty))

    x = rng.integers(0, 100, 128).astype(source)
    out = empty(128, target)
    kernel[(1,)](Array(x), out, N=128)
    assert np.array_equal(out.numpy(), x.astype(target))


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "abs", "ceil", "floor", "rsqrt", "erf"])
def test_mathematics(name):
    function = getattr(tl.math, name)

    @triton.jit
    def kernel(x, out, N: tl.constexpr, FUNCTION: tl.constexpr):
        tl.store(out + tl.arange(0, N), FUNCTION(tl.load(x + tl.arange(0, N))))

    x = rng.uniform(0.1, 8, 256).astype(np.float32)
    out = empty(256)
    kernel[(1,)](Array(x), out, N=256, FUNCTION=function)
    reference = {"rsqrt": lambda v: 1 / np.sqrt(v), "erf": np.vectorize(math.erf)}.get(name) or getattr(np, name)
    np.testing.assert_allclose(out.numpy(), reference(x.astype(np.float64)), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("how", ["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"])
@pytest.mark.parametrize("kind", ["int32", "int64", "uint32"])
def test_integer_operators(how, kind):
    references = {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "&": lambda a, b: a & b,
        "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
        "//": lambda a, b: a // b, "%": lambda a, b: a % b,
    }

    @triton.jit
    def kernel(x, y, out, N: tl.constexpr, HOW: tl.constexpr):
        a, b = tl.load(x + tl.arange(0, N)), tl.load(y + tl.arange(0, N))
        if HOW == "+":
            c = a + b
        elif HOW == "-":
            c = a - b
        elif HOW == "*":
            c = a * b
        elif HOW == "//":
            c = a // b
        elif HOW == "%":
            c = a % b
        elif HOW == "&":
            c = a & b
        elif HOW == "|":
            c = a | b
        elif HOW == "^":
            c = a ^ b
        elif HOW == "<<":
            c = a << b
        else:
            c = a >> b
        tl.store(out + tl.arange(0, N), c)

    x, y = rng.integers(1000, 100000, 256).astype(kind), rng.integers(1, 20, 256).astype(kind)
    out = empty(256, kind)
    kernel[(1,)](Array(x), Array(y), out, N=256, HOW=how)
    assert np.array_equal(out.numpy(), references[how](x, y))


def test_a_transposition_through_shared_memory():

    @triton.jit
    def kernel(x, out, M: tl.constexpr, N: tl.constexpr):
        values = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
        tl.store(out + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], tl.trans(values))

    x = normal(64, 32)
    out = empty((32, 64))
    kernel[(1,)](Array(x), out, M=64, N=32)
    assert np.array_equal(out.numpy(), x.T)


def test_joins_splits_reshapes_and_flips():

    @triton.jit
    def kernel(x, y, out, N: tl.constexpr):
        a, b = tl.load(x + tl.arange(0, N)), tl.load(y + tl.arange(0, N))
        both = tl.join(a, b)
        first, second = tl.split(both)
        tl.store(out + tl.arange(0, 2 * N), tl.interleave(a, b))
        tl.store(out + 2 * N + tl.arange(0, N), tl.flip(first - second))
        tl.store(out + 3 * N + tl.arange(0, 2 * N), tl.reshape(tl.permute(both, (1, 0)), [2 * N]))

    x, y = normal(64), normal(64)
    out = empty(5 * 64)
    kernel[(1,)](Array(x), Array(y), out, N=64)
    expected = np.concatenate([np.stack([x, y], 1).ravel(), (x - y)[::-1], x, y])
    assert np.array_equal(out.numpy(), expected)


def test_a_gather():

    @triton.jit
    def kernel(x, index, out, M: tl.constexpr, N: tl.constexpr):
        at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
        tl.store(out + at, tl.gather(tl.load(x + at), tl.load(index + at), 1))

    x, index = normal(16, 64), rng.integers(0, 64, (16, 64)).astype(np.int32)
    out = empty((16, 64))
    kernel[(1,)](Array(x), Array(index), out, M=16, N=64)
    assert np.array_equal(out.numpy(), np.take_along_axis(x, index, 1))


@pytest.mark.parametrize("warps", [1, 2, 4, 8])
def test_numbers_of_warps(warps):
    n = 5000
    x, y, out = normal(n), normal(n), empty(n)
    add_kernel[(triton.cdiv(n, 512),)](Array(x), Array(y), out, n, BLOCK=512, num_warps=warps)
    assert np.array_equal(out.numpy(), x + y)


def test_random_numbers():

    @triton.jit
    def kernel(out, seed, N: tl.constexpr):
        at = tl.arange(0, N)
        tl.store(out + at, tl.rand(seed, at))
        tl.store(out + N + at, tl.randn(seed, at))

    out = empty(2 * 4096)
    kernel[(1,)](out, 42, N=4096)
    uniform, gauss = out.numpy()[:4096], out.numpy()[4096:]
    assert 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.02
    assert abs(gauss.mean()) < 0.06 and abs(gauss.std() - 1) < 0.05


def test_inline_assembly():

    @triton.jit
    def kernel(x, out, N: tl.constexpr):
        values = tl.load(x + tl.arange(0, N))
        counted = tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [values], dtype=tl.int32, is_pure=True, pack=1)
        tl.store(out + tl.arange(0, N), counted)

    x, out = rng.integers(0, 1 << 30, 128).astype(np.int32), empty(128, np.int32)
    kernel[(1,)](Array(x), out, N=128)
    assert np.array_equal(out.numpy(), [bin(value).count("1") for value in x.tolist()])


def test_printing(capfd):

    @triton.jit
    def kernel(x, N: tl.constexpr):
        tl.device_print("value", tl.load(x + tl.arange(0, N)))

    kernel[(1,)](Array(np.arange(32, dtype=np.int32) * 3), N=32, num_warps=1)
    check(cuda.cuCtxSynchronize())
    printed = capfd.readouterr().out
    assert "value: 93" in printed and len(printed.splitlines()) == 32, printed


def test_a_program_s_own_loop_and_branch():

    @triton.jit
    def kernel(x, out, n):
        pid = tl.program_id(0)
        value = tl.load(x + pid)
        steps = 0
        while value != 1:
            if value % 2 == 0:
                value = value // 2
            else:
                value = 3 * value + 1
            steps += 1
        tl.store(out + pid, steps)

    x, out = np.arange(1, 65, dtype=np.int32), empty(64, np.int32)
    kernel[(64,)](Array(x), out, 64)

    def steps(value):
        count = 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count += 1
        return count

    assert out.numpy().tolist() == [steps(value) for value in x.tolist()]


@pytest.mark.parametrize("kind", ["float8e5", "float8e4nv"])
def test_8_bit_floats(kind):
    """Every number is converted to 32 bits and back."""
    if kind == "float8e4nv" and triton.runtime.driver.active.get_current_target().arch < 89:
        pytest.skip("needs compute capability 8.9")

    @triton.jit
    def kernel(x, wide, narrow, N: tl.constexpr):
        values = tl.load(x + tl.arange(0, N)).to(tl.float32)
        tl.store(wide + tl.arange(0, N), values)
        tl.store(narrow + tl.arange(0, N), values.to(narrow.dtype.element_ty))

    mantissa, bias = (2, 15) if kind == "float8e5" else (3, 7)
    bits = np.arange(256, dtype=np.uint8)
    wide, narrow = empty(256), Array(np.zeros(256, np.uint8), kind)
    kernel[(1,)](Array(bits, kind), wide, narrow, N=256)

    def value(code):
        sign = -1.0 if code & 0x80 else 1.0
        exponent, fraction = (code & 0x7F) >> mantissa, code & ((1 << mantissa) - 1)
        top = (0x7F >> mantissa)
        if kind == "float8e5" and exponent == top:
            return sign * math.inf if fraction == 0 else math.nan
        if kind == "float8e4nv" and code & 0x7F == 0x7F:
            return math.nan
        if exponent == 0:
            return sign * fraction * 2.0 ** (1 - bias - mantissa)
        return sign * (1 + fraction / (1 << mantissa)) * 2.0 ** (exponent - bias)

    expected = np.array([value(int(code)) for code in bits], np.float32)
    assert np.array_equal(wide.numpy(), expected, equal_nan=True)
    is_number = np.isfinite(expected)
    assert np.array_equal(narrow.numpy()[is_number], bits[is_number])
