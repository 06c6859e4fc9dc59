//! Leaves out of a summary what only the assistant said, told as if it were known.
//!
//! "Is it a holiday today?" "Yes, it is a holiday today." A model that folds this writes "It is a holiday today." What it
//! tells of the assistant in other words ("the assistant recommended …") stays.

use super::calls::Line;
use super::fold_keep::is_question;
use crate::text::fold::fold;
use crate::text::sentences::sentences;

/// Fewer characters than these are said by anybody.
const FEWEST: usize = 5;

/// The summary without the sentences that are the assistant's, word for word, and neither the user's nor the old summary's.
pub fn without_echoes(new: &str, old: &str, messages: &[Line]) -> String {
    let said_by = |role: &str| -> Vec<String> {
        let lines = messages.iter().filter(|line| line.role == role);
        lines
            .flat_map(|line| sentences(&line.text))
            .filter(|said| role != "user" || !is_question(said))
            .map(bare)
            .collect()
    };
    let (told, heard, old) = (said_by("user"), said_by("assistant"), fold(old));
    let is_echo = |sentence: &&str| {
        let own = bare(sentence);
        let is_in = |list: &[String]| list.iter().any(|said| said.contains(&own));
        own.chars().count() >= FEWEST && is_in(&heard) && !is_in(&told) && !old.contains(&own)
    };
    let mut left = new.to_owned();
    for echo in sentences(new).iter().filter(|sentence| is_echo(sentence)) {
        left = left.replacen(echo, "", 1);
    }
    left.trim().to_owned()
}

fn bare(sentence: &str) -> String {
    fold(sentence).trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(role: &str, text: &str) -> Line {
        Line { reference: String::new(), role: role.into(), text: text.into(), said_at: String::new() }
    }

    #[test]
    fn what_only_the_assistant_said_is_left_out_of_a_summary() {
        let japanese = [
            line("user", "妹の名前は花子です。"),
            line("user", "今日はお休みですか？"),
            line("assistant", "はい、今日はお休みです。どういった日を過ごしていますか？"),
        ];
        let new = "妹の名前は花子です。今日はお休みです。どういった日を過ごしていますか？";
        assert_eq!(without_echoes(new, "", &japanese), "妹の名前は花子です。");
        assert_eq!(
            without_echoes(new, "今日はお休みです。", &japanese),
            "妹の名前は花子です。今日はお休みです。"
        );

        let english = [
            line("user", "I moved to Leeds. Is Leeds a big city?"),
            line(
                "assistant",
                "Leeds is the third largest city in England. You moved to Leeds. I moved to Leeds.",
            ),
        ];
        let new = "The user moved to Leeds. Leeds is the third largest city in England. I moved to Leeds.";
        assert_eq!(without_echoes(new, "", &english), "The user moved to Leeds.  I moved to Leeds.");
        let attributed = "The assistant said that Leeds is the third largest city in England.";
        assert_eq!(without_echoes(attributed, "", &english), attributed);
    }
}
