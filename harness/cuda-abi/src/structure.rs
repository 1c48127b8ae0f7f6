//! What each generated structure has: a value of zeros, and the layout that the C compiler gave it.

/// Any bit pattern is a value of these types, zeros among them: they consist of integers, floating-point numbers,
/// pointers and optional functions. `Default` is the value of zeros.
macro_rules! zeroed {
    ($type:ident) => {
        impl Default for $type {
            fn default() -> Self {
                // SAFETY: zeros are a value of every field, as above.
                unsafe { std::mem::zeroed() }
            }
        }
    };
}

/// A union is the words that hold it. Each member reads them as its own type, and writes itself over their beginning.
macro_rules! views {
    ($type:ident; $($member:ident $set:ident: $view:ty,)*) => {
        impl $type {
            $(
                pub fn $member(&self) -> $view {
                    const { assert!(size_of::<$view>() <= size_of::<$type>()) };
                    // SAFETY: the words are at least as long as the view, of which any bit pattern is a value.
                    unsafe { (&raw const self.0).cast::<$view>().read_unaligned() }
                }
                pub fn $set(&mut self, value: $view) {
                    // SAFETY: as above.
                    unsafe { (&raw mut self.0).cast::<$view>().write_unaligned(value) };
                }
            )*
        }
    };
}

/// Refuses to compile a structure whose layout is not that of C.
macro_rules! layout {
    ($type:ident: $size:literal bytes, $align:literal aligned; $($fields:tt)*) => {
        const _: () = assert!(size_of::<$type>() == $size && align_of::<$type>() == $align);
        $crate::structure::layout! { $type: $($fields)* }
    };
    ($type:ident: $($field:ident $offset:literal),*) => {
        const _: () = assert!(true $(&& std::mem::offset_of!($type, $field) == $offset)*);
    };
}

pub(crate) use {layout, views, zeroed};
