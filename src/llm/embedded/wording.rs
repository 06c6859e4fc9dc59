//! What the built-in model says, in the question's language.

use super::answer::Known;
use super::english::words::base_of_third;
use crate::text::case::lower;
use crate::text::language::Language;
use crate::text::prefix_chars;

pub fn introduction(language: Language) -> &'static str {
    match language {
        Language::En => {
            "I'm Kioku's built-in model: there is no language model behind me, so I can only answer from what is remembered about you. \
             To connect a real one, set MODEL_PROVIDER=openai with MODEL_BASE_URL and CHAT_MODEL (any OpenAI-compatible server, for example \
             Ollama at http://localhost:11434/v1), or MODEL_PROVIDER=workers-ai."
        }
        Language::Ja => {
            "私はKiokuの内蔵モデルです。言語モデルはつながっていないので、あなたについて覚えていることにしか答えられません。\
             本物のモデルを使うには、MODEL_PROVIDER=openai と MODEL_BASE_URL、CHAT_MODEL（OpenAI互換サーバー、例えば http://localhost:11434/v1 の\
             Ollama）を設定するか、MODEL_PROVIDER=workers-ai にしてください。"
        }
    }
}

/// For those who have read the introduction.
pub fn reminder(language: Language) -> &'static str {
    match language {
        Language::En => "As Kioku's built-in model I only know what is remembered about you.",
        Language::Ja => "内蔵モデルの私に分かるのは、あなたについて覚えていることだけです。",
    }
}

pub fn cannot(language: Language) -> &'static str {
    match language {
        Language::En => "I can't answer that.",
        Language::Ja => "それにはお答えできません。",
    }
}

pub fn unknown(language: Language) -> &'static str {
    match language {
        Language::En => "I don't know that about you.",
        Language::Ja => "それについては、あなたから聞いた覚えがありません。",
    }
}

pub fn nothing_known(language: Language) -> &'static str {
    match language {
        Language::En => "I don't know anything about you yet.",
        Language::Ja => "あなたについて覚えていることは、まだありません。",
    }
}

pub fn just_told(language: Language) -> &'static str {
    match language {
        Language::En => "You have just told me:",
        Language::Ja => "さきほど伺ったこと：",
    }
}

pub fn noted(language: Language) -> &'static str {
    match language {
        Language::En => "Thanks for telling me. If memory is on, it will be looked through for what to keep.",
        Language::Ja => {
            "教えてくれてありがとうございます。記憶がオンなら、あとで覚えるべきことを整理します。"
        }
    }
}

pub fn greeting(language: Language, name: Option<&str>) -> String {
    match (language, name) {
        (Language::En, Some(name)) => format!("Hello, {name}!"),
        (Language::En, None) => "Hello!".to_owned(),
        (Language::Ja, Some(name)) => format!("こんにちは、{name}さん。"),
        (Language::Ja, None) => "こんにちは。".to_owned(),
    }
}

pub fn remembered(language: Language) -> &'static str {
    match language {
        Language::En => "This is what I remember:",
        Language::Ja => "覚えているのは次のことです。",
    }
}

pub fn said(language: Language, day: &str, quote: &str) -> String {
    match (language, day.is_empty()) {
        (Language::En, true) => format!("You said: “{quote}”"),
        (Language::En, false) => format!("On {day} you said: “{quote}”"),
        (Language::Ja, true) => format!("「{quote}」とおっしゃっていました。"),
        (Language::Ja, false) => format!("{day}に「{quote}」とおっしゃっていました。"),
    }
}

pub fn mentioned(language: Language) -> &'static str {
    match language {
        Language::En => "Earlier in this conversation you said:",
        Language::Ja => "この会話で、次のようにおっしゃっていました。",
    }
}

/// Marks a fact's dates and whether it has passed.
pub fn dates(language: Language, fact: &Known) -> String {
    let [date, since, until] = [fact.date, fact.since, fact.until].map(|day| prefix_chars(day, 10));
    let past = match language {
        Language::En => "in the past",
        Language::Ja => "過去",
    };
    let period = match (language, since.is_empty(), until.is_empty()) {
        (_, true, true) => date.to_owned(),
        (Language::En, false, true) => format!("since {since}"),
        (Language::En, true, false) => format!("until {until}"),
        (Language::En, false, false) => format!("{since} to {until}"),
        (Language::Ja, false, true) => format!("{since}から"),
        (Language::Ja, true, false) => format!("{until}まで"),
        (Language::Ja, false, false) => format!("{since}から{until}まで"),
    };
    let past = if fact.is_past && until.is_empty() { past } else { "" };
    let shown: Vec<&str> = [past, period.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
    match (shown.is_empty(), language) {
        (true, _) => String::new(),
        (false, Language::En) => format!(" ({})", shown.join(", ")),
        (false, Language::Ja) => format!("（{}）", shown.join("、")),
    }
}

/// A fact told to the user: "You live in Osaka." where its grammar is known, its own words otherwise.
pub fn told(fact: &str) -> String {
    let (first, rest) = fact.split_once(' ').unwrap_or((fact, ""));
    let rest = rest.replace(" their ", " your ");
    let verb = match first {
        "Is" => Some("are"),
        "Was" => Some("were"),
        "Has" => Some("have"),
        "Does" => Some("do"),
        "Can" | "Can't" | "Grew" | "Lived" | "Worked" | "Bought" | "Went" | "Visited" | "Decided"
        | "Adopted" | "Got" | "Had" | "Comes" | "Studied" | "Traveled" | "Started" | "Stopped" | "Quit"
        | "Passed" | "Graduated" | "Attended" | "Came" => None,
        _ => base_of_third(&lower(first)),
    };
    match (verb, first) {
        (Some(verb), _) => format!("You {verb} {rest}"),
        (None, "Comes") => format!("You come {rest}"),
        (None, "Name" | "Birthday" | "Hometown" | "Job" | "Favourite") => {
            format!("Your {} {rest}", lower(first))
        }
        (
            None,
            "Can" | "Can't" | "Grew" | "Lived" | "Worked" | "Bought" | "Went" | "Visited" | "Decided"
            | "Adopted" | "Got" | "Had" | "Studied" | "Traveled" | "Started" | "Stopped" | "Quit" | "Passed"
            | "Graduated" | "Attended" | "Came",
        ) => format!("You {} {rest}", lower(first)),
        _ => fact.to_owned(),
    }
}
