#!/usr/bin/env python3
"""Measures instructions per second: python bench.py [FILE.co]

For comparison, it starts llvm-mc for each instruction, and once for all of them.
"""

import subprocess
import sys
import time
from pathlib import Path

import amdgpu_isa as isa

SAMPLE = Path(__file__).parent.parent / "tests" / "samples" / "gfx942" / "matmul.co"
data = Path(sys.argv[1] if len(sys.argv) > 1 else SAMPLE).read_bytes()
target = isa.kernels(data)[0].target
code = b"".join(bytes(line.inst) for line in isa.disassemble(data) if line.inst)
code *= max(1, (16 << 20) // len(code))
count = len(isa.scan(target, code))
small = code[: 1 << 20]
few = len(isa.scan(target, small))


def rate(name: str, number: int, call) -> None:
    best = 1e9
    for _ in range(5):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    print(f"{name:40} {number / best / 1e6:10.3f} million instructions/s")


def loop() -> None:
    for _offset, _inst in isa.Decoder(target, small):
        pass


def loop_text() -> None:
    for _offset, inst in isa.Decoder(target, small):
        inst.text


def single() -> None:
    offset = 0
    for _ in range(100_000):
        offset += len(isa.decode(target, small, offset))


def llvm(words: bytes) -> None:
    text = " ".join(f"0x{byte:02x}" for byte in words)
    command = ["llvm-mc-22", "-triple=amdgcn", f"-mcpu={target.processor}", "-disassemble"]
    subprocess.run(command, input=text, capture_output=True, text=True, check=True)


rate("scan, arrays", count, lambda: isa.scan(target, code))
rate("text, one string", count, lambda: isa.text(target, code))
rate("Decoder, a loop", few, loop)
rate("Decoder, a loop, and its text", few, loop_text)
rate("decode, a loop", 100_000, single)
rate("llvm-mc, one process for 1 MiB", few, lambda: llvm(small))
rate("llvm-mc, a process per instruction", 10, lambda: [llvm(small[:4]) for _ in range(10)])
