#!/usr/bin/env python3
"""Shows the contents of a file with code for AMD GPUs, and changes it: python kernels.py [FILE [CHANGED]]

Lists the kernels with their registers and arguments, counts the formats of their instructions, and swaps the sources
of the first instruction that allows it. The changed bytes are written to CHANGED, if it is given.
"""

import sys
from collections import Counter
from pathlib import Path

import amdgpu_isa as isa

SAMPLE = Path(__file__).parent.parent.parent / "tests" / "samples" / "gfx942" / "mixed.co"


# %% The kernels, with the data that the runtime gets about them.
def describe(kernel: isa.Kernel) -> None:
    print(f"  {kernel.name}: {kernel.size} bytes at {kernel.address:#x}")
    descriptor = kernel.descriptor
    if descriptor:
        print(f"    {descriptor.vgprs} vector registers, {descriptor.sgprs} scalar ones")
        print(f"    waves of {descriptor.wave_size} lanes, {descriptor.directives['group_segment_fixed_size']} bytes of LDS")
    for argument in kernel.arguments:
        print(f"    argument at {argument.offset}: {argument.size} bytes {argument.name or ''}".rstrip())


# %% Counts the instructions of each format. For large files `isa.scan` is faster: it gives arrays.
def formats(kernels: list[isa.Kernel]) -> Counter[str]:
    return Counter(line.inst.format for kernel in kernels for line in kernel if line.inst)


# %% Replaces an instruction by another one of the same size.
def changed(image: isa.Image) -> bytes:
    for kernel in image.kernels:
        for line in kernel:
            try:
                swapped = line.inst and line.inst.commuted()
            except isa.ChangeError:
                continue
            if swapped and line.inst and kernel.offset is not None and len(swapped) == len(line.inst):
                print(f"  {line.address:#x}: {line.text}  ->  {swapped}")
                code = bytearray(image.bytes)
                at = kernel.offset + line.address - kernel.address
                code[at : at + len(swapped)] = bytes(swapped)
                return bytes(code)
    return image.bytes


def main(path: str | Path = SAMPLE, output: str | None = None) -> None:
    data = bytearray(Path(path).read_bytes())
    file = isa.open(data)
    for error in file.damage:
        print(f"damaged: {error}")
    for label, reason in file.skipped:
        print(f"skipped: {label} {reason}")
    for image in file:
        print(f"{image.label or 'code object'} for {image.target_id}")
        if image.target is None:
            continue
        for kernel in image.kernels:
            describe(kernel)
        for name, count in formats(image.kernels).most_common():
            print(f"  {name:12} {count:5} {'#' * -(-count // 8)}")
        # The bytes of a compressed image are not in the file.
        if image.offset is not None:
            data[image.offset : image.offset + len(image.bytes)] = changed(image)
    if output:
        Path(output).write_bytes(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
