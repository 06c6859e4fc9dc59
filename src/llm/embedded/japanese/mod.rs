//! Reads what Japanese sentences assert about their speaker.
//!
//! The predicate is at the end: a stem and an ending that must be complete, so that 「猫が好きな人」 says nothing about
//! the speaker. An omitted subject is the speaker, unless somebody else was just spoken of. Questions, echoes
//! (「好きなんですね」), conditions, wishes and reports give nothing.

mod assertion;
mod dialect;
mod family;
mod habit;
mod health;
mod identity;
mod manner;
mod name;
mod objects;
mod own;
mod place;
mod plan;
mod predicate;
mod taste;
mod words;
mod work;

use std::ops::Range;

use crate::calendar::Date;

use crate::llm::embedded::statement::{Reading, Slot, Statement};
use assertion::{asserted, ends_with_any, is_unasserted, without_decoration, without_particles};
use words::{FIRST_PERSON, OPENERS, OTHERS, PETS, RELATIVES};

use crate::text::list::Words;
use crate::text::phrase::contains_any;
use crate::text::sentences::sentences;
use crate::words;

/// A longer sentence is a list, code or a paste.
const MAX_SENTENCE_BYTES: usize = 600;

const MAX_READINGS: usize = 32;

/// Whose predicate it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    Me {
        explicit: bool,
    },
    /// A relative or a pet, by their word.
    Family(&'a str),
    Other,
}

/// A clause without its subject, opening and closing particles.
#[derive(Clone, Copy, Debug)]
pub struct Clause<'a> {
    pub subject: Subject<'a>,
    pub body: &'a str,
    /// The whole clause as it was said, with its dates.
    pub said: &'a str,
    pub today: Option<Date>,
    /// The message opened with はじめまして, so that 「田中です」 gives a name.
    pub greeted: bool,
    /// The message asks to be well disposed (よろしく), as introductions do.
    pub introduced: bool,
}

pub fn read(text: &str, today: Option<Date>) -> Vec<Reading> {
    let mut found: Vec<Reading> = Vec::new();
    let greeted = text.contains("はじめまして") || text.contains("初めまして");
    let introduced = greeted
        || contains_any(text, words!["よろしく", "宜しく"])
        || ["こんにちは", "こんばんは", "どうも"].iter().any(|word| text.starts_with(word));
    // Somebody else was spoken of: an omitted subject may be theirs.
    let mut is_elsewhere = false;
    for sentence in sentences(text) {
        if found.len() >= MAX_READINGS {
            break;
        }
        let offset = sentence.as_ptr() as usize - text.as_ptr() as usize;
        if sentence.len() > MAX_SENTENCE_BYTES || is_unasserted(sentence) {
            is_elsewhere = false;
            continue;
        }
        if let Some(statement) = manner::manner(sentence) {
            found.push(Reading { span: offset..offset + sentence.len(), statement });
            continue;
        }
        if let Some(said) = asks_to_remember(sentence) {
            remember(said, sentence, offset, today, &mut found);
            continue;
        }
        if let Some(named) = named_afterwards(sentence, offset, found.last()) {
            found.pop();
            found.push(named);
            continue;
        }
        // Who was just spoken of in this sentence, and where the words about them begin.
        let mut kin: Option<(&str, usize)> = None;
        for range in clauses(sentence) {
            let Some(source) = sentence.get(range.clone()) else { continue };
            let (mut subject, body) = subject(source);
            let goes_on = kin.filter(|_| subject == Subject::Me { explicit: false });
            if let Some((who, _)) = goes_on {
                subject = Subject::Family(who);
            }
            match subject {
                Subject::Me { explicit: true } => is_elsewhere = false,
                Subject::Me { explicit: false } if is_elsewhere => continue,
                Subject::Me { .. } => {}
                Subject::Family(_) => is_elsewhere = true,
                Subject::Other => {
                    is_elsewhere = true;
                    continue;
                }
            }
            let Some(body) = asserted(body, subject == Subject::Me { explicit: true }) else { continue };
            let body = &dialect::standard(body);
            let read = predicate::read(&Clause { subject, body, said: source, today, greeted, introduced });
            let start = goes_on.map_or(range.start, |(_, start)| start);
            kin = own::family(subject, source)
                .filter(|_| !read.is_empty() && !source.contains("亡くな"))
                .map(|who| (who, start));
            for statement in read {
                is_elsewhere |= statement.slot == Slot::Relation || statement.slot == Slot::Pet;
                let span = offset + start..offset + range.end;
                if !found.iter().any(|reading| reading.statement.text == statement.text) {
                    found.push(Reading { span, statement });
                }
            }
        }
    }
    found.truncate(MAX_READINGS);
    found
}

/// 「犬を飼っています。名前はポチです」: the name is of what was just said to be there.
fn named_afterwards(sentence: &str, offset: usize, last: Option<&Reading>) -> Option<Reading> {
    let last = last.filter(|last| matches!(last.statement.slot, Slot::Pet | Slot::Relation))?;
    let there = last.statement.text.strip_suffix("いる。")?;
    let name =
        name::given_name(without_particles(without_decoration(sentence.trim().strip_prefix("名前は")?)))?;
    let text = format!("{there}いて、名前は{name}。");
    let statement = Statement { text, value: name.to_owned(), ..last.statement.clone() };
    Some(Reading { span: last.span.start..offset + sentence.len(), statement })
}

/// What 「…(と|って|ことを)覚えておいて」 asks to remember.
fn asks_to_remember(sentence: &str) -> Option<&str> {
    let core = without_decoration(sentence);
    let at = words![
        "覚えておいて",
        "覚えといて",
        "おぼえておいて",
        "おぼえといて",
        "覚えて",
        "メモしておいて",
        "記憶して",
    ]
    .iter()
    .find_map(|verb| core.find(verb).map(|at| (at, verb)))?;
    let rest = core.get(at.0 + at.1.len()..)?;
    let before = core.get(..at.0)?.trim();
    let is_request = words![
        "",
        "ね",
        "下さい",
        "ください",
        "くださいね",
        "ほしい",
        "欲しい",
        "くれ",
        "もらえる",
        "ほしいです",
        "よ",
        "おいて",
        "おいてください",
        "おいてね",
    ]
    .contains(rest.trim());
    if is_request && before.chars().count() >= 4 {
        let said = words![
            "ということを",
            "っていうことを",
            "ことを",
            "ことは",
            "のを",
            "と",
            "って",
            "を",
            "から",
            "ので",
            "、",
        ]
        .iter()
        .find_map(|end| before.strip_suffix(end))
        .unwrap_or(before);
        return Some(said);
    }
    let opened =
        words!["くださいね", "ください", "ほしい", "ね", ""].iter().find_map(|end| rest.strip_prefix(end))?;
    let said = opened.strip_prefix(['：', ':', '、'])?;
    (before.is_empty() && said.chars().count() >= 4).then_some(said)
}

fn remember(said: &str, sentence: &str, offset: usize, today: Option<Date>, found: &mut Vec<Reading>) {
    let span = offset..offset + sentence.len();
    let mut any = false;
    let said = without_decoration(said);
    for range in clauses(said) {
        let (subject, body) = subject(said.get(range).unwrap_or_default());
        let Some(body) = asserted(body, true) else { continue };
        let clause = Clause { subject, body, said, today, greeted: false, introduced: false };
        for statement in predicate::read(&clause) {
            any = true;
            found.push(Reading { span: span.clone(), statement });
        }
    }
    let is_statement = said.contains(['は', 'が', 'に', 'を'])
        && !said.contains(['？', '?'])
        && !["これ", "それ", "この会話", "私", "今の"].contains(&said);
    if !any && is_statement && said.chars().count() <= 100 {
        found.push(Reading { span, statement: Statement::new(Slot::Note, said, "", format!("{said}。")) });
    }
}

/// The clauses of a sentence: split at a pause after a conjunctive ending, not at the pauses of lists.
fn clauses(sentence: &str) -> Vec<Range<usize>> {
    const JOINS: Words = words![
        "けど",
        "けれど",
        "けれども",
        "ですが",
        "ますが",
        "だが",
        "たが",
        "いが",
        "るが",
        "ので",
        "ですから",
        "ますから",
        "だから",
        "たから",
        "るから",
        "いから",
        "し",
        "のに",
        "て",
        "で",
        "したら",
        "ものの",
        "んが",
        "歳",
        "才",
        "出身",
        "在住",
        "独身",
        "既婚",
    ];
    // A clause also ends behind these without a pause.
    const ENDS: Words = words![
        "ていて",
        "でいて",
        "んだけど",
        "てたけど",
        "ですけど",
        "ますけど",
        "るけど",
        "いけど",
        "だけど",
        "るので",
        "いので",
        "なので",
        "ますので",
        "ですので",
        "たので",
        "てるし",
        "ますし",
        "ですし",
        "だし",
        "好きで",
        "嫌いで",
        "苦手で",
        "ばかりで",
        "出身で",
        "在住で",
        "育ちで",
        "生まれで",
        "会社員で",
        "看護師で",
        "教師で",
        "医師で",
    ];
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in sentence.char_indices() {
        if matches!(c, '、' | ',' | '，')
            && sentence.get(start..at).is_some_and(|before| {
                ends_with_any(before, JOINS)
                    || OPENERS.contains(before.trim())
                    || sentence.get(at + c.len_utf8()..).is_some_and(opens_with_me)
            })
        {
            found.push(start..at);
            start = at + c.len_utf8();
        } else if sentence.get(start..at).is_some_and(|before| ends_with_any(before, ENDS))
            && !matches!(c, 'も' | 'は' | 'す' | 'な' | 'ね' | 'よ' | 'い' | '。')
            // 「教師でした」
            && !sentence.get(at..).is_some_and(|rest| rest.starts_with("した") || rest.starts_with("しょ"))
        {
            found.push(start..at);
            start = at;
        }
    }
    found.push(start..sentence.len());
    found
        .into_iter()
        .filter_map(|range| {
            let piece = sentence.get(range.clone())?;
            let left = piece.len() - piece.trim_start().len();
            let trimmed = piece.trim();
            (!trimmed.is_empty()).then(|| range.start + left..range.start + left + trimmed.len())
        })
        .collect()
}

/// What stands behind a family word that is a topic: the length of a name between them, and the rest.
fn named_topic(rest: &str) -> Option<(usize, &str)> {
    let particle = |text: &str| ["は", "が", "も"].iter().find_map(|p| text.strip_prefix(*p)).map(str::len);
    if let Some(left) = particle(rest) {
        return Some((0, rest.get(rest.len() - left..)?));
    }
    let called = rest.strip_prefix('の')?;
    let end = called.find(['は', 'が', 'も', 'の', '、'])?;
    let (name, after) = called.split_at_checked(end)?;
    let left = particle(after)?;
    let bare = ["ちゃん", "くん", "さん", "君"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let is_given = (2..=3).contains(&name.chars().count())
        && name.ends_with(['之', '輔', '哉', '太', '郎', '斗', '翔', '莉', '奈', '乃', '穂', '樹']);
    let lives = contains_any(after, words!["住んで", "暮らして", "勤めて"]);
    let is_name = bare != name
        || is_given
        || crate::text::names::is_japanese_name(name)
        || (2..=8).contains(&name.chars().count())
            && name.chars().all(|c| matches!(c, 'ァ'..='ヺ' | 'ー' | '・'))
        || lives
            && (1..=3).contains(&name.chars().count())
            && name.chars().all(crate::text::language::is_han)
            && !name.ends_with([
                '人', '者', '達', '員', '生', '夫', '妻', '親', '弟', '妹', '兄', '姉', '娘', '子',
            ]);
    is_name.then(|| ('の'.len_utf8() + name.len(), rest.get(rest.len() - left..).unwrap_or_default()))
}

/// 「旦那は公務員、私は専業主婦」
fn opens_with_me(rest: &str) -> bool {
    FIRST_PERSON
        .iter()
        .any(|word| rest.trim_start().strip_prefix(word).is_some_and(|rest| rest.starts_with('は')))
}

/// Who the clause is about, and what is left of it.
fn subject(source: &str) -> (Subject<'_>, &str) {
    let mut body = source.trim();
    while let Some(rest) = OPENERS
        .iter()
        .find_map(|opener| body.strip_prefix(opener)?.strip_prefix(['、', '！', '!', '，', ' ', '　', '。']))
    {
        body = rest.trim_start();
    }
    let mut explicit = false;
    let owner = FIRST_PERSON.iter().find_map(|word| body.strip_prefix(word).map(|rest| (word, rest)));
    if let Some((_, rest)) = owner {
        if let Some(rest) = words!["の場合は", "としては", "には", "はね", "は", "が", "も", "って"]
            .iter()
            .find_map(|particle| rest.strip_prefix(particle))
        {
            explicit = true;
            body = rest.trim_start_matches(['、', ' ', '　', '，']);
        } else if let Some(rest) = rest.strip_prefix('の') {
            body = rest;
            explicit = true;
        } else if let Some(rest) = rest.strip_prefix(['、', ' ', '　']) {
            explicit = true;
            body = rest;
        } else if contains_any(rest, words!["出身", "在住", "生まれ", "育ち"]) {
            // 「私東京出身なので」 leaves its particle out.
            explicit = true;
            body = rest;
        }
    }
    // A family word with が or は, where the predicate is about them: 「妹は東京に住んでいる」.
    if let Some((family, rest)) = RELATIVES
        .iter()
        .chain(PETS.iter().filter(|_| explicit))
        .find_map(|word| body.strip_prefix(word).map(|rest| (word, rest)))
        && let Some((name, rest)) = named_topic(rest)
    {
        let is_counted = words!["いる", "います", "いません", "いない", "おります", "いて", "おる", "おるで"]
            .iter()
            .any(|end| without_particles(without_decoration(rest)).ends_with(end))
            // 「妹は東京に住んでいます」 tells where she lives, and not that there is one.
            && !["て", "で"].iter().any(|te| {
                let core = without_particles(without_decoration(rest));
                words!["いる", "います", "いません", "いない", "おります", "いて"]
                    .iter()
                    .any(|end| core.strip_suffix(end).is_some_and(|before| before.ends_with(te)))
            })
            && (rest.chars().count() <= 10 || rest.starts_with(|c: char| c.is_numeric() || "一二三四五六七八九十".contains(c)));
        let is_object = words!["好き", "嫌い", "苦手"]
            .iter()
            .any(|taste| rest.trim_start_matches("大").starts_with(taste));
        if !is_counted && !is_object {
            let family = body.get(..family.len() + name).unwrap_or(body);
            return (Subject::Family(family), rest.trim_start_matches('、'));
        }
    }
    let topic = body.find('は').and_then(|at| body.get(..at)).filter(|topic| topic.chars().count() <= 12);
    let agent = body.find('が').and_then(|at| body.get(..at)).filter(|agent| agent.chars().count() <= 8);
    let is_other = |who: &str| {
        OTHERS.iter().chain(RELATIVES).any(|word| who.ends_with(word))
            && !["お子さん", "たくさん"].contains(&who)
            && !who.ends_with("赤ちゃん")
    };
    let likes = contains_any(
        body,
        words!["好き", "嫌い", "苦手", "いる", "おる", "います", "いて", "いません", "いない"],
    );
    // 「兄弟はいません」, 「彼氏はいる」 tell whom the speaker has or hasn't.
    let tells_whom =
        topic.and_then(|topic| body.get(topic.len()..)?.strip_prefix('は')).is_some_and(|rest| {
            words!["いません", "いない", "いないです", "いる", "います"]
                .contains(without_particles(without_decoration(rest)))
        });
    if topic.is_some_and(|topic| is_other(topic) && !(explicit && likes) && !tells_whom)
        || agent.is_some_and(|agent| is_other(agent) && !likes)
    {
        return (Subject::Other, body);
    }
    (Subject::Me { explicit }, body)
}
