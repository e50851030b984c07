//! Control flow: basic blocks and their successors, calls, loops, and live registers.
//!
//! [`Flow::new`] follows the code from its entries. Each instruction that is reached belongs to one [`Block`], which
//! ends with the first instruction that does not just continue with the next one, or before a branch target. The work
//! grows with the size of the code, for any bytes.
//!
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::Target;
//! use amdgpu_isa::flow::{Exit, Flow};
//! // s_cbranch_scc0 L; s_nop 0; L: s_endpgm
//! let code: Vec<u8> = [0xbf84_0001u32, 0xbf80_0000, 0xbf81_0000].iter().flat_map(|w| w.to_le_bytes()).collect();
//! let flow = Flow::new(Target::Gfx942, &code, 0x1000, &[0x1000]);
//! let exits: Vec<Exit> = flow.blocks().iter().map(|block| block.exit).collect();
//! assert_eq!(exits, [Exit::Branch, Exit::Next, Exit::End]);
//! assert_eq!(flow.successors(0), [2, 1]);
//! assert_eq!(flow.predecessors(2), [0, 1]);
//! assert_eq!(flow.block_at(0x1008), Some(2));
//! # }
//! ```

mod banks;
mod find;
mod follow;
mod following;
mod live;
mod order;
mod regions;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::decode::decode;
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::opcode::limits::{RETURN, RETURNED};
use crate::target::Target;

pub use banks::{Banks, BanksBuilder};
pub use follow::State;
pub use following::Following;
pub use live::{Lanes, Liveness};

/// Consecutive instructions that run one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The address of the first instruction.
    pub start: u64,
    /// The address after the last instruction. If the block ends at bytes that are not an instruction, the address of
    /// these bytes.
    pub end: u64,
    /// The way in which the block ends.
    pub exit: Exit,
    /// Whether the block has callers that are not among its predecessors: it is an entry, or called.
    pub is_entry: bool,
}

/// A way in which a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// A block that continues with the next one.
    Next,
    /// A branch that is always taken, or a jump to a known address.
    Jump,
    /// A conditional branch. The first successor is its target.
    Branch,
    /// A call. The successor is the block after it, to which the function returns.
    Call {
        /// The address of the function, if it is known.
        function: Option<u64>,
    },
    /// A jump to an unknown address in registers, for example a return.
    Indirect {
        /// The first scalar register of the pair with the address; `None` for other registers, such as `vcc`.
        pair: Option<u8>,
    },
    /// The end of the program, or the return from a trap.
    End,
    /// Bytes that are not an instruction.
    Invalid(DecodeError),
    /// A continuation at an address outside of the code, or between its dwords.
    Outside {
        /// The address.
        address: u64,
    },
}

/// The control flow of some code: see the [module](crate::flow).
#[derive(Clone, Debug)]
pub struct Flow<'c> {
    target: Target,
    code: &'c [u8],
    address: u64,
    /// The blocks in the order of their addresses.
    blocks: Vec<Block>,
    successors: Lists,
    predecessors: Lists,
    /// Whether paths may meet at each block: it is an entry, does not have exactly one predecessor, or comes after a
    /// known call. After such a call, the caller's path goes on again when the state at the function's end changes.
    meetings: Vec<bool>,
    entries: Vec<usize>,
    /// The entries that the caller gave: they have unknown callers.
    roots: Vec<usize>,
    /// The function of each block, as the index of one of its blocks: functions that share blocks count as one.
    functions: Vec<usize>,
    /// The blocks after known calls, by the called function.
    return_sites: BTreeMap<usize, Vec<usize>>,
}

/// Lists, one for each block, stored one after the other.
#[derive(Clone, Debug, Default)]
struct Lists {
    /// The end of each list.
    ends: Vec<usize>,
    items: Vec<usize>,
}

impl Lists {
    fn of(&self, n: usize) -> &[usize] {
        let first = match n.checked_sub(1) {
            None => Some(0),
            Some(before) => self.ends.get(before).copied(),
        };
        first.zip(self.ends.get(n).copied()).and_then(|(first, end)| self.items.get(first..end)).unwrap_or(&[])
    }
}

impl<'c> Flow<'c> {
    /// The number of vector registers, from v0 on, in which functions return values, by LLVM's calling convention.
    pub const RETURNED: u16 = {
        let [count] = RETURNED;
        count
    };

    /// The control flow of code at an address, followed from `entries`: the addresses of kernels and functions. Entries
    /// outside of the code are ignored. Called functions are found, but not those whose address the code only stores or
    /// passes on.
    pub fn new(target: Target, code: &'c [u8], address: u64, entries: &[u64]) -> Flow<'c> {
        find::flow(target, code, address, entries)
    }

    /// The target.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The blocks in the order of their addresses. Code that jumps into the middle of its own instructions has blocks
    /// that overlap.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The index of the block that begins at an address.
    pub fn block_at(&self, address: u64) -> Option<usize> {
        self.blocks.binary_search_by_key(&address, |block| block.start).ok()
    }

    /// The blocks that can follow a block in the same function.
    pub fn successors(&self, block: usize) -> &[usize] {
        self.successors.of(block)
    }

    /// The blocks that can precede a block in the same function.
    pub fn predecessors(&self, block: usize) -> &[usize] {
        self.predecessors.of(block)
    }

    /// The first blocks of functions: entries, and called functions.
    pub fn entries(&self) -> &[usize] {
        &self.entries
    }

    /// Whether the block is an entry that the caller gave, and not only a called function: it has unknown callers.
    pub fn is_root(&self, block: usize) -> bool {
        self.roots.binary_search(&block).is_ok()
    }

    /// The block that a call at the end of a block leads to, if its address is known and in the code.
    pub fn callee(&self, block: usize) -> Option<usize> {
        match self.blocks.get(block)?.exit {
            Exit::Call { function } => self.block_at(function?),
            _ => None,
        }
    }

    /// The blocks after known calls of a block's function: the code continues there when the function returns.
    pub fn return_sites(&self, block: usize) -> &[usize] {
        self.return_sites.get(&self.function_of(block)).map_or(&[], Vec::as_slice)
    }

    /// The function of a block, as the index of one of its blocks.
    fn function_of(&self, block: usize) -> usize {
        self.functions.get(block).copied().unwrap_or(usize::MAX)
    }

    /// Whether a block ends with a return, by LLVM's calling convention: a jump to the address in `s[30:31]`.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::flow::Flow;
    /// let returns = |word: u32| Flow::new(Target::Gfx942, &word.to_le_bytes(), 0, &[0]).returns(0);
    /// assert!(returns(0xbe80_1d1e) && !returns(0xbe80_1d04)); // s_setpc_b64 s[30:31], s_setpc_b64 s[4:5]
    /// # }
    /// ```
    pub fn returns(&self, block: usize) -> bool {
        let pair = |exit| if let Exit::Indirect { pair } = exit { pair } else { None };
        self.blocks.get(block).and_then(|block| pair(block.exit)).map(u16::from) == RETURN.first().copied()
    }

    /// The instructions of a block, with their addresses.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Opcode, Target, flow::Flow};
    /// let code = [0x00, 0x00, 0x80, 0xbf, 0x00, 0x00, 0x81, 0xbf]; // s_nop 0; s_endpgm
    /// let flow = Flow::new(Target::Gfx942, &code, 0x100, &[0x100]);
    /// let (address, end) = flow.insts(0).last().unwrap();
    /// assert_eq!((address, end.opcode()), (0x104, Opcode::SEndpgm));
    /// # }
    /// ```
    pub fn insts(&self, block: usize) -> impl Iterator<Item = (u64, Inst)> + use<'c> {
        self.insts_from(block, 0)
    }

    /// The instructions of a block from an address on; all if the block begins after the address.
    pub fn insts_from(&self, block: usize, address: u64) -> impl Iterator<Item = (u64, Inst)> + use<'c> {
        let (start, end) = self.blocks.get(block).map_or((0, 0), |block| (block.start.max(address), block.end));
        let (target, code, address) = (self.target, self.code, self.address);
        let (mut at, end) = self.offset(start).zip(self.offset(end)).unwrap_or((0, 0));
        core::iter::from_fn(move || {
            // Blocks are short, so each instruction is decoded by itself, from the rest of the code.
            let rest = code.get(at..).filter(|_| at < end)?;
            let inst = decode(target, rest).ok().filter(|inst| inst.len() <= end - at)?;
            let start = address.wrapping_add(at as u64);
            at += inst.len();
            Some((start, inst))
        })
    }

    fn offset(&self, address: u64) -> Option<usize> {
        usize::try_from(address.checked_sub(self.address)?).ok()
    }
}
