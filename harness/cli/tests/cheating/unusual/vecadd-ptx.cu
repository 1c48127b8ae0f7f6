// In PTX, and from the end to the beginning.
// [part add]
    unsigned long long i = grid_threads() - 1 - grid_index();
    asm volatile(
        "{ .reg .pred past; .reg .f32 a, b;\n"
        "setp.ge.u64 past, %0, %1;\n"
        "@past bra done;\n"
        "ld.global.nc.f32 a, [%2];\n"
        "ld.global.L1::no_allocate.f32 b, [%3];\n"
        "add.rn.f32 a, a, b;\n"
        "st.global.cs.f32 [%4], a;\n"
        "done: }" ::"l"(i), "l"(n), "l"(x + i), "l"(y + i), "l"(z + i) : "memory");
// [end]
// [part stride]
    long long step = grid_threads(), i = grid_index();
    if (i < n) i += (n - 1 - i) / step * step;
    else return;
    for (; i >= 0; i -= step) z[i] = x[i] + y[i];
// [end]
