// Printing on the device: formats, strings, many arguments, and the order of one thread's lines.
#include "common.cuh"

struct Point {
    int x, y;
};

__global__ void formats(const char *word, Point point) {
    printf("%d %i %u %5d|%-5d|%05d %+d\n", -7, 8, 9u, 42, 42, 42, 42);
    printf("%x %X %#x %o %c%c %%\n", 255, 255, 255, 8, 'o', 'k');
    printf("%lld %llu %llx %ld\n", -5000000000LL, 18446744073709551615ULL, 0x123456789abcdefULL, 7L);
    printf("%f %.3f %8.2f|%-8.2f|%e %g\n", 1.5, 3.14159, 2.5, 2.5, 12345.678, 0.0001);
    printf("%s and %s, %10s|%-10s|\n", "a literal", "another", "right", "left");
    printf("%*d\n", 6, 42);
    printf("(%d, %d) %s\n", point.x, point.y, word ? "has a word" : "has none");
    printf("no arguments\n");
    float half = 0.5f;
    short few = -3;
    char letter = 65;
    printf("%f %d %c %d\n", half, few, letter, true);
    int length = printf("%d%d%d%d%d%d%d%d%d%d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    printf("a print returns its number of arguments, %d\n", length);
}

__global__ void lines(int n) {
    for (int i = 0; i < n; i++)
        if (threadIdx.x == 1) printf("line %d\n", i);
}

int main() {
    OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
    formats<<<1, 1>>>(nullptr, Point{3, 4});
    OK(cudaDeviceSynchronize());
    lines<<<1, 2>>>(3);
    OK(cudaDeviceSynchronize());
    puts("printed");
}
