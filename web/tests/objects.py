"""The fourth view: code objects."""

import base64
import pathlib
import re
import struct
import zlib

from page import FILES, RANDOM, SAMPLES, same


def listing(page, path):
    """The rows of the page and the tool's lines: address, text, words. For all code objects of the file, one after the other."""
    said = page.tool("dis", "--no-fold", str(path))
    wanted = re.findall(r"^\t(.*?) *// ([0-9A-F]+): (.+?)(?: <.*>)?$", said, re.M)
    wanted = [(address, text.strip(), words) for text, address, words in wanted]
    everything = page.run(
        """return JSON.parse(opened.object.about()).images.flatMap((image, n) => {
          if (image.unknown) return [];
          const object = isa.open(opened.bytes, n, "gfx942");
          const rows = JSON.parse(object.rows(0, 1e6));
          object.free();
          return rows;
        })"""
    )
    rows = [(row["address"], row["text"], row["error"] or row["words"]) for row in everything if not row["label"]]
    labels = [row["label"] for row in everything if row["label"]]
    wanted_labels = re.findall(r"^(?:[0-9a-f]+ <(.*)>:.*|(L[0-9a-f]+):)$", said, re.M)
    same(labels, [symbol or local for symbol, local in wanted_labels])
    for row, line in zip(rows, wanted, strict=True):
        same(row, line)
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
    # Follows a branch, and goes back.
    page.click_text(".kernel > button", "atomics")
    at = page.run("return opened.object.find(0x2580)")
    page.run("opened.listing.select(arguments[0])", at + 1 if page.run("return JSON.parse(opened.object.rows(arguments[0], 1))[0].label", at) else at)
    page.keys("#listing", "\ue007")
    same(page.text(".line.at"), "00000000255C\tL255c:".replace("\t", "\n"))
    same(page.state("at"), "0x255c")
    page.keys("#listing", "\ue003")
    assert "s_cbranch_scc1" in page.text(".line.at")
    # The effects of an instruction.
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
    # Opens a file from the disk.
    page.open("#view=object")
    page.keys("#file", str(SAMPLES / "gfx942/saxpy.co"))
    page.wait("return opened.object")
    same(page.text("#target option:checked").split()[0], "gfx942")


def files_of_every_kind_can_be_dropped(page):
    """Bundles, compressed ones, archives, offload binaries, host programs: as the tool reads them."""
    page.open("#view=object")
    bundle = (FILES / "bundle").read_bytes()
    kinds = {name: ((FILES / name).read_bytes(), 2) for name in ["bundle", "bundle-v2", "bundle-v3"]}
    kinds |= {name: ((FILES / name).read_bytes(), 4) for name in ["archive-gnu", "archive-bsd"]}
    kinds["offload"] = ((FILES / "offload").read_bytes(), 1)
    kinds["zlib"] = (compressed(bundle), 2)
    kinds["program"] = (elf(compressed(bundle) + bytes(4096) + bundle, 0, machine=62, name=b".hip_fatbin"), 4)
    for name, (data, images) in kinds.items():
        page.run("opened.object = null")
        page.drop(name, data)
        page.wait("return opened.object")
        file = page.shots / "dropped"
        file.write_bytes(data)
        listing(page, file)
        file.unlink()
        same(len(page.run("return JSON.parse(opened.object.about()).images")), images)
        same(len(page.texts("#images option")), images if images > 1 else 0)
    # Selects another code object with keys. The address bar has it, and a link opens it.
    page.drop("bundle", (FILES / "bundle-v3").read_bytes())
    page.wait("return document.querySelectorAll('#images option').length === 2")
    same(page.state("target"), "gfx942")
    same(page.texts("#images option"), ["1. gfx942, 1 kernel", "2. gfx1103, 1 kernel"])
    page.picture("bundle")
    page.keys("#images", "\ue015")
    page.wait("return state.target === 'gfx1100'")
    same(page.state("image"), "1")
    page.open(page.hash())
    page.drop("bundle", (FILES / "bundle").read_bytes())
    page.wait("return opened.object")
    same(page.value("#images"), "1")
    # Another file is opened at its first code object.
    page.drop("bundle", (FILES / "archive-gnu").read_bytes())
    page.wait("return document.querySelectorAll('#images option').length === 4")
    same(page.value("#images"), "0")


def what_is_no_code_object_has_a_reason(page):
    page.open("#view=object")
    program = pathlib.Path("/proc/self/exe").read_bytes()
    packed = compressed((FILES / "bundle").read_bytes())
    for data, reason in [
        (b"hello", "neither an ELF file"),
        (b"CCOB" + bytes(60), "version 0 is not known"),
        (program, "a host program without GPU code"),
        # One bundle claims to decompress to a gigabyte, and one is shorter than its header states.
        (packed[:8] + struct.pack("<QQ", len(packed), 1 << 30) + packed[24:], "more than the 512 MB that this page takes"),
        (packed[:8] + struct.pack("<QQ", len(packed), 1 << 20)[:16] + b"\0" * 40, "cut off"),
        (elf(bytes(4), 0x20), "this page does not know gfx600") if "gfx600" not in page.run("return isa.targets.map((t) => t.name)") else (b"", "the file is empty"),
    ]:
        page.drop("x", data)
        said = page.wait("return byId('refused').textContent")
        assert reason in said and "--" not in said, said
        page.run("byId('refused').textContent = ''")
    # A damaged file is shown as far as it can be read.
    page.drop("x", (FILES / "bundle").read_bytes()[:-700])
    page.wait("return opened.object")
    assert "cut off" in page.run("return document.querySelector('.notes').textContent")


# s5 counts down; the first instruction is at 0x1000.
LOOP = """s_load_dwordx2 s[2:3], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
global_load_dword v1, v0, s[2:3]
s_waitcnt vmcnt(0)
v_add_f32_e32 v2, v1, v2
global_load_dword v1, v0, s[2:3] offset:16
s_sub_u32 s5, s5, 1
s_cbranch_scc0 65530
s_waitcnt vmcnt(0)
v_mov_b32_e32 v3, v1
s_endpgm"""


def a_line_says_what_it_has_to_do_with_others(page):
    """The relations are those along all paths, around a loop, too."""
    page.open("#target=gfx942")
    words = page.run("return isa.assemble('gfx942', arguments[0]).words", LOOP)
    page.drop("loop", elf(struct.pack(f"<{len(words)}I", *words), 0x54C))
    page.wait("return opened.object")
    texts = page.run("return JSON.parse(opened.object.rows(0, 99)).map((row) => row.label ? '' : row.text)")
    at = {n: page.run("return JSON.parse(opened.object.rows(arguments[0], 1))[0].address.replace(/^0+/, '')", n) for n in range(len(texts))}
    row = lambda text, skip=0: [n for n, other in enumerate(texts) if other.startswith(text)][skip]
    loads = [row("global_load", n) for n in (0, 1)]
    waits = [row("s_waitcnt vmcnt", n) for n in (0, 1)]
    add, branch = row("v_add"), row("s_cbranch")

    def said(n):
        page.run("opened.listing.select(arguments[0])", n)
        lists = zip(page.texts("#detail .origins dt"), page.run("return [...document.querySelectorAll('#detail .origins dd')].map((e) => [...e.querySelectorAll('.chip, .given')].map((c) => c.innerText))"))
        return {name: sorted(items) for name, items in lists}

    load = [f"vmcnt global_load_dword at {at[n]}" for n in loads]
    same(said(waits[0]), {"waits for": load})
    same(said(waits[1]), {"waits for": load[1:]})
    same(said(add)["values from"], sorted([f"v1 global_load_dword at {at[n]}" for n in loads] + [f"v2 v_add_f32 at {at[add]}", "v2 as the function was entered"]))
    same(said(loads[1])["waited for by"], [f"vmcnt s_waitcnt at {at[n]}" for n in waits])
    same(said(loads[0])["waited for by"], [f"vmcnt s_waitcnt at {at[waits[0]]}"])
    same(said(row("s_load"))["waited for by"], [f"lgkmcnt s_waitcnt at {at[row('s_waitcnt lgkm')]}"])
    same(page.texts("#detail .facts:not(.origins) dt")[:2], ["reads", "writes"])
    assert "VOP2 · CDNA3 ISA 13.3.1, tables 76 and 77" in (said(add) and page.text("#detail")), page.text("#detail")
    # The page works with keys, and for screen readers.
    page.keys("#listing", "\ue011")
    for _ in range(waits[0]):
        page.keys("#listing", "\ue015")
    same(page.run("return [byId('listing').getAttribute('aria-activedescendant'), opened.listing.at]"), [f"row-{waits[0]}", waits[0]])
    same(page.texts(".line.origin .mnemonic"), ["global_load_dword"] * 2)
    same(page.run("return byId('detail').getAttribute('aria-live')"), "polite")
    page.picture("ways")
    # The relations of the row under the pointer.
    page.run("document.querySelector(`[data-row='${arguments[0]}']`).dispatchEvent(new MouseEvent('mouseenter'))", add)
    assert page.text("#detail h2").startswith("v_add_f32_e32"), page.text("#detail h2")


UNWAITED = """global_load_dword v1, v0, s[2:3]
v_mul_f32_e32 v3, v0, v0
v_add_f32_e32 v2, v1, v2
s_endpgm"""


def findings_stand_beside_the_listing(page):
    page.open("#target=gfx942")
    words = page.run("return isa.assemble('gfx942', arguments[0]).words", UNWAITED)
    page.drop("unwaited", elf(struct.pack(f"<{len(words)}I", *words), 0x54C))
    page.wait("return opened.object")
    same(page.text("#findings summary"), "1 error")
    page.click_text("#findings button", "v1 is used before it is loaded")
    assert "v_add_f32" in page.text(".line.at") and "error: v1 is used" in page.text(".line.at.found.error"), page.text(".line.at")
    said = page.text("#detail .finding.error")
    assert said.startswith("error[missing-wait]: v1 is used before it is loaded; insert s_waitcnt vmcnt(0)"), said
    page.picture("findings")
    # A file without findings says so.
    page.drop("end", elf(struct.pack("<I", 0xBF810000), 0x54C))
    page.wait("return opened.listing.rows < 4")
    same(page.text("#findings summary"), "No wait and no distance is missing")


def the_listing_can_be_searched(page):
    page.open("#target=gfx942")
    words = page.run("return isa.assemble('gfx942', arguments[0]).words", LOOP)
    page.drop("loop", elf(struct.pack(f"<{len(words)}I", *words), 0x54C))
    page.wait("return opened.object")
    page.run("opened.listing.select(0)")
    first, second = "global_load_dword v1, v0, s[2:3]", "global_load_dword v1, v0, s[2:3] offset:16"
    for part, found in [("GLOBAL", first), ("global", second), ("global_load", first), ("s_endpgm", "s_endpgm"), ("v_add", "v_add_f32_e32 v2, v1, v2")]:
        page.run("return findNext(arguments[0])", part)
        same(page.text(".line.at .code"), found)
    page.run("return findNext('nothing')")
    page.wait("return byId('hits').textContent === 'not in this listing'")


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
          try { object = isa.open(bytes, undefined, "gfx942"); } catch (error) {
            if (typeof error !== "string") return String(error.stack);
            continue;
          }
          opened++;
          const { rows, kernels } = JSON.parse(object.about());
          for (const row of [0, rows >> 1, rows - 1]) { object.rows(row, 40); object.detail(row); object.arrows(row, 40); object.find(row * 4); object.search('s_', row, 40); }
          object.findings(bytes);
          object.free();
        }
        return opened"""
    bundle = (FILES / "bundle").read_bytes()
    samples = [(SAMPLES / f"{sample}.co").read_bytes() for sample in ["gfx942/matmul", "gfx1100/mixed"]]
    samples += [bundle, (FILES / "bundle-v3").read_bytes(), compressed(bundle), (FILES / "archive-gnu").read_bytes(), (FILES / "offload").read_bytes()]
    for sample in samples:
        opened = page.run(script, base64.b64encode(sample).decode())
        assert isinstance(opened, int) and 10 < opened <= 400, opened


def compressed(bundle):
    """Compresses as clang does without zstd."""
    packed = zlib.compress(bundle)
    return b"CCOB" + struct.pack("<HHQQQ", 3, 0, 32 + len(packed), len(bundle), 0) + packed


def elf(code, flags, machine=224, name=b".text"):
    """A code object with nothing but code, or a host program with some."""
    names = b"\0" + name + b"\0.shstrtab\0"
    code_at = 64
    names_at = code_at + len(code)
    headers_at = names_at + len(names) + 15 & ~15
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1\x40\4", 3, machine, 1, 0, 0, headers_at, flags, 64, 0, 0, 64, 3, 2)
    section = lambda *values: struct.pack("<IIQQQQIIQQ", *values)
    sections = section(*[0] * 10) + section(1, 1, 6, 0x1000, code_at, len(code), 0, 0, 256, 0) + section(2 + len(name), 3, 0, 0, names_at, len(names), 0, 0, 1, 0)
    return (header + code + names).ljust(headers_at, b"\0") + sections


def ten_megabytes_stay_fluid(page):
    page.open("#view=object")
    sample = (SAMPLES / "gfx942/matmul.co").read_bytes()
    body = struct.unpack_from("<I", sample, 48)[0]
    # The code of the sample, repeated. Its largest section is the code.
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
    times = page.run(
        """const times = [];
        for (let n = 1; n < 60; n++) {
          const start = performance.now();
          opened.object.detail(Math.floor(opened.listing.rows * n / 60));
          times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b)"""
    )
    print(f"   the line under the pointer takes {times[30]:.1f} ms, at most {times[-1]:.1f} ms")
    assert times[30] < 50 and times[-1] < 1000, times
    # The end is reached by the scroll bar and by keys.
    page.keys("#listing", "\ue010")
    same(page.run("return opened.listing.at"), rows - 1)
    assert page.run("return document.querySelector('.line.at').getBoundingClientRect().bottom <= byId('listing').getBoundingClientRect().bottom + 1")
    page.run("opened.listing.box.scrollTop = 0")
    page.wait("return opened.listing.first === 0")
