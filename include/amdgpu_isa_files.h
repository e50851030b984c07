/* Files with AMD GPU machine code: code objects, assembler, lint, repairs. Made from crates/c/src by cbindgen. */

#ifndef AMDGPU_ISA_FILES_H
#define AMDGPU_ISA_FILES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "amdgpu_isa.h"

// The severity of a note.
typedef enum {
  // A fault, or a part of a file that could not be read.
  AMDGPU_ISA_SEVERITY_ERROR,
  // A possible fault.
  AMDGPU_ISA_SEVERITY_WARNING,
  // A remark, or the place of a call or directive that led to the place of the note before it.
  AMDGPU_ISA_SEVERITY_HINT,
} amdgpu_isa_severity;

// The kind of thing that a symbol names.
typedef enum {
  // A kernel.
  AMDGPU_ISA_SYMBOL_KIND_KERNEL,
  // A function.
  AMDGPU_ISA_SYMBOL_KIND_FUNCTION,
  // Something else, such as a label.
  AMDGPU_ISA_SYMBOL_KIND_OTHER,
} amdgpu_isa_symbol_kind;

// The answer of a function: the bytes that it made, if it made any, and notes.
typedef struct amdgpu_isa_answer amdgpu_isa_answer;

// A file of any kind with code for AMD GPUs: a code object, linked or not, a bundle, an archive, a host program.
typedef struct amdgpu_isa_file amdgpu_isa_file;

// A note about a place in a file or in a source. Its pointers are valid as long as the answer or the file that it is
// from.
typedef struct {
  // The severity of the note.
  amdgpu_isa_severity severity;
  // The rule of `lint`, such as "missing-wait"; null if the note is not a finding.
  const char *rule;
  // The fault, in words.
  const char *message;
  // The advice, such as what to insert; null if there is none.
  const char *advice;
  // The function that the place is in; for a note about a source, the name of the source file; for a code object or
  // a skipped part, its label. Null if unknown.
  const char *place;
  // The target of the code, as `amdgpu_isa_target` names it; 0 if unknown.
  uint32_t target;
  // The address of the instruction; 0 in a source.
  uint64_t address;
  // The distance from the beginning of the function in bytes.
  uint64_t offset;
  // The line in a source, from 1; 0 in a file.
  size_t line;
  // The column in a source in bytes, from 1; 0 in a file.
  size_t column;
} amdgpu_isa_note;

// A section with code. Its pointers are valid as long as the file.
typedef struct {
  // The place of the section's code object in the file, such as the id of a bundle's entry; empty if the file is a
  // code object.
  const char *label;
  // The name of the section, such as ".text".
  const char *name;
  // The target, as `amdgpu_isa_target` names it; 0 if the file does not state it, or the library does not know it.
  uint32_t target;
  // The address of the section's first byte; 0 in an object that is not linked.
  uint64_t address;
  // The code of the section.
  const uint8_t *bytes;
  // The length of the code in bytes.
  size_t len;
} amdgpu_isa_section;

// A name for an address in a section. Its pointers are valid as long as the file.
typedef struct {
  // The name.
  const char *name;
  // The address.
  uint64_t address;
  // The size in bytes; 0 if it is not known.
  uint64_t size;
  // The kind of thing that the symbol names.
  amdgpu_isa_symbol_kind kind;
  // The number of the section for `amdgpu_isa_file_section`.
  size_t section;
  // The target of the section, with the wave size of the function if the file states it.
  uint32_t target;
  // The 64 bytes of a kernel's descriptor; null if there is none.
  const uint8_t *descriptor;
} amdgpu_isa_symbol;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The bytes that the function made, and their number in `len`; null if it made none: the notes say why.
//
// # Safety
// `answer` is null or an answer that is not freed; `len` is null or writable.
const uint8_t *amdgpu_isa_answer_bytes(const amdgpu_isa_answer *answer, size_t *len);

// Writes the n-th note, from 0, to `note`. Returns whether there is one.
//
// # Safety
// `answer` is null or an answer that is not freed; `note` is null or writable.
bool amdgpu_isa_answer_note(const amdgpu_isa_answer *answer, size_t n, amdgpu_isa_note *note);

// Frees an answer.
//
// # Safety
// `answer` is null or an answer that is not freed.
void amdgpu_isa_answer_free(amdgpu_isa_answer *answer);

// The target of a target id, as bundles, compilers and other tools write it: a processor and the settings of its
// features, such as "gfx942:sramecc+:xnack-". The target is that of the processor alone, since the settings change no
// instruction. Returns 0 if the processor is not known, or does not have one of the settings.
//
// # Safety
// `id` is null or ends in a zero.
uint32_t amdgpu_isa_target_id(const char *id);

// Reads a file. A damaged file is read as far as possible, and notes describe the damage. `scan`: whether code objects
// and bundles are searched for at every byte of a file of any kind.
//
// # Safety
// `file` has `len` readable bytes.
amdgpu_isa_file *amdgpu_isa_file_open(const uint8_t *file, size_t len, bool scan);

// Writes the n-th section with code, from 0, to `section`. Returns whether there is one.
//
// # Safety
// `file` is null or a file that is not freed; `section` is null or writable.
bool amdgpu_isa_file_section(const amdgpu_isa_file *file, size_t n, amdgpu_isa_section *section);

// Writes the n-th symbol, from 0, to `symbol`. The symbols of a section are together, in the order of their addresses.
// Returns whether there is one.
//
// # Safety
// `file` is null or a file that is not freed; `symbol` is null or writable.
bool amdgpu_isa_file_symbol(const amdgpu_isa_file *file, size_t n, amdgpu_isa_symbol *symbol);

// Writes the n-th note about parts that could not be read, from 0, to `note`. Returns whether there is one.
//
// # Safety
// `file` is null or a file that is not freed; `note` is null or writable.
bool amdgpu_isa_file_note(const amdgpu_isa_file *file, size_t n, amdgpu_isa_note *note);

// Frees a file.
//
// # Safety
// `file` is null or a file that is not freed.
void amdgpu_isa_file_free(amdgpu_isa_file *file);

// Checks the code of a file for waits and distances that are missing, or longer than needed. The answer has no bytes.
// Its notes with a `rule` are the findings, and those without are about parts that could not be read.
//
// `target`: the target to read the code for; 0 for the one that the file names. Code for another processor is not
// read.
//
// # Safety
// `file` has `len` readable bytes.
amdgpu_isa_answer *amdgpu_isa_lint(const uint8_t *file, size_t len, uint32_t target);

// Inserts the waits and distances that are missing. The bytes of the answer are the new file, which is proved to be
// the same program except for the inserted instructions. If there is no proof, some code cannot be moved, or a part of
// the file is damaged, there are no bytes, and the notes say why. A code object is repaired as a whole file, and in a
// bundle, an offload binary or an archive. A compressed bundle becomes one that is not compressed.
//
// # Safety
// `file` has `len` readable bytes.
amdgpu_isa_answer *amdgpu_isa_fix(const uint8_t *file, size_t len, uint32_t target);

// Takes away waits and distances that nothing needs. The answer is as for `amdgpu_isa_fix`.
//
// # Safety
// `file` has `len` readable bytes.
amdgpu_isa_answer *amdgpu_isa_trim(const uint8_t *file, size_t len, uint32_t target);

// Assembles a source to a code object for a loader, or to an object for a linker. The notes are the errors and the
// warnings, with line and column. If a note is about a line of a macro, a repetition or an included file, hints follow
// it: one for each call or directive that led to the line, from the inside out. Bytes that are not UTF-8 are characters
// of their own.
//
// `name` is the name of the source in notes; null stands for "source". `target` names the processor, such as
// "gfx942:xnack-"; null if the source names it. The source reads no other files.
//
// # Safety
// `source` has `len` readable bytes; `name` and `target` are null or end in a zero.
amdgpu_isa_answer *amdgpu_isa_assemble(const char *name,
                                       const uint8_t *source,
                                       size_t len,
                                       const char *target,
                                       bool for_linker);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AMDGPU_ISA_FILES_H */
