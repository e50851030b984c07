//! Numbers of any length, seven bits in each byte (LEB128).

pub fn unsigned(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub fn signed(mut value: i64, out: &mut Vec<u8>) {
    loop {
        let byte = value as u8 & 0x7f;
        value >>= 7;
        // The highest of the seven bits is the sign.
        if value == if byte & 0x40 != 0 { -1 } else { 0 } {
            out.push(byte);
            return;
        }
        out.push(byte | 0x80);
    }
}
