// Functions of mathematics in single and double precision, against those of the host, within a few units in the last
// place.
#include "common.cuh"
#include <cmath>

const int COUNT = 24;

template <typename T> __global__ void compute(const T *x, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T a = x[i], *at = out + i * COUNT, whole;
    *at++ = sin(a);
    *at++ = cos(a);
    *at++ = tan(a);
    *at++ = exp(a / 4);
    *at++ = exp2(a);
    *at++ = expm1(a / 100);
    *at++ = log(fabs(a) + 1);
    *at++ = log1p(fabs(a));
    *at++ = log10(fabs(a) + 2);
    *at++ = sqrt(fabs(a));
    *at++ = rsqrt(fabs(a) + 1);
    *at++ = cbrt(a);
    *at++ = pow(fabs(a) + 1, T(1.7));
    *at++ = atan2(a, T(2));
    *at++ = asin(a / 20);
    *at++ = sinh(a / 3);
    *at++ = tanh(a);
    *at++ = erf(a / 5);
    *at++ = tgamma(fabs(a) / 2 + 1);
    *at++ = hypot(a, T(3));
    *at++ = fmod(a, T(0.7));
    *at++ = fma(a, a, T(1));
    *at++ = floor(a) + ceil(a) + trunc(a) + rint(a);
    T part = modf(a, &whole);
    *at++ = copysign(part, whole) + ldexp(a, 3);
}

template <typename T> static void expect(T a, double *at) {
    double x = a, whole, part = modf(x, &whole);
    double all[COUNT] = {sin(x),
                         cos(x),
                         tan(x),
                         exp(double(a / 4)),
                         exp2(x),
                         expm1(double(a / 100)),
                         log(double(std::fabs(a) + 1)),
                         log1p(fabs(x)),
                         log10(double(std::fabs(a) + 2)),
                         sqrt(fabs(x)),
                         1 / sqrt(double(std::fabs(a) + 1)),
                         cbrt(x),
                         pow(double(std::fabs(a) + 1), double(T(1.7))),
                         atan2(x, 2),
                         asin(double(a / 20)),
                         sinh(double(a / 3)),
                         tanh(x),
                         erf(double(a / 5)),
                         tgamma(double(std::fabs(a) / 2 + 1)),
                         hypot(x, 3),
                         fmod(x, double(T(0.7))),
                         fma(x, x, 1),
                         floor(x) + ceil(x) + trunc(x) + rint(x),
                         copysign(part, whole) + ldexp(x, 3)};
    for (int i = 0; i < COUNT; i++) at[i] = all[i];
}

// Errors are a few units in the last place.
template <typename T> static void try_with(double unit) {
    const int n = 41;
    T x[n], found[n * COUNT], *device_x, *out;
    for (int i = 0; i < n; i++) x[i] = (i - 20) * T(0.47) + T(0.01);
    OK(cudaMalloc(&device_x, sizeof x));
    OK(cudaMalloc(&out, sizeof found));
    OK(cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice));
    compute<T><<<1, 64>>>(device_x, out, n);
    OK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        double expected[COUNT];
        expect(x[i], expected);
        for (int f = 0; f < COUNT; f++) {
            double error = fabs(found[i * COUNT + f] - expected[f]), most = 12 * unit * fmax(fabs(expected[f]), 1e-3);
            if (!(error <= most)) {
                printf("function %d of %g: %.17g, not %.17g\n", f, double(x[i]), double(found[i * COUNT + f]),
                       expected[f]);
                wrong++;
            }
        }
    }
    IS(wrong == 0);
    OK(cudaFree(device_x));
    OK(cudaFree(out));
}

// The fast ones, and the directed roundings.
__global__ void fast(float *out) {
    out[0] = __sinf(0.5f);
    out[1] = __expf(1.0f);
    out[2] = __logf(10.0f);
    out[3] = __powf(2.0f, 0.5f);
    out[4] = __fdividef(1.0f, 3.0f);
    out[5] = __fadd_rd(1.0f, 1e-9f);
    out[6] = __fadd_ru(1.0f, 1e-9f);
    out[7] = __fmul_rz(1.0000001f, 1.0000001f);
    out[8] = __frcp_rn(3.0f);
    out[9] = __fsqrt_rn(2.0f);
    out[10] = __saturatef(1.5f) + __saturatef(-2.0f);
    out[11] = __float2int_rd(-1.5f) + 10.0f * __float2int_ru(-1.5f);
    out[12] = isnan(nanf("")) + 2 * isinf(1 / 0.0f) + 4 * signbit(-0.0f) + 8 * isfinite(1.0f);
}

int main() {
    try_with<float>(1.0 / (1 << 23));
    try_with<double>(1.0 / (1LL << 52));
    float *p, host[13];
    OK(cudaMalloc(&p, sizeof host));
    fast<<<1, 1>>>(p);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    const float near[] = {0.479425539f, 2.718281828f, 2.302585093f, 1.414213562f, 0.333333333f};
    for (int i = 0; i < 5; i++) IS(fabsf(host[i] - near[i]) < 2e-6f);
    IS(host[5] == 1 && host[6] == nextafterf(1, 2) && host[7] == 1.0000002f);
    IS(host[8] == 1 / 3.0f && host[9] == sqrtf(2) && host[10] == 1 && host[11] == -12);
    IS(host[12] == 15);
    OK(cudaFree(p));
    puts("mathematics are right");
}
