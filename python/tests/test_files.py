"""Files: every kind of container, damage to them, and the contents of a code object."""

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import amdgpu_isa as isa

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "tests" / "samples"
FILES = ROOT / "cli" / "tests" / "cli" / "files"
SAXPY = (SAMPLES / "gfx942" / "saxpy.co").read_bytes()
MIXED = (SAMPLES / "gfx1100" / "mixed.co").read_bytes()
EXAMPLE = Path(__file__).parent.parent / "examples" / "kernels.py"


def bundle(*entries: tuple[str, bytes]) -> bytes:
    """A bundle of clang's, with gaps of four bytes between its entries."""
    at = 32 + sum(24 + len(name) for name, _ in entries)
    table, data = len(entries).to_bytes(8, "little"), b""
    for name, code in entries:
        sizes = (at + len(data), len(code), len(name))
        table += b"".join(size.to_bytes(8, "little") for size in sizes) + name.encode()
        data += code + bytes(4)
    return b"__CLANG_OFFLOAD_BUNDLE__" + table + data


def changed(data: bytes, old: bytes, new: bytes) -> bytes:
    assert data.count(old) == 1 and len(old) == len(new)
    return data.replace(old, new)


def with_waves(data: bytes, name: str, lanes: int) -> bytes:
    """The code object with another size of waves in the descriptor of a kernel."""
    (kernel,) = (kernel for kernel in isa.kernels(data) if kernel.name == name)
    descriptor = bytearray(kernel.descriptor.bytes)
    descriptor[57] = descriptor[57] & ~4 | (4 if lanes == 32 else 0)
    return changed(data, kernel.descriptor.bytes, bytes(descriptor))


@pytest.mark.parametrize(
    ("name", "targets", "kernels"),
    [
        ("bundle", ["gfx942", "gfx1103"], ["add", "add"]),
        ("bundle-v2", ["gfx942", "gfx1103"], ["add", "add"]),
        ("bundle-v3", ["gfx942", "gfx1103"], ["add", "add"]),
        ("archive-gnu", ["gfx942", "gfx1103", "gfx942", "gfx1103"], ["add", "add", "add", "_amdgpu_cs_main"]),
        ("archive-bsd", ["gfx942", "gfx1103", "gfx942", "gfx1103"], ["add", "add", "add", "_amdgpu_cs_main"]),
        ("offload", ["gfx942"], ["add"]),
        ("gfx1103", ["gfx1103"], ["add"]),
        ("v4", ["gfx942"], ["add"]),
    ],
)
def test_every_container(name, targets, kernels):
    data = (FILES / name).read_bytes()
    file = isa.open(data)
    assert [image.processor for image in file] == targets and file.damage == []
    assert [kernel.name for kernel in isa.kernels(data)] == kernels
    lines = isa.disassemble(data)
    assert [str(line) for image in file for line in image.lines()] == [str(line) for line in lines]
    assert not any(line.error for line in lines)
    for image in file:
        if image.offset is not None:
            assert data[image.offset :].startswith(image.bytes)


def test_a_path_or_bytes():
    path = SAMPLES / "gfx942" / "saxpy.co"
    for file in [path, str(path), SAXPY, bytearray(SAXPY), memoryview(SAXPY), np.frombuffer(SAXPY, np.uint8)]:
        assert isa.open(file)[0].bytes == SAXPY
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        isa.open("no-such-file")
    with pytest.raises(TypeError):
        isa.open(1)


def test_a_file_is_a_sequence():
    file = isa.open(FILES / "bundle")
    assert len(file) == 2 and file[-1].processor == "gfx1103" and [image.label for image in file[:1]] == [file[0].label]
    assert file[0].label == "hipv4-amdgcn-amd-amdhsa--gfx942"
    with pytest.raises(IndexError):
        file[2]


def test_what_is_in_an_image():
    (image,) = isa.open(SAXPY)
    assert (image.label, image.offset, image.target_id, image.processor) == ("", 0, "gfx942", "gfx942")
    assert image.target == isa.Target("gfx942") and image.note is None
    (section,) = image.sections
    assert (section.name, section.address) == (".text", 0x1600)
    assert image.bytes[section.offset :].startswith(section.bytes)
    (kernel,) = image.kernels
    assert image.functions == [kernel] and kernel.is_kernel and isinstance(kernel, isa.Function)
    assert (kernel.name, kernel.address, kernel.target) == ("saxpy", 0x1600, isa.Target("gfx942"))
    assert image.bytes[kernel.offset :].startswith(kernel.code) and len(kernel.code) == kernel.size
    assert "".join(f"{line.text}\n" for line in kernel) == isa.text("gfx942", kernel.code)
    assert [str(line) for line in kernel] == [str(line) for line in kernel.lines()]
    assert [str(line) for line in image.lines()] == [str(line) for line in section.lines()]
    assert [(argument.name, argument.offset, argument.size) for argument in kernel.arguments] == [
        (None, 0, 8),
        (None, 8, 8),
        (None, 16, 4),
        (None, 20, 4),
    ]


def test_metadata():
    (image,) = isa.open(SAXPY)
    document = image.metadata
    assert document["amdhsa.version"] == [1, 2] and document["amdhsa.target"] == "amdgcn-amd-amdhsa--gfx942"
    (kernel,) = document["amdhsa.kernels"]
    assert (kernel[".name"], kernel[".symbol"], kernel[".wavefront_size"]) == ("saxpy", "saxpy.kd", 64)
    offsets = [(argument[".offset"], argument[".size"]) for argument in kernel[".args"]]
    assert offsets == [(argument.offset, argument.size) for argument in image.kernels[0].arguments]
    # The first byte of the document makes it a map of three entries; with more, the document is cut off.
    start = SAXPY.index(b"\x83\xaeamdhsa.kernels")
    (damaged,) = isa.open(SAXPY[:start] + b"\x8f" + SAXPY[start + 1:])
    with pytest.raises(isa.ObjectError, match="the metadata is damaged"):
        damaged.metadata
    code = isa.build("s_endpgm", "gfx942")
    assert isa.open(code)[0].metadata is None


def test_descriptors():
    kernel = isa.kernels((SAMPLES / "gfx90a" / "matrix90a.co").read_bytes())[0]
    descriptor = kernel.descriptor
    assert len(bytes(descriptor)) == 64 and bytes(descriptor) == descriptor.bytes
    assert descriptor.directives["accum_offset"] == descriptor.accum_offset <= descriptor.vgprs
    assert descriptor.directives["next_free_sgpr"] == descriptor.sgprs > 0
    assert descriptor.directives["user_sgpr_kernarg_segment_ptr"] == 1 and descriptor.wave_size == 64
    for kernel in isa.kernels(MIXED):
        assert kernel.descriptor.accum_offset is None and kernel.descriptor.wave_size == 32
        assert kernel.descriptor.directives["wavefront_size32"] == 1
        # The descriptors are at addresses that are their offsets in the file.
        assert MIXED.index(kernel.descriptor.bytes) + kernel.descriptor.entry == kernel.address
    pal = isa.kernels((FILES / "pal").read_bytes())[0]
    assert pal.descriptor is None and pal.arguments == [] and pal.target.wave_size == 64


@pytest.mark.parametrize("name", [kernel.name for kernel in isa.kernels(MIXED)])
def test_each_kernel_has_waves_of_its_own(name):
    data = with_waves(MIXED, name, 64)
    (image,) = isa.open(data)
    different = 0
    for kernel, old in zip(image.kernels, isa.kernels(MIXED), strict=True):
        lanes = 64 if kernel.name == name else 32
        assert kernel.target.wave_size == kernel.descriptor.wave_size == lanes
        texts = [line.text for line in kernel]
        assert texts == isa.text(kernel.target, kernel.code).splitlines()
        assert (texts == [line.text for line in old]) or kernel.name == name
        assert {line.inst.target.wave_size for line in kernel if line.inst} == {lanes}
        different += texts != [line.text for line in old]
        inside = range(kernel.address, kernel.address + kernel.size)
        assert texts == [line.text for line in isa.disassemble(data) if line.address in inside]
    # The code of these samples has no masks of lanes.
    assert different == (name not in ["bytes_to_floats", "dispatch", "halves"])


def test_functions_that_are_no_kernels():
    data = MIXED.replace(b"blend.kd", b"blend.xx")
    (image,) = isa.open(data)
    (function,) = (function for function in image.functions if not function.is_kernel)
    (kernel,) = (kernel for kernel in isa.kernels(MIXED) if kernel.name == "blend")
    assert type(function) is isa.Function and function.name == "blend" and function.code == kernel.code
    assert len(image.kernels) == len(image.functions) - 1


def test_damage_keeps_the_rest():
    whole = bundle(("hipv4-amdgcn-amd-amdhsa--gfx942", SAXPY), ("hipv4-amdgcn-amd-amdhsa--gfx1100", MIXED))
    assert len(isa.open(whole)) == 2
    cut = whole[: len(whole) - len(MIXED) // 2]
    file = isa.open(cut)
    assert [kernel.name for kernel in file[0].kernels] == ["saxpy"]
    error = file.damage[0]
    assert isinstance(error, isa.ObjectError) and str(error).startswith("offload bundle at 0x0: ")
    assert error.path == ["offload bundle", "entry hipv4-amdgcn-amd-amdhsa--gfx1100"]
    assert error.offset == whole.index(MIXED) and not error.is_decompressed
    for call in [isa.kernels, isa.disassemble]:
        with pytest.raises(isa.ObjectError, match="amdgpu_isa.open gives the rest") as caught:
            call(cut)
        assert caught.value.path == error.path


def test_what_is_skipped():
    other = ("hip-amdgcn-amd-amdhsa--gfx90a", b"BC\xc0\xde")
    file = isa.open(bundle(("hipv4-amdgcn-amd-amdhsa--gfx942", SAXPY), other))
    assert len(file) == 1
    assert file.skipped == [(other[0], "LLVM bitcode, which has no machine code yet")]
    with pytest.raises(isa.ObjectError, match="LLVM bitcode") as caught:
        isa.open(b"BC\xc0\xde")
    assert (caught.value.path, caught.value.offset) == ([], None)
    with pytest.raises(isa.ObjectError, match="amdhsa--gfx909: LLVM bitcode.*; and 5 more") as caught:
        isa.open(bundle(*[(f"hip-amdgcn-amd-amdhsa--gfx9{n:02}", b"BC\xc0\xde") for n in range(15)]))
    assert len(str(caught.value)) < 1000


def test_the_limit_of_decompression():
    data = (FILES / "bundle-v3").read_bytes()
    with pytest.raises(isa.ObjectError, match="beyond the limit of 100 bytes"):
        isa.open(data, max_decompressed=100)
    with pytest.raises(TypeError):
        isa.open(data, 100)


def test_compressed_bundles_are_unpacked_to_be_changed():
    data = (FILES / "bundle-v3").read_bytes()
    plain = isa.unpack(data)
    assert plain.startswith(b"__CLANG_OFFLOAD_BUNDLE__") and isa.unpack(plain) == plain
    packed, image = isa.open(data)[0], isa.open(plain)[0]
    assert packed.bytes == image.bytes
    with pytest.raises(isa.ObjectError, match="a bundle, an offload binary or an archive"):
        isa.replace(data, packed, packed.bytes)
    assert isa.replace(plain, image, image.bytes) == plain
    with pytest.raises(isa.ObjectError, match="beyond the limit of 100 bytes"):
        isa.unpack(data, max_decompressed=100)


@pytest.mark.parametrize(("number", "name", "target_id"), [(0xFE, b"gfx999", "gfx999"), (0x10, b"gfx942", "turks")])
def test_targets_that_this_build_cannot_decode(number, name, target_id):
    data = bytearray(SAXPY.replace(b"--gfx942", b"--" + name))
    # The ELF header has the number of the processor. If the number is unknown, the metadata has the name.
    data[48] = number
    (image,) = isa.open(data)
    kernel = image.kernels[0]
    assert image.target_id == image.processor == target_id
    assert image.target is None and kernel.target is None and kernel.descriptor is None
    refused = [image.lines, image.sections[0].lines, kernel.lines, lambda: list(kernel)]
    for call in [*refused, lambda: isa.kernels(data), lambda: isa.disassemble(data)]:
        with pytest.raises(isa.ObjectError, match=f"for {target_id}, which this build cannot decode"):
            call()
    # As in the command, another target is no way around that.
    with pytest.raises(isa.ObjectError, match=f"holds {target_id}, not gfx942"):
        kernel.lines("gfx942")
    with pytest.raises(isa.ObjectError, match=f"holds {target_id}, not gfx942"):
        image.lines("gfx942")


def test_the_number_of_an_unknown_processor_is_named():
    data = bytearray(SAXPY.replace(b"--gfx942", b"--none42"))
    data[48] = 0xFE
    (image,) = isa.open(data)
    assert image.target_id is None and image.target is None
    for call in [image.lines, image.sections[0].lines, lambda: isa.disassemble(data)]:
        with pytest.raises(isa.ObjectError, match="for processor 0xfe, which this build cannot decode"):
            call()


@pytest.mark.parametrize("seed", range(50))
def test_damaged_containers_are_answered(seed):
    random = np.random.default_rng(seed)
    whole = (FILES / ["bundle", "archive-gnu", "bundle-v3", "offload"][seed % 4]).read_bytes()
    damaged = np.frombuffer(whole, np.uint8).copy()
    damaged[random.integers(0, len(damaged), 8)] = random.integers(0, 256, 8)
    try:
        file = isa.open(damaged[: random.integers(len(damaged) // 2, len(damaged))])
    except isa.ObjectError:
        return
    for image in file:
        for function in image.functions:
            assert len(function.code) == function.size
            if function.target:
                assert sum(len(line.inst) if line.inst else 4 for line in function) >= function.size


def test_the_example(tmp_path, capsys):
    output = tmp_path / "changed.co"
    run = runpy.run_path(str(EXAMPLE))
    run["main"](run["SAMPLE"], str(output))
    out = capsys.readouterr().out
    assert "atomics: " in out and "argument at 8: 8 bytes" in out and "SOPP" in out and "->" in out
    old, new = isa.disassemble(run["SAMPLE"].read_bytes()), isa.disassemble(output.read_bytes())
    assert sum(before.text != after.text for before, after in zip(old, new, strict=True)) == 1
    assert subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=True).stdout == out


def test_findings_and_repairs():
    for path in sorted((SAMPLES / "gfx942").glob("*.co")):
        image = isa.open(path)[0]
        # A barrier of mixed.cl has no fence, so the wave does not wait for its writes to LDS.
        known = ["lds-after-barrier"] if path.stem == "mixed" else []
        assert [finding.rule for finding in image.lint()] == known
        assert {finding.severity for finding in image.lint(hints=True) if finding.rule not in known} <= {"hint"}
        assert image.fix() == image.bytes, "a file that is clean stays as it is"
        shorter = isa.open(image.trim())[0]
        assert [finding.rule for finding in shorter.lint()] == known
        assert len(list(shorter.lines())) <= len(list(image.lines()))


def test_findings_and_repairs_under_settings():
    rules = lambda image, **settings: {finding.rule for finding in image.lint(**settings)}
    image = isa.open(SAMPLES / "gfx1200" / "mixed.co")[0]
    assert not any(rule.startswith("Y14") for rule in rules(image))
    assert any(rule.startswith("Y14") for rule in rules(image, expert=True))
    repaired = isa.open(image.fix(expert=True))[0]
    assert not any(rule.startswith("Y14") for rule in rules(repaired, expert=True))
    assert image.fix(strict=True) and image.trim(xnack=False)


def test_sources_have_faults_with_places():
    with pytest.raises(isa.AssemblyError) as refused:
        isa.build("s_endpgm\n  s_nop 0 1\n\tv_ad_f32 v0, v1, v2\n", "gfx942", name="k.s")
    assert (refused.value.line, refused.value.column) == (2, 11)
    first, second = refused.value.faults
    assert (first.file, first.line, first.column, first.is_warning) == ("k.s", 2, 11, False)
    assert (second.line, second.column, second.message) == (3, 2, "unknown mnemonic on gfx942")
    assert (second.advice, second.calls) == ("v_add_f32 is similar", [])
    assert str(second) == second.text == "k.s:3:2: error: unknown mnemonic on gfx942 (v_add_f32 is similar)"
    with pytest.raises(isa.AssemblyError) as refused:
        isa.build(".macro add reg\nv_ad_f32 \\reg, v1, v2\n.endm\n  add v0\n", "gfx942", name="k.s")
    (fault,) = refused.value.faults
    assert fault.advice == "v_add_f32 is similar"
    assert [(call.name, call.file, call.line, call.column) for call in fault.calls] == [("the macro add", "k.s", 4, 3)]
    assert repr(fault.calls) == "[<k.s:4:3: the macro add>]"
    with pytest.raises(isa.AssemblyError):
        isa.build('.include "secret"', "gfx942")
    with pytest.raises(isa.AssemblyError):
        isa.build("s_endpgm", "gfx9999")
    assert isa.build("s_endpgm", "gfx942", object=True)[:4] == b"\x7fELF"


def test_code_is_found_anywhere():
    data = b"a file of another kind" + SAXPY + b"its end"
    with pytest.raises(isa.ObjectError, match="neither an ELF file"):
        isa.open(data)
    [image] = isa.open(data, scan=True)
    assert (image.label, image.target_id) == ("0x16", isa.open(SAXPY)[0].target_id)
    with pytest.raises(isa.ObjectError, match="begins anywhere in the file"):
        isa.open(b"nothing", scan=True)

def test_code_is_read_for_its_own_target():
    image = isa.open(SAMPLES / "gfx1100" / "matrix1100.co")[0]
    kernel = image.kernels[0]
    for read in [image.lint, image.fix, image.trim, image.lines, image.sections[0].lines, kernel.lines]:
        with pytest.raises(isa.ObjectError, match="holds gfx1100, not gfx1030"):
            read("gfx1030")
        # Names of the same instructions, and another wave size, are taken.
        read("gfx1100:wave64")
        read("rx7900xtx")


def test_replace_takes_a_code_object_of_the_same_processor():
    other = (SAMPLES / "gfx1100" / "matrix1100.co").read_bytes()
    for file in [SAXPY, isa.unpack((FILES / "bundle-v3").read_bytes())]:
        image = next(image for image in isa.open(file) if image.processor == "gfx942")
        for junk in [b"", b"junk", image.bytes[:100], image.bytes[:-1]]:
            with pytest.raises(isa.ObjectError, match="not a whole code object"):
                isa.replace(file, image, junk)
        with pytest.raises(isa.ObjectError, match="is for gfx1100, and the one in the file for gfx942"):
            isa.replace(file, image, other)
        assert isa.replace(file, image, image.bytes) == file
    image = isa.open(SAXPY)[0]
    with pytest.raises(isa.ObjectError, match="more bytes than the one that the image is from"):
        isa.replace(SAXPY + b"tail", image, image.bytes)
