//! Stand-ins for headers of the C and C++ libraries, which nvcc takes from the host's compiler and NVRTC does not have.
//! A kernel file that includes one gets a stand-in, unless it has its own header of that name. It contains types and
//! limits, and the functions that NVRTC provides without a header. It is empty for headers that only host code can use.
use crate::{Header, input::Input};

/// Types of a fixed width. CUDA's own headers for NVRTC name the same types.
const STDINT: &str = "\
#ifndef WARPLAB_STDINT
#define WARPLAB_STDINT
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int8_t int_least8_t, int_fast8_t;
typedef int16_t int_least16_t, int_fast16_t;
typedef int32_t int_least32_t, int_fast32_t;
typedef int64_t int_least64_t, int_fast64_t, intptr_t, intmax_t;
typedef uint8_t uint_least8_t, uint_fast8_t;
typedef uint16_t uint_least16_t, uint_fast16_t;
typedef uint32_t uint_least32_t, uint_fast32_t;
typedef uint64_t uint_least64_t, uint_fast64_t, uintptr_t, uintmax_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX 18446744073709551615ULL
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::intptr_t; using ::intmax_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintptr_t; using ::uintmax_t;
}
#endif
";

const LIMITS: &str = "\
#ifndef CHAR_BIT
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#endif
";

const FLOAT: &str = "\
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN 1.175494351e-38F
#define FLT_MAX 3.402823466e+38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
";

const STDDEF: &str = "\
#ifndef WARPLAB_STDDEF
#define WARPLAB_STDDEF
typedef decltype(sizeof 0) size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
#ifndef NULL
#define NULL 0
#endif
namespace std { using ::size_t; using ::ptrdiff_t; }
#endif
";

const MATH: &str = "\
#ifndef WARPLAB_MATH
#define WARPLAB_MATH
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000ll)
#endif
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot; using ::pow; using ::exp; using ::exp2;
using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p; using ::sin; using ::cos; using ::tan;
using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh; using ::floor;
using ::ceil; using ::round; using ::trunc; using ::rint; using ::fmod; using ::fma; using ::fmin; using ::fmax;
using ::erf; using ::erfc; using ::tgamma; using ::lgamma; using ::copysign; using ::isnan; using ::isinf;
using ::isfinite; using ::signbit;
}
#endif
";

/// Functions that NVRTC provides without a header, in namespace std as well.
const STDIO: &str = "#ifndef WARPLAB_STDIO\n#define WARPLAB_STDIO\nnamespace std { using ::printf; }\n#endif\n";
const STRING: &str =
    "#ifndef WARPLAB_STRING\n#define WARPLAB_STRING\nnamespace std { using ::memcpy; using ::memset; }\n#endif\n";
const STDLIB: &str = "\
#ifndef WARPLAB_STDLIB
#define WARPLAB_STDLIB
namespace std { using ::malloc; using ::free; }
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
";

/// The driver API, whose header NVRTC rejects, has one type for kernels.
const DRIVER: &str = "#ifndef WARPLAB_DRIVER\n#define WARPLAB_DRIVER\ntypedef struct alignas(64) CUtensorMap_st { \
                      unsigned long long opaque[16]; } CUtensorMap;\n#endif\n";

/// The one CUDA header that has a stand-in.
pub(crate) const OF_THE_DRIVER: &str = "cuda.h";

/// The stand-ins, each with the names of its headers.
const STAND_INS: [(&[&str], &str); 10] = [
    (&["stdint.h", "cstdint", "inttypes.h", "cinttypes"], STDINT),
    (&["limits.h", "climits"], LIMITS),
    (&["float.h", "cfloat"], FLOAT),
    (&["stddef.h", "cstddef"], STDDEF),
    (&["math.h", "cmath"], MATH),
    (&["stdio.h", "cstdio"], STDIO),
    (&["string.h", "cstring"], STRING),
    (&["stdlib.h", "cstdlib"], STDLIB),
    (&[OF_THE_DRIVER], DRIVER),
    (EMPTY, ""),
];

/// Headers with nothing for kernels: their declarations are built into NVRTC, or only usable by the host.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    // Built into NVRTC, even if CUDA's own headers are not available.
    "assert.h", "cassert", "stdbool.h", "time.h", "ctime", "cuda_runtime.h", "cuda_runtime_api.h",
    "device_launch_parameters.h", "math_functions.h", "device_functions.h",
    // Only usable by the host.
    "algorithm", "cerrno", "chrono", "ctype.h", "cctype", "errno.h", "exception", "fstream", "functional", "iomanip",
    "iostream", "istream", "iterator", "map", "memory", "mutex", "numeric", "ostream", "random", "set", "signal.h",
    "sstream", "stdexcept", "string", "sys/time.h", "thread", "unistd.h", "unordered_map", "vector",
];

/// Adds the stand-in for the header `name`. Returns `false` if there is none, or `input` has a header of that name.
pub(crate) fn add(input: &mut Input, name: &str) -> bool {
    let found = STAND_INS.iter().find(|(names, _)| names.contains(&name));
    let Some((_, text)) = found.filter(|_| input.header(name).is_none()) else { return false };
    let path = format!("<{name}> of warplab");
    input.add(Header { name: name.to_string().into(), path: path.into(), text: (*text).into() });
    true
}
