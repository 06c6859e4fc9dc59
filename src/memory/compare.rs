//! How a new fact relates to an old one, told from their values.
//!
//! Invariant: similarity never decides. 「猫が好き」 and 「猫が好きではない」 are nearly equal as strings and
//! opposite as facts; so subjects, attributes, values, numbers, dates and negation are compared, and where the
//! sentences don't show them the answer is that code can't tell.

use super::claim::{Claim, Count, Holds, Likeness, QUIT, claim, likeness, normal, numbers};
use super::compare_words::by_words;
use super::model::{Candidate, Fact, Kind, Status};
use crate::text::language::is_cjk;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Both say the same.
    Same,
    /// The new one tells what became of the old one.
    Changed,
    /// They can't both hold, and nothing says that anything changed.
    Contradicts,
    /// Both may hold: other subject, other object, other time.
    Separate,
    /// Code can't tell.
    Unsure,
}

pub fn relation(new: &Candidate, old: &Fact) -> Relation {
    if are_apart(new, old) {
        return Relation::Separate;
    }
    let (new_normal, old_normal) = (normal(&new.text), normal(&old.text));
    if new_normal == old_normal && !new_normal.is_empty() {
        return same_words(new, old);
    }
    match (claim(&new.text), claim(&old.text)) {
        (Some(a), Some(b)) if a.holds == Holds::Once && b.holds == Holds::Once && years_differ(new, old) => {
            Relation::Separate
        }
        (Some(a), Some(b)) if a.attribute == b.attribute => by_claims(&a, &b, new, old),
        (Some(a), Some(b)) if a.attribute == QUIT && can_be_quit(&b) => quits(&a, &b),
        (Some(a), Some(b)) if are_akin(&a, &b) => Relation::Unsure,
        (Some(a), Some(b)) if are_known(&a, &b) => Relation::Separate,
        _ => by_words(new, old),
    }
}

/// Whether two facts give values of an attribute that has many, both affirmed: whoever calls the one a change of the
/// other is mistaken, though they may well be the same.
pub fn may_both_hold(new: &Candidate, old: &Fact) -> bool {
    match (claim(&new.text), claim(&old.text)) {
        (Some(a), Some(b)) => {
            let affirmed = !a.holds.is_denied() && !b.holds.is_denied();
            affirmed && a.attribute == b.attribute && a.count == Count::Many
        }
        _ => false,
    }
}

/// Whether their periods don't touch: lived there from 2015 to 2018, and again from 2024.
fn are_apart(new: &Candidate, old: &Fact) -> bool {
    let after = |from: Option<&String>, until: Option<&String>| match (from, until) {
        (Some(from), Some(until)) => is_later(from, until),
        _ => false,
    };
    after(new.valid_from.as_ref(), old.valid_until.as_ref())
        || after(old.valid_from.as_ref(), new.valid_until.as_ref())
}

/// Whether both name years and none in common: a trip in 2019 and one in 2021.
fn years_differ(new: &Candidate, old: &Fact) -> bool {
    let years = |text: &str, from: Option<&String>| -> Vec<i64> {
        let dated = from.and_then(|from| from.get(..4)?.parse().ok());
        numbers(text).into_iter().filter(|number| (1900..2100).contains(number)).chain(dated).collect()
    };
    let (a, b) = (years(&new.text, new.valid_from.as_ref()), years(&old.text, old.valid_from.as_ref()));
    !a.is_empty() && !b.is_empty() && !a.iter().any(|year| b.contains(year))
}

/// Whether `a` is certainly later than `b`, as far as both are precise.
fn is_later(a: &str, b: &str) -> bool {
    a.bytes().zip(b.bytes()).find(|(a, b)| a != b).is_some_and(|(a, b)| a > b)
}

/// Two sentences of one wording: it is the time that may differ.
pub(super) fn same_words(new: &Candidate, old: &Fact) -> Relation {
    if old.status == Status::Past {
        // It ended and is said again: a new period, unless the new one tells of the old period.
        let told_as_past = claim(&new.text).is_some_and(|claim| claim.holds == Holds::Once);
        let same_period = new.valid_from == old.valid_from && new.valid_until == old.valid_until;
        return if told_as_past || (new.valid_until.is_some() && same_period) {
            Relation::Same
        } else {
            Relation::Separate
        };
    }
    if differ(new.valid_from.as_ref(), old.valid_from.as_ref()) {
        // Two visits are two events; one state has one beginning.
        return if is_event(new.kind) || is_event(old.kind) { Relation::Separate } else { Relation::Changed };
    }
    if new.valid_until.is_some() && old.valid_until.is_none()
        || differ(new.valid_until.as_ref(), old.valid_until.as_ref())
    {
        return if is_event(new.kind) { Relation::Unsure } else { Relation::Changed };
    }
    Relation::Same
}

/// Whether both dates are known and disagree as far as both are precise.
fn differ(a: Option<&String>, b: Option<&String>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if is_later(a, b) || is_later(b, a))
}

pub(super) fn is_event(kind: Kind) -> bool {
    matches!(kind, Kind::Event)
}

/// Attributes from the tables, which mean the same in every sentence.
fn are_known(a: &Claim, b: &Claim) -> bool {
    let known = |claim: &Claim| !claim.attribute.starts_with("do:") && claim.attribute != "is";
    known(a) && known(b)
}

/// Attributes that one sentence may state together: "a nurse at Acme", "married to Ken".
fn are_akin(a: &Claim, b: &Claim) -> bool {
    const AKIN: &[(&str, &str)] =
        &[("job", "employer"), ("job", "is"), ("marital", "spouse"), ("origin", "birthplace")];
    let pair = (a.attribute.as_str(), b.attribute.as_str());
    a.subject == b.subject && AKIN.iter().any(|&(x, y)| pair == (x, y) || pair == (y, x))
}

fn can_be_quit(claim: &Claim) -> bool {
    claim.attribute.starts_with("do:") || claim.attribute == "employer"
}

/// Giving something up ends what was done with it.
fn quits(new: &Claim, old: &Claim) -> Relation {
    if new.subject != old.subject {
        return Relation::Separate;
    }
    match likeness(&new.object, &old.object) {
        Likeness::Equal if !old.holds.is_denied() => Relation::Changed,
        Likeness::Apart => Relation::Separate,
        _ => Relation::Unsure,
    }
}

fn by_claims(a: &Claim, b: &Claim, new: &Candidate, old: &Fact) -> Relation {
    if a.subject != b.subject {
        let mixed = has_cjk(&a.subject) != has_cjk(&b.subject);
        // 「妹」 and "sister", or "sister" and "sister Yuki", may be one person.
        let parts = a.subject.contains(&b.subject) || b.subject.contains(&a.subject);
        let unsure = !a.subject.is_empty() && !b.subject.is_empty() && (mixed || parts);
        return if unsure { Relation::Unsure } else { Relation::Separate };
    }
    let alike = likeness(&a.object, &b.object);
    let past = (a.holds == Holds::Once, b.holds == Holds::Once || old.status == Status::Past);
    match past {
        (true, true) => return past_claims(alike, new, old),
        // "Lived there" and "lives there" may be one period or two; other values are other times.
        (true, false) => {
            return match alike {
                Likeness::Apart => Relation::Separate,
                _ => Relation::Unsure,
            };
        }
        (false, true) => return Relation::Separate,
        (false, false) => {}
    }
    match (a.holds.is_denied(), b.holds.is_denied()) {
        (true, false) | (false, true) => match alike {
            Likeness::Equal if a.name == b.name => {
                if a.holds == Holds::Ended || b.holds == Holds::Ended {
                    Relation::Changed
                } else {
                    Relation::Contradicts
                }
            }
            Likeness::Apart => Relation::Separate,
            _ => Relation::Unsure,
        },
        (true, true) => match alike {
            Likeness::Equal => Relation::Same,
            Likeness::Apart => Relation::Separate,
            _ => Relation::Unsure,
        },
        (false, false) => both_hold(a, b, alike, new, old),
    }
}

fn both_hold(a: &Claim, b: &Claim, alike: Likeness, new: &Candidate, old: &Fact) -> Relation {
    match alike {
        Likeness::Equal => match (&a.name, &b.name) {
            // Two cats of two names are two cats.
            (Some(a), Some(b)) if a != b => Relation::Separate,
            (None, Some(_)) | (Some(_), None) => Relation::Unsure,
            _ if numbers(&new.text) != numbers(&old.text) => by_numbers(new, old),
            // An unknown attribute's adverbs and places aren't in the claim.
            _ if a.count == Count::Unknown => by_words(new, old),
            _ => same_words(new, old),
        },
        Likeness::Numbers if is_event(new.kind) => Relation::Separate,
        Likeness::Numbers if a.count == Count::Fixed => Relation::Contradicts,
        Likeness::Numbers => Relation::Changed,
        Likeness::Overlap | Likeness::Scripts => Relation::Unsure,
        Likeness::Apart => match a.count {
            // Whose name is it: a second dog's, or the first one's corrected?
            Count::One if a.attribute == "name" && !a.subject.is_empty() => Relation::Unsure,
            Count::One => Relation::Changed,
            Count::Fixed => Relation::Contradicts,
            Count::Many => Relation::Separate,
            Count::Unknown if new.kind == old.kind && a.attribute == "is" => Relation::Unsure,
            Count::Unknown => Relation::Separate,
        },
    }
}

fn past_claims(alike: Likeness, new: &Candidate, old: &Fact) -> Relation {
    match alike {
        Likeness::Apart => Relation::Separate,
        Likeness::Equal
            if new.valid_from == old.valid_from
                && new.valid_until == old.valid_until
                && numbers(&new.text) == numbers(&old.text) =>
        {
            Relation::Same
        }
        _ => Relation::Unsure,
    }
}

fn by_numbers(new: &Candidate, old: &Fact) -> Relation {
    // Years and ages in a sentence may be its time or its value.
    if is_event(new.kind) || is_event(old.kind) { Relation::Separate } else { Relation::Unsure }
}

fn has_cjk(text: &str) -> bool {
    text.chars().any(is_cjk)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::id::{FactId, MessageId};

    use crate::time::Millis;
    use proptest::prelude::*;

    pub fn candidate(text: &str, from: Option<&str>, until: Option<&str>) -> Candidate {
        Candidate {
            valid_from: from.map(str::to_owned),
            valid_until: until.map(str::to_owned),
            ..Candidate::new(MessageId::parse("m_new").unwrap(), text, Millis(2_000))
        }
    }

    pub fn fact(id: &str, text: &str, from: Option<&str>, until: Option<&str>) -> Fact {
        Fact {
            valid_from: from.map(str::to_owned),
            valid_until: until.map(str::to_owned),
            ..Fact::new(FactId::parse(id).unwrap(), text, Millis(1_000))
        }
    }

    fn check(new: &str, old: &str, want: Relation) {
        let got = relation(&candidate(new, None, None), &fact("f_1", old, None, None));
        assert_eq!(got, want, "{new} / {old}: {:?} / {:?}", claim(new), claim(old));
    }

    #[test]
    fn the_same_said_in_other_clothes_is_the_same() {
        for (new, old) in [
            ("I like cats.", "The user likes cats"),
            ("I love cats", "I like cats"),
            ("私は猫が好きです", "猫が好き"),
            ("ネコが大好きです。", "ねこが好き"),
            ("東京に住んでいます", "ユーザーは東京に住んでいる"),
            ("I live in Tokyo now", "The user lives in Tokyo"),
        ] {
            check(new, old, Relation::Same);
        }
    }

    #[test]
    fn negation_turns_a_fact_around_however_similar_the_words() {
        for (new, old) in [
            ("猫が好きではない", "猫が好き"),
            ("猫が好きです", "猫は嫌いです"),
            ("I don't like coffee", "I like coffee"),
            ("I like coffee", "I hate coffee"),
            ("I don't eat meat", "I eat meat"),
            ("肉を食べません", "肉を食べます"),
        ] {
            check(new, old, Relation::Contradicts);
        }
        for (new, old) in [
            ("I no longer like coffee", "I like coffee"),
            ("もう大阪には住んでいません", "大阪に住んでいます"),
            ("I moved out of Osaka", "I live in Osaka"),
            ("トヨタを退職しました", "トヨタに勤めています"),
        ] {
            check(new, old, Relation::Changed);
        }
    }

    #[test]
    fn an_attribute_with_one_value_changes() {
        for (new, old) in [
            ("I moved to Kyoto", "I live in Osaka"),
            ("東京に引っ越しました", "大阪に住んでいます"),
            ("I work at Beta", "The user works for Acme"),
            ("I am 36 years old", "I am 35 years old"),
            ("36歳です", "35歳です"),
            ("離婚しました", "結婚しています"),
            ("My favorite color is green", "My favorite color is blue"),
            ("名前は花子です", "名前は太郎です"),
            ("I have three cats", "I have two cats"),
        ] {
            check(new, old, Relation::Changed);
        }
        check("My birthday is 3 May", "My birthday is 5 March", Relation::Contradicts);
        check("誕生日は5月3日です", "誕生日は3月5日です", Relation::Contradicts);
    }

    #[test]
    fn other_subjects_and_other_objects_stay_separate() {
        for (new, old) in [
            ("I have a dog named Pochi", "I have a cat named Tama"),
            ("犬を飼っています", "猫を飼っています"),
            ("I like tea", "I like coffee"),
            ("紅茶が好き", "コーヒーが好き"),
            ("My sister lives in Paris", "I live in Osaka"),
            ("妹は猫が好き", "猫が好き"),
            ("My brother's name is Ken", "My sister's name is Hanako"),
            ("I speak French", "I speak German"),
            ("I have a cat named Mike", "I have a cat named Tama"),
            ("犬", "猫"),
        ] {
            check(new, old, Relation::Separate);
        }
    }

    #[test]
    fn code_says_so_when_it_cannot_tell() {
        for (new, old) in [
            ("I like green tea", "I like tea"),
            ("大阪市に住んでいます", "大阪に住んでいます"),
            ("I live in Tokyo", "東京に住んでいます"),
            ("I don't like instant coffee", "I like coffee"),
        ] {
            check(new, old, Relation::Unsure);
        }
    }

    #[test]
    fn periods_stay_apart() {
        let again = candidate("大阪に住んでいます", Some("2024"), None);
        assert_eq!(
            relation(&again, &fact("f_1", "大阪に住んでいた", Some("2015"), Some("2018"))),
            Relation::Separate
        );
        let again = candidate("I live in Osaka", Some("2024-04"), None);
        let mut past = fact("f_1", "I live in Osaka", Some("2015"), Some("2018"));
        past.status = Status::Past;
        assert_eq!(relation(&again, &past), Relation::Separate);
        past.valid_until = None;
        assert_eq!(relation(&candidate("I live in Osaka", None, None), &past), Relation::Separate);
    }

    proptest! {
        #[test]
        fn no_text_panics_and_a_text_is_what_it_is(new in ".{0,40}", old in ".{0,40}") {
            relation(&candidate(&new, None, None), &fact("f_1", &old, None, None));
        }
    }
}
