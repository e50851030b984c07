#!/usr/bin/env python3
"""Runs the LLVM 24 inside the Python package triton on machine IR from the passes that insert waits on: llc.py --mcpu=gfx1310
[--mattr=+wavefrontsize64] FILE.mir writes assembly to the standard output.

triton's binding runs all passes that follow the allocation of registers. Those that would change the instructions of a test are
off."""
import ctypes
import sys

import triton._C.libtriton as libtriton

TRIPLE = "amdgcn-amd-amdhsa"
OFF = ["enable-misched", "enable-post-misched", "amdgpu-enable-vopd", "amdgpu-enable-delay-alu"]
DISABLED = ["disable-copyprop", "disable-branch-fold", "disable-block-placement", "disable-tail-duplicate"]


def set_options(options):
    library = ctypes.CDLL(libtriton.__file__)
    words = [b"llc", *(option.encode() for option in options)]
    library.LLVMParseCommandLineOptions(len(words), (ctypes.c_char_p * len(words))(*words), None)


def main():
    options = dict(word.split("=", 1) for word in sys.argv[1:-1])
    libtriton.llvm.init_targets()
    set_options([f"-{name}=0" for name in OFF] + [f"-{name}" for name in DISABLED])
    cpu, features = options["--mcpu"], options.get("--mattr", "")
    print(libtriton.llvm.translate_mir_to_asm(sys.argv[-1], TRIPLE, cpu, features, [], False, False), end="")


main()
