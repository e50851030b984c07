"""Weaker rules in isa/hazards.isa: each rule without one of its parts, or with a shorter distance.

A test names the rule that it finds wrong, so one change of each rule is in one build.
"""

import re
from pathlib import Path

import tables

PATH = "isa/hazards.isa"
KINDS = ("rule", "side", "condition", "operand", "overlap", "end", "distance")


def without(parts, glue):
    """The text of some parts, without each of them in turn."""
    return [glue.join(parts[:i] + parts[i + 1 :]) for i in range(len(parts))] if len(parts) > 1 else []


def of_side(text):
    """Changes of a rule's producer or consumer: (kind, the new text)."""
    sides = text.split(" or ")
    for new in without(sides, " or "):
        yield "side", new
    for i, side in enumerate(sides):
        def put(new):
            return " or ".join(sides[:i] + [new] + sides[i + 1 :])

        match = re.fullmatch(r"(\S+)((?: if .*?)?)((?: [rw]+:\S+)?)((?: then .*)?)", side)
        kind, if_, operand, then = match.groups()
        # Each of the steps that have to come between, and what is special about one.
        steps = re.findall(r" then (?:(?! then ).)+", then)
        for new in dict.fromkeys(without(steps, "") or ([""] if steps else [])):
            yield "condition", put(kind + if_ + operand + new)
        if " then directly " in then:
            yield "condition", put(kind + if_ + operand + then.replace(" then directly ", " then "))
        if match := re.search(r" within (\d+)", then):
            yield "distance", put(kind + if_ + operand + then.replace(match.group(), f" within {int(match.group(1)) - 1}"))
        if if_:
            conditions = if_[len(" if ") :].split(" & ")
            for rest in without(conditions, " & ") or [""]:
                yield "condition", put(kind + (" if " + rest if rest else "") + operand + then)
        for new in {re.sub(r"@\S+", "", operand), re.sub(r"[<>]\d+", "", operand)} - {operand}:
            yield "operand", put(kind + if_ + new + then)
        # One half of the access is left, then one half of the files or fields.
        access, _, rest = operand.partition(":")
        if access == " rw":
            yield "operand", put(kind + if_ + " r:" + rest + then)
            yield "operand", put(kind + if_ + " w:" + rest + then)
        files, at, fields = rest.partition("@")
        for new in without(files.split(","), ","):
            yield "operand", put(kind + if_ + f"{access}:{new}{at}{fields}" + then)
        for new in without(fields.split(","), ","):
            yield "operand", put(kind + if_ + f"{access}:{files}{at}{new}" + then)


def of_rule(line):
    """Changes of a rule: (kind, the new line)."""
    body, semicolon, text = line.partition(";")
    cells = [cell.strip() for cell in body.split("|")]

    def put(n, new):
        return " | ".join(cells[:n] + [new] + cells[n + 1 :]) + " ;" + text

    yield "rule", ""
    for n in (1, 2):
        for kind, new in of_side(cells[n]):
            yield kind, put(n, new)
    words = cells[3].split()
    if words != ["-"]:
        for i in range(1, len(words)):
            yield "overlap", put(3, " ".join(words[:i] + words[i + 1 :]))
        if words[0] in ("same", "other"):
            yield "overlap", put(3, " ".join(["share", *words[1:]]))
    if cells[4] != "-":
        for new in without(cells[4].split(" or "), " or ") or ["-"]:
            yield "end", put(4, new)
        for match in re.finditer(r"0x[0-9a-f]+", cells[4]):
            value = int(match.group(), 16)
            yield "end", put(4, cells[4][: match.start()] + hex(value & value - 1 or value << 1) + cells[4][match.end() :])
    unit, *distances = cells[6].split()
    if unit != "event":
        for i, distance in enumerate(distances):
            for match in re.finditer(r"(?<=[=/+,:])\d+(?!:)", distance):
                if int(match.group()) > 0:
                    less = distance[: match.start()] + str(int(match.group()) - 1) + distance[match.end() :]
                    yield "distance", put(6, " ".join([unit, *distances[:i], less, *distances[i + 1 :]]))


def all_(root):
    """All changes of all rules, numbered."""
    mutants, in_rules = [], False
    for number, line in enumerate(Path(root, PATH).read_text().splitlines(), 1):
        in_rules = in_rules or line == "rules"
        if in_rules and line.count("|") == 6 and not line.startswith("#"):
            id_ = line.split(" ")[0]
            for kind, new in dict.fromkeys(of_rule(line)):
                if new != line:
                    mutants.append(tables.Mutant(PATH, number, kind, line, new, [id_], False))
    for number, mutant in enumerate(mutants, 1):
        mutant.number = number
    return mutants


def changed(mutant):
    """A short description of a change."""
    if not mutant.after:
        return f"{mutant.names[0]} is gone"
    before, after = (re.split(r" \| |;", text) for text in (mutant.before, mutant.after))
    cells = [f"{old.strip()} -> {new.strip()}" for old, new in zip(before, after) if old.strip() != new.strip()]
    return f"{mutant.names[0]}: {'; '.join(cells)}"
