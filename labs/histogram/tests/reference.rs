//! The CPU's side of the lab: the reference counts, the texts, and the arithmetic of the contention benchmark and of
//! the exercise.
use histogram::{
    Bins, Text, additions_to,
    questions::{all, gflop_per_s, mean_latency_ns},
    reference,
};

#[test]
fn letters_go_by_four_and_nothing_else_is_counted() {
    assert_eq!(Bins::Letters.bin(b'a'), Some(0));
    assert_eq!(Bins::Letters.bin(b'd'), Some(0));
    assert_eq!(Bins::Letters.bin(b'e'), Some(1));
    assert_eq!(Bins::Letters.bin(b'z'), Some(6));
    for byte in [b'`', b'{', b'A', b' ', 0, 255, b'a' + 128] {
        assert_eq!(Bins::Letters.bin(byte), None);
    }
    let counted = (0..=255u8).filter(|b| Bins::Letters.bin(*b).is_some());
    assert_eq!(counted.count(), 26);
}

/// The reference takes 2^20 bytes at a time.
#[test]
fn references_add_up_over_chunks() {
    let text = vec![b'q'; (2 << 20) + 1];
    assert_eq!(reference(Bins::Letters, &text)[4], text.len() as u64);
    assert_eq!(reference(Bins::Bytes, b"hello")[b'l' as usize], 2);
    assert_eq!(reference(Bins::Letters, b""), [0; 7]);
}

#[test]
fn texts_have_their_shares() {
    let n = 100_000;
    let count = |text: Text, byte: u8| {
        let counts = reference(Bins::Bytes, &text.make(1, n));
        counts[byte as usize] as f64 / n as f64
    };
    assert_eq!(count(Text::Same, b'a'), 1.0);
    assert!((count(Text::Uniform, b'k') - 1.0 / 26.0).abs() < 0.005);
    assert!((count(Text::Bytes, 200) - 1.0 / 256.0).abs() < 0.002);
    // H(26) = 3.8544: e has a share of 1/3.8544, and z has a 26th of that.
    assert!((count(Text::Skewed, b'e') - 0.2594).abs() < 0.01);
    assert!((count(Text::Skewed, b'z') - 0.00998).abs() < 0.002);
}

#[test]
fn texts_are_the_seed_s() {
    assert_eq!(Text::Bytes.make(3, 1000), Text::Bytes.make(3, 1000));
    assert_ne!(Text::Bytes.make(3, 1000), Text::Bytes.make(4, 1000));
    assert!(Text::Uniform.make(3, 0).is_empty());
}

#[test]
fn additions_are_those_of_a_walk() {
    for (addresses, threads, groups, rounds) in
        [(1, 1, 1, 1), (3, 7, 2, 5), (32, 256, 4, 16), (10, 3, 1, 4), (5, 5, 1, 0), (7, 100, 3, 23)]
    {
        let mut words = vec![0u64; addresses as usize];
        for t in 0..threads {
            for r in 0..u64::from(rounds) {
                words[((t + r) % u64::from(addresses)) as usize] += groups;
            }
        }
        for at in 0..addresses {
            let computed = additions_to(at, addresses, threads, groups, rounds);
            assert_eq!(computed, words[at as usize], "{at} of {addresses}");
        }
    }
}

#[test]
fn the_published_answers_hold() {
    for question in all() {
        assert!(question.check().passed(), "{question:?}");
    }
}

#[test]
fn hits_and_misses_are_weighed() {
    assert_eq!(mean_latency_ns(1.0, 4.0, 100.0), 4.0);
    assert_eq!(mean_latency_ns(0.0, 4.0, 100.0), 100.0);
    assert_eq!(gflop_per_s(5.0, 100.0, 0.0), 0.05);
}
