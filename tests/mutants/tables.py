"""Small wrong changes of the tables in isa/.

Most change one row of one operation, so that a test's output tells which of many changes it has found: many are built
at once. Changes that affect many rows are built alone.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

KINDS = ("opcode", "name", "operand", "width", "type", "access", "modifier", "implicit", "flag", "counter",
         "enum name", "enum value", "code", "field", "rule", "target")
REGISTERS = ["scc", "vcc", "exec", "m0", "mode", "flat_scr", "xnack", "trapsts"]
FLAGS = ["commute", "fpexcept", "load", "store", "atomic", "effects", "convergent", "terminator", "branch", "trans",
         "packed", "dot", "compare", "barrier"]
COUNTERS = ["vmcnt", "expcnt", "lgkmcnt", "vscnt", "loadcnt", "storecnt", "samplecnt", "bvhcnt", "dscnt", "kmcnt"]
OPERAND = re.compile(r"^([a-z0-9_]+(?:\.[a-z0-9_]+)?)([=:&])((?:pk_)?b?[bif]?f?\d+\S*|lanes\S*)$")


@dataclass
class Mutant:
    path: str
    line: int  # from 1
    kind: str
    before: str
    after: str
    names: list = field(default_factory=list)  # by which a test's output tells it
    shared: bool = False  # many operations are affected
    number: int = 0

    def key(self):
        squeeze = lambda s: " ".join(s.split())
        return f"{self.path} | {squeeze(self.before)} | {squeeze(self.after)}"


def has_no_type(row):
    """Whether a row has a data type that the library lacks: the generated source does not compile."""
    widths = re.findall(r"[=:&](?:pk_)?(?:f|i|bf)(\d+)", row.split("|")[1]) if row.count("|") == 4 else []
    return any(width not in ("8", "16", "32", "64") for width in widths)


def row_changes(cells, rng):
    """Changes of an operation's row: (kind, the new cells)."""
    name, operands, implicit, flags, opcodes = cells

    def with_(n, tokens):
        new = list(cells)
        new[n] = " ".join(tokens)
        return new

    numbers = opcodes.split()
    for i, cell in enumerate(numbers):
        match = re.fullmatch(r"([^=]+=)?(\d+)(.*)", cell)
        if match:
            new = max(0, int(match[2]) + rng.choice([1, -1, 2, 4]))
            yield "opcode", with_(4, numbers[:i] + [f"{match[1] or ''}{new}{match[3]}"] + numbers[i + 1 :])
        if ":" in cell:
            yield "name", with_(4, numbers[:i] + [cell + "x"] + numbers[i + 1 :])
        if cell.endswith("=-") or i > 0:
            yield "opcode", with_(4, numbers[:i] + numbers[i + 1 :])
    yield "name", [name + "x", *cells[1:]]

    tokens = operands.split()
    places = [i for i, t in enumerate(tokens) if OPERAND.match(t)]
    for i in places:
        field_, access, kind = OPERAND.match(tokens[i]).groups()

        def put(text):
            return with_(1, tokens[:i] + [text] + tokens[i + 1 :])

        for other in {"=": ["&", ":"], ":": ["&", "="], "&": ["=", ":"]}[access]:
            yield "access", put(f"{field_}{other}{kind}")
        if kind.endswith("@rtn"):
            yield "access", put(tokens[i][:-4])
        elif "&gfx" in kind:
            yield "access", put(f"{field_}{access}{kind.split('&')[0]}")
        width = re.search(r"\d+", kind)
        if width:
            for new in {"16": ["32"], "32": ["64", "16"], "64": ["32", "96"], "96": ["64", "128"],
                        "128": ["64", "256"]}.get(width.group(), ["32"]):
                yield "width", put(f"{field_}{access}{kind[: width.start()]}{new}{kind[width.end() :]}")
        for old, new in (("pk_f", "pk_i"), ("pk_i", "pk_f"), ("f", "i"), ("i", "f"), ("b", "f"), ("b", "i")):
            if re.match(old + r"\d", kind):
                yield "type", put(f"{field_}{access}{new}{kind[len(old) :]}")
        if "." in field_:
            yield "operand", put(f"{field_.split('.')[0]}{access}{kind}")
        yield "operand", with_(1, tokens[:i] + tokens[i + 1 :])
        if i + 1 in places:
            yield "operand", with_(1, tokens[:i] + [tokens[i + 1], tokens[i]] + tokens[i + 2 :])
    for i, token in enumerate(tokens):
        if i not in places:
            yield "modifier", with_(1, tokens[:i] + tokens[i + 1 :])
            other = {"F2": "C", "C": "N", "N": "C", "F3": "N", "sdwa:FFO": "sdwa:FF", "sdwa:II": "sdwa:FF",
                     "dpp:NN": "dpp:FF", "dpp:FF": "dpp:NN", "vop3a:F2": "vop3a:N", "vop3a:N": "vop3a:C",
                     "vop3a:C": "vop3a:N"}.get(token)
            if other:
                yield "modifier", with_(1, tokens[:i] + [other] + tokens[i + 1 :])
            if "[" in token and re.search(r"\[\d", token):
                digit = re.search(r"\[(\d)", token)
                new = token[: digit.start(1)] + str((int(digit[1]) + 1) % 4) + token[digit.end(1) :]
                yield "modifier", with_(1, tokens[:i] + [new] + tokens[i + 1 :])

    tokens = implicit.split()
    for i, token in enumerate(tokens):
        yield "implicit", with_(2, tokens[:i] + tokens[i + 1 :])
        mode, register = token.split(":", 1)
        yield "implicit", with_(2, tokens[:i] + [("w:" if mode == "r" else "r:") + register] + tokens[i + 1 :])
        if register in REGISTERS:
            other = rng.choice([r for r in REGISTERS if r != register])
            yield "implicit", with_(2, tokens[:i] + [f"{mode}:{other}"] + tokens[i + 1 :])
    added = rng.choice(["r:", "w:"]) + rng.choice(REGISTERS[:5])
    if added not in tokens:
        yield "implicit", with_(2, [*tokens, added])

    tokens = flags.split()
    for i, token in enumerate(tokens):
        kind = "counter" if token.lstrip("-") in COUNTERS else "flag"
        yield kind, with_(3, tokens[:i] + tokens[i + 1 :])
    added = rng.choice([f for f in FLAGS if f not in tokens])
    yield "flag", with_(3, [*tokens, added])
    added = rng.choice(COUNTERS[:4])
    if added not in tokens:
        yield "counter", with_(3, [*tokens, added])


def bumped(text, rng):
    """The text with one of its numbers changed by one."""
    numbers = [m for m in re.finditer(r"(?<![\w.])\d+(?![\w.])|(?<==)\d+|(?<=-)\d+|(?<=,)\d+", text)]
    if not numbers:
        return None
    number = rng.choice(numbers)
    value = int(number.group()) + (rng.choice([1, -1]) if int(number.group()) else 1)
    return text[: number.start()] + str(value) + text[number.end() :]


def line_changes(path, line, rng, section):
    """Changes of a statement: (kind, the new line, names, shared)."""
    body, hash_, comment = line.partition("#")
    tail = hash_ + comment
    words = body.split()
    if not words:
        return
    first = words[0]
    if first == "value" and section == "enum":
        name, rest = words[1], body.split(None, 2)[2]
        yield "enum name", f"value {name}X {rest}{tail}", [name], False
        new = bumped(rest, rng)
        if new:
            yield "enum value", f"value {name} {new}{tail}", [name], False
        cells = rest.split()
        if len(cells) > 1:
            yield "enum value", f"value {name} {' '.join(cells[:-1])}{tail}", [name], False
    elif first == "value":
        new = bumped(" ".join(words[2:]), rng)
        if new:
            yield "rule", f"value {words[1]} {new}{tail}", [words[1]], True
    elif first == "registers":
        i = rng.randrange(2, len(words))
        words[i] = str(int(words[i]) + 1)
        yield "rule", " ".join(words), [words[1]], True
    elif first == "code":
        cells = " ".join(words[4:])
        new = bumped(cells, rng)
        if new:
            yield "code", " ".join([*words[:4], new]), [words[1]], True
        other = rng.choice([c for c in ("sys", "ro", "int", "sgpr", "exec") if c != words[3]])
        yield "code", " ".join([*words[:3], other, cells]), [words[1]], True
        if words[2] not in "-*":
            yield "code", " ".join([*words[:2], "-", *words[3:]]), [words[1]], True
        if len(words) > 5:
            yield "code", " ".join(words[:-1]), [words[1]], True
    elif first == "type":
        takes = words[5].split(",")
        if len(takes) > 1:
            i = rng.randrange(len(takes))
            yield "rule", " ".join([*words[:5], ",".join(takes[:i] + takes[i + 1 :]), *words[6:]]), [words[1]], True
        classes = ["sgpr", "sys", "ttmp", "m0", "exec", "int", "ro", "float", "literal", "lds", "vgpr", "off"]
        missing = [c for c in classes if c not in takes]
        if missing and "sgpr" in takes:
            yield "rule", " ".join([*words[:5], ",".join([*takes, rng.choice(missing)]), *words[6:]]), [words[1]], True
        if words[6] != "-":
            yield "rule", " ".join([*words[:6], "-"]), [words[1]], True
        yield "rule", " ".join([*words[:3], str(256 - int(words[3])) if words[3] in ("0", "256") else "0", *words[4:]]), [words[1]], True
    elif first == "field":
        before, semi, after = body.partition(";")
        words = before.split()
        new = bumped(" ".join(words[3:]), rng)
        if new:
            yield "field", " ".join([*words[:3], new, semi + after]), [words[1]], True
        policy = words[2][:-1] if words[2].endswith("~") else words[2] + "~"
        if words[2] not in ("enc", "op"):
            yield "field", " ".join([*words[:2], policy, *words[3:], semi + after]), [words[1]], True
        if len(words) > 4:
            yield "field", " ".join([*words[:-1], semi + after]), [words[1]], True
    elif first == "macro" and len(words) > 3:
        i = rng.randrange(3, len(words))
        yield "rule", " ".join(words[:i] + words[i + 1 :]), [words[1]], True
    elif first in ("reads", "literal", "extend", "counts", "counter", "when", "always", "takes", "replace", "half", "bare"):
        kind = "counter" if first in ("counts", "counter", "when") else "rule"
        yield kind, "", words, True
        new = bumped(" ".join(words[1:]), rng)
        if new:
            yield kind, f"{first} {new}", words, True
        if len(words) > 2:
            i = rng.randrange(2, len(words))
            yield kind, " ".join(words[:i] + words[i + 1 :]), words, True
    elif first in ("default", "neutral", "align", "swaps", "succeeds", "bus"):
        new = bumped(" ".join(words[1:]), rng) if first in ("default", "neutral", "align") else None
        yield "rule", f"{first} {new}" if new else "", words[1:], True
    elif first == "target":
        generation = words[2]
        i = rng.randrange(4, len(words)) if len(words) > 4 else None
        if i and words[i][0] not in "+-":
            yield "target", " ".join(words[:i] + words[i + 1 :]), [words[i]], False
        machs = words[3].split(",")
        j = rng.randrange(len(machs))
        wrong = machs[:j] + [f"0x{int(machs[j], 0) + 0x60:03x}"] + machs[j + 1 :]
        yield "target", " ".join([*words[:3], ",".join(wrong), *words[4:]]), [words[1]], False
        traits = [w for w in words[4:] if w[0] == "+"]
        if traits:
            gone = rng.choice(traits)
            yield "target", " ".join(w for w in words if w != gone), [words[1]], True
        assert generation
    elif first == "gen":
        for i, word in enumerate(words):
            if word.startswith(("bus=", "waves=")):
                yield "rule", " ".join(words[:i] + [bumped(word, rng)] + words[i + 1 :]), [words[1]], True
            elif word.startswith("+"):
                yield "rule", " ".join(words[:i] + words[i + 1 :]), [words[1]], True


def everything(root, rng):
    """All changes of all tables, by kind; of each row a random one of each kind."""
    found = {kind: [] for kind in KINDS}
    for path in sorted(Path(root, "isa").glob("*.isa")):
        name = path.relative_to(root).as_posix()
        section = None
        in_rows = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith(("enum ", "bits ")):
                section = line.split()[0]
            if line.strip() == "ops":
                in_rows = True
                continue
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            own = {}
            if in_rows:
                text, hash_, comment = line.partition("#")
                cells = [c.strip() for c in text.split("|")]
                if len(cells) != 5:
                    continue
                names = [cells[0]] + re.findall(r"\d:(\w+)", cells[4])
                for kind, new in row_changes(cells, rng):
                    own.setdefault(kind, []).append((" | ".join(new), names, False))
            else:
                for kind, new, names, shared in line_changes(name, line, rng, section):
                    own.setdefault(kind, []).append((new, names, shared))
            for kind, list_ in own.items():
                new, names, shared = rng.choice(list_)
                found[kind].append(Mutant(name, number, kind, line, new, names, shared))
    return found


def draw(root, count, rng):
    found = everything(root, rng)
    total = {kind: len(list_) for kind, list_ in found.items()}
    for list_ in found.values():
        rng.shuffle(list_)
    drawn = []
    while len(drawn) < count and any(found.values()):
        for kind in KINDS:
            if found[kind] and len(drawn) < count:
                drawn.append(found[kind].pop())
    for number, mutant in enumerate(drawn):
        mutant.number = number + 1
    return drawn, total


def apply(root, tree, mutants):
    """Writes the tables with these changes into a copy of the tree."""
    by_path = {}
    for mutant in mutants:
        by_path.setdefault(mutant.path, {})[mutant.line] = mutant.after
    for path in Path(root, "isa").glob("*.isa"):
        name = path.relative_to(root).as_posix()
        lines = path.read_text().splitlines(keepends=True)
        for line, after in by_path.get(name, {}).items():
            lines[line - 1] = after + "\n"
        text = "".join(lines)
        target = Path(tree, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
