/* Loads each NVRTC that is named, and prints what it gives as machine code for sm_NN, and its size for compute_NN. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **paths) {
    for (int i = 1; i < count; i++) {
        void *library = dlopen(paths[i], RTLD_NOW);
        int (*size_of)(int *, size_t *) = (int (*)(int *, size_t *))dlsym(library, "nvrtcGetCUBINSize");
        int (*get)(int *, char *) = (int (*)(int *, char *))dlsym(library, "nvrtcGetCUBIN");
        int real[2] = {1, 0}, virtual[2] = {0, 0};
        size_t size = 0, none = 1;
        char *code = calloc(1, 4096);
        if (size_of(0, &size) != 4 || size_of(real, &size) || get(real, code) || size_of(virtual, &none)) return 1;
        printf("%zu %zu %s\n", size, none, code);
    }
    return 0;
}
