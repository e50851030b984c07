"""The second and the third view: the tables of other targets and other numbers."""

import json

from page import same


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
