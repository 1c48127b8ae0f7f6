//! Every method sorts or splits any number of keys of every kind, in every order, on the emulated device.
use harness::{Check, Launch, Options, clap};
use proptest::prelude::*;
use sort::{How, Key, Kind, LAB, Order, SORTS, Sorter, Sorting, Tile, reference};

fn options(threads: u32) -> Options {
    use clap::{Args, Command, FromArgMatches};
    let command = Options::augment_args(Command::new("lab").no_binary_name(true));
    Options::from_arg_matches(&command.get_matches_from([format!("--threads={threads}")])).unwrap()
}

/// Sorts `n` keys twice with the same sorter, whose state must be reset each time. `None` if the device is too
/// small for it.
fn sort<K: Key>(how: How, tile: Tile, kind: Kind, order: Order, n: usize, threads: u32) -> Option<Check> {
    let (kernels, stream) = labtest::kernels(&LAB);
    let mut x = K::keys(order, 7, n);
    let below = x[n / 2];
    let expected = match (how.split(), how) {
        (Some(both), _) => reference::split(&x, below, both),
        (_, How::Runs { .. }) => {
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
    let config = rule.resolve(n, &options(threads), &kernels.session().device, || unreachable!()).unwrap();
    let sorter = Sorter::<K>::new(kernels, (how, tile), (kind, n), config, below.low());
    let mut sorter = labtest::unless_skipped(kernels, sorter)?;
    let x = stream.clone_htod(&x).unwrap();
    let mut check = Check::default();
    for _ in 0..2 {
        let mut out = stream.alloc_zeros::<K>(expected.len()).unwrap();
        harness::poison(stream, &mut out).unwrap();
        sorter.launch(&x, &mut out).unwrap();
        check.merge(reference::check(&stream.clone_dtoh(&out).unwrap(), &expected));
    }
    Some(check)
}

fn sort_any(row: &Sorting, tile: Tile, order: Order, n: usize, threads: u32) -> Vec<Check> {
    let of = |kind: &Kind| {
        let tile = if row.how == How::Large { row.how.usual_tile(*kind) } else { tile };
        match kind {
            Kind::U64 => sort::<u64>(row.how, tile, *kind, order, n, threads),
            _ => sort::<u32>(row.how, tile, *kind, order, n, threads),
        }
    };
    row.kinds.iter().filter_map(of).collect()
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
            prop::sample::select(vec![1, 2, 31, 32, 33, 4093, 4096, 8193, 6143, 6144, 6145, 8448, 12289, 14336, 17921]),
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
    let sizes = [
        ("compact", 140 * 8192 + 1),
        ("partition", 40 * 8192 + 1),
        ("radix", 20 * 6144 + 1),
        ("radix-large", 10 * 17920 + 1),
    ];
    for (name, n) in sizes {
        let row = SORTS.iter().find(|row| row.name() == name).unwrap();
        for check in sort_any(row, Tile::ALL[0], Order::Random, n, 256) {
            assert!(check.passed(), "{}: {}", row.name(), check.summary());
        }
    }
}

/// Three blocks take up to eleven tiles each, more than their rings hold; the last round has fewer than three.
#[test]
fn few_blocks_go_many_rounds() {
    let (kernels, stream) = labtest::kernels(&LAB);
    for n in [1, 6144, 3 * 6144 + 1, 7 * 6144, 31 * 6144 + 1535] {
        let (how, tile) = (How::Rounds, How::Rounds.usual_tile(Kind::U32));
        let x = u32::keys(Order::Random, 3, n);
        let expected = reference::split(&x, x[n / 2], false);
        let rule = how.launch(tile, Kind::U32, n);
        let mut config = rule.resolve(n, &options(256), &kernels.session().device, || unreachable!()).unwrap();
        config.grid_dim.0 = config.grid_dim.0.min(3);
        let sorter = Sorter::<u32>::new(kernels, (how, tile), (Kind::U32, n), config, x[n / 2]);
        let Some(mut sorter) = labtest::unless_skipped(kernels, sorter) else { return };
        let x = stream.clone_htod(&x).unwrap();
        let mut out = stream.alloc_zeros::<u32>(expected.len()).unwrap();
        harness::poison(stream, &mut out).unwrap();
        sorter.launch(&x, &mut out).unwrap();
        let check = reference::check(&stream.clone_dtoh(&out).unwrap(), &expected);
        assert!(check.passed(), "{n}: {}", check.summary());
    }
}
