//! Which kind a fact is of, corrected where its words leave no doubt.

use super::model::Kind;
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase::has_any;
use crate::words;

/// The kind of a fact: what its words clearly are, else what the model said, else `other`.
pub(super) fn kind_of(text: &str, words: &str, proposed: Option<Kind>) -> Kind {
    let own = fold(text);
    let folded = format!("{own} {}", fold(words));
    let sure = |folded: &str| SURE.iter().find(|(_, cues)| has_any(folded, *cues)).map(|(kind, _)| *kind);
    // "I live in Kyoto with my cat" is about somebody, and "Lives in Kyoto", which was taken from it, is not.
    let is_borne_out = GUESS.iter().any(|(kind, cues)| Some(*kind) == proposed && has_any(&own, *cues))
        && sure(&own).is_none();
    let sure = sure(&folded).filter(|sure| *sure != Kind::Relationship || !is_borne_out);
    match (sure, proposed) {
        // A cue may stand in a plan or a decision about the same thing; those are the model's to tell.
        (Some(_), Some(kind @ (Kind::Plan | Kind::Decision)))
        | (Some(Kind::Health | Kind::Relationship), Some(kind @ Kind::Event))
        | (Some(kind), _)
        | (None, Some(kind)) => kind,
        (None, None) => {
            GUESS.iter().find(|(_, cues)| has_any(&folded, *cues)).map_or(Kind::Other, |(kind, _)| *kind)
        }
    }
}

/// Words that leave no doubt.
#[rustfmt::skip]
const SURE: &[(Kind, Words)] = &[
    (Kind::Identity, words!["my name is", "私の名前", "僕の名前", "俺の名前"]), (Kind::Relationship, words!["の名前は", "の名前を", "て、名前は"]),
    (Kind::Health, words!["allergic", "allergy", "allergies", "diabetes", "diabetic", "asthma", "diagnosed", "medication", "アレルギー", "糖尿病", "喘息", "持病", "通院", "服薬", "うつ病"]),
    (Kind::Relationship, words!["my wife", "my husband", "my sister", "my brother", "my mother", "my father", "my daughter", "my son", "my girlfriend", "my boyfriend", "my dog", "my cat", "妻は", "夫は", "娘は", "息子は", "妹は", "弟は", "姉は", "兄は", "母は", "父は", "犬の名前", "猫の名前"]),
    (Kind::Identity, words!["my name is", "birthday", "years old", "誕生日", "名前は", "歳です", "才です", "生まれです"]),
];

/// Words that suggest a kind if nobody named one.
#[rustfmt::skip]
const GUESS: &[(Kind, Words)] = &[
    (Kind::Decision, words!["decided", "decision", "settled on", "決めた", "決めました", "ことにした", "確定", "決定"]),
    (Kind::Plan, words!["plan", "planning", "going to", "next week", "next month", "next year", "tomorrow", "want to", "予定", "つもり", "来月", "来週", "来年", "明日", "したい", "行きたい"]),
    (Kind::Preference, words!["like", "love", "prefer", "favorite", "favourite", "hate", "dislike", "enjoy", "好き", "嫌い", "苦手", "好み", "趣味", "好物"]),
    (Kind::Place, words!["live", "lives", "moved", "living", "住んで", "引っ越", "在住", "出身", "実家"]),
    (Kind::Work, words!["work", "works", "job", "company", "employed", "engineer", "teacher", "student", "働いて", "勤務", "仕事", "職業", "会社", "勤めて"]),
    (Kind::Event, words!["yesterday", "last week", "last month", "went to", "昨日", "先週", "先月", "行った", "行きました"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_kind_is_corrected_and_a_plan_stays_a_plan() {
        assert_eq!(kind_of("Allergic to nuts", "I'm allergic to nuts", Some(Kind::Preference)), Kind::Health);
        assert_eq!(kind_of("犬の名前はポチ", "犬の名前はポチです", Some(Kind::Other)), Kind::Relationship);
        assert_eq!(kind_of("Visits my sister", "I will visit my sister", Some(Kind::Plan)), Kind::Plan);
        let lives = |text, said| kind_of(text, said, Some(Kind::Place));
        assert_eq!(lives("Lives in Kyoto", "I live in Kyoto with my cat Momo"), Kind::Place);
        assert_eq!(lives("京都に住んでいる", "妹は東京で、私は京都に住んでいます"), Kind::Place);
        assert_eq!(lives("My cat lives in Kyoto", "my cat lives in Kyoto"), Kind::Relationship);
        assert_eq!(kind_of("猫が好き", "猫が好き", None), Kind::Preference);
        assert_eq!(kind_of("猫が好き", "猫が好き", Some(Kind::Preference)), Kind::Preference);
        assert_eq!(kind_of("x", "x", None), Kind::Other);
    }
}
