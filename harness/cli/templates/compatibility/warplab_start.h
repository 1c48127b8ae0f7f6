// Included first in every CUDA source that `warplab nvcc` compiles. CUDA's runtime opens "libcuda.so.1" at its first call, and without
// a driver each call fails: a program that looks at no error then prints zeros. So the object file loads the embedded machine under
// that name before main where there is no GPU, whichever runtime the program is linked with.
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__) && !defined(__CUDA_ARCH__) && defined(__linux__) && !defined(WARPLAB_START_H)
#define WARPLAB_START_H
#pragma GCC system_header

// The C library's functions under names of their own, because the source may declare them otherwise. With a glibc before 2.34, a
// program that is not linked with -ldl has no dlopen, and no runtime that is linked in.
extern "C" {
void *warplab_dlopen(const char *, int) __asm__("dlopen") __attribute__((weak));
void *warplab_dlsym(void *, const char *) __asm__("dlsym") __attribute__((weak));
int warplab_dlclose(void *) __asm__("dlclose") __attribute__((weak));
int warplab_access(const char *, int) __asm__("access");
int warplab_setenv(const char *, const char *, int) __asm__("setenv");
long warplab_write(int, const void *, unsigned long) __asm__("write");
void warplab_exit(int) __asm__("_exit");
}

__attribute__((constructor(101), used, section(".warplab_start"))) static void warplab_start() {
    // With a GPU, the driver is left to the runtime: a program may fork before it starts the driver.
    const char *const devices[] = {"/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu", "/dev/nvmap"};
    for (const char *device : devices)
        if (warplab_access(device, 0) == 0) return;
    if (!warplab_dlopen || !warplab_dlsym || !warplab_dlclose) return;
    // `warplab exec` and `warplab shell` have put the machine on the library path.
    const int now = 2;
    void *driver = warplab_dlopen("libcuda.so.1", now);
    if (driver && warplab_dlsym(driver, "simt_version")) return;
    if (driver) warplab_dlclose(driver);
    driver = warplab_dlopen("@MACHINE@", now);
    void (*alone)() = driver ? (void (*)())warplab_dlsym(driver, "simt_alone") : nullptr;
    if (!alone) {
        const char why[] = "there is no GPU here, and the machine that emulates one cannot be loaded from @MACHINE@: compile the "
                           "program again by `warplab nvcc`, or run it by `warplab exec`\n";
        warplab_exit(warplab_write(2, why, sizeof why - 1) < 0 ? 2 : 1);
    }
    warplab_setenv("WARPLAB_PROFILE", "h200", 0);
    alone();
}
#endif
