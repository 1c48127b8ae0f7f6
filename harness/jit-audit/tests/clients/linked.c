/* Is linked with NVRTC and with nvJitLink; prints what they give as machine code. The arguments are the inputs of a link: `lto`,
   `ptx`, `cubin`, or a file; an option of nvJitLink may be the first. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int nvrtcGetCUBINSize(int *, size_t *);
int nvrtcGetCUBIN(int *, char *);
int __nvJitLinkCreate_13_0(void **, unsigned, const char **);
int __nvJitLinkAddData_13_0(void *, int, const void *, size_t, const char *);
int __nvJitLinkAddFile_13_0(void *, int, const char *);
int __nvJitLinkComplete_13_0(void *);
int __nvJitLinkGetLinkedCubinSize_13_0(void *, size_t *);
int __nvJitLinkGetLinkedCubin_13_0(void *, char *);
int __nvJitLinkDestroy_13_0(void **);
static const char *const NAMES[] = {"", "cubin", "ptx", "lto"};
int main(int count, char **inputs) {
    int program[2] = {1, 0};
    size_t size = 0;
    char code[4096] = {0};
    void *link;
    if (nvrtcGetCUBINSize(program, &size) || nvrtcGetCUBIN(program, code)) return 1;
    printf("%s", code);
    if (!dlopen("libcuda.so.1", RTLD_NOW)) return 2;
    int first = count > 1 && inputs[1][0] == '-' ? 2 : 1;
    const char *options[] = {"-arch=sm_80", "-lto", inputs[1]};
    if (__nvJitLinkCreate_13_0(&link, 1 + first, options)) return 3;
    for (int i = first; i < count; i++) {
        int kind = 3, result;
        while (kind && strcmp(inputs[i], NAMES[kind])) kind--;
        /* NVRTC's machine code is an input here, too. */
        if (kind) result = __nvJitLinkAddData_13_0(link, kind, code, size, "input");
        else result = __nvJitLinkAddFile_13_0(link, 6, inputs[i]);
        if (result) return 4;
    }
    char result[4096] = {0};
    if (__nvJitLinkComplete_13_0(link) || __nvJitLinkGetLinkedCubinSize_13_0(link, &size)) return 5;
    if (__nvJitLinkGetLinkedCubin_13_0(link, result) || strlen(result) + 1 != size) return 6;
    printf("%s\n", result);
    return __nvJitLinkDestroy_13_0(&link);
}
