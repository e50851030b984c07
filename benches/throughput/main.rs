//! Measures the throughput of the library's functions, compared with alternatives for the same bytes.
//!
//! ```text
//! cargo run --profile bench --package amdgpu-isa-throughput -- OPTIONS
//!     [--mib N] [--rounds N] [--input kernels|pieces|mix] [--target NAME] [--no-llvm]
//! ```
//! Kernels are the `.co` files under `tests/samples` and under the directory that `AMDGPU_ISA_OBJECTS` names, repeated
//! to `--mib` (64). Pieces are the same code in an order that no branch predictor learns. The mix has every opcode the
//! same number of times. In each round every contestant runs once, so that other load affects all of them alike; the
//! result is the median over the rounds.

#![deny(unsafe_code)]

mod floor;
mod input;
mod llvm;
mod ours;
mod table;
mod typed;
#[allow(unsafe_code)] // One option of the formatter is an unsafe function.
mod x86;

use amdgpu_isa::Target;
use table::Table;

struct Options {
    bytes: usize,
    rounds: usize,
    input: Option<String>,
    target: Option<Target>,
    llvm: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options { bytes: 64 << 20, rounds: 7, input: None, target: None, llvm: true };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
        let number = |text: String| text.parse::<usize>().map_err(|e| format!("{text}: {e}"));
        match name.as_str() {
            "--mib" => options.bytes = number(value()?)?.max(1) << 20,
            "--rounds" => options.rounds = number(value()?)?.max(1),
            "--input" => options.input = Some(value()?),
            "--target" => options.target = Some(value()?.parse().map_err(|e| format!("{e}"))?),
            "--no-llvm" => options.llvm = false,
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(options)
}

fn main() -> Result<(), String> {
    let options = options()?;
    for &target in Target::ALL.iter().filter(|t| options.target.is_none_or(|one| one == **t)) {
        let kernels = input::kernels(target)?;
        let inputs = [("kernels", kernels.clone()), ("pieces", kernels), ("mix", input::mix(target))];
        for (name, once) in inputs {
            if options.input.as_ref().is_some_and(|one| one != name) {
                continue;
            }
            if once.is_empty() {
                println!("{target}, {name}: none; name a directory of code objects in AMDGPU_ISA_OBJECTS\n");
                continue;
            }
            bench(&options, target, name, &once)?;
        }
    }
    Ok(())
}

fn bench(options: &Options, target: Target, name: &str, once: &[u8]) -> Result<(), String> {
    let code = match name {
        "pieces" => input::pieces(target, once, options.bytes),
        _ => input::repeat(once, options.bytes),
    };
    let x86 = x86::code(options.bytes)?;
    let code = &code[..];
    println!("{target}, {name}: {} bytes, repeated to {} MiB", once.len(), code.len() >> 20);
    let mut copy = vec![0u8; code.len()];
    let (insts, words) = ours::some(target, once);
    let mut patches = ours::patches(&insts);
    let (mut encoded, mut stored) = (vec![0u8; insts.len() * 20], vec![0u8; insts.len() * 20]);
    let (mut typed_out, mut precomputed_out) = (vec![0u32; typed::ROOM], vec![0u32; typed::ROOM]);
    let mut texts = ours::texts(target, once);
    let mut llvm = match options.llvm {
        true => Some(llvm::Sample::new(target, once)?),
        false => None,
    };
    let assembler = match options.llvm {
        true => Some(llvm::Assembler::new(target, &mut texts)?),
        false => None,
    };

    let scan = floor::scan(target);
    let mut table = Table::default();
    table.row("memcpy", || floor::copy(code, &mut copy));
    if let Some(scan) = scan {
        let (floor, own) = (scan(once), ours::lengths(target, once));
        match (floor.instructions, floor.bytes) == (own.instructions, own.bytes) {
            true => table.row("floor: hand-written length scan", move || scan(code)),
            // The scan checks no opcodes, so it takes a value of a source that an operation lacks for a literal.
            false => println!("the floor is left out: its scan does not know the length of each of these instructions"),
        }
    }
    table.row("length walk", || ours::lengths(target, code));
    table.row("decode", || ours::decode(target, code));
    table.row("decode + operands", || ours::operands(target, code));
    table.row("decode + text into a TextBuffer", || ours::text(target, code));
    table.row("decode + Display into a String", || ours::display(target, code));
    table.row("floor: store the same words", || floor::store(&words, &mut stored, code.len()));
    table.row("encode from Inst", || ours::encode(&insts, &mut encoded, code.len()));
    // A hundredth of the work is enough for functions that keep a state of many instructions.
    table.row("waits: Pending", || ours::pending(target, &insts, code.len() / 100));
    table.row("distances: Hazards", || ours::hazards(target, &insts, code.len() / 100));
    table.row("both, as an emitter: Guard", || ours::guard(target, &insts, code.len() / 100));
    #[cfg(feature = "make")]
    if ours::can_build(target) {
        table.row("make with Builder", || ours::build(target, code.len() / 10));
    }
    // A tenth of the work is enough, because a change takes much longer than a store.
    table.row("patch a field in place", || ours::patch(target, &mut patches, code.len() / 10));
    if let Some((to, some)) = ours::destination(&insts) {
        let share = 100 * some / insts.len();
        let name = format!("re-target to {to} ({share} % can)");
        let (insts, bytes) = (&insts, code.len() / 10);
        table.row(&name, move || ours::retarget(insts, to, bytes));
    }
    if let Some(loops) = typed::loops(target, code.len()) {
        let words = typed::precomputed();
        table.row("floor: store precomputed words", move || typed::store(&words, &mut precomputed_out, loops));
        table.row("encode from typed structs", move || typed::emit(&mut typed_out, loops));
    }
    // A tenth of the work is enough, because parsing takes much longer than printing.
    table.row("parse text", || ours::parse(target, &texts, code.len() / 10));
    if let Some(llvm) = &mut llvm {
        table.row("LLVM: decode + text", || llvm.run());
    }
    if let Some(assembler) = &assembler {
        table.row("llvm-mc: text to an object", || assembler.run());
    }
    table.row("iced-x86: decode", || x86::decode(&x86));
    table.row("iced-x86: decode + info", || x86::info(&x86));
    table.row("iced-x86: decode + fast formatter", || x86::text(&x86));
    table.run(options.rounds);
    table.print();
    Ok(())
}
