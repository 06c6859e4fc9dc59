//! Words that a fact may use although the user used others: the ones every rewording needs.
//!
//! Deliberate absence: no general thesaurus. A group stands here only if its words say the same of a person, and a
//! fact may use one of them only if the user used another.

use crate::text::list::Words;
use crate::words;

/// English words that carry no content of their own in a fact about the user.
#[rustfmt::skip]
pub(super) const FREE_EN: Words = words![
    "user", "user's", "users", "the", "a", "an", "and", "or", "of", "in", "on", "at", "to", "for", "from",
    "with", "by", "as", "is", "are", "was", "were", "be", "been", "being", "am", "has", "have", "had", "having",
    "do", "does", "did", "they", "their", "them", "he", "she", "his", "her", "hers", "him", "it", "its", "i",
    "my", "me", "mine", "we", "our", "us", "that", "this", "these", "those", "who", "which", "whose", "what",
    "where", "when", "there", "some", "any", "also", "very", "own", "one", "s", "ll", "m", "ve", "re", "d",
    "person", "someone", "named", "called", "into", "about", "than", "then", "currently", "now", "just", "such",
    "so", "much", "more", "most", "himself", "herself", "themselves", "up", "out", "during", "not", "no",
    "never", "don't", "doesn't", "didn't", "isn't", "aren't", "wasn't", "can't", "cannot", "won't", "will",
    "would", "can", "could", "because", "but", "if", "while", "since", "until", "before", "after", "between",
    "year", "year's",
];

/// Groups of English words of which one vouches for another, as stems.
#[rustfmt::skip]
pub(super) const GROUPS_EN: &[Words] = &[
    words!["live", "liv", "resid", "mov", "home", "hous", "apartment", "base", "bas", "reloc", "settl"],
    words!["work", "job", "employ", "career", "occup", "profess", "join"],
    words!["lik", "lov", "enjoi", "fan", "favorit", "favourit", "prefer", "ador", "keen", "into", "fond", "best", "interest", "hobbi", "passion"],
    words!["dislik", "hat", "stand", "lik", "avoid", "detest", "can't"], words!["name", "call", "nam"],
    words!["marri", "wed"], words!["born", "birthdai", "birth"],
    words!["old", "ag", "year"],
    words!["want", "wish", "hop", "plan", "intend", "go", "going", "dream", "goal", "aim", "will", "would", "i'll", "gonna"],
    words!["bui", "bought", "purchas", "got", "get"], words!["eat", "ate", "eaten", "food", "diet"],
    words!["drink", "drank", "drunk"], words!["go", "went", "gone", "visit", "trip", "travel", "been"],
    words!["studi", "learn", "student", "major"], words!["teach", "taught", "teacher"], words!["speak", "spok", "languag"],
    words!["write", "writ", "wrot", "written"], words!["run", "ran", "runn"], words!["mother", "mom", "mum", "mam"],
    words!["father", "dad", "papa"], words!["child", "children", "kid", "kids"], words!["dog", "puppi"],
    words!["cat", "kitten"], words!["stop", "quit", "gav", "longer", "left"], words!["allerg", "allergi"],
    words!["start", "began", "begin", "begun"], words!["meet", "met"], words!["graduat", "degre"],
    words!["take", "took", "taken", "tak"], words!["make", "made", "mak"], words!["keep", "kept", "pet"], words!["sleep", "slept"],
    words!["wake", "woke", "wak", "wok", "get"], words!["drive", "drove", "driv", "drov"], words!["use", "us"],
    words!["reply", "repli", "answer", "respons", "respond", "speak", "talk", "written", "write", "writ"],
    words!["play", "plai"], words!["grow", "grew", "rais"], words!["us", "formerli", "previous", "past", "former"],
    words!["must", "need", "requir"], words!["decid", "decis", "settl", "chos", "choos"],
];

/// English words, as stems, that are vouched for by a narrower one and not the other way round: who is a nurse works,
/// and who works is no nurse.
#[rustfmt::skip]
pub(super) const WIDER_EN: &[(&str, Words)] = &[
    ("work", words!["engineer", "nurs", "developer", "programmer", "designer", "lawyer", "doctor", "teacher", "chef", "accountant", "manag", "driver", "freelanc", "writer", "artist", "scientist", "research", "consult", "clerk", "compani", "midwif", "plumb", "electrician", "barista", "shift"]),
    ("job", words!["engineer", "nurs", "developer", "programmer", "designer", "lawyer", "doctor", "teacher", "chef", "accountant", "manag", "driver", "writer"]),
    ("child", words!["son", "daughter"]), ("children", words!["son", "daughter"]), ("kid", words!["son", "daughter"]),
    ("sibl", words!["sister", "brother"]), ("spous", words!["wif", "husband"]), ("partner", words!["wif", "husband", "girlfriend", "boyfriend"]),
    ("marri", words!["wif", "husband"]), ("pet", words!["dog", "cat", "kitten", "puppi", "hamster", "rabbit", "parrot"]),
    ("parent", words!["mother", "father", "mom", "mum", "dad"]), ("wif", words!["wife"]),
];

/// Japanese words that carry no content of their own in a fact about the user.
#[rustfmt::skip]
pub(super) const FREE_JA: Words = words![
    "利用者", "本人", "自分", "私", "僕", "俺", "現在", "今", "方", "人", "事", "物", "者", "的", "中", "年",
    "月", "日", "歳", "才", "時", "前", "後", "頃", "間", "以前", "過去", "予定", "必要", "事実", "状態",
    "場合", "存在", "様", "達", "等", "言", "思", "持", "有", "無", "彼", "彼女", "ユーザー",
    "ユーザ",
];

/// Groups of Japanese words of which one vouches for another. Hiragana spellings stand beside the kanji.
#[rustfmt::skip]
pub(super) const GROUPS_JA: &[Words] = &[
    words!["住", "在住", "居住", "暮", "すん", "すむ", "引越", "引っ越", "ひっこ", "移住", "転居", "住まい", "自宅", "家は"],
    words!["働", "勤務", "勤め", "職業", "仕事", "就職", "入社", "はたら", "所属", "職場", "転職"],
    words!["好物", "大好", "好", "すき", "趣味", "お気に入り", "好み", "愛", "ハマ", "はま"],
    words!["嫌", "苦手", "きらい", "にがて", "好"], words!["名前", "呼", "名", "という", "いいます", "申します"],
    words!["妻", "嫁", "奥さん", "家内", "女房"], words!["夫", "旦那", "主人"], words!["結婚", "既婚"],
    words!["父", "ちち", "パパ", "お父さん"], words!["母", "はは", "ママ", "お母さん"],
    words!["子供", "子ども", "こども"], words!["飼", "かって"],
    words!["猫", "ねこ", "ネコ"], words!["犬", "いぬ", "イヌ"], words!["食", "たべ", "ご飯", "ごはん"],
    words!["飲", "のん", "のむ", "のみ"], words!["行", "いく", "いき", "いった", "訪", "旅行", "出掛", "出か", "訪問"],
    words!["買", "購入", "かった", "かう"], words!["見", "観", "みる", "みた", "鑑賞"], words!["聴", "聞", "きく", "きい"],
    words!["読", "よむ", "よん", "読書"], words!["出身", "生まれ", "育", "うまれ"], words!["誕生日", "生まれ", "生年月日"],
    words!["辞", "退職", "やめ", "止"], words!["止", "やめ", "禁煙", "禁酒"], words!["始", "はじめ", "開始"],
    words!["使", "利用", "使用", "つか"], words!["勉強", "学", "習", "学習", "専攻", "まなん"], words!["卒業", "卒"],
    words!["敬語", "丁寧"], words!["希望", "ほしい", "欲しい", "たい", "好", "望"],
    words!["回答", "返答", "答", "返事", "返信", "話", "応答"], words!["話", "喋", "はな", "会話", "しゃべ"],
    words!["計画", "予定", "つもり"], words!["決定", "決", "きめ", "確定"], words!["一緒", "いっしょ"],
    words!["毎日", "まいにち", "日課"],
    words!["作", "つくっ", "料理"],
];

/// Japanese words that are vouched for by a narrower one and not the other way round.
#[rustfmt::skip]
pub(super) const WIDER_JA: &[(&str, Words)] = &[
    ("働", words!["エンジニア", "看護師", "弁護士", "教師", "医師", "デザイナー", "プログラマー", "公務員", "店員", "研究者", "作家", "講師", "会社員", "勤"]),
    ("仕事", words!["エンジニア", "看護師", "弁護士", "教師", "医師", "デザイナー", "プログラマー", "公務員", "会社員", "勤"]),
    ("職業", words!["エンジニア", "看護師", "弁護士", "教師", "医師", "デザイナー", "プログラマー", "公務員", "会社員"]),
    ("子供", words!["息子", "娘", "長男", "長女"]), ("子ども", words!["息子", "娘", "長男", "長女"]),
    ("家族", words!["妻", "夫", "子供", "息子", "娘", "両親"]), ("結婚", words!["妻", "夫"]), ("既婚", words!["妻", "夫"]),
    ("飼", words!["犬", "猫", "ペット", "ハムスター", "うさぎ"]), ("ペット", words!["犬", "猫", "ハムスター"]), ("習慣", words!["毎", "いつも"]),
];
