"""The first view: text, words, bits, fields, and reasons."""

import json
import re

from page import RANDOM, same


def text_becomes_words(page):
    page.open("#target=gfx942")
    page.type("#text", "v_add_f32_e64 v3, s5, v0")
    same(page.words(), ["d1010003", "00020005"])
    same(page.value("#hex"), "d1010003 00020005")
    same(page.text(".card h2"), "v_add_f32_e64 v3, s5, v0")
    page.picture("instruction")


def a_directive_chooses_the_filler(page):
    page.open("#target=gfx1100")
    page.type("#text", "v_add_f32_e64 v0, v1, v2\n.amdgpu_isa_fill llvm23\nv_add_f32_e64 v0, v1, v2")
    same(page.words(), ["d5030000", "00020501", "d5030000", "02020501"])
    page.type("#text", ".amdgpu_isa_fill llvm21")
    assert "expected llvm22 or llvm23" in page.text("#problem"), page.text("#problem")


def words_become_text(page):
    page.open("#target=gfx1100")
    page.type("#hex", "0xF4080100 0xF8000000 360200BF")
    same(page.value("#text"), "s_load_b128 s[4:7], s[0:1], null\nv_and_b32_e32 v1, 63, v0")
    same(len(page.texts(".card")), 2)
    page.type("#hex", "1234567")
    assert "neither a byte" in page.text("#problem"), page.text("#problem")


def fields_are_those_of_the_tool(page):
    """Compares names, bits, values and meanings for words of many formats."""
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


def each_format_says_where_the_manual_has_it(page):
    for target in ["gfx942", "gfx1100"]:
        layouts = {layout["name"]: layout["source"] for layout in json.loads(page.tool("isa", "--json", "--target", target))["targets"][0]["formats"]}
        assert all(" ISA" in source or "LLVM" in source for source in layouts.values()), layouts
        page.open(f"#view=opcodes&target={target}&format=VOP2")
        assert layouts["VOP2"] in page.text(".about-format"), page.text(".about-format")
        for words, formats in [("bf800000", ["SOPP"]), ("020400fa ff0d1b01", ["VOP2", "DPP"]), ("d1010003 00020005", ["VOP3A"]), ("020000ff 12345678", ["VOP2", "LITERAL"])]:
            page.open(f"#target={target}&words={words.replace(' ', '_')}")
            if page.text(".reason b") is None:
                same(page.texts(".fields .source"), [f"{name} {layouts[name]}" for name in formats])
    page.open("#target=gfx942&words=d1010003_00020005")
    same(page.texts(".fields .source"), ["VOP3A CDNA3 ISA 13.3.4, tables 83 and 84"])
    same(page.run("return document.querySelector('.cell').title"), "encoding = 0x34: VOP3A\nCDNA3 ISA 13.3.4, tables 83 and 84")
    # Refused words have fields, too.
    page.open("#target=gfx942&words=d3c48000_ffffffff")
    same(len(page.texts(".fields .source")), 1)


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
    # The list of the other values.
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


def words_that_were_typed_stay(page):
    page.open("#target=gfx1100")
    page.type("#hex", "c8e00202 04060702")
    page.run("chooseTarget('gfx1250')")
    same(page.words(), ["c8e00202", "04060702"])
    # Text becomes the other target's words.
    page.open("#target=gfx942")
    page.type("#text", "s_endpgm")
    page.run("chooseTarget('gfx1100')")
    same(page.words(), ["bfb00000"])


def colours_last(page):
    page.open("#target=gfx942")
    page.run("byId('theme').click()")
    same(page.run("return document.documentElement.style.colorScheme"), "light")
    page.open("#target=gfx1100")
    same(page.run("return document.documentElement.style.colorScheme"), "light")
    page.run("remember('colours', '')")
