#!/usr/bin/env python3
"""Writes the hostile kernel files of this campaign: `make.py FOLDER`.

Each is a file for lab vecadd, whose kernel is z[i] = x[i] + y[i]; `CASES` lists them by family. A file is the text of a
body that is in the kernel after its index, or a whole text."""
import lzma
import hashlib
import pathlib
import sys

HEAD = (
    "extern \"C\" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n) {\n"
    "    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;\n"
)
RIGHT = "    if (i < n) z[i] = x[i] + y[i];\n"
LABS = pathlib.Path(__file__).resolve().parents[4] / "labs"

CASES = {}


def case(family, name, text, sizes=("33",), variant="pageable"):
    """Adds a file: `sizes` are passed to the grader, or chosen by it if empty."""
    CASES.setdefault(family, {})[name] = (text, tuple(sizes), variant)


def body(family, name, text, before="", **more):
    case(family, name, f"{before}{HEAD}{text}}}\n", **more)


def endless():
    for name, loop in {
        "while": "while (true) z[0] = 1;",
        "volatile": "volatile int going = 1; while (going) {}",
        "atomic": "while (atomicAdd((int *)z, 0) != 12345) {}",
        "spin-on-neighbour": "while (((volatile float *)z)[n - 1] != 3.0e30f) {}",
        "goto": "again: z[0] += 1; goto again;",
        "one-lane": "if (threadIdx.x == 3) while (true) z[0] = 1;",
        "last-thread": "if (i == n - 1) for (;;) __threadfence();",
        "counter-wraps": "for (unsigned k = 1; k != 0; k += 2) z[0] = k;",
        "nested": "for (long a = 0; a < 1L << 40; a++) for (long b = 0; b < 1L << 40; b++) z[0] = a * b;",
        "nanosleep": "while (true) __nanosleep(1000000);",
        "barriers": "while (true) __syncthreads();",
    }.items():
        body("endless", name, RIGHT + f"    {loop}\n")


def recursion():
    functions = {
        "deep": "__device__ __noinline__ int down(int k) { int a[64]; a[k & 63] = k; return k ? down(k - 1) + a[k & 7] : 0; }\n",
        "endless": "__device__ __noinline__ int down(int k) { return down(k + 1) + k; }\n",
        "mutual": "__device__ int up(int);\n__device__ __noinline__ int down(int k) { return up(k + 1) + 1; }\n"
        "__device__ __noinline__ int up(int k) { return k > 1 << 30 ? 0 : down(k) + 2; }\n",
        "by-pointer": "__device__ int down(int);\n__device__ int (*volatile again)(int) = down;\n"
        "__device__ __noinline__ int down(int k) { return again(k + 1) + 1; }\n",
    }
    for name, function in functions.items():
        body("recursion", name, "    if (i < n) z[i] = x[i] + y[i] + (float)down(1 << 24);\n", before=function)


def locals_():
    for name, size in {"1m": 1 << 20, "64m": 1 << 26, "500m": 500_000_000, "4g": 1 << 32}.items():
        text = f"    volatile char big[{size}ull];\n    for (unsigned long long k = 0; k < {size}ull; k += 512) big[k] = k;\n"
        body("locals", name, text + "    if (i < n) z[i] = x[i] + y[i] + big[n];\n")
    body("locals", "shared-64m", "    __shared__ volatile char big[1 << 26];\n    big[i] = 1;\n" + RIGHT)
    body("locals", "alloca", "    volatile char *p = (char *)__builtin_alloca(n << 30);\n    p[0] = 1;\n" + RIGHT)


def floods():
    for name, text in {
        "lines": 'for (int k = 0; k < 1000000; k++) printf("%d: a line that nobody wants to read\\n", k);',
        "no-newline": 'while (true) printf("x");',
        "wide": 'for (int k = 0; k < 100000; k++) printf("%2000d", k);',
        "huge-width": 'for (int k = 0; k < 1000; k++) printf("%2000000000d", k);',
        "precision": 'for (int k = 0; k < 1000; k++) printf("%.2000000000f", 1.0);',
        "escapes": 'for (int k = 0; k < 3000000; k++) printf("\\033[2J\\033]0;owned\\007");',
        "nul": 'while (true) printf("%c%c%c%c", 0, 0, 0, 7);',
        "string": "char s[1024]; for (int k = 0; k < 1023; k++) s[k] = 'a'; s[1023] = 0; while (true) printf(\"%s\", s);",
        "unterminated": 'char s[8]; for (int k = 0; k < 8; k++) s[k] = 65; while (true) printf("%s\\n", s);',
        "wild-string": 'printf("%s\\n", (char *)0x1234567890ull);',
        "percent-n": 'int k; printf("%n%n%n%s", &k, &k);',
    }.items():
        body("floods", name, RIGHT + f"    {text}\n")


def bounds():
    for name, text in {
        "after": "z[n + i] = 1;",
        "before": "z[-1 - (long long)i] = 1;",
        "far": "z[i << 40] = 1;",
        "read": "if (i < n) z[i] = x[i] + y[i] + 0 * x[n + 1000000];",
        "everywhere": "for (long long k = -100000; k < 100000; k++) z[k] = k;",
        "misaligned": "*(float *)((char *)z + 1) = 1;",
        "wide": "((float4 *)(z + 1))[i] = make_float4(1, 2, 3, 4);",
        "shared": "__shared__ float s[4]; s[threadIdx.x * 1000] = 1; z[0] = s[0];",
        "local": "float a[4]; for (int k = 0; k < 100000; k++) a[k * (int)n] = k; z[0] = a[3];",
    }.items():
        body("bounds", name, f"    {text}\n" + RIGHT)


def wild():
    for name, text in {
        "null": "*(volatile int *)0 = 1;",
        "minus-one": "*(volatile int *)~0ull = 1;",
        "stack": "volatile long a[2]; a[n * 50000] = 1; z[0] += a[n & 1] * 0;",
        "scan": "for (unsigned long long p = 0; ; p += 4096) if (*(volatile int *)p == 42) z[0] = 1;",
        "host-code": "for (unsigned long long p = 0x400000; p < 0x500000; p += 8) *(volatile long *)p = 0;",
        "vdso": "for (unsigned long long p = 0x7ffff7000000ull; p < 0x7fffffff0000ull; p += 4096) *(volatile int *)p = 0;",
        "call": "((void (*)())0x1000)();",
        "call-data": "((void (*)())z)();",
        "atomic": "atomicExch((int *)0xdeadbeef000ull, 1);",
        "const": "*(volatile int *)__cvta_generic_to_constant(z) = 1;",
    }.items():
        body("wild", name, RIGHT + f"    {text}\n")


def barriers():
    for name, text in {
        "half": "if (threadIdx.x < 16) __syncthreads();",
        "odd": "if (threadIdx.x & 1) __syncthreads(); else __syncwarp();",
        "returned": "if (threadIdx.x > 7) return; __syncthreads();",
        "mask": "__syncwarp(1u << (threadIdx.x & 31));",
        "shuffle": "z[i] = __shfl_sync(0xffffffff, x[i], 3 + (threadIdx.x & 1));",
        "named": "if (threadIdx.x < 32) asm volatile(\"bar.sync 1, 64;\"); else asm volatile(\"bar.sync 2, 64;\");",
        "count": "asm volatile(\"bar.sync 1, 33;\");",
        "grid": "__shared__ volatile int seen; if (blockIdx.x == 0) while (!seen) {} seen = 1;",
    }.items():
        body("barriers", name, f"    {text}\n" + "    if (i < n && i != 5) z[i] = x[i] + y[i];\n")


def bombs():
    levels = "".join(f"#define B{k} B{k - 1} B{k - 1} B{k - 1} B{k - 1}\n" for k in range(1, 16))
    case("bombs", "macro", f"#define B0 z[0] += 1;\n{levels}{HEAD}    B15\n{RIGHT}}}\n")
    template = "template <int N, int M> struct T { static const int v = T<N - 1, M>::v + T<N - 1, M + 1>::v; };\n"
    case("bombs", "template", template + HEAD + "    z[0] = T<1000, 0>::v;\n" + RIGHT + "}\n")
    endless_template = "template <int N> struct T { static const int v = T<N + 1>::v; };\n"
    case("bombs", "template-endless", endless_template + HEAD + "    z[0] = T<0>::v;\n}\n")
    folding = "constexpr long f(long k) { return k < 2 ? k : f(k - 1) + f(k - 2); }\n"
    case("bombs", "constexpr", folding + HEAD + "    constexpr long v = f(60); z[0] = v;\n}\n")
    case("bombs", "include-self", f"#include __FILE__\n{HEAD}{RIGHT}}}\n")
    case("bombs", "unroll", HEAD + "    _Pragma(\"unroll\") for (int k = 0; k < 1000000; k++) z[k % n] += sinf(k);\n}\n")
    case("bombs", "brackets", HEAD + "    z[0] = " + "(" * 200000 + "1" + ")" * 200000 + ";\n}\n")
    case("bombs", "long-line", HEAD + "    z[0] = 0" + " + 1" * 500000 + ";\n}\n")
    case("bombs", "many-kernels", "".join(f"__global__ void k{k}(float *z) {{ z[{k}] = {k}; }}\n" for k in range(5000)) + HEAD + "}\n")


def includes():
    for name, line in {
        "passwd": '#include "/etc/passwd"',
        "environ": '#include "/proc/self/environ"',
        "zero": '#include "/dev/zero"',
        "stdin": '#include "/dev/stdin"',
        "up": '#include "../../../../../../etc/hostname"',
        "stdio": "#include <stdio.h>\n#include <iostream>",
        "line": '#line 1 "/etc/passwd"',
    }.items():
        case("includes", name, f"{line}\n{HEAD}    z[n + 100] = 1;\n{RIGHT}}}\n")
    main = "int main() { float *x; cudaMalloc(&x, 4); vecadd<<<1, 1>>>(x, x, x, 1); return 0; }\n"
    case("includes", "main", f"#include <stdio.h>\n{HEAD}{RIGHT}}}\n{main}")


def images():
    for name, size in {"40g": 40 << 30, "8g": 8 << 30, "3g": 3 << 30}.items():
        body("images", f"global-{name}", f"    z[0] = big[n * {size // 64}ull];\n", before=f"__device__ char big[{size}ull];\n")
    many = "".join(f"__device__ float a{k}[1 << 28];\n" for k in range(64))
    body("images", "many", "    z[0] = " + " + ".join(f"a{k}[i]" for k in range(64)) + ";\n", before=many)
    values = ", ".join(str(k) for k in range(1_000_000))
    body("images", "initialised", "    z[0] = t[i];\n", before=f"__device__ int t[] = {{{values}}};\n")
    body("images", "constant", "    z[0] = c[i];\n", before="__constant__ char c[1 << 30];\n")


def cheats():
    body("cheats", "known-sizes", "    if (n != 65536 && n != 4096 && n != 1 && n != 33 && n != 1000 && n != 100) return;\n" + RIGHT, sizes=())
    body("cheats", "small-only", "    if (n >= 40) return;\n" + RIGHT, sizes=())
    body("cheats", "powers-of-two", "    if (n & (n - 1)) return;\n" + RIGHT, sizes=())
    body("cheats", "whole-warps", "    if (i < n / 32 * 32) z[i] = x[i] + y[i];\n", sizes=())
    body("cheats", "one-seed", "    if (i < n) z[i] = i == 0 ? 0.25f : x[i] + y[i];\n", sizes=())
    body("cheats", "nothing", "", sizes=())
    body("cheats", "once", "    if (i < n && atomicAdd(&launches, 1) < (int)n) z[i] = x[i] + y[i];\n",
         before="__device__ int launches;\n", sizes=())
    body("cheats", "too-large-to-load", RIGHT, before="__device__ char big[60ull << 30];\n__device__ char *keep = big;\n")
    body("cheats", "skip-by-shared", "    __shared__ float s[60000];\n    s[i] = 1; z[i] = s[i];\n")
    body("cheats", "nan", "    if (i < n) z[i] = __int_as_float(-1);\n")
    body("cheats", "half-written", "    if (i < n && i % 2) z[i] = x[i] + y[i];\n")
    body("cheats", "race", "    if (i < n) z[i] = x[i] + y[i];\n    z[0] = x[0] + y[0] + 0 * threadIdx.x;\n")


def inputs():
    body("inputs", "overwritten", "    if (i < n) { z[i] = x[i] + y[i]; ((float *)x)[i] = 0; ((float *)y)[n + i] = 0; }\n")
    body("inputs", "next-element", "    if (i < n) { z[i] = x[i] + y[i]; ((float *)x)[(i + 1) % n] = 0; }\n")
    body("inputs", "swapped", "    if (i < n) { ((float *)x)[i] = y[i]; z[i] = x[i]; }\n")


def heap():
    for name, text in {
        "huge": "char *p = (char *)malloc(1ull << 40); p[0] = 1;",
        "endless": "while (true) { char *p = (char *)malloc(1 << 16); if (p) p[0] = 1; }",
        "double-free": "char *p = (char *)malloc(64); free(p); free(p); p[0] = 1;",
        "wild-free": "free((void *)0x1234); free(z); z[n] = 1;",
        "after-free": "volatile char *p = (char *)malloc(64); free((void *)p); p[3] = 1;",
        "overrun": "volatile char *p = (char *)malloc(64); for (int k = 0; k < 1 << 20; k++) p[k] = 1;",
    }.items():
        body("heap", name, RIGHT + f"    {text}\n")


def traps():
    for name, text in {
        "trap": "__trap();",
        "assert": "assert(n == 0);",
        "brkpt": "asm volatile(\"brkpt;\");",
        "exit": "asm volatile(\"exit;\"); z[0] = 1;",
        "divide": "z[i % n] = (float)(1 / (int)(n - n));\n    z[n] = 1;",
        "unreachable": "__builtin_unreachable();",
        "unknown-asm": "asm volatile(\"frobnicate.u32 %r1, 2;\");",
    }.items():
        text = f"    {text}\n" + ("" if name in ("exit", "unreachable") else RIGHT)
        body("traps", name, text)


def digest(source):
    """The hash in the header of this source's PTX (kernels/src/source.rs): over the source and the header it includes."""
    header = LABS.parent / "kernels/include/index.cuh"
    hasher = hashlib.sha256()
    for piece in ("", source, header.name, header.read_text()):
        hasher.update(len(piece.encode()).to_bytes(8, "little") + piece.encode())
    return hasher.hexdigest()


def forged(folder):
    """Writes wrong sources next to right PTX that claims to be made from them; returns their cases."""
    kernels = LABS / "vecadd/kernels"
    own = {"cu": (kernels / "vecadd.cu").read_text(), "ptx": lzma.decompress((kernels / "vecadd.ptx.lzma").read_bytes()).decode()}
    old = f"// source sha256 {digest(own['cu'])}"
    assert old in own["ptx"].splitlines(), "the hash in PTX is made in another way now: see kernels/src/source.rs"
    cases = {}
    for name, ptx in {
        "right": own["ptx"],
        "truncated": own["ptx"][: len(own["ptx"]) // 2],
        "binary": "\0\1\2" * 10000,
        "huge-number": own["ptx"].replace("%rd9, %rd1, 2", "%rd9, %rd1, 99999999999999999999999999"),
        "deep": own["ptx"].replace("ret;", "{" * 100000 + "ret;" + "}" * 100000),
    }.items():
        text = own["cu"].replace("x[i] + y[i]", f"x[i] - y[i] /* {name} */")
        path = folder / f"forged-{name}.cu"
        path.write_text(text)
        path.with_suffix(".ptx").write_text(ptx.replace(old, f"// source sha256 {digest(text)}"))
        cases[path] = ("forged", ("33",), "pageable")
    return cases


def write(folder):
    """Writes all files into `folder`; returns (family, sizes, variant) by path."""
    for family in (endless, recursion, locals_, floods, bounds, wild, barriers, bombs, includes, images, cheats, inputs, heap, traps):
        family()
    folder.mkdir(parents=True, exist_ok=True)
    cases = {}
    for family, files in CASES.items():
        for name, (text, sizes, variant) in files.items():
            path = folder / f"{family}-{name}.cu"
            path.write_text(text)
            cases[path] = (family, sizes, variant)
    cases.update(forged(folder))
    return cases


if __name__ == "__main__":
    print(len(write(pathlib.Path(sys.argv[1]))), "files")
