//! The query behind a search: which terms are looked up, and how a list is scored.
//!
//! A search costs by what it finds and not by how much there is: of each term the newest texts are read, up to a bound,
//! and only the best by the rarity of what they share are looked at themselves and scored by BM25.

use std::rc::Rc;

use super::index::{Found, Hit, Indexed, Query};
use super::known::Written;
use super::sql::{Arg, Row, Sql, StoreError};
use crate::best::least_of_best;
use crate::sorted::SortedMap;
use crate::text::estimate;
use crate::text::search::Terms;

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
    /// There may be very many: those that share no rare word with a question are not looked for, and how many there are
    /// is known about.
    pub(super) is_large: bool,
}

impl Tables {
    pub(super) const FACTS: Self = Self { terms: "fact_terms", docs: "indexed_facts", is_large: false };
    pub(super) const MESSAGES: Self =
        Self { terms: "message_terms", docs: "indexed_messages", is_large: true };
}

/// What one who searches again and again knows of the texts. Losing it costs finding it anew, nothing else.
#[derive(Debug, Default)]
pub struct Familiar {
    /// In how many texts terms are.
    frequencies: SortedMap<String, i64>,
    total: i64,
    texts: SortedMap<i64, Rc<Indexed>>,
    /// How often terms and texts had been written.
    terms_as_of: Option<Written>,
    texts_as_of: Option<Written>,
}

/// Terms and texts that are kept of a corpus.
const KEPT: usize = 400;

impl Familiar {
    /// Forgets what may have changed among so many texts.
    fn as_of_now(&mut self, sql: &dyn Sql, corpus: &Tables, total: i64) {
        let terms = sql.written(corpus.terms);
        let is_same = terms.is_some() && terms == self.terms_as_of;
        // Counting common terms takes the longer the more texts there are, and says the same while there are about as many.
        let is_similar = corpus.is_large && (self.total..=self.total + self.total / 8 + 16).contains(&total);
        if is_similar {
            let rare_below = rare_below(total);
            self.frequencies.retain(|_, texts| is_same || *texts > 2 * rare_below);
        } else if !is_same {
            (self.frequencies, self.total) = (SortedMap::new(), total);
        }
        self.terms_as_of = terms;
        let texts = sql.written(corpus.docs);
        if texts.map(|texts| texts.over) != self.texts_as_of.map(|texts| texts.over) || texts.is_none() {
            self.texts.clear();
        }
        self.texts_as_of = texts;
        if self.frequencies.len() > KEPT {
            self.frequencies.clear();
        }
        if self.texts.len() > KEPT {
            self.texts.clear();
        }
    }

    /// Learns what is not known yet of texts.
    fn read(&mut self, sql: &dyn Sql, corpus: &Tables, docs: &[i64]) -> Result<(), StoreError> {
        let unknown: Vec<i64> = docs.iter().filter(|doc| !self.texts.contains_key(doc)).copied().collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let places = serde_json::to_string(&unknown).unwrap_or_default();
        let statement = format!(
            "SELECT doc, text, terms FROM {} WHERE doc IN (SELECT value FROM json_each(?))",
            corpus.docs
        );
        for row in sql.exec(&statement, &[places.as_str().into()])? {
            let text = row.text(1)?;
            let indexed = match row.optional(2, Row::string)? {
                Some(words) => {
                    Indexed { terms: Terms::cut(words.split(' ')), tokens: estimate::tokens(text) }
                }
                // It was indexed by an earlier version.
                None => Indexed::of(text),
            };
            self.texts.insert(row.int(0)?, Rc::new(indexed));
        }
        Ok(())
    }
}

/// Terms in at most so many texts are rare.
fn rare_below(total: i64) -> i64 {
    (total / 20).max(3)
}

/// A term of a question that some text has.
struct Term {
    word: String,
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
    pub(super) fn find(&self, query: &Query, familiar: &mut Familiar) -> Result<Found<i64>, StoreError> {
        familiar.as_of_now(self.sql, self.corpus, self.total);
        let rare_below = rare_below(self.total);
        let words = self.known(&query.words, WORD_TEXTS, familiar)?;
        let frequencies = words.iter().map(|word| (word.word.clone(), word.texts)).collect();
        let words = self.affordable(words, MAX_WORDS, WORD_TEXTS)?;
        let rare: Vec<&Term> = words.iter().filter(|word| word.texts <= rare_below).collect();
        let mut found = Found { by_words: Vec::new(), by_grams: Vec::new(), frequencies, total: self.total };
        if self.corpus.is_large && rare.is_empty() {
            return Ok(found);
        }
        found.by_words = self.scored(&words, familiar, |text, _, usual| {
            let long = length_weight(text.terms.count(), usual);
            let of_one = |word: &Term| {
                let times = text.terms.times(&word.word) as f64;
                word.rarity(self.total) * times * (REPETITION + 1.0) / (times + long)
            };
            words.iter().map(of_one).sum()
        })?;
        for hit in &mut found.by_words {
            hit.rare_term_shared = rare.iter().any(|word| hit.known.terms.has(&word.word));
        }
        let grams = self.known(&query.grams, GRAM_TEXTS, familiar)?;
        let grams = self.affordable(grams, MAX_GRAMS, GRAM_TEXTS)?;
        found.by_grams = self.scored(&grams, familiar, |text, sum, usual| {
            sum * (REPETITION + 1.0) / (1.0 + length_weight(text.terms.count(), usual))
        })?;
        Ok(found)
    }

    /// Those of the terms that some text has; what isn't familiar with its newest `most` texts.
    fn known(&self, terms: &[String], most: usize, familiar: &mut Familiar) -> Result<Vec<Term>, StoreError> {
        let (known, unknown): (Vec<&String>, Vec<&String>) =
            terms.iter().take(MAX_ASKED).partition(|term| familiar.frequencies.contains_key(*term));
        let mut found = self.looked_up(&unknown, most)?;
        familiar.frequencies.extend(unknown.iter().map(|term| ((*term).clone(), 0)));
        familiar.frequencies.extend(found.iter().map(|term| (term.word.clone(), term.texts)));
        let known = known.into_iter().filter_map(|term| Some((term, *familiar.frequencies.get(term)?)));
        let known = known.filter(|(_, texts)| *texts > 0);
        found.extend(known.map(|(term, texts)| Term { word: term.clone(), texts, docs: None }));
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
            known.push(Term { word: row.string(0)?, texts, docs: Some(docs) });
        }
        Ok(known)
    }

    /// The rarest of the terms, no more than can be scored, with their texts.
    fn affordable(&self, mut known: Vec<Term>, most: usize, texts: usize) -> Result<Vec<Term>, StoreError> {
        crate::order::by(&mut known, |a, b| a.texts.cmp(&b.texts).then_with(|| a.word.cmp(&b.word)));
        known.truncate(most);
        let mut scored = 0;
        let affordable = known.iter().take_while(|term| {
            scored += texts.min(term.texts as usize);
            scored <= MAX_SCORED
        });
        let affordable = affordable.count().max(1);
        known.truncate(affordable);
        let skipped: Vec<&String> =
            known.iter().filter(|term| term.docs.is_none()).map(|term| &term.word).collect();
        for read in self.looked_up(&skipped, texts)? {
            if let Some(term) = known.iter_mut().find(|term| term.word == read.word) {
                term.docs = read.docs;
            }
        }
        Ok(known)
    }

    /// The texts that have any of the terms, each with the rarities of those that it has.
    fn sums(&self, terms: &[Term]) -> Vec<(i64, f64)> {
        let mut lists: Vec<(&[i64], f64)> = terms
            .iter()
            .map(|term| (term.docs.as_deref().unwrap_or_default(), term.rarity(self.total)))
            .collect();
        let mut sums = Vec::new();
        while let Some(newest) = lists.iter().filter_map(|(docs, _)| docs.first().copied()).max() {
            let mut sum = 0.0;
            for (docs, rarity) in &mut lists {
                if let [first, rest @ ..] = *docs
                    && *first == newest
                {
                    (*docs, sum) = (rest, sum + *rarity);
                }
            }
            sums.push((newest, sum));
        }
        sums
    }

    /// The best texts that have any of the terms. `score` is that of a text, given the sum of the rarities of what it shares
    /// and a usual text's length.
    fn scored(
        &self,
        terms: &[Term],
        familiar: &mut Familiar,
        score: impl Fn(&Indexed, f64, f64) -> f64,
    ) -> Result<Vec<Hit<i64>>, StoreError> {
        // What is repeated, and how long a text is, changes little of the order.
        let most = self.limit + self.limit / 2;
        let mut best = self.sums(terms);
        let highest: f64 = terms.iter().map(|term| term.rarity(self.total)).sum();
        let least = least_of_best(best.iter().map(|(_, sum)| *sum as f32), 0.0..highest as f32, most);
        best.retain(|(_, sum)| *sum as f32 >= least);
        crate::order::by(&mut best, |a, b| b.1.total_cmp(&a.1).then_with(|| b.0.cmp(&a.0)));
        best.truncate(most);
        let docs: Vec<i64> = best.iter().map(|(doc, _)| *doc).collect();
        familiar.read(self.sql, self.corpus, &docs)?;
        let known = |doc: &i64| familiar.texts.get(doc).ok_or_else(|| StoreError::corrupt("search index"));
        let mut lengths = 0;
        for doc in &docs {
            lengths += known(doc)?.terms.count();
        }
        let usual = lengths as f64 / docs.len().max(1) as f64;
        let mut hits = Vec::with_capacity(best.len());
        for (doc, sum) in best {
            let known = known(&doc)?;
            let score = score(known, sum, usual);
            hits.push(Hit { id: doc, score, rare_term_shared: false, known: Rc::clone(known) });
        }
        crate::order::by(&mut hits, |a, b| b.score.total_cmp(&a.score).then_with(|| b.id.cmp(&a.id)));
        hits.truncate(self.limit);
        Ok(hits)
    }
}

/// By how much a text's length weighs against its hits.
fn length_weight(terms: usize, usual: f64) -> f64 {
    REPETITION * (1.0 - LENGTH + LENGTH * terms as f64 / usual.max(1.0))
}

/// Reads `12,-7,5`. Thousands are read for a common word, which the library's parsing takes too long for.
fn read_docs(list: &str) -> Vec<i64> {
    let mut docs = Vec::with_capacity(list.len() / 4);
    let (mut doc, mut sign) = (0, 1);
    for byte in list.bytes().chain([b',']) {
        match byte {
            b'-' => sign = -1,
            b'0'..=b'9' => doc = doc * 10 + i64::from(byte - b'0'),
            _ => {
                docs.push(sign * doc);
                (doc, sign) = (0, 1);
            }
        }
    }
    docs
}
