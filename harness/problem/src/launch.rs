//! Launches as text: `for i in 0..log2(n): step<<<(ceil_div(n, 256), 1), 256, 0>>>(data, n, i)`.
use std::collections::HashSet;

use cudarc::driver::LaunchConfig;

use crate::{
    expression::{Expression, Values},
    token::{Reader, Token},
};

/// What precedes a launch in a kernel file.
const MARK: &str = "// launch:";

/// The most launches of a case, and the most passes of its loops: a submission may have endless ones.
const MOST: usize = 100_000;

/// The launches of a case so far, and the passes of loops.
#[derive(Debug, Default)]
struct PlanInProgress {
    launches: Vec<PlannedLaunch>,
    passes: usize,
}

/// An argument of a launch.
#[derive(Debug, Clone, PartialEq)]
enum Argument {
    /// A buffer's name, or an integer.
    Expression(Expression),
    Float(f32),
    Double(f64),
}

/// A kernel launch, perhaps in loops.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    text: String,
    loops: Vec<(String, Expression, Expression)>,
    kernel: String,
    grid: [Expression; 3],
    block: [Expression; 3],
    shared: Expression,
    arguments: Vec<Argument>,
}

/// A value that a launch passes to a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Passed {
    /// The address of the buffer with this index.
    Buffer(usize),
    /// An integer, which takes the size of its parameter.
    Integer(i64),
    /// A float.
    Float(f32),
    /// A double.
    Double(f64),
}

/// A launch of a case, with numbers in place of expressions.
#[derive(Debug, Clone)]
pub struct PlannedLaunch {
    /// The kernel's name.
    pub kernel: String,
    /// The grid, the block and the dynamic shared memory.
    pub config: LaunchConfig,
    /// The arguments.
    pub arguments: Vec<Passed>,
}

impl Launch {
    /// Parses a launch.
    ///
    /// # Errors
    /// What is wrong, with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        Self::read(text).map_err(|why| format!("launch `{text}`: {why}"))
    }

    /// Returns the launches in the lines `// launch: ...` of a kernel file; empty if it has none.
    ///
    /// # Errors
    /// What is wrong, with the number of the line.
    pub fn in_source(source: &str) -> Result<Vec<Self>, String> {
        let lines = source.lines().enumerate();
        let marked = lines.filter_map(|(at, line)| Some((at + 1, line.trim().strip_prefix(MARK)?)));
        marked.map(|(line, text)| Self::parse(text).map_err(|why| format!("line {line}: {why}"))).collect()
    }

    fn read(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text)?;
        let mut loops = Vec::new();
        while matches!(reader.peek(), Some(Token::Name(name)) if name == "for") {
            reader.next();
            let variable = reader.name()?;
            if reader.name()? != "in" {
                return Err(format!("`in` is expected after `for {variable}`"));
            }
            let first = Expression::read(&mut reader)?;
            reader.expect("..")?;
            let end = Expression::read(&mut reader)?;
            reader.expect(":")?;
            loops.push((variable, first, end));
        }
        let kernel = reader.name()?;
        reader.expect("<<<")?;
        let grid = dimensions(&mut reader)?;
        reader.expect(",")?;
        let block = dimensions(&mut reader)?;
        let shared = if reader.take(",") { Expression::read(&mut reader)? } else { Expression::integer(0) };
        reader.expect(">>>")?;
        reader.expect("(")?;
        let mut arguments = Vec::new();
        if !reader.take(")") {
            loop {
                arguments.push(argument(&mut reader)?);
                if !reader.take(",") {
                    break;
                }
            }
            reader.expect(")")?;
        }
        reader.take(";");
        reader.end()?;
        Ok(Self { text: text.into(), loops, kernel, grid, block, shared, arguments })
    }

    /// Adds the launches of a case with these sizes and buffers to `planned`.
    fn plan(&self, sizes: &Values, buffers: &[&str], planned: &mut PlanInProgress) -> Result<(), String> {
        self.repeat(&self.loops, &mut sizes.clone(), buffers, planned)
            .map_err(|why| format!("launch `{}`: {why}", self.text))
    }

    fn repeat(
        &self,
        loops: &[(String, Expression, Expression)],
        values: &mut Values,
        buffers: &[&str],
        planned: &mut PlanInProgress,
    ) -> Result<(), String> {
        let Some(((variable, first, end), inner)) = loops.split_first() else {
            if planned.launches.len() == MOST {
                return Err(format!("a case has more than {MOST} launches"));
            }
            planned.launches.push(self.planned(values, buffers)?);
            return Ok(());
        };
        if values.contains_key(variable) || buffers.contains(&variable.as_str()) {
            return Err(format!("the variable `{variable}` has the name of a size, a buffer or another variable"));
        }
        for value in first.value(values)?..end.value(values)? {
            planned.passes += 1;
            if planned.passes > MOST {
                return Err(format!("its loops have more than {MOST} passes"));
            }
            values.insert(variable.clone(), value);
            let repeated = self.repeat(inner, values, buffers, planned);
            values.remove(variable);
            repeated?;
        }
        Ok(())
    }

    fn planned(&self, values: &Values, buffers: &[&str]) -> Result<PlannedLaunch, String> {
        let number = |what: &str, expression: &Expression, least: i64| {
            let value = expression.value(values)?;
            if value < least || value > i64::from(u32::MAX) {
                return Err(format!("{what} is {value}"));
            }
            Ok(value as u32)
        };
        let three = |what: &str, of: &[Expression; 3]| {
            Ok::<_, String>((number(what, &of[0], 1)?, number(what, &of[1], 1)?, number(what, &of[2], 1)?))
        };
        let config = LaunchConfig {
            grid_dim: three("the grid", &self.grid)?,
            block_dim: three("the block", &self.block)?,
            shared_mem_bytes: number("the shared memory", &self.shared, 0)?,
        };
        let passed = |argument: &Argument| match argument {
            Argument::Float(number) => Ok(Passed::Float(*number)),
            Argument::Double(number) => Ok(Passed::Double(*number)),
            Argument::Expression(expression) => {
                let buffer = expression.as_name().and_then(|name| buffers.iter().position(|buffer| *buffer == name));
                if let Some(buffer) = buffer {
                    return Ok(Passed::Buffer(buffer));
                }
                expression.value(values).map(Passed::Integer).map_err(|why| match expression.as_name() {
                    Some(name) => {
                        let known: Vec<&str> =
                            buffers.iter().copied().chain(values.keys().map(String::as_str)).collect();
                        let meant = harness::suggest::among(name, &known);
                        format!("the argument `{name}` is neither a buffer nor a size; {meant}")
                    }
                    None => why,
                })
            }
        };
        let arguments = self.arguments.iter().map(passed).collect::<Result<_, String>>()?;
        Ok(PlannedLaunch { kernel: self.kernel.clone(), config, arguments })
    }
}

/// Plans the launches of a case, one after another.
///
/// # Errors
/// What is wrong, with the launch's text.
pub fn plan(launches: &[Launch], sizes: &Values, buffers: &[&str]) -> Result<Vec<PlannedLaunch>, String> {
    let mut planned = PlanInProgress::default();
    launches.iter().try_for_each(|launch| launch.plan(sizes, buffers, &mut planned))?;
    let planned = planned.launches;
    if planned.is_empty() {
        Err(format!("nothing is launched at {}", crate::expression::Label(sizes)))
    } else {
        Ok(planned)
    }
}

/// Checks that the kernels of `ptx` exist, and take the arguments that the launches pass.
///
/// # Errors
/// What is wrong.
pub fn check_parameters(launches: &[PlannedLaunch], ptx: &str) -> Result<(), String> {
    let kernels = remote::parameters::parse(ptx);
    let mut checked = HashSet::new();
    for PlannedLaunch { kernel, arguments, .. } in launches {
        let kinds: Vec<_> = arguments.iter().map(std::mem::discriminant).collect();
        // A loop repeats its launch with other numbers.
        if !checked.insert((kernel, kinds)) {
            continue;
        }
        let Some(parameters) = kernels.get(kernel) else {
            let mut names: Vec<&str> = kernels.keys().map(String::as_str).collect();
            names.sort_unstable();
            let there =
                if names.is_empty() { "it has no kernel".into() } else { format!("it has {}", names.join(", ")) };
            return Err(format!("it has no kernel `{kernel}`; declare it extern \"C\" __global__ ({there})"));
        };
        if parameters.len() != arguments.len() {
            let (takes, passes) = (parameters.len(), arguments.len());
            return Err(format!(
                "kernel `{kernel}` takes {takes} parameters, but its launch passes {passes} arguments"
            ));
        }
        for (at, ((_, bytes), argument)) in parameters.iter().zip(arguments).enumerate() {
            let (what, fits) = match argument {
                Passed::Buffer(_) => ("a buffer, which is a pointer of 8 bytes", *bytes == 8),
                Passed::Integer(_) => ("an integer, which takes 1 to 8 bytes", *bytes <= 8),
                Passed::Float(_) => ("a float of 4 bytes", *bytes == 4),
                Passed::Double(_) => ("a double of 8 bytes (0.5f is a float)", *bytes == 8),
            };
            if !fits {
                return Err(format!(
                    "parameter {} of kernel `{kernel}` has {bytes} bytes, but its launch passes {what}",
                    at + 1
                ));
            }
        }
    }
    Ok(())
}

/// Reads one dimension, or up to three in parentheses.
fn dimensions(reader: &mut Reader) -> Result<[Expression; 3], String> {
    let mut tuple = reader.clone();
    if tuple.take("(")
        && let Ok(first) = Expression::read(&mut tuple)
        && tuple.take(",")
    {
        let mut all = vec![first, Expression::read(&mut tuple)?];
        if tuple.take(",") {
            all.push(Expression::read(&mut tuple)?);
        }
        tuple.expect(")")?;
        *reader = tuple;
        all.resize(3, Expression::integer(1));
        return Ok(all.try_into().expect("three"));
    }
    Ok([Expression::read(reader)?, Expression::integer(1), Expression::integer(1)])
}

fn argument(reader: &mut Reader) -> Result<Argument, String> {
    let mut ahead = reader.clone();
    let sign = if ahead.take("-") { -1.0 } else { 1.0 };
    let number = match ahead.next() {
        Some(Token::Float(number)) => Argument::Float(sign as f32 * number),
        Some(Token::Double(number)) => Argument::Double(sign * number),
        _ => return Expression::read(reader).map(Argument::Expression),
    };
    *reader = ahead;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFERS: [&str; 2] = ["x", "y"];

    fn of(text: &str) -> Result<Vec<PlannedLaunch>, String> {
        plan(&[Launch::parse(text)?], &[("n".into(), 300)].into(), &BUFFERS)
    }

    #[test]
    fn a_launch_has_numbers_in_place_of_expressions() {
        let launches = of("scale<<<(ceil_div(n, 256), 2), (n + 4) / 8, 4 * n>>>(x, y, n - 1, 0.5f, -1.5);").unwrap();
        let [PlannedLaunch { kernel, config, arguments }] = &launches[..] else { panic!("{launches:?}") };
        assert_eq!((kernel.as_str(), config.grid_dim, config.block_dim), ("scale", (2, 2, 1), (38, 1, 1)));
        assert_eq!(config.shared_mem_bytes, 1200);
        let [x, y] = [Passed::Buffer(0), Passed::Buffer(1)];
        assert_eq!(arguments, &[x, y, Passed::Integer(299), Passed::Float(0.5), Passed::Double(-1.5)]);
        // Parentheses around one dimension.
        assert_eq!(of("k<<<(n + 1) * 2, 1>>>()").unwrap()[0].config.grid_dim, (602, 1, 1));
    }

    #[test]
    fn loops_repeat_a_launch() {
        let launches = of("for k in 1..4: for j in 0..k: step<<<1, 32>>>(x, k, j)").unwrap();
        let arguments: Vec<_> = launches.iter().map(|launch| (launch.arguments[1], launch.arguments[2])).collect();
        let expected = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)];
        assert_eq!(arguments, expected.map(|(k, j)| (Passed::Integer(k), Passed::Integer(j))));
    }

    #[test]
    fn what_is_wrong_with_a_launch_is_named() {
        for (text, words) in [
            ("k<<<1>>>(x)", "`,` is expected before `>>>`"),
            ("k<<<1, 32>>>(x", "`)` is expected before the end"),
            ("k<<<n - 300, 32>>>(x)", "the grid is 0"),
            ("k<<<1, 32>>>(z)", "the argument `z` is neither a buffer nor a size"),
            ("k<<<1, 32>>>(x + 1)", "`x` is not a size"),
            ("for n in 0..2: k<<<1, 32>>>(x)", "the variable `n` has the name of a size"),
            ("for i in 0..n * n * n: k<<<1, 32>>>(x)", "more than 100000 passes"),
            ("for i in 0..n * n * n: for j in 0..0: k<<<1, 32>>>(x)", "more than 100000 passes"),
            ("for i in 0..0: k<<<1, 32>>>(x)", "nothing is launched at n=300"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
        let error = Launch::in_source("int a;\n// launch: k<<<1>>>()\n").unwrap_err();
        assert!(error.starts_with("line 2: launch `k<<<1>>>()`"), "{error}");
        assert_eq!(Launch::in_source("// launched by k\n").unwrap(), []);
    }

    #[test]
    fn arguments_are_compared_with_the_parameters_of_the_ptx() {
        const PTX: &str = ".visible .entry k(\n.param .u64 k_0,\n.param .u32 k_1,\n.param .f32 k_2\n)\n{ ret; }";
        let check = |text| check_parameters(&of(text).unwrap(), PTX);
        assert_eq!(check("k<<<1, 32>>>(x, n, 0.5f)"), Ok(()));
        for (text, words) in [
            ("other<<<1, 32>>>(x)", "no kernel `other`"),
            ("k<<<1, 32>>>(x, n)", "takes 3 parameters, but its launch passes 2 arguments"),
            ("k<<<1, 32>>>(x, y, 0.5f)", "parameter 2 of kernel `k` has 4 bytes, but its launch passes a buffer"),
            ("k<<<1, 32>>>(x, n, 0.5)", "parameter 3 of kernel `k` has 4 bytes, but its launch passes a double"),
        ] {
            let error = check(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
