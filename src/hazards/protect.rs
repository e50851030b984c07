//! Insertion of the distances and waits that instructions need.

use crate::compose::compose;
use crate::hazards::next::Next;
use crate::hazards::{Capacity, Hazards, Need, Unit};
use crate::imm::{Depctr, Imm, Waitcnt};
use crate::inst::Inst;
use crate::opcode::{Field, Special, well_known};
use crate::table::hazards::HazardRow;
use crate::value::{Operand, Reg, Value};

/// The constant with which `s_waitcnt_depctr` (`s_wait_alu`) waits for nothing.
const NONE: Depctr = Depctr {
    hold_cnt: None,
    sa_sdst: None,
    va_vdst: None,
    va_sdst: None,
    va_ssrc: None,
    va_vcc: None,
    vm_vsrc: None,
    rest: 0,
};
const UNITS: [Depctr; 5] = [
    Depctr { va_vdst: Some(0), ..NONE },
    Depctr { sa_sdst: Some(0), ..NONE },
    Depctr { va_vcc: Some(0), ..NONE },
    Depctr { va_sdst: Some(0), ..NONE },
    Depctr { vm_vsrc: Some(0), ..NONE },
];
/// The greatest number of fillers (inserted instructions) before an instruction, more than any instruction needs.
const MOST: usize = 64;

impl<C: Capacity> Hazards<C> {
    /// Issues the instruction after the instructions that it needs, and passes all of them to `take` in the order of
    /// issue. The needed instructions are those that end rules without a distance ([`Hazards::enders`]), and as few
    /// `s_nop` and `v_nop` as are enough, or one `s_waitcnt_depctr` instead of several `v_nop`. An instruction of
    /// another target is only passed to `take`.
    ///
    /// Fails with a need that no instruction ends, if there is one. Then nothing is issued or passed on.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::hazards::Hazards;
    /// use amdgpu_isa::{Target, decode_words};
    /// let cmp = decode_words(Target::Gfx942, &[0xd0c9_0004, 0x0002_0300]).unwrap(); // v_cmp_lt_u32_e64 s[4:5], v0, v1
    /// let load = decode_words(Target::Gfx942, &[0xdc50_8000, 0x0004_0000]).unwrap(); // global_load_dword v0, v0, s[4:5]
    /// let (mut hazards, mut code) = (Hazards::new(Target::Gfx942), Vec::new());
    /// for inst in [cmp, load] {
    ///     hazards.protect(&inst, |inst| code.extend_from_slice(inst.words())).unwrap();
    /// }
    /// assert_eq!(code, [0xd0c9_0004, 0x0002_0300, 0xbf80_0004, 0xdc50_8000, 0x0004_0000]); // s_nop 4
    /// # }
    /// ```
    pub fn protect(&mut self, inst: &Inst, mut take: impl FnMut(&Inst)) -> Result<(), Need> {
        if inst.target() != self.target {
            take(inst);
            return Ok(());
        }
        let next = Next::new(inst, self.msb);
        self.prepare(&next, &mut take)?;
        self.step_of(&next, 0, true);
        take(inst);
        Ok(())
    }

    /// Issues the instructions that the next one, of the same target, needs before it. Fails with a need that no
    /// instruction ends.
    pub(crate) fn prepare(&mut self, next: &Next<'_>, mut take: impl FnMut(&Inst)) -> Result<(), Need> {
        if self.next_need(next).is_none() {
            return Ok(());
        }
        // Fillers always suffice if no rule demands a certain instruction.
        if next.classes.all(|class| class.consumes) & next.tables.events == 0 && !self.is_incomplete() {
            return self.fill(next, take);
        }
        // A copy of the state tries the fillers first, because no filler may be passed on if a need remains. More than
        // four fillers are rare.
        let (mut after, mut fillers, mut count) = (self.clone(), [*next.uses.inst; 4], 0);
        after.fill(next, |filler| {
            if let Some(place) = fillers.get_mut(count) {
                *place = *filler;
            }
            count += 1;
        })?;
        match fillers.get(..count) {
            Some(fillers) => {
                *self = after;
                fillers.iter().for_each(&mut take);
            }
            None => self.fill(next, take)?,
        }
        Ok(())
    }

    /// Issues the instructions that the next one needs before it.
    fn fill(&mut self, next: &Next<'_>, mut take: impl FnMut(&Inst)) -> Result<(), Need> {
        // Each round makes one of the needs smaller or ends it.
        for _ in 0..MOST {
            let Some(need) = self.next_need(next) else { return Ok(()) };
            let filler = self.filler(next, &need).ok_or(need)?;
            self.issue(&filler);
            take(&filler);
        }
        self.next_need(next).map_or(Ok(()), Err)
    }

    /// Instructions, each of which ends at least one rule that `inst` breaks and that no distance ends
    /// ([`Unit::Event`]): waits, `s_nop 0`, or moves without effect. Roughly, the instructions that wait for
    /// less come first.
    ///
    /// ```
    /// # #[cfg(feature = "gfx1010")] {
    /// use amdgpu_isa::hazards::Hazards;
    /// use amdgpu_isa::{Target, decode_words};
    /// let read = decode_words(Target::Gfx1010, &[0xdc30_8000, 0x0000_0000]).unwrap(); // global_load_dword v0, v0, s[0:1]
    /// let write = decode_words(Target::Gfx1010, &[0xbe80_0302]).unwrap(); // s_mov_b32 s0, s2
    /// let mut hazards = Hazards::new(Target::Gfx1010);
    /// hazards.issue(&read);
    /// let ender = hazards.enders(&write).next().unwrap();
    /// assert_eq!(ender.words(), [0xbfa3_ff03]); // s_waitcnt_depctr vm_vsrc(0)
    /// # }
    /// ```
    pub fn enders(&self, inst: &Inst) -> impl Iterator<Item = Inst> + use<C> {
        let (before, inst) = (self.clone(), *inst);
        let is_one = inst.target() == self.target;
        let open = if is_one { self.event_needs(&Next::new(&inst, self.msb)) } else { 0 };
        let ender = move |n| before.ender(&Next::new(&inst, before.msb), n, open);
        (0..if is_one { CANDIDATES } else { 0 }).filter_map(ender)
    }

    /// The candidate with this number, if it needs nothing itself and leaves fewer than `open` needs that `event_needs`
    /// counts.
    fn ender(&self, next: &Next<'_>, number: usize, open: usize) -> Option<Inst> {
        let ender = candidate(next.uses.inst, number)?;
        let tables = next.tables;
        // Any instruction may end a row with a count; other rows are ended only by instructions that the tables name.
        let by_count = |row: &HazardRow| row.lasts != u8::MAX || row.times != u8::MAX;
        let rows = self.rows();
        let counts = || tables.rows.iter().enumerate().any(|(n, row)| rows >> n & 1 == 1 && by_count(row));
        if tables.ended_by(&ender) & rows == 0 && !self.is_incomplete() && !counts() {
            return None;
        }
        if !self.needs(&ender).is_empty() {
            return None;
        }
        let mut after = self.clone();
        after.issue(&ender);
        (after.event_needs(next) < open).then_some(ender)
    }

    /// The candidate with this number, if it needs nothing itself, and no vector instruction is missing after it.
    fn wait_instead_of_valu(&self, next: &Next<'_>, number: usize) -> Option<Inst> {
        let wait = candidate(next.uses.inst, number)?;
        if next.tables.ended_by(&wait) & self.rows() == 0 || !self.needs(&wait).is_empty() {
            return None;
        }
        let mut after = self.clone();
        after.issue(&wait);
        after.needs_at_most(next).valu.is_none().then_some(wait)
    }

    /// The number of needs of the instruction by rules that no distance ends.
    fn event_needs(&self, next: &Next<'_>) -> usize {
        let mut count = 0;
        let mut add = |need: Need| count += usize::from(need.rule.unit() == Unit::Event);
        self.each_of(next, &mut add);
        self.each_lost(next, &mut add);
        count
    }

    /// The need to meet first. Vector operations come before wait states, because they also count as wait states.
    /// Events come before both, because some rules demand them immediately.
    fn next_need(&self, next: &Next<'_>) -> Option<Need> {
        let needs = self.needs_at_most(next);
        needs.event.or(needs.valu).or(needs.states)
    }

    fn filler(&self, next: &Next<'_>, need: &Need) -> Option<Inst> {
        if need.rule.unit() == Unit::Event {
            let open = self.event_needs(next);
            return (0..CANDIDATES).find_map(|n| self.ender(next, n, open));
        }
        if let Some(need) = self.needs_at_most(next).valu {
            let wait = if need.missing > 1 {
                DEPCTRS.into_iter().find_map(|n| self.wait_instead_of_valu(next, n))
            } else {
                None
            };
            return wait.or_else(|| compose(self.target(), well_known::V_NOP, &[]).ok());
        }
        let most = self.longest_nop();
        compose(self.target(), well_known::S_NOP, &[(Field::Simm16, u32::from(need.missing.min(most)) - 1)]).ok()
    }
}

const CANDIDATES: usize = 14;
/// The numbers of the candidates that wait for one counter with `s_waitcnt_depctr`.
const DEPCTRS: [usize; 5] = [1, 2, 3, 4, 5];

/// The candidate with this number, if the target has it. Roughly, the candidates that wait for less come first.
fn candidate(inst: &Inst, number: usize) -> Option<Inst> {
    let target = inst.target();
    let depctr = |bits: u16| compose(target, well_known::S_WAITCNT_DEPCTR, &[(Field::Simm16, bits.into())]).ok();
    let moved = |opcode, to: (Field, Reg), from: (Field, Value)| {
        let inst = compose(target, opcode, &[]).ok()?.with_operand(to.0, Value::Reg(to.1)).ok()?;
        inst.with_operand(from.0, from.1).ok()
    };
    let (null, vcc) = (Reg::Special(Special::Null), Reg::Special(Special::VccLo));
    match number {
        0 => compose(target, well_known::S_NOP, &[]).ok(),
        1..=5 => UNITS.get(number - 1)?.encode(target).ok().and_then(depctr),
        // Any scalar operation ends some rules. A move of VCC also makes the hardware compute vccz again.
        6 => moved(well_known::S_MOV_B32, (Field::Sdst, null), (Field::Ssrc0, Value::Int(0))),
        7 => compose(target, well_known::S_WAITCNT_VSCNT, &[]).ok()?.with_operand(Field::Sdst, Value::Reg(null)).ok(),
        8 => moved(well_known::S_MOV_B64, (Field::Sdst, vcc), (Field::Ssrc0, Value::Reg(vcc))),
        9 => {
            let bits = Waitcnt::new().with_lgkmcnt(0).encode(target).ok()?;
            let wait = compose(target, well_known::S_WAITCNT, &[(Field::Simm16, bits.into())]).ok();
            wait.filter(|wait| matches!(wait.imm(), Some(Imm::Waitcnt(_))))
        }
        10 => depctr(0),
        11 => compose(target, well_known::S_WAIT_XCNT, &[]).ok(),
        12 => compose(target, well_known::S_WAIT_IDLE, &[]).ok(),
        _ => {
            let read = |operand: Operand| match operand.value {
                Value::Reg(reg @ Reg::Vgpr(_)) if operand.access.reads() => Some(reg),
                _ => None,
            };
            // The move needs no wait: no result is outstanding in a register that the instruction reads.
            let reg = inst.operands().find_map(read)?;
            moved(well_known::V_MOV_B32, (Field::Vdst, reg), (Field::Src0, Value::Reg(reg)))
        }
    }
}
