//! The registers of a wave.

use std::collections::BTreeMap;

use amdgpu_isa::operands::Special;
use amdgpu_isa::{Operand, Reg, Value};

use crate::mode::Mode;

/// The greatest number of lanes of a wave.
pub const LANES: usize = 64;

/// Vector registers by number. A register that is missing is 0.
type Vectors = BTreeMap<u16, [u32; LANES]>;

/// The registers of one wave, as far as one instruction needs them.
#[derive(Clone, Debug, PartialEq)]
pub struct Wave {
    /// EXEC: a bit for each lane that is on.
    pub exec: u64,
    /// VCC: a bit for each lane in which the condition holds.
    pub vcc: u64,
    /// SCC: the condition of scalar operations.
    pub scc: bool,
    /// The register M0.
    pub m0: u32,
    /// The mode in which floats are computed.
    pub mode: Mode,
    scalars: BTreeMap<Reg, u32>,
    vectors: Vectors,
    accumulators: Vectors,
}

impl Default for Wave {
    fn default() -> Wave {
        Wave {
            exec: u64::MAX,
            vcc: 0,
            scc: false,
            m0: 0,
            mode: Mode::default(),
            scalars: BTreeMap::new(),
            vectors: BTreeMap::new(),
            accumulators: BTreeMap::new(),
        }
    }
}

/// Whether the operand has a value for each lane.
pub fn is_vector(operand: &Operand) -> bool {
    matches!(operand.value, Value::Reg(Reg::Vgpr(_) | Reg::VgprHigh(_) | Reg::Agpr(_)))
}

impl Wave {
    /// The register with a name such as `v4`, `s2`, `a0`, `vcc` or `m0`; `None` if a wave does not have it.
    ///
    /// ```
    /// use amdgpu_eval::Wave;
    /// use amdgpu_isa::Reg;
    /// assert_eq!([Wave::register("v4"), Wave::register("vcc")], [Some(Reg::Vgpr(4)), Some(Reg::Vcc)]);
    /// assert_eq!([Wave::register("v"), Wave::register("mode"), Wave::register("s300")], [None; 3]);
    /// ```
    pub fn register(name: &str) -> Option<Reg> {
        let whole = [Reg::Scc, Reg::Vcc, Reg::Exec, Reg::M0].into_iter().find(|reg| reg.to_string() == name);
        let special =
            || Special::ALL.iter().find(|special| special.name() == name).map(|special| Reg::Special(*special));
        let numbered = || {
            let (file, number) = name.split_at(name.find(|c: char| c.is_ascii_digit())?);
            let number: u16 = number.parse().ok()?;
            let small = u8::try_from(number).ok();
            match file {
                "v" => Some(Reg::Vgpr(number)),
                "a" => small.map(Reg::Agpr),
                "s" => small.map(Reg::Sgpr),
                "ttmp" => small.map(Reg::Ttmp),
                _ => None,
            }
        };
        whole.or_else(special).or_else(numbered).filter(|reg| Wave::default().read(*reg, 0, 0).is_some())
    }

    fn vectors(&self, reg: Reg) -> Option<(&Vectors, u16)> {
        match reg {
            Reg::Vgpr(n) => Some((&self.vectors, n)),
            Reg::VgprHigh(n) => Some((&self.vectors, n.into())),
            Reg::Agpr(n) => Some((&self.accumulators, n.into())),
            _ => None,
        }
    }

    /// The dword `index` of the registers from `reg` on, in a lane if they are vector registers; `None` if a wave does
    /// not have the register.
    pub fn read(&self, reg: Reg, index: u16, lane: usize) -> Option<u32> {
        if let Some((vectors, n)) = self.vectors(reg) {
            return Some(vectors.get(&n.saturating_add(index)).map_or(0, |lanes| lanes[lane % LANES]));
        }
        let half = |mask: u64, high: u16| (mask >> (32 * high.min(1))) as u32;
        Some(match reg {
            Reg::Scc | Reg::Special(Special::SrcScc) => self.scc.into(),
            Reg::Vcc | Reg::Special(Special::VccLo) => half(self.vcc, index),
            Reg::Special(Special::VccHi) => half(self.vcc, 1),
            Reg::Exec | Reg::Special(Special::ExecLo) => half(self.exec, index),
            Reg::Special(Special::ExecHi) => half(self.exec, 1),
            Reg::M0 | Reg::Special(Special::M0) => self.m0,
            Reg::Special(Special::Null) => 0,
            Reg::Special(Special::SrcVccz) => (self.vcc == 0).into(),
            Reg::Special(Special::SrcExecz) => (self.exec == 0).into(),
            Reg::Sgpr(_) | Reg::Ttmp(_) => self.scalars.get(&next(reg, index)?).copied().unwrap_or(0),
            _ => return None,
        })
    }

    /// Writes the dword `index` of the registers from `reg` on, in a lane if they are vector registers. Nothing is
    /// written to a register that a wave does not have.
    pub fn write(&mut self, reg: Reg, index: u16, lane: usize, value: u32) {
        let set = |mask: &mut u64, high: u16| {
            let shift = 32 * high.min(1);
            *mask = *mask & !(0xffff_ffff << shift) | u64::from(value) << shift;
        };
        match reg {
            Reg::Vgpr(n) => self.vectors.entry(n.saturating_add(index)).or_insert([0; LANES])[lane % LANES] = value,
            Reg::VgprHigh(n) => {
                self.vectors.entry(u16::from(n).saturating_add(index)).or_insert([0; LANES])[lane % LANES] = value
            }
            Reg::Agpr(n) => {
                self.accumulators.entry(u16::from(n).saturating_add(index)).or_insert([0; LANES])[lane % LANES] = value
            }
            Reg::Scc => self.scc = value & 1 == 1,
            Reg::Vcc | Reg::Special(Special::VccLo) => set(&mut self.vcc, index),
            Reg::Special(Special::VccHi) => set(&mut self.vcc, 1),
            Reg::Exec | Reg::Special(Special::ExecLo) => set(&mut self.exec, index),
            Reg::Special(Special::ExecHi) => set(&mut self.exec, 1),
            Reg::M0 | Reg::Special(Special::M0) => self.m0 = value,
            _ => {
                if let Some(reg) = next(reg, index) {
                    self.scalars.insert(reg, value);
                }
            }
        }
    }
}

/// The scalar register whose number is `index` more than that of another one.
fn next(reg: Reg, index: u16) -> Option<Reg> {
    let add = |n: u8| u8::try_from(u16::from(n).saturating_add(index)).ok();
    match reg {
        Reg::Sgpr(n) => Some(Reg::Sgpr(add(n)?)),
        Reg::Ttmp(n) => Some(Reg::Ttmp(add(n)?)),
        _ => None,
    }
}
