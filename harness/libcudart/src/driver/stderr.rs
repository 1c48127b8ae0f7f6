//! Messages on standard error, each of which is written once.
use std::{
    collections::HashSet,
    sync::{Mutex, OnceLock, PoisonError},
};

/// Returns whether calls and their results are written: `WARPLAB_TRACE` is set.
pub fn is_traced() -> bool {
    static TRACED: OnceLock<bool> = OnceLock::new();
    *TRACED.get_or_init(|| std::env::var_os("WARPLAB_TRACE").is_some_and(|value| !value.is_empty()))
}

/// Writes a message, unless it has been written before.
pub fn once(words: &str) {
    static SAID: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.get_or_insert_default().insert(words.to_owned()) {
        eprintln!("libcudart: {words}");
    }
}
