//! Hostile input: truncated, damaged and random files and words, for the library and for the tool's file handling.
//! Nothing panics or hangs, and memory does not grow. `cli/tests/cli/hostile.rs` tests a part of it with the tool
//! itself.
//!
//! The default is 60,000 inputs. The commands for the full run of ten million inputs (two to four minutes on two
//! cores), and for a single input:
//!
//! ```text
//! AMDGPU_ISA_INPUTS=10000000 cargo test --release -p amdgpu-isa-cli --bin amdgpu-isa hostile -- --nocapture
//! AMDGPU_ISA_INPUT=123456 cargo test --release -p amdgpu-isa-cli --bin amdgpu-isa hostile -- --nocapture
//! ```

use std::hint::black_box;
use std::io::Write;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use amdgpu_isa::{Decoded, Decoder, Target, decode, length};
use amdgpu_prove::words::Rng;
use clap::Parser;

use crate::dis;

const DEFAULT_INPUTS: u64 = 60_000;

/// The processor time of the whole process in seconds that no input may exceed: a thousand times the time of the
/// slowest input. Processor time does not depend on the load of the machine.
const PATIENCE: u64 = 120;

/// The limit for the memory of the process in KiB: several times the largest decompressed bundle.
const MOST_KIB: u64 = 300 * 1024;

/// Files of each kind that the tool reads.
const FILES: [&[u8]; 18] = [
    include_bytes!("../../tests/samples/gfx942/saxpy.co"),
    include_bytes!("../../tests/samples/gfx900/reduce.co"),
    include_bytes!("../../tests/samples/gfx600/mixed.co"),
    include_bytes!("../../tests/samples/gfx1100/matrix1100.co"),
    include_bytes!("../../fuzz/seeds/objects/bundle"),
    include_bytes!("../../fuzz/seeds/objects/bundle-zlib"),
    include_bytes!("../../fuzz/seeds/objects/bundle-zstd"),
    include_bytes!("../../fuzz/seeds/objects/code-object"),
    include_bytes!("../../fuzz/seeds/objects/host-program"),
    include_bytes!("../../fuzz/seeds/objects/offload-binary"),
    include_bytes!("../tests/cli/files/archive-bsd"),
    include_bytes!("../tests/cli/files/archive-gnu"),
    include_bytes!("../tests/cli/files/bundle"),
    include_bytes!("../tests/cli/files/bundle-v2"),
    include_bytes!("../tests/cli/files/bundle-v3"),
    include_bytes!("../tests/cli/files/mesa"),
    include_bytes!("../tests/cli/files/pal"),
    include_bytes!("../tests/cli/files/v6"),
];

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: dis::Args,
}

/// Changes a few bytes, often to values at the limits of arithmetic, and mostly in the headers.
fn damage(rng: &mut Rng, file: &mut [u8]) {
    for _ in 0..=rng.below(6) {
        let reach = if rng.below(2) == 0 { file.len().min(256) } else { file.len() };
        let at = rng.below(reach);
        let value = [0, 1, 0x7f, 0x80, 0xff, rng.number() as u8][rng.below(6)];
        match rng.below(4) {
            0 => file[at] ^= 1 << rng.below(8),
            1 => file[at] = value,
            2 => file[at..].iter_mut().take(8).for_each(|b| *b = value),
            _ => file[at..].iter_mut().take(4).for_each(|b| *b = value),
        }
    }
}

/// The bytes of an input, and whether they are a file or code.
fn input(rng: &mut Rng) -> (Vec<u8>, bool) {
    let mut file = rng.pick(&FILES).to_vec();
    let random = |rng: &mut Rng, len: usize| (0..len).map(|_| rng.number() as u8).collect::<Vec<u8>>();
    match rng.below(10) {
        0 | 1 => damage(rng, &mut file),
        2 => file.truncate(rng.below(file.len())),
        3 => {
            damage(rng, &mut file);
            file.truncate(1 + rng.below(file.len()));
        }
        // The beginning of one file and the end of another.
        4 => {
            let other = rng.pick(&FILES);
            file.truncate(rng.below(file.len().min(400)));
            file.extend(&other[rng.below(other.len())..]);
        }
        // A magic number followed by noise.
        5 => {
            file.truncate(4 + rng.below(60));
            let len = rng.below(600);
            file.extend(random(rng, len));
        }
        _ => {
            let len = rng.below(200);
            return (random(rng, len), false);
        }
    }
    (file, true)
}

/// Decodes code, and queries each instruction.
fn ask(target: Target, code: &[u8]) {
    let mut at = 0;
    for Decoded { offset, inst: item } in Decoder::new(target, code) {
        assert_eq!(offset, at);
        at += match item {
            Err(invalid) => {
                black_box(invalid.error.to_string());
                usize::from(invalid.len)
            }
            Ok(inst) => {
                assert_eq!(length(target, &code[offset..]), Some(inst.len()));
                black_box((inst.to_string(), inst.check().err().map(|e| e.to_string()), inst.is_canonical()));
                black_box((inst.operands().count(), inst.branch_target(u64::MAX), inst.flags()));
                black_box((inst.reads() | inst.writes(), inst.memory().count(), inst.counters()));
                _ = black_box([inst.shrink(), inst.expand(), inst.commuted()]);
                inst.fields().for_each(|held| drop(black_box(inst.field_text(held.info.field).to_string())));
                for n in 0..inst.len() {
                    assert!(decode(target, &code[offset..offset + n]).is_err());
                }
                inst.len()
            }
        };
    }
    assert_eq!(at, code.len());
}

struct Listing {
    text: Cli,
    json: Cli,
}

impl Listing {
    fn new() -> Listing {
        Listing { text: Cli::parse_from(["dis", "-"]), json: Cli::parse_from(["dis", "-", "--json"]) }
    }

    fn try_one(&self, number: u64) {
        let mut rng = Rng(number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let (bytes, is_file) = input(&mut rng);
        if is_file {
            let cli = if rng.below(8) == 0 { &self.json } else { &self.text };
            let mut sink = Counter(0);
            let (notes, result) = dis::list(&cli.args, "input", &bytes, &mut sink, rng.below(2) == 0);
            drop(black_box(notes));
            if let Err(error) = result {
                assert!(error.to_string().starts_with("input: "), "{error}");
            }
            // The output has at most one line of bounded length for each dword, and decompression makes a bounded
            // number of dwords.
            assert!(sink.0 < 64 << 20, "a listing of {} bytes", sink.0);
        } else {
            ask(rng.pick(Target::ALL), &bytes);
        }
    }
}

/// A writer that only counts the bytes.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A number from /proc/self/status in KiB; 0 if it does not exist.
fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("0");
    line.split_whitespace().find_map(|word| word.parse().ok()).unwrap_or(0)
}

/// The seconds of processor time that the process has taken; 0 if no file has the number.
fn processor_seconds() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15 are in hundredths of a second; the name, in parentheses, is field 2.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<u64>().ok()).sum::<u64>() / 100
}

fn variable(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.replace('_', "").parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

#[test]
fn nothing_panics_hangs_or_grows() {
    if let Some(number) = variable("AMDGPU_ISA_INPUT") {
        Listing::new().try_one(number);
        return;
    }
    // The other tests in this program take memory at the same time, so this test runs in a process of its own.
    if variable("AMDGPU_ISA_ALONE").is_none() {
        let this = std::env::current_exe().expect("the test has a path");
        let arguments = ["--exact", "hostile::nothing_panics_hangs_or_grows", "--nocapture"];
        let status = Command::new(this).args(arguments).env("AMDGPU_ISA_ALONE", "1").status();
        assert!(status.expect("it starts").success(), "see above");
        return;
    }
    let count = variable("AMDGPU_ISA_INPUTS").unwrap_or(DEFAULT_INPUTS);
    // The clock shows processor time; reading it for each input would take longer than most inputs.
    let (next, running, clock) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    // The current input of each thread and when it started, for the watchdog.
    let at: Vec<[AtomicU64; 2]> =
        (0..std::thread::available_parallelism().map_or(1, |n| n.get())).map(|_| Default::default()).collect();
    let work = |place: &[AtomicU64; 2]| {
        let (listing, mut early) = (Listing::new(), 0);
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= count {
                running.fetch_sub(1, Relaxed);
                return early;
            }
            place[0].store(number, Relaxed);
            place[1].store(clock.load(Relaxed), Relaxed);
            // A panic is caught here, because the panic of a thread would be noticed only at the end.
            let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| listing.try_one(number)));
            if tried.is_err() {
                eprintln!("input {number} panics: AMDGPU_ISA_INPUT={number}");
                std::process::exit(101);
            }
            if number == count / 4 {
                early = status("VmRSS:");
            }
        }
    };
    running.store(at.len() as u64, Relaxed);
    let early: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = at.iter().map(|place| scope.spawn(|| work(place))).collect();
        while running.load(Relaxed) > 0 {
            std::thread::sleep(Duration::from_millis(20));
            let now = processor_seconds();
            clock.store(now, Relaxed);
            for [number, since] in &at {
                if now.saturating_sub(since.load(Relaxed)) > PATIENCE && running.load(Relaxed) > 0 {
                    eprintln!("input {} hangs, or another waits long for it", number.load(Relaxed));
                    std::process::exit(101);
                }
            }
        }
        threads.into_iter().map(|thread| thread.join().expect("it catches what panics")).sum()
    });
    let (late, most) = (status("VmRSS:"), status("VmHWM:"));
    println!("{count} inputs; {early} KiB after a quarter, {late} KiB at the end, {most} KiB at most");
    assert!(late < early + 32 * 1024, "memory grows: {early} KiB after a quarter, {late} KiB at the end");
    assert!(most < MOST_KIB, "{most} KiB at most");
}
