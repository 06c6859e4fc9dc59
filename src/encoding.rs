//! Bytes as text: hexadecimal, base32 and base64, each decoded strictly.
//!
//! Invariant: one text per byte string. Padding, unused bits and letters of another alphabet are refused, so that a
//! signed or hashed text can't be spelled twice. General crates bring a tenth of the wasm for this.

const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    digits(bytes, 4, b"0123456789abcdef")
}

/// Reads hexadecimal of either case.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| (c as char).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

/// Lower-case base32 (RFC 4648) without padding.
pub fn base32(bytes: &[u8]) -> String {
    digits(bytes, 5, BASE32)
}

/// Standard base64 with its padding.
pub fn base64(bytes: &[u8]) -> String {
    let mut text = digits(bytes, 6, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

/// URL-safe base64 without padding.
pub fn base64url(bytes: &[u8]) -> String {
    digits(bytes, 6, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}

/// Reads URL-safe base64 without padding.
pub fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    read_sextets(text.as_bytes(), *b"-_", &mut bytes)?;
    Some(bytes)
}

/// Reads standard base64 without padding.
pub fn from_base64_unpadded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    read_sextets(text.as_bytes(), *b"+/", &mut bytes)?;
    Some(bytes)
}

/// Reads standard base64 with its padding. Several such texts behind each other are read as one.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    let (groups, rest) = text.as_bytes().as_chunks::<4>();
    if !rest.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(groups.len() * 3);
    for group in groups {
        let digits = match group.as_slice() {
            [digits @ .., b'=', b'='] | [digits @ .., b'='] | digits => digits,
        };
        read_sextets(digits, *b"+/", &mut bytes)?;
    }
    Some(bytes)
}

/// Appends what base64 digits say; `others` are the alphabet's last two.
fn read_sextets(digits: &[u8], others: [u8; 2], bytes: &mut Vec<u8>) -> Option<()> {
    let (mut held, mut bits) = (0_u32, 0);
    for &digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            _ => 62 + others.iter().position(|other| *other == digit)? as u8,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    // A digit that completes no byte, or bits that no encoder sets.
    (bits < 6 && held == 0).then_some(())
}

/// Each `width` bits as a letter of the alphabet, the last ones filled up with zeros.
fn digits(bytes: &[u8], width: u32, alphabet: &[u8]) -> String {
    let mut text = String::with_capacity((bytes.len() * 8).div_ceil(width as usize));
    let (mut held, mut bits) = (0_u32, 0);
    let letter =
        |value: u32| alphabet.get(value as usize & ((1 << width) - 1)).copied().map_or('?', char::from);
    for &byte in bytes {
        held = held << 8 | u32::from(byte);
        bits += 8;
        while bits >= width {
            bits -= width;
            text.push(letter(held >> bits));
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        text.push(letter(held << (width - bits)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding as reference;
    use proptest::prelude::*;

    #[test]
    fn known_texts_are_written_and_read() {
        assert_eq!(hex(&[0, 0xab, 0xff]), "00abff");
        assert_eq!(from_hex("00aBfF"), Some(vec![0, 0xab, 0xff]));
        assert_eq!(base32(b"foobar"), "mzxw6ytboi");
        assert_eq!(base64url(&[0xfb, 0xff, 0xfe, 1]), "-__-AQ");
        assert_eq!(from_base64("Zm9v"), Some(b"foo".to_vec()));
        assert_eq!(from_base64("Zg==Zg=="), Some(b"ff".to_vec()));
    }

    #[test]
    fn a_second_spelling_of_the_same_bytes_is_refused() {
        for bad in ["AQ==", "AR", "A", "AQ\n", "A+", "犬"] {
            assert_eq!(from_base64url(bad), None, "{bad}");
        }
        for bad in ["AQ", "AR==", "AQ=", "=AQ=", "A===", "====", "AQ==A"] {
            assert_eq!(from_base64(bad), None, "{bad}");
        }
        assert_eq!(from_hex("abc"), None);
        assert_eq!(from_hex("+1"), None);
    }

    proptest! {
        #[test]
        fn bytes_are_written_as_the_reference_writes_them(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            prop_assert_eq!(hex(&bytes), reference::HEXLOWER.encode(&bytes));
            prop_assert_eq!(base32(&bytes), reference::BASE32_NOPAD.encode(&bytes).to_ascii_lowercase());
            prop_assert_eq!(base64url(&bytes), reference::BASE64URL_NOPAD.encode(&bytes));
        }

        #[test]
        fn texts_are_read_and_refused_as_the_reference_does(
            text in "([A-Za-z0-9+/_-]{0,9}={0,4}){0,3}|[0-9a-fA-F]{0,12}|([AQgw]{2}==|[A-Z]{2}[AEIQ]=|[a-z]{4}){0,5}|\\PC{0,8}"
        ) {
            prop_assert_eq!(from_hex(&text), reference::HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok());
            prop_assert_eq!(from_base64(&text), reference::BASE64.decode(text.as_bytes()).ok());
            prop_assert_eq!(from_base64_unpadded(&text), reference::BASE64_NOPAD.decode(text.as_bytes()).ok());
            prop_assert_eq!(from_base64url(&text), reference::BASE64URL_NOPAD.decode(text.as_bytes()).ok());
        }
    }
}
