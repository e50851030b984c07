#!/usr/bin/env python3
"""Uses the page in a real browser, and compares what it shows with what the tool says.

test.py PAGE TOOL [SHOTS]: the page is the file that build.sh makes; pictures of each view are put into the directory SHOTS.
"""

import base64
import json
import pathlib
import re
import struct
import subprocess
import sys
import time
import traceback

from driver import Browser

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "tests" / "samples"


class Page(Browser):
    def __init__(self, page, tool, shots):
        super().__init__()
        self.page = pathlib.Path(page).resolve().as_uri()
        self.tool_path, self.shots = tool, pathlib.Path(shots)
        self.shots.mkdir(parents=True, exist_ok=True)

    def open(self, hash_="", size=(1280, 1000)):
        self.size(*size)
        self.go("about:blank")
        self.go(self.page + hash_)
        self.wait("return document.documentElement.dataset.ready")

    def hash(self):
        return self.run("return location.hash")

    def state(self, name):
        found = re.search(rf"[#&]{name}=([^&]*)", self.hash())
        return found[1] if found else None

    def tool(self, *args):
        done = subprocess.run([self.tool_path, *args], capture_output=True, text=True)
        return done.stdout + done.stderr

    def words(self):
        return self.state("words").split("_") if self.state("words") else []

    def picture(self, name):
        # Colours and the listing settle.
        time.sleep(0.2)
        self.shot(self.shots / f"{name}.png")

    def drop(self, name, data):
        """A file, as if it came from the desktop. A large one in parts: a call takes only so much."""
        self.run("window.parts = []")
        text = base64.b64encode(data).decode()
        for start in range(0, len(text), 4 << 20):
            self.run("window.parts.push(arguments[0])", text[start : start + (4 << 20)])
        self.run(
            """const bytes = Uint8Array.from(atob(parts.join("")), (c) => c.charCodeAt(0));
            const files = new DataTransfer();
            files.items.add(new File([bytes], arguments[0]));
            document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));""",
            name,
        )


def same(got, wanted):
    assert got == wanted, f"{got!r} is not {wanted!r}"


def text_becomes_words(page):
    page.open("#target=gfx942")
    page.type("#text", "v_add_f32_e64 v3, s5, v0")
    same(page.words(), ["d1010003", "00020005"])
    same(page.value("#hex"), "d1010003 00020005")
    same(page.text(".card h2"), "v_add_f32_e64 v3, s5, v0")
    page.picture("instruction")


def words_become_text(page):
    page.open("#target=gfx1100")
    page.type("#hex", "0xF4080100 0xF8000000 360200BF")
    same(page.value("#text"), "s_load_b128 s[4:7], s[0:1], null\nv_and_b32_e32 v1, 63, v0")
    same(len(page.texts(".card")), 2)
    page.type("#hex", "1234567")
    assert "neither a byte" in page.text("#problem"), page.text("#problem")


def fields_are_those_of_the_tool(page):
    """Names, bits, values and meanings, of words of many formats."""
    samples = {
        "gfx942": ["d1010003 00020005", "d3c48000 04021109", "d86c0000 01000002", "dc5e8010 047f0002", "be8000ff 12345678"],
        "gfx1100": ["ca100080 03040003", "f4080100 f8000000", "7e0402fa ff0d1b01"],
        "gfx1250": ["bf84ffff", "d5130000 04020301"],
    }
    for target, all_words in samples.items():
        for words in all_words:
            said = page.tool("explain", "--target", target, *words.split())
            page.open(f"#target={target}&words={words.replace(' ', '_')}")
            same(page.text(".card h2"), said.splitlines()[0])
            rows = page.run(
                """return [...document.querySelectorAll("tr.field")].map((row) => [
                    row.querySelector(".field-name").innerText.trim(), row.querySelector(".range").innerText,
                    row.querySelector("input").value,
                    (row.querySelector(".meaning").innerText || row.querySelector(".about").innerText)])"""
            )
            assert rows, target + words
            for name, bits, value, meaning in rows:
                line = rf"^\S? *{re.escape(name)} +{re.escape(bits)}  {re.escape(value)} *{re.escape(meaning)}$"
                assert re.search(line, said, re.M), f"{target} {words}: {name, bits, value, meaning}\n{said}"
            facts = dict(zip(page.texts(".facts dt"), page.texts(".facts dd")))
            for about in ["memory", "raises", "flags", "also as"]:
                wanted = re.search(rf"^{about} +(.*)$", said, re.M)
                same(facts.get(about), wanted and wanted[1])


def a_click_turns_a_bit(page):
    page.open("#target=gfx942&words=d1010003_00020005")
    page.click("[data-bit='0']")
    same(page.words(), ["d1010002", "00020005"])
    same(page.value("#text"), "v_add_f32_e64 v2, s5, v0")
    # The arrow keys move from bit to bit.
    page.keys("[data-bit='0']", "\ue012")
    page.run("document.activeElement.click()")
    same(page.words(), ["d1010000", "00020005"])


def a_field_can_be_edited(page):
    page.open("#target=gfx942&words=d1010003_00020005")
    page.type("[data-field=vdst]", "0x10\ue007")
    same(page.value("#text"), "v_add_f32_e64 v16, s5, v0")
    page.type("[data-field=vdst]", "256\ue007")
    same(page.words()[0], "d1010010")
    # What else it could be.
    page.click_text(".field-name button", "src0")
    same(page.state("field"), "src0")
    page.click_text(".values .chip", "vcc_lo")
    same(page.value("#text"), "v_add_f32_e64 v16, vcc_lo, v0")
    page.picture("values")


def a_literal_comes_and_goes(page):
    page.open("#target=gfx942&words=be800001")
    page.type("[data-field=ssrc0]", "255\ue007")
    same(page.words(), ["be8000ff", "00000000"])
    page.type("[data-field=ssrc0]", "2\ue007")
    same(page.words(), ["be800002"])


def refused_words_have_a_reason(page):
    page.open("#target=gfx942&words=d3c48000_ffffffff")
    said = page.tool("explain", "--target", "gfx942", "d3c48000", "ffffffff")
    reason = page.text(".reason b")
    assert reason in said and "src2" in reason, (reason, said)
    same(page.texts(".cell.bad .name"), ["src2"])
    page.picture("refused")
    page.click_text(".reason .chip", "0x80")
    assert page.text(".reason b") != reason
    page.open("#target=gfx942&words=ffffffff")
    same(page.text(".reason b"), "unknown encoding")
    page.click_text(".reason .chip", "SOP2")
    page.open("#target=gfx942&words=bfff0000")
    same(page.text(".reason b"), "unknown SOPP opcode 127")
    page.click_text(".reason .chip", "s_nop")
    same(page.value("#text"), "s_nop 0")
    page.open("#target=gfx942&words=be8000ff")
    page.click_text(".reason .chip", "zeros")
    same(page.words(), ["be8000ff", "00000000"])


def wrong_text_has_a_reason(page):
    page.open("#target=gfx1100")
    page.type("#text", "v_ad_f32 v0, v1, v2")
    same(page.text("#problem mark"), "v_ad_f32")
    page.picture("wrong-text")
    page.click_text("#problem .chip", "v_add_f32")
    same(page.value("#text").split()[0], "v_add_f32_e32")
    page.type("#text", "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]")
    page.click_text("#problem .chip", "gfx9")
    assert page.state("target").startswith("gfx9")
    same(page.texts("#problem mark"), [])


def generations_are_those_of_the_tool(page):
    page.open("#view=generations&target=gfx942&words=d1cb0400_040e0401")
    boxes = page.run(
        """return [...document.querySelectorAll(".generation")].map((box) => [
            [...box.querySelectorAll(".chip")].map((chip) => chip.dataset.target), box.querySelector(".text")?.innerText, box.querySelector(".mono")?.innerText])"""
    )
    targets = [target for chips, _, _ in boxes for target in chips]
    assert "gfx942" in targets and "gfx1250" in targets and len(targets) == len(set(targets)), targets
    for chips, text, below in boxes:
        words = below.split(" · ")[0].split()
        for target in chips:
            said = page.tool("explain", "--target", target, *words).splitlines()
            assert text.startswith(said[0]), (text, said[0])
    page.picture("generations")
    page.click_text(".generation .chip", "gfx1250")
    same((page.state("target"), page.words()), ("gfx1250", ["d6130400", "040e0401"]))
    page.open("#view=generations&target=gfx942&words=d3c48000_04021109")
    assert "lacks it" in page.text(".generation.lacks")


def opcodes_are_those_of_the_tool(page):
    for target in ["gfx942", "gfx1100"]:
        page.open(f"#view=opcodes&target={target}")
        wanted = {}
        for operation in json.loads(page.tool("isa", "--json", "--target", target))["targets"][0]["operations"]:
            wanted.setdefault(operation["format"], {}).setdefault(operation["number"], []).append(operation["mnemonic"])
        formats = [name.split()[0] for name in page.texts(".format")]
        same(sorted(formats), sorted(wanted))
        for format_ in ["VOP2", "SOPP", "VOP3A"]:
            page.click_text(".format", format_)
            slots = page.run("return [...document.querySelectorAll('[data-number]')].map((s) => [Number(s.dataset.number), s.innerText.trim()])")
            same(sorted(number for number, _ in slots), sorted(wanted[format_]))
            for number, name in slots:
                assert name in wanted[format_][number], (number, name)
            assert page.texts(".slot.hole") or page.texts(".free")
    page.open("#view=opcodes&target=gfx1100&format=VOP1")
    page.picture("opcodes")


def a_search_finds(page):
    page.open("#view=opcodes&target=gfx942")
    page.type("#search", "fma_f32 src2")
    found = page.texts("#results .chip")
    assert "v_fma_f32" in found and all("fma_f32" in name for name in found), found
    same(page.state("search"), "fma_f32%20src2")
    page.picture("search")
    page.click_text("#results .chip", "v_fma_f32")
    page.run("document.activeElement.click()")
    same(page.value("#text"), "v_fma_f32 v0, s0, s0, s0")


def every_operation_has_an_example(page):
    """A click on any place of the map gives an instruction of that operation."""
    page.open("#view=opcodes&target=gfx942")
    script = """const bad = [];
        for (const map of isa.opcodes(arguments[0])) for (const operation of map.operations) {
          try {
            const words = isa.example(arguments[0], map.format, operation.number);
            const [card, ...more] = isa.explain(arguments[0], words);
            if (card.refused || more.length || card.format !== map.format) bad.push([map.format, operation.mnemonic, card.text]);
          } catch (error) { bad.push([map.format, operation.mnemonic, error.message]); }
        }
        return bad"""
    for target in page.run("return isa.targets.map((target) => target.name)"):
        same(page.run(script, target), [])


def listing(page, path):
    """The rows of the page and the tool's lines: address, text, words."""
    said = page.tool("dis", str(path))
    wanted = re.findall(r"^\t(.*?) *// ([0-9A-F]+): (.+?)(?: <.*>)?$", said, re.M)
    wanted = [(address, text.strip(), words) for text, address, words in wanted]
    rows = page.run("const rows = JSON.parse(opened.object.rows(0, 1e6)); return rows.filter((row) => !row.label).map((row) => [row.address, row.text, row.error ?? row.words])")
    labels = page.run("return JSON.parse(opened.object.rows(0, 1e6)).filter((row) => row.label).map((row) => row.label)")
    wanted_labels = re.findall(r"^(?:[0-9a-f]+ <(.*)>:.*|(L[0-9a-f]+):)$", said, re.M)
    same(labels, [symbol or local for symbol, local in wanted_labels])
    for row, line in zip(rows, wanted, strict=True):
        same(tuple(row), line)
    return said


def a_code_object_can_be_dropped(page):
    known = page.run("return isa.targets.map((target) => target.processor)")
    page.open()
    for path in sorted(SAMPLES.glob("*/*.co")):
        if path.parent.name.removesuffix("-wave64") not in known:
            continue
        page.run("opened.object = null")
        page.drop(path.name, path.read_bytes())
        page.wait("return opened.object")
        said = listing(page, path)
        kernels = re.findall(r"<(.*)>: +// kernel", said)
        same(sorted(page.texts(".kernel > button")), sorted(kernels))
    page.open("#target=gfx1100")
    page.drop("mixed.co", (SAMPLES / "gfx1100/mixed.co").read_bytes())
    page.click_text(".kernel > button", "halves")
    same(page.text(".line.at .address + span").split(":")[0], "halves")
    # A branch is followed, and the way back.
    page.click_text(".kernel > button", "atomics")
    at = page.run("return opened.object.find(0x2580)")
    page.run("opened.listing.select(arguments[0])", at + 1 if page.run("return JSON.parse(opened.object.rows(arguments[0], 1))[0].label", at) else at)
    page.keys("#listing", "\ue007")
    same(page.text(".line.at"), "00000000255C\tL255c:".replace("\t", "\n"))
    same(page.state("at"), "0x255c")
    page.keys("#listing", "\ue003")
    assert "s_cbranch_scc1" in page.text(".line.at")
    # What an instruction reads and raises.
    page.run("opened.listing.select(opened.object.find(0x253c))")
    facts = dict(zip(page.texts("#detail dt"), page.texts("#detail dd")))
    same(facts["raises"], "vmcnt")
    assert "v1" in facts["writes"] and "s[4:5]" in facts["reads"], facts
    assert any(origin.startswith("s[4:5]") and "s_load_b128" in origin for origin in page.texts("#detail .chip"))
    page.run("opened.listing.select(opened.object.find(0x2544))")
    same(page.texts("#detail .chip"), ["vmcnt global_load_b32 at 253C"])
    same(page.texts(".line.origin .mnemonic"), ["global_load_b32"])
    page.run("opened.listing.select(opened.object.find(0x253c))")
    page.picture("object")
    page.click_text("#detail button", "bits")
    same(page.text(".card h2").split()[0], "global_load_b32")
    # From the disk.
    page.open("#view=object")
    page.keys("#file", str(SAMPLES / "gfx942/saxpy.co"))
    page.wait("return opened.object")
    same(page.text("#target option:checked").split()[0], "gfx942")


def what_is_no_code_object_has_a_reason(page):
    page.open("#view=object")
    for data, reason in [(b"hello", "no code object"), (b"CCOB" + bytes(60), "offload bundle"), (pathlib.Path("/proc/self/exe").read_bytes()[:1 << 20], "")]:
        page.drop("x", data)
        said = page.wait("return byId('refused').textContent")
        assert reason in said, said
        page.run("byId('refused').textContent = ''")


def elf(code, flags):
    """A code object with nothing but code."""
    names = b"\0.text\0.shstrtab\0"
    code_at = 64
    names_at = code_at + len(code)
    headers_at = names_at + len(names) + 15 & ~15
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1\x40\4", 3, 224, 1, 0, 0, headers_at, flags, 64, 0, 0, 64, 3, 2)
    section = lambda *values: struct.pack("<IIQQQQIIQQ", *values)
    sections = section(*[0] * 10) + section(1, 1, 6, 0x1000, code_at, len(code), 0, 0, 256, 0) + section(7, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)
    return (header + code + names).ljust(headers_at, b"\0") + sections


def ten_megabytes_stay_fluid(page):
    page.open("#view=object")
    sample = (SAMPLES / "gfx942/matmul.co").read_bytes()
    body = struct.unpack_from("<I", sample, 48)[0]
    # The sample's code again and again; its largest section is that.
    at = sample.find(bytes.fromhex("000081bf"))
    code = sample[at - 1600 & ~3 : at + 4]
    big = elf((code * (10_000_000 // len(code) + 1))[:10_000_000], body)
    page.drop("big.co", big)
    page.wait("return opened.object && JSON.parse(opened.object.about()).bytes === 10000000", seconds=60)
    rows = page.run("return JSON.parse(opened.object.about()).rows")
    assert rows > 1_000_000, rows
    times = page.run(
        """const times = [];
        for (let n = 0; n < 60; n++) {
          const start = performance.now();
          opened.listing.goTo(Math.floor(opened.listing.rows * n / 60));
          opened.listing.draw();
          opened.listing.box.offsetHeight;
          times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b)"""
    )
    print(f"   {rows:,} rows; a page of them takes {times[30]:.1f} ms, at most {times[-1]:.1f} ms")
    assert times[30] < 50, times
    # The end is reached by the scroll bar and by keys.
    page.keys("#listing", "\ue010")
    same(page.run("return opened.listing.at"), rows - 1)
    assert page.run("return document.querySelector('.line.at').getBoundingClientRect().bottom <= byId('listing').getBoundingClientRect().bottom + 1")
    page.run("opened.listing.box.scrollTop = 0")
    page.wait("return opened.listing.first === 0")


# A generator of random numbers that is the same everywhere.
RANDOM = "let seed = 1; const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 7;"


def damaged_files_do_no_harm(page):
    """The library ends with an error that it has words for, never with a trap."""
    page.open("#view=object")
    script = RANDOM + """
        const sample = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
        let opened = 0;
        for (let n = 0; n < 400; n++) {
          const bytes = sample.slice(0, n % 4 ? sample.length : random() % sample.length);
          for (let k = 0; k < 1 + n % 6; k++) {
            // Half of the changes are in the headers.
            const at = random() & 1 ? random() % bytes.length : (random() & 1 ? random() % 64 : bytes.length - 1 - random() % Math.min(bytes.length, 1024));
            bytes[at] = random();
          }
          let object;
          try { object = isa.open(bytes); } catch (error) {
            if (typeof error !== "string") return String(error.stack);
            continue;
          }
          opened++;
          const { rows, kernels } = JSON.parse(object.about());
          for (const row of [0, rows >> 1, rows - 1]) { object.rows(row, 40); object.detail(row); object.arrows(row, 40); object.find(row * 4); }
          object.free();
        }
        return opened"""
    for sample in ["gfx942/matmul", "gfx1100/mixed"]:
        data = base64.b64encode((SAMPLES / f"{sample}.co").read_bytes()).decode()
        opened = page.run(script, data)
        assert isinstance(opened, int) and 40 < opened < 400, opened


def random_words_do_no_harm(page):
    page.open("#target=gfx942")
    script = RANDOM + """
        for (const { name } of isa.targets) for (let n = 0; n < 150; n++) {
          const words = Array.from({ length: 5 }, () => ((random() << 16) ^ random()) >>> 0);
          const cards = isa.explain(name, words);
          const all = cards.flatMap((card) => card.words);
          if (all.join() !== words.join()) return [name, words, all];
          if (n < 20) {
            for (const field of cards[0].fields) isa.values(name, words, field.name);
            isa.everywhere(name, words);
            isa.assemble(name, cards.map((card) => card.text).join("\\n"));
          }
        }
        return 'ok'"""
    same(page.run(script), "ok")


def a_link_shows_the_same(page):
    page.open("#target=gfx942&words=d1010003_00020005")
    page.click("#tab-generations")
    link = page.hash()
    page.open(link)
    same(page.run("return !byId('view-generations').hidden && byId('view-instruction').hidden"), True)
    page.click("#tab-opcodes")
    page.run("history.back()")
    page.wait("return !byId('view-generations').hidden")
    # A product's name is as good.
    page.open("#target=mi300x&words=be8000ff_00000007")
    same(page.value("#target"), "gfx942")
    # What is nonsense is left out.
    page.open("#view=nothing&target=gfx0&words=zz_12")
    same(page.run("return byId('view-instruction').hidden"), False)


def keys_and_readers(page):
    page.open("#target=gfx942")
    page.keys("body", "3")
    same(page.state("view"), "opcodes")
    page.keys("body", "/")
    same(page.run("return document.activeElement.id"), "search")
    for view in ["instruction", "generations", "opcodes", "object"]:
        page.open(f"#view={view}&target=gfx942&words=d1010003_00020005")
        unnamed = page.run(
            """return [...document.querySelectorAll("button, input, select, textarea, [role=grid]")].filter((e) => e.checkVisibility() &&
            !(e.innerText || "").trim() && !e.getAttribute("aria-label") && !(e.labels && e.labels.length)).map((e) => e.outerHTML)"""
        )
        same(unnamed, [])
        same(page.run("return document.querySelectorAll('[role=tab][aria-selected=true]').length"), 1)


def phones_and_the_dark(page):
    for view in ["instruction", "generations", "opcodes", "object"]:
        page.phone(360, 780)
        page.open(f"#view={view}&target=gfx942&words=d1cb0400_040e0401&field=src0")
        if view == "object":
            page.click("[data-sample=gfx1100-mixed]")
        page.picture(f"phone-{view}")
        # Nothing is wider than the window.
        same(page.run("return document.documentElement.scrollWidth"), 360)
        page.desktop()
        page.open(f"#view={view}&target=gfx942&words=d1cb0400_040e0401&field=src0")
        page.click("#theme")
        page.click("#theme")
        if view == "object":
            page.click("[data-sample=gfx1100-mixed]")
        page.picture(f"dark-{view}")


TESTS = [
    text_becomes_words, words_become_text, fields_are_those_of_the_tool, a_click_turns_a_bit, a_field_can_be_edited,
    a_literal_comes_and_goes, refused_words_have_a_reason, wrong_text_has_a_reason, generations_are_those_of_the_tool,
    opcodes_are_those_of_the_tool, a_search_finds, every_operation_has_an_example, a_code_object_can_be_dropped,
    what_is_no_code_object_has_a_reason, damaged_files_do_no_harm, random_words_do_no_harm,
    ten_megabytes_stay_fluid, a_link_shows_the_same, keys_and_readers,
    phones_and_the_dark,
]  # fmt: skip


def main(page, tool, shots):
    failed = 0
    browser = Page(page, tool, shots)
    try:
        for test in TESTS:
            start = time.time()
            try:
                browser.log()
                test(browser)
                same(browser.log(), [])
                result = "ok"
            except Exception:
                failed += 1
                result = "FAILED\n" + traceback.format_exc()
            print(f"{test.__name__} ... {result} ({time.time() - start:.1f} s)", flush=True)
    finally:
        browser.close()
    sys.exit(failed > 0)


main(*sys.argv[1:])
