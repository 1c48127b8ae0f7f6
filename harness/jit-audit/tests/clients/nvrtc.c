/* A small NVRTC: a program is an array of two numbers, of which the first says whether it was compiled for sm_NN. VERSION is
   that of the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define TEXT_(version) "// nvrtc " #version "\n.version 8.0\n"
#define TEXT(version) TEXT_(version)
static const char CODE[] = "\177ELF machine code";
int nvrtcGetPTXSize(int *program, size_t *size) { (void)program; *size = sizeof TEXT(VERSION); return 0; }
int nvrtcGetPTX(int *program, char *out) { (void)program; memcpy(out, TEXT(VERSION), sizeof TEXT(VERSION)); return 0; }
int nvrtcGetCUBINSize(int *program, size_t *size) {
    if (!program) return 4;
    *size = program[0] ? sizeof CODE : 0;
    return 0;
}
int nvrtcGetCUBIN(int *program, char *out) {
    /* NVRTC calls functions of its own. */
    size_t size;
    if (nvrtcGetCUBINSize(program, &size)) return 4;
    memcpy(out, CODE, size);
    return 0;
}
