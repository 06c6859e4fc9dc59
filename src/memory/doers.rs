//! Who does it and to whom. A fact may use all the words that were said and still exchange the doer with the other:
//! "I lent Paul money" and "Paul lent the user money", 「犬に噛まれた」 and 「犬を噛んだ」.

use super::cover::stem;
use super::subject::is_person_en;
use crate::text::fold::fold;
use crate::text::language::{Language, language};
use crate::text::list::Words;
use crate::words;

/// Whether the text gives a deed or a trait to somebody else than what was said.
pub(super) fn exchanged(text: &str, said: &str) -> bool {
    match language(said) {
        Language::En => {
            let names = names(said);
            let (folded_text, folded_said) = (fold(text), fold(said));
            let (text, said) = (english(&folded_text, &names), english(&folded_said, &names));
            crossed(&text, &said)
                || taken(&text, &said)
                || undergone(&text, &said)
                || borrowed_noun(&text, &said)
                || owner_lost(&folded_text, &folded_said)
        }
        Language::Ja => super::doers_ja::exchanged(&fold(text), &fold(said)),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// The user, by any word.
    User,
    /// Somebody else, by the word.
    Person(String),
    Word(String),
}

/// Capitalised words, which may be anybody's name.
fn names(said: &str) -> Vec<String> {
    #[rustfmt::skip]
    const OPENING: Words = words![
        "i", "my", "our", "we", "the", "a", "an", "he", "she", "it", "they", "this", "that", "in", "on", "at",
        "when", "since", "after", "before", "no", "yes", "is", "am", "and", "but", "so",
    ];
    said.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.starts_with(char::is_uppercase) && word.len() > 1)
        .map(fold)
        .filter(|word| !OPENING.contains(word))
        .collect()
}

fn english(folded: &str, names: &[String]) -> Vec<Token> {
    let folded = folded.replace('’', "'");
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty()).collect();
    words
        .iter()
        .enumerate()
        .flat_map(|(at, word)| {
            let verb = match word.split_once('\'').map(|(_, verb)| verb) {
                Some("m" | "re") => Some(Token::Word("am".to_owned())),
                Some("ve") => Some(Token::Word("have".to_owned())),
                _ => None,
            };
            std::iter::once((at, word))
                .map(Some)
                .chain(std::iter::once(None))
                .map(move |one| (one, verb.clone()))
        })
        .filter_map(|(one, verb)| {
            let Some((at, word)) = one else { return verb };
            let bare = word.split('\'').next().unwrap_or(word);
            let owns = word.ends_with("'s");
            Some(match bare {
                // "The user's sister" is the sister.
                "user" if owns => return None,
                "user" | "i" | "me" | "we" | "us" | "myself" => Token::User,
                "the" if words.get(at + 1).is_some_and(|next| next.starts_with("user")) => return None,
                // "My lawyer", "the user's landlord": whoever belongs to somebody.
                _ if at > 0
                    && words.get(at - 1).is_some_and(|before| {
                        words!["my", "our", "their", "his", "her"].contains(before) || before.ends_with("'s")
                    })
                    && !owns =>
                {
                    Token::Person(bare.to_owned())
                }
                // "I coach my son" has a verb that is somebody elsewhere.
                _ if is_person_en(bare)
                    && at > 0
                    && words.get(at - 1).is_some_and(|before| {
                        words!["i", "we", "user", "to", "i've", "also"].contains(before)
                    }) =>
                {
                    Token::Word((*word).to_owned())
                }
                _ if is_person_en(bare) || names.iter().any(|name| name == bare) => {
                    Token::Person(bare.to_owned())
                }
                _ => Token::Word((*word).to_owned()),
            })
        })
        .collect()
}

/// The persons next to each shared word stand the other way round.
fn crossed(text: &[Token], said: &[Token]) -> bool {
    let beside = |tokens: &[Token], at: usize| -> Option<(Token, Token)> {
        let person = |token: &&Token| !matches!(token, Token::Word(_));
        let before = tokens.get(..at)?.iter().rev().find(person)?;
        let after = tokens.get(at + 1..)?.iter().find(person)?;
        (before != after).then(|| (before.clone(), after.clone()))
    };
    text.iter().enumerate().any(|(at, token)| {
        let Token::Word(word) = token else { return false };
        if word.len() < 3
            || words!["and", "with", "the", "than", "from", "for", "who", "are", "has", "have"].contains(word)
        {
            return false;
        }
        let Some((doer, other)) = beside(text, at) else { return false };
        let own = stem(word);
        let mut places = said.iter().enumerate().filter(|(_, token)| match token {
            Token::Word(word) => stem(word) == own,
            _ => false,
        });
        let is_passive =
            |tokens: &[Token]| tokens.iter().any(|token| matches!(token, Token::Word(w) if w == "by"));
        let turned = is_passive(text) != is_passive(said);
        places.any(|(at, _)| {
            beside(said, at).is_some_and(|(said_doer, said_other)| {
                let is_crossed = said_doer == other && said_other == doer;
                let is_straight = said_doer == doer && said_other == other;
                if turned { is_straight } else { is_crossed }
            })
        })
    })
}

/// Somebody who was behind the deed stands before it, or is told of in "who": "I inherited it from my uncle".
fn taken(text: &[Token], said: &[Token]) -> bool {
    let is_word = |token: &Token, own: &str| matches!(token, Token::Word(word) if stem(word) == own);
    let is_passive = |tokens: &[Token], at: usize| {
        at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|token| {
            matches!(token, Token::Word(be) if words!["was", "were", "been", "got", "is", "are", "being"].contains(be))
        })
    };
    let person_before = |tokens: &[Token], at: usize| {
        tokens.iter().take(at).rev().find(|token| !matches!(token, Token::Word(_))).cloned()
    };
    text.iter().enumerate().any(|(at, token)| {
        let Token::Word(word) = token else { return false };
        let is_small = word.len() < 4
            || words![
                "with", "than", "from", "that", "name", "named", "called", "their", "have", "were", "been"
            ]
            .contains(word);
        let Some(doer) = person_before(text, at).filter(|_| !is_small) else { return false };
        let own = stem(word);
        let places: Vec<usize> =
            said.iter().enumerate().filter(|(_, token)| is_word(token, &own)).map(|(at, _)| at).collect();
        let is_who = |at: usize| {
            (at.saturating_sub(2)..at).any(|near| {
                matches!(said.get(near), Some(Token::Word(who)) if who == "who")
                    && near
                        .checked_sub(1)
                        .and_then(|at| said.get(at))
                        .is_some_and(|token| matches!(token, Token::Person(_)))
            })
        };
        !places.is_empty()
            && places.iter().all(|&place| {
                if doer == Token::User {
                    return is_who(place);
                }
                let said_doer = person_before(said, place);
                let is_behind = said.iter().skip(place).any(|token| *token == doer)
                    && !said.iter().take(place).any(|token| *token == doer);
                said_doer.is_some_and(|said_doer| said_doer != doer)
                    && is_behind
                    && is_passive(text, at) == is_passive(said, place)
            })
    })
}

/// "My avatar's name" told as "the user's name".
fn owner_lost(text: &str, said: &str) -> bool {
    let Some(noun) = text
        .strip_prefix("the user's ")
        .and_then(|rest| rest.split_once(" is "))
        .map(|(noun, _)| noun)
        .or_else(|| text.starts_with("name is ").then_some("name"))
    else {
        return false;
    };
    let said = said.replace('’', "'");
    let mut places = said.match_indices(noun).map(|(at, _)| said.get(..at).unwrap_or_default()).peekable();
    !noun.contains(' ')
        && places.peek().is_some()
        && places.all(|before| {
            before.trim_end().ends_with("'s")
                && !["it's", "that's", "what's"].iter().any(|is| before.trim_end().ends_with(is))
        })
}

/// Words that look like participles and tell a state.
const STATES: Words = words![
    "married",
    "retired",
    "engaged",
    "interested",
    "excited",
    "tired",
    "worried",
    "based",
    "located",
    "named",
    "called",
    "used",
    "supposed",
    "allowed",
    "divorced",
    "separated",
    "involved",
    "raised",
    "needed",
    "planned",
    "scheduled",
    "addicted",
    "experienced",
    "qualified",
    "vaccinated",
    "gifted",
    "talented",
    "determined",
    "allergic",
    "moved",
    "graduated",
    "started",
    "finished",
    "done"
];

/// "The user was fired" of "we fired one": what the user did is told as what was done to them.
fn undergone(text: &[Token], said: &[Token]) -> bool {
    let word = |token: Option<&Token>| match token {
        Some(Token::Word(word)) => word.clone(),
        _ => String::new(),
    };
    let is_be = |word: &str| {
        words!["was", "were", "been", "got", "get", "gets", "getting", "being", "be", "is", "are", "am"]
            .contains(word)
    };
    let is_of_user = !text.iter().any(|token| matches!(token, Token::Person(_)));
    is_of_user
        && (1..text.len()).any(|at| {
            let (before, own) = (word(text.get(at - 1)), word(text.get(at)));
            if !is_be(&before) || !own.ends_with("ed") || STATES.contains(&own) {
                return false;
            }
            let mut places = (0..said.len()).filter(|at| word(said.get(*at)) == own).peekable();
            places.peek().is_some()
                && places.all(|at| {
                    at > 0
                        && !(at.saturating_sub(4)..at).any(|near| {
                            let near = word(said.get(near));
                            is_be(&near) || near.ends_with("'m") || near.ends_with("'ve") || near == "having"
                        })
                        && said.get(..at).is_some_and(|head| head.contains(&Token::User))
                })
        })
}

/// "The user is a lawyer" of "my lawyer": the noun is somebody of the user's.
fn borrowed_noun(text: &[Token], said: &[Token]) -> bool {
    let word = |token: &Token| match token {
        Token::Word(word) | Token::Person(word) => Some(word.clone()),
        Token::User => None,
    };
    let is_a = text.windows(2).position(|pair| {
        matches!(pair, [Token::Word(is), Token::Word(article)]
            if words!["is", "was"].contains(is) && words!["a", "an"].contains(article))
    });
    // "The user is a lawyer" or "Is a lawyer"; a car is no lawyer.
    let Some(at) = is_a.filter(|at| *at == 0 || *at == 1 && text.first() == Some(&Token::User)) else {
        return false;
    };
    let Some(noun) = text.get(at + 2).and_then(word).filter(|_| text.len() <= at + 4) else { return false };
    let owners = words!["my", "our", "his", "her", "their", "your"];
    let mut places =
        said.iter().enumerate().filter(|(_, token)| word(token).as_deref() == Some(&noun)).peekable();
    places.peek().is_some()
        && places.all(|(at, _)| {
            (at.saturating_sub(2)..at)
                .filter_map(|near| said.get(near).and_then(word))
                .any(|near| owners.contains(&near) || near.ends_with("'s"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_doer_and_the_other_may_not_change_places() {
        for (text, said) in [
            ("The user's landlord is suing the user's lawyer", "My lawyer is suing my landlord"),
            ("Paul lent the user 200 euros", "I lent Paul 200 euros"),
            ("The user's sister owes the user 50 quid", "I owe my sister 50 quid"),
            ("The user's wife is older than the user", "I'm older than my wife"),
            ("The user was fired", "We hired two designers and fired one"),
            ("The user is a lawyer", "My lawyer is suing my landlord"),
            ("The user's uncle inherited the house", "I inherited the house from my uncle"),
            ("The user's son coaches the user", "I coach my son's team"),
            ("The user lives in Bath", "I work with Sara, who lives in Bath"),
            ("The user's name is Zed", "My avatar's name is Zed"),
            ("大家が弁護士を訴えている", "弁護士が大家を訴えています"),
            ("ポールが2万円貸した", "ポールに2万円貸しました"),
            ("妻は年上", "妻より年上です"),
            ("犬を噛んだ", "犬に噛まれた"),
            ("友達を誘った", "友達に誘われてジムに入りました"),
            ("クビになった", "デザイナーを1人クビにした"),
            ("木曜のシフトを月曜に変えた", "月曜のシフトを木曜に変えた"),
            ("猫を飼っている", "猫を飼っている友人がいます"),
            ("娘は犬を飼っている", "娘の先生は犬を飼っています"),
            ("兄は移転する", "兄が勤める会社が移転する"),
            ("叔父が家を相続した", "叔父から家を相続しました"),
            ("夫にプロポーズした", "夫にプロポーズされました"),
            ("名前はゼッド", "アバターの名前はゼッドです"),
            ("妹が子守をしている", "妹の代わりに子守をしています"),
            ("弟より背が高い", "弟の方が背が高いです"),
            ("息子が2人いる", "付き合ってる人に息子が2人います"),
            ("猫が1匹と犬が2匹いる", "猫が2匹と犬が1匹います"),
            ("バースで働いている", "バースに住んでるサラと一緒に働いています"),
        ] {
            assert!(exchanged(text, said), "{text} / {said}");
            assert!(!exchanged(said, said), "{said}");
        }
        for (text, said) in [
            ("The user lent Paul 200 euros", "I lent Paul 200 euros"),
            ("The user was diagnosed with ADHD", "Got diagnosed with ADHD"),
            ("The user is married to Eva", "I married Eva in 2020"),
            ("The user's boss fired them", "I was fired by my boss"),
            ("The user was raised by their mother", "My mother raised me"),
            ("The user's wife lives in Rome", "My wife and I live in Rome"),
            ("The user plays chess with their daughter", "My daughter and I play chess"),
            ("The user has a lawyer", "My lawyer is suing my landlord"),
            ("犬に噛まれた", "犬に噛まれました"),
            ("猫を飼っている", "猫は飼っています"),
            ("妹は京都に住んでいる", "妹が京都に住んでいます"),
            ("妻は東京で働いている", "妻は東京で働いています"),
        ] {
            assert!(!exchanged(text, said), "{text} / {said}");
        }
    }
}
