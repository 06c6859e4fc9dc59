//! English stems: `running`, `runs` and `run` are one term.
//!
//! Inflections and the commonest endings only. A lexicon would know `ran`; a rule that guesses more joins words
//! that mean different things.

use crate::words;

/// The stem of a folded word; words that aren't plain Latin are their own stem.
pub fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix('\'')).unwrap_or(word);
    if word.len() <= 2 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let word = without_plural(word);
    let word = without_tense(&word);
    let word = without_ending(&word);
    final_y(word)
}

fn without_plural(word: &str) -> String {
    if let Some(base) = word.strip_suffix("sses") {
        format!("{base}ss")
    } else if let Some(base) = word.strip_suffix("ies") {
        if base.len() > 1 { format!("{base}y") } else { format!("{base}ie") }
    } else if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") || word.len() <= 3 {
        word.to_owned()
    } else if let Some(base) = words!["ches", "shes", "xes", "zes"]
        .iter()
        .find_map(|end| word.strip_suffix(end).map(|_| &word[..word.len() - 2]))
    {
        base.to_owned()
    } else {
        word.strip_suffix('s').unwrap_or(word).to_owned()
    }
}

fn without_tense(word: &str) -> String {
    if word.ends_with("eed") {
        return word.to_owned();
    }
    for ending in ["ing", "ed"] {
        if let Some(base) = word.strip_suffix(ending).filter(|base| base.len() >= 2 && has_vowel(base)) {
            return mended(base);
        }
    }
    word.to_owned()
}

/// `hopp` is `hop`; a final `e` never stays, so `hop(e)` and `hoping` meet.
fn mended(base: &str) -> String {
    let bytes = base.as_bytes();
    let doubled = bytes.len() > 2 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
    if doubled && !base.ends_with(['l', 's', 'z', 'a', 'e', 'i', 'o', 'u']) {
        base[..base.len() - 1].to_owned()
    } else {
        base.to_owned()
    }
}

fn without_ending(word: &str) -> String {
    const ENDINGS: &[(&str, &str)] = &[
        ("ization", "iz"),
        ("ational", "at"),
        ("fulness", "ful"),
        ("iveness", "iv"),
        ("ousness", "ous"),
        ("ation", "at"),
        ("ement", ""),
        ("ness", ""),
        ("ment", ""),
        ("ally", "al"),
        ("ably", "abl"),
        ("tion", "t"),
        ("sion", "s"),
        ("ful", ""),
        ("ly", ""),
        ("er", ""),
        ("or", ""),
        ("e", ""),
    ];
    for (ending, instead) in ENDINGS {
        if let Some(base) = word.strip_suffix(ending).filter(|base| base.len() >= 3 && has_vowel(base)) {
            let base = if matches!(*ending, "er" | "or") { mended(base) } else { base.to_owned() };
            return format!("{base}{instead}");
        }
    }
    word.to_owned()
}

fn final_y(word: String) -> String {
    match word.strip_suffix('y') {
        Some(base) if base.len() > 1 && has_vowel(base) => format!("{base}i"),
        _ => word,
    }
}

fn has_vowel(word: &str) -> bool {
    word.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflections_of_a_word_share_its_stem() {
        for family in [
            &["run", "runs", "running", "runner"][..],
            &["hope", "hopes", "hoped", "hoping"],
            &["city", "cities"],
            &["dog", "dogs", "dog's", "dogs'"],
            &["paint", "painted", "painting", "painter"],
            &["church", "churches"],
            &["adopt", "adopting", "adoption"],
        ] {
            for word in family {
                assert_eq!(stem(word), stem(family[0]), "{word}");
            }
        }
    }

    #[test]
    fn short_words_and_other_scripts_stay_as_they_are() {
        for word in ["bus", "gas", "café", "naïve", "3d", "red", "bed", "ring", "king", "犬"] {
            assert_eq!(stem(word), word);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_word_has_a_stem(word in "[a-z']{1,20}|\\PC{0,8}") {
            let _ = stem(&word);
        }
    }
}
