//! This computer's memory: how much this process may still allocate, and what limits it.
//!
//! An emulated GPU may have more memory than the computer that emulates it. The system kills a program that runs out of
//! memory without a message, so sizes are compared with this limit before anything is allocated.
use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

/// The memory that this process may still allocate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The number of bytes.
    pub bytes: u64,
    /// What limits it.
    pub limit: Limit,
}

/// What limits the memory of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// The free memory of the computer.
    Free,
    /// The control group in this folder, as set up by containers and batch systems.
    Group(PathBuf),
    /// The limit of the process's address space.
    AddressSpace,
    /// The limit of the process's data segment.
    Data,
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = size(self.bytes);
        match &self.limit {
            Limit::Free => write!(f, "{size} are free on this computer"),
            Limit::Group(folder) => write!(f, "the control group {} leaves {size}", folder.display()),
            Limit::AddressSpace => write!(f, "`ulimit -v` (RLIMIT_AS) leaves {size}"),
            Limit::Data => write!(f, "`ulimit -d` (RLIMIT_DATA) leaves {size}"),
        }
    }
}

/// Formats a number of bytes with a suitable unit: `1.5 GiB`.
pub fn size(bytes: u64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.into_iter().find(|(_, power)| bytes >> power > 0) {
        Some((unit, power)) => format!("{:.1} {unit}", bytes as f64 / (1_u64 << power) as f64),
        None => format!("{bytes} bytes"),
    }
}

/// Returns the memory that this process may still allocate; `None` if this system does not report it.
pub fn room() -> Option<Room> {
    let files = Files { root: Path::new("/") };
    let found = [files.free(), files.group_v2(), files.group_v1(), files.address_space(), files.data()];
    found.into_iter().flatten().min_by_key(|room| room.bytes)
}

/// Returns the memory that the limits of this process (`ulimit`) leave; `None` if there are no limits.
pub fn allowed() -> Option<Room> {
    let files = Files { root: Path::new("/") };
    [files.address_space(), files.data()].into_iter().flatten().min_by_key(|room| room.bytes)
}

/// The files in which Linux reports memory; other systems have none.
struct Files<'r> {
    root: &'r Path,
}

impl Files<'_> {
    fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    /// The kernel's own estimate of the memory that is available without swapping.
    fn free(&self) -> Option<Room> {
        let bytes = kib_after(&self.text("proc/meminfo")?, "MemAvailable:")?;
        Some(Room { bytes, limit: Limit::Free })
    }

    fn group_v2(&self) -> Option<Room> {
        let groups = self.text("proc/self/cgroup")?;
        let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
        let is_v2 = |kind: &str, _: &str| kind == "cgroup2";
        self.tightest(own, is_v2, ["memory.max", "memory.current", "inactive_file"])
    }

    fn group_v1(&self) -> Option<Room> {
        let groups = self.text("proc/self/cgroup")?;
        let own = groups.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            controllers.split(',').any(|c| c == "memory").then_some(path)
        })?;
        let is_memory = |kind: &str, options: &str| kind == "cgroup" && options.split(',').any(|o| o == "memory");
        let names = ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"];
        self.tightest(own, is_memory, names)
    }

    /// Returns the least memory that a group and its parents leave. `own` is the group's path in the hierarchy, and
    /// `is_it` recognizes the hierarchy's mount by its type and options. `names` are the files with the limit and the
    /// usage, and the entry in `memory.stat` for the part of the usage that the kernel can reclaim: cached files.
    fn tightest(&self, own: &str, is_it: impl Fn(&str, &str) -> bool, names: [&str; 3]) -> Option<Room> {
        let mounts = self.text("proc/self/mountinfo")?;
        let (root, mount) = mounts.lines().find_map(|line| {
            // 35 31 0:32 /root /mount/point rw shared:1 - cgroup cgroup rw,memory
            let (place, what) = line.split_once(" - ")?;
            let place: Vec<&str> = place.split(' ').collect();
            let what: Vec<&str> = what.split(' ').collect();
            is_it(what.first()?, what.get(2)?).then_some((*place.get(3)?, *place.get(4)?))
        })?;
        // A container may see its own group as the root of the mount.
        let below = Path::new(own).strip_prefix(root).unwrap_or(Path::new(""));
        let below = below.strip_prefix("/").unwrap_or(below);
        let [limit, used, kept] = names;
        let number = |folder: &Path, file: &str| -> Option<u64> { self.text_in(folder, file)?.trim().parse().ok() };
        let leaves = |folder: &Path| {
            let group = Path::new(mount).join(folder);
            let most = number(&group, limit)?;
            let stat = self.text_in(&group, "memory.stat").unwrap_or_default();
            let files = word_after(&stat, kept).unwrap_or(0);
            let taken = number(&group, used)?.saturating_sub(files);
            Some(Room { bytes: most.saturating_sub(taken), limit: Limit::Group(group.components().collect()) })
        };
        below.ancestors().filter_map(leaves).min_by_key(|room| room.bytes)
    }

    fn text_in(&self, folder: &Path, file: &str) -> Option<String> {
        let folder = folder.strip_prefix("/").unwrap_or(folder);
        fs::read_to_string(self.root.join(folder).join(file)).ok()
    }

    #[cfg(unix)]
    fn address_space(&self) -> Option<Room> {
        let taken = kib_after(&self.text("proc/self/status")?, "VmSize:")?;
        Some(Room { bytes: soft_limit(libc::RLIMIT_AS)?.saturating_sub(taken), limit: Limit::AddressSpace })
    }

    #[cfg(unix)]
    fn data(&self) -> Option<Room> {
        let taken = kib_after(&self.text("proc/self/status")?, "VmData:")?;
        Some(Room { bytes: soft_limit(libc::RLIMIT_DATA)?.saturating_sub(taken), limit: Limit::Data })
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "as on Unix")]
    fn address_space(&self) -> Option<Room> {
        None
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "as on Unix")]
    fn data(&self) -> Option<Room> {
        None
    }
}

/// Returns the soft limit of a resource; `None` if it has none.
#[cfg(unix)]
fn soft_limit(resource: libc::__rlimit_resource_t) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a live struct, which the call fills.
    let found = unsafe { libc::getrlimit(resource, &raw mut limit) } == 0;
    (found && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Returns the number after a word at the start of a line.
fn word_after(text: &str, word: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix([' ', '\t']))?;
    line.split_whitespace().next()?.parse().ok()
}

/// As [`word_after`], for a number of KiB, converted to bytes.
fn kib_after(text: &str, word: &str) -> Option<u64> {
    word_after(text, word)?.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a root folder with these files.
    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn what_is_free_is_what_the_kernel_says_can_be_taken() {
        let root =
            root(&[("proc/meminfo", "MemTotal:  100 kB\nMemFree:   10 kB\nMemAvailable:   64 kB\nBuffers: 1 kB\n")]);
        let room = Files { root: root.path() }.free().unwrap();
        assert_eq!(room, Room { bytes: 65536, limit: Limit::Free });
        assert_eq!(room.to_string(), "64.0 KiB are free on this computer");
    }

    #[test]
    fn the_tightest_parent_of_a_group_counts() {
        let root = root(&[
            ("proc/self/cgroup", "0::/jobs/mine\n"),
            ("proc/self/mountinfo", "24 1 0:9 / /proc rw - proc proc rw\n31 23 0:28 / /cg rw - cgroup2 cgroup2 rw\n"),
            ("cg/jobs/mine/memory.max", "max\n"),
            ("cg/jobs/mine/memory.current", "500\n"),
            ("cg/jobs/memory.max", "4000\n"),
            ("cg/jobs/memory.current", "3000\n"),
            ("cg/jobs/memory.stat", "anon 100\ninactive_file 2500\n"),
        ]);
        let room = Files { root: root.path() }.group_v2().unwrap();
        assert_eq!(room, Room { bytes: 3500, limit: Limit::Group("/cg/jobs".into()) });
        assert!(Files { root: root.path() }.group_v1().is_none());
    }

    #[test]
    fn a_group_of_the_first_version_counts_too() {
        let root = root(&[
            ("proc/self/cgroup", "4:cpu,memory:/docker/7\n0::/\n"),
            // In a container the group is the root of the mount.
            ("proc/self/mountinfo", "35 31 0:32 /docker/7 /cg/memory rw shared:1 - cgroup cgroup rw,memory\n"),
            ("cg/memory/memory.limit_in_bytes", "1000\n"),
            ("cg/memory/memory.usage_in_bytes", "900\n"),
            ("cg/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 50\n"),
        ]);
        let room = Files { root: root.path() }.group_v1().unwrap();
        assert_eq!(room, Room { bytes: 150, limit: Limit::Group("/cg/memory".into()) });
        assert_eq!(room.to_string(), "the control group /cg/memory leaves 150 bytes");
        assert!(Files { root: root.path() }.group_v2().is_none());
    }

    #[test]
    fn sizes_have_the_unit_that_suits_them() {
        let shown = [12, 1 << 10, 3 << 29, 5 << 40].map(size);
        assert_eq!(shown, ["12 bytes", "1.0 KiB", "1.5 GiB", "5.0 TiB"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_computer_says_how_much_is_free() {
        assert!(room().is_some_and(|room| room.bytes > 0));
    }
}
