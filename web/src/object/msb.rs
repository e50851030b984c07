//! The upper bits of vector registers' numbers (beyond v255): the settings of `s_set_vgpr_msb` before each instruction,
//! if they are known. The rule is that of the tool's listing: at the beginning of a function, and by the compiler's
//! convention where paths meet, the bits are zero. At labels that the code reaches with other bits, they are unknown.

use std::collections::HashSet;

use amdgpu_isa::facts::Flag;
use amdgpu_isa::{Inst, Opcode, VgprMsb, decode};

use super::file::Region;

/// The code, and the beginnings of its instructions. All numbers are those of dwords.
pub struct Code<'a> {
    pub bytes: &'a [u8],
    pub regions: &'a [Region],
    pub begins: &'a [u32],
    /// The dwords of a branch and of its target.
    pub branches: &'a [(u32, u32)],
}

/// The bits before each instruction; `None` if no instruction sets the bits.
pub fn before_each(code: &Code<'_>) -> Option<Vec<VgprMsb>> {
    let target = code.regions.first()?.target;
    Opcode::SSetVgprMsb.encodings(target).next()?;
    code.insts().any(|(_, inst)| inst.is_some_and(|inst| inst.opcode() == Opcode::SSetVgprMsb)).then_some(())?;
    let starts = code.regions.iter().map(|region| (region.start / 4) as u32).collect();
    let labels = code.branches.iter().map(|(_, to)| *to).collect();
    let mut follow = Follow { starts, labels, unknown: HashSet::new() };
    // Each round finds labels that the code reaches with bits other than zero, until there are no more.
    loop {
        let known = follow.unknown.len();
        let all = follow.round(code);
        if follow.unknown.len() == known {
            return Some(all);
        }
    }
}

impl Code<'_> {
    fn insts(&self) -> impl Iterator<Item = (u32, Option<Inst>)> {
        let mut regions = self.regions.iter();
        let mut region = regions.next();
        self.begins.iter().map(move |&dword| {
            let start = dword as usize * 4;
            while region.is_some_and(|region| region.end <= start) {
                region = regions.next();
            }
            let inst = region.and_then(|region| decode(region.target, self.bytes.get(start..region.end)?).ok());
            (dword, inst)
        })
    }
}

struct Follow {
    starts: HashSet<u32>,
    labels: HashSet<u32>,
    unknown: HashSet<u32>,
}

impl Follow {
    fn round(&mut self, code: &Code<'_>) -> Vec<VgprMsb> {
        let mut all = Vec::with_capacity(code.begins.len());
        let mut branches = code.branches.iter().peekable();
        // `None` says that no path comes here from the line before.
        let mut before: Option<VgprMsb> = None;
        for (dword, inst) in code.insts() {
            let (label, start) = (self.labels.contains(&dword), self.starts.contains(&dword));
            if label && !start && before.is_some_and(|before| before != VgprMsb::ENTRY) {
                self.unknown.insert(dword);
            }
            let msb = match (label || start, before) {
                (true, _) if self.unknown.contains(&dword) => VgprMsb::UNKNOWN,
                (true, _) => VgprMsb::ENTRY,
                (false, before) => before.unwrap_or(VgprMsb::UNKNOWN),
            };
            all.push(msb);
            if let Some((_, to)) = branches.next_if(|(from, _)| *from == dword).filter(|_| msb != VgprMsb::ENTRY) {
                self.unknown.insert(*to);
            }
            before = inst.filter(|inst| !inst.flags().contains(Flag::NoFallthrough)).map(|inst| msb.after(&inst));
        }
        all
    }
}
