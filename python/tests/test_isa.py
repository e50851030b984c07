"""Every function of the package: its results, and its errors for bad input."""

import array
import copy
import doctest
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import amdgpu_isa as isa

SAMPLES = Path(__file__).parent.parent.parent / "tests" / "samples"
SAXPY = (SAMPLES / "gfx942" / "saxpy.co").read_bytes()
FMAC = bytes.fromhex("04080a76")


def text_of(path: Path) -> bytes:
    lines = isa.disassemble(path.read_bytes())
    return b"".join(bytes(line.inst) for line in lines if line.inst)


def test_the_docstring():
    assert doctest.testmod(isa).failed == 0


def test_targets_by_name():
    assert isa.Target("mi300x") == isa.Target("gfx942") == isa.Target(isa.Target("MI300A"))
    assert len({isa.Target("mi300x"), isa.Target("gfx942")}) == 1
    target = isa.Target("rx7900xtx")
    assert (target.name, target.generation, target.wave_size) == ("gfx1100", "RDNA3", 32)
    wide = target.with_wave_size(64)
    assert wide is not None and wide.wave_size == 64 and wide.processor == "gfx1100"
    assert isa.Target("mi300x").with_wave_size(32) is None
    assert isa.Target.from_e_flags(0x54C) == isa.Target("gfx942") and isa.Target.from_e_flags(0xFF) is None
    with pytest.raises(isa.UnknownTargetError, match="unknown target 'voodoo'"):
        isa.decode("voodoo", FMAC)
    with pytest.raises(TypeError):
        isa.decode(942, FMAC)


KINDS = [
    bytes,
    bytearray,
    memoryview,
    lambda b: np.frombuffer(b, np.uint8),
    lambda b: np.frombuffer(b, np.uint32),
    lambda b: np.frombuffer(b, np.uint32).reshape(3, 1),
    lambda b: array.array("I", b),
    lambda b: memoryview(b).cast("c"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_any_buffer(kind):
    code = kind(FMAC * 3)
    assert str(isa.decode("gfx942", code)) == "v_fmac_f32_e32 v5, s4, v4"
    assert [offset for offset, _ in isa.Decoder("gfx942", code)] == [0, 4, 8]
    assert isa.text("gfx942", code).count("\n") == 3


def test_other_things_are_refused():
    for wrong in ["04080a76", 1, None, [4, 8]]:
        with pytest.raises(TypeError):
            isa.decode("gfx942", wrong)
    assert len(isa.scan("gfx942", np.zeros(0, np.uint32))) == 0


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        (np.zeros((4, 4), np.uint32)[:, 1], "numpy.ascontiguousarray"),
        (np.zeros((4, 4), np.uint32).T[1:], "numpy.ascontiguousarray"),
        (np.zeros(4, ">u4"), "astype"),
        (np.zeros(4, np.float32), r"format 'f', 4 bytes each.*astype.*view"),
        (np.zeros(4, np.int32), "astype"),
        (np.zeros(4, np.uint64), "astype"),
        (np.zeros(4, np.uint16), "view"),
        (np.zeros(4, np.int8), "view"),
        (np.zeros(4, bool), "view"),
        (array.array("d", [1.0]), "astype"),
    ],
)
def test_arrays_of_other_things_are_refused_with_advice(wrong, advice):
    for call in [isa.scan, isa.text, isa.decode, isa.Decoder, lambda target, code: isa.disassemble(code, target)]:
        with pytest.raises(TypeError, match=advice):
            call("gfx942", wrong)


def test_the_iterator_sees_the_buffer_itself():
    code = bytearray(FMAC * 2)
    walk = isa.Decoder("gfx942", code)
    next(walk)
    code[4:] = bytes.fromhex("000081bf")
    assert str(next(walk)[1]) == "s_endpgm"
    # Python refuses to resize an exported buffer.
    with pytest.raises(BufferError):
        code.clear()


def test_errors_have_field_value_and_place():
    with pytest.raises(isa.DecodeError) as caught:
        isa.decode("gfx942", FMAC + bytes.fromhex("010000d2ff000000"), 4)
    error = caught.value
    assert (error.kind, error.field, error.value, error.bits) == ("reserved value", "src0", 255, (40, 32))
    assert (error.offset, error.needed) == (4, None) and isinstance(error, ValueError)
    with pytest.raises(isa.DecodeError, match="truncated: 4 bytes needed") as caught:
        isa.decode("gfx942", FMAC, 99)
    assert caught.value.needed == 4

    with pytest.raises(isa.ParseError) as caught:
        isa.assemble("gfx942", "s_endpgm\n\n  v_fmac_f32 v5, s4, w4 // no\n")
    error = caught.value
    assert (error.line, error.column, error.text[error.start : error.end]) == (2, 21, "w4")
    assert str(error).startswith("line 3, column 22: ")
    with pytest.raises(isa.ParseError) as caught:
        isa.parse("gfx942", "v_fmac_f32 v5, \u00e4\u00f6, w4")
    error = caught.value
    # Characters are counted, and not bytes.
    assert error.text[error.start : error.end] == "\u00e4\u00f6, w4" and (error.line, error.column) == (0, 15)
    with pytest.raises(isa.ParseError) as caught:
        isa.parse("gfx942", "s_delay_alu 0")
    assert caught.value.elsewhere == "gfx1100"

    inst = isa.decode("gfx942", FMAC)
    with pytest.raises(isa.ChangeError) as caught:
        inst.replace(vdst=256)
    assert (caught.value.field, caught.value.value, caught.value.width) == ("vdst", 256, 8)
    for wrong in [{"vdts": 1}, {"vdst": -200}, {"vdst": 1 << 40}]:
        with pytest.raises(isa.ChangeError):
            inst.replace(**wrong)
    with pytest.raises(isa.RetargetError):
        isa.parse("gfx942", "v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v1, a[0:3]").retarget("gfx1100")
    with pytest.raises(isa.ChangeError):
        isa.parse("gfx942", "s_endpgm").commuted()


def test_meaning():
    assert isa.parse("gfx942", "v_xad_u32 v0, v1, v2, v3").meaning == "D.u32 = (S0 ^ S1) + S2.u32"
    assert isa.parse("gfx942", "s_barrier").meaning.startswith('"')


def test_rules_beyond_decoding():
    isa.decode("gfx942", FMAC).check()
    with pytest.raises(isa.RuleError):
        isa.decode("gfx942", bytes.fromhex("000001d101040000")).check()


def test_an_instruction_is_a_value():
    inst = isa.decode("gfx942", FMAC)
    assert inst == isa.parse("gfx942", str(inst)) and hash(inst) == hash(isa.decode("gfx942", FMAC))
    assert inst.replace() == inst and inst.get("vdst") == 5 and inst.get("simm16") is None
    assert inst.words == [0x760A0804] and bytes(inst) == FMAC and len(inst) == 4
    assert [field.name for field in inst.fields] == ["encoding", "op", "vdst", "vsrc1", "src0"]
    covered = sorted(bit for field in inst.fields for low, width in field.pieces for bit in range(low, low + width))
    assert covered == list(range(32))
    with pytest.raises(AttributeError):
        inst.text = "s_nop 0"


@pytest.mark.parametrize(
    ("target", "text", "registers"),
    [
        ("gfx942", "v_fmac_f32 v5, s4, v4", [("v", 5, 1), ("s", 4, 1), ("v", 4, 1)]),
        ("gfx942", "s_load_dwordx4 s[4:7], s[2:3], 0x10", [("s", 4, 4), ("s", 2, 2), None]),
        ("gfx942", "v_mfma_f32_32x32x2_f32 a[0:15], v9, v8, a[0:15]", [("a", 0, 16), ("v", 9, 1), ("v", 8, 1)]),
        ("gfx942", "s_mov_b64 ttmp[2:3], exec", [("ttmp", 2, 2), None]),
        ("gfx1100", "v_add_f16_e32 v1.h, 1.0, v2.h", [("v", 1, 1), None, ("v", 2, 1)]),
    ],
)
def test_operands_have_numbers_of_registers(target, text, registers):
    found = [operand.register for operand in isa.parse(target, text).operands if operand.role]
    assert found[: len(registers)] == registers


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_values_can_be_pickled_and_copied(protocol):
    target = isa.Target("gfx1100:wave64")
    inst = isa.parse(target, "v_cndmask_b32 v1, v2, v3, vcc")
    values = [target, inst, *inst.operands, *isa.parse("gfx942", "s_load_dwordx4 s[4:7], s[2:3], 0x10").operands]
    for value in values:
        for again in [pickle.loads(pickle.dumps(value, protocol)), copy.copy(value), copy.deepcopy(value)]:
            assert again == value and hash(again) == hash(value) and repr(again) == repr(value)
    assert pickle.loads(pickle.dumps(inst, protocol)).target.wave_size == 64


def test_every_instruction_of_the_samples_can_be_pickled():
    for path in sorted(SAMPLES.glob("*/*.co")):
        insts = [line.inst for line in isa.disassemble(path.read_bytes()) if line.inst]
        assert insts and pickle.loads(pickle.dumps(insts)) == insts, path


def test_the_picture_is_that_of_the_command():
    svg = isa.parse("mi300x", "v_mfma_f32_32x32x8_f16 a[0:15], v[8:9], v[10:11], a[0:15]")._repr_svg_()
    assert svg == (SAMPLES.parent.parent / "docs" / "pictures" / "explain.svg").read_text()


def test_bulk_calls_agree_with_the_iterator():
    for path in [SAMPLES / "gfx942" / "matmul.co", SAMPLES / "gfx1100" / "mixed.co"]:
        target = isa.kernels(path.read_bytes())[0].target
        # Code, then data of which some is not an instruction, and an end that is cut off.
        code = text_of(path) + np.arange(0, 1 << 32, 12345677, dtype=np.uint32).tobytes() + b"\x01\x02"
        found = isa.scan(target, code)
        texts = isa.text(target, code).splitlines()
        walked = list(isa.Decoder(target, code))
        assert len(found) == len(texts) == len(walked)
        assert np.asarray(found.offsets).dtype == np.uint32
        invalid = 0
        for (offset, inst), at, length, opcode, format, text in zip(
            walked, found.offsets, found.lengths, found.opcodes, found.formats, texts, strict=True
        ):
            assert at == offset
            if isinstance(inst, isa.DecodeError):
                assert (opcode, format) == (65535, 255) and text.startswith(".long 0x") and inst.offset == offset
                invalid += 1
            else:
                assert (len(inst), inst.text) == (length, text)
                assert (isa.OPCODES[opcode], isa.FORMATS[format]) == (inst.opcode, inst.format)
        assert 0 < invalid < len(found)
        assert sum(found.lengths) == len(code)


def test_code_objects():
    assert [kernel.name for kernel in isa.kernels(SAXPY)] == ["saxpy"]
    lines = isa.disassemble(SAXPY)
    assert lines[0].address == 0x1600 and lines[-1].text == "s_endpgm" and not any(line.error for line in lines)
    bare = isa.disassemble(text_of(SAMPLES / "gfx942" / "saxpy.co"), "gfx942", 0x1600)
    assert [str(line) for line in bare] == [str(line) for line in lines]
    assert isa.disassemble(b"\xff\xff\xff\xff", "gfx942")[0].error is not None
    assert isa.kernels((SAMPLES / "gfx1100-wave64" / "reduce.co").read_bytes())[0].target.wave_size == 64
    for wrong in [b"", b"\x7fELF", SAXPY[:100], bytes(300)]:
        with pytest.raises(isa.ObjectError, match="not a code object"):
            isa.disassemble(wrong)


@pytest.mark.parametrize("seed", range(50))
def test_damaged_objects_are_answered(seed):
    random = np.random.default_rng(seed)
    damaged = np.frombuffer(SAXPY, np.uint8).copy()
    damaged[random.integers(0, len(damaged), 40)] = random.integers(0, 256, 40)
    for call in [isa.disassemble, isa.kernels]:
        try:
            call(damaged[: random.integers(1, len(damaged))])
        except isa.IsaError:
            pass


def test_text_parses_back():
    parsed = 0
    for line in isa.disassemble((SAMPLES / "gfx942" / "matmul.co").read_bytes()):
        assert line.inst is not None
        # The zeros between kernels are instructions that no assembler makes.
        if bytes(line.inst) != bytes(4):
            assert isa.parse("gfx942", line.text) == line.inst
            parsed += 1
    assert parsed > 100


def test_the_tables():
    rows = isa.operations("gfx942")
    assert {"opcode": "v_add_f32", "mnemonic": "v_add_f32", "format": "VOP2", "number": 1} in rows
    layout = isa.layouts("gfx942")["SOP2"]
    assert layout["source"] == "CDNA3 ISA 13.1.1, tables 64 and 65"
    assert layout["bits"] == 32 and {field["name"] for field in layout["fields"]} >= {"sdst", "ssrc0", "ssrc1", "op"}
    assert "gfx942" in isa.TARGETS


def test_the_stubs_have_every_name():
    stubs = (Path(isa.__file__).parent / "_native.pyi").read_text()
    for name in isa.__all__:
        assert f"def {name}(" in stubs or f"class {name}" in stubs or f"{name}:" in stubs, name
        thing = getattr(isa, name)
        for member in vars(thing) if isinstance(thing, type) else ():
            assert member.startswith("_") or f"def {member}(" in stubs or f" {member}:" in stubs, f"{name}.{member}"


@pytest.mark.parametrize("program", ["tests/typed.py", "examples/kernels.py"])
def test_types_check(program):
    path = Path(__file__).parent.parent / program
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(path)], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_the_filler_of_sources_that_an_operation_does_not_have():
    add = isa.parse("gfx1100", "v_add_f32_e64 v0, v1, v2")
    assert (add.filler, bytes(add).hex()) == ("llvm22", "000003d501050200")
    newer = add.with_filler("llvm23")
    assert (newer.filler, bytes(newer).hex(), str(newer)) == ("llvm23", "000003d501050202", str(add))
    assert isa.parse("gfx942", "s_nop 0").filler is None
    # LLVM 22 does not know gfx1154, which has the instructions of gfx1150.
    text = "v_add_f32_e64 v0, v1, v2"
    assert [isa.parse(name, text).filler for name in ("gfx1150", "gfx1153", "gfx1154")] == ["llvm22", "llvm22", "llvm23"]
    assert isa.assemble("gfx1154", text) == bytes(isa.parse("gfx1150", text).with_filler("llvm23"))
    with pytest.raises(ValueError, match="llvm23"):
        add.with_filler("llvm21")

def test_numbers_that_do_not_fit_are_never_masked():
    load = isa.parse("gfx942", "global_load_dword v0, v1, s[0:1]")
    scalar = isa.parse("gfx942", "s_load_dword s0, s[2:3], 0x0")
    move = isa.parse("gfx942", "s_movk_i32 s0, 0x0")
    literal = isa.parse("gfx942", "s_mov_b32 s0, 0x12345678")
    branch = isa.parse("gfx942", "s_branch 0")
    for inst, field, least, most in [
        (load, "offset", -4096, 4095),
        (scalar, "offset", -(1 << 20), (1 << 20) - 1),
        (move, "simm16", -0x8000, 0xFFFF),
        (literal, "literal", -(1 << 31), (1 << 32) - 1),
        (branch, "simm16", -0x8000, 0x7FFF),
        (load, "vdst", 0, 255),
    ]:
        for value in (least, most):
            changed = inst.replace(**{field: value})
            assert changed.replace(**{field: changed.get(field)}) == changed
        for value in (least - 1, most + 1, 1 << 40, -(1 << 40)):
            with pytest.raises(isa.ChangeError) as caught:
                inst.replace(**{field: value})
            assert (caught.value.field, caught.value.value) == (field, value)
    assert str(load.replace(offset=-1)).endswith("offset:-1") and load.replace(offset=-1).get("offset") == -1
    with pytest.raises(isa.ChangeError, match="has no field simm16"):
        load.replace(simm16=1 << 40)


def test_targets_can_have_settings():
    assert isa.Target("gfx942:sramecc+:xnack-") == isa.Target("gfx942")
    assert isa.Target("gfx1100:wave64").wave_size == 64
    with pytest.raises(isa.UnknownTargetError, match='gfx942 has no setting "fast"'):
        isa.Target("gfx942:fast+")
    with pytest.raises(isa.AssemblyError, match="gfx942 has no waves of 48 lanes"):
        isa.build("s_nop 0", "gfx942", wave=48)
