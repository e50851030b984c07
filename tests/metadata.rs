//! The metadata and descriptors of code objects that the library makes are equal to clang's for the same kernels.
#![cfg(all(feature = "alloc", feature = "text", feature = "gfx942"))]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use amdgpu_isa::facts::RegSet;
use amdgpu_isa::kernel::{
    Access, Argument, CodeObject, CodeObjectError, DescriptorError, DescriptorPart, Hidden, Kernel, KernelDescriptor,
    KernelError, Registers,
};
use amdgpu_isa::{Reg, Target, decode_words};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

/// Processors with the settings that the code is for, and the number of lanes of a wave if it is not the default.
const TARGETS: [(&str, Option<u16>); 12] = [
    ("gfx803", None),
    ("gfx906", None),
    ("gfx906:xnack-", None),
    ("gfx908", None),
    ("gfx90a", None),
    ("gfx90a:sramecc+:xnack+", None),
    ("gfx942", None),
    ("gfx1030", None),
    ("gfx1100", None),
    ("gfx1100", Some(64)),
    ("gfx1200", None),
    ("gfx1250", None),
];

/// A kernel of `loadable/arguments.cl`, as a user of the library describes it.
struct Source {
    name: &'static str,
    arguments: Vec<Argument<'static>>,
    hidden: Vec<Hidden>,
    workgroup_size: Option<[u32; 3]>,
}

/// The kernels of the source, and the hidden arguments that each needs according to clang. Where addresses of LDS and
/// of scratch memory become flat addresses, and no registers hold their high halves, clang takes the halves from
/// memory.
fn sources(processor: &str) -> Vec<Source> {
    let source = |name, arguments: &[Argument<'static>]| Source {
        name,
        arguments: arguments.to_vec(),
        hidden: Vec::new(),
        workgroup_size: None,
    };
    let buffer = |name, of| Argument::buffer().named(name).of_type(of);
    let int = Argument::of::<i32>().named("n").of_type("int");
    let (floats, ints) = (buffer("out", "float*"), buffer("out", "int*"));
    let local = |name, of, align| Argument::local(align).named(name).of_type(of);
    let value = |name, of, size, align| Argument::value(size, align).named(name).of_type(of);
    let with_grid = |others: &[Hidden]| {
        // The order of hidden arguments does not matter.
        let mut hidden = [others, Hidden::GRID].concat();
        if processor == "gfx803" {
            hidden.extend([Hidden::SharedBase, Hidden::PrivateBase]);
        }
        hidden
    };
    let all = [
        Hidden::QueuePtr,
        Hidden::HostcallBuffer,
        Hidden::MultigridSyncArg,
        Hidden::HeapV1,
        Hidden::DefaultQueue,
        Hidden::CompletionAction,
    ];
    vec![
        source("empty", &[]),
        source("tail", &[ints, value("n", "char", 1, 1)]),
        source(
            "vectors",
            &[
                floats,
                value("v", "float3", 16, 16),
                Argument::of::<i8>().named("c").of_type("char"),
                Argument::of::<i16>().named("s").of_type("short"),
                value("d", "double2", 16, 16),
            ],
        ),
        source(
            "structs",
            &[
                floats,
                Argument::of::<[i32; 3]>().named("s").of_type("Twelve"),
                value("t", "TwentyFour", 24, 8),
                value("u", "Three", 3, 1),
                int,
            ],
        ),
        source("locals", &[floats, local("l", "float*", 4), local("m", "double2*", 16), int]),
        source(
            "fixed_local",
            &[floats.restrict().actual_access(Access::Write), buffer("in", "float*").constant_data()],
        ),
        Source {
            workgroup_size: Some([64, 2, 1]),
            ..source(
                "flags",
                &[
                    floats,
                    Argument::constant()
                        .named("c")
                        .of_type("float*")
                        .constant_data()
                        .restrict()
                        .actual_access(Access::Read),
                    buffer("g", "float*").constant_data().volatile(),
                    Argument::image().named("i").of_type("image2d_t").access(Access::Read),
                    Argument::image().named("j").of_type("image3d_t").access(Access::Write),
                    Argument::sampler().named("s").of_type("sampler_t"),
                    Argument::pipe().named("p").of_type("int").access(Access::Read),
                    Argument::queue().named("q").of_type("queue_t"),
                ],
            )
        },
        source("scratch", &[ints, int]),
        Source { hidden: with_grid(&[]), ..source("groups", &[ints]) },
        Source { hidden: with_grid(&all), ..source("hidden", &[ints, value("n", "char", 1, 1)]) },
        Source { hidden: with_grid(&[Hidden::DynamicLdsSize]), ..source("dynamic", &[ints, local("l", "int*", 4)]) },
        Source {
            hidden: if processor == "gfx803" { with_grid(&[Hidden::DynamicLdsSize]) } else { Vec::new() },
            ..source("flat", &[ints, local("l", "int*", 4), int])
        },
        source("accumulate", &[ints, int]),
    ]
}

fn work(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("metadata-{name}"))
}

fn run(tool: &str, arguments: &[&str]) -> String {
    let run = Command::new(tool).args(arguments).output();
    let run = run.unwrap_or_else(|error| panic!("{tool}, of Debian's llvm-22 and clang-22: {error}"));
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("text")
}

/// The metadata of a file, as LLVM prints it.
fn notes(path: &Path) -> String {
    let text = run("llvm-readelf-22", &["--notes", path.to_str().unwrap()]);
    let (_, document) = text.split_once("---\n").unwrap_or_else(|| panic!("no document: {text}"));
    document.trim_end().to_string()
}

/// The bytes of the symbols of a file.
fn symbols(file: &object::File<'_>) -> BTreeMap<String, Vec<u8>> {
    let of = |symbol: object::Symbol<'_, '_>| {
        let section = file.section_by_index(symbol.section_index()?).ok()?;
        let start = (symbol.address() - section.address()) as usize;
        let bytes = section.data().ok()?.get(start..)?.get(..symbol.size() as usize)?.to_vec();
        Some((symbol.name().ok()?.to_string(), bytes))
    };
    file.symbols().chain(file.dynamic_symbols()).filter(|symbol| symbol.size() > 0).filter_map(of).collect()
}

/// The registers that the code names. Every flat instruction reads flat_scratch, but this register counts only if the
/// kernel writes it.
fn registers(target: Target, code: &[u32]) -> Registers {
    let (mut set, mut written) = (RegSet::new(target), RegSet::new(target));
    let mut rest = code;
    while !rest.is_empty() {
        let inst = decode_words(target, rest).unwrap_or_else(|error| panic!("{target}: {error}"));
        set = set | inst.reads() | inst.writes();
        written |= inst.writes();
        rest = &rest[inst.words().len()..];
    }
    Registers { flat_scratch: written.contains(Reg::FlatScratch), ..Registers::of(target, &set) }
}

#[test]
fn metadata_and_descriptors_are_those_of_clang() {
    let mut compared = 0;
    for (id, lanes) in TARGETS {
        let processor = id.split(':').next().unwrap();
        let Ok(target) = processor.parse::<Target>() else { continue };
        let target = target.with_wave_size(lanes.unwrap_or(target.wave_size()));
        // The build may lack the target.
        let Some(target) = target else { continue };
        let theirs = work(&format!("{}-clang.o", target.name().replace(':', "-")));
        let arguments = "-O1 -target amdgcn-amd-amdhsa -x cl -cl-std=CL2.0 -cl-kernel-arg-info -nogpulib -w -c";
        let mut arguments: Vec<&str> = arguments.split(' ').collect();
        let mcpu = format!("-mcpu={id}");
        if lanes.is_some() {
            arguments.push("-mwavefrontsize64");
        }
        arguments.extend([&mcpu, "-o", theirs.to_str().unwrap(), "tests/loadable/arguments.cl"]);
        run("clang-22", &arguments);
        let bytes = std::fs::read(&theirs).unwrap();
        let clangs = symbols(&object::File::parse(&*bytes).unwrap());

        let sources = sources(processor);
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
        };
        let codes: Vec<Vec<u32>> = sources.iter().map(|source| words(&clangs[source.name])).collect();
        let descriptor = |name: &str| {
            let bytes = clangs[&format!("{name}.kd")].as_slice().try_into().unwrap();
            KernelDescriptor::from_bytes(bytes)
        };
        let kernels: Vec<Kernel<'_>> = (sources.iter().zip(&codes))
            .map(|(source, code)| {
                // The parts that the library fills in are left out.
                let mut descriptor = descriptor(source.name);
                descriptor.set(target, DescriptorPart::KernargSize, 0).unwrap();
                // For workgroups of a fixed size clang allocates more registers than the code names: also the registers
                // that no further workgroup could use.
                if source.workgroup_size.is_none() {
                    let word = descriptor.rsrc1().with_granulated_workitem_vgpr_count(0).unwrap();
                    descriptor.set_rsrc1(word.with_granulated_wavefront_sgpr_count(0).unwrap());
                }
                let registers = registers(target, code);
                let xnack_mask = registers.xnack_mask && !id.contains("xnack-");
                let kernel = Kernel::new(target, source.name, code, Registers { xnack_mask, ..registers })
                    .descriptor(descriptor)
                    .arguments(&source.arguments)
                    .hidden(&source.hidden)
                    .max_workgroup_size(256);
                source.workgroup_size.map_or(kernel, |size| kernel.workgroup_size(size))
            })
            .collect();
        let mut object = CodeObject::new(processor.parse().unwrap(), &kernels).language("OpenCL C", [2, 0]);
        for setting in id.split(':').skip(1) {
            object = match setting {
                "xnack-" => object.xnack(false),
                "xnack+" => object.xnack(true),
                "sramecc+" => object.sramecc(true),
                _ => panic!("{setting}"),
            };
        }
        let elf = object.to_elf().unwrap_or_else(|error| panic!("{id}: {error}"));
        let ours = work(&format!("{}.co", target.name().replace(':', "-")));
        std::fs::write(&ours, &elf).unwrap();
        let (wanted, made) = (notes(&theirs), notes(&ours));
        if wanted != made {
            let name =
                |lines: &str| lines.lines().rev().find(|line| line.starts_with("    .name:")).map(str::to_string);
            let same: usize =
                wanted.lines().zip(made.lines()).take_while(|(a, b)| a == b).map(|(a, _)| a.len() + 1).sum();
            let head = |text: &str| text[same.min(text.len())..].lines().take(8).collect::<Vec<_>>().join("\n");
            panic!(
                "{id} {target}, after {:?}:\nclang\n{}\nours\n{}",
                name(&wanted[..same]),
                head(&wanted),
                head(&made)
            );
        }
        let own = symbols(&object::File::parse(&*elf).unwrap());
        for source in &sources {
            let made = KernelDescriptor::from_bytes(own[&format!("{}.kd", source.name)].as_slice().try_into().unwrap());
            let mut wanted = descriptor(source.name);
            wanted.set_entry(made.entry());
            assert_eq!(made, wanted, "{id} {}", source.name);
            assert!(own[source.name] == clangs[source.name], "{id} {}", source.name);
            compared += 1;
        }
    }
    assert!(compared >= 13, "{compared} kernels");
}

fn made(processor: &str, kernels: &[Kernel<'_>]) -> Result<(), CodeObjectError> {
    CodeObject::new(processor.parse().unwrap(), kernels).to_elf().map(|_| ())
}

#[test]
fn kernels_that_do_not_fit_the_file_are_refused() {
    let target = Target::Gfx942;
    let end = [0xbf81_0000];
    let kernel = |name| Kernel::new(target, name, &end, Registers::new(target));
    let refused = |kernels: &[Kernel<'_>]| match made("gfx942", kernels) {
        Err(CodeObjectError::Kernel { kernel, error }) => (kernel, error),
        other => panic!("{other:?}"),
    };
    assert_eq!(made("gfx942", &[kernel("a"), kernel("b")]), Ok(()));
    for name in ["", "a\0b", "a"] {
        assert_eq!(refused(&[kernel("a"), kernel(name)]), (1, KernelError::Name));
    }
    // The symbol of a kernel's descriptor ends in `.kd`.
    for names in [["a", "a.kd"], ["a.kd", "a"], ["a.kd.kd", "a.kd"]] {
        assert_eq!(refused(&names.map(kernel)), (1, KernelError::Name), "{names:?}");
    }
    assert_eq!(made("gfx942", &[kernel("a.kd"), kernel("b.kd"), kernel("kd"), kernel(".kd")]), Ok(()));

    // Code that is empty or has words that do not decode is refused. Data after the end of the program is not checked
    // as code.
    let add = [0xbf80_0000, 0xffff_ffff];
    let error = |code: &[u32]| refused(&[Kernel::new(target, "k", code, Registers::new(target))]).1;
    assert!(matches!(error(&[]), KernelError::Code { dword: 0, .. }));
    assert!(matches!(error(&add), KernelError::Code { dword: 1, .. }));
    let data = [0xbf81_0000, 0xffff_ffff];
    assert_eq!(made("gfx942", &[Kernel::new(target, "k", &data, Registers::new(target))]), Ok(()));

    // A descriptor of another generation has bits without a meaning.
    let mut other = KernelDescriptor::new(target);
    other.set_rsrc1(other.rsrc1().with_mem_ordered(true));
    assert_eq!(refused(&[kernel("k").descriptor(other)]), (0, KernelError::Descriptor));

    let registers = Registers { vgprs: 513, ..Registers::new(target) };
    let error = refused(&[Kernel::new(target, "k", &end, registers)]).1;
    assert_eq!(error, KernelError::Registers(DescriptorError::Vgprs));
    // Vector registers after the first 256 must be accumulation registers, because code has no other names for them.
    let with = |vgprs, accum_offset, agprs| {
        let registers = Registers { vgprs, accum_offset, agprs, ..Registers::new(target) };
        made("gfx942", &[Kernel::new(target, "k", &end, registers)])
    };
    let nameless = KernelError::Registers(DescriptorError::AccumOffset);
    for (vgprs, accum_offset, agprs, is_taken) in
        [(4, 4, 0, true), (5, 4, 0, false), (512, 4, 0, false), (512, 256, 256, true), (256, 256, 0, true)]
    {
        let expected = Err(CodeObjectError::Kernel { kernel: 0, error: nameless });
        assert_eq!(with(vgprs, accum_offset, agprs), if is_taken { Ok(()) } else { expected }, "{vgprs}");
    }

    let wrong = [(12, 0), (12, 12), (4, 8192), (4, 1 << 31)].map(|(size, align)| Argument::value(size, align));
    for argument in wrong.into_iter().chain([Argument::local(0), Argument::local(3)]) {
        let arguments = [Argument::buffer(), argument];
        assert_eq!(refused(&[kernel("k").arguments(&arguments)]), (0, KernelError::Alignment { argument: 1 }));
    }
    assert_eq!(made("gfx942", &[kernel("k").arguments(&[Argument::value(1, 4096)])]), Ok(()));
    let arguments = [Argument::buffer(), Argument::of::<()>()];
    assert_eq!(refused(&[kernel("k").arguments(&arguments)]), (0, KernelError::Empty { argument: 1 }));
    let mut given = KernelDescriptor::new(target);
    given.set(target, DescriptorPart::KernargSize, 8).unwrap();
    let arguments = [Argument::buffer(), Argument::of::<u8>()];
    let error = refused(&[kernel("k").descriptor(given).arguments(&arguments)]).1;
    assert_eq!(error, KernelError::ArgumentsSize { needed: 12 });
    given.set(target, DescriptorPart::KernargSize, 16).unwrap();
    assert_eq!(made("gfx942", &[kernel("k").descriptor(given).arguments(&arguments)]), Ok(()));
    let most = Argument::value(u32::MAX, 1);
    for arguments in [&[most][..], &[most, most], &[Argument::value(0xffff_fff0, 1), Argument::value(16, 16)]] {
        let error = refused(&[kernel("k").arguments(arguments)]).1;
        assert_eq!(error, KernelError::ArgumentsSize { needed: u32::MAX });
    }
    for size in [[0, 1, 1], [1, 0, 1], [33, 32, 1], [1025, 1, 1], [0x10000, 0x10000, 1]] {
        assert_eq!(refused(&[kernel("k").workgroup_size(size)]), (0, KernelError::Workgroup));
    }
    for most in [0, 1025, u32::MAX] {
        assert_eq!(refused(&[kernel("k").max_workgroup_size(most)]), (0, KernelError::Workgroup), "{most}");
    }
    for most in [1, 1024] {
        assert_eq!(made("gfx942", &[kernel("k").max_workgroup_size(most)]), Ok(()), "{most}");
    }
    let sized = |most| kernel("k").workgroup_size([16, 16, 1]).max_workgroup_size(most);
    assert_eq!(refused(&[sized(255)]), (0, KernelError::Workgroup));
    assert_eq!(made("gfx942", &[sized(256), kernel("l").workgroup_size([32, 32, 1])]), Ok(()));
}

/// The kernel's target must be that of the file, whatever the processor's name: gfx1101 has the instructions of
/// gfx1100.
#[test]
fn targets_and_sizes_of_waves_are_compared() {
    let all: Vec<Target> = Target::ALL.to_vec();
    let end = |target: Target| [amdgpu_isa::parse(target, "s_endpgm").unwrap().words()[0]];
    for &target in &all {
        let code = end(target);
        for &other in &all {
            let kernel = Kernel::new(target, "k", &code, Registers::new(target));
            let wanted = match target.processor() == other.processor() {
                true => Ok(()),
                false => Err(CodeObjectError::Kernel { kernel: 0, error: KernelError::Target { target } }),
            };
            assert_eq!(made(other.processor(), &[kernel]), wanted, "{target} in {other}");
            if target.processor() == other.processor() {
                let kernel = kernel.descriptor(KernelDescriptor::new(other));
                let wanted = match target == other {
                    true => Ok(()),
                    false => Err(CodeObjectError::Kernel { kernel: 0, error: KernelError::WaveSize }),
                };
                assert_eq!(made(other.processor(), &[kernel]), wanted, "{target} for {other}");
            }
        }
    }
}
