// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right pointer: element 0
    result[0] = x + y;

// == right pointer: sum in a variable first
    int sum = x + y;
    *result = sum;

// == right pointer: one after the other
    *result = x;
    *result += y;

// == right pointer: function that takes the address
__device__ void put_sum(int a, int b, int* where) { *where = a + b; }
// [part pointer]
    put_sum(x, y, result);
// [end]

// == right pointer: atomic exchange
    atomicExch(result, x + y);

// == right pointer: PTX
    asm volatile("{ .reg .s32 s; add.s32 s, %0, %1; st.s32 [%2], s; }" ::"r"(x), "r"(y), "l"(result) : "memory");

// == right pointer: thread 0 alone
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) *result = x + y;

// == right pointer: memcpy
    int sum = y + x;
    memcpy(result, &sum, sizeof sum);

// == right variable: address of the variable
    int* p = &answer;
    *p = x + y;

// == right variable: template of a function
template <class T> __device__ T plus(T a, T b) { return a + b; }
// [part variable]
    answer = plus(x, y);
// [end]

// == right variable: sum of 64 bits
    long long sum = (long long)x + y;
    answer = (int)sum;

// == right variable: set to zero, and added to
    answer = 0;
    atomicAdd(&answer, x);
    atomicAdd(&answer, y);

// == right managed-variable: difference to the negative
    sum = x - -y;

// == right managed-variable: volatile
    *(volatile int*)&sum = x + y;

// == right managed-variable: numbers without a sign
    sum = (int)((unsigned)x + (unsigned)y);

// == right managed-variable: lambda
    auto add = [](int a, int b) { return a + b; };
    sum = add(x, y);

// == wrong pointer: pointer is set, and not what it points to
    int sum = x + y;
    result = &sum;

// == wrong pointer: comparison in place of an assignment
    *result == x + y;

// == wrong pointer: difference
    *result = x - y;

// == wrong pointer: first number alone
    *result = x;

// == wrong pointer: handout's numbers
    *result = 2 + 3;

// == wrong pointer: adds to what was there
    *result += x + y;

// == wrong pointer: element after it
    result[1] = x + y;

// == wrong pointer: element before it
    result[-1] = x + y;

// == wrong pointer: one byte
    *(char*)result = x + y;

// == wrong pointer: eight bytes
    *(long long*)result = x + y;

// == wrong pointer: bits of a float
    *(float*)result = x + y;

// == wrong pointer: or in place of plus
    *result = x | y;

// == wrong pointer: sum without a sign
    *result = (unsigned short)(x + y);

// == wrong pointer: address is the sum
    *(int*)(long long)(x + y) = x + y;

// == wrong pointer: prints it
    printf("%d\n", x + y);

// == wrong pointer: returns it
    return x + y;

// == wrong pointer: nothing

// == wrong variable: variable of the thread with the same name
    int answer = x + y;

// == wrong variable: shared variable
    __shared__ int answer;
    answer = x + y;

// == wrong variable: the other variable
    sum = x + y;

// == wrong variable: sum of floats
    answer = (int)((float)x + (float)y);

// == wrong variable: adds to it, but it was never set
    answer += x + y;

// == wrong variable: pointer that leads nowhere
    int* p = nullptr;
    *p = x + y;

// == wrong managed-variable: the other variable
    answer = x + y;

// == wrong managed-variable: declared again
    static __device__ int sum;
    sum = x + y;

// == wrong managed-variable: added to at each launch
    atomicAdd(&sum, x + y);

// == wrong managed-variable: distance
    sum = abs(x + y);
