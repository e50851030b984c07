//! The modifiers of an instruction: what they do to sources and results.

use amdgpu_isa::meaning::{Expr, Formula, Source};
use amdgpu_isa::{Field, Format, Inst};

use crate::bits::Bits;
use crate::compute::{self, Lanes};
use crate::error::EvalError;
use crate::float::{Number, Rules};
use crate::{shape, words};

/// The fields of an instruction that are modifiers; 0 where it has none.
pub struct Modifiers {
    neg: u32,
    abs: u32,
    neg_hi: u32,
    op_sel: u32,
    op_sel_hi: Option<u32>,
    pub clamp: bool,
    /// What the output modifier multiplies by.
    factor: Option<f64>,
    sdwa: Option<Sdwa>,
    packed: bool,
    /// Which lane each lane's first source comes from; `None`: its own.
    lanes: Option<[Option<u8>; 64]>,
    /// The lanes that are written although their source is none.
    bound_ctrl: bool,
    fetch_inactive: bool,
    /// Rows and banks that are written.
    masks: Option<(u32, u32)>,
    /// The byte of the destination that is written.
    pub byte_sel: u32,
    /// For each lane of the first two sources that a formula names, the lane that is read; `None`: that one.
    source_lanes: [Option<Vec<usize>>; 2],
    /// Whether the third source is added to a product of matrices: neg_lo is its sign, and neg_hi its absolute value.
    is_sum: bool,
}

struct Sdwa {
    destination: Selected,
    rest: Rest,
    sources: [Selected; 2],
    sext: [bool; 2],
}

impl Sdwa {
    fn of(inst: &Inst) -> Result<Sdwa, EvalError> {
        Ok(Sdwa {
            destination: selected(inst, Field::DstSel)?,
            rest: match word(inst, "dst_unused", Field::DstUnused)? {
                Some("UNUSED_SEXT") => Rest::Sign,
                Some("UNUSED_PRESERVE") => Rest::Kept,
                _ => Rest::Zero,
            },
            sources: [selected(inst, Field::Src0Sel)?, selected(inst, Field::Src1Sel)?],
            sext: [Field::Src0Sext, Field::Src1Sext].map(|field| inst.get(field) == Some(1)),
        })
    }
}

/// What is in a register beside the part that SDWA writes.
enum Rest {
    Zero,
    /// The sign of the part above it, and 0 below it.
    Sign,
    Kept,
}

/// A part that SDWA selects: its lowest bit, and its width.
type Selected = (u32, u32);

/// The part that a field selects, such as `WORD_1`; all of it if the instruction lacks the field.
fn selected(inst: &Inst, field: Field) -> Result<Selected, EvalError> {
    let Some(part) = word(inst, "sdwa_sel", field)? else { return Ok((0, 32)) };
    let (width, n) = match part.split_once('_') {
        Some(("BYTE", n)) => (8, n),
        Some(("WORD", n)) => (16, n),
        _ => (32, "0"),
    };
    Ok((width * n.parse::<u32>().map_err(|_| EvalError::Modifier(field))?, width))
}

/// The word for the value of a field; `None` if the instruction lacks the field.
fn word(inst: &Inst, set: &str, field: Field) -> Result<Option<&'static str>, EvalError> {
    let Some(value) = inst.get(field) else { return Ok(None) };
    words::of(inst.target(), set, value).map(Some).ok_or(EvalError::Modifier(field))
}

/// What the output modifier multiplies by, such as `mul:4`; `None` if it does nothing.
fn factor(inst: &Inst) -> Result<Option<f64>, EvalError> {
    let unknown = EvalError::Modifier(Field::Omod);
    let Some(value) = inst.get(Field::Omod).filter(|&value| value != 0) else { return Ok(None) };
    let (operator, n) = words::of(inst.target(), "omod", value).and_then(|word| word.split_once(':')).ok_or(unknown)?;
    let n = n.parse::<f64>().map_err(|_| EvalError::Modifier(Field::Omod))?;
    Ok(Some(if operator == "div" { 1.0 / n } else { n }))
}

impl Modifiers {
    /// The modifiers of an instruction, or of one of its two operations.
    pub fn of(inst: &Inst, half: Option<char>, lanes: usize) -> Result<Modifiers, EvalError> {
        let get = |field| inst.get(field).unwrap_or(0);
        let has = |format| inst.extension() == Some(format);
        let bit = |field, n: u32| (get(field) & 1) << n;
        let packed = inst.get(Field::OpSelHi).is_some();
        let is_sdwa = has(Format::Sdwa) || has(Format::Sdwab);
        let per_source = is_sdwa || has(Format::Dpp) && inst.get(Field::Neg).is_none();
        let (neg, abs) = if per_source {
            (bit(Field::Src0Neg, 0) | bit(Field::Src1Neg, 1), bit(Field::Src0Abs, 0) | bit(Field::Src1Abs, 1))
        } else {
            // Each operation of a pair has a field of its own.
            let neg = match half {
                None if inst.blgp_negates() => Field::Blgp,
                None => Field::Neg,
                Some('x') => Field::Negx,
                Some(_) => Field::Negy,
            };
            (get(neg), get(Field::Abs))
        };
        let mut modifiers = Modifiers {
            neg,
            abs,
            neg_hi: get(Field::NegHi),
            op_sel: get(Field::OpSel),
            op_sel_hi: inst.get(Field::OpSelHi),
            clamp: get(Field::Clamp) == 1,
            // The truth table of an operation on bits is in the same field.
            factor: if inst.truth_table().is_some() { None } else { factor(inst)? },
            sdwa: if is_sdwa { Some(Sdwa::of(inst)?) } else { None },
            packed,
            lanes: None,
            bound_ctrl: get(Field::BoundCtrl) == 1,
            fetch_inactive: get(Field::Fi) == 1,
            masks: has(Format::Dpp).then(|| (get(Field::RowMask), get(Field::BankMask))),
            source_lanes: [source_lanes(inst, 0, lanes)?, source_lanes(inst, 1, lanes)?],
            // NEG_HI of C is its absolute value (RDNA4 ISA, 7.12).
            is_sum: is_product(inst),
            byte_sel: inst.get(Field::ByteSel).unwrap_or(get(Field::OpSel) >> 2),
        };
        if has(Format::Dpp) {
            modifiers.lanes = Some(controlled(inst, get(Field::DppCtrl), lanes)?);
        } else if has(Format::Dpp8) {
            let sel = get(Field::Sel);
            let from = |lane: usize| Some((lane & !7 | (sel >> (3 * (lane & 7)) & 7) as usize) as u8);
            modifiers.lanes = Some(std::array::from_fn(from));
            // Lanes that are off read as 0, unless they are fetched.
            modifiers.bound_ctrl = true;
            modifiers.fetch_inactive = fetches_inactive(inst);
        }
        Ok(modifiers)
    }

    /// The lane in which source `n` is read where the formula names this one.
    pub fn lane_read(&self, n: usize, lane: usize) -> usize {
        let lanes = self.source_lanes.get(n).and_then(Option::as_ref);
        lanes.and_then(|lanes| lanes.get(lane)).copied().unwrap_or(lane)
    }

    /// The lane from which a source comes; `Err` if the lane is not written for lack of a source, `Ok(None)` if the
    /// source is 0.
    pub fn source_lane(&self, lane: usize, exec: u64) -> Result<Option<usize>, ()> {
        let Some(lanes) = &self.lanes else { return Ok(Some(lane)) };
        match lanes[lane % 64] {
            Some(from) if exec >> from & 1 == 1 || self.fetch_inactive => Ok(Some(from.into())),
            _ if self.bound_ctrl => Ok(None),
            _ => Err(()),
        }
    }

    /// Whether the masks of DPP leave the lane out.
    pub fn leaves_out(&self, lane: usize) -> bool {
        let Some((rows, banks)) = self.masks else { return false };
        rows >> (lane / 16) & 1 == 0 || banks >> (lane / 4 % 4) & 1 == 0
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

    /// The position of an element of `width` bits of source `n`, which has `len` bits, or of its 16 lowest bits.
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

    /// Whether source `n`, a half of a register, is its upper one.
    pub fn takes_high(&self, n: usize) -> bool {
        !self.packed && self.op_sel >> n & 1 == 1
    }

    /// A float of source `n` with its sign changed.
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

    /// Which half, or whole register, source `n` is for mixed precision: `None` if it is whole.
    pub fn mixed(&self, n: usize) -> Option<u32> {
        let whole = self.op_sel_hi.unwrap_or(0) >> n & 1 == 0;
        (!whole).then(|| self.op_sel >> n & 1)
    }

    /// A float of mixed precision with its sign changed: `neg_hi` is its absolute value.
    pub fn mixed_sign(&self, n: usize, number: Number) -> Number {
        let number = if self.neg_hi >> n & 1 == 1 { number.abs() } else { number };
        if self.neg >> n & 1 == 1 { number.negate() } else { number }
    }

    /// Whether the factor is signed, for operations in which `neg` says so.
    pub fn is_signed(&self, n: usize) -> bool {
        self.neg >> n & 1 == 1
    }

    /// A float result with the output modifier and the clamp.
    pub fn result(&self, number: Number, flushes: bool, rules: &Rules) -> Number {
        let mut number = number;
        let applies = flushes || !rules.of(number.ty).keeps_results;
        if let Some(factor) = self.factor.filter(|_| applies && !number.is_nan()) {
            let scaled = number.multiply(Number::from_double(number.ty, factor), rules).unwrap_or(number).flush();
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

    /// The bits of a 16-bit result in a register: the position of the half that is written.
    pub fn half_written(&self) -> u32 {
        if !self.packed && self.op_sel >> 3 & 1 == 1 { 16 } else { 0 }
    }

    /// The register after a result of SDWA: the result goes to the part that it selects.
    pub fn place(&self, result: u32, old: u32) -> u32 {
        let Some(sdwa) = &self.sdwa else { return result };
        let (first, width) = sdwa.destination;
        if width == 32 {
            return result;
        }
        let mask = (1u32 << width) - 1;
        let part = (result & mask) << first;
        match sdwa.rest {
            Rest::Sign => {
                let sign = part >> (first + width - 1) & 1 == 1;
                let above = u32::MAX.checked_shl(first + width).unwrap_or(0);
                part | if sign { above } else { 0 }
            }
            Rest::Kept => old & !(mask << first) | part,
            Rest::Zero => part,
        }
    }

    /// Whether a result goes to a part of a register, which SDWA selects.
    pub fn has_parts(&self) -> bool {
        self.sdwa.as_ref().is_some_and(|sdwa| sdwa.destination.1 < 32)
    }
}

/// Whether the operation multiplies matrices.
pub fn is_product(inst: &Inst) -> bool {
    inst.flags().is_mfma() || inst.flags().is_smfmac()
}

/// For each lane of source `n` that a formula names, the lane that is read; `None` if that is always the one that is
/// named.
fn source_lanes(inst: &Inst, n: u8, lanes: usize) -> Result<Option<Vec<usize>>, EvalError> {
    let Some(text) = inst.source_lane(n) else { return Ok(None) };
    let value = Formula::read_value(text).map_err(EvalError::Syntax)?;
    let one = |lane| {
        let read = compute::lane(&value, &Lanes { inst: Some(inst), lane, lanes, n: 0 })?;
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

/// Whether DPP8 reads lanes that are off: the first source of the base format says so.
fn fetches_inactive(inst: &Inst) -> bool {
    let mut fields = inst.fields().filter(|held| held.format == inst.format());
    fields.any(|held| held.info.field == Field::Src0 && held.value & 0xff == DPP8_FETCHES)
}

/// The code that announces DPP8 with lanes that are off.
const DPP8_FETCHES: u32 = 234;

/// The lane that each lane reads with a control of DPP.
fn controlled(inst: &Inst, control: u32, lanes: usize) -> Result<[Option<u8>; 64], EvalError> {
    let (text, n) = inst.target().dpp_lane(control).ok_or(EvalError::Modifier(Field::DppCtrl))?;
    let value = Formula::read_value(text).map_err(EvalError::Syntax)?;
    let mut from = [None; 64];
    for (lane, from) in from.iter_mut().enumerate().take(lanes) {
        let source = compute::lane(&value, &Lanes { inst: None, lane, lanes, n: n.into() })?;
        *from = u8::try_from(source).ok().filter(|&source| usize::from(source) < lanes);
    }
    Ok(from)
}
