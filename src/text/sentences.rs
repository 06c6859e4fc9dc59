//! Sentences, with their terminators, of English and Japanese text.

/// Splits after `。！？!?` and line ends, and after a full stop that white space follows; white space is trimmed
/// and empty pieces are left out. Every piece is a slice of `text`.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|&(_, c)| c);
        let ends = match c {
            '\n' => true,
            '。' | '！' | '？' | '!' | '?' | '．' => !next.is_some_and(is_terminator),
            '.' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        if ends {
            push(&text[start..at + c.len_utf8()], &mut found);
            start = at + c.len_utf8();
        }
    }
    push(&text[start..], &mut found);
    found
}

fn is_terminator(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '!' | '?' | '．' | '」' | '』' | '）' | ')' | '"')
}

fn push<'a>(piece: &'a str, found: &mut Vec<&'a str>) {
    let piece = piece.trim();
    if !piece.is_empty() {
        found.push(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_point_or_a_repeated_mark_ends_no_sentence() {
        assert_eq!(sentences("I ran 3.5 km. Really?! Yes"), ["I ran 3.5 km.", "Really?!", "Yes"]);
        assert_eq!(sentences("犬が好き。猫は？\n鳥も"), ["犬が好き。", "猫は？", "鳥も"]);
        assert!(sentences(" \n ").is_empty());
    }
}
