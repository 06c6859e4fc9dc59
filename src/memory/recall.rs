//! Chooses the facts that enter a prompt.
//!
//! Few facts, that is, all fit: every current one, best first. Many: those that the question is about, and the
//! pinned ones; a question about something else gets the pinned ones only. Past facts come when the question asks
//! about the past or names what they are about. Held facts never come.

use super::gate::{AJAR, Gate, OPEN};
use super::model::{Fact, Status};
use super::query::Wants;
use super::rank::{GRAM_WEIGHT, HELD_WEIGHT, List, VECTOR_WEIGHT, fuse, weight_of};
use super::when::When;
use crate::id::{FactId, ThreadId};
use crate::sorted::{SortedMap, SortedSet};
use crate::store::index::Found;
use crate::text::estimate;
use crate::text::fold::fold;

/// Facts that come only because something else is about the question.
const RELATED: usize = 10;
/// A fact at least this near in meaning is one of them.
const NEARLY: f32 = 0.4;

/// Tokens of JSON around a fact's text in the prompt.
pub const FACT_OVERHEAD: u32 = 12;

/// What speaks for each fact.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    pub asked: &'a When,
    pub keywords: &'a Found<FactId>,
    /// Nearness to the question, best first: 0 is as near as any, 1 near enough. Empty without an embedding.
    pub near: &'a [(FactId, f32)],
    /// Whether there are more current facts than the candidates, so that they can't all fit.
    pub many: bool,
    /// How much any message is about the question, as the gate scores it.
    pub talked_about: f64,
    /// Whether what is hardly about the question is wanted too.
    pub everything: bool,
}

/// A fact for the prompt, and why.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub fact: Fact,
    pub score: f64,
    pub reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Pinned,
    /// Holds what the question is about.
    Words,
    /// Near in meaning.
    Meaning,
    /// Shares a rare word with a question that other memory is about.
    Related,
    /// The question asks for everything, or about the past.
    Asked,
    /// All facts fit.
    Fits,
}

impl Reason {
    /// The word of the trace.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Words => "words",
            Self::Meaning => "meaning",
            Self::Related => "related",
            Self::Asked => "asked",
            Self::Fits => "fits",
        }
    }
}

/// The facts of `candidates` that enter a prompt in `thread`, best first, of at most `budget` tokens together.
/// Each fact once; near-equal texts once, the current and newest one.
pub fn choose(
    wants: Wants,
    thread: &ThreadId,
    candidates: Vec<Fact>,
    evidence: &Evidence<'_>,
    budget: u32,
) -> Vec<Chosen> {
    let weighed = Weighed::of(evidence);
    let scores = scores(evidence, &weighed.held);
    let mut facts: Vec<Fact> = candidates;
    facts.retain(|fact| fact.status != Status::Held && fact.scope.reaches(thread));
    let few = !evidence.many
        && facts.iter().filter(|f| f.status == Status::Current).map(cost).sum::<u32>() <= budget;
    let mut chosen: Vec<Chosen> = facts
        .into_iter()
        .filter_map(|fact| {
            let reason = if fact.pinned && fact.status == Status::Current {
                Reason::Pinned
            } else if let Some(reason) = weighed.is_about(&fact.id) {
                reason
            } else if (wants.list && fact.status == Status::Current)
                || (wants.past && few && fact.status == Status::Past)
            {
                Reason::Asked
            } else if few && fact.status == Status::Current {
                Reason::Fits
            } else if weighed.is_related(&fact.id) {
                Reason::Related
            } else {
                return None;
            };
            let mut score = scores.get(&fact.id).copied().unwrap_or(0.0);
            // A past fact answers a question about now only where no current one does.
            if fact.status == Status::Past && !wants.past {
                score *= 0.5;
            }
            Some(Chosen { fact, score, reason })
        })
        .collect();
    crate::order::by(&mut chosen, |a, b| {
        (b.reason == Reason::Pinned)
            .cmp(&(a.reason == Reason::Pinned))
            .then(b.score.total_cmp(&a.score))
            .then((b.fact.status == Status::Current).cmp(&(a.fact.status == Status::Current)))
            .then(b.fact.observed_at.cmp(&a.fact.observed_at))
            .then(a.fact.id.cmp(&b.fact.id))
    });
    let mut seen = SortedSet::new();
    chosen.retain(|c| seen.insert((fold(&c.fact.text), c.fact.status)));
    let (mut spent, mut related) = (0, 0);
    chosen.retain(|c| {
        related += usize::from(c.reason == Reason::Related);
        if c.reason == Reason::Related && related > RELATED && !evidence.everything {
            return false;
        }
        let next = spent + cost(&c.fact);
        let fits = next <= budget;
        if fits {
            spent = next;
        }
        fits
    });
    chosen
}

/// The facts found that may be chosen whatever else is known of them: where all don't fit, and the question asks neither
/// for a list nor about the past, the others need not be read.
pub fn worth_reading(wants: Wants, evidence: &Evidence<'_>) -> Vec<FactId> {
    let keywords = evidence.keywords.by_words.iter().chain(&evidence.keywords.by_grams).map(|hit| &hit.id);
    let found: SortedSet<&FactId> = keywords.chain(evidence.near.iter().map(|(id, _)| id)).collect();
    let all = !evidence.many || wants.list || wants.past;
    let weighed = Weighed::of(evidence);
    let may_be = |id: &&FactId| all || weighed.is_about(id).is_some() || weighed.is_related(id);
    found.into_iter().filter(may_be).cloned().collect()
}

/// How much any fact found is about the question, as the gate scores it.
pub fn known_about(asked: &When, keywords: &Found<FactId>, near: &[(FactId, f32)]) -> f64 {
    let evidence = Evidence { asked, keywords, near, many: true, talked_about: 0.0, everything: false };
    Weighed::of(&evidence).known_about
}

/// Evidence, fact by fact.
struct Weighed<'a> {
    gate: Gate,
    held: SortedMap<&'a FactId, f64>,
    nearness: SortedMap<&'a FactId, f32>,
    /// Those that share a rare word with the question.
    sharing: SortedSet<&'a FactId>,
    known_about: f64,
    /// Whether what is only related comes along.
    is_open: bool,
    everything: bool,
}

impl<'a> Weighed<'a> {
    fn of(evidence: &Evidence<'a>) -> Self {
        let gate = Gate::of(evidence.asked, evidence.keywords);
        let hits = &evidence.keywords.by_words;
        let mut weighed = Self {
            held: hits.iter().map(|hit| (&hit.id, gate.held(&hit.known.terms))).collect(),
            nearness: evidence.near.iter().map(|(id, nearness)| (id, *nearness)).collect(),
            sharing: hits.iter().filter(|hit| hit.rare_term_shared).map(|hit| &hit.id).collect(),
            gate,
            known_about: 0.0,
            is_open: false,
            everything: evidence.everything,
        };
        let found = weighed.held.keys().chain(weighed.nearness.keys());
        weighed.known_about = found.map(|id| weighed.about(id)).fold(0.0, f64::max);
        weighed.is_open =
            weighed.known_about >= OPEN || (weighed.known_about >= AJAR && evidence.talked_about >= OPEN);
        weighed
    }

    fn nearness(&self, id: &FactId) -> f32 {
        self.nearness.get(id).copied().unwrap_or(0.0)
    }

    fn about(&self, id: &FactId) -> f64 {
        self.gate.score(self.held.get(id).copied().unwrap_or(0.0), self.nearness(id))
    }

    fn is_about(&self, id: &FactId) -> Option<Reason> {
        let is_near = self.nearness(id) >= 1.0;
        let reason = if is_near { Reason::Meaning } else { Reason::Words };
        (is_near || self.about(id) >= OPEN).then_some(reason)
    }

    fn is_related(&self, id: &FactId) -> bool {
        self.everything || self.is_open && (self.sharing.contains(id) || self.nearness(id) >= NEARLY)
    }
}

fn scores(evidence: &Evidence<'_>, held: &SortedMap<&FactId, f64>) -> SortedMap<FactId, f64> {
    let hits = |list: &[crate::store::index::Hit<FactId>]| -> Vec<(FactId, f64)> {
        list.iter().map(|hit| (hit.id.clone(), hit.score)).collect()
    };
    fuse(&[
        List { hits: hits(&evidence.keywords.by_words), weight: 1.0 },
        List { hits: held.iter().map(|(id, held)| ((*id).clone(), *held)).collect(), weight: HELD_WEIGHT },
        List { hits: hits(&evidence.keywords.by_grams), weight: GRAM_WEIGHT },
        List {
            hits: evidence.near.iter().map(|(id, near)| (id.clone(), weight_of(*near))).collect(),
            weight: VECTOR_WEIGHT,
        },
    ])
}

fn cost(fact: &Fact) -> u32 {
    estimate::tokens(&fact.text) + FACT_OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::model::Scope;
    use crate::memory::query::wants;
    use crate::sqlite::Sqlite;
    use crate::store::index::{self, Query};
    use crate::time::Millis;

    fn fact(n: i64, text: &str) -> Fact {
        Fact::new(FactId::parse(&format!("f_{n}")).unwrap(), text, Millis(n))
    }

    fn recall(question: &str, facts: &[Fact], budget: u32) -> Vec<String> {
        let sql = Sqlite::memory();
        crate::store::schema::migrate(&sql, Millis(1)).unwrap();
        for fact in facts {
            index::put_fact(&sql, &fact.id, &fact.text).unwrap();
        }
        let keywords = index::search_facts(&sql, &Query::of(question), 50).unwrap();
        let asked = When::whole(question);
        let evidence = Evidence {
            asked: &asked,
            keywords: &keywords,
            near: &[],
            many: false,
            talked_about: 0.0,
            everything: false,
        };
        let chosen = choose(wants(question), &ThreadId::main(), facts.to_vec(), &evidence, budget);
        chosen.into_iter().map(|c| c.fact.text).collect()
    }

    fn many() -> Vec<Fact> {
        let mut facts: Vec<Fact> = (10..80).map(|n| fact(n, &format!("Bought item number {n}"))).collect();
        facts.push(fact(1, "犬を飼っている"));
        facts.push(fact(2, "My sister Anna lives in Kyoto"));
        facts
    }

    #[test]
    fn few_facts_all_come_and_the_one_asked_for_comes_first() {
        let facts = [fact(3, "Likes tea"), fact(1, "犬を飼っている"), fact(2, "Lives in Osaka")];
        let given = recall("犬の名前は？", &facts, 400);
        assert_eq!(given.len(), 3);
        assert_eq!(given[0], "犬を飼っている");
    }

    #[test]
    fn of_many_only_those_the_question_is_about_come() {
        assert_eq!(recall("犬の名前は？", &many(), 300), ["犬を飼っている"]);
        assert_eq!(recall("Where does Anna live?", &many(), 300), ["My sister Anna lives in Kyoto"]);
        assert!(recall("How do volcanoes form?", &many(), 300).is_empty());
        assert!(recall("火山はどうやってできますか", &many(), 300).is_empty());
    }

    #[test]
    fn pinned_facts_always_come_and_scoped_and_held_ones_stay_home() {
        let mut facts = many();
        facts[0].pinned = true;
        facts[70].scope = Scope::Thread(ThreadId::parse("th_x").unwrap());
        facts[71].status = Status::Held;
        let pinned = facts[0].text.clone();
        for question in ["犬の名前は？", "Where does Anna live?", "volcano"] {
            assert_eq!(recall(question, &facts, 300), [pinned.as_str()], "{question}");
        }
    }

    #[test]
    fn the_past_comes_when_it_is_asked_for() {
        let mut old = fact(1, "Lived in Nagoya");
        old.status = Status::Past;
        let facts = [old, fact(2, "Moved to Osaka")];
        assert_eq!(recall("Tell me about my home", &facts, 300), ["Moved to Osaka"]);
        assert_eq!(recall("Which city was my home before?", &facts, 300).len(), 2);
        assert_eq!(recall("Nagoya?", &facts, 300)[0], "Lived in Nagoya");
    }

    #[test]
    fn a_list_question_gives_as_much_as_fits_and_never_more() {
        let given = recall("What do you know about me?", &many(), 300);
        assert!(given.len() > 5);
        let spent: u32 = given.iter().map(|text| estimate::tokens(text) + FACT_OVERHEAD).sum();
        assert!(spent <= 300);
        assert!(recall("What do you know about me?", &many(), 0).is_empty());
    }
}
