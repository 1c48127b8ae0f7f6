//! Every search finds the levels of any graph on the emulated device.
use labtest::{Mutant, Space};
use proptest::prelude::*;
use sparse::{Csr, LAB, MatrixKind, Search, SearchMethod, UNREACHED, hub, levels};

const PROGRAM: labtest::Lab = labtest::lab!("sparse");

/// Searches twice with the same state, and returns the levels of the second time and the number of launches.
fn search(step: SearchMethod, graph: &Csr, first: u32) -> (Vec<u32>, u32) {
    let (kernels, stream) = labtest::kernels(&LAB);
    let back = graph.transposed();
    let read = if step == SearchMethod::Pull { &back } else { graph };
    let (start, column) = (stream.clone_htod(&read.start).unwrap(), stream.clone_htod(&read.column).unwrap());
    let mut search = Search::new(kernels, step, graph, first).unwrap();
    let mut level = stream.clone_htod(&vec![u32::MAX; graph.rows]).unwrap();
    search.run(&start, &column, &mut level).unwrap();
    let launches = search.run(&start, &column, &mut level).unwrap();
    (stream.clone_dtoh(&level).unwrap(), launches)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_graph(
        step in prop::sample::select(vec![SearchMethod::Push, SearchMethod::Pull, SearchMethod::Compact]),
        edges in prop::collection::vec((0..400u32, 0..400u32), 0..900),
        hub_edges in 0..400u32,
        first in 0..400u32,
    ) {
        let edges = edges.into_iter().chain((0..hub_edges).map(|to| (first, to)));
        let graph = Csr::from_entries(400, 400, edges.map(|(from, to)| (from, to, 1.0)).collect());
        prop_assert_eq!(search(step, &graph, first).0, levels(&graph, first));
    }
}

#[test]
fn a_chain_takes_a_launch_for_each_vertex() {
    let chain = Csr::from_entries(40, 40, (0..39).map(|v| (v, v + 1, 1.0)).collect());
    for step in [SearchMethod::Push, SearchMethod::Pull, SearchMethod::Compact] {
        assert_eq!(search(step, &chain, 0), ((0..40).collect(), 40));
        let (alone, launches) = search(step, &chain, 39);
        assert!(alone[..39].iter().all(|level| *level == UNREACHED) && alone[39] == 0 && launches == 1);
    }
}

#[test]
fn every_kind_is_searched_from_its_hub() {
    for graph in MatrixKind::ALL.map(|kind| kind.make(2, 900)) {
        let first = hub(&graph);
        assert_eq!(graph.length(first as usize), graph.longest());
        for step in [SearchMethod::Push, SearchMethod::Pull, SearchMethod::Compact] {
            assert_eq!(search(step, &graph, first).0, levels(&graph, first));
        }
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn broken_searches_are_rejected_nvrtc() {
    let options = |variant| ["--variant", variant, "--matrix", "power-law", "-n", "500"];
    let claims = ("bool claim(", "return look(level) == unreached && atomicCAS(level, unreached, depth) == unreached;");
    let plain = "if (*level != unreached) return false; *level = depth; return true;";
    let edit = (claims.0, claims.1, plain);
    let ran = PROGRAM.run_mutant(
        Mutant::new("plain_claim", "bfs.cu", &[edit]),
        &[&["--check", "racecheck"], &options("bfs-push")[..]].concat(),
    );
    ran.finding(|found| labtest::is_race(found, Space::Global));
    let short = ("void bfs_pull(", "k < start[v + 1]", "k + 1 < start[v + 1]");
    PROGRAM.rejects(Mutant::new("last_edge", "bfs.cu", &[short]), &options("bfs-pull"), "of 500 wrong");
    let round = (
        "bfs_compact(",
        "round < edges; round += bfs_threads",
        "round < min(edges, bfs_threads); round += bfs_threads",
    );
    PROGRAM.rejects(Mutant::new("one_round", "bfs.cu", &[round]), &options("bfs-compact"), "of 500 wrong");
}
