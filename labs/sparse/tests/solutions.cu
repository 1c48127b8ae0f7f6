// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right coo: guard at the beginning
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= entries) return;
    float product = value[i] * x[column[i]];
    atomicAdd(y + row[i], product);

// == right coo: loop over the grid
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < entries; k += gridDim.x * blockDim.x)
        atomicAdd(&y[row[k]], value[k] * x[column[k]]);

// == accused coo: compare and swap
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= entries) return;
    float product = value[k] * x[column[k]];
    unsigned* word = (unsigned*)&y[row[k]];
    unsigned old = atomicAdd(word, 0u), seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __float_as_uint(__uint_as_float(seen) + product));
    } while (old != seen);

// == right csr-scalar: ends in variables
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < rows) {
        unsigned first = start[i], last = start[i + 1];
        float total = 0;
        while (first != last) {
            total = fmaf(value[first], x[column[first]], total);
            ++first;
        }
        y[i] = total;
    }

// == right csr-scalar: backwards
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= rows) return;
    y[i] = 0.0f;
    for (unsigned k = start[i + 1]; k-- > start[i];) y[i] += value[k] * x[column[k]];

// == right csr-vector: division and remainder
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = thread / lanes, lane = thread % lanes;
    float sum = 0.0f;
    if (row < rows)
        for (unsigned k = start[row] + lane; k < start[row + 1]; k += lanes) sum += value[k] * x[column[k]];
    sum = sum_of_lanes(sum, lanes);
    if (lane == 0 && row < rows) y[row] = sum;

// == right csr-vector: butterflies in place of sum_of_lanes
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = thread / lanes, lane = thread & (lanes - 1);
    float sum = 0.0f;
    if (row < rows)
        for (unsigned k = start[row] + lane; k < start[row + 1]; k += lanes) sum += value[k] * x[column[k]];
    for (unsigned d = 1; d < lanes; d *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (row < rows && lane == 0) y[row] = sum;

// == right ell: padding has nothing to add
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        float sum = 0.0f;
        for (unsigned d = 0; d < width; d++)
            if (column[(size_t)d * rows + i] != none) sum += value[(size_t)d * rows + i] * x[column[(size_t)d * rows + i]];
        y[i] = sum;
    }

// == right ell: place goes on by a row
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    float sum = 0.0f;
    size_t end = (size_t)width * rows;
    for (size_t at = i; at < end && column[at] != none; at += rows) sum += value[at] * x[column[at]];
    y[i] = sum;

// == right csr-merge: steps until the thread's last
    unsigned step = min(t * merge_items, steps), last = min(step + merge_items, steps), first_product = entry0 - aligned;
    unsigned i = rows_ended(row_end, tile_rows, steps - tile_rows, step, first_product);
    for (unsigned k = first_product + step - i; step < last; step++) {
        if (k < row_end[i]) {
            sum += product[k++];
            continue;
        }
        if (head_row != none) {
            y[row0 + i] = sum;
        } else {
            head = sum;
            head_row = row0 + i;
        }
        sum = 0.0f;
        i++;
    }

// == right csr-merge: row by row
    unsigned begin = min(t * merge_items, steps), end = min(begin + merge_items, steps);
    unsigned entries_here = steps - tile_rows, base = entry0 - aligned;
    unsigned i = rows_ended(row_end, tile_rows, entries_here, begin, base);
    unsigned i1 = rows_ended(row_end, tile_rows, entries_here, end, base);
    unsigned k = base + begin - i, k1 = base + end - i1;
    for (; i < i1; i++) {
        float of_row = 0.0f;
        for (; k < row_end[i]; k++) of_row += product[k];
        if (head_row == none) {
            head_row = row0 + i;
            head = of_row;
        } else {
            y[row0 + i] = of_row;
        }
    }
    for (; k < k1; k++) sum += product[k];

// == wrong coo: no atomic
- atomicAdd(&y[row[k]], value[k] * x[column[k]]);
+ y[row[k]] += value[k] * x[column[k]];

// == wrong coo: no question about the end
- if (k < entries) atomicAdd
+ atomicAdd

// == wrong coo: row in place of the column
- x[column[k]]
+ x[row[k]]

// == wrong coo: thread 0 does everything
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (unsigned k = 0; k < entries; k++) y[row[k]] += value[k] * x[column[k]];

// == wrong coo: last entry is left out
- k < entries
+ k + 1 < entries

// == wrong coo: sum is stored
- atomicAdd(&y[row[k]], value[k] * x[column[k]]);
+ atomicExch(&y[row[k]], value[k] * x[column[k]]);

// == wrong csr-scalar: rows one after the other, by thread 0
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (unsigned row = 0; row < rows; row++) {
            float sum = 0.0f;
            for (unsigned k = start[row]; k < start[row + 1]; k++) sum += value[k] * x[column[k]];
            y[row] = sum;
        }

// == wrong csr-scalar: end of the row is in it
- k < start[row + 1]
+ k <= start[row + 1]

// == wrong csr-scalar: no question about the last row
- if (row >= rows) return;
+

// == wrong csr-scalar: empty rows are left out
- y[row] = sum;
+ if (start[row] < start[row + 1]) y[row] = sum;

// == wrong csr-scalar: added to what is there
- y[row] = sum;
+ y[row] += sum;

// == wrong csr-scalar: entry in place of its column
- x[column[k]]
+ x[k]

// == right csr-vector: threads without a row return
- unsigned k = row < rows ? start[row] + lane : 0, end = row < rows ? start[row + 1] : 0;
+ if (row >= rows) return;
+ unsigned k = start[row] + lane, end = start[row + 1];

// == wrong csr-vector: sums of the lanes are not added
- float sum = sum_of_lanes(even + odd, lanes);
+ float sum = even + odd;

// == wrong csr-vector: last entries are left out
- if (k < end) even +=
+ if (k + 1 < end) even +=

// == wrong csr-vector: every lane stores
- if (row < rows && lane == 0) y[row] = sum;
+ if (row < rows) y[row] = sum;

// == wrong csr-vector: a warp a row, whatever lanes says
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    if (row < rows)
        for (unsigned k = start[row] + lane; k < start[row + 1]; k += 32) sum += value[k] * x[column[k]];
    sum = sum_of_lanes(sum, 32);
    if (row < rows && lane == 0) y[row] = sum;

// == wrong csr-vector: lane 0 does the row
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, row = thread / lanes;
    if (row >= rows || thread % lanes != 0) return;
    float sum = 0.0f;
    for (unsigned k = start[row] + 1; k < start[row + 1]; k++) sum += value[k] * x[column[k]];
    y[row] = sum;

// == wrong ell: padding is an entry
- if (from == none) break;
+

// == wrong ell: stored row by row
- size_t at = (size_t)d * rows + row;
+ size_t at = (size_t)row * width + d;

// == wrong ell: last column is left out
- d < width
+ d + 1 < width

// == wrong ell: padding ends the thread
- if (from == none) break;
+ if (from == none) return;

// == wrong csr-merge: head is not kept
- head = sum;
+ y[row0 + i] = sum;

// == wrong csr-merge: sum goes on into the next row
- sum = 0.0f;
- i++;
+ i++;

// == wrong csr-merge: products begin at 0
- unsigned k = entry0 - aligned + begin - i;
+ unsigned k = begin - i;

// == wrong csr-merge: one step too few
- item < merge_items; item++
+ item + 1 < merge_items; item++

// == wrong csr-merge: steps beyond the tile's
- if (begin + item < steps) {
+ if (true) {

// == wrong csr-merge: row's end is the next one's
- end = row_end[i];
- }
+ }

// == wrong csr-merge: thread 0 walks alone
    if (t == 0) {
        unsigned k = entry0 - aligned, i = 0;
        for (unsigned step = 0; step < steps; step++) {
            if (k < row_end[i]) {
                sum += product[k++];
            } else {
                y[row0 + i] = sum;
                sum = 0.0f;
                i++;
            }
        }
    }
