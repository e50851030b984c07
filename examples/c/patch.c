/* Walks code, prints it, reads operands, and patches it in place: the C interface in a C program.
   .ci/run capi builds it, and runs it under valgrind. */
#include <stdio.h>
#include <string.h>

#include "amdgpu_isa.h"

/* Prints the place of a failed check, and lets the program fail. */
static int failed;
#define CHECK(what)                                                        \
    do {                                                                   \
        if (!(what)) {                                                     \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            failed = 1;                                                    \
        }                                                                  \
    } while (0)

static void print_operands(const amdgpu_isa_inst *inst)
{
    amdgpu_isa_operand operands[16];
    size_t count = amdgpu_isa_operands(inst, operands, 16);
    for (size_t n = 0; n < count && n < 16; n++) {
        if (operands[n].kind == AMDGPU_ISA_KIND_SGPR || operands[n].kind == AMDGPU_ISA_KIND_VGPR) {
            printf("      %s%s %c%lld, %u bits\n", operands[n].is_read ? "r" : "", operands[n].is_written ? "w" : "",
                   operands[n].kind == AMDGPU_ISA_KIND_SGPR ? 's' : 'v', (long long)operands[n].value, operands[n].bits);
        }
    }
}

static void walk(uint32_t target, const uint8_t *code, size_t len)
{
    size_t at = 0;
    while (at < len) {
        char text[128];
        amdgpu_isa_inst inst;
        if (amdgpu_isa_decode(target, code + at, len - at, &inst) != AMDGPU_ISA_STATUS_OK) {
            amdgpu_isa_why(target, code + at, len - at, text, sizeof text);
            printf("%4zx  %s\n", at, text);
            at += 4;
            continue;
        }
        size_t text_len = amdgpu_isa_text(&inst, text, sizeof text);
        CHECK(text_len == strlen(text));
        CHECK(amdgpu_isa_length(target, code + at, len - at) == inst.len);
        printf("%4zx  %s\n", at, text);
        print_operands(&inst);
        at += inst.len;
    }
}

int main(void)
{
    /* s_mov_b32 s0, 0x12345678; s_sleep 127; s_cbranch_scc1 to the start; v_add_f32 v2, v1, v2; s_endpgm */
    uint8_t code[] = {0xff, 0x00, 0x80, 0xbe, 0x78, 0x56, 0x34, 0x12, 0x7f, 0x00, 0x8e, 0xbf,
                      0xfc, 0xff, 0x85, 0xbf, 0x01, 0x05, 0x04, 0x02, 0x00, 0x00, 0x81, 0xbf};
    const uint32_t target = amdgpu_isa_target("gfx942");
    const int32_t literal = amdgpu_isa_field("literal"), simm16 = amdgpu_isa_field("simm16");
    CHECK(target == 0x4c && amdgpu_isa_target("MI300X") == target && amdgpu_isa_target("gfx1") == 0);
    CHECK(literal >= 0 && simm16 >= 0 && amdgpu_isa_field("no such field") == -1);
    walk(target, code, sizeof code);

    /* Changes a literal and an immediate in place. */
    CHECK(amdgpu_isa_patch(target, code, sizeof code, literal, 0x1000) == AMDGPU_ISA_STATUS_OK);
    CHECK(amdgpu_isa_patch(target, code + 8, sizeof code - 8, simm16, 1) == AMDGPU_ISA_STATUS_OK);
    CHECK(amdgpu_isa_patch(target, code + 8, sizeof code - 8, simm16, 0x10000) == AMDGPU_ISA_STATUS_REFUSED);
    CHECK(amdgpu_isa_patch(target, code + 8, sizeof code - 8, literal, 1) == AMDGPU_ISA_STATUS_MISSING);
    CHECK(amdgpu_isa_patch(target, code, 4, literal, 1) == AMDGPU_ISA_STATUS_TRUNCATED);
    CHECK(amdgpu_isa_patch(1, code, sizeof code, literal, 1) == AMDGPU_ISA_STATUS_UNKNOWN_TARGET);

    /* Changes the target and the operation of a branch. */
    amdgpu_isa_inst branch;
    uint64_t to = 0;
    CHECK(amdgpu_isa_decode(target, code + 12, sizeof code - 12, &branch) == AMDGPU_ISA_STATUS_OK);
    CHECK(amdgpu_isa_branch_target(&branch, 12, &to) == AMDGPU_ISA_STATUS_OK && to == 0);
    CHECK(amdgpu_isa_set_branch_target(&branch, 12, 20) == AMDGPU_ISA_STATUS_OK);
    CHECK(amdgpu_isa_set_branch_target(&branch, 12, 0x100000) == AMDGPU_ISA_STATUS_REFUSED);
    CHECK(amdgpu_isa_set_opcode(&branch, "s_branch") == AMDGPU_ISA_STATUS_OK);
    CHECK(amdgpu_isa_set_opcode(&branch, "v_add_f32") == AMDGPU_ISA_STATUS_MISSING);
    CHECK(amdgpu_isa_branch_target(&branch, 12, &to) == AMDGPU_ISA_STATUS_OK && to == 20);
    CHECK(amdgpu_isa_encode(&branch, code + 12, sizeof code - 12) == 4);
    CHECK(amdgpu_isa_encode(&branch, code + 12, 3) == 0);

    /* The position and the value of a field. */
    amdgpu_isa_piece pieces[2];
    uint32_t value = 0;
    CHECK(amdgpu_isa_locate(&branch, simm16, pieces) == 1 && pieces[0].dword == 0 && pieces[0].width == 16);
    CHECK(amdgpu_isa_get(&branch, simm16, &value) == AMDGPU_ISA_STATUS_OK && value == 1);

    /* As snprintf: the length that the text would have, of which at most the room is written. */
    char small[4];
    CHECK(amdgpu_isa_opcode(&branch, small, sizeof small) == 8 && strcmp(small, "s_b") == 0);
    CHECK(amdgpu_isa_text(NULL, NULL, 0) == 0 && amdgpu_isa_operands(&branch, NULL, 0) == 1);
    amdgpu_isa_inst nonsense;
    memset(&nonsense, 0xff, sizeof nonsense);
    CHECK(amdgpu_isa_text(&nonsense, small, sizeof small) == 0 && small[0] == 0);

    /* Text, facts, other encodings and other targets. */
    amdgpu_isa_inst add;
    uint32_t column = 0;
    CHECK(amdgpu_isa_parse(target, "v_add_f32_e64 v2, v1, v2", &add, NULL) == AMDGPU_ISA_STATUS_OK && add.len == 8);
    CHECK(amdgpu_isa_parse(target, "v_add_f32 v2, s[2:3], v2", NULL, &column) == AMDGPU_ISA_STATUS_REFUSED);
    CHECK(column == 14);
    amdgpu_isa_run runs[8];
    CHECK(amdgpu_isa_reads(&add, runs, 8) >= 1 && runs[0].kind != AMDGPU_ISA_KIND_OFF);
    CHECK(amdgpu_isa_shrink(&add) == AMDGPU_ISA_STATUS_OK && add.len == 4);
    CHECK(amdgpu_isa_flags(&branch) >> amdgpu_isa_flag("branch") & 1);
    CHECK(amdgpu_isa_retarget(&add, amdgpu_isa_target("gfx1100")) == AMDGPU_ISA_STATUS_OK && add.target == 0x41);
    amdgpu_isa_inst filled;
    const char *const sum = "v_add_f32_e64 v0, v1, v2";
    CHECK(amdgpu_isa_parse(amdgpu_isa_target("gfx1100"), sum, &filled, NULL) == AMDGPU_ISA_STATUS_OK);
    CHECK(amdgpu_isa_fill(&filled, "llvm23") == AMDGPU_ISA_STATUS_OK && filled.words[1] == 0x02020501);
    char filler[8];
    CHECK(amdgpu_isa_filler(&filled, filler, sizeof filler) == 6 && strcmp(filler, "llvm23") == 0);
    amdgpu_isa_inst wait, load;
    CHECK(amdgpu_isa_parse(target, "s_waitcnt vmcnt(3)", &wait, NULL) == AMDGPU_ISA_STATUS_OK);
    CHECK(amdgpu_isa_parse(target, "global_load_dword v1, v0, s[0:1]", &load, NULL) == AMDGPU_ISA_STATUS_OK);
    const int32_t vmcnt = amdgpu_isa_counter("vmcnt");
    CHECK(amdgpu_isa_wait(&wait, vmcnt) == 3 && amdgpu_isa_counters(&load) == UINT32_C(1) << vmcnt);
    amdgpu_isa_access memory[2];
    CHECK(amdgpu_isa_memory(&load, memory, 2) == 1 && memory[0].space == AMDGPU_ISA_SPACE_GLOBAL && memory[0].is_read);

    puts("patched:");
    walk(target, code, sizeof code);
    const uint8_t wanted[] = {0xff, 0x00, 0x80, 0xbe, 0x00, 0x10, 0x00, 0x00, 0x01, 0x00, 0x8e, 0xbf,
                              0x01, 0x00, 0x82, 0xbf, 0x01, 0x05, 0x04, 0x02, 0x00, 0x00, 0x81, 0xbf};
    CHECK(memcmp(code, wanted, sizeof code) == 0);
    return failed;
}
