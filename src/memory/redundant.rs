//! One message told twice: a model that proposes a list and each of its items says everything two times.
//!
//! Invariant: nothing that a message taught is lost by leaving repeats out. The items stay where they say all of the
//! list, because facts of one thing each can change one by one; else the list stays.

use super::model::Candidate;
use super::stance::is_denied;
use crate::sorted::SortedSet;
use crate::text::fold::fold;
use crate::text::script::{Script, runs};
use crate::text::stop;

/// Whose words stand in what else was found, by their places. `None` stands for what isn't to be compared.
pub fn redundant(found: &[Option<&Candidate>]) -> SortedSet<usize> {
    let told: Vec<Option<Told>> = found.iter().map(|candidate| candidate.map(Told::of)).collect();
    let mut left_out = SortedSet::new();
    for (at, whole) in told.iter().enumerate() {
        let Some(whole) = whole else { continue };
        let mut parts = Vec::new();
        for (other, part) in told.iter().enumerate() {
            let Some(part) = part.as_ref().filter(|part| other != at && part.is_within(whole)) else {
                continue;
            };
            if part.words.len() == whole.words.len() {
                // Word for word the same: the first one stays.
                if other > at {
                    left_out.insert(other);
                }
            } else {
                parts.push((other, part));
            }
        }
        let said: SortedSet<&String> = parts.iter().flat_map(|(_, part)| &part.words).collect();
        if !parts.is_empty() && whole.words.iter().all(|word| said.contains(word)) {
            left_out.insert(at);
        } else {
            left_out.extend(parts.iter().map(|(other, _)| *other));
        }
    }
    left_out
}

/// What a candidate says, as far as words tell.
struct Told<'a> {
    candidate: &'a Candidate,
    words: SortedSet<String>,
    is_denied: bool,
}

impl<'a> Told<'a> {
    fn of(candidate: &'a Candidate) -> Self {
        let folded = fold(&candidate.text);
        Self { candidate, words: words(&folded), is_denied: is_denied(&folded) }
    }

    fn is_within(&self, whole: &Told<'_>) -> bool {
        let adds_no_date = |mine: &Option<String>, its: &Option<String>| mine.is_none() || mine == its;
        let (mine, its) = (self.candidate, whole.candidate);
        mine.message == its.message
            && self.is_denied == whole.is_denied
            && adds_no_date(&mine.valid_from, &its.valid_from)
            && adds_no_date(&mine.valid_until, &its.valid_until)
            && !self.words.is_empty()
            && self.words.is_subset(&whole.words)
    }
}

/// The words of a folded text that carry meaning. Japanese ones are runs of one script; of hiragana, those that are
/// longer than particles.
fn words(folded: &str) -> SortedSet<String> {
    let is_word = |script: Script, run: &str| match script {
        Script::Han | Script::Katakana => true,
        Script::Hiragana => run.chars().count() > PARTICLE_CHARS,
        Script::Latin => !stop::is_stop_word(run),
        // Numbers are.
        Script::Other => run.contains(char::is_numeric),
    };
    let bare = |run: &str| run.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    runs(folded).iter().filter(|(script, run)| is_word(*script, run)).map(|(_, run)| bare(run)).collect()
}

const PARTICLE_CHARS: usize = 2;

#[cfg(test)]
mod tests {
    use super::super::compare::tests::candidate;
    use super::*;

    fn left(texts: &[&str]) -> Vec<String> {
        let found: Vec<Candidate> = texts.iter().map(|text| candidate(text, None, None)).collect();
        let left_out = redundant(&found.iter().map(Some).collect::<Vec<_>>());
        texts
            .iter()
            .enumerate()
            .filter(|(at, _)| !left_out.contains(at))
            .map(|(_, text)| (*text).to_owned())
            .collect()
    }

    #[test]
    fn a_list_and_each_of_its_items_are_told_once() {
        for (told, kept) in [
            (
                &["I enjoy painting, piano and tea.", "I enjoy painting.", "I enjoy piano.", "I enjoy tea."]
                    [..],
                &["I enjoy painting.", "I enjoy piano.", "I enjoy tea."][..],
            ),
            (&["I enjoy tea.", "I enjoy painting, piano and tea."], &["I enjoy painting, piano and tea."]),
            (
                &["絵とピアノと紅茶が好き", "絵が好き", "ピアノが好き", "紅茶が好き"],
                &["絵が好き", "ピアノが好き", "紅茶が好き"],
            ),
            (&["紅茶が好き", "絵とピアノと紅茶が好き"], &["絵とピアノと紅茶が好き"]),
            (&["I work in Leeds.", "I work in Leeds", "I work in Leeds!"], &["I work in Leeds."]),
        ] {
            assert_eq!(left(told), kept);
        }
    }

    #[test]
    fn what_only_shares_words_stays() {
        for told in [
            &["I like tea.", "I don't like tea and coffee."][..],
            &["I like tea.", "My sister likes tea."],
            &["りんごが好き", "ばななとみかんが好き"],
            &["猫を飼っている", "犬を飼っている"],
            &["I work 32 hours a week", "I work 40 hours a week"],
            &["毎朝6時に起きる", "毎朝7時に起きる"],
            &["妹は京都に住んでいる", "私は京都に住んでいない"],
        ] {
            assert_eq!(left(told), told);
        }
    }

    #[test]
    fn other_messages_and_other_dates_are_no_repeats() {
        let whole = candidate("I went to Rome and Paris", None, None);
        let dated = candidate("I went to Rome", Some("2019"), None);
        assert!(redundant(&[Some(&whole), Some(&dated)]).is_empty());
        let mut elsewhere = candidate("I went to Rome", None, None);
        elsewhere.message = crate::id::MessageId::parse("m_other").unwrap();
        assert!(redundant(&[Some(&whole), Some(&elsewhere), None]).is_empty());
    }
}
