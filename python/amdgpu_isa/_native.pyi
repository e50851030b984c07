from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, final, overload

from typing_extensions import Buffer as _Buffer

_bytes = bytes

__version__: str
TARGETS: tuple[str, ...]
"""The names of all targets."""
OPCODES: tuple[str, ...]
"""Operations by the numbers that `scan` gives, which are the same in every version."""
FORMATS: tuple[str, ...]
"""Formats by the numbers that `scan` gives."""

class IsaError(ValueError):
    """The base of all errors of this package."""

class UnknownTargetError(IsaError):
    """No target has this name."""

class DecodeError(IsaError):
    """These bytes are not an instruction."""

    kind: str
    field: str | None
    value: int | None
    bits: tuple[int, int] | None
    """The highest and the lowest bit."""
    needed: int | None
    """How many bytes there should be."""
    offset: int

class ParseError(IsaError):
    """This text is not an instruction."""

    text: str
    """The line without its comment."""
    line: int
    """Of a program, 0 for the first. The message counts from 1."""
    column: int
    """Of the line, 0 for the first character: the same as `start`."""
    start: int
    end: int
    """The wrong part is `text[start:end]`."""
    nearest: str | None
    """What an unknown mnemonic may have been meant to be."""
    elsewhere: str | None
    """A target that has the unknown mnemonic."""

class ChangeError(IsaError):
    """The instruction cannot be changed like this."""

    field: str | None
    value: int | None
    width: int | None

class RetargetError(IsaError):
    """The other target lacks something."""

    field: str | None
    value: int | None

class RuleError(IsaError):
    """The instruction breaks a rule beyond decoding."""

class RepairError(IsaError):
    """The code object cannot be changed, or the result is not proved to be the same program."""

class EvalError(IsaError):
    """The result of this instruction is not known."""

class AssemblyError(IsaError):
    """The source has faults."""

    line: int | None
    """The line of the first error, from 1."""
    column: int | None
    """Its column, from 1."""
    faults: list[Fault]
    """The first hundred faults."""

class ObjectError(IsaError):
    """This file, or a part of it, cannot be read."""

    path: list[str]
    """The parts that the damage is in, such as "offload bundle", from the outside in; empty if it is the whole file."""
    offset: int | None
    """Where the innermost of the parts begins."""
    is_decompressed: bool
    """Whether the offset is one of decompressed data, and not of the file."""

@final
class Target:
    def __new__(cls, name: str | Target) -> Target: ...
    @staticmethod
    def from_e_flags(e_flags: int) -> Target | None: ...
    @property
    def name(self) -> str: ...
    @property
    def processor(self) -> str: ...
    @property
    def generation(self) -> str: ...
    @property
    def wave_size(self) -> int: ...
    @property
    def aliases(self) -> list[str]: ...
    def with_wave_size(self, lanes: int) -> Target | None: ...
    def __hash__(self) -> int: ...

@final
class Operand:
    @property
    def role(self) -> str | None:
        """The field that names it, or None if it is implicit."""
    @property
    def text(self) -> str: ...
    @property
    def bits(self) -> int: ...
    @property
    def reads(self) -> bool: ...
    @property
    def writes(self) -> bool: ...
    @property
    def register(self) -> tuple[str, int, int] | None:
        """The file of registers ("s", "v", "a" or "ttmp"), the first number, and the count; None for anything else."""
    def __hash__(self) -> int: ...

@final
class Field:
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    @property
    def pieces(self) -> list[tuple[int, int]]:
        """The lowest bit and the width of each piece, the low one first."""
    @property
    def meaning(self) -> str: ...

@final
class Inst:
    """An instruction of a target: its words, bit for bit, and their meaning."""

    @property
    def target(self) -> Target: ...
    @property
    def text(self) -> str: ...
    @property
    def mnemonic(self) -> str: ...
    @property
    def opcode(self) -> str:
        """The operation, under the name that all targets share."""
    @property
    def format(self) -> str: ...
    @property
    def words(self) -> list[int]: ...
    @property
    def operands(self) -> list[Operand]: ...
    @property
    def fields(self) -> list[Field]: ...
    @property
    def reads(self) -> list[str]:
        """The registers that it reads, implicit ones too, a name for each dword."""
    @property
    def writes(self) -> list[str]: ...
    @property
    def counters(self) -> list[str]:
        """The counters that it raises, and that `s_waitcnt` waits for."""
    @property
    def flags(self) -> list[str]: ...
    @property
    def memory(self) -> list[tuple[str, str]]: ...
    @property
    def meaning(self) -> str | None: ...
    @property
    def is_canonical(self) -> bool: ...
    @property
    def filler(self) -> str | None:
        """What sources hold that the operation does not have: "llvm22", "llvm23", or None if it is neither."""
    def with_filler(self, name: str) -> Inst:
        """The instruction with "llvm22" or "llvm23" in the sources that the operation does not have."""
    def get(self, name: str) -> int | None:
        """The value of a field, as the operation reads it: the offset of a load can be negative."""

    def replace(self, **values: int) -> Inst:
        """The instruction with other values of fields, which are as `get` returns them.

        Raises ChangeError if a value does not fit its field: none is masked.
        """

    def retarget(self, target: str | Target) -> Inst: ...
    def shrink(self) -> Inst: ...
    def expand(self) -> Inst: ...
    def commuted(self) -> Inst: ...
    def check(self) -> None: ...
    def branch_target(self, pc: int) -> int | None: ...
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...
    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...
    def __hash__(self) -> int: ...

@final
class Decoder(Iterator[tuple[int, Inst | DecodeError]]):
    """Iterates over code without copying it."""

    def __new__(cls, target: str | Target, code: _Buffer) -> Decoder: ...
    def __iter__(self) -> Decoder: ...
    def __next__(self) -> tuple[int, Inst | DecodeError]: ...

@final
class Scan:
    """Arrays with an entry for each instruction, and for each dword that is not an instruction."""

    @property
    def offsets(self) -> memoryview[int]: ...
    @property
    def lengths(self) -> memoryview[int]: ...
    @property
    def opcodes(self) -> memoryview[int]:
        """Indices in OPCODES, the same in every version, or 65535."""
    @property
    def formats(self) -> memoryview[int]:
        """Indices in FORMATS, or 255."""
    def __len__(self) -> int: ...

@final
class File:
    """The contents of a file: a sequence of images."""

    @property
    def damage(self) -> list[ObjectError]:
        """The damage. The images are those that can be read nevertheless."""
    @property
    def skipped(self) -> list[tuple[str, str]]:
        """The labels of parts that hold no machine code for an AMD GPU, and the reasons."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> Image: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Image, ...]: ...
    def __iter__(self) -> Iterator[Image]: ...

@final
class Image:
    """A code object: machine code for one target."""

    @property
    def label(self) -> str:
        """Its location in the file, such as the entry's id in a bundle; empty for a plain code object."""
    @property
    def offset(self) -> int | None:
        """The offset of its beginning in the file; None if it was compressed."""
    @property
    def target_id(self) -> str | None:
        """The processor and its features, such as "gfx942:sramecc+:xnack-"; None if it is not stated."""
    @property
    def processor(self) -> str | None: ...
    @property
    def target(self) -> Target | None:
        """The target that its code is decoded for; None if it is not stated, or unknown here."""
    @property
    def note(self) -> str | None:
        """A remark: it is for a newer version of its generic processor than is known here."""
    @property
    def metadata(self) -> Any:
        """The metadata for the runtime: a dict whose "amdhsa.kernels" describes the kernels; None if there is none.

        Each access reads it anew. Raises ObjectError if it is damaged.
        """
    @property
    def bytes(self) -> _bytes: ...
    @property
    def sections(self) -> list[Section]:
        """The sections with code."""
    @property
    def functions(self) -> list[Function]:
        """Its kernels and functions, in the order of their addresses in each section."""
    @property
    def kernels(self) -> list[Kernel]: ...
    def lines(self, target: str | Target | None = None) -> Lines:
        """The lines of all sections, each function decoded for waves of its own size."""
    def source(self) -> str:
        """A source from which `build` makes the same bytes, with labels and directives, as `dis --asm` prints it.

        Comments at its top say if the file needs `strip` or `sorted_names` for that. Raises ObjectError.
        """
    def lint(
        self,
        target: str | Target | None = None,
        *,
        hints: bool = False,
        strict: bool = False,
        xnack: bool | None = None,
        expert: bool = False,
    ) -> list[Finding]:
        """The findings about its code, along its control flow; with `hints`, also code that may be intended.

        With `strict`, distances count that one source demands and another one denies. `xnack` is assumed where the file does
        not say it, and `expert`, the expert mode of scheduling, where functions begin.
        """
    def fix(
        self,
        target: str | Target | None = None,
        *,
        trust_jumps: bool = False,
        strict: bool = False,
        xnack: bool | None = None,
        expert: bool = False,
    ) -> _bytes:
        """The code object with the missing waits and distances, proved to be the same program otherwise.

        With `trust_jumps`, code moves even if the targets of jumps through registers are unknown. The others are those of
        `lint`. Raises RepairError.
        """
    def trim(
        self,
        target: str | Target | None = None,
        *,
        trust_jumps: bool = False,
        xnack: bool | None = None,
        expert: bool = False,
    ) -> _bytes:
        """The code object without needless waits and distances, proved to be the same program. Raises RepairError."""

@final
class Finding:
    """A finding about an instruction."""

    @property
    def severity(self) -> str:
        """"error", "warning" or "hint"."""
    @property
    def rule(self) -> str:
        """The name of the rule, such as "missing-wait"."""
    @property
    def message(self) -> str: ...
    @property
    def target(self) -> Target: ...
    @property
    def section(self) -> str: ...
    @property
    def function(self) -> str | None:
        """The name of the function that the instruction is in."""
    @property
    def offset(self) -> int | None:
        """The offset of the instruction in its function, in bytes."""
    @property
    def address(self) -> int: ...
    @property
    def inst(self) -> Inst | None:
        """The instruction; None if the bytes are not an instruction."""
    @property
    def producer(self) -> tuple[int, Inst] | None:
        """The instruction that it depends on, with its address."""
    @property
    def path(self) -> list[int]:
        """The addresses of the blocks on a path from the producer to the instruction."""
    @property
    def advice(self) -> str | None:
        """The advice, such as "insert s_waitcnt vmcnt(0) before 0x1008"."""
    @property
    def source(self) -> str:
        """The manuals, or other sources, that have the rule."""

@final
class Fault:
    """An error or a warning of a source. `str` gives the line that the command prints."""

    @property
    def file(self) -> str | None: ...
    @property
    def line(self) -> int | None:
        """The line, from 1."""
    @property
    def column(self) -> int | None:
        """The column, from 1."""
    @property
    def message(self) -> str: ...
    @property
    def is_warning(self) -> bool: ...
    @property
    def advice(self) -> str | None:
        """What to do, such as "v_add_f32 is similar"."""
    @property
    def calls(self) -> list[Call]:
        """The calls and directives that led to the place, from the inside out."""
    @property
    def text(self) -> str:
        """The line that the command prints."""

class Call:
    """A call of a macro, or a directive, whose text has a fault."""

    @property
    def name(self) -> str:
        """What was called, such as "the macro add"."""
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int:
        """The line of the call, from 1."""
    @property
    def column(self) -> int:
        """The column of the call, from 1."""

class Rule:
    """A rule by which code is checked."""

    @property
    def id(self) -> str:
        """The name that findings have as `rule`."""
    @property
    def severity(self) -> str:
        """"error", "warning" or "hint"."""
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def help(self) -> str:
        """Advice about a finding."""
    @property
    def needs(self) -> str | None:
        """The distance, such as "5 wait states"; None if it has no number, or depends on the target."""
    @property
    def ends(self) -> str:
        """The instructions that end the hazard, in words; empty if only distance does."""
    @property
    def is_strict(self) -> bool:
        """Whether only a strict check demands it."""
    @property
    def sources(self) -> list[str]: ...

@final
class Baseline:
    """Findings that are known, by function, rule, register and target: addresses do not matter.

    `str` is its text, which `lint --baseline` of the command reads, too, and `len` the number of its findings.
    """

    def __new__(cls, text: str = "") -> Baseline: ...
    def add(self, finding: Finding) -> None: ...
    def take(self, finding: Finding) -> bool:
        """Whether the finding is known. It is then taken out: a second one like it is new."""
    def __copy__(self) -> Baseline: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...

@final
class Wave:
    """The registers of one wave, all 0 at first. It has no memory.

    `mode` has settings such as "round=zero,denorm=flush": `round` is ne, up, down or zero, `denorm` is keep, flush, flush-in
    or flush-out, both with 32 or 64 after the key for floats of that size only (16 bits go with 64), and `dx10_clamp` and
    `fp16_ovfl` are 0 or 1.
    """

    exec: int
    vcc: int
    scc: bool
    m0: int
    def __new__(
        cls, mode: str = "", *, exec: int = ..., vcc: int = 0, scc: bool = False, m0: int = 0
    ) -> Wave: ...
    def read(self, name: str, lane: int = 0, dwords: int = 1) -> int:
        """The value of a register such as "v4" in a lane, "s2" or "vcc_lo"; with two dwords, of it and the next one."""
    def write(self, name: str, value: int, lane: int = 0, dwords: int = 1) -> None: ...
    def run(self, inst: Inst) -> None:
        """Changes the registers as an instruction does. Raises EvalError if its result is not known, and changes nothing."""
    def __copy__(self) -> Wave: ...
    def __eq__(self, other: object) -> bool: ...

@final
class Section:
    """A section with code."""

    @property
    def name(self) -> str: ...
    @property
    def address(self) -> int:
        """The address of the first byte; 0 in an object that is not linked."""
    @property
    def offset(self) -> int | None:
        """The offset of its first byte in the bytes of the image."""
    @property
    def bytes(self) -> _bytes: ...
    def lines(self, target: str | Target | None = None) -> Lines: ...

class Function:
    """A kernel or another function."""

    @property
    def name(self) -> str: ...
    @property
    def address(self) -> int: ...
    @property
    def size(self) -> int:
        """The number of its bytes: the size of its symbol, or the distance to the next function."""
    @property
    def offset(self) -> int | None:
        """The offset of its code in the bytes of the image."""
    @property
    def is_kernel(self) -> bool: ...
    @property
    def target(self) -> Target | None:
        """The target with waves of the function's size; None if the image's is unknown."""
    @property
    def code(self) -> _bytes: ...
    def lines(self, target: str | Target | None = None) -> Lines: ...
    def __iter__(self) -> Lines: ...

@final
class Kernel(Function):
    """A function that a descriptor names."""

    @property
    def descriptor(self) -> Descriptor | None:
        """The data from which the hardware starts it; None in code objects before version 3, and for unknown targets."""
    @property
    def arguments(self) -> list[Argument]:
        """The arguments that the metadata lists, in the order of their offsets."""

@final
class Descriptor:
    """The 64 bytes from which the hardware starts a kernel."""

    @property
    def vgprs(self) -> int:
        """The largest number of vector registers with the same bytes, accumulation registers after them included."""
    @property
    def sgprs(self) -> int:
        """The largest number of scalar registers with the same bytes; 0 where every wave has all."""
    @property
    def accum_offset(self) -> int | None:
        """The number of vector registers before the accumulation registers, where these share a file."""
    @property
    def wave_size(self) -> int: ...
    @property
    def entry(self) -> int:
        """The distance from the descriptor to the kernel's first instruction."""
    @property
    def directives(self) -> dict[str, int]:
        """The values of all directives, by their names without `.amdhsa_`."""
    @property
    def bytes(self) -> _bytes: ...
    def __bytes__(self) -> _bytes: ...
    def __hash__(self) -> int: ...

@final
class Argument:
    """An argument of a kernel."""

    @property
    def name(self) -> str | None:
        """Its own name, or its kind (`hidden_...`) if the runtime adds it."""
    @property
    def offset(self) -> int: ...
    @property
    def size(self) -> int: ...

@final
class Lines(Iterator[Line]):
    """Iterates over the lines of code."""

    def __iter__(self) -> Lines: ...
    def __next__(self) -> Line: ...

@final
class Line:
    """A line of a listing."""

    @property
    def address(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def inst(self) -> Inst | None:
        """The instruction; None if the bytes are not one."""
    @property
    def error(self) -> DecodeError | None:
        """The reason why there is no instruction. Its `offset` is one of the section."""

def decode(target: str | Target, code: _Buffer, offset: int = 0) -> Inst:
    """The instruction at an offset."""

def parse(target: str | Target, text: str) -> Inst:
    """The instruction that LLVM's assembler makes of this text."""

def assemble(target: str | Target, text: str) -> _bytes:
    """The bytes of a program, an instruction in each line. Raises ParseError with the line and the column."""

def scan(target: str | Target, code: _Buffer) -> Scan: ...
def text(target: str | Target, code: _Buffer) -> str: ...
def open(file: _Buffer | str | PathLike[str], *, max_decompressed: int | None = None, scan: bool = False) -> File:
    """Finds the code in a file: a code object, a bundle, compressed or not, an archive, or a host program with these.

    `file` is the contents, or a path if it is a `str` or has `__fspath__`. All decompressed data together may have
    `max_decompressed` bytes; without it, 64 MiB, and 256 bytes for each byte of the file. With `scan`, code objects and
    bundles are found at any byte of a file of any kind; the label of an image then has its offset.
    The readable part of a damaged file is returned. Raises ObjectError if there is none.
    """

def disassemble(code: _Buffer, target: str | Target | None = None, address: int = 0) -> list[Line]:
    """The lines of all images of a file. With a target, the file is bare code.

    Raises ObjectError if a part of the file is damaged.
    """

def kernels(code: _Buffer) -> list[Kernel]:
    """The kernels of all images of a file. Raises ObjectError if a part of it is damaged."""

def replace(file: _Buffer, image: Image, code: _Buffer) -> _bytes:
    """The file with another code object of the same processor in the place of an image.

    Raises ObjectError if the bytes are not such a code object, or the place cannot take them, as in host programs and
    compressed bundles.
    """

def unpack(file: _Buffer, *, max_decompressed: int | None = None) -> _bytes:
    """The bundle of a compressed one, in which `replace` finds its images; any other file as it is.

    `max_decompressed` is that of `open`. Raises ObjectError if the bundle is damaged or too large.
    """

def rules(target: str | Target | None = None, *, strict: bool = False) -> list[Rule]:
    """The rules by which `lint` checks code for a target, or those for all targets, without their distances."""

def unchecked(target: str | Target | None = None) -> list[tuple[str | None, str]]:
    """The faults that `lint` does not check, of a target or of all: the id of the rule, if it has one, and the fault."""

def build(
    source: str,
    target: str | Target | None = None,
    *,
    name: str = "source",
    object: bool = False,
    strip: bool = False,
    wave: int | None = None,
    fill: str | None = None,
    include: Sequence[str | PathLike[str]] | None = None,
    sorted_names: bool = False,
    long_branches: str | None = None,
) -> _bytes:
    """Assembles a whole source to a code object, or with `object` to an object for a linker.

    `target` is a processor such as "gfx942:xnack-", if the source does not say it, and `wave` the lanes of code outside of kernels, which
    a `Target` says, too. `fill` is
    "llvm22" or "llvm23": how sources that an operation does not have are filled, if the source does not say it. Without
    `include`, the directories where included files are searched, no files are read. `strip` leaves out the table of symbols that
    no loader reads, and `sorted_names` sorts the names of a linked file, as llvm-objcopy does. `long_branches` is two registers such as
    "s[4:5]", through which branches go that do not reach their places; "s[4:5],s6" keeps SCC, too. Raises AssemblyError.
    """

def operations(target: str | Target) -> list[dict[str, Any]]: ...
def layouts(target: str | Target) -> dict[str, dict[str, Any]]: ...
