//! Every method sorts or splits any number of keys of every kind, in every order, on the emulated device.
use harness::{Check, Launch, Options, clap};
use proptest::prelude::*;
use sort::{How, Key, Kind, LAB, Order, SORTS, Sorter, Sorting, Tile, reference};

fn options(threads: u32) -> Options {
    use clap::{Args, Command, FromArgMatches};
    let command = Options::augment_args(Command::new("lab").no_binary_name(true));
    Options::from_arg_matches(&command.get_matches_from([format!("--threads={threads}")])).unwrap()
}

/// Sorts `n` keys twice with the same sorter, whose state must be reset each time.
fn sort<K: Key>(how: How, tile: Tile, kind: Kind, order: Order, n: usize, threads: u32) -> Check {
    let (kernels, stream) = labtest::kernels(&LAB);
    let mut x = K::keys(order, 7, n);
    let below = x[n / 2];
    let expected = match how {
        How::Split { both } => reference::split(&x, below, both),
        How::Runs { .. } => {
            let mut runs = x.clone();
            reference::sort_runs(&mut runs, how.run_length(n, threads));
            runs
        }
        _ if kind == Kind::Pairs => reference::sorted_pairs(&x),
        _ => reference::sorted(&x),
    };
    if kind == Kind::Pairs {
        x.extend((0..n as u32).map(K::from));
    }
    let rule: Launch = how.launch(tile, kind, n);
    let config = rule.of(n, &options(threads), &kernels.session().device, || unreachable!()).unwrap();
    let mut sorter = Sorter::<K>::new(kernels, (how, tile), (kind, n), config, below.low()).unwrap();
    let x = stream.clone_htod(&x).unwrap();
    let mut check = Check::default();
    for _ in 0..2 {
        let mut out = stream.alloc_zeros::<K>(expected.len()).unwrap();
        harness::poison(stream, &mut out).unwrap();
        sorter.launch(&x, &mut out).unwrap();
        check.merge(reference::check(&stream.clone_dtoh(&out).unwrap(), &expected));
    }
    check
}

fn sort_any(row: &Sorting, tile: Tile, order: Order, n: usize, threads: u32) -> Vec<Check> {
    let of = |kind: &Kind| match kind {
        Kind::U64 => sort::<u64>(row.how, tile, *kind, order, n, threads),
        _ => sort::<u32>(row.how, tile, *kind, order, n, threads),
    };
    row.kinds.iter().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_n_any_order(
        row in prop::sample::select(SORTS.iter().map(|row| (row.name(), row.with)).collect::<Vec<_>>()),
        tile in prop::sample::select(Tile::ALL.to_vec()),
        order in prop::sample::select(Order::ALL.to_vec()),
        n in prop_oneof![
            1..3000usize,
            prop::sample::select(vec![1, 2, 31, 32, 33, 4093, 4096, 8193, 6143, 6144, 6145, 8448, 12289]),
            (0..14u32, 0..3usize).prop_map(|(k, d)| ((1usize << k) + d).saturating_sub(1).max(1)),
        ],
        threads in prop::sample::select(vec![32, 64, 256, 1024]),
    ) {
        for check in sort_any(&row.1, tile, order, n, threads) {
            prop_assert!(check.passed(), "{} {tile:?}: {}", row.0, check.summary());
        }
    }
}

#[test]
fn many_tiles_look_back_past_the_window() {
    for (row, n) in SORTS.iter().zip([140 * 8192 + 1, 40 * 8192 + 1, 0, 0, 0, 0, 20 * 6144 + 1]).filter(|(_, n)| *n > 0)
    {
        for check in sort_any(row, Tile::ALL[0], Order::Random, n, 256) {
            assert!(check.passed(), "{}: {}", row.name(), check.summary());
        }
    }
}
