"""The fourth view: code objects."""

import base64
import pathlib
import re
import struct

from page import RANDOM, SAMPLES, same


def listing(page, path):
    """The rows of the page and the tool's lines: address, text, words."""
    said = page.tool("dis", "--no-fold", str(path))
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
