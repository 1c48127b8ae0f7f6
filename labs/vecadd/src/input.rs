//! The vectors: random numbers from the seed, or two numbers per line from a file or standard input.
use harness::{Error, Result, Run};

/// Two vectors of the same length, and their sum computed on the host.
pub(crate) struct Vectors {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    /// The sum x + y in float. IEEE 754 allows only one answer, so the kernel's must be equal to the last bit.
    pub(crate) sum: Vec<f32>,
}

impl Vectors {
    fn new(x: Vec<f32>, y: Vec<f32>) -> Self {
        let sum = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        Self { x, y, sum }
    }

    /// Uniform in [-1, 1).
    pub(crate) fn random(run: &Run, n: usize) -> Self {
        let [x, y] = ["x", "y"].map(|label| run.inputs(label).f32(n, -1.0..1.0));
        Self::new(x, y)
    }

    /// Reads the vectors from a file, or from standard input if its name is `-`; with `n`, only the first `n` pairs.
    pub(crate) fn read(run: &Run, file: &str, n: Option<usize>) -> Result<Self> {
        let text = String::from_utf8(run.read(file)?);
        let text = text.map_err(|e| Error::usage(format!("cannot read the vectors from {file}: {e}")))?;
        let (mut x, mut y) = parse(&text).map_err(|e| Error::usage(format!("{file}: {e}")))?;
        let n = n.unwrap_or(x.len());
        if n > x.len() {
            return Err(Error::usage(format!("--n {n}: {file} holds {} pairs", x.len())));
        }
        x.truncate(n);
        y.truncate(n);
        Ok(Self::new(x, y))
    }

    /// The number of elements of each vector.
    pub(crate) fn len(&self) -> usize {
        self.sum.len()
    }
}

/// The vectors x and y from a text of two numbers per line, separated by white space or a comma. Empty lines and
/// everything after a `#` are ignored.
///
/// # Errors
/// Returns what is wrong, and in which line.
pub fn parse(text: &str) -> std::result::Result<(Vec<f32>, Vec<f32>), String> {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("");
        let fields = line.split(|c: char| c == ',' || c.is_whitespace()).filter(|field| !field.is_empty());
        let wrong = |what: String| format!("line {}: {what}", i + 1);
        let number = |field: &str| field.parse().map_err(|_| wrong(format!("`{field}` is not a number")));
        match fields.collect::<Vec<_>>()[..] {
            [] => {}
            [a, b] => {
                x.push(number(a)?);
                y.push(number(b)?);
            }
            ref other => return Err(wrong(format!("{} numbers, should be two, x and y", other.len()))),
        }
    }
    if x.is_empty() { Err("no numbers in it".into()) } else { Ok((x, y)) }
}
