#!/usr/bin/env python3
"""Makes small wrong changes, one at a time, and reports those that no test notices.

    tests/mutants/run.py code  --count 300 --seed 16
    tests/mutants/run.py tables --count 300 --seed 16
    tests/mutants/run.py limits --few 2
    tests/mutants/run.py hazards --count 100 --seed 16

`limits` draws nothing: it changes each limit of the tables and each bound of the code to the numbers beside it, limits also by a factor
of two. `--list` shows all of them with their numbers. `--targets` and `--programs` try the bounds with some targets and
programs of tests, which finds most of the noticed changes in a fraction of the time; the others have to meet all tests.

`hazards` draws from all parts that could be removed from a rule in isa/hazards.isa: the rule, an alternative, a condition, an end, a wait
state. Only the tests of hazards have to notice it.

The tests are those of the README's command. README.md explains the output.
"""

import argparse
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True  # nothing in the working tree
import hazards
import limits
import rust
import suite
import tables

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


def equivalents():
    """The changes that change nothing, with the reasons."""
    found = {}
    for line in (HERE / "equivalent.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            key, reason = line.rsplit(" || ", 1)
            found[key.strip()] = reason.strip()
    return found


def say(text):
    print(text, flush=True)


def code(options, work):
    rng = random.Random(options.seed)
    # Some changes do not compile.
    drawn, total = rust.draw(ROOT, options.count * 3 // 2 + 20, rng)
    say(f"{sum(total.values())} possible changes of the code: {total}")
    return in_one_build(options, work, drawn, options.count)


def in_one_build(options, work, drawn, count):
    """Tries these changes of the code, at most so many of them. Returns the survivors and how many were tried."""
    tree, target = work / "code", work / "target"
    if options.targets or options.programs:
        tree, target = work / "code-few", work / "target-code-few"
    command = Few.COMMAND if options.targets else suite.COMMAND
    env = {"RUSTC_BOOTSTRAP": "amdgpu_isa", "AMDGPU_ISA_WORDS": str(options.words)}
    # A change that did not compile the last time will not compile now.
    memory = work / "compiles.json"
    digest = hashlib.sha256("".join(m.key() for m in drawn).encode()).hexdigest()
    said = json.loads(memory.read_text()).get(digest, []) if memory.exists() else []
    kept = [m for m in drawn if m.number not in said]
    suite.copy(ROOT, tree, keep=rust.ROOTS + rust.OF_GENERATOR)
    if options.targets:
        only_targets(tree, options.targets)
    for attempt in range(20):
        lines = rust.write(ROOT, tree, kept)
        check = ["check", *(word for word in command[2:] if word != "--release")]
        good, messages, said = suite.cargo(tree, target, check, env)
        bad, live = set(), set()
        for message in (m["message"] for m in messages if m.get("reason") == "compiler-message"):
            code_ = (message.get("code") or {}).get("code")
            spans = list(message["spans"])
            for span in spans:
                expansion = span.get("expansion")
                if expansion:
                    spans.append(expansion["span"])
            of = set()
            for span in spans:
                # The generator's files are there as `build/../src/...`.
                path = os.path.normpath(span["file_name"])
                own = [lines.get(path, {}).get(n, set()) for n in range(span["line_start"], span["line_end"] + 1)]
                primary = min((o for o in own if o), key=len, default=set())
                if span["is_primary"] or message["level"] == "error":
                    of |= primary
            if message["level"] == "error":
                if spans and not of:
                    say(message["rendered"])
                bad |= of
            elif code_ == "deprecated":
                live |= {n for n in of}
        if good:
            break
        if not bad:
            say(said)
            sys.exit("the copy does not compile")
        kept = [m for m in kept if m.number not in bad]
        say(f"  {len(bad)} do not compile")
    memory.write_text(json.dumps({digest: [m.number for m in drawn if m not in kept]}))
    mutants = [m for m in kept if m.number in live]
    say(f"{len(mutants)} changes in one build; {len(kept) - len(live)} are not compiled with these features")
    built = suite.Suite(tree, target, env, options.programs, command)
    while options.targets and (unfit := re.findall(r'could not compile `[^`]*` \(test "(\w+)"\)', built.said)):
        say(f"these name a target that is not there: {', '.join(unfit)}")
        options.programs = [name for name in options.programs if name not in unfit]
        built = suite.Suite(tree, target, env, options.programs, command)
    if not built.good:
        sys.exit("\n".join(m["rendered"] for m in built.errors if m["level"] == "error") + built.said)
    known = equivalents()
    equivalent = [m for m in mutants if m.key() in known]
    mutants = [m for m in mutants if m.key() not in known][:count]
    if options.only:
        by_number = {m.number: m for m in mutants}
        mutants = [by_number[n] for n in options.only if n in by_number]
    built.measure(options.skip, options.limit, options.jobs, not options.targets and not options.programs)
    if built.complaints:
        say("\n".join(f"{unit} fails without any change, and is left out:\n{out[-1000:]}" for unit, out in built.complaints.items()))
    slow = [" ".join(unit) for unit in built.slow]
    say(f"{len(equivalent)} more are equivalent; {len(built.units)} tests take {sum(built.seconds.values()):.0f} s")
    say(f"left out, as they take longer than {options.limit} s: {', '.join(slow + options.skip) or 'none'}")
    tried = {m.number: set() for m in mutants}

    def attempt(mutant, most):
        started = time.time()
        failure = built.failure(mutant.number, most, tried[mutant.number])
        name, seconds = failure or ("passes" if most < 1e6 else "SURVIVES"), time.time() - started
        say(f"{mutant.number}\t{mutant.kind}\t{name}\t{seconds:.0f} s\t{mutant.path}:{mutant.line}\t{mutant.key()}")
        return failure

    # Changes that the first tests do not notice wait for the others, until all changes have met the first tests.
    left = mutants
    for most in (options.first, 1e9):
        with ThreadPoolExecutor(options.jobs) as pool:
            left = [m for m, failure in zip(left, pool.map(lambda m: attempt(m, most), left)) if failure is None]
        say(f"-- {len(mutants) - len(left)} of {len(mutants)} are caught")
    return [m.key() for m in left], len(mutants)


def only_targets(tree, targets):
    """Leaves a copy of the tree only these targets."""
    manifest = Path(tree, "Cargo.toml")
    names = ", ".join(f'"{target}"' for target in targets)
    manifest.write_text(re.sub(r"(?m)^all-targets = .*", f"all-targets = [{names}]", manifest.read_text()))


def generator(work):
    """The generator of the tables as a program, optimized."""
    program = work / "generate"
    sources = [ROOT / "build.rs", *(ROOT / "src/kind").rglob("*.rs"), ROOT / "src/shared.rs", *(ROOT / "build").rglob("*.rs")]
    if program.exists() and all(path.stat().st_mtime < program.stat().st_mtime for path in sources):
        return program
    subprocess.run(["rustc", "--edition", "2024", "-O", ROOT / "build.rs", "-o", program], cwd=ROOT, check=True,
                   stderr=subprocess.DEVNULL)
    return program


def generate(program, tree, out, targets=()):
    """The source that the generator makes of a tree's tables for all targets or some, or None and its message."""
    manifest = (ROOT / "Cargo.toml").read_text()
    targets = targets or re.search(r"all-targets = \[(.*)\]", manifest)[1].replace('"', "").split(", ")
    features = [*targets, "text", "fast"]
    out.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "OUT_DIR": str(out)}
    env |= {f"CARGO_FEATURE_{name.upper().replace('-', '_')}": "1" for name in features}
    done = subprocess.run([program], cwd=tree, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in out.iterdir()}, ""


def screened(options, work):
    """Drawn changes of tables, as `accepted` sorts them."""
    drawn, total = tables.draw(ROOT, options.count * 3, random.Random(options.seed))
    say(f"{sum(total.values())} possible changes of isa/, of each row one of each kind: {total}")
    return accepted(options, work, drawn, options.count, "screened.json")


def accepted(options, work, drawn, count, remembered):
    """Changes of tables that the build accepts, those that it refuses, and those that it generates the same source for, which are
    no changes."""
    program = generator(work)
    # The generator takes two seconds for all targets; these targets show most changes.
    some = ("gfx600", "gfx942", "gfx1100", "gfx1250")
    plain, message = generate(program, ROOT, work / "generated/0")
    plain_some, _ = generate(program, ROOT, work / "generated/some", some)
    assert plain and plain_some, message
    # The generator's output for a change is kept for the next run.
    digest = hashlib.sha256(repr(sorted(plain.items())).encode()).hexdigest()
    memory = work / remembered
    known_ = json.loads(memory.read_text()) if memory.exists() else {}
    said = known_.get(digest, {})

    def screen(mutant):
        if mutant.key() in said:
            return said[mutant.key()]
        tree, out = work / f"screen/{mutant.number}", work / f"generated/{mutant.number}"
        tables.apply(ROOT, tree, [mutant])
        source, message = generate(program, tree, out, some)
        if source is not None and source == plain_some:
            source, message = generate(program, tree, out)
        if source is not None and source == plain:
            message = "nothing"
        elif source is not None:
            message = ""
        shutil.rmtree(tree)
        shutil.rmtree(out, ignore_errors=True)
        said[mutant.key()] = message
        return message

    known = equivalents()
    left, refused, same = [], [], []
    with ThreadPoolExecutor(options.jobs) as pool:
        at = 0
        while at < len(drawn) and len(left) + len(refused) < count:
            next_ = drawn[at : at + count - len(left) - len(refused)]
            at += len(next_)
            for mutant, message in zip(next_, pool.map(screen, next_)):
                if message == "nothing" or mutant.key() in known:
                    same.append(mutant)
                elif message or tables.has_no_type(mutant.after):
                    refused.append(mutant)
                else:
                    left.append(mutant)
    memory.write_text(json.dumps({digest: said}))
    say(f"{len(refused)} the build refuses, {len(left)} it accepts; {len(same)} more change nothing")
    return left, refused, same


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def named_in(mutants, text):
    """The changes whose operation or name a text has."""
    words = set(re.findall(r"\w+", text))
    words |= {re.sub(r"(_e32|_e64|_dpp|_sdwa)+$", "", word) for word in words}
    return [m for m in mutants if any(n in words or camel(n) in words or words & {n + "x", n + "X"} for n in m.names)]


# Programs that notice most changes of the tables, and name them.
FIRST = ("library", "codec", "llvm")


class Batches:
    """Many changes of tables in one build, of which the output of the tests names those that it has found."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.tree, self.target = work / "tables", work / "target-tables"
        # The first programs, with a sample of LLVM's words and all that differs in the output; then all there are.
        self.only, self.env = FIRST, {"AMDGPU_ISA_WORDS": str(options.words), "AMDGPU_ISA_GROUPS": "1000"}

    def build(self, mutants):
        suite.copy(ROOT, self.tree, keep="isa/")
        tables.apply(ROOT, self.tree, mutants)
        return suite.Suite(self.tree, self.target, self.env, self.only)

    def round(self, mutants):
        """Builds these together. Returns those found with the test that names them, and whether anything failed."""
        found, left = {}, list(mutants)
        while True:
            built = self.build(left)
            if built.good:
                break
            text = "\n".join(m["rendered"] for m in built.errors if m["level"] == "error") + built.said
            named = named_in(left, text)
            if not named:
                say(text[-3000:])
                if len(left) == 1:
                    return {left[0].number: {"the compiler"}}, True
                return found, True
            for mutant in named:
                found[mutant.number] = {"the compiler"}
            left = [m for m in left if m.number not in found]

        def run(name):
            passed, out, _ = built.run(name, 0, 1800)
            return name, passed, out

        failed = bool(found)
        with ThreadPoolExecutor(self.options.jobs) as pool:
            for name, passed, out in pool.map(run, sorted(built.programs)):
                if passed:
                    continue
                failed = True
                (self.work / f"failed-{name}.txt").write_text(out)
                # The result of each of its tests.
                parts = re.split(r"(?m)^---- (\S+) stdout ----$", out)
                sections = list(zip(parts[1::2], parts[2::2])) or [("", out)]
                for test, text in sections:
                    # The classes of differences that some tests list are left out.
                    lines = [line for line in text.splitlines() if not re.match(r" *\d+ [\w-]+: ", line)]
                    for mutant in named_in(left, "\n".join(lines)):
                        found.setdefault(mutant.number, set()).add(f"{name} {test}".strip())
                if len(left) == 1:
                    found.setdefault(left[0].number, set()).add(name)
        return found, failed or not self.only and not built.run("doc", 0, 1800)[0]


class Few:
    """One change of the tables in builds of single targets that it changes: a tenth of the time. A change that is noticed there
    is noticed with all targets, too; other changes have to meet them."""

    # The tests that do not name targets: first the one that notices most, which is built alone, then the others.
    PROGRAMS = (("llvm",), ("codec",))
    COMMAND = ["cargo", "test", "--release", "--no-default-features", "--features", "text,fast,alloc,all-targets"]
    # One target of each generation comes first.
    CHOICE = ("gfx942", "gfx1100-wave32", "gfx1250", "gfx1030-wave32", "gfx900", "gfx1200-wave32", "gfx600", "gfx803")

    def __init__(self, options, work):
        self.work, self.tree, self.target = work, work / "few", work / "target-few"
        self.env = {"AMDGPU_ISA_WORDS": str(options.words), "AMDGPU_ISA_JOBS": str(options.jobs)}
        self.program, self.most, self.plain, self.passing = generator(work), options.few, {}, {}
        others = re.search(r"all-targets = \[(.*)\]", (ROOT / "Cargo.toml").read_text())[1].replace('"', "").split(", ")
        self.targets = [*self.CHOICE, *(t for t in others if t not in self.CHOICE and t + "-wave32" not in self.CHOICE)]

    def changed(self, mutant):
        """The targets whose generated source the change alters."""
        tree = self.work / "screen/few"
        tables.apply(ROOT, tree, [mutant])
        for target in self.targets:
            if target not in self.plain:
                self.plain[target], _ = generate(self.program, ROOT, self.work / "generated/plain", (target,))
            source, _ = generate(self.program, tree, self.work / "generated/few", (target,))
            if source not in (None, self.plain[target]):
                yield target

    def build(self, mutants, target, programs):
        suite.copy(ROOT, self.tree, keep="isa/")
        tables.apply(ROOT, self.tree, mutants)
        only_targets(self.tree, [target])
        return suite.Suite(self.tree, self.target, self.env, programs, self.COMMAND)

    def failure(self, mutant):
        """The first test that fails, of those that pass without the change, and its target."""
        for target in itertools.islice(self.changed(mutant), self.most):
            for programs in self.PROGRAMS:
                if (target, programs) not in self.passing:
                    self.passing[target, programs] = self.pass_without(target, programs)
                built = self.build([mutant], target, programs)
                if not built.good:
                    return f"{target}: the compiler"
                for program, test in self.passing[target, programs]:
                    if not built.run(program, 0, 600, test)[0]:
                        return f"{target}: {program} {test}"
            say(f"{mutant.number}\tpasses with {target}")
        return None

    def pass_without(self, target, programs):
        """The tests that pass with one target and no change."""
        built = self.build([], target, programs)
        assert built.good, built.said
        units = [unit for name in programs for unit in built.tests(name)]
        passing = [unit for unit in units if built.run(unit[0], 0, 600, unit[1])[0]]
        left_out = [" ".join(unit) for unit in units if unit not in passing]
        say(f"with {target} alone these fail without any change: {', '.join(left_out) or 'none'}")
        return passing


def apart(mutants, most):
    """Batches in which no two changes are of one row or have a name in common."""
    batches = []
    for mutant in mutants:
        place = (mutant.path, mutant.line)
        for batch, places, names in batches:
            if len(batch) < most and place not in places and not names & set(mutant.names):
                break
        else:
            batch, places, names = [], set(), set()
            batches.append((batch, places, names))
        batch.append(mutant)
        places.add(place)
        names.update(mutant.names)
    return [batch for batch, *_ in batches]


def table_changes(options, work):
    left, refused, _ = screened(options, work)
    return in_builds(options, work, left, refused)


def in_builds(options, work, left, refused):
    """Tries these changes of the tables. Returns the survivors and how many there were."""
    if options.rows:
        left = [m for m in left if not m.shared]
    elif options.shared:
        left = [m for m in left if m.shared]
    if options.only:
        left = [m for m in left if m.number in options.only]
    if options.list:
        for mutant in left:
            say(f"{mutant.number}\t{mutant.kind}\t{'shared' if mutant.shared else 'row'}\t{mutant.key()}")
        sys.exit()
    builds = Batches(options, work)
    count = len(left) + (0 if options.rows or options.shared else len(refused))

    def tell(mutants, found, otherwise):
        for m in mutants:
            tests = ", ".join(sorted(found[m.number])) if m.number in found else otherwise
            say(f"{m.number}\t{m.kind}\t{tests}\t{m.key()}")

    def rounds(left, all_):
        """The changes that no test notices. Changes are together as long as the output names some of them, and then alone."""
        together = apart([m for m in left if not m.shared], options.batch)
        alone, survivors = [m for m in left if m.shared], []
        while together or alone:
            batch = together.pop(0) if together else [alone.pop(0)]
            found, failed = builds.round(batch)
            rest = [m for m in batch if m.number not in found]
            tell([m for m in batch if m.number in found], found, "")
            if not failed or not all_ and not found:
                tell(rest, found, "SURVIVES" if all_ else "passes the first programs")
                survivors += rest
            elif len(batch) == 1:
                tell(rest, found, "something that names no test")
            elif found:
                together += apart(rest, options.batch)
            else:
                alone += rest
            say(f"-- {len(found)} of {len(batch)} in this build")
        return survivors

    if options.few:
        few, rest = Few(options, work), []
        for mutant in left:
            failure = few.failure(mutant)
            say(f"{mutant.number}\t{mutant.kind}\t{failure or 'passes with few targets'}\t{mutant.key()}")
            rest += [mutant] if failure is None else []
        left = rest
    left = rounds(left, False)
    builds.only, builds.env = (), {"AMDGPU_ISA_GROUPS": "1000"}
    return [m.key() for m in rounds(left, True)], count


def limit_changes(options, work):
    """Each limit of the tables and each bound of the code."""
    bounds, rows = limits.all_(ROOT)
    say(f"{len(bounds)} changes of bounds in src/, {len(rows)} of limits in isa/")
    if options.list:
        for mutant in [*bounds, *rows]:
            say(f"{mutant.number}\t{mutant.kind}\t{mutant.path}:{mutant.line}\t{mutant.key()}")
        sys.exit()
    if options.only:
        bounds, rows = ([m for m in list_ if m.number in options.only] for list_ in (bounds, rows))
    survivors, count = in_one_build(options, work, bounds, len(bounds)) if bounds else ([], 0)
    if rows:
        left, refused, same = accepted(options, work, rows, len(rows), "screened-limits.json")
        for mutant in same:
            say(f"{mutant.number}\t{mutant.kind}\tis equivalent\t{mutant.key()}")
        more, tried = in_builds(options, work, left, refused)
        survivors, count = survivors + more, count + tried
    return survivors, count


class Rules:
    """Changes of rules: all of them in one build of the tests of hazards, with a few targets. The library has the tables of each batch
    of changes beside each other, and a variable of the environment chooses one. No two rules of a batch have one number (F26 and
    F26w do), so that what a test says tells which of them it has found."""

    TARGETS = ("gfx600", "gfx700", "gfx803", "gfx810", "gfx900", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010-wave32",
               "gfx1030-wave32", "gfx1100", "gfx1150", "gfx1200-wave32", "gfx1250", "gfx1251", "gfx12-5-generic")
    MODULES = ("hazards",)
    # These ask LLVM, whatever the rules are, or would be the same with any.
    SKIPPED = ("llvm_inserts", "each_row_has", "rules_can_be_listed")
    COMMAND = ["cargo", "test", "--release", "--no-default-features", "--features", "text,alloc,all-targets"]
    MODULE = r"(?ms)^pub\(crate\) mod (\w+) \{$"
    STATIC = r"^pub\(crate\) static HAZARDS: HazardTables = .*?;$|^pub\(crate\) use super::(\w+)::HAZARDS;$"
    RULES = re.compile(r"(?ms)^pub\(crate\) static HAZARD_RULES: \[RuleInfo; \d+\] = (\[.*?^\]);$")
    CHOICE = """
extern crate std;
pub(crate) fn chosen() -> usize {
    static CHOSEN: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var("AMDGPU_ISA_RULES").map_or(0, |text| text.parse().unwrap()))
}
"""

    def __init__(self, options, work):
        self.options, self.work, self.tree, self.target = options, work, work / "rules", work / "target-rules"

    def generate(self, mutants):
        """The generated files, and what the generator says to cargo; the message if it refuses the tables."""
        tree, out = self.work / "screen/rules", self.work / "generated/rules"
        tables.apply(ROOT, tree, mutants)
        out.mkdir(parents=True, exist_ok=True)
        env = {**os.environ, "OUT_DIR": str(out)}
        env |= {f"CARGO_FEATURE_{name.upper().replace('-', '_')}": "1" for name in (*self.TARGETS, "text", "alloc")}
        path = tree / hazards.PATH
        while True:
            done = subprocess.run([generator(self.work)], cwd=tree, env=env, capture_output=True, text=True)
            if done.returncode == 0:
                files = {path.name: path.read_bytes() for path in out.iterdir()}
                # The tables of each target are in a file of their own.
                included = re.compile(rb'(?m)^include!\("(\w+\.rs)"\);$')
                files["tables.rs"] = included.sub(lambda match: files.pop(match[1].decode()), files["tables.rs"])
                return files, done.stdout
            # Words that only the changed rule had, or that it has and no other, are no reason to refuse the change.
            lines = path.read_text().split("\n")
            place = re.search(r"hazards\.isa:(\d+): (?:nothing says what `(.*?)` is called)?", done.stdout)
            line, words = (int(place[1]), place[2]) if place else (0, None)
            unused = mutants and 0 < line <= lines.index("rules") and lines[line - 1]
            if words:
                lines[lines.index("")] = f"called {words} = something"
            elif unused:
                lines[line - 1] = "#"
            else:
                return None, done.stdout + done.stderr
            path.write_text("\n".join(lines))

    def batches(self, mutants):
        """The changes in batches, each with its tables; and those that the build refuses."""
        batches, refused = [], []
        for mutant in mutants:
            number = re.match(r"[A-Z]\d+", mutant.names[0])[0]
            batch = next((b for b in batches if number not in b), None)
            if batch is None:
                batches.append(batch := {})
            batch[number] = mutant
        done = []
        for batch in map(lambda batch: list(batch.values()), batches):
            while batch:
                files, said = self.generate(batch)
                if files:
                    break
                line = re.search(r"hazards\.isa:(\d+)", said)
                bad = [m for m in batch if line and m.line == int(line[1])]
                if not bad:
                    sys.exit(said)
                refused += bad
                batch = [m for m in batch if m not in bad]
            if batch:
                done.append((batch, self.tables(files["tables.rs"].decode()), self.RULES.search(files["tables.rs"].decode())[1]))
        return done, refused

    def tables(self, text):
        """By module, its table of hazards, which can be that of another module."""
        found, module = {}, ""
        for match in re.finditer(self.MODULE + "|" + self.STATIC, text):
            if match[1]:
                module = match[1]
            else:
                found[module] = found[match[2]] if match[2] else sys.intern(match[0])
        return found

    def write(self, batches):
        """Writes the tree whose library has the tables of all batches."""
        files, said = self.generate([])
        base = files["tables.rs"].decode()
        names = re.findall(r"&(\w+)::HAZARDS", files["targets.rs"].decode())
        all_ = [self.tables(base), *(found for _, found, _ in batches)]
        # Each table once: a batch leaves most of them as they are.
        rows, more, known = [], {name: [] for name in names}, {}
        for number, of in enumerate(all_):
            row = []
            for name in names:
                own = f"{name}::HAZARDS" + (f"_{number}" if number else "")
                place = known.setdefault(of[name], own)
                if number and place == own:
                    more[name].append(of[name].replace("static HAZARDS:", f"static HAZARDS_{number}:"))
                row.append("&" + place)
            rows.append(", ".join(row))
        at = [""]

        def with_more(match):
            at[0] = match[1] or at[0]
            return match[0] if match[1] else "\n".join([match[0], *more[at[0]]])

        files["tables.rs"] = re.sub(self.MODULE + "|" + self.STATIC, with_more, base).encode()
        targets = files["targets.rs"].decode()
        rows = ",\n".join(f"[{row}]" for row in rows)
        choice = f"""
pub(crate) struct Choice([[&'static HazardTables; {len(names)}]; {len(all_)}]);
impl core::ops::Index<usize> for Choice {{
    type Output = &'static HazardTables;
    fn index(&self, n: usize) -> &&'static HazardTables {{
        &self.0[crate::table::generated::chosen()][n]
    }}
}}
pub(crate) static HAZARDS: Choice = Choice([{rows}]);
"""
        files["targets.rs"] = re.sub(r"(?m)^pub\(crate\) const HAZARDS: .*$", lambda _: choice, targets).encode()
        lists = [self.RULES.search(base)[1], *(of for *_, of in batches)]
        rules = self.CHOICE + f"""
pub(crate) struct Rules([&'static [RuleInfo]; {len(lists)}]);
impl core::ops::Deref for Rules {{
    type Target = [RuleInfo];
    fn deref(&self) -> &Self::Target {{
        self.0[chosen()]
    }}
}}
pub(crate) static HAZARD_RULES: Rules = Rules([{", ".join("&" + text for text in lists)}]);
"""
        files["tables.rs"] = self.RULES.sub(lambda _: rules, files["tables.rs"].decode()).encode()
        folder = self.work / "rules-generated"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            if not (folder / name).exists() or (folder / name).read_bytes() != content:
                (folder / name).write_bytes(content)
        lines = [line for line in said.splitlines() if line.startswith("cargo") and "rerun-if" not in line]
        printed = "".join(f'    println!("{{}}", {json.dumps(line)});\n' for line in [*lines, f"cargo:rerun-if-changed={folder}"])
        script = f"""fn main() {{
{printed}    for entry in std::fs::read_dir({json.dumps(str(folder))}).unwrap() {{
        let path = entry.unwrap().path();
        std::fs::copy(&path, std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).join(path.file_name().unwrap())).unwrap();
    }}
}}
"""
        manifest = (ROOT / "Cargo.toml").read_text() + '\n[[test]]\nname = "alone"\npath = "tests/alone.rs"\n'
        targets = ", ".join(f'"{target}"' for target in self.TARGETS)
        manifest = re.sub(r"(?m)^all-targets = .*", f"all-targets = [{targets}]", manifest)
        self.tree.mkdir(exist_ok=True)
        for path, text in (("build.rs", script), ("Cargo.toml", manifest)):
            if not (self.tree / path).exists() or (self.tree / path).read_text() != text:
                (self.tree / path).write_text(text)

    def tests(self):
        """Builds the tests."""
        suite.copy(ROOT, self.tree, keep=("build.rs", "Cargo.toml"))
        modules = "".join(f"mod {name};\n" for name in self.MODULES)
        (self.tree / "tests/alone.rs").write_text(f"//! The tests of hazards.\n#![allow(dead_code)]\n{modules}")
        built = suite.Suite(self.tree, self.target, {}, ("alone",), self.COMMAND)
        if not built.good:
            sys.exit("\n".join(m["rendered"] for m in built.errors if m["level"] == "error") + built.said)
        return built.programs["alone"]

    def run(self, program, number):
        """What the tests print with the tables of a batch, and whether they pass."""
        skip = [word for name in self.SKIPPED for word in ("--skip", name)]
        env = {**os.environ, "AMDGPU_ISA_RULES": str(number), "RUST_BACKTRACE": "0"}
        done = subprocess.run([program, *skip], cwd=self.tree, env=env, capture_output=True, text=True)
        (self.work / f"rules-{number}.txt").write_text(done.stdout + done.stderr)
        return done.returncode == 0, done.stdout + done.stderr

    def survivors(self, mutants):
        """Those changes that no test notices, and how many the build refuses."""
        # An earlier run with the same tables wrote the same files.
        sources = [path for name in ("isa", "build") for path in sorted((ROOT / name).rglob("*.*"))]
        sources += [ROOT / "build.rs", *(ROOT / "src/kind").rglob("*.rs"), ROOT / "src/shared.rs",
                    ROOT / "Cargo.toml", HERE / "hazards.py"]
        text = b"".join(path.read_bytes() for path in sources) + repr([m.number for m in mutants]).encode()
        digest, memory = hashlib.sha256(text).hexdigest(), self.work / "rules.json"
        known = json.loads(memory.read_text()) if memory.exists() else {}
        if digest in known:
            by_number = {m.number: m for m in mutants}
            batches, refused = ([by_number[n] for n in batch] for batch in known[digest][0]), known[digest][1]
            batches, refused = list(batches), [by_number[n] for n in refused]
            program = self.tests()
        else:
            found, refused = self.batches(mutants)
            batches = [batch for batch, *_ in found]
            self.write(found)
            program = self.tests()
            numbers = [[m.number for m in batch] for batch in batches]
            memory.write_text(json.dumps({digest: [numbers, [m.number for m in refused]]}))
        say(f"{len(refused)} the build refuses; {len(batches)} batches")
        for mutant in refused:
            say(f"{mutant.number}\t{mutant.kind}\tis refused\t{hazards.changed(mutant)}")
        passed, out = self.run(program, 0)
        if not passed:
            sys.exit(f"without a change:\n{out}")
        survivors = []
        for number, batch in enumerate(batches, 1):
            passed, out = self.run(program, number)
            words = set(re.findall(r"(?<![\w-])[A-Z]\d+", out))
            for mutant in batch:
                caught = not passed and re.match(r"[A-Z]\d+", mutant.names[0])[0] in words
                say(f"{mutant.number}\t{mutant.kind}\t{'is caught' if caught else 'SURVIVES'}\t{hazards.changed(mutant)}")
                survivors += [] if caught else [mutant]
        # Of these, some change nothing.
        known = equivalents()
        same = [m for m in survivors if m.key() in known]
        if self.options.only or len(survivors) < 100:
            plain, _ = self.generate([])
            same += [m for m in survivors if m not in same and self.generate([m])[0] == plain]
        for mutant in same:
            say(f"{mutant.number}\t{mutant.kind}\tis equivalent\t{hazards.changed(mutant)}")
        return [m for m in survivors if m not in same], len(mutants) - len(same)


def hazard_changes(options, work):
    """Rules without one of their parts."""
    drawn = hazards.all_(ROOT)
    say(f"{len(drawn)} possible changes of {hazards.PATH}")
    random.Random(options.seed).shuffle(drawn)
    drawn = [m for m in drawn if m.number in options.only] if options.only else drawn[: options.count]
    if options.list:
        for mutant in drawn:
            say(f"{mutant.number}\t{mutant.kind}\t{hazards.changed(mutant)}")
        sys.exit()
    survivors, count = Rules(options, work).survivors(drawn)
    return [m.key() for m in survivors], count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["code", "tables", "limits", "hazards"])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", default="16")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=300, help="changes of tables in one build")
    parser.add_argument("--words", type=int, default=50000, help="LLVM's words, of tables in the first rounds")
    parser.add_argument("--limit", type=float, default=3600, help="seconds that a test may take, or it is left out")
    parser.add_argument("--first", type=float, default=10, help="seconds of tests of a change of the code before its others")
    parser.add_argument("--only", type=int, nargs="*", help="only the changes of these numbers")
    parser.add_argument("--skip", action="append", default=[], help="of the code, leave out this program of tests, or test")
    parser.add_argument("--rows", action="store_true", help="of tables, only rows of operations and names, not what they share")
    parser.add_argument("--shared", action="store_true", help="of tables, only what many rows share")
    parser.add_argument("--few", type=int, default=0, help="of tables, each change with so many single targets before all")
    parser.add_argument("--list", action="store_true", help="of tables, only list the changes that the build accepts; of limits, list all")
    parser.add_argument("--targets", nargs="*", default=[], help="of bounds, with these targets only")
    parser.add_argument("--programs", nargs="*", default=[], help="of bounds, these programs of tests only")
    parser.add_argument("--most", type=int, default=0, help="so many changes may survive")
    parser.add_argument("--work", type=Path, default=ROOT / "target/mutants")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    survivors, count = {"code": code, "tables": table_changes, "limits": limit_changes, "hazards": hazard_changes}[options.what](options, options.work)
    say(f"\n{count - len(survivors)} of {count} are caught ({100 * (count - len(survivors)) / max(count, 1):.1f} %)"
        + (f", seed {options.seed}" if options.what != "limits" else ""))
    for key in survivors:
        say(f"  {key}")
    sys.exit(len(survivors) > options.most)


main()
