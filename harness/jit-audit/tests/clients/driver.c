/* The linker of the machine's driver: it joins texts, and writes the bound on registers, if there is one, behind them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char *simt_link_ptx(const void *const *parts, const size_t *sizes, size_t count, unsigned registers) {
    char *text = calloc(1, 4096);
    for (size_t i = 0; i < count; i++) strncat(text, parts[i], sizes[i]);
    if (registers) sprintf(text + strlen(text), "// %u registers\n", registers);
    return text;
}
void simt_string_free(char *text) { free(text); }
