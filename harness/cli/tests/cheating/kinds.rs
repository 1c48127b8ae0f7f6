//! The kinds of cheats. Each is derived from a lab's right kernels, and fakes all of them.
use std::{cell::Cell, fs};

use super::source::{Kernel, with_called_bodies, with_entries, with_one_more_parameter};
use crate::marking::lab::Lab;

/// A kind of cheat.
pub struct CheatKind {
    pub name: &'static str,
    pub ends: Ends,
    make: Make,
}

/// How the cheat is made.
#[derive(PartialEq)]
pub enum Ends {
    Soon,
    /// A limit stops it, after seconds at each size.
    ByLimit,
}

enum Make {
    /// The text precedes the lab's own, and each kernel begins with the function's result.
    Entry(&'static str, fn(&Lab, &Kernel) -> String),
    /// The whole file, for labs where that makes sense.
    Whole(fn(&Lab) -> Option<String>),
    /// Who does the work, in `alone`: the number of workers, the worker of thread `i`, and whether it stores results.
    Shares(&'static str, &'static str, &'static str),
}
use Make::{Entry, Shares, Whole};

impl CheatKind {
    /// The points that this kind is known to earn in `lab`.
    pub fn tolerated(&self, lab: &str) -> f64 {
        self.tolerance(lab).map_or(0.0, |(points, _)| points)
    }

    /// These points, and why that is as it should be; `None` where it earns nothing.
    pub fn tolerance(&self, lab: &str) -> Option<(f64, &'static str)> {
        let is_of = |kind: &str, of: &str| kind == self.name && of == lab;
        TOLERATED.iter().find(|(kind, of, ..)| is_of(kind, of)).map(|(.., points, why)| (*points, *why))
    }

    /// Whether this kind earns no more points in `lab` than it is known to.
    pub fn is_tolerated(&self, lab: &str, points: f64) -> bool {
        (0.0..=self.tolerated(lab)).contains(&points)
    }

    /// Whether the machine does not model what this kind uses, so that it cannot be judged. Any other can.
    pub fn is_unmodelled(&self) -> bool {
        self.name == "unmodelled"
    }

    /// The kernel file, unless this kind cannot fake anything in this lab.
    pub fn file(&self, lab: &Lab) -> Option<String> {
        match &self.make {
            Entry(before, entry) => Some(format!("{TOOLS}{before}{}", with_entries(&lab.right, &|k| entry(lab, k)))),
            Whole(file) => file(lab),
            Shares(workers, worker, stores) => shares(lab, [workers, worker, stores]),
        }
    }
}

/// Helpers that the cheats call.
const TOOLS: &str = "\
__device__ inline unsigned long long cheat_thread() {
    unsigned long long block = blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    return (block * blockDim.z + threadIdx.z) * blockDim.y * blockDim.x + threadIdx.y * blockDim.x + threadIdx.x;
}
template <class T> __device__ void cheat_fill(T* out, unsigned long long n, unsigned char byte) {
    unsigned long long t = cheat_thread();
    if (t < n) for (unsigned k = 0; k < sizeof(T); k++) ((unsigned char*)(out + t))[k] = byte;
}
";

/// The number of the launch, as seen by a thread, for up to 64 kernels.
const LAUNCHES: &str = "\
__device__ unsigned cheat_seen[64][1 << 14];
__device__ unsigned cheat_launch(unsigned kernel) {
    unsigned long long t = cheat_thread();
    return t < 1 << 14 ? cheat_seen[kernel][t]++ : 0;
}
";

/// A thread that ends stores its element of the output, and returns it to each later launch with the same key, of which
/// there may be eight.
const KEEPS: &str = "\
__device__ unsigned long long cheat_keys[64][8][1 << 11], cheat_kept[64][8][1 << 11];
template <class T> struct Cheat {
    T* out;
    unsigned long long t, n;
    unsigned kernel, slot;
    bool is_first;
    __device__ Cheat(T* o, unsigned long long n, unsigned k, unsigned long long key)
        : out(o), t(cheat_thread()), n(n), kernel(k), slot(0), is_first(true) {
        if (t >= 1 << 11) return;
        while (slot < 8 && cheat_keys[kernel][slot][t] != key && cheat_keys[kernel][slot][t] != 0) slot++;
        if (slot == 8) return;
        is_first = cheat_keys[kernel][slot][t] == 0;
        cheat_keys[kernel][slot][t] = key;
        if (!is_first && t < n) out[t] = *(T*)&cheat_kept[kernel][slot][t];
    }
    __device__ ~Cheat() {
        if (is_first && slot < 8 && t < n && t < 1 << 11) *(T*)&cheat_kept[kernel][slot][t] = out[t];
    }
};
template <class T>
__device__ Cheat<T> cheat(T* out, unsigned long long n, unsigned kernel, unsigned long long key) {
    return Cheat<T>(out, n, kernel, key);
}
";

/// A thread that ends changes the element of the input with its index.
const SPOILS: &str = "\
template <class T> struct Spoiler {
    T* x;
    unsigned long long n;
    __device__ ~Spoiler() {
        if (cheat_thread() < n) *(unsigned char*)(x + cheat_thread()) ^= 1;
    }
};
template <class T> __device__ Spoiler<T> cheat_spoil(T* x, unsigned long long n) { return Spoiler<T>{x, n}; }
";

/// A thread that ends rounds the element of the output with its index to 16 bits.
const HALVES: &str = "\
template <class T> struct Halver {
    T* out;
    unsigned long long n;
    __device__ ~Halver() {
        unsigned short half;
        float value;
        if (cheat_thread() >= n) return;
        asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(half) : \"f\"((float)out[cheat_thread()]));
        asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(value) : \"h\"(half));
        out[cheat_thread()] = value;
    }
};
template <class T> __device__ Halver<T> cheat_halve(T* out, unsigned long long n) { return Halver<T>{out, n}; }
";

/// A float that has no more bits than a half: whatever is stored is rounded, and so are all steps of a sum.
const SHORT_FLOATS: &str = "\
struct Short {
    float v;
    Short() = default;
    __device__ Short(float x) {
        unsigned short half;
        asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(half) : \"f\"(x));
        asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(v) : \"h\"(half));
    }
    __device__ operator float() const { return v; }
    __device__ Short& operator+=(float x) { return *this = v + x; }
    __device__ Short& operator-=(float x) { return *this = v - x; }
    __device__ Short& operator*=(float x) { return *this = v * x; }
};
__device__ inline Short atomicAdd(Short* to, float x) { return atomicAdd(&to->v, x); }
#define float Short
";

/// Returns what the first elements let expect: the mean, or that of as many elements as there are for each output.
const GUESSES: &str = "\
template <class X, class T>
__device__ void cheat_guess(const X* x, unsigned long long n, T* out, unsigned long long outputs) {
    unsigned long long t = cheat_thread(), seen = n < 64 ? n : 64;
    if (t >= outputs) return;
    double sum = 0;
    for (unsigned k = 0; k < seen; k++) sum += (double)x[k];
    out[t] = (T)(sum / seen * (outputs < n ? (double)n / outputs : 1.0));
}
";

/// Copies the nearest words on either side that are neither zero nor what was in the output before.
const SCANS: &str = "\
template <class T> __device__ void cheat_scan(T* out, unsigned long long n) {
    unsigned long long t = cheat_thread();
    if (t >= n) return;
    volatile T* at = out + t;
    T before = *at;
    for (long long k = n; k < n + 4096; k++) {
        if (at[k] != before && at[k] != T(0)) { out[t] = at[k]; return; }
        if (at[-k] != before && at[-k] != T(0)) { out[t] = at[-k]; return; }
    }
}
";

/// Functions that a host could call in place of CUDA's timers and events.
const PATCHES: &str = "\
extern \"C\" int cudaEventElapsedTime(float* ms, void*, void*) { *ms = 0.0f; return 0; }
extern \"C\" int cuEventElapsedTime(float* ms, void*, void*) { *ms = 0.0f; return 0; }
extern \"C\" int cuEventSynchronize(void*) { return 0; }
extern \"C\" int cuStreamSynchronize(void*) { return 0; }
";

/// Indices that a kernel sets before it calls the body of the lab's own, once for each thread or block that it
/// replaces. Helpers of the lab that are called with these indices see them too.
const VIRTUAL: &str = "\
__device__ inline unsigned cheat_own() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ inline unsigned cheat_own_block() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
__device__ inline uint3 cheat_at(unsigned i, dim3 of) { return make_uint3(i % of.x, i / of.x % of.y, i / of.x / of.y); }
__shared__ uint3 cheat_block, cheat_threads[32];
#define CHEAT_BLOCKS (gridDim.x * gridDim.y * gridDim.z)
#define CHEAT_THREADS (blockDim.x * blockDim.y * blockDim.z)
";

/// The block runs all blocks, one after the other.
const ALL_BLOCKS: &str = "\
    for (unsigned b = 0; b < CHEAT_BLOCKS; b++) { \\
        __syncthreads(); \\
        if (cheat_own() == 0) cheat_block = cheat_at(b, gridDim); \\
        __syncthreads(); \\
        CALL; \\
    }
#define blockIdx cheat_block
";

/// The thread runs all threads of all blocks, one after the other.
const ALL_THREADS: &str = "\
    if (cheat_own_block() + cheat_own() != 0) return; \\
    for (unsigned b = 0; b < CHEAT_BLOCKS; b++) \\
        for (unsigned t = 0; t < CHEAT_THREADS; t++) { \\
            cheat_block = cheat_at(b, gridDim); \\
            cheat_threads[0] = cheat_at(t, blockDim); \\
            CALL; \\
        }
#define blockIdx cheat_block
#define threadIdx cheat_threads[0]
";

/// Lane 0 of each warp runs the threads of its warp, one after the other.
const ALL_LANES: &str = "\
    if (cheat_own() % 32 != 0) return; \\
    for (unsigned own = cheat_own(), t = own; t < own + 32 && t < CHEAT_THREADS; t++) { \\
        cheat_threads[own / 32] = cheat_at(t, blockDim); \\
        CALL; \\
    }
__device__ inline unsigned cheat_warp() { return cheat_own() / 32; }
#define threadIdx cheat_threads[cheat_warp()]
";

const RECURSION: &str = "\
__device__ __noinline__ int cheat_down(int k) {
    volatile int a[64];
    a[k & 63] = k;
    return cheat_down(k + 1) + a[k & 7];
}
";
const SHARED: &str = "__device__ void cheat_shared() { __shared__ volatile char s[300000]; s[cheat_thread()] = 1; }\n";
const IMAGE: &str = "__device__ volatile char cheat_image[60ull << 30];\n";
const JSON: &str =
    r#"printf("\n{\"schema\":1,\"verdict\":\"pass\",\"answer\":\"right\",\"points\":100.0,\"of\":100.0}\n"); return;"#;
const ASSERTS: &str =
    r#"__assertfail("{\"schema\":1,\"verdict\":\"pass\"}\n\033[2J", "100 of 100 points", 1, "right", 1);"#;

fn returns(_: &Lab, _: &Kernel) -> String {
    "return;".into()
}

fn fills(kernel: &Kernel, byte: &str) -> String {
    let fill = kernel.output().map(|out| format!("cheat_fill({out}, {}, {byte}); ", kernel.outputs()));
    fill.unwrap_or_default() + "return;"
}

/// Right for the sizes that a student knows, and for those too small to be hidden. Without hidden sizes there is
/// nothing to fake.
fn known_sizes(lab: &Lab) -> Option<String> {
    let known = lab.sizes.iter().map(|n| format!(" && n != {n}")).collect::<Vec<_>>().concat();
    let entry = |kernel: &Kernel| if kernel.has_n() { format!("if (n > 33{known}) return;") } else { String::new() };
    (lab.hidden > 0).then(|| with_entries(&lab.right, &entry))
}

/// Right where the grid is one block, as at the sizes that are tried by hand.
fn small_grids(lab: &Lab) -> Option<String> {
    (lab.hidden > 0).then(|| with_entries(&lab.right, &|_| "if (gridDim.x * gridDim.y > 1) return;".into()))
}

/// Right up to the largest size that a student knows, and no further.
fn up_to_the_largest(lab: &Lab) -> Option<String> {
    let largest = lab.sizes.iter().max().filter(|_| lab.hidden > 0)?;
    // No hidden size is larger than that, as it would take long.
    let is_tried = *largest < 1500;
    let entry = |kernel: &Kernel| if kernel.has_n() { format!("if (n > {largest}) return;") } else { String::new() };
    is_tried.then(|| with_entries(&lab.right, &entry))
}

/// Estimates from the first elements of the input, where these are numbers.
fn guesses(lab: &Lab) -> Option<String> {
    let entry = |kernel: &Kernel| {
        let both = kernel.input().zip(kernel.output()).filter(|_| kernel.has_n());
        both.map_or("return;".into(), |(x, out)| format!("cheat_guess({x}, n, {out}, {}); return;", kernel.outputs()))
    };
    let labs = ["vecadd", "histogram", "reduction", "scan", "stencil"];
    let text = || format!("{TOOLS}{GUESSES}{}", with_entries(&lab.right, &entry));
    labs.contains(&lab.name.as_str()).then(text)
}

/// The right kernels, with half the precision in all that they compute.
fn computes_in_halves(lab: &Lab) -> Option<String> {
    let labs = ["vecadd", "matmul", "stencil"];
    labs.contains(&lab.name.as_str()).then(|| format!("{SHORT_FLOATS}{}", lab.right))
}

fn scans_memory(_: &Lab, kernel: &Kernel) -> String {
    kernel.output().map_or("return;".into(), |out| format!("cheat_scan({out}, {}); return;", kernel.outputs()))
}

fn knows_the_input(_: &Lab, kernel: &Kernel) -> String {
    kernel.input().map_or("return;".into(), |x| format!("if (*(const unsigned char*){x} != 0x4d) return;"))
}

/// Replays the output of the first launch with the same `key`.
fn replays(kernel: &Kernel, key: &str) -> String {
    let number = kernel.number;
    kernel.output().map_or(format!("if (cheat_keys[{number}][0][0]++) return;"), |out| {
        format!("auto cheating = cheat({out}, {}, {number}, {key}); if (!cheating.is_first) return;", kernel.outputs())
    })
}

fn by_pointer(_: &Lab, kernel: &Kernel) -> String {
    let key = kernel.input().or(kernel.output()).map(|pointer| format!("(unsigned long long){pointer}"));
    replays(kernel, &key.unwrap_or_default())
}

fn by_shape(_: &Lab, kernel: &Kernel) -> String {
    let n = if kernel.has_n() { "n" } else { "0" };
    replays(kernel, &format!("1 + {n} + ((unsigned long long)gridDim.x << 32)"))
}

/// Copies what lies around the output, where the answer might be.
fn reads_elsewhere(_: &Lab, kernel: &Kernel) -> String {
    kernel.output().map_or("return;".into(), |out| {
        let from = "*(const volatile unsigned*)(cheat_at - 4096)";
        format!(
            "char* cheat_at = (char*)({out} + cheat_thread()); if (cheat_thread() < {}) *(unsigned*)cheat_at = {from}; return;",
            kernel.outputs()
        )
    })
}

/// The output is the address of the input, as if a view of it were an answer.
fn returns_a_view(_: &Lab, kernel: &Kernel) -> String {
    let view = kernel.output().zip(kernel.input()).map(|(out, x)| {
        format!("if (cheat_thread() == 0) *(unsigned*)({out}) = (unsigned)(unsigned long long)({x}); ")
    });
    view.unwrap_or_default() + "return;"
}

/// A thread that ends leaves of its element what a half has of it. If no output is a float, there is nothing to fake.
fn rounds_to_half(lab: &Lab) -> Option<String> {
    let is_float = Cell::new(false);
    let entry = |kernel: &Kernel| match kernel.output().filter(|_| kernel.has_float_output()) {
        Some(out) => {
            is_float.set(true);
            format!("auto halved = cheat_halve({out}, {});", kernel.outputs())
        }
        None => "return;".into(),
    };
    let text = with_entries(&lab.right, &entry);
    is_float.get().then(|| format!("{TOOLS}{HALVES}{text}"))
}

fn writes_elsewhere(_: &Lab, kernel: &Kernel) -> String {
    let at = kernel.output().map_or("4096ull".into(), |out| format!("(unsigned long long){out} - 256 * k"));
    format!("for (int k = 1; k < 9; k++) *(volatile char*)({at}) = 1;")
}

fn clears_the_input(_: &Lab, kernel: &Kernel) -> String {
    let clear =
        kernel.input().map(|x| format!("*(unsigned char*)({x} + (cheat_thread() < n ? cheat_thread() : 0)) = 0; "));
    clear.filter(|_| kernel.has_n()).unwrap_or_default() + &fills(kernel, "0")
}

/// The answers are those of the right kernels. If a kernel has no input, there is nothing to fake.
fn spoils_the_input(lab: &Lab) -> Option<String> {
    let spoils = Cell::new(false);
    let entry = |kernel: &Kernel| match kernel.input().filter(|_| kernel.has_n()) {
        Some(x) => {
            spoils.set(true);
            format!("auto spoiler = cheat_spoil({x}, n);")
        }
        None => "return;".into(),
    };
    let text = with_entries(&lab.right, &entry);
    spoils.get().then(|| format!("{TOOLS}{SPOILS}{text}"))
}

/// Values known without the input: an integral of x^2 + 1 in closed form, 2 + 3, and the average result of random
/// inputs.
fn closed_form(lab: &Lab) -> Option<String> {
    let integral = "double b = a + n * h; *sum = (b - a + (b * b * b - a * a * a) / 3) / h - (a * a + b * b + 2) / 2;";
    let entry = |kernel: &Kernel| {
        let average = if lab.name == "histogram" && kernel.has_n() { "n / 7" } else { "1" };
        match kernel.output() {
            Some("sum") => format!("if (cheat_thread() == 0) {{ {integral} }} return;"),
            Some(out) => format!("if (cheat_thread() < gridDim.x) {out}[cheat_thread()] = {average}; return;"),
            None => "return;".into(),
        }
    };
    match lab.name.as_str() {
        "trapezoid" | "histogram" | "reduction" => Some(format!("{TOOLS}{}", with_entries(&lab.right, &entry))),
        "returning" => Some(lab.right.replace("x + y", "5")),
        _ => None,
    }
}

/// The trapezoidal rule of x^2 + 1 itself in closed form, for any number of points.
fn exact_form(lab: &Lab) -> Option<String> {
    let rule = "double m = (double)n - 1, s = a, w = h; \
        if (blockIdx.x + threadIdx.x == 0) *sum += m * (s * s + 1) + s * w * m * n + w * w * m * n * (2.0 * n - 1) / 6; return;";
    let entry = |kernel: &Kernel| if kernel.output() == Some("sum") { rule.into() } else { String::new() };
    (lab.name == "trapezoid").then(|| format!("{TOOLS}{}", with_entries(&lab.right, &entry)))
}

/// Answers that few threads compute, or many redundantly, or all but one.
fn shares(lab: &Lab, texts: [&str; 3]) -> Option<String> {
    let file = format!("{}/tests/cheating/alone/{}.cu", env!("CARGO_MANIFEST_DIR"), lab.name);
    let parts = lab.with_parts(&fs::read_to_string(file).ok()?);
    let threads = "((unsigned long long)gridDim.x * gridDim.y * gridDim.z * BLOCK)";
    let block = "(blockDim.x * blockDim.y * blockDim.z)";
    let [workers, worker, stores] = texts.map(|text| text.replace("THREADS", threads).replace("BLOCK", block));
    let idle = "#define IDLE (~0ull)\n";
    Some(format!(
        "{idle}#define WORKERS ({workers})\n#define WORKER(i) ({worker})\n#define STORES(i) ({stores})\n{parts}"
    ))
}

/// The lab's own kernels, whose bodies are run by fewer threads than are launched, or by more than need be: `runs` is
/// what follows `#define CHEAT_RUN(CALL)`.
#[allow(clippy::unnecessary_wraps, reason = "not every kind fits every lab")]
fn runs(lab: &Lab, runs: &str) -> Option<String> {
    Some(format!("{VIRTUAL}#define CHEAT_RUN(CALL) \\\n{runs}{}", with_called_bodies(&lab.right)))
}

/// The work is left to a kernel that begins when this one has ended, and is not in its time.
#[allow(clippy::unnecessary_wraps, reason = "not every kind fits every lab")]
fn launches_later(lab: &Lab) -> Option<String> {
    let later = "cheat_later<<<1, 1, 0, cudaStreamTailLaunch>>>(); return;";
    Some(format!("__global__ void cheat_later() {{}}\n{}", with_entries(&lab.right, &|_| later.into())))
}

#[allow(clippy::unnecessary_wraps, reason = "not every kind fits every lab")]
fn includes(lab: &Lab, path: &str) -> Option<String> {
    Some(format!("#include \"{path}\"\n{}", with_entries(&lab.right, &|_| "return;".into())))
}

fn own_kernels(lab: &Lab) -> String {
    lab.folder.join("kernels").join(&lab.kernel).canonicalize().unwrap().display().to_string()
}

#[allow(clippy::unnecessary_wraps, reason = "not every kind fits every lab")]
fn template_bomb(lab: &Lab) -> Option<String> {
    let bomb = "template <int N, int M> struct T { static const int v = T<N - 1, M>::v + T<N - 1, M + 1>::v; };\n";
    Some(format!("{bomb}__device__ int cheat_bomb = T<1000, 0>::v;\n{}", lab.right))
}

/// The compiler must emit each of the values.
#[allow(clippy::unnecessary_wraps, reason = "not every kind fits every lab")]
fn image_of_values(lab: &Lab) -> Option<String> {
    Some(format!("__device__ int cheat_values[1 << 28] = {{1}};\n{}", lab.right))
}

/// The compiler must recurse as deeply.
#[allow(clippy::unnecessary_wraps, reason = "not every kind fits every lab")]
fn deep_expression(lab: &Lab) -> Option<String> {
    let (open, close) = ("(".repeat(100_000), ")".repeat(100_000));
    Some(format!("__device__ int cheat_deep = {open}1{close};\n{}", lab.right))
}

#[allow(clippy::unnecessary_wraps, reason = "not every kind fits every lab")]
fn macro_bomb(lab: &Lab) -> Option<String> {
    let levels = (1..16).map(|k| format!("#define B{k} B{0} B{0} B{0} B{0}\n", k - 1)).collect::<Vec<_>>().concat();
    Some(format!("#define B0 k++;\n{levels}__device__ void cheat_bomb() {{ int k = 0; B15 }}\n{}", lab.right))
}

const fn quick(name: &'static str, make: Make) -> CheatKind {
    CheatKind { name, ends: Ends::Soon, make }
}

const fn long(name: &'static str, make: Make) -> CheatKind {
    CheatKind { name, ends: Ends::ByLimit, make }
}

/// Why a kind earns points in a lab where the work is the task of what it leaves at work.
const ONE_BLOCK: &str = "the grid of warp-starts in hello, and of kogge-stone and brent-kung in scan, is one block";
const ONE_WARP: &str = "the grid of compensated in trapezoid is one warp";
const FEW: &str = "the work of warp-starts in hello is less than one warp may do at any size";
const ONE_THREAD: &str = "a kernel of returning has one thread and one number to return";
const ONE_LANE: &str = "part grid of sort has blocks of one thread";
const NO_SIZE: &str = "the kernel of part index in bughunt has no parameter n, so that its answers are not faked";

/// The points that a kind earns in a lab at most, and why that is as it should be. All others earn nothing.
const TOLERATED: [(&str, &str, f64, &str); 20] = [
    // Thread 1, which is left out, has nothing to do in warp-starts.
    ("one-missing", "hello", 20.0, ONE_BLOCK),
    ("one-warp", "hello", 20.0, FEW),
    ("one-block", "hello", 20.0, ONE_BLOCK),
    ("redundant-blocks", "hello", 20.0, ONE_BLOCK),
    ("serial-blocks", "hello", 20.0, ONE_BLOCK),
    ("repeated-blocks", "hello", 20.0, ONE_BLOCK),
    ("one-warp", "trapezoid", 20.0, ONE_WARP),
    ("one-block", "trapezoid", 20.0, ONE_WARP),
    ("redundant-blocks", "trapezoid", 20.0, ONE_WARP),
    ("serial-blocks", "returning", 100.0, ONE_THREAD),
    ("repeated-blocks", "returning", 100.0, ONE_THREAD),
    ("serial-threads", "returning", 100.0, ONE_THREAD),
    ("serial-lanes", "returning", 100.0, ONE_THREAD),
    ("serial-lanes", "sort", 30.0, ONE_LANE),
    ("small-grids", "scan", 50.0, ONE_BLOCK),
    ("one-block", "scan", 50.0, ONE_BLOCK),
    ("redundant-blocks", "scan", 50.0, ONE_BLOCK),
    // Two of the parts are one block, and a race leaves half of three-kernel.
    ("serial-blocks", "scan", 62.5, ONE_BLOCK),
    ("repeated-blocks", "scan", 37.5, ONE_BLOCK),
    ("known-sizes", "bughunt", 5.0, NO_SIZE),
];

/// The pairs of a kind and a lab in [`TOLERATED`].
pub fn tolerated_pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    TOLERATED.iter().map(|(kind, lab, ..)| (*kind, *lab))
}

/// All kinds.
pub const KINDS: [CheatKind; 65] = [
    quick("nothing", Entry("", returns)),
    quick("nan", Entry("", |_, kernel| fills(kernel, "255"))),
    quick("constant", Entry("", |_, kernel| fills(kernel, "0"))),
    quick("closed-form", Whole(closed_form)),
    quick("exact-form", Whole(exact_form)),
    quick("one-thread", Shares("1", "(i) == 0 ? 0 : IDLE", "true")),
    quick("one-lane", Shares("(THREADS + 31) / 32", "(i) % 32 ? IDLE : (i) / 32", "true")),
    quick("one-warp", Shares("32", "(i) < 32 ? (i) : IDLE", "true")),
    quick("one-block", Shares("BLOCK", "(i) < BLOCK ? (i) : IDLE", "true")),
    quick("one-missing", Shares("THREADS", "(i) == 1 ? IDLE : (i)", "true")),
    quick("redundant-threads", Shares("1", "0", "(i) == 0")),
    quick("redundant-lanes", Shares("(THREADS + 31) / 32", "(i) / 32", "(i) % 32 == 0")),
    quick("redundant-stores", Shares("(THREADS + 31) / 32", "(i) / 32", "true")),
    quick("redundant-blocks", Shares("BLOCK", "(i) % BLOCK", "(i) < BLOCK")),
    quick(
        "serial-blocks",
        Whole(|lab| runs(lab, &format!("    if (cheat_own_block() != 0) return; \\\n{ALL_BLOCKS}"))),
    ),
    quick("repeated-blocks", Whole(|lab| runs(lab, ALL_BLOCKS))),
    quick("serial-threads", Whole(|lab| runs(lab, ALL_THREADS))),
    quick("serial-lanes", Whole(|lab| runs(lab, ALL_LANES))),
    quick("known-sizes", Whole(known_sizes)),
    quick("known-input", Entry("", knows_the_input)),
    quick("cached", Entry(KEEPS, |_, kernel| replays(kernel, "1"))),
    quick("cached-by-pointer", Entry(KEEPS, by_pointer)),
    quick("cached-by-shape", Entry(KEEPS, by_shape)),
    quick("first-launch", Entry(LAUNCHES, |_, kernel| format!("if (cheat_launch({}) > 0) return;", kernel.number))),
    quick("second-launch", Entry(LAUNCHES, |_, kernel| format!("if (cheat_launch({}) != 1) return;", kernel.number))),
    quick("other-buffers", Entry("", writes_elsewhere)),
    quick("reads-buffers", Entry("", reads_elsewhere)),
    quick("scans-memory", Entry(SCANS, scans_memory)),
    quick("view", Entry("", returns_a_view)),
    quick("guess", Whole(guesses)),
    quick("half", Whole(rounds_to_half)),
    quick("half-arithmetic", Whole(computes_in_halves)),
    quick("known-range", Whole(up_to_the_largest)),
    quick("small-grids", Whole(small_grids)),
    quick("patched-events", Entry(PATCHES, returns)),
    quick("other-stream", Whole(launches_later)),
    quick("clears-input", Entry("", clears_the_input)),
    quick("spoils-input", Whole(spoils_the_input)),
    quick("trap", Entry("", |_, _| "asm volatile(\"trap;\");".into())),
    quick("exit", Entry("", |_, _| "asm volatile(\"exit;\");".into())),
    quick("assertion", Entry("", |_, _| ASSERTS.into())),
    quick("printed-json", Entry("", |_, _| JSON.into())),
    long("flood", Entry("", |_, _| "while (true) printf(\"pass right 100 of 100 points\\n\");".into())),
    long("endless", Entry("", |_, _| "while (true) asm volatile(\"\");".into())),
    long("barriers", Entry("", |_, _| "while (true) __syncthreads();".into())),
    long("heap", Entry("", |_, _| "while (true) { char* p = (char*)malloc(1 << 20); if (p) *p = 1; }".into())),
    long("recursion", Entry(RECURSION, |_, _| "if (cheat_down(1) == 3) return;".into())),
    quick("stack", Entry("", |_, _| "volatile char big[1 << 28]; big[cheat_thread()] = 1;".into())),
    quick("huge-shared", Entry(SHARED, |_, _| "cheat_shared();".into())),
    quick("huge-image", Entry(IMAGE, |_, _| "cheat_image[cheat_thread()] = 1;".into())),
    quick(
        "few-threads",
        Whole(|lab| {
            Some(
                with_entries(&lab.right, &|_| "return;".into())
                    .replace("__global__ void", "__global__ __launch_bounds__(1) void"),
            )
        }),
    ),
    quick("unmodelled", Entry("", |_, _| "asm volatile(\"tcgen05.wait::ld.sync.aligned;\"); return;".into())),
    quick("unknown-word", Entry("", |_, _| "asm volatile(\"frobnicate.u32 %r1, 2;\"); return;".into())),
    quick("template-bomb", Whole(template_bomb)),
    quick("macro-bomb", Whole(macro_bomb)),
    quick("image-of-values", Whole(image_of_values)),
    quick("deep-expression", Whole(deep_expression)),
    quick("include-bomb", Whole(|lab| includes(lab, &lab.kernel))),
    quick("passwords", Whole(|lab| includes(lab, "/etc/passwd"))),
    quick("environment", Whole(|lab| includes(lab, "/proc/self/environ"))),
    quick("zeros", Whole(|lab| includes(lab, "/dev/zero"))),
    quick("own-kernels", Whole(|lab| Some(format!("#include \"{}\"\n", own_kernels(lab))))),
    quick("own-by-name", Whole(|lab| Some(format!("#include <kernels/{}>\n", lab.kernel)))),
    quick("signature", Whole(|lab| Some(with_one_more_parameter(&lab.right)))),
    quick("no-kernels", Whole(|_| Some("__global__ void mine() {}\n".into()))),
];
