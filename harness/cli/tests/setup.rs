//! `warplab setup`, with small wheels in place of NVIDIA's and a Python that provides them; and once with NVIDIA's.
#![cfg(unix)]

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::common::{Run, warplab_in};
use sha2::{Digest, Sha256};
use zip::{ZipWriter, write::SimpleFileOptions};

/// A folder with wheels, the table that pins them, and an empty cache.
struct WheelFolder(tempfile::TempDir);

impl WheelFolder {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for folder in ["wheels", "bin"] {
            fs::create_dir(place.path(folder)).unwrap();
        }
        let compiler = [
            ("nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "the compiler"),
            ("nvidia/cuda_nvrtc/lib/libnvrtc.alt.so.12", "another build"),
            ("nvrtc-1.0.dist-info/licenses/License.txt", "a licence"),
            ("../nvidia/cuda_nvrtc/lib/libnvrtc.so.13", "outside"),
        ];
        let headers = [("nvidia/cuda_runtime/include/cuda_fp16.h", "half"), ("nvidia/cuda_runtime/lib/x.a", "")];
        let pins = format!(
            "[[tool]]\nname = \"nvrtc\"\nwhat = \"a compiler and headers\"\n{}{}",
            place.wheel("nvrtc", "nvidia/cuda_nvrtc/lib/libnvrtc.so.", &compiler),
            place.wheel("runtime", "nvidia/cuda_runtime/include/", &headers)
        );
        fs::write(place.path("pins.toml"), pins).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a wheel; returns its lines of the table.
    fn wheel(&self, package: &str, keep: &str, files: &[(&str, &str)]) -> String {
        let file = format!("{package}-1.0-py3-none-any.whl");
        let path = self.path("wheels").join(&file);
        let mut zip = ZipWriter::new(fs::File::create(&path).unwrap());
        for (name, text) in files {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
        format!(
            "[[tool.wheel]]\npackage = \"{package}\"\nversion = \"1.0\"\nkeep = [\"{keep}\"]\n\
             [tool.wheel.platform.{platform}]\nfile = \"{file}\"\nsha256 = \"{}\"\n",
            sum(&path)
        )
    }

    /// Writes a `python3` that runs `script`; it is the only program on the path.
    fn python(&self, script: &str) {
        let python = self.path("bin/python3");
        fs::write(&python, format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")).unwrap();
        fs::set_permissions(python, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn setup(&self, args: &[&str]) -> Run {
        let args = [&["setup", "--pins", "pins.toml"], args].concat();
        let (cache, bin) = (self.path("cache"), self.path("bin"));
        let variables = [("WARPLAB_CACHE", &cache), ("PATH", &bin)].map(|(name, path)| (name, path.to_str().unwrap()));
        // The installed files cannot be loaded here.
        warplab_in(self.0.path(), &args, &[&variables[..], &[("WARPLAB_NVRTC", "off")]].concat())
    }

    /// The files in the cache, in order.
    fn cached(&self) -> Vec<String> {
        let mut files = Vec::new();
        walk(&self.path("cache"), &mut |file| {
            let file = file.strip_prefix(self.path("cache")).unwrap();
            files.push(file.display().to_string());
        });
        files.sort();
        files
    }
}

fn walk(folder: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() { walk(&entry.path(), each) } else { each(&entry.path()) }
    }
}

fn sum(path: &Path) -> String {
    kernels::hex(&Sha256::digest(fs::read(path).unwrap()))
}

/// The files that the wheels install, and the list of them.
const BROUGHT: [&str; 4] = [
    "toolbox/nvrtc/brought.json",
    "toolbox/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    "toolbox/nvrtc/nvidia/cuda_runtime/include/cuda_fp16.h",
    "toolbox/nvrtc/nvrtc-1.0.dist-info/licenses/License.txt",
];

/// A pip that copies the requested files from the folder of wheels, and logs its calls.
const PIP: &str = "echo \"$@\" >> calls
while [ $# -gt 1 ]; do case $1 in --dest) to=$2 ;; esac; shift; done
cp wheels/\"${1%%==*}\"-*.whl \"$to\"";

#[test]
fn wheels_from_a_folder_are_kept_in_the_cache_and_removed_again() {
    let place = WheelFolder::new();
    let run = place.setup(&["--from", "wheels"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("a compiler and headers are there now, 1 MB"), "{run:?}");
    assert_eq!(place.cached(), BROUGHT);
    let again = place.setup(&["--from", "nowhere"]);
    assert!(again.code == 0 && again.stdout.contains("there already"), "{again:?}");
    for (folder, bytes) in [("answers", 10), ("own", 2_500_000)] {
        fs::create_dir(place.path("cache").join(folder)).unwrap();
        fs::write(place.path("cache").join(folder).join("one"), vec![b'x'; bytes]).unwrap();
    }
    let kept = ["cache/answers: compiled kernels, 1 MB", "cache/own: results of the labs' own kernels, 3 MB"];
    let there = place.setup(&["--check"]);
    assert!(kept.iter().all(|words| there.stdout.contains(words)), "{there:?}");
    let removed = place.setup(&["--remove"]);
    assert!(removed.code == 0 && removed.stdout.contains("toolbox/nvrtc: removed"), "{removed:?}");
    assert!(kept.iter().all(|words| removed.stdout.contains(&format!("{words}, removed"))), "{removed:?}");
    assert_eq!(fs::read_dir(place.path("cache")).unwrap().count(), 0);
    let removed = place.setup(&["--remove"]);
    assert!(removed.code == 0 && removed.stdout.contains("nothing to remove"), "{removed:?}");
}

#[test]
fn pip_fetches_what_is_not_there() {
    let place = WheelFolder::new();
    place.python(PIP);
    let run = place.setup(&["--download", "room"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("setup --from room"), "{run:?}");
    let mut names: Vec<String> =
        fs::read_dir(place.path("room")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["nvrtc-1.0-py3-none-any.whl", "runtime-1.0-py3-none-any.whl"]);
    assert_eq!(place.cached(), [""; 0], "it fetches only");
    let again = place.setup(&["--download", "room"]);
    assert_eq!(again.stdout.matches("there already").count(), 2, "{again:?}");

    let run = place.setup(&[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("nvrtc 1.0: fetched from PyPI, its checksum is right"), "{run:?}");
    assert_eq!(place.cached(), BROUGHT);
    let calls = fs::read_to_string(place.path("calls")).unwrap();
    assert_eq!(calls.lines().count(), 4, "{calls}");
    assert!(calls.lines().all(|call| call.contains("--no-deps --only-binary=:all:")), "{calls}");
}

#[test]
fn a_wrong_checksum_is_an_error_with_both_and_leaves_nothing() {
    let place = WheelFolder::new();
    place.python(PIP);
    let wheel = place.path("wheels/runtime-1.0-py3-none-any.whl");
    let right = sum(&wheel);
    fs::write(&wheel, "other").unwrap();
    for args in [&[][..], &["--from", "wheels"], &["--download", "room"]] {
        let run = place.setup(args);
        assert_eq!(run.code, 4, "{args:?}: {run:?}");
        for words in ["runtime-1.0-py3-none-any.whl", &right, &sum(&wheel)] {
            assert!(run.stderr.contains(words), "{args:?}: no {words} in {run:?}");
        }
        assert_eq!(place.cached(), [""; 0], "{args:?}");
    }
    let kept: Vec<_> = fs::read_dir(place.path("room")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(kept, ["nvrtc-1.0-py3-none-any.whl"], "the wheel that is right, and no folder");
}

#[test]
fn without_python_or_pip_or_network_it_is_said_what_to_do() {
    for (script, words) in [
        (None, &["cannot start python3", "apt install python3"][..]),
        (Some("echo '/usr/bin/python3: No module named pip' >&2; exit 1"), &["has no pip", "ensurepip"]),
        (Some("echo 'ERROR: No matching distribution' >&2; exit 1"), &["nvrtc==1.0", "ERROR: No matching"]),
    ] {
        let place = WheelFolder::new();
        if let Some(script) = script {
            place.python(script);
        }
        // The leftovers of a killed run are deleted, too.
        let left = place.path("cache/toolbox/.half-left");
        fs::create_dir_all(&left).unwrap();
        fs::write(left.join(".in-use"), "").unwrap();
        fs::write(left.join("large"), "half done").unwrap();
        let run = place.setup(&[]);
        assert_eq!(run.code, 4, "{run:?}");
        for words in words.iter().chain(&["setup --download FOLDER", "setup --from FOLDER"]) {
            assert!(run.stderr.contains(words), "no {words} in {run:?}");
        }
        assert_eq!(place.cached(), [""; 0]);
        assert_eq!(fs::read_dir(place.path("cache/toolbox")).unwrap().count(), 0, "nothing half done");
    }
    let place = WheelFolder::new();
    let run = place.setup(&["--from", "bin"]);
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stderr.contains("bin has no nvrtc-1.0-py3-none-any.whl"), "{run:?}");
}

/// A submission may contain a `pip.py`, and a `python3`: neither is run in its folder.
#[test]
fn nothing_of_the_current_folder_is_run() {
    let place = WheelFolder::new();
    let mark = place.path("was-run");
    let python =
        std::process::Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    let python = String::from_utf8(python.stdout).unwrap();
    for module in ["pip", "runpy", "site"] {
        fs::write(place.path(&format!("{module}.py")), format!("open({mark:?}, 'w')\n")).unwrap();
    }
    // The real Python, which cannot download anything here.
    std::os::unix::fs::symlink(python.trim(), place.path("bin/python3")).unwrap();
    let unreachable = [("PIP_INDEX_URL", "http://127.0.0.1:9"), ("PIP_RETRIES", "0"), ("PIP_TIMEOUT", "1")];
    let bin = place.path("bin").display().to_string();
    for path in [bin.clone(), format!(":{bin}"), format!(".:{bin}")] {
        let fake = place.path("python3");
        fs::write(&fake, format!("#!/bin/sh\n: > {}\nexit 1\n", mark.display())).unwrap();
        fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
        let cache = place.path("cache").display().to_string();
        let variables = [("WARPLAB_CACHE", &*cache), ("PATH", &*path), ("WARPLAB_NVRTC", "off")];
        let run =
            warplab_in(place.0.path(), &["setup", "--pins", "pins.toml"], &[&variables[..], &unreachable].concat());
        assert_eq!(run.code, 4, "{run:?}");
        assert!(!mark.exists(), "PATH={path}: {run:?}");
    }
}

#[test]
fn what_is_damaged_is_said_and_mended() {
    let place = WheelFolder::new();
    let empty = place.setup(&["--check"]);
    assert!(empty.code == 4 && empty.stdout.contains("nothing is installed here"), "{empty:?}");
    assert!(empty.stdout.contains("WARPLAB_NVRTC is `off`"), "{empty:?}");
    assert_eq!(place.setup(&["--from", "wheels"]).code, 0);
    let whole = place.setup(&["--check"]);
    assert!(whole.stdout.contains("everything that `warplab setup` installs"), "{whole:?}");
    let library = place.path("cache").join(BROUGHT[1]);
    fs::write(&library, "the comp").unwrap();
    let damaged = place.setup(&["--check"]);
    assert!(damaged.code == 4 && damaged.stdout.contains("libnvrtc.so.12 is missing or changed"), "{damaged:?}");
    assert_eq!(place.setup(&["--from", "wheels"]).code, 0);
    assert_eq!(fs::read_to_string(library).unwrap(), "the compiler");
    assert_eq!(place.cached(), BROUGHT);
}

/// nvcc is a tool besides NVRTC: its programs can be executed, and the names for linkers exist.
#[test]
fn programs_stay_executable_and_names_for_linkers_are_made() {
    let place = WheelFolder::new();
    let wheel = place.path("wheels/compiler-1.0-py3-none-any.whl");
    let mut zip = ZipWriter::new(fs::File::create(&wheel).unwrap());
    for (name, mode) in [("nvidia/cu13/bin/nvcc", 0o744), ("nvidia/cu13/lib/libcudart.so.13", 0o644)] {
        zip.start_file(name, SimpleFileOptions::default().unix_permissions(mode)).unwrap();
        zip.write_all(b"#!/bin/sh\necho compiled \"$@\"\n").unwrap();
    }
    zip.finish().unwrap();
    let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let pins = format!(
        "[[tool]]\nname = \"nvcc\"\nwhat = \"a compiler\"\n\
         link = [{{ name = \"nvidia/cu13/lib64\", to = \"lib\" }}]\n\
         [[tool.wheel]]\npackage = \"compiler\"\nversion = \"1.0\"\nkeep = [\"nvidia/\"]\n\
         [tool.wheel.platform.{platform}]\nfile = \"compiler-1.0-py3-none-any.whl\"\nsha256 = \"{}\"\n",
        sum(&wheel)
    );
    fs::write(place.path("pins.toml"), pins).unwrap();
    let run = place.setup(&["--nvcc", "--from", "wheels"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("Programs are compiled by"), "{run:?}");
    let nvcc = place.path("cache/toolbox/nvcc/nvidia/cu13");
    assert_eq!(fs::metadata(nvcc.join("bin/nvcc")).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::metadata(nvcc.join("lib64/libcudart.so.13")).unwrap().permissions().mode() & 0o111, 0);
    let check = place.setup(&["--nvcc", "--check"]);
    assert_eq!(check.code, 0, "{check:?}");
    // It is used, with the added options; without a C++ compiler a message says what is missing.
    let cache = place.path("cache");
    let variables = |path: &str| [("WARPLAB_CACHE", cache.to_str().unwrap().to_owned()), ("PATH", path.to_owned())];
    let compile = |path: &str| {
        let variables = variables(path);
        let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
        warplab_in(place.0.path(), &["nvcc", "x.cu", "-DX"], &variables)
    };
    let bin = place.path("bin");
    let run = compile(bin.to_str().unwrap());
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stderr.contains("nvcc needs a C++ compiler") && run.stderr.contains("apt install g++"), "{run:?}");
    fs::write(bin.join("g++"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(bin.join("g++"), fs::Permissions::from_mode(0o755)).unwrap();
    let run = compile(bin.to_str().unwrap());
    // The headers of older CUDA, the run path to the runtime, and the header that starts the machine.
    let folder = cache.display();
    let expected = format!(
        "compiled -cudart shared -I {folder}/compatibility x.cu -DX -Xlinker --enable-new-dtags -Xlinker -rpath={folder}/runtime \
         -include {folder}/runtime/warplab_start.h\n"
    );
    assert_eq!((run.code, run.stdout), (0, expected), "{}", run.stderr);
}

/// The wheels of PyPI match the pinned ones, and an edited kernel that includes CUDA's headers then compiles.
#[test]
#[ignore = "fetches NVRTC from PyPI"]
fn nvrtc_is_brought_and_compiles() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let variables = [("WARPLAB_CACHE", cache.to_str().unwrap()), ("WARPLAB_NVRTC", "")];
    let run = warplab_in(folder.path(), &["setup"], &variables);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("with CUDA's headers"), "{run:?}");
    let check = warplab_in(folder.path(), &["setup", "--check"], &variables);
    assert_eq!(check.code, 0, "{check:?}");
    let used = cache.join("toolbox/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12").canonicalize().unwrap();
    assert!(check.stdout.contains(used.to_str().unwrap()), "{check:?}");
    let text = "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n#include <mma.h>\n\
                extern \"C\" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n) {\n    \
                unsigned long long i = cooperative_groups::this_grid().thread_rank();\n    \
                if (i < n) z[i] = x[i] + y[i] + __half2float(__float2half(0.0f));\n}\n";
    fs::write(folder.path().join("mine.cu"), text).unwrap();
    let args = ["run", "vecadd", "--kernel", "mine.cu", "--device", "emulated", "--n", "64", "--variant", "pageable"];
    let run = warplab_in(folder.path(), &args, &variables);
    assert_eq!(run.code, 0, "{run:?}");
}
