//! What is no longer among the recent messages and not yet in the summary, as a prompt gives it.
//!
//! Invariant: it fits its room, and what the user said comes before what was answered: a fold may wait, or fail, but
//! nothing that was said shortly before may be unknown meanwhile.

use crate::llm::Role;
use crate::text::estimate::{beginning, tokens};

/// Tokens of JSON around a message.
pub const OVERHEAD: u32 = 10;
/// A reply is told by its beginning; recall finds the rest.
const REPLY_TOKENS: u32 = 60;
/// Less of a message than this tells nothing.
const LEAST_TOKENS: u32 = 12;

/// A message that waits to be folded, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct Waiting<'a> {
    pub role: Role,
    pub text: &'a str,
}

/// What of a waiting message is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its place among the waiting ones.
    pub at: usize,
    pub text: String,
    pub is_whole: bool,
}

/// What fits of the waiting messages, oldest first: the newest of the user's, and then of the replies.
pub fn fit(waiting: &[Waiting<'_>], room: u32) -> Vec<Given> {
    let mut left = room;
    let mut given: Vec<Given> = Vec::new();
    for is_user in [true, false] {
        for (at, message) in waiting.iter().enumerate().rev() {
            let most = left.saturating_sub(OVERHEAD).min(if is_user { u32::MAX } else { REPLY_TOKENS });
            if message.role.is_user() != is_user || most < LEAST_TOKENS {
                continue;
            }
            let text = beginning(message.text.trim(), most);
            left -= OVERHEAD + tokens(text);
            let is_whole = text.len() == message.text.trim().len();
            let text = if is_whole { text.to_owned() } else { format!("{text}…") };
            given.push(Given { at, text, is_whole });
        }
    }
    given.sort_unstable_by_key(|given| given.at);
    given
}

/// Whether so many waiting messages of the user, of so many bytes, have room; replies may be cut.
pub fn has_room(messages: usize, bytes: usize, room: u32) -> bool {
    // Four bytes a token, in English and in Japanese.
    let tokens = bytes.div_ceil(4) + messages * OVERHEAD as usize;
    tokens <= room as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn waiting<'a>(said: &[(Role, &'a str)]) -> Vec<Waiting<'a>> {
        said.iter().map(|&(role, text)| Waiting { role, text }).collect()
    }

    #[test]
    fn what_the_user_said_has_room_before_what_was_answered() {
        let long = "An answer that goes on and on. ".repeat(40);
        for said in ["My bus leaves at 7:40 on Mondays.", "月曜のバスは7時40分に出ます。"] {
            let all = waiting(&[(Role::User, said), (Role::Assistant, &long), (Role::User, "OK")]);
            let given = fit(&all, 120);
            assert_eq!(given.iter().map(|given| given.at).collect::<Vec<_>>(), [0, 1, 2]);
            assert_eq!((given[0].text.as_str(), given[0].is_whole), (said, true));
            assert!(!given[1].is_whole && given[1].text.ends_with('…'));
            let given = fit(&all, 50);
            assert_eq!(given.iter().map(|given| given.at).collect::<Vec<_>>(), [0, 2], "{said}");
        }
    }

    #[test]
    fn the_newest_are_given_where_not_all_have_room() {
        let texts: Vec<String> =
            (0..30).map(|n| format!("I keep the key number {n} in the drawer.")).collect();
        let all: Vec<Waiting<'_>> = texts.iter().map(|text| Waiting { role: Role::User, text }).collect();
        let given = fit(&all, 200);
        assert!(given.len() > 5 && given.len() < 30);
        assert_eq!(given.last().map(|given| given.at), Some(29));
    }

    proptest! {
        #[test]
        fn it_fits_its_room_whatever_waits(texts in proptest::collection::vec("[a-z猫。 ]{0,400}", 0..12), room in 0u32..900) {
            let all: Vec<Waiting<'_>> = texts
                .iter()
                .enumerate()
                .map(|(at, text)| Waiting { role: if at % 2 == 0 { Role::User } else { Role::Assistant }, text })
                .collect();
            let cost: u32 = fit(&all, room).iter().map(|given| OVERHEAD + tokens(given.text.trim_end_matches('…'))).sum();
            prop_assert!(cost <= room);
        }
    }
}
