//! Floating-point numbers of directives.

/// The bytes of a number of 4 or 8 bytes; `None` if it is refused.
fn bytes(directive: &str, number: &str) -> Option<Vec<u8>> {
    let source = format!(".text\n{directive} {number}");
    amdgpu_asm::assemble("input", &source, &super::options()).ok()?.code().next().map(<[u8]>::to_vec)
}

fn double(number: &str) -> Option<f64> {
    Some(f64::from_le_bytes(bytes(".double", number)?.try_into().ok()?))
}

fn single(number: &str) -> Option<f32> {
    Some(f32::from_le_bytes(bytes(".float", number)?.try_into().ok()?))
}

#[test]
fn hexadecimal_numbers_are_rounded_to_even() {
    assert_eq!(double("0x1.8p1"), Some(3.0));
    assert_eq!(double("0x.8p0"), Some(0.5));
    assert_eq!(single("0x1c2.2ap3"), Some(3601.3125));
    assert_eq!(single("0x1.000001p0"), Some(1.0));
    assert_eq!(single("0x1.0000011p0"), Some(1.000_000_1));
    assert_eq!(single("0x1.ffffffp127"), Some(f32::INFINITY));
    assert_eq!(single("0x1p-149"), Some(f32::from_bits(1)));
    assert_eq!(single("0x1p-150"), Some(0.0));
    assert_eq!(double("0x1p-1074"), Some(f64::from_bits(1)));
    assert_eq!(double("0x1p-1022"), Some(f64::MIN_POSITIVE));
    assert_eq!((double("1e"), double("2.5e+"), single("1.e-")), (Some(1.0), Some(2.5), Some(1.0)));
    assert_eq!((double("1+"), double(".e5"), double("e"), double("1e5e")), (None, None, None, None));
    assert_eq!((double("0xp1"), double("x")), (None, None));
}
