//! Words that a fact may use although the user used others: the ones every rewording needs.
//!
//! Deliberate absence: no general thesaurus. A group stands here only if its words say the same of a person, and a
//! fact may use one of them only if the user used another.

/// English words that carry no content of their own in a fact about the user.
#[rustfmt::skip]
pub(super) const FREE_EN: &[&str] = &[
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
pub(super) const GROUPS_EN: &[&[&str]] = &[
    &["live", "liv", "resid", "mov", "home", "hous", "apartment", "base", "bas", "reloc", "settl"],
    &["work", "job", "employ", "career", "occup", "profess", "join"],
    &["lik", "lov", "enjoi", "fan", "favorit", "favourit", "prefer", "ador", "keen", "into", "fond", "best", "interest", "hobbi", "passion"],
    &["dislik", "hat", "stand", "lik", "avoid", "detest", "can't"], &["name", "call", "nam"],
    &["marri", "wed"], &["born", "birthdai", "birth"],
    &["old", "ag", "year"],
    &["want", "wish", "hop", "plan", "intend", "go", "going", "dream", "goal", "aim", "will", "would", "i'll", "gonna"],
    &["bui", "bought", "purchas", "got", "get"], &["eat", "ate", "eaten", "food", "diet"],
    &["drink", "drank", "drunk"], &["go", "went", "gone", "visit", "trip", "travel", "been"],
    &["studi", "learn", "student", "major"], &["teach", "taught", "teacher"], &["speak", "spok", "languag"],
    &["write", "writ", "wrot", "written"], &["run", "ran", "runn"], &["mother", "mom", "mum", "mam"],
    &["father", "dad", "papa"], &["child", "children", "kid", "kids"], &["dog", "puppi"],
    &["cat", "kitten"], &["stop", "quit", "gav", "longer", "left"], &["allerg", "allergi"],
    &["start", "began", "begin", "begun"], &["meet", "met"], &["graduat", "degre"],
    &["take", "took", "taken", "tak"], &["make", "made", "mak"], &["keep", "kept", "pet"], &["sleep", "slept"],
    &["wake", "woke", "wak", "wok", "get"], &["drive", "drove", "driv", "drov"], &["use", "us"],
    &["reply", "repli", "answer", "respons", "respond", "speak", "talk", "written", "write", "writ"],
    &["play", "plai"], &["grow", "grew", "rais"], &["us", "formerli", "previous", "past", "former"],
    &["must", "need", "requir"], &["decid", "decis", "settl", "chos", "choos"],
];

/// English words, as stems, that are vouched for by a narrower one and not the other way round: who is a nurse works,
/// and who works is no nurse.
#[rustfmt::skip]
pub(super) const WIDER_EN: &[(&str, &[&str])] = &[
    ("work", &["engineer", "nurs", "developer", "programmer", "designer", "lawyer", "doctor", "teacher", "chef", "accountant", "manag", "driver", "freelanc", "writer", "artist", "scientist", "research", "consult", "clerk", "compani", "midwif", "plumb", "electrician", "barista", "shift"]),
    ("job", &["engineer", "nurs", "developer", "programmer", "designer", "lawyer", "doctor", "teacher", "chef", "accountant", "manag", "driver", "writer"]),
    ("child", &["son", "daughter"]), ("children", &["son", "daughter"]), ("kid", &["son", "daughter"]),
    ("sibl", &["sister", "brother"]), ("spous", &["wif", "husband"]), ("partner", &["wif", "husband", "girlfriend", "boyfriend"]),
    ("marri", &["wif", "husband"]), ("pet", &["dog", "cat", "kitten", "puppi", "hamster", "rabbit", "parrot"]),
    ("parent", &["mother", "father", "mom", "mum", "dad"]), ("wif", &["wife"]),
];

/// Japanese words that carry no content of their own in a fact about the user.
#[rustfmt::skip]
pub(super) const FREE_JA: &[&str] = &[
    "利用者", "本人", "自分", "私", "僕", "俺", "現在", "今", "方", "人", "事", "物", "者", "的", "中", "年",
    "月", "日", "歳", "才", "時", "前", "後", "頃", "間", "以前", "過去", "予定", "必要", "事実", "状態",
    "場合", "存在", "様", "達", "等", "言", "思", "持", "有", "無", "彼", "彼女", "ユーザー",
    "ユーザ",
];

/// Groups of Japanese words of which one vouches for another. Hiragana spellings stand beside the kanji.
#[rustfmt::skip]
pub(super) const GROUPS_JA: &[&[&str]] = &[
    &["住", "在住", "居住", "暮", "すん", "すむ", "引越", "引っ越", "ひっこ", "移住", "転居", "住まい", "自宅", "家は"],
    &["働", "勤務", "勤め", "職業", "仕事", "就職", "入社", "はたら", "所属", "職場", "転職"],
    &["好物", "大好", "好", "すき", "趣味", "お気に入り", "好み", "愛", "ハマ", "はま"],
    &["嫌", "苦手", "きらい", "にがて", "好"], &["名前", "呼", "名", "という", "いいます", "申します"],
    &["妻", "嫁", "奥さん", "家内", "女房"], &["夫", "旦那", "主人"], &["結婚", "既婚"],
    &["父", "ちち", "パパ", "お父さん"], &["母", "はは", "ママ", "お母さん"],
    &["子供", "子ども", "こども"], &["飼", "かって"],
    &["猫", "ねこ", "ネコ"], &["犬", "いぬ", "イヌ"], &["食", "たべ", "ご飯", "ごはん"],
    &["飲", "のん", "のむ", "のみ"], &["行", "いく", "いき", "いった", "訪", "旅行", "出掛", "出か", "訪問"],
    &["買", "購入", "かった", "かう"], &["見", "観", "みる", "みた", "鑑賞"], &["聴", "聞", "きく", "きい"],
    &["読", "よむ", "よん", "読書"], &["出身", "生まれ", "育", "うまれ"], &["誕生日", "生まれ", "生年月日"],
    &["辞", "退職", "やめ", "止"], &["止", "やめ", "禁煙", "禁酒"], &["始", "はじめ", "開始"],
    &["使", "利用", "使用", "つか"], &["勉強", "学", "習", "学習", "専攻", "まなん"], &["卒業", "卒"],
    &["敬語", "丁寧"], &["希望", "ほしい", "欲しい", "たい", "好", "望"],
    &["回答", "返答", "答", "返事", "返信", "話", "応答"], &["話", "喋", "はな", "会話", "しゃべ"],
    &["計画", "予定", "つもり"], &["決定", "決", "きめ", "確定"], &["一緒", "いっしょ"],
    &["毎日", "まいにち", "日課"],
    &["作", "つくっ", "料理"],
];

/// Japanese words that are vouched for by a narrower one and not the other way round.
#[rustfmt::skip]
pub(super) const WIDER_JA: &[(&str, &[&str])] = &[
    ("働", &["エンジニア", "看護師", "弁護士", "教師", "医師", "デザイナー", "プログラマー", "公務員", "店員", "研究者", "作家", "講師", "会社員", "勤"]),
    ("仕事", &["エンジニア", "看護師", "弁護士", "教師", "医師", "デザイナー", "プログラマー", "公務員", "会社員", "勤"]),
    ("職業", &["エンジニア", "看護師", "弁護士", "教師", "医師", "デザイナー", "プログラマー", "公務員", "会社員"]),
    ("子供", &["息子", "娘", "長男", "長女"]), ("子ども", &["息子", "娘", "長男", "長女"]),
    ("家族", &["妻", "夫", "子供", "息子", "娘", "両親"]), ("結婚", &["妻", "夫"]), ("既婚", &["妻", "夫"]),
    ("飼", &["犬", "猫", "ペット", "ハムスター", "うさぎ"]), ("ペット", &["犬", "猫", "ハムスター"]), ("習慣", &["毎", "いつも"]),
];
