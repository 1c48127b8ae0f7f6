//! Counting the printed lines: no lost line goes unnoticed, whatever the order.
use hello::lines::{Tally, blocks, expected, flat, grid3d, tally};

#[test]
fn every_order_is_right() {
    let lines = expected(grid3d, [2, 3, 1], [4, 4, 4]);
    assert_eq!(lines.len(), 384);
    assert_eq!(lines[64 + 33], "Hello from thread (1,0,2) in block (1,0,0): index 97, warp 1, lane 1");
    let mut backwards = lines.clone();
    backwards.reverse();
    let seen = tally(&backwards.join("\n"), lines);
    assert_eq!(seen, Tally { printed: 384, ..Tally::default() });
}

#[test]
fn lost_doubled_and_strange_lines_are_counted() {
    let lines = expected(flat, [1, 1, 1], [4, 1, 1]);
    let text =
        "Hello from thread 0!\nHello from thread 0!\nHello from thread 9!\nsomething else\nHello from thread 3!\n";
    let seen = tally(text, lines);
    assert_eq!(seen.printed, 4);
    assert_eq!(seen.lost, 2);
    assert_eq!(seen.unexpected, 2);
    assert_eq!(seen.first_lost.as_deref(), Some("Hello from thread 1!"));
}

#[test]
fn no_output_is_all_lost() {
    assert_eq!(tally("", expected(blocks, [2, 1, 1], [5, 1, 1])).lost, 10);
}

#[test]
fn what_is_lost_is_told_with_what_was_printed_in_its_place() {
    let losses = |text: &str| tally(text, expected(blocks, [2, 1, 1], [5, 1, 1])).losses(text, 10);
    let first = "Hello from thread 0 in block 0!";
    assert_eq!(losses(""), format!("nothing was printed; expected 10 lines, such as `{first}`"));
    let lacks = losses(&first.repeat(10));
    assert!(lacks.ends_with("...: is `\\n` missing at its end?"), "{lacks}");
    let other = losses("Hello from nobody\n");
    assert_eq!(other, format!("10 of 10 lines lost, first: {first}; printed was `Hello from nobody`"));
    let some = losses(&format!("{first}\n"));
    assert_eq!(some, "9 of 10 lines lost, first: Hello from thread 1 in block 0!");
}
