//! A screenplay in a message: who speaks stands on a line of its own, and what is said is nobody's own words.

use std::ops::Range;

/// The bytes from the first heading or cue of a screenplay to the end of the message.
pub(super) fn script(message: &str) -> Option<Range<usize>> {
    let mut cues = Vec::new();
    let mut at = 0;
    let mut lines = message.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let speaks = lines.peek().is_some_and(|next| !next.trim().is_empty());
        if is_heading(line.trim()) {
            return Some(at..message.len());
        }
        if speaks && is_cue(line.trim()) {
            cues.push(at);
        }
        at += line.len();
    }
    // One line in capitals may be a title; a talk has two speakers.
    cues.first().filter(|_| cues.len() > 1).map(|&start| start..message.len())
}

/// "INT. KITCHEN - NIGHT", 「○電車の中（夜）」.
fn is_heading(line: &str) -> bool {
    ["INT. ", "EXT. ", "INT/EXT", "FADE IN", "CUT TO:", "○"].iter().any(|heading| line.starts_with(heading))
}

/// A name in capitals, perhaps with how it is spoken: "MARY (crying)".
fn is_cue(line: &str) -> bool {
    let name = line.split('(').next().unwrap_or_default().trim();
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    (2..=24).contains(&letters)
        && name.chars().all(|c| c.is_uppercase() || matches!(c, ' ' | '.' | '-' | '\''))
        && name.split(' ').count() <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speakers_of_a_screenplay_say_is_theirs() {
        for message in [
            "INT. TRAIN - NIGHT\n\nLENA\nI never had a mother.",
            "JACK\nI quit my job.\n\nMARY (crying)\nI'm pregnant.",
            "○電車の中（夜）\n健「俺には二人いた」",
        ] {
            assert_eq!(script(message), Some(0..message.len()), "{message}");
        }
        assert_eq!(script("Go on with this:\nJACK\nHi.\nMARY\nNo.").map(|range| range.start), Some(17));
    }

    #[test]
    fn capitals_of_other_kinds_are_none() {
        for message in [
            "NEWS\nI moved to Bonn.",
            "I LIVE IN BONN\nAND LIKE IT",
            "OK\n\nI live here.",
            "大阪\n京都に住んでいます。",
        ] {
            assert_eq!(script(message), None, "{message}");
        }
    }
}
