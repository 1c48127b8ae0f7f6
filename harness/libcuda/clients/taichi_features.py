"""Kernels that test Taichi's features, each compared with NumPy or plain Python: pytest taichi_features.py"""

import math

import numpy as np
import pytest
import taichi as ti


@pytest.fixture(autouse=True)
def device():
    ti.init(arch=ti.cuda, device_memory_GB=0.3, offline_cache=False, random_seed=7, default_fp=ti.f32)
    assert ti.lang.impl.current_cfg().arch == ti.cuda
    yield
    ti.reset()


N = 1000


@pytest.mark.parametrize("kind, exact", [(ti.i32, True), (ti.u32, True), (ti.i64, True), (ti.f32, False), (ti.f64, False)])
def test_a_sum_by_atomics(kind, exact):
    total = ti.field(kind, shape=())

    @ti.kernel
    def add():
        for i in range(N):
            total[None] += ti.cast(i, kind)

    add()
    assert total[None] == N * (N - 1) // 2 if exact else math.isclose(total[None], N * (N - 1) / 2, rel_tol=1e-6)


@pytest.mark.parametrize("kind", [ti.i32, ti.i64, ti.f32, ti.f64])
def test_atomic_minimum_and_maximum(kind):
    values = np.random.default_rng(1).integers(-500, 500, N)
    given, least, most = ti.field(kind, N), ti.field(kind, ()), ti.field(kind, ())
    given.from_numpy(values.astype(ti.lang.util.to_numpy_type(kind)))

    @ti.kernel
    def find():
        for i in given:
            ti.atomic_min(least[None], given[i])
            ti.atomic_max(most[None], given[i])

    find()
    assert (least[None], most[None]) == (values.min(), values.max())


def test_atomic_bits():
    results = ti.field(ti.i32, 3)
    results.from_numpy(np.array([-1, 0, 0], np.int32))

    @ti.kernel
    def combine():
        for i in range(20):
            ti.atomic_and(results[0], ~(1 << i))
            ti.atomic_or(results[1], 1 << i)
            ti.atomic_xor(results[2], 3 << i)

    combine()
    xor = 0
    for i in range(20):
        xor ^= 3 << i
    assert list(results.to_numpy()) == [~((1 << 20) - 1), (1 << 20) - 1, xor]


@pytest.mark.parametrize("kind, digits", [(ti.f32, 5), (ti.f64, 12)])
def test_the_mathematical_functions(kind, digits):
    functions = "sin cos tan asin acos atan2 exp log sqrt rsqrt tanh floor ceil round pow abs".split()
    x, y = ti.field(kind, N), ti.field(kind, (len(functions), N))
    values = np.random.default_rng(2).uniform(0.01, 0.99, N).astype(ti.lang.util.to_numpy_type(kind))
    x.from_numpy(values)

    @ti.kernel
    def apply():
        for i in x:
            v = x[i]
            y[0, i], y[1, i], y[2, i], y[3, i] = ti.sin(v), ti.cos(v), ti.tan(v), ti.asin(v)
            y[4, i], y[5, i], y[6, i], y[7, i] = ti.acos(v), ti.atan2(v, 0.5), ti.exp(v), ti.log(v)
            y[8, i], y[9, i], y[10, i], y[11, i] = ti.sqrt(v), ti.rsqrt(v), ti.tanh(v), ti.floor(v * 9)
            y[12, i], y[13, i], y[14, i], y[15, i] = ti.ceil(v * 9), ti.round(v * 9), v**2.5, ti.abs(-v)

    apply()
    v = values.astype(np.float64)
    wanted = [np.sin(v), np.cos(v), np.tan(v), np.arcsin(v), np.arccos(v), np.arctan2(v, 0.5), np.exp(v), np.log(v), np.sqrt(v),
              1 / np.sqrt(v), np.tanh(v), np.floor(values * 9), np.ceil(values * 9), np.round(values * 9), v**2.5, v]
    for name, row, want in zip(functions, y.to_numpy(), wanted, strict=True):
        np.testing.assert_allclose(row, want, rtol=10.0**-digits, atol=10.0**-digits, err_msg=name)


def test_integer_division_and_remainder_round_as_python_does():
    pairs = [(a, b) for a in range(-7, 8) for b in (-3, -2, -1, 1, 2, 3)]
    given, results = ti.field(ti.i32, (len(pairs), 2)), ti.field(ti.i32, (len(pairs), 2))
    given.from_numpy(np.array(pairs, np.int32))

    @ti.kernel
    def divide():
        for i in range(given.shape[0]):
            results[i, 0], results[i, 1] = given[i, 0] // given[i, 1], given[i, 0] % given[i, 1]

    divide()
    assert [tuple(row) for row in results.to_numpy()] == [(a // b, a % b) for a, b in pairs]


def test_half_precision():
    x, y = ti.field(ti.f16, N), ti.field(ti.f16, N)
    values = np.random.default_rng(3).uniform(-100, 100, N).astype(np.float16)
    x.from_numpy(values)

    @ti.kernel
    def scale():
        for i in x:
            y[i] = ti.cast(ti.cast(x[i], ti.f32) * 1.5, ti.f16)

    scale()
    assert (y.to_numpy() == (values.astype(np.float32) * np.float32(1.5)).astype(np.float16)).all()


def test_small_matrices():
    matrices = ti.Matrix.field(3, 3, ti.f32, N)
    inverses, parts = ti.Matrix.field(3, 3, ti.f32, N), ti.Matrix.field(3, 3, ti.f32, N)
    determinants = ti.field(ti.f32, N)
    values = (np.random.default_rng(4).uniform(-1, 1, (N, 3, 3)) + 3 * np.eye(3)).astype(np.float32)
    matrices.from_numpy(values)

    @ti.kernel
    def work():
        for i in matrices:
            inverses[i] = matrices[i].inverse()
            determinants[i] = matrices[i].determinant()
            u, s, v = ti.svd(matrices[i])
            parts[i] = u @ s @ v.transpose()

    work()
    np.testing.assert_allclose(inverses.to_numpy(), np.linalg.inv(values), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(determinants.to_numpy(), np.linalg.det(values), rtol=1e-3)
    np.testing.assert_allclose(parts.to_numpy(), values, atol=1e-3)


def test_symmetric_eigenvalues():
    found = ti.Vector.field(2, ti.f32, 50)
    values = np.random.default_rng(5).uniform(-1, 1, (50, 2, 2)).astype(np.float32)
    values += values.transpose(0, 2, 1)
    given = ti.Matrix.field(2, 2, ti.f32, 50)
    given.from_numpy(values)

    @ti.kernel
    def work():
        for i in given:
            eigenvalues, _ = ti.sym_eig(given[i])
            found[i] = eigenvalues

    work()
    np.testing.assert_allclose(np.sort(found.to_numpy(), 1), np.linalg.eigvalsh(values), atol=1e-4)


def test_a_pointer_tree_holds_what_was_activated():
    x = ti.field(ti.i32)
    block = ti.root.pointer(ti.ij, (8, 8))
    block.dense(ti.ij, (4, 4)).place(x)
    seen = ti.field(ti.i32, ())

    @ti.kernel
    def fill():
        for i in range(32):
            x[i, i] = i

    @ti.kernel
    def count():
        for i, j in x:
            seen[None] += 1

    fill()
    count()
    assert seen[None] == 8 * 16
    assert x.to_numpy().diagonal().tolist() == list(range(32))
    block.deactivate_all()
    seen[None] = 0
    count()
    assert seen[None] == 0


def test_a_bitmask_holds_what_was_activated():
    x = ti.field(ti.f32)
    ti.root.dense(ti.i, 16).bitmasked(ti.i, 64).place(x)
    seen = ti.field(ti.i32, ())

    @ti.kernel
    def fill():
        for i in range(1024):
            if i % 3 == 0:
                x[i] = 1.0

    @ti.kernel
    def count():
        for i in x:
            seen[None] += 1

    fill()
    count()
    assert seen[None] == len(range(0, 1024, 3))


def test_dynamic_lists():
    x, lengths = ti.field(ti.i32), ti.field(ti.i32, 20)
    lists = ti.root.dense(ti.i, 20).dynamic(ti.j, 256, chunk_size=16)
    lists.place(x)

    @ti.kernel
    def fill():
        for i in range(20):
            for j in range(i * 5):
                x[i].append(j)

    @ti.kernel
    def measure():
        for i in range(20):
            lengths[i] = x[i].length()

    fill()
    measure()
    assert lengths.to_numpy().tolist() == [i * 5 for i in range(20)]


def test_quantised_numbers():
    fixed = ti.types.quant.fixed(bits=16, max_value=2.0)
    small = ti.types.quant.int(bits=7, signed=True)
    x, k = ti.field(fixed), ti.field(small)
    packed = ti.BitpackedFields(max_num_bits=32)
    packed.place(x, k)
    ti.root.dense(ti.i, 64).place(packed)

    @ti.kernel
    def fill():
        for i in range(64):
            x[i], k[i] = i / 64, i - 32

    fill()
    assert all(abs(x[i] - i / 64) < 1e-4 and k[i] == i - 32 for i in range(64))


def test_gradients():
    x, loss = ti.field(ti.f32, N, needs_grad=True), ti.field(ti.f32, (), needs_grad=True)
    x.from_numpy(np.linspace(-1, 1, N, dtype=np.float32))

    @ti.kernel
    def objective():
        for i in x:
            loss[None] += ti.sin(x[i]) * x[i] ** 2

    with ti.ad.Tape(loss):
        objective()
    v = x.to_numpy().astype(np.float64)
    np.testing.assert_allclose(x.grad.to_numpy(), np.cos(v) * v**2 + 2 * v * np.sin(v), atol=1e-5)


def test_random_numbers_are_uniform_and_normal():
    u, g = ti.field(ti.f32, 20000), ti.field(ti.f32, 20000)

    @ti.kernel
    def draw():
        for i in u:
            u[i], g[i] = ti.random(), ti.randn()

    draw()
    u, g = u.to_numpy(), g.to_numpy()
    assert 0 <= u.min() and u.max() < 1 and abs(u.mean() - 0.5) < 0.01 and abs(u.var() - 1 / 12) < 0.005
    assert abs(g.mean()) < 0.03 and abs(g.std() - 1) < 0.03 and len(np.unique(u)) > 19000


@pytest.mark.parametrize("count", [1, 2, 100, 1024, 3000])
def test_parallel_sort(count):
    keys, values = ti.field(ti.i32, count), ti.field(ti.i32, count)
    given = np.random.default_rng(6).permutation(count).astype(np.int32)
    keys.from_numpy(given)
    values.from_numpy(given * 2)
    ti.algorithms.parallel_sort(keys, values)
    assert keys.to_numpy().tolist() == list(range(count)) and values.to_numpy().tolist() == list(range(0, 2 * count, 2))


@pytest.mark.parametrize("count", [64, 1000, 5000])
def test_prefix_sums(count):
    x = ti.field(ti.i32, count)
    given = np.random.default_rng(7).integers(0, 100, count).astype(np.int32)
    x.from_numpy(given)
    ti.algorithms.PrefixSumExecutor(count).run(x)
    assert (x.to_numpy() == np.cumsum(given)).all()


def test_shared_memory_and_barriers():
    x, sums = ti.field(ti.f32, 1024), ti.field(ti.f32, 16)
    given = np.random.default_rng(8).uniform(0, 1, 1024).astype(np.float32)
    x.from_numpy(given)

    @ti.kernel
    def reduce():
        ti.loop_config(block_dim=64)
        for i in range(1024):
            t = i % 64
            pad = ti.simt.block.SharedArray((64,), ti.f32)
            pad[t] = x[i]
            ti.simt.block.sync()
            if t == 0:
                total = 0.0
                for k in range(64):
                    total += pad[k]
                sums[i // 64] = total
            ti.simt.block.sync()

    reduce()
    np.testing.assert_allclose(sums.to_numpy(), given.reshape(16, 64).sum(1), rtol=1e-5)


def test_shuffles_and_votes():
    up, down, ballots = ti.field(ti.i32, 64), ti.field(ti.i32, 64), ti.field(ti.u32, 64)

    @ti.kernel
    def exchange():
        ti.loop_config(block_dim=32)
        for i in range(64):
            mask = ti.u32(0xFFFFFFFF)
            up[i] = ti.simt.warp.shfl_up_i32(mask, i, 1)
            down[i] = ti.simt.warp.shfl_down_i32(mask, i, 1)
            ballots[i] = ti.simt.warp.ballot(ti.cast(i % 3 == 0, ti.i32))

    exchange()
    lanes = np.arange(64)
    assert (up.to_numpy() == np.where(lanes % 32 == 0, lanes, lanes - 1)).all()
    assert (down.to_numpy() == np.where(lanes % 32 == 31, lanes, lanes + 1)).all()
    wanted = [sum(1 << lane for lane in range(32) if (32 * warp + lane) % 3 == 0) for warp in range(2)]
    assert ballots.to_numpy().tolist() == [wanted[0]] * 32 + [wanted[1]] * 32


def test_block_local_stencil():
    x, y = ti.field(ti.f32), ti.field(ti.f32)
    ti.root.dense(ti.ij, 4).dense(ti.ij, 8).place(x)
    ti.root.dense(ti.ij, 4).dense(ti.ij, 8).place(y)
    given = np.random.default_rng(9).uniform(0, 1, (32, 32)).astype(np.float32)
    x.from_numpy(given)

    @ti.kernel
    def smooth():
        ti.block_local(x)
        for i, j in y:
            if 0 < i < 31 and 0 < j < 31:
                y[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4 * x[i, j]

    smooth()
    want = np.zeros_like(given)
    want[1:-1, 1:-1] = given[:-2, 1:-1] + given[2:, 1:-1] + given[1:-1, :-2] + given[1:-1, 2:] - 4 * given[1:-1, 1:-1]
    np.testing.assert_allclose(y.to_numpy(), want, atol=1e-5)


def test_numpy_arrays_as_arguments():
    @ti.kernel
    def outer(a: ti.types.ndarray(), b: ti.types.ndarray(), out: ti.types.ndarray()):
        for i, j in ti.ndrange(a.shape[0], b.shape[0]):
            out[i, j] = a[i] * b[j]

    a, b = np.arange(30, dtype=np.float64), np.arange(17, dtype=np.float64)
    out = np.zeros((30, 17))
    outer(a, b, out)
    assert (out == np.outer(a, b)).all()


def test_device_arrays_and_graphs():
    x = ti.ndarray(ti.f32, N)

    @ti.kernel
    def step(x: ti.types.ndarray(ti.f32, ndim=1), by: ti.f32):
        for i in x:
            x[i] = x[i] * 0.5 + by

    builder = ti.graph.GraphBuilder()
    array = ti.graph.Arg(ti.graph.ArgKind.NDARRAY, "x", ti.f32, ndim=1)
    by = ti.graph.Arg(ti.graph.ArgKind.SCALAR, "by", ti.f32)
    for _ in range(3):
        builder.dispatch(step, array, by)
    graph = builder.compile()
    for _ in range(4):
        graph.run({"x": x, "by": 2.0})
    want = 0.0
    for _ in range(12):
        want = want * 0.5 + 2.0
    assert (x.to_numpy() == np.float32(want)).all()


def test_structures():
    particle = ti.types.struct(place=ti.math.vec3, mass=ti.f32, tag=ti.i32)
    particles = particle.field(shape=100)

    @ti.kernel
    def move():
        for i in particles:
            particles[i].mass = i
            particles[i].place = [i, 2 * i, 3 * i]
            particles[i].tag = ti.cast(particles[i].place.sum(), ti.i32)

    move()
    assert (particles.tag.to_numpy() == 6 * np.arange(100)).all()


def test_functions_that_are_called_for_real():
    @ti.real_func
    def triangle(n: ti.i32) -> ti.i32:
        total = 0
        for i in range(n):
            total += i
        return total

    results = ti.field(ti.i32, 40)

    @ti.kernel
    def work():
        for i in results:
            results[i] = triangle(i)

    work()
    assert results.to_numpy().tolist() == [i * (i - 1) // 2 for i in range(40)]


def test_functions_that_call_themselves():
    ti.init(arch=ti.cuda, device_memory_GB=0.3, offline_cache=False, cuda_stack_limit=32768)

    @ti.real_func
    def fibonacci(n: ti.i32) -> ti.i32:
        result = n
        if n > 1:
            result = fibonacci(n - 1) + fibonacci(n - 2)
        return result

    @ti.kernel
    def work(n: ti.i32) -> ti.i32:
        return fibonacci(n)

    assert work(10) == 55


def test_local_arrays_with_computed_indices():
    results = ti.field(ti.i32, 50)

    @ti.kernel
    def work():
        for i in results:
            table = ti.Vector([3, 1, 4, 1, 5, 9, 2, 6])
            for k in range(8):
                table[(i + k) % 8] += k
            results[i] = table[i % 8] * 10 + table[(i + 3) % 8]

    work()
    wanted = []
    for i in range(50):
        table = [3, 1, 4, 1, 5, 9, 2, 6]
        for k in range(8):
            table[(i + k) % 8] += k
        wanted.append(table[i % 8] * 10 + table[(i + 3) % 8])
    assert results.to_numpy().tolist() == wanted


def test_loops_that_diverge():
    steps = ti.field(ti.i32, N)

    @ti.kernel
    def collatz():
        for i in steps:
            k, count = i + 1, 0
            while k != 1:
                k = k // 2 if k % 2 == 0 else 3 * k + 1
                count += 1
                if count > 500:
                    break
            steps[i] = count

    collatz()

    def plain(k):
        count = 0
        while k != 1:
            k, count = (k // 2 if k % 2 == 0 else 3 * k + 1), count + 1
        return count

    assert steps.to_numpy().tolist() == [plain(i + 1) for i in range(N)]


def test_a_kernel_prints(capfd):
    @ti.kernel
    def say():
        for i in range(3):
            print("lane", i, i * 0.5)

    say()
    ti.sync()
    lines = sorted(line for line in capfd.readouterr().out.splitlines() if line.startswith("lane"))
    assert lines == ["lane 0 0.000000", "lane 1 0.500000", "lane 2 1.000000"]


def test_an_assertion_in_a_kernel_is_an_error():
    ti.init(arch=ti.cuda, device_memory_GB=0.3, offline_cache=False, debug=True)

    @ti.kernel
    def check():
        for i in range(10):
            assert i < 5

    with pytest.raises(AssertionError):
        check()


def test_an_index_out_of_range_is_an_error_in_debug_mode():
    ti.init(arch=ti.cuda, device_memory_GB=0.3, offline_cache=False, debug=True)
    x = ti.field(ti.i32, 8)

    @ti.kernel
    def reach(i: ti.i32):
        x[i] = 1

    with pytest.raises(AssertionError):
        reach(8)


def test_the_kernel_profiler_counts_launches():
    ti.init(arch=ti.cuda, device_memory_GB=0.3, offline_cache=False, kernel_profiler=True)
    x = ti.field(ti.f32, N)

    @ti.kernel
    def fill():
        for i in x:
            x[i] = i

    for _ in range(5):
        fill()
    ti.sync()
    assert ti.profiler.query_kernel_profiler_info(fill.__name__).counter == 5


def test_fields_with_offsets_and_layouts():
    x = ti.field(ti.i32, shape=(6, 7), offset=(-3, 2), order="ji")

    @ti.kernel
    def fill():
        for i, j in x:
            x[i, j] = i * 100 + j

    fill()
    assert all(x[i, j] == i * 100 + j for i in range(-3, 3) for j in range(2, 9))
