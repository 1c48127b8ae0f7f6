"""cuda.core over this driver, feature by feature: pytest cuda_core_features.py"""

import ctypes

import numpy as np
import pytest
from cuda.core import (Buffer, Device, DeviceMemoryResource, DeviceMemoryResourceOptions, EventOptions, GraphMemoryResource, Kernel,
                       LaunchConfig, LegacyPinnedMemoryResource, Linker, LinkerOptions, ManagedMemoryResource, ObjectCode,
                       PinnedMemoryResource, Program, ProgramOptions, Stream, StreamOptions, VirtualMemoryResource, launch, system)
from cuda.core.graph import GraphDefinition
from cuda.core.utils import InMemoryProgramCache, StridedMemoryView, args_viewable_as_strided_memory

SOURCE = r"""
template <typename T> __global__ void saxpy(T a, const T *x, const T *y, T *out, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x) out[i] = a * x[i] + y[i];
}
extern "C" __global__ void add_one(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}
__constant__ int factor = 3;
extern "C" __global__ void scaled(int *x) { x[threadIdx.x] *= factor; }
extern "C" __global__ void reversed(int *x) {
    extern __shared__ int kept[];
    kept[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void many(char a, short b, int c, long long d, float e, double f, bool g, double *out) {
    double all[] = {(double)a, (double)b, (double)c, (double)d, (double)e, f, (double)g};
    for (int i = 0; i < 7; i++) out[i] = all[i];
}
"""


@pytest.fixture(scope="session")
def device():
    device = Device()
    device.set_current()
    return device


@pytest.fixture
def stream(device):
    stream = device.create_stream()
    yield stream
    stream.close()


@pytest.fixture(scope="session")
def module(device):
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
    return Program(SOURCE, "c++", options=options).compile("ptx", name_expressions=("saxpy<float>", "saxpy<double>"))


pinned = LegacyPinnedMemoryResource()


def host_array(count, dtype, stream):
    """An array in pinned memory, and its buffer."""
    buffer = pinned.allocate(count * np.dtype(dtype).itemsize, stream=stream)
    return np.from_dlpack(buffer).view(dtype), buffer


def on_device(values, device, stream):
    host, buffer = host_array(values.size, values.dtype, stream)
    host[:] = values.ravel()
    copy = device.memory_resource.allocate(values.nbytes, stream=stream)
    copy.copy_from(buffer, stream=stream)
    stream.sync()
    return copy


def to_host(buffer, dtype, stream):
    host, back = host_array(buffer.size // np.dtype(dtype).itemsize, dtype, stream)
    buffer.copy_to(back, stream=stream)
    stream.sync()
    return host.copy()


def test_the_device_says_what_it_is(device):
    assert "emulated" in device.name and len(device.uuid) == 36
    assert device.compute_capability.major >= 5 and device.properties.multiprocessor_count > 0
    assert device.properties.warp_size == 32 and device.properties.max_threads_per_block == 1024
    assert [other.device_id for other in Device.get_all_devices()] == [0]
    names = [name for name in dir(type(device.properties)) if not name.startswith("_")]
    assert len([getattr(device.properties, name) for name in names]) > 100


@pytest.mark.parametrize("kind", ["float", "double"])
def test_a_template_is_launched(device, stream, module, kind):
    dtype = np.dtype(kind if kind == "double" else "float32")
    kernel = module.get_kernel(f"saxpy<{kind}>")
    n = 10_000
    x, y = np.arange(n, dtype=dtype), np.ones(n, dtype)
    a, b, out = on_device(x, device, stream), on_device(y, device, stream), device.allocate(n * dtype.itemsize, stream=stream)
    launch(stream, LaunchConfig(grid=32, block=256), kernel, dtype.type(10), a, b, out, ctypes.c_size_t(n))
    assert np.array_equal(to_host(out, dtype, stream), 10 * x + y)


def test_arguments_of_every_type(device, stream, module):
    out = device.allocate(7 * 8, stream=stream)
    arguments = (ctypes.c_int8(-3), np.int16(-300), np.int32(7), 1 << 40, np.float32(0.5), 0.25, True)
    launch(stream, LaunchConfig(grid=1, block=1), module.get_kernel("many"), *arguments, out)
    assert to_host(out, np.float64, stream).tolist() == [-3, -300, 7, 1 << 40, 0.5, 0.25, 1]


def test_dynamic_shared_memory(device, stream, module):
    x = on_device(np.arange(64, dtype=np.int32), device, stream)
    launch(stream, LaunchConfig(grid=1, block=64, shmem_size=256), module.get_kernel("reversed"), x)
    assert np.array_equal(to_host(x, np.int32, stream), np.arange(64)[::-1])


def test_what_a_kernel_says_of_itself(device, module):
    kernel = module.get_kernel("many")
    assert kernel.num_arguments == 8
    assert [info.size for info in kernel.arguments_info] == [1, 2, 4, 8, 4, 8, 1, 8]
    assert [info.offset for info in kernel.arguments_info] == [0, 2, 4, 8, 16, 24, 32, 40]
    attributes = kernel.attributes
    assert attributes.max_threads_per_block == 1024 and attributes.num_regs > 0 and attributes.shared_size_bytes == 0
    for name in dir(type(attributes)):
        if not name.startswith("_"):
            getattr(attributes, name)
    occupancy = kernel.occupancy
    assert occupancy.max_active_blocks_per_multiprocessor(256, 0) > 0
    assert occupancy.max_potential_block_size(0, 0).max_block_size > 0
    assert occupancy.available_dynamic_shared_memory_per_block(1, 128) > 0
    again = Kernel.from_handle(int(kernel.handle))
    assert again.num_arguments == 8


def test_cooperative_launch(device, stream):
    source = r"""#include <cooperative_groups.h>
    extern "C" __global__ void both(int *x) {
        x[blockIdx.x] = blockIdx.x + 1;
        cooperative_groups::this_grid().sync();
        if (threadIdx.x == 0 && blockIdx.x == 0) { int sum = 0; for (int i = 0; i < gridDim.x; i++) sum += x[i]; x[0] = sum; }
    }"""
    from cuda.pathfinder import find_nvidia_header_directory
    include = find_nvidia_header_directory("cudart")
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}", include_path=[include, include + "/cccl"])
    kernel = Program(source, "c++", options=options).compile("ptx").get_kernel("both")
    x = device.allocate(40, stream=stream)
    launch(stream, LaunchConfig(grid=10, block=32, is_cooperative=True), kernel, x)
    assert to_host(x, np.int32, stream)[0] == 55


def test_the_linker_joins_parts(device, stream):
    options = ProgramOptions(relocatable_device_code=True, arch=f"sm_{device.arch}")
    one = Program('extern __device__ int twice(int); extern "C" __global__ void k(int *x) { *x = twice(*x); }', "c++", options=options)
    two = Program("__device__ int twice(int x) { return 2 * x; }", "c++", options=options)
    linker = Linker(one.compile("ptx"), two.compile("ptx"), options=LinkerOptions(arch=f"sm_{device.arch}"))
    kernel = linker.link("cubin").get_kernel("k")
    x = on_device(np.array([21], np.int32), device, stream)
    launch(stream, LaunchConfig(grid=1, block=1), kernel, x)
    assert to_host(x, np.int32, stream)[0] == 42


def test_ptx_as_source_and_as_object(device, stream, module, tmp_path):
    file = tmp_path / "module.ptx"
    file.write_bytes(module.code)
    x = on_device(np.zeros(8, np.int32), device, stream)
    for code in (ObjectCode.from_ptx(module.code), ObjectCode.from_ptx(str(file)),
                 Program(module.code.decode(), "ptx", options=ProgramOptions(arch=f"sm_{device.arch}")).compile("cubin")):
        launch(stream, LaunchConfig(grid=1, block=8), code.get_kernel("add_one"), x, np.int32(8))
    assert to_host(x, np.int32, stream).tolist() == [3] * 8


def test_wrong_source_is_told():
    with pytest.raises(Exception, match="expected a"):
        Program('extern "C" __global__ void k() { int }', "c++").compile("ptx")


def test_a_cache_of_programs(device):
    cache = InMemoryProgramCache()
    options = ProgramOptions(arch=f"sm_{device.arch}")
    codes = [Program('extern "C" __global__ void k() {}', "c++", options=options).compile("ptx", cache=cache).code for _ in range(2)]
    assert codes[0] == codes[1] and len(cache) == 1


RESOURCES = {
    "default": lambda device: device.memory_resource,
    "pool": lambda device: DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 24)),
    "pinned": lambda device: LegacyPinnedMemoryResource(),
    "pinned-pool": lambda device: PinnedMemoryResource(),
    "managed-pool": lambda device: ManagedMemoryResource(),
    "virtual": VirtualMemoryResource,
}


@pytest.mark.parametrize("kind", RESOURCES)
def test_memory(device, stream, kind):
    resource = RESOURCES[kind](device)
    buffer = resource.allocate(4096, stream=stream)
    assert buffer.size >= 4096 and buffer.memory_resource is resource
    buffer.fill(7, stream=stream)
    stream.sync()
    assert to_host(buffer, np.uint8, stream)[:4096].tolist() == [7] * 4096, resource
    if buffer.is_host_accessible:
        assert np.from_dlpack(buffer).view(np.uint8)[4095] == 7
    buffer.close(stream)
    stream.sync()


def test_pools_tell_what_they_hold(device, stream):
    resource = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 24))
    buffers = [resource.allocate(1 << 20, stream=stream) for _ in range(3)]
    assert resource.attributes.used_mem_current == 3 << 20
    for buffer in buffers:
        buffer.close(stream)
    stream.sync()
    assert resource.attributes.used_mem_current == 0 and resource.attributes.used_mem_high == 3 << 20
    with pytest.raises(Exception, match="(?i)memory"):
        resource.allocate(1 << 26, stream=stream)


@pytest.mark.parametrize("pattern", [b"\x01", b"\x01\x02", b"\x01\x02\x03\x04"])
def test_fills_by_words(device, stream, pattern):
    buffer = device.allocate(64, stream=stream)
    buffer.fill(pattern, stream=stream)
    assert to_host(buffer, np.uint8, stream).tobytes() == pattern * (64 // len(pattern))


def test_virtual_memory_grows(device, stream):
    resource = VirtualMemoryResource(device)
    buffer = resource.allocate(1 << 20, stream=stream)
    buffer.fill(5, stream=stream)
    stream.sync()
    grown = resource.modify_allocation(buffer, buffer.size * 3)
    assert grown.size >= 3 << 20
    assert to_host(grown, np.uint8, stream)[:1 << 20].tolist() == [5] * (1 << 20)


def test_events(device, stream):
    timed = EventOptions(timing_enabled=True)
    first = stream.record(options=timed)
    second = stream.record(options=timed)
    second.sync()
    assert first.is_done and second - first >= 0
    other = device.create_stream()
    other.wait(second)
    other.wait(stream)
    other.sync()
    with pytest.raises(Exception):
        stream.record() - first


def test_streams(device):
    stream = device.create_stream(options=StreamOptions(nonblocking=True, priority=0))
    assert stream.is_nonblocking and stream.priority == 0 and stream.device.device_id == 0
    same = Stream.from_handle(int(stream.handle))
    assert same.handle == stream.handle
    assert device.default_stream.handle is not None
    device.default_stream.sync()


def test_the_device_is_waited_for(device):
    """Uses `cuda.bindings.runtime`."""
    device.sync()


def test_a_captured_graph(device, stream, module):
    kernel, config = module.get_kernel("add_one"), LaunchConfig(grid=1, block=32)
    x = on_device(np.zeros(32, np.int32), device, stream)
    builder = stream.create_graph_builder().begin_building()
    launch(builder, config, kernel, x, np.int32(32))
    left, right = builder.split(2)
    launch(left, config, kernel, x, np.int32(16))
    launch(right, config, kernel, x, np.int32(0))
    builder = type(builder).join(left, right)
    launch(builder, config, kernel, x, np.int32(8))
    graph = builder.end_building().complete()
    graph.upload(stream)
    for _ in range(2):
        graph.launch(stream)
    assert to_host(x, np.int32, stream).tolist() == [6] * 8 + [4] * 8 + [2] * 16


def test_a_graph_made_of_nodes(device, stream, module, tmp_path):
    kernel, config = module.get_kernel("add_one"), LaunchConfig(grid=1, block=32)
    x, y = device.allocate(128, stream=stream), device.allocate(128, stream=stream)
    stream.sync()
    graph = GraphDefinition()
    called = []
    node = graph.memset(x, 0, 128)
    node = node.launch(config, kernel, x, np.int32(32)).launch(config, kernel, x, np.int32(16))
    node = node.memcpy(y, x, 128).callback(lambda: called.append(1))
    child = GraphDefinition()
    child.launch(config, kernel, y, np.int32(32))
    node.embed(child)
    assert len(graph.nodes()) == 6 and len(graph.edges()) == 5
    graph.debug_dot_print(str(tmp_path / "graph.dot"))
    assert "digraph" in (tmp_path / "graph.dot").read_text()
    made = graph.instantiate()
    made.launch(stream)
    assert to_host(y, np.int32, stream).tolist() == [3] * 16 + [2] * 16
    assert called == [1]


def test_memory_of_graphs(device, stream, module):
    out = device.allocate(128, stream=stream)
    resource = GraphMemoryResource(device)
    builder = stream.create_graph_builder().begin_building("thread_local")
    buffer = resource.allocate(128, stream=builder)
    buffer.fill(9, stream=builder)
    out.copy_from(buffer, stream=builder)
    buffer.close(builder)
    graph = builder.end_building().complete()
    graph.launch(stream)
    assert to_host(out, np.uint8, stream).tolist() == [9] * 128


def test_a_conditional_node(device, stream, module):
    x = on_device(np.zeros(32, np.int32), device, stream)
    builder = stream.create_graph_builder().begin_building()
    body = builder.if_then(builder.create_condition(default_value=1)).begin_building()
    launch(body, LaunchConfig(grid=1, block=32), module.get_kernel("add_one"), x, np.int32(32))
    body.end_building()
    builder.end_building().complete().launch(stream)
    assert to_host(x, np.int32, stream).tolist() == [1] * 32


def test_constants_and_other_modules(device, stream, module):
    x = on_device(np.arange(8, dtype=np.int32), device, stream)
    launch(stream, LaunchConfig(grid=1, block=8), module.get_kernel("scaled"), x)
    assert to_host(x, np.int32, stream).tolist() == [0, 3, 6, 9, 12, 15, 18, 21]


@pytest.mark.parametrize("shape", [(2, 3), ((2, 1, 2), (1, 4, 1))])
def test_shapes_of_launches(device, stream, shape):
    grid, block = shape
    source = r"""extern "C" __global__ void count(int *x) { atomicAdd(x, 1 + 100 * (gridDim.x + gridDim.y + gridDim.z)); }"""
    kernel = Program(source, "c++", options=ProgramOptions(arch=f"sm_{device.arch}")).compile("ptx").get_kernel("count")
    x = on_device(np.zeros(1, np.int32), device, stream)
    launch(stream, LaunchConfig(grid=grid, block=block), kernel, x)
    grids = (grid, 1, 1) if isinstance(grid, int) else grid
    threads = int(np.prod(grid)) * int(np.prod(block))
    assert to_host(x, np.int32, stream)[0] == threads * (1 + 100 * sum(grids))


def test_memory_of_others_is_a_buffer(device, stream):
    whole = on_device(np.arange(16, dtype=np.int32), device, stream)
    part = Buffer.from_handle(int(whole.handle) + 16, 16)
    assert to_host(part, np.int32, stream).tolist() == [4, 5, 6, 7]


def test_errors_have_names(device, stream, module):
    with pytest.raises(Exception, match="CUDA_ERROR_INVALID_VALUE"):
        launch(stream, LaunchConfig(grid=1, block=4096), module.get_kernel("add_one"), stream.device.allocate(4, stream=stream), 1)
    with pytest.raises(Exception, match="CUDA_ERROR_NOT_FOUND"):
        module.get_kernel("no_such_kernel")


def test_views_of_strided_memory(device, stream):
    buffer = on_device(np.arange(12, dtype=np.int32), device, stream)

    @args_viewable_as_strided_memory((0,))
    def shape_of(array):
        view = array.view(stream.handle)
        return view.shape, view.is_device_accessible

    assert shape_of(buffer)[1]
    view = StridedMemoryView.from_any_interface(np.arange(6).reshape(2, 3), stream_ptr=-1)
    assert view.shape == (2, 3) and not view.is_device_accessible


def test_a_kernel_s_fault_is_an_error(device, stream):
    """Runs in a separate process, because the context is lost."""
    import subprocess
    import sys
    program = r'''
from cuda.core import *
import numpy as np
device = Device(); device.set_current(); stream = device.create_stream()
kernel = Program('extern "C" __global__ void k(int *x) { x[1 << 20] = 1; }', "c++").compile("ptx").get_kernel("k")
launch(stream, LaunchConfig(grid=1, block=1), kernel, device.allocate(64, stream=stream))
try:
    stream.sync()
except Exception as error:
    print(error)
'''
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ILLEGAL_ADDRESS" in done.stdout, done
    assert "emulated CUDA driver" in done.stderr and "1 << 20" not in done.stderr


def test_the_system(device):
    """Uses NVML."""
    assert system.get_num_devices() == 1
    assert system.get_user_mode_driver_version() >= (13, 0)
    seen = device.to_system_device()
    assert "emulated" in seen.name and seen.uuid.replace("GPU-", "") == device.uuid
    assert seen.memory_info.total == seen.memory_info.free + seen.memory_info.used
