//! English alignment; see [`super::derive`].

use crate::calendar::Date;

use super::derive::{is_gone, is_within};
use super::derive_order::rotated;
use super::derive_words::{
    BEARS, CLOSING, EMPTY, Line, NO_ITEMS, PRAISE, SCOPES, STATES, Token, is_opening, is_preposition, is_verb,
};
use super::numbers::word_value;
use super::units_en::is_adverb;
use super::verbs_en::is_past;

pub(super) fn follows(text: &str, said: &str, today: Date) -> bool {
    fits(text, said, today, false)
}

pub(super) fn retells(text: &str, said: &str, today: Date) -> bool {
    let (told, stated) = (Line::of(text, today), Line::of(said, today));
    let all = Alignment {
        text: &told.tokens,
        said: &stated.tokens,
        told: &[],
        stated: &[],
        today,
        drops_all: true,
    };
    let is_said = |at: usize, word: &Token| {
        all.may_add(at, word, 0) || stated.tokens.iter().any(|own| all.matches(at, word, own))
    };
    let has_others = told.tokens.iter().enumerate().any(|(at, word)| !is_said(at, word));
    has_others || fits(text, said, today, true)
}

fn fits(text: &str, said: &str, today: Date, drops_all: bool) -> bool {
    let (text, said) = (Line::of(text, today), Line::of(said, today));
    let (text_turned, said_turned) = (rotated(&text.tokens), rotated(&said.tokens));
    let fits = |one: &[Token], other: &[Token]| {
        Alignment { text: one, said: other, told: &text.dates, stated: &said.dates, today, drops_all }.holds()
    };
    fits(&text.tokens, &said.tokens)
        || said_turned.is_some_and(|said| fits(&text.tokens, &said))
        || text_turned.is_some_and(|text| fits(&text, &said.tokens))
}

struct Alignment<'a> {
    text: &'a [Token],
    said: &'a [Token],
    told: &'a [super::derive::Dated],
    stated: &'a [super::derive::Dated],
    today: Date,
    /// Whatever was said may be left out.
    drops_all: bool,
}

impl Alignment<'_> {
    fn holds(&self) -> bool {
        let (width, height) = (self.said.len() + 1, self.text.len() + 1);
        if width > 120 || height > 80 || height == 1 {
            return false;
        }
        // Which places of both are reached with all before them explained.
        let mut reached = vec![false; width * height];
        let mut open = vec![(0, 0)];
        while let Some((at, place)) = open.pop() {
            match reached.get_mut(at * width + place) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            if at == self.text.len() && (self.drops_all || self.may_end(place)) {
                return true;
            }
            open.extend(self.steps(at, place));
        }
        false
    }

    fn steps(&self, at: usize, place: usize) -> Vec<(usize, usize)> {
        let mut next = Vec::new();
        let (told, stated) = (self.text.get(at), self.said.get(place));
        if let (Some(told), Some(stated)) = (told, stated)
            && self.matches(at, told, stated)
        {
            next.push((at + 1, place + 1));
        }
        if let Some(told) = told
            && self.may_add(at, told, place)
        {
            next.push((at + 1, place));
        }
        next.extend(self.dropped(at, place).map(|to| (at, to)));
        // A date may stand as what it resolves to.
        if let (Some(one), Some(other)) = (told.and_then(|told| told.date), stated.and_then(|said| said.date))
            && let (Some(a), Some(b)) = (self.told.get(one), self.stated.get(other))
            && a.is_absolute
            && is_within(a.date, b.date)
        {
            let end = |tokens: &[Token], from: usize, date: usize| {
                from + tokens.iter().skip(from).take_while(|token| token.date == Some(date)).count()
            };
            next.push((end(self.text, at, one), end(self.said, place, other)));
        }
        next
    }

    fn matches(&self, at: usize, told: &Token, stated: &Token) -> bool {
        let (t, s) = (told.word.as_str(), stated.word.as_str());
        if t == s {
            return true;
        }
        match (t, s) {
            ("U", "W")
            | ("U's", "W's")
            | ("they" | "them" | "themselves", "U" | "W")
            | ("their", "U's" | "W's") => {
                return true;
            }
            ("a" | "the", "a" | "the" | "U's" | "W's") => return !self.counts(at + 1),
            ("would" | "had", "'d") | ("be", "'s") | ("user", "U") => return true,
            ("currently", "now") | ("now", "currently") => return true,
            _ => {}
        }
        if word_value(t).is_some_and(|value| s == value.to_string())
            || word_value(s).is_some_and(|value| t == value.to_string())
        {
            return true;
        }
        if !self.is_verb_place(at) {
            return false;
        }
        let base = |verb: &str| -> Vec<String> {
            let mut bases = vec![verb.to_owned()];
            bases.extend(verb.strip_suffix("ies").map(|stem| format!("{stem}y")));
            bases.extend(verb.strip_suffix("es").map(str::to_owned));
            bases.extend(verb.strip_suffix('s').map(str::to_owned));
            bases
        };
        let vouched = |t: &str| match t {
            "like" => matches!(s, "love" | "enjoy" | "adore"),
            "enjoy" => matches!(s, "love"),
            _ => false,
        };
        base(t).iter().any(|t| t == s || vouched(t))
    }

    /// "A few" is not "few".
    fn counts(&self, at: usize) -> bool {
        self.text.get(at).is_some_and(|next| matches!(next.word.as_str(), "few" | "little" | "lot" | "bit"))
    }

    /// Where a verb takes the ending of the third person: behind the user and behind "and".
    fn is_verb_place(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        match before.iter().rev().find(|token| !is_adverb(&token.word)) {
            None => true,
            Some(token) => matches!(token.word.as_str(), "U" | "they" | "and" | "but" | "or" | "who"),
        }
    }

    /// Words that a text may have of its own.
    fn may_add(&self, at: usize, told: &Token, place: usize) -> bool {
        let next = self.said.get(place).map_or("", |next| next.word.as_str());
        match told.word.as_str() {
            "a" | "the" => {
                !self.counts(at + 1) && self.text.get(at + 1).is_none_or(|next| next.word != "only")
            }
            "currently" => !self.is_denied(),
            "on" | "in" => self.text.get(at + 1).is_some_and(|next| next.date.is_some()),
            "that" => matches!(next, "U" | "W"),
            "U's" => matches!(next, "grandma" | "grandpa" | "mother" | "father" | "granny" | "gran"),
            // A statement without a subject is the user's.
            "U" => {
                at == 0
                    && self.is_open(place)
                    && (is_verb(next)
                        || self.text.get(1).is_some_and(|be| be.word == "be") && !self.has_subject())
            }
            "be" => at == 1 && self.is_open(place) && !self.has_subject(),
            _ => false,
        }
    }

    /// Whether nothing but openings was said up to the place.
    fn is_open(&self, place: usize) -> bool {
        self.said.get(..place).is_some_and(|said| said.iter().all(|token| is_opening(&token.word)))
    }

    /// "Not a fan of cilantro" names nobody; "allergic to nuts" neither.
    fn has_subject(&self) -> bool {
        let first = self.said.iter().find(|token| !is_opening(&token.word));
        let starts = first.is_some_and(|first| STATES.contains(&first.word) || first.word.ends_with("ing"));
        !starts || self.said.iter().take(4).any(|token| matches!(token.word.as_str(), "U" | "W"))
    }

    fn is_denied(&self) -> bool {
        self.said.iter().any(|token| SCOPES.contains(&token.word))
    }

    /// Places up to which words of what was said may be left out.
    fn dropped(&self, at: usize, place: usize) -> impl Iterator<Item = usize> {
        let mut to = Vec::new();
        let Some(stated) = self.said.get(place) else { return to.into_iter() };
        let word = stated.word.as_str();
        let next = self.said.get(place + 1).map_or("", |next| next.word.as_str());
        let counts = matches!(next, "few" | "little" | "lot" | "bit" | "only");
        let is_first = self.is_open(place);
        let free = self.drops_all
            || match word {
                "a" | "the" => !counts,
                "U" | "W" => is_first && at == 0,
                "be" => {
                    at == 0
                        && place > 0
                        && self.is_open(place - 1)
                        && self.said.get(place - 1).is_some_and(|own| own.word == "U")
                }
                "just" => is_past(next) || next == "got",
                "who" | "which" => place > 0,
                // A verb whose subject stands before another verb: "my niece and is obsessed".
                "and" | "but" if at > 0 => {
                    (is_verb(next) || is_adverb(next)) && is_behind_subject(self.text, at)
                }
                _ => {
                    at == 0 && is_first && is_opening(word)
                        || matches!(word, "honestly" | "actually" | "also")
                        || !self.is_denied() && EMPTY.contains(word)
                        || !self.is_denied() && !stated.is_capital && PRAISE.contains(word)
                }
            };
        if free {
            to.push(place + 1);
        }
        // "My niece is turning twelve and is obsessed with axolotls"
        if word == "be" && next == "and" {
            to.push(place + 2);
        }
        // "When I'm tired" as "when tired"
        let before =
            place.checked_sub(1).and_then(|last| self.said.get(last)).map_or("", |last| last.word.as_str());
        if word == "U" && next == "be" && matches!(before, "when" | "while") {
            to.push(place + 2);
        }
        to.extend(self.dropped_date(place));
        if matches!(word, "in" | "on" | "at" | "back")
            && self.said.get(place + 1).is_some_and(|next| next.date.is_some())
        {
            to.extend(self.dropped_date(place + 1));
        }
        to.extend(self.listed(at, place));
        to.into_iter()
    }

    fn dropped_date(&self, place: usize) -> Option<usize> {
        let date = self.said.get(place)?.date?;
        let own = self.stated.get(date)?;
        let past = self.text.iter().any(|token| {
            is_past(&token.word) || matches!(token.word.as_str(), "was" | "did" | "had" | "got" | "went")
        });
        let undated = self.text.iter().all(|token| token.date.is_none());
        (is_gone(own.date, self.today) && past && undated && !self.is_denied()).then(|| {
            place + self.said.iter().skip(place).take_while(|token| token.date == Some(date)).count()
        })
    }

    /// Earlier items of a list behind its verb: "cats and" of "I like cats and dogs".
    fn listed(&self, at: usize, place: usize) -> Vec<usize> {
        let head = self.text.get(..at).unwrap_or_default();
        let verbs: Vec<&Token> =
            head.iter().filter(|token| token.word != "U" && !is_adverb(&token.word)).collect();
        let opens = match verbs.as_slice() {
            [_] => true,
            [_, last] => is_preposition(&last.word),
            _ => false,
        };
        if !opens || self.is_denied() {
            return Vec::new();
        }
        let rest = self.said.get(place..).unwrap_or_default();
        let is_noun = |token: &Token| {
            !is_preposition(&token.word)
                && !is_adverb(&token.word)
                && !SCOPES.contains(&token.word)
                && !BEARS.contains(&token.word)
                && !is_past(&token.word)
                && !NO_ITEMS.contains(&token.word)
        };
        let items = |end: usize| rest.get(..end).unwrap_or_default();
        rest.iter()
            .enumerate()
            .skip(1)
            .take(9)
            .filter(|(_, token)| token.word == "and" || token.mark == Some(','))
            .filter(|(end, _)| items(*end).iter().all(is_noun))
            // Without commas one item of a word or two can't hide a verb.
            .filter(|(end, token)| {
                *end <= 2
                    || token.mark.is_some()
                    || items(*end).iter().skip(1).any(|item| item.mark.is_some())
            })
            .map(|(end, token)| place + end + usize::from(token.word == "and"))
            .collect()
    }

    /// Whether all that is left of what was said may be left out.
    fn may_end(&self, place: usize) -> bool {
        let rest = self.said.get(place..).unwrap_or_default();
        let Some(first) = rest.first() else { return true };
        if rest.iter().all(|token| CLOSING.contains(&token.word)) {
            return true;
        }
        if let Some(to) = self.dropped_date(place).or_else(|| {
            matches!(first.word.as_str(), "in" | "on" | "at" | "back")
                .then(|| self.dropped_date(place + 1))?
        }) {
            return self.may_end(to);
        }
        if self.is_denied()
            || rest.iter().any(|token| BEARS.contains(&token.word) || SCOPES.contains(&token.word))
        {
            return false;
        }
        match first.word.as_str() {
            "named" => rest.iter().skip(1).all(|token| token.is_capital),
            "and" => !rest.iter().any(|token| token.word == "'s"),
            "because" | "so" | "with" => true,
            "which" => first.mark == Some(','),
            _ => first.mark == Some(',') && rest.iter().any(|token| token.word == "and") && rest.len() <= 8,
        }
    }
}

/// Whether the text names only its subject so far.
fn is_behind_subject(text: &[Token], at: usize) -> bool {
    let head = text.get(..at).unwrap_or_default();
    match head {
        [only] => matches!(only.word.as_str(), "U" | "they"),
        [owner, ..] => {
            owner.word == "U's" && head.len() <= 4 && !head.iter().any(|token| is_verb(&token.word))
        }
        [] => false,
    }
}
