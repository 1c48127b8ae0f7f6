// Found before Thrust's own header of this name: adds the base classes that the Thrust of CUDA 13 took away.
#pragma GCC system_header
#include_next <thrust/functional.h>
#if THRUST_VERSION >= 300000 && !defined(WARPLAB_FUNCTIONAL_H)
#define WARPLAB_FUNCTIONAL_H

namespace thrust {
template <class Argument, class Result> struct unary_function {
    typedef Argument argument_type;
    typedef Result result_type;
};
template <class First, class Second, class Result> struct binary_function {
    typedef First first_argument_type;
    typedef Second second_argument_type;
    typedef Result result_type;
};
template <class T = void> struct identity {
    __host__ __device__ const T &operator()(const T &value) const { return value; }
};
} // namespace thrust

#endif
