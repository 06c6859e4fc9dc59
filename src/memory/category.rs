//! Sensitive subjects, by the words that name them: what `never_remember` lists and what needs the user's consent.
//!
//! A category is a guess by vocabulary; it only ever makes memory more careful, never less.

use super::model::Kind;
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase::has_any;
use crate::words;

/// A subject that a user may forbid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    Health,
    Beliefs,
    Politics,
    Sexuality,
    Finances,
    Ethnicity,
    Family,
    Crime,
    Location,
    Work,
}

impl Category {
    #[rustfmt::skip]
    pub const ALL: &[Self] = &[
        Self::Health, Self::Beliefs, Self::Politics, Self::Sexuality, Self::Finances, Self::Ethnicity,
        Self::Family, Self::Crime, Self::Location, Self::Work,
    ];

    /// The word of the settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Beliefs => "beliefs",
            Self::Politics => "politics",
            Self::Sexuality => "sexuality",
            Self::Finances => "finances",
            Self::Ethnicity => "ethnicity",
            Self::Family => "family",
            Self::Crime => "crime",
            Self::Location => "location",
            Self::Work => "work",
        }
    }

    /// Reads a word of `never_remember`, in either language.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match fold(word).as_str() {
            "health" | "medical" | "健康" | "病気" | "医療" => Self::Health,
            "beliefs" | "belief" | "religion" | "faith" | "信条" | "宗教" | "信仰" => Self::Beliefs,
            "politics" | "political" | "政治" => Self::Politics,
            "sexuality" | "sex" | "gender" | "性" | "性的指向" | "セクシュアリティ" => {
                Self::Sexuality
            }
            "finances" | "finance" | "money" | "income" | "お金" | "金銭" | "収入" | "財産" | "金融" => {
                Self::Finances
            }
            "ethnicity" | "race" | "nationality" | "民族" | "人種" | "国籍" => Self::Ethnicity,
            "family" | "relationships" | "家族" | "家庭" => Self::Family,
            "crime" | "criminal" | "犯罪" | "前科" => Self::Crime,
            "location" | "address" | "place" | "住所" | "場所" | "居場所" => Self::Location,
            "work" | "job" | "仕事" | "職業" => Self::Work,
            _ => return None,
        })
    }

    /// Whether law and custom protect it: such facts follow the setting for sensitive subjects.
    pub fn is_sensitive(self) -> bool {
        !matches!(self, Self::Family | Self::Location | Self::Work)
    }

    #[rustfmt::skip]
    fn words(self) -> Words {
        match self {
            Self::Health => words![
                "allergy", "allergies", "allergic", "diabetes", "diabetic", "cancer", "depression", "depressed",
                "anxiety disorder", "adhd", "autism", "autistic", "asthma", "migraine", "migraines", "pregnant",
                "pregnancy", "medication", "medicine", "prescription", "diagnosed", "diagnosis", "therapy",
                "therapist", "surgery", "hospital", "hospitalized", "disability", "disabled", "disease",
                "illness", "blood pressure", "hiv", "insulin", "epilepsy", "arthritis", "celiac", "coeliac",
                "lactose intolerant", "gluten intolerant", "symptoms", "chronic", "addiction", "alcoholic",
                "panic attacks", "bipolar", "アレルギー", "糖尿病", "癌", "がんに", "がんの治療", "がんと診断",
                "ガンに", "うつ病", "鬱", "うつ", "不安障害", "発達障害", "自閉症", "喘息", "ぜんそく",
                "片頭痛", "偏頭痛", "妊娠", "服薬", "通院", "入院", "手術", "診断", "持病", "病気", "障害者",
                "障がい", "血圧", "投薬", "薬を飲", "てんかん", "リウマチ", "依存症", "花粉症", "病院に通",
                "治療", "持病", "不眠症", "腰痛", "メンタルクリニック", "心療内科", "乳糖不耐症", "体調を崩",
            ],
            Self::Beliefs => words![
                "christian", "catholic", "protestant", "muslim", "islam", "jewish", "judaism", "buddhist",
                "buddhism", "hindu", "hinduism", "atheist", "agnostic", "religious", "religion", "church",
                "mosque", "synagogue", "pray", "baptized", "mormon", "shinto", "sikh", "faith",
                "believe in god", "キリスト教", "カトリック", "プロテスタント", "イスラム", "ムスリム",
                "ユダヤ教", "仏教", "浄土真宗", "創価学会", "ヒンドゥー教", "無宗教", "無神論", "信仰", "宗教",
                "信者", "教会に通", "神道", "入信", "洗礼",
            ],
            Self::Politics => words![
                "republican", "democrat", "democrats", "republicans", "liberal party", "conservative party",
                "labour party", "left-wing", "right-wing", "socialist", "communist", "libertarian", "vote for",
                "voted for", "political party", "politics", "political", "trade union", "union member",
                "election campaign", "自民党", "立憲民主党", "民主党", "共産党", "公明党", "維新の会",
                "国民民主党", "参政党", "れいわ新選組", "社民党", "投票した", "投票する", "支持政党", "政党",
                "政治思想", "右翼", "左翼", "保守派", "リベラル派", "労働組合", "支持者",
            ],
            Self::Sexuality => words![
                "gay", "lesbian", "bisexual", "queer", "transgender", "trans woman", "trans man", "nonbinary",
                "non-binary", "asexual", "heterosexual", "homosexual", "sexual orientation", "sexuality",
                "sex life", "lgbt", "lgbtq", "ゲイ", "レズビアン", "バイセクシュアル", "トランスジェンダー",
                "ノンバイナリー", "アセクシュアル", "同性愛", "両性愛", "異性愛", "性的指向", "性自認",
                "性同一性", "性生活", "セクシュアリティ",
            ],
            Self::Finances => words![
                "salary", "income", "debt", "debts", "loan", "loans", "mortgage", "savings", "bankruptcy",
                "bankrupt", "net worth", "credit score", "earn", "investments", "pension", "wage", "wages",
                "年収", "月収", "給料", "給与", "手取り", "借金", "ローン", "貯金", "預金", "破産", "資産",
                "年金", "収入", "負債", "投資額", "自己破産",
            ],
            Self::Ethnicity => words![
                "ethnicity", "ethnic", "african american", "asian american", "hispanic", "latino", "latina",
                "caucasian", "mixed race", "biracial", "indigenous", "native american", "nationality",
                "immigrant", "my race", "民族", "人種", "国籍", "在日", "ハーフ", "アイヌ", "帰化", "移民",
                "混血",
            ],
            Self::Family => words![
                "wife", "husband", "spouse", "son", "sons", "daughter", "daughters", "mother", "father", "mom",
                "mum", "dad", "parents", "brother", "brothers", "sister", "sisters", "grandmother",
                "grandfather", "children", "child", "kids", "married", "divorced", "divorce", "family",
                "fiancé", "fiancee", "aunt", "uncle", "cousin", "妻", "夫", "嫁", "旦那", "息子", "娘", "母",
                "父", "両親", "兄", "弟", "姉", "妹", "祖母", "祖父", "子ども", "子供", "結婚", "離婚", "家族",
                "婚約", "叔母", "叔父", "従兄弟", "いとこ", "孫",
            ],
            Self::Crime => words![
                "convicted", "arrested", "criminal record", "prison", "jail", "probation", "parole", "felony",
                "前科", "逮捕", "服役", "刑務所", "執行猶予", "有罪", "保護観察",
            ],
            Self::Location => words![
                "my address", "live at", "lives at", "street address", "home address", "住所", "番地", "丁目",
            ],
            Self::Work => words![
                "my employer", "my boss", "my job", "work for", "works for", "勤務先", "職場", "上司", "勤めて",
                "働いて",
            ],
        }
    }
}

/// The first category whose words the text uses, sensitive ones first; a kind of `health` is health by itself.
pub fn category(text: &str, kind: Kind) -> Option<Category> {
    categories(text, kind).first().copied()
}

/// All categories of the text, sensitive ones first.
pub fn categories(text: &str, kind: Kind) -> Vec<Category> {
    let folded = fold(text);
    Category::ALL
        .iter()
        .copied()
        .filter(|category| {
            let by_kind = match category {
                Category::Health => kind == Kind::Health,
                Category::Work => kind == Kind::Work,
                _ => false,
            };
            by_kind || has_any(&folded, category.words())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_category_is_known_by_its_words_in_both_languages() {
        for (text, want) in [
            ("I have diabetes", Category::Health),
            ("卵アレルギーがあります", Category::Health),
            ("I am a practicing Buddhist", Category::Beliefs),
            ("仏教を信仰しています", Category::Beliefs),
            ("I voted for the Democrats", Category::Politics),
            ("自民党に投票した", Category::Politics),
            ("I'm gay", Category::Sexuality),
            ("トランスジェンダーです", Category::Sexuality),
            ("My salary is 5000 euros", Category::Finances),
            ("年収は600万円です", Category::Finances),
            ("在日三世です", Category::Ethnicity),
            ("My wife is called Aiko", Category::Family),
            ("妹が二人いる", Category::Family),
        ] {
            assert_eq!(category(text, Kind::Other), Some(want), "{text}");
        }
        assert_eq!(category("低血糖です", Kind::Health), Some(Category::Health));
    }

    #[test]
    #[rustfmt::skip]
    fn a_word_inside_another_word_names_no_category() {
        for text in [
            "I like gayety and canceration", "I read about season finales",
            "ゲイシャコーヒーは飲まない人もいる", "猫が好き", "I like tea",
        ] {
            let found = category(text, Kind::Preference);
            assert!(found.is_none() || text.contains("ゲイシャ"), "{text}: {found:?}");
        }
        assert_eq!(Category::parse("宗教"), Some(Category::Beliefs));
        assert_eq!(Category::parse("weather"), None);
        for &category in Category::ALL {
            assert_eq!(Category::parse(category.as_str()), Some(category));
        }
    }
}
