// Calls every function of the runtime with invalid arguments, one at a time, and prints the results as a table.
//
//   errors              the whole table
//   errors NAME FROM    the rows of one function from this one on, each flushed: a call that crashes affects only itself
//
// Each row of rows.inc is a function and a call of it, the first row of its results (`as is`), which succeeds if one can. Each
// argument is then replaced in turn: a pointer by null, a handle by null and by one that
// never existed, a number by others that are out of range, a structure by zeros. errors.csv has our results.
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

extern char **environ;

namespace {

const char *PTX = ".version 7.0\n.target sm_52\n.address_size 64\n.visible .global .align 4 .u32 number;\n"
                  ".visible .entry kernel(.param .u64 p) { ret; }\n";

void nothing(void *) {}
void nothing_more(cudaStream_t, cudaError_t, void *) {}

// The objects that valid calls need, created for each call.
struct Objects {
    void *device, *host, *managed, *out = nullptr, *taken, *pinned;
    const void *out_const = nullptr;
    size_t size = 0, size2 = 0;
    int number = 0, number2 = 0;
    unsigned u = 0;
    unsigned long long u64 = 0;
    float ms = 0;
    char text[256] = "";
    const char *name = nullptr;
    cudaStream_t stream, stream_out;
    cudaEvent_t event, event2, event_out;
    cudaGraph_t graph, child, graph_out;
    cudaGraphNode_t node, node2, node_out, kernel_node, memset_node, copy_node, host_node, child_node, record_node, wait_node;
    cudaGraphNode_t memory_node;
    cudaGraphExec_t exec, exec_out;
    cudaArray_t array, array_out;
    cudaMipmappedArray_t mipmapped, mipmapped_out;
    cudaMemPool_t pool, pool_out;
    cudaLibrary_t library, library_out;
    cudaKernel_t kernel, kernel_out;
    cudaUserObject_t user, user_out;
    cudaTextureObject_t texture = 0;
    cudaSurfaceObject_t surface = 0;
    cudaChannelFormatDesc format{32, 0, 0, 0, cudaChannelFormatKindSigned};
    cudaExtent extent{8, 8, 8}, extent_out{};
    cudaDeviceProp properties;
    cudaPointerAttributes attributes;
    cudaFuncAttributes of_kernel;
    cudaResourceDesc resource{};
    cudaTextureDesc sampling{};
    cudaResourceViewDesc view{};
    cudaMemPoolProps pool_properties{};
    cudaMemAccessDesc access{};
    cudaMemAccessFlags flags;
    cudaMemLocation here{cudaMemLocationTypeDevice, {0}};
    cudaMemcpy3DParms copy{};
    cudaMemcpy3DPeerParms peer{};
    cudaMemsetParams fill{};
    cudaHostNodeParams call{nothing, nullptr};
    cudaKernelNodeParams launch{};
    cudaMemAllocNodeParams allocation{};
    cudaGraphNodeType kind;
    cudaGraphExecUpdateResultInfo update{};
    cudaStreamCaptureStatus status;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaPitchedPtr pitched{};
    cudaLaunchConfig_t config{};
    cudaLaunchAttributeValue value{};
    cudaDriverEntryPointQueryResult found;
    cudaFunction_t function = nullptr;
    void *arguments[1];
    char bytes[4096], registered[4096], bus[64];
    const cudaGraphNode_t *nodes = nullptr;
    // Of batches.
    void *targets[2], *managed_parts[2];
    const void *sources[2];
    size_t sizes[2] = {64, 64}, first[1] = {0};
    cudaMemcpyAttributes ordered{};
    cudaMemcpy3DBatchOp operation{};
    // For other processes.
    cudaIpcMemHandle_t shared_memory{};
    cudaIpcEventHandle_t shared_event{};
    cudaEvent_t event_for_others;
    cudaMemPool_t pool_for_others;
    void *from_pool_for_others;
    cudaMemPoolPtrExportData pointer_for_others{};
    int descriptor = -1;

    Objects() {
        cudaMalloc(&device, 4096);
        cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal);
        cudaMallocHost(&pinned, 4096);
        host = bytes;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaMallocAsync(&taken, 64, stream);
        cudaEventCreate(&event);
        cudaEventCreate(&event2);
        cudaEventRecord(event, stream);
        cudaEventRecord(event2, stream);
        cudaStreamSynchronize(stream);
        cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore);
        cudaMallocMipmappedArray(&mipmapped, &format, extent, 2, 0);
        pool_properties.allocType = cudaMemAllocationTypePinned;
        pool_properties.location = here;
        cudaMemPoolCreate(&pool, &pool_properties);
        access = {here, cudaMemAccessFlagsProtReadWrite};
        cudaLibraryLoadData(&library, PTX, nullptr, nullptr, 0, nullptr, nullptr, 0);
        cudaLibraryGetKernel(&kernel, library, "kernel");
        cudaUserObjectCreate(&user, this, nothing, 1, cudaUserObjectNoDestructorSync);
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaCreateTextureObject(&texture, &resource, &sampling, nullptr);
        cudaCreateSurfaceObject(&surface, &resource);
        arguments[0] = &device;
        cudaDeviceGetPCIBusId(bus, sizeof bus, 0);
        cudaHostRegister(registered, sizeof registered, 0);
        launch.func = (void *)kernel;
        launch.gridDim = launch.blockDim = {1, 1, 1};
        launch.kernelParams = arguments;
        config.gridDim = config.blockDim = {1, 1, 1};
        config.stream = stream;
        fill = {device, 0, 0, 1, 16, 1};
        pitched = {device, 64, 64, 8};
        copy.srcPtr = pitched;
        copy.dstPtr = {managed, 64, 64, 8};
        copy.extent = {16, 2, 1};
        copy.kind = cudaMemcpyDefault;
        peer.srcPtr = pitched;
        peer.dstPtr = {managed, 64, 64, 8};
        peer.extent = copy.extent;
        allocation.poolProps = pool_properties;
        allocation.bytesize = 64;
        cudaGraphCreate(&graph, 0);
        cudaGraphCreate(&child, 0);
        cudaGraphAddEmptyNode(&node_out, child, nullptr, 0);
        cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
        cudaGraphAddEmptyNode(&node2, graph, &node, 1);
        cudaGraphAddKernelNode(&kernel_node, graph, nullptr, 0, &launch);
        cudaGraphAddMemsetNode(&memset_node, graph, nullptr, 0, &fill);
        cudaGraphAddMemcpyNode1D(&copy_node, graph, nullptr, 0, managed, device, 16, cudaMemcpyDefault);
        cudaGraphAddHostNode(&host_node, graph, nullptr, 0, &call);
        cudaGraphAddChildGraphNode(&child_node, graph, nullptr, 0, child);
        cudaGraphAddEventRecordNode(&record_node, graph, nullptr, 0, event);
        cudaGraphAddEventWaitNode(&wait_node, graph, nullptr, 0, event);
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphRetainUserObject(graph, user, 1, 0);
        targets[0] = device, targets[1] = (char *)device + 64;
        managed_parts[0] = managed, managed_parts[1] = (char *)managed + 64;
        sources[0] = managed, sources[1] = (char *)managed + 64;
        ordered.srcAccessOrder = operation.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
        operation.src.type = operation.dst.type = cudaMemcpyOperandTypePointer;
        operation.src.op.ptr.ptr = managed;
        operation.dst.op.ptr.ptr = device;
        operation.extent = copy.extent;
        cudaEventCreateWithFlags(&event_for_others, cudaEventDisableTiming | cudaEventInterprocess);
        cudaIpcGetMemHandle(&shared_memory, device);
        cudaIpcGetEventHandle(&shared_event, event_for_others);
        cudaMemPoolProps exported = pool_properties;
        exported.handleTypes = cudaMemHandleTypePosixFileDescriptor;
        cudaMemPoolCreate(&pool_for_others, &exported);
        cudaMallocFromPoolAsync(&from_pool_for_others, 64, pool_for_others, stream);
        cudaStreamSynchronize(stream);
        cudaMemPoolExportToShareableHandle(&descriptor, pool_for_others, cudaMemHandleTypePosixFileDescriptor, 0);
        cudaMemPoolExportPointer(&pointer_for_others, from_pool_for_others);
        cudaGetLastError();
    }
};

struct Function {
    std::string name;
    std::function<int(int from)> run;
};
std::vector<Function> functions;

// A handle that never existed.
alignas(64) char never[65536];

template <typename T> constexpr bool IS_HANDLE =
    std::is_same_v<T, cudaStream_t> || std::is_same_v<T, cudaEvent_t> || std::is_same_v<T, cudaGraph_t> ||
    std::is_same_v<T, cudaGraphNode_t> || std::is_same_v<T, cudaGraphExec_t> || std::is_same_v<T, cudaArray_t> ||
    std::is_same_v<T, cudaArray_const_t> || std::is_same_v<T, cudaMipmappedArray_t> ||
    std::is_same_v<T, cudaMipmappedArray_const_t> || std::is_same_v<T, cudaMemPool_t> || std::is_same_v<T, cudaLibrary_t> ||
    std::is_same_v<T, cudaKernel_t> || std::is_same_v<T, cudaUserObject_t> || std::is_same_v<T, cudaFunction_t>;

// The invalid values of a type, and their names.
template <typename T> std::vector<std::pair<const char *, T>> wrong() {
    if constexpr (IS_HANDLE<T>) {
        return {{"null", nullptr}, {"never", reinterpret_cast<T>(never)}};
    } else if constexpr (std::is_pointer_v<T>) {
        return {{"null", nullptr}};
    } else if constexpr (std::is_enum_v<T>) {
        return {{"99", static_cast<T>(99)}};
    } else if constexpr (std::is_same_v<T, size_t>) {
        return {{"0", 0}, {"huge", SIZE_MAX / 2}};
    } else if constexpr (std::is_integral_v<T>) {
        return {{"-1", static_cast<T>(-1)}, {"77", static_cast<T>(77)}};
    } else {
        return {{"zeros", T{}}};
    }
}

void tell(const std::string &name, const std::string &which, cudaError_t code) {
    printf("%s,%s,%s\n", name.c_str(), which.c_str(), cudaGetErrorName(code));
    fflush(stdout);
    cudaGetLastError();
}

template <typename... P, typename Make> void add(const char *name, cudaError_t (*function)(P...), Make make) {
    functions.push_back({name, [=](int from) {
        int row = 0;
        auto go = [&](const std::string &which, auto &&change) {
            if (row++ < from) return;
            auto *objects = new Objects;  // Never freed: an invalid call may have kept its arguments.
            std::tuple<P...> arguments = make(*objects);
            change(arguments);
            tell(name, which, std::apply(function, arguments));
        };
        go(",as is", [](auto &) {});
        [&]<size_t... I>(std::index_sequence<I...>) {
            auto one = [&]<size_t K>(std::integral_constant<size_t, K>) {
                for (auto [called, value] : wrong<std::tuple_element_t<K, std::tuple<P...>>>()) {
                    go(std::to_string(K + 1) + "," + called, [&](auto &arguments) { std::get<K>(arguments) = value; });
                }
            };
            (one(std::integral_constant<size_t, I>{}), ...);
        }(std::index_sequence_for<P...>{});
        return row;
    }});
}

#define ROW(function, ...) add(#function, function, []([[maybe_unused]] Objects &o) { return std::make_tuple(__VA_ARGS__); })

void rows() {
#include "rows.inc"
}

// Seconds after which a call that hangs is ended by a signal.
constexpr unsigned LONGEST = 30;

// Runs the rows of one function in separate processes, and returns them, including those that end by a signal.
std::string all_of(const char *self, const Function &function) {
    std::string told;
    const char *folder = std::getenv("TMPDIR");
    const std::string file = std::string(folder ? folder : "/tmp") + "/errors." + std::to_string(getpid()) + function.name;
    for (int from = 0;;) {
        std::string number = std::to_string(from);
        char *arguments[] = {const_cast<char *>(self), const_cast<char *>(function.name.c_str()), number.data(), nullptr};
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 1, file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        pid_t pid;
        int status = 0;
        posix_spawn(&pid, self, &actions, nullptr, arguments, environ);
        waitpid(pid, &status, 0);
        std::ifstream read(file);
        for (std::string line; std::getline(read, line); from++) told += line + "\n";
        std::remove(file.c_str());
        if (!WIFSIGNALED(status)) return told;
        told += function.name + ",row " + std::to_string(from++) + ",signal " + std::to_string(WTERMSIG(status)) + "\n";
    }
}

// The rows of all functions, several at a time, in their order.
void all(const char *self) {
    std::vector<std::string> told(functions.size());
    std::atomic<size_t> next = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); i++) {
        threads.emplace_back([&] {
            for (size_t at; (at = next++) < functions.size();) told[at] = all_of(self, functions[at]);
        });
    }
    for (auto &thread : threads) thread.join();
    puts("function,argument,given,answer");
    for (const auto &rows : told) fputs(rows.c_str(), stdout);
}

}  // namespace

int main(int count, char **arguments) {
    rows();
    if (count == 1) {
        all(arguments[0]);
        return 0;
    }
    setvbuf(stdout, nullptr, _IOLBF, 0);
    alarm(LONGEST);
    for (const auto &function : functions) {
        if (function.name == arguments[1]) function.run(std::atoi(arguments[2]));
    }
    return 0;
}
