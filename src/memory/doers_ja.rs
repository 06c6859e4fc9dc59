//! Who does it and to whom, in Japanese: particles tell the parts, and endings turn them round.

use super::subject::people_ja;
use crate::text::language::{is_han, is_katakana};
use crate::words;

/// Whether the text (folded, as `said` is) gives a deed or a trait to somebody else than what was said.
pub(super) fn exchanged(text: &str, said: &str) -> bool {
    crossed(text, said)
        || passive(text, said)
        || of_another(text, said)
        || left_out(text, said)
        || counts_cross(text, said)
        || converse(text, said)
}

/// The part that a particle gives to the noun before it.
fn part(after: &str) -> Option<char> {
    // では and には are places and times.
    if ["では", "には", "とは", "での", "まで"].iter().any(|both| after.starts_with(both)) {
        return None;
    }
    // 「弟の方が背が高い」
    if ["の方が", "のほうが"].iter().any(|side| after.starts_with(side)) {
        return Some('が');
    }
    if after.starts_with("から") {
        return Some('か');
    }
    match after.chars().next()? {
        'は' | 'が' | 'も' => Some('が'),
        c @ ('を' | 'に' | 'と' | 'で') => Some(c),
        'よ' if after.starts_with("より") => Some('よ'),
        _ => None,
    }
}

/// The nouns with the part that each has, where it has one only.
fn parts(folded: &str) -> Vec<(String, char, bool)> {
    let mut found: Vec<(String, char, bool)> = Vec::new();
    let mut run = String::new();
    for (at, c) in folded.char_indices() {
        let is_noun = is_han(c) || matches!(c, 'ァ'..='ヺ' | 'ー' | '々') || c.is_ascii_alphanumeric();
        if is_noun {
            run.push(c);
            continue;
        }
        if !run.is_empty() {
            if let Some(part) = part(folded.get(at..).unwrap_or_default()) {
                let is_topic = matches!(c, 'は' | 'も');
                found.push((std::mem::take(&mut run), part, is_topic));
            }
            run.clear();
        }
    }
    found
}

/// Somebody is the doer in the one and the other in the other, or two nouns change places.
fn crossed(text: &str, said: &str) -> bool {
    let (told, spoken) = (parts(text), parts(said));
    let of = |list: &[(String, char, bool)], noun: &str| -> Vec<(char, bool)> {
        list.iter().filter(|(own, ..)| own == noun).map(|(_, part, topic)| (*part, *topic)).collect()
    };
    let is_being =
        |noun: &str| people_ja().iter().any(|person| noun.ends_with(person)) || noun.chars().all(is_katakana);
    let turns = told.iter().any(|(noun, part, _)| {
        let own = of(&spoken, noun);
        // は marks objects, too: 「犬は飼っている」.
        let differs = |(other, topic): &(char, bool)| match (part, other) {
            (part, other) if part == other => false,
            ('が', 'を' | 'に' | 'よ' | 'か') | ('を' | 'に', 'よ') | ('よ', 'が') => true,
            // 「バースに住んでいる」 and 「バースで働いている」.
            ('で', 'に') => true,
            ('を' | 'に', 'が') => !topic,
            _ => false,
        };
        !own.is_empty()
            && own.iter().all(differs)
            && (is_being(noun) || own.iter().all(|(other, _)| *other == 'よ'))
    });
    let swaps = told.iter().any(|(noun, part, _)| {
        told.iter().any(|(second, second_part, _)| {
            let (first_said, second_said) = (of(&spoken, noun), of(&spoken, second));
            noun != second
                && part != second_part
                && matches!((first_said.as_slice(), second_said.as_slice()), ([(a, _)], [(b, _)]) if a == second_part && b == part)
        })
    });
    turns || swaps || weekdays_swap(text, said)
}

/// 「月曜のシフトを木曜に」: of two days, the first and the second change places.
fn weekdays_swap(text: &str, said: &str) -> bool {
    let days = |folded: &str| -> Vec<char> {
        folded.match_indices('曜').filter_map(|(at, _)| folded.get(..at)?.chars().next_back()).collect()
    };
    let (told, spoken) = (days(text), days(said));
    let (Some(first), Some(last)) = (told.first(), told.last()) else { return false };
    first != last && told.len() == 2 && spoken.len() == 2 && spoken.first() == Some(last)
}

/// 「噛まれた」 told as 「噛んだ」, and 「クビにした」 as 「クビになった」.
fn passive(text: &str, said: &str) -> bool {
    for (done, turned) in [("にした", "になった"), ("にしま", "になった"), ("にしてい", "になってい")]
    {
        if let Some(at) = text.find(turned) {
            let noun: String = text
                .get(..at)
                .unwrap_or_default()
                .chars()
                .rev()
                .take_while(|c| is_han(*c) || is_katakana(*c))
                .collect();
            let noun: String = noun.chars().rev().collect();
            if !noun.is_empty()
                && said.contains(&format!("{noun}{done}"))
                && !said.contains(&format!("{noun}にな"))
            {
                return true;
            }
        }
    }
    // 「プロポーズされた」 told as 「プロポーズした」.
    let suru = |folded: &str, forms: crate::text::list::Words| -> Vec<String> {
        forms
            .iter()
            .flat_map(|form| folded.match_indices(form).map(|(at, _)| at).collect::<Vec<_>>())
            .filter_map(|at| {
                let noun: Vec<char> =
                    folded.get(..at)?.chars().rev().take_while(|c| is_han(*c) || is_katakana(*c)).collect();
                (noun.len() > 1).then(|| noun.into_iter().rev().collect())
            })
            .collect()
    };
    let (active, suffered) = (words!["した", "する", "しま", "して"], words!["され"]);
    let turned = |one: &str, other: &str| {
        suru(one, active)
            .iter()
            .any(|noun| suru(other, suffered).contains(noun) && !suru(other, active).contains(noun))
    };
    if turned(text, said) || turned(said, text) {
        return true;
    }
    // The kanji of a verb with the kana behind it.
    let verbs = |folded: &str| -> Vec<(char, bool)> {
        let letters: Vec<char> = folded.chars().collect();
        letters
            .windows(4)
            .filter_map(|four| match four {
                // 「ケンと呼んで」 is a wish to be called so.
                [stem, a, b, c] if is_han(*stem) && *stem != '呼' && matches!(a, 'ぁ'..='ん') => {
                    let is_passive = *b == 'れ' && "わかがさたなばまら".contains(*a)
                        || *a == 'ら' && *b == 'れ'
                        || *a == 'さ' && *b == 'れ'
                        || "わかがさたなばまら".contains(*b) && *c == 'れ';
                    Some((*stem, is_passive))
                }
                _ => None,
            })
            .collect()
    };
    // A short text ends before its fourth letter.
    let (told, spoken) = (verbs(&format!("{text}。。。")), verbs(&format!("{said}。。。")));
    told.iter().any(|(stem, passive)| {
        let own: Vec<bool> =
            spoken.iter().filter(|(other, _)| other == stem).map(|(_, passive)| *passive).collect();
        !own.is_empty() && own.iter().all(|other| other != passive)
    })
}

/// What is said of somebody by a clause before them, or of somebody's somebody: 「猫を飼っている友人」, 「娘の先生は」.
fn of_another(text: &str, said: &str) -> bool {
    let told = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let describes = told.chars().count() >= 4
        && said.match_indices(told).next().is_some()
        && said.match_indices(told).all(|(at, _)| {
            let after = said.get(at + told.len()..).unwrap_or_default();
            people_ja()
                .iter()
                .chain(words!["人", "子が", "方が", "男", "女", "知り合い", "会社", "店"])
                .any(|person| after.starts_with(person))
        });
    let of_whom = people_ja().iter().any(|person| {
        let is_subject = ["は", "が"].iter().any(|particle| text.starts_with(&format!("{person}{particle}")));
        is_subject
            && ["は", "が", "も", "と", "、", "を", "に"]
                .iter()
                .all(|particle| !said.contains(&format!("{person}{particle}")))
            && people_ja().iter().any(|other| said.contains(&format!("{person}の{other}")))
    });
    describes || of_whom || owner_lost(text, said) || of_their_place(text, said)
}

/// 「アバターの名前は」 told as 「名前は」, 「妹の代わりに」 told as 「妹が」.
fn owner_lost(text: &str, said: &str) -> bool {
    let run = |c: char| is_han(c) || is_katakana(c);
    let Some(at) = text.find(['は', 'が']) else { return false };
    let noun = text.get(..at).unwrap_or_default();
    if noun.is_empty() || !noun.chars().all(run) {
        return false;
    }
    let mut owners = said.match_indices(noun).map(|(at, _)| {
        let before = said.get(..at).unwrap_or_default();
        let owner: String =
            before.strip_suffix('の').unwrap_or_default().chars().rev().take_while(|c| run(*c)).collect();
        owner.chars().rev().collect::<String>()
    });
    let is_somebody = |owner: &String| {
        owner.chars().count() > 1 && owner.chars().all(is_katakana)
            || people_ja().iter().any(|person| person == owner)
    };
    let lost = owners.clone().next().is_some()
        && owners.all(|owner| is_somebody(&owner) && !text.contains(owner.as_str()));
    let stands_in = words![
        "世話",
        "介護",
        "面倒",
        "看病",
        "代わり",
        "チーム",
        "クラス",
        "会社",
        "店",
        "ため",
        "おかげ",
        "せい",
        "学校"
    ];
    let places = said.match_indices(noun).map(|(at, _)| said.get(at + noun.len()..).unwrap_or_default());
    let replaced = people_ja().iter().any(|person| noun.ends_with(person))
        && said.contains(noun)
        && places.into_iter().all(|after| {
            after.strip_prefix('の').is_some_and(|rest| stands_in.iter().any(|word| rest.starts_with(word)))
        });
    lost || replaced
}

/// 「付き合ってる人に息子がいる」, 「…の人が引っ越した」: the one who has or does it is left out.
fn left_out(text: &str, said: &str) -> bool {
    let people = || people_ja().iter().chain(words!["人", "相手", "隣の家", "お隣", "隣"]);
    // 「2人」 counts and names nobody.
    let names = |person: &str| {
        text.match_indices(person).any(|(at, _)| {
            !text.get(..at).is_some_and(|before| {
                before.ends_with(|c: char| c.is_numeric() || "一二三四五六".contains(c))
            })
        })
    };
    if people().any(|person| names(person) && said.contains(&format!("{person}に"))) {
        return false;
    }
    let has = |folded: &str| {
        folded.contains('が')
            && words!["いる", "います", "いて", "ある", "あります", "あって"]
                .iter()
                .any(|verb| folded.contains(verb))
    };
    let possessor = people().any(|person| {
        said.split_once(&format!("{person}に")).is_some_and(|(_, rest)| has(rest)) && !names(person)
    });
    let kanji = |folded: &str| folded.chars().rev().find(|c| is_han(*c));
    let doer = said.rfind('が').is_some_and(|at| {
        let (before, after) =
            (said.get(..at).unwrap_or_default(), said.get(at + 'が'.len_utf8()..).unwrap_or_default());
        let felt = words![
            "い", "好", "大好", "嫌", "苦手", "ほし", "欲", "必要", "でき", "怖", "気", "大切", "心配",
            "恋し"
        ];
        people().any(|person| before.ends_with(person) && !text.contains(person))
            && !felt.iter().any(|word| after.starts_with(word))
            && kanji(text).is_some()
            && kanji(text) == kanji(said)
            && !text.contains('が')
    });
    possessor && has(text) || doer
}

/// 「猫が2匹と犬が1匹」: the numbers of two things change places.
fn counts_cross(text: &str, said: &str) -> bool {
    let counts = |folded: &str| -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut noun = String::new();
        let mut digits = String::new();
        for c in folded.chars() {
            if c.is_ascii_digit() {
                digits.push(c);
                continue;
            }
            if !digits.is_empty() {
                if !noun.is_empty() && "匹頭羽人台本個枚冊軒".contains(c) {
                    found.push((noun.clone(), digits.clone()));
                }
                digits.clear();
                noun.clear();
                continue;
            }
            match c {
                'が' | 'を' | 'は' if !noun.is_empty() => {}
                c if is_han(c) || is_katakana(c) => noun.push(c),
                _ => noun.clear(),
            }
        }
        found
    };
    let (told, spoken) = (counts(text), counts(said));
    told.iter().any(|(noun, count)| {
        spoken.iter().any(|(other, own)| other == noun && own != count)
            && spoken.iter().any(|(other, own)| other != noun && own == count)
    })
}

/// 「兄が勤める会社が移転する」: who stands in the clause before the noun doesn't do what the noun does.
fn of_their_place(text: &str, said: &str) -> bool {
    let end = |folded: &str| -> String {
        let letters: Vec<char> = folded.trim_end_matches(|c: char| !c.is_alphanumeric()).chars().collect();
        let at = letters.iter().rposition(|c| is_han(*c)).unwrap_or(0);
        letters.get(at).map(char::to_string).unwrap_or_default()
    };
    people_ja().iter().any(|person| {
        if !text.starts_with(&format!("{person}は")) && !text.starts_with(&format!("{person}が")) {
            return false;
        }
        let Some(at) = said.find(&format!("{person}が")) else { return false };
        let rest = said.get(at + person.len() + 'が'.len_utf8()..).unwrap_or_default();
        let Some(next) = rest.find(['が', 'は']) else { return false };
        let clause: Vec<char> = rest.get(..next).unwrap_or_default().chars().collect();
        let noun = clause.iter().rev().take_while(|c| is_han(**c) || is_katakana(**c)).count();
        let before = clause.len().checked_sub(noun + 1).and_then(|at| clause.get(at));
        let told = clause.iter().skip(clause.len() - noun).collect::<String>();
        noun > 0
            && !text.contains(&told)
            && before.is_some_and(|c| "るたうくすつぶむぐ".contains(*c))
            && end(text) == end(said)
    })
}

/// 「教わる」 told as 「教える」: the same deed from the other side.
fn converse(text: &str, said: &str) -> bool {
    const SIDES: &[(&str, &str)] = &[
        ("教わ", "教え"),
        ("借り", "貸し"),
        ("もらっ", "あげ"),
        ("もらい", "あげ"),
        ("習", "教え"),
        ("くれ", "あげ"),
    ];
    SIDES.iter().flat_map(|&(one, other)| [(one, other), (other, one)]).any(|(one, other)| {
        said.contains(one) && !said.contains(other) && text.contains(other) && !text.contains(one)
    })
}
