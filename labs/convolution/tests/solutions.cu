// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right global: elements beyond the ends as zeros
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    auto at = [=](long long k) { return k >= 0 && k < (long long)n ? x[k] : 0.0f; };
    float sum = 0.0f;
    for (int t = 0; t < 2 * radius + 1; t++) sum = fmaf(m[t], at(i + t - radius), sum);
    if (i < (long long)n) y[i] = sum;

// == right global: grid-stride loop with the first and the last tap computed
    long long step = (long long)gridDim.x * blockDim.x, end = (long long)n;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < end; i += step) {
        int low = i < radius ? (int)-i : -radius, high = end - 1 - i < radius ? (int)(end - 1 - i) : radius;
        float sum = 0;
        for (int j = low; j <= high; ++j) sum += __ldg(x + i + j) * __ldg(m + radius + j);
        y[i] = sum;
    }

// == wrong global: index without a sign
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = -radius; j <= radius; j++) {
        if (i + j >= 0 && i + j <= n) sum += m[radius + j] * x[i + j];
    }
    y[i] = sum;

// == wrong global: mask turned round
-        if (i + j >= 0 && i + j < end) sum += m[radius + j] * x[i + j];
+        if (i + j >= 0 && i + j < end) sum += m[radius - j] * x[i + j];

// == wrong global: results near the ends left out
-    if (i >= end) return;
+    if (i < radius || i >= end - radius) return;

// == wrong global: radius taken for the number of taps
-    for (int j = -radius; j <= radius; j++) {
+    for (int j = -radius / 2; j <= radius / 2; j++) {

// == wrong global: one thread computes all
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (long long i = 0; i < (long long)n; i++) {
        float sum = 0.0f;
        for (int j = -radius; j <= radius; j++)
            if (i + j >= 0 && i + j < (long long)n) sum += m[radius + j] * x[i + j];
        y[i] = sum;
    }

// == wrong global: the element of a block, not of the grid
-    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, end = n;
+    long long i = threadIdx.x, end = n;

// == right constant: pointer to the middle of the mask
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const float* middle = mask + radius;
    float sum = 0.0f;
    if (i < (long long)n) {
        for (int j = -radius; j <= radius; j++)
            if (i + j >= 0 && i + j < (long long)n) sum += middle[j] * x[i + j];
        y[i] = sum;
    }

// == right constant: limits of the sum computed before the loop
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, last = (long long)n - 1;
    if (i > last) return;
    int from = i < radius ? -(int)i : -radius, to = last - i < radius ? (int)(last - i) : radius;
    float sum = 0.0f;
    for (int j = from; j <= to; j++) sum = fmaf(mask[j + radius], x[i + j], sum);
    y[i] = sum;

// == wrong constant: the row's mask
-        if (i + j >= 0 && i + j < end) sum += mask[radius + j] * x[i + j];
+        if (i + j >= 0 && i + j < end) sum += row_mask[radius + j] * x[i + j];

// == wrong constant: tap too few
-    for (int j = -radius; j <= radius; j++) {
+    for (int j = -radius; j < radius; j++) {

// == right shared: own element first, halo by the first threads
    long long end = (long long)n, i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x, size = blockDim.x;
    s[radius + t] = i < end ? x[i] : 0.0f;
    for (int h = t; h < radius; h += size) {
        long long left = i - t + h - radius, right = i - t + size + h;
        s[h] = left >= 0 && left < end ? x[left] : 0.0f;
        s[radius + size + h] = right < end ? x[right] : 0.0f;
    }
    __syncthreads();
    if (i < end) {
        float sum = 0.0f;
        for (int j = -radius; j <= radius; j++) sum += mask[radius + j] * s[radius + t + j];
        y[i] = sum;
    }

// == right shared: cooperative groups
#include <cooperative_groups.h>
// [part shared]
    auto block = cooperative_groups::this_thread_block();
    long long first = (long long)blockIdx.x * blockDim.x - radius;
    for (unsigned c = block.thread_rank(); c < block.size() + 2 * radius; c += block.size()) {
        long long k = first + c;
        s[c] = 0.0f;
        if (k >= 0 && k < (long long)n) s[c] = x[k];
    }
    block.sync();
    float sum = 0.0f;
    for (int j = 0; j < 2 * radius + 1; j++) sum += s[block.thread_rank() + j] * mask[j];
    if (first + radius + block.thread_rank() < n) y[first + radius + block.thread_rank()] = sum;
// [end]

// == wrong shared: mask turned round
-    for (int j = 0; j <= 2 * radius; j++) sum += mask[j] * s[threadIdx.x + j];
+    for (int j = 0; j <= 2 * radius; j++) sum += mask[2 * radius - j] * s[threadIdx.x + j];

// == wrong shared: no barrier
-    __syncthreads();
+

// == wrong shared: halo on the right one element short
-    for (int c = threadIdx.x; c < (int)blockDim.x + 2 * radius; c += blockDim.x) {
+    for (int c = threadIdx.x; c < (int)blockDim.x + 2 * radius - 1; c += blockDim.x) {

// == wrong shared: halo not loaded, but read from global memory past the ends
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = -radius; j <= radius; j++) {
        int c = (int)threadIdx.x + j;
        sum += mask[radius + j] * (c >= 0 && c < (int)blockDim.x ? s[c] : x[i + j]);
    }
    y[i] = sum;

// == right image: rows beyond the edges skipped
    if (x < width && y < height) {
        const float* factor = mask;
        float sum = 0.0f;
        for (int row = y - radius; row <= y + radius; row++) {
            for (int column = x - radius; column <= x + radius; column++, factor++) {
                if (row < 0 || row >= height || column < 0 || column >= width) continue;
                sum += *factor * in[(size_t)row * width + column];
            }
        }
        out[(size_t)y * width + x] = sum;
    }

// == right image: two conditions, and a pointer to the row
    float sum = 0.0f;
    for (int i = 0; i <= 2 * radius; i++) {
        int row = y + i - radius;
        if (row < 0 || row >= height) continue;
        const float* points = in + (size_t)row * width;
        for (int j = 0; j <= 2 * radius; j++) {
            int column = x + j - radius;
            if (column >= 0 && column < width) sum += mask[i * (2 * radius + 1) + j] * points[column];
        }
    }
    if (x < width && y < height) out[(size_t)y * width + x] = sum;

// == wrong image: edges copied in place of zeros
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int i = -radius; i <= radius; i++) {
        for (int j = -radius; j <= radius; j++) {
            int row = min(max(y + i, 0), height - 1), column = min(max(x + j, 0), width - 1);
            sum += mask[(radius + i) * (2 * radius + 1) + radius + j] * in[(size_t)row * width + column];
        }
    }
    out[(size_t)y * width + x] = sum;

// == wrong image: index tested in place of row and column
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int i = -radius; i <= radius; i++) {
        for (int j = -radius; j <= radius; j++) {
            int at = (y + i) * width + x + j;
            if (at >= 0 && at < width * height) sum += mask[(radius + i) * (2 * radius + 1) + radius + j] * in[at];
        }
    }
    out[y * width + x] = sum;

// == wrong image: rows and columns of the mask swapped
-                sum += mask[(radius + i) * (2 * radius + 1) + radius + j] * in[(size_t)(y + i) * width + x + j];
+                sum += mask[(radius + j) * (2 * radius + 1) + radius + i] * in[(size_t)(y + i) * width + x + j];

// == right tiled: one loop over all points of the tile
    for (int e = threadIdx.y * 32 + threadIdx.x; e < side * side; e += 256)
        s[e] = point(in, width, height, left + e % side - radius, top + e / side - radius);
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) {
        float sum = 0.0f;
        for (int i = 0; i < 2 * radius + 1; i++)
            for (int j = 0; j < 2 * radius + 1; j++)
                sum += mask[i * (2 * radius + 1) + j] * s[(r + i) * side + threadIdx.x + j];
        if (left + (int)threadIdx.x < width && top + r < height)
            out[(size_t)(top + r) * width + left + threadIdx.x] = sum;
    }

// == wrong tiled: no barrier
-    __syncthreads();
+

// == wrong tiled: halo on the right not loaded
-        for (int c = threadIdx.x; c < side; c += 32)
+        for (int c = threadIdx.x; c < 32; c += 32)

// == wrong tiled: tile without the halo above
-            s[r * side + c] = point(in, width, height, left + c - radius, top + r - radius);
+            s[r * side + c] = point(in, width, height, left + c - radius, top + r);

// == right fused: points first, then the sums of rows
    __shared__ float points[32 + 2 * RADIUS][32 + 2 * RADIUS];
    for (int r = threadIdx.y; r < 32 + 2 * radius; r += 8)
        for (int c = threadIdx.x; c < 32 + 2 * radius; c += 32)
            points[r][c] = point(in, width, height, (int)blockIdx.x * 32 + c - radius, top + r - radius);
    __syncthreads();
    for (int r = threadIdx.y; r < 32 + 2 * radius; r += 8) {
        float sum = 0.0f;
        for (int j = 0; j <= 2 * radius; j++) sum += row_mask[j] * points[r][threadIdx.x + j];
        sums[r][threadIdx.x] = sum;
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) {
        float sum = 0.0f;
        for (int i = 0; i <= 2 * radius; i++) sum += column_mask[i] * sums[r + i][threadIdx.x];
        if (x < width && top + r < height) out[(size_t)(top + r) * width + x] = sum;
    }

// == wrong fused: rows of the halo below left out
-    for (int r = threadIdx.y; r < 32 + 2 * radius; r += 8) {
+    for (int r = threadIdx.y; r < 32 + radius; r += 8) {

// == wrong fused: no barrier between the passes
-    __syncthreads();
+

// == wrong fused: row and column of the mask swapped
-            sum += row_mask[radius + j] * point(in, width, height, x + j, top + r - radius);
+            sum += column_mask[radius + j] * point(in, width, height, x + j, top + r - radius);
