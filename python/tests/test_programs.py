"""Sources of files, long branches, rules and known findings, results of instructions."""

import copy
import struct
from pathlib import Path

import pytest

import amdgpu_isa as isa

SAMPLES = sorted((Path(__file__).parent.parent.parent / "tests" / "samples").glob("*/*.co"))
MISSING_WAIT = "global_load_dword v0, v1, s[0:1]\nv_add_f32 v2, v0, v2\ns_endpgm\n"


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_comes_back_from_its_source(path):
    [image] = isa.open(path)
    source = image.source()
    strip, sorted_names = "`asm --strip`" in source, "`asm --sorted-names`" in source
    assert isa.build(source, strip=strip, sorted_names=sorted_names) == image.bytes


def test_a_file_without_a_source():
    old = bytearray(SAMPLES[0].read_bytes())
    old[8] = 0
    with pytest.raises(isa.ObjectError, match="only code objects of versions 4 to 6 have a source"):
        isa.open(bytes(old))[0].source()


def test_long_branches():
    source = "s_cbranch_scc0 far\n.fill 40000, 4, 0xbf800000\nfar: s_endpgm\n"
    with pytest.raises(isa.AssemblyError):
        isa.build(source, "gfx942")
    [section] = isa.open(isa.build(source, "gfx942", long_branches="s[4:5],s6"))[0].sections
    assert {"s_getpc_b64 s[4:5]", "s_setpc_b64 s[4:5]"} <= {str(line.inst) for line in section.lines()}
    for wrong in ["s[5:6]", "s4", "v[4:5]", "s[4:5],", ""]:
        with pytest.raises(ValueError, match="long_branches is two registers"):
            isa.build(source, "gfx942", long_branches=wrong)


def test_sources_are_built_for_targets():
    code = "v_mov_b32 v0, v1\ns_endpgm\n"
    for target in map(isa.Target, isa.TARGETS):
        assert isa.open(isa.build(code, target))[0].processor == target.processor
    # The target has the lanes of code outside of kernels.
    narrow, wide = isa.Target("gfx1100"), isa.Target("gfx1100").with_wave_size(64)
    assert isa.build("v_cmp_eq_u32 vcc, v0, v1", wide) == isa.build("v_cmp_eq_u32 vcc, v0, v1", "gfx1100", wave=64)
    assert isa.build("v_cmp_eq_u32 vcc_lo, v0, v1", narrow) == isa.build("v_cmp_eq_u32 vcc_lo, v0, v1", "gfx1100")
    for text, target in [("v_cmp_eq_u32 vcc, v0, v1", narrow), ("v_cmp_eq_u32 vcc_lo, v0, v1", wide)]:
        with pytest.raises(isa.AssemblyError):
            isa.build(text, target)
    with pytest.raises(TypeError):
        isa.build(code, 1)


def test_rules():
    every, some = isa.rules(), isa.rules("gfx942")
    assert {rule.id for rule in some} <= {rule.id for rule in every} and len({rule.id for rule in every}) == len(every)
    wait = next(rule for rule in some if rule.id == "missing-wait")
    assert (wait.severity, wait.needs, wait.is_strict) == ("error", None, False)
    assert str(wait) == "error[missing-wait]: a wait for a counter is missing"
    assert not any(rule.is_strict for rule in some) and len(isa.rules("gfx942", strict=True)) >= len(some)
    assert all(rule.title and rule.text for rule in every) and any(rule.sources for rule in every)
    assert all(text and (rule is None or rule) for rule, text in isa.unchecked())
    assert set(isa.unchecked("gfx942")) < set(isa.unchecked())


def test_known_findings():
    image = isa.open(isa.build(MISSING_WAIT, "gfx942"))[0]
    [finding] = image.lint()
    known = isa.Baseline()
    assert len(known) == 0 and not known.take(finding)
    known.add(finding)
    assert str(known).splitlines()[1:] == ["1 missing-wait v0 gfx942 -"]
    again = isa.Baseline(str(known))
    assert again == known == copy.copy(known) and len(again) == 1
    assert again.take(finding) and not again.take(finding)
    assert len(again) == 0 and len(known) == 1 and again != known
    with pytest.raises(isa.IsaError, match="line 2 is not COUNT RULE"):
        isa.Baseline("# a comment\nnot a finding\n")


def test_waves():
    wave = isa.Wave()
    assert (wave.exec, wave.vcc, wave.scc, wave.m0) == (2**64 - 1, 0, False, 0)
    wave.write("v4", struct.unpack("<Q", struct.pack("<d", 1.5))[0], lane=3, dwords=2)
    wave.run(isa.parse("gfx942", "v_add_f64 v[6:7], v[4:5], v[4:5]"))
    assert struct.unpack("<d", struct.pack("<Q", wave.read("v6", 3, 2)))[0] == 3.0
    assert wave.read("v6", 2, 2) == 0 and wave.read("v7", 3) == wave.read("v6", 3, 2) >> 32
    wave.write("s0", 7)
    wave.run(isa.parse("gfx942", "s_cmp_eq_u32 s0, 7"))
    assert wave.scc is True and wave.read("scc") == 1
    wave.vcc = 1 << 40
    assert wave.read("vcc", dwords=2) == 1 << 40 and wave.read("vcc_hi") == 1 << 8
    other = copy.copy(wave)
    assert other == wave
    other.m0 = 5
    assert other != wave and other.read("m0") == 5


def test_the_mode_of_a_wave():
    big = 0x3F800001
    for mode, sum in [("", 0x40000002), ("round=zero", 0x40000001), ("round32 = zero, dx10_clamp=0", 0x40000001)]:
        wave = isa.Wave(mode)
        wave.write("v0", big)
        wave.write("v1", 0x3F800002)
        wave.run(isa.parse("gfx942", "v_add_f32 v2, v0, v1"))
        assert wave.read("v2") == sum, mode
    for wrong in ["round", "round=odd", "speed=1"]:
        with pytest.raises(ValueError, match="no mode is called"):
            isa.Wave(wrong)


def test_what_a_wave_refuses():
    wave = isa.Wave()
    for name in ["v", "s300", "v4.h", "mode", "", "v-1", "v99999"]:
        with pytest.raises(ValueError, match="a wave has no register"):
            wave.read(name)
    with pytest.raises(IndexError):
        wave.read("v0", 64)
    for value, dwords in [(1 << 32, 1), (0, 3), (0, 0)]:
        with pytest.raises(ValueError):
            wave.write("v0", value, dwords=dwords)
    before = copy.copy(wave)
    with pytest.raises(isa.EvalError, match="the operation accesses memory"):
        wave.run(isa.parse("gfx942", "global_load_dword v0, v1, s[0:1]"))
    assert wave == before
