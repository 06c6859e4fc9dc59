//! Japanese predicates: 「大阪に住んでいる」, 「猫が好きじゃない」, 「そばアレルギーです」.

use super::dates;
use super::japanese::{Clause, Subject, without_decoration};
use super::japanese_words::{
    ADVERBS, AILMENTS, ATTRIBUTES, Ending, NOUN_ENDINGS, OTHERS, PETS, POINTERS, POSSESSIONS, RELATIVES,
    TE_ENDINGS, VERB_ENDINGS, is_occupation,
};
use super::statement::{Slot, Statement, When};

/// A stem found before a complete ending.
struct Predicate<'a> {
    before: &'a str,
    negated: bool,
    past: bool,
}

pub fn read(clause: &Clause) -> Vec<Statement> {
    let (body, period) = without_period(clause);
    let body = without_adverbs(&body).to_owned();
    let me = Clause { body: &body, ..*clause };
    let readers: [fn(&Clause) -> Option<Vec<Statement>>; 12] =
        [favourite, attribute, taste, plan, home, work, pet, family, health, language, identity, habit];
    let mut statements = readers.iter().find_map(|reader| reader(&me)).unwrap_or_default();
    for statement in &mut statements {
        let (from, until) = period.clone();
        if until.is_some() && statement.when == When::Now {
            statement.when = When::Past;
        }
        (statement.from, statement.until) = (from, until);
    }
    match clause.subject {
        Subject::Family(who) => statements.into_iter().map(|of_user| of_family(who, of_user)).collect(),
        _ => statements,
    }
}

/// What is said of a relative, under their word: 「妹は東京に住んでいる。」
fn of_family(who: &str, of_user: Statement) -> Statement {
    let about = format!("{who} {} {}", of_user.slot as u8, of_user.about);
    let is_single =
        matches!(of_user.slot, Slot::Home | Slot::Age | Slot::Workplace | Slot::Name | Slot::Taste);
    let mut statement =
        Statement::new(Slot::Relation, about.trim(), &of_user.value, format!("{who}は{}", of_user.text))
            .negated(of_user.negated)
            .when(of_user.when);
    if of_user.slot == Slot::Name {
        statement =
            Statement::new(Slot::Relation, who, &of_user.value, format!("{who}の名前は{}。", of_user.value));
    }
    statement.single = is_single;
    (statement.from, statement.until) = (of_user.from, of_user.until);
    statement
}

/// 「敬語で話して(ください)」: how to be answered, in general.
pub fn manner(sentence: &str) -> Option<Statement> {
    let core = without_decoration(sentence);
    let core = [
        "ください",
        "下さい",
        "くださいね",
        "ほしいです",
        "ほしい",
        "欲しい",
        "欲しいです",
        "くれ",
        "ね",
        "もらいたい",
        "いただきたい",
    ]
    .iter()
    .find_map(|end| core.strip_suffix(end))
    .unwrap_or(core);
    let (verb, before) = [
        "話して",
        "答えて",
        "返事して",
        "返事をして",
        "返信して",
        "返答して",
        "回答して",
        "しゃべって",
        "喋って",
    ]
    .iter()
    .find_map(|verb| Some((*verb, core.strip_suffix(verb)?)))?;
    let before = [
        "これからは",
        "これから",
        "今後は",
        "以後は",
        "なるべく",
        "できるだけ",
        "私には",
        "僕には",
        "私に",
        "いつも",
        "常に",
        "必ず",
        "、",
    ]
    .iter()
    .fold(before.trim(), |text, opening| text.trim_start_matches(opening));
    let length = before.chars().count();
    let is_style = before.ends_with('で') || before.ends_with('に') || before.ends_with('く');
    let points = [
        "この",
        "その",
        "質問",
        "次の",
        "以下",
        "一緒",
        "ついて",
        "相手",
        "みんな",
        "友達",
        "電話",
        "私",
        "誰",
        "英会話",
        "先生",
    ]
    .iter()
    .any(|word| before.contains(word));
    (is_style && !points && (2..=16).contains(&length))
        .then(|| Statement::new(Slot::Manner, "", before, format!("{before}{verb}ほしい。")))
}

/// 「(一番)好きなXはYです」
fn favourite(clause: &Clause) -> Option<Vec<Statement>> {
    let rest = ["一番好きな", "いちばん好きな", "好きな"]
        .iter()
        .find_map(|opening| clause.body.strip_prefix(opening))?;
    let (class, rest) = rest.split_once('は')?;
    let found = noun(rest)?;
    let value = object(found.before)?;
    let is_class = (1..=8).contains(&class.chars().count()) && !class.contains(['の', 'が', 'を', 'と']);
    (is_class && !found.negated && !found.past).then(|| {
        let value = value.trim_start_matches('、');
        vec![Statement::new(Slot::Favourite, class, value, format!("好きな{class}は{value}。"))]
    })
}

/// 「趣味は読書です」, 「猫の名前はタマです」, 「読書が趣味です」
fn attribute(clause: &Clause) -> Option<Vec<Statement>> {
    if let Some(found) = ending(clause.body, "趣味", NOUN_ENDINGS)
        && let Some(value) = found.before.strip_suffix('が').and_then(object)
        && !found.negated
    {
        return Some(vec![Statement::new(Slot::Trait, "趣味", value, format!("趣味は{value}。"))]);
    }
    let (owner, rest) = clause.body.split_once('は')?;
    let rest = without_adverbs(rest.trim_start_matches(['、', ' ', '　']));
    if let Some(of) = owner.strip_suffix("の名前").or_else(|| owner.strip_suffix("の名")) {
        let of = of.trim_start_matches("飼っている").trim_start_matches("飼ってる");
        let name = given_name(rest)?;
        return known_being(of).map(|slot| vec![named(slot, of, name)]);
    }
    if PETS.contains(&owner) || RELATIVES.contains(&owner) {
        let name = called(rest)?;
        return known_being(owner).map(|slot| vec![named(slot, owner, name)]);
    }
    let &(noun_word, slot, single) = ATTRIBUTES.iter().find(|(word, ..)| *word == owner)?;
    if slot == Slot::Name || slot == Slot::Nickname {
        return given_name(rest).map(|name| vec![name_statement(slot, name)]);
    }
    let found = noun(rest)?;
    let value = object(found.before)?;
    let shape = match slot {
        Slot::Birthday | Slot::Age => value.contains(|c: char| c.is_numeric()),
        Slot::Origin | Slot::Workplace => is_place(value),
        Slot::Occupation => {
            is_occupation(value) || value.chars().count() >= 2 && !value.contains(['が', 'は', 'を', 'い'])
        }
        _ => true,
    };
    if found.negated || found.past || !shape || is_adjective(value) {
        return None;
    }
    let text = if slot == Slot::Age { format!("{value}。") } else { format!("{noun_word}は{value}。") };
    let about = if matches!(slot, Slot::Trait | Slot::School | Slot::Language | Slot::Possession) {
        noun_word
    } else {
        ""
    };
    let statement = Statement::new(slot, about, value, text);
    Some(vec![if single { statement.single() } else { statement }])
}

fn taste(clause: &Clause) -> Option<Vec<Statement>> {
    let stems = [
        ("大好き", true),
        ("だいすき", true),
        ("大好物", true),
        ("好き", true),
        ("すき", true),
        ("大嫌い", false),
        ("嫌い", false),
        ("きらい", false),
        ("苦手", false),
    ];
    let (stem, likes, found) = stems.iter().find_map(|(stem, likes)| {
        ending(clause.body, stem, NOUN_ENDINGS).map(|found| (*stem, *likes, found))
    })?;
    let stem = match stem {
        "だいすき" => "大好き",
        "すき" => "好き",
        "きらい" => "嫌い",
        _ => stem,
    };
    // 「嫌いじゃない」 is neither; 「好きで始めた」 can't reach here, because で ends a clause only at its pause.
    if found.negated && !likes {
        return Some(Vec::new());
    }
    let mut before = without_trailing_adverbs(found.before);
    let particle = ["のことが", "が", "は", "も", "を"]
        .iter()
        .find(|particle| before.ends_with(**particle))
        .copied()
        .unwrap_or("");
    before = before.strip_suffix(particle).unwrap_or(before);
    let tail = match (found.negated, found.past) {
        (false, false) => "",
        (true, false) => "ではない",
        (false, true) => "だった",
        (true, true) => return Some(Vec::new()),
    };
    let value = if likes && !found.negated { "like" } else { "dislike" };
    let when = if found.past { When::Past } else { When::Now };
    let statements = parts(before)
        .into_iter()
        .map(|object| {
            let link = if object.contains('も') { "も" } else { "が" };
            Statement::new(Slot::Taste, object, value, format!("{object}{link}{stem}{tail}。")).when(when)
        })
        .collect();
    Some(statements)
}

fn plan(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    if let Some(found) = ending(body, "予定", NOUN_ENDINGS)
        .or_else(|| ending(body, "つもり", NOUN_ENDINGS))
        .or_else(|| ending(body, "計画", NOUN_ENDINGS))
    {
        let doing = found.before;
        let is_action = doing.ends_with(['る', 'く', 'う', 'む', 'す', 'ぶ', 'つ', 'の', 'い', 'ぐ'])
            && doing.chars().count() >= 3;
        let word = if body.contains("つもり") { "つもり" } else { "予定" };
        if !is_action || found.past || points(doing) {
            return Some(Vec::new());
        }
        let tail = if found.negated { "ではない" } else { "" };
        return Some(vec![
            Statement::new(Slot::Plan, doing, "", format!("{doing}{word}{tail}。"))
                .negated(found.negated)
                .when(When::Ahead),
        ]);
    }
    let found = ["ことにし", "ことに決め", "ことを決め", "と決め"]
        .iter()
        .find_map(|stem| ending(body, stem, VERB_ENDINGS))?;
    if found.negated || !found.past || found.before.chars().count() < 3 || points(found.before) {
        return Some(Vec::new());
    }
    Some(vec![Statement::new(Slot::Decision, found.before, "", format!("{}ことにした。", found.before))])
}

fn home(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    let place_statement = |slot, about: &str, place: &str, text: String, found: &Predicate| {
        let when = if found.past && slot == Slot::Home { When::Past } else { When::Now };
        Some(vec![Statement::new(slot, about, place, text).negated(found.negated).when(when)])
    };
    for stem in ["に住んで", "で暮らして", "で一人暮らしして", "で一人暮らしをして", "に在住して", "にすんで"]
    {
        if let Some(found) = ending(body, stem, TE_ENDINGS) {
            let place = place(found.before)?;
            let text = format!(
                "{place}{}。",
                with_te(if stem.starts_with('で') { "で暮らして" } else { "に住んで" }, &found)?
            );
            return place_statement(Slot::Home, "", place, text, &found);
        }
    }
    if let Some(found) = ending(body, "在住", NOUN_ENDINGS) {
        let place = place(found.before)?;
        return (!found.negated).then(|| {
            place_statement(
                Slot::Home,
                "",
                place,
                format!("{place}に住んで{}。", if found.past { "いた" } else { "いる" }),
                &found,
            )
        })?;
    }
    for stem in
        ["に引っ越し", "へ引っ越し", "に移住し", "に引越し", "へ移住し", "に引っ越してき", "に越してき"]
    {
        if let Some(found) = ending(body, stem, VERB_ENDINGS).filter(|found| found.past && !found.negated) {
            let place = place(found.before.rsplit("から").next()?)?;
            return Some(vec![Statement::new(Slot::Home, "", place, format!("{place}に引っ越した。"))]);
        }
    }
    if let Some(found) = ending(body, "出身", NOUN_ENDINGS) {
        let place = place(found.before.trim_end_matches('の'))?;
        let text =
            if found.negated { format!("{place}出身ではない。") } else { format!("{place}出身。") };
        return place_statement(Slot::Origin, "", place, text, &found);
    }
    for (stem, about, verb) in [
        ("で生まれ", "born", "で生まれた"),
        ("生まれ", "born", "生まれ"),
        ("で育ち", "grew up", "で育った"),
        ("育ち", "grew up", "育ち"),
    ] {
        let found = ending(body, stem, VERB_ENDINGS)
            .filter(|found| found.past)
            .or_else(|| ending(body, stem, NOUN_ENDINGS));
        if let Some(found) = found.filter(|found| !found.negated) {
            let before = found.before.trim_end_matches('に').trim_end_matches('の');
            if before.contains(|c: char| c.is_numeric()) || dates::japanese(before, None).is_some() {
                return object(before)
                    .map(|date| vec![Statement::new(Slot::Birthday, "", date, format!("{date}生まれ。"))]);
            }
            let place = place(before)?;
            return place_statement(Slot::Origin, about, place, format!("{place}{verb}。"), &found);
        }
    }
    None
}

fn work(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    let build = |slot, about: &str, value: &str, text: String, found: &Predicate| {
        let when = if found.past { When::Past } else { When::Now };
        Some(vec![Statement::new(slot, about, value, text).negated(found.negated).when(when)])
    };
    for stem in [
        "で働いて",
        "に勤めて",
        "で勤めて",
        "に勤務して",
        "で勤務して",
        "で仕事をして",
        "でアルバイトをして",
        "でバイトをして",
        "でバイトして",
        "でパートをして",
    ] {
        if let Some(found) = ending(body, stem, TE_ENDINGS) {
            let place = object(found.before)?;
            let is_where = ![
                "在宅",
                "家",
                "自宅",
                "夜",
                "外",
                "一人",
                "みんな",
                "フル",
                "テレワーク",
                "リモート",
                "今",
                "夜勤",
                "パート",
                "アルバイト",
                "派遣",
                "正社員",
            ]
            .contains(&place)
                && is_place(place);
            let text = format!("{place}{}。", with_te(stem, &found)?);
            return if is_where {
                build(Slot::Workplace, "", place, text, &found)
            } else {
                build(Slot::Habit, stem, place, text, &found)
            };
        }
    }
    for stem in ["として働いて", "の仕事をして", "をして", "をやって", "の仕事して"] {
        if let Some(found) = ending(body, stem, TE_ENDINGS)
            && let Some(role) = object(found.before)
        {
            let is_role = is_occupation(role)
                || stem.contains("仕事")
                    && role.chars().count() >= 2
                    && !is_adjective(role)
                    && !role.ends_with(['い', 'な', 'る', 'た']);
            if is_role {
                return build(
                    Slot::Occupation,
                    "",
                    role,
                    format!("{role}{}。", with_te(stem, &found)?),
                    &found,
                );
            }
        }
    }
    for (stem, slot) in [
        ("に通って", Slot::School),
        ("に在学して", Slot::School),
        ("を専攻して", Slot::School),
        ("を勉強して", Slot::School),
        ("の勉強をして", Slot::School),
        ("を習って", Slot::Habit),
        ("を学んで", Slot::School),
        ("を教えて", Slot::Habit),
    ] {
        if let Some(found) = ending(body, stem, TE_ENDINGS)
            && let Some(subject) = object(found.before)
        {
            let slot = match slot {
                Slot::School if subject.ends_with('語') => Slot::Language,
                Slot::School
                    if stem == "に通って"
                        && !["大学", "学校", "高校", "大学院", "専門", "中学"]
                            .iter()
                            .any(|s| subject.contains(s)) =>
                {
                    Slot::Habit
                }
                slot => slot,
            };
            let about = format!("{} {subject}", stem.trim_start_matches(['を', 'に', 'の']));
            return build(slot, &about, "", format!("{subject}{}。", with_te(stem, &found)?), &found);
        }
    }
    for stem in
        ["大学を卒業し", "高校を卒業し", "学部を卒業し", "学校を卒業し", "大学院を卒業し", "大学院を修了し"]
    {
        if let Some(found) = ending(body, stem, VERB_ENDINGS).filter(|found| found.past && !found.negated) {
            let school = format!("{}{}", found.before, stem.split('を').next()?);
            return Some(vec![
                Statement::new(Slot::School, "school", &school, format!("{school}を卒業した。"))
                    .when(When::Past),
            ]);
        }
    }
    None
}

fn pet(clause: &Clause) -> Option<Vec<Statement>> {
    let found =
        ["を飼って", "飼って", "を飼育して"].iter().find_map(|stem| ending(clause.body, stem, TE_ENDINGS))?;
    let said = object(found.before.trim_end_matches('は').trim_end_matches('も'))?;
    let animal = PETS.iter().find(|pet| said.contains(**pet)).copied()?;
    let name = said
        .split_once("という名前の")
        .or_else(|| said.split_once("という"))
        .or_else(|| said.split_once("って名前の"))
        .map(|(name, _)| name)
        .or_else(|| said.split_once(animal)?.1.strip_prefix('の').filter(|name| !name.is_empty()))
        .unwrap_or("");
    let text = format!("{said}を飼って{}。", te_tail(&found)?);
    let when = if found.past { When::Past } else { When::Now };
    Some(vec![Statement::new(Slot::Pet, animal, name, text).negated(found.negated).when(when)])
}

/// 「子供が二人います」, 「結婚しています」
fn family(clause: &Clause) -> Option<Vec<Statement>> {
    for (stem, about) in [
        ("結婚して", "結婚"),
        ("婚約して", "婚約"),
        ("離婚して", "離婚"),
        ("妊娠して", "妊娠"),
        ("同棲して", "同棲"),
    ] {
        if let Some(found) =
            ending(clause.body, stem, TE_ENDINGS).filter(|found| found.before.is_empty() && !found.past)
        {
            return Some(vec![
                Statement::new(Slot::Trait, about, "", format!("{stem}{}。", te_tail(&found)?))
                    .negated(found.negated),
            ]);
        }
    }
    let (rest, negated) = [
        ("いません", true),
        ("いない", true),
        ("いないです", true),
        ("います", false),
        ("おります", false),
        ("いる", false),
        ("いて", false),
    ]
    .iter()
    .find_map(|(end, negated)| Some((clause.body.strip_suffix(end)?, *negated)))?;
    let (who, count) =
        rest.split_once('が').or_else(|| rest.split_once('は')).or_else(|| rest.split_once('も'))?;
    let being = RELATIVES.iter().chain(PETS).find(|word| {
        **word == who
            || who.ends_with(**word) && (who.contains('の') || who.contains('歳') || who.contains('人'))
    })?;
    let is_count = count.is_empty()
        || count.ends_with(['人', '匹', '羽', '頭', 'り', 'つ', '名']) && count.chars().count() <= 5;
    if !is_count || points(who) {
        return Some(Vec::new());
    }
    let slot = if PETS.contains(being) { Slot::Pet } else { Slot::Relation };
    let text = format!("{who}が{count}い{}。", if negated { "ない" } else { "る" });
    Some(vec![Statement::new(slot, &format!("has {being}"), count, text).negated(negated)])
}

fn health(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    let has = ["があります", "がある", "があって", "もあります", "持ちです", "持ち", "があるん"]
        .iter()
        .find_map(|end| body.strip_suffix(end))
        .unwrap_or(body);
    let lacks =
        ["はありません", "はない", "はないです", "がない"].iter().find_map(|end| body.strip_suffix(end));
    if let Some(found) = ending(lacks.unwrap_or(has), "アレルギー", NOUN_ENDINGS) {
        let substance = object(found.before.trim_end_matches(['の', 'に', 'は']))?;
        let negated = found.negated || lacks.is_some();
        let text = if negated {
            format!("{substance}アレルギーではない。")
        } else {
            format!("{substance}アレルギー。")
        };
        return (!found.past)
            .then(|| vec![Statement::new(Slot::Allergy, substance, "allergic", text).negated(negated)]);
    }
    for ailment in AILMENTS {
        if let Some(found) = ending(has, ailment, NOUN_ENDINGS).filter(|found| {
            found.before.chars().count() <= 4 && !found.past && !found.before.contains(['は', 'が', 'を'])
        }) {
            let name = format!("{}{ailment}", found.before);
            let text =
                if found.negated { format!("{name}ではない。") } else { format!("{name}がある。") };
            return Some(vec![Statement::new(Slot::Health, &name, "", text).negated(found.negated)]);
        }
    }
    for (stem, verb) in [
        ("食べられ", "食べられない"),
        ("たべられ", "食べられない"),
        ("飲め", "飲めない"),
        ("食べれ", "食べられない"),
    ] {
        if let Some(found) = ending(body, stem, VERB_ENDINGS).filter(|found| found.negated && !found.past) {
            let before = without_trailing_adverbs(found.before);
            let thing = object(before.trim_end_matches(['が', 'は', 'を', 'も']))?;
            if is_temporary(thing) || thing.contains(['は', 'で']) {
                return Some(Vec::new());
            }
            return Some(vec![
                Statement::new(Slot::Health, &format!("{verb} {thing}"), "", format!("{thing}が{verb}。"))
                    .negated(true),
            ]);
        }
    }
    None
}

fn language(clause: &Clause) -> Option<Vec<Statement>> {
    for stem in ["話せ", "しゃべれ", "喋れ", "話し", "でき"] {
        if let Some(found) = ending(clause.body, stem, VERB_ENDINGS).filter(|found| !found.past) {
            let before = without_trailing_adverbs(found.before);
            let tongues = before.trim_end_matches(['が', 'を', 'は', 'も']);
            if !tongues.ends_with('語') {
                return None;
            }
            let tail = if found.negated { "話せない" } else { "話せる" };
            return Some(
                parts(tongues)
                    .into_iter()
                    .map(|tongue| {
                        Statement::new(Slot::Language, tongue, "speaks", format!("{tongue}が{tail}。"))
                            .negated(found.negated)
                    })
                    .collect(),
            );
        }
    }
    let found = ["を持って", "持って"]
        .iter()
        .find_map(|stem| ending(clause.body, stem, TE_ENDINGS))
        .filter(|found| !found.past)?;
    let thing = object(found.before.trim_end_matches(['は', 'も', 'が']))?;
    POSSESSIONS.iter().any(|noun| thing.ends_with(noun)).then(|| {
        let tail = if found.negated { "いない" } else { "いる" };
        vec![
            Statement::new(Slot::Possession, thing, "", format!("{thing}を持って{tail}。"))
                .negated(found.negated),
        ]
    })
}

/// Names, ages, work and states as the whole predicate: 「30歳です」, 「会社員です」, 「田中と申します」
fn identity(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    if let Some(name) = called(body) {
        return Some(vec![name_statement(Slot::Name, name)]);
    }
    for end in ["と呼んで", "って呼んで", "とよんで", "ってよんで"] {
        if let Some(name) = body.find(end).and_then(|at| body.get(..at)) {
            let name = name.rsplit(['、', 'は']).next()?;
            return is_name(name).then(|| vec![name_statement(Slot::Nickname, name)]);
        }
    }
    let found = noun(body)?;
    let word = found.before;
    if let Some(number) = word.strip_suffix('歳').or_else(|| word.strip_suffix('才')) {
        let is_number = (1..=3).contains(&number.chars().count())
            && number.chars().all(|c| c.is_numeric() || "一二三四五六七八九十".contains(c));
        let when = if found.past { When::Past } else { When::Now };
        return (is_number && !found.negated)
            .then(|| vec![Statement::new(Slot::Age, "", number, format!("{number}歳。")).when(when)]);
    }
    if let Some(decade) =
        word.strip_suffix('代').filter(|n| n.chars().count() == 2 && n.chars().all(char::is_numeric))
    {
        return (!found.negated && !found.past)
            .then(|| vec![Statement::new(Slot::Age, "", word, format!("{decade}代。"))]);
    }
    for state in [
        "独身",
        "既婚",
        "未婚",
        "左利き",
        "右利き",
        "バツイチ",
        "ベジタリアン",
        "ヴィーガン",
        "一人暮らし",
        "ひとり暮らし",
        "二人暮らし",
        "実家暮らし",
        "一人っ子",
        "ペーパードライバー",
        "インドア派",
        "アウトドア派",
        "猫派",
        "犬派",
        "下戸",
        "末っ子",
        "甘党",
        "辛党",
        "夜型",
        "朝型",
    ] {
        if word == state {
            let tail = if found.negated {
                "ではない"
            } else if found.past {
                "だった"
            } else {
                ""
            };
            let when = if found.past { When::Past } else { When::Now };
            return Some(vec![
                Statement::new(Slot::Trait, state, "", format!("{state}{tail}。"))
                    .negated(found.negated)
                    .when(when),
            ]);
        }
    }
    let is_role = is_occupation(word)
        && word.chars().count() <= 12
        && !word.contains(['は', 'が', 'を', 'も', '、'])
        && !points(word);
    if is_role && !(found.negated && found.past) {
        let tail = if found.negated {
            "ではない"
        } else if found.past {
            "だった"
        } else {
            ""
        };
        let when = if found.past { When::Past } else { When::Now };
        return Some(vec![
            Statement::new(Slot::Occupation, "", word, format!("{word}{tail}。"))
                .negated(found.negated)
                .when(when),
        ]);
    }
    // 「はじめまして、田中です」
    let introduces = clause.greeted
        && body.ends_with("です")
        && is_name(word)
        && !found.negated
        && !found.past
        && word.chars().count() <= 5;
    introduces.then(|| vec![name_statement(Slot::Name, word)])
}

/// 「毎朝走っています」, 「肉は食べません」
fn habit(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    for (stem, verb) in [
        ("食べ", "食べない"),
        ("飲ま", "飲まない"),
        ("飲み", "飲まない"),
        ("吸わ", "吸わない"),
        ("吸い", "吸わない"),
    ] {
        if let Some(found) = ending(body, stem, VERB_ENDINGS).filter(|found| found.negated && !found.past) {
            let before = without_trailing_adverbs(found.before);
            let thing = object(before.trim_end_matches(['は', 'を', 'も', 'が']))?;
            let vague = before.len() != found.before.len()
                || is_temporary(thing)
                || thing.contains(['は', 'し', 'で']);
            let fine = !vague && body.contains(thing);
            return fine.then(|| {
                vec![
                    Statement::new(Slot::Habit, &format!("{verb} {thing}"), "", format!("{thing}を{verb}。"))
                        .negated(true),
                ]
            });
        }
    }
    let is_frequent = [
        "毎日",
        "毎朝",
        "毎晩",
        "毎週",
        "毎年",
        "週に",
        "週1",
        "週2",
        "週3",
        "週4",
        "週5",
        "月に",
        "週末は",
        "休日は",
        "休みの日は",
    ]
    .iter()
    .any(|word| clause.body.starts_with(word));
    let core = [
        "しています",
        "してます",
        "している",
        "してる",
        "ています",
        "てます",
        "ている",
        "でいます",
        "でます",
        "ます",
    ]
    .iter()
    .find_map(|end| body.strip_suffix(end).map(|stem| (stem, *end)));
    let (stem, end) = core?;
    let length = body.chars().count();
    if !is_frequent || !(6..=30).contains(&length) || points(body) || body.contains('ま') && stem.is_empty()
    {
        return None;
    }
    let end = match end {
        "しています" | "してます" | "してる" => "している",
        "ています" | "てます" => "ている",
        "でいます" | "でます" => "でいる",
        end => end,
    };
    Some(vec![Statement::new(Slot::Habit, stem, "", format!("{stem}{end}。"))])
}

fn name_statement(slot: Slot, name: &str) -> Statement {
    let text = if slot == Slot::Nickname {
        format!("{name}と呼ばれたい。")
    } else {
        format!("名前は{name}。")
    };
    Statement::new(slot, "", name, text)
}

fn named(slot: Slot, of: &str, name: &str) -> Statement {
    Statement::new(slot, of, name, format!("{of}の名前は{name}。"))
}

fn known_being(word: &str) -> Option<Slot> {
    if PETS.contains(&word) {
        return Some(Slot::Pet);
    }
    RELATIVES.contains(&word).then_some(Slot::Relation)
}

/// 「…という名前です」, 「…と申します」, 「…といいます」
fn called(body: &str) -> Option<&str> {
    let ends = [
        "という名前です",
        "という名前だ",
        "という名前",
        "って名前です",
        "って名前",
        "と申します",
        "といいます",
        "と言います",
        "っていいます",
        "と名付けました",
    ];
    let name = ends.iter().find_map(|end| body.strip_suffix(end))?;
    let name = name.rsplit(['、', '，', ' ']).next()?;
    is_name(name).then_some(name)
}

fn given_name(rest: &str) -> Option<&str> {
    called(rest).or_else(|| {
        let found = noun(rest)?;
        let is_given = is_name(found.before) && !found.negated && !found.past;
        is_given.then_some(found.before)
    })
}

fn is_name(word: &str) -> bool {
    let length = word.chars().count();
    (1..=14).contains(&length)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, 'ー' | '・' | ' ' | '　'))
        && !points(word)
        && !word.ends_with(['い', 'な', 'を', 'が', 'は', 'に', 'て'])
        && !word.ends_with("お願")
        && !["よろしく", "秘密", "内緒", "まだ", "ない", "初めて", "元気", "有名", "珍しい", "同じ"]
            .iter()
            .any(|w| word.contains(w))
}

fn noun(body: &str) -> Option<Predicate<'_>> {
    ending(body, "", NOUN_ENDINGS).filter(|found| !found.before.is_empty())
}

/// The body before `stem` and one of the endings, if nothing else follows.
fn ending<'a>(body: &'a str, stem: &str, endings: &[Ending]) -> Option<Predicate<'a>> {
    endings.iter().find_map(|&(end, negated, past)| {
        let before = body.strip_suffix(end)?.strip_suffix(stem)?;
        Some(Predicate { before, negated, past })
    })
}

fn te_tail(found: &Predicate) -> Option<&'static str> {
    match (found.negated, found.past) {
        (false, false) => Some("いる"),
        (true, false) => Some("いない"),
        (false, true) => Some("いた"),
        (true, true) => None,
    }
}

fn with_te(stem: &str, found: &Predicate) -> Option<String> {
    te_tail(found).map(|tail| format!("{stem}{tail}"))
}

/// A noun phrase that says what it means by itself.
fn object(said: &str) -> Option<&str> {
    let said = without_adverbs(said.trim().trim_start_matches('、')).trim();
    let length = said.chars().count();
    let is_other = said
        .find('は')
        .and_then(|at| said.get(..at))
        .is_some_and(|who| OTHERS.iter().chain(RELATIVES).any(|word| who.ends_with(word)));
    let fits = (1..=24).contains(&length)
        && !points(said)
        && !is_other
        && !said.contains(['「', '」', '(', '（', '？', '?', '！', '!', '。']);
    (fits
        && !said.starts_with(['が', 'を', 'は', 'も', 'と', 'に', 'で', 'の'])
        && said.chars().any(char::is_alphanumeric))
    .then_some(said)
}

fn place(said: &str) -> Option<&str> {
    let said = said.rsplit("で、").next()?;
    object(said).filter(|place| is_place(place))
}

fn is_place(place: &str) -> bool {
    place.chars().count() <= 16
        && !place.ends_with(['い', 'な', 'り', 'て', 'く', 'と', 'も', 'ら'])
        && !place.contains(['を', 'が', 'は'])
        && !["一人", "ひとり", "二人", "家族", "一緒", "年", "前", "頃", "とき", "時"]
            .iter()
            .any(|word| place.ends_with(word))
}

fn is_adjective(value: &str) -> bool {
    value.ends_with(['い', 'な'])
        && value.chars().count() >= 2
        && !value.ends_with("占い")
        && !value.ends_with("習い")
        || [
            "大変",
            "楽",
            "忙し",
            "順調",
            "好き",
            "嫌い",
            "微妙",
            "最高",
            "休み",
            "秘密",
            "いろいろ",
            "色々",
            "特に",
        ]
        .iter()
        .any(|word| value.starts_with(word))
}

fn points(said: &str) -> bool {
    POINTERS
        .iter()
        .any(|pointer| said == *pointer || (pointer.chars().count() >= 2 && said.starts_with(pointer)))
        || ["そういう", "こういう", "それ", "これ", "その", "この", "誰か", "何か", "どこか", "あなた"]
            .iter()
            .any(|word| said.contains(word))
}

fn is_temporary(thing: &str) -> bool {
    ["今日", "昨日", "明日", "今", "最近", "朝", "昼", "夜", "まだ", "もう", "あまり", "全然", "ほとんど"]
        .iter()
        .any(|word| thing.contains(word))
}

/// The objects of a list of plain nouns, one by one; anything else stays whole.
fn parts(said: &str) -> Vec<&str> {
    let pieces: Vec<&str> = said
        .split(['、', '，', '・'])
        .flat_map(|piece| piece.split("と"))
        .flat_map(|piece| piece.split('や'))
        .collect();
    let plain = |piece: &&str| {
        (1..=10).contains(&piece.chars().count()) && !piece.chars().any(|c| matches!(c, 'ぁ'..='ん'))
    };
    if (2..=6).contains(&pieces.len()) && pieces.iter().all(plain) && !said.contains('・') {
        return pieces.into_iter().filter_map(object).collect();
    }
    object(said).into_iter().collect()
}

fn without_adverbs(mut said: &str) -> &str {
    loop {
        let rest = ADVERBS.iter().find_map(|adverb| {
            let rest = said.strip_prefix(adverb)?;
            // 「今井」 and 「昔話」 begin with no adverb.
            let is_word = rest.is_empty() || adverb.chars().count() >= 2 && !matches!(*adverb, "現在" | "普段" | "基本" | "結構" | "最近" if rest.starts_with('の')) || rest.starts_with(['、', 'は', ' ', '　']);
            is_word.then(|| rest.trim_start_matches(['、', ' ', '　']))
        });
        match rest {
            Some(rest) if !rest.is_empty() => said = rest,
            _ => return said,
        }
    }
}

fn without_trailing_adverbs(said: &str) -> &str {
    let said = said.trim_end_matches(['、', ' ', '　']);
    ADVERBS
        .iter()
        .filter(|adverb| adverb.chars().count() >= 2 && **adverb != "だけ")
        .find_map(|adverb| said.strip_suffix(adverb))
        .map_or(said, |rest| rest.trim_end_matches(['、', ' ', '　']))
}

/// Takes a resolved date out: 「2015年から2018年まで」, 「来月」; what is left reads as a sentence still.
fn without_period(clause: &Clause) -> (String, (Option<String>, Option<String>)) {
    let body = clause.body;
    let Some((date, range)) = dates::japanese(body, clause.today) else {
        return (body.to_owned(), (None, None));
    };
    let (before, after) = (body.get(..range.start).unwrap_or(""), body.get(range.end..).unwrap_or(""));
    // A date that is the value itself stays: 「誕生日は1990年5月3日です」, 「1990年生まれ」.
    if ["生まれ", "です", "だ", "の", "も", "ので", "が", "以"].iter().any(|next| after.starts_with(next))
        || after.is_empty()
        || before.ends_with('「')
        || before.contains("誕生日")
        || before.contains("記念日")
    {
        return (body.to_owned(), (None, None));
    }
    let skip = |text: &str, particles: &[&str]| {
        particles
            .iter()
            .find_map(|p| text.strip_prefix(p).map(str::to_owned))
            .unwrap_or_else(|| text.to_owned())
    };
    if let Some(rest) = after.strip_prefix("まで") {
        return (format!("{before}{}", skip(rest, &["は、", "は", "、"])), (None, Some(date)));
    }
    if let Some(rest) = after.strip_prefix("から") {
        let rest = rest.trim_start_matches('、');
        if let Some((until, range)) = dates::japanese(rest, clause.today)
            && let Some(left) = rest.get(range.end..).and_then(|left| left.strip_prefix("まで"))
            && range.start == 0
        {
            return (format!("{before}{}", skip(left, &["は、", "は", "、"])), (Some(date), Some(until)));
        }
        return (format!("{before}{rest}"), (Some(date), None));
    }
    (
        format!("{before}{}", skip(after, &["には、", "には", "に、", "に", "は、", "は", "、"])),
        (Some(date), None),
    )
}
