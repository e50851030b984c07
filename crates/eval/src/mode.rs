//! The MODE register's parts that change results.

use rustc_apfloat::Round;

/// Rounding and denormals of floats of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatMode {
    pub(crate) round: Round,
    /// Whether denormal sources are kept; else they are zero.
    pub keeps_sources: bool,
    /// Whether denormal results are kept; else they are zero.
    pub keeps_results: bool,
}

impl FloatMode {
    /// To the nearest, with denormals.
    pub const DEFAULT: FloatMode =
        FloatMode { round: Round::NearestTiesToEven, keeps_sources: true, keeps_results: true };
}

/// The mode in which a wave computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Of floats of 32 bits.
    pub single: FloatMode,
    /// Of floats of 16 and of 64 bits.
    pub other: FloatMode,
    /// DX10_CLAMP: `clamp` makes 0 of NaN.
    pub clamps_nan: bool,
    /// FP16_OVFL: what is too large for 8 bits becomes the largest number, not infinity or NaN.
    pub saturates: bool,
}

impl Default for Mode {
    fn default() -> Mode {
        Mode { single: FloatMode::DEFAULT, other: FloatMode::DEFAULT, clamps_nan: true, saturates: false }
    }
}

impl FloatMode {
    /// The mode of products of matrices: to the nearest; `keeps`: with denormal numbers, whatever MODE says.
    pub(crate) fn of_product(self, keeps: bool) -> FloatMode {
        if keeps { FloatMode::DEFAULT } else { FloatMode { round: FloatMode::DEFAULT.round, ..self } }
    }
}

/// A word of a mode that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMode(pub String);

impl Mode {
    /// Changes the mode by a word such as `round=ne` (`ne`, `up`, `down`, `zero`) or `denorm=keep` (`keep`, `flush`,
    /// `flush-in`, `flush-out`). With `round32`, `round64`, `denorm32` and `denorm64` only floats of 32 bits, or only
    /// others.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), UnknownMode> {
        let unknown = || UnknownMode(format!("{key}={value}"));
        let (what, size) = match key.strip_suffix("32").or_else(|| key.strip_suffix("64")) {
            Some(what) => (what, Some(key.ends_with("32"))),
            None => (key, None),
        };
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
            "dx10_clamp" if ["0", "1"].contains(&value) => {
                self.clamps_nan = value == "1";
                return Ok(());
            }
            "fp16_ovfl" if ["0", "1"].contains(&value) => {
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
