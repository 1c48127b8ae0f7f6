// WORKS(i) says whether thread i of the grid goes through all elements; only thread 0 stores what comes of them.

// [part add]
    unsigned long long i = grid_index();
    if (WORKS(i))
        for (unsigned long long k = 0; k < n; k++) {
            float sum = x[k] + y[k];
            if (i == 0) z[k] = sum;
        }
// [end]

// [part stride]
    unsigned long long i = grid_index();
    if (WORKS(i))
        for (unsigned long long k = 0; k < n; k++) {
            float sum = x[k] + y[k];
            if (i == 0) z[k] = sum;
        }
// [end]
