//! The vectors: random from the seed, or two numbers a line from a file or standard input.
use std::{fs, io::Read};

use harness::{Error, Result, Run};

/// Two vectors of the same length, and their sum by the host.
pub struct Vectors {
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    /// x + y in float: IEEE 754 gives one answer, so the kernel's must be the same to the last bit.
    pub sum: Vec<f32>,
}

impl Vectors {
    fn new(x: Vec<f32>, y: Vec<f32>) -> Self {
        let sum = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        Self { x, y, sum }
    }

    /// Uniform in [-1, 1).
    pub fn random(run: &Run, n: usize) -> Self {
        Self::new(
            run.inputs("x").f32(n, -1.0..1.0),
            run.inputs("y").f32(n, -1.0..1.0),
        )
    }

    /// From a file, or standard input when it is `-`; with `n`, as many as are wanted.
    pub fn read(file: &str, n: Option<usize>) -> Result<Self> {
        let mut text = String::new();
        let read = if file == "-" {
            std::io::stdin().read_to_string(&mut text).map(|_| ())
        } else {
            fs::read_to_string(file).map(|t| text = t)
        };
        read.map_err(|e| Error::usage(format!("cannot read the vectors from {file}: {e}")))?;
        let (x, y) = parse(&text).map_err(|e| Error::usage(format!("{file}: {e}")))?;
        match n {
            Some(n) if n > x.len() => Err(Error::usage(format!(
                "--n {n}: {file} holds {} pairs",
                x.len()
            ))),
            Some(n) => Ok(Self::new(x[..n].to_vec(), y[..n].to_vec())),
            None => Ok(Self::new(x, y)),
        }
    }

    /// Elements of each.
    pub fn len(&self) -> usize {
        self.sum.len()
    }
}

/// Two numbers a line, apart by white space or a comma; empty lines and lines from `#` on do not count.
fn parse(text: &str) -> std::result::Result<(Vec<f32>, Vec<f32>), String> {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("");
        let fields: Vec<&str> = line
            .split(|c: char| c == ',' || c.is_whitespace())
            .filter(|f| !f.is_empty())
            .collect();
        let number = |s: &str| {
            s.parse::<f32>()
                .map_err(|_| format!("line {}: `{s}` is no number", i + 1))
        };
        match fields.as_slice() {
            [] => {}
            [a, b] => {
                x.push(number(a)?);
                y.push(number(b)?);
            }
            other => {
                return Err(format!(
                    "line {}: {} numbers, should be two, x and y",
                    i + 1,
                    other.len()
                ));
            }
        }
    }
    if x.is_empty() {
        Err("no numbers in it".into())
    } else {
        Ok((x, y))
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn two_numbers_a_line() {
        assert_eq!(
            parse("1 2\n\n# note\n3.5, -4e1\n"),
            Ok((vec![1.0, 3.5], vec![2.0, -40.0]))
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert_eq!(
            parse("1 2\n3\n").unwrap_err(),
            "line 2: 1 numbers, should be two, x and y"
        );
        assert_eq!(parse("1 two").unwrap_err(), "line 1: `two` is no number");
        assert_eq!(parse("# nothing\n").unwrap_err(), "no numbers in it");
    }
}
