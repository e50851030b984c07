//! Makes an argument for each parameter of a constructor. The methods have the names of the kinds in the roster.

use amdgpu_isa::make::kind::{Any, Off};
use amdgpu_isa::make::{
    Agpr, BufferAddress, Half, ImageAddress, Op, Vgpr, a, addr64, address, addresses, bothen, idxen, int, literal,
    literal64, off, offen, v,
};

use super::{Case, Fault, LITERAL, VGPR, field, run, signed_hex};
use crate::modifiers::names;

impl Case<'_> {
    pub fn vgpr<const N: usize>(&mut self, name: &'static str, _: &str) -> Vgpr<N> {
        let first = self.vector_number(N);
        let op = v::<N>(first as u8);
        // The type has no other registers, so the fault cannot be inserted here.
        if self.breaks(Fault::Class) {
            self.broken = false;
        }
        self.give(name, op, run("v", first, N));
        op
    }

    /// One half of a vector register.
    pub fn half(&mut self, name: &'static str, kind: &str) -> Half {
        let selector: u8 = kind.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a bit of op_sel");
        let number = self.number(if selector > 3 { 128 } else { 256 }, 1, 1);
        let (register, high) = (v::<1>(number as u8), self.coin());
        if selector <= 3 {
            self.halves.0 |= 1 << selector;
            self.halves.1 |= u8::from(high) << selector;
        }
        let (op, letter) = if high { (register.h(), "h") } else { (register.l(), "l") };
        self.give(name, op, format!("v{number}.{letter}"));
        op
    }

    /// A half of a vector register, or another operand.
    pub fn half_or(&mut self, name: &'static str, kind: &str) -> Op<Any, 1> {
        let (mask, rest) = kind.split_once(' ').expect("two words");
        let mask: u16 = mask.parse().expect("a mask");
        if !matches!(self.fault, Some(Fault::TwoLiterals | Fault::ConstantBus)) && self.coin() {
            return self.half(name, kind).any();
        }
        self.op(name, &format!("{} {rest}", mask & !VGPR))
    }

    pub fn agpr<const N: usize>(&mut self, name: &'static str, _: &str) -> Agpr<N> {
        let first = self.vector_number(N);
        let op = a::<N>(first as u8);
        self.give(name, op, run("a", first, N));
        op
    }

    pub fn global1(&mut self, name: &'static str, _: &str) -> Vgpr<1> {
        self.vgpr(name, "")
    }

    pub fn global2(&mut self, name: &'static str, _: &str) -> Vgpr<2> {
        self.vgpr(name, "")
    }

    pub fn no_saddr<const N: usize>(&mut self, name: &'static str, _: &str) -> Op<Off, N> {
        self.give(name, off::<N>(), "off".into());
        off()
    }

    pub fn saddr<const N: usize>(&mut self, name: &'static str, kind: &str) -> Op<Any, N> {
        let mask = kind.split(' ').next().expect("a mask");
        let mask = mask.parse::<u16>().expect("a mask");
        let scratch = N == 1 && self.operands.iter().any(|o| o.0 == "addr");
        let both = ["gfx942", "gfx950", "gfx11", "gfx12"].iter().any(|start| self.target.name().starts_with(start));
        let either = scratch && self.is_gfx9() && !both;
        let address = self.operands.iter().any(|o| o.0 == "addr" && o.1 != "off");
        if scratch && (either && address || !either && self.coin()) {
            self.give(name, off::<N>(), "off".into());
            return off::<N>().any();
        }
        self.register(name, &format!("{} saddr {N} false b", mask & 0xfff))
    }

    /// An operand other than null, whose code has another meaning in addresses.
    fn register<const N: usize>(&mut self, name: &'static str, kind: &str) -> Op<Any, N> {
        self.no_null = true;
        let op = self.op(name, kind);
        self.no_null = false;
        op
    }

    pub fn scratch(&mut self, name: &'static str, _: &str) -> Op<Any, 1> {
        if self.coin() {
            self.give(name, off::<1>(), "off".into());
            return off::<1>().any();
        }
        self.vgpr::<1>(name, "").any()
    }

    pub fn export(&mut self, name: &'static str, _: &str) -> Op<Any, 1> {
        self.scratch(name, "")
    }

    pub fn smem(&mut self, name: &'static str, kind: &str) -> Op<Any, 1> {
        let (width, signed) = kind.split_once(' ').expect("two words");
        let (width, signed): (u32, _) = (width.parse().expect("a width"), signed == "true");
        if self.fault == Some(Fault::Range) && self.breaks(Fault::Range) {
            let op = int::<1>(self.out_of_range(width, signed)).any();
            self.give(name, op, String::new());
            return op;
        }
        if self.coin() {
            let op = self.register(name, "31 code 1 false b");
            self.given_offset = Some(op.into());
            return op;
        }
        let value = self.in_range(width, signed);
        let op = int::<1>(value).any();
        self.give(name, op, signed_hex(value));
        op
    }

    pub fn smrd(&mut self, name: &'static str, kind: &str) -> Op<Any, 1> {
        let literal = kind.parse::<u16>().expect("a mask") & LITERAL != 0;
        if self.breaks(Fault::Range) {
            let op = int::<1>(if literal { 1 << 32 } else { 256 + self.rng.below(1000) as i64 }).any();
            self.give(name, op, String::new());
            return op;
        }
        if self.coin() {
            return self.op(name, "31 code 1 false b");
        }
        let value = self.rng.below(if literal { 100_000 } else { 256 }) as i64;
        let op = int::<1>(value).any();
        self.give(name, op, format!("{value:#x}"));
        op
    }

    pub fn buffer(&mut self, name: &'static str, kind: &str) -> BufferAddress {
        let (flags, address, n): (&[&str], _, _) = match self.rng.below(if kind == "1" { 5 } else { 4 }) {
            0 => (&[], BufferAddress::OFF, 0),
            1 => (&["offen"], offen(v(self.vector_number(1) as u8)), 1),
            2 => (&["idxen"], idxen(v(self.vector_number(1) as u8)), 1),
            3 => (&["idxen", "offen"], bothen(v(self.vector_number(2) as u8)), 2),
            _ => (&["addr64"], addr64(v(self.vector_number(2) as u8)), 2),
        };
        let text = format!("{address:?}");
        let first = text.split("register: ").nth(1).and_then(|t| t.split(',').next()).expect("it is shown");
        let first = first.parse::<usize>().expect("a code") - 256;
        match n {
            0 => self.give(name, off::<1>(), "off".into()),
            1 => self.give(name, v::<1>(first as u8), run("v", first, 1)),
            _ => self.give(name, v::<2>(first as u8), run("v", first, 2)),
        }
        for flag in flags {
            self.builder = self.builder.set(field(self.target, flag), true);
            self.modifiers.push(flag.to_string());
        }
        address
    }

    pub fn dword(&mut self, name: &'static str, _: &str) -> u32 {
        let value = 0x1234_5601 + self.rng.below(0x1000) as u32 * 2;
        // A 16-bit operand uses and prints only the low 16 bits.
        let value = if self.name.ends_with("f16") { value & 0xffff } else { value };
        if self.vector && !self.bus.is_empty() {
            // The only scalar is already used, so the literal has to be the same, or there can be none.
            let same = *self.literals.first().unwrap_or(&value);
            self.doubtful |= self.literals.is_empty();
            self.give(name, literal::<1>(same), format!("{same:#x}"));
            return same;
        }
        // In a scalar operation, all literals are the same.
        let value = *self.literals.first().filter(|_| !self.vector).unwrap_or(&value);
        if !self.vector {
            self.literals.push(value);
        }
        self.give(name, literal::<1>(value), format!("{value:#x}"));
        value
    }

    /// A literal of 64 bits, given as a number.
    pub fn dwords(&mut self, name: &'static str, _: &str) -> u64 {
        let value = 0x1234_5678_9abc_de00 + self.rng.below(0x100) as u64;
        let value = *self.long_literals.first().unwrap_or(&value);
        self.long_literals.push(value);
        self.give(name, literal64::<2>(value), format!("{value:#x}"));
        value
    }
}

/// Numbers in an instruction. Each kind has its own text. The text is not checked for kinds with names.
macro_rules! numbers {
    ($($name:ident)*) => {
        $(impl Case<'_> {
            pub fn $name<T: TryFrom<i64, Error: std::fmt::Debug>>(&mut self, name: &'static str, width: &str) -> T {
                self.plain(name, stringify!($name), width)
            }
        })*
    };
}
numbers! { hex signed_hex int16 label interp_param exp_tgt attr chan dmask dim }

/// Constants with parts. Any number is valid; the builder gets the number.
macro_rules! constants {
    ($($name:ident $ty:ident;)*) => {
        $(impl Case<'_> {
            pub fn $name(&mut self, name: &'static str, width: &str) -> amdgpu_isa::imm::$ty {
                let value: u16 = self.plain(name, stringify!($name), width);
                amdgpu_isa::imm::$ty::decode(self.target, value)
            }
        })*
    };
}
constants! { hwreg Hwreg; sendmsg Sendmsg; waitcnt Waitcnt; gpr_idx GprIdx; depctr Depctr; delay_alu DelayAlu; }

impl Case<'_> {
    /// Names of versions: any number is valid.
    pub fn version(&mut self, name: &'static str, width: &str) -> u16 {
        self.plain(name, "version", width)
    }
}

impl Case<'_> {
    /// A number of a kind. `numbers` has the width of the field, and the values that the operation can have, a bit for
    /// each, if it cannot have all.
    fn plain<T: TryFrom<i64, Error: std::fmt::Debug>>(&mut self, name: &'static str, kind: &str, numbers: &str) -> T {
        let mut numbers = numbers.split(' ').map(|n| n.parse::<u128>().expect("a number"));
        let (width, values) = (numbers.next().expect("a width") as u32, numbers.next());
        let fits = T::try_from(1 << width).is_ok();
        if fits && self.breaks(Fault::Range) {
            let value = (1 << width) + self.rng.below(100) as i64;
            if let Ok(number) = T::try_from(value) {
                self.give(name, value, String::new());
                return number;
            }
            self.broken = false;
        }
        let value = match kind {
            "label" => self.rng.below(1 << 16) as i64 - (1 << 15),
            "signed_hex" => self.rng.below(1 << width) as i64 - (1 << (width - 1)),
            "interp_param" => self.rng.below(3) as i64,
            "exp_tgt" => self.rng.below(8) as i64,
            _ => match values {
                Some(values) => loop {
                    let value = self.rng.below(1 << width.min(7)) as i64;
                    if values >> value & 1 == 1 {
                        break value;
                    }
                },
                None => self.rng.below(1 << width.min(16)) as i64,
            },
        };
        let text = match kind {
            "hex" => format!("{value:#x}"),
            "signed_hex" if value < 0 => format!("-{:#x}", -value),
            "signed_hex" => format!("{value:#x}"),
            "label" => format!("{}", value as u16),
            "int16" if value <= 64 => value.to_string(),
            "int16" => format!("{value:#x}"),
            "exp_tgt" => format!("mrt{value}"),
            "attr" => format!("attr{value}"),
            "interp_param" => ["p10", "p20", "p0"][value as usize].into(),
            "dmask" => {
                if value != 0 {
                    self.modifiers.push(format!("dmask:{value:#x}"));
                }
                self.modifier("dmask", value);
                return T::try_from(value).expect("it fits");
            }
            "dim" => {
                let names = ["1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"];
                self.modifiers.push(format!("dim:SQ_RSRC_IMG_{}", names[value as usize]));
                self.modifier("dim", value);
                return T::try_from(value).expect("it fits");
            }
            "chan" => {
                let (_, attr) = self.operands.last_mut().expect("the attribute");
                *attr += [".x", ".y", ".z", ".w"][value as usize];
                self.modifier("attrchan", value);
                return T::try_from(value).expect("it fits");
            }
            _ => "?".into(),
        };
        self.give(name, value, text);
        T::try_from(value).expect("it fits")
    }

    pub fn member(&mut self, name: &'static str, kind: &str) -> u16 {
        let digits = kind.trim_matches(['[', ']']);
        let set: Vec<u64> = digits.split(", ").map(|n| n.parse().expect("a number")).collect();
        let has = |n: usize| set[n / 64] >> (n % 64) & 1 == 1;
        let want = !self.breaks(Fault::Range);
        loop {
            let value = self.rng.below(512);
            if has(value) == want {
                self.modifier(name, value as i64);
                self.modifiers.push("dpp_ctrl".into());
                return value as u16;
            }
        }
    }

    /// An image address of a random length, which may fit no dimension.
    pub fn address(&mut self, name: &'static str, _: &str) -> ImageAddress {
        let lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16];
        let n = self.rng.pick(&lengths);
        self.image = true;
        let (fields, rays) = self.address_fields();
        if let (Some(rays), false) = (rays, fields == 1 && self.coin()) {
            return self.parts(name, rays);
        }
        if fields > 4 && self.target.name().starts_with("gfx12") || fields == 4 {
            // In these formats each register has a field, except for the last ones, which form a tuple.
            return match n {
                1 => self.parts(name, &[1]),
                _ if n <= fields => self.parts(name, &[1; 5][..n]),
                _ => {
                    let mut parts = [1; 5];
                    parts[fields - 1] = n - fields + 1;
                    self.parts(name, &parts[..fields])
                }
            };
        }
        if self.target.name().starts_with("gfx11") && n > 5 && self.coin() {
            return self.parts(name, &[1, 1, 1, 1, n - 4]);
        }
        let most = if self.target.name().starts_with("gfx11") { 5 } else { 13 };
        if self.coin() && (2..=most).contains(&n) {
            let registers = [0; 13].map(|_: u8| self.rng.below(256) as u8);
            for (part, register) in registers.iter().enumerate().take(n) {
                let field = field(self.target, &if part == 0 { name.into() } else { format!("vaddr{part}") });
                self.builder = self.builder.set(field, v::<1>(*register));
            }
            let names: Vec<String> = registers[..n].iter().map(|r| format!("v{r}")).collect();
            self.operands.push((name, format!("[{}]", names.join(", "))));
            macro_rules! list {
                ($($n:literal)*) => {
                    match n {
                        $($n => addresses::<$n>(core::array::from_fn(|part| v(registers[part]))),)*
                        _ => unreachable!("{n} registers"),
                    }
                };
            }
            return list!(2 3 4 5 6 7 8 9 10 11 12 13);
        }
        macro_rules! run {
            ($($n:literal)*) => {
                match n {
                    $($n => address(self.vgpr::<$n>(name, "")),)*
                    _ => unreachable!("{n} registers"),
                }
            };
        }
        run!(1 2 3 4 5 6 7 8 9 10 11 12 13 16)
    }

    /// The number of fields in the base words that name registers of an image address, and the lengths of the parts of
    /// a ray if each has a field.
    fn address_fields(&mut self) -> (usize, Option<&'static [usize]>) {
        let (gfx11, gfx12) = (self.target.name().starts_with("gfx11"), self.target.name().starts_with("gfx12"));
        let a16 = self.coin();
        let ray: Option<&[usize]> = match self.name {
            _ if !gfx11 && !gfx12 => None,
            "image_bvh_intersect_ray" => Some(if a16 { &[1, 1, 3, 3] } else { &[1, 1, 3, 3, 3] }),
            "image_bvh64_intersect_ray" => Some(if a16 { &[2, 1, 3, 3] } else { &[2, 1, 3, 3, 3] }),
            "image_bvh_dual_intersect_ray" => Some(&[2, 2, 3, 3, 2]),
            "image_bvh8_intersect_ray" => Some(&[2, 2, 3, 3, 1]),
            _ => None,
        };
        let samples = ["image_sample", "image_gather4", "image_get_lod", "image_msaa_load"];
        let fields = match () {
            _ if !gfx12 => 1,
            _ if samples.iter().any(|start| self.name.starts_with(start)) => 4,
            _ => 5,
        };
        (fields, ray)
    }

    /// An image address in parts of these lengths. Consecutive registers can be given as a tuple.
    fn parts(&mut self, name: &'static str, lengths: &[usize]) -> ImageAddress {
        let all: usize = lengths.iter().sum();
        let is_run = self.target.name().starts_with("gfx12") && self.coin();
        let first = self.rng.below(257 - all);
        let (mut texts, mut made, mut before) = (Vec::new(), None, first);
        for (part, &n) in lengths.iter().enumerate() {
            let register = if is_run { before } else { self.rng.below(257 - n) };
            before += n;
            let part = if part == 0 { name.into() } else { format!("vaddr{part}") };
            let at = field(self.target, &part);
            macro_rules! with {
                ($($n:literal)*) => {
                    match n {
                        $($n => {
                            let next = v::<$n>(register as u8);
                            self.builder = self.builder.set(at, next);
                            made = Some(made.map_or_else(|| address(next), |made: ImageAddress| made.and(next)));
                        })*
                        _ => unreachable!("{n} registers"),
                    }
                };
            }
            with!(1 2 3 4 5 6 7 8 9 10 11 12 13);
            texts.push(run("v", register, n));
        }
        let text = if texts.len() == 1 { texts.remove(0) } else { format!("[{}]", texts.join(", ")) };
        self.operands.push((name, text));
        macro_rules! run {
            ($($n:literal)*) => {
                match all {
                    $($n if is_run => address(v::<$n>(first as u8)),)*
                    _ => made.expect("an address has a part"),
                }
            };
        }
        run!(1 2 3 4 5 6 7 8 9 10 11 12 13 16)
    }

    pub fn lanes(&mut self, _: &'static str, _: &str) -> [u8; 8] {
        let mut lanes = [0; 8].map(|_: u8| self.rng.below(8) as u8);
        if self.breaks(Fault::Range) {
            lanes[3] = 8 + self.rng.below(8) as u8;
        }
        self.builder = self.builder.dpp8(lanes);
        self.modifiers.push(format!("dpp8:{lanes:?}").replace(' ', ""));
        lanes
    }

    pub fn matrix8(&mut self, name: &'static str, kind: &str) -> Op<Any, 8> {
        self.op(name, kind)
    }

    pub fn matrix6(&mut self, name: &'static str, kind: &str) -> Op<Any, 6> {
        self.op(name, kind)
    }

    pub fn matrix4(&mut self, name: &'static str, kind: &str) -> Op<Any, 4> {
        self.op(name, kind)
    }

    /// A format whose matrix takes this many registers.
    fn format_of(&mut self, name: &'static str, dwords: usize) -> u16 {
        let format = match dwords {
            8 => self.rng.below(2),
            6 => 2 + self.rng.below(2),
            _ => 4,
        };
        self.modifier(name, format as i64);
        if format != 0 {
            let shown = names(name).get(format).map_or(format.to_string(), |name| name.to_string());
            self.modifiers.push(format!("{name}:{shown}"));
        }
        format as u16
    }

    pub fn format8(&mut self, name: &'static str, _: &str) -> u16 {
        self.format_of(name, 8)
    }

    pub fn format6(&mut self, name: &'static str, _: &str) -> u16 {
        self.format_of(name, 6)
    }

    pub fn format4(&mut self, name: &'static str, _: &str) -> u16 {
        self.format_of(name, 4)
    }

    pub fn image1(&mut self, name: &'static str, _: &str) -> Vgpr<1> {
        self.image = true;
        self.vgpr(name, "")
    }

    pub fn image2(&mut self, name: &'static str, _: &str) -> Vgpr<2> {
        self.image = true;
        self.vgpr(name, "")
    }

    pub fn image3(&mut self, name: &'static str, _: &str) -> Vgpr<3> {
        self.image = true;
        self.vgpr(name, "")
    }

    pub fn image4(&mut self, name: &'static str, _: &str) -> Vgpr<4> {
        self.image = true;
        self.vgpr(name, "")
    }

    pub fn image5(&mut self, name: &'static str, _: &str) -> Vgpr<5> {
        self.image = true;
        self.vgpr(name, "")
    }
}
