//! The requirements of a counting method's launch: shared memory, and enough blocks for counts of 32 bits.
use harness::Row;
use histogram::{Bins, COUNTING, Counting};

fn row(name: &str) -> &'static Row<Counting> {
    COUNTING.iter().find(|row| row.name() == name).unwrap()
}

#[test]
fn counts_past_32_bits_are_refused_or_fit() {
    let n = (1 << 33) + 5;
    assert!(row("privatized").fits(n, 1, 256).is_err());
    assert!(row("privatized").fits(n, 2, 256).is_err());
    assert!(row("privatized").fits(n, 5, 256).is_ok());
    assert!(row("lanes").fits(n, 1056, 256).is_ok());
    assert!(row("atomic").fits(n, 1, 256).is_ok()); // 64 bits all the way
    assert!(row("lanes").fits(u64::MAX, 1, 1024).is_err());
    // The number that the message recommends is enough.
    for n in [1u64 << 32, n, 1 << 40] {
        assert!(row("wide").fits(n, ((n >> 31) + 1) as u32, 1024).is_ok());
    }
}

/// A block may see at most 2^32 - 1 bytes: with 16 blocks of 256, a share of the text and a stride over the rest.
#[test]
fn a_block_sees_its_share() {
    let share = (1 << 32) - (1 << 14) - 2048;
    assert!(row("privatized").fits(16 * share, 16, 256).is_ok());
    assert!(row("privatized").fits(16 << 32, 16, 256).is_err());
    assert!(row("privatized").fits(0, 16, 256).is_ok());
}

#[test]
fn shared_memory_is_the_copies() {
    assert_eq!(row("privatized").shared_bytes(Bins::Letters, 256), 28);
    assert_eq!(row("wide").shared_bytes(Bins::Bytes, 1024), 32 << 10);
    assert_eq!(row("wide").shared_bytes(Bins::Bytes, 33), 2 << 10);
    assert_eq!(row("lanes").shared_bytes(Bins::Bytes, 1), 32 << 10);
    assert_eq!(row("lanes").shared_bytes(Bins::Letters, 1), 1 << 10);
    assert_eq!(row("atomic").shared_bytes(Bins::Bytes, 1024), 0);
}
