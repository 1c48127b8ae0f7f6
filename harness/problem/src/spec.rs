//! A problem's file: its sizes, buffers, launches, reference, tolerance and limits.
use std::collections::BTreeMap;

use harness::{Inputs, Tolerance, suggest};
use serde::Deserialize;

use crate::{
    distribution::Distribution,
    element::ElementType,
    expression::{Expression, Label, Values},
    launch::{self, Launch, PlannedLaunch},
};

/// The memory that a judged process may hold, in bytes.
pub(crate) const MEMORY: u64 = 3 << 30;

/// A judged process has about this many copies of a buffer: on the emulated device, and of inputs and answers.
const COPIES: u64 = 4;

/// A problem, as its file has it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Its name: lower-case letters, digits and `-`.
    pub name: String,
    /// The known cases: the same sizes in each.
    pub sizes: Vec<Values>,
    /// The ranges from which the sizes of hidden cases are drawn, both ends included; none if it is empty.
    #[serde(default)]
    pub hidden: BTreeMap<String, [i64; 2]>,
    /// The buffers.
    #[serde(rename = "buffer")]
    pub buffers: Vec<Buffer>,
    /// The launches, for files that declare none of their own.
    #[serde(default)]
    launch: Vec<String>,
    /// What gives the expected outputs.
    pub reference: Reference,
    /// The tolerance of outputs that have none of their own.
    #[serde(default)]
    tolerance: AllowedError,
    /// The limits of a submission.
    #[serde(default)]
    pub limits: SpeedLimits,
}

/// A buffer in device memory.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// Its name in launches.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// The type of its elements.
    #[serde(rename = "type")]
    pub element: ElementType,
    /// The number of its elements.
    length: Expression,
    /// How an input is drawn.
    #[serde(default)]
    values: Option<Distribution>,
    /// The tolerance of an output.
    #[serde(default)]
    tolerance: Option<AllowedError>,
}

/// What a buffer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Kernels read it, and must not write there.
    Input,
    /// Kernels write it, and it is compared.
    Output,
    /// Kernels may use it as they like.
    Scratch,
}

impl Role {
    /// The role in a file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Scratch => "scratch",
        }
    }
}

/// What gives the expected outputs: the program, if there is one, else the kernels.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// A kernel file, with which submissions are compared in work and time.
    #[serde(default)]
    pub cu: Option<String>,
    /// A program and its arguments, run in the problem's folder.
    #[serde(default)]
    pub program: Vec<String>,
}

/// An allowed error: `absolute + relative * |expected|`.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AllowedError {
    absolute: f64,
    relative: f64,
}

/// The limits of a submission.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpeedLimits {
    /// Seconds of each run, and of the reference program.
    pub seconds: u64,
    /// The most that a submission's time may be, in times of the reference's kernels.
    pub slower_than_reference: Option<f64>,
}

impl Default for SpeedLimits {
    fn default() -> Self {
        Self { seconds: 300, slower_than_reference: None }
    }
}

impl Buffer {
    /// The tolerance of an output of `spec`.
    pub fn tolerance(&self, spec: &Spec) -> Tolerance {
        let AllowedError { absolute, relative } = self.tolerance.unwrap_or(spec.tolerance);
        Tolerance { absolute, relative }
    }

    /// Returns the number of its elements.
    ///
    /// # Errors
    /// The problem's key, and what is wrong there.
    pub fn length(&self, sizes: &Values) -> Result<usize, String> {
        let at = |why: String| format!("buffer `{}`: length: {why}", self.name);
        match self.length.value(sizes).map_err(at)? {
            length if length < 1 => Err(at(format!("it is {length} at {}", Label(sizes)))),
            length => Ok(length as usize),
        }
    }

    /// Draws the contents of an input.
    pub fn draw(&self, length: usize, seed: u64) -> Vec<u8> {
        let values = self.values.unwrap_or(Distribution::Constant(0.0));
        values.draw(self.element, length, Inputs::new(seed, &format!("buffer {}", self.name)))
    }
}

impl Spec {
    /// Reads a file's text.
    ///
    /// # Errors
    /// What is wrong, with the line or the key.
    pub fn parse(text: &str) -> Result<Self, String> {
        let spec: Self = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_string())?;
        spec.check_names()?;
        spec.check_buffers()?;
        spec.check_reference()?;
        for sizes in spec.sampled_sizes() {
            spec.check_memory(&sizes)?;
        }
        spec.launches()?;
        Ok(spec)
    }

    /// Returns the launches for files that declare none of their own.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn launches(&self) -> Result<Vec<Launch>, String> {
        self.launch.iter().map(|text| Launch::parse(text)).collect()
    }

    /// Plans the launches of a case.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn plan(&self, launches: &[Launch], sizes: &Values) -> Result<Vec<PlannedLaunch>, String> {
        let names: Vec<&str> = self.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
        launch::plan(launches, sizes, &names)
    }

    /// Returns the outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &Buffer> {
        self.buffers.iter().filter(|buffer| buffer.role == Role::Output)
    }

    /// Returns the known sizes, and the least and the greatest hidden ones.
    pub fn sampled_sizes(&self) -> Vec<Values> {
        let end = |at: usize| self.hidden.iter().map(|(name, range)| (name.clone(), range[at])).collect();
        let ends = (0..2).map(end).filter(|_| !self.hidden.is_empty());
        self.sizes.iter().cloned().chain(ends).collect()
    }

    fn check_names(&self) -> Result<(), String> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(is_plain) {
            return Err(format!("name = \"{}\": use lower-case letters, digits and `-`", self.name));
        }
        let Some(first) = self.sizes.first() else {
            return Err("sizes: there is no case; add one, such as sizes = [{ n = 1000 }]".into());
        };
        let is_word = |name: &str| {
            let is_start = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            is_start && name != "for" && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let names = || first.keys().chain(self.buffers.iter().map(|buffer| &buffer.name));
        if let Some(name) = names().find(|name| !is_word(name)) {
            return Err(format!("`{name}` names a size or a buffer: use letters, digits and `_`, and a letter first"));
        }
        if let Some(name) = names().find(|name| names().filter(|other| other == name).count() > 1) {
            return Err(format!("two sizes or buffers have the name `{name}`"));
        }
        let list = |names: Vec<&String>| names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        for (at, case) in self.sizes.iter().enumerate() {
            if !case.keys().eq(first.keys()) {
                let (here, there) = (list(case.keys().collect()), list(first.keys().collect()));
                return Err(format!("sizes: case {} has {here}, but the first one has {there}", at + 1));
            }
        }
        if !self.hidden.is_empty() && !self.hidden.keys().eq(first.keys()) {
            let (here, there) = (list(self.hidden.keys().collect()), list(first.keys().collect()));
            return Err(format!("hidden has ranges of {here}, but the cases of `sizes` have {there}"));
        }
        // They are drawn as integers of 32 bits.
        let is_range =
            |[least, most]: [i64; 2]| least <= most && i32::try_from(least).is_ok() && most < i32::MAX.into();
        match self.hidden.iter().find(|(_, range)| !is_range(**range)) {
            Some((name, range)) => {
                Err(format!("hidden: {name} = {range:?} is not a range [LEAST, GREATEST] of 32 bits"))
            }
            None => Ok(()),
        }
    }

    fn check_buffers(&self) -> Result<(), String> {
        if self.outputs().next().is_none() {
            return Err("no buffer has role = \"output\": there is nothing to compare".into());
        }
        for buffer in &self.buffers {
            let Buffer { name, role, element, values, tolerance, .. } = buffer;
            let at = |what: &str| Err(format!("buffer `{name}`: {what}"));
            match (role, values) {
                (Role::Input, None) => {
                    return at(
                        "an input needs values, such as values = { uniform = [-1.0, 1.0] } or { integers = [0, 9] }",
                    );
                }
                (Role::Input, Some(values)) => {
                    if let Some(mistake) = values.mistake(*element) {
                        return at(&format!("values: {mistake}"));
                    }
                }
                (_, Some(_)) => return at("only an input has values"),
                (_, None) => {}
            }
            if *role != Role::Output && tolerance.is_some() {
                return at("only an output has a tolerance");
            }
            let Tolerance { absolute, relative } = buffer.tolerance(self);
            if !(absolute >= 0.0 && absolute.is_finite() && relative >= 0.0 && relative.is_finite()) {
                return at("its tolerance must be finite and at least 0");
            }
        }
        Ok(())
    }

    fn check_reference(&self) -> Result<(), String> {
        let Self { reference, limits, .. } = self;
        if reference.cu.is_none() && reference.program.is_empty() {
            return Err("reference: add cu = \"FILE\" or program = [\"PROGRAM\", \"ARGUMENT\"]".into());
        }
        match limits.slower_than_reference {
            Some(times) if !(times > 0.0 && times.is_finite()) => {
                return Err(format!("limits: slower_than_reference = {times} must be a positive number"));
            }
            Some(_) if reference.cu.is_none() => {
                return Err("limits: slower_than_reference needs the kernels of reference.cu".into());
            }
            _ => {}
        }
        if limits.seconds == 0 { Err("limits: seconds must be at least 1".into()) } else { Ok(()) }
    }

    fn check_memory(&self, sizes: &Values) -> Result<(), String> {
        let mut bytes = 0_u64;
        for buffer in &self.buffers {
            let length = buffer.length(sizes)? as u64;
            bytes = bytes.saturating_add(length.saturating_mul(buffer.element.bytes() as u64));
        }
        let most = MEMORY / COPIES;
        if bytes > most {
            let (mib, most) = (bytes >> 20, most >> 20);
            return Err(format!(
                "the buffers need {mib} MiB at {}, and a judged process has room for {most} MiB; choose smaller sizes",
                Label(sizes)
            ));
        }
        Ok(())
    }
}

/// Returns the sizes in words such as `rows=64`, one for each size.
///
/// # Errors
/// A word that sets no size, a size that is unknown, or one that is missing.
pub(crate) fn sizes_of<'w>(words: impl Iterator<Item = &'w str>, spec: &Spec) -> Result<Values, String> {
    let mut sizes = Values::new();
    let known: Vec<&str> = spec.sizes[0].keys().map(String::as_str).collect();
    for word in words {
        let parsed = word.split_once('=').and_then(|(name, value)| Some((name, value.parse().ok()?)));
        let (name, value) = parsed.ok_or_else(|| format!("--size {word}: write NAME=VALUE"))?;
        if !known.contains(&name) {
            return Err(format!("--size {word}: `{name}` is not a size; {}", suggest::among(name, &known)));
        }
        sizes.insert(name.to_string(), value);
    }
    if sizes.len() == known.len() { Ok(sizes) } else { Err(format!("--size: set each of {}", known.join(", "))) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const ADD: &str = r#"
name = "add"
sizes = [{ n = 1 }, { n = 1000 }]
hidden = { n = [2, 500] }
launch = ["add<<<ceil_div(n, 256), 256>>>(x, sum, n)"]

[[buffer]]
name = "x"
role = "input"
type = "f32"
length = "n"
values = { uniform = [-1.0, 1.0] }

[[buffer]]
name = "sum"
role = "output"
type = "f32"
length = "n"

[reference]
cu = "reference.cu"

[tolerance]
relative = 1e-6
"#;

    #[test]
    fn a_file_has_cases_and_hidden_ranges() {
        let spec = Spec::parse(ADD).unwrap();
        let sizes: Vec<i64> = spec.sampled_sizes().iter().map(|sizes| sizes["n"]).collect();
        assert_eq!(sizes, [1, 1000, 2, 500]);
        let launches = spec.plan(&spec.launches().unwrap(), &spec.sizes[1]).unwrap();
        assert_eq!(launches[0].config.grid_dim, (4, 1, 1));
        assert_eq!(spec.buffers[1].tolerance(&spec).relative, 1e-6);
        assert_eq!(sizes_of(["n=7"].into_iter(), &spec).unwrap()["n"], 7);
        for (words, why) in
            [(vec!["m=7"], "`m` is not a size; there are: n"), (vec!["n"], "NAME=VALUE"), (vec![], "set each of n")]
        {
            let error = sizes_of(words.into_iter(), &spec).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_key_or_line() {
        for (old, new, words) in [
            ("name = \"add\"", "name = \"a b\"", vec!["name = \"a b\"", "lower-case"]),
            ("hidden = ", "hiden = ", vec!["line 4", "unknown field `hiden`"]),
            ("type = \"f32\"", "type = \"float\"", vec!["line 10", "unknown variant `float`", "`f32`"]),
            ("role = \"input\"", "role = \"in\"", vec!["line 9", "unknown variant `in`"]),
            ("length = \"n\"", "length = \"m\"", vec!["buffer `x`: length", "`m` is not a size"]),
            ("length = \"n\"", "length = \"n +\"", vec!["line 11", "expression `n +`", "before the end"]),
            ("length = \"n\"", "length = \"n - 1\"", vec!["buffer `x`: length: it is 0 at n=1"]),
            ("length = \"n\"", "length = \"n * 1000000000\"", vec!["need", "MiB at n=1", "smaller sizes"]),
            ("values = { uniform = [-1.0, 1.0] }", "", vec!["buffer `x`: an input needs values"]),
            ("uniform = [-1.0, 1.0]", "uniform = [1.0, -1.0]", vec!["buffer `x`: values", "is empty"]),
            ("uniform = [-1.0, 1.0]", "gauss = [1.0, -1.0]", vec!["line 12", "unknown variant `gauss`"]),
            ("name = \"sum\"", "name = \"x\"", vec!["two sizes or buffers have the name `x`"]),
            ("role = \"output\"", "role = \"scratch\"", vec!["nothing to compare"]),
            ("cu = \"reference.cu\"", "", vec!["reference: add cu"]),
            ("{ n = 1000 }", "{ m = 1000 }", vec!["sizes: case 2 has m, but the first one has n"]),
            ("[2, 500]", "[2, 1]", vec!["hidden: n = [2, 1] is not a range"]),
            ("{ n = [2", "{ k = [2", vec!["hidden has ranges of k", "have n"]),
            ("[{ n = 1 }, { n = 1000 }]", "[]", vec!["sizes: there is no case"]),
            ("relative = 1e-6", "relative = -1.0", vec!["its tolerance must be finite and at least 0"]),
            ("relative = 1e-6", "exact = true", vec!["unknown field `exact`"]),
            ("(x, sum, n)", "(x, sum, n", vec!["launch `add", "`)` is expected"]),
            ("[tolerance]", "[limits]\nslower_than_reference = 0.0\n[tolerance]", vec!["must be a positive number"]),
        ] {
            let text = ADD.replacen(old, new, 1);
            assert_ne!(text, ADD, "{old}");
            let error = Spec::parse(&text).unwrap_err();
            for word in words {
                assert!(error.contains(word), "{new}: `{word}` is not in {error}");
            }
        }
    }
}
