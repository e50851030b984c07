/* Assembles a kernel that lacks a wait, finds the fault, repairs it, and lists what came out: the C interface with whole
   files in a C program. .ci/run capi builds it, and runs it under valgrind. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "amdgpu_isa_files.h"

/* Prints the place of a failed check, and lets the program fail. */
static int failed;
#define CHECK(what)                                                        \
    do {                                                                   \
        if (!(what)) {                                                     \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            failed = 1;                                                    \
        }                                                                  \
    } while (0)

static const char source[] = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n"
                             ".p2align 8\n"
                             ".type twice,@function\n"
                             "twice:\n"
                             "  s_load_dwordx2 s[0:1], s[0:1], 0x0\n"
                             "  v_lshlrev_b32 v0, 2, v0\n"
                             "  global_load_dword v1, v0, s[0:1]\n"
                             "  v_add_f32 v1, v1, v1\n"
                             "  global_store_dword v0, v1, s[0:1]\n"
                             "  s_endpgm\n"
                             ".size twice, .-twice\n"
                             ".rodata\n"
                             ".p2align 6\n"
                             ".amdhsa_kernel twice\n"
                             "  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
                             "  .amdhsa_kernarg_size 8\n"
                             "  .amdhsa_next_free_vgpr 2\n"
                             "  .amdhsa_next_free_sgpr 2\n"
                             "  .amdhsa_accum_offset 4\n"
                             ".end_amdhsa_kernel\n";

/* Prints the notes of an answer, and returns the number of errors. */
static size_t print_notes(const amdgpu_isa_answer *answer)
{
    size_t errors = 0;
    amdgpu_isa_note note;
    for (size_t n = 0; amdgpu_isa_answer_note(answer, n, &note); n++) {
        errors += note.severity == AMDGPU_ISA_SEVERITY_ERROR;
        if (note.line > 0) {
            printf("%s:%zu:%zu: ", note.place, note.line, note.column);
        } else if (note.place != NULL) {
            printf("%s+0x%" PRIx64 ": ", note.place, note.offset);
        }
        printf("%s%s%s\n", note.message, note.advice != NULL ? "; " : "", note.advice != NULL ? note.advice : "");
    }
    return errors;
}

/* Prints the code of a file, and returns the number of instructions. */
static size_t list(const amdgpu_isa_file *file)
{
    size_t count = 0;
    amdgpu_isa_symbol symbol;
    amdgpu_isa_section section;
    for (size_t n = 0; amdgpu_isa_file_symbol(file, n, &symbol); n++) {
        printf("%s: %s%s\n", symbol.name, symbol.kind == AMDGPU_ISA_SYMBOL_KIND_KERNEL ? "a kernel" : "no kernel",
               symbol.descriptor != NULL ? " with a descriptor" : "");
    }
    for (size_t n = 0; amdgpu_isa_file_section(file, n, &section); n++) {
        amdgpu_isa_inst inst;
        size_t at = 0, step;
        while ((step = amdgpu_isa_next(section.target, section.bytes + at, section.len - at, &inst)) > 0) {
            char text[128];
            if (inst.len > 0) {
                amdgpu_isa_text(&inst, text, sizeof text);
                printf("%8" PRIx64 "  %s\n", section.address + at, text);
                count++;
            }
            at += step;
        }
    }
    return count;
}

int main(void)
{
    /* A target with the settings that bundles name is that of its processor. */
    CHECK(amdgpu_isa_target_id("gfx942:sramecc+:xnack-") == amdgpu_isa_target("gfx942"));
    CHECK(amdgpu_isa_target_id("gfx942:fast+") == 0);

    /* A source with a fault: its line and column. */
    const char *const bad = "s_nop 0\nv_ad_f32 v0, v1, v2\n";
    const uint8_t *const text = (const uint8_t *)bad;
    amdgpu_isa_answer *answer = amdgpu_isa_assemble("bad.s", text, strlen(bad), "gfx942", false);
    amdgpu_isa_note note;
    CHECK(amdgpu_isa_answer_bytes(answer, NULL) == NULL && print_notes(answer) == 1);
    CHECK(amdgpu_isa_answer_note(answer, 0, &note) && note.line == 2 && note.column == 1);
    CHECK(strcmp(note.place, "bad.s") == 0);
    amdgpu_isa_answer_free(answer);

    /* A kernel that waits for nothing. */
    amdgpu_isa_answer *built = amdgpu_isa_assemble("twice.s", (const uint8_t *)source, sizeof source - 1, NULL, false);
    size_t len;
    const uint8_t *bytes = amdgpu_isa_answer_bytes(built, &len);
    CHECK(bytes != NULL && print_notes(built) == 0);

    answer = amdgpu_isa_lint(bytes, len, 0);
    CHECK(print_notes(answer) == 2 && amdgpu_isa_answer_bytes(answer, NULL) == NULL);
    CHECK(amdgpu_isa_answer_note(answer, 0, &note) && strcmp(note.rule, "missing-wait") == 0);
    CHECK(strcmp(note.place, "twice") == 0 && note.target == amdgpu_isa_target("gfx942"));
    amdgpu_isa_answer_free(answer);

    /* Repaired, nothing is missing. */
    amdgpu_isa_answer *repaired = amdgpu_isa_fix(bytes, len, 0);
    size_t repaired_len;
    const uint8_t *repaired_bytes = amdgpu_isa_answer_bytes(repaired, &repaired_len);
    CHECK(repaired_bytes != NULL && print_notes(repaired) == 0);
    answer = amdgpu_isa_lint(repaired_bytes, repaired_len, 0);
    CHECK(print_notes(answer) == 0);
    amdgpu_isa_answer_free(answer);

    amdgpu_isa_file *before = amdgpu_isa_file_open(bytes, len, false);
    amdgpu_isa_file *after = amdgpu_isa_file_open(repaired_bytes, repaired_len, false);
    const size_t count = list(before);
    CHECK(list(after) == count + 2);
    amdgpu_isa_file_free(before);
    amdgpu_isa_file_free(after);

    /* Waits that nothing needs are removed. */
    answer = amdgpu_isa_trim(repaired_bytes, repaired_len, 0);
    CHECK(amdgpu_isa_answer_bytes(answer, NULL) != NULL);
    amdgpu_isa_answer_free(answer);
    amdgpu_isa_answer_free(repaired);
    amdgpu_isa_answer_free(built);

    /* Bytes that are no such file have a note. */
    after = amdgpu_isa_file_open((const uint8_t *)"text", 4, false);
    CHECK(amdgpu_isa_file_note(after, 0, &note) && note.severity == AMDGPU_ISA_SEVERITY_ERROR);
    CHECK(!amdgpu_isa_file_section(after, 0, NULL) && !amdgpu_isa_file_symbol(after, 0, NULL));
    amdgpu_isa_file_free(after);
    amdgpu_isa_file_free(NULL);
    amdgpu_isa_answer_free(NULL);
    return failed;
}
