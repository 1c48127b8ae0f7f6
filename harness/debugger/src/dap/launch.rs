//! The arguments of a launch request, as a `launch.json` has them.

use serde_json::Value;

/// What is to be debugged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchTarget {
    /// A recording, a lab, or a program.
    pub program: Option<String>,
    /// The arguments of a lab or program.
    pub args: Vec<String>,
    /// The folder in which to run.
    pub cwd: Option<String>,
    /// Options of `warplab record`, without the dashes, with their values.
    pub options: Vec<(&'static str, String)>,
    /// Whether the launch stops before its first step.
    pub stops_on_entry: bool,
}

/// The options of `warplab record` that a launch request may have.
const OPTIONS: [&str; 5] = ["kernel", "launch", "blocks", "check", "limit"];

impl LaunchTarget {
    /// Reads the arguments of a launch request.
    ///
    /// # Errors
    /// When one of them has another type.
    pub fn from_arguments(arguments: &Value) -> Result<Self, String> {
        let text = |name: &'static str| match &arguments[name] {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            Value::Number(number) => Ok(Some(number.to_string())),
            _ => Err(format!("`{name}` must be a text")),
        };
        let args = match &arguments["args"] {
            Value::Null => Vec::new(),
            Value::Array(list) => {
                let words = list.iter().map(|word| word.as_str().map(str::to_owned)).collect::<Option<_>>();
                words.ok_or("`args` must be a list of texts")?
            }
            _ => return Err("`args` must be a list of texts".into()),
        };
        let mut options = Vec::new();
        for name in OPTIONS {
            options.extend(text(name)?.map(|value| (name, value)));
        }
        let stops_on_entry = arguments["stopOnEntry"].as_bool().unwrap_or(false);
        Ok(Self { program: text("program")?, args, cwd: text("cwd")?, options, stops_on_entry })
    }
}
