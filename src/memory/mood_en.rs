//! English clauses and their moods.

use std::ops::Range;

use super::assertion::Mood;
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase::{ends_any, has, has_any, starts, starts_any};
use crate::words;

/// A new clause begins at these words when a comma stands before them.
#[rustfmt::skip]
const AFTER_COMMA: Words = words![
    "but", "so", "and i", "and my", "and we", "yet", "though", "although", "however", "remind", "explain", "translate", "check", "what", "how", "which",
    "can", "could", "should", "do", "does", "did", "is", "are", "would", "will", "where", "when should",
    "when is", "who", "any", "please", "tell", "give", "recommend", "suggest", "write", "help", "let", "show",
    "find", "make", "i", "i'm", "i've", "my", "we", "he", "she", "they", "because", "since i", "while",
];
/// A new clause begins at these words wherever they stand.
#[rustfmt::skip]
const ANYWHERE: Words = words![
    "but", "although", "and i", "and i'm", "and my", "and can you", "and please", "so please", "so can you",
    "so what", "and what",
];

/// Byte ranges of the clauses of a sentence.
pub(super) fn split(sentence: &str) -> Vec<Range<usize>> {
    let lower = sentence.to_ascii_lowercase();
    let mut starts_at = vec![0];
    let mut depth = 0usize;
    for (at, c) in lower.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' | '—' | '–' if depth == 0 => starts_at.push(at + c.len_utf8()),
            ',' if depth == 0 => {
                let rest = lower.get(at + 1..).unwrap_or_default();
                if starts_any(rest.trim_start(), AFTER_COMMA) {
                    starts_at.push(at + 1);
                }
            }
            ' ' => {
                let rest = lower.get(at + 1..).unwrap_or_default();
                let before_comma = lower.get(..at).is_some_and(|head| head.ends_with(','));
                if !before_comma && starts_any(rest, ANYWHERE) {
                    starts_at.push(at);
                }
            }
            _ => {}
        }
    }
    starts_at.push(sentence.len());
    starts_at.dedup();
    starts_at
        .windows(2)
        .filter_map(|pair| Some(*pair.first()?..*pair.get(1)?))
        .filter(|range| !range.is_empty())
        .collect()
}

/// The mood of each clause.
#[rustfmt::skip]
pub(super) fn moods(sentence: &str, parts: &[Range<usize>]) -> Vec<Mood> {
    let clauses: Vec<String> = parts
        .iter()
        .map(|part| fold(sentence.get(part.clone()).unwrap_or_default()))
        .map(|clause| if is_greeting(&clause) { clause } else { bare(&clause).to_owned() })
        .collect();
    let asks = sentence.trim_end_matches(['"', '”', ')', ' ', '!']).ends_with(['?', '？']);
    let last = clauses.len().saturating_sub(1);
    // A question mark reaches back over the whole sentence unless its last clause opens as a question by itself.
    let question_is_apart = clauses.len() > 1
        && clauses.last().is_some_and(|clause| opens_question(clause) || is_request(clause));
    let mut supposing = false;
    let mut quoting = false;
    clauses
        .iter()
        .enumerate()
        .map(|(at, clause)| {
            supposing |= has_any(
                clause,
                words![
                    "if", "unless", "suppose", "supposing", "imagine", "assuming", "hypothetically",
                    "in theory", "what if", "assume", "let's say", "say i", "for the sake of argument", "in an ideal world",
                    "in a perfect world", "in my next life", "in another life", "in a past life", "in a parallel",
                    "in my imagination", "hypothetical", "in case i", "in case we", "ask me again when",
                    "picture this", "for the exercise", "for this exercise", "for practice", "feel like i", "feels like i",
                    "when i'm president", "when i'm king", "when i'm queen", "when i'm rich", "when i'm famous", "when i rule",
                    "when i win", "when pigs fly", "when hell freezes",
                ],
            ) && !has_any(clause, words!["as if", "even if"]);
            let own = mood(clause);
            // "As Sinatra sang, I did it my way".
            let end = clause.trim_end_matches(|c: char| !c.is_alphanumeric());
            let quotes = starts(clause, "as") && ends_any(clause, words!["said", "says", "sang", "wrote", "put it"])
                // "He goes, I quit, and she's like, …"
                || ends_any(end, words!["he goes", "she goes", "he's like", "she's like", "they're like", "was like", "were like"]);
            if quoting && own == Mood::Asserts {
                return Mood::Cites;
            }
            quoting |= quotes;
            if asks && (at == last || !question_is_apart) {
                return if own == Mood::Requests || own == Mood::Recaps { own } else { Mood::Asks };
            }
            if own == Mood::Asserts && supposing { Mood::Supposes } else { own }
        })
        .collect()
}

/// A clause without the words that join it to the one before, or open a talk.
pub(super) fn bare(clause: &str) -> &str {
    let mut bare = clause.trim_start_matches(|c: char| !c.is_alphanumeric());
    loop {
        let shorter = words![
            "but", "and", "so", "also", "well", "ok", "okay", "oh", "hi", "hey", "hello", "yes", "yeah",
            "no", "anyway", "then", "actually", "thanks", "because",
        ]
        .iter()
        .find(|&word| starts(bare, word) && bare.len() > word.len())
        .and_then(|word| bare.get(word.len()..));
        match shorter {
            Some(rest) if rest.chars().any(char::is_alphanumeric) && !rest.starts_with([':', '\'']) => {
                bare = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
            }
            _ => return bare,
        }
    }
}

/// What is so for an hour: "I'm going to bed".
fn is_of_the_moment(clause: &str) -> bool {
    #[rustfmt::skip]
    const MOMENTS: Words = words![
        "going to bed", "going to sleep", "heading to bed", "off to bed", "heading out", "heading home", "on my way", "brb",
        "be right back", "about to eat", "having lunch", "having dinner", "having breakfast", "eating lunch", "eating dinner",
        "getting ready", "in a hurry", "in the bathroom", "in the shower", "on the bus", "on the train", "stuck in traffic",
        "i'm tired", "i'm hungry", "i'm bored", "i'm sleepy", "i'm back", "i'm home", "i'm here", "i'm ready", "i'm done",
    ];
    const LASTING: Words =
        words!["always", "usually", "every", "often", "never", "used to", "when", "of", "since", "because"];
    (has_any(clause, MOMENTS) || tells_feeling(clause)) && !has_any(clause, LASTING)
}

/// "I'm so happy today", and not "I'm happy with my job".
fn tells_feeling(clause: &str) -> bool {
    #[rustfmt::skip]
    const FEELINGS: Words = words![
        "happy", "sad", "tired", "exhausted", "hungry", "thirsty", "full", "cold", "hot", "bored", "sleepy", "angry", "annoyed",
        "frustrated", "excited", "nervous", "stressed", "relieved", "confused", "curious", "glad", "sorry", "busy", "fine", "okay",
        "ok", "good", "great", "well", "better", "awake", "late", "ready", "lost", "upset", "down", "surprised", "grateful",
    ];
    const DEGREES: Words = words![
        "so", "very", "really", "a", "bit", "little", "pretty", "quite", "just", "super", "kinda", "too",
        "feeling"
    ];
    const NOW: Words =
        words!["today", "now", "right", "tonight", "this", "morning", "evening", "at", "the", "moment"];
    let bare = bare(clause);
    let Some(rest) = words!["i'm ", "i am ", "i feel "].iter().find_map(|opening| bare.strip_prefix(opening))
    else {
        return false;
    };
    let mut words = rest
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .skip_while(|word| DEGREES.contains(word));
    words.next().is_some_and(|feeling| FEELINGS.contains(feeling)) && words.all(|word| NOW.contains(word))
}

fn mood(clause: &str) -> Mood {
    if is_greeting(clause) || is_of_the_moment(clause) {
        return Mood::Greets;
    }
    let asks_help = starts_any(clause, words!["can you", "could you", "would you", "will you"]);
    if opens_question(clause) && !asks_help {
        return Mood::Asks;
    }
    if is_manner(clause) {
        return Mood::Prefers;
    }
    if is_request(clause) {
        let recaps = has_any(
            clause,
            words!["summarize", "summarise", "summary", "recap", "again", "repeat", "rephrase", "sum up"],
        );
        return if recaps { Mood::Recaps } else { Mood::Requests };
    }
    if cites(clause) {
        return Mood::Cites;
    }
    if has_any(clause, UNDECIDED) {
        return Mood::Undecided;
    }
    if supposes(clause) {
        return Mood::Supposes;
    }
    Mood::Asserts
}

const AUXILIARIES: Words = words![
    "is", "are", "am", "was", "were", "do", "does", "did", "can", "could", "should", "would", "will",
    "shall", "have", "has", "had", "may", "might", "isn't", "aren't", "don't", "doesn't", "didn't", "won't",
    "wouldn't", "couldn't", "can't",
];
const SUBJECTS: Words = words![
    "i", "you", "he", "she", "it", "we", "they", "there", "this", "that", "these", "those", "the", "my",
    "your", "anyone", "someone", "anybody", "his", "her", "our",
];

/// An inverted verb, or a question word with one: "what is", "do you". "What I like is" tells something.
pub(super) fn opens_question(clause: &str) -> bool {
    let words: Vec<&str> = clause
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .take(4)
        .collect();
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let inverted = |at: usize| AUXILIARIES.contains(word(at)) && SUBJECTS.contains(word(at + 1));
    match word(0) {
        "what" | "who" | "why" | "which" | "whose" | "where" | "when" | "how" | "what's" | "who's"
        | "where's" | "how's" => {
            word(0).ends_with("'s")
                || AUXILIARIES.contains(word(1))
                || AUXILIARIES.contains(word(2)) && words!["what", "which", "whose", "how"].contains(word(0))
                || matches!(
                    (word(0), word(1)),
                    ("how", "about" | "come" | "many" | "much" | "long") | ("what", "about" | "if" | "kind")
                )
                || matches!((word(0), word(1)), ("how" | "what" | "where", "to"))
        }
        "any" => words!["ideas", "suggestions", "recommendations", "tips", "advice", "thoughts", "idea"]
            .contains(word(1)),
        "don't" | "can't" => {
            inverted(0)
                && word(1) != "the"
                && word(1) != "my"
                && word(1) != "that"
                && word(1) != "this"
                && word(1) != "it"
        }
        "do" | "have" | "had" => {
            inverted(0)
                && !words!["the", "my", "this", "that", "his", "her", "our", "these", "those", "it"]
                    .contains(word(1))
        }
        _ => inverted(0),
    }
}

const MANNER_OPENINGS: Words =
    words!["please ", "i'd like you to ", "i would like you to ", "i'd prefer you to ", "i want you to "];

/// A manner of answering that is to last: "answer in bullet points", "call me Ken".
#[rustfmt::skip]
fn is_manner(clause: &str) -> bool {
    let bare = MANNER_OPENINGS.strip_from(clause).map_or(clause, |(_, rest)| rest);
    let opens = starts_any(
        bare,
        words![
            "answer", "reply", "respond", "speak", "talk to me", "call me", "address me", "keep your answers",
            "keep answers", "keep replies", "keep your replies", "be brief", "be concise", "be more concise",
            "use metric", "use celsius", "use bullet points", "use simple words", "use plain language",
            "don't use emojis", "no emojis", "avoid emojis", "write to me in", "don't call me",
        ],
    );
    opens
        && !has_any(
            bare,
            words![
                "this", "following", "question", "questions", "below", "above", "later", "back", "tomorrow",
                "these", "his", "her", "their", "him", "them", "email", "emails", "mail", "an ambulance",
                "a taxi", "when", "at", "old-fashioned", "crazy", "naive", "paranoid", "weird", "stupid", "silly", "biased",
                "cynical", "picky", "lazy", "spoiled", "superstitious",
            ],
        )
}

#[rustfmt::skip]
const IMPERATIVES: Words = words![
    "please", "tell", "write", "give", "show", "explain", "translate", "summarize", "summarise", "recap",
    "repeat", "list", "describe", "draft", "compose", "create", "generate", "make", "find", "search", "look up",
    "look for", "recommend", "suggest", "help", "let me", "let's", "let us", "check", "fix", "compare",
    "calculate", "convert", "remind", "provide", "develop", "break down", "plan", "book", "order", "send",
    "add", "remove", "delete", "change", "replace", "rewrite", "edit", "proofread", "correct", "continue",
    "go on", "stop", "start over", "try", "consider", "pretend", "act", "say", "read", "open", "run", "sum up",
    "rephrase", "don't", "do not", "never", "always", "keep", "use", "set", "turn", "put", "take", "bring",
    "wait", "answer", "reply", "respond", "remember", "forget", "ignore", "disregard", "save", "store", "note",
    "insert", "include", "integrate", "print", "output", "introduce", "design", "outline", "review", "analyze",
    "analyse", "think of", "pick", "choose", "guess", "imagine", "modify", "enhance", "augment", "describe",
    "define", "solve", "teach", "walk me", "tl;dr", "tldr",
];

/// A request of the moment.
#[rustfmt::skip]
fn is_request(clause: &str) -> bool {
    let imperative = starts_any(clause, IMPERATIVES) && !is_telling(clause);
    imperative
        || has_any(
            clause,
            words![
                "can you", "could you", "would you", "will you", "would you mind", "i want you to",
                "i need you to", "i'd like you to", "i would like you to", "help me", "tell me how",
                "tell me what", "tell me about", "give me", "show me", "let me know", "i have a question",
                "i'm asking", "i want to know", "i'd like to know", "i would like to know", "i need help",
                "i need advice", "i need a recommendation", "i need suggestions", "i'm looking for",
                "i am looking for", "looking for", "i wonder", "i'm wondering", "i was wondering",
                "i want to ask", "i need some ideas", "i'd like to ask", "do you know", "do you remember",
            ],
        )
        || ends_any(
            clause.trim_end_matches(['.', '!', ' ', ',']),
            words!["please", "thanks in advance"],
        )
}

/// "Always wake up early", "never eat meat", "use a wheelchair" leave the subject out and tell a habit.
#[rustfmt::skip]
fn is_telling(clause: &str) -> bool {
    let habitual = starts_any(clause, words!["never", "always"])
        && !has_any(
            clause,
            words!["answer", "reply", "respond", "say", "mention", "recommend", "me", "you", "your"],
        );
    let past = starts_any(
        clause,
        words![
            "let me down", "set up my", "keep a", "keep two", "keep three", "don't eat", "don't drink",
            "don't like", "don't have", "do not eat", "do not drink", "do not like", "don't smoke",
            "read a lot", "run every", "run a", "use a",
        ],
    );
    habitual || past
}

#[rustfmt::skip]
const REPORTS: Words = words![
    "said", "says", "told me", "tells me", "thinks", "claims", "claimed", "believes", "mentioned", "suggested",
    "insists", "keeps saying", "asked me", "wrote that", "complained", "wrote:", "texted:", "posted:", "tweeted:",
    "replied:", "emailed:", "sang", "sings", "reckons", "figures", "suspects", "swears", "assumes", "guesses", "teases",
    "jokes", "is convinced", "keeps telling", "always tells", "rumour is", "rumor is", "wonders", "wondered",
];

/// Somebody else says it.
#[rustfmt::skip]
fn cites(clause: &str) -> bool {
    if has_any(
        clause,
        words![
            "according to", "i heard", "i've heard", "i read that", "apparently", "they say", "people say",
            "reportedly", "supposedly", "rumor has it", "it is said", "i was told", "in the movie",
            "in the novel", "in the book", "the character", "quote:", "the article says",
        ],
    ) {
        return true;
    }
    let words: Vec<&str> = clause.split(' ').collect();
    REPORTS.iter().any(|report| {
        crate::text::phrase::find(clause, report).is_some_and(|at| {
            let subject = clause.get(..at).unwrap_or_default().trim_end();
            let own = ends_any(
                subject,
                words!["i", "i've", "i have", "we", "i also", "i already", "i just", "i never"],
            );
            !own && !subject.is_empty() && words.len() > 2
        })
    })
}

#[rustfmt::skip]
const UNDECIDED: Words = words![
    "maybe", "perhaps", "might", "not sure", "unsure", "undecided", "i'm considering", "i am considering",
    "thinking about", "thinking of", "probably", "possibly", "i guess", "haven't decided", "have not decided",
    "don't know if", "don't know whether", "whether", "i could", "i may", "i doubt", "i'm debating",
    "torn between", "could be that", "leaning towards", "leaning toward", "i'm not saying", "i never said", "i didn't say", "not that i", "it's not that", "should i", "not certain", "tempted to", "who knows", "i suspect", "i assume", "i suppose", "i fear", "i reckon", "i have a feeling",
    "i have a hunch", "i think i", "i think i'm", "i think i've", "call me crazy", "call me old-fashioned", "call me naive", "call me paranoid", "call me weird",
];

#[rustfmt::skip]
fn supposes(clause: &str) -> bool {
    let wishes = has_any(
        clause,
        words![
            "would like", "would love", "would rather", "would prefer", "i'd like", "i'd love", "i'd rather",
            "i'd prefer", "would also like",
        ],
    );
    let supposed = has_any(
        clause,
        words![
            "would", "i'd", "wouldn't", "would've", "i wish", "wish i", "if only", "as though", "let's say",
            "for example, say", "in a dream", "i dreamed", "i dreamt",
        ],
    );
    (supposed && !wishes) || starts(clause, "were i") || starts(clause, "had i")
}

#[rustfmt::skip]
fn is_greeting(clause: &str) -> bool {
    let words = clause.trim_matches(|c: char| !c.is_alphanumeric());
    let opens = starts_any(
        words,
        words![
            "hi", "hello", "hey", "good morning", "good evening", "good afternoon", "good night", "bye",
            "goodbye", "see you", "thanks", "thank you", "nice to meet you", "how are you", "ok", "okay",
            "cool", "great", "sure", "yes", "no", "yeah", "lol", "haha", "welcome back", "good to see you",
        ],
    );
    // "Hey, Tom here".
    let names = words.ends_with(" here") && words.split(' ').count() > 2;
    opens && !names && words.split(' ').count() <= 4 && !has(words, "i") && !has(words, "i'm") && !has(words, "my")
}
