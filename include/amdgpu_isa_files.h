/* Files with AMD GPU machine code: code objects, assembler, lint, repairs. Made from crates/c/src by cbindgen. */

#ifndef AMDGPU_ISA_FILES_H
#define AMDGPU_ISA_FILES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "amdgpu_isa.h"

// How much a note matters.
typedef enum {
  // A fault, or a part of a file that could not be read.
  AMDGPU_ISA_SEVERITY_ERROR,
  // A possible fault.
  AMDGPU_ISA_SEVERITY_WARNING,
  // A remark.
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

// A note about a place in a file or in a source. Its pointers are valid as long as the object that it is from.
typedef struct {
  // How much it matters.
  amdgpu_isa_severity severity;
  // The rule of `lint`, such as "missing-wait"; null if it is about something else.
  const char *rule;
  // The fault, in words.
  const char *message;
  // The advice, such as what to insert; null if there is none.
  const char *advice;
  // The function that the place is in, of a source its file, of a damaged file the damaged part; null if unknown.
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
  // The place of its code object in the file, such as the id of a bundle's entry; empty if the file is one.
  const char *label;
  // Its name, such as ".text".
  const char *name;
  // The target, as `amdgpu_isa_target` names it; 0 if the file does not say it or the library does not know it.
  uint32_t target;
  // The address of its first byte; 0 in an object that is not linked.
  uint64_t address;
  // Its code.
  const uint8_t *bytes;
  // The number of its bytes.
  size_t len;
} amdgpu_isa_section;

// A name of an address in a section. Its pointers are valid as long as the file.
typedef struct {
  // The name.
  const char *name;
  // The address.
  uint64_t address;
  // The size in bytes; 0 if it is not known.
  uint64_t size;
  // The kind of the named thing.
  amdgpu_isa_symbol_kind kind;
  // The number of the section, as `amdgpu_isa_file_section` counts.
  size_t section;
  // The target of the section, with the lanes of the function's waves if the file says them.
  uint32_t target;
  // The 64 bytes of a kernel's descriptor; null if there is none.
  const uint8_t *descriptor;
} amdgpu_isa_symbol;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The bytes that the function made, and their number; null if it made none, of which the notes say why.
//
// # Safety
// `answer` is null or an answer that is not freed; `len` is null or writable.
const uint8_t *amdgpu_isa_answer_bytes(const amdgpu_isa_answer *answer, size_t *len);

// The n-th note, from 0. Returns whether there is one.
//
// # Safety
// `answer` is null or an answer that is not freed; `note` is null or writable.
bool amdgpu_isa_answer_note(const amdgpu_isa_answer *answer, size_t n, amdgpu_isa_note *note);

// Frees an answer.
//
// # Safety
// `answer` is null or an answer that is not freed.
void amdgpu_isa_answer_free(amdgpu_isa_answer *answer);

// Reads a file. What can be read of a damaged one is there; the notes say what cannot. `scan`: code objects and
// bundles are looked for at every byte of a file of any kind.
//
// # Safety
// `file` has `len` readable bytes.
amdgpu_isa_file *amdgpu_isa_file_open(const uint8_t *file, size_t len, bool scan);

// The n-th section with code, from 0. Returns whether there is one.
//
// # Safety
// `file` is null or a file that is not freed; `section` is null or writable.
bool amdgpu_isa_file_section(const amdgpu_isa_file *file, size_t n, amdgpu_isa_section *section);

// The n-th symbol, from 0: those of a section are together, by address. Returns whether there is one.
//
// # Safety
// `file` is null or a file that is not freed; `symbol` is null or writable.
bool amdgpu_isa_file_symbol(const amdgpu_isa_file *file, size_t n, amdgpu_isa_symbol *symbol);

// The n-th note about what could not be read, from 0. Returns whether there is one.
//
// # Safety
// `file` is null or a file that is not freed; `note` is null or writable.
bool amdgpu_isa_file_note(const amdgpu_isa_file *file, size_t n, amdgpu_isa_note *note);

// Frees a file.
//
// # Safety
// `file` is null or a file that is not freed.
void amdgpu_isa_file_free(amdgpu_isa_file *file);

// Checks the code of a file for waits and distances that are missing, or longer than anything needs. The answer has
// no bytes: its notes are the findings, with `rule`, and what could not be read, without.
//
// `target` is the one to read the code for; 0: the one that the file names.
//
// # Safety
// `file` has `len` readable bytes.
amdgpu_isa_answer *amdgpu_isa_lint(const uint8_t *file, size_t len, uint32_t target);

// The file with the waits and distances that are missing inserted: the bytes of the answer. The result is proved to be
// the same program but for them; if it is not, or something cannot be moved, there are no bytes, and the notes say
// why. Code objects are repaired by themselves, and in bundles, offload binaries and archives. A compressed bundle
// becomes one that is not compressed.
//
// # Safety
// `file` has `len` readable bytes.
amdgpu_isa_answer *amdgpu_isa_fix(const uint8_t *file, size_t len, uint32_t target);

// The file without waits and distances that nothing needs, in the way of `amdgpu_isa_fix`.
//
// # Safety
// `file` has `len` readable bytes.
amdgpu_isa_answer *amdgpu_isa_trim(const uint8_t *file, size_t len, uint32_t target);

// Assembles a source to a code object for a loader, or to an object for a linker. The notes are the errors and the
// warnings, with line and column.
//
// `name` is the name of the source in notes; null stands for "source". `target` names the processor, such as
// "gfx942:xnack-"; null if the source says it. The source reads no other files.
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
