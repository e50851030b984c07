//! A machine that runs scalar code, as far as the program of the test needs a processor.

use std::collections::BTreeMap;

use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_isa::{Inst, Operand, Reg, Target, Value, decode};
use amdgpu_object::elf::{self, File, Section};

/// The return address at which a run ends.
const NOWHERE: u64 = 0x00ff_ff00;

/// A code object in memory, as a loader puts it at address 0.
pub struct Machine {
    target: Target,
    memory: Vec<u8>,
    /// The address of each symbol by name, and whether the symbol is in code.
    names: BTreeMap<String, (u64, bool)>,
}

impl Machine {
    pub fn new(bytes: &[u8], target: Target) -> Machine {
        let file = File::parse(bytes).unwrap();
        let sections = file.sections().0;
        let mut machine = Machine { target, memory: vec![0; 0x20000], names: BTreeMap::new() };
        if file.kind == elf::ET_REL {
            machine.link(&file, &sections);
            return machine;
        }
        for segment in file.segments().0.iter().filter(|segment| segment.kind == elf::PT_LOAD) {
            let from = segment.offset as usize;
            machine.write(segment.address, &bytes[from..from + segment.size as usize]);
        }
        for section in sections.iter().filter(|section| section.kind == elf::SHT_NOBITS && section.align > 1) {
            // A section without bytes in the file gets a different number in each dword.
            (0..section.size / 4)
                .for_each(|n| machine.write(section.address + n * 4, &(0xb55_0000 + n as u32).to_le_bytes()));
        }
        for table in &sections {
            match table.kind {
                elf::SHT_RELA => machine.load(&file, table, &sections),
                elf::SHT_SYMTAB => machine.name(&file, table, &sections),
                _ => {}
            }
        }
        machine
    }

    fn write(&mut self, address: u64, bytes: &[u8]) {
        self.memory[address as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    /// Links an object as simply as possible: its sections follow one another, and the table of addresses follows them.
    fn link(&mut self, file: &File<'_>, sections: &[Section]) {
        let (mut next, mut starts) = (0x400u64, vec![0; sections.len()]);
        for (n, section) in sections.iter().enumerate().filter(|(_, section)| section.is_loaded()) {
            starts[n] = next.next_multiple_of(section.align.max(1));
            next = starts[n] + section.size;
            self.write(starts[n], file.contents(section).bytes);
            // A section without bytes in the file gets a different number in each dword.
            let words = if section.kind == elf::SHT_NOBITS { section.size / 4 } else { 0 };
            (0..words).for_each(|k| self.write(starts[n] + k * 4, &(0xb55_0000 + k as u32).to_le_bytes()));
        }
        let table = sections.iter().find(|section| section.kind == elf::SHT_SYMTAB).unwrap();
        let symbols: Vec<elf::Symbol> = file.symbols(file.contents(table).bytes).collect();
        let strings = elf::texts(file.contents(&sections[table.link]).bytes);
        let address = |n: u32| {
            let symbol = &symbols[n as usize];
            assert_ne!(symbol.section, 0);
            starts[usize::from(symbol.section)] + symbol.address
        };
        for (n, symbol) in symbols.iter().enumerate().filter(|(_, symbol)| symbol.section != 0) {
            let name = String::from_utf8_lossy(elf::text(strings, symbol.name).unwrap_or_default()).into_owned();
            if let Some(section) = sections.get(usize::from(symbol.section)).filter(|_| !name.is_empty()) {
                self.names.insert(name, (address(n as u32), section.is_code()));
            }
        }
        let entries = next.next_multiple_of(8);
        for table in sections.iter().filter(|section| section.kind == elf::SHT_RELA) {
            for relocation in file.relocations(file.contents(table).bytes) {
                let place = starts[table.info] + relocation.address;
                let to = address(relocation.symbol);
                let entry = entries + u64::from(relocation.symbol) * 8;
                self.write(entry, &to.to_le_bytes());
                let of = |base: u64| base.wrapping_add_signed(relocation.addend);
                let (absolute, relative, in_table) =
                    (of(to), of(to).wrapping_sub(place), of(entry).wrapping_sub(place));
                match relocation.kind {
                    3 => self.write(place, &absolute.to_le_bytes()),
                    5 => self.write(place, &relative.to_le_bytes()),
                    8 => self.write(place, &in_table.to_le_bytes()[..4]),
                    9 => self.write(place, &in_table.to_le_bytes()[4..]),
                    4 | 10 => self.write(place, &relative.to_le_bytes()[..4]),
                    11 => self.write(place, &relative.to_le_bytes()[4..]),
                    kind => panic!("relocation {kind}"),
                }
            }
        }
    }

    /// Writes the pointers of a table of relocations.
    fn load(&mut self, file: &File<'_>, table: &Section, sections: &[Section]) {
        let symbols = file.contents(&sections[table.link]).bytes;
        for relocation in file.relocations(file.contents(table).bytes) {
            let base = file.symbol(symbols, relocation.symbol).map_or(0, |symbol| symbol.address);
            self.write(relocation.address, &base.wrapping_add_signed(relocation.addend).to_le_bytes());
        }
    }

    fn name(&mut self, file: &File<'_>, table: &Section, sections: &[Section]) {
        let strings = elf::texts(file.contents(&sections[table.link]).bytes);
        for symbol in file.symbols(file.contents(table).bytes) {
            let name = String::from_utf8_lossy(elf::text(strings, symbol.name).unwrap_or_default()).into_owned();
            let section = sections.get(usize::from(symbol.section)).filter(|_| symbol.section != 0);
            if let Some(section) = section.filter(|_| !name.is_empty()) {
                self.names.insert(name, (symbol.address, section.is_code()));
            }
        }
    }

    /// The names of the kernels, with the entries from their descriptors.
    pub fn kernels(&self) -> Vec<(&str, u64)> {
        let entry = |address: u64| {
            let bytes = self.memory[address as usize..].first_chunk().unwrap();
            address.wrapping_add_signed(KernelDescriptor::from_bytes(*bytes).entry())
        };
        let all = self.names.iter();
        all.filter_map(|(name, (address, _))| Some((name.strip_suffix(".kd")?, entry(*address)))).collect()
    }

    /// The names in the code, with their addresses.
    pub fn names(&self) -> Vec<(String, u64)> {
        let code = self.names.iter().filter(|(_, (_, is_code))| *is_code);
        code.map(|(name, (address, _))| (name.clone(), *address)).collect()
    }

    /// The numbers of the places that a run passes, and the values that it loads from data.
    pub fn run(&self, entry: u64) -> Vec<u32> {
        let mut run =
            Run { machine: self, pc: entry, scalars: [0; 128], vectors: BTreeMap::new(), scc: false, seen: vec![] };
        run.set(30, &[NOWHERE as u32, 0]);
        for _ in 0..4000 {
            if run.pc == NOWHERE || !run.step() {
                return run.seen;
            }
        }
        panic!("{}: the run from {entry:#x} does not end: {:?}", self.target, run.seen)
    }
}

struct Run<'m> {
    machine: &'m Machine,
    pc: u64,
    scalars: [u32; 128],
    /// The values of vector registers, by register and lane.
    vectors: BTreeMap<(u16, u32), u32>,
    scc: bool,
    seen: Vec<u32>,
}

/// The number of a scalar register. The machine has VCC after the others.
fn scalar(operand: &Operand) -> Option<usize> {
    match operand.value {
        Value::Reg(Reg::Sgpr(n)) => Some(n.into()),
        Value::Reg(Reg::VCC_LO) => Some(126),
        Value::Reg(Reg::VCC_HI) => Some(127),
        _ => None,
    }
}

impl Run<'_> {
    fn set(&mut self, n: usize, values: &[u32]) {
        self.scalars[n..n + values.len()].copy_from_slice(values);
    }

    fn value(&self, inst: &Inst, operand: &Operand) -> u64 {
        if let Some(n) = scalar(operand) {
            let at = |n: usize| u64::from(self.scalars[n]);
            return at(n) | if operand.bits > 32 { at(n + 1) << 32 } else { 0 };
        }
        match operand.value {
            Value::Reg(Reg::Vgpr(n)) => self.vectors.get(&(n, 0)).copied().unwrap_or(0).into(),
            Value::Imm(number) => number as u64,
            _ => inst.constant(operand).unwrap_or_else(|| panic!("{inst}: {operand:?}")),
        }
    }

    fn put(&mut self, to: &Operand, value: u64) {
        match (scalar(to), to.value) {
            (Some(n), _) if to.bits > 32 => self.set(n, &[value as u32, (value >> 32) as u32]),
            (Some(n), _) => self.set(n, &[value as u32]),
            (None, Value::Reg(Reg::Vgpr(n))) => drop(self.vectors.insert((n, 0), value as u32)),
            other => panic!("{other:?}"),
        }
    }

    fn lane(&self, inst: &Inst, vector: &Operand, lane: &Operand) -> (u16, u32) {
        let Value::Reg(Reg::Vgpr(n)) = vector.value else { panic!("{inst}") };
        (n, self.value(inst, lane) as u32)
    }

    /// Runs an instruction. Returns `false` if the run ends with it.
    fn step(&mut self) -> bool {
        let code = &self.machine.memory[self.pc as usize..];
        let inst = decode(self.machine.target, code).unwrap_or_else(|e| panic!("{:#x}: {e}: {:?}", self.pc, self.seen));
        let (goal, next) = (inst.branch_target(self.pc), self.pc + inst.len() as u64);
        self.pc = next;
        let operands: Vec<Operand> = inst.operands().collect();
        let read = |run: &Self, n: usize| run.value(&inst, &operands[n]);
        match inst.mnemonic() {
            "s_endpgm" => return false,
            "s_nop" | "s_wait_alu" | "s_wait_kmcnt" | "s_waitcnt" => {}
            "s_branch" | "s_add_pc_i64" => self.pc = goal.unwrap(),
            "s_cbranch_scc0" | "s_cbranch_scc1" => {
                let is_taken = self.scc == (inst.mnemonic() == "s_cbranch_scc1");
                self.pc = if is_taken { goal.unwrap() } else { next };
            }
            "s_getpc_b64" | "s_get_pc_i64" => self.put(&operands[0], next),
            "s_setpc_b64" | "s_set_pc_i64" => self.pc = read(self, 0),
            "s_swappc_b64" | "s_swap_pc_i64" => (self.pc, _) = (read(self, 1), self.put(&operands[0], next)),
            "s_call_b64" | "s_call_i64" => (self.pc, _) = (goal.unwrap(), self.put(&operands[0], next)),
            "s_add_u32" | "s_add_co_u32" | "s_addc_u32" | "s_add_co_ci_u32" => {
                let carry =
                    u64::from(self.scc && inst.mnemonic().contains('c') && !matches!(inst.mnemonic(), "s_add_co_u32"));
                let sum = (read(self, 1) & 0xffff_ffff) + (read(self, 2) & 0xffff_ffff) + carry;
                self.scc = sum >> 32 != 0;
                self.put(&operands[0], sum);
            }
            "s_sub_u32" | "s_sub_co_u32" | "s_subb_u32" | "s_sub_co_ci_u32" => {
                let borrow = u64::from(self.scc && matches!(inst.mnemonic(), "s_subb_u32" | "s_sub_co_ci_u32"));
                let (from, less) = (read(self, 1) & 0xffff_ffff, (read(self, 2) & 0xffff_ffff) + borrow);
                self.scc = from < less;
                self.put(&operands[0], from.wrapping_sub(less));
            }
            "s_add_i32" | "s_add_co_i32" => self.put(&operands[0], read(self, 1).wrapping_add(read(self, 2))),
            "s_lshr_b64" => self.put(&operands[0], read(self, 1) >> (read(self, 2) & 63)),
            "s_abs_i32" => self.put(&operands[0], (read(self, 1) as i32).unsigned_abs().into()),
            "s_add_nc_u64" => self.put(&operands[0], read(self, 1).wrapping_add(read(self, 2))),
            "s_sext_i32_i16" => self.put(&operands[0], read(self, 1) as i16 as u64),
            "s_sext_i32_i8" => self.put(&operands[0], read(self, 1) as i8 as u64),
            "s_cmp_lg_u32" => self.scc = read(self, 0) as u32 != read(self, 1) as u32,
            "s_cselect_b32" | "s_cselect_b64" => self.put(&operands[0], read(self, if self.scc { 1 } else { 2 })),
            "s_movk_i32" => self.seen.push(read(self, 1) as u32),
            "s_mov_b32" | "s_mov_b64" | "v_mov_b32" | "v_readfirstlane_b32" => self.put(&operands[0], read(self, 1)),
            "v_writelane_b32" => {
                let place = self.lane(&inst, &operands[0], &operands[2]);
                self.vectors.insert(place, read(self, 1) as u32);
            }
            "v_readlane_b32" => {
                let place = self.lane(&inst, &operands[1], &operands[2]);
                self.put(&operands[0], self.vectors[&place].into());
            }
            name if name.starts_with("s_load_") => {
                let at = &self.machine.memory[read(self, 1) as usize..];
                let value = u64::from_le_bytes(*at.first_chunk().unwrap());
                self.put(&operands[0], value);
                if operands[0].bits == 32 {
                    self.seen.push(value as u32);
                }
            }
            _ => panic!("{}: {inst}", self.machine.target),
        }
        true
    }
}
