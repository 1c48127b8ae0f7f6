//! Numbers of a decoded instruction.

use ptx::ast::Space;

/// A value, other than a register, that an operand of an instruction can hold.
pub trait Number: Copy {
    /// Encodes it as a number.
    fn code(self) -> u64;
    /// Decodes that number.
    fn from_code(code: u64) -> Self;
}

impl Number for u32 {
    #[inline(always)]
    fn code(self) -> u64 {
        self.into()
    }
    #[inline(always)]
    fn from_code(code: u64) -> u32 {
        code as u32
    }
}

impl Number for u64 {
    #[inline(always)]
    fn code(self) -> u64 {
        self
    }
    #[inline(always)]
    fn from_code(code: u64) -> u64 {
        code
    }
}

impl Number for bool {
    #[inline(always)]
    fn code(self) -> u64 {
        self.into()
    }
    #[inline(always)]
    fn from_code(code: u64) -> bool {
        code != 0
    }
}

/// Two numbers, the first in the low half.
impl Number for (u32, u32) {
    #[inline(always)]
    fn code(self) -> u64 {
        u64::from(self.0) | (u64::from(self.1) << 32)
    }
    #[inline(always)]
    fn from_code(code: u64) -> (u32, u32) {
        (code as u32, (code >> 32) as u32)
    }
}

impl Number for Space {
    #[inline(always)]
    fn code(self) -> u64 {
        match self {
            Space::Generic => 0,
            Space::Global => 1,
            Space::Shared => 2,
            Space::Local => 3,
            Space::Const => 4,
            Space::Param => 5,
        }
    }
    #[inline(always)]
    fn from_code(code: u64) -> Space {
        match code {
            1 => Space::Global,
            2 => Space::Shared,
            3 => Space::Local,
            4 => Space::Const,
            5 => Space::Param,
            _ => Space::Generic,
        }
    }
}

/// Declares the members of a family with the PTX words that name them.
///
/// `codes! { /// How lanes vote. enum Vote { /// Whether all do. All = "all" } }` declares the enum with `named`, which
/// maps a word to a member, and implements [`Number`]. Without the words, it only implements [`Number`].
macro_rules! codes {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$about:meta])* $member:ident = $word:literal),+ $(,)?
    }) => {
        codes! { $(#[$meta])* $vis enum $name { $($(#[$about])* $member),+ } }
        impl $name {
            /// Returns the member with this word.
            pub fn named(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$member),)+
                    _ => None,
                }
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$about:meta])* $member:ident),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $($(#[$about])* $member,)+
        }
        impl $crate::instr::operands::Number for $name {
            #[inline(always)]
            fn code(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn from_code(code: u64) -> Self {
                // The compiler turns these comparisons into a conversion.
                $(if code == Self::$member as u64 {
                    return Self::$member;
                })+
                [$(Self::$member),+][0]
            }
        }
    };
}
pub(crate) use codes;
