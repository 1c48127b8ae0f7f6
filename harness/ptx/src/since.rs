//! A version of PTX and the architectures, since which an instruction or a modifier exists.

/// A version of PTX: major, minor. 2.3 stands for all older ones too, which have no 64-bit addresses.
pub type Version = (u32, u32);

/// The architectures that have an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architectures {
    /// This one and all later ones.
    From(u32),
    /// The architecture-specific code of one architecture (`sm_90a`) or family (`sm_100f`): those with these numbers.
    /// The first is the one to compile for.
    Specific(&'static [u32]),
}

/// Since when something exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// The version of PTX.
    pub version: Version,
    /// The architectures.
    pub architectures: Architectures,
}

impl Since {
    /// Creates it from a version such as `8.6`.
    pub(crate) const fn version(text: &str, architectures: Architectures) -> Since {
        let bytes = text.as_bytes();
        let (mut major, mut minor, mut at) = (0, 0, 0);
        while bytes[at] != b'.' {
            major = 10 * major + (bytes[at] - b'0') as u32;
            at += 1;
        }
        at += 1;
        while at < bytes.len() {
            minor = 10 * minor + (bytes[at] - b'0') as u32;
            at += 1;
        }
        Since { version: (major, minor), architectures }
    }
}

/// Since a version, for an architecture and all later ones.
pub(crate) const fn since(major: u32, minor: u32, architecture: u32) -> Since {
    Since { version: (major, minor), architectures: Architectures::From(architecture) }
}

/// Since a version, for the specific code of some architectures.
pub(crate) const fn specific(major: u32, minor: u32, architectures: &'static [u32]) -> Since {
    Since { version: (major, minor), architectures: Architectures::Specific(architectures) }
}

/// The architectures since 9.0 whose specific code has instructions that others lack.
pub(crate) const NINE: &[u32] = &[90, 100, 101, 103, 110, 120, 121];
pub(crate) const TEN: &[u32] = &[100, 101, 103, 110, 120, 121];
/// That whose specific code has products by a warpgroup.
pub(crate) const HOPPER: &[u32] = &[90];
