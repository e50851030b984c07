//! The fields of the MODE register that change results.

use rustc_apfloat::Round;

/// The rounding and the denormals of floats of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatMode {
    pub(crate) round: Round,
    /// Whether denormal sources are kept; else they are replaced by zero.
    pub keeps_sources: bool,
    /// Whether denormal results are kept; else they are replaced by zero.
    pub keeps_results: bool,
}

impl FloatMode {
    /// Rounding to the nearest number (of two equally near ones, to the even one), with denormals kept.
    pub const DEFAULT: FloatMode =
        FloatMode { round: Round::NearestTiesToEven, keeps_sources: true, keeps_results: true };
}

/// The mode in which a wave computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The mode of floats of 32 bits.
    pub single: FloatMode,
    /// The mode of floats of 16 and of 64 bits.
    pub other: FloatMode,
    /// DX10_CLAMP: whether `clamp` replaces NaN by 0.
    pub clamps_nan: bool,
    /// FP16_OVFL: whether a number that is too large for 8 bits becomes the largest one instead of infinity or NaN.
    pub saturates: bool,
}

impl Default for Mode {
    fn default() -> Mode {
        Mode { single: FloatMode::DEFAULT, other: FloatMode::DEFAULT, clamps_nan: true, saturates: false }
    }
}

impl FloatMode {
    /// The mode of matrix products, which round to the nearest. `keeps`: whether they keep denormals, whatever MODE
    /// says.
    pub(crate) fn of_product(self, keeps: bool) -> FloatMode {
        if keeps { FloatMode::DEFAULT } else { FloatMode { round: FloatMode::DEFAULT.round, ..self } }
    }
}

/// A setting of a mode that is not known, as `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMode(pub String);

impl Mode {
    /// Changes a setting of the mode: `round` to `ne`, `up` (also `pi`, `p`), `down` (`ni`, `n`) or `zero` (`z`),
    /// `denorm` to `keep`, `flush`, `flush-in` or `flush-out`, `dx10_clamp` or `fp16_ovfl` to `0` or `1`. `round32` and
    /// `denorm32` are only for floats of 32 bits, and `round64` and `denorm64` only for floats of 16 and 64 bits. Other
    /// keys and values are errors.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), UnknownMode> {
        let unknown = || UnknownMode(format!("{key}={value}"));
        let (what, size) = match key.strip_suffix("32").or_else(|| key.strip_suffix("64")) {
            Some(what) => (what, Some(key.ends_with("32"))),
            None => (key, None),
        };
        let is_all = size.is_none();
        let change: Box<dyn Fn(&mut FloatMode)> = match what {
            "round" => {
                let round = match value {
                    "ne" => Round::NearestTiesToEven,
                    "up" | "pi" | "p" => Round::TowardPositive,
                    "down" | "ni" | "n" => Round::TowardNegative,
                    "zero" | "z" => Round::TowardZero,
                    _ => return Err(unknown()),
                };
                Box::new(move |mode| mode.round = round)
            }
            "denorm" => {
                let (sources, results) = match value {
                    "keep" => (true, true),
                    "flush" => (false, false),
                    "flush-in" => (false, true),
                    "flush-out" => (true, false),
                    _ => return Err(unknown()),
                };
                Box::new(move |mode| (mode.keeps_sources, mode.keeps_results) = (sources, results))
            }
            "dx10_clamp" if is_all && ["0", "1"].contains(&value) => {
                self.clamps_nan = value == "1";
                return Ok(());
            }
            "fp16_ovfl" if is_all && ["0", "1"].contains(&value) => {
                self.saturates = value == "1";
                return Ok(());
            }
            _ => return Err(unknown()),
        };
        if size != Some(false) {
            change(&mut self.single);
        }
        if size != Some(true) {
            change(&mut self.other);
        }
        Ok(())
    }
}
