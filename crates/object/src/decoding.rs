//! The target for which code is decoded: the one that the file states, unless the caller names it.

use core::fmt;

use amdgpu_isa::Target;

use crate::{Image, TargetId};

/// The reason why code is not decoded. As text it begins with a verb: the subject is the code object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetError {
    /// The code object is for another target than the wanted one.
    Other {
        /// The target that the code object states.
        stated: TargetId,
        /// The wanted target.
        wanted: Target,
    },
    /// This build cannot decode the target that the code object states.
    Unsupported(TargetId),
    /// The code object has the number of a processor that the library does not know.
    UnknownProcessor(u8),
    /// The code object states no target.
    Unstated,
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetError::Other { stated, wanted } => write!(f, "holds {stated}, not {}", wanted.name()),
            TargetError::Unsupported(id) => write!(f, "holds {id}, which this build cannot decode"),
            TargetError::UnknownProcessor(number) => {
                write!(f, "is for processor {number:#x}, which this build does not know")
            }
            TargetError::Unstated => f.write_str("does not say which target it is for"),
        }
    }
}

impl core::error::Error for TargetError {}

/// The target for which code is decoded. `stated` and `unknown`: the file's statements, as [`Image::target`] and
/// [`Image::unknown_processor`] have them; `wanted`: the target that the caller names, if any. `wanted` decides the
/// wave size, and must have the instructions of the stated processor.
///
/// # Errors
/// `wanted` has other instructions than the target that the file states; or `wanted` is `None`, and the file states no
/// target that this build can decode.
pub fn decoding_target(
    stated: Option<&TargetId>,
    unknown: Option<u8>,
    wanted: Option<Target>,
) -> Result<Target, TargetError> {
    match (stated, wanted) {
        (Some(stated), wanted) => {
            let known: Option<Target> = stated.processor.parse().ok();
            match (known, wanted) {
                (Some(known), Some(wanted)) if known.processor() == wanted.processor() => Ok(wanted),
                (_, Some(wanted)) => Err(TargetError::Other { stated: stated.clone(), wanted }),
                (Some(known), None) => Ok(known),
                (None, None) => Err(TargetError::Unsupported(stated.clone())),
            }
        }
        (None, Some(wanted)) => Ok(wanted),
        (None, None) => Err(unknown.map_or(TargetError::Unstated, TargetError::UnknownProcessor)),
    }
}

impl Image<'_> {
    /// The target for which the code is decoded: the stated one, or `wanted` if the file states the same processor or
    /// none.
    ///
    /// ```
    /// use amdgpu_isa::Target;
    /// use amdgpu_object::{Error, Image, Part, TargetError, TargetId};
    /// let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
    /// amdgpu_object::visit(file, None, |part| {
    ///     if let Part::Image(image) = part {
    ///         assert_eq!(image.target_for(None), Ok(Target::Gfx942));
    ///     }
    ///     Ok::<(), Error>(())
    /// })?;
    /// let image = Image::bare(TargetId::parse("gfx1030"), 0, &[]);
    /// let error = TargetError::Other { stated: TargetId::parse("gfx1030"), wanted: Target::Gfx942 };
    /// assert_eq!(image.target_for(Some(Target::Gfx942)), Err(error));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`decoding_target`].
    pub fn target_for(&self, wanted: Option<Target>) -> Result<Target, TargetError> {
        decoding_target(self.target.as_ref(), self.unknown_processor, wanted)
    }
}
