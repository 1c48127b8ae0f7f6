//! Kernels with right answers that do not do what a part requires, or that are right only because of the shape of the
//! block: they lose the points for it.

use std::{fs, path::Path};

use crate::common::warplab;
use serde_json::Value;

/// The points of `part` of `lab`, and the most that it gives, for the lab's own kernels with the first `old` after the
/// part's marker replaced.
fn points(lab: &str, kernel: &str, part: &str, (old, new): (&str, &str)) -> (f64, f64) {
    let of_lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs").join(lab);
    let rubric = fs::read_to_string(of_lab.join("assignment/rubric.toml")).unwrap();
    let (head, parts) = rubric.split_once("[[part]]").unwrap();
    let mine = parts.split("[[part]]").find(|text| text.contains(&format!("\nname = \"{part}\"\n"))).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let text = format!("{}[[part]]{mine}", head.replace("hidden = 2", "hidden = 0"));
    fs::write(path("rubric.toml"), text).unwrap();
    let own = fs::read_to_string(of_lab.join("kernels").join(kernel)).unwrap();
    let (before, after) = own.split_at(own.find(&format!("[part {part}]")).unwrap());
    assert!(after.contains(old), "{lab}: {old}");
    fs::write(path(kernel), format!("{before}{}", after.replacen(old, new, 1))).unwrap();
    let (file, rubric) = (path(kernel), path("rubric.toml"));
    let args = ["grade", lab, &file, "--rubric", &rubric, "--format", "json", "--seed", "2", "--schedules", "2"];
    let run = warplab(&args);
    let all: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    let marked = &all["submissions"][0];
    assert_eq!(marked["fault"], Value::Null, "{marked:#}");
    (marked["points"].as_f64().unwrap(), marked["of"].as_f64().unwrap())
}

/// A lab, its kernel file, a part of it, the change to the part, and the points that it has of those that it gives.
type Marked<'t> = (&'t str, &'t str, &'t str, (&'t str, &'t str), (f64, f64));

/// Checks the points of these changed parts.
fn assert_marks(parts: &[Marked<'_>]) {
    let found: Vec<_> =
        parts.iter().map(|(lab, kernel, part, change, _)| (lab, part, points(lab, kernel, part, *change))).collect();
    let expected: Vec<_> = parts.iter().map(|(lab, _, part, _, points)| (lab, part, *points)).collect();
    assert_eq!(found, expected);
}

#[test]
#[ignore = "needs NVRTC"]
fn one_thread_that_does_all_has_no_points_nvrtc() {
    let add = ("if (i < n)", "if (i == 0) for (; i < n; i++)");
    let turn = ("if (x < n && y < m)", "if (x + y == 0) for (; y < m; y++) for (x = 0; x < n; x++)");
    let stride = ("for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)", SERIAL);
    let count = ("for (size_t i = grid_index(); i < n; i += grid_threads())", SERIAL);
    let multiply =
        ("if (row < m && col < n)", "if (row + col == 0) for (; row < m; row++) for (col = 0; col < n; col++)");
    let parts = [
        ("occupancy", "occupancy.cu", "add", add, (0.0, 20.0)),
        ("transpose", "transpose.cu", "naive-read", turn, (0.0, 13.0)),
        ("reduction", "reduction.cu", "grid-stride", stride, (0.0, 20.0)),
        ("histogram", "histogram.cu", "atomic", count, (0.0, 20.0)),
        ("matmul", "matmul.cu", "naive", multiply, (0.0, 20.0)),
    ];
    assert_marks(&parts);
}

#[test]
#[ignore = "needs NVRTC"]
fn memory_that_is_read_and_written_by_atomics_keeps_to_no_goal_of_loads_stores_or_banks_nvrtc() {
    let add = ("z[i] = x[i] + y[i];", "z[i] = atomicAdd((float *)x + i, 0.f) + atomicAdd((float *)y + i, 0.f);");
    let turn = ("out[(size_t)(left + i) * m + top + lane] = tile[lane][i];", TURN_BY_ATOMICS);
    let scan = (
        "if (i + stride < section) s[i + stride] += s[i];",
        "if (i + stride < section) atomicAdd(&s[i + stride], s[i]);",
    );
    let meet = ("other = __shfl_xor_sync(all_lanes, key, j);", MEET_BY_ATOMICS);
    let parts = [
        // The goal of sharing the work is met.
        ("vecadd", "vecadd.cu", "add", add, (50.0, 60.0)),
        // An atomic may be a load or a store, so it counts as both. A tile is required.
        ("transpose", "transpose.cu", "tiled", turn, (9.5, 19.0)),
        // If atomics replace some of the stores, both together must stay within the limit.
        ("scan", "scan.cu", "brent-kung", scan, (25.0, 25.0)),
        ("sort", "bitonic.cu", "warp", meet, (17.5, 35.0)),
    ];
    assert_marks(&parts);
}

const TURN_BY_ATOMICS: &str = "atomicExch(&out[(size_t)(left + i) * m + top + lane], tile[lane][i]);";

/// Partners exchange data through words of shared memory that no load reads.
const MEET_BY_ATOMICS: &str = "{
    __shared__ K meet[1024];
    meet[threadIdx.x] = key;
    __syncwarp();
    other = atomicAdd(&meet[threadIdx.x ^ j], K(0));
    __syncwarp();
}";

#[test]
#[ignore = "needs NVRTC"]
fn a_turn_without_a_tile_has_half_of_the_points_nvrtc() {
    let changes = [
        (
            "padded",
            18.0,
            "__shared__ float tile[32][33];\n",
            format!("{WITHOUT_A_TILE}__shared__ float tile[32][33];\n"),
        ),
        ("swizzled", 17.0, "for (unsigned i = threadIdx.y", format!("{WITHOUT_A_TILE}for (unsigned i = threadIdx.y")),
    ];
    for (part, of, old, new) in changes {
        assert_marks(&[("transpose", "transpose.cu", part, (old, &new), (of / 2.0, of))]);
    }
}

const WITHOUT_A_TILE: &str = "for (unsigned i = threadIdx.y; i < 32; i += 8)
    if (top + i < m && left + lane < n) out[(size_t)(left + lane) * m + top + i] = in[(size_t)(top + i) * n + left + lane];
return;
";

const SERIAL: &str = "if (blockIdx.x + threadIdx.x == 0) for (size_t i = 0; i < n; i++)";

#[test]
#[ignore = "needs NVRTC"]
fn a_tree_for_powers_of_two_alone_has_no_points_nvrtc() {
    let change = ("t % (2 * stride) == 0 && t + stride < blockDim.x", "t % (2 * stride) == 0");
    assert_eq!(points("reduction", "reduction.cu", "interleaved", change), (0.0, 15.0));
}
