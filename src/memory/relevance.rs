//! Whether a statement is about the user: who they are, have, do and decide, or who is close to them. General
//! knowledge and what the talk itself does are not.

use super::assertion::Clause;
use super::mood_en::bare;
use crate::text::fold::fold;
use crate::text::language::{Language, language};
use crate::text::list::Words;
use crate::text::phrase::{contains_any, has_any, starts_any};
use crate::words;

/// `words` are the clauses that the text rests on, in `message`.
pub(super) fn is_about_user(text: &str, words: &str, _clauses: &[Clause], message: &str) -> bool {
    let folded = fold(words);
    let text = fold(text);
    if reports_the_talk(&text) && !reports_the_talk(&folded) || addresses_model(&text) {
        return false;
    }
    match language(words) {
        Language::En => english(&folded, &fold(message)),
        Language::Ja => !is_world_knowledge(&folded),
    }
}

#[rustfmt::skip]
fn addresses_model(text: &str) -> bool {
    let ordered = has_any(
        text,
        words![
            "you have to", "you must", "you should", "you need to", "you will", "you are", "you're", "your answers",
            "your replies", "your memory", "your rules", "お前", "あなた",
        ],
    );
    if ordered {
        return true;
    }
    starts_any(
        text,
        words![
            "the assistant", "assistant", "you are", "you", "your", "the ai", "the model", "アシスタント",
            "あなた", "aiは",
        ],
    )
}

/// English names its subject: without a first person it is about the user only if the subject was left out.
fn english(folded: &str, message: &str) -> bool {
    const FIRST: Words = words![
        "i", "i'm", "i've", "i'll", "i'd", "me", "my", "mine", "myself", "we", "we're", "we've", "our",
        "ours", "us", "im", "ive", "grandma", "grandpa", "mom", "mum", "dad", "granny",
    ];
    #[rustfmt::skip]
    const ELLIPTIC: Words = words![
        "moved", "started", "quit", "got", "bought", "born", "allergic", "vegetarian", "vegan", "single",
        "married", "divorced", "living", "working", "currently", "left-handed", "lactose", "works", "lives",
        "likes", "prefer", "love", "hate", "like", "live", "work", "have", "had", "been", "am", "was",
        "grew up", "never", "always", "just moved", "just started", "just got", "joined", "graduated",
        "retired", "stopped", "decided", "planning", "going to", "will be", "can't", "don't", "do not", "using",
        "use", "won't", "used to", "studying", "learning", "engaged", "pregnant", "unemployed", "based in",
        "originally from", "from", "answer", "reply", "respond", "speak", "talk", "call", "keep", "be brief",
        "be concise", "not a fan", "big fan", "moving", "staying", "landed", "just landed", "adopted", "sold", "trying", "visiting", "training", "expecting", "renting", "based", "raised", "address", "no emojis", "avoid", "write", "please",
    ];
    #[rustfmt::skip]
    const SETTLED: Words = words![
        "decided", "decision", "settled", "final", "agreed", "our team", "the team", "the project", "policy",
    ];
    let others =
        has_any(folded, words!["he", "she", "they", "he's", "she's", "they're", "his", "her", "their"])
            && has_any(message, words!["my", "our"]);
    has_any(folded, FIRST) || starts_any(bare(folded), ELLIPTIC) || has_any(folded, SETTLED) || others
}

/// 「AはBです」 of something that is nobody's: the topic is neither a person, nor a possession, nor a trait.
fn is_world_knowledge(folded: &str) -> bool {
    let end = folded.trim_end_matches(|c: char| !c.is_alphanumeric());
    let copular = words!["です", "だ", "である", "であります", "ですよ", "だよ", "ですが", "だけど"]
        .iter()
        .any(|ending| end.ends_with(ending));
    let Some((topic, rest)) = folded.split_once('は') else { return false };
    if !copular && !is_world_verb(end) {
        return false;
    }
    let topic = topic.rsplit(['、', '。', ',']).next().unwrap_or(topic).trim();
    let is_short = topic.chars().count() <= 14;
    let personal = contains_any(topic, PERSONAL) || contains_any(folded, OWN) || contains_any(rest, FEELING);
    is_short && !topic.is_empty() && !personal
}

/// 水は100度で沸騰する.
#[rustfmt::skip]
fn is_world_verb(end: &str) -> bool {
    words![
        "沸騰する", "沸騰します", "位置する", "位置します", "にある", "にあります", "と呼ばれる",
        "と呼ばれます", "という意味", "を意味する", "を指す",
    ]
    .iter()
    .any(|verb| end.ends_with(verb))
}

/// Topics that belong to a person.
#[rustfmt::skip]
const PERSONAL: Words = words![
    "趣味", "名前", "苗字", "名字", "長男", "長女", "次男", "次女", "祖父", "祖母", "孫", "甥", "姪", "叔父", "叔母",
    "いとこ", "生まれ", "曜", "氏名", "仕事", "職業", "出身", "誕生日", "生年月日", "好物", "家", "実家", "自宅", "年齢",
    "身長", "体重", "血液型", "専攻", "専門", "特技", "夢", "目標", "性格", "好きな", "嫌いな", "苦手な",
    "得意", "住まい", "勤務先", "会社", "職場", "学校", "大学", "車", "犬", "猫", "ペット", "妹", "姉", "兄",
    "弟", "母", "父", "親", "妻", "夫", "嫁", "旦那", "息子", "娘", "子供", "子ども", "友達", "友人", "上司",
    "同僚", "彼女", "彼氏", "恋人", "先生", "休み", "休日", "朝食", "昼食", "夕食", "朝ごはん", "昼ごはん",
    "夜ごはん", "朝", "昼", "夜", "毎日", "毎朝", "毎晩", "週末", "平日", "最近", "今", "昔", "以前", "普段",
    "いつも", "来年", "来月", "来週", "今年", "今月", "今週", "今日", "明日", "昨日", "去年", "先月", "先週",
    "予定", "予算", "部署", "担当", "役職", "肩書", "年収", "収入", "給料", "貯金", "国籍", "宗教", "信仰",
    "アレルギー", "持病", "血圧", "視力", "資格", "免許", "学年", "学部", "サークル", "部活", "母国語", "母語",
    "結婚", "婚約", "電話", "メール", "住所", "最寄り", "通勤", "方針", "ルール", "プロジェクト", "チーム",
    "環境", "設定", "デフォルト", "検索", "締め切り", "締切", "記念日", "あだ名", "ニックネーム", "座右の銘",
    "口癖", "寝る", "起きる", "起床", "就寝", "推し", "スマホ", "パソコン", "pc", "os", "エディタ", "言語",
    "回答", "返事", "話し方", "言葉遣い", "愛車", "愛犬", "愛猫", "前職", "現職", "本業", "副業", "次", "食事",
    "飲み物", "お酒", "酒", "煙草", "タバコ", "たばこ", "コーヒー", "甘い物", "肉", "魚", "野菜", "果物",
];
#[rustfmt::skip]
const OWN: Words = words![
    "私", "僕", "俺", "わたし", "ぼく", "おれ", "自分", "うち", "我が家", "わが家", "我々", "弊社", "当社",
    "うちの",
];
#[rustfmt::skip]
const FEELING: Words = words![
    "好き", "嫌い", "苦手", "得意", "大好", "たい", "ほしい", "欲しい", "住", "働", "飼", "通っ", "使っ",
    "アレルギー", "予定", "つもり", "趣味", "派です", "派だ", "ことにし", "決め", "決定", "確定", "不採用",
    "採用", "禁止", "無理", "だめ", "ダメ", "食べ", "飲", "行き", "買", "習",
];

/// Words by which a text reports the talk itself rather than the user: an over-read.
#[rustfmt::skip]
fn reports_the_talk(text: &str) -> bool {
    let folded = fold(text);
    has_any(
        &folded,
        words![
            "is asking", "asks about", "asked about", "asks for", "asked for", "is requesting", "requested",
            "is inquiring", "inquired", "wants to know", "wants the assistant", "is curious about",
            "is seeking", "is looking for information", "is talking about", "is discussing",
            "mentioned that the assistant", "the assistant", "the ai", "the model", "greeted", "thanked",
            "について質問", "を質問", "を尋ね", "について尋ね", "について聞い", "を聞いて", "知りたがっ",
            "知りたいと", "依頼した", "依頼して", "を求めて", "アシスタントは", "アシスタントが", "aiは",
            "挨拶した", "挨拶して", "感謝した", "お礼を", "について話して",
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(text: &str) -> bool {
        is_about_user(text, text, &[], text)
    }

    #[test]
    fn traits_possessions_and_people_are_about_the_user_and_the_world_is_not() {
        for text in [
            "I live in Osaka",
            "Moved to Osaka last week",
            "my dog is called Rex",
            "We use pnpm",
            "Hybrid search is out, decided",
            "趣味は釣りです",
            "犬の名前はポチだ",
            "ハブは嫌いです",
            "大阪に住んでいる",
            "出身は大阪です",
            "ハイブリッド検索は不採用で確定です",
        ] {
            assert!(about(text), "{text}");
        }
        for text in [
            "The capital of Australia is Canberra",
            "Water boils at 100 degrees",
            "日本の首都は東京です",
            "水は100度で沸騰する",
            "富士山は日本一高い山です",
            "The assistant is helpful",
            "あなたは親切です",
        ] {
            assert!(!about(text), "{text}");
        }
    }
}
