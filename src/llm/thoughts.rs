//! Thoughts that a model writes where its answer stands, kept from tabs, transcripts and the next prompt.
//!
//! Servers that can't tell a model's thoughts from its answer leave them in between marks. Only what an answer begins
//! with is a thought; marks further inside are words about marks.

/// How thoughts open and close, by the families of models.
const MARKS: [(&str, &str); 7] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
];

/// Lets an answer through, without the thoughts that it begins with.
#[derive(Debug, Default)]
pub struct Thoughts {
    held: String,
    /// The mark that is waited for.
    until: Option<&'static str>,
    thought: bool,
    /// It may have begun with thoughts that nothing opened: if nothing closes them either, they were the answer.
    unsure: bool,
    over: bool,
}

/// What closes thoughts that a template opened.
const CLOSE: &str = "</think>";

impl Thoughts {
    /// For an answer that begins inside its thoughts, as the model's answers before did.
    pub fn begun() -> Self {
        Self { until: Some(CLOSE), unsure: true, ..Self::default() }
    }

    /// Whether all was held back for thoughts that weren't there.
    pub fn was_wrong(&self) -> bool {
        self.unsure && self.over
    }

    /// What of the text is for the user. Nothing as long as it may still be thoughts.
    pub fn hear(&mut self, text: String) -> String {
        if self.over {
            return text;
        }
        self.held.push_str(&text);
        loop {
            let Some(close) = self.until else {
                let words = self.held.trim_start();
                if let Some((open, close)) = MARKS.iter().find(|(open, _)| words.starts_with(open)) {
                    self.held = words[open.len()..].to_owned();
                    (self.until, self.thought) = (Some(*close), true);
                    continue;
                }
                if MARKS.iter().any(|(open, _)| open.starts_with(words)) {
                    return String::new();
                }
                return self.rest();
            };
            let Some(at) = self.held.find(close) else {
                if self.unsure {
                    return String::new();
                }
                // Of thoughts only what may be the beginning of the mark is kept.
                let mut from = self.held.len().saturating_sub(close.len());
                while !self.held.is_char_boundary(from) {
                    from += 1;
                }
                self.held.drain(..from);
                return String::new();
            };
            self.held.drain(..at + close.len());
            (self.until, self.thought, self.unsure) = (None, true, false);
        }
    }

    /// What was held back, at the end: nothing of thoughts that were never closed.
    pub fn rest(&mut self) -> String {
        self.over = true;
        let held = std::mem::take(&mut self.held);
        let is_open = MARKS.iter().any(|(open, _)| held.trim_start().starts_with(open));
        match (self.until.filter(|_| !self.unsure || is_open), self.thought) {
            (Some(_), _) => String::new(),
            (None, true) => held.trim_start().to_owned(),
            (None, false) => held,
        }
    }
}

/// An answer of data behind its thoughts, wherever their marks stand: thoughts may quote data, and data holds no marks.
pub fn behind_all(answer: &str) -> &str {
    MARKS.iter().fold(answer, |answer, (_, close)| answer.rsplit_once(close).map_or(answer, |(_, rest)| rest))
}

/// The answer behind a mark that closes what nothing opened: some templates write the opening into the prompt, so that
/// only the end tells what the beginning was.
pub fn behind_the_close(said: &str) -> &str {
    let Some((before, answer)) = said.split_once(CLOSE) else { return said };
    let alone = (before.is_empty() || before.ends_with('\n')) && answer.starts_with(['\n', '\r']);
    let closes = alone && !before.contains("<think>") && !before.contains("```");
    if closes && !answer.trim().is_empty() { answer.trim_start() } else { said }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn heard(answer: &str, size: usize) -> String {
        let mut thoughts = Thoughts::default();
        let characters: Vec<char> = answer.chars().collect();
        let mut said: String =
            characters.chunks(size).map(|piece| thoughts.hear(piece.iter().collect())).collect();
        said.push_str(&thoughts.rest());
        said
    }

    #[test]
    fn what_an_answer_begins_with_between_marks_is_not_said() {
        for (answer, said) in [
            ("<think>犬の名前か。</think>\n\nポチです。", "ポチです。"),
            ("\n<think>\n\n</think>\n\nTokyo.", "Tokyo."),
            ("<thinking>a < b</thinking><think>again</think> Yes.", "Yes."),
            ("[THINK]hm[/THINK]Oui.", "Oui."),
            (
                "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Ja.",
                "Ja.",
            ),
            ("<think>never closed", ""),
            ("◁think▷考え中◁/think▷はい", "はい"),
        ] {
            for size in 1..=answer.chars().count() {
                assert_eq!(heard(answer, size), said, "{answer} in pieces of {size}");
            }
        }
    }

    #[test]
    fn marks_inside_an_answer_are_words() {
        for answer in [
            "Close it with </think>.",
            "The tag <think> opens.",
            "<th>a</th>",
            "<",
            "",
            "\n\n ",
            "[x]",
            "はい",
        ] {
            for size in 1..=3 {
                assert_eq!(heard(answer, size), answer);
            }
        }
    }

    #[test]
    fn a_mark_that_closes_what_the_template_opened_ends_the_thoughts() {
        assert_eq!(behind_the_close("The dog, hm.\n</think>\n\nポチです。"), "ポチです。");
        for whole in [
            "Use `</think>` to close.",
            "<think>\nx\n</think>\nas an example",
            "```\n</think>\n\nfoo\n```",
            "hm\n</think>\n",
            "plain",
        ] {
            assert_eq!(behind_the_close(whole), whole);
        }
    }

    #[test]
    fn an_answer_that_begins_inside_a_thought_is_told_behind_it_and_whole_if_there_was_none() {
        for (answer, said, is_wrong) in [
            ("The dog, hm.\n</think>\n\nポチです。", "ポチです。", false),
            ("<think>\nhm</think>Yes.", "Yes.", false),
            ("No thoughts today.", "No thoughts today.", true),
            ("<think>never closed", "", true),
        ] {
            for size in 1..=answer.chars().count() {
                let mut thoughts = Thoughts::begun();
                let characters: Vec<char> = answer.chars().collect();
                let mut heard: String =
                    characters.chunks(size).map(|piece| thoughts.hear(piece.iter().collect())).collect();
                heard.push_str(&thoughts.rest());
                assert_eq!((heard.as_str(), thoughts.was_wrong()), (said, is_wrong), "in pieces of {size}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_pieces_say_the_same(answer in "[<>/thinkg\\[\\]THINK|犬 \n]{0,40}(</think>)?[a犬<]{0,5}", size in 1usize..9) {
            prop_assert_eq!(heard(&answer, size), heard(&answer, 1000));
        }
    }
}
