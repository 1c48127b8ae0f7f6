//! The five-point mean on a plane.
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Case, Result, Run, Sizes, Tolerance, poison};

use crate::verify::Verifier;
use crate::{count, is_peers_part, points, reference};

/// GB/s, read and written, of the course's shared-memory kernel on 20000 x 10000 points, as peers measured it on an H200.
const PEER_SHARED: f64 = 1332.9;

/// The plane of the bandwidth experiments: `--width` and `--height`, or the device's defaults.
pub(crate) fn size(run: &Run) -> (u32, u32) {
    let side = |gpu, emulated, quick| {
        run.pick(Sizes {
            gpu,
            emulated,
            quick,
        }) as u32
    };
    (
        count(run, "width").unwrap_or_else(|| side(20000, 600, 70)),
        count(run, "height").unwrap_or_else(|| side(10000, 300, 33)),
    )
}

/// How a marching kernel is launched.
#[derive(Debug, Clone, Copy)]
pub struct March {
    /// Grid and block.
    pub launch: LaunchConfig,
    /// Columns of a thread: 4 where rows start on 16 bytes, else 1.
    pub columns: u32,
    /// Rows that a thread goes down.
    pub rows: u32,
}

/// The launch of a marching kernel on a plane of `width` x `height` points for a device of `multiprocessors`: `rows` down a
/// thread, or, when not given, 32, and fewer where that would leave multiprocessors without blocks.
pub fn march_launch(width: u32, height: u32, rows: Option<u32>, multiprocessors: u32) -> March {
    let columns = if width.is_multiple_of(4) { 4 } else { 1 };
    let threads = 128;
    let strips = width.div_ceil(columns).div_ceil(threads);
    let rows = rows.unwrap_or_else(|| {
        // Eight blocks for each multiprocessor, if the plane is that large.
        let wanted = (8 * multiprocessors).div_ceil(strips);
        height.div_ceil(wanted.max(1)).clamp(4, 32)
    });
    // The grid's y dimension ends at 65535.
    let rows = rows.max(height.div_ceil(65535)).max(1);
    March {
        launch: LaunchConfig {
            grid_dim: (strips, height.div_ceil(rows), 1),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: 0,
        },
        columns,
        rows,
    }
}

/// A launch of one point a thread in blocks of `x` x `y` threads.
pub(crate) fn point_launch(
    width: u32,
    height: u32,
    (x, y): (u32, u32),
    shared_bytes: u32,
) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (width.div_ceil(x), height.div_ceil(y), 1),
        block_dim: (x, y, 1),
        shared_mem_bytes: shared_bytes,
    }
}

pub(crate) fn run(run: &Run) -> Result<()> {
    if !["mean-naive", "mean-shared", "mean-marching"]
        .iter()
        .any(|v| run.wants(v))
    {
        return Ok(());
    }
    let (width, height) = size(run);
    let points = points(run, width, height)?;
    let input = run.inputs("plane").f32(points, -1.0..1.0);
    let expected = reference::mean(&input, width as usize);
    let march = march_launch(
        width,
        height,
        count(run, "rows"),
        run.session().device.multiprocessors,
    );
    let shared = |x, y| point_launch(width, height, (x, y), (x + 2) * (y + 2) * 4);
    let marching = if march.columns == 4 {
        "mean_marching4"
    } else {
        "mean_marching"
    };
    let cases = [
        (
            "mean-naive",
            "32x8",
            "mean_naive",
            point_launch(width, height, (32, 8), 0),
        ),
        ("mean-shared", "32x8", "mean_shared", shared(32, 8)),
        (
            "mean-shared",
            "32x32, as in the course",
            "mean_shared",
            shared(32, 32),
        ),
        ("mean-marching", "", marching, march.launch),
    ];
    for (variant, label, kernel, launch) in cases {
        let marches = variant == "mean-marching";
        let label = if marches {
            format!("{} columns, {} rows a thread", march.columns, march.rows)
        } else {
            label.into()
        };
        run.case(
            Case::new(variant).label(label).n(points).launch(launch),
            |case| {
                let stream = run.stream();
                let function = run.function("plane.cu", kernel)?;
                let from = stream.clone_htod(&input)?;
                // SAFETY: poisoned before each sample, and read only after the kernel.
                let mut to = unsafe { stream.alloc::<f32>(points) }?;
                case.set("width", width);
                case.set("height", height);
                case.bytes(2 * size_of::<f32>() * points);
                if is_peers_part(run)
                    && launch.block_dim == (32, 32, 1)
                    && (width, height) == (20000, 10000)
                {
                    case.set("peer_gb_per_s", PEER_SHARED);
                }
                // Four additions, a division or a multiplication by a rounded fifth; inputs of at most 1.
                let tolerance = Tolerance::sum(7, 1.0, f64::from(f32::EPSILON));
                let mut verifier = Verifier::new(&expected, tolerance);
                case.measure(
                    &mut to,
                    |to| poison(run, to),
                    |to| {
                        let mut builder = stream.launch_builder(&function);
                        builder.arg(&from).arg(to).arg(&width).arg(&height);
                        if marches {
                            builder.arg(&march.rows);
                        }
                        // SAFETY: these are the kernels' parameters, and both planes are width x height floats.
                        unsafe { builder.launch(launch) }?;
                        Ok(())
                    },
                    |to| Ok(verifier.check(stream.clone_dtoh(to)?)),
                )?;
                Ok(())
            },
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marches_cover_the_plane() {
        for width in [1, 2, 3, 4, 127, 128, 511, 512, 513, 20000] {
            for height in [1, 2, 31, 32, 33, 10000, 3_000_000] {
                for rows in [None, Some(1), Some(7)] {
                    let march = march_launch(width, height, rows, 132);
                    let (gx, gy, _) = march.launch.grid_dim;
                    assert!(gx * march.launch.block_dim.0 * march.columns >= width);
                    assert!(
                        gy * march.rows >= height && (gy - 1) * march.rows < height && gy <= 65535
                    );
                    assert!(march.columns == 1 || width % 4 == 0);
                }
            }
        }
    }
}
