//! Folding: what overflows recent is merged into the rolling summary, and the merge is checked.
//!
//! Invariant: a summary that lost a name, a number or a prohibition is refused, so that the old one and the messages
//! stay; and where no model gives a good one, sentences are chosen and never cut. A later correction wins: what it
//! replaced isn't asked for. What the screen refuses (secrets, forgotten text) never enters.

use super::assertion::{Mood, clauses};
use super::calls::Line;
use super::claim::claim;
use super::fold_keep::{Told, Wanted, denies, values};
use super::fold_true::{invented, misattributed, outdated, stale};
use super::subject::{is_person_en, person_ja};
use crate::sorted::{SortedMap, SortedSet};
use crate::text::estimate::tokens;
use crate::text::fold::fold;
use crate::text::language::{Language, language};
use crate::text::phrase::has_any;
use crate::text::sentences::sentences;
use crate::words;

pub use super::fold_keep::keep;

/// Why a new summary isn't taken; the reason goes into the next try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    Empty,
    TooLong {
        tokens: u32,
        most: u32,
    },
    WrongLanguage,
    /// These didn't survive.
    Lost(Vec<String>),
    /// It holds text that policy refuses or that was forgotten.
    Refused,
    /// Names and numbers that nobody said.
    Invented(Vec<String>),
    /// Values that are told of somebody else than they were said of.
    Misattributed(Vec<String>),
    /// Told as if it held, though it was corrected or outlived.
    Stale(Vec<String>),
}

/// What a new summary is made from.
#[derive(Clone, Copy, Debug)]
pub struct Merge<'a> {
    pub old: &'a str,
    pub messages: &'a [Line],
    /// What must survive.
    pub keep: &'a [String],
}

impl Rejection {
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong { .. } => "too long",
            Self::WrongLanguage => "wrong language",
            Self::Lost(_) => "lost what must survive",
            Self::Refused => "holds refused text",
            Self::Invented(_) => "invented what nobody said",
            Self::Misattributed(_) => "told of the wrong person",
            Self::Stale(_) => "tells what no longer holds",
        }
    }

    /// The reason in words for the model that is asked again.
    pub fn reason(&self) -> String {
        match self {
            Self::TooLong { tokens, most } => {
                format!("too long: {tokens} tokens, at most {most} are allowed")
            }
            Self::Lost(items) => format!("these were lost: {}", items.join(" / ")),
            Self::Invented(items) => format!("nobody said these: {}", items.join(" / ")),
            Self::Misattributed(items) => format!("these belong to somebody else: {}", items.join(" / ")),
            Self::Stale(items) => format!("these no longer hold: {}", items.join(" / ")),
            other => other.as_str().to_owned(),
        }
    }
}

/// Exactly the messages that no longer fit into recent: all but the newest `recent_max`, oldest first.
pub fn overflow<T>(messages: &[T], recent_max: usize) -> &[T] {
    messages.get(..messages.len().saturating_sub(recent_max)).unwrap_or_default()
}

/// Whether a new summary may replace the old one. `refused` says of a text that it may not enter.
pub fn check(
    new: &str,
    merge: &Merge<'_>,
    max_tokens: u32,
    refused: &dyn Fn(&str) -> bool,
) -> Result<(), Rejection> {
    if !new.chars().any(char::is_alphanumeric) {
        return Err(Rejection::Empty);
    }
    let cost = tokens(new);
    if cost > max_tokens {
        return Err(Rejection::TooLong { tokens: cost, most: max_tokens });
    }
    if language(new) != language_of(merge.old, merge.messages) {
        return Err(Rejection::WrongLanguage);
    }
    if refused(new) || sentences(new).into_iter().any(refused) {
        return Err(Rejection::Refused);
    }
    let told = Told::of(new);
    let lost: Vec<String> =
        merge.keep.iter().filter(|item| !Wanted::of(item).is_in(&told)).cloned().collect();
    if !lost.is_empty() {
        return Err(Rejection::Lost(lost));
    }
    let found = invented(new, merge.old, merge.messages);
    if !found.is_empty() {
        return Err(Rejection::Invented(found));
    }
    let found = misattributed(new, merge.messages);
    if !found.is_empty() {
        return Err(Rejection::Misattributed(found));
    }
    let found = stale(new, merge.old, merge.messages);
    if found.is_empty() { Ok(()) } else { Err(Rejection::Stale(found)) }
}

/// The language of what the user said, or of the old summary if the user said nothing.
pub fn language_of(old: &str, messages: &[Line]) -> Language {
    let said: Vec<&str> =
        messages.iter().filter(|line| line.role == "user").map(|line| line.text.as_str()).collect();
    language(if said.is_empty() { old.to_owned() } else { said.join("\n") }.as_str())
}

/// A summary without a model: the most important sentences of the old one and of what the user said, within the cap,
/// word for word and in their order. Sentences that `refused` names are left out, and those that are `remembered` as
/// facts give way first. What the assistant said isn't taken: its words are no knowledge of the user.
pub fn extractive(
    old: &str,
    messages: &[Line],
    max_tokens: u32,
    refused: &dyn Fn(&str) -> bool,
    remembered: &dyn Fn(&str) -> bool,
) -> String {
    let keep = keep(old, messages);
    let keep: Vec<Wanted<'_>> = keep.iter().map(|item| Wanted::of(item)).collect();
    let said = messages.iter().filter(|line| line.role == "user").flat_map(|line| sentences(&line.text));
    let mut found: Vec<(i64, String)> = Vec::new();
    let mut seen: SortedSet<String> = SortedSet::new();
    let kept_before = sentences(old).into_iter().map(|sentence| (sentence, 10));
    for (sentence, bonus) in kept_before.chain(said.map(|sentence| (sentence, 0))) {
        let is_new = seen.insert(crate::text::fold::fold_kana(sentence));
        if is_new && may_matter(sentence, bonus > 0) && !refused(sentence) {
            let known = if remembered(sentence) { REMEMBERED } else { 0 };
            found.push((worth(sentence, &keep) + bonus - known, sentence.to_owned()));
        }
    }
    let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
    let gone: SortedSet<String> = outdated(&texts).into_iter().map(str::to_owned).collect();
    found.retain(|(_, text)| !gone.contains(text));
    let mut order: Vec<usize> = (0..found.len()).collect();
    // Of equal worth, the later one: it is nearer to what is true now.
    crate::order::by_key(&mut order, |&at| std::cmp::Reverse(found.get(at).map(|(worth, _)| (*worth, at))));
    let mut chosen: SortedSet<usize> = SortedSet::new();
    let joined = |chosen: &SortedSet<usize>| -> String {
        let lines: Vec<&str> =
            chosen.iter().filter_map(|&at| found.get(at)).map(|(_, text)| text.as_str()).collect();
        lines.join("\n")
    };
    for at in order {
        chosen.insert(at);
        if tokens(&joined(&chosen)) > max_tokens {
            chosen.remove(&at);
        }
    }
    joined(&chosen)
}

/// What facts were taken from, to know again what they tell.
pub struct Quotes {
    /// All of them, line by line.
    joined: String,
    /// By their first bytes, so that a text is compared only with those that may begin somewhere in it.
    by_beginning: SortedMap<[u8; BEGINNING], Vec<String>>,
}

const BEGINNING: usize = 4;

impl Quotes {
    pub fn of(quotes: Vec<String>) -> Self {
        let mut known = Self { joined: String::new(), by_beginning: SortedMap::new() };
        for quote in quotes.iter().map(|quote| fold(quote)) {
            if let Some(beginning) = quote.as_bytes().first_chunk() {
                known.joined.push_str(&quote);
                known.joined.push('\n');
                known.by_beginning.or_default(*beginning).push(quote);
            }
        }
        known
    }

    /// Whether a text is part of a quote, or a quote of it.
    pub fn tell(&self, text: &str) -> bool {
        let text = fold(text);
        let holds_one = || {
            text.as_bytes().windows(BEGINNING).enumerate().any(|(at, beginning)| {
                let known = beginning.first_chunk().and_then(|beginning| self.by_beginning.get(beginning));
                known.is_some_and(|quotes| {
                    let rest = text.as_bytes().get(at..).unwrap_or_default();
                    quotes.iter().any(|quote| rest.starts_with(quote.as_bytes()))
                })
            })
        };
        self.joined.contains(&text) || holds_one()
    }
}

/// A sentence that is a fact already is recalled without the summary.
const REMEMBERED: i64 = 60;

/// Whether a sentence may matter later: it tells something of the user or of people near them, names a value, or
/// forbids. Questions, requests of the moment, greetings and remarks about the weather don't. A summary's own
/// sentences were chosen before; only its questions go.
fn may_matter(sentence: &str, is_old: bool) -> bool {
    let moods: Vec<Mood> = clauses(sentence).iter().map(|clause| clause.mood).collect();
    let asserts = moods
        .iter()
        .any(|mood| matches!(mood, Mood::Asserts | Mood::Prefers | Mood::Cites | Mood::Undecided));
    let asks = moods.iter().all(|mood| matches!(mood, Mood::Asks | Mood::Greets | Mood::Recaps));
    if asks || moods.is_empty() {
        return false;
    }
    if is_old || denies(sentence) {
        return true;
    }
    let folded = fold(sentence);
    let is_personal = match language(sentence) {
        Language::En => {
            has_any(&folded, words!["i", "i'm", "i've", "i'll", "my", "we", "our", "me"])
                || folded.split(|c: char| !c.is_alphanumeric() && c != '-').any(is_person_en)
        }
        Language::Ja => {
            person_ja(&folded).is_some()
                || claim(sentence).is_some_and(|claim| claim.attribute != "is")
                || has_any(&folded, words!["私", "僕", "俺", "うち"])
        }
    };
    asserts && (is_personal || !values(sentence).is_empty())
}

/// Prohibitions and denials first, then what holds values that must survive.
fn worth(sentence: &str, keep: &[Wanted<'_>]) -> i64 {
    let told = Told::of(sentence);
    let wanted = keep.iter().filter(|item| item.is_in(&told)).count() as i64;
    let stale = values(sentence)
        .iter()
        .filter(|value| {
            let value = Told::of(value);
            !keep.iter().any(|wanted| wanted.is_in(&value) || wanted.item.contains(value.text))
        })
        .count() as i64;
    wanted * 20 - stale * 15 + if denies(sentence) { 40 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(role: &str, text: &str) -> Line {
        Line {
            reference: "m1".into(),
            role: role.into(),
            text: text.into(),
            said_at: "2026-11-30T00:00:00Z".into(),
        }
    }

    fn nothing(_: &str) -> bool {
        false
    }

    #[test]
    fn exactly_the_overflow_is_folded() {
        let messages: Vec<u32> = (0..13).collect();
        assert_eq!(overflow(&messages, 10), [0, 1, 2]);
        assert!(overflow(&messages, 13).is_empty() && overflow(&messages, 99).is_empty());
    }

    #[test]
    fn a_summary_that_lost_something_is_refused() {
        let messages = [line("user", "My sister Hanako was born in 1990. Never call me before 9 am.")];
        let keep = keep("", &messages);
        let check =
            |new: &str| check(new, &Merge { old: "", messages: &messages, keep: &keep }, 400, &nothing);
        assert_eq!(
            check(
                "The user's sister Hanako was born in 1990, and the user must never be called before 9 am."
            ),
            Ok(())
        );
        for bad in [
            "The user has a sister born in 1990 and must never be called before 9 am.",
            "The user's sister Hanako must never be called before 9 am.",
            "The user's sister Hanako was born in 1990 and may be called before 9 am.",
        ] {
            assert!(matches!(check(bad), Err(Rejection::Lost(_))), "{bad}: {keep:?}");
        }
        assert_eq!(check(" … "), Err(Rejection::Empty));
        assert_eq!(check("花子は1990年生まれ"), Err(Rejection::WrongLanguage));
    }

    #[test]
    fn japanese_names_numbers_and_prohibitions_survive_too() {
        let messages = [line("user", "田中さんとは3月5日に会います。豚肉は絶対に食べません。")];
        let keep = keep("", &messages);
        let check =
            |new: &str| check(new, &Merge { old: "", messages: &messages, keep: &keep }, 400, &nothing);
        assert_eq!(check("ユーザーは田中さんと３月５日に会う。豚肉は食べない。"), Ok(()), "{keep:?}");
        for bad in [
            "ユーザーは3月5日に会う。豚肉は食べない。",
            "田中さんと会う。豚肉は食べない。",
            "田中さんと3月5日に会う。豚肉を食べる。",
        ] {
            assert!(matches!(check(bad), Err(Rejection::Lost(_))), "{bad}: {keep:?}");
        }
    }

    #[test]
    fn a_later_correction_wins() {
        let messages =
            [line("user", "The meeting is at 4 pm."), line("user", "Sorry, I meant 5 pm, not 4 pm.")];
        let keep = keep("", &messages);
        assert_eq!(
            check(
                "The meeting is at 5 pm.",
                &Merge { old: "", messages: &messages, keep: &keep },
                400,
                &nothing
            ),
            Ok(()),
            "{keep:?}"
        );
        let messages = [line("user", "会議は4時です。"), line("user", "すみません、4時ではなく5時でした。")];
        let keep = super::keep("", &messages);
        assert_eq!(
            check(
                "会議は5時に変わった。",
                &Merge { old: "", messages: &messages, keep: &keep },
                400,
                &nothing
            ),
            Ok(()),
            "{keep:?}"
        );
    }

    #[test]
    fn refused_text_enters_neither_way() {
        let secret = |text: &str| text.contains("hunter2");
        assert_eq!(
            check("The password is hunter2.", &Merge { old: "", messages: &[], keep: &[] }, 400, &secret),
            Err(Rejection::Refused)
        );
        let messages = [line("user", "My password is hunter2. I live in Osaka.")];
        assert_eq!(extractive("", &messages, 400, &secret, &nothing), "I live in Osaka.");
    }

    #[test]
    fn a_text_is_known_by_the_quote_it_is_part_of_or_holds() {
        let known = Quotes::of(["I live in Osaka", "猫を飼っている", "", "no"].map(str::to_owned).to_vec());
        for text in ["i LIVE in", "As I said, I live in Osaka now.", "猫を", "今は猫を飼っているよ"]
        {
            assert!(known.tell(text), "{text}");
        }
        for text in ["I live in Kyoto", "犬を飼っている", "osaka猫", "no, nothing"] {
            assert!(!known.tell(text), "{text}");
        }
    }

    #[test]
    fn without_a_model_what_matters_most_is_kept() {
        let messages = [
            line("user", "Hello! I am allergic to peanuts and never eat them. How are you?"),
            line("assistant", "I am fine, thanks for asking, what a lovely day it is."),
            line("user", "Hanako arrives on 2026-12-24."),
        ];
        let summary = extractive("The user lives in Osaka.", &messages, 45, &nothing, &nothing);
        assert!(tokens(&summary) <= 45);
        for want in ["Osaka", "peanuts", "Hanako"] {
            assert!(summary.contains(want), "{summary}");
        }
        assert!(!summary.contains("How are you"), "{summary}");
    }

    proptest! {
        #[test]
        fn an_extract_fits_its_cap(old in ".{0,80}", said in ".{0,120}", most in 0u32..60) {
            let summary = extractive(&old, &[line("user", &said)], most, &nothing, &nothing);
            prop_assert!(tokens(&summary) <= most);
        }
    }
}
