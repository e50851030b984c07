"""The limits of the tables and the bounds of the code, each changed to the numbers beside it.

A bound of the code is a literal, or a constant, at an end of a range, at one side of `<`, `<=`, `>` or `>=`, or as the argument of
`min`, `max`, `clamp`, `take` or `skip`. A limit of the tables is a greatest or least
number: `limit` rows, counters, granules, the last bit of a field of a constant, the end of a run of codes, distances of hazards.
"""

import re
from pathlib import Path

import rust
import tables

CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")
NUMBER = re.compile(r"(0x[\da-f_]+|0b[01_]+|[\d_]+?)((?:u|i)(?:\d+|size))?")
COMPARISONS = ("<", "<=", ">", ">=")
CALLS = ("min", "max", "clamp", "take", "skip")
# Operand codes, of which the generator makes constants.
CODES = {"INT": 128, "INT_LAST": 192, "NEGATIVE": 193, "NEGATIVE_LAST": 208, "FLOAT": 240, "FLOAT_LAST": 248, "LITERAL": 255,
         "VGPR": 256, "VGPR_LAST": 511, "AGPR": 512}
# The kernel rows that are numbers of registers. The others are flags.
COUNTED = ("vgpr_granule", "accum_granule", "sgpr_granule", "sgprs", "with_vcc", "with_xnack_mask", "with_flat_scratch")
# Rows in which a mistake by a factor of two is likely.
DOUBLED = ("limit", "align", "counter", "kernel", "gen")


def constants(source):
    """The values of a file's constants that are numbers or sums of numbers, and of operand codes. A pattern has no sum in it."""
    values = dict(CODES)
    for _ in range(3):  # some are made of others
        for constant, sum_ in re.findall(r"\bconst ([A-Z][A-Z0-9_]*): (?:u|i)\w+ =\s*([\w\s+*<-]+);", source):
            parts = [str(values.get(part, part)) for part in sum_.split()]
            if all(re.fullmatch(r"-?\d+|0x[\da-f_]+|[-+*]|<<", part) for part in parts):
                values[constant] = eval(" ".join(parts))
    return values


def after(toks, partner, n, values):
    """The operand that begins at a token: the last token of it and what it can become."""
    negative = toks[n].text == "-" and toks[n + 1].kind == "number"
    number = toks[n + negative]
    if number.kind == "number":
        match = NUMBER.fullmatch(number.text)
        if not match or number.text[0] == "0" and number.text[1:].isdigit():
            return None
        value = int(match[1].replace("_", ""), 0) * (-1 if negative else 1)
        suffix, last = match[2] or "", n + negative
        if toks[last + 1].text == "<<":
            if toks[last + 2].kind != "number":
                return None
            text = f"{value}{suffix} << {toks[last + 2].text}"
            return last + 2, [f"(({text}) - 1)", f"(({text}) + 1)"]
        return last, [f"{value + by}{suffix}" for by in (-1, 1) if value + by >= 0 or value < 0 or by > 0]
    path = n
    while toks[path].kind == "word" and toks[path + 1].text == "::":
        path += 2
    if not CONSTANT.fullmatch(toks[path].text) or toks[path].text in ("MAX", "MIN") or toks[path + 1].text in ("(", "{", "!"):
        return None
    if toks[path + 1].text == "." and toks[path + 2].text != "into":
        return None
    last = partner[path + 1] if toks[path + 1].text == "[" else path
    if rust.is_pattern(toks, partner, last) and toks[last].text in values:
        value = values[toks[last].text]
        return last, [str(value - 1), str(value + 1)]
    text = "".join(token.text for token in toks[n : last + 1])
    return last, [f"({text} - 1)", f"({text} + 1)"]


def before(toks, partner, n, values):
    """The operand that ends at a token: the first token of it and what it can become."""
    if toks[n].kind == "number":
        if toks[n - 1].text == ".":
            return None
        first = n - (toks[n - 1].text == "-" and not toks[n - 1].spaced)
    elif toks[n].kind == "word" and CONSTANT.fullmatch(toks[n].text):
        first = n
        while toks[first - 1].text == "::":
            first -= 2
    else:
        return None
    if toks[first - 1].text in ("<<", ">>", "&", "^", "*", "/", "%", "."):
        return None
    found = after(toks, partner, first, values)
    return (first, found[1]) if found and found[0] == n else None


def bounds(path, source, values):
    """Every change of the bounds of a file."""
    toks = rust.tokens(source)
    partner = rust.pairs(toks)
    left_out = rust.skipped(toks, partner)
    found, seen = [], set()
    for function in rust.functions(toks, partner):
        first, last = function.body
        for n in range(first + 1, last - 1):
            token, operands = toks[n], []
            if n in left_out:
                continue
            if token.text in COMPARISONS and token.spaced or token.text in ("..", "..=") and toks[n - 1].text not in ("{", ","):
                ahead = after(toks, partner, n + 1, values)
                operands += [(n + 1, *ahead)] if ahead else []
                behind = before(toks, partner, n - 1, values)
                operands += [(behind[0], n - 1, behind[1])] if behind else []
            elif token.text in CALLS and toks[n - 1].text == "." and toks[n + 1].text == "(":
                m = n + 2
                while m < partner[n + 1]:
                    ahead = after(toks, partner, m, values)
                    if ahead and toks[ahead[0] + 1].text in (",", ")"):
                        operands.append((m, *ahead))
                    while m < partner[n + 1] and toks[m].text != ",":
                        m = partner[m] + 1 if toks[m].text in "([{" else m + 1
                    m += 1
            for from_, to, texts in operands:
                for text in texts:
                    if (from_, text) in seen:
                        continue
                    seen.add((from_, text))
                    start, end = toks[from_].start, toks[to].end
                    found.append((rust.Mutant(path, "bound", start, end, text, toks[from_].line), from_, function))
    return rust.placed(found, toks, source)


def code(root):
    """The bounds in src/, without the command and the builders, which are not part of the library as it is used alone."""
    mutants = []
    for path in sorted(Path(root, "src").rglob("*.rs")):
        name, source = path.relative_to(root).as_posix(), path.read_text()
        if not name.startswith(rust.LEFT_OUT):
            mutants += bounds(name, source, constants(source))
    return mutants


def places(body, section):
    """The numbers of a row that are limits: (start, end)."""
    words = [(m.start(), m.group()) for m in re.finditer(r"\S+", body.partition(";")[0])]
    first = words[0][1] if words else ""
    texts = [word for _, word in words]

    def those(pattern, from_, among=words):
        for start, word in among[from_:]:
            for match in re.finditer(pattern, word):
                group = match.lastindex or 0
                yield start + match.start(group), start + match.end(group)

    cell = r"(?:^|=)(\d+)(?=@|$)"
    run = r"(?<![\w.-])\d+(?=-\d)|(?<=\d-)\d+(?!\w)"
    if first == "limit" or first == "registers":
        yield from those(r"^\d+$", 2)
    elif first == "align":
        yield from those(r"^\d+$", 1)
    elif first in ("counter", "nop"):
        yield from those(cell, 2)
    elif first == "event":
        yield from those(run, 3, words[:4])
        yield from those(cell, 6)
    elif first in ("wait", "directive"):
        yield from those(r"(\d+):\d+$", 2)
        yield from those(r"^sgprs=(\d+)", 2)
    elif first == "kernel" and texts[1] in COUNTED:
        yield from those(cell, 2)
    elif first == "gen":
        yield from those(r"^bus=(\d+)", 2)
    elif first == "type":
        yield from those(r"^\d+-(\d+)$", 5)
    elif first == "value" and section == "bits":
        yield from those(r"(\d+):\d+", 2)
    elif first in ("value", "code"):
        yield from those(run, 2)
    elif body.count("|") == 6 and section == "rules":
        at = body.rindex("|")
        cells = [(at + 1 + m.start(), m.group()) for m in re.finditer(r"\S+", body[at + 1 :].partition(";")[0])]
        yield from those(r"(?<==)\d+|(?<=[/+:,])\d+", 1, cells)
        yield from those(r"(?<=[<>*])\d+", 0)
    elif body.count("|") == 4:
        yield from those(r"(?<=\.\.)\d+", 0)


def rows(root):
    """The limits of the tables."""
    mutants = []
    for path in sorted(Path(root, "isa").glob("*.isa")):
        name, section = path.relative_to(root).as_posix(), None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            body, hash_, comment = line.partition("#")
            words = body.split()
            if not words:
                continue
            if words[0] in ("enum", "bits", "rules"):
                section = words[0]
            for start, end in places(body, section):
                value = int(body[start:end])
                news = [value + 32] if body[:start].endswith("..") else [value - 1, value + 1]
                if words[0] in DOUBLED:
                    news.append(2 * value + 1 if words[0] == "counter" else 2 * value)
                of_row = [words[0] if "|" in body else words[1]]
                kind = words[0] if body.count("|") < 4 else "distance" if section == "rules" else "size"
                for new in dict.fromkeys(n for n in news if n >= 0):
                    changed = f"{body[:start]}{new}{body[end:]}{hash_}{comment}"
                    mutants.append(tables.Mutant(name, number, kind, line, changed, of_row, kind != "size"))
    # Rows named `limit` come first, then the kinds with the fewest changes.
    counts = {kind: sum(m.kind == kind for m in mutants) for kind in {m.kind for m in mutants}}
    return sorted(mutants, key=lambda m: (m.kind != "limit", counts[m.kind], m.kind))


def all_(root):
    """Both lists, numbered one after the other."""
    both = code(root), rows(root)
    for number, mutant in enumerate([*both[0], *both[1]], 1):
        mutant.number = number
    return both
