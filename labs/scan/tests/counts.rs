//! Properties of a scan known before it runs: additions, tiles and shared memory.
use scan::{METHODS, Scanning};

fn way(name: &str) -> Scanning {
    METHODS.iter().find(|row| row.name() == name).unwrap().with
}

fn additions(name: &str, n: usize) -> u64 {
    way(name).additions.unwrap()(n)
}

#[test]
fn additions_of_powers_of_two_have_a_closed_form() {
    // n log2 n - (n - 1), and 2 n - 2 - log2 n.
    assert_eq!(additions("kogge-stone", 1024), 1024 * 10 - 1023);
    assert_eq!(additions("one-barrier", 1024), 1024 * 10 - 1023);
    assert_eq!(additions("brent-kung", 1024), 2 * 1024 - 2 - 10);
}

#[test]
fn additions_of_odd_sections_are_those_of_the_kernels_loops() {
    for n in [0usize, 1, 2, 3, 5, 31, 32, 33, 100, 1000] {
        let (mut kogge_stone, mut brent_kung) = (0, 0);
        let mut stride = 1;
        while stride < n {
            kogge_stone += (0..n).filter(|t| *t >= stride).count();
            brent_kung += (0..n).filter(|i| (i + 1) % (2 * stride) == 0).count();
            stride *= 2;
        }
        while stride > 0 {
            brent_kung += (0..n).filter(|i| (i + 1) % (2 * stride) == 0 && i + stride < n).count();
            stride /= 2;
        }
        assert_eq!(additions("kogge-stone", n), kogge_stone as u64, "{n}");
        assert_eq!(additions("brent-kung", n), brent_kung as u64, "{n}");
    }
    assert!(way("three-kernel").additions.is_none());
}

#[test]
fn tiles_cover_n() {
    let single = way("single-pass");
    assert_eq!(single.tiles(0, 256), 1);
    assert_eq!(single.tiles(8192, 256), 1);
    assert_eq!(single.tiles((1 << 30) + 1, 256), (1 << 17) + 1);
    let ahead = way("ahead");
    assert_eq!(ahead.tiles((1 << 28) + 12345, ahead.threads), 87386);
    assert_eq!(ahead.shared_bytes(ahead.threads), 98576);
    assert_eq!(way("brent-kung").shared_bytes(1024), 8192);
    assert_eq!(single.shared_bytes(1024), 0);
}
