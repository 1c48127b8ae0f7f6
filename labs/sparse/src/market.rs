//! Matrix Market files: the coordinate form of real, integer or pattern matrices, general or symmetric.

/// The matrix of a file: its entries in the file's order, those of a symmetric matrix on both sides of the diagonal.
#[derive(Debug, PartialEq)]
pub struct Market {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Row and column, from 0, and value; 1 in a pattern.
    pub entries: Vec<(u32, u32, f32)>,
}

/// Rows, columns and entries must be below this: the kernels count in 31 bits.
const LIMIT: usize = 1 << 31;

/// A line of a file that cannot be read, and what to do.
fn at(line: usize, says: impl std::fmt::Display) -> String {
    format!("line {line}: {says}")
}

/// What the first line says.
struct Header {
    is_pattern: bool,
    is_symmetric: bool,
}

impl Header {
    fn parse(line: &str) -> Result<Self, String> {
        const FORM: &str = "a file begins with `%%MatrixMarket matrix coordinate real general`";
        let lower = line.to_ascii_lowercase();
        let words: Vec<&str> = lower.split_ascii_whitespace().collect();
        let ["%%matrixmarket", object, format, field, symmetry] = words[..] else {
            return Err(at(1, format!("`{}` is not the header of a Matrix Market file; {FORM}", shown(line))));
        };
        let among = |word: &str, what: &str, known: &[&str]| {
            if known.contains(&word) {
                return Ok(());
            }
            let known = known.join("`, `");
            Err(at(1, format!("{what} `{}` cannot be read; convert the file to `{known}`", shown(word))))
        };
        among(object, "the object", &["matrix"])?;
        among(format, "the format", &["coordinate"])?;
        among(field, "the field", &["real", "integer", "pattern"])?;
        among(symmetry, "the symmetry", &["general", "symmetric"])?;
        Ok(Self { is_pattern: field == "pattern", is_symmetric: symmetry == "symmetric" })
    }
}

/// At most 40 characters of what a file says.
fn shown(text: &str) -> String {
    let text: String = text.trim().chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().count() > 40 { text.chars().take(40).chain("...".chars()).collect() } else { text }
}

/// Reads a file.
///
/// # Errors
/// Returns the line that cannot be read, and why.
///
/// ```
/// let file = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 4\n2 1 -3\n";
/// let read = sparse::read_market(file.as_bytes()).unwrap();
/// assert_eq!(read.entries, [(0, 0, 4.0), (1, 0, -3.0), (0, 1, -3.0)]);
/// ```
pub fn read_market(bytes: &[u8]) -> Result<Market, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        at(1 + before.matches('\n').count(), "not a text; give a Matrix Market file")
    })?;
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    let header = Header::parse(lines.next().map_or("", |(_, line)| line))?;
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('%'));
    let Some((number, line)) = lines.next() else {
        return Err(at(1, "the header is not followed by `ROWS COLUMNS ENTRIES`"));
    };
    let sizes: Vec<usize> = line.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [rows, columns, listed] = sizes[..] else {
        return Err(at(number, format!("`{}` should be `ROWS COLUMNS ENTRIES`", shown(line))));
    };
    if rows == 0 || columns == 0 || rows.max(columns).max(listed) >= LIMIT {
        let words = "there must be a row and a column at least, and less than 2^31 rows, columns and entries";
        return Err(at(number, words));
    }
    if header.is_symmetric && rows != columns {
        return Err(at(number, format!("a symmetric matrix is square, not {rows} x {columns}")));
    }
    let mut entries = Vec::new();
    let mut found = 0;
    for (number, line) in lines {
        found += 1;
        if found > listed {
            return Err(at(number, format!("there are more than the {listed} entries that the second line lists")));
        }
        let (row, column, value) = entry(line, rows, columns, header.is_pattern).map_err(|says| at(number, says))?;
        if header.is_symmetric && column > row {
            let words = "the entry is above the diagonal; a symmetric file has those below it only";
            return Err(at(number, words));
        }
        entries.push((row, column, value));
        if header.is_symmetric && column < row {
            entries.push((column, row, value));
        }
    }
    if found < listed {
        let last = text.lines().count();
        return Err(at(last, format!("the file ends after {found} of {listed} entries; is it whole?")));
    }
    if entries.len() >= LIMIT {
        return Err(at(1, "both sides of the diagonal have 2^31 entries or more together"));
    }
    Ok(Market { rows, columns, entries })
}

/// Reads `ROW COLUMN`, with a value unless the matrix is a pattern.
fn entry(line: &str, rows: usize, columns: usize, is_pattern: bool) -> Result<(u32, u32, f32), String> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let form = if is_pattern { "ROW COLUMN" } else { "ROW COLUMN VALUE" };
    if words.len() != if is_pattern { 2 } else { 3 } {
        return Err(format!("`{}` should be `{form}`", shown(line)));
    }
    let index = |word: &str, most: usize, what: &str| match word.parse::<usize>() {
        Ok(index) if (1..=most).contains(&index) => Ok(index as u32 - 1),
        _ => Err(format!("{what} `{}` should be a number from 1 to {most}", shown(word))),
    };
    let (row, column) = (index(words[0], rows, "row")?, index(words[1], columns, "column")?);
    let value = match words.get(2) {
        None => 1.0,
        Some(word) => word
            .parse::<f32>()
            .ok()
            .filter(|value| value.is_finite())
            .ok_or_else(|| format!("value `{}` should be a number that a float can hold", shown(word)))?,
    };
    Ok((row, column, value))
}
