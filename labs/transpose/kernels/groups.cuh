// The order in which blocks take tiles.
#pragma once

// The row and column of tiles that the block takes: tiles in groups of `group` rows of them, and down the columns in a
// group. Blocks that run at the same time then write side by side, `group` tiles at a time.
struct TileIndex {
    unsigned j, i;
};
template <unsigned H = 64, unsigned W = 64>
__device__ inline TileIndex grouped(unsigned m, unsigned n, unsigned group) {
    unsigned across = (n + W - 1) / W, down = (m + H - 1) / H;
    unsigned first = blockIdx.x / (group * across) * group, within = blockIdx.x % (group * across);
    unsigned height = down - first < group ? down - first : group;
    return {first + within % height, within / height};
}
