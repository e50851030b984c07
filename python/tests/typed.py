"""A program that mypy --strict accepts: see test_types_check."""

import amdgpu_isa as isa


def listing(code: bytes) -> list[str]:
    lines: list[str] = []
    for offset, inst in isa.Decoder("gfx942", code):
        if isinstance(inst, isa.DecodeError):
            lines.append(f"{offset}: {inst.kind} {inst.field}")
        else:
            lines.append(f"{offset}: {inst.text} {inst.replace(vdst=1).words} {[o.role for o in inst.operands]}")
    total: int = sum(isa.scan("gfx942", memoryview(code)).lengths)
    return [*lines, f"{total} bytes"]
