/* Prints the answers of the C interface: tests/capi/program.rs asks, and compares them with the library.

   A question is a line, and the answer ends in a line "end". Every buffer is tried with every length from 0 to one more
   than is needed; whatever must hold of each of them is checked here, and ends the program if it does not. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amdgpu_isa.h"

#define GUARD 16
#define UNTOUCHED 0x55

#define CHECK(what)                                                            \
    do {                                                                       \
        if (!(what)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static const char *status_name(amdgpu_isa_status status)
{
    switch (status) {
    case AMDGPU_ISA_STATUS_OK: return "ok";
    case AMDGPU_ISA_STATUS_UNKNOWN_TARGET: return "unknown target";
    case AMDGPU_ISA_STATUS_TRUNCATED: return "truncated";
    case AMDGPU_ISA_STATUS_NO_INSTRUCTION: return "no instruction";
    case AMDGPU_ISA_STATUS_MISSING: return "missing";
    case AMDGPU_ISA_STATUS_REFUSED: return "refused";
    }
    return "?";
}

static const char *kind_name(amdgpu_isa_kind kind)
{
    switch (kind) {
    case AMDGPU_ISA_KIND_SGPR: return "sgpr";
    case AMDGPU_ISA_KIND_VGPR: return "vgpr";
    case AMDGPU_ISA_KIND_VGPR_HIGH: return "vgpr high";
    case AMDGPU_ISA_KIND_AGPR: return "agpr";
    case AMDGPU_ISA_KIND_TTMP: return "ttmp";
    case AMDGPU_ISA_KIND_SPECIAL: return "special";
    case AMDGPU_ISA_KIND_IMPLICIT: return "implicit";
    case AMDGPU_ISA_KIND_INT: return "int";
    case AMDGPU_ISA_KIND_FLOAT: return "float";
    case AMDGPU_ISA_KIND_LITERAL: return "literal";
    case AMDGPU_ISA_KIND_IMM: return "imm";
    case AMDGPU_ISA_KIND_LABEL: return "label";
    case AMDGPU_ISA_KIND_OFF: return "off";
    }
    return "?";
}

/* Memory for exactly so many bytes, followed by bytes that nobody may touch. */
static void *room_of(size_t size)
{
    unsigned char *room = malloc(size + GUARD);
    CHECK(room != NULL);
    memset(room, UNTOUCHED, size + GUARD);
    return room;
}

/* From `size` on nothing was written. */
static void check_guard(const void *room, size_t size, size_t all)
{
    const unsigned char *bytes = room;
    for (size_t n = size; n < all + GUARD; n++) {
        CHECK(bytes[n] == UNTOUCHED);
    }
}

static void print_bytes(const uint8_t *bytes, size_t len)
{
    for (size_t n = 0; n < len; n++) {
        printf("%02x", bytes[n]);
    }
}

static void print_inst(const amdgpu_isa_inst *inst)
{
    printf(" %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %" PRIu32 " %" PRIx32 "\n",
           inst->words[0], inst->words[1], inst->words[2], inst->words[3], inst->words[4], inst->len, inst->target);
}

/* The arguments of a question to a function that writes text. */
typedef struct {
    const amdgpu_isa_inst *inst;
    uint32_t target;
    const uint8_t *code;
    size_t len;
} about;

static size_t text_of(const about *a, char *out, size_t room) { return amdgpu_isa_text(a->inst, out, room); }
static size_t opcode_of(const about *a, char *out, size_t room) { return amdgpu_isa_opcode(a->inst, out, room); }
#ifdef AMDGPU_ISA_MEANING
static size_t meaning_of(const about *a, char *out, size_t room) { return amdgpu_isa_meaning(a->inst, out, room); }
#endif
static size_t why_of(const about *a, char *out, size_t room)
{
    return amdgpu_isa_why(a->target, a->code, a->len, out, room);
}

static void print_text(const char *what, size_t (*write)(const about *, char *, size_t), const about *a)
{
    const size_t len = write(a, NULL, 0);
    char *whole = room_of(len + 1);
    CHECK(write(a, whole, len + 1) == len && strlen(whole) == len);
    check_guard(whole, len + 1, len + 1);
    for (size_t room = 0; room <= len + 2; room++) {
        char *part = room_of(room);
        const size_t there = room > len ? len : room == 0 ? 0 : room - 1;
        CHECK(write(a, part, room) == len);
        CHECK(memcmp(part, whole, there) == 0 && (room == 0 || part[there] == 0));
        check_guard(part, room == 0 ? 0 : there + 1, room);
        free(part);
    }
    printf("%s %s\n", what, whole);
    free(whole);
}

static void print_operands(const amdgpu_isa_inst *inst)
{
    const size_t count = amdgpu_isa_operands(inst, NULL, 0), size = sizeof(amdgpu_isa_operand);
    for (size_t room = 0; room <= count + 1; room++) {
        amdgpu_isa_operand *operands = room_of(room * size);
        const size_t there = room < count ? room : count;
        CHECK(amdgpu_isa_operands(inst, operands, room) == count);
        check_guard(operands, there * size, room * size);
        for (size_t n = 0; room == count && n < count; n++) {
            const amdgpu_isa_operand *o = &operands[n];
            printf("operand %s %" PRId64 " %" PRId32 " %" PRIu32 " %d %d\n", kind_name(o->kind), o->value, o->field,
                   o->bits, o->is_read, o->is_written);
        }
        free(operands);
    }
}

static void print_encoded(const amdgpu_isa_inst *inst)
{
    for (size_t room = 0; room <= inst->len + 1; room++) {
        uint8_t *out = room_of(room);
        const size_t len = amdgpu_isa_encode(inst, out, room);
        CHECK(len == (room < inst->len ? 0 : inst->len));
        check_guard(out, len, room);
        if (room == inst->len) {
            printf("encode ");
            print_bytes(out, len);
            puts("");
        }
        free(out);
    }
}

static void print_fields(const amdgpu_isa_inst *inst, int32_t fields)
{
    for (int32_t field = -1; field <= fields; field++) {
        uint32_t value = 0x55555555;
        const amdgpu_isa_status status = amdgpu_isa_get(inst, field, &value);
        CHECK(status == AMDGPU_ISA_STATUS_OK || (status == AMDGPU_ISA_STATUS_MISSING && value == 0x55555555));
        CHECK(amdgpu_isa_get(inst, field, NULL) == status);
        if (status == AMDGPU_ISA_STATUS_OK) {
            printf("get %" PRId32 " %" PRIx32 "\n", field, value);
        }
        amdgpu_isa_piece *pieces = room_of(2 * sizeof *pieces);
        const size_t count = amdgpu_isa_locate(inst, field, pieces);
        CHECK(count <= 2 && amdgpu_isa_locate(inst, field, NULL) == count);
        check_guard(pieces, count * sizeof *pieces, 2 * sizeof *pieces);
        for (size_t n = 0; n < count; n++) {
            printf("locate %" PRId32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", field, pieces[n].dword, pieces[n].bit,
                   pieces[n].width);
        }
        free(pieces);
    }
}

/* A refused change has changed nothing. */
static void print_changed(const char *what, amdgpu_isa_status status, const amdgpu_isa_inst *old,
                          const amdgpu_isa_inst *inst)
{
    printf("%s %s", what, status_name(status));
    if (status == AMDGPU_ISA_STATUS_OK) {
        print_inst(inst);
    } else {
        CHECK(memcmp(old, inst, sizeof *inst) == 0);
        puts("");
    }
}

static void answer_code(uint32_t target, const uint8_t *given, size_t len, char *rest, int32_t fields)
{
    /* The memory is exactly as long as its stated length, so that valgrind sees who reads beyond it. */
    uint8_t *code = malloc(len + (len == 0));
    CHECK(code != NULL);
    memcpy(code, given, len);

    amdgpu_isa_inst inst;
    memset(&inst, UNTOUCHED, sizeof inst);
    const about a = {&inst, target, code, len};
    printf("length %zu\n", amdgpu_isa_length(target, code, len));
    const amdgpu_isa_status decoded = amdgpu_isa_decode(target, code, len, &inst);
    CHECK(amdgpu_isa_decode(target, code, len, NULL) == decoded);
    printf("decode %s", status_name(decoded));
    if (decoded == AMDGPU_ISA_STATUS_OK) {
        print_inst(&inst);
    } else {
        puts("");
        check_guard(&inst, 0, sizeof inst - GUARD);
    }
    print_text("why", why_of, &a);
    print_text("text", text_of, &a);
    print_text("opcode", opcode_of, &a);
#ifdef AMDGPU_ISA_MEANING
    print_text("meaning", meaning_of, &a);
#endif
    if (decoded == AMDGPU_ISA_STATUS_OK) {
        print_operands(&inst);
        print_encoded(&inst);
        print_fields(&inst, fields);
    }

    /* PC TO NAME, and then fields with values. */
    char *end;
    const uint64_t pc = strtoull(rest, &end, 16), to = strtoull(end, &end, 16);
    const char *name = strtok(end, " ");
    CHECK(name != NULL);
    uint64_t goes = 0x55;
    const amdgpu_isa_status branches = amdgpu_isa_branch_target(&inst, pc, &goes);
    CHECK(amdgpu_isa_branch_target(&inst, pc, NULL) == branches);
    CHECK((branches == AMDGPU_ISA_STATUS_OK) == (goes != 0x55));
    printf("branch %s %" PRIx64 "\n", status_name(branches), goes);
    amdgpu_isa_inst other = inst;
    print_changed("set_branch", amdgpu_isa_set_branch_target(&other, pc, to), &inst, &other);
    other = inst;
    print_changed("set_opcode", amdgpu_isa_set_opcode(&other, name), &inst, &other);
    const char *pair;
    while ((pair = strtok(NULL, " ")) != NULL) {
        char *value_at;
        const int32_t field = strtol(pair, &value_at, 10);
        const uint32_t value = strtoul(value_at + 1, NULL, 16);
        other = inst;
        print_changed("set", amdgpu_isa_set(&other, field, value), &inst, &other);
        uint8_t *memory = room_of(len);
        memcpy(memory, code, len);
        const amdgpu_isa_status patched = amdgpu_isa_patch(target, memory, len, field, value);
        check_guard(memory, len, len);
        CHECK(patched == AMDGPU_ISA_STATUS_OK || memcmp(memory, code, len) == 0);
        printf("patch %s ", status_name(patched));
        print_bytes(memory, len);
        puts("");
        free(memory);
    }
    free(code);
}

static void answer_layout(void)
{
#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define PLACE(type, member) printf(#type " " #member " %zu\n", offsetof(type, member))
    SIZE(amdgpu_isa_inst);
    PLACE(amdgpu_isa_inst, words);
    PLACE(amdgpu_isa_inst, len);
    PLACE(amdgpu_isa_inst, target);
    SIZE(amdgpu_isa_operand);
    PLACE(amdgpu_isa_operand, kind);
    PLACE(amdgpu_isa_operand, value);
    PLACE(amdgpu_isa_operand, field);
    PLACE(amdgpu_isa_operand, bits);
    PLACE(amdgpu_isa_operand, is_read);
    PLACE(amdgpu_isa_operand, is_written);
    SIZE(amdgpu_isa_piece);
    PLACE(amdgpu_isa_piece, dword);
    PLACE(amdgpu_isa_piece, bit);
    PLACE(amdgpu_isa_piece, width);
    SIZE(amdgpu_isa_status);
    SIZE(amdgpu_isa_kind);
}

/* Every number has the header's name, and there are no other numbers. */
static void answer_enums(void)
{
    for (int n = 0; n < 100; n++) {
        const char *status = status_name((amdgpu_isa_status)n), *kind = kind_name((amdgpu_isa_kind)n);
        if (status[0] != '?') {
            printf("status %d %s\n", n, status);
        }
        if (kind[0] != '?') {
            printf("kind %d %s\n", n, kind);
        }
    }
}

/* Null wherever a pointer may be null, with a target that is known and with one that is not. */
static void answer_null(uint32_t target)
{
    amdgpu_isa_inst nonsense;
    memset(&nonsense, 0xff, sizeof nonsense);
    const amdgpu_isa_inst *const none[] = {NULL, &nonsense};
    printf("names %" PRIu32 " %" PRId32 " %" PRId32 "\n", amdgpu_isa_target(NULL), amdgpu_isa_field(NULL),
           amdgpu_isa_special(NULL));
    printf("length %zu\n", amdgpu_isa_length(target, NULL, 0));
    printf("decode %s\n", status_name(amdgpu_isa_decode(target, NULL, 0, NULL)));
    printf("patch %s\n", status_name(amdgpu_isa_patch(target, NULL, 0, 0, 0)));
    const about a = {NULL, target, NULL, 0};
    print_text("why", why_of, &a);
    for (size_t n = 0; n < 2; n++) {
        const about b = {none[n], target, NULL, 0};
        amdgpu_isa_inst *const written = n == 0 ? NULL : &nonsense;
        uint8_t out[20];
        uint64_t to = 0;
        uint32_t value = 0;
        amdgpu_isa_operand operands[4];
        amdgpu_isa_piece pieces[2];
        print_text("text", text_of, &b);
        print_text("opcode", opcode_of, &b);
#ifdef AMDGPU_ISA_MEANING
        print_text("meaning", meaning_of, &b);
#endif
        printf("counts %zu %zu %zu\n", amdgpu_isa_operands(none[n], operands, 4),
               amdgpu_isa_locate(none[n], 0, pieces), amdgpu_isa_encode(none[n], out, sizeof out));
        printf("get %s\n", status_name(amdgpu_isa_get(none[n], 0, &value)));
        printf("branch %s\n", status_name(amdgpu_isa_branch_target(none[n], 0, &to)));
        printf("set %s\n", status_name(amdgpu_isa_set(written, 0, 0)));
        printf("set %s\n", status_name(amdgpu_isa_set(written, -1, 0)));
        printf("set_branch %s\n", status_name(amdgpu_isa_set_branch_target(written, 0, 0)));
        printf("set_opcode %s\n", status_name(amdgpu_isa_set_opcode(written, "s_nop")));
        printf("set_opcode %s\n", status_name(amdgpu_isa_set_opcode(written, NULL)));
    }
}

int main(void)
{
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        const char *question = line;
        char *rest = line + strcspn(line, " ");
        if (*rest != 0) {
            *rest++ = 0;
        }
        if (strcmp(question, "code") == 0) {
            static uint8_t code[64];
            size_t len = 0;
            const uint32_t target = strtoul(rest, &rest, 16);
            const int32_t fields = strtol(rest, &rest, 10);
            for (rest++; rest[0] != ' '; rest += 2, len++) {
                unsigned byte;
                CHECK(len < sizeof code && sscanf(rest, "%2x", &byte) == 1);
                code[len] = byte;
            }
            answer_code(target, code, len, rest, fields);
        } else if (strcmp(question, "null") == 0) {
            answer_null(strtoul(rest, NULL, 16));
        } else if (strcmp(question, "layout") == 0) {
            answer_layout();
        } else if (strcmp(question, "enums") == 0) {
            answer_enums();
        } else if (strcmp(question, "target") == 0) {
            printf("%" PRIx32 "\n", amdgpu_isa_target(rest));
        } else if (strcmp(question, "field") == 0) {
            printf("%" PRId32 "\n", amdgpu_isa_field(rest));
        } else if (strcmp(question, "special") == 0) {
            printf("%" PRId32 "\n", amdgpu_isa_special(rest));
        } else {
            fprintf(stderr, "no such question: %s\n", question);
            return 1;
        }
        puts("end");
    }
    return 0;
}
