/* AMD GPU machine code: decode, length, text, operands, encode, patch. Made from src/capi.rs by cbindgen. */

#ifndef AMDGPU_ISA_H
#define AMDGPU_ISA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// What a function says of its work.
typedef enum {
  // Done.
  AMDGPU_ISA_STATUS_OK,
  // The library was built without this target, or there is no such.
  AMDGPU_ISA_STATUS_UNKNOWN_TARGET,
  // The bytes end before the instruction does.
  AMDGPU_ISA_STATUS_TRUNCATED,
  // The bytes are no instruction.
  AMDGPU_ISA_STATUS_NO_INSTRUCTION,
  // The instruction has no such field, operation or branch target.
  AMDGPU_ISA_STATUS_MISSING,
  // The value does not fit, is reserved, or would change the instruction's length or form.
  AMDGPU_ISA_STATUS_REFUSED,
} amdgpu_isa_status;

// What an operand is.
typedef enum {
  // Scalar registers; the value is the first one's number.
  AMDGPU_ISA_KIND_SGPR,
  // Vector registers.
  AMDGPU_ISA_KIND_VGPR,
  // The upper half of a vector register.
  AMDGPU_ISA_KIND_VGPR_HIGH,
  // Accumulation registers.
  AMDGPU_ISA_KIND_AGPR,
  // Trap handler temporaries.
  AMDGPU_ISA_KIND_TTMP,
  // Another scalar register, by the number that `amdgpu_isa_special` gives: vcc_lo, exec_lo, m0, ...
  AMDGPU_ISA_KIND_SPECIAL,
  // A register that no field names: 0 scc, 1 vcc, 2 exec, 3 m0, 4 mode, 5 flat_scratch, 6 xnack_mask, 7 trapsts.
  AMDGPU_ISA_KIND_IMPLICIT,
  // An inline integer.
  AMDGPU_ISA_KIND_INT,
  // An inline floating-point constant: the bits of a `double` that has its value.
  AMDGPU_ISA_KIND_FLOAT,
  // A literal of 32 bits.
  AMDGPU_ISA_KIND_LITERAL,
  // A constant in the instruction.
  AMDGPU_ISA_KIND_IMM,
  // A branch distance in dwords, from the next instruction.
  AMDGPU_ISA_KIND_LABEL,
  // No register.
  AMDGPU_ISA_KIND_OFF,
} amdgpu_isa_kind;

// An instruction: its bytes, and for which target. Made by `amdgpu_isa_decode`; every function decodes it again, so that
// no value of it is dangerous.
typedef struct {
  // The dwords, base word first; behind `len` bytes zeros.
  uint32_t words[5];
  // Bytes: 4 to 20.
  uint32_t len;
  // The target.
  uint32_t target;
} amdgpu_isa_inst;

// One operand.
typedef struct {
  // What it is.
  amdgpu_isa_kind kind;
  // The number of its first register, or the constant.
  int64_t value;
  // The field that names it, or -1.
  int32_t field;
  // Width in bits.
  uint32_t bits;
  // It is read.
  bool is_read;
  // It is written.
  bool is_written;
} amdgpu_isa_operand;

// Bits of one dword.
typedef struct {
  // The dword, counted from the first.
  uint32_t dword;
  // The lowest bit.
  uint32_t bit;
  // Bits.
  uint32_t width;
} amdgpu_isa_piece;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The target of this name ("gfx942", "mi300x", ...), or 0.
//
// # Safety
// `name` is null or ends in a zero.
uint32_t amdgpu_isa_target(const char *name);

// The number of the field of this name ("simm16", "vdst", ...), or -1. Numbers are those of one version of the library.
//
// # Safety
// `name` is null or ends in a zero.
int32_t amdgpu_isa_field(const char *name);

// The number of the special register of this name ("vcc_lo", "m0", ...), or -1: the same on every target. Numbers are those
// of one version of the library.
//
// # Safety
// `name` is null or ends in a zero.
int32_t amdgpu_isa_special(const char *name);

// The length in bytes of the instruction that begins with these bytes, without looking whether it is one; 0 if that
// cannot be told.
//
// # Safety
// `bytes` has `len` readable bytes.
size_t amdgpu_isa_length(uint32_t target, const uint8_t *bytes, size_t len);

// Decodes the first instruction of the bytes, which are little-endian dwords.
//
// # Safety
// `bytes` has `len` readable bytes; `inst` is writable.
amdgpu_isa_status amdgpu_isa_decode(uint32_t target, const uint8_t *bytes, size_t len, amdgpu_isa_inst *inst);

// Why the bytes are no instruction, in words, as `amdgpu_isa_text` writes them. Nothing if they are one.
//
// # Safety
// `bytes` has `len` readable bytes, `out` `room` writable ones.
size_t amdgpu_isa_why(uint32_t target, const uint8_t *bytes, size_t len, char *out, size_t room);

// Writes the instruction's bytes, and returns their number; 0 if there is no room.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable bytes.
size_t amdgpu_isa_encode(const amdgpu_isa_inst *inst, uint8_t *out, size_t room);

// Writes the instruction as LLVM prints it. Returns its length without the zero that ends it, as `snprintf` does: if that
// is `room` or more, only a part was written. 0 if it is no instruction.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable bytes.
size_t amdgpu_isa_text(const amdgpu_isa_inst *inst,
                       char *out,
                       size_t room);

// Writes the operation's name, as `amdgpu_isa_text` writes text: the same for all of its encodings and targets.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable bytes.
size_t amdgpu_isa_opcode(const amdgpu_isa_inst *inst, char *out, size_t room);

// Writes up to `room` operands, in the order of the text, the implicit ones behind them, and returns how many there are.
//
// # Safety
// `inst` is null or an instruction; `out` has `room` writable elements.
size_t amdgpu_isa_operands(const amdgpu_isa_inst *inst,
                           amdgpu_isa_operand *out,
                           size_t room);

// The address that a branch at `pc` goes to; AMDGPU_ISA_STATUS_MISSING if the instruction is none.
//
// # Safety
// `inst` is null or an instruction; `to` is writable.
amdgpu_isa_status amdgpu_isa_branch_target(const amdgpu_isa_inst *inst, uint64_t pc, uint64_t *to);

// A field's value.
//
// # Safety
// `inst` is null or an instruction; `value` is writable.
amdgpu_isa_status amdgpu_isa_get(const amdgpu_isa_inst *inst, int32_t field, uint32_t *value);

// Where a field lies: one piece or two, the low one first. Returns their number; 0 if there is no such field.
//
// # Safety
// `inst` is null or an instruction; `pieces` has two writable elements.
size_t amdgpu_isa_locate(const amdgpu_isa_inst *inst, int32_t field, amdgpu_isa_piece *pieces);

// Sets a field; on any other status than OK the instruction is as it was. `amdgpu_isa_encode` writes it back.
//
// # Safety
// `inst` is null or a writable instruction.
amdgpu_isa_status amdgpu_isa_set(amdgpu_isa_inst *inst, int32_t field, uint32_t value);

// Lets a branch or call at `pc` go to `to`, as `amdgpu_isa_set` does.
//
// # Safety
// `inst` is null or a writable instruction.
amdgpu_isa_status amdgpu_isa_set_branch_target(amdgpu_isa_inst *inst, uint64_t pc, uint64_t to);

// Makes it another operation of the same format, as `amdgpu_isa_set` does. The name is that of `amdgpu_isa_opcode`.
//
// # Safety
// `inst` is null or a writable instruction; `name` is null or ends in a zero.
amdgpu_isa_status amdgpu_isa_set_opcode(amdgpu_isa_inst *inst, const char *name);

// Sets a field of the first instruction of the bytes, where it lies. On any other status than OK they are as they were.
//
// # Safety
// `bytes` has `len` writable bytes.
amdgpu_isa_status amdgpu_isa_patch(uint32_t target, uint8_t *bytes, size_t len, int32_t field, uint32_t value);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AMDGPU_ISA_H */
