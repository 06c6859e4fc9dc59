//! What a clause tells in the user's own words, where it is of no known attribute: 「足首を捻挫しました」.
//!
//! The predicate is put into its plain form and nothing else is changed. It tells something that lasts only at the
//! end of certain words: 「眼鏡をかけている」 does, 「電話をかけている」 doesn't.

use super::assertion::without_decoration;
use super::objects::{is_temporary, noun, points, without_trailing_adverbs};
use super::words::{PETS, POSSESSIONS, RELATIVES};
use super::{Clause, Subject};
use crate::llm::embedded::dates;
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::memory::plain_ja::plain_end;
use crate::text::list::Words;
use crate::words;

/// A plain ending and what one of must stand before it: a word, `*` anything, `-` nothing, `A` a word of Latin letters
/// or katakana, `@` a relative, a pet or a thing that one owns.
type Telling = (&'static str, Words);

const DOES: Words = words![
    "夜勤",
    "営業",
    "事務",
    "経理",
    "開発",
    "販売",
    "接客",
    "企画",
    "ボランティア",
    "ヨガ",
    "ピラティス",
    "筋トレ",
    "ランニング",
    "ジョギング",
    "テニス",
    "サッカー",
    "野球",
    "バスケ",
    "バンド",
    "ダンス",
    "剣道",
    "柔道",
    "空手",
    "書道",
    "茶道",
    "自炊",
    "副業",
    "投資",
    "婚活",
    "就活",
    "転職活動",
    "ダイエット",
    "貯金",
    "禁酒",
    "禁煙",
    "介護",
    "子育て",
    "育児",
    "研究",
    "一人暮らし",
    "同居",
    "別居",
    "留学",
    "農業",
    "塾",
    "店",
    "屋",
    "カフェ",
    "サロン",
    "ブログ",
    "会社",
    "民泊",
    "家庭教師",
    "配信",
    "コーチ",
    "監督",
    "部長",
    "課長",
    "店長",
    "役員"
];

/// What holds or is done again and again.
#[rustfmt::skip]
const HOLDS: &[Telling] = &[
    ("勤務", words!["*"]), ("勤め", words!["*"]), ("年生", words!["~大学", "~高校", "~中学", "~小学", "~短大", "~学部", "~が"]), ("ファン", words!["*"]), ("派", words!["~より"]),
    ("暮らし", words!["*"]), ("住まい", words!["*"]), ("人家族", words!["*"]), ("育休中", words!["*", "-"]),
    ("産休中", words!["*", "-"]), ("休職中", words!["*", "-"]), ("勉強中", words!["*"]), ("貯金中", words!["*"]),
    ("妊娠中", words!["*", "-"]), ("赴任中", words!["*", "-"]), ("求職中", words!["-"]), ("就活中", words!["-"]),
    ("転職活動中", words!["-"]), ("婚活中", words!["-"]), ("療養中", words!["*", "-"]), ("トレーニング中", words!["*"]),
    ("ダイエット中", words!["-"]), ("留学中", words!["*"]), ("禁煙中", words!["-"]), ("禁酒中", words!["-"]),
    ("子育て中", words!["*", "-"]), ("練習中", words!["*"]), ("不耐症", words!["*"]), ("過敏症", words!["*"]),
    ("恐怖症", words!["*"]), ("シングルマザー", words!["-"]), ("シングルファザー", words!["-"]), ("ムスリム", words!["-"]),
    ("クリスチャン", words!["-"]), ("仏教徒", words!["-"]), ("無宗教", words!["-"]), ("バツイチ", words!["-"]),
    ("推し", words!["*"]), ("色覚異常", words!["-"]), ("子なし", words!["-"]), ("部", words!["~大学では", "~高校では", "~中学では"]),
    ("がひどい", words!["花粉症", "頭痛", "腰痛", "冷え性", "肩こり", "アトピー"]), ("が悪い", words!["膝", "腰", "目", "耳", "肝臓", "心臓"]),
    ("が怖い", words!["*"]), ("は無理", words!["*"]), ("が無理", words!["*"]), ("がだめ", words!["*"]),
    ("がある", words!["@", "持ち家", "別荘"]), ("している", DOES), ("してる", DOES), ("やっている", DOES), ("やってる", DOES),
    ("経営している", words!["*"]), ("営んでいる", words!["*"]), ("育てている", words!["*"]), ("弾いている", words!["*"]),
    ("書いている", words!["小説", "ブログ", "論文", "本", "漫画", "エッセイ", "コード", "a"]), ("飲んでいる", words!["薬", "ピル", "サプリ"]),
    ("かけている", words!["眼鏡", "メガネ", "めがね"]), ("している", words!["コンタクト", "補聴器", "眼鏡", "メガネ"]),
    ("に乗っている", words!["車", "バイク", "自転車", "シビック", "A"]), ("を使っている", words!["A"]), ("使っている", words!["A"]),
    ("に入っている", words!["施設", "サークル", "寮", "老人ホーム", "チーム", "クラブ", "部"]), ("所属している", words!["*"]),
    ("と暮らしている", words!["*"]), ("と住んでいる", words!["*"]), ("目指している", words!["*"]), ("応援している", words!["*"]),
    ("集めている", words!["*"]), ("担当している", words!["*"]), ("通勤している", words!["*"]), ("続けている", words!["~を"]),
    ("準備をしている", words!["結婚", "出産", "試験", "留学", "引っ越し", "起業"]), ("妊娠している", words!["*"]),
    ("人だった", words!["A"]), ("を持っていない", words!["@"]), ("は持っていない", words!["@"]), ("は食べない", words!["*"]), ("は飲まない", words!["*"]),
    ("起きている", words!["~時まで"]), ("起きる", words!["~毎朝", "~毎日"]), ("飲む", words!["~毎朝", "~毎日", "~毎晩"]),
    ("走る", words!["~毎朝", "~毎日", "~毎晩", "~毎週"]), ("行く", words!["~毎週", "~毎月", "~毎年"]),
    ("経つ", words!["~結婚して"]), ("になる", words!["~結婚して"]), ("早起き", words!["-"]), ("人見知り", words!["-"]), ("内向的", words!["-"]), ("外向的", words!["-"]),
    ("型人間", words!["朝", "夜"]), ("児の母", words!["*"]), ("児の父", words!["*"]), ("サポ", words!["*"]), ("修士課程にいる", words!["*"]),
    ("断食中", words!["*"]), ("入院中", words!["*", "-"]), ("人", words!["日本", "韓国", "中国", "台湾", "A"]), ("練習している", words!["*"]),
    ("勉強している", words!["*"]), ("制限している", words!["糖質", "塩分"]), ("養蜂をしている", words!["-"]), ("借りている", words!["部屋", "ワンルーム", "@"]),
    ("断っている", words!["*"]), ("運転できない", words!["-"]), ("泳げない", words!["-"]), ("呼ばれている", words!["*"]),
    ("がダメ", words!["*"]), ("夜勤", words!["-"]), ("年", words!["~歴"]), ("ない", words!["~が悪くて"]), ("の父親", words!["双子", "児"]),
    ("の母親", words!["双子", "児"]), ("の父", words!["双子"]), ("の母", words!["双子"]), ("吸っている", words!["タバコ", "煙草", "たばこ"]),
    ("センチ", words!["~身長"]), ("cm", words!["~身長"]), ("自閉症", words!["*"]), ("拠点にしている", words!["*"]),
];

/// What happened.
#[rustfmt::skip]
const HAPPENED: &[Telling] = &[
    ("亡くなった", words!["@"]), ("死んだ", words!["@"]), ("死んでしまった", words!["@"]), ("亡くした", words!["@"]),
    ("別れた", words!["彼氏", "彼女", "恋人", "夫", "妻", "旦那"]), ("離婚した", words!["*", "-"]), ("結婚した", words!["*", "-"]),
    ("婚約した", words!["*", "-"]), ("診断された", words!["*"]), ("昇進した", words!["*", "-"]), ("異動になった", words!["*"]),
    ("異動した", words!["*"]), ("転職した", words!["*", "-"]), ("就職した", words!["*"]), ("退職した", words!["*", "-"]),
    ("定年した", words!["-"]), ("卒業した", words!["*"]), ("入学した", words!["*"]), ("合格した", words!["*"]),
    ("受かった", words!["*"]), ("生まれた", words!["子", "娘", "息子", "孫", "甥", "姪", "赤ちゃん"]), ("迎えた", words!["@"]),
    ("飼い始めた", words!["@"]), ("捻挫した", words!["*"]), ("骨折した", words!["*", "-"]), ("手術した", words!["*", "-"]),
    ("手術を受けた", words!["*", "-"]), ("入院した", words!["*", "-"]), ("退院した", words!["-"]), ("やめた", words!["*"]),
    ("辞めた", words!["*"]), ("を始めた", DOES), ("買った", words!["@"]), ("取った", words!["資格", "免許", "級"]),
    ("取得した", words!["*"]), ("から帰ってきた", words!["*"]), ("に行ってきた", words!["A", "県", "市", "島"]),
    ("知り合った", words!["*"]), ("出会った", words!["夫", "妻", "彼氏", "彼女", "旦那"]), ("上京した", words!["*", "-"]),
    ("独立した", words!["*", "-"]), ("起業した", words!["*", "-"]), ("移住した", words!["*"]), ("歳になった", words!["*"]),
    ("たばかり", words!["引っ越し", "転職し", "結婚し", "離婚し", "退職し", "卒業し", "入社し"]), ("部だった", words!["~大学では", "~高校では"]),
    ("働いていた", words!["~として"]), ("から帰ってきたところ", words!["*"]), ("走れなくなった", words!["*"]), ("中退した", words!["*"]), ("リストラされた", words!["-", "*"]), ("引き取った", words!["*"]),
    ("完走した", words!["*"]), ("乗り換えた", words!["から"]), ("手術をした", words!["*", "-"]), ("名付けた", words!["*"]),
    ("に入った", words!["幼稚園", "保育園", "小学校", "中学", "高校", "大学"]), ("骨を折った", words!["*", "-"]), ("同棲始めた", words!["*"]),
];

/// What is to come, with its date.
#[rustfmt::skip]
const COMING: &[Telling] = &[
    ("結婚する", words!["*", "-"]), ("引っ越す", words!["*", "-"]), ("引っ越し", words!["*", "-"]), ("入学する", words!["*"]),
    ("卒業する", words!["*", "-"]), ("生まれる", words!["子", "孫", "甥", "姪", "赤ちゃん"]), ("出産する", words!["*", "-"]),
    ("手術する", words!["*", "-"]), ("手術を受ける", words!["*", "-"]), ("働き始める", words!["*"]), ("転職する", words!["*", "-"]),
    ("入社する", words!["*"]), ("留学する", words!["*"]), ("退職する", words!["*", "-"]), ("に行く", words!["A", "日本", "中国", "旅行", "県", "市", "島", "台湾", "韓国"]),
    ("面接がある", words!["*"]), ("手術がある", words!["*", "-"]), ("試験がある", words!["*"]), ("歳になる", words!["*"]),
    ("に上がる", words!["小学校", "中学", "高校", "年長"]), ("に通う", words!["大学", "大学院", "専門学校", "高校", "保育園", "幼稚園", "学校"]),
];

pub fn own(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    // 「息子が入学する」: the ending needs to know of whom.
    let plain = told(&plain_end(body));
    let of = match clause.subject {
        Subject::Family(who) => format!("{who}が{plain}"),
        _ => plain.clone(),
    };
    if points(body) || plain.chars().count() > 40 || is_of_other(&plain) {
        return None;
    }
    let today = clause.today;
    let date = || today.and_then(|today| dates::ahead(clause.said, today));
    if ends(HAPPENED, &of) {
        let slot = if plain.ends_with("歳になった") { Slot::Age } else { Slot::Event };
        return Some(vec![Statement::new(slot, &plain, "", format!("{plain}。"))]);
    }
    let is_dated = words!["月", "曜", "来週", "来年", "明日", "年内", "今年", "春", "夏", "秋", "冬"]
        .iter()
        .any(|word| clause.said.contains(word));
    if ends(COMING, &of) && is_dated {
        let mut statement = Statement::new(Slot::Plan, &plain, "", format!("{plain}。")).when(When::Ahead);
        statement.from = date();
        return Some(vec![statement]);
    }
    // 「中学ではバスケ部に入ってた」, but not what one did yesterday.
    let long_ago = words![
        "部",
        "クラブ",
        "サークル",
        "昔",
        "前は",
        "以前",
        "中学",
        "高校",
        "大学",
        "学生",
        "頃",
        "時代",
        "年",
        "タバコ"
    ];
    if let Some(stem) = plain.strip_suffix("いた")
        && long_ago.iter().any(|mark| clause.said.contains(mark))
        && ends(HOLDS, &format!("{stem}いる"))
    {
        let statement = Statement::new(Slot::Habit, &plain, "", format!("{plain}。")).when(When::Past);
        return Some(vec![statement]);
    }
    let is_negated = plain.ends_with("ない");
    // 「早起きですね」 is said to somebody; 「毎日は飲まない」 says nothing that lasts.
    let is_remark = noun(body).is_some_and(|found| found.before == plain)
        && clause.subject == (Subject::Me { explicit: false })
        && is_agreeing(clause.said);
    let is_over = plain.contains("もう");
    if is_remark || is_negated && !is_over && is_temporary(&plain) {
        return None;
    }
    let positive = plain.strip_suffix("ない").map(|stem| format!("{stem}る"));
    let holds = ends(HOLDS, &of) || positive.is_some_and(|positive| ends(HOLDS, &positive));
    holds.then(|| vec![Statement::new(Slot::Habit, &plain, "", format!("{plain}。")).negated(is_negated)])
}

fn is_agreeing(said: &str) -> bool {
    words!["ですね", "だね"].iter().any(|end| without_decoration(said).ends_with(end))
}

/// The written form of what is often swallowed: てる, でる.
fn told(plain: &str) -> String {
    for (spoken, written) in [
        ("てる", "ている"),
        ("でる", "でいる"),
        ("てない", "ていない"),
        ("てた", "ていた"),
        ("んでた", "んでいた"),
    ] {
        if let Some(stem) = plain.strip_suffix(spoken)
            && !stem.ends_with(['立', '育', '出', '捨', '当', '建', '慌', 'も'])
        {
            return format!("{stem}{written}");
        }
    }
    plain.to_owned()
}

/// A topic or an agent that isn't what the ending is about: somebody else's news.
fn is_of_other(plain: &str) -> bool {
    let beings = |before: &str| RELATIVES.iter().chain(PETS).any(|word| before.ends_with(word));
    let mut rest = plain;
    let mut at = 0;
    while let Some(next) = rest.find(['は', 'が']) {
        let before = plain.get(..at + next).unwrap_or_default();
        let after = plain.get(at + next..).unwrap_or_default();
        let is_compound = before.ends_with(['で', 'に', 'と', 'な', '上', '下'])
            || before.is_empty()
            || after.starts_with("がん");
        let is_ending = HOLDS.iter().any(|(end, _)| (end.starts_with(['は', 'が'])) && after == *end);
        let is_thing = words![
            "車",
            "家",
            "免許",
            "膝",
            "腰",
            "子供",
            "赤ちゃん",
            "肉",
            "魚",
            "酒",
            "お酒",
            "朝ごはん",
            "朝食",
            "スマホ",
            "週末",
            "平日",
            "休日",
            "曜",
            "曜日"
        ]
        .iter()
        .any(|word| before.ends_with(word))
            || DOES.contains(before);
        let is_kin = beings(before) && before.chars().count() <= 8;
        if !(is_compound || is_ending || is_thing || is_kin) {
            return true;
        }
        at += next + 3;
        rest = plain.get(at..).unwrap_or_default();
    }
    false
}

fn ends(list: &[Telling], plain: &str) -> bool {
    list.iter().any(|(end, needed)| {
        plain.strip_suffix(end).is_some_and(|before| {
            let before = without_trailing_adverbs(before);
            needed.iter().any(|one| match one {
                "*" => !before.is_empty() && !before.ends_with(['、', 'と']) || before.chars().count() > 2,
                "-" => before.is_empty(),
                "A" => is_named(before),
                "@" => [RELATIVES, PETS, POSSESSIONS]
                    .iter()
                    .any(|list| list.iter().any(|word| noun_of(before).ends_with(word))),
                "a" => noun_of(before).ends_with(|c: char| c.is_ascii_alphanumeric()),
                word => match word.strip_prefix('~') {
                    Some(anywhere) => before.contains(anywhere),
                    None => noun_of(before).ends_with(word),
                },
            })
        })
    })
}

/// What stands before the ending, without its particle.
fn noun_of(before: &str) -> &str {
    before.trim_end_matches(['を', 'が', 'は', 'に', 'も', 'と'])
}

fn is_named(before: &str) -> bool {
    let noun = noun_of(before);
    // What one rides today and tomorrow.
    if words!["バス", "タクシー", "エレベーター", "フェリー", "モノレール", "ジェットコースター"]
        .iter()
        .any(|ride| noun.ends_with(ride))
    {
        return false;
    }
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, 'ァ'..='ヺ' | 'ー' | '・');
    noun.chars().rev().take_while(|c| is_letter(*c)).count() >= 2
}

/// Whether the subject of the clause is a being that the clauses after it may be about.
pub fn family<'a>(subject: Subject<'a>, source: &'a str) -> Option<&'a str> {
    if let Subject::Family(who) = subject {
        return Some(who);
    }
    let named = source.split_once("の名前は")?.0;
    let word = RELATIVES.iter().find(|word| *word == named)?;
    source.get(..word.len())
}
