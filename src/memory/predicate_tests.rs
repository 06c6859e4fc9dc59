use super::*;

#[test]
fn a_fact_that_says_something_else_with_the_same_words_is_seen() {
    for (text, said) in [
        ("The user is a curator in Ghent", "I'm applying for a position as a curator in Ghent"),
        ("The user owes the brother-in-law Felix 300 bucks", "My brother-in-law Felix owes me 300 bucks"),
        ("The user's husband is Rui", "my husband Tomás, and the kids, Inês (9), Rui (6)"),
        ("The user has a Toyota", "I'm leaning towards the Toyota"),
        ("台所をリフォームする", "台所のリフォームは高すぎる"),
        ("カウンセラーだ", "カウンセラーに日記を勧められて"),
        ("カウンセラーに日記を勧めた", "カウンセラーに日記を勧められて"),
        ("夫は蓮", "夫の健と、長男の蓮がいます"),
        ("電動自転車を売った", "電動自転車買った"),
        ("猫がいる", "猫が好き"),
    ] {
        assert!(misread(text, said), "{text} / {said}");
    }
}

#[test]
fn a_faithful_rewording_is_not_objected_to() {
    for (text, said) in [
        ("The user is a nurse", "I work as a nurse"),
        ("The user has a kitten named Luna", "I just adopted a kitten named Luna"),
        ("The user lives in Osaka", "I moved to Osaka"),
        ("The user wants to visit Paris", "I'd like to visit Paris"),
        ("The user is learning Korean", "I've been learning Korean since 2019"),
        ("The user's husband is Tomás", "my husband Tomás, and the kids"),
        ("夫は健", "夫の健と、長男の蓮がいます"),
        ("猫の名前はタマ", "タマという名前の猫を飼っています"),
        ("大阪に住んでいる", "大阪に引っ越しました"),
        ("看護師", "看護師をしています"),
        ("妻がいる", "妻と娘がいます"),
        ("誕生日は5月3日", "5月3日が誕生日です"),
        ("7歳になった", "7歳になりました"),
    ] {
        assert!(!misread(text, said), "{text} / {said}");
    }
}
