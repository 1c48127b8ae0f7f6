/* A small nvJitLink, of which the versioned names are those that its header uses. As the real one, it makes PTX of LTO-IR only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct link { int lto, ptx, others; char text[256]; };
int nvJitLinkCreate(struct link **out, unsigned count, const char **options) {
    struct link *link = calloc(1, sizeof *link);
    for (unsigned i = 0; i < count; i++) link->ptx |= !strcmp(options[i], "-ptx");
    *out = link;
    return 0;
}
int nvJitLinkAddData(struct link *link, int kind, const void *data, size_t size, const char *name) {
    (void)data, (void)size, (void)name;
    kind == 3 ? link->lto++ : link->others++;
    return kind == 1 && memcmp(data, "\177ELF", 4) ? 5 : 0;
}
int nvJitLinkAddFile(struct link *link, int kind, const char *name) { return nvJitLinkAddData(link, kind, "", 0, name); }
int nvJitLinkComplete(struct link *link) {
    if (link->ptx && link->others) return 12;
    sprintf(link->text, link->ptx ? "// %d of LTO-IR\n.version 8.0\n" : "\177ELF %d", link->lto);
    return 0;
}
static int size_of(struct link *link, size_t *size, int ptx) {
    if (link->ptx != ptx) return 6;
    *size = strlen(link->text) + 1;
    return 0;
}
int nvJitLinkGetLinkedPtxSize(struct link *link, size_t *size) { return size_of(link, size, 1); }
int nvJitLinkGetLinkedCubinSize(struct link *link, size_t *size) { return size_of(link, size, 0); }
int nvJitLinkGetLinkedPtx(struct link *link, char *out) { strcpy(out, link->text); return link->ptx ? 0 : 6; }
int nvJitLinkGetLinkedCubin(struct link *link, char *out) { strcpy(out, link->text); return link->ptx ? 6 : 0; }
int nvJitLinkDestroy(struct link **link) { free(*link); *link = 0; return 0; }
#define ALIAS(name) __attribute__((alias(#name)))
int __nvJitLinkCreate_13_0(struct link **, unsigned, const char **) ALIAS(nvJitLinkCreate);
int __nvJitLinkAddData_13_0(struct link *, int, const void *, size_t, const char *) ALIAS(nvJitLinkAddData);
int __nvJitLinkAddFile_13_0(struct link *, int, const char *) ALIAS(nvJitLinkAddFile);
int __nvJitLinkComplete_13_0(struct link *) ALIAS(nvJitLinkComplete);
int __nvJitLinkGetLinkedCubinSize_13_0(struct link *, size_t *) ALIAS(nvJitLinkGetLinkedCubinSize);
int __nvJitLinkGetLinkedCubin_13_0(struct link *, char *) ALIAS(nvJitLinkGetLinkedCubin);
int __nvJitLinkDestroy_13_0(struct link **) ALIAS(nvJitLinkDestroy);
