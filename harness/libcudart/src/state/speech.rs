//! What is said on standard error: each sentence once.
use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

/// Says it, unless it has been said.
pub fn once(words: &str) {
    static SAID: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.get_or_insert_default().insert(words.to_owned()) {
        eprintln!("libcudart: {words}");
    }
}
