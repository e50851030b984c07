"""The README's test command in pieces: one build, and its tests one by one."""

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMMAND = ["cargo", "test", "--release", "--workspace"]


def copy(root, to, keep):
    """A copy of the files that are committed or could be, in which unchanged files keep their times, and those in `keep` their
    contents, which the caller writes."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True, capture_output=True)
    names = set(listed.stdout.decode().split("\n")) - {""}
    for name in names:
        source, target = Path(root, name), Path(to, name)
        if not source.exists() or name.startswith(keep) and target.exists():
            continue
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
    for base, folders, files in os.walk(to):
        folders[:] = [f for f in folders if f not in ("target", ".git")]
        for file in files:
            path = Path(base, file)
            if path.relative_to(to).as_posix() not in names and path.suffix not in (".lock",):
                path.unlink()


def cargo(tree, target, args, env=None):
    """Runs cargo, and returns whether it succeeded, its JSON messages and its other output."""
    env = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0", **(env or {})}
    done = subprocess.run(["cargo", *args, "--message-format=json"], cwd=tree, env=env, capture_output=True, text=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.returncode == 0, messages, done.stderr


class Suite:
    """The executables of the tests, of one build."""

    def __init__(self, tree, target, env=None, only=(), command=COMMAND):
        """Builds all programs of tests, or `only` these."""
        self.tree, self.target, self.env = tree, target, env or {}
        tests = [word for name in only for word in ("--test", name)]
        good, messages, said = cargo(tree, target, [*command[1:], "--no-run", *tests], env)
        self.errors = [m["message"] for m in messages if m.get("reason") == "compiler-message"]
        self.good = good
        self.said = said
        self.programs, self.folders = {}, {}
        for message in messages:
            if message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
                kind = message["target"]["kind"][0]
                name = message["target"]["name"] + ("" if kind == "test" else f" ({kind})")
                self.programs[name] = message["executable"]
                self.folders[name] = Path(message["manifest_path"]).parent
        # Tests of one program write to the same files, so only one copy of it runs at a time.
        self.locks = {name: threading.Lock() for name in [*self.programs, "doc"]}
        self.seconds, self.complaints = {}, {}
        self.guard = threading.Lock()
        self.slow = []  # those that take longer than the limit
        self.reached = {}  # the changes that each test gets to
        self.caught = Counter()  # by the program that caught it
        self.units = []  # program and test

    def measure(self, skip, limit, jobs, doc=True):
        """Runs each test without a change: its time, and the changes that it reaches."""
        # The copy of the sources has each function many times, and names the switch everywhere.
        left_out = ("facts_stay_in_tables", "layers", *skip)
        units = [unit for name in self.programs if name not in left_out for unit in self.tests(name)]
        units = [unit for unit in units if " ".join(unit) not in left_out and unit[1].split("::")[0] not in left_out]
        memory = self.target / "measured.json"  # what an earlier run measured of the same programs
        known = json.loads(memory.read_text()) if memory.exists() else {}
        ages = {name: f"{os.stat(path).st_mtime_ns} {self.env}" for name, path in self.programs.items()}
        self.keys = {unit: " ".join([*unit, ages.get(unit[0], "")]) for unit in [*units, ("doc", "doc")]}
        self.memory = self.target / "passed.json"  # of each change, the tests that an earlier run found to pass
        self.passed = json.loads(self.memory.read_text()) if self.memory.exists() else {}

        def one(unit):
            key = self.keys[unit]
            if key in known and known[key][0] < limit:
                self.seconds[unit], self.reached[unit] = known[key][0], set(known[key][1])
                return
            if known.get(key) == [limit, []]:
                self.slow.append(unit)
                return
            file = self.target / f"reached-{unit[0]}-{unit[1].replace('::', '-')}"
            file.unlink(missing_ok=True)
            passed, out, seconds = self.run(unit[0], 0, limit, unit[1], file)
            if passed:
                self.seconds[unit] = seconds
                self.reached[unit] = {int(n) for n in file.read_text().split()} if file.exists() else set()
                known[key] = [seconds, sorted(self.reached[unit])]
                memory.write_text(json.dumps(known))
            elif seconds >= limit:
                self.slow.append(unit)
                known[key] = [limit, []]
            else:
                self.complaints[unit] = out

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, units + [("doc", "doc")] * doc))
        self.units = sorted(self.seconds, key=self.seconds.get)

    def tests(self, name):
        lists = []
        for more in ([], ["--ignored"]):
            done = subprocess.run([self.programs[name], "--list", "--format=terse", *more], capture_output=True, text=True, cwd=self.folders[name])
            lists.append([line[: -len(": test")] for line in done.stdout.splitlines() if line.endswith(": test")])
        return [(name, test) for test in lists[0] if test not in lists[1]]

    def run(self, name, switch, limit, test=None, reached=None):
        """Whether a program passes, or one of its tests, what it prints, and how long it runs."""
        env = {**os.environ, **self.env, "AMDGPU_ISA_MUTANT": str(switch), "RUST_TEST_THREADS": "1",
               "RUST_BACKTRACE": "0", "CARGO_TARGET_DIR": str(self.target), "CARGO_INCREMENTAL": "0"}
        if reached:
            env["AMDGPU_ISA_REACHED"] = str(reached.absolute())
        args = [self.programs[name], *([test, "--exact"] if test else [])] if name != "doc" else [*COMMAND, "--doc"]
        with self.locks[name]:
            started = time.time()
            child = subprocess.Popen(args, cwd=self.folders.get(name, self.tree), env=env, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                out, _ = child.communicate(timeout=limit)
                passed = child.returncode == 0
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                out, _ = child.communicate()
                passed = False
                out += b"\nno end\n"
            return passed, out.decode(errors="replace"), time.time() - started

    def failure(self, switch, most, tried):
        """The first test that fails with a change, of those that get to it and are not `tried`; None if all pass that
        take no more than `most` seconds together. Tests that are quick, have caught others, or get to few changes come
        first."""

        def cost(unit):
            return (0.05 + self.seconds[unit]) * len(self.reached[unit]) / (1 + self.caught[unit[0]])

        passed = self.passed.setdefault(str(switch), [])
        for unit in sorted((u for u in self.units if switch in self.reached[u] and u not in tried), key=cost):
            if self.seconds[unit] > most:
                continue
            most -= self.seconds[unit]
            tried.add(unit)
            if self.keys[unit] in passed:
                continue
            # A change can make a loop endless.
            if not self.run(unit[0], switch, 15 + 8 * self.seconds[unit], unit[1])[0]:
                self.caught[unit[0]] += 1
                return " ".join(unit)
            passed.append(self.keys[unit])
        with self.guard:
            self.memory.write_text(json.dumps(self.passed))
        return None
