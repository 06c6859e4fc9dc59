//! Whether a fact says of its subject what the statement says: the same verb, in the same voice, of the same person.
//!
//! All words of a fact may stand in a statement that yet says something else: "applying for a position as a curator" is
//! no "is a curator", and 「カウンセラーに日記を勧められた」 recommends nothing. What the statement does is looked for in the
//! fact; where it can't be told what that is, nothing is objected.

use super::cover::{related, stem};
use super::cover_ja::related_ja;
use super::subject::{is_person_en, person_ja};
use super::units_en::{Word, is_adverb, is_auxiliary, is_filler, words};
use crate::text::fold::fold;
use crate::text::language::{Language, is_han, language};

/// Whether `text` says something else than the statement `said`, although it has only its words.
pub(super) fn misread(text: &str, said: &str) -> bool {
    match language(said) {
        Language::En => misread_en(&words(text), &words(said)),
        Language::Ja => misread_ja(&fold(text), &fold(said)),
    }
}

/// "my husband Tomás", 「夫の健」: who somebody is, told in passing.
pub(super) fn names_relation(text: &str, said: &str) -> bool {
    match language(said) {
        Language::En => {
            let told: Vec<Word> = words(text)
                .into_iter()
                .filter(|word| {
                    !matches!(word.low.as_str(), "the" | "user's" | "user" | "my" | "is" | "named" | "called")
                })
                .collect();
            let [relation, name] = told.as_slice() else { return false };
            let relation = relation.low.trim_end_matches("'s");
            words(said).windows(3).any(|near| {
                matches!(near.first().map(|word| word.low.as_str()), Some("my" | "our"))
                    && near.get(1).is_some_and(|word| word.low == relation && is_person_en(relation))
                    && near.get(2).is_some_and(|word| word.low == name.low && word.is_capital)
            })
        }
        Language::Ja => {
            let text = fold(text);
            let bare = text
                .trim_end_matches(|c: char| !c.is_alphanumeric())
                .trim_end_matches("です")
                .trim_end_matches('だ');
            bare.split_once('は').is_some_and(|(head, name)| {
                !name.is_empty()
                    && !name.contains(['は', 'が', 'を', 'に'])
                    && fold(said).contains(&format!("{head}の{name}"))
            })
        }
    }
}

fn misread_en(text: &[Word], said: &[Word]) -> bool {
    let stems: Vec<String> = text.iter().map(|word| stem(&word.low)).collect();
    acts_on_user(text, said) || misnames_en(text, said) || lacks_verb(&stems, text, said)
}

/// "Felix owes me 300": who does it and to whom are not exchanged.
fn acts_on_user(text: &[Word], said: &[Word]) -> bool {
    let first_person = |word: &Word| matches!(word.low.split('\'').next(), Some("i" | "we" | "im"));
    let Some(at) = said.iter().position(|word| matches!(word.low.as_str(), "me" | "us")) else {
        return false;
    };
    let Some(verb) = at.checked_sub(1).and_then(|verb| said.get(verb)) else { return false };
    if said.iter().take(at).any(first_person) {
        return false;
    }
    let own: Vec<&Word> = text
        .iter()
        .filter(|word| word.low != "the" && !is_adverb(&word.low) && !is_auxiliary(&word.low))
        .take(2)
        .collect();
    let acts = |at: usize| own.get(at).is_some_and(|word| stem(&word.low) == stem(&verb.low));
    own.first().is_some_and(|word| word.low == "user") && acts(1) || acts(0)
}

/// A name that belongs to somebody else who stands between.
fn misnames_en(text: &[Word], said: &[Word]) -> bool {
    let Some(relation) = text.iter().position(|word| is_person_en(word.low.trim_end_matches("'s"))) else {
        return false;
    };
    let who = text.get(relation).map(|word| word.low.trim_end_matches("'s").to_owned()).unwrap_or_default();
    let Some(name) = text.iter().enumerate().skip(1).find(|(at, word)| {
        word.is_capital
            && at.abs_diff(relation) <= 3
            && !is_person_en(&word.low)
            && word.low != "user's"
            && word.low != "user"
    }) else {
        return false;
    };
    let links = text.iter().any(|word| matches!(word.low.as_str(), "is" | "named" | "called" | "name"));
    let places = |low: &str| -> Vec<usize> {
        said.iter()
            .enumerate()
            .filter(|(_, word)| word.low.trim_end_matches("'s") == low)
            .map(|(at, _)| at)
            .collect()
    };
    let (people, names) = (places(&who), places(&name.1.low));
    if !links || people.is_empty() || names.is_empty() {
        return false;
    }
    !people.iter().any(|&person| {
        names.iter().any(|&named| {
            let between = said.get(person.min(named) + 1..person.max(named)).unwrap_or_default();
            !between.iter().any(|word| {
                is_person_en(&word.low) || word.is_capital && !matches!(word.low.as_str(), "i" | "i'm")
            })
        })
    })
}

/// Whether the statement's own verb is missing from the fact.
fn lacks_verb(stems: &[String], text: &[Word], said: &[Word]) -> bool {
    let verbs = main_verbs(said);
    if verbs.is_empty() {
        return false;
    }
    let has =
        |verb: &String| stems.contains(&stem(verb)) || stems.iter().any(|own| related(&stem(verb), own));
    if verbs.iter().any(has) {
        return false;
    }
    let low = |words: &[Word], any: &[&str]| words.iter().any(|word| any.contains(&word.low.as_str()));
    let light = |verb: &String| {
        matches!(
            verb.as_str(),
            "do" | "does"
                | "did"
                | "get"
                | "got"
                | "getting"
                | "become"
                | "became"
                | "turn"
                | "turned"
                | "come"
                | "came"
                | "go"
                | "going"
                | "feel"
                | "been"
                | "use"
                | "mean"
        ) || matches!(verb.as_str(), "work" | "working" | "worked") && low(said, &["as"])
    };
    if verbs.iter().all(light) {
        return false;
    }
    let owns = low(text, &["has", "have", "owns", "own", "had"]);
    let comes_to_have = verbs.iter().any(|verb| {
        matches!(
            stem(verb).as_str(),
            "have"
                | "hav"
                | "ha"
                | "had"
                | "own"
                | "keep"
                | "kept"
                | "bui"
                | "bought"
                | "adopt"
                | "rais"
                | "inherit"
                | "receiv"
                | "rescu"
                | "found"
        )
    });
    let mine = said.windows(3).any(|near| {
        matches!(near.first().map(|word| word.low.as_str()), Some("my" | "our"))
            && near.iter().skip(1).any(|word| stems.contains(&stem(&word.low)))
    });
    !(owns && (comes_to_have || mine)) && !mine_is_told(text, said)
}

/// "we moved into our flat in Ghent" may be told as "the user's flat is in Ghent".
fn mine_is_told(text: &[Word], said: &[Word]) -> bool {
    let Some(owned) = text.iter().position(|word| word.low == "user's").and_then(|at| text.get(at + 1))
    else {
        return false;
    };
    said.windows(2).any(|near| {
        matches!(near.first().map(|word| word.low.as_str()), Some("my" | "our"))
            && near.get(1).is_some_and(|word| stem(&word.low) == stem(owned.low.trim_end_matches("'s")))
    })
}

/// The verbs that the user is the subject of: "want" and "visit" of "I want to visit". A copula is none.
fn main_verbs(said: &[Word]) -> Vec<String> {
    let first = said.iter().position(|word| {
        matches!(
            word.low.as_str(),
            "i" | "we"
                | "i'm"
                | "im"
                | "we're"
                | "i've"
                | "we've"
                | "ive"
                | "i'll"
                | "we'll"
                | "i'd"
                | "we'd"
        )
    });
    let mut be = false;
    let rest: Vec<&Word> = match first {
        Some(at) => {
            let start = said.get(at).map(|word| word.low.as_str()).unwrap_or_default();
            be = matches!(start, "i'm" | "im" | "we're");
            said.iter().skip(at + 1).collect()
        }
        None => said.iter().skip_while(|word| is_filler(&word.low)).collect(),
    };
    let mut found = Vec::new();
    let mut rest = rest.into_iter().filter(|word| !is_adverb(&word.low) && !is_filler(&word.low)).peekable();
    while let Some(word) = rest.next() {
        let low = word.low.as_str();
        let participle = rest.peek().is_some_and(|next| {
            next.low == "been"
                || next.low.ends_with("ed")
                || matches!(next.low.as_str(), "had" | "got" | "gone" | "done" | "moved")
        });
        match low {
            "am" | "are" | "is" | "was" | "were" | "been" | "be" => be = true,
            "have" | "has" | "had" if participle => {}
            "do" | "don't" | "did" | "didn't" | "does" | "doesn't" | "can" | "can't" | "cannot" | "will"
            | "won't" | "would" | "wouldn't" | "could" | "should" | "must" | "haven't" | "hasn't"
            | "might" | "may" => {}
            _ if be && !(low.len() > 4 && low.ends_with("ing") || low.ends_with("ed")) => return Vec::new(),
            // A subject that isn't the user: the words before the verb can't be told from it.
            _ if first.is_none() && !be && !(low.ends_with("ing") || low.ends_with("ed")) => {
                return Vec::new();
            }
            _ => {
                found.push(low.to_owned());
                be = false;
                // "want to visit", "used to smoke", "going to move"
                if rest.peek().is_some_and(|next| next.low == "to") {
                    rest.next();
                    continue;
                }
                return found;
            }
        }
    }
    found
}

fn misread_ja(text: &str, said: &str) -> bool {
    let (told, stated) = (predicate(text), predicate(said));
    if misnames_ja(text, said) || becomes_active(text, said) {
        return true;
    }
    match (&told, &stated) {
        (Predicate::Words(told), Predicate::Words(stated)) => {
            let meets = told.iter().any(|told| {
                stated.iter().any(|stated| stated.contains(told.as_str()) || told.contains(stated.as_str()))
            });
            !meets
                && !stated.iter().any(|stated| text.contains(stated.as_str()))
                && !related_ja(&told.join(" "), &stated.join(" "))
                && !is_introduced(text, said)
        }
        (Predicate::Exists, Predicate::Words(_)) => !implies_having(said),
        _ => false,
    }
}

/// What the end of a Japanese sentence says.
enum Predicate {
    /// Runs of kanji, katakana, Latin letters or digits; the last one, and the one before it if the last only helps.
    Words(Vec<String>),
    /// がいる, がある.
    Exists,
    Unknown,
}

fn predicate(sentence: &str) -> Predicate {
    let end = sentence
        .trim_end_matches(|c: char| !c.is_alphanumeric())
        .trim_end_matches(['w', '笑'])
        .trim_end_matches(|c: char| !c.is_alphanumeric());
    let content = |c: char| is_han(c) || matches!(c, 'ァ'..='ヺ' | 'ー') || c.is_ascii_alphanumeric();
    let mut runs: Vec<(String, String)> = Vec::new();
    let mut in_run = false;
    for c in end.chars() {
        let is_content = content(c);
        match runs.last_mut() {
            Some((run, _)) if is_content && in_run => run.push(c),
            Some((_, tail)) if !is_content => tail.push(c),
            _ if is_content => runs.push((c.to_string(), String::new())),
            _ => {}
        }
        in_run = is_content;
    }
    let Some((last, tail)) = runs.pop() else { return Predicate::Unknown };
    let copular = tail.is_empty() || COPULAR.iter().any(|start| tail.starts_with(start));
    let after = tail.trim_start_matches(['が', 'も', 'は', 'に', 'と']);
    let counted = last.chars().next_back().is_some_and(|c| "人匹頭羽台本個軒".contains(c));
    if counted && ["いる", "いま", "いな", "いた", "ある", "あり"].iter().any(|verb| tail.starts_with(verb))
    {
        return Predicate::Exists;
    }
    if !copular
        && tail.starts_with(['が', 'も', 'は'])
        && ["いる", "いま", "いな", "いた", "いて", "ある", "あり", "あっ", "ない", "い。"]
            .iter()
            .any(|verb| after.starts_with(verb))
    {
        return Predicate::Exists;
    }
    if !copular
        && tail.starts_with(['が', 'を', 'に', 'は', 'も', 'と', 'で', 'へ', 'か'])
        && tail.chars().count() >= 3
        && !tail.starts_with("から")
    {
        return Predicate::Unknown;
    }
    let mut words = vec![last.clone()];
    // 引っ越す has its first kanji before a っ.
    if let Some((before, link)) = runs.last()
        && link == "っ"
    {
        words = vec![format!("{before}っ{last}")];
    }
    if HELPS.contains(&last.as_str())
        && let Some((before, _)) = runs.pop()
    {
        words.push(before);
    }
    Predicate::Words(words)
}

/// 「タマという猫」 and 「夫の健」 tell a name or a kind on the way to another verb.
fn is_introduced(text: &str, said: &str) -> bool {
    let bare = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let bare = ["です", "だ"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    let Some((head, value)) = bare.split_once('は') else { return false };
    let noun = head.trim_end_matches("の名前").rsplit('の').next().unwrap_or(head);
    !value.is_empty()
        && ["という", "って", "という名前の", "という名の", "と申", "といい", "と呼"]
            .iter()
            .any(|link| said.contains(&format!("{value}{link}")))
        || said.contains(&format!("{noun}の{value}"))
        || said.contains(&format!("{value}が{head}"))
}

fn implies_having(said: &str) -> bool {
    [
        "い",
        "ある",
        "あり",
        "あっ",
        "ない",
        "なし",
        "飼",
        "持",
        "生まれ",
        "でき",
        "迎",
        "うちの",
        "という",
        "抱え",
        "患",
        "入って",
        "入り",
        "控え",
        "症",
        "アレルギー",
        "予約",
        "私の",
        "僕の",
        "愛犬",
        "愛猫",
    ]
    .iter()
    .any(|word| said.contains(word))
}

/// 勧められた told as 勧めた.
fn becomes_active(text: &str, said: &str) -> bool {
    ["られ", "され"].iter().any(|voice| {
        said.match_indices(voice).any(|(at, _)| {
            let before = said.get(..at).unwrap_or_default();
            let stem: String =
                before.chars().rev().skip_while(|c| !is_han(*c)).take_while(|c| is_han(*c)).collect();
            let stem: String = stem.chars().rev().collect();
            let near = before.chars().rev().take_while(|c| !is_han(*c)).count() <= 1;
            !stem.is_empty()
                && near
                && text.contains(&stem)
                && !text.contains("られ")
                && !text.contains("され")
                && !text.contains('れ')
        })
    })
}

/// 「夫は蓮」 of 「夫の健と長男の蓮」: somebody else stands between.
fn misnames_ja(text: &str, said: &str) -> bool {
    let bare = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let bare = ["です", "だ"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    let Some((head, name)) = bare.split_once('は') else { return false };
    let Some(person) = person_ja(head.trim_end_matches("の名前")) else { return false };
    if name.is_empty()
        || name.chars().any(|c| matches!(c, 'が' | 'を' | 'に' | 'で'))
        || name.chars().count() > 8
    {
        return false;
    }
    let (people, names): (Vec<usize>, Vec<usize>) = (
        said.match_indices(person).map(|(at, _)| at).collect(),
        said.match_indices(name).map(|(at, _)| at).collect(),
    );
    if people.is_empty() || names.is_empty() {
        return false;
    }
    !people.iter().any(|&at| {
        names.iter().any(|&named| {
            let (start, end) = if at < named { (at + person.len(), named) } else { (named + name.len(), at) };
            said.get(start..end).is_some_and(|between| person_ja(between).is_none())
        })
    })
}

#[rustfmt::skip]
const COPULAR: &[&str] = &[
    "です",
    "でし",
    "であ",
    "だ",
    "じゃ",
    "では",
    "でも",
    "になっ",
    "になり",
    "になる",
    "にな",
    "をし",
    "をす",
    "をや",
    "とい",
    "って",
    "なの",
    "なん",
    "での",
];

#[rustfmt::skip]
const HELPS: &[&str] = &[
    "決", "始", "続", "思", "来", "行", "見", "頂", "下", "欲", "終", "直", "過", "多", "気", "感",
    "予定", "必要", "可能", "事", "方", "所", "出来", "合", "切", "言", "聞", "会員", "状態", "最中",
    "途中", "中",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_that_says_something_else_with_the_same_words_is_seen() {
        for (text, said) in [
            ("The user is a curator in Ghent", "I'm applying for a position as a curator in Ghent"),
            ("The user owes the brother-in-law Felix 300 bucks", "My brother-in-law Felix owes me 300 bucks"),
            ("The user's husband is Rui", "my husband Tomás, and the kids, Inês (9), Rui (6)"),
            ("The user has a Toyota", "I'm leaning towards the Toyota"),
            ("台所をリフォームする", "台所のリフォームは高すぎる"),
            ("カウンセラーだ", "カウンセラーに日記を勧められて"),
            ("カウンセラーに日記を勧めた", "カウンセラーに日記を勧められて"),
            ("夫は蓮", "夫の健と、長男の蓮がいます"),
            ("電動自転車を売った", "電動自転車買った"),
            ("猫がいる", "猫が好き"),
        ] {
            assert!(misread(text, said), "{text} / {said}");
        }
    }

    #[test]
    fn a_faithful_rewording_is_not_objected_to() {
        for (text, said) in [
            ("The user is a nurse", "I work as a nurse"),
            ("The user has a kitten named Luna", "I just adopted a kitten named Luna"),
            ("The user lives in Osaka", "I moved to Osaka"),
            ("The user wants to visit Paris", "I'd like to visit Paris"),
            ("The user is learning Korean", "I've been learning Korean since 2019"),
            ("The user's husband is Tomás", "my husband Tomás, and the kids"),
            ("夫は健", "夫の健と、長男の蓮がいます"),
            ("猫の名前はタマ", "タマという名前の猫を飼っています"),
            ("大阪に住んでいる", "大阪に引っ越しました"),
            ("看護師", "看護師をしています"),
            ("妻がいる", "妻と娘がいます"),
            ("誕生日は5月3日", "5月3日が誕生日です"),
            ("7歳になった", "7歳になりました"),
        ] {
            assert!(!misread(text, said), "{text} / {said}");
        }
    }
}
