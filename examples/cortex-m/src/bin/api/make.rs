//! A constructor of every signature with every modifier, and the builder, with operands that the compiler cannot know.
#![allow(dead_code)] // Not every set of targets has all kinds of operands.

use amdgpu_isa::asm::{Assembler, Emit};
use amdgpu_isa::imm::{DelayAlu, Depctr, GprIdx, Hwreg, Sendmsg, Waitcnt};
use amdgpu_isa::make::kind::{Any, Off};
use amdgpu_isa::make::modifiers::ModifierSet;
use amdgpu_isa::make::{
    Agpr, Argument, BufferAddress, BuildError, Builder, Code, Half, ImageAddress, Op, Vgpr, Words, address, args,
};
use amdgpu_isa::make::{a, addr64, bothen, float, idxen, inline, int, literal, off, offen, s, sets, ttmp, v};
use amdgpu_isa::operands::{InlineFloat, Special};
use amdgpu_isa::patch::Buffer;
use amdgpu_isa::{Field, Format, Opcode, Reg, Target, Value};
use amdgpu_isa_cortex_m::{code, keep};
use core::fmt::Write;

use crate::Sink;

include!(concat!(env!("OUT_DIR"), "/make_shapes_roster.rs"));

struct Constructor {
    targets: &'static [Target],
    name: &'static str,
    opcode: Opcode,
    format: Format,
    extension: &'static str,
    make: fn(&mut Case) -> Result<Words, BuildError>,
}

/// The source of operands, which are any numbers.
struct Case {
    seed: u32,
}

impl Case {
    #[inline(never)]
    fn next(&mut self) -> u32 {
        self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.seed >> 3
    }

    #[inline(never)]
    fn op<const N: usize>(&mut self, _: &str, _: &str) -> Op<Any, N> {
        let n = self.next();
        match n >> 24 & 15 {
            0..=2 => s(n as u8).any(),
            3..=5 => v(n as u8).any(),
            6 => a(n as u8).any(),
            7 => ttmp(n as u8).any(),
            8 => int(i64::from(n as i32)).any(),
            9 => float(f64::from_bits(u64::from(n) << 31)).any(),
            10 => literal(n).any(),
            11 => inline(n as i8).any(),
            12 => off().any(),
            13 => Special::ALL.get(n as usize).map_or(off().any(), |special| Reg::Special(*special).into()),
            _ => Reg::VgprHigh(n as u8).into(),
        }
    }

    fn vgpr<const N: usize>(&mut self, _: &str, _: &str) -> Vgpr<N> {
        v(self.next() as u8)
    }

    fn agpr<const N: usize>(&mut self, _: &str, _: &str) -> Agpr<N> {
        a(self.next() as u8)
    }

    fn no_saddr<const N: usize>(&mut self, _: &str, _: &str) -> Op<Off, N> {
        off()
    }

    fn buffer(&mut self, _: &str, _: &str) -> BufferAddress {
        let n = self.next();
        match n >> 8 & 3 {
            0 => offen(v(n as u8)),
            1 => idxen(v(n as u8)),
            2 => bothen(v(n as u8)),
            _ => addr64(v(n as u8)),
        }
    }

    fn half(&mut self, _: &str, _: &str) -> Half {
        let n = self.next();
        if n >> 8 & 1 == 0 { v(n as u8).l() } else { v(n as u8).h() }
    }

    fn address(&mut self, _: &str, _: &str) -> ImageAddress {
        let (mut all, count) = (address(v::<1>(self.next() as u8)), self.next() & 15);
        for _ in 0..count {
            let n = self.next();
            all = if n >> 8 & 1 == 0 { all.and(v::<1>(n as u8)) } else { all.and(v::<3>(n as u8)) };
        }
        all
    }

    fn lanes(&mut self, _: &str, _: &str) -> [u8; 8] {
        [self.next() as u8; 8]
    }

    fn dword(&mut self, _: &str, _: &str) -> u32 {
        self.next()
    }

    fn member(&mut self, _: &str, _: &str) -> u16 {
        self.next() as u16
    }
}

macro_rules! vgprs {
    ($($name:ident $n:literal)*) => {
        impl Case { $(fn $name(&mut self, name: &str, kind: &str) -> Vgpr<$n> { self.vgpr(name, kind) })* }
    };
}
vgprs! { global1 1 global2 2 image1 1 image2 2 image3 3 image4 4 image5 5 }

macro_rules! ops {
    ($($name:ident)*) => {
        impl Case { $(fn $name<const N: usize>(&mut self, name: &str, kind: &str) -> Op<Any, N> { self.op(name, kind) })* }
    };
}
ops! { half_or saddr scratch export smem smrd }

/// A type of number that constructors accept.
trait Number {
    fn of(n: u32) -> Self;
}

macro_rules! number_types {
    ($($int:ident)*) => { $(impl Number for $int { fn of(n: u32) -> $int { n as $int } })* };
}
number_types!(u16 i16 i32);

macro_rules! constant_types {
    ($($ty:ident)*) => { $(impl Number for $ty { fn of(n: u32) -> $ty { $ty::decode(Target::Gfx942, n as u16) } })* };
}
constant_types!(Waitcnt Hwreg Sendmsg GprIdx Depctr DelayAlu);

macro_rules! numbers {
    ($($name:ident)*) => {
        impl Case { $(fn $name<T: Number>(&mut self, _: &str, _: &str) -> T { T::of(self.next()) })* }
    };
}
numbers! { hex int16 label hwreg sendmsg waitcnt gpr_idx interp_param exp_tgt attr chan dmask dim version depctr delay_alu signed_hex }

trait Modify {
    fn modify(self, case: &mut Case) -> Self;
}

macro_rules! method {
    ($code:ident $case:ident flag $name:ident) => {
        $code.$name()
    };
    ($code:ident $case:ident tfe) => {
        $code.tfe()
    };
    ($code:ident $case:ident byte_sel $field:ident) => {
        $code.byte_sel($case.next() as u8)
    };
    ($code:ident $case:ident scope) => {
        $code.scope($case.next() as u16)
    };
    ($code:ident $case:ident th $($rest:tt)*) => {
        $code.th($case.next() as u16)
    };
    ($code:ident $case:ident compr) => {
        $code.compr()
    };
    ($code:ident $case:ident omod) => {
        match $case.next() {
            0 => $code.mul2(),
            1 => $code.mul4(),
            _ => $code.div2(),
        }
    };
    ($code:ident $case:ident offset $($rest:tt)*) => {
        $code.offset($case.next() as i32)
    };
    ($code:ident $case:ident plus $($rest:tt)*) => {
        $code.plus($case.next() as i32)
    };
    ($code:ident $case:ident value $name:ident $width:literal) => {
        $code.$name($case.next() as u16)
    };
    ($code:ident $case:ident choice $name:ident $max:literal) => {
        $code.$name($case.next() as u16)
    };
    ($code:ident $case:ident source $name:ident $mask:literal) => {
        $code.$name($case.next() as u8)
    };
    ($code:ident $case:ident list $name:ident $($rest:tt)*) => {
        $code.$name($case.next() as u8)
    };
}

macro_rules! set {
    ($name:ident [$(($($method:tt)*))*]) => {
        impl Modify for Code<sets::$name> {
            #[allow(unused_variables)]
            fn modify(self, case: &mut Case) -> Self {
                let code = self;
                $(let code = method!(code case $($method)*);)*
                code
            }
        }
    };
}
every_set!(set);

fn finish<M: ModifierSet>(code: Code<M>, case: &mut Case) -> Result<Words, BuildError>
where
    Code<M>: Modify,
{
    code.modify(case).words()
}

#[inline(never)]
fn told(result: Result<u32, BuildError>) {
    match result {
        Ok(word) => keep(word),
        Err(error) => drop(write!(Sink, "{error}")),
    }
}

pub fn all(target: Target) {
    let mut case = Case { seed: code().len() as u32 };
    for c in &CONSTRUCTORS {
        keep(c.opcode as u32 + c.format as u32 + (c.targets.len() + c.name.len() + c.extension.len()) as u32);
        told((c.make)(&mut case).map(|words| words.iter().fold(words.len() as u32, |sum, word| sum ^ word)));
    }
    for &opcode in Opcode::ALL {
        let builder = build(target, opcode, &mut case);
        told(builder.build().map(|inst| inst.words().len() as u32));
        if let Err(error) = builder.inst(target) {
            let _ = write!(Sink, "{error}");
        }
    }
}

fn build(target: Target, opcode: Opcode, case: &mut Case) -> Builder {
    let mut builder = Builder::new(target, opcode);
    for layout in target.layouts() {
        for info in layout.fields {
            builder = Builder::set(builder, info.field, argument(case));
        }
        if case.next() & 3 == 0 {
            builder = Builder::format(builder, layout.format);
        }
    }
    let n = case.next();
    builder = Builder::neg(builder, n as u8).abs(n as u8).sext(n as u8);
    builder = Builder::offset(Builder::dpp8(builder, u64::from(n).to_le_bytes()), argument(case));
    if let (3, Some(&opcode)) = (n & 3, Opcode::ALL.get(n as usize >> 16)) {
        builder = builder.second(opcode);
    }
    match n >> 8 & 7 {
        0 => builder.e32(),
        1 => builder.e64(),
        2 => builder.sdwa(),
        3 => builder.dpp(),
        4 => builder.e32_dpp(),
        5 => builder.e64_dpp(),
        _ => builder,
    }
}

fn argument(case: &mut Case) -> Argument {
    let n = case.next();
    match n >> 24 & 15 {
        0 => case.op::<1>("", "").into(),
        1 => case.op::<2>("", "").into(),
        2 => case.op::<4>("", "").into(),
        3 => Value::Literal(n).into(),
        4 => InlineFloat::ALL.get(n as usize).map_or(n.into(), |float| Value::Float(*float).into()),
        5 => Value::Int(n as i8).into(),
        6 => args::s(n as u8),
        7 => args::v(n as u8),
        8 => args::a(n as u8),
        9 => args::ttmp(n as u8),
        10 => args::int(i64::from(n as i32)),
        11 => args::float(f64::from_bits(u64::from(n) << 31)),
        12 => [args::literal(n), args::literal64(u64::from(n) << 9)][n as usize & 1],
        13 => args::inline(n as i8),
        14 => args::off(),
        _ => n.into(),
    }
}

/// Passes instructions to the assembler.
pub fn assemble<B: Buffer + ?Sized>(
    asm: &mut Assembler<'_, B>,
    target: Target,
) -> Result<(), amdgpu_isa::asm::AssembleError> {
    let mut case = Case { seed: code().len() as u32 };
    let n = case.op("", "");
    asm.emit(build(target, Opcode::SAddU32, &mut case).set(Field::Ssrc0, n))?;
    asm.emit(amdgpu_isa::gfx942::s_add_u32(n, n, n))?;
    asm.emit(amdgpu_isa::gfx942::s_add_u32(n, n, n).words()?)
}
