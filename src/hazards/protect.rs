//! Inserts what instructions need.

use crate::assembler::make;
use crate::common::made;
use crate::hazards::{Hazards, Need};
use crate::{Field, Inst};

impl Hazards {
    /// Issues the instruction, and before it what it needs: passes to `take` as few `s_nop` and `v_nop` as are enough, and
    /// then the instruction.
    ///
    /// If only another instruction helps ([`Unit::Event`](crate::hazards::Unit::Event)), it returns the need, and issues and
    /// passes nothing.
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
        if let Some(need) = self.needs(inst).event {
            return Err(need);
        }
        // Each round makes one of the needs smaller.
        while let Some(need) = self.next_need(inst) {
            let filler = self.filler(inst, &need).ok_or(need)?;
            self.issue(&filler);
            take(&filler);
        }
        self.issue(inst);
        take(inst);
        Ok(())
    }

    /// Vector operations are wait states, too, so they come first.
    fn next_need(&self, inst: &Inst) -> Option<Need> {
        let needs = self.needs(inst);
        needs.valu.or(needs.states)
    }

    fn filler(&self, inst: &Inst, need: &Need) -> Option<Inst> {
        if self.needs(inst).valu.is_some() {
            return make(self.target(), made::V_NOP, &[]).ok();
        }
        let most = self.longest_nop();
        make(self.target(), made::S_NOP, &[(Field::Simm16, u32::from(need.missing.min(most)) - 1)]).ok()
    }
}
