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


def ways_back(file: str) -> int:
    known = isa.Baseline()
    for image in isa.open(file):
        if isa.build(image.source(), isa.Target("gfx942"), long_branches="s[4:5]") != image.bytes:
            known = isa.Baseline("".join(str(finding) for finding in image.lint() if not known.take(finding)))
    wave = isa.Wave("denorm=flush", vcc=1)
    wave.write("v4", wave.exec, lane=3, dwords=2)
    wave.run(isa.parse("gfx942", "s_nop 0"))
    texts: list[str | None] = [rule.needs for rule in isa.rules("gfx942")] + [text for _, text in isa.unchecked()]
    return wave.read("v4", 3) + len(known) + len(texts)


def registers(path: str) -> dict[str, int]:
    file = isa.open(path, max_decompressed=1 << 30)
    found: dict[str, int] = {}
    for image in [*file, *file[:1]]:
        for kernel in image.kernels:
            if kernel.descriptor and kernel.target:
                found[kernel.name] = kernel.descriptor.vgprs + kernel.descriptor.directives["kernarg_size"]
            names: list[str | None] = [argument.name for argument in kernel.arguments]
            lines: list[str] = [line.text for line in kernel] + [line.text for line in image.lines("gfx942")]
            first: bytes = kernel.code[:4] + image.bytes[:4] + bytes(kernel.descriptor or b"")
            print(names, lines, first, image.functions[0].is_kernel)
    for error in file.damage:
        print(error.path, error.offset)
    return found


def vector_registers(inst: isa.Inst) -> set[int]:
    runs = [operand.register for operand in inst.operands]
    return {run[1] + n for run in runs if run and run[0] == "v" for n in range(run[2])}
