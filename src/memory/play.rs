//! Role-play that goes over several messages: whoever plays says "I" of somebody who isn't the user.
//!
//! Invariant: from the sentence that opens a play to the one that ends it, no statement counts as the user's own. A play
//! that nobody ended ends with a long pause. Deliberate absence: "pretend you're my coach" opens none, because the
//! user stays who they are; it takes a role of the user's own.

use super::extract::Said;
use crate::llm::Role;
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase::{has_any, starts_any};
use crate::text::sentences::sentences;
use crate::time::MINUTE;
use crate::words;

/// So long a silence ends a play.
const PAUSE_MS: i64 = 60 * MINUTE;

/// Whether the words at `at` of a message are spoken in a role. `said` has the messages around it in their order.
pub(super) fn is_played(said: &[Said], message: &Said, at: usize) -> bool {
    let mut is_open = false;
    let mut last = message.said_at;
    for other in said.iter().filter(|other| other.role != Role::Assistant) {
        let is_it = other.message == message.message;
        is_open &= other.said_at.0 - last.0 < PAUSE_MS;
        last = other.said_at;
        for sentence in sentences(&other.text) {
            let start = (sentence.as_ptr() as usize).saturating_sub(other.text.as_ptr() as usize);
            if is_it && start > at {
                break;
            }
            let folded = fold(sentence);
            is_open = opens(&folded) || is_open && !ends(&folded);
        }
        if is_it {
            return is_open;
        }
    }
    false
}

fn opens(folded: &str) -> bool {
    let holds = |words: Words| words.iter().any(|word| folded.contains(word));
    let names_play = has_any(folded, PLAY) || holds(PLAY_JA);
    let invites = starts_any(folded, INVITES) || has_any(folded, INVITES_ANYWHERE);
    let parts = has_any(folded, ACTS) && (invites || has_any(folded, OTHER_ROLE))
        || has_any(folded, OWN_ROLE) && invites
        || holds(OWN_ROLE_JA) && holds(OTHER_ROLE_JA) && (holds(CASTS_JA) || folded.ends_with('ね'));
    (names_play || parts) && !has_any(folded, NO_INVITATION) && !ends(folded)
}

fn ends(folded: &str) -> bool {
    let names_play = has_any(folded, PLAY) || PLAY_JA.iter().any(|play| folded.contains(play));
    let is_over = has_any(folded, OVER) || OVER_JA.iter().any(|over| folded.contains(over));
    let is_short = folded.chars().count() <= 40;
    has_any(folded, LEAVES)
        || LEAVES_JA.iter().any(|leaves| folded.contains(leaves))
        || is_over && (names_play || is_short)
}

/// The user takes a part.
#[rustfmt::skip]
const ACTS: Words = words![
    "i'll be a", "i'll be an", "i'll be the", "i'll be your", "i will be the", "i play", "i'll play", "i'm playing", "i'll act",
    "me as", "i answer as", "i'll answer as", "i speak as", "i'll speak as",
];
/// What the user is, in a sentence that invites to a play.
#[rustfmt::skip]
const OWN_ROLE: Words = words![
    "and i'm a", "and i'm an", "and i'm the", "and i'm your", "and i am a", "and i am an", "and i am the", "and i am your",
];
const OWN_ROLE_JA: Words =
    words!["私は", "僕は", "俺は", "わたしは", "私が", "僕が", "俺が", "わしは", "こっちは", "こちらは"];
/// What the other is.
#[rustfmt::skip]
const OTHER_ROLE: Words = words![
    "you are a", "you are an", "you are the", "you are my", "you're a", "you're an", "you're the", "you're my", "you play",
    "you'll be", "you will be", "you be", "you act", "you as",
];
const OTHER_ROLE_JA: Words =
    words!["あなたは", "君は", "きみは", "お前は", "あなたが", "君が", "そっちは", "そちらは", "aiは"];
/// By these the parts are given out, and aren't what both are anyway.
const CASTS_JA: Words =
    words!["役", "ゲーム", "遊", "設定", "という", "として", "ふり", "フリ", "ってことで", "ということで"];
const INVITES: Words = words!["pretend", "imagine", "let's pretend", "let's imagine", "let's say", "suppose"];
const INVITES_ANYWHERE: Words =
    words!["let's play", "let's pretend", "play a game", "let's act", "for a scene"];
/// Words for the play itself.
#[rustfmt::skip]
const PLAY: Words = words![
    "role-play", "roleplay", "role play", "role-playing", "roleplaying", "in character", "mock interview", "practise a job interview",
    "practice a job interview", "practise an interview", "practice an interview", "improv", "let's pretend i'm", "let's pretend i am",
    "write a story together", "in first person", "in the first person", "pretend i'm", "pretend i am", "pretend that i'm", "pretend that i am", "imagine i'm", "imagine i am",
];
#[rustfmt::skip]
const PLAY_JA: Words = words![
    "ロールプレイ", "なりきって", "なりきり", "ごっこ", "の役で", "の役です", "の役ね", "役を演", "役をやる", "という設定で", "という設定ね", "の設定で",
    "面接の練習", "模擬面接", "ロープレ", "一緒に物語", "一人称で", "リレー小説", "会話の練習", "ふりをする", "ふりをして", "フリをする", "即興劇", "寸劇", "という旅人", "だと思って話",
];
/// Talk about plays that opens none.
#[rustfmt::skip]
const NO_INVITATION: Words = words![
    "i play", "i love", "i like", "i enjoy", "i used to", "i hate", "i run a", "my group", "yesterday", "last week", "every",
];
/// By these the user is themselves again, whatever else is said.
#[rustfmt::skip]
const LEAVES: Words = words![
    "out of character", "break character", "breaking character", "ooc", "back to reality", "back to real life", "end scene",
    "end of scene", "and scene", "in reality", "in real life", "for real now", "joking aside", "seriously now", "the real me",
];
#[rustfmt::skip]
const LEAVES_JA: Words = words![
    "実際は", "実際の私", "実際には", "現実では", "現実の私", "素に戻", "役を離れ", "役を降り", "本当の私", "ここからは本当", "ここからは本音",
];
const OVER: Words = words![
    "over",
    "end of",
    "ends here",
    "stop",
    "let's stop",
    "enough",
    "finish",
    "finished",
    "done with",
    "no more",
    "quit"
];
const OVER_JA: Words =
    words!["おしまい", "終わり", "終了", "やめよう", "やめます", "やめましょう", "ここまで", "おわり"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Date;
    use crate::id::MessageId;
    use crate::time::Millis;

    fn played(messages: &[&str], minutes: i64) -> bool {
        let said: Vec<Said> = messages
            .iter()
            .enumerate()
            .map(|(at, text)| Said {
                reference: String::new(),
                role: Role::User,
                message: MessageId::parse(&format!("m_{at}")).unwrap(),
                text: (*text).to_owned(),
                said_at: Millis(minutes * MINUTE * i64::try_from(at).unwrap()),
                date: Date::new(2026, 11, 30).unwrap(),
            })
            .collect();
        let last = said.last().unwrap();
        is_played(&said, last, last.text.len() - 1)
    }

    #[test]
    fn a_play_lasts_from_its_opening_to_its_end() {
        for messages in [
            &["Let's role-play. You are a doctor and I'm a patient called Greg.", "I live alone."][..],
            &["Let's play: you are a guard and I am a traveller.", "Hello!", "I was born in Minsk."],
            &["Pretend you're my therapist and I'm an admiral.", "I lost my wife at sea."],
            &["I want to practise a job interview, I'll answer in character.", "I ran a kitchen in Lyon."],
            &["ロールプレイをしよう。君は店員で、私は客のふりをする。", "結婚しています。"],
            &["あなたは国境警備員、私はオリガという旅人ね。", "こんにちは。", "ミンスク生まれです。"],
            &["面接の練習がしたいです。", "リヨンで働いていました。"],
        ] {
            assert!(played(messages, 1), "{messages:?}");
        }
        for messages in [
            &["Let's role-play. You are a doctor.", "I live alone.", "Role-play over. I live with Ana."][..],
            &["Let's role-play.", "I'm the king.", "OK, out of character: I have two kids."],
            &["ロールプレイをしよう。", "私は王様だ。", "ロールプレイはおしまい。実際は独身です。"],
            &["Pretend you're my coach.", "I'm 34 and I live alone."],
            &["I love role-play games.", "I live in Bonn."],
            &["You're so helpful and I'm a nurse.", "I live in Bonn."],
            &["私は看護師です。", "京都に住んでいます。"],
        ] {
            assert!(!played(messages, 1), "{messages:?}");
        }
    }

    #[test]
    fn a_play_that_nobody_ended_ends_with_a_pause() {
        let messages = ["Let's role-play. You are a doctor and I'm a patient.", "I live alone."];
        assert!(played(&messages, 59) && !played(&messages, 61));
    }
}
