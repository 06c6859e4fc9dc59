//! Episodes: what happened, merged by weeks once the weeks are long over.
//!
//! Invariant: a week's text is made from its facts and stored nowhere, so merging loses no quote, there is nothing to
//! undo, and what is forgotten or edited is so in its week at once. It holds its episodes whole, or leaves out whole ones.

use super::model::{Fact, Kind, Status};
use crate::calendar::Date;
use crate::id::FactId;
use crate::sorted::{SortedMap, SortedSet};
use crate::text::language::{Language, language};
use crate::time::{Unit, later};

/// Weeks that ended less than so many days ago stay as they are: people still speak of single days.
const RECENT_DAYS: i64 = 28;
/// A week's text is about as long as a fact may be.
const MOST_CHARS: usize = 300;

/// The episodes of one week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Week {
    pub monday: Date,
    /// What it holds, oldest first.
    pub facts: Vec<FactId>,
    pub text: String,
}

/// The weeks that may be merged as of `today`, newest first: two episodes or more, none pinned. `day` tells the local date
/// of an episode that was said without one; one that was merged before stays in its week.
pub fn mergeable(
    facts: &[Fact],
    places: &SortedMap<FactId, Date>,
    today: Date,
    day: &dyn Fn(&Fact) -> Date,
) -> Vec<Week> {
    let mut by_week: SortedMap<Date, Vec<(Date, &Fact)>> = SortedMap::new();
    for fact in facts.iter().filter(|fact| is_episode(fact)) {
        if let Some(monday) = places.get(&fact.id) {
            by_week.or_default(*monday).push((happened(fact).unwrap_or(*monday), fact));
            continue;
        }
        let happened = match &fact.valid_from {
            // A month or a year is no week's.
            Some(date) => match Date::parse(date) {
                Some(date) => date,
                None => continue,
            },
            None => day(fact),
        };
        let Some(monday) = monday_of(happened) else { continue };
        if later(monday, RECENT_DAYS + 6, Unit::Days).is_some_and(|end| end < today) {
            by_week.or_default(monday).push((happened, fact));
        }
    }
    newest_first(by_week)
}

/// The weeks as they were merged, as far as their episodes still are some.
pub fn merged(facts: &[Fact], places: &SortedMap<FactId, Date>) -> Vec<Week> {
    let mut by_week: SortedMap<Date, Vec<(Date, &Fact)>> = SortedMap::new();
    for fact in facts.iter().filter(|fact| is_episode(fact)) {
        if let Some(monday) = places.get(&fact.id) {
            by_week.or_default(*monday).push((happened(fact).unwrap_or(*monday), fact));
        }
    }
    newest_first(by_week)
}

fn is_episode(fact: &Fact) -> bool {
    fact.kind == Kind::Event && fact.status == Status::Current && !fact.pinned && fact.valid_until.is_none()
}

fn happened(fact: &Fact) -> Option<Date> {
    fact.valid_from.as_deref().and_then(Date::parse)
}

fn newest_first(by_week: SortedMap<Date, Vec<(Date, &Fact)>>) -> Vec<Week> {
    let mut found: Vec<Week> =
        by_week.into_iter().filter_map(|(monday, facts)| week(monday, facts)).collect();
    found.reverse();
    found
}

/// The facts that no week holds.
pub fn apart<'a>(facts: &'a [Fact], weeks: &[Week]) -> Vec<&'a Fact> {
    let held: SortedSet<&FactId> = weeks.iter().flat_map(|week| &week.facts).collect();
    facts.iter().filter(|fact| !held.contains(&fact.id)).collect()
}

fn week(monday: Date, mut facts: Vec<(Date, &Fact)>) -> Option<Week> {
    crate::order::by_key(&mut facts, |(day, fact)| (*day, fact.observed_at, fact.id.clone()));
    let japanese =
        facts.iter().filter(|(_, fact)| language(&fact.text) == Language::Ja).count() * 2 >= facts.len();
    let mut week = Week {
        monday,
        facts: Vec::new(),
        text: if japanese { format!("{monday}の週：") } else { format!("Week of {monday}: ") },
    };
    for (_, fact) in facts {
        let told = fact.text.trim().trim_end_matches(['.', '。']);
        let link = match (week.facts.is_empty(), japanese) {
            (true, _) => "",
            (false, true) => "、",
            (false, false) => "; ",
        };
        // One that doesn't fit stays by itself.
        if week.text.chars().count() + link.chars().count() + told.chars().count() > MOST_CHARS {
            continue;
        }
        week.text.push_str(link);
        week.text.push_str(told);
        week.facts.push(fact.id.clone());
    }
    (week.facts.len() >= 2).then_some(week)
}

fn monday_of(date: Date) -> Option<Date> {
    later(date, -date.days_after_monday(), Unit::Days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::compare::tests::fact;
    use proptest::prelude::*;

    fn day(month: i8, day: i8) -> Date {
        Date::new(2026, month, day).unwrap()
    }

    fn event(id: &str, text: &str, on: &str) -> Fact {
        Fact { kind: Kind::Event, ..fact(id, text, Some(on), None) }
    }

    fn now_mergeable(facts: &[Fact]) -> Vec<Week> {
        mergeable(facts, &SortedMap::new(), day(11, 30), &|_| day(10, 7))
    }

    fn placed(weeks: &[Week]) -> SortedMap<FactId, Date> {
        weeks.iter().flat_map(|week| week.facts.iter().map(|id| (id.clone(), week.monday))).collect()
    }

    #[test]
    fn a_merged_week_says_what_its_facts_say_today_and_takes_in_what_comes_late() {
        let first = event("f_1", "Bought a bicycle.", "2026-10-05");
        let second = event("f_2", "Visited Kyoto.", "2026-10-09");
        let weeks = now_mergeable(&[first.clone(), second.clone()]);
        let places = placed(&weeks);
        assert_eq!(merged(&[first.clone(), second.clone()], &places), weeks);
        let edited = Fact { text: "Visited Nara.".into(), ..second.clone() };
        assert_eq!(
            merged(&[first.clone(), edited], &places)[0].text,
            "Week of 2026-10-05: Bought a bicycle; Visited Nara"
        );
        assert!(merged(std::slice::from_ref(&first), &places).is_empty(), "one alone is no week");
        // Its date is corrected, and it stays where it was merged.
        let moved = Fact { valid_from: Some("2026-11-25".into()), ..second.clone() };
        assert_eq!(merged(&[first.clone(), moved], &places)[0].facts.len(), 2);
        let late = event("f_3", "Met Ken.", "2026-10-06");
        let grown = mergeable(&[first, second, late], &places, day(11, 30), &|_| day(10, 7));
        assert_eq!(grown[0].text, "Week of 2026-10-05: Bought a bicycle; Met Ken; Visited Kyoto");
    }

    #[test]
    fn episodes_of_a_week_long_over_are_one_line_and_others_stay() {
        let facts = [
            event("f_2", "Visited Kyoto.", "2026-10-09"),
            event("f_1", "Bought a blue bicycle.", "2026-10-05"),
            event("f_3", "自転車を買った。", "2026-09-01"),
            event("f_4", "京都に行った。", "2026-09-06"),
            event("f_5", "Met Ken.", "2026-11-16"),
            event("f_6", "Met Ana.", "2026-11-17"),
            event("f_7", "Moved house.", "2026-08"),
            event("f_8", "Broke a cup.", "2026-07-01"),
        ];
        let found = now_mergeable(&facts);
        let texts: Vec<&str> = found.iter().map(|week| week.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "Week of 2026-10-05: Bought a blue bicycle; Visited Kyoto",
                "2026-08-31の週：自転車を買った、京都に行った"
            ]
        );
        let rest: Vec<&str> = apart(&facts, &found).iter().map(|fact| fact.id.as_str()).collect();
        assert_eq!(rest, ["f_5", "f_6", "f_7", "f_8"]);
    }

    #[test]
    fn what_is_pinned_past_or_no_episode_is_in_no_week() {
        let mut pinned = event("f_1", "Met Ken.", "2026-10-05");
        pinned.pinned = true;
        let mut past = event("f_2", "Met Ana.", "2026-10-06");
        past.status = Status::Past;
        let other = fact("f_3", "Likes tea", Some("2026-10-06"), None);
        assert!(now_mergeable(&[pinned, past, other, event("f_4", "Met Bo.", "2026-10-07")]).is_empty());
    }

    proptest! {
        #[test]
        fn every_episode_is_in_one_place_and_whole(
            texts in prop::collection::vec(("[a-z猫。]{0,140}", 1i8..28), 0..12)
        ) {
            let facts: Vec<Fact> = texts.iter().enumerate()
                .map(|(at, (text, day))| event(&format!("f_{at}"), text, &format!("2026-09-{day:02}"))).collect();
            let found = now_mergeable(&facts);
            let held: usize = found.iter().map(|week| week.facts.len()).sum();
            prop_assert_eq!(held + apart(&facts, &found).len(), facts.len());
            for week in &found {
                prop_assert!(week.text.chars().count() <= MOST_CHARS);
                for id in &week.facts {
                    let text = &facts.iter().find(|fact| fact.id == *id).unwrap().text;
                    prop_assert!(week.text.contains(text.trim().trim_end_matches(['.', '。'])));
                }
            }
        }
    }
}
