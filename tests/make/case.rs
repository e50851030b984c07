//! One call of a constructor with random operands: its arguments, the expected text, and the same for the builder. A
//! broken case has one intentional fault.

mod kinds;

use amdgpu_isa::make::kind::Any;
use amdgpu_isa::make::{Argument, Builder, Op, ToArgument, a, float, int, literal, literal64, s, ttmp, v};
use amdgpu_isa::operands::Special;
use amdgpu_isa::{Field, Opcode, Reg, Target};

pub use crate::words::Rng;
use crate::words::has_even_tuples;

/// Classes of operands, as bits in the roster, the generated list of constructors (`make_roster.rs`).
const SGPR: u16 = 1;
const SYS: u16 = 2;
const TTMP: u16 = 4;
const M0: u16 = 8;
const EXEC: u16 = 16;
const INT: u16 = 32;
const RO: u16 = 64;
const FLOAT: u16 = 128;
const LITERAL: u16 = 256;
const LDS: u16 = 512;
const VGPR: u16 = 1024;
const AGPR: u16 = 2048;
const LITERAL64: u16 = 1 << 14;
const CLASSES: [u16; 13] = [SGPR, SYS, TTMP, M0, EXEC, INT, RO, FLOAT, LITERAL, LDS, VGPR, AGPR, LITERAL64];

/// An intentional fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Fault {
    /// A tuple that continues after the last register.
    PastTheEnd,
    Misaligned,
    /// A kind of operand that is not allowed.
    Class,
    /// A second literal.
    TwoLiterals,
    ConstantBus,
    /// An offset, a constant or the value of a modifier that does not fit.
    Range,
    /// A modifier for a source that does not have it.
    Source,
}
pub const FAULTS: [Fault; 7] = [
    Fault::PastTheEnd,
    Fault::Misaligned,
    Fault::Class,
    Fault::TwoLiterals,
    Fault::ConstantBus,
    Fault::Range,
    Fault::Source,
];

pub struct Case<'a> {
    pub rng: &'a mut Rng,
    pub target: Target,
    /// The fault to insert at the first opportunity.
    pub fault: Option<Fault>,
    /// Whether the fault has been inserted.
    pub broken: bool,
    /// Whether the case might be invalid for reasons that are not known in advance.
    pub doubtful: bool,
    pub builder: Builder,
    /// The text of each operand, with the name of its field.
    pub operands: Vec<(&'static str, String)>,
    pub modifiers: Vec<String>,
    /// Scalars read over the constant bus, and literals.
    bus: Vec<String>,
    literals: Vec<u32>,
    long_literals: Vec<u64>,
    vector: bool,
    /// Whether all data operands are AccVGPRs; otherwise none are.
    acc: bool,
    pub given_offset: Option<Argument>,
    /// The bits of op_sel that halves of registers decide, and their values.
    pub halves: (u8, u8),
    /// Whether the code of null has another meaning in the operand.
    no_null: bool,
    name: &'static str,
    /// Whether the width of the data includes the fail status.
    image: bool,
}

/// The field of a target with this name.
fn field(target: Target, name: &str) -> Field {
    let fields = target.layouts().iter().flat_map(|l| l.fields);
    fields.map(|f| f.field).find(|f| f.name() == name).unwrap_or_else(|| panic!("{target} has no field {name}"))
}

/// The text of a tuple of scalar registers that ends in VCC, such as `[s104,s105,vcc_lo,vcc_hi]`.
fn run_into_vcc(first: usize, registers: usize, n: usize) -> String {
    let name = |number: usize| match number.checked_sub(registers) {
        None => format!("s{number}"),
        Some(0) => "vcc_lo".to_string(),
        Some(_) => "vcc_hi".to_string(),
    };
    format!("[{}]", (first..first + n).map(name).collect::<Vec<_>>().join(","))
}

fn run(letter: &str, first: usize, n: usize) -> String {
    if n == 1 { format!("{letter}{first}") } else { format!("{letter}[{first}:{}]", first + n - 1) }
}

impl<'a> Case<'a> {
    pub fn new(
        target: Target,
        opcode: Opcode,
        vector: bool,
        implied: Option<&str>,
        fault: Option<Fault>,
        rng: &'a mut Rng,
    ) -> Case<'a> {
        let acc = rng.below(2) == 0;
        Case {
            rng,
            target,
            fault,
            broken: false,
            doubtful: false,
            builder: Builder::new(target, opcode),
            operands: Vec::new(),
            modifiers: Vec::new(),
            bus: implied.map(String::from).into_iter().collect(),
            name: opcode.name(),
            image: false,
            literals: Vec::new(),
            long_literals: Vec::new(),
            vector,
            acc,
            given_offset: None,
            halves: (0, 0),
            no_null: false,
        }
    }

    /// Begins the second operation of a dual instruction.
    pub fn begin_second(&mut self) {
        self.operands.clear();
        self.modifiers.clear();
        self.bus.clear();
        self.literals.clear();
        self.long_literals.clear();
    }

    pub fn coin(&mut self) -> bool {
        self.rng.below(2) == 0
    }

    /// Whether this fault is to be inserted now, which happens once.
    fn breaks(&mut self, fault: Fault) -> bool {
        let now = self.fault == Some(fault) && !self.broken && self.rng.below(3) != 0;
        self.broken |= now;
        now
    }

    pub fn give(&mut self, name: &'static str, argument: impl ToArgument, text: String) {
        self.builder = self.builder.set(field(self.target, name), argument);
        self.operands.push((name, text));
    }

    fn sgpr_last(&self) -> usize {
        match self.target.processor() {
            "gfx600" | "gfx700" => 103,
            name if name.starts_with("gfx1") => 105,
            _ => 101,
        }
    }

    /// Whether the generation is gfx9 or later: it has 16 trap registers, and registers that are only read.
    fn is_gfx9(&self) -> bool {
        ["gfx9", "gfx1"].iter().any(|start| self.target.name().starts_with(start))
    }

    /// The number of different scalars that the operation can read.
    fn scalars(&self) -> usize {
        let shifts = ["v_lshlrev_b64", "v_lshrrev_b64", "v_ashrrev_i64"];
        if self.target.name().starts_with("gfx1") && !shifts.contains(&self.name) { 2 } else { 1 }
    }

    /// The number of the first register of a tuple of `n`, in a file of `registers` registers; a wrong one if a fault
    /// asks for it.
    fn number(&mut self, registers: usize, n: usize, align: usize) -> usize {
        // The number is a multiple of the alignment, so that there is no second fault.
        let past = ((registers - n) / align + 1) * align;
        // If there are more than 256 vector registers, tuples may continue after v255.
        let ends = registers < 256 || self.target.vgprs() == 256;
        if past < 256 && ends && self.breaks(Fault::PastTheEnd) {
            return past;
        }
        if align > 1 && self.breaks(Fault::Misaligned) {
            return self.rng.below(((registers - n) / align).max(1)) * align + 1;
        }
        self.rng.below((registers - n) / align + 1) * align
    }

    fn vector_number(&mut self, n: usize) -> usize {
        // LLVM's validateVGPRAlign accepts any register for this operand.
        let any = ["ds_read_b96_tr_b6", "ds_load_tr6_b96", "global_load_tr6_b96"];
        let even = has_even_tuples(self.target) && !(n == 3 && any.contains(&self.name));
        let align = if n > 1 && even { 2 } else { 1 };
        // Tuples of 33 registers that continue past the end also begin at an even one.
        self.number(256, n, align)
    }

    /// An operand of one class, and its text.
    fn of_class<const N: usize>(&mut self, class: u16, ty: &str) -> (Op<Any, N>, String) {
        let special = |name: &str| {
            // The name of a pair lacks the suffix of the lower half.
            let known = |s: &&Special| s.name().strip_suffix("_lo").filter(|_| N == 2).unwrap_or(s.name()) == name;
            let special = Special::ALL.iter().find(known).expect("it has this name");
            (Op::from(Reg::Special(*special)), name.to_string())
        };
        match class {
            SGPR => {
                let n = self.sgpr_last() + 1;
                // Tuples may end in VCC, but the pair VCC is not a pair of numbered scalar registers.
                let vcc = if N > 2 && self.target.name().starts_with("gfx1") { 2 } else { 0 };
                let first = self.number(n + vcc, N, N.next_power_of_two().min(4));
                let text = if first + N <= n { run("s", first, N) } else { run_into_vcc(first, n, N) };
                (s::<N>(first as u8).any(), text)
            }
            TTMP => {
                let count = if self.is_gfx9() { 16 } else { 12 };
                let first = self.number(count, N, N.next_power_of_two().min(4));
                (ttmp::<N>(first as u8).any(), run("ttmp", first, N))
            }
            SYS if self.target.name().starts_with("gfx1") && !self.no_null && self.rng.below(4) == 0 => special("null"),
            SYS if N == 2 => special("vcc"),
            SYS if self.coin() => special("vcc_lo"),
            SYS => special("vcc_hi"),
            M0 => special("m0"),
            EXEC if N == 2 => special("exec"),
            EXEC if self.coin() => special("exec_lo"),
            EXEC => special("exec_hi"),
            RO if self.is_gfx9() && self.coin() => special("src_shared_base"),
            RO => special("src_scc"),
            LDS => special("src_lds_direct"),
            INT => {
                let value = self.rng.below(81) as i64 - 16;
                (int::<N>(value).any(), value.to_string())
            }
            FLOAT => {
                let value = self.rng.pick(&[0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0]);
                (float::<N>(value).any(), format!("{value:?}"))
            }
            LITERAL => {
                // An instruction cannot have literals of both 32 and 64 bits.
                self.doubtful |= !self.long_literals.is_empty();
                let value = match ty {
                    "f16" | "i16" | "bf16" | "b16" => 0x1234 + self.rng.below(0x100) as u32,
                    _ => 0x1234_5601 + self.rng.below(0x1000) as u32 * 2,
                };
                let value = *self.literals.first().unwrap_or(&value);
                self.literals.push(value);
                let wide = matches!(ty, "f64");
                let op = if self.coin() && !wide { int::<N>(value.into()).any() } else { literal::<N>(value).any() };
                (op, format!("{value:#x}"))
            }
            LITERAL64 => {
                self.doubtful |= !self.literals.is_empty();
                let value = 0x1234_5678_9abc_de00 + self.rng.below(0x100) as u64;
                let value = *self.long_literals.first().unwrap_or(&value);
                self.long_literals.push(value);

                let op = if self.coin() { int::<N>(value as i64).any() } else { literal64::<N>(value).any() };
                (op, format!("{value:#x}"))
            }
            VGPR => {
                let first = self.vector_number(N);
                (v::<N>(first as u8).any(), run("v", first, N))
            }
            _ => {
                let first = self.vector_number(N);
                (a::<N>(first as u8).any(), run("a", first, N))
            }
        }
    }

    /// An operand that can be of several kinds.
    pub fn op<const N: usize>(&mut self, name: &'static str, kind: &str) -> Op<Any, N> {
        let words: Vec<&str> = kind.split(' ').collect();
        let (mask, kind, bus, ty): (u16, _, _, _) =
            (words[0].parse().expect("a mask"), words[1], words[3] == "true", words[4]);
        // The only special registers of 64 bits here are VCC and EXEC, and wider operands are registers or constants.
        let exists = |class: &u16| match *class {
            SYS | EXEC => N <= 2,
            M0 | LDS => N == 1,
            RO => N == 1 || N == 2 && bus && ty != "bits",
            LITERAL64 => N == 2,
            LITERAL => N <= 2 && !["i16", "pk_i16"].contains(&ty) || N == 1,
            FLOAT => !(ty.contains("i16") || ty.starts_with("pk_i") || ty == "bits" && N == 1 && !bus),
            _ => true,
        };
        if self.breaks(Fault::Class) {
            let wrong: Vec<u16> = CLASSES
                .iter()
                .copied()
                .filter(|c| mask & c == 0 && ![LITERAL, LITERAL64, FLOAT, INT].contains(c))
                .collect();
            // A whole register at run time is taken for its lower half.
            let is_half = |c: &u16| kind == "half" && *c == VGPR;
            let wrong: Vec<u16> = wrong.into_iter().filter(|c| exists(c) && *c != RO && !is_half(c)).collect();
            if !wrong.is_empty() {
                let class = self.rng.pick(&wrong);
                let fault = self.fault.take();
                let (op, text) = self.of_class(class, ty);
                self.fault = fault;
                self.give(name, op, text);
                return op;
            }
            self.broken = false;
        }
        let data = mask & (VGPR | AGPR) == VGPR | AGPR;
        let mut possible: Vec<u16> = CLASSES.iter().copied().filter(|c| mask & c != 0).filter(exists).collect();
        if data && !(kind == "acc" && ["src0", "src1"].contains(&name)) {
            // The data operands of an instruction share the bit for AccVGPRs.
            let other = if self.acc { VGPR } else { AGPR };
            possible.retain(|c| *c != other);
        }
        if bus && self.bus.len() >= self.scalars() {
            let differ = self.bus.first() != self.bus.get(1);
            if differ && self.breaks(Fault::ConstantBus) {
                // The additional scalar must differ from the existing ones.
                let other = if self.bus.iter().any(|b| b == "m0") || mask & M0 == 0 { SGPR } else { M0 };
                let fault = self.fault.take();
                loop {
                    let class = if N > 1 { SGPR } else { other };
                    let (op, text) = self.of_class(class, ty);
                    // LLVM's assembler counts s4 and s[4:5] as two reads. This test counts them as one.
                    let first = |t: &str| t.replace('[', "").split([':', ']']).next().map(String::from);
                    if self.bus.iter().all(|before| first(&text) != first(before)) {
                        self.fault = fault;
                        self.give(name, op, text);
                        return op;
                    }
                }
            }
            // An operand that must be a scalar probably exceeds the bus.
            if possible.iter().all(|c| c & (INT | FLOAT | VGPR | AGPR) == 0) {
                self.doubtful = true;
            } else {
                possible.retain(|c| c & (INT | FLOAT | VGPR | AGPR) != 0);
            }
        } else if !bus && self.literals.len() == 1 && mask & LITERAL != 0 && self.breaks(Fault::TwoLiterals) {
            let op = literal::<N>(self.literals[0] ^ 0x100).any();
            self.give(name, op, String::new());
            return op;
        }
        // exec_hi cannot be an address, because its code means `off`.
        if kind == "saddr" && N == 1 {
            possible.retain(|c| *c != EXEC);
        }
        let class = self.rng.pick(&possible);
        // The faults of a second literal or a second scalar require a first one.
        let class = match self.fault {
            Some(Fault::TwoLiterals) if possible.contains(&LITERAL) => LITERAL,
            Some(Fault::ConstantBus) if possible.contains(&SGPR) && bus => SGPR,
            _ => class,
        };
        let (op, text) = self.of_class(class, ty);
        if bus && class & (INT | FLOAT | VGPR | AGPR | LDS) == 0 && text != "null" {
            self.bus.push(if text.starts_with("vcc") && text != "vcc_hi" { "vcc".into() } else { text.clone() });
        }
        self.give(name, op, text);
        op
    }

    pub fn in_range(&mut self, width: u32, signed: bool) -> i64 {
        let value = (self.rng.number() & ((1 << width) - 1)) as i64;
        // Zero is avoided, because texts often do not show it.
        match signed {
            true => (value - (1 << (width - 1))).max(1 - (1 << (width - 1))),
            false => value.max(1),
        }
    }

    pub fn out_of_range(&mut self, width: u32, signed: bool) -> i64 {
        match (signed, self.coin()) {
            (true, true) => -(1 << (width - 1)) - 1 - self.rng.below(1000) as i64,
            (true, false) => (1 << (width - 1)) + self.rng.below(1000) as i64,
            (false, true) => -1 - self.rng.below(1000) as i64,
            (false, false) => (1 << width) + self.rng.below(1000) as i64,
        }
    }

    pub fn modifier(&mut self, name: &str, value: i64) {
        self.builder = self.builder.set(field(self.target, name), value);
    }

    /// Notes that the instruction writes one more register.
    pub fn widen(&mut self) {
        let data = self.operands.iter_mut().find(|(name, _)| ["vdata", "vdst"].contains(name));
        let Some((_, text)) = data.filter(|_| !self.image) else { return };
        let numbers = text.trim_start_matches(['v', '[']).trim_end_matches(']');
        let (first, last) = numbers.split_once(':').unwrap_or((numbers, numbers));
        if let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) {
            *text = run("v", first, last - first + 2);
        }
    }

    pub fn wants(&mut self, fault: Fault) -> bool {
        self.breaks(fault)
    }
}

pub fn signed_hex(value: i64) -> String {
    if value < 0 { format!("-{:#x}", -value) } else { format!("{value:#x}") }
}
