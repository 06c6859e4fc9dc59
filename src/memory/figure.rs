//! Figures of speech: what is said in a picture would be false if it were taken at its word.
//!
//! Only pictures that are known by their words, each with the noun that makes it one: "married to my job" is none of
//! "married to my boss".

use crate::text::fold::fold;
use crate::text::language::{Language, language};
use crate::text::list::Words;
use crate::text::phrase::{find, has_any};
use crate::words;

/// Whether a clause speaks in a picture.
pub(super) fn is_figure(clause: &str) -> bool {
    let folded = fold(clause);
    match language(clause) {
        Language::En => is_figure_en(&folded),
        Language::Ja => is_figure_ja(&folded),
    }
}

fn is_figure_en(folded: &str) -> bool {
    // The verb with one of its pictures right behind it, articles and a word or two between.
    let pairs = PICTURED.iter().any(|(verbs, nouns)| {
        verbs.iter().any(|verb| {
            find(folded, verb).and_then(|at| folded.get(at + verb.len()..)).is_some_and(|rest| {
                rest.split(|c: char| !c.is_alphanumeric() && c != '\'')
                    .filter(|word| !word.is_empty())
                    .take(5)
                    .any(|word| nouns.contains(word))
            })
        })
    });
    pairs || has_any(folded, SET_PHRASES) || likens_person(folded) || has_any(folded, SEEMS)
}

/// "My son is a monster before breakfast": a person who is a being of tales.
fn likens_person(folded: &str) -> bool {
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let is_being = matches!(*word, "is" | "are" | "am" | "was" | "i'm" | "he's" | "she's" | "we're");
        let behind = words.get(at + 1..).unwrap_or_default();
        let noun = match behind {
            ["a" | "an" | "the" | "my" | "such" | "total" | "absolute" | "complete", rest @ ..] => rest,
            ["called" | "named", ..] => &[],
            rest => rest,
        };
        // A name may be anything: "my dog is called Angel" has a word between.
        is_being && noun.iter().take(2).any(|noun| BEINGS.contains(noun.trim_end_matches('s')))
    })
}

fn is_figure_ja(folded: &str) -> bool {
    let end =
        folded.trim_end_matches(|c: char| !c.is_alphanumeric()).trim_end_matches(['よ', 'ね', 'わ', 'な']);
    let end = ENDINGS_JA.iter().find_map(|ending| end.strip_suffix(ending)).unwrap_or(end);
    let likens = end != folded && BEINGS_JA.iter().any(|being| end.ends_with(being));
    likens || FIGURES_JA.iter().any(|figure| folded.contains(figure))
}

/// Verbs with the nouns that make a picture of them.
const PICTURED: [(Words, Words); 6] = [
    (
        words!["married", "married to", "marry"],
        words!["job", "work", "career", "desk", "company", "startup", "thesis", "gym"],
    ),
    (
        words![
            "phd in",
            "black belt in",
            "master's in",
            "masters in",
            "degree in",
            "doctorate in",
            "expert in",
            "professor of"
        ],
        words![
            "procrastination",
            "procrastinating",
            "overthinking",
            "sarcasm",
            "napping",
            "worrying",
            "complaining",
            "sleeping",
            "laziness",
            "regret",
            "spite",
            "snacking",
            "mistakes",
        ],
    ),
    (
        words![
            "live on",
            "lives on",
            "living on",
            "run on",
            "runs on",
            "running on",
            "survive on",
            "survives on",
            "fueled by",
            "powered by"
        ],
        words!["coffee", "caffeine", "spite", "fumes", "vibes", "adrenaline", "sugar"],
    ),
    (words!["made of", "built of"], words!["money", "steel", "stone", "glass", "iron", "sugar"]),
    (words!["left my", "lost my", "gave my"], words!["heart", "mind", "marbles", "soul", "head", "tongue"]),
    (
        words![
            "car is",
            "bike is",
            "truck is",
            "guitar is",
            "laptop is",
            "garden is",
            "company is",
            "plants are",
            "work is",
            "job is"
        ],
        words!["baby", "child", "children", "wife", "husband", "life", "religion", "prison", "church"],
    ),
];
#[rustfmt::skip]
const SET_PHRASES: Words = words![
    "eat a horse", "cost an arm", "cost me an arm", "over the moon", "on cloud nine", "dead to me", "died laughing", "dying of",
    "bored to death", "heart of gold", "heart of stone", "eyes in the back", "skeletons in", "two left feet", "green thumb", "sweet tooth is",
    "drowning in", "swimming in", "buried in", "buried under", "up to my neck", "up to my ears", "my own worst enemy", "dead inside",
    "glutton for punishment", "trapped in", "in the same boat", "under the weather", "my whole personality", "for a living apparently", "turning into my",
    "turned into my", "mind of its own", "live for this", "sell my kidney",
];
/// How it feels is not how it is.
#[rustfmt::skip]
const SEEMS: Words = words![
    "feel like i'm", "feels like i'm", "felt like i'm", "feel like i am", "feel like a", "feels like a", "felt like a", "feel like an",
];
/// What no person is, in the singular.
#[rustfmt::skip]
const BEINGS: Words = words![
    "monster", "angel", "devil", "demon", "dragon", "saint", "beast", "zombie", "ghost", "dinosaur", "goddess",
    "god", "witch", "vampire", "unicorn", "superhero", "wizard", "rockstar", "tornado", "volcano",
];
const BEINGS_JA: Words = words![
    "怪獣",
    "天使",
    "悪魔",
    "鬼",
    "化け物",
    "モンスター",
    "ゾンビ",
    "魔女",
    "妖精",
    "ロボット",
    "神様",
    "は神",
    "女神",
    "金のなる木",
    "生ける屍",
    "奴隷",
    "社畜の鑑",
];
const ENDINGS_JA: Words = words!["です", "だ", "である", "でした", "だった", "なん", "なんだ", "なんです"];
#[rustfmt::skip]
const FIGURES_JA: Words = words![
    "ようなもの", "ようなもん", "気分屋", "みたいなもの", "も同然", "の気分", "と結婚したよう", "仕事と結婚", "仕事が恋人", "と根性で", "コーヒーで生き", "カフェインで生き",
    "でできてる", "でできてます", "でできている", "でできています", "天に召され", "お亡くなりにな", "死ぬほど", "死にそう", "猫の手も", "目が回る",
    "首を長く", "頭が上がら", "足が棒", "喉から手が", "穴があったら", "開いた口が", "どうせ私", "どうせ俺", "どうせ僕",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_told_from_what_is_so() {
        for clause in [
            "I married my job years ago.",
            "I have a PhD in procrastination.",
            "I live on coffee and spite.",
            "My car is my baby.",
            "My son is a monster before breakfast.",
            "I left my heart in San Francisco.",
            "Some days I feel like I'm ninety.",
            "仕事と結婚したようなものです。",
            "うちの息子は朝は怪獣です。",
            "コーヒーと根性で生きてます。",
            "どうせ私は金のなる木ですよ。",
        ] {
            assert!(is_figure(clause), "{clause}");
        }
        for clause in [
            "I married my boss.",
            "I have a PhD in physics.",
            "I live on Hope Street.",
            "My daughter is a nurse.",
            "My dog is called Angel.",
            "I left my keys in Boston.",
            "I lost my job.",
            "I work at a machine factory.",
            "息子は小学生です。",
            "同僚と結婚しました。",
            "コーヒーが好きです。",
            "心理学を学んでいます。",
        ] {
            assert!(!is_figure(clause), "{clause}");
        }
    }
}
