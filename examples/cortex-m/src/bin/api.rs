//! Calls all of the library, so that its image can be searched for panics. The program is not meant to run.
#![no_std]
#![no_main]

use amdgpu_isa::addresses::{Addresses, Base, KnownAddress, scalars};
use amdgpu_isa::asm::{Assembled, Assembler, Far, FixupSlot, LabelSlot, RelocationKind};
use amdgpu_isa::check::{Allowed, RuleError};
use amdgpu_isa::convert::Form;
use amdgpu_isa::facts::{Encoding, RegSet};
use amdgpu_isa::imm::{GprIdx, Hwreg, Sendmsg, Waitcnt};
use amdgpu_isa::layout::{HeldField, Layout};
use amdgpu_isa::operands::InlineFloat;
use amdgpu_isa::patch::{Buffer, DecoderMut, InstMut, Location, Trampoline};
use amdgpu_isa::processor::Processor;
use amdgpu_isa::signature::Signature;
use amdgpu_isa::text::TextBuffer;
use amdgpu_isa::{Decoded, Decoder, Field, Filler, Inst, Opcode, Reg, Target, Value, decode, decode_words, length};
use amdgpu_isa_cortex_m::{code, exit, keep};
use core::fmt::Write;

#[path = "api/kernels.rs"]
mod kernels;
#[cfg(feature = "make")]
#[path = "api/make.rs"]
mod make;
#[path = "api/texts.rs"]
mod texts;
#[path = "api/values.rs"]
mod values;
#[path = "api/waits.rs"]
mod waits;

/// Keeps a value, so that the call that makes it stays in the image.
fn used<T>(value: T) {
    core::hint::black_box(value);
}

/// A writer that keeps only the length of the text.
struct Sink;

impl Write for Sink {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        keep(text.len() as u32);
        Ok(())
    }
}

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    let (target, code) = (amdgpu_isa_cortex_m::target(), code());
    walk(target, code);
    keep(length(target, code).unwrap_or(0) as u32);
    targets(target);
    operations(target);
    values::names(target);
    waits::all(target, Decoder::new(target, code).filter_map(|decoded| decoded.inst.ok()));
    patching(target, code);
    assembling(target, code);
    #[cfg(feature = "gfx942")]
    structs::all(code);
    #[cfg(feature = "capi")]
    c_interface(target, code);
    #[cfg(feature = "make")]
    make::all(target);
    exit(true)
}

fn walk(target: Target, code: &[u8]) {
    let mut text = TextBuffer::new();
    for Decoded { offset, inst: item } in Decoder::new(target, code) {
        keep(offset as u32);
        match item {
            Ok(inst) => one(&inst, &mut text),
            Err(invalid) => {
                keep(invalid.word);
                let _ = write!(Sink, "{}", invalid.error);
            }
        }
    }
    let words = [code.len() as u32; 5];
    for inst in [decode(target, code), decode_words(target, &words)].into_iter().flatten() {
        one(&inst, &mut text);
    }
}

fn one(inst: &Inst, text: &mut TextBuffer) {
    let mut bytes = [0; 20];
    let mut words = [0; 5];
    let len = keep_len(inst.encode(&mut bytes[..]).map_or(0, |n| n));
    keep_len(inst.encode_words(bytes.get(..len).map_or(&mut words[..], |_| &mut [])).unwrap_or(0));
    keep(inst.opcode() as u32 + inst.format() as u32 + inst.target() as u32);
    keep(inst.second_opcode().map_or(0, |op| op as u32));
    keep(u32::from(inst.flags().is_branch()) + u32::from(inst.is_canonical()));
    let filler = Inst::filler(inst).unwrap_or(Target::filler(inst.target()));
    keep(inst.with_filler(filler).words().first().copied().unwrap_or(0) + Filler::name(filler).len() as u32);
    keep(u32::from(Filler::named("llvm23").is_some()));
    keep(inst.extension().map_or(0, |f| f as u32));
    keep(inst.branch_target(keep_len(len) as u64).unwrap_or(0) as u32);
    keep(Inst::nop(inst.target()).map_or(0, |nop| nop.len() as u32));
    keep(u32::from(inst.target().has_broken_branches()));
    let purpose = inst.opcode().purpose();
    keep(u32::from(purpose.is_some_and(|purpose| Opcode::has_purpose(inst.target(), purpose))));
    keep(u32::from(inst.address_step().is_some()) + u32::from(inst.reads_pc(keep_len(len) as u64)));
    keep(inst.operands().filter_map(|operand| inst.constant(&operand)).count() as u32);
    for operand in inst.operands() {
        keep(operand.bits.into());
        keep(operand.role.map_or(0, |r| r as u32));
    }
    for HeldField { format, first_bit: first, info, value, .. } in inst.fields() {
        keep(format as u32 + u32::from(first) + value);
        keep(inst.get(info.field).unwrap_or(0));
        let _ = write!(Sink, "{}{}", info.about(), inst.field_text(info.field));
    }
    keep(Inst::part(inst, inst.format()).map_or(0, |words| words.len() as u32));
    for &other in Target::ALL {
        match inst.retarget(other) {
            Ok(there) => keep(there.words().first().copied().unwrap_or(0)),
            Err(error) => {
                let _ = write!(Sink, "{error}");
                keep(error.bit_fields().iter().flatten().map(|name| name.len() as u32).sum());
            }
        }
        if let Some(imm) = inst.imm() {
            keep(imm.encode(other).map_or_else(|error| error.width.into(), u32::from));
        }
        let simm16 = keep_len(len) as u16;
        let constants = [
            Waitcnt::decode(other, simm16).encode(target(inst)),
            Waitcnt::new().with_vmcnt(simm16 as u8).encode(target(inst)),
            Hwreg::decode(other, simm16).encode(target(inst)),
            Sendmsg::decode(other, simm16).encode(target(inst)),
            GprIdx::decode(other, simm16).encode(target(inst)),
        ];
        constants.into_iter().for_each(|made| keep(made.map_or_else(|error| error.value as u32, u32::from)));
    }
    facts(inst);
    addresses(inst, keep_len(len) as u64);
    values::all(inst, keep_len(len) as u32 ^ 0x5a5a_5a5a);
    kernels::all(inst.target(), code(), &inst.reads(), keep_len(len) as u16);
    if let Ok(text) = core::str::from_utf8(code()) {
        texts::all(inst.target(), text, inst);
    }
    if let Err(error) = inst.check() {
        let _ = write!(Sink, "{error}");
        if let RuleError::Value { value, allowed, .. } = error {
            keep(Allowed::contains(allowed, value).into());
            keep(Allowed::range(allowed).map_or(0, |(least, most)| least ^ most));
        }
    }
    keep(text.print(inst).len() as u32);
    keep(text.as_str().len() as u32);
    let _ = write!(Sink, "{inst}{inst:?}{}", inst.mnemonic());
}

fn facts(inst: &Inst) {
    let (reads, writes) = (inst.reads(), inst.writes());
    let mut both = (reads | writes) - (reads & writes);
    both |= RegSet::new(inst.target());
    inst.operands().for_each(|operand| both.insert_operand(&operand));
    for reg in reads.iter() {
        both.insert(reg);
        keep(u32::from(writes.contains(reg)));
    }
    keep_len(both.len());
    let _ = write!(Sink, "{both:?}{:?}", both.intersects(&reads));
    inst.memory().for_each(|access| keep(access.space as u32));
    keep(u32::from(inst.counters().is_empty()) + u32::from(inst.flags().is_conditional_branch()));
    for made in [inst.shrink(), inst.expand(), inst.commuted()] {
        match made {
            Ok(other) => keep(other.words().first().copied().unwrap_or(0)),
            Err(error) => drop(write!(Sink, "{error}")),
        }
    }
    for Form { format, extension, .. } in inst.opcode().forms(inst.target()) {
        keep(inst.reencode(format, extension).map_or(0, |other| other.words().len() as u32));
    }
}

/// Follows an instruction, which may use an address that the registers have.
fn addresses(inst: &Inst, at: u64) {
    let mut addresses = Addresses::NONE;
    Addresses::set(&mut addresses, at as u8, KnownAddress { base: Base::Given(1), offset: at, since: at });
    used(Addresses::step(&mut addresses, inst, at).map(|made| (made.address, made.from, made.low, made.parts)));
    for operand in inst.operands() {
        used((scalars(inst.target(), &operand), Addresses::value_in(&addresses, inst.target(), &operand)));
        used(Addresses::address_in(&addresses, inst.target(), &operand));
    }
    Addresses::forget(&mut addresses, inst);
    used((Addresses::is_empty(&addresses), Addresses::knows(&addresses, at.into()), Addresses::written(&addresses)));
    Addresses::clear(&mut addresses);
}

fn target(inst: &Inst) -> Target {
    inst.target()
}

fn keep_len(n: usize) -> usize {
    keep(n as u32);
    n
}

fn targets(target: Target) {
    let _ = write!(Sink, "{target}{}{}", target.generation(), target.name());
    keep(target.mach() + u32::from(target.wave_size()) + target.aliases().len() as u32);
    keep(Target::from_e_flags(target.mach()).map_or(0, |t| t as u32));
    let processors = Processor::all().chain(Processor::from_e_flags(target.mach()));
    for processor in processors.chain(target.name().parse()) {
        let _ = write!(Sink, "{processor}{processor:?}{:?}", processor.generic_version());
        keep(processor.mach() + processor.aliases().len() as u32 + processor.target().map_or(0, |t| t as u32));
    }
    if let Err(unknown) = "?".parse::<Processor>() {
        let _ = write!(Sink, "{unknown}");
    }
    match target.name().parse::<Target>() {
        Ok(target) => keep(target as u32),
        Err(unknown) => drop(write!(Sink, "{unknown}")),
    }
    for layout in target.layouts() {
        keep(u32::from(layout.bits) + layout.fields.len() as u32 + Layout::source(layout).len() as u32);
    }
}

fn operations(target: Target) {
    for &opcode in Opcode::ALL {
        let _ = write!(Sink, "{opcode}{opcode:?}");
        keep(Opcode::from_number(Opcode::number(opcode)).map_or(0, |opcode| opcode as u32));
        for Encoding { format, number, .. } in opcode.encodings(target) {
            keep(u32::from(number));
            let _ = write!(Sink, "{format}");
            keep(format.opcode(target, number).map_or(0, |opcode| opcode as u32));
        }
        for form in opcode.forms(target) {
            keep(opcode.signature(target, form).map_or(0, |signature| signature.number().into()));
        }
        opcode.signatures(target).for_each(|signature| self::signature(&signature));
    }
    for run in target.operand_codes() {
        keep(u32::from(run.first) + u32::from(run.last));
        let _ = write!(Sink, "{}{}", run.name, run.pair);
    }
    for all in target.enumerations() {
        keep_len(all.name.len() + all.values.len());
    }
    keep_len(target.machs().len());
}

fn signature(signature: &Signature) {
    values::signature(signature);
    let _ = write!(Sink, "{signature:?}{}{}", signature.mnemonic(), signature.opcode());
    keep(u32::from(signature.flags().is_load()));
    keep_len(signature.extension().map_or(0, |format| format as usize));
    for operand in signature.operands() {
        let _ = write!(Sink, "{operand:?}{}", operand.ty);
        let takes = &operand.takes;
        let files = [takes.sgprs(), takes.ttmps(), takes.specials(), takes.ints(), takes.floats(), takes.vgprs()];
        keep_len(files.into_iter().filter(|there| *there).count() + takes.codes.iter().count());
        keep(u32::from(takes.literal()) + u32::from(takes.agprs()) + u32::from(takes.codes.is_empty()));
        keep(u32::from(takes.value(Value::Imm(1))) + u32::from(takes.value(Value::Reg(Reg::Sgpr(1)))));
        keep(
            u32::from(operand.scalar_alignment()) + u32::from(operand.vector_alignment()) + u32::from(operand.count()),
        );
        keep_len(operand.others().count());
    }
    for modifier in signature.modifiers() {
        let _ = write!(Sink, "{modifier:?}");
        keep(modifier.mask + u32::from(modifier.takes(1)) + modifier.neutral());
        keep_len(modifier.example(1).map_or(0, |inst| inst.len()));
        keep_len(modifier.ranges().map_or(0, Iterator::count));
    }
    signature.implicit().for_each(|implicit| keep(implicit.bits.into()));
}

/// Calls every change, in dwords and in bytes.
fn patching(target: Target, code: &[u8]) {
    let mut bytes = [0; 256];
    bytes.iter_mut().zip(code).for_each(|(to, from)| *to = *from);
    for Decoded { offset: at, inst: item } in DecoderMut::new(target, &mut bytes[..]) {
        match item {
            Ok(mut inst) => change(&mut inst, at as u32 ^ 0x5a5a),
            Err(invalid) => keep(invalid.word),
        }
    }
    let mut words = [code.len() as u32; 64];
    if let Ok(mut inst) = InstMut::new(target, &mut words[..]) {
        change(&mut inst, code.len() as u32);
    }
    for Decoded { offset: at, inst: item } in DecoderMut::new(target, &mut words[..]) {
        if let Ok(mut inst) = item {
            change(&mut inst, at as u32);
        }
    }
    for layout in target.layouts() {
        for info in layout.fields {
            if let Some(place) = Location::of(target, layout.format, info.field) {
                locate(place, &mut words, code.len() as u32);
            }
        }
    }
    keep(words.first().copied().unwrap_or(0) + u32::from(bytes.first().copied().unwrap_or(0)));
}

fn change<C: amdgpu_isa::patch::Memory + ?Sized>(inst: &mut InstMut<'_, C>, n: u32) {
    let other = **inst;
    let fields = [Field::Src0, Field::Simm16, Field::Vdst, Field::Sdst, Field::Offset, Field::Op];
    let field = fields.get(n as usize % 8).copied().unwrap_or(Field::Literal);
    let registers = [Reg::Sgpr(n as u8), Reg::Vgpr(n as u16), Reg::Agpr(n as u8), Reg::VgprHigh(n as u8), Reg::Vcc];
    let register = registers.get(n as usize % 8).copied().unwrap_or(Reg::Ttmp(n as u8));
    let values = [Value::Imm(n as i32), Value::Literal(n), Value::Int(n as i8), Value::Label(n as i16), Value::Off];
    let value = values.get(n as usize % 8).copied().unwrap_or(Value::Float(InlineFloat::InvTwoPi));
    let opcode = Opcode::ALL.get(n as usize).copied().unwrap_or(other.opcode());
    let results = [
        InstMut::set(inst, field, n),
        inst.set_signed(field, n as i32),
        inst.set_literal(n),
        inst.set_operand(field, value),
        inst.set_register(field, register),
        inst.set_branch_target(n.into(), u64::from(n) * 4),
        inst.set_opcode(opcode),
        inst.imm().map_or(Ok(()), |imm| inst.set_imm(imm)),
        inst.replace(&other),
    ];
    for error in results.into_iter().filter_map(Result::err) {
        let _ = write!(Sink, "{error}");
    }
    if let Some(place) = inst.locate(field) {
        locate(place, &mut [n; 5], n);
    }
}

fn locate(place: Location, words: &mut [u32], n: u32) {
    keep(u32::from(place.width()) + Location::get(&place, words).unwrap_or(0));
    if let Err(error) = Location::put(&place, words, n) {
        let _ = write!(Sink, "{error}");
    }
}

/// Calls all of the assembler, into bytes and into dwords, and makes a trampoline.
fn assembling(target: Target, code: &[u8]) {
    assemble(target, code, &mut [0u8; 512][..]);
    assemble(target, code, &mut [0u32; 128]);
    let mut there = [0u8; 256];
    there.iter_mut().zip(code).for_each(|(to, from)| *to = *from);
    let (hook, area) = (code.len() as u64, code.len() as u64 * 8);
    let trampoline = Trampoline { target, hook, area, far: far(code) };
    let done = trampoline.install(&mut there[..], hook / 2, &[7], &mut [0u32; 64]);
    let near = trampoline.install_near(&mut there[..], hook / 2, &[7], &mut [0u32; 64]);
    for done in [done, near] {
        match done {
            Ok(done) => keep((done.len + done.displaced) as u32 + done.copy as u32),
            Err(error) => drop(write!(Sink, "{error}")),
        }
    }
}

fn far(code: &[u8]) -> Option<Far> {
    let first = code.first().copied().unwrap_or(0);
    (first > 7).then_some(Far { pair: first, scc: code.get(1).copied() })
}

fn assemble<B: Buffer + ?Sized>(target: Target, code: &[u8], out: &mut B) {
    let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 16], [FixupSlot::EMPTY; 16]);
    let mut asm = Assembler::new(target, out, &mut labels, &mut fixups);
    let n = code.len() as u64;
    let mut run = || {
        asm.base(n)?;
        far(code).map_or(Ok(()), |far| asm.far(far))?;
        let (end, here, there) = (asm.label()?, asm.here()?, asm.label_at(n * 8)?);
        asm.dword(n as u32)?;
        asm.align(n)?;
        asm.align_end(n)?;
        asm.load_address(n as u8, here)?;
        asm.load_symbol(n as u8, 1)?;
        asm.load_symbol_entry(n as u8, 2)?;
        if let Ok(inst) = decode(target, code) {
            asm.emit(inst)?;
            asm.branch(inst, there)?;
            asm.emit_symbol(inst, RelocationKind::Rel32, 3, n as i64)?;
            asm.jump(inst.opcode(), end)?;
        }
        asm.emit([n as u32, n as u32])?;
        asm.moved(code, n)?;
        Assembler::words(&mut asm, &[n as u32; 2])?;
        #[cfg(feature = "make")]
        make::assemble(&mut asm, target)?;
        keep(Assembler::offset(&asm) as u32);
        asm.bind(end)?;
        Ok(end)
    };
    match run().and_then(|end| asm.finish().map(|done| (end, done))) {
        Ok((end, done)) => {
            keep(Assembled::len(&done) as u32 + done.address(end).unwrap_or(0) as u32);
            keep(done.buffer().dword(0).unwrap_or(0));
            for r in done.relocations() {
                let _ = write!(Sink, "{}{}", r.kind, r.offset + r.addend as u64);
                keep(RelocationKind::number(r.kind) + r.symbol);
            }
        }
        Err(error) => {
            let error: amdgpu_isa::asm::AssembleError = error;
            let _ = write!(Sink, "{error}");
        }
    }
}

/// Calls the functions of the C interface.
#[cfg(feature = "capi")]
fn c_interface(target: Target, code: &[u8]) {
    use amdgpu_isa::capi::*;
    let (target, at, len) = (target.mach(), code.as_ptr(), code.len());
    let mut inst = amdgpu_isa_inst { words: [len as u32; 5], len: len as u32, target };
    let (mut text, mut bytes, mut number, mut word) = ([0; 64], [0; 64], 0, 0);
    let none = amdgpu_isa_piece { dword: 0, bit: 0, width: 0 };
    let (mut pieces, field) = ([none; 2], len as i32);
    let off = amdgpu_isa_kind::Off;
    let mut operands =
        [amdgpu_isa_operand { kind: off, value: 0, field, bits: 0, is_read: false, is_written: false }; 9];
    // SAFETY: pointers and lengths are those of slices; the name ends in a zero.
    unsafe {
        keep(amdgpu_isa_target(c"gfx942".as_ptr()) + amdgpu_isa_field(c"simm16".as_ptr()) as u32);
        keep(amdgpu_isa_length(target, at, len) as u32);
        keep(amdgpu_isa_decode(target, at, len, &mut inst) as u32);
        keep(amdgpu_isa_why(target, at, len, text.as_mut_ptr(), text.len()) as u32);
        keep(amdgpu_isa_encode(&inst, bytes.as_mut_ptr(), bytes.len()) as u32);
        keep(amdgpu_isa_text(&inst, text.as_mut_ptr(), text.len()) as u32);
        keep(amdgpu_isa_opcode(&inst, text.as_mut_ptr(), text.len()) as u32);
        keep(amdgpu_isa_operands(&inst, operands.as_mut_ptr(), operands.len()) as u32);
        keep(amdgpu_isa_branch_target(&inst, len as u64, &mut number) as u32);
        keep(amdgpu_isa_get(&inst, field, &mut word) as u32);
        keep(amdgpu_isa_locate(&inst, field, pieces.as_mut_ptr()) as u32);
        keep(amdgpu_isa_set(&mut inst, field, word) as u32);
        keep(amdgpu_isa_set_branch_target(&mut inst, number, len as u64) as u32);
        keep(amdgpu_isa_set_opcode(&mut inst, c"s_branch".as_ptr()) as u32);
        keep(amdgpu_isa_patch(target, bytes.as_mut_ptr(), bytes.len(), field, word) as u32);
    }
    keep(operands[0].bits + pieces[0].bit + inst.len + text[0] as u32);
}

/// Every struct, every setter and every getter.
#[cfg(feature = "gfx942")]
mod structs {
    use amdgpu_isa::errors::FieldError;
    use amdgpu_isa_cortex_m::keep;

    include!(concat!(env!("OUT_DIR"), "/roster.rs"));

    fn refused(error: FieldError) {
        keep(error.value as u32 + error.field as u32 + u32::from(error.width));
    }

    macro_rules! result {
        (exact, $set:expr) => {
            Ok::<_, FieldError>($set)
        };
        (checked, $set:expr) => {
            $set
        };
    }

    /// A value of any field's type that the compiler cannot know.
    trait Number: Sized {
        fn of(n: u32) -> Self;
    }

    macro_rules! numbers {
        ($($int:ident)*) => { $(impl Number for $int { fn of(n: u32) -> Self { n as $int } })* };
    }
    numbers!(u8 u16 u32 u64 i8 i16 i32 i64);

    impl Number for bool {
        fn of(n: u32) -> bool {
            n & 1 == 1
        }
    }

    pub fn all(code: &[u8]) {
        let mut seed = code.len() as u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed
        };
        macro_rules! each {
            ($module:ident $target:ident $ty:ident ($($op:ident)?) [$(($how:ident $field:ident $with:ident $int:ident))*]) => {
                let mut s = amdgpu_isa::$module::$ty::new();
                $(
                    if let Ok(op) = amdgpu_isa::$module::$op::from_bits(next() as _) {
                        s = s.with_op(op);
                        keep(op.opcode() as u32);
                    }
                    keep(s.op().is_ok().into());
                )?
                $(
                    match result!($how, s.$with(<$int>::of(next()))) {
                        Ok(after) => s = after,
                        Err(error) => refused(error),
                    }
                    keep(s.$field() as u32);
                )*
                for word in s.to_words() {
                    keep(word);
                }
            };
        }
        every_struct!(each);
    }
}
