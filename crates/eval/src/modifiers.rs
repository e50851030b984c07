//! The modifiers of an instruction, and their effects on sources and results.

use amdgpu_isa::meaning::{Expr, Formula, Part, Place, Source};
use amdgpu_isa::{Field, Inst};

use crate::bits::Bits;
use crate::compute::{self, Names, Value};
use crate::error::EvalError;
use crate::float::{Number, Rules};
use crate::formats::Formats;
use crate::wave::LANES;
use crate::{shape, words};

/// The fields of an instruction that are modifiers; 0 for a missing field.
pub struct Modifiers {
    neg: u32,
    abs: u32,
    neg_hi: u32,
    op_sel: u32,
    op_sel_hi: Option<u32>,
    pub clamp: bool,
    /// The formula of the output modifier for a result.
    factor: Option<Expr>,
    sdwa: Option<Sdwa>,
    packed: bool,
    /// The lane from which the first source of each lane comes; `None`: the same lane.
    lanes: Option<[Option<u8>; LANES]>,
    /// Whether a lane for which DPP finds no source lane is written, with 0 as the source.
    bound_ctrl: bool,
    fetch_inactive: bool,
    /// The lanes that the masks of DPP leave out.
    left_out: Option<[bool; LANES]>,
    /// The byte of the destination that is written.
    pub byte_sel: u32,
    /// For the first two sources, the lane that is read for each lane that a formula names; `None`: the same lane.
    source_lanes: [Option<Vec<usize>>; 2],
    pub formats: Formats,
    /// Whether the third source is added to a matrix product: `neg_lo` changes its sign, and `neg_hi` takes its
    /// absolute value.
    is_sum: bool,
}

struct Sdwa {
    destination: Selected,
    /// The formula for the whole register after the result is written to a part of it.
    rest: Option<Expr>,
    sources: [Selected; 2],
    sext: [bool; 2],
}

impl Sdwa {
    fn of(inst: &Inst) -> Result<Sdwa, EvalError> {
        Ok(Sdwa {
            destination: selected(inst, Field::DstSel)?,
            rest: words::meaning(inst, "dst_unused", Field::DstUnused)?,
            sources: [selected(inst, Field::Src0Sel)?, selected(inst, Field::Src1Sel)?],
            sext: [Field::Src0Sext, Field::Src1Sext].map(|field| inst.get(field) == Some(1)),
        })
    }
}

/// A part of a register that SDWA selects: its lowest bit, and its width.
type Selected = (u32, u32);

/// The part of a register that a field selects, such as `S0[31:16]`; all of it if the instruction lacks the field.
fn selected(inst: &Inst, field: Field) -> Result<Selected, EvalError> {
    let bit = |expr| u32::try_from(compute::number(expr, &Names::default())?).map_err(|_| EvalError::Modifier(field));
    match words::meaning(inst, "sdwa_sel", field)? {
        None => Ok((0, u32::BITS)),
        Some(Expr::Place(Place { part: Part::Bits(high, low), .. })) => Ok((bit(&low)?, bit(&high)? + 1 - bit(&low)?)),
        Some(_) => Err(EvalError::Modifier(field)),
    }
}

/// The formula of the output modifier for a result; `None` if it does nothing.
fn factor(inst: &Inst) -> Result<Option<Expr>, EvalError> {
    if inst.get(Field::Omod) == Some(0) { Ok(None) } else { words::meaning(inst, "omod", Field::Omod) }
}

impl Modifiers {
    /// The modifiers of an instruction, or of one of its two operations.
    pub fn of(inst: &Inst, half: Option<char>, lanes: usize) -> Result<Modifiers, EvalError> {
        let get = |field| inst.get(field).unwrap_or(0);
        let has = |field| inst.get(field).is_some();
        let bit = |field, n: u32| (get(field) & 1) << n;
        let (neg, abs) = if has(Field::Src0Neg) && !has(Field::Neg) {
            (bit(Field::Src0Neg, 0) | bit(Field::Src1Neg, 1), bit(Field::Src0Abs, 0) | bit(Field::Src1Abs, 1))
        } else {
            // Each operation of a dual instruction has a field of its own.
            let neg = match half {
                None if inst.blgp_negates() => Field::Blgp,
                None => Field::Neg,
                Some('x') => Field::Negx,
                Some(_) => Field::Negy,
            };
            (get(neg), get(Field::Abs))
        };
        Ok(Modifiers {
            neg,
            abs,
            neg_hi: get(Field::NegHi),
            op_sel: get(Field::OpSel),
            op_sel_hi: inst.get(Field::OpSelHi),
            clamp: get(Field::Clamp) == 1,
            // A truth table takes the place of the output modifier.
            factor: if inst.truth_table().is_some() { None } else { factor(inst)? },
            sdwa: if has(Field::Src0Sel) { Some(Sdwa::of(inst)?) } else { None },
            packed: has(Field::OpSelHi),
            lanes: moved(inst, lanes)?,
            // With DPP8, lanes that are off read as 0, unless they are fetched.
            bound_ctrl: get(Field::BoundCtrl) == 1 || has(Field::Sel),
            fetch_inactive: inst.reads_disabled_lanes(),
            left_out: left_out(inst, lanes)?,
            source_lanes: [source_lanes(inst, 0, lanes)?, source_lanes(inst, 1, lanes)?],
            // NEG_HI takes the absolute value of C (RDNA4 ISA, 7.12).
            is_sum: is_product(inst),
            byte_sel: inst.get(Field::ByteSel).unwrap_or(get(Field::OpSel) >> 2),
            formats: Formats::of(inst),
        })
    }

    /// The lane in which source `n` is read if the formula names the lane `lane`.
    pub fn lane_read(&self, n: usize, lane: usize) -> usize {
        let lanes = self.source_lanes.get(n).and_then(Option::as_ref);
        lanes.and_then(|lanes| lanes.get(lane)).copied().unwrap_or(lane)
    }

    /// The lane from which DPP takes a source; `Ok(None)` if the source is 0, `Err` if there is no source lane, so that
    /// `lane` is not written.
    pub fn source_lane(&self, lane: usize, exec: u64) -> Result<Option<usize>, ()> {
        let Some(lanes) = &self.lanes else { return Ok(Some(lane)) };
        match lanes[lane % LANES] {
            Some(from) if exec >> from & 1 == 1 || self.fetch_inactive => Ok(Some(from.into())),
            _ if self.bound_ctrl => Ok(None),
            _ => Err(()),
        }
    }

    /// Whether the masks of DPP leave the lane out.
    pub fn leaves_out(&self, lane: usize) -> bool {
        self.left_out.is_some_and(|left_out| left_out[lane % LANES])
    }

    /// The bits of source `n`, as SDWA selects them.
    pub fn select(&self, n: usize, bits: Bits) -> Bits {
        let Some(sdwa) = self.sdwa.as_ref().filter(|_| n < 2) else { return bits };
        let (first, width) = sdwa.sources[n];
        let part = bits.get(first, width);
        let extended =
            if sdwa.sext[n] && width < 32 && part >> (width - 1) & 1 == 1 { part | (u128::MAX << width) } else { part };
        Bits(vec![extended as u32])
    }

    /// The first bit of an element of `width` bits of source `n`, which has `len` bits. `half`: whether OP_SEL chooses
    /// a half if there is no element.
    pub fn first_bit(&self, n: usize, element: Option<u32>, width: u32, len: u32, half: bool) -> u32 {
        let chosen = |sel: u32, element: u32| if element < 2 { (sel >> n & 1) * width } else { element * width };
        match (element, self.op_sel_hi) {
            // The two elements of a packed source.
            (Some(element @ 0..=1), Some(high)) if width * 2 == len => {
                chosen(if element == 0 { self.op_sel } else { high }, element)
            }
            (Some(element), _) => element * width,
            (None, None) if width == 16 && half => chosen(self.op_sel, 0),
            _ => 0,
        }
    }

    /// Whether source `n`, a half of a register, is the upper half.
    pub fn takes_high(&self, n: usize) -> bool {
        !self.packed && self.op_sel >> n & 1 == 1
    }

    /// A float of source `n` after the modifiers of its sign.
    pub fn signed(&self, n: usize, element: Option<u32>, number: Number) -> Number {
        let bit = |bits: u32| bits >> n & 1 == 1;
        if self.is_sum && n == 2 {
            let number = if bit(self.neg_hi) { number.abs() } else { number };
            return if bit(self.neg) { number.negate() } else { number };
        }
        if self.packed {
            let negated = if element.is_some_and(|e| e % 2 == 1) { bit(self.neg_hi) } else { bit(self.neg) };
            return if negated { number.negate() } else { number };
        }
        let number = if bit(self.abs) { number.abs() } else { number };
        if bit(self.neg) { number.negate() } else { number }
    }

    /// The half of a register from which an operation with mixed precision reads source `n`: 0 or 1; `None` if the
    /// source is a whole register.
    pub fn mixed(&self, n: usize) -> Option<u32> {
        let whole = self.op_sel_hi.unwrap_or(0) >> n & 1 == 0;
        (!whole).then(|| self.op_sel >> n & 1)
    }

    /// A float of mixed precision after the modifiers of its sign: `neg_hi` takes its absolute value.
    pub fn mixed_sign(&self, n: usize, number: Number) -> Number {
        let number = if self.neg_hi >> n & 1 == 1 { number.abs() } else { number };
        if self.neg >> n & 1 == 1 { number.negate() } else { number }
    }

    /// Whether the integers of source `n` are signed, for operations in which `neg` says so.
    pub fn is_signed(&self, n: usize) -> bool {
        self.neg >> n & 1 == 1
    }

    /// A float result after the output modifier and the clamp. `flushes`: whether the output modifier works in all
    /// modes.
    pub fn result(&self, number: Number, flushes: bool, rules: &Rules) -> Number {
        let mut number = number;
        let applies = flushes || !rules.of(number.ty).keeps_results;
        if let Some(factor) = self.factor.as_ref().filter(|_| applies && !number.is_nan()) {
            let names = Names { number: Some(number), ..Names::default() };
            let scaled = match compute::named(factor, &names, rules) {
                Ok(Value::Float(scaled)) => scaled.flush(),
                _ => number.flush(),
            };
            number = if scaled.is_zero() { scaled.abs() } else { scaled };
        }
        if !self.clamp {
            return number;
        }
        if number.is_nan() {
            return if rules.mode.clamps_nan { Number { bits: 0, ..number } } else { number };
        }
        let one = Number::from_double(number.ty, 1.0);
        if number.is_negative() {
            Number { bits: 0, ..number }
        } else if number.compare(one, rules) == Some(std::cmp::Ordering::Greater) {
            one
        } else {
            number
        }
    }

    /// The first bit of the half of a register to which a 16-bit result is written.
    pub fn half_written(&self) -> u32 {
        if !self.packed && self.op_sel >> 3 & 1 == 1 { 16 } else { 0 }
    }

    /// The register after SDWA has written a result to the part that it selects.
    pub fn place(&self, result: u32, old: u32) -> Result<u32, EvalError> {
        let Some(sdwa) = &self.sdwa else { return Ok(result) };
        let (first, width) = sdwa.destination;
        if width == u32::BITS {
            return Ok(result);
        }
        let mask = ((1u32 << width) - 1) << first;
        let bits = result << first & mask;
        match &sdwa.rest {
            Some(rest) => Ok(compute::number(rest, &Names { bits, old, mask, ..Names::default() })? as u32),
            None => Ok(bits),
        }
    }

    /// Whether SDWA writes the result to only a part of a register.
    pub fn has_parts(&self) -> bool {
        self.sdwa.as_ref().is_some_and(|sdwa| sdwa.destination.1 < 32)
    }
}

/// Whether the instruction multiplies matrices.
pub fn is_product(inst: &Inst) -> bool {
    inst.flags().is_mfma() || inst.flags().is_smfmac()
}

/// The lane of source `n` that is read for each lane that a formula names; `None` if it is always the same lane.
fn source_lanes(inst: &Inst, n: u8, lanes: usize) -> Result<Option<Vec<usize>>, EvalError> {
    let Some(text) = inst.source_lane(n) else { return Ok(None) };
    let value = Formula::read_value(text).map_err(EvalError::Syntax)?;
    let one = |lane| {
        let read = compute::number(&value, &Names { inst: Some(inst), lane, lanes, ..Names::default() })?;
        usize::try_from(read).map_err(|_| named_field(&value, inst).map_or(EvalError::Operand, EvalError::Modifier))
    };
    (0..lanes).map(one).collect::<Result<_, _>>().map(Some)
}

/// A field that a formula names and whose value is not 0.
fn named_field(value: &Expr, inst: &Inst) -> Option<Field> {
    let is_named = |source| shape::any(value, &|place| place.source == source);
    let mut fields = Source::NAMED.into_iter().filter_map(|(_, source)| match source {
        Source::Field(name) if is_named(source) => words::field(name),
        _ => None,
    });
    fields.find(|&field| inst.get(field) != Some(0))
}

/// The lane from which DPP or DPP8 takes the first source of each lane; `None` without them.
fn moved(inst: &Inst, lanes: usize) -> Result<Option<[Option<u8>; LANES]>, EvalError> {
    let (text, n) = match (inst.get(Field::DppCtrl), inst.get(Field::Sel)) {
        (Some(control), _) => inst.target().dpp_lane(control).ok_or(EvalError::Modifier(Field::DppCtrl))?,
        (None, Some(sel)) => (inst.field_meaning(Field::Sel).ok_or(EvalError::Modifier(Field::Sel))?, sel),
        (None, None) => return Ok(None),
    };
    let from = in_lanes(text, n, lanes)?;
    let lane = |from: i128| u8::try_from(from).ok().filter(|&from| usize::from(from) < lanes);
    Ok(Some(from.map(lane)))
}

/// The lanes that the masks of DPP leave out; `None` if there are no masks.
fn left_out(inst: &Inst, lanes: usize) -> Result<Option<[bool; LANES]>, EvalError> {
    let mut all = None;
    for field in [Field::RowMask, Field::BankMask] {
        let (Some(text), Some(mask)) = (inst.field_meaning(field), inst.get(field)) else { continue };
        let written = in_lanes(text, mask, lanes)?;
        let left_out = all.get_or_insert([false; LANES]);
        for (left_out, written) in left_out.iter_mut().zip(written) {
            *left_out |= written == 0;
        }
    }
    Ok(all)
}

/// The value of a formula in each lane, for the value `n` of a field; 0 in lanes that the wave lacks.
fn in_lanes(text: &str, n: u32, lanes: usize) -> Result<[i128; LANES], EvalError> {
    let formula = Formula::read_value(text).map_err(EvalError::Syntax)?;
    let mut all = [0; LANES];
    for (lane, value) in all.iter_mut().enumerate().take(lanes) {
        *value = compute::number(&formula, &Names { lane, lanes, n: n.into(), ..Names::default() })?;
    }
    Ok(all)
}

/// Whether DPP or DPP8 moves the first source between lanes.
pub fn moves(inst: &Inst) -> bool {
    inst.get(Field::DppCtrl).is_some() || inst.field_meaning(Field::Sel).is_some()
}
