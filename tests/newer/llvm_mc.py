#!/usr/bin/env python3
"""Assembles as `llvm-mc --show-encoding` does, with the LLVM 24 inside the Python package triton: llvm_mc.py --mcpu=gfx1310
[--mattr=+real-true16] < lines `line0: text`, each with a label of its own. Other options are ignored.

triton's binding makes a whole object file or says what is wrong, so the lines that LLVM refuses are taken out, and the rest is
assembled again; the labels in the symbol table tell which bytes are whose. Lines that end LLVM are looked for by halves, in
processes of their own, and count as refused."""
import os
import pickle
import re
import struct
import sys
import tempfile

import triton._C.libtriton as libtriton

SECTION_HEADER, SYMBOL = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
SYMBOL_TABLE = 2


def object_and_messages(source, cpu, features):
    """The object file, or None, and what LLVM writes to the standard error; None if LLVM ends its process."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as answer:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 2)
            try:
                made = bytes(libtriton.amd.assemble_amdgcn(source, "amdgcn-amd-amdhsa", cpu, features))
            except RuntimeError:
                made = None
            pickle.dump(made, answer)
            answer.flush()
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            return None
        answer.seek(0)
        said.seek(0)
        return pickle.load(answer), said.read().decode(errors="replace")


def label_of(line):
    return line.split(":", 1)[0]


def refused(messages, lines):
    """Each message is followed by its line: the messages by the labels of the lines."""
    found, message = {}, None
    for said in messages.splitlines():
        error = re.search(r"error: (.*)", said)
        if error:
            message = error[1]
        elif message and label_of(said.strip()) in lines:
            found.setdefault(label_of(said.strip()), message)
            message = None
    return found


def bytes_by_label(elf, labels):
    (headers_at,), (size, count) = struct.unpack_from("<Q", elf, 40), struct.unpack_from("<HH", elf, 58)
    sections = [SECTION_HEADER.unpack_from(elf, headers_at + n * size) for n in range(count)]
    places = {}
    for section in (section for section in sections if section[1] == SYMBOL_TABLE):
        names_at = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], SYMBOL.size):
            name_at, _, _, of, value, _ = SYMBOL.unpack_from(elf, at)
            name = elf[names_at + name_at:elf.index(b"\0", names_at + name_at)].decode()
            if of < count:
                places[name] = sections[of][4] + value
    ends = [*(places[label] for label in labels[1:]), places["end_of_lines"]]
    return {label: elf[places[label]:end] for label, end in zip(labels, ends)}


def assemble(lines, cpu, features):
    """The bytes of each line by its label, or the message."""
    all_lines, lines, found = lines, dict(lines), {}
    while lines:
        answer = object_and_messages("\n".join([*lines.values(), "end_of_lines:\n"]), cpu, features)
        if answer is None:
            labels = list(lines)
            if len(labels) == 1:
                return found | {labels[0]: "LLVM ends its process"}
            halves = labels[:len(labels) // 2], labels[len(labels) // 2:]
            for half in halves:
                found |= assemble({label: all_lines[label] for label in half}, cpu, features)
            return found
        made, messages = answer
        wrong = refused(messages, lines)
        found |= wrong
        lines = {label: line for label, line in lines.items() if label not in wrong}
        if made and not wrong:
            return found | bytes_by_label(made, list(lines))
        if not wrong:
            sys.exit(f"LLVM says nothing of a line that is given: {messages[:2000]}")
    return found


def main():
    options = dict(arg.split("=", 1) for arg in sys.argv[1:] if "=" in arg)
    libtriton.llvm.init_targets()
    lines = {label_of(line): line for line in sys.stdin.read().splitlines()}
    found = assemble(lines, options["--mcpu"], options.get("--mattr", ""))
    for n, label in enumerate(lines, 1):
        if isinstance(found[label], str):
            print(f"<stdin>:{n}:1: error: {found[label]}", file=sys.stderr)
        else:
            print(f"{label}:\n\t; encoding: [{','.join(f'{byte:#04x}' for byte in found[label])}]")


main()
