//! Parses the kernels of a source text: their positions and parameters.

/// A kernel.
pub struct Kernel {
    /// Its index among the kernels of the text.
    pub number: usize,
    name: String,
    /// The text of its parameter list.
    list: String,
    params: Vec<Param>,
    /// The beginning of its first line.
    begin: usize,
    /// The end of the parameter list, and the beginning of the body.
    end_of_params: usize,
    body: usize,
}

struct Param {
    name: String,
    is_pointer: bool,
    is_const: bool,
    is_float: bool,
}

impl Kernel {
    /// The first pointer that the kernel only reads.
    pub fn input(&self) -> Option<&str> {
        self.pointer(|param| param.is_const).next()
    }

    /// The last pointer that the kernel writes.
    pub fn output(&self) -> Option<&str> {
        self.pointer(|param| !param.is_const).last()
    }

    /// Whether its output is of floats.
    pub fn has_float_output(&self) -> bool {
        self.params.iter().rfind(|param| param.is_pointer && !param.is_const).is_some_and(|param| param.is_float)
    }

    /// Whether it has the parameter `n`.
    pub fn has_n(&self) -> bool {
        self.params.iter().any(|param| param.name == "n" && !param.is_pointer)
    }

    /// The number of elements of its output, as an expression: one per block, or one per input.
    pub fn outputs(&self) -> &'static str {
        let of_blocks = ["partial", "sums", "sum", "total", "result", "counts", "evens"];
        match self.output() {
            Some(name) if !of_blocks.contains(&name) && self.has_n() => "(unsigned long long)n",
            _ => "(unsigned long long)gridDim.x",
        }
    }

    fn pointer(&self, has: impl Fn(&Param) -> bool) -> impl Iterator<Item = &str> {
        let is_asked = move |param: &&Param| param.is_pointer && has(param);
        self.params.iter().filter(is_asked).map(|param| param.name.as_str())
    }
}

/// Returns `source` with the result of `entry` at the beginning of each kernel.
pub fn with_entries(source: &str, entry: &dyn Fn(&Kernel) -> String) -> String {
    changed(source, |kernel| (kernel.body, format!(" {}", entry(kernel))))
}

/// Returns `source` with one more parameter for each kernel.
pub fn with_one_more_parameter(source: &str) -> String {
    changed(source, |kernel| {
        (kernel.end_of_params, if kernel.params.is_empty() { "int more" } else { ", int more" }.into())
    })
}

/// Returns `source` with the body of each kernel as a function of its own, which the kernel calls within
/// `CHEAT_RUN(...)`.
pub fn with_called_bodies(source: &str) -> String {
    let mut text = source.to_string();
    for kernel in kernels(source).iter().rev() {
        let Kernel { name, list, .. } = kernel;
        let values = kernel.params.iter().map(|param| param.name.as_str()).collect::<Vec<_>>().join(", ");
        let call = format!(" CHEAT_RUN({name}_body({values})) }}\n__device__ void {name}_body({list}) {{");
        text.insert_str(kernel.body, &call);
        text.insert_str(kernel.begin, &format!("__device__ void {name}_body({list});\n"));
    }
    text
}

fn changed(source: &str, insert: impl Fn(&Kernel) -> (usize, String)) -> String {
    let mut text = source.to_string();
    for kernel in kernels(source).iter().rev() {
        let (at, what) = insert(kernel);
        text.insert_str(at, &what);
    }
    text
}

fn kernels(source: &str) -> Vec<Kernel> {
    let mut all: Vec<Kernel> = Vec::new();
    for (at, _) in source.match_indices("__global__") {
        let line = source[..at].rfind('\n').map_or(0, |end| end + 1);
        if !source[line..at].contains("//") {
            all.push(kernel(source, at, all.len()));
        }
    }
    assert!(!all.is_empty(), "there is no kernel in {source}");
    all
}

/// The kernel whose `__global__` stands at `at`: its parameters are in the parentheses before its body, and other
/// parentheses may come before these, as in `__launch_bounds__(256)`.
fn kernel(source: &str, at: usize, number: usize) -> Kernel {
    let mut from = at;
    loop {
        let open = from + source[from..].find('(').expect("a kernel has parameters");
        let close = open + source[open..].find(')').expect("the parentheses are closed");
        let rest = source[close + 1..].trim_start();
        if rest.starts_with('{') {
            let list = &source[open + 1..close];
            let params = list.split(',').filter(|text| !text.trim().is_empty()).map(param).collect();
            let body = source.len() - rest.len() + 1;
            let begin = source[..at].rfind('\n').map_or(0, |end| end + 1);
            let name = last_word(&source[..open]);
            return Kernel { number, name, list: list.into(), params, begin, end_of_params: close, body };
        }
        from = close + 1;
    }
}

fn last_word(text: &str) -> String {
    let reversed: String = text.chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    reversed.chars().rev().collect()
}

fn param(text: &str) -> Param {
    Param {
        name: last_word(text),
        is_pointer: text.contains('*'),
        is_const: text.trim_start().starts_with("const"),
        is_float: text.trim_start().starts_with("float"),
    }
}
