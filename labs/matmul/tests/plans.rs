//! The launches of the rungs and their loads, by arithmetic.
use harness::Row;
use matmul::{RUNGS, Rung, Shape, rectangular};

fn rung(name: &str) -> &'static Row<Rung> {
    RUNGS.iter().find(|row| row.name() == name).unwrap()
}

#[test]
fn a_tile_cuts_the_loads_t_fold() {
    let shape = Shape::square(4096);
    let naive = rung("naive").loads(shape);
    for (name, fold) in [("tiled16", 16), ("tiled32", 32), ("register-1d", 64), ("async-copy", 128)] {
        assert_eq!(naive / rung(name).loads(shape), fold, "{name}");
    }
    // There are 70 tiles of 10 columns and 100 of 10 rows, so every element of A is loaded 70 times and every element
    // of B 100 times.
    let rect = Shape { m: 1000, k: 500, n: 700 };
    assert_eq!(rectangular(10).loads(rect), 1000 * 500 * 70 + 500 * 700 * 100);
}

#[test]
fn every_launch_covers_its_shape_and_no_more() {
    for rung in RUNGS {
        for shape in [Shape::square(1), Shape { m: 129, k: 17, n: 31 }, Shape { m: 7, k: 4096, n: 4097 }] {
            for slices in [1, 3, 5000] {
                let plan = rung.plan(shape, slices).unwrap();
                let (gx, gy, gz) = plan.launch.grid_dim;
                if rung.stream > 0 {
                    // The requested number of shares, but each has at least a step of depth 16.
                    let tiles = shape.m.div_ceil(rung.tile.0 as usize) * shape.n.div_ceil(rung.tile.1 as usize);
                    let most = tiles * shape.k.div_ceil(16);
                    assert_eq!((gx as usize, gy, gz), (most.min(slices as usize), 1, 1));
                    assert_eq!(plan.clears, tiles % gx as usize != 0);
                    continue;
                }
                assert!((gx * rung.tile.1) as usize >= shape.n && ((gx - 1) * rung.tile.1) as usize <= shape.n);
                assert!((gy * rung.tile.0) as usize >= shape.m && ((gy - 1) * rung.tile.0) as usize <= shape.m);
                // The slices cover the depth, and the last one is not empty.
                assert!((gz * plan.slice) as usize >= shape.k && ((gz - 1) * plan.slice) < shape.k as u32);
                assert!(rung.adds || gz == 1);
            }
        }
    }
}

#[test]
fn impossible_shapes_are_refused_by_name() {
    let naive = rung("naive");
    assert!(naive.plan(Shape { m: 1, k: 0, n: 1 }, 1).unwrap_err().contains("--k is 0"));
    assert!(naive.plan(Shape { m: 1 << 31, k: 1, n: 1 }, 1).unwrap_err().contains("--m"));
    assert!(Shape::square(1 << 32).bytes().is_none());
    // A matrix may have more than 2^31 elements, because the kernels index in 64 bits.
    assert!(naive.plan(Shape { m: 65536, k: 65536, n: 65536 }, 1).is_ok());
}
