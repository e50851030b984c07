"""Small wrong changes of the code of all packages, and a copy of the code that contains hundreds of them behind a switch.

A function is copied once for each change of it, and a variable of the environment selects the copy that runs: one build
serves all changes. The code keeps its meaning while the variable is not set, and whenever the compiler evaluates it.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

# The files that the README's test command compiles, which include `words`, but not the features `make` and `arbitrary`.
# The constants that the generator shares with the library would differ between the two.
LEFT_OUT = ("src/make/", "src/arbitrary", "crates/prove/src/words.rs", "src/shared.rs",
            "crates/prove/src/tests.rs")

# The directories of the packages' code, relative to the README.
ROOTS = ("src/", "cli/src/", "crates/asm/src/", "crates/eval/src/", "crates/explain/src/", "crates/lint/src/",
         "crates/object/src/", "crates/program/src/", "crates/prove/src/", "crates/source/src/")

# The programs that compile files of `src/` for the generator, in which no change is switched on.
OF_GENERATOR = ("build.rs", "tests/tables.rs")


def sources(root):
    """The files of the code of all packages, in order."""
    return sorted(path for code in ROOTS for path in Path(root, code).rglob("*.rs"))


TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*")
    |(?P<char>b?'(?:\\(?:x..|u\{[^}]*\}|.)|[^'\\])')
    |(?P<life>'\w+)
    |(?P<number>\d(?:[\w]|\.(?=\d))*)
    |(?P<word>\$?\w+)
    |(?P<punct>\.\.=|\.\.|<<=|>>=|&&|\|\||==|!=|<=|>=|->|=>|::|<<|>>|[-+*/%^&|]=|.)""",
    re.S | re.X,
)

COMPARISONS = {"==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"]}
SIGNS = {"+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"], "&": ["|"],
         "|": ["&", "^"], "^": ["|"], "+=": ["-="], "-=": ["+="], "|=": ["&=", "="], "&=": ["|=", "="]}
CALLS = {"min": "max", "max": "min", "is_some": "is_none", "is_none": "is_some", "is_ok": "is_err", "is_err": "is_ok",
         "any": "all", "all": "any", "checked_add": "checked_sub", "checked_sub": "checked_add",
         "wrapping_add": "wrapping_sub", "wrapping_sub": "wrapping_add", "saturating_sub": "wrapping_sub",
         "is_some_and": "is_none_or", "is_none_or": "is_some_and", "trailing_zeros": "leading_zeros",
         "first": "last", "last": "first"}
KINDS = ("comparison", "constant", "sign", "return", "condition", "range")


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    line: int
    spaced: bool = False  # spaces on both sides: a binary operator, after rustfmt


@dataclass
class Mutant:
    path: str
    kind: str
    start: int
    end: int
    text: str  # replaces source[start:end]
    line: int
    function: str = ""
    before: str = ""  # the line, and what becomes of it
    after: str = ""
    number: int = 0
    region: tuple = ()  # what is copied
    rows: list = field(default_factory=list)

    def key(self):
        return f"{self.path} | {self.function} | {self.before} | {self.after}".strip()


def tokens(source):
    found, line = [], 1
    for match in TOKEN.finditer(source):
        kind, text = match.lastgroup, match.group()
        if kind == "hashes":
            kind = "string"
        if kind not in ("space", "comment"):
            start, end = match.span()
            spaced = source[start - 1 : start] in (" ", "\n") and source[end : end + 1] in (" ", "\n")
            found.append(Token(kind, text, start, end, line, spaced))
        line += text.count("\n")
    return found


def pairs(toks):
    """The index of each bracket's partner."""
    stack, partner = [], {}
    for n, token in enumerate(toks):
        if token.kind == "punct" and token.text in "([{":
            stack.append(n)
        elif token.kind == "punct" and token.text in ")]}":
            partner[stack[-1]] = n
            partner[n] = stack.pop()
    return partner


@dataclass
class Function:
    name: str
    body: tuple  # tokens of the braces
    opaque: bool  # two copies of the body would have different types


def functions(toks, partner):
    """The outermost functions with a body."""
    found, n = [], 0
    while n < len(toks):
        if toks[n].text != "fn" or toks[n].kind != "word" or toks[n + 1].kind != "word":
            n += 1
            continue
        name, m = toks[n + 1].text, n + 2
        while toks[m].text not in "{;":
            m = partner[m] + 1 if toks[m].text in "([" else m + 1
        if toks[m].text == ";":
            n = m
            continue
        head = toks[n:m]
        arrow = next((i for i, t in enumerate(head) if t.text == "->"), len(head))
        opaque = any(t.text == "impl" for t in head[arrow:])
        found.append(Function(name, (m, partner[m]), opaque))
        n = partner[m] + 1
    return found


def skipped(toks, partner):
    """Tokens of attributes and of macros' patterns."""
    out = set()
    for n, token in enumerate(toks):
        if token.text == "#" and n + 1 < len(toks):
            m = n + 1 + (toks[n + 1].text == "!")
            if toks[m].text == "[":
                end = partner[m]
                if any(t.text == "test" for t in toks[m:end]) and not any(t.text == "not" for t in toks[m:end]):
                    while toks[end].text not in ("{", ";"):
                        end += 1
                    end = partner.get(end, end)
                out.update(range(n, end + 1))
        if token.text in ("const_assert", "debug_assert", "matches_pattern") and toks[n + 1].text == "!":
            out.update(range(n, partner[n + 2] + 1))
        if token.text == "const" and toks[n + 1].text not in ("fn", "{"):  # a constant in a function
            m = n
            while toks[m].text not in (";", "{", ">", ")"):
                m = partner[m] + 1 if toks[m].text in "([" else m + 1
            out.update(range(n, m + 1))
    return out


def is_pattern(toks, partner, n):
    """Whether the token is in a pattern: `=>` or an `if` before one follows."""
    m = n + 1
    while m < len(toks):
        text = toks[m].text
        if text in ("([{"):
            m = partner[m] + 1
            continue
        if text in ("=>", "if"):
            return True
        if text in (")", "]", "}", ";", ",", "=", "&&"):
            return False
        m += 1
    return False


def closure(toks, partner, n, body):
    """The innermost closure's body around a token, as an expression that can be copied."""
    best = None
    for m in range(body[0], n):
        if toks[m].text not in ("|", "||") or toks[m].spaced and toks[m - 1].text not in ("=", "move", "(", ","):
            continue
        if toks[m - 1].text not in ("(", ",", "=", "move"):
            continue
        if toks[m].text == "||":
            first = m + 1
        else:
            k = m + 1
            while toks[k].text != "|":
                k = partner[k] + 1 if toks[k].text in "([{" else k + 1
                if k > n:
                    break
            first = k + 1
        if first > n:
            continue
        last = first
        while toks[last].text not in (")", ",", ";", "]", "}"):
            last = partner[last] + 1 if toks[last].text in "([{" else last + 1
        if first <= n < last:
            best = (toks[first].start, toks[last - 1].end)
    return best


def sites(path, source, rng):
    """Every change of a file that can be made; of several for one token, one that `rng` chooses."""
    toks = tokens(source)
    partner = pairs(toks)
    left_out = skipped(toks, partner)
    found = []

    def add(kind, n, text, end=None, function=None):
        last = toks[n if end is None else end]
        found.append((Mutant(path, kind, toks[n].start, last.end, text, toks[n].line), n, function))

    for function in functions(toks, partner):
        first, last = function.body
        for n in range(first + 1, last):
            token, before, after = toks[n], toks[n - 1], toks[n + 1]
            if n in left_out:
                continue
            text = token.text

            def put(kind, new, end=None, n=n):
                add(kind, n, new, end, function)

            if token.kind == "punct":
                if text in COMPARISONS and token.spaced:
                    put("comparison", rng.choice(COMPARISONS[text]))
                elif text in ("&&", "||") and token.spaced:
                    put("condition", "||" if text == "&&" else "&&")
                elif text == "|" and token.spaced and is_pattern(toks, partner, n):
                    m = n + 1
                    while toks[m].text not in ("|", "=>", "if", ")", "]", "}"):
                        m = partner[m] + 1 if toks[m].text in "([{" else m + 1
                    put("condition", "", m - 1)  # one alternative less
                elif text in SIGNS and token.spaced:
                    put("sign", rng.choice(SIGNS[text]))
                elif text == "-" and not token.spaced and after.kind in ("number", "word") and before.text in "(,=[{":
                    put("sign", "")
                elif text == "!" and before.kind != "word" and after.text not in ("[", "="):
                    put("condition", "")
                elif text == "..=":
                    put("range", "..")
                elif text == ".." and after.text not in ("]", ")", "}", ",", "=>") and not token.spaced:
                    put("range", "..=")
                elif text == "?" and after.text == ";":
                    put("return", ".ok()")
            elif token.kind == "number" and before.text != "." and re.fullmatch(r"(0x[\da-f_]+|0b[01_]+|[\d_]+)(u\d+|i\d+|usize)?", text):
                digits, suffix = re.fullmatch(r"(0x[\da-f_]+|0b[01_]+|[\d_]+?)((?:u|i)(?:\d+|size))?", text).groups()
                value = int(digits.replace("_", ""), 0) if not digits.isdigit() else int(digits)
                put("constant", f"{value + rng.choice([1, -1] if value > 0 else [1])}{suffix or ''}")
            elif token.kind == "word":
                if text in ("true", "false"):
                    put("constant", "false" if text == "true" else "true")
                elif text in CALLS and before.text in (".", "::") and after.text == "(":
                    put("range" if text in ("min", "max", "first", "last", "saturating_sub") else "condition", CALLS[text])
                elif text == "return":
                    m = n + 1
                    while toks[m].text != ";" and m < last and toks[m].text not in ")]},":
                        m = partner[m] + 1 if toks[m].text in "([{" else m + 1
                    if toks[m].text == ";":
                        put("return", "", m)
                elif text == "if" and after.text != "let":
                    m, chain = n + 1, False
                    while toks[m].text not in ("{", "=>", ")"):  # a block, an arm, `matches!`
                        chain |= toks[m].text == "let"
                        m = partner[m] + 1 if toks[m].text in "([" else m + 1
                    if not chain:
                        inner = toks[m + 1 : partner[m]] if toks[m].text == "{" else []
                        returns = bool(inner) and (inner[0].text == "return" or inner[0].text == "Err")
                        condition = source[toks[n + 1].start : toks[m - 1].end]
                        new = rng.choice(["false", "true", f"!({condition})"]) if not returns else "false"
                        put("return" if returns else "condition", f"if {new}", m - 1)
    return placed(found, toks, source)


def placed(found, toks, source):
    """Changes with the regions that are copied for them, and the new text of their lines. `found`: with each change the token
    and the function that it is in."""
    partner = pairs(toks)
    mutants = []
    for mutant, n, function in found:
        first, last = function.body
        mutant.function = function.name
        if function.opaque:
            region = closure(toks, partner, n, function.body)
            if region is None:
                continue
            if not (region[0] <= mutant.start and mutant.end <= region[1]):
                continue
            mutant.region = region
        else:
            mutant.region = (toks[first].start, toks[last].end)
        begin, stop = source.rfind("\n", 0, mutant.start) + 1, source.find("\n", mutant.end)
        mutant.before = " ".join(source[begin:stop].split())
        mutant.after = " ".join((source[begin : mutant.start] + mutant.text + source[mutant.end : stop]).split())
        mutants.append(mutant)
    return mutants


def draw(root, count, rng):
    """Mutants of all kinds in turn, from the code of all packages."""
    by_kind = {kind: [] for kind in KINDS}
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        if not name.startswith(LEFT_OUT):
            for mutant in sites(name, path.read_text(), rng):
                by_kind[mutant.kind].append(mutant)
    total = {kind: len(list_) for kind, list_ in by_kind.items()}
    for list_ in by_kind.values():
        rng.shuffle(list_)
    drawn = []
    while len(drawn) < count and any(by_kind.values()):
        for kind in KINDS:
            if by_kind[kind] and len(drawn) < count:
                drawn.append(by_kind[kind].pop())
    for number, mutant in enumerate(drawn):
        mutant.number = number + 1
    return drawn, total


SWITCH = """
#[doc(hidden)]
#[allow(missing_docs)]
pub mod mutants {
    extern crate std;
    use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
    use std::io::Write;
    static ACTIVE: AtomicU32 = AtomicU32::new(u32::MAX);
    static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
    #[deprecated]
    #[inline(always)]
    pub const fn on(n: u32) -> bool {
        core::intrinsics::const_eval_select((n,), compiled, running)
    }
    const fn compiled(_: u32) -> bool {
        false
    }
    #[inline(always)]
    fn running(n: u32) -> bool {
        let active = ACTIVE.load(Relaxed);
        active == n || active.wrapping_add(1) <= 1 && first(n)
    }
    // While none is active, a file gets the numbers of those that are reached.
    #[inline(never)]
    fn first(n: u32) -> bool {
        let mut active = ACTIVE.load(Relaxed);
        if active == u32::MAX {
            active = std::env::var("AMDGPU_ISA_MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
            ACTIVE.store(active, Relaxed);
        }
        if active == 0 && !REACHED[n as usize].load(Relaxed) {
            REACHED[n as usize].store(true, Relaxed);
            if let Some(path) = std::env::var_os("AMDGPU_ISA_REACHED") {
                let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
                file.and_then(|mut file| file.write_all(std::format!("{n}\n").as_bytes())).expect("a file of numbers");
            }
        }
        active == n
    }
}
"""


NO_SWITCH = """
mod mutants {
    #[deprecated]
    pub const fn on(_: u32) -> bool {
        false
    }
}
"""


def switched(source, mutants, krate):
    """The source with all mutants behind the switch, and for each line of it the mutants that it belongs to."""
    regions = {}
    for mutant in mutants:
        regions.setdefault(mutant.region, []).append(mutant)
    # A region inside another one (two closures) would be copied twice, so only the outer one is copied.
    spans = sorted(regions, key=lambda r: (r[0], -r[1]))
    outer = []
    for span in spans:
        if outer and span[1] <= outer[-1][1]:
            regions[outer[-1]] = regions[outer[-1]] + regions[span]
        else:
            outer.append(span)
    out, at = "", 0
    lines = {}

    def put(text, of):
        nonlocal out
        first = out.count("\n") + 1
        out += text
        for line in range(first, out.count("\n") + 1 + (not text.endswith("\n"))):
            lines.setdefault(line, set()).update(of)

    for start, end in outer:
        body = source[start:end]
        everyone = {m.number for m in regions[(start, end)]}
        out += source[at:start]
        put("{\n", everyone)
        for mutant in regions[(start, end)]:
            copy = body[: mutant.start - start] + mutant.text + body[mutant.end - start :]
            if not copy.startswith("{"):
                copy = "{" + copy + "}"
            put(f"if {krate}::mutants::on({mutant.number}) ", {mutant.number})
            put(copy + "\n", {mutant.number})
            out += "else "
        put((body if body.startswith("{") else "{" + body + "}") + "\n}", everyone)
        at = end
    return out + source[at:], lines


def write(root, copy, mutants):
    """Writes the switched sources into a copy of the tree; the lines of each file, with their mutants."""
    lines = {}
    by_path = {}
    for mutant in mutants:
        by_path.setdefault(mutant.path, []).append(mutant)
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        source = path.read_text()
        inside = not name.startswith("src/")
        if name in by_path:
            source, lines[name] = switched(source, by_path[name], "amdgpu_isa" if inside else "crate")
        if name.endswith(("src/lib.rs", "src/main.rs")):
            # An overflow that the compiler can see happens when the change is switched on.
            head = "#![allow(internal_features, unused, arithmetic_overflow, unconditional_panic)]\n"
            source = head + source
            if name == "src/lib.rs":
                switch = SWITCH.replace("COUNT", str(max(m.number for m in mutants) + 1))
                source = "#![feature(const_eval_select, core_intrinsics)]" + source + switch
            if name in lines:
                lines[name] = {line + 1: of for line, of in lines[name].items()}
        target = Path(copy, name)
        if not target.exists() or target.read_text() != source:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(source)
    for name in OF_GENERATOR:
        source, target = Path(root, name).read_text() + NO_SWITCH, Path(copy, name)
        if not target.exists() or target.read_text() != source:
            target.write_text(source)
    return lines
