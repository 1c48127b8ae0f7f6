// What the programs share: a call that must succeed, and a condition that must hold.
#pragma once
#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        cudaError_t code_ = (call);                                                                                    \
        if (code_ != cudaSuccess) {                                                                                    \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(code_));                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define IS(condition)                                                                                                  \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

// The error of a call, which is then forgotten.
#define CODE(call) ((call), cudaGetLastError())
