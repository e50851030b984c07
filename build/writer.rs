//! Writes generated code to a string. This cannot fail.

use std::fmt::{Arguments, Write};

/// Text that generated code is added to.
pub trait Append {
    /// Adds formatted text.
    fn append(&mut self, text: Arguments<'_>);
}

impl Append for String {
    fn append(&mut self, text: Arguments<'_>) {
        self.write_fmt(text).expect("a string takes all text");
    }
}

/// Adds text to generated code, as `write!` does.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {{
        use $crate::build::writer::Append as _;
        $out.append(format_args!($($text)*))
    }};
}

/// Adds a line to generated code, as `writeln!` does.
macro_rules! putln {
    ($out:expr, $($text:tt)*) => {
        $crate::build::writer::put!($out, "{}\n", format_args!($($text)*))
    };
}

pub(crate) use {put, putln};
