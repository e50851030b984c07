#!/usr/bin/env python3
"""Takes a sample of texts that LLVM 24 assembled: make.py TARGET WITHOUT EXAMPLES REFUSED [CHANGES] > TARGET.tsv

EXAMPLES has lines of text, bytes, features, the text of LLVM 23's disassembler; REFUSED begins with a text; CHANGES has a
format, a mnemonic and more of each operation in which the target differs from an older one. All texts of these operations
are taken, and every eighth of the others; of the refused ones every fifth, and all of these operations.
WITHOUT has bytes and refused texts that are left out, because this library differs from LLVM 24 there on older targets, too:
halves written as whole registers, floats as constants of 16-bit integers, expressions as modifiers, and what LLVM 24 newly refuses."""
import sys

target, without, examples, refused, *changes = sys.argv[1:]
rows = lambda name: [line.rstrip("\n").split("\t") for line in open(name) if not line.startswith("#")]
changed = {row[2] for name in changes for row in rows(name)}
bare = lambda text: text.split(" ")[0].removesuffix("_e32").removesuffix("_e64").removesuffix("_dpp")
seen, kept, without = set(), [], set(open(without).read().split("\n"))
for n, (text, hexes, features, canonical, *_) in enumerate(rows(examples)):
    waves = ":wave64 " if "+wavefrontsize64" in features else " "
    if hexes not in without and canonical and (waves, hexes) not in seen and (n % 8 == 0 or bare(canonical) in changed):
        seen.add((waves, hexes))
        kept.append(f"{waves}{hexes}\t{canonical}".strip())
for n, (text, *_) in enumerate(rows(refused)):
    text = text.strip()
    if text not in without and (n % 5 == 0 or bare(text) in changed):
        kept.append(f"!\t{text}")
print(f"# {target}: bytes and text, or `!` and a text that LLVM 24 refuses. The bytes are those of LLVM 24.0.0git, 6bc4aaf6641c,")
print("# the texts those of AMD's LLVM 23.0.0git, 8f497e0992fb. `make.py` took this sample.")
print("\n".join(kept))
