//! Japanese clauses and their moods. The end of a clause decides, so ends are compared without punctuation.

use std::ops::Range;

use super::assertion::Mood;
use crate::text::fold::fold;
use crate::text::language::{is_han, is_katakana};
use crate::text::list::Words;
use crate::words;

/// A clause that ends in one of these stands by itself, whatever the rest of the sentence does.
#[rustfmt::skip]
const CLOSES: Words = words![
    "ですが、", "ますが、", "だが、", "たが、", "んだが、", "いが、", "るが、", "うが、", "すが、", "くが、",
    "ですが", "ますが", "ましたが", "けれども、", "けれど、", "けど、", "けれども", "けれど", "けど", "ので、",
    "ので", "んで、", "から、", "だから", "ですから", "ますから", "し、", "のに、", "です、", "ます、",
    "ました、", "でした、", "ません、", "だよ、", "です。", "だし", "ですし", "ますし", "んだ、", "かな、", "かなあ、", "かなぁ、", "かも、", "かもしれないし、", "らしくて、", "らしく、",
];

/// Byte ranges of the clauses of a sentence.
pub(super) fn split(sentence: &str) -> Vec<Range<usize>> {
    let mut borders = vec![0];
    let mut at = 0;
    while at < sentence.len() {
        let Some(rest) = sentence.get(at..) else { break };
        let opens_topic = rest.starts_with("で、") && rest.chars().skip(2).take(8).any(|c| c == 'は');
        let close = if opens_topic { Some("で、".len()) } else { None }
            .or_else(|| CLOSES.iter().filter(|close| rest.starts_with(*close)).map(str::len).max());
        match close {
            Some(length)
                if has_letters(sentence.get(at + length..).unwrap_or_default())
                    && at > 0
                    && !joins_on(rest, length) =>
            {
                at += length;
                let comma = sentence.get(at..).is_some_and(|rest| rest.starts_with('、'));
                at += if comma { '、'.len_utf8() } else { 0 };
                borders.push(at);
            }
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    borders.push(sentence.len());
    borders
        .windows(2)
        .filter_map(|pair| Some(*pair.first()?..*pair.get(1)?))
        .filter(|range| !range.is_empty())
        .collect()
}

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// 「〜ですから」 may still be followed by the particle that makes it a noun: からです, ので‐は.
fn joins_on(rest: &str, length: usize) -> bool {
    rest.get(length..).is_some_and(|after| {
        words!["です", "だ。", "だよ", "なの", "は", "も"].iter().any(|joint| after.starts_with(joint))
    }) && !rest.get(..length).is_some_and(|close| close.ends_with('、'))
}

/// The mood of each clause.
pub(super) fn moods(sentence: &str, parts: &[Range<usize>]) -> Vec<Mood> {
    let mut supposing = false;
    parts
        .iter()
        .enumerate()
        .map(|(at, part)| {
            let clause = fold(sentence.get(part.clone()).unwrap_or_default());
            let is_last = at + 1 == parts.len();
            supposing |= opens_supposition(&clause);
            let own = mood(&clause, is_last);
            if own == Mood::Asserts && supposing { Mood::Supposes } else { own }
        })
        .collect()
}

/// もし and 仮に; the letters もし also stand in 〜にもしている and もしくは.
fn opens_supposition(clause: &str) -> bool {
    let found = clause.match_indices("もし").any(|(at, word)| {
        let before = clause.get(..at).and_then(|head| head.chars().next_back());
        let after = clause.get(at + word.len()..).and_then(|tail| tail.chars().next());
        !matches!(before, Some('に' | 'で' | 'と' | 'か'))
            && !matches!(after, Some('て' | 'な' | 'た' | 'ま' | 'く' | 'か'))
    });
    found || clause.contains("仮に")
}

/// Agreement and wonder about what the other said: そうですよね, すごいですね.
#[rustfmt::skip]
fn reacts(end: &str) -> bool {
    const REACTIONS: Words = words![
        "よね", "もんね", "もんな", "んですね", "んだね", "いいですね", "いいね", "すごい", "すごいですね",
        "大変ですね", "大変そう", "そうですね", "素敵ですね", "羨ましいです", "うらやましいです", "楽しそう",
        "美味しそう", "おいしそう", "残念ですね", "たしかに", "確かに",
    ];
    const OPENINGS: Words =
        words!["そうなん", "そうですよね", "そうですね", "なるほど", "いえいえ", "いえ、", "それは"];
    // 「猫アレルギーなんだよね」 tells.
    let tells = ends(end, words!["んだよね", "んですよね"]);
    ends(end, REACTIONS) && !tells
        || OPENINGS.iter().any(|opening| end.starts_with(opening) && end.chars().count() <= 12)
}

/// What is so for an hour: 「もう寝ます」.
fn is_of_the_moment(clause: &str, end: &str) -> bool {
    #[rustfmt::skip]
    const MOMENTS: Words = words![
        "もう寝ます", "もう寝る", "そろそろ寝", "今から寝", "おなかすいた", "お腹すいた", "お腹空いた", "腹減った", "眠い", "眠いです", "疲れた",
        "疲れました", "行ってきます", "移動中", "電車の中です", "今着いた", "今着きました", "今帰った", "帰宅した", "お風呂入って",
        "嬉しい", "嬉しいです", "うれしい", "うれしいです", "悲しい", "悲しいです", "暇です", "緊張してる", "緊張しています", "緊張してます",
    ];
    // 「一応仕事なんです」: what one is doing, and not what one does.
    const DOINGS: Words = words!["仕事", "お仕事", "休み", "お休み", "会議", "バイト", "授業", "残業"];
    let said = words!["なんです", "なんだ", "です", "だ"].iter().find_map(|copula| end.strip_suffix(copula));
    let bare = words!["一応", "まあ", "まぁ", "今は", "今日は", "これから"]
        .iter()
        .find_map(|filler| said.unwrap_or(end).strip_prefix(filler));
    if bare.or(said).is_some_and(|bare| DOINGS.contains(bare)) {
        return true;
    }
    MOMENTS.iter().any(|moment| end.ends_with(moment) || end == moment)
        && !any(clause, words!["いつも", "毎", "よく", "最近", "ずっと"])
}

/// 「医者」: one word, of which nobody knows what it says.
fn is_bare_noun(end: &str) -> bool {
    const TELLING: Words = words![
        "出身",
        "在住",
        "生まれ",
        "育ち",
        "派",
        "中",
        "歳",
        "才",
        "型",
        "済み",
        "好き",
        "嫌い",
        "苦手",
        "持ち",
        "暮らし",
        "厳禁"
    ];
    let one = |is_own: fn(char) -> bool| end.chars().all(is_own);
    (one(is_han) || one(|c| is_katakana(c) || c == 'ー')) && end.chars().count() <= 8 && !ends(end, TELLING)
}

fn mood(clause: &str, is_last: bool) -> Mood {
    let asks = is_last && clause.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?').ends_with('?');
    let end = ending(clause);
    if is_greeting(end) || reacts(end) || is_of_the_moment(clause, end) {
        return Mood::Greets;
    }
    if is_manner(clause, end) {
        return Mood::Prefers;
    }
    if is_request(clause, end) {
        let recaps =
            any(clause, words!["まとめて", "要約", "もう一回", "もう一度", "再度", "言い直し", "繰り返し"]);
        return if recaps { Mood::Recaps } else { Mood::Requests };
    }
    if asks || is_question(clause, end) {
        return Mood::Asks;
    }
    if cites(clause, end) {
        return Mood::Cites;
    }
    if is_bare_noun(end) || any(clause, UNDECIDED) || end.ends_with("かも") || looks_so(end) {
        return Mood::Undecided;
    }
    if supposes(clause, end) {
        return Mood::Supposes;
    }
    Mood::Asserts
}

/// 「死にそう」, 「1年くらい眠れそう」: how it looks, not how it is.
fn looks_so(end: &str) -> bool {
    ["そう", "そうです", "そうだ", "そうだよ"].iter().any(|so| {
        end.strip_suffix(so).is_some_and(|before| {
            before.ends_with(|c: char| "いきしちにひみりぎびえけせてねべめれげなさ".contains(c))
                && before.chars().count() > 1
        })
    })
}

fn any(text: &str, words: Words) -> bool {
    words.iter().any(|word| text.contains(word))
}

fn ends(text: &str, words: Words) -> bool {
    words.iter().any(|word| text.ends_with(word))
}

/// The clause without its punctuation, smiles and emoji.
fn ending(clause: &str) -> &str {
    clause
        .trim_matches(|c: char| !c.is_alphanumeric() || c == 'w')
        .trim_end_matches("(笑")
        .trim_end_matches("笑")
        .trim_end_matches(['ー', 'w'])
        .trim_end_matches(|c: char| !c.is_alphanumeric())
}

#[rustfmt::skip]
const ASKING_ENDS: Words = words![
    "ですか", "ますか", "でしょうか", "だろうか", "ましたか", "ませんか", "のか", "んか", "たか", "るか",
    "うか", "ないか", "いいか", "かな", "かなあ", "かなぁ", "かなー", "かね", "かしら", "っけ", "だろう",
    "でしょう", "だろ", "でしょ", "じゃないか", "ですかね", "ますかね", "かい", "だい",
];

#[rustfmt::skip]
fn is_question(clause: &str, end: &str) -> bool {
    let asked_about = any(
        clause,
        words![
            "何", "なに", "どこ", "いつ", "誰", "だれ", "なぜ", "どう", "どの", "どれ", "どんな", "いくつ",
            "いくら", "なんで", "どっち",
        ],
    );
    let lexical = ends(
        end,
        words![
            "静か", "豊か", "確か", "なか", "ばか", "わずか", "明らか", "ほか", "いか焼きのいか", "しか",
            "いつか",
        ],
    );
    (ends(end, ASKING_ENDS) && !lexical && !ends(end, words!["しかない"]))
        || (asked_about
            && ends(end, words!["の", "か", "何", "どこ", "誰", "いつ", "なぜ", "どう", "んだ", "のだ"])
            && !any(end, words!["いつも", "何も", "どこも", "いつか", "何か", "どこか", "誰も", "どう見ても"]))
        || ends(end, words!["どう思う", "って何", "とは", "はどこ", "はいつ", "は誰", "は何"])
}

/// Requests of the moment, by their end.
#[rustfmt::skip]
const REQUEST_ENDS: Words = words![
    "ください", "下さい", "くださいね", "くれ", "くれる", "くれない", "くれますか", "くれませんか", "もらえる",
    "もらえない", "もらえますか", "もらえませんか", "いただけますか", "いただけませんか", "いただけると",
    "頂けますか", "てほしい", "て欲しい", "てほしいです", "て欲しいです", "てほしいな", "お願い",
    "お願いします", "お願いいたします", "頼む", "頼みます", "頂戴", "ちょうだい", "教えて", "おしえて",
    "見せて", "書いて", "作って", "まとめて", "調べて", "訳して", "手伝って", "考えて", "探して", "直して",
    "して", "選んで", "勧めて", "すすめて", "やって", "聞かせて", "出して", "続けて", "待って", "比べて",
    "なさい", "しろ", "せよ", "しましょう", "してみて", "助けて", "答えて", "話して", "読んで", "送って",
    "挙げて", "あげて", "貼って", "変えて", "言って", "使って", "消して", "入れて", "付けて", "つけて",
    "忘れないで", "しないで", "覚えて", "覚えておいて", "忘れて", "知りたい", "知りたいです", "聞きたい",
    "聞きたいです", "ないでください", "ましょうか", "よろしく", "よろしくお願いします", "はよ",
];

#[rustfmt::skip]
fn is_request(clause: &str, end: &str) -> bool {
    let end = end.trim_end_matches(['ね', 'よ', 'な']);
    let looking = ends(
        end,
        words![
            "を探しています", "を探している", "を探してます", "を探してる", "を考えています", "を考えている",
            "を考えてます", "を考えてる", "を考え中", "について調べています", "について調べている",
            "を調べています", "を調べている", "を調べてます", "で困っています", "が知りたい", "相談があります",
            "相談がある", "質問があります", "質問がある",
        ],
    );
    let connective = ends(end, words!["くて", "なくて", "として", "にして", "に対して", "そして", "どうして"]);
    looking
        || (ends(end, REQUEST_ENDS) && !connective)
        || any(
            clause,
            words!["教えてください", "教えてほしい", "お願いします", "してください", "して下さい", "教えていただ"],
        )
}

/// 敬語で話して, 短く答えて, ケンと呼んで: a manner of being answered that is to last.
#[rustfmt::skip]
fn is_manner(clause: &str, end: &str) -> bool {
    let end = words![
        "ください", "下さい", "ほしいです", "欲しいです", "ほしい", "欲しい", "くれ", "ね", "よ",
        "もらえると嬉しい", "くれると嬉しい", "もらえると助かる", "くれると助かる", "もらえると嬉しいです",
        "くれると嬉しいです", "もらえると助かります", "くれると助かります",
    ]
    .iter()
    .fold(end, |end, tail| end.strip_suffix(tail).unwrap_or(end));
    let answering = ends(
        end,
        words![
            "話して", "答えて", "返事して", "返信して", "回答して", "返して", "喋って", "しゃべって",
            "説明して", "書いて", "使わないで", "つけないで", "付けないで", "呼んで", "呼ばないで", "接して",
        ],
    );
    let manner = any(
        clause,
        words![
            "敬語", "タメ口", "ため口", "丁寧語", "丁寧に", "箇条書き", "短く", "簡潔", "手短", "日本語で",
            "英語で", "関西弁", "大阪弁", "方言", "くだけた", "フランク", "カジュアル", "ですます",
            "です・ます", "です、ます", "絵文字", "専門用語", "やさしい言葉", "優しい言葉", "結論から",
            "ゆっくり", "詳しく", "と呼んで", "って呼んで", "と呼ばないで", "友達みたいに", "である調", "長文",
        ],
    );
    let once = any(
        clause,
        words![
            "この", "これ", "次の", "以下", "上の", "今回", "さっき", "について", "メール", "手紙", "レポート",
            "作文", "記事", "彼", "詩を", "文章を",
        ],
    );
    let answers = words!["返事は", "回答は", "返信は", "答えは", "口調は"].iter().any(|word| clause.starts_with(word))
        && ends(end, words!["でお願い", "でお願いします", "でお願いいたします", "で頼む"]);
    (answering && manner || answers) && !once
}

#[rustfmt::skip]
const CITING: Words = words![
    "と言っていた", "と言ってた", "って言ってた", "って言っていた", "と言っていました", "って言ってました",
    "と言ってました", "と言っている", "と言ってる", "って言ってる", "と言っています", "と言われ", "ように言われ", "ように言って", "ようにと言", "って言われ",
    "と言うんだ", "とのこと", "によると", "によれば", "と聞いた", "って聞いた", "と聞きました", "と書いてあ",
    "と書かれて", "と話していた", "と話してた", "と述べ", "と主張", "という噂", "だそうだ", "だそうです",
    "るそうです", "るそうだ", "たそうです", "たそうだ", "いそうです", "と思われ", "と間違われ", "と勘違いされ", "と書かれ", "かと聞かれ", "のかとよく聞かれ", "かとよく聞かれ", "と疑われ", "と伝え", "と噂され", "とあった", "とありました", "と言い張", "ってことになって", "って送ってき", "と送ってき", "って彼が", "って彼女が", "って噂", "か聞かれ", "か尋ねられ", "と尋ねられ", "に見られ", "に言わせると",
    "が言うには", "いわく", "曰く",
];

#[rustfmt::skip]
fn cites(clause: &str, end: &str) -> bool {
    let own = words!["私は", "僕は", "俺は", "わたしは", "私が", "僕が", "俺が", "自分は"]
        .iter()
        .any(|subject| clause.starts_with(subject));
    let said = any(clause, words!["と言った", "って言った", "と言いました", "って言いました"]) && !own;
    let soft = any(clause, CITING) && (!own || any(clause, words!["言われ", "と聞い", "って聞い"]));
    // 美味しそうです is a look and not hearsay, so an adjective's そう counts only behind い.
    said || soft
        || ends(
            end,
            words![
                "らしい", "らしいよ", "らしいです", "らしいね", "らしいんだ", "みたいだよ", "んだって",
                "んですって", "だって",
            ],
        )
}

#[rustfmt::skip]
const UNDECIDED: Words = words![
    "かもしれ", "かもしん", "かどうか", "迷って", "迷い中", "検討", "悩んで", "悩み中", "決めていない",
    "決めてない", "決まっていない", "決まってない", "たぶん", "多分", "おそらく", "ひょっとしたら", "もしかし",
    "わからない", "分からない", "わかりません", "分かりません", "か考え中", "気がする", "未定", "方向で", "とは言わ", "とは言え", "とはいえな", "わけではな", "わけじゃな", "とは限ら", "どうしよう",
    "ようか", "つもりはある",
];

#[rustfmt::skip]
fn supposes(clause: &str, end: &str) -> bool {
    let plain: String = words![
        "なければなら", "なければいけ", "なきゃ", "ねばなら", "そういえば", "言えば", "いえば", "例えば",
        "たとえば", "しばしば", "さよなら", "そしたら", "ばかり",
    ]
    .iter()
    .fold(clause.to_owned(), |text, word| text.replace(word, ""));
    let conditional = any(
        &plain,
        words![
            "たら、", "ったら", "だら、", "なら、", "ならば", "るなら", "たなら", "いなら", "れば", "えば、",
            "けば、", "せば、", "てば、", "めば、", "べば、", "げば、", "ねば、", "とすれば", "としたら",
            "と仮定", "だったら", "いたら", "したら", "きたら", "ければ",
        ],
    );
    // 「旅行してたら雨が降った」 tells what happened.
    let unreal = any(&plain, words!["てたら", "でたら"]) && !end.ends_with('た');
    conditional
        || unreal
        || any(clause, words!["のためなら", "うまくいけば", "順調なら", "問題なければ", "受かれば", "通れば", "時のため", "場合に備え", "時に備え", "なれば", "できれば", "理想を言えば", "理想では", "理想としては", "来世", "前世", "生まれ変わ", "空想", "妄想"])
        || ends(
            end,
            words![
                "のに", "たらいいな", "ばいいな", "といいな", "たらいい", "ばいいのに", "夢を見た", "想像",
                "とする", "ことにしよう", "と思ってみて", "とします", "としよう", "としましょう", "と仮定します", "と仮定する",
            ],
        ) && !ends(end, words!["ようとする"])
}

fn is_greeting(end: &str) -> bool {
    #[rustfmt::skip]
    const GREETINGS: Words = words![
        "こんにちは", "こんばんは", "おはよう", "おはようございます", "おやすみ", "おやすみなさい",
        "はじめまして", "初めまして", "よろしく", "よろしくお願いします", "宜しくお願いします", "ありがとう",
        "ありがとうございます", "ありがとうございました", "さようなら", "またね", "じゃあね", "お疲れ様",
        "お疲れ様です", "お疲れさまです", "ただいま", "どうも", "はい", "いいえ", "うん", "了解", "了解です",
        "なるほど", "そうなんだ", "そうですね", "そうですか", "ok", "すごい", "いいね", "元気", "お元気ですか",
        "ごめん", "すみません", "久しぶり", "お久しぶりです", "やあ",
    ];
    GREETINGS.contains(end)
}
