//! MessagePack, the encoding of metadata.

/// A reader of the bytes from a value on, which may not be valid MessagePack.
#[derive(Clone, Copy)]
pub struct Reader<'a>(pub &'a [u8]);

/// A value of MessagePack. For a list or a map, this is only the number of elements; the elements follow.
pub enum Head<'a> {
    Number(u64),
    Text(&'a [u8]),
    List(u64),
    Map(u64),
    Other,
}

impl<'a> Reader<'a> {
    pub fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (part, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(part)
    }

    pub fn u32_le(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    /// Reads a number of `width` bytes, high byte first.
    pub fn number(&mut self, width: u64) -> Option<u64> {
        Some(self.take(width)?.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    pub fn text(&mut self, width: u64) -> Option<Head<'a>> {
        let len = self.number(width)?;
        self.take(len).map(Head::Text)
    }

    pub fn other(&mut self, len: u64) -> Option<Head<'a>> {
        self.take(len).map(|_| Head::Other)
    }

    /// Reads a value, or the head of a list or map; `None` if it is cut off or not MessagePack.
    pub fn head(&mut self) -> Option<Head<'a>> {
        let first = self.number(1)? as u8;
        match first {
            0..=0x7f => Some(Head::Number(first.into())),
            0xcc..=0xcf => self.number(1 << (first - 0xcc)).map(Head::Number),
            0x80..=0x8f => Some(Head::Map((first & 15).into())),
            0xde | 0xdf => self.number(2 << (first - 0xde)).map(Head::Map),
            0x90..=0x9f => Some(Head::List((first & 15).into())),
            0xdc | 0xdd => self.number(2 << (first - 0xdc)).map(Head::List),
            0xa0..=0xbf => self.take((first & 31).into()).map(Head::Text),
            0xd9..=0xdb => self.text(1 << (first - 0xd9)),
            // Nil, false, true, and small negative numbers.
            0xc0 | 0xc2 | 0xc3 | 0xe0.. => Some(Head::Other),
            0xc4..=0xc6 => {
                let len = self.number(1 << (first - 0xc4))?;
                self.other(len)
            }
            0xca | 0xcb => self.other(4 << (first - 0xca)),
            0xd0..=0xd3 => self.other(1 << (first - 0xd0)),
            // Extensions, which metadata does not have.
            _ => None,
        }
    }

    /// Passes over a value with its contents.
    pub fn skip(&mut self) -> Option<()> {
        let mut left = 1u64;
        // Each iteration takes at least one byte, so the loop ends.
        while let Some(others) = left.checked_sub(1) {
            left = match self.head()? {
                Head::List(count) => others.saturating_add(count),
                Head::Map(count) => others.saturating_add(count.saturating_mul(2)),
                _ => others,
            };
        }
        Some(())
    }

    /// The value of a key in the map that begins here.
    pub fn get(mut self, key: &[u8]) -> Option<Self> {
        let Head::Map(count) = self.head()? else { return None };
        for _ in 0..count {
            let mut name = self;
            self.skip()?;
            if matches!(name.head()?, Head::Text(text) if text == key) {
                return Some(self);
            }
            self.skip()?;
        }
        None
    }

    pub fn text_of(self, key: &[u8]) -> Option<&'a [u8]> {
        match self.get(key)?.head()? {
            Head::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number_of(self, key: &[u8]) -> Option<u64> {
        match self.get(key)?.head()? {
            Head::Number(number) => Some(number),
            _ => None,
        }
    }
}
