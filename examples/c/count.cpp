// Counts the operations in code, or in the dwords of a file: the C interface in a C++ program.
// .ci/run capi builds it, and runs it under valgrind.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "amdgpu_isa.h"

namespace {

std::string opcode(const amdgpu_isa_inst &inst)
{
    std::string name(amdgpu_isa_opcode(&inst, nullptr, 0), '\0');
    amdgpu_isa_opcode(&inst, &name[0], name.size() + 1);
    return name;
}

std::map<std::string, int> count(std::uint32_t target, const std::vector<std::uint8_t> &code)
{
    std::map<std::string, int> all;
    for (std::size_t at = 0; at < code.size();) {
        amdgpu_isa_inst inst{};
        const auto status = amdgpu_isa_decode(target, code.data() + at, code.size() - at, &inst);
        all[status == AMDGPU_ISA_STATUS_OK ? opcode(inst) : "(no instruction)"]++;
        at += status == AMDGPU_ISA_STATUS_OK ? inst.len : 4;
    }
    return all;
}

} // namespace

int main(int argc, char **argv)
{
    // s_add_u32 s4, s1, s5; twice v_add_f32 v2, v1, v2; a dword that is not an instruction; s_endpgm
    std::vector<std::uint8_t> code = {0x01, 0x05, 0x04, 0x80, 0x01, 0x05, 0x04, 0x02, 0x01, 0x05,
                                      0x04, 0x02, 0x00, 0x00, 0xff, 0xbf, 0x00, 0x00, 0x81, 0xbf};
    const auto target = amdgpu_isa_target(argc > 2 ? argv[1] : "gfx942");
    if (argc > 2) {
        std::ifstream file(argv[2], std::ios::binary);
        code.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    const auto all = count(target, code);
    for (const auto &entry : all) {
        std::cout << entry.second << ' ' << entry.first << '\n';
    }
    const std::map<std::string, int> wanted = {
        {"(no instruction)", 1}, {"s_add_u32", 1}, {"s_endpgm", 1}, {"v_add_f32", 2}};
    return argc > 2 || all == wanted ? 0 : 1;
}
