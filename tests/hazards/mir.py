#!/usr/bin/env python3
"""mir.py PROGRAMS OUT: writes each instruction of a table as LLVM's machine IR, which llc reads: of
tests/hazards/programs.txt into mir.txt beside it, of tests/hazards/sequences.txt into sequences.mir.txt, of
tests/waits/operations.txt into the mir.txt there.

llvm-mc names the instruction of the encoding and its operands; the compiler's own has no suffix for the encoding, and lists
the registers that no operand names, which llc's messages tell one by one."""
import os, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
LLC = ["llc-22", "-mtriple=amdgcn", "-run-pass=post-RA-hazard-rec", "-o", "-"]
SUFFIX = re.compile(r"(_e32|_e64|_sdwa|_dpp|_dpp8)?_(gfx\w+|vi|si|ci)$")


def candidates(name):
    match = SUFFIX.search(name)
    base = name[: match.start()] if match else name
    form = (match.group(1) or "") if match else ""
    encoding = match.group(2) if match else ""
    bases = [base, base.replace("_gfx90a", "").replace("_vi", "")]
    if encoding.endswith("_vcd") or "_gfx90a_vcd" in name or encoding.endswith("vcd"):
        return [b + "_vgprcd_e64" for b in bases]
    if encoding.endswith("_acd"):
        return [b + "_e64" for b in bases]
    out = [b + f for b in bases for f in (form, "_e64", "_e32", "")]
    out += [b.replace("_e64", "").replace("_e32", "") + s for b in bases for s in ("_gfx9_e64", "_gfx10_e32", "_vgprcd_e64", "_mac_e64", "_mac_vgprcd_e64")]
    out += [b.removesuffix("_twoaddr") + s for b in bases for s in ("_twoaddr", "_threeaddr")]
    out += [b + "_twoaddr_w32" + form for b in bases] + [b + "_twoaddr_w32" for b in bases] + [b + "_twoaddr_w64" for b in bases]
    return list(dict.fromkeys(out + [name]))


def cpu(target):
    """`gfx1100:wave64` is a processor and a size of waves."""
    name, _, wave = target.partition(":")
    return [f"-mcpu={name}"] + (["-mattr=+wavefrontsize64"] if wave else [])


def llc(target, lines):
    body = "".join(f"    {line}\n" for line in lines)
    text = f"---\nname: f\nbody: |\n  bb.0:\n{body}    S_ENDPGM 0\n...\n"
    with tempfile.NamedTemporaryFile("w", suffix=".mir", delete=False) as file:
        file.write(text)
    run = subprocess.run(LLC + cpu(target) + [file.name], capture_output=True, text=True)
    os.unlink(file.name)
    return run


def operand(text):
    kind, value = text.split(":", 1)
    value = re.sub("_gfx(pre11|11plus)|(?<=FLAT_SCR)_(vi|ci)|(?<=FLAT_SCR_..)_(vi|ci)", "", value)
    return "$" + value.lower() if kind == "Reg" and value != "" else value if kind == "Imm" else "$noreg"


def convert(target, name, operands):
    # llvm-mc gives atomic operations on buffers one more operand.
    if name.startswith("BUFFER_ATOMIC"):
        operands = operands[:-1]
    for base in candidates(name):
        for defs in (1, 0, 2):
            implicit, memory, shape, done = [], "", operands, 0
            while done < 12:
                done += 1
                left, right = shape[:defs], shape[defs:]
                line = (", ".join(left) + " = " if left else "") + base + " " + ", ".join(right + implicit)
                line = line.strip().rstrip(",") + memory
                run = llc(target, [line])
                if run.returncode == 0:
                    return line
                if "missing memory operand" in run.stderr and not memory:
                    memory = f" :: ({'store' if '_STORE_' in base else 'load'} (s128), addrspace 8)"
                    continue
                if "S_SETREG" in base and done == 1:
                    shape = [str(int(x) - 65536) if x.isdigit() and int(x) > 32767 else x for x in shape]
                    continue
                missing = re.search(r"missing implicit register operand '(.*?)'", run.stderr)
                if missing:
                    implicit.append(missing.group(1))
                    continue
                break
            if "unknown instruction" in run.stderr:
                break
    return None


def main():
    targets = next(l for l in open(f"{HERE}/distances.tsv") if l.startswith("id\t")).split()[1:]
    texts = {}
    programs, path = sys.argv[1:]
    for line in open(programs):
        if line.startswith("#") or " | " not in line:
            continue
        rule, spans, *insts = line.rstrip("\n").split(" | ")
        if {"24", "ends", "manual", "issued"} & set(rule.split(" ")):
            continue
        insts = [re.sub(r"^\*\S* ", "", inst) for inst in insts]
        for first, _, last in (span.partition("..") for span in spans.split(" ")):
            one = [first] if first not in targets else targets[targets.index(first) : targets.index(last or first) + 1]
            for target in one:
                texts.setdefault(target, {}).update((text, None) for text in insts)
    known = {}
    if os.path.exists(path):
        for line in open(path):
            if " | " in line and not line.startswith("#"):
                target, text, mir = line.rstrip("\n").split(" | ")
                known[target, text] = mir
    jobs = []
    for target, all in texts.items():
        new = [t for t in all if (target, t) not in known]
        mc = ["llvm-mc-22", "-triple=amdgcn", "-show-inst"] + cpu(target)
        for text in new:
            run = subprocess.run(mc, input=text + "\n", capture_output=True, text=True)
            name = re.search(r"<MCInst #\d+ (\w+)", run.stdout)
            if not name:
                print(target, text, run.stderr.strip().split("\n")[:1], file=sys.stderr)
                continue
            operands = [operand(x) for x in re.findall(r"<MCOperand ((?:Reg|Imm|SFPImm|Expr):[^>]*)>", run.stdout)]
            jobs.append((target, text, name.group(1), operands))
    with ThreadPoolExecutor(2) as pool:
        for (target, text, name, operands), mir in zip(jobs, pool.map(lambda j: convert(j[0], j[2], j[3]), jobs)):
            if mir is None:
                print("not converted:", target, text, name, operands, file=sys.stderr)
            else:
                known[target, text] = mir
    with open(path, "w") as file:
        file.write("# Written by tests/hazards/mir.py: target | instruction | the same as LLVM's machine IR.\n")
        for target, all in texts.items():
            for text in all:
                if (target, text) in known:
                    file.write(f"{target} | {text} | {known[target, text]}\n")


main()
