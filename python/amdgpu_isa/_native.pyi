from collections.abc import Iterator
from typing import Any, final

from typing_extensions import Buffer as _Buffer

__version__: str
TARGETS: tuple[str, ...]
"""The names of all targets."""
OPCODES: tuple[str, ...]
"""Operations by the numbers that `scan` gives."""
FORMATS: tuple[str, ...]
"""Formats by the numbers that `scan` gives."""

class IsaError(ValueError):
    """What this package refuses."""

class UnknownTargetError(IsaError):
    """No target has this name."""

class DecodeError(IsaError):
    """These bytes are no instruction."""

    kind: str
    field: str | None
    value: int | None
    bits: tuple[int, int] | None
    """The highest and the lowest bit."""
    needed: int | None
    """How many bytes there should be."""
    offset: int

class ParseError(IsaError):
    """This text is no instruction."""

    text: str
    line: int
    """Of a program, 0 for the first."""
    start: int
    end: int
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

class ObjectError(IsaError):
    """This is no code object."""

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
    """An instruction of a target: its words, bit for bit, and what they mean."""

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
    def is_canonical(self) -> bool: ...
    def get(self, name: str) -> int | None: ...
    def replace(self, **values: int) -> Inst: ...
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
    """Arrays with an entry for each instruction, and for each dword that is none."""

    @property
    def offsets(self) -> memoryview[int]: ...
    @property
    def lengths(self) -> memoryview[int]: ...
    @property
    def opcodes(self) -> memoryview[int]:
        """Indices in OPCODES, or 65535."""
    @property
    def formats(self) -> memoryview[int]:
        """Indices in FORMATS, or 255."""
    def __len__(self) -> int: ...

@final
class Kernel:
    @property
    def name(self) -> str: ...
    @property
    def address(self) -> int: ...
    @property
    def target(self) -> Target: ...

@final
class Line:
    @property
    def address(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def inst(self) -> Inst | None: ...
    @property
    def error(self) -> DecodeError | None: ...

def decode(target: str | Target, code: _Buffer, offset: int = 0) -> Inst: ...
def parse(target: str | Target, text: str) -> Inst: ...
def assemble(target: str | Target, text: str) -> bytes: ...
def scan(target: str | Target, code: _Buffer) -> Scan: ...
def text(target: str | Target, code: _Buffer) -> str: ...
def disassemble(code: _Buffer, target: str | Target | None = None, address: int = 0) -> list[Line]: ...
def kernels(code: _Buffer) -> list[Kernel]: ...
def operations(target: str | Target) -> list[dict[str, Any]]: ...
def layouts(target: str | Target) -> dict[str, dict[str, Any]]: ...
