//! The launches of the marching kernels.
use stencil::march_launch;

#[test]
fn marches_cover_the_plane() {
    for width in [1, 2, 3, 4, 127, 128, 511, 512, 513, 20000] {
        for height in [1, 2, 31, 32, 33, 10000, 3_000_000] {
            for rows in [None, Some(1), Some(7)] {
                let march = march_launch(width, height, rows, 132);
                let (gx, gy, _) = march.launch.grid_dim;
                assert!(gx * march.launch.block_dim.0 * march.columns >= width);
                assert!(gy * march.rows >= height && (gy - 1) * march.rows < height && gy <= 65535);
                assert!(march.columns == 1 || width % 4 == 0);
            }
        }
    }
}
