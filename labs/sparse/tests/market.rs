//! Matrix Market files: what is read, and what is refused at which line.
use sparse::read_market;

const LAB: labtest::Lab = labtest::lab!("sparse");
const REAL: &str = "%%MatrixMarket matrix coordinate real general\n";

#[test]
fn real_integer_and_pattern_are_read() {
    let read = |text: &str| read_market(text.as_bytes()).unwrap();
    let real = read("%%matrixmarket MATRIX Coordinate Real General\r\n% words\n\n2 3 2\r\n2 3 -1.5e2\n\n 1 1 .5 \n");
    assert_eq!((real.rows, real.columns, &real.entries[..]), (2, 3, &[(1, 2, -150.0), (0, 0, 0.5)][..]));
    let pattern = read("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 2\n3 1\n");
    assert_eq!(pattern.entries, [(1, 1, 1.0), (2, 0, 1.0), (0, 2, 1.0)]);
    assert!(read(&format!("{REAL}4 4 0\n")).entries.is_empty());
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let long = "9".repeat(60);
    for (text, says) in [
        (String::new(), "line 1: `` is not the header"),
        ("1 2 3\n".into(), "line 1: `1 2 3` is not the header of a Matrix Market file"),
        ("%%MatrixMarket matrix array real general\n".into(), "line 1: the format `array`"),
        ("%%MatrixMarket matrix coordinate complex general\n".into(), "line 1: the field `complex`"),
        ("%%MatrixMarket matrix coordinate real hermitian\n".into(), "line 1: the symmetry `hermitian`"),
        ("%%MatrixMarket vector coordinate real general\n".into(), "line 1: the object `vector`"),
        (REAL.into(), "line 1: the header is not followed by"),
        (format!("{REAL}2 2\n"), "line 2: `2 2` should be `ROWS COLUMNS ENTRIES`"),
        (format!("{REAL}% words\n0 2 0\n"), "line 3: there must be a row"),
        (format!("{REAL}2147483648 2 0\n"), "line 2: there must be a row and a column at least, and less than 2^31"),
        (format!("{REAL}{long} 2 0\n"), "line 2:"),
        (format!("{REAL}2 2 1\n1 1\n"), "line 3: `1 1` should be `ROW COLUMN VALUE`"),
        (format!("{REAL}2 2 1\n0 1 1\n"), "line 3: row `0` should be a number from 1 to 2"),
        (format!("{REAL}2 2 1\n1 x 1\n"), "line 3: column `x`"),
        (format!("{REAL}2 2 1\n1 1 nan\n"), "line 3: value `nan`"),
        (format!("{REAL}2 2 1\n1 1 1e99\n"), "line 3: value `1e99` should be a number that a float can hold"),
        (format!("{REAL}2 2 2\n1 1 1\n"), "line 3: the file ends after 1 of 2 entries"),
        (format!("{REAL}2 2 1\n1 1 1\n2 2 2\n"), "line 4: there are more than the 1 entries"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n".into(), "line 2: a symmetric matrix is square"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n".into(), "line 3: the entry is above"),
        (
            "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 1\n".into(),
            "line 3: `1 2 1` should be `ROW COLUMN`",
        ),
    ] {
        let error = read_market(text.as_bytes()).unwrap_err();
        assert!(error.starts_with(says), "{error}, not {says}");
    }
    let error = read_market(b"%%MatrixMarket matrix coordinate real general\n\xff\n").unwrap_err();
    assert_eq!(error, "line 2: not a text; give a Matrix Market file");
}

/// A rectangular matrix from a file, whose rows have 3, 0, 1 and 2 entries, two of them at the same place.
#[test]
fn every_method_multiplies_the_matrix_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.mtx");
    let entries = "4 2 3\n1 1 1\n1 2 2.5\n1 2 -7\n3 1 1e-3\n4 2 4\n";
    std::fs::write(&file, format!("{REAL}4 2 6\n{entries}")).unwrap();
    let ran = LAB.accepts(&["--input", file.to_str().unwrap()]);
    let products =
        ran.rows.iter().filter(|row| row["variant"].starts_with('c') && !row["variant"].starts_with("cusparse"));
    let passed: Vec<_> = products.map(|row| (&*row["entries"], &*row["longest_row"], &*row["verdict"])).collect();
    assert!(passed.len() >= 6 && passed.iter().all(|row| *row == ("6", "3", "pass")), "{}", ran.text);
}
