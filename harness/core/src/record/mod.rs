//! The stored data of a case: the row, its columns, and the folder of the run.
pub(crate) mod column;
pub(crate) mod columns;
pub(crate) mod counters;
pub(crate) mod details;
pub(crate) mod folder;
pub(crate) mod hot;
pub(crate) mod kernel;
pub(crate) mod prediction;
pub(crate) mod program;
pub(crate) mod revision;
pub(crate) mod row;
pub(crate) mod session_file;
pub(crate) mod story;

/// Asserts that the schema of this type is the published one, `reports/schemas/NAME`.
/// `UPDATE_EXPECTED=1 cargo test -p harness --lib schema` regenerates it.
#[cfg(test)]
pub(crate) fn assert_published<T: schemars::JsonSchema>(name: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports/schemas/").to_owned() + name;
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(T)).unwrap() + "\n";
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        crate::write_whole(path.as_ref(), schema.as_bytes()).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(published, schema, "{path}: refresh with UPDATE_EXPECTED=1");
}
