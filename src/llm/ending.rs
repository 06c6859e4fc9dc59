//! The marks with which models' templates end a turn, kept from answers: a server that doesn't know its model's mark
//! gives it as text, and sometimes what the model goes on to say in the user's name.
//!
//! Only what an answer ends with is such a mark; further inside it is a word about marks.

/// How turns end, by the families of models.
const ENDS: [&str; 11] = [
    "</s>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|END_OF_TURN_TOKEN|>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
];

/// How the next turn begins behind such an end: nothing of it is the answer.
const BEGINS: [&str; 4] = ["<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<｜User｜>"];

/// Lets an answer through, without the marks that it ends with.
#[derive(Debug, Default)]
pub struct Ending {
    /// What may be such marks, or may become some.
    held: String,
    /// How much of `<s>` was just said, or 3 if all of it ever was: then `</s>` is HTML.
    strikes: u8,
    over: bool,
}

/// What a text that begins with `<` is.
#[derive(PartialEq)]
enum Tail {
    Words,
    MayEnd,
    NextTurn,
}

impl Ending {
    /// What of the text is for the user. Marks wait, because more may follow that makes them words.
    pub fn hear(&mut self, text: &str) -> String {
        if self.over {
            return String::new();
        }
        self.held.push_str(text);
        let places = self.held.match_indices('<');
        let found = places.map(|(at, _)| (at, self.tail(at))).find(|(_, tail)| *tail != Tail::Words);
        let (from, tail) = found.unwrap_or((self.held.len(), Tail::Words));
        let ends = self.held.split_off(from);
        let said = std::mem::replace(&mut self.held, ends);
        if tail == Tail::NextTurn {
            self.held.clear();
            self.over = true;
        }
        self.strikes = self.struck(&said);
        said
    }

    /// What was held back, at the end: nothing of marks.
    pub fn rest(&mut self) -> String {
        self.over = true;
        let held = std::mem::take(&mut self.held);
        if ENDS.iter().any(|mark| held.starts_with(mark)) { String::new() } else { held }
    }

    /// `strikes` behind these words.
    fn struck(&self, words: &str) -> u8 {
        words.chars().fold(self.strikes, |strikes, c| match (strikes, c) {
            (3, _) | (2, '>') => 3,
            (1, 's') => 2,
            (_, '<') => 1,
            _ => 0,
        })
    }

    fn tail(&self, at: usize) -> Tail {
        let mut rest = self.held.get(at..).unwrap_or_default();
        let is_html = self.struck(self.held.get(..at).unwrap_or_default()) == 3;
        let mut ended = false;
        loop {
            let is_mark = |mark: &&&str| !is_html || **mark != "</s>";
            if let Some(mark) = ENDS.iter().filter(is_mark).find(|mark| rest.starts_with(**mark)) {
                rest = rest.get(mark.len()..).unwrap_or_default().trim_start();
                ended = true;
            } else if ended && BEGINS.iter().any(|mark| rest.starts_with(mark)) {
                return Tail::NextTurn;
            } else {
                let may_be = |mark: &&&str| mark.starts_with(rest);
                let may_end = ENDS.iter().filter(is_mark).any(|mark| may_be(&mark))
                    || (ended && BEGINS.iter().any(|mark| may_be(&mark)));
                return if may_end { Tail::MayEnd } else { Tail::Words };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn heard(answer: &str, size: usize) -> String {
        let mut ending = Ending::default();
        let characters: Vec<char> = answer.chars().collect();
        let mut said: String =
            characters.chunks(size).map(|piece| ending.hear(&piece.iter().collect::<String>())).collect();
        said.push_str(&ending.rest());
        said
    }

    #[test]
    fn the_marks_that_an_answer_ends_with_are_not_said() {
        for (answer, said) in [
            ("Tokyo.</s>", "Tokyo."),
            ("ポチです。<|im_end|>\n", "ポチです。"),
            ("Yes.<|eot_id|><|end_of_text|>", "Yes."),
            ("Oui.<end_of_turn>\n<start_of_turn>user\nAnd now?<end_of_turn>", "Oui."),
            ("はい。<|im_end|>\n<|im_start|>user\n次は？", "はい。"),
            ("1 < 2<｜end▁of▁sentence｜>", "1 < 2"),
            ("Cut.<|im_end|><|im_", "Cut."),
        ] {
            for size in 1..=answer.chars().count() {
                assert_eq!(heard(answer, size), said, "{answer} in pieces of {size}");
            }
        }
    }

    #[test]
    fn marks_inside_an_answer_are_words() {
        for answer in [
            "The token <|im_end|> ends a turn.",
            "<s>old</s>",
            "a <s>b</s> <s>c</s>",
            "1 <",
            "x <|im_",
            "</s> is a closing tag.",
            "<|im_start|> begins",
            "",
            " \n",
            "犬<猫",
        ] {
            for size in 1..=3 {
                assert_eq!(heard(answer, size), answer);
            }
        }
    }

    proptest! {
        #[test]
        fn any_pieces_say_the_same(
            answer in "([<>/s| 犬\n]{0,4}(<\\|im_end\\|>|</s>|<s>|<\\|im_start\\|>|<\\|im_)?){0,5}", size in 1usize..9,
        ) {
            prop_assert_eq!(heard(&answer, size), heard(&answer, 1000));
        }
    }
}
