//! Records of an H200 compared with the embedded machine: the error codes of wrong calls, and the bits of texture
//! fetches. Known differences are listed, and one that has disappeared must be removed from its list.
use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use crate::common::warplab_in;

/// A folder of the runtime's tests.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("libcudart/tests").join(name)
}

/// The text of a record that is compressed.
fn unpacked(file: &Path) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(fs::File::open(file).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// The answer to each call: the last column, by the first three.
fn answers(text: &str) -> BTreeMap<&str, &str> {
    text.lines().skip(1).filter_map(|row| row.rsplit_once(',')).collect()
}

#[test]
fn wrong_calls_answer_as_nvidia_s_runtime_but_for_known_differences() {
    let read = |name: &str| fs::read_to_string(folder("errors").join(name)).unwrap();
    let (ours, nvidia, known) =
        (read("errors.csv"), unpacked(&folder("errors").join("nvidia.csv.gz")), read("known.csv"));
    let (ours, nvidia) = (answers(&ours), answers(&nvidia));
    let different: Vec<String> = ours
        .iter()
        .map(|(call, answer)| (call, answer, nvidia.get(call).copied().unwrap_or("none")))
        .filter(|(_, answer, theirs)| *answer != theirs)
        .map(|(call, answer, theirs)| format!("{call},{answer},{theirs}"))
        .collect();
    let listed: Vec<&str> = known.lines().skip(1).filter_map(|row| row.rsplit_once(',')).map(|(row, _)| row).collect();
    let new: Vec<_> = different.iter().filter(|row| !listed.contains(&row.as_str())).collect();
    assert!(new.is_empty(), "not in known.csv: {new:#?}");
    let gone: Vec<_> = listed.iter().filter(|row| !different.iter().any(|other| other == *row)).collect();
    assert!(gone.is_empty(), "no difference any more; take them out of known.csv: {gone:#?}");
    assert!(nvidia.len() > 1000, "{} answers of NVIDIA's", nvidia.len());
}

/// The fetches of each case of a record.
fn cases(text: &str) -> Vec<(&str, Vec<&str>)> {
    text.lines().filter_map(|line| line.split_once(':')).map(|(name, all)| (name, all.split(' ').collect())).collect()
}

/// `known.csv` holds the number of fetches of each case that differ from the H200's; `WARPLAB_RECORD=1` rewrites it.
/// Cases that are not yet in the H200's record are ignored.
#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_textures_give_an_h200_s_bits_but_for_known_differences() {
    let textures = folder("textures");
    let gpu = unpacked(&textures.join("h200.txt.gz"));
    let place = tempfile::tempdir().unwrap();
    let source = textures.join("record.cu");
    let compiled = warplab_in(place.path(), &["nvcc", source.to_str().unwrap(), "-o", "record"], &[]);
    assert_eq!(compiled.code, 0, "{compiled:?}");
    // The last case is a mistake on purpose, so the exit status is ignored.
    let run = warplab_in(place.path(), &["exec", "--device", "emulated:h200", "./record"], &[("WARPLAB_QUIET", "1")]);
    let ours: BTreeMap<_, _> = cases(&run.stdout).into_iter().collect();
    let mut table = String::from("case,fetches,fetches that differ\n");
    for (name, wanted) in cases(&gpu) {
        let found = ours.get(name).unwrap_or_else(|| panic!("no case {name}: {run:?}"));
        assert_eq!(wanted.len(), found.len(), "fetches of {name}");
        let differ = wanted.iter().zip(found).filter(|(wanted, found)| wanted != found).count();
        if differ > 0 {
            table += &format!("{name},{},{differ}\n", wanted.len() - 1);
        }
    }
    let list = textures.join("known.csv");
    if std::env::var_os("WARPLAB_RECORD").is_some() {
        fs::write(&list, &table).unwrap();
    }
    let known = fs::read_to_string(&list).unwrap();
    assert_eq!(table, known, "if fewer fetches differ now, WARPLAB_RECORD=1 writes known.csv anew");
}
