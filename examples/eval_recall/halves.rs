//! Rates on two halves: weights are chosen on one and believed on the other.

use std::fmt;

/// Sums over each half.
#[derive(Clone, Copy, Debug, Default)]
pub struct Halves {
    sum: [f64; 2],
    of: [f64; 2],
}

impl Halves {
    pub fn count(&mut self, held_out: bool, hit: bool) {
        self.add(held_out, f64::from(u8::from(hit)));
    }

    pub fn add(&mut self, held_out: bool, part: f64) {
        self.sum[usize::from(held_out)] += part;
        self.of[usize::from(held_out)] += 1.0;
    }

    pub fn whole(&self) -> usize {
        (self.of[0] + self.of[1]) as usize
    }
}

/// The whole, and in brackets the half that was chosen on and the one that was held out; per cent.
impl fmt::Display for Halves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |sum: f64, of: f64| sum * 100.0 / of.max(1.0);
        let ([one, other], [of_one, of_other]) = (self.sum, self.of);
        let whole = share(one + other, of_one + of_other);
        write!(f, "{whole:.1} ({:.1} / {:.1})", share(one, of_one), share(other, of_other))
    }
}

/// The half of a text: by its bytes, so that it doesn't change with its neighbours.
pub fn is_held_out(text: &str) -> bool {
    let mixed = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    let hash = text.bytes().fold(2_166_136_261, mixed);
    (hash ^ hash >> 16) & 1 == 1
}
