//! The registers of an instruction, found once for all rules and waits that ask for them.

use core::cell::Cell;

use crate::flags::Flags;
use crate::inst::Inst;
use crate::opcode::{Field, Special};
use crate::registers::RegSet;
use crate::shared::flag;
use crate::table::Codes;
use crate::table::hazards::file;
use crate::target::FACTS;
use crate::value::{Access, Operand, Reg, Value};
use crate::vgpr_msb::VgprMsb;

/// The flag of operations that write half of a register and keep the other half.
const HALF: u32 = flag("half");

/// A run of registers: the first one, and the number of them.
pub(crate) type Run = (usize, usize);

/// An operand that is one register or several.
#[derive(Clone, Copy)]
pub(crate) struct Use {
    pub reg: Reg,
    pub role: Option<Field>,
    pub access: Access,
    /// The register files that the operand is in, as in `table::hazards::file`.
    pub files: u8,
    /// The width of the operand in bits.
    pub bits: u16,
    /// The first register, as a bit of `RegSet`.
    first: u16,
    count: u16,
}

/// The register files of an operand, its first register, and the number of its registers.
type Place = (u8, u16, u16);

impl Use {
    const NONE: Use = Use { reg: Reg::Scc, role: None, access: Access::Read, files: 0, bits: 0, first: 0, count: 0 };

    fn of(inst: &Inst, msb: VgprMsb, operand: &Operand) -> Option<Use> {
        let Value::Reg(reg) = operand.value else { return None };
        let (files, first, count) = Use::place(inst, msb, operand, reg);
        let Operand { role, access, bits, .. } = *operand;
        Some(Use { reg, role, access, files, bits, first, count })
    }

    #[inline(always)]
    fn place(inst: &Inst, msb: VgprMsb, operand: &Operand, reg: Reg) -> Place {
        if let Reg::Vgpr(number) = reg {
            if msb == VgprMsb::ENTRY {
                if let Some((first, count)) = RegSet::vgpr_run(number, operand.bits) {
                    return (if count == 0 { 0 } else { file::VECTOR }, first, count);
                }
            }
        }
        Use::other_place(inst, msb, operand, reg)
    }

    #[inline(never)]
    fn other_place(inst: &Inst, msb: VgprMsb, operand: &Operand, reg: Reg) -> Place {
        let count = operand.bits.div_ceil(32);
        match reg {
            // VCC, M0 and EXEC, which are in other files, have greater codes.
            Reg::Sgpr(number)
                if count != 0 && u16::from(number) + count <= FACTS[inst.target() as usize].codes.vcc.into() =>
            {
                return (file::SCALAR | file::NUMBERED, number.into(), count);
            }
            Reg::Exec if count == 1 || count == 2 => {
                return (file::EXEC, FACTS[inst.target() as usize].codes.exec.into(), count);
            }
            _ => {}
        }
        Use::any_place(inst, msb, operand, reg)
    }

    #[inline(never)]
    fn any_place(inst: &Inst, msb: VgprMsb, operand: &Operand, reg: Reg) -> Place {
        let run = RegSet::run(inst.target(), operand);
        let files = files(&FACTS[inst.target() as usize].codes, reg, run);
        let (first, count) = RegSet::banked(inst, msb, operand, run);
        (files, first as u16, count as u16)
    }

    /// The registers of the operand.
    #[inline(always)]
    pub fn run(&self) -> Run {
        (self.first.into(), self.count.into())
    }
}

/// The files of the registers that an instruction reads, and of those that it writes, as in `table::hazards::file`.
pub(crate) type Files = (u8, u8);

/// The operands of an instruction that are registers, with the upper bits of the numbers of its vector registers.
pub(crate) struct Uses<'i> {
    pub inst: &'i Inst,
    pub msb: VgprMsb,
    /// The register files of all operands.
    pub files: Files,
    /// The result of [`Inst::facts`]; `None` until it is needed.
    facts: Cell<Option<u32>>,
    list: [Use; ROOM],
    count: usize,
}

/// The number of operands that are stored, enough for nearly every instruction. Further operands are found again in
/// each search.
const ROOM: usize = 8;

impl<'i> Uses<'i> {
    pub fn of(inst: &'i Inst, msb: VgprMsb) -> Uses<'i> {
        let mut uses = Uses::none(inst, msb);
        uses.find();
        uses
    }

    /// The instruction with an empty list of operands, for [`Uses::find`].
    #[inline(always)]
    pub fn none(inst: &'i Inst, msb: VgprMsb) -> Uses<'i> {
        Uses { inst, msb, files: (0, 0), facts: Cell::new(None), list: [Use::NONE; ROOM], count: 0 }
    }

    /// Finds the operands; to be called once, after [`Uses::none`].
    pub fn find(&mut self) {
        self.inst.operands().for_each(|operand| {
            if let Value::Reg(reg) = operand.value {
                self.add(&operand, reg);
            }
        });
    }

    // Each field is stored and read on its own, since a wide load would wait for narrow stores.
    #[inline(always)]
    fn add(&mut self, operand: &Operand, reg: Reg) {
        let (files, first, count) = Use::place(self.inst, self.msb, operand, reg);
        let access = operand.access;
        self.files.0 |= if access.reads() { files } else { 0 };
        self.files.1 |= if access.writes() { files } else { 0 };
        if let Some(place) = self.list.get_mut(self.count) {
            (place.reg, place.role, place.access, place.bits) = (reg, operand.role, access, operand.bits);
            (place.files, place.first, place.count) = (files, first, count);
        }
        self.count += 1;
    }

    /// The operation's flags, as changed by fields and by a trailing dword.
    #[inline]
    pub fn facts(&self) -> u32 {
        let facts = self.facts.get().unwrap_or_else(|| self.inst.facts());
        self.facts.set(Some(facts));
        facts
    }

    /// Whether the instruction reads the operand. A load of half a register keeps the other half, which does not count
    /// as read. A load that may fail (`tfe`, `lwe`) can keep its whole destination, which counts as read, as in LLVM.
    #[inline]
    pub fn reads(&self, one: &Use) -> bool {
        one.access.reads() && !(one.access.writes() && self.keeps_half())
    }

    #[inline(never)]
    fn keeps_half(&self) -> bool {
        let is = |field| self.inst.get(field) == Some(1);
        let has_half = self.facts() & HALF != 0 || is(Field::D16);
        Flags::of_facts(self.facts()).is_load() && has_half && !is(Field::Tfe) && !is(Field::Lwe)
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Use> + '_ {
        self.list.iter().take(self.count).copied().chain((ROOM..self.count).map(|n| self.beyond(n)))
    }

    /// Whether the upper bits of the numbers of vector registers are unknown.
    #[inline(always)]
    pub fn is_bank_unknown(&self) -> bool {
        self.msb == VgprMsb::UNKNOWN
    }

    /// Whether an operand has one of these registers.
    #[inline]
    pub fn touches(&self, first: u16, count: u16) -> bool {
        let has = |one: &Use| one.first < first + count && first < one.first + one.count && one.count != 0;
        self.list.iter().take(self.count).any(has) || (ROOM..self.count).any(|n| has(&self.beyond(n)))
    }

    /// Passes to `take` the runs of registers of the operands that `is` selects, in ascending order; adjoining runs are
    /// joined.
    pub fn each_run(&self, is: impl Fn(&Use) -> bool, mut take: impl FnMut(u16, u16)) {
        let runs = || self.iter().filter(|one| one.count != 0 && is(one)).map(|one| (one.first, one.first + one.count));
        let mut from = 0;
        // The next run begins at the first register that is not below `from`.
        while let Some(first) = runs().filter(|(_, end)| *end > from).map(|(first, _)| first.max(from)).min() {
            let mut end = first;
            while let Some(longer) = runs().filter(|run| run.0 <= end && run.1 > end).map(|run| run.1).max() {
                end = longer;
            }
            take(first, end - first);
            from = end;
        }
    }

    /// The first register of `run` that is in an operand which `is` selects.
    pub fn first_of(&self, run: Run, is: impl Fn(&Use) -> bool) -> Option<u16> {
        let shared = self.iter().filter(|one| one.count != 0 && share(one.run(), run) && is(one));
        shared.map(|one| one.first.max(run.0 as u16)).min()
    }

    #[cold]
    #[inline(never)]
    fn beyond(&self, n: usize) -> Use {
        self.inst.operands().filter_map(|operand| Use::of(self.inst, self.msb, &operand)).nth(n).unwrap_or(Use::NONE)
    }
}

/// The register files that a register is in.
fn files(codes: &Codes, reg: Reg, run: Run) -> u8 {
    match reg {
        Reg::Special(Special::SrcVccz | Special::SrcExecz) => return file::ZERO_BITS,
        Reg::Special(Special::SrcLdsDirect) => return file::LDS_DIRECT,
        _ if run.1 == 0 => return 0,
        _ => {}
    }
    if RegSet::is_vector(run.0) {
        return file::VECTOR;
    }
    if !RegSet::is_scalar(run.0) {
        return 0;
    }
    let is = |first: u8, count: usize| share(run, (first.into(), count));
    match () {
        () if is(codes.exec, 2) => file::EXEC,
        () if is(codes.m0, 1) => file::M0 | file::SCALAR,
        () if is(codes.vcc, 2) => file::VCC | file::SCALAR,
        () => file::SCALAR | file::NUMBERED,
    }
}

/// Whether two runs have a register in common.
#[inline]
pub(crate) fn share(a: Run, b: Run) -> bool {
    a.0 < b.0 + b.1 && b.0 < a.0 + a.1
}
