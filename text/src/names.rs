//! Words that are names of persons in Japanese and hardly anything else.
//!
//! Deliberate absence: no general rule for the shape of a name, because 「学生」 and 「田中」 have the same. A name that
//! stands in no list is recognised only where a sentence says that it is one.

use super::language::{is_han, is_kana, is_katakana};
use crate::list::Words;
use crate::words;

/// Whether the word is a common surname, a surname with a given name, or a common given name.
pub fn is_japanese_name(word: &str) -> bool {
    let word: String = word.chars().filter(|c| !c.is_whitespace()).collect();
    if GIVEN.contains(word.as_str()) || SINGLE_SURNAMES.contains(word.as_str()) {
        return true;
    }
    // マイケル・スミス
    let parts: Vec<&str> = word.split(['・', '＝']).collect();
    if parts.len() == 2 {
        return parts.iter().all(|part| part.chars().count() >= 2 && part.chars().all(is_katakana));
    }
    SURNAMES.iter().any(|surname| {
        word.strip_prefix(surname).is_some_and(|given| {
            let length = given.chars().count();
            length == 0
                || given.chars().all(is_han) && length <= 3 && !is_title(given)
                || given.chars().all(is_kana) && GIVEN.contains(given)
        })
    })
}

/// The words of a question that are names: capitalised inside a sentence, or called さん.
pub fn names_in(question: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut begins = true;
    let words: Vec<&str> = question.split_inclusive(char::is_whitespace).collect();
    let is_word = |word: &&&str| word.starts_with(char::is_lowercase);
    // "WHAT IS MY NAME" and "What Is My Name" tell nothing.
    let is_sentence = words.iter().any(|word| is_word(&word));
    for word in words {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if is_sentence && !begins && bare.starts_with(char::is_uppercase) && bare.chars().count() > 1 {
            found.push(bare.to_owned());
        }
        begins = word.trim_end().ends_with(['.', '!', '?', ':', '。', '！', '？']);
    }
    for title in ["さん", "くん", "ちゃん", "様"] {
        for (at, _) in question.match_indices(title) {
            let before = question.get(..at).unwrap_or_default();
            let is_one = |c: char| is_han(c) || is_katakana(c);
            let name = before.trim_end_matches(is_one).len();
            found.extend(before.get(name..).filter(|name| name.chars().count() > 1).map(str::to_owned));
        }
    }
    found
}

/// 「田中家」, 「山口県」, 「石川出身」: what follows makes something else of the surname.
fn is_title(given: &str) -> bool {
    given.chars().count() == 1 && "家県市町村区駅派様氏側産系製店組".contains(given)
        || given
            .ends_with(['県', '市', '町', '村', '区', '駅', '派', '様', '氏', '生', '員', '長', '店', '者'])
        || words![
            "先生", "部長", "課長", "社長", "出身", "在住", "育ち", "大学", "高校", "工業", "商事", "製作"
        ]
        .iter()
        .any(|word| given.contains(word))
}

const SINGLE_SURNAMES: Words = words!["林", "森", "原", "堀", "辻", "関", "岡", "菅", "星野", "東野"];

/// Common surnames of two letters and more. Those that are rather places (千葉, 宮崎, 福島) are left out.
#[rustfmt::skip]
const SURNAMES: Words = words![
    "佐藤", "鈴木", "高橋", "田中", "伊藤", "渡辺", "渡邊", "渡邉", "山本", "中村", "小林", "加藤", "吉田", "山田",
    "佐々木", "山口", "松本", "井上", "木村", "斎藤", "斉藤", "齋藤", "清水", "山崎", "池田", "橋本", "阿部", "石川",
    "山下", "中島", "石井", "小川", "前田", "岡田", "長谷川", "藤田", "後藤", "近藤", "村上", "遠藤", "青木", "坂本",
    "福田", "太田", "西村", "藤井", "金子", "岡本", "藤原", "三浦", "中野", "中川", "原田", "松田", "竹内", "小野",
    "田村", "中山", "和田", "石田", "森田", "上田", "柴田", "酒井", "工藤", "横山", "宮本", "内田", "高木", "安藤",
    "谷口", "大野", "丸山", "今井", "高田", "藤本", "武田", "村田", "上野", "杉山", "増田", "平野", "大塚", "小島",
    "久保", "松井", "岩崎", "桜井", "野口", "松尾", "木下", "菊地", "菊池", "野村", "新井", "佐野", "渡部", "杉本",
    "古川", "本田", "大西", "小山", "市川", "水野", "吉川", "北村", "飯田", "西田", "島田", "平田", "矢野", "川崎",
    "浜田", "山内", "秋山", "服部", "永井", "西川", "五十嵐", "川口", "吉村", "大久保", "高野", "岩田", "中田", "安田",
    "川上", "森本", "辻本", "松岡", "黒田", "中西", "吉岡", "片山", "萩原", "樋口", "小池", "荒木", "大島", "望月",
    "松下", "川村", "尾崎", "熊谷", "田口", "小松", "奥村", "土屋", "田辺", "荒井", "西山", "関口", "大橋", "三宅",
    "石原", "浅野", "須藤", "内藤", "早川", "松村", "河野", "児玉", "岩本", "田島", "広瀬", "成田", "堀内", "久保田",
    "白石", "植田", "牧野", "梅田", "栗原", "宮田", "岡崎", "小泉", "馬場", "横田", "大谷", "福井", "篠原", "松原",
];

/// Common given names, in the spelling in which they are told.
#[rustfmt::skip]
const GIVEN: Words = words![
    "愛子", "花子", "恵子", "陽子", "裕子", "幸子", "由美子", "久美子", "直子", "智子", "京子", "美咲", "陽菜", "結衣",
    "美穂", "愛美", "真由美", "明美", "彩香", "優花", "葵", "凛", "太郎", "一郎", "次郎", "健太", "翔太", "大輔", "拓也",
    "直樹", "健一", "和也", "達也", "哲也", "雄太", "悠斗", "蓮", "大翔", "翔", "誠", "浩", "隆", "剛", "健", "さくら",
    "あおい", "ゆい", "ひなた", "はなこ", "めい", "ゆうこ", "けいこ", "あやか", "みさき", "まい", "ゆき", "ゆか", "えみ",
    "たろう", "けんた", "ゆうた", "だいすけ", "たくや", "ケン", "ケンジ", "ケンタ", "タロウ", "ハナコ", "アイ", "ユキ",
    "ユウキ", "ユイ", "サクラ", "アキラ", "タクヤ", "リョウ", "ショウ", "ナオミ", "マリ", "エミ", "マイケル", "ジョン",
    "デイビッド", "デビッド", "トム", "ボブ", "ジェームズ", "ロバート", "ウィリアム", "リチャード", "トーマス",
    "チャールズ", "ダニエル", "マシュー", "アンソニー", "マーク", "ポール", "スティーブ", "ケビン", "ブライアン", "ジョージ",
    "エドワード", "アンドリュー", "アレックス", "ベン", "サム", "ニック", "クリス", "ピーター", "アダム", "ライアン",
    "エリック", "ジャック", "ルーカス", "ノア", "リアム", "メアリー", "ジェニファー", "リンダ", "エリザベス", "スーザン",
    "サラ", "ナンシー", "リサ", "エミリー", "アンナ", "アンナ", "エマ", "オリビア", "ソフィア", "ソフィー", "アリス", "ジェーン",
    "ケイト", "レイチェル", "ローラ", "ジュリア", "マリア", "クララ", "アメリア", "キム", "リー", "ワン", "チェン",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_question_are_capitalised_inside_it_or_have_a_title() {
        for (question, names) in [
            ("When did Caroline meet her brother's friend Tom?", &["Caroline", "Tom"][..]),
            ("Where is my dog? Is Anna's cat there?", &["Anna's"]),
            ("WHERE IS MY DOG", &[]),
            ("Where I live", &[]),
            ("田中さんとスミスさんは友達？", &["田中", "スミス"]),
            ("たくさんある？", &[]),
            ("", &[]),
        ] {
            assert_eq!(names_in(question), names, "{question}");
        }
    }

    #[test]
    fn names_are_told_from_roles_states_and_things() {
        for name in [
            "田中",
            "田中愛子",
            "佐藤さくら",
            "佐々木",
            "ケン",
            "マイケル・スミス",
            "林",
            "田中 太郎",
            "長谷川健",
        ] {
            assert!(is_japanese_name(name), "{name}");
        }
        for other in [
            "学生",
            "医者",
            "元気",
            "日本人",
            "リーダー",
            "コーヒー",
            "会社員",
            "双子",
            "大学生",
            "ベジタリアン",
            "山口県",
            "石川出身",
            "田中家",
            "田中先生",
            "",
            "コーヒー・紅茶です",
            "猫",
        ] {
            assert!(!is_japanese_name(other), "{other}");
        }
    }
}
