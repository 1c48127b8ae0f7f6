// Four elements a thread, where there are as many.
// [part add]
    unsigned long long i = 4 * grid_index();
    if (i + 3 < n) {
        float4 a = *(const float4*)(x + i), b = *(const float4*)(y + i);
        *(float4*)(z + i) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    } else {
        for (; i < n; i++) z[i] = x[i] + y[i];
    }
// [end]
// [part stride]
    unsigned long long fours = n / 4;
    for (unsigned long long i = grid_index(); i < fours; i += grid_threads()) {
        float4 a = __ldg((const float4*)x + i), b = __ldg((const float4*)y + i);
        ((float4*)z)[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
    for (unsigned long long i = 4 * fours + grid_index(); i < n; i += grid_threads()) z[i] = x[i] + y[i];
// [end]
