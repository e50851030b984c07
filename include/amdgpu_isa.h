/* AMD GPU machine code: decode, text, operands, facts, meaning, encode, patch, other targets. Made from src/capi.rs by cbindgen. */

#ifndef AMDGPU_ISA_H
#define AMDGPU_ISA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The result of a function.
typedef enum {
  // Success.
  AMDGPU_ISA_STATUS_OK,
  // The library was built without this target, or the number is not a target.
  AMDGPU_ISA_STATUS_UNKNOWN_TARGET,
  // The bytes end before the instruction does.
  AMDGPU_ISA_STATUS_TRUNCATED,
  // The bytes are not an instruction.
  AMDGPU_ISA_STATUS_NO_INSTRUCTION,
  // The instruction has no such field or branch target, or there is no such operation or filler.
  AMDGPU_ISA_STATUS_MISSING,
  // The text is not an instruction, the instruction cannot be replaced, or the value does not fit, is reserved, or
  // would change the instruction's length or form.
  AMDGPU_ISA_STATUS_REFUSED,
} amdgpu_isa_status;

// The kind of an operand.
typedef enum {
  // Scalar registers; the value is the number of the first one.
  AMDGPU_ISA_KIND_SGPR,
  // Vector registers.
  AMDGPU_ISA_KIND_VGPR,
  // The upper half of a vector register.
  AMDGPU_ISA_KIND_VGPR_HIGH,
  // Accumulation registers.
  AMDGPU_ISA_KIND_AGPR,
  // Trap handler temporaries.
  AMDGPU_ISA_KIND_TTMP,
  // Another scalar register, by the number that `amdgpu_isa_special` returns: vcc_lo, exec_lo, m0, ...
  AMDGPU_ISA_KIND_SPECIAL,
  // A register that no field names: 0 scc, 1 vcc, 2 exec, 3 m0, 4 mode, 5 flat_scratch, 6 xnack_mask, 7 trapsts.
  AMDGPU_ISA_KIND_IMPLICIT,
  // An inline integer.
  AMDGPU_ISA_KIND_INT,
  // An inline floating-point constant: the bits of its value as a `double`.
  AMDGPU_ISA_KIND_FLOAT,
  // A literal: its 32 bits as an unsigned number, or its 64 bits.
  AMDGPU_ISA_KIND_LITERAL,
  // A constant in the instruction.
  AMDGPU_ISA_KIND_IMM,
  // A branch distance in dwords, from the next instruction.
  AMDGPU_ISA_KIND_LABEL,
  // No register.
  AMDGPU_ISA_KIND_OFF,
} amdgpu_isa_kind;

// A kind of memory.
typedef enum {
  // Memory through the scalar cache.
  AMDGPU_ISA_SPACE_SCALAR,
  // Memory through a buffer resource.
  AMDGPU_ISA_SPACE_BUFFER,
  // Memory through an image resource.
  AMDGPU_ISA_SPACE_IMAGE,
  // An address whose value determines whether it is in memory, LDS or scratch.
  AMDGPU_ISA_SPACE_FLAT,
  // Global memory.
  AMDGPU_ISA_SPACE_GLOBAL,
  // Private memory of the lane.
  AMDGPU_ISA_SPACE_SCRATCH,
  // The local data share.
  AMDGPU_ISA_SPACE_LDS,
  // The global data share.
  AMDGPU_ISA_SPACE_GDS,
  // An export: pixel colours, positions, parameters.
  AMDGPU_ISA_SPACE_EXPORT,
} amdgpu_isa_space;

// An instruction with its target. `amdgpu_isa_decode` and `amdgpu_isa_parse` make it. Every function decodes it again,
// so any contents are safe.
typedef struct {
  // The dwords, base word first; zeros after `len` bytes.
  uint32_t words[5];
  // The length in bytes: 4 to 20.
  uint32_t len;
  // The target, as `amdgpu_isa_target` returns it: `EF_AMDGPU_MACH` of the ELF header, and in the second byte the
  // lanes of a wave, 0 for the processor's default.
  uint32_t target;
} amdgpu_isa_inst;

// An operand.
typedef struct {
  // The kind of the operand.
  amdgpu_isa_kind kind;
  // The number of the first register, or the constant.
  int64_t value;
  // The field that names the operand, or -1.
  int32_t field;
  // The width in bits.
  uint32_t bits;
  // Whether the instruction reads the operand.
  bool is_read;
  // Whether the instruction writes the operand.
  bool is_written;
} amdgpu_isa_operand;

// A run of bits in one dword.
typedef struct {
  // The dword, counted from the first.
  uint32_t dword;
  // The lowest bit.
  uint32_t bit;
  // The number of bits.
  uint32_t width;
} amdgpu_isa_piece;

// An access to memory.
typedef struct {
  // The kind of memory.
  amdgpu_isa_space space;
  // Whether the instruction reads the memory.
  bool is_read;
  // Whether the instruction writes the memory.
  bool is_written;
  // Whether the memory is read, changed and written at once.
  bool is_atomic;
} amdgpu_isa_access;

// Consecutive registers of a kind.
typedef struct {
  // The kind of the registers.
  amdgpu_isa_kind kind;
  // The number of the first register.
  uint32_t first;
  // The number of registers; 1 for the kinds SPECIAL and IMPLICIT.
  uint32_t count;
} amdgpu_isa_run;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The number of the target with this name ("gfx942", "mi300x", "gfx1100:wave64", ...), or 0.
//
// # Safety
// `name` is null or ends in a zero.
uint32_t amdgpu_isa_target(const char *name);

// The number of the field with this name ("simm16", "vdst", ...), or -1. Numbers may change with the version of the
// library.
//
// # Safety
// `name` is null or ends in a zero.
int32_t amdgpu_isa_field(const char *name);

// The number of the special register with this name ("vcc_lo", "m0", ...), or -1. The number is the same on every
// target, but may change with the version of the library.
//
// # Safety
// `name` is null or ends in a zero.
int32_t amdgpu_isa_special(const char *name);

// The length in bytes of the instruction that begins with these bytes, which are not checked; 0 if the length is
// unknown.
//
// # Safety
// `bytes` has `len` readable bytes.
size_t amdgpu_isa_length(uint32_t target, const uint8_t *bytes, size_t len);

// Decodes the first instruction in the bytes, which are little-endian dwords.
//
// # Safety
// `bytes` has `len` readable bytes; `inst` is writable.
amdgpu_isa_status amdgpu_isa_decode(uint32_t target, const uint8_t *bytes, size_t len, amdgpu_isa_inst *inst);

// Writes the reason why the bytes are not an instruction, like `amdgpu_isa_text`. Writes an empty text if they are an
// instruction.
//
// # Safety
// `bytes` has `len` readable bytes, `out` `room` writable ones.
size_t amdgpu_isa_why(uint32_t target, const uint8_t *bytes, size_t len, char *out, size_t room);

// Writes the instruction's bytes and returns their number; 0 if there is no room, or `inst` is not an instruction.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable bytes.
size_t amdgpu_isa_encode(const amdgpu_isa_inst *inst, uint8_t *out, size_t room);

// Writes the instruction as LLVM prints it. Like `snprintf`, returns the length without the terminating zero: if that
// is `room` or more, the text was truncated. Returns 0 if `inst` is not an instruction.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable bytes.
size_t amdgpu_isa_text(const amdgpu_isa_inst *inst, char *out, size_t room);

// Writes the operation's name, like `amdgpu_isa_text`. The name is the same for all encodings and targets.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable bytes.
size_t amdgpu_isa_opcode(const amdgpu_isa_inst *inst, char *out, size_t room);

#if defined(AMDGPU_ISA_MEANING)
// Writes what the operation computes, like `amdgpu_isa_text`: a formula such as `D.f32 = S0.f32 + S1.f32`, or a
// sentence in quotes; for a dual instruction, that of the first operation. Returns 0 if `inst` is not an instruction.
//
// The header declares this function if `AMDGPU_ISA_MEANING` is defined; the library has it with the feature `meaning`.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable bytes.
size_t amdgpu_isa_meaning(const amdgpu_isa_inst *inst, char *out, size_t room);
#endif

// Writes up to `room` operands: first those in the text, in the order of the text, then the implicit ones. Returns the
// number of all operands.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable elements.
size_t amdgpu_isa_operands(const amdgpu_isa_inst *inst, amdgpu_isa_operand *out, size_t room);

// Writes the target address of a branch at `pc`. The status is AMDGPU_ISA_STATUS_MISSING if `inst` is not a branch.
//
// # Safety
// `inst` is null or an instruction; `to` is writable.
amdgpu_isa_status amdgpu_isa_branch_target(const amdgpu_isa_inst *inst, uint64_t pc, uint64_t *to);

// Reads a field's value.
//
// # Safety
// `inst` is null or an instruction; `value` is writable.
amdgpu_isa_status amdgpu_isa_get(const amdgpu_isa_inst *inst, int32_t field, uint32_t *value);

// Writes the position of a field: one piece or two, the low one first. Returns the number of pieces, or 0 if the
// instruction has no such field.
//
// # Safety
// `inst` is null or an instruction; `pieces` has two writable elements.
size_t amdgpu_isa_locate(const amdgpu_isa_inst *inst, int32_t field, amdgpu_isa_piece *pieces);

// Sets a field. If the status is not OK, the instruction stays as it was. `amdgpu_isa_encode` writes the instruction
// to memory.
//
// # Safety
// `inst` is null or a writable instruction.
amdgpu_isa_status amdgpu_isa_set(amdgpu_isa_inst *inst, int32_t field, uint32_t value);

// Sets the target of a branch or call at `pc` to the address `to`, like `amdgpu_isa_set`.
//
// # Safety
// `inst` is null or a writable instruction.
amdgpu_isa_status amdgpu_isa_set_branch_target(amdgpu_isa_inst *inst, uint64_t pc, uint64_t to);

// Changes the operation to another of the same format, like `amdgpu_isa_set`. The name is one that `amdgpu_isa_opcode`
// writes.
//
// # Safety
// `inst` is null or a writable instruction; `name` is null or ends in a zero.
amdgpu_isa_status amdgpu_isa_set_opcode(amdgpu_isa_inst *inst, const char *name);

// Sets a field of the first instruction in the bytes, in place. If the status is not OK, the bytes stay as they were.
//
// # Safety
// `bytes` has `len` writable bytes.
amdgpu_isa_status amdgpu_isa_patch(uint32_t target, uint8_t *bytes, size_t len, int32_t field, uint32_t value);

// The number of the flag with this name ("branch", "convergent", ...), or -1. Numbers may change with the version of
// the library.
//
// # Safety
// `name` is null or ends in a zero.
int32_t amdgpu_isa_flag(const char *name);

// Returns the flags of the instruction: flag number n is bit n. Returns 0 if `inst` is not an instruction.
//
// # Safety
// `inst` is null or an instruction.
uint64_t amdgpu_isa_flags(const amdgpu_isa_inst *inst);

// Writes up to `room` accesses to memory, and returns the number of all accesses.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable elements.
size_t amdgpu_isa_memory(const amdgpu_isa_inst *inst, amdgpu_isa_access *out, size_t room);

// The number of the counter with this name ("vmcnt", "dscnt", ...), or -1. Numbers may change with the version of the
// library.
//
// # Safety
// `name` is null or ends in a zero.
int32_t amdgpu_isa_counter(const char *name);

// Returns the counters that the instruction raises until it is done: counter number n is bit n. Returns 0 if `inst` is
// not an instruction.
//
// # Safety
// `inst` is null or an instruction.
uint32_t amdgpu_isa_counters(const amdgpu_isa_inst *inst);

// The greatest value of the counter at which the instruction stops waiting; -1 if it does not wait for that counter.
//
// # Safety
// `inst` is null or an instruction.
int32_t amdgpu_isa_wait(const amdgpu_isa_inst *inst, int32_t counter);

// Writes up to `room` runs of the registers that the instruction reads, also those that no field names, and returns
// the number of all runs.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable elements.
size_t amdgpu_isa_reads(const amdgpu_isa_inst *inst, amdgpu_isa_run *out, size_t room);

// Writes up to `room` runs of the registers that the instruction writes, like `amdgpu_isa_reads`.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable elements.
size_t amdgpu_isa_writes(const amdgpu_isa_inst *inst, amdgpu_isa_run *out, size_t room);

// Writes the rule that the instruction breaks, like `amdgpu_isa_text`. Assemblers and `amdgpu_isa_parse` refuse such
// an instruction. Writes an empty text if there is no such rule.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable bytes.
size_t amdgpu_isa_check(const amdgpu_isa_inst *inst, char *out, size_t room);

// Steps through code: decodes the first instruction in the bytes, and returns the distance to the next one. If the
// bytes are not an instruction, `inst->len` is 0, and the distance is that to the next dword. Returns 0 at the end,
// and for an unknown target.
//
// # Safety
// `bytes` has `len` readable bytes; `inst` is writable.
size_t amdgpu_isa_next(uint32_t target, const uint8_t *bytes, size_t len, amdgpu_isa_inst *inst);

// Reads an instruction from text, as LLVM writes it. If the status is AMDGPU_ISA_STATUS_REFUSED, `column` is the
// position of the fault, in bytes from 0; `column` may be null. A branch has its distance instead of a label. Source
// fields that the operation does not use hold the usual filler of the processor whose number `target` is: see
// `amdgpu_isa_filler`.
//
// # Safety
// `source` is null or ends in a zero; `inst` is writable, and `column` is null or writable.
amdgpu_isa_status amdgpu_isa_parse(uint32_t target, const char *source, amdgpu_isa_inst *inst, uint32_t *column);

// Writes the reason why a text is refused, like `amdgpu_isa_text`. Writes an empty text if it is accepted.
//
// # Safety
// `source` is null or ends in a zero; `out` has `room` writable bytes.
size_t amdgpu_isa_parse_why(uint32_t target, const char *source, char *out, size_t room);

// Writes the name of the filler, the value of source fields that the operation does not use, like `amdgpu_isa_text`:
// "llvm22" or "llvm23", after the assembler that writes this value. Writes an empty text if the operation uses all
// source fields of its format, if all assemblers fill the unused ones alike, or if these hold something else.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable bytes.
size_t amdgpu_isa_filler(const amdgpu_isa_inst *inst, char *out, size_t room);

// Gives the instruction the filler with this name: see `amdgpu_isa_filler`. An instruction without a filler stays as
// it was.
//
// # Safety
// `inst` is null or a writable instruction; `filler` is null or ends in a zero.
amdgpu_isa_status amdgpu_isa_fill(amdgpu_isa_inst *inst, const char *filler);

// Replaces the instruction by its shortest encoding with the same meaning. If there is no shorter one, the instruction
// is refused and stays as it was.
//
// # Safety
// `inst` is null or a writable instruction.
amdgpu_isa_status amdgpu_isa_shrink(amdgpu_isa_inst *inst);

// Replaces the instruction by its encoding of 64 bits with the same meaning, like `amdgpu_isa_shrink`.
//
// # Safety
// `inst` is null or a writable instruction.
amdgpu_isa_status amdgpu_isa_expand(amdgpu_isa_inst *inst);

// Replaces the instruction by the one of another target with the same meaning. If that target has none, the
// instruction is refused and stays as it was; `amdgpu_isa_retarget_why` writes the reason.
//
// # Safety
// `inst` is null or a writable instruction.
amdgpu_isa_status amdgpu_isa_retarget(amdgpu_isa_inst *inst, uint32_t target);

// Writes the reason why another target does not have the instruction, like `amdgpu_isa_text`. Writes an empty text if
// the target has the instruction.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable bytes.
size_t amdgpu_isa_retarget_why(const amdgpu_isa_inst *inst, uint32_t target, char *out, size_t room);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AMDGPU_ISA_H */
