//! A long conversation with forty facts planted among small talk: after more than twenty folds they are still in the
//! summary or among the facts, and what was corrected is nowhere told as so.

use crate::support::world::{World, config};
use kioku::session::api::{Request, Response};
use serde_json::Value;

/// What is said, and the word by which it is found again. `Some` in the third place is what it takes back.
type Planted = (&'static str, &'static str, Option<&'static str>);

#[rustfmt::skip]
const ENGLISH: &[Planted] = &[
    ("My sister Hanako lives in Nara.", "Hanako", None),
    ("My dentist is Dr. Okafor.", "Okafor", None),
    ("I have a parrot named Kiwi.", "Kiwi", None),
    ("My landlord is Mr. Petrov.", "Petrov", None),
    ("My best friend is Tariq.", "Tariq", None),
    ("My manager is Ingrid Solberg.", "Solberg", None),
    ("I grew up in Lisbon.", "Lisbon", None),
    ("My son goes to Hillcrest School.", "Hillcrest", None),
    ("I play chess with Bartosz every Sunday.", "Bartosz", None),
    ("My yoga teacher is called Meera.", "Meera", None),
    ("My locker is number 4512.", "4512", None),
    ("My rent is 940 euros.", "940", None),
    ("I weigh 71 kg.", "71", None),
    ("My flight is NH 843.", "843", None),
    ("My shoe size is 43.", "43", None),
    ("I run 12 km every week.", "12", None),
    ("My seat is 17C on the train to Basel.", "17C", None),
    ("My budget for the trip is $1,500.", "1,500", None),
    ("I was born in 1988.", "1988", None),
    ("My bus leaves at 7:35.", "7:35", None),
    ("Never call me before 9 am.", "9 am", None),
    ("I don't eat pork.", "pork", None),
    ("Please don't tell Maria about the party.", "Maria", None),
    ("I am allergic to penicillin.", "penicillin", None),
    ("I no longer work at Nokia.", "Nokia", None),
    ("I can't stand coriander.", "coriander", None),
    ("We must not use the red paint.", "red paint", None),
    ("I never drink coffee after lunch.", "coffee", None),
    ("I don't have a car.", "car", None),
    ("Don't book anything with Ryanair.", "Ryanair", None),
    ("I live in Osaka.", "Osaka", None),
    ("I moved to Kobe.", "Kobe", Some("Osaka")),
    ("My appointment is on 12 May.", "12 May", None),
    ("My appointment is on 19 May, not 12 May.", "19 May", Some("12 May")),
    ("I am 36 years old.", "36", None),
    ("I am 37 years old.", "37", Some("36")),
    ("I work at Acme.", "Acme", None),
    ("I work at Contoso now.", "Contoso", Some("Acme")),
    ("My favourite tea is sencha.", "sencha", None),
    ("My favourite tea is hojicha.", "hojicha", Some("sencha")),
];

#[rustfmt::skip]
const JAPANESE: &[Planted] = &[
    ("妹の花子は奈良に住んでいます。", "花子", None),
    ("歯医者は小川先生です。", "小川", None),
    ("キウイという名前のインコを飼っています。", "キウイ", None),
    ("大家は佐々木さんです。", "佐々木", None),
    ("親友はタリクです。", "タリク", None),
    ("上司は大塚さんです。", "大塚", None),
    ("出身は鳥取です。", "鳥取", None),
    ("息子は緑ヶ丘小学校に通っています。", "緑ヶ丘", None),
    ("毎週日曜に中村さんと将棋を指しています。", "中村", None),
    ("ヨガの先生は美咲さんです。", "美咲", None),
    ("ロッカーは4512番です。", "4512", None),
    ("家賃は94,000円です。", "94,000", None),
    ("体重は71キロです。", "71", None),
    ("便はNH843です。", "843", None),
    ("靴のサイズは27センチです。", "27", None),
    ("毎週12キロ走っています。", "12", None),
    ("バーゼル行きの席は17番です。", "17番", None),
    ("旅行の予算は15万円です。", "15万円", None),
    ("1988年生まれです。", "1988", None),
    ("バスは7:35に出ます。", "7:35", None),
    ("朝9時前には電話しないでください。", "9時", None),
    ("豚肉は食べません。", "豚肉", None),
    ("マリアにはパーティーのことを言わないで。", "マリア", None),
    ("ペニシリンアレルギーです。", "ペニシリン", None),
    ("もうノキアでは働いていません。", "ノキア", None),
    ("パクチーが苦手です。", "パクチー", None),
    ("赤いペンキは使ってはいけない。", "赤いペンキ", None),
    ("昼食後はコーヒーを飲みません。", "コーヒー", None),
    ("車は持っていません。", "車", None),
    ("ライアンエアーでは予約しないで。", "ライアンエアー", None),
    ("大阪に住んでいます。", "大阪", None),
    ("神戸に引っ越しました。", "神戸", Some("大阪")),
    ("予約は5月12日です。", "5月12日", None),
    ("予約は5月12日ではなく5月19日です。", "5月19日", Some("5月12日")),
    ("36歳です。", "36", None),
    ("37歳になりました。", "37", Some("36")),
    ("アクメで働いています。", "アクメ", None),
    ("今はコントソで働いています。", "コントソ", Some("アクメ")),
    ("好きなお茶は煎茶です。", "煎茶", None),
    ("好きなお茶はほうじ茶です。", "ほうじ茶", Some("煎茶")),
];

const TALK_EN: &[&str] = &[
    "Nice weather today, isn't it?",
    "Haha, thanks.",
    "What do you think about that?",
    "OK, tell me a joke.",
];
const TALK_JA: &[&str] =
    &["今日はいい天気ですね。", "なるほど、ありがとう。", "どう思いますか？", "何か面白い話をして。"];

fn get(world: &mut World, path: &str, query: &str) -> Value {
    let request = Request {
        method: "GET".into(),
        path: path.into(),
        query: query.into(),
        body: Vec::new(),
        user: "tester".into(),
    };
    let session = world.session();
    let Response { body, .. } = futures::executor::block_on(session.handle(request));
    serde_json::from_str(&body).unwrap()
}

fn after_the_talk(planted: &[Planted], talk: &[&str]) -> (usize, Vec<String>, String) {
    let mut world = World::new(config(&[("MODEL_PROVIDER", "embedded")]));
    let tab = world.connect("main");
    for (at, (said, ..)) in planted.iter().enumerate() {
        world.send(&tab, &format!("p{at}"), said);
        world.settle();
        world.send(&tab, &format!("t{at}"), talk[at % talk.len()]);
        world.settle();
    }
    // The last of them must leave recent, too.
    for at in 0..8 {
        world.send(&tab, &format!("e{at}"), talk[at % talk.len()]);
        world.settle();
    }
    let folds = world.of_type(&tab, "folded").len();
    let facts = get(&mut world, "/api/memory/facts", "match=keyword&status=current&limit=200");
    let facts =
        facts["facts"].as_array().unwrap().iter().map(|fact| fact["text"].as_str().unwrap().to_owned());
    let facts: Vec<String> = facts.collect();
    let summary = get(&mut world, "/api/threads/main/summary", "")["summary"].as_str().unwrap().to_owned();
    (folds, facts, summary)
}

fn check(planted: &[Planted], talk: &[&str]) {
    let (folds, facts, summary) = after_the_talk(planted, talk);
    assert!(folds >= 20, "only {folds} folds");
    let taken_back: Vec<&str> = planted.iter().filter_map(|planted| planted.2).collect();
    let lasting: Vec<&Planted> = planted.iter().filter(|planted| !taken_back.contains(&planted.1)).collect();
    let is_there = |mark: &str| summary.contains(mark) || facts.iter().any(|fact| fact.contains(mark));
    let lost: Vec<&&Planted> = lasting.iter().filter(|planted| !is_there(planted.1)).collect();
    assert!(lost.len() * 20 <= lasting.len(), "lost {lost:?}\n{summary}\n{facts:#?}");
    for (said, new, old) in planted.iter().filter_map(|(said, new, old)| Some((said, new, (*old)?))) {
        let both = facts.iter().any(|fact| fact.contains(old) && !fact.contains(new))
            && facts.iter().any(|fact| fact.contains(new));
        assert!(!both, "{said}: {old} and {new} are both current: {facts:#?}");
        let lines: Vec<&str> = summary.lines().collect();
        let told = |mark: &str| lines.iter().rposition(|line| line.contains(mark));
        if let (Some(then), Some(now)) = (told(old), told(new)) {
            assert!(then <= now, "the summary tells {old} last:\n{summary}");
        }
    }
    for small in talk {
        assert!(!summary.contains(small), "small talk in the summary: {small}\n{summary}");
    }
}

#[test]
fn forty_english_facts_outlast_more_than_twenty_folds_and_corrections_win() {
    check(ENGLISH, TALK_EN);
}

#[test]
fn forty_japanese_facts_outlast_more_than_twenty_folds_and_corrections_win() {
    check(JAPANESE, TALK_JA);
}
