//! The query behind a search: which terms are looked up, and how a list is scored.
//!
//! A search costs by what it finds and not by how much there is: of each term the newest texts are read, up to a bound,
//! and only the best by the rarity of what they share are read themselves and scored by BM25.

use std::collections::{BTreeMap, BTreeSet};

use super::index::{Found, Hit, Query};
use super::sql::{Arg, Row, Sql, StoreError};
use crate::text::search::indexed_words;

/// A question asks for at most this many words and trigrams, the rarest ones; the rest only costs time.
const MAX_WORDS: usize = 24;

/// Trigrams only order what words have found: the rarest few do that as well as many.
const MAX_GRAMS: usize = 16;

/// Terms that are looked up; a longer question is a text.
const MAX_ASKED: usize = 360;

/// Texts of a word and of a trigram that are looked at, the newest ones.
const WORD_TEXTS: usize = 2_048;
const GRAM_TEXTS: usize = 512;

/// Texts that one list may have to score. The commonest terms of a question go first when there are more.
const MAX_SCORED: usize = 4_000;

/// BM25's weights of repetition and of length.
const REPETITION: f64 = 1.2;
const LENGTH: f64 = 0.75;

pub(super) struct Tables {
    pub(super) terms: &'static str,
    pub(super) docs: &'static str,
    pub(super) id: &'static str,
    /// Texts that share no rare word with a question are of no use, so that they need not be looked for.
    pub(super) only_rare: bool,
}

impl Tables {
    pub(super) const FACTS: Self =
        Self { terms: "fact_terms", docs: "indexed_facts", id: "id", only_rare: false };
    pub(super) const MESSAGES: Self =
        Self { terms: "message_terms", docs: "indexed_messages", id: "doc", only_rare: true };
}

/// How many texts common terms are in, kept while there are about as many texts: looking at them again takes time and
/// says the same.
#[derive(Debug, Default)]
pub struct Common {
    texts: BTreeMap<String, i64>,
    total: i64,
}

impl Common {
    fn of_about(&mut self, total: i64) -> &mut Self {
        if total < self.total || total > self.total + self.total / 8 + 16 {
            *self = Self { texts: BTreeMap::new(), total };
        }
        self
    }
}

/// Terms in at most so many texts are rare.
fn rare_below(total: i64) -> i64 {
    (total / 20).max(3)
}

/// A term of a question that some text has.
struct Term {
    term: String,
    /// How many texts have it; about how many where that is more than are looked at.
    texts: i64,
    /// The newest of those that may be found, newest first, if they were looked at.
    docs: Option<Vec<i64>>,
}

impl Term {
    /// How much a text that has it is worth.
    fn rarity(&self, total: i64) -> f64 {
        let (all, with) = (total.max(self.texts) as f64, self.texts as f64);
        ((all - with + 0.5) / (with + 0.5)).ln().max(1e-6)
    }
}

/// What is searched.
pub(super) struct Search<'a> {
    pub(super) sql: &'a dyn Sql,
    pub(super) corpus: &'static Tables,
    pub(super) total: i64,
    /// On `d`, a text's row, with their arguments.
    pub(super) conditions: &'a str,
    pub(super) args: &'a [Arg<'a>],
    pub(super) limit: usize,
}

impl Search<'_> {
    /// The texts that share terms with a question.
    pub(super) fn find<Id>(
        &self,
        query: &Query,
        common: &mut Common,
        read_id: impl Fn(&Row) -> Result<Id, StoreError>,
    ) -> Result<Found<Id>, StoreError> {
        let common = common.of_about(self.total);
        let rare_below = rare_below(self.total);
        let (known, unknown): (Vec<&String>, Vec<&String>) =
            query.words.iter().take(MAX_ASKED).partition(|word| common.texts.contains_key(*word));
        let mut words = self.looked_up(&unknown, WORD_TEXTS)?;
        for word in words.iter().filter(|word| word.texts > 2 * rare_below) {
            common.texts.insert(word.term.clone(), word.texts);
        }
        words.extend(known.into_iter().filter_map(|word| {
            Some(Term { term: word.clone(), texts: *common.texts.get(word)?, docs: None })
        }));
        let frequencies = words.iter().map(|word| (word.term.clone(), word.texts)).collect();
        let words = self.affordable(words, MAX_WORDS, WORD_TEXTS)?;
        let rare: BTreeSet<&str> =
            words.iter().filter(|word| word.texts <= rare_below).map(|word| word.term.as_str()).collect();
        let mut found = Found { by_words: Vec::new(), by_grams: Vec::new(), frequencies, total: self.total };
        if self.corpus.only_rare && rare.is_empty() {
            return Ok(found);
        }
        let asked: BTreeSet<&str> = query.words.iter().map(String::as_str).collect();
        let rarities: BTreeMap<&str, f64> =
            words.iter().map(|word| (word.term.as_str(), word.rarity(self.total))).collect();
        found.by_words = self.scored(&words, &read_id, |text, _| {
            let mut times: BTreeMap<&str, f64> = BTreeMap::new();
            let mut length = 0.0;
            for term in text.split(' ') {
                length += 1.0;
                if let Some(term) = asked.get(term) {
                    *times.entry(term).or_insert(0.0) += 1.0;
                }
            }
            let shared = times.iter().filter_map(|(term, times)| Some((*rarities.get(term)?, *times)));
            (shared.collect(), length, times.keys().map(|term| (*term).to_owned()).collect())
        })?;
        for hit in &mut found.by_words {
            hit.rare_term_shared = hit.holds.iter().any(|term| rare.contains(term.as_str()));
        }
        let grams: Vec<&String> = query.grams.iter().take(MAX_ASKED).collect();
        let grams = self.looked_up(&grams, GRAM_TEXTS)?;
        let grams = self.affordable(grams, MAX_GRAMS, GRAM_TEXTS)?;
        found.by_grams =
            self.scored(&grams, &read_id, |text, sum| (vec![(sum, 1.0)], text.len() as f64, Vec::new()))?;
        Ok(found)
    }

    /// Those of the terms that some text has, with the newest `most` texts of each.
    fn looked_up(&self, terms: &[&String], most: usize) -> Result<Vec<Term>, StoreError> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let Tables { terms: table, docs, .. } = self.corpus;
        let newest = |from: &str, conditions: &str| {
            format!(
                "(SELECT group_concat(doc) FROM (SELECT t.rowid AS doc FROM {table} t{from}
                  WHERE {table} MATCH '\"' || j.value || '\"'{conditions} ORDER BY t.rowid DESC LIMIT {most}))"
            )
        };
        let all = newest("", "");
        let found = if self.conditions.is_empty() {
            "NULL".to_owned()
        } else {
            newest(&format!(" JOIN {docs} d ON d.doc = t.rowid"), self.conditions)
        };
        let asked = serde_json::to_string(terms).unwrap_or_default();
        let mut args = self.args.to_vec();
        args.push(asked.as_str().into());
        let rows = self.sql.exec(&format!("SELECT j.value, {all}, {found} FROM json_each(?) j"), &args)?;
        let mut known = Vec::new();
        for row in rows.iter().filter(|row| !row.is_null(1)) {
            let all = read_docs(row.text(1)?);
            let texts = match (all.first(), all.last()) {
                // As many everywhere as among those.
                (Some(newest), Some(oldest)) if all.len() >= most => {
                    let among = (newest - oldest + 1).max(all.len() as i64);
                    (self.total * all.len() as i64 / among).max(all.len() as i64)
                }
                _ => all.len() as i64,
            };
            let docs = if self.conditions.is_empty() {
                all
            } else {
                row.optional(2, Row::string)?.map_or_else(Vec::new, |docs| read_docs(&docs))
            };
            known.push(Term { term: row.string(0)?, texts, docs: Some(docs) });
        }
        Ok(known)
    }

    /// The rarest of the terms, no more than can be scored, with their texts.
    fn affordable(&self, mut known: Vec<Term>, most: usize, texts: usize) -> Result<Vec<Term>, StoreError> {
        crate::order::by(&mut known, |a, b| a.texts.cmp(&b.texts).then_with(|| a.term.cmp(&b.term)));
        known.truncate(most);
        let mut scored = 0;
        let affordable = known.iter().take_while(|term| {
            scored += texts.min(term.texts as usize);
            scored <= MAX_SCORED
        });
        let affordable = affordable.count().max(1);
        known.truncate(affordable);
        let skipped: Vec<&String> =
            known.iter().filter(|term| term.docs.is_none()).map(|term| &term.term).collect();
        for read in self.looked_up(&skipped, texts)? {
            if let Some(term) = known.iter_mut().find(|term| term.term == read.term) {
                term.docs = read.docs;
            }
        }
        Ok(known)
    }

    /// The best texts that have any of the terms. `shares` tells from a text, its cut words and the sum of what it shares: the
    /// weights and times of what it shares, its length, and the words it holds.
    fn scored<Id>(
        &self,
        terms: &[Term],
        read_id: impl Fn(&Row) -> Result<Id, StoreError>,
        shares: impl Fn(&str, f64) -> (Vec<(f64, f64)>, f64, Vec<String>),
    ) -> Result<Vec<Hit<Id>>, StoreError> {
        let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
        for term in terms {
            let rarity = term.rarity(self.total);
            for doc in term.docs.iter().flatten() {
                *sums.entry(*doc).or_insert(0.0) += rarity;
            }
        }
        let mut best: Vec<(i64, f64)> = sums.iter().map(|(doc, sum)| (*doc, *sum)).collect();
        let newest_first = |a: &(i64, f64), b: &(i64, f64)| b.1.total_cmp(&a.1).then_with(|| b.0.cmp(&a.0));
        crate::order::by(&mut best, newest_first);
        // What is repeated, and how long a text is, changes little of the order.
        best.truncate(self.limit + self.limit / 2);
        if best.is_empty() {
            return Ok(Vec::new());
        }
        let docs: Vec<i64> = best.iter().map(|(doc, _)| *doc).collect();
        let docs = serde_json::to_string(&docs).unwrap_or_default();
        let Tables { docs: table, id, .. } = self.corpus;
        let rows = self.sql.exec(
            &format!(
                "SELECT d.{id}, d.doc, d.text, d.terms FROM {table} d
                 WHERE d.doc IN (SELECT value FROM json_each(?))"
            ),
            &[docs.as_str().into()],
        )?;
        let mut read = Vec::with_capacity(rows.len());
        for row in &rows {
            let sum = sums.get(&row.int(1)?).copied().unwrap_or(0.0);
            let text = row.string(2)?;
            // What was indexed by an earlier version is cut again.
            let cut = row.optional(3, Row::string)?.unwrap_or_else(|| indexed_words(&text).join(" "));
            read.push((row, text, shares(&cut, sum)));
        }
        let usual = read.iter().map(|(_, _, (_, length, _))| length).sum::<f64>() / read.len().max(1) as f64;
        let mut hits = Vec::with_capacity(read.len());
        for (row, text, (shared, length, holds)) in read {
            let long = REPETITION * (1.0 - LENGTH + LENGTH * length / usual.max(1.0));
            let score = shared
                .iter()
                .map(|(weight, times)| weight * times * (REPETITION + 1.0) / (times + long))
                .sum();
            hits.push((row.int(1)?, Hit { id: read_id(row)?, score, rare_term_shared: false, holds, text }));
        }
        crate::order::by(&mut hits, |a, b| b.1.score.total_cmp(&a.1.score).then_with(|| b.0.cmp(&a.0)));
        hits.truncate(self.limit);
        Ok(hits.into_iter().map(|(_, hit)| hit).collect())
    }
}

fn read_docs(list: &str) -> Vec<i64> {
    list.split(',').filter_map(|doc| doc.parse().ok()).collect()
}
