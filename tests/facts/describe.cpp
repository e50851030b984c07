// Prints LLVM's instruction descriptions of instructions, for tests/facts/describe.sh.
//
// Reads lines of a key, a target, the bytes in hexadecimal and the text, with tabs between them; writes the key and what
// the description of the decoded (on targets without a disassembler: assembled) instruction says, and that of the pseudo
// instruction that the compiler works with, where one is encoded as it.
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <regex>
#include <string>
#include <vector>

using namespace llvm;

// Tables of the target that no public header declares.
namespace llvm::AMDGPU {
int getMCOpcode(uint16_t opcode, unsigned family);
int getCommuteOrig(uint16_t opcode);
int getCommuteRev(uint16_t opcode);
} // namespace llvm::AMDGPU

namespace {

struct Recorder : MCStreamer {
  std::optional<MCInst> last;
  explicit Recorder(MCContext &context) : MCStreamer(context) {}
  void emitInstruction(const MCInst &inst, const MCSubtargetInfo &) override { last = inst; }
  bool emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override { return true; }
  void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {}
};

struct Gpu {
  std::string name;
  Triple triple{"amdgcn-amd-amdhsa"};
  const Target *target;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> assembly;
  std::unique_ptr<MCInstrInfo> instructions;
  MCTargetOptions options;
  // The pseudo instruction that is encoded as each instruction.
  std::map<unsigned, unsigned> pseudo;
  std::map<std::string, unsigned> numbers;

  explicit Gpu(const std::string &name) : name(name) {
    std::string error;
    target = TargetRegistry::lookupTarget(triple, error);
    // `gfx1010:wave64`: the processor with the other size of its waves.
    size_t size = name.find(':');
    std::string features = size == std::string::npos ? "" : "+wavefrontsize64,-wavefrontsize32";
    // Halves of registers: in LLVM's description of gfx1200 they are off.
    if (name.substr(0, 5) == "gfx11" || name.substr(0, 5) == "gfx12")
      features += ",+real-true16";
    subtarget.reset(target->createMCSubtargetInfo(triple, name.substr(0, size), features));
    registers.reset(target->createMCRegInfo(triple));
    assembly.reset(target->createMCAsmInfo(*registers, triple, options));
    instructions.reset(target->createMCInstrInfo());
    for (unsigned opcode = 0; opcode < instructions->getNumOpcodes(); ++opcode)
      numbers.emplace(instructions->getName(opcode).str(), opcode);
    for (unsigned family : families())
      for (unsigned p = 0; p < instructions->getNumOpcodes(); ++p) {
        int real = AMDGPU::getMCOpcode(uint16_t(p), family);
        if (!exists(real) || unsigned(real) == p)
          continue;
        pseudo.emplace(unsigned(real), p);
      }
  }

  // The encodings of the target, the likeliest first: columns of the table that getMCOpcode looks into.
  std::vector<unsigned> families() const {
    enum { SI, VI, SDWA, SDWA9, GFX80, GFX9, GFX10, SDWA10, GFX90A, GFX940, GFX11, GFX12, GFX1250 };
    if (name == "gfx600" || name == "gfx700")
      return {SI};
    if (name[3] == '8')
      return {GFX80, VI, SDWA};
    if (name.substr(0, 5) == "gfx10")
      return {GFX10, SDWA10};
    if (name.substr(0, 5) == "gfx11")
      return {GFX11};
    if (name.substr(0, 6) == "gfx125")
      return {GFX1250, GFX12};
    if (name.substr(0, 5) == "gfx12")
      return {GFX12};
    if (name == "gfx90a")
      return {GFX90A, GFX9, SDWA9, VI};
    if (name == "gfx942" || name == "gfx950" || name == "gfx9-4-generic")
      return {GFX940, GFX90A, GFX9, SDWA9, VI};
    return {GFX9, SDWA9, VI};
  }

  bool exists(int opcode) const { return opcode >= 0 && unsigned(opcode) < instructions->getNumOpcodes(); }

  std::optional<MCInst> assemble(const std::string &text) {
    SourceMgr sources;
    sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text + "\n"), SMLoc());
    MCContext context(triple, assembly.get(), registers.get(), subtarget.get(), &sources);
    std::unique_ptr<MCObjectFileInfo> objects(target->createMCObjectFileInfo(context, false));
    context.setObjectFileInfo(objects.get());
    Recorder recorder(context);
    target->createNullTargetStreamer(recorder);
    std::unique_ptr<MCAsmParser> parser(createMCAsmParser(sources, context, recorder, *assembly));
    std::unique_ptr<MCTargetAsmParser> own(
        target->createMCAsmParser(*subtarget, *parser, *instructions, options));
    parser->setTargetParser(*own);
    if (parser->Run(false))
      return std::nullopt;
    return recorder.last;
  }

  std::optional<MCInst> disassemble(const std::vector<uint8_t> &bytes) {
    MCContext context(triple, assembly.get(), registers.get(), subtarget.get());
    std::unique_ptr<MCDisassembler> decoder(target->createMCDisassembler(*subtarget, context));
    MCInst inst;
    uint64_t size = 0;
    if (decoder->getInstruction(inst, size, bytes, 0, nulls()) == MCDisassembler::Fail || size != bytes.size())
      return std::nullopt;
    return inst;
  }

  std::string list(ArrayRef<MCPhysReg> all) const {
    std::set<std::string> names;
    for (MCPhysReg reg : all)
      names.insert(StringRef(registers->getName(reg)).lower());
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : ",") + name;
    return text.empty() ? "-" : text;
  }

  // The most address registers that an image operation can have: LLVM has an instruction for each number, which the end of
  // its name tells (`IMAGE_LOAD_V4_V2`: two). 0: it is none, or names each of them (`_nsa`, and all of gfx12).
  unsigned addresses(StringRef name) const {
    static const std::regex parts("(IMAGE_.*)_V[0-9]+_V([0-9]+)(.*)");
    static std::map<std::string, unsigned> most;
    std::smatch found;
    if (most.empty())
      for (unsigned opcode = 0; opcode < instructions->getNumOpcodes(); ++opcode) {
        std::string other = instructions->getName(opcode).str();
        if (std::regex_match(other, found, parts)) {
          unsigned &number = most[found.str(1) + found.str(3)];
          number = std::max(number, unsigned(std::stoul(found.str(2))));
        }
      }
    std::string text = name.str();
    bool named = text.find("_nsa") != std::string::npos || text.find("_gfx12") != std::string::npos;
    return !named && std::regex_match(text, found, parts) ? most[found.str(1) + found.str(3)] : 0;
  }

  // The pseudo instruction that is encoded as this one. The compiler has none for DPP8: of DPP it is the same operation.
  // The decoder has an instruction of its own for buffers, in which the format may be anything.
  std::map<unsigned, unsigned>::const_iterator pseudo_of(unsigned opcode) const {
    std::string text = instructions->getName(opcode).str();
    size_t suffix = text.find("_dpp8_");
    if (suffix != std::string::npos)
      opcode = numbers.at(text.replace(suffix, 6, "_dpp_"));
    else if ((suffix = text.find("_gfx12_format")) != std::string::npos)
      opcode = numbers.at(text.substr(0, suffix) + "_gfx12");
    return pseudo.find(opcode);
  }

  std::string describe(unsigned opcode) const {
    const MCInstrDesc &d = instructions->get(opcode);
    std::string text;
    auto flag = [&](bool set, const char *name) { if (set) text += (text.empty() ? "" : ",") + std::string(name); };
    flag(d.mayLoad(), "load");
    flag(d.mayStore(), "store");
    flag(d.isBranch(), "branch");
    flag(d.isIndirectBranch(), "indirect");
    flag(d.isTerminator(), "terminator");
    flag(d.isBarrier(), "barrier");
    flag(d.isCall(), "call");
    flag(d.isReturn(), "return");
    flag(d.isConvergent(), "convergent");
    flag(d.hasUnmodeledSideEffects(), "effects");
    flag(d.isCommutable(), "commute");
    flag(d.mayRaiseFPException(), "fpexcept");
    flag(d.isCompare(), "compare");
    bool tied = false;
    for (unsigned i = d.getNumDefs(); i < d.getNumOperands(); ++i)
      tied |= d.getOperandConstraint(i, MCOI::TIED_TO) >= 0;
    flag(tied, "tied");
    flag(d.TSFlags >> 32 & 1, "vmcnt");
    flag(d.TSFlags >> 33 & 1, "expcnt");
    flag(d.TSFlags >> 34 & 1, "lgkmcnt");
    // These bits too are those of LLVM's SIInstrFlags, in a header that is not installed.
    flag(d.TSFlags >> 57 & 3, "atomic");
    flag(d.TSFlags >> 16 & 1, "trans");
    flag(d.TSFlags >> 49 & 1, "packed");
    // MAI, WMMA, SWMMAC.
    flag((d.TSFlags >> 54 | d.TSFlags >> 59 | d.TSFlags >> 63) & 1, "matrix");
    flag(d.TSFlags >> 55 & 1, "dot");
    // The text shows so many registers that are written.
    flag(d.getNumDefs() == 1, "out1");
    flag(d.getNumDefs() == 2, "out2");
    flag(d.getNumDefs() == 3, "out3");
    if (unsigned most = addresses(instructions->getName(opcode)))
      flag(true, ("address" + std::to_string(most)).c_str());
    return (text.empty() ? "-" : text) + " r:" + list(d.implicit_uses()) + " w:" + list(d.implicit_defs());
  }

  // Its registers, and constants that can be registers: written (w) or read, their bits, and the data type of sources that
  // can be constants. An input that is the old value of an output is left out where LLVM says so.
  std::string operands(unsigned opcode) const {
    const MCInstrDesc &d = instructions->get(opcode);
    // LLVM's AMDGPU::OperandType, in a header that is not installed, from MCOI::OPERAND_FIRST_TARGET on: any constant, then
    // only inline ones, then those of operations that only take accumulation registers besides.
    static const std::map<unsigned, const char *> types{
        {13, "i32"},      {14, "i64"},     {15, "i16"},     {16, "f32"},     {17, "f64"},  {18, "bf16"}, {19, "f16"},
        {20, "pk_bf16"},  {21, "pk_f16"},  {22, "pk_f16"},  {23, "pk_i16"},  {24, "pk_f16"}, {25, "pk_i32"}, {26, "pk_f32"},
        {27, "i16"},      {28, "i32"},     {29, "i64"},     {30, "bf16"},    {31, "f16"},  {32, "f32"},  {33, "f64"},
        {35, "pk_bf16"},  {36, "pk_f16"},  {41, "i32"},     {42, "f32"}};
    const unsigned barrier = 37; // the number of a barrier, in place of m0
    std::string text;
    for (unsigned i = 0; i < d.getNumOperands(); ++i) {
      const MCOperandInfo &o = d.operands()[i];
      int16_t of = instructions->getOpRegClassID(o, 0);
      if ((of < 0 && o.OperandType != barrier) || d.getOperandConstraint(i, MCOI::TIED_TO) >= 0)
        continue;
      unsigned bits = of < 0 ? 32 : registers->getRegClass(of).getSizeInBits();
      auto type = types.find(o.OperandType);
      text += (text.empty() ? "" : " ") + std::string(i < d.getNumDefs() ? "w" : "r") + std::to_string(bits);
      text += type == types.end() ? "" : std::string(":") + type->second;
    }
    return text.empty() ? "-" : text;
  }

  // The operation with swapped sources, if it is another one.
  std::string partner(unsigned p) const {
    int other = AMDGPU::getCommuteRev(uint16_t(p));
    if (!exists(other))
      other = AMDGPU::getCommuteOrig(uint16_t(p));
    if (!exists(other))
      return "-";
    std::string text = instructions->getName(unsigned(other)).lower();
    bool here = false;
    for (const auto &[real, from] : pseudo)
      here |= from == unsigned(other);
    return (here ? "" : "!") + text;
  }

  std::string line(const std::vector<uint8_t> &bytes, const std::string &text) {
    bool old = name == "gfx600" || name == "gfx700";
    std::optional<MCInst> inst = old ? assemble(text) : disassemble(bytes);
    if (!inst)
      return "unknown";
    unsigned opcode = inst->getOpcode();
    std::string out = describe(opcode);
    auto found = pseudo_of(opcode);
    if (found == pseudo.end())
      return out + "\t-\t-\t" + operands(opcode);
    // From gfx9 on the compiler uses DS instructions that do not read m0; the disassembler gives the old ones.
    StringRef older = instructions->getName(found->second);
    auto newer = numbers.find(older.str() + "_gfx9");
    bool here = (name[3] == '9' || name[3] == '1') && older.starts_with("DS_") && newer != numbers.end();
    unsigned p = here ? newer->second : found->second;
    return out + "\t" + describe(p) + "\t" + partner(p) + "\t" + operands(opcode);
  }
};

} // namespace

int main() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  LLVMInitializeAMDGPUDisassembler();
  std::map<std::string, std::unique_ptr<Gpu>> gpus;
  for (std::string input; std::getline(std::cin, input);) {
    std::vector<std::string> cells;
    std::stringstream stream(input);
    for (std::string cell; std::getline(stream, cell, '\t');)
      cells.push_back(cell);
    if (cells.size() != 4)
      return 1;
    auto &gpu = gpus[cells[1]];
    if (!gpu)
      gpu = std::make_unique<Gpu>(cells[1]);
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i + 1 < cells[2].size(); i += 2)
      bytes.push_back(uint8_t(std::stoul(cells[2].substr(i, 2), nullptr, 16)));
    std::cout << cells[0] << '\t' << cells[1] << '\t' << gpu->line(bytes, cells[3]) << '\n';
  }
}
