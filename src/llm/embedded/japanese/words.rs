//! The words of the Japanese grammar: subjects, endings and the nouns that decide an attribute.

use crate::llm::embedded::statement::Slot;
use crate::text::list::Words;
use crate::words;

#[rustfmt::skip]
pub const FIRST_PERSON: Words = words![
    "わたくし", "わたし", "あたし", "ユーザー", "自分", "当方", "私", "僕", "ぼく", "ボク", "俺", "おれ",
    "オレ", "うち", "わし", "ワシ", "ワイ",
];

#[rustfmt::skip]
pub const RELATIVES: Words = words![
    "おじいちゃん", "おばあちゃん", "お母さん", "お父さん", "お兄ちゃん", "お姉ちゃん", "旦那さん",
    "奥さん", "両親", "主人", "旦那", "彼氏", "息子", "子供", "子ども", "長男", "長女", "次男", "次女",
    "パートナー", "ばあちゃん", "じいちゃん", "祖父", "祖母", "兄弟", "姉妹", "婚約者", "親友", "叔父", "叔母", "従兄弟", "いとこ", "妻", "嫁", "夫",
    "娘", "兄", "姉", "弟", "妹", "父", "母", "孫", "甥", "姪", "双子",
];

#[rustfmt::skip]
pub const PETS: Words = words![
    "トイプードル", "ハムスター", "インコ", "うさぎ", "ウサギ", "金魚", "メダカ", "熱帯魚", "カメ", "亀",
    "小鳥", "文鳥", "愛犬", "愛猫", "チワワ", "柴犬", "フクロモモンガ", "ネコ", "ねこ", "イヌ", "いぬ",
    "ワンちゃん", "子猫", "子犬", "ペット", "犬", "猫", "兎", "鳥", "馬",
];

/// Somebody else is the subject: a name, a pronoun, people in general.
#[rustfmt::skip]
pub const OTHERS: Words = words![
    "さん", "さま", "様", "くん", "君", "ちゃん", "あなた", "そちら", "相手", "彼", "彼女", "友達",
    "友だち", "友人", "同僚", "上司", "先輩", "後輩", "先生", "みんな", "皆", "家族", "親", "人たち",
    "方々", "周り", "隣", "知人", "知り合い", "の人", "大家", "店長", "社長", "部長", "近所",
];

#[rustfmt::skip]
pub const AILMENTS: Words = words![
    "花粉症", "喘息", "ぜんそく", "糖尿病", "高血圧", "低血圧", "うつ病", "鬱病", "片頭痛", "偏頭痛",
    "貧血", "腰痛", "アトピー", "乱視", "近視", "老眼", "持病", "不眠症", "てんかん", "冷え性", "低血糖",
    "がん", "リウマチ", "ヘルニア", "色盲", "発達障害", "パニック障害", "通風", "痛風", "緑内障", "白内障",
    "不整脈", "甲状腺", "適応障害", "HSP", "ADHD",
];

#[rustfmt::skip]
const OCCUPATIONS: Words = words![
    "会社員", "大学院生", "大学生", "高校生", "中学生", "専門学生", "浪人生", "社会人", "学生", "院生",
    "専業主婦", "主婦", "主夫", "エンジニア", "プログラマー", "プログラマ", "デザイナー", "フリーランス",
    "フリーター", "自営業", "無職", "アルバイト", "パート", "公務員", "社長", "経営者", "サラリーマン",
    "ライター", "イラストレーター", "カメラマン", "ミュージシャン", "コンサルタント", "研究者", "作家",
    "医者", "歯医者", "漫画家", "画家", "音楽家", "農家", "料理人", "シェフ", "ニート", "ドライバー",
    "トレーナー", "インストラクター", "個人事業主", "派遣社員", "正社員", "事務職", "営業職", "OL",
    "ネイリスト", "モデル", "歌手", "俳優", "声優", "パイロット", "定年退職", "年金生活", "介護職",
    "CTO", "CEO", "CFO", "SE", "運転手", "選手", "事務員", "販売員", "受験生", "新入社員", "在宅ワーカー", "ウェブデザイナー",
];

/// Work or a role, alone or as the end of a compound (看護師, 警備員, 弁護士).
pub fn is_occupation(noun: &str) -> bool {
    let compound = noun.chars().count() >= 3
        && (noun.ends_with('師') || noun.ends_with('士') || noun.ends_with('員') || noun.ends_with("職"))
        && !["全員", "満員", "会員", "一員", "同士", "富士", "定員", "動員", "医師会"]
            .iter()
            .any(|w| noun.ends_with(w));
    let is_worker = noun.chars().count() >= 2
        && noun.ends_with('工')
        && !["加工", "施工", "着工", "人工", "竣工", "木工"].iter().any(|w| noun.ends_with(w));
    let teaches = noun.strip_suffix("の先生").is_some_and(|taught| !taught.is_empty() && taught != "担任");
    is_worker
        || teaches
        || OCCUPATIONS.iter().any(|word| noun.ends_with(word))
        || compound
        || words!["医師", "教師", "教員", "牧師", "漁師"].contains(noun)
}

/// 「XはY」 whose X is an attribute of the speaker, and whether a new Y replaces the old one.
#[rustfmt::skip]
pub const ATTRIBUTES: &[(&str, Slot, bool)] = &[
    ("名前", Slot::Name, true), ("本名", Slot::Name, true), ("あだ名", Slot::Nickname, true),
    ("ニックネーム", Slot::Nickname, true), ("年齢", Slot::Age, true), ("誕生日", Slot::Birthday, true),
    ("生年月日", Slot::Birthday, true), ("出身地", Slot::Origin, true), ("出身", Slot::Origin, true),
    ("地元", Slot::Origin, true), ("職業", Slot::Occupation, true), ("仕事", Slot::Occupation, false),
    ("本業", Slot::Occupation, true), ("趣味", Slot::Trait, false), ("特技", Slot::Trait, false),
    ("血液型", Slot::Trait, true), ("身長", Slot::Trait, true), ("専攻", Slot::School, true),
    ("母語", Slot::Language, true), ("国籍", Slot::Trait, true), ("星座", Slot::Trait, true),
    ("干支", Slot::Trait, true), ("目標", Slot::Trait, false), ("夢", Slot::Trait, false),
    ("推し", Slot::Trait, false), ("愛車", Slot::Possession, true), ("最寄り駅", Slot::Trait, true),
    ("苗字", Slot::Trait, true), ("名字", Slot::Trait, true), ("好物", Slot::Trait, false),
    ("大好物", Slot::Trait, false), ("利き手", Slot::Trait, true), ("実家", Slot::Trait, true),
    ("勤務先", Slot::Workplace, true), ("結婚式", Slot::Trait, true), ("タイムゾーン", Slot::Trait, true), ("職場", Slot::Workplace, true), ("結婚記念日", Slot::Trait, true),
];

#[rustfmt::skip]
pub const POSSESSIONS: Words = words![
    "車", "バイク", "自転車", "家", "免許", "資格", "ギター", "ピアノ", "カメラ", "別荘", "マンション",
    "運転免許", "猫", "犬", "楽器", "パソコン", "畑",
];

/// An ending: whether it negates and whether it is past.
pub type Ending = (&'static str, bool, bool);

/// After nouns and な-adjectives. Longer endings stand before those that end them.
#[rustfmt::skip]
pub const NOUN_ENDINGS: &[Ending] = &[
    ("じゃありませんでした", true, true), ("ではありませんでした", true, true),
    ("じゃなかったです", true, true), ("ではなかったです", true, true), ("じゃなかった", true, true),
    ("ではなかった", true, true), ("じゃありません", true, false), ("ではありません", true, false),
    ("じゃないです", true, false), ("ではないです", true, false), ("じゃない", true, false),
    ("ではない", true, false), ("じゃなくて", true, false), ("ではなくて", true, false),
    ("じゃなく", true, false), ("ではなく", true, false), ("でない", true, false), ("くない", true, false),
    ("くないです", true, false), ("だったんです", false, true), ("だったの", false, true),
    ("でした", false, true), ("だった", false, true), ("でございます", false, false),
    ("であります", false, false), ("である", false, false), ("なんです", false, false),
    ("なんだ", false, false), ("なの", false, false), ("でして", false, false), ("です", false, false),
    ("だ", false, false), ("な", false, false), ("で", false, false), ("", false, false),
];

/// After て or で.
#[rustfmt::skip]
pub const TE_ENDINGS: &[Ending] = &[
    ("いませんでした", true, true), ("いなかったです", true, true), ("いなかった", true, true),
    ("なかった", true, true), ("いません", true, false), ("いないです", true, false),
    ("いない", true, false), ("ません", true, false), ("ないです", true, false), ("ない", true, false),
    ("おりました", false, true), ("いました", false, true), ("いた", false, true), ("ました", false, true),
    ("た", false, true), ("いまして", false, false), ("おります", false, false), ("おり", false, false),
    ("います", false, false), ("いる", false, false), ("いて", false, false), ("ます", false, false),
    ("る", false, false),
];

/// After the stem of an ichidan verb or a masu-stem.
#[rustfmt::skip]
pub const VERB_ENDINGS: &[Ending] = &[
    ("ませんでした", true, true), ("なかったです", true, true), ("なかった", true, true),
    ("ません", true, false), ("ないです", true, false), ("ない", true, false), ("ました", false, true),
    ("てきました", false, true), ("てきた", false, true), ("まして", false, true), ("た", false, true),
    ("て", false, true), ("ます", false, false), ("る", false, false),
];

/// What may open a clause and says nothing about it.
#[rustfmt::skip]
pub const OPENERS: Words = words![
    "はじめまして", "初めまして", "こんにちは", "こんばんは", "おはようございます", "はい", "いいえ",
    "いえ", "うん", "ううん", "ええ", "そうですね", "そうなんです", "ちなみに", "実は", "じつは", "でも",
    "そして", "それから", "それで", "あと", "まあ", "まぁ", "やっぱり", "やはり", "えっと", "あの",
    "なるほど", "へえ", "ただ", "しかし", "ですが", "だから", "なので", "一応", "正直", "確かに",
    "たしかに", "いや", "わあ", "おお", "あ", "お", "そうそう", "また", "さらに", "ところで", "いえいえ",
    "いやいや", "とりあえず", "えー", "うーん", "本当ですか", "もちろん", "というか", "訂正",
];

/// Adverbs before an object or predicate; those of time decide nothing here.
#[rustfmt::skip]
pub const ADVERBS: Words = words![
    "あとは",
    "とても", "すごく", "すっごく", "本当に", "ほんとに", "ほんとうに", "けっこう", "結構", "かなり",
    "あまり", "あんまり", "最近は", "最近", "今は", "今も", "今年で", "今", "いまは", "現在は", "現在",
    "普段は", "普段", "昔は", "昔から", "昔", "以前は", "以前", "前は", "ずっと", "特に", "とくに", "一番",
    "いちばん", "めっちゃ", "めちゃくちゃ", "めちゃ", "割と", "わりと", "意外と", "小さい頃から",
    "子供の頃から", "もともと", "元々", "もう", "まだ", "一応", "ちょっと", "少し", "やっぱり", "やはり",
    "もちろん", "実は", "個人的には", "個人的に", "どうも", "むっちゃ", "確かに", "他には", "基本的に", "基本", "本当は", "たまたま", "どちらかというと",
    "どちらかといえば", "全然", "それほど", "そんなに", "ちなみに", "なんだかんだ", "とにかく", "何より",
    "すごい", "むしろ", "普通に", "たまに", "よく", "いつも", "逆に", "だけ",
];

/// Objects that point at what was said before, or ask.
#[rustfmt::skip]
pub const POINTERS: Words = words![
    "これ", "それ", "あれ", "この", "その", "あの", "どれ", "何", "なに", "誰", "どこ", "ここ", "そこ",
    "あそこ", "そういう", "こういう", "ああいう", "そう", "こう", "どう", "そちら", "こちら", "あちら",
    "どちら", "どっち", "そっち", "こっち", "両方", "どんな", "そんな", "こんな", "いつ", "同じ", "お互い",
    "近く", "あなた", "僕たち", "みんな", "お", "ご", "色々", "いろいろ", "全部", "かなり", "もの", "こと",
    "の", "ところ",
];
