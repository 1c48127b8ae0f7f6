// Each worker goes through its own share of the elements: WORKER(i) is the number of thread i's worker among WORKERS,
// or IDLE. Only a thread with STORES(i) stores what comes of them.

// [part add]
    unsigned long long i = grid_index();
    for (unsigned long long k = WORKER(i); k < n; k += WORKERS) {
        float sum = x[k] + y[k];
        if (STORES(i)) z[k] = sum;
    }
// [end]

// [part stride]
    unsigned long long i = grid_index();
    for (unsigned long long k = WORKER(i); k < n; k += WORKERS) {
        float sum = x[k] + y[k];
        if (STORES(i)) z[k] = sum;
    }
// [end]
