//! Adjusts the GPU architectures in nvcc's options. The embedded machine executes PTX, so PTX is kept for every
//! architecture that the options name; code that depends on `__CUDA_ARCH__` is then compiled as requested.
use std::ffi::OsString;

/// The note about options for link-time optimisation.
pub const LATE: &str =
    "note: optimisation at link time is left out: it leaves no PTX, which the embedded machine executes";
const NATIVE: &str =
    "note: -arch=native finds no GPU here: the program is compiled for compute capabilities 8.0 and 9.0";

/// The replacement for `-arch=native` without a GPU: an A100, and an H100 or H200.
const USUAL: [&str; 2] = ["compute_80", "compute_90"];

/// The outputs that nvcc produces only for a single architecture.
const SINGLE: [&str; 8] = ["-cubin", "--cubin", "-ptx", "--ptx", "-optix-ir", "--optix-ir", "-ltoir", "--ltoir"];

/// Queries about the compiler, made only if the options require the answer.
pub struct Compiler<'a> {
    /// The architectures that it knows, as `nvcc --list-gpu-arch` names them.
    pub known: &'a dyn Fn() -> Vec<String>,
    /// Whether it finds a GPU for `-arch=native`.
    pub has_gpu: &'a dyn Fn() -> bool,
}

/// Returns the options with PTX for every architecture that they name, and notes about replaced options.
pub fn with_ptx(options: Vec<OsString>, compiler: &Compiler) -> (Vec<OsString>, Vec<&'static str>) {
    if options.iter().any(|option| SINGLE.iter().any(|single| option == single)) {
        return (options, Vec::new());
    }
    let words = all(options);
    // The PTX for -arch is the basis of everything in -code. Of several -arch nvcc takes the last.
    let virtual_one = words.iter().rev().find_map(|word| match word {
        Word::Arch(name) => Some(name.clone()),
        _ => None,
    });
    let codes: Vec<&str> = words.iter().flat_map(Word::codes).collect();
    let has_codes = !codes.is_empty();
    let lacks_ptx = has_codes && !codes.iter().any(|code| code.starts_with("compute_"));
    let mut missing = virtual_one.filter(|name| lacks_ptx && name.starts_with("compute_"));
    let (mut kept, mut notes) = (Vec::new(), Vec::new());
    for word in words {
        match word {
            Word::Other(option) => kept.push(option),
            Word::Arch(name) if has_codes => kept.push(format!("-arch={name}").into()),
            Word::Arch(name) => kept.extend(of_one(&name, compiler, &mut notes)),
            Word::Code(codes) => {
                let codes = codes.split(',').map(|code| not_late(code, &mut notes)).chain(missing.take());
                kept.push(format!("-code={}", codes.collect::<Vec<_>>().join(",")).into());
            }
            Word::Both(value) => kept.push(format!("-gencode={}", of_both(&value, &mut notes)).into()),
        }
    }
    notes.dedup();
    (kept, notes)
}

/// An option of nvcc's.
enum Word {
    /// `-arch`: the architecture of the PTX that the source is compiled to.
    Arch(String),
    /// `-code`: the kept outputs, PTX or machine code made from it; several are separated by commas.
    Code(String),
    /// `-gencode`: both in one.
    Both(String),
    Other(OsString),
}

impl Word {
    fn codes(&self) -> Vec<&str> {
        match self {
            Self::Code(codes) => codes.split(',').collect(),
            _ => Vec::new(),
        }
    }
}

/// Splits the options; those about architectures get their values, which may be separate arguments.
fn all(options: Vec<OsString>) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = options.into_iter();
    while let Some(option) = rest.next() {
        let text = option.to_string_lossy().into_owned();
        let (name, joined) = text.split_once('=').map_or((&*text, None), |(name, value)| (name, Some(value)));
        let kind: fn(String) -> Word = match name {
            "-arch" | "--gpu-architecture" => Word::Arch,
            "-code" | "--gpu-code" => Word::Code,
            "-gencode" | "--generate-code" => Word::Both,
            _ => {
                words.push(Word::Other(option));
                continue;
            }
        };
        let behind = || rest.next().map(|value| value.to_string_lossy().into_owned());
        match joined.map(String::from).or_else(behind) {
            Some(value) => words.push(kind(value)),
            None => words.push(Word::Other(option)),
        }
    }
    words
}

/// Replaces an `-arch` without `-code`. nvcc keeps PTX for a single architecture, but not for each of several.
fn of_one(name: &str, compiler: &Compiler, notes: &mut Vec<&'static str>) -> Vec<OsString> {
    let known = || (compiler.known)().into_iter().enumerate();
    let names: Vec<String> = match name {
        "all" => known().map(|(_, name)| name).collect(),
        // As in nvcc: the first of each generation, and the oldest of all.
        "all-major" => known().filter(|(i, name)| *i == 0 || name.ends_with('0')).map(|(_, name)| name).collect(),
        "native" if (compiler.has_gpu)() => {
            let ptx = USUAL.map(|name| format!("-gencode=arch={name},code={name}").into());
            return std::iter::once("-arch=native".into()).chain(ptx).collect();
        }
        "native" => {
            notes.push(NATIVE);
            USUAL.map(String::from).to_vec()
        }
        _ => Vec::new(),
    };
    if names.is_empty() {
        return vec![format!("-arch={}", not_late(name, notes)).into()];
    }
    names.iter().map(|name| with_code(name).into()).collect()
}

/// Machine code and PTX for an architecture such as `compute_90`.
fn with_code(name: &str) -> String {
    format!("-gencode=arch={name},code=[{},{name}]", name.replace("compute_", "sm_"))
}

/// A `-gencode`'s value with PTX. An unreadable one is left for nvcc to refuse.
fn of_both(value: &str, notes: &mut Vec<&'static str>) -> String {
    let Some((name, codes)) = read(value) else { return value.into() };
    let mut codes: Vec<String> = codes.iter().map(|code| not_late(code, notes)).collect();
    if !codes.iter().any(|code| code.starts_with("compute_")) {
        codes.push(name.clone());
    }
    format!("arch={name},code=[{}]", codes.join(","))
}

/// Parses a `-gencode` such as `arch=compute_90,code=sm_90`, with several codes in brackets or within quotes.
fn read(value: &str) -> Option<(String, Vec<String>)> {
    let (mut name, mut codes) = (None, Vec::new());
    for part in value.split(',') {
        let part = part.trim_start_matches('"');
        let code = if let Some(named) = part.strip_prefix("arch=") {
            name.replace(named.trim_matches('"')).map_or(Some(()), |_| None)?;
            continue;
        } else if let Some(first) = part.strip_prefix("code=") {
            codes.is_empty().then_some(first)?
        } else {
            (!codes.is_empty() && value.contains(['[', '"'])).then_some(part)?
        };
        codes.push(code.trim_matches(['[', ']', '"']).to_string());
    }
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let name = name.filter(|name| is_name(name) && name.starts_with("compute_"))?.to_string();
    (!codes.is_empty() && codes.iter().all(|code| is_name(code))).then_some((name, codes))
}

/// Replaces code for link-time optimisation with machine code.
fn not_late(code: &str, notes: &mut Vec<&'static str>) -> String {
    match code.strip_prefix("lto_") {
        Some(number) => {
            notes.push(LATE);
            format!("sm_{number}")
        }
        None => code.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result for options separated by spaces, on a computer with or without a GPU.
    fn said(options: &str, has_gpu: bool) -> (String, Vec<&'static str>) {
        let known = || ["compute_75", "compute_80", "compute_86", "compute_90"].map(String::from).to_vec();
        let compiler = Compiler { known: &known, has_gpu: &|| has_gpu };
        let (kept, notes) = with_ptx(options.split(' ').map(OsString::from).collect(), &compiler);
        (kept.join(" ".as_ref()).into_string().unwrap(), notes)
    }

    fn kept(options: &str) -> String {
        let (kept, notes) = said(options, false);
        assert!(notes.is_empty(), "{notes:?}");
        kept
    }

    #[test]
    fn a_gencode_keeps_ptx_for_its_architecture_however_it_is_written() {
        let with_ptx = "-gencode=arch=compute_90,code=[sm_90,compute_90]";
        for spelling in [
            "-gencode arch=compute_90,code=sm_90",
            "-gencode=arch=compute_90,code=sm_90",
            "--generate-code arch=compute_90,code=sm_90",
            "--generate-code=arch=compute_90,code=sm_90",
            "-gencode code=sm_90,arch=compute_90",
            "-gencode arch=compute_90,code=[sm_90]",
            "-gencode arch=compute_90,code=\"sm_90\"",
            "-gencode arch=compute_90,\"code=sm_90\"",
            "-gencode arch=compute_90,\"code=sm_90,compute_90\"",
            "-gencode arch=compute_90,code=[sm_90,compute_90]",
        ] {
            assert_eq!(kept(spelling), with_ptx, "{spelling}");
        }
        assert_eq!(
            kept("x.cu -gencode arch=compute_80,code=[sm_80,sm_86] -O3 -gencode arch=compute_90a,code=sm_90a"),
            "x.cu -gencode=arch=compute_80,code=[sm_80,sm_86,compute_80] -O3 \
             -gencode=arch=compute_90a,code=[sm_90a,compute_90a]"
        );
        assert_eq!(kept("-gencode arch=compute_90,code=compute_90"), "-gencode=arch=compute_90,code=[compute_90]");
    }

    #[test]
    fn what_nvcc_would_refuse_is_left_to_it() {
        for value in [
            "arch=compute_90",
            "arch=sm_90,code=sm_90",
            "arch=compute_90,code=sm_90,sm_90a",
            "arch=compute_90,code={sm_90,sm_90a}",
            "arch=compute_90,code=sm_90,code=sm_90a",
            "arch=compute_90,arch=compute_80,code=sm_90",
            "",
        ] {
            assert_eq!(kept(&format!("-gencode={value}")), format!("-gencode={value}"));
        }
        for options in ["x.cu -arch", "-arch=sm_90 -code=sm_90", "-arch=all -code=sm_90", "-code=sm_90"] {
            assert_eq!(kept(options), options);
        }
    }

    #[test]
    fn a_virtual_architecture_is_added_to_the_codes_made_of_it() {
        assert_eq!(kept("-arch=compute_90 -code=sm_90"), "-arch=compute_90 -code=sm_90,compute_90");
        let long = "--gpu-code sm_90,sm_90a x.cu --gpu-architecture compute_90";
        assert_eq!(kept(long), "-code=sm_90,sm_90a,compute_90 x.cu -arch=compute_90");
        assert_eq!(
            kept("-arch=compute_90 -code=sm_90 -code=compute_90"),
            "-arch=compute_90 -code=sm_90 -code=compute_90"
        );
        // For a single architecture nvcc keeps PTX automatically.
        for alone in ["-arch=sm_90 x.cu", "-arch=sm_90a", "-arch=compute_90", "x.cu -o x"] {
            assert_eq!(kept(alone), alone);
        }
    }

    #[test]
    fn ptx_of_all_architectures_is_kept_of_each() {
        let both = |number: u32| format!("-gencode=arch=compute_{number},code=[sm_{number},compute_{number}]");
        let of = |numbers: &[u32]| numbers.iter().map(|number| both(*number)).collect::<Vec<_>>().join(" ");
        assert_eq!(kept("-arch=all"), of(&[75, 80, 86, 90]));
        assert_eq!(kept("-arch all-major"), of(&[75, 80, 90]));
        assert_eq!(said("-arch=native", false), (of(&[80, 90]), vec![NATIVE]));
        let ptx = "-gencode=arch=compute_80,code=compute_80 -gencode=arch=compute_90,code=compute_90";
        assert_eq!(said("-arch=native", true), (format!("-arch=native {ptx}"), vec![]));
    }

    #[test]
    fn code_for_the_linker_is_replaced_by_machine_code_and_told() {
        let late = |options: &str| {
            let (kept, notes) = said(options, false);
            assert_eq!(notes, [LATE], "{options}");
            kept
        };
        assert_eq!(
            late("-gencode arch=compute_90,code=lto_90 -gencode arch=compute_80,code=[lto_80,compute_80]"),
            "-gencode=arch=compute_90,code=[sm_90,compute_90] -gencode=arch=compute_80,code=[sm_80,compute_80]"
        );
        assert_eq!(late("-arch=compute_90 -code=lto_90"), "-arch=compute_90 -code=sm_90,compute_90");
        assert_eq!(late("-arch=lto_90"), "-arch=sm_90");
    }

    #[test]
    fn output_of_one_architecture_stays_as_it_is() {
        let cubin = "-cubin x.cu -gencode arch=compute_90,code=sm_90";
        assert_eq!(kept(cubin), cubin);
    }
}
