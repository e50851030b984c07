//! All functions of instructions, registers and codes.

use crate::{Sink, used};
use amdgpu_isa::facts::{Flag, Flags, RegSet};
use amdgpu_isa::imm::{DelayAlu, Depctr, GprIdx, Hwreg, Imm, Sendmsg};
use amdgpu_isa::operands::{InlineFloat, Special, dwarf_register};
use amdgpu_isa::patch::PatchError;
use amdgpu_isa::processor::Processor;
use amdgpu_isa::signature::{CodeSet, DataType, ImmediateKind, ModifierSignature, Signature, Takes};
use amdgpu_isa::{
    Access, DecodingClass, Field, Format, Inst, Opcode, Reg, Target, Value, VgprMsb, WordDecoder, decode_small, tied,
};
use core::fmt::Write;

/// Calls all functions of an instruction. `n` is any number.
pub fn all(inst: &Inst, n: u32) {
    let target = Inst::target(inst);
    used((Inst::opcode(inst), Inst::format(inst), Inst::extension(inst), Inst::len(inst), Inst::words(inst).len()));
    used((Inst::mnemonic(inst), Inst::literal64(inst), Inst::is_broken_branch(inst), Inst::canonical(inst)));
    used(Inst::takes_symbol(inst));
    used((Inst::get(inst, Field::Vdst), Inst::counters(inst), Inst::encode(inst, &mut [0; 8]).is_ok()));
    let (reads, writes) = (Inst::reads(inst), Inst::writes(inst));
    let mut set = RegSet::new(target);
    for operand in Inst::operands(inst) {
        RegSet::insert_operand_in(&mut set, inst, VgprMsb::new(n as u8), &operand);
        used((Access::reads(operand.access), Access::writes(operand.access)));
    }
    used((RegSet::len(&set), RegSet::is_empty(&set), RegSet::contains(&set, Reg::Vgpr(n as u16))));
    RegSet::iter(&(reads | writes | set)).for_each(used);
    used(dwarf_register(target, "s0"));
    let flags = Inst::flags(inst);
    Flags::iter(flags).for_each(used);
    used((Flags::is_empty(flags), Flag::ALL.iter().filter(|flag| Flags::contains(flags, **flag)).count()));
    let changed = [
        Inst::with(inst, Field::Vdst, n),
        Inst::with_signed(inst, Field::Offset, n as i32),
        Inst::with_literal(inst, n),
        Inst::with_operand(inst, Field::Src0, Value::Reg(Reg::Vgpr(n as u16))),
        Inst::with_branch_target(inst, n.into(), u64::from(n) * 4),
        Inst::with_opcode(inst, Opcode::ALL.get(n as usize).copied().unwrap_or(Inst::opcode(inst))),
        inst.imm().map_or(Ok(*inst), |imm| Inst::with_imm(inst, imm)),
    ];
    changed.into_iter().for_each(told);
    used(decode_small(target, &n.to_le_bytes()).is_ok());
    used((DecodingClass::of(inst), DecodingClass::signatures(inst)));
    tied(inst).for_each(used);
    WordDecoder::new(target, &[n; 4]).for_each(used);
    constants(target, n as u16);
}

fn told(result: Result<Inst, PatchError>) {
    match result {
        Ok(inst) => used(inst),
        Err(error) => drop(write!(Sink, "{error}")),
    }
}

fn constants(target: Target, n: u16) {
    let made = [
        Hwreg::encode(Hwreg::decode(target, n), target),
        Sendmsg::encode(Sendmsg::decode(target, n), target),
        GprIdx::encode(GprIdx::decode(target, n), target),
        Depctr::encode(Depctr::decode(target, n), target),
        DelayAlu::encode(DelayAlu::decode(target, n), target),
        Imm::encode(Imm::Hwreg(Hwreg::decode(target, n)), target),
    ];
    for error in made.into_iter().filter_map(Result::err) {
        let _ = write!(Sink, "{error}");
    }
    for &float in InlineFloat::ALL {
        used((InlineFloat::to_f16_bits(float), InlineFloat::to_f32(float), InlineFloat::to_f64(float)));
    }
    used(InlineFloat::from_f64(f64::from_bits(u64::from(n) << 48)));
    for &special in Special::ALL {
        used(Special::name(special));
    }
}

/// Calls all functions of values that have names.
pub fn names(target: Target) {
    Opcode::ALL.iter().for_each(|opcode| used(Opcode::name(*opcode)));
    Format::ALL.iter().for_each(|format| used((Format::name(*format), Format::opcode(*format, target, 1))));
    Field::ALL.iter().for_each(|field| used(Field::name(*field)));
    used((Target::name(target), Target::processor(target), Target::aliases(target), Target::vgprs(target)));
    used((Target::mach(target), Target::wave_size(target), Target::with_wave_size(target, 64)));
    used(Target::has_halves(target));
    for processor in Processor::all() {
        used((Processor::name(processor), Processor::aliases(processor), Processor::mach(processor)));
        used((Processor::target(processor), Processor::filler(processor)));
    }
}

/// Calls all functions of a form.
pub fn signature(signature: &Signature) {
    let target = Signature::target(signature);
    used((Signature::opcode(signature), Signature::number(signature), Signature::mnemonic(signature)));
    used((Signature::format(signature), Signature::extension(signature), Signature::flags(signature)));
    used((Signature::scalar_limit(signature), Signature::halves(signature), Signature::passes(signature)));
    used((Opcode::swapped(Signature::opcode(signature)), Target::dual_banks(target)));
    Opcode::signatures(Signature::opcode(signature), target).for_each(|other| used(Signature::number(&other)));
    for operand in Signature::operands(signature) {
        let (takes, ty) = (&operand.takes, operand.ty);
        used((Takes::vgprs(takes), Takes::literal64(takes), DataType::name(ty), DataType::bits(ty)));
        let codes = &takes.codes;
        used((CodeSet::contains(codes, 128), CodeSet::is_empty(codes), CodeSet::iter(codes).count()));
        CodeSet::ranges(codes).for_each(used);
        used(takes.immediate.map_or("", |immediate| ImmediateKind::name(immediate.kind)));
    }
    for modifier in signature.modifiers() {
        ModifierSignature::ranges(&modifier).into_iter().flatten().for_each(used);
    }
}
