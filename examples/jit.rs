//! A toy JIT: compiles an expression of `x`, `y` and `a` to a kernel that computes `out[i] = expression` for every i
//! below n, for a target named at run time, and shows the assembly.
//!
//! `cargo run --features make,all-targets --example jit -- gfx906 'a*x + y'`

use std::error::Error;

use amdgpu_isa::asm::{AssembleError, Assembler, FixupSlot, Label, LabelSlot};
use amdgpu_isa::imm::Waitcnt;
use amdgpu_isa::make::{Argument, BuildError, BuildError::*, Builder, ToArgument};
use amdgpu_isa::{Decoded, Decoder, Opcode, Opcode::*, Reg, Reg::*, Target};

/// The registers of the kernel's arguments, and of the values loaded from them.
const ARGUMENTS: Reg = Sgpr(0); // s[0:1]
const GROUP: Reg = Sgpr(2); // the number of the group; later, with s3, the previous EXEC
const POINTERS: [(u8, u8); 3] = [(4, 5), (6, 7), (8, 9)]; // x, y, out
const A: Reg = Sgpr(10);
const N: Reg = Sgpr(11);
const RESOURCE: u8 = 12; // s[12:15]: all of memory, for targets that only have buffers
const VCC: Reg = Reg::VCC_LO;
const ITEM: Reg = Vgpr(0); // the item's number; then its offset in bytes
const ADDRESS: [Reg; 2] = [Vgpr(2), Vgpr(3)];
const VALUES: [Reg; 2] = [Vgpr(4), Vgpr(5)]; // x[i], y[i]
const FIRST_TEMPORARY: u8 = 6;

/// Code for a target that is only known at run time.
struct Jit<'a> {
    target: Target,
    asm: Assembler<'a, [u32]>,
    /// The end of the kernel.
    done: Label,
    /// The next free vector register.
    temporary: u8,
}

impl Jit<'_> {
    fn has(&self, opcode: Opcode) -> bool {
        opcode.encodings(self.target).next().is_some()
    }

    /// The operation with this name, if the target has it. All enabled targets may lack it.
    fn named(&self, name: &str) -> Option<Opcode> {
        name.parse().ok().filter(|opcode| self.has(*opcode))
    }

    fn op(&self, opcode: Opcode) -> Builder {
        Builder::new(self.target, opcode)
    }

    fn mov(&mut self, to: Reg, from: impl ToArgument) -> Result<(), AssembleError> {
        match to {
            Sgpr(_) => self.asm.emit(self.op(SMovB32).sdst(to).ssrc0(from)),
            _ => self.asm.emit(self.op(VMovB32).vdst(to).src0(from)),
        }
    }

    /// Waits for loads into scalar registers, and if `vectors` also for those into vector registers.
    fn wait(&mut self, vectors: bool) -> Result<(), AssembleError> {
        // From RDNA4 on, each counter has an instruction of its own.
        let Some((scalar, vector)) = self.named("s_wait_kmcnt").zip(self.named("s_wait_loadcnt")) else {
            let wait = Waitcnt::new().with_lgkmcnt(0);
            return self.asm.emit(self.op(SWaitcnt).simm16(if vectors { wait.with_vmcnt(0) } else { wait }));
        };
        if vectors {
            self.asm.emit(self.op(vector).simm16(0))?;
        }
        self.asm.emit(self.op(scalar).simm16(0))
    }

    /// Loads the arguments, computes the item of each lane, and disables lanes without an item.
    fn begin(&mut self) -> Result<(), Box<dyn Error>> {
        // Offsets are in dwords on the first two generations, and in bytes later.
        let unit = if self.has(SDcacheWb) || self.has(GlobalLoadDword) { 1 } else { 4 };
        for (opcode, to, bytes) in [(SLoadDwordx4, Sgpr(4), 0), (SLoadDwordx4, Sgpr(8), 16)] {
            self.asm.emit(self.op(opcode).sdata(to).sbase(ARGUMENTS).offset(bytes / unit))?;
        }
        self.wait(false)?;
        // From RDNA4 on, the number of the group is in another register.
        let group = if self.named("s_wait_kmcnt").is_some() { Ttmp(9) } else { GROUP };
        self.asm.emit(self.op(SLshlB32).sdst(GROUP).ssrc0(group).ssrc1(8))?;
        self.asm.emit(self.op(VAddCoU32).vdst(ITEM).sdst(VCC).src0(GROUP).src1(ITEM))?;
        self.asm.emit(self.op(VCmpGtU32).src0(N).src1(ITEM))?;
        let short = self.named("s_and_saveexec_b32").filter(|_| self.target.wave_size() == 32);
        let and = short.unwrap_or(SAndSaveexecB64);
        self.asm.emit(self.op(and).sdst(GROUP).ssrc0(VCC))?;
        self.asm.jump(SCbranchExecz, self.done)?;
        self.asm.emit(self.op(VLshlrevB32).vdst(ITEM).src0(2).src1(ITEM))?;
        if !self.has(FlatLoadDword) {
            for (n, word) in [0, 0, 0, 0xf000].into_iter().enumerate() {
                self.mov(Sgpr(RESOURCE + n as u8), word)?;
            }
        }
        Ok(())
    }

    /// Accesses memory at a pointer plus the item's offset, with the target's instructions.
    fn access(&mut self, (low, high): (u8, u8), data: Reg, is_store: bool) -> Result<(), AssembleError> {
        let [to_low, to_high] = ADDRESS;
        self.mov(to_high, Sgpr(high))?;
        self.asm.emit(self.op(VAddCoU32).vdst(to_low).sdst(VCC).src0(Sgpr(low)).src1(ITEM))?;
        self.asm.emit(self.op(VAddcCoU32).vdst(to_high).src0(0).src1(to_high))?;
        let pick = |load, store| if is_store { store } else { load };
        let global = pick(GlobalLoadDword, GlobalStoreDword);
        let flat = pick(FlatLoadDword, FlatStoreDword);
        let access = match () {
            _ if self.has(global) || self.has(flat) => {
                let op = self.op(if self.has(global) { global } else { flat }).addr(to_low);
                if is_store { op.data(data) } else { op.vdst(data) }
            }
            _ => {
                let op = self.op(pick(BufferLoadDword, BufferStoreDword)).vdata(data).vaddr(to_low).addr64();
                op.srsrc(Sgpr(RESOURCE)).soffset(0)
            }
        };
        self.asm.emit(access)
    }

    /// Emits an operation on two values. Uses scalars and constants directly if the instruction accepts them, else
    /// copies in vector registers. Only the builder knows which of both is possible on a target.
    fn binary(&mut self, opcode: Opcode, left: Argument, right: Argument) -> Result<Argument, AssembleError> {
        let to = Vgpr(self.temporary.into());
        match self.op(opcode).vdst(to).src0(left).src1(right).build() {
            Ok(inst) => self.asm.emit(inst)?,
            Err(BuildError::Operand { .. } | NoLiteral { .. } | ConstantBus(_) | TwoLiterals(_)) => {
                self.mov(to, right)?;
                self.asm.emit(self.op(opcode).vdst(to).src0(left).src1(to))?;
            }
            Err(error) => return Err(error.into()),
        }
        self.temporary += 1;
        Ok(to.into())
    }

    fn end(&mut self, value: Argument) -> Result<(), AssembleError> {
        let result = Vgpr(self.temporary.into());
        self.mov(result, value)?;
        self.access(POINTERS[2], result, true)?;
        self.asm.bind(self.done)?;
        self.asm.emit(self.op(SEndpgm))
    }
}

/// A parser for sums of products of factors, which emits instructions as it reads.
struct Parser<'a, 'b> {
    text: std::iter::Peekable<std::str::Chars<'a>>,
    jit: &'a mut Jit<'b>,
}

impl Parser<'_, '_> {
    fn next_is(&mut self, wanted: char) -> bool {
        while self.text.next_if(|c| c.is_whitespace()).is_some() {}
        self.text.next_if_eq(&wanted).is_some()
    }

    fn sum(&mut self) -> Result<Argument, Box<dyn Error>> {
        let mut left = self.product()?;
        loop {
            let opcode = match () {
                _ if self.next_is('+') => VAddF32,
                _ if self.next_is('-') => VSubF32,
                _ => return Ok(left),
            };
            let right = self.product()?;
            left = self.jit.binary(opcode, left, right)?;
        }
    }

    fn product(&mut self) -> Result<Argument, Box<dyn Error>> {
        let mut left = self.factor()?;
        while self.next_is('*') {
            let right = self.factor()?;
            left = self.jit.binary(VMulF32, left, right)?;
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Argument, Box<dyn Error>> {
        if self.next_is('(') {
            let value = self.sum()?;
            return if self.next_is(')') { Ok(value) } else { Err("`)` is missing".into()) };
        }
        for (name, register) in [('x', VALUES[0]), ('y', VALUES[1]), ('a', A)] {
            if self.next_is(name) {
                return Ok(register.into());
            }
        }
        let mut number = String::new();
        while let Some(c) = self.text.next_if(|c| c.is_ascii_digit() || *c == '.') {
            number.push(c);
        }
        let number: f32 =
            number.parse().map_err(|_| format!("no number, variable or `(` before {:?}", self.text.peek()))?;
        Ok(number.into())
    }
}

/// Writes the kernel into `code`. Returns its length in dwords.
pub fn compile(target: Target, expression: &str, code: &mut [u32]) -> Result<usize, Box<dyn Error>> {
    let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
    let mut asm = Assembler::new(target, code, &mut labels, &mut fixups);
    let done = asm.label()?;
    let mut jit = Jit { target, asm, done, temporary: FIRST_TEMPORARY };
    jit.begin()?;
    for (pointer, value) in POINTERS.into_iter().zip(VALUES) {
        jit.access(pointer, value, false)?;
    }
    jit.wait(true)?;
    let mut parser = Parser { text: expression.chars().peekable(), jit: &mut jit };
    let value = parser.sum()?;
    if let Some(c) = parser.text.find(|c| !c.is_whitespace()) {
        return Err(format!("`{c}` was not expected").into());
    }
    jit.end(value)?;
    Ok(jit.asm.finish()?.len() / 4)
}

#[allow(dead_code)] // A test compiles this file too.
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let target: Target = arguments.next().as_deref().unwrap_or("gfx942").parse()?;
    let expression = arguments.next().unwrap_or("a*x + y".into());
    let mut code = [0; 1024];
    let len = compile(target, &expression, &mut code)?;
    let bytes: Vec<u8> = code[..len].iter().flat_map(|word| word.to_le_bytes()).collect();
    println!("// out[i] = {expression} for {target}");
    for Decoded { offset, inst: item } in Decoder::new(target, &bytes) {
        println!("{offset:4x}  {}", item.map_err(|invalid| invalid.error)?);
    }
    Ok(())
}
