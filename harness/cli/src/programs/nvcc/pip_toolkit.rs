//! NVIDIA's nvcc as pip installs it, among the packages of a Python environment.
//!
//! It lacks the names that nvcc passes to the linker (`lib64`, `libcudart.so`), which `warplab setup --nvcc` adds to
//! its own copy. So the cache has a folder of links for each such installation: the same files and those names. nvcc
//! takes the folder for its toolkit.
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use harness::Error;
use kernels::environments;
use sha2::{Digest, Sha256};

/// The toolkit in a folder of packages.
const TOOLKIT: &str = "nvidia/cu13";

/// Returns the folder of links to the first nvcc that is installed in the environment of this program, or in an active
/// one; `None` without one.
///
/// # Errors
/// [`Error::Io`] when the links cannot be written.
pub fn find() -> Result<Option<PathBuf>, Error> {
    let roots = environments::own().into_iter().chain(environments::active());
    let packages = roots.flat_map(|root| environments::packages(&root));
    let installed = packages.map(|folder| folder.join(TOOLKIT)).find(|toolkit| toolkit.join("bin/nvcc").is_file());
    let (Some(installed), Some(cache)) = (installed, kernels::cache_folder()) else { return Ok(None) };
    linked(&installed, &cache.join("toolkits")).map(Some)
}

/// Makes the links to `toolkit` in a subfolder of `folder`, unless they are there, and returns the subfolder.
fn linked(toolkit: &Path, folder: &Path) -> Result<PathBuf, Error> {
    let io = |source| Error::Io { action: "link to", path: toolkit.into(), source };
    let links = links(toolkit).map_err(io)?;
    // Another version of the packages has other files, and gets its own folder.
    let mut hash = Sha256::new();
    for path in links.iter().flat_map(|(name, to)| [name, to]) {
        hash.update(path.as_os_str().as_encoded_bytes());
        hash.update([0]);
    }
    let digest = hash.finalize();
    let key = u64::from_be_bytes(*digest.first_chunk().expect("SHA-256 has 32 bytes"));
    let made = folder.join(format!("{key:016x}"));
    if made.is_dir() {
        return Ok(made);
    }
    fs::create_dir_all(folder).map_err(io)?;
    let half = tempfile::tempdir_in(folder).map_err(io)?;
    for (name, to) in &links {
        let link = half.path().join(TOOLKIT).join(name);
        fs::create_dir_all(link.parent().unwrap_or(folder)).and_then(|()| symlink(to, &link)).map_err(io)?;
    }
    match fs::rename(half.path(), &made) {
        // Another process has made the same links.
        Err(error) if !made.is_dir() => Err(io(error)),
        _ => Ok(made),
    }
}

/// Returns each link's name, in the toolkit, and its target. The folder `bin` consists of links, because nvcc's toolkit
/// is the folder above its own.
fn links(toolkit: &Path) -> io::Result<BTreeMap<PathBuf, PathBuf>> {
    let whole = ["include", "nvvm"].map(|name| (name.into(), toolkit.join(name)));
    let mut links = BTreeMap::from(whole);
    links.insert("lib64".into(), "lib".into());
    for folder in ["bin", "lib"] {
        for entry in fs::read_dir(toolkit.join(folder))? {
            let entry = entry?;
            let name = entry.file_name();
            links.insert(Path::new(folder).join(&name), entry.path());
            // The linker looks for libcudart.so, and the loader for libcudart.so.13.
            if let Some((library, _)) = name.to_string_lossy().split_once(".so.") {
                links.entry(Path::new(folder).join(format!("{library}.so"))).or_insert_with(|| entry.path());
            }
        }
    }
    Ok(links)
}

#[cfg(unix)]
fn symlink(to: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, link)
}

/// nvcc's package has no links on Windows.
#[cfg(not(unix))]
fn symlink(_to: &Path, _link: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_have_the_names_that_the_linker_needs() {
        let root = tempfile::tempdir().unwrap();
        let toolkit = root.path().join("lib/python3.12/site-packages/nvidia/cu13");
        for file in ["bin/nvcc", "include/cuda.h", "nvvm/bin/cicc", "lib/libcudart.so.13", "lib/libnvrtc.so.13"] {
            let file = toolkit.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, file.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        let folder = root.path().join("cache/toolkits");
        let made = linked(&toolkit, &folder).unwrap();
        for (file, text) in [
            ("bin/nvcc", "nvcc"),
            ("bin/../include/cuda.h", "cuda.h"),
            ("bin/../nvvm/bin/cicc", "cicc"),
            ("bin/../lib64/libcudart.so", "libcudart.so.13"),
        ] {
            assert_eq!(fs::read_to_string(made.join(TOOLKIT).join(file)).unwrap(), text, "{file}");
        }
        assert_eq!(linked(&toolkit, &folder).unwrap(), made);
        fs::write(toolkit.join("bin/ptxas"), "").unwrap();
        assert_ne!(linked(&toolkit, &folder).unwrap(), made);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "only whole folders are left");
    }
}
