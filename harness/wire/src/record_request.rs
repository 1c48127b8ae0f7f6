//! A client's request to record a launch.

use serde::{Deserialize, Serialize};

/// The environment variable that holds a [`RecordRequest`] as JSON.
pub const RECORD: &str = "WARPLAB_RECORD";

/// The bytes that the steps of a recording may take, unless the request says otherwise.
pub const RECORD_LIMIT: u64 = 64 << 20;

/// Which launch of a program is recorded, and into which file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRequest {
    /// The file. A process that finds it there records nothing, so that of several processes the first one is recorded.
    pub file: String,
    /// The kernel's name: mangled, as the source declares it, or without its parameters; `None` for any kernel.
    #[serde(default)]
    pub kernel: Option<String>,
    /// Which of the launches of such kernels, counted from 1.
    #[serde(default = "first")]
    pub launch: u64,
    /// The first and the last block; `None` for the whole grid if it is small, and else for the first block.
    #[serde(default)]
    pub blocks: Option<(u64, u64)>,
    /// The bytes that the steps may take before they are packed.
    #[serde(default = "limit")]
    pub limit: u64,
}

fn first() -> u64 {
    1
}

fn limit() -> u64 {
    RECORD_LIMIT
}

impl RecordRequest {
    /// Parses a request.
    ///
    /// # Errors
    /// When the text is not JSON, or has an unknown or missing field; the message names it.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// Returns the request as JSON.
    pub fn to_json(&self) -> String {
        crate::json(self)
    }

    /// Whether it asks for launches of a kernel, by its mangled name and as the source declares it.
    pub fn is_for(&self, mangled: &str, declared: &str) -> bool {
        let Some(name) = &self.kernel else { return true };
        let without_parameters = declared.split('(').next().unwrap_or(declared);
        let without_type = without_parameters.rsplit(' ').next().unwrap_or(without_parameters);
        let plain = without_type.split('<').next().unwrap_or(without_type);
        [mangled, declared, without_parameters, without_type, plain].contains(&name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_what_it_must() {
        let request = RecordRequest::read(r#"{"file": "a.wlr"}"#).unwrap();
        let expected =
            RecordRequest { file: "a.wlr".into(), kernel: None, launch: 1, blocks: None, limit: RECORD_LIMIT };
        assert_eq!(request, expected);
        assert_eq!(RecordRequest::read(&request.to_json()), Ok(request));
        assert!(RecordRequest::read(r#"{"kernel": "k"}"#).unwrap_err().contains("file"));
        assert!(RecordRequest::read(r#"{"file": "a", "block": 1}"#).unwrap_err().contains("block"));
    }

    #[test]
    fn a_kernel_has_several_names() {
        let is_for = |name: &str| {
            let request =
                RecordRequest { kernel: Some(name.into()), ..RecordRequest::read(r#"{"file": ""}"#).unwrap() };
            request.is_for("_Z3sumIfEvPT_i", "void sum<float>(float*, int)")
        };
        for name in ["_Z3sumIfEvPT_i", "void sum<float>(float*, int)", "sum<float>", "sum"] {
            assert!(is_for(name), "{name}");
        }
        assert!(!is_for("su"));
    }
}
