"""The README's test command in pieces: one build, and its executables one by one, those first that take little time."""

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

COMMAND = ["cargo", "test", "--release", "--features", "cli"]


def copy(root, to, keep):
    """A copy of what is committed or could be, in which unchanged files keep their times, and those in `keep` their
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
    """Runs cargo, and returns whether it succeeded, its JSON messages and what it said besides."""
    env = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0", **(env or {})}
    done = subprocess.run(["cargo", *args, "--message-format=json"], cwd=tree, env=env, capture_output=True, text=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.returncode == 0, messages, done.stderr


class Suite:
    """The executables of the tests, of one build."""

    def __init__(self, tree, target, env=None):
        self.tree, self.target, self.env = tree, target, env or {}
        good, messages, said = cargo(tree, target, [*COMMAND[1:], "--no-run"], env)
        self.errors = [m["message"] for m in messages if m.get("reason") == "compiler-message"]
        self.good = good
        self.said = said
        self.programs = {}
        for message in messages:
            if message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
                kind = message["target"]["kind"][0]
                name = message["target"]["name"] + ("" if kind == "test" else f" ({kind})")
                self.programs[name] = message["executable"]
        # Tests of one program write to the same files, so only one copy of it runs at a time.
        self.locks = {name: threading.Lock() for name in self.programs}
        self.seconds, self.ends, self.complaints = {}, {}, {}
        self.asked, self.guard = {}, threading.Lock()
        self.caught = Counter()  # by the program that caught it
        self.units = []  # program and test: the parts in which they are run

    def list(self, skip):
        """The units: whole programs, and the tests of those of which each takes long."""
        for name in self.programs:
            # The copy of the sources has each function many times.
            if name not in ("facts_stay_in_tables", *skip):
                self.units += self.tests(name) if name == "llvm" else [(name, None)]

    def tests(self, name):
        lists = []
        for more in ([], ["--ignored"]):
            done = subprocess.run([self.programs[name], "--list", "--format=terse", *more], capture_output=True, text=True, cwd=self.tree)
            lists.append([line[: -len(": test")] for line in done.stdout.splitlines() if line.endswith(": test")])
        return [(name, test) for test in lists[0] if test not in lists[1]]

    def run(self, name, switch, limit, test=None):
        """Whether a program passes, or one of its tests, what it prints, and how long it runs."""
        env = {**os.environ, **self.env, "AMDGPU_ISA_MUTANT": str(switch), "RUST_TEST_THREADS": "1",
               "RUST_BACKTRACE": "0", "CARGO_TARGET_DIR": str(self.target)}
        args = [test, "--exact"] if test else []
        with self.locks[name]:
            started = time.time()
            child = subprocess.Popen([self.programs[name], *args], cwd=self.tree, env=env, stdin=subprocess.DEVNULL,
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

    def doc_tests(self, switch):
        env = {**self.env, "AMDGPU_ISA_MUTANT": str(switch)}
        env = {**os.environ, "CARGO_TARGET_DIR": str(self.target), "CARGO_INCREMENTAL": "0", **env}
        with self.locks.setdefault("doc", threading.Lock()):
            return subprocess.run([*COMMAND, "--doc"], cwd=self.tree, env=env, capture_output=True).returncode == 0

    def usual(self, unit, limit):
        """How a test ends without a change: `passes`, `fails`, or `slow` if it takes longer than the limit."""
        with self.guard:
            lock = self.asked.setdefault(unit, threading.Lock())
        with lock:
            if unit not in self.ends:
                passed, out, seconds = self.run(unit[0], 0, limit, unit[1])
                self.ends[unit] = "passes" if passed else "slow" if seconds >= limit else "fails"
                self.seconds[unit] = seconds
                if self.ends[unit] == "slow" and unit[1] is None:
                    self.units = self.units + self.tests(unit[0])
                if self.ends[unit] == "fails":
                    self.complaints[unit] = out
            return self.ends[unit]

    def first_failure(self, switch, limit, likely):
        """The first test that fails with a change, `likely` programs before others, then those that take little time
        or have caught other changes; None if all pass."""
        tried = set()
        while True:
            # Quick ones first; the list grows when a slow program is divided.
            cost = lambda unit: (unit[0] not in likely, self.seconds.get(unit, 1.0) / (1 + 5 * self.caught[unit[0]]))
            left = [unit for unit in self.units if unit not in tried]
            if not left:
                break
            unit = min(left, key=cost)
            tried.add(unit)
            if self.usual(unit, limit) != "passes":
                continue
            # A change can make a loop endless.
            passed, out, _ = self.run(unit[0], switch, 30 + 10 * self.seconds[unit], unit[1])
            if not passed:
                self.caught[unit[0]] += 1
                return " ".join(part for part in unit if part), out
        return None if self.doc_tests(switch) else ("doc", "")
