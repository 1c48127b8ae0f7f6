//! A lab as an assignment: the handed-out texts, embedded in the program.

/// The texts of an assignment.
#[derive(Debug, Clone, Copy)]
pub struct Assignment {
    /// Its parts and their points, in TOML.
    pub rubric: &'static str,
    /// The handout, in Markdown.
    pub handout: &'static str,
    /// The pictures of the handout.
    pub pictures: &'static [Picture],
    /// The wrong kernel files that the handout asks a student to run.
    pub examples: &'static [Example],
}

/// A wrong kernel file, which a lab's handout names.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Its name in `assignment/wrong` of the lab, such as `missing_barrier.cu`.
    pub name: &'static str,
    /// The file.
    pub cuda: &'static str,
}

/// A picture of a handout.
#[derive(Debug, Clone, Copy)]
pub struct Picture {
    /// Its file name in the handout.
    pub name: &'static str,
    /// The file's text.
    pub svg: &'static str,
}

/// The assignment of the lab whose crate this is: `assignment/rubric.toml`, `README.md`, and the pictures named; after
/// a semicolon, the wrong kernel files that the handout has a student run, by their names in `assignment/wrong`.
#[macro_export]
macro_rules! assignment {
    ($($picture:literal),* $(; $($example:literal),*)?) => {
        Some($crate::Assignment {
            rubric: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assignment/rubric.toml")),
            handout: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")),
            pictures: &[$($crate::Picture {
                name: $picture,
                svg: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $picture)),
            }),*],
            examples: &[$($($crate::Example {
                name: $example,
                cuda: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assignment/wrong/", $example)),
            }),*)?],
        })
    };
}
