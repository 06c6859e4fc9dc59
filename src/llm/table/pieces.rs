//! Reading the table, cutting a text into its pieces, and summing their rows.
//!
//! The layout is in `scripts/make_table.py`. Nothing is unpacked but the pieces' places: rows are read where they
//! lie. A table that isn't whole is no table.

use std::collections::HashMap;

use crate::text::fold::fold;

/// Where words begin, as the vocabulary writes it.
const SPACE: char = '▁';
/// The score of a character that no piece covers: worse than any piece, so that it is taken only without choice.
const UNKNOWN: f32 = -25.0;

pub(super) struct Table<'a> {
    places: HashMap<Box<str>, u32>,
    /// The longest piece, in characters.
    longest: usize,
    dimensions: usize,
    /// Thousandths of the natural logarithm of each piece's probability.
    likelihoods: &'a [u8],
    /// The upper halves of 32-bit floats.
    scales: &'a [u8],
    rows: &'a [u8],
}

impl<'a> Table<'a> {
    /// `None` if the bytes aren't a whole table.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(b"KTB1")?;
        let (count, rest) = rest.split_first_chunk::<4>()?;
        let (dimensions, mut rest) = rest.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count);
        let dimensions = u32::from_le_bytes(*dimensions) as usize;
        let mut places = HashMap::with_capacity(count as usize);
        let mut longest = 0;
        let mut piece: Vec<u8> = Vec::new();
        for place in 0..count {
            let ([shared, own], tail) = rest.split_first_chunk::<2>()?;
            let (own, tail) = tail.split_at_checked(usize::from(*own))?;
            piece.truncate(usize::from(*shared));
            piece.extend_from_slice(own);
            rest = tail;
            let text = std::str::from_utf8(&piece).ok()?;
            longest = longest.max(text.chars().count());
            places.insert(text.into(), place);
        }
        let (likelihoods, rest) = rest.split_at_checked(count as usize * 2)?;
        let (scales, rows) = rest.split_at_checked(count as usize * 2)?;
        let whole = rows.len() == count as usize * dimensions / 2;
        whole.then_some(Self { places, longest, dimensions, likelihoods, scales, rows })
    }

    #[cfg(test)]
    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(super) fn embed(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0_f32; self.dimensions];
        for place in self.segment(text) {
            self.add(place, &mut sum);
        }
        let norm = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        if norm > 0.0 {
            for x in &mut sum {
                *x /= norm;
            }
        }
        sum
    }

    /// The likeliest pieces of a text, last first; characters that no piece covers are left out.
    fn segment(&self, text: &str) -> Vec<u32> {
        let spaced: String = format!(" {}", fold(text)).replace(' ', "▁");
        debug_assert!(spaced.starts_with(SPACE));
        let starts: Vec<usize> = spaced.char_indices().map(|(at, _)| at).chain([spaced.len()]).collect();
        let length = starts.len() - 1;
        let mut best = vec![f32::NEG_INFINITY; length + 1];
        let mut came: Vec<(usize, Option<u32>)> = vec![(0, None); length + 1];
        best[0] = 0.0;
        for from in 0..length {
            for to in from + 1..=length.min(from + self.longest) {
                let piece = spaced.get(starts[from]..starts[to]).and_then(|piece| self.places.get(piece));
                let score = match piece {
                    Some(&place) => best[from] + self.likelihood(place),
                    None if to == from + 1 => best[from] + UNKNOWN,
                    None => continue,
                };
                if score > best[to] {
                    best[to] = score;
                    came[to] = (from, piece.copied());
                }
            }
        }
        let mut found = Vec::new();
        let mut at = length;
        while at > 0 {
            let (from, piece) = came[at];
            found.extend(piece);
            at = from;
        }
        found
    }

    fn likelihood(&self, place: u32) -> f32 {
        f32::from(i16::from_le_bytes(pair(self.likelihoods, place))) / 1000.0
    }

    fn add(&self, place: u32, sum: &mut [f32]) {
        let scale = f32::from_bits(u32::from(u16::from_le_bytes(pair(self.scales, place))) << 16);
        let width = self.dimensions / 2;
        let start = place as usize * width;
        let row = self.rows.get(start..start + width).unwrap_or_default();
        for (two, byte) in sum.chunks_exact_mut(2).zip(row) {
            two[0] += scale * (f32::from(byte & 15) - 8.0);
            two[1] += scale * (f32::from(byte >> 4) - 8.0);
        }
    }
}

fn pair(bytes: &[u8], place: u32) -> [u8; 2] {
    let start = place as usize * 2;
    bytes.get(start..start + 2).and_then(|two| two.try_into().ok()).unwrap_or_default()
}
