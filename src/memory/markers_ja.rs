//! Japanese words by what they do in a claim: what stands behind a value, and what names an attribute.

use super::claim::Count;
use crate::text::list::Words;
use crate::words;

/// The attribute of 「…生まれ」, which may be a year, a day or a place.
pub(super) const BIRTH: &str = "birth";

/// Words at the beginning that say when or how much.
pub(super) const TIME_STARTS: Words = words![
    "今は",
    "現在は",
    "今では",
    "最近は",
    "最近",
    "現在",
    "今",
    "もう",
    "以前は",
    "以前",
    "昔は",
    "昔",
    "前は",
    "まだ",
    "ずっと",
    "普段は",
    "いつも",
    "とても",
    "本当に",
    "実は",
    "やっぱり",
];

/// A form of sentence: what stands after the value, the attribute, its count, and whether it denies.
pub(super) type Marker = (&'static str, &'static str, Count, bool);

/// Longer forms first, because the first that occurs is taken.
pub(super) const MARKERS: &[Marker] = &[
    ("アレルギー", "allergy", Count::Many, false),
    ("大嫌い", "like", Count::Many, true),
    ("大好き", "like", Count::Many, false),
    ("大すき", "like", Count::Many, false),
    ("嫌い", "like", Count::Many, true),
    ("きらい", "like", Count::Many, true),
    ("苦手", "like", Count::Many, true),
    ("気に入って", "like", Count::Many, false),
    ("好き", "like", Count::Many, false),
    ("すき", "like", Count::Many, false),
    ("好む", "like", Count::Many, false),
    ("好ま", "like", Count::Many, false),
    ("住んで", "home", Count::One, false),
    ("住む", "home", Count::One, false),
    ("在住", "home", Count::One, false),
    ("暮らして", "home", Count::One, false),
    ("引っ越し", "home", Count::One, false),
    ("引っ越した", "home", Count::One, false),
    ("引っ越", "home", Count::One, false),
    ("引越", "home", Count::One, false),
    ("移住", "home", Count::One, false),
    ("として働", "job", Count::One, false),
    ("として勤", "job", Count::One, false),
    ("で働", "employer", Count::One, false),
    ("に勤め", "employer", Count::One, false),
    ("に勤務", "employer", Count::One, false),
    ("で勤務", "employer", Count::One, false),
    ("に転職", "employer", Count::One, false),
    ("に入社", "employer", Count::One, false),
    ("を退職", "employer", Count::One, true),
    ("を退社", "employer", Count::One, true),
    ("を飼", "have", Count::Many, false),
    ("を持って", "have", Count::Many, false),
    ("を所有", "have", Count::Many, false),
    ("がいる", "have", Count::Many, false),
    ("がいない", "have", Count::Many, true),
    ("がある", "have", Count::Many, false),
    ("がない", "have", Count::Many, true),
    ("を話", "speak", Count::Many, false),
    ("は話", "speak", Count::Many, false),
    ("が話せ", "speak", Count::Many, false),
    ("が話", "speak", Count::Many, false),
    ("出身", "origin", Count::Fixed, false),
    ("生まれ", BIRTH, Count::Fixed, false),
];

/// Nouns that name an attribute of whoever they belong to.
pub(super) const TOPICS: &[(&str, &str, Count)] = &[
    ("名前", "name", Count::One),
    ("本名", "name", Count::One),
    ("苗字", "surname", Count::One),
    ("名字", "surname", Count::One),
    ("あだ名", "nickname", Count::One),
    ("誕生日", "birthday", Count::Fixed),
    ("生年月日", "birthday", Count::Fixed),
    ("年齢", "age", Count::One),
    ("職業", "job", Count::One),
    ("仕事", "job", Count::One),
    ("勤務先", "employer", Count::One),
    ("勤め先", "employer", Count::One),
    ("会社", "employer", Count::One),
    ("住所", "address", Count::One),
    ("住まい", "home", Count::One),
    ("自宅", "home", Count::One),
    ("出身地", "origin", Count::Fixed),
    ("出身", "origin", Count::Fixed),
    ("血液型", "blood type", Count::Fixed),
    ("身長", "height", Count::One),
    ("体重", "weight", Count::One),
    ("電話番号", "phone", Count::One),
    ("予算", "budget", Count::One),
    ("締め切り", "deadline", Count::One),
    ("締切", "deadline", Count::One),
];

/// Marital states by the word that begins them.
pub(super) const STATES: &[(&str, &str)] = &[
    ("離婚", "divorced"),
    ("独身", "single"),
    ("未婚", "single"),
    ("既婚", "married"),
    ("婚約", "engaged"),
    ("結婚", "married"),
];
